"""Wide presence tables: one cell per individual and day (or month), in either direction.

A cell says present (1, yes, x or another tick) or absent (0, no, blank). An individual that is
present in two successive days of the table was present between them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from peckorder.data.presence import Presence
from peckorder.data.presence_days import Spans, spans_of_column, spans_of_labels
from peckorder.errors import DataError
from peckorder.sources.names import text_of
from peckorder.sources.sheet import Sheet
from peckorder.wording import counted, quoted, rows

PRESENT = ("1", "1.0", "true", "yes", "y", "present", "p")
TICKS = ("x", "✓", "✔", "√", "+", "*")
ABSENT = ("0", "0.0", "false", "no", "n", "absent", "-", "–", "—")
BLANK = ("", "na", "n/a")


class Cells:
    """Cells of a wide table: which are present, and what has to be reported."""

    def __init__(self, sheet: Sheet):
        self.sheet = sheet
        self.problems: list[str] = []
        self.blank = 0
        self.ticks: dict[str, int] = {}

    def present(self, column: str) -> np.ndarray:
        """Whether each cell of a column means present."""
        words = self.sheet.column(column).cast(pl.String).fill_null("").str.strip_chars()
        small = words.str.to_lowercase()
        present = small.is_in([*PRESENT, *TICKS])
        blank = small.is_in(BLANK)
        bad = ~(present | blank | small.is_in(ABSENT))
        if bad.any():
            where = bad.arg_true().to_numpy()
            self.problems.append(
                f"{self.sheet.name}: {rows(self.sheet.row_word, self.sheet.rows(where))}: "
                f'"{words[int(where[0])]}" in column "{column}" is neither 1 (present) nor 0 '
                f"(absent)."
            )
        self.blank += int(blank.sum())
        for tick in small.filter(small.is_in(TICKS)):
            self.ticks[tick] = self.ticks.get(tick, 0) + 1
        return present.to_numpy()

    def notes(self, spans: Spans) -> list[str]:
        """What was decided about cells and days."""
        out = []
        for tick, number in self.ticks.items():
            out.append(f'{counted(number, "cell")} with "{tick}" counted as present.')
        if self.blank:
            cells = counted(self.blank, "empty cell was", "empty cells were")
            out.append(f"{cells} counted as absent.")
        if spans.unit == "month":
            out.append("A cell of the presence table stands for all days of its month.")
        if gaps := spans.gaps():
            table = "daily table" if spans.unit == "day" else "table"
            length = "days" if spans.unit == "day" else "months"
            out.append(
                f"The {table} has {counted(gaps, 'gap')} of one or more {length}; individuals "
                f"present before and after a gap are assumed to have been present during it."
            )
        if _first_days_of_months(spans):
            out.append(
                "All dates are the first day of a month, and a cell stands for that day. If it "
                "stands for the month, write months (2019-01)."
            )
        return out


def _first_days_of_months(spans: Spans) -> bool:
    if spans.unit != "day" or len(spans.first) < 3:
        return False
    return bool((spans.first == spans.first.astype("datetime64[M]")).all())


def days_in_rows(sheet: Sheet, column: str, date_format: str | None) -> Presence:
    """Presence from a table with days or months in rows and individuals in columns."""
    spans = spans_of_column(sheet, column, date_format)
    if twice := _duplicates(spans):
        unit = "month" if spans.unit == "month" else "day"
        raise DataError(
            f"{sheet.name}: {rows(sheet.row_word, sheet.rows(np.array(twice)))}: the date is a "
            f"duplicate of an earlier row. Use one row per {unit}."
        )
    individuals = [c for c in sheet.columns if c != column]
    if shared := [c for c in individuals if " (column " in c]:
        raise DataError(
            f"{sheet.name}: several columns have the same name: {quoted(shared)}. Use one column "
            f"per individual."
        )
    cells = Cells(sheet)
    stints = [
        stint for name in individuals for stint in runs(name.strip(), cells.present(name), spans)
    ]
    return _presence(cells, stints, spans, [])


def days_in_columns(
    sheet: Sheet, individual: str, labels: list[str], date_format: str | None
) -> Presence:
    """Presence from a table with individuals in rows and days or months in columns."""
    spans = spans_of_labels(sheet, labels, date_format)
    if twice := _duplicates(spans):
        raise DataError(
            f"{sheet.name}: columns {quoted([labels[i] for i in twice])} are the same day or month "
            f"as an earlier column. Use one column for each."
        )
    names = names_in(sheet, individual)
    for name in dict.fromkeys(names):
        own = np.flatnonzero([other == name for other in names])
        if own.size > 1:
            raise DataError(
                f'{sheet.name}: {rows(sheet.row_word, sheet.rows(own))}: "{name}" appears more '
                f"than once. Use one row per individual."
            )
    cells = Cells(sheet)
    table = np.array([cells.present(label) for label in labels])
    stints = [stint for i, name in enumerate(names) for stint in runs(name, table[:, i], spans)]
    notes = [
        f'Presence table: individuals are in rows (column "{individual}") and '
        f"{counted(len(labels), spans.unit)} in columns."
    ]
    unused = [c for c in sheet.columns if c not in (individual, *labels)]
    if unused:
        notes.append(f"Columns that are neither days nor months were not used: {quoted(unused)}.")
    return _presence(cells, stints, spans, notes)


def names_in(sheet: Sheet, column: str) -> list[str]:
    """Names of individuals in a column; all rows must have one."""
    values = text_of(sheet.column(column)).fill_null("").str.strip_chars()
    blank = (values == "").arg_true().to_numpy()
    if blank.size:
        raise DataError(
            f"{sheet.name}: {rows(sheet.row_word, sheet.rows(blank))}: no name in column "
            f'"{column}". Enter the name or delete the row.'
        )
    return values.to_list()


def _duplicates(spans: Spans) -> list[int]:
    """Places whose day or month occurred before."""
    seen: set[Any] = set()
    twice = []
    for place, first in enumerate(spans.first.tolist()):
        if first in seen:
            twice.append(place)
        seen.add(first)
    return twice


def runs(name: str, present: np.ndarray, spans: Spans) -> list[tuple[str, Any, Any]]:
    """Stints of an individual, from successive days or months in which it is present."""
    order = np.argsort(spans.first, kind="stable")
    edges = np.diff(np.concatenate([[0], present[order].astype(np.int8), [0]]))
    begins, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1
    first, last = spans.first[order], spans.last[order]
    return [(name, first[i], last[j]) for i, j in zip(begins, ends, strict=True)]


def _presence(cells: Cells, stints: list, spans: Spans, notes: list[str]) -> Presence:
    if cells.problems:
        raise DataError(*cells.problems)
    return from_stints(cells.sheet, stints, (*notes, *cells.notes(spans)))


def from_stints(sheet: Sheet, stints: list[tuple[str, Any, Any]], notes) -> Presence:
    """Presence from stints; an error if there are none."""
    if not stints:
        raise DataError(f"{sheet.name}: no individual is present on any day.")
    names, starts, ends = zip(*stints, strict=True)
    return Presence(names, np.array(starts), np.array(ends), notes)

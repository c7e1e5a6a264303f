"""Wide presence tables: one cell per individual and day (or month), in either direction.

A cell says present (1, yes, x or another tick) or absent (0, no, blank). An individual that is
present in two successive days of the table was present between them.

Days and months of presence data, in a column or in the header of a wide table.
"""

from __future__ import annotations

import re
from calendar import month_abbr, month_name
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.date_columns import MISSING, no_dates, read_dates, whole_days
from peckorder.data.presence import ONE_DAY, Presence, forever
from peckorder.data.sheet import Sheet
from peckorder.errors import DataError
from peckorder.text import counted, quoted

WORDS = {word.casefold(): i for names in (month_abbr, month_name) for i, word in enumerate(names)}
MONTHS = (
    re.compile(r"(?P<year>\d{4})[-/ ](?P<month>\d{1,2})", re.ASCII),
    re.compile(r"X(?P<year>\d{4})\.(?P<month>\d{1,2})", re.ASCII),  # as R changes labels
    re.compile(r"(?P<month>\d{1,2})[-/. ](?P<year>\d{4})", re.ASCII),
    re.compile(r"(?P<word>[A-Za-z]{3,9})\.?[-/ ]?(?P<year>\d{4})", re.ASCII),
    re.compile(r"(?P<year>\d{4})[-/ ]?(?P<word>[A-Za-z]{3,9})", re.ASCII),
)
DAY = re.compile(
    r"X?\d{1,4}[-./]\d{1,2}[-./]\d{1,4}([ T].*)?|\d{8}|\d{1,2}\.?[ -]?[A-Za-z]{3,9}[ -]?\d{4}"
    r"|[A-Za-z]{3,9} \d{1,2}, \d{4}",
    re.ASCII,
)
SHORT = re.compile(r"(?P<word>[A-Za-z]{3,9})[-' ]\d{2}|\d{2}[-' ](?P<end>[A-Za-z]{3,9})", re.ASCII)
YEAR = re.compile(r"(1[89]|20|21)\d\d", re.ASCII)


@dataclass(frozen=True)
class Spans:
    """First and last day of each row or column of a wide table, and what they are."""

    first: np.ndarray
    last: np.ndarray
    unit: str

    def gaps(self) -> int:
        """How often the next span does not follow directly, in order of time."""
        if self.first.dtype.kind != "M":
            return 0
        order = np.argsort(self.first, kind="stable")
        return int((self.first[order][1:] > self.last[order][:-1] + ONE_DAY).sum())


def month_of(text: str) -> np.datetime64 | None:
    """The month that a text means, or None.

    >>> [str(month_of(text)) for text in ("2019-01", "Feb 2019", "3/2019", "2019-13", "Jan-19")]
    ['2019-01', '2019-02', '2019-03', 'None', 'None']
    """
    for form in MONTHS:
        if found := form.fullmatch(text.strip()):
            parts = found.groupdict()
            word = parts.get("word")
            month = WORDS.get(word.casefold(), 0) if word else int(parts["month"])
            if 1 <= month <= 12:
                return np.datetime64(f"{parts['year']}-{month:02d}", "M")
    return None


def is_time_label(label: str) -> bool:
    """Whether the label of a column looks like a day or a month."""
    text = label.strip()
    return bool(DAY.fullmatch(text)) or month_of(text) is not None


def may_be_short_month(label: str) -> bool:
    """Whether a label is a month with two digits, which may be a year or a day.

    >>> may_be_short_month("Jan-19"), may_be_short_month("19-Feb"), may_be_short_month("Abe 12")
    (True, True, False)
    """
    found = SHORT.fullmatch(label.strip())
    return found is not None and (found["word"] or found["end"]).casefold() in WORDS


def spans_of_labels(sheet: Sheet, labels: list[str], date_format: str | None) -> Spans:
    """Days or months in the header; errors name the column instead of the row."""
    texts = pl.Series([re.sub(r"^X(?=\d)", "", label.strip()) for label in labels])
    texts = texts.str.replace(r"^(\d{4})\.(\d{2})\.(\d{2})$", "$1-$2-$3")
    if all(month_of(label) is not None for label in labels):
        texts = pl.Series(labels)
    numbers = np.array([sheet.columns.index(label) + 1 for label in labels])
    header = replace(sheet, row_word="column", picked=numbers, files=None)
    return spans_of(header, "header", texts, date_format)


def spans_of(sheet: Sheet, column: str, values: pl.Series, date_format: str | None) -> Spans:
    """Days or months in a column."""
    texts = values.to_list() if values.dtype == pl.String else []
    months = [month_of(text) for text in texts if text is not None]
    if months and len(months) == len(values) and None not in months:
        first = np.array(months, "datetime64[M]")
        last = (first + 1).astype("datetime64[D]") - ONE_DAY
        return Spans(first.astype("datetime64[D]"), last, "month")
    days = plain_days(sheet, column, values, date_format)
    return Spans(days, days, "day" if days.dtype.kind == "M" else "number")


def read_days(sheet: Sheet, column: str, date_format: str | None, *, open_end=False) -> np.ndarray:
    """Days of a column; with `open_end`, an empty cell means no end."""
    values = sheet.column(column)
    if not open_end:
        return plain_days(sheet, column, values, date_format)
    absent = blanks(values)
    if absent.all():
        return np.full(len(values), np.datetime64("9999-12-31"))
    present = values.gather(pl.Series(np.flatnonzero(~absent)))
    known = plain_days(sheet, column, present, date_format, places=np.flatnonzero(~absent))
    days = np.full(len(values), forever(known), known.dtype)
    days[~absent] = known
    return days


def blanks(values: pl.Series) -> np.ndarray:
    """Which cells are empty."""
    if values.dtype == pl.String:
        return values.fill_null("").str.strip_chars().is_in(MISSING).to_numpy()
    if values.dtype.is_float():
        values = values.fill_nan(None)
    return values.is_null().to_numpy()


def plain_days(
    sheet: Sheet,
    column: str,
    values: pl.Series,
    date_format: str | None,
    *,
    places: np.ndarray | None = None,
) -> np.ndarray:
    """Days of a column; the format is used only if they cannot be read without it."""
    places = np.arange(len(values)) if places is None else places
    try:
        dates, lost, problems = read_dates(sheet, column, values, places=places)
    except DataError as error:
        dates, lost, problems = np.zeros(0), np.zeros(0, bool), list(error.problems)
    if problems and date_format is not None:
        dates, lost, problems = read_dates(sheet, column, values, date_format, places=places)
    if lost.any():
        problems.append(no_dates(sheet, column, places[lost]))
    if problems:
        raise DataError(*(f"{sheet.name}: {problem}" for problem in problems))
    return whole_days(dates)


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
                f'{self.sheet.name}: {self.sheet.where(where)}: "{words[int(where[0])]}" in column '
                f'"{column}" is neither 1 (present) nor 0 (absent).'
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
        daily = spans.unit == "day" and len(spans.first) > 2
        if daily and (spans.first == spans.first.astype("datetime64[M]")).all():
            out.append(
                "All dates are the first day of a month, and a cell stands for that day. If it "
                "stands for the month, write months (2019-01)."
            )
        return out


def days_in_rows(sheet: Sheet, column: str, date_format: str | None) -> Presence:
    """Presence from a table with days or months in rows and individuals in columns."""
    spans = spans_of(sheet, column, sheet.column(column), date_format)
    if twice := _duplicates(spans):
        unit = "month" if spans.unit == "month" else "day"
        raise DataError(
            f"{sheet.name}: {sheet.where(np.array(twice))}: the date is a "
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
                f'{sheet.name}: {sheet.where(own)}: "{name}" appears more '
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
    values = sheet.texts(column)
    blank = (values == "").arg_true().to_numpy()
    if blank.size:
        raise DataError(
            f"{sheet.name}: {sheet.where(blank)}: no name in column "
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

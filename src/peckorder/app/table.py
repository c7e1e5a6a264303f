"""The sheet behind a reading: its cells, the rows above its header, and the rows left out.

A window of the grid: cells, what was changed in them, and which rows are left out and why.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from peckorder.app.reading import ROLES, Reading
from peckorder.app.uploads import Keep, Sheets, as_text, key_of, without_midnight
from peckorder.data.sheet import FileRows, Sheet
from peckorder.errors import PeckorderError

MOST_TITLES = 40
# Why rows are left out, beside the reasons of the import report.
CHOSEN, FOR_NOW, OTHER = "left out", "a cell that cannot be read", "not read"


@dataclass(frozen=True)
class Table:
    """The cells of a sheet as text."""

    columns: list[str]  # names of the columns
    cells: pl.DataFrame  # one column of text each, in the same order
    first_row: int  # number of the first row below the header
    row_word: str = "row"
    titles: list[str] = field(default_factory=list)  # rows above the header, as text
    files: FileRows | None = None  # of several sheets that are joined
    # number of contests that each row gave
    kept: np.ndarray = field(default_factory=lambda: np.zeros(0, int))
    # why a row gave none, by row (its place, from 0)
    reasons: dict[str, np.ndarray] = field(default_factory=dict)

    @property
    def height(self) -> int:
        """Number of rows below the header."""
        return self.cells.height

    @cached_property
    def labels(self) -> dict[str, int]:
        """The place of each row of joined sheets, by its name in messages."""
        if self.files is None:
            return {}
        return {label: i for i, label in enumerate(self.files.labels(np.arange(self.height)))}

    def places(self, rows: Iterable[Any]) -> np.ndarray:
        """Places, from 0 below the header, of rows as they are named in messages."""
        if self.files is not None:
            found = [self.labels.get(str(row), -1) for row in rows]
        else:
            found = [int(row) - self.first_row for row in rows if str(row).isdigit()]
        places = np.array(found, int)
        return places[(places >= 0) & (places < max(self.height, 1))]

    def row(self, place: int) -> Any:
        """A row as it is named in messages: its number or, of joined sheets, a text."""
        if self.files is not None:
            return self.files.labels([place])[0]
        return place + self.first_row

    def reason_of(self) -> dict[int, str]:
        """Why a row was left out, by its place."""
        return {int(i): why for why, places in self.reasons.items() for i in places}


def table_of(reading: Reading, keep: Keep = lambda _, make: make()) -> Table:
    """The sheet of a reading; without rows if the file cannot be opened as a table.

    `keep` remembers the cells, which depend on few of the decisions.
    """
    cells = keep(("cells", key_of(reading.options, ROLES)), lambda: _cells(reading, keep))
    data = reading.data
    if data is None or data.report.kind in ("matrix", "visits"):
        return replace(cells, kept=np.ones(cells.height, int))
    kept = _kept(data, cells)
    return replace(cells, kept=kept, reasons=_reasons(reading, cells, kept))


def _cells(reading: Reading, keep: Keep) -> Table:
    """The cells of the sheet alone."""
    sheet = opened_sheet(reading)
    if sheet is None or sheet.batches is not None:
        return Table([], pl.DataFrame(), 1)
    frame = sheet.table()
    cells = pl.DataFrame(
        [as_text(frame[name]).alias(str(i)) for i, name in enumerate(sheet.columns)]
    )
    titles = keep(("titles", sheet.name, sheet.first_row), lambda: _titles(reading, sheet))
    return Table(list(sheet.columns), cells, sheet.first_row, sheet.row_word, titles, sheet.files)


def opened_sheet(reading: Reading) -> Sheet | None:
    """The sheet of a reading as it is in the file; None if it cannot be opened as a table."""
    sheets = reading.sheets or Sheets(reading.record)
    for header in (reading.options.get("header"), 1):
        try:
            return sheets.open(reading.options | {"header": header}, ROLES)
        except (PeckorderError, OSError):
            continue
    return None


def _titles(reading: Reading, sheet: Sheet) -> list[str]:
    """The rows above the header, and the header itself, as lines of text."""
    above = sheet.first_row - 1
    if above <= 0:
        return []
    record = reading.record
    if not record.is_workbook:
        raw = record.path.read_bytes()[: 1 << 16]
        lines = _decoded(raw, reading.options.get("encoding")).splitlines()
        return [line[:200] for line in lines[: min(above, MOST_TITLES)]]
    import fastexcel

    label = sheet.name.rpartition(", sheet ")[2]
    book = fastexcel.read_excel(record.path)
    if label not in book.sheet_names:
        return []
    rows = book.load_sheet(
        label, header_row=None, skip_rows=0, dtypes="string", n_rows=min(above, MOST_TITLES)
    ).to_polars()
    return ["   ".join(cell for cell in row if cell)[:200] for row in rows.iter_rows()]


def _decoded(raw: bytes, encoding: str | None) -> str:
    """The beginning of a text file, which may end within a sign."""
    try:
        return raw.decode(encoding or "utf-8", errors="replace" if encoding else "strict")
    except UnicodeDecodeError as error:
        whole = error.start > len(raw) - 4  # only the last sign is cut
        return raw.decode("utf-8" if whole else "cp1252", errors="replace")
    except LookupError:
        return raw.decode("utf-8", errors="replace")


def _kept(data: Any, table: Table) -> np.ndarray:
    """How many contests each row gave."""
    places = data.row_numbers(np.arange(len(data))) - (
        table.first_row if data.rows is not None else 0
    )
    places = places[(places >= 0) & (places < table.height)]
    return np.bincount(places, minlength=table.height)


def _reasons(reading: Reading, table: Table, kept: np.ndarray) -> dict[str, np.ndarray]:
    """Why rows gave no contest, in the words of the import report."""
    left, found = kept == 0, {}
    first = table.first_row if table.files is None else 0
    given = ((CHOSEN, reading.decided), (FOR_NOW, reading.provisional))
    known = [(why, table.places(options.get("leave_out", ()))) for why, options in given]
    known += [(why, rows - first) for why, rows in reading.data.report.left.items()]
    for why, places in known:
        places = places[(places >= 0) & (places < table.height)]
        places = places[left[places]]
        if len(places):
            found[why] = np.unique(places)
            left[places] = False
    return found | ({OTHER: np.flatnonzero(left)} if left.any() else {})


def _cells_of(reading: Reading, table: Table, role: str) -> pl.Series | None:
    column = reading.data.report.columns.get(role)
    if column is None or column not in table.columns:
        return None
    return table.cells.to_series(table.columns.index(column)).str.strip_chars()


def sides_of(reading: Reading, table: Table, roles: tuple[str, ...]) -> list[pl.Series]:
    """The cells of the columns that have these roles."""
    found = [_cells_of(reading, table, role) for role in roles]
    return [cells for cells in found if cells is not None]


NAMED = ("winner", "loser", "a", "b", "home", "away", "outcome")
LONGEST = 300  # characters of a cell


def window(
    reading: Reading, table: Table, start: int, count: int, only: np.ndarray | None
) -> dict[str, Any]:
    """The rows from `start` on, of all rows or of those of a check.

    Rows are places from 0 below the header; `number` is their number in the file.
    """
    places = np.arange(table.height) if only is None else only
    shown = places[max(0, start) : max(0, start) + count]
    reasons = table.reason_of()
    texts = table.cells[shown.tolist()].rows() if len(shown) else []
    return {
        "total": len(places),
        "height": table.height,
        "from": max(0, start),
        "titles": table.titles,
        "columns": table.columns,
        "rows": [
            {
                "place": int(place),
                "number": int(str(table.row(place)).partition(" of ")[0]),
                "cells": [_short(cell) for cell in cells],
                "contests": int(table.kept[place]) if len(table.kept) else 0,
                "why": reasons.get(int(place)),
                "changed": _changed(reading, table, cells),
            }
            for place, cells in zip(shown.tolist(), texts, strict=True)
        ],
    }


def _short(cell: str) -> str:
    cell = without_midnight(cell)
    return cell if len(cell) <= LONGEST else f"{cell[:LONGEST]}…"


def _changed(reading: Reading, table: Table, cells: tuple[str, ...]) -> dict[str, str]:
    """Names that are read differently from how they are written, by position of the column."""
    names = reading.options.get("names") or {}
    if reading.data is None or not names:
        return {}
    used = reading.data.report.columns
    places = [table.columns.index(used[role]) for role in NAMED if used.get(role) in table.columns]
    return {
        str(i): names[cells[i].strip()]
        for i in places
        if cells[i].strip() in names and names[cells[i].strip()] != cells[i].strip()
    }


def runs(places: np.ndarray) -> list[list[int]]:
    """Places as runs of consecutive ones: first, length.

    >>> import numpy as np
    >>> runs(np.array([3, 4, 5, 9]))
    [[3, 3], [9, 1]]
    """
    if len(places) == 0:
        return []
    places = np.sort(places)
    breaks = np.flatnonzero(np.diff(places) != 1) + 1
    return [[int(part[0]), len(part)] for part in np.split(places, breaks)]

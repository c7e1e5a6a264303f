"""Rows and columns of totals in a table of wins.

A total counted as an individual would win every contest a second time. It is recognized by its
label together with its sums; by its sums alone where it cannot be an individual (the corner is the
grand total, or only the rows, or only the columns, have it). If label and sums disagree, or an
unlabeled row and column may be an individual, the table is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from peckorder.errors import DataError
from peckorder.sources.headings import is_total
from peckorder.wording import quoted

FEWEST_OTHERS = 3  # with fewer individuals, sums agree by chance
Number = Callable[[Any], float | None]


@dataclass(frozen=True)
class Square:
    """A table of counts with the labels of its rows and columns, and the label in its corner."""

    rows: list[str] | None
    columns: list[str] | None
    cells: list[list[Any]]
    corner: str = ""
    notes: list[str] = field(default_factory=list)

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns of counts."""
        return len(self.cells), len(self.cells[0]) if self.cells else 0

    def without(self, row: int | None, column: int | None, note: str) -> Square:
        """The table without a row and a column."""
        return replace(
            self,
            rows=_without(self.rows, row),
            columns=_without(self.columns, column),
            cells=[_without(cells, column) for cells in _without(self.cells, row)],
            notes=[*self.notes, note],
        )


def _without(values: list | None, place: int | None) -> Any:
    if values is None or place is None:
        return values
    return [value for i, value in enumerate(values) if i != place]


def without_totals(name: str, table: Square, number: Number) -> Square:
    """The table without rows and columns of totals; `number` reads a cell, or gives None."""
    height, width = table.shape
    if min(height, width) < 2:
        return table
    labeled = [
        [i for i, label in enumerate(labels or []) if is_total(label)]
        for labels in (table.rows, table.columns)
    ]
    if any(len(places) > 1 for places in labeled):
        return table
    row, column = (places[0] if places else None for places in labeled)
    if row is not None or column is not None:
        return _labeled(name, table, number, row, column)
    last_row, last_column = height - 1, width - 1
    if height == width:
        return _corner(name, table, number, last_row, last_column)
    if height == width + 1 and _sums(table, number, last_row, None, "row") is True:
        return table.without(last_row, None, _note(table, last_row, None))
    if width == height + 1 and _sums(table, number, None, last_column, "column") is True:
        return table.without(None, last_column, _note(table, None, last_column))
    return table


def _labeled(
    name: str, table: Square, number: Number, row: int | None, column: int | None
) -> Square:
    for which, place in (("row", row), ("column", column)):
        wrong = _sums(table, number, row, column, which) if place is not None else True
        if wrong is not True:
            labels = table.rows if which == "row" else table.columns
            raise DataError(
                f"{name}: {which} {quoted([(labels or [])[place or 0]])} appears to contain "
                f"totals, but {wrong}. Delete the {which} if it contains totals, or correct the "
                f"counts; if it is an individual, give it another name."
            )
    return table.without(row, column, _note(table, row, column))


def _corner(name: str, table: Square, number: Number, row: int, column: int) -> Square:
    """Totals without a label in the last row and column of a square table."""
    if any(_sums(table, number, row, column, which) is not True for which in ("row", "column")):
        return table
    corner = number(table.cells[row][column])
    same = table.rows is None or table.columns is None or table.rows[row] == table.columns[column]
    if corner or not same:
        return table.without(row, column, _note(table, row, column))
    if row >= FEWEST_OTHERS:
        label = f" ({quoted([table.rows[row]])})" if table.rows else ""
        raise DataError(
            f"{name}: the last row and column{label} equal the sums of the others, so that they "
            f"may be totals. Delete them if they are; if they belong to an individual, move its "
            f"row and column to the beginning of the table."
        )
    return table


def _sums(
    table: Square, number: Number, row: int | None, column: int | None, which: str
) -> bool | str:
    """Whether a row (or column) holds the sums of the others; if not, the first that differs."""
    height, width = table.shape
    rows, columns = (
        [i for i in range(n) if i != total] for n, total in ((height, row), (width, column))
    )
    counts = [[number(cell) for cell in cells] for cells in table.cells]
    compared = 0.0
    if which == "row" and row is not None:
        lines: Sequence[tuple[int, list, float | None]] = [
            (j, [counts[i][j] for i in rows], counts[row][j]) for j in columns
        ]
        labels = table.columns
    else:
        lines = [(i, [counts[i][j] for j in columns], counts[i][column or 0]) for i in rows]
        labels = table.rows
    for place, parts, total in lines:
        expected = sum(part for part in parts if part is not None)
        if total is None or total != expected:
            label = f" of {quoted([labels[place]])}" if labels else f" number {place + 1}"
            found = "no number" if total is None else f"{total:g}"
            return f"the entry{label} is {found}, and the sum is {expected:g}"
        compared += expected
    return True if compared > 0 else "all counts are 0"


def _note(table: Square, row: int | None, column: int | None) -> str:
    parts = [
        f"{which} {quoted([labels[place]])}" if labels else f"last {which}"
        for which, labels, place in (("row", table.rows, row), ("column", table.columns, column))
        if place is not None
    ]
    verbs = ("contains", "was") if len(parts) == 1 else ("contain", "were")
    return f"The {' and the '.join(parts)} {verbs[0]} totals and {verbs[1]} left out."

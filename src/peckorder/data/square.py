"""Reading a square table of wins, winners in rows, with or without names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.arrays import MOST_FROM_COUNTS
from peckorder.data.matrix import LARGEST_COUNT
from peckorder.data.names import NameCodes, text_of
from peckorder.data.shapes import Draft, too_many
from peckorder.data.sheet import Sheet
from peckorder.errors import ArgumentError, DataError
from peckorder.wording import counted, option, quoted

Cells = list[list[Any]]
NUMBER = re.compile(
    r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]{1,4})?|[-+]?(?:inf|infinity|nan)",
    re.IGNORECASE,
)


def matrix(
    sheet: Sheet,
    individuals: list[str] | None,
    missing: str,
    aliases: Mapping[str, str] | None = None,
) -> Draft:
    """Contests from a square table of wins, winners in rows."""
    row_names, column_names, cells = _square(sheet)
    if aliases and row_names and column_names and set(row_names) != set(column_names):
        row_names, column_names = (
            [aliases.get(name.strip(), name) for name in side] for side in (row_names, column_names)
        )
    return _contests_of_matrix(sheet, row_names, column_names, cells, individuals, missing)


def is_named_matrix(sheet: Sheet) -> bool:
    """Whether the first column contains the same names as the other column headers."""
    columns = sheet.columns
    if sheet.row_names is not None and set(sheet.row_names) == set(columns):
        return True
    if sheet.height != len(columns) - 1 or sheet.height < 2:
        return False
    names = text_of(sheet.column(columns[0])).fill_null("").str.strip_chars()
    return set(names.to_list()) == {column.strip() for column in columns[1:]}


def looks_like_matrix(sheet: Sheet) -> bool:
    """Whether a sheet without recognized columns could be a table of counts."""
    if sheet.row_names is not None and sheet.height == len(sheet.columns):
        return True
    cells = sheet.cells if sheet.cells is not None else sheet.table().head(200)
    if cells.width < 2 or abs(cells.height - cells.width) > 2:
        return False
    inner = cells[1:, 1:]
    filled = sum(column.count() for column in inner)
    return 2 * sum(_numbers_in(column) for column in inner) >= filled


def _numbers_in(column: pl.Series) -> int:
    """How many cells of a column are numbers."""
    try:
        return column.cast(pl.Float64, strict=False).count()
    except pl.exceptions.PolarsError:  # a type that cannot be a number
        return 0


def _square(sheet: Sheet) -> tuple[list[str] | None, list[str] | None, Cells]:
    """Row names, column names and counts of a table with or without names."""
    if sheet.cells is None:
        frame = sheet.table()
        cells = [list(row) for row in frame.rows()]
        if sheet.row_names is not None:
            return sheet.row_names, sheet.columns, cells
        if all(c.startswith(("column ", "column_")) for c in sheet.columns):
            return None, None, cells
        if frame.width == frame.height + 1 or (frame.width and frame.dtypes[0] == pl.String):
            return [str(row[0]) for row in cells], sheet.columns[1:], [row[1:] for row in cells]
        return None, sheet.columns, cells
    cells = [[None if c is None else c.strip() for c in row] for row in sheet.cells.rows()]
    while cells and all(cell in (None, "") for cell in cells[-1]):
        cells.pop()
    if not cells:
        raise DataError(f"{sheet.name} is empty. Provide one row and one column per individual.")
    header, body = cells[0], cells[1:]
    left = [row[0] for row in body]
    named = [_label(c) for c in left], [_label(c) for c in header[1:]], [row[1:] for row in body]
    if set(filter(None, header[1:])) & {name for name in left if name and not _number(name)}:
        return named  # rows and columns share a name
    if all(map(_count, header)) and not (not header[0] and header[1:] == left):
        if len(cells) == len(header):
            return None, None, cells  # square without names
        if len(cells) == len(header) + 1 and len(set(header)) == len(header):
            return None, [_label(c) for c in header], body  # columns named by numbers
        return None, None, cells
    if len(body) == len(header) and all(map(_count, left)):
        return None, [_label(c) for c in header], body  # column names only
    return named


def _label(cell: Any) -> str:
    return str(cell or "")


def _count(cell: Any) -> bool:
    """Whether a cell may be a count: a number, or blank as on a diagonal."""
    return cell in (None, "", "NA") or _number(cell)


def _number(cell: object) -> bool:
    """Whether a cell is a number as tables contain it; Python would also read 1_0 as 10."""
    if isinstance(cell, int | float | Decimal):
        return True
    return NUMBER.fullmatch(str(cell).strip()) is not None


def _contests_of_matrix(sheet, row_names, column_names, cells, individuals, missing) -> Draft:
    height, width = len(cells), len(cells[0]) if cells else 0
    if height != width:
        raise DataError(
            f"{sheet.name}: a table of wins must be square, but it has "
            f"{counted(height, 'row')} and {counted(width, 'column')} of counts. Provide one row "
            f"(as winner) and one column (as loser) per individual."
        )
    names = individuals or row_names or column_names or [str(i + 1) for i in range(height)]
    names = [str(name).strip() for name in names]
    if len(names) != height:
        raise ArgumentError(
            f"{option('individuals')} has {counted(len(names), 'name')} for "
            f"{counted(height, 'row')}."
        )
    if individuals is None and row_names and column_names:
        cells, notes = _matched(sheet, names, [c.strip() for c in column_names], cells)
    else:
        notes = []
    twins = sorted({name for name in names if names.count(name) > 1})
    if twins or "" in names:
        wrong = f"duplicated names: {quoted(twins)}" if twins else "a name is empty"
        raise DataError(f"{sheet.name}: {wrong}. Every individual needs a unique name.")
    counts, problems, blanks = _counts(sheet, names, cells, missing)
    if problems:
        raise DataError(*problems)
    if blanks:
        notes = [*notes, f"{counted(blanks, 'blank cell was', 'blank cells were')} counted as 0."]
    if counts.sum() > MOST_FROM_COUNTS:
        raise DataError(too_many(sheet, float(counts.sum())))
    winners, losers = np.nonzero(counts)
    times = counts[winners, losers]
    codes = NameCodes()
    codes.add(pl.Series(names), pl.Series(names))
    first, second = (np.repeat(side, times).astype(np.int32) for side in (winners, losers))
    kept = np.repeat(winners, times)
    draft = Draft(codes, first, second, kept, ordered=False, notes=notes)
    draft.notes.append("The sequence of contests is unknown: a table of wins does not record it.")
    return draft


def _matched(sheet, names, columns, cells):
    """Cells with the columns in the order of the rows; an error if the names differ."""
    if names == columns:
        return cells, []
    only_rows = [name for name in names if name not in columns]
    only_columns = [name for name in columns if name not in names]
    if only_rows or only_columns:
        raise DataError(
            f"{sheet.name}: rows and columns must name the same individuals. Only in rows: "
            f"{quoted(only_rows) or 'none'}; only in columns: {quoted(only_columns) or 'none'}."
        )
    order = [columns.index(name) for name in names]
    note = "Columns and rows were in different orders; columns were sorted to match the rows."
    return [[row[i] for i in order] for row in cells], [note]


def _counts(sheet, names, cells, missing) -> tuple[np.ndarray, list[str], int]:
    counts = np.zeros((len(names), len(names)), np.int64)
    wrong: dict[str, list[str]] = {}
    blanks = 0
    for i, row in enumerate(cells):
        for j, cell in enumerate(row):
            cell = int(cell) if isinstance(cell, bool) else cell
            where = f"row {quoted([names[i]])}, column {quoted([names[j]])}"
            blank = cell is None or str(cell).strip().lower() in ("", "na", "nan", "-", ".")
            if blank and (i == j or missing == "drop"):
                blanks += i != j
                continue
            if blank:
                drop = option("missing", "drop")
                kind = f"no count (write 0 for no wins, or use {drop} to count blanks as 0)"
            elif not _number(cell) or not np.isfinite(float(str(cell))):
                kind = "not a number"
            elif float(str(cell)) < 0:
                kind = "a negative count"
            elif float(str(cell)) > LARGEST_COUNT:
                kind = "a count that is too large"
            elif float(str(cell)) != int(float(str(cell))):
                kind = "a fractional count (wins must be whole numbers)"
            elif i == j and float(str(cell)) != 0:
                kind = "a self-contest (the diagonal must be 0 or blank)"
            else:
                counts[i, j] = int(float(str(cell)))
                continue
            shown = f"{quoted([cell])} in {where}"
            wrong.setdefault(kind, []).append(where if blank else shown)
    problems = [
        f"{sheet.name}: {kind}: {'; '.join(places[:5])}"
        + (f" and {len(places) - 5:,} more." if len(places) > 5 else ".")
        for kind, places in wrong.items()
    ]
    return counts, problems, blanks

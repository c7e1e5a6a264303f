"""Blank cells that stand for the value above, as below a date that is written once per day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from peckorder.checked import several
from peckorder.errors import ArgumentError, DataError
from peckorder.sources.columns import Columns
from peckorder.sources.file_rows import FileRows
from peckorder.sources.sheet import Sheet
from peckorder.wording import counted, given, option, quoted


def filled_down(sheet: Sheet, columns: Columns, fill_down: str | Sequence[str] | None) -> Sheet:
    """The sheet with blanks of these columns, given by name or role, filled from above.

    Rows that are completely blank remain so.
    """
    if fill_down is None:
        return sheet
    names = [_column(sheet, columns, one) for one in several("fill_down", fill_down)]
    keep = pl.Series(~sheet.blank_rows())
    cells, notes = {}, []
    for name in dict.fromkeys(names):
        column = sheet.column(name)
        blank = blanks(column) & keep
        filled = column.set(blanks(column), None) if column.dtype == pl.String else column
        filled = filled.forward_fill().zip_with(keep, column)
        number = int((blank & ~blanks(filled)).sum())
        cells[name] = filled
        notes.append(
            f'Column "{name}": {counted(number, "blank cell was", "blank cells were")} filled with '
            f"the value above."
        )
    if sheet.files is not None:
        _refuse_blank_starts(sheet, sheet.files, cells)
    table = sheet.table().with_columns(**cells)
    notes = [*sheet.notes, *notes]
    return replace(sheet, frame=table.lazy(), parts=(), ready=None, notes=notes)


def blanks(column: pl.Series) -> pl.Series:
    """Whether each cell of a column is blank."""
    blank = column.is_null()
    if column.dtype == pl.String:
        blank |= (column.str.strip_chars() == "").fill_null(True)
    return blank


def would_be_filled(column: pl.Series, lost: np.ndarray) -> bool:
    """Whether blanks follow a first value, so that they may stand for the value above."""
    blank = blanks(column).to_numpy()
    return len(blank) > 1 and not blank[0] and bool(blank[lost].all())


def _column(sheet: Sheet, columns: Columns, wanted: object) -> str:
    """The column of a name or a role."""
    name = str(wanted)
    if name in sheet.columns:
        return name
    if name in columns.of:
        return columns.of[name]
    raise ArgumentError(
        f"{given('fill_down', name)}: there is no such column or role. Columns found: "
        f"{quoted(sheet.columns)}; roles: {quoted(columns.of)}."
    )


def _refuse_blank_starts(sheet: Sheet, files: FileRows, cells: dict[str, pl.Series]) -> None:
    """Raise an error if a value would be carried from one sheet or file to the next."""
    start = 0
    for name, height in zip(files.names, files.heights, strict=True):
        for column in cells:
            first = blanks(sheet.column(column).slice(start, height).head(1))
            if start and first.any():
                raise DataError(
                    f'The first row of {name} has no value in column "{column}", and '
                    f"{option('fill_down')} does not carry values from one table to the next. "
                    f"Enter the value there."
                )
        start += height

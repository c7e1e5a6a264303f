"""Several sheets of a workbook as one table, such as one sheet per year."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import polars as pl

from peckorder.errors import DataError
from peckorder.sources.file_rows import FileRows
from peckorder.sources.sheet import Sheet
from peckorder.wording import counted, listed, option, quoted

COLUMN = "sheet"


def joined_sheets(sheets: Mapping[str, Sheet], book: str) -> Sheet:
    """The rows of all sheets, which need the same columns, with the name of the sheet."""
    first_name, first = next(iter(sheets.items()))
    problems = [
        f'{book}: sheet "{name}" {difference}. Sheets that are joined need the same columns.'
        for name, sheet in sheets.items()
        if (difference := _difference(sheet.columns, first.columns, first_name))
    ]
    if problems:
        raise DataError(*problems)
    column = COLUMN if COLUMN not in first.columns else "name of the sheet"
    frames = [
        sheet.frame.select(*first.columns).with_columns(pl.lit(name).alias(column))
        for name, sheet in sheets.items()
    ]
    heights = [f'"{name}" ({counted(sheet.height, "row")})' for name, sheet in sheets.items()]
    copies = _copies(sheets, first.columns)
    own = [f'Sheet "{name}": {note}' for name, sheet in sheets.items() for note in sheet.notes]
    roles = [option(role, column) for role in ("season", "group", "context")]
    note = (
        f'Sheets {listed(heights)} were joined; column "{column}" has their names, to be used as '
        f"{', '.join(roles[:-1])} or {roles[-1]}."
    )
    return Sheet(
        pl.concat(frames),
        [*first.columns, column],
        sum(sheet.height for sheet in sheets.values()),
        f"{book}, sheets {listed(list(sheets))}",
        notes=[note, *copies, *own],
        files=FileRows(
            tuple(f'sheet "{name}"' for name in sheets),
            tuple(sheet.height for sheet in sheets.values()),
            tuple(sheet.first_row for sheet in sheets.values()),
        ),
        added=(column,),
    )


def _copies(sheets: Mapping[str, Sheet], columns: list[str]) -> list[str]:
    """Notes on sheets with exactly the rows of another."""
    tables = {name: sheet.table(*columns) for name, sheet in sheets.items()}
    return [
        f'Sheets "{one}" and "{other}" have the same rows; all were read. If one is a copy, leave '
        f"it out of {option('sheet')}."
        for one, other in combinations(tables, 2)
        if tables[one].equals(tables[other])
    ]


def _difference(columns: list[str], others: list[str], name: str) -> str:
    """How the columns of a sheet differ from those of another."""
    more = [column for column in columns if column not in others]
    less = [column for column in others if column not in columns]
    words = [f"has {quoted(more)}"] if more else []
    words += [f"lacks {quoted(less)}"] if less else []
    return f'{listed(words)}, unlike sheet "{name}"' if words else ""

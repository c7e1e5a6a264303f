"""From a file to a `Sheet`: text, Excel workbooks, Parquet and R files, also through pipes."""

from __future__ import annotations

import io
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import numpy as np
import polars as pl

from peckorder.errors import ArgumentError, DataError
from peckorder.sources.headers import Header, Wanted, joined
from peckorder.sources.joined_sheets import joined_sheets
from peckorder.sources.parquet import DamagedPage, check_pages
from peckorder.sources.r_files import is_r_file, open_r_file
from peckorder.sources.sheet import DAMAGED, Sheet, reason, unique_labels
from peckorder.sources.text import cells_of_text
from peckorder.sources.workbook import SheetCells, SheetChoice, cells_of_workbook, one_sheet
from peckorder.wording import option_name

PARQUET, WORKBOOKS = b"PAR1", (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
LONGEST_NAME = 255


def open_file(
    source: str | os.PathLike[str],
    sheet: SheetChoice,
    separator: str | None,
    encoding: str | None,
    header: Header | None,
    wanted: Wanted | None,
) -> Sheet:
    """Open a path, or `-` for standard input."""
    path = Path(source)
    if str(source) == "-":
        file, name = sys.stdin.buffer, "standard input"
        return _from_stream(file, name, sheet, separator, encoding, header, wanted)
    if "\0" in str(source):
        raise DataError("The name of a file cannot contain the character NUL.")
    if len(path.name) > LONGEST_NAME:
        raise DataError(
            f"The name of a file has at most {LONGEST_NAME} characters, this one "
            f"{len(path.name):,}. Give a path, or a table."
        )
    if path.is_file() and is_parquet(path):
        return _from_parquet(path, path.name)
    with path.open("rb") as file:  # a pipe, as in <(gunzip …), can be opened only once
        return _from_stream(file, path.name, sheet, separator, encoding, header, wanted)


def is_parquet(path: Path) -> bool:
    """Whether a file has the content of a Parquet file, whatever its name."""
    with path.open("rb") as file:
        return file.read(4) == PARQUET


def _from_stream(
    file: BinaryIO,
    name: str,
    sheet: SheetChoice,
    separator: str | None,
    encoding: str | None,
    header: Header | None,
    wanted: Wanted | None,
) -> Sheet:
    raw = file.read()
    if raw.startswith(PARQUET):
        return _from_parquet(io.BytesIO(raw), name)
    if raw.startswith(WORKBOOKS):
        if separator is not None or encoding is not None:
            raise ArgumentError(
                f"{option_name('separator')} and {option_name('encoding')} apply to text files "
                f"only; {name} is a workbook."
            )
        sheets, notes = cells_of_workbook(raw, name, sheet, header, wanted)
        opened = {one.label: _from_sheet(one, name, header) for one in sheets}
        made = joined_sheets(opened, name) if len(opened) > 1 else opened[sheets[0].label]
        return replace(made, notes=[*notes, *made.notes])
    if is_r_file(raw, name):
        if separator is not None or encoding is not None or header is not None:
            raise ArgumentError(
                f"{option_name('separator')}, {option_name('encoding')} and "
                f"{option_name('header')} do not apply to {name}, which is an R file."
            )
        return open_r_file(raw, name, one_sheet(sheet, name))
    if sheet is not None:
        raise ArgumentError(
            f"{option_name('sheet')} applies to workbooks, databases and R files only; {name} is a "
            f"text file."
        )
    if separator is None and name.lower().endswith((".tsv", ".tab")):
        separator = "\t"
    text = cells_of_text(raw, name, encoding, separator, header, wanted)
    depth = text.header.depth if text.header else 1
    made = _from_cells(text.cells, name, text.notes, text.skipped, depth)
    return replace(_noted(made, text.header, header), separator=text.separator)


def _from_sheet(one: SheetCells, name: str, header: Header | None) -> Sheet:
    """One sheet of a workbook."""
    skipped, depth = (one.header.first, one.header.depth) if one.header else (0, 1)
    made = _from_cells(one.cells, f"{name}, sheet {one.label}", list(one.notes), skipped, depth)
    return _noted(made, one.header, header)


def _noted(sheet: Sheet, found: Header | None, header: Header | None) -> Sheet:
    """The sheet with a note if its header was found below other rows, or has two rows."""
    if header is None and found is not None and (found.depth == 2 or found.above):
        sheet.notes.append(found.note(sheet.columns))
    return sheet


def _from_cells(
    cells: pl.DataFrame, name: str, notes: list[str], skipped: int = 0, depth: int = 1
) -> Sheet:
    """A sheet of text cells; the first nonblank row is the header, or the first of two."""
    filled = np.zeros(cells.height, bool)
    for column in cells:
        filled |= column.is_not_null().to_numpy()
    if not filled.any():
        raise DataError(f"{name} is empty. Provide a header row and one row per contest.")
    first, last = (int(place) for place in np.flatnonzero(filled)[[0, -1]])
    cells = cells.slice(first, last + 1 - first)
    header = [(cell or "").strip().removeprefix("\ufeff") for cell in cells.row(0)]
    if depth == 2:
        header = joined(header, cells.row(1))
    body = cells.slice(depth)
    taken = [
        i for i, label in enumerate(header) if label or body.to_series(i).null_count() < body.height
    ]
    columns = unique_labels([header[i] or f"column {i + 1}" for i in taken])
    body = pl.DataFrame(
        [body.to_series(i).alias(label) for i, label in zip(taken, columns, strict=True)]
    )
    query = body.lazy()
    return Sheet(
        query,
        columns,
        body.height,
        name,
        first_row=skipped + first + depth + 1,
        cells=cells,
        notes=notes,
        held=(query, body),
    )


def _from_parquet(path: Path | io.BytesIO, name: str) -> Sheet:
    try:
        check_pages(path)
        frame = pl.scan_parquet(path, glob=False)
        columns = frame.collect_schema().names()
        height = frame.select(pl.len()).collect().item()
    except (*DAMAGED, DamagedPage) as error:
        raise DataError(
            f"{name} cannot be read as Parquet ({reason(error)}). Obtain a new copy, or save the "
            f"table as CSV."
        ) from error
    return Sheet(frame, columns, height, name, row_word="position")

"""From a file to a `Sheet`: text, Excel workbooks and Parquet, also through pipes."""

from __future__ import annotations

import io
import os
import sys
from collections import Counter
from pathlib import Path
from typing import BinaryIO

import numpy as np
import polars as pl

from peckorder.data.parquet import DamagedPage, check_pages
from peckorder.data.sheet import DAMAGED, Sheet, reason
from peckorder.data.text import cells_of_text
from peckorder.data.workbook import cells_of_workbook
from peckorder.errors import ArgumentError, DataError
from peckorder.wording import option_name

PARQUET, WORKBOOKS = b"PAR1", (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
LONGEST_NAME = 255


def open_file(
    source: str | os.PathLike[str],
    sheet: str | int | None,
    separator: str | None,
    encoding: str | None,
    header: int | None,
) -> Sheet:
    """Open a path, or `-` for standard input."""
    path = Path(source)
    if str(source) == "-":
        return _from_stream(sys.stdin.buffer, "standard input", sheet, separator, encoding, header)
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
        return _from_stream(file, path.name, sheet, separator, encoding, header)


def is_parquet(path: Path) -> bool:
    """Whether a file has the content of a Parquet file, whatever its name."""
    with path.open("rb") as file:
        return file.read(4) == PARQUET


def _from_stream(
    file: BinaryIO,
    name: str,
    sheet: str | int | None,
    separator: str | None,
    encoding: str | None,
    header: int | None,
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
        cells, label, notes = cells_of_workbook(raw, name, sheet, header)
        return _from_cells(cells, label, notes, header - 1 if header else 0)
    if sheet is not None:
        raise ArgumentError(
            f"{option_name('sheet')} applies to Excel workbooks only; {name} is a text file."
        )
    if separator is None and name.lower().endswith((".tsv", ".tab")):
        separator = "\t"
    cells, notes, skipped = cells_of_text(raw, name, encoding, separator, header)
    return _from_cells(cells, name, notes, skipped)


def _from_cells(cells: pl.DataFrame, name: str, notes: list[str], skipped: int = 0) -> Sheet:
    """A sheet of text cells; the first nonblank row is the header."""
    filled = np.zeros(cells.height, bool)
    for column in cells:
        filled |= column.is_not_null().to_numpy()
    if not filled.any():
        raise DataError(f"{name} is empty. Provide a header row and one row per contest.")
    first, last = (int(place) for place in np.flatnonzero(filled)[[0, -1]])
    cells = cells.slice(first, last + 1 - first)
    header = [(cell or "").strip().removeprefix("\ufeff") for cell in cells.row(0)]
    body = cells.slice(1)
    taken = [
        i for i, label in enumerate(header) if label or body.to_series(i).null_count() < body.height
    ]
    columns = _unique_labels([header[i] or f"column {i + 1}" for i in taken])
    body = pl.DataFrame(
        [body.to_series(i).alias(label) for i, label in zip(taken, columns, strict=True)]
    )
    return Sheet(
        body.lazy(),
        columns,
        body.height,
        name,
        first_row=skipped + first + 2,
        cells=cells,
        notes=notes,
    )


def _unique_labels(labels: list[str]) -> list[str]:
    """Labels made unique by position; selecting a column by a duplicated name is an error later.

    >>> _unique_labels(["winner", "loser", "winner"])
    ['winner (column 1)', 'loser', 'winner (column 3)']
    """
    number = Counter(labels)
    return [
        f"{label} (column {i + 1})" if number[label] > 1 else label
        for i, label in enumerate(labels)
    ]


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

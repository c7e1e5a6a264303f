"""From any source to a `Sheet`: a table that keeps the row numbers of the source."""

from __future__ import annotations

import io
import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.text import cells_of_text
from peckorder.errors import ArgumentError, ArgumentTypeError, DataError
from peckorder.wording import given, option, option_name, quoted

ROWS_AT_ONCE = 1 << 19


@dataclass(frozen=True)
class Sheet:
    """An input table before it is interpreted.

    Cells of text files and workbooks are text; other sources keep their types. `cells` contains
    the cells of a text file including the header row, since a matrix may have no header.
    """

    frame: pl.LazyFrame
    columns: list[str]
    height: int
    name: str
    row_word: str = "row"
    first_row: int = 0
    flavor: str = "polars"
    cells: pl.DataFrame | None = None
    row_names: list[str] | None = None
    streamed: bool = False
    notes: list[str] = field(default_factory=list)

    def column(self, name: str) -> pl.Series:
        """One column, read into memory."""
        return self.frame.select(name).collect().to_series()

    def chunks(self, *names: str, rows: int = ROWS_AT_ONCE) -> Iterator[pl.DataFrame]:
        """The named columns in batches of rows, to limit memory use.

        The next batch is read while the current one is processed.
        """

        def piece(begin: int) -> pl.DataFrame:
            return self.frame.slice(begin, rows).select(*names).collect()

        if self.height <= rows:
            yield piece(0)
            return
        with ThreadPoolExecutor(max_workers=1) as reader:
            following = reader.submit(piece, 0)
            for begin in range(rows, self.height, rows):
                ready, following = following, reader.submit(piece, begin)
                yield ready.result()
            yield following.result()

    def rows(self, places: np.ndarray) -> np.ndarray:
        """Row numbers as they appear in the source."""
        return np.asarray(places) + self.first_row


def open_sheet(
    source: Any,
    *,
    sheet: str | int | None = None,
    separator: str | None = None,
    encoding: str | None = None,
    header: int | None = None,
) -> Sheet:
    """Open a path, `-` for standard input, a DataFrame, or arrays."""
    if header is not None and (not isinstance(header, int) or header < 1):
        raise ArgumentError(
            f"{given('header', header)}: give the row number of the column names, from 1."
        )
    if isinstance(source, str | os.PathLike):
        return _open_file(source, sheet, separator, encoding, header)
    options = {"sheet": sheet, "separator": separator, "encoding": encoding, "header": header}
    for argument, value in options.items():
        if value is not None:
            raise ArgumentError(
                f"{argument}= applies to files only; the source is a {type(source).__name__}."
            )
    if isinstance(source, pl.LazyFrame):
        source = source.collect()
    if isinstance(source, Mapping):
        columns = [_series(str(name), values) for name, values in source.items()]
        if len({len(column) for column in columns}) > 1:
            lengths = ", ".join(f'"{column.name}" has {len(column)}' for column in columns)
            raise DataError(f"The columns must have the same length: {lengths}.")
        return _from_frame(pl.DataFrame(columns), "the mapping", "polars")
    if isinstance(source, np.ndarray) and source.ndim == 2:
        return _from_array(source)
    if isinstance(source, list) and source and all(_is_pair(row) for row in source):
        source = tuple(zip(*source, strict=True))  # a list of contests, not a pair of columns
    if isinstance(source, tuple) and len(source) == 2:
        first, second = _series("winner", source[0]), _series("loser", source[1])
        if len(first) != len(second):
            raise DataError(
                f"There are {len(first):,} winners and {len(second):,} losers. "
                f"Both sequences must have one entry per contest."
            )
        return _from_frame(pl.DataFrame([first, second]), "the arrays", "polars")
    return _from_dataframe(source)


def _is_pair(row: Any) -> bool:
    return isinstance(row, tuple) and len(row) == 2


def _series(name: str, values: Any) -> pl.Series:
    """A column of a single type; values of mixed types become text, and NaN becomes null."""
    if isinstance(values, str) or not hasattr(values, "__len__"):
        raise ArgumentTypeError(f'Column "{name}" must be a sequence, not {type(values).__name__}.')
    try:
        column = pl.Series(name, values, strict=True)
        if column.dtype != pl.Object:
            return column
    except (TypeError, OverflowError, pl.exceptions.PolarsError):
        pass
    return pl.Series(name, [_text(value) for value in values], dtype=pl.String)


def _text(value: Any) -> str | None:
    if value is None or value != value:
        return None
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _open_file(source, sheet, separator, encoding, header) -> Sheet:
    path = Path(source)
    if str(source) == "-":
        raw, name = sys.stdin.buffer.read(), "standard input"
        if raw.startswith(b"PAR1"):
            return _from_parquet(io.BytesIO(raw), name)
    else:
        name = path.name
        if path.is_dir():
            raise DataError(f"{source} is a folder. Give the path of a file.")
        with path.open("rb") as file:
            if file.read(4) == b"PAR1":
                return _from_parquet(path, name)
        raw = path.read_bytes()
    if raw.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        if separator is not None or encoding is not None:
            raise ArgumentError(
                f"{option_name('separator')} and {option_name('encoding')} apply to text files "
                f"only; {name} is a workbook."
            )
        return _from_workbook(raw, name, sheet, header)
    if sheet is not None:
        raise ArgumentError(
            f"{option_name('sheet')} applies to Excel workbooks only; {name} is a text file."
        )
    if separator is None and name.lower().endswith((".tsv", ".tab")):
        separator = "\t"
    cells, notes, skipped = cells_of_text(raw, name, encoding, separator, header)
    return _from_cells(cells, name, notes, skipped)


def _from_workbook(raw: bytes, name: str, sheet: str | int | None, header: int | None) -> Sheet:
    import fastexcel

    try:
        book = fastexcel.read_excel(raw)
    except fastexcel.FastExcelError as error:
        reason = str(error).splitlines()[0]
        raise DataError(f"{name} cannot be opened as an Excel workbook ({reason}).") from error
    names = book.sheet_names
    if sheet is None:
        chosen: str | int = 0
    elif sheet in names:
        chosen = str(sheet)
    elif str(sheet).isdigit() and 1 <= int(sheet) <= len(names):
        chosen = int(sheet) - 1
    else:
        raise DataError(f'{name} has no sheet "{sheet}". Sheets found: {quoted(names)}.')
    label = names[chosen] if isinstance(chosen, int) else chosen
    notes = []
    if len(names) > 1 and sheet is None:
        notes.append(
            f'The workbook has sheets {quoted(names)}; "{label}" was read. Choose another with '
            f"{option('sheet')}."
        )
    try:
        loaded = book.load_sheet(chosen, header_row=None, skip_rows=0, dtypes="string")
        cells = loaded.to_polars()
    except fastexcel.FastExcelError as error:
        raise DataError(f'Sheet "{label}" of {name} cannot be read ({error}).') from error
    skipped = header - 1 if header else 0
    if skipped >= cells.height > 0:
        raise DataError(
            f'Sheet "{label}" of {name} has no row {header}, given as {option("header")}.'
        )
    return _from_cells(cells.slice(skipped), f"{name}, sheet {label}", notes, skipped)


def _from_cells(cells: pl.DataFrame, name: str, notes: list[str], skipped: int = 0) -> Sheet:
    """A sheet of text cells; the first nonblank row is the header."""
    while cells.height and all(cell is None for cell in cells.row(0)):
        cells, skipped = cells.slice(1), skipped + 1
    while cells.height and all(cell is None for cell in cells.row(-1)):
        cells = cells.head(-1)
    if cells.height == 0:
        raise DataError(f"{name} is empty. Provide a header row and one row per contest.")
    header = [(cell or "").strip().removeprefix("\ufeff") for cell in cells.row(0)]
    body = cells.slice(1)
    taken = [i for i, label in enumerate(header) if label or not _all_blank(body[:, i])]
    columns = _unique_labels([header[i] or f"column {i + 1}" for i in taken])
    body = body.select(cells.columns[i] for i in taken)
    body.columns = columns
    return Sheet(
        body.lazy(),
        columns,
        body.height,
        name,
        first_row=skipped + 2,
        cells=cells,
        notes=notes,
    )


def _all_blank(column: pl.Series) -> bool:
    return column.null_count() == len(column)


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
        frame = pl.scan_parquet(path)
        columns = frame.collect_schema().names()
        height = frame.select(pl.len()).collect().item()
    except pl.exceptions.PolarsError as error:
        raise DataError(f"{name} cannot be read as Parquet ({error}).") from error
    return Sheet(frame, columns, height, name, row_word="position")


def _from_frame(frame: pl.DataFrame, name: str, flavor: str, row_names=None) -> Sheet:
    return Sheet(
        frame.lazy(),
        frame.columns,
        frame.height,
        name,
        row_word="position",
        flavor=flavor,
        row_names=row_names,
    )


def _from_array(array: np.ndarray) -> Sheet:
    labels = [f"column {i + 1}" for i in range(array.shape[1])]
    if array.shape[1] == 2 and array.shape[0] != 2:
        labels = ["winner", "loser"]
    columns = [_series(name, array[:, i].tolist()) for i, name in enumerate(labels)]
    return _from_frame(pl.DataFrame(columns), "the array", "polars")


def _from_dataframe(source: Any) -> Sheet:
    import narwhals as nw

    try:
        frame = nw.from_native(source, eager_only=True)
    except nw.exceptions.DuplicateError:
        raise DataError(
            "Two columns of the DataFrame have the same name. Rename one of them."
        ) from None
    except TypeError:
        raise ArgumentTypeError(
            f"peckorder reads a path, a pandas, polars or pyarrow table, a mapping of columns, a "
            f"pair (winners, losers) or a square array, not {type(source).__name__}."
        ) from None
    flavor = str(frame.implementation.value)
    try:
        table = frame.to_polars()
        table.columns = [str(name) for name in table.columns]
    except (ImportError, TypeError, ValueError):  # pandas text without pyarrow, or mixed types
        table = pl.DataFrame([_series(str(c.name), c.to_list()) for c in frame.iter_columns()])
    row_names = None
    index = getattr(source, "index", None)
    if flavor == "pandas" and index is not None and type(index).__name__ != "RangeIndex":
        row_names = [str(label) for label in index]
    return _from_frame(table, "the DataFrame", flavor, row_names)

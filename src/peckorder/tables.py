"""Result tables in the library of the caller (polars, pandas, pyarrow), and atomic file writes.

Excel workbooks from tables: one sheet per table, and sheets for values, settings and notes.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import errno
import io
import json
import math
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from pathlib import Path
from time import time as time_now
from typing import Any

import numpy as np
import polars as pl

from peckorder.errors import ArgumentError, ArgumentTypeError
from peckorder.estimate import Estimate
from peckorder.text import either
from peckorder.validate import one_of

FORMATS = ("csv", "tsv", "json", "parquet", "xlsx")
UNFINISHED, ABANDONED = ".part", 600.0  # ending of files being written; seconds until one is left
FLAVORS = ("polars", "pandas", "pyarrow", "modin", "cudf")


def native(table: pl.DataFrame, flavor: str) -> Any:
    """The table in the library in which the data were supplied: polars, pandas or pyarrow."""
    if flavor == "polars":
        return table
    if flavor == "pyarrow":
        return table.to_arrow()
    import narwhals as nw

    # pandas would store a column of plain dates as objects.
    table = table.with_columns(pl.col(pl.Date).cast(pl.Datetime("us")))
    columns = {name: table[name].to_list() for name in table.columns}
    backend: Any = flavor
    return nw.from_dict(columns, backend=backend).to_native()


def as_polars(table: Any) -> pl.DataFrame:
    """A table of any supported library as polars."""
    import narwhals as nw

    return nw.from_native(table).to_polars()


def records(table: pl.DataFrame) -> list[dict[str, Any]]:
    """Rows as plain mappings for JSON: dates as ISO text, missing numbers as None."""
    columns = [_plain_cells(column) for column in table.iter_columns()]
    return [dict(zip(table.columns, row, strict=True)) for row in zip(*columns, strict=True)]


def _plain_cells(column: pl.Series) -> list[Any]:
    """The cells as JSON types; a million numbers or names must not be looked at one by one."""
    if column.dtype.is_float():
        cells: list[Any] = column.to_list()
        for place in (~column.is_finite().fill_null(True)).arg_true():
            cells[place] = None
        return cells
    if column.dtype.is_integer() or column.dtype in (pl.String, pl.Boolean):
        return column.to_list()
    return [plain(cell) for cell in column]


def plain(value: Any) -> Any:
    """A value, with everything nested in it, as JSON types; non-finite numbers become None."""
    if isinstance(value, Estimate):
        value = value.to_dict()
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(part) for part in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, date | time):
        return value.isoformat()
    return value


def as_r(value: Any) -> Any:
    """A plain value without integers that R lacks: floats from 2³¹, text from 2⁵³ on."""
    if isinstance(value, dict):
        return {name: as_r(part) for name, part in value.items()}
    if isinstance(value, list):
        return [as_r(part) for part in value]
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) < 2**31:
        return value
    return float(value) if abs(value) <= 2**53 else str(value)


def as_bytes(table: pl.DataFrame, form: str, described: Mapping[str, Any] | None = None) -> bytes:
    """The table in a file format; JSON and workbooks contain the result with its settings."""
    if form == "xlsx":
        return workbook({"table": table}, described)
    if form == "json":
        whole = described if described is not None else records(table)
        return (json.dumps(whole, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()
    if form == "parquet":
        buffer = io.BytesIO()
        table.write_parquet(buffer)
        return buffer.getvalue()
    one_of("format", form, FORMATS)
    buffer = io.BytesIO()
    table.write_csv(buffer, separator="," if form == "csv" else "\t")
    return buffer.getvalue()


def format_of(path: str | os.PathLike[str]) -> str:
    """The format given by the extension of a file name."""
    refuse_no_path(path)
    ending = Path(path).suffix.lower().lstrip(".")
    if ending not in FORMATS:
        raise ArgumentError(
            f"{path}: its format is not known. Use one of the extensions "
            f"{', '.join('.' + form for form in FORMATS)}."
        )
    return ending


def is_pipe(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a pipe, a device or an open file of this process, such as /dev/stdout.

    These are written to directly: they cannot be replaced by a new file.
    """
    if Path(path).parent.as_posix() in ("/dev/fd", "/proc/self/fd"):
        return True
    if str(path) in ("/dev/stdout", "/dev/stderr"):
        return True
    place = Path(path)
    return place.exists() and not place.is_file() and not place.is_dir()


def write_whole(*files: tuple[str | os.PathLike[str], bytes]) -> None:
    """Write all files or none: each to a temporary file next to its target, which is then renamed.

    Symbolic links are followed and the mode of an existing file is kept. Pipes and devices are
    written to directly.
    """
    ready: list[tuple[str, Path]] = []
    target = Path()
    try:
        for name, content in files:
            target = Path(name)
            if is_pipe(name):
                target.write_bytes(content)
                continue
            target = Path(os.path.realpath(name))
            if not target.parent.is_dir():
                raise FileNotFoundError(errno.ENOENT, "The folder does not exist; create it first")
            _remove_leftovers(target)
            handle, temporary = tempfile.mkstemp(UNFINISHED, f".{target.name}.", target.parent)
            ready.append((temporary, target))
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(temporary, target.stat().st_mode if target.exists() else _usual_mode())
        for temporary, target in ready:
            os.replace(temporary, target)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(target)) from error
    finally:
        for temporary, _ in ready:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)


def _remove_leftovers(target: Path) -> None:
    """Remove what earlier processes were writing here when they were killed."""
    known = f".{target.name}."
    with contextlib.suppress(OSError):  # a folder that cannot be listed, or files of others
        for entry in os.scandir(target.parent):
            ours = entry.name.startswith(known) and entry.name.endswith(UNFINISHED)
            if ours and time_now() - entry.stat().st_mtime > ABANDONED:
                os.unlink(entry)


def check_target(path: str | os.PathLike[str]) -> None:
    """Raise an error if the file cannot be written, before a long computation starts."""
    refuse_no_path(path)
    target = Path(os.path.realpath(path))
    if is_pipe(path):
        return
    if target.is_dir():
        raise IsADirectoryError(
            errno.EISDIR, "This is a folder; give the name of a file", str(path)
        )
    if not target.parent.is_dir():
        raise FileNotFoundError(
            errno.ENOENT, "The folder does not exist; create it first", str(target.parent)
        )
    if not os.access(target if target.exists() else target.parent, os.W_OK):
        raise PermissionError(
            errno.EACCES, "No permission to write to this file or folder", str(path)
        )


def refuse_no_path(path: Any) -> None:
    """Raise an error for anything but a path."""
    if not isinstance(path, str | os.PathLike):
        raise ArgumentTypeError(f"Give the path of a file as text, not {type(path).__name__}.")


def _usual_mode() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


MOST_ROWS, MOST_COLUMNS = 1_048_576, 16_384  # of a sheet, including the header
LONGEST_TEXT = 32_767  # of a cell
LONGEST_LABEL = 31  # of a sheet
EXACT = 2**53  # larger whole numbers are not exact in Excel, which stores all numbers as floats
FIRST_DATE = dt.date(1900, 3, 1)  # Excel believes that 1900 was a leap year
RESERVED = ("history",)  # names that Excel keeps for itself
MADE = dt.datetime(2000, 1, 1)  # not the time of writing: equal results give equal files
WIDEST = 60


@dataclass(frozen=True)
class Page:
    """One sheet: its label, the header, and the rows below it."""

    label: str
    header: Sequence[str]
    rows: Iterable[Sequence[Any]]
    height: int

    @classmethod
    def of(cls, label: str, table: pl.DataFrame) -> Page:
        """A table as a sheet."""
        return cls(label, table.columns, table.iter_rows(), table.height)

    @classmethod
    def of_rows(cls, label: str, header: Sequence[str], rows: Sequence[Sequence[Any]]) -> Page:
        """Rows of cells of any type as a sheet."""
        return cls(label, header, rows, len(rows))


def workbook(
    tables: Mapping[str, pl.DataFrame],
    described: Mapping[str, Any] | None = None,
    notes: Sequence[str] = (),
) -> bytes:
    """A workbook with these tables and what `described` adds: values, settings and provenance.

    Parameters
    ----------
    tables : one table per sheet, by label
    described : a result as plain values (`to_dict`); what is in `tables` is not repeated
    notes : remarks for the last sheet, after the summary of the result
    """
    pages = [Page.of(label, table) for label, table in tables.items()]
    described = described or {}
    result = dict(described.get("result", {}))
    sentences = [*(result.pop("summary", None) or ()), *notes]
    pages += _pages_of_values(result, {*tables, "table"})
    for label in ("settings", "provenance"):
        if rows := list(_flat(described.get(label, {}))):
            pages.append(Page.of_rows(label, ("name", "value"), rows))
    if sentences:
        pages.append(Page.of_rows("notes", ("note",), [(text,) for text in sentences]))
    return _written(pages)


def _pages_of_values(result: dict[str, Any], known: set[str]) -> list[Page]:
    """Values by name on one sheet; lists of records on sheets of their own."""
    groups = result.get("groups")
    parts = [({}, result)]
    if isinstance(groups, list):  # a number otherwise
        parts = [_of_group(group) for group in groups]
    rows: list[tuple[Any, ...]] = []
    tables: dict[str, list[dict[str, Any]]] = {}
    for key, values in parts:
        for name, value in values.items():
            if name in known or name == "summary":
                continue
            if isinstance(value, list) and value and all(isinstance(v, Mapping) for v in value):
                tables.setdefault(name, []).extend({**key, **record} for record in value)
            else:
                rows += [(*key.values(), *row) for row in _flat({name: value})]
    header = (*(parts[0][0] if parts else {}), "name", "value")
    pages = [Page.of_rows("values", header, rows)] if rows else []
    for name, records in tables.items():
        columns = list(dict.fromkeys(column for record in records for column in record))
        cells = [[record.get(column) for column in columns] for record in records]
        pages.append(Page.of_rows(name, columns, cells))
    return pages


def _of_group(group: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The name of a group (the first entry), and its values."""
    label, *names = group
    return {label: group[label]}, {name: group[name] for name in names}


def _flat(values: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Nested values as rows (name, value).

    >>> list(_flat({"k": {"value": 2, "low": 1}, "seed": None, "at": ["a", "b"]}))
    [('k.value', 2), ('k.low', 1), ('seed', None), ('at.1', 'a'), ('at.2', 'b')]
    """
    for name, value in values.items():
        if isinstance(value, list | tuple):
            value = {str(place): part for place, part in enumerate(value, start=1)}
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value


def _written(pages: Sequence[Page]) -> bytes:
    import xlsxwriter

    for page in pages:
        _refuse_too_large(page)
    buffer = io.BytesIO()
    # Row by row, so that memory does not grow with the table.
    with xlsxwriter.Workbook(buffer, {"constant_memory": True}) as book:
        book.set_properties({"created": MADE})
        bold = book.add_format({"bold": True})
        day = book.add_format({"num_format": "yyyy-mm-dd"})
        moment = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
        fine = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss.000"})
        for page, label in zip(pages, _labels(pages), strict=True):
            sheet = book.add_worksheet(label)
            sheet.freeze_panes(1, 0)
            for column, name in enumerate(page.header):
                sheet.set_column(column, column, min(WIDEST, max(11, len(str(name)) + 2)))
                sheet.write_string(0, column, _text(name, page), bold)
            for place, row in enumerate(page.rows, start=1):
                for column, value in enumerate(row):
                    _write(sheet, place, column, value, page, (day, moment, fine))
    return buffer.getvalue()


def _write(sheet: Any, row: int, column: int, value: Any, page: Page, dates: tuple) -> None:
    """One cell by its type; missing and non-finite numbers stay blank."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return
    if isinstance(value, bool):
        sheet.write_boolean(row, column, value)
    elif isinstance(value, int | float) and abs(value) <= EXACT:
        sheet.write_number(row, column, value)
    elif (
        isinstance(value, dt.date)
        and (value.date() if isinstance(value, dt.datetime) else value) >= FIRST_DATE
    ):
        sheet.write_datetime(row, column, value, dates[_detail(value)])
    else:
        sheet.write_string(row, column, _text(value, page))


def _detail(value: dt.date) -> int:
    """Which format of date shows all of it: the day, seconds, or fractions of seconds."""
    if not isinstance(value, dt.datetime):
        return 0
    return 2 if value.microsecond else 1


def _text(value: Any, page: Page) -> str:
    if isinstance(value, list | tuple):
        value = ", ".join(map(str, value))
    text = value.isoformat() if isinstance(value, dt.date | dt.time) else str(value)
    if len(text) > LONGEST_TEXT:
        raise ArgumentError(
            f"A cell of an Excel sheet holds {LONGEST_TEXT:,} characters; one of "
            f'"{page.label}" has {len(text):,}. {_instead()}'
        )
    return text


def _refuse_too_large(page: Page) -> None:
    wide = len(page.header)
    if page.height >= MOST_ROWS or wide > MOST_COLUMNS:
        raise ArgumentError(
            f"An Excel sheet has at most {MOST_ROWS:,} rows, with the header, and "
            f'{MOST_COLUMNS:,} columns; "{page.label}" has {page.height + 1:,} rows and {wide:,} '
            f"columns. {_instead()}"
        )


def _instead() -> str:
    return "Write a CSV or Parquet file instead, " + either(
        'such as save("ratings.parquet").', "such as -o ratings.parquet."
    )


def _labels(pages: Sequence[Page]) -> list[str]:
    """Legal and distinct labels of sheets.

    >>> _labels([Page.of_rows(label, (), ()) for label in ("a/b", "A b", "history", "x" * 40)])
    ['a b', 'A b 2', 'history 2', 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx']
    """
    taken: set[str] = set(RESERVED)
    out: list[str] = []
    for page in pages:
        plain = re.sub(r"[\[\]:*?/\\\x00-\x1f']+", " ", page.label).strip() or "table"
        label, number = plain[:LONGEST_LABEL].strip(), 1
        while label.casefold() in taken:
            number += 1
            end = f" {number}"
            label = plain[: LONGEST_LABEL - len(end)].strip() + end
        taken.add(label.casefold())
        out.append(label)
    return out

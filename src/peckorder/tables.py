"""Result tables in the library of the caller (polars, pandas, pyarrow), and atomic file writes."""

from __future__ import annotations

import contextlib
import errno
import io
import json
import math
import os
import tempfile
from collections.abc import Mapping
from datetime import date, time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from peckorder.checked import one_of
from peckorder.errors import ArgumentError, ArgumentTypeError
from peckorder.estimate import Estimate
from peckorder.spreadsheets import workbook

FORMATS = ("csv", "tsv", "json", "parquet", "xlsx")
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
            handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
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

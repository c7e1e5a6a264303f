"""Result tables in the caller's flavour, and files that are whole or not there at all."""

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
from peckorder.estimate import Estimate

FORMATS = ("csv", "tsv", "json", "parquet")


def native(table: pl.DataFrame, flavor: str) -> Any:
    """The table as polars, pandas or pyarrow, as the data came in."""
    if flavor == "polars":
        return table
    if flavor == "pyarrow":
        return table.to_arrow()
    import narwhals as nw

    # A column of plain dates would become one of objects there.
    table = table.with_columns(pl.col(pl.Date).cast(pl.Datetime("us")))
    columns = {name: table[name].to_list() for name in table.columns}
    backend: Any = flavor
    return nw.from_dict(columns, backend=backend).to_native()


def as_polars(table: Any) -> pl.DataFrame:
    """A table of any flavour as polars."""
    import narwhals as nw

    return nw.from_native(table).to_polars()


def records(table: pl.DataFrame) -> list[dict[str, Any]]:
    """Rows as plain mappings for JSON: dates as ISO text, missing numbers as None."""
    return [plain(row) for row in table.to_dicts()]


def plain(value: Any) -> Any:
    """A value, or all values inside it, as JSON knows them; what is no number becomes None."""
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
    """The table in a file format; JSON holds the whole described result."""
    if form == "json":
        whole = described if described is not None else records(table)
        return (json.dumps(whole, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()
    if form == "parquet":
        buffer = io.BytesIO()
        table.write_parquet(buffer)
        return buffer.getvalue()
    one_of("format", form, FORMATS)
    return table.write_csv(separator="," if form == "csv" else "\t").encode()


def format_of(path: str | os.PathLike[str]) -> str:
    """The format a file name asks for."""
    ending = Path(path).suffix.lower().lstrip(".")
    if ending not in FORMATS:
        raise ValueError(
            f"{path}: the name ends in none of {', '.join('.' + form for form in FORMATS)}, "
            f"so its format is not known."
        )
    return ending


def write_whole(*files: tuple[str | os.PathLike[str], bytes]) -> None:
    """Write files all or nothing: each to a temporary file beside its target, then renamed.

    A link is followed and the mode of an existing file is kept; what is no file (a pipe, a
    device) is written to as it is.
    """
    ready: list[tuple[str, Path]] = []
    target = Path()
    try:
        for name, content in files:
            target = Path(os.path.realpath(name))
            if target.exists() and not target.is_file():
                target.write_bytes(content)
                continue
            if not target.parent.is_dir():
                raise FileNotFoundError(errno.ENOENT, "There is no such folder: make it first")
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
    """Refuse a place where nothing can be written, before anything long is done."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "This is a folder: name a file in it", str(path))
    if not target.parent.is_dir():
        raise FileNotFoundError(
            errno.ENOENT, "There is no such folder: make it first", str(target.parent)
        )
    if not os.access(target if target.exists() else target.parent, os.W_OK):
        raise PermissionError(errno.EACCES, "Nothing may be written here", str(path))


def _usual_mode() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask

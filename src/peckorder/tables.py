"""Result tables in the caller's flavour, and files that are whole or not there at all."""

from __future__ import annotations

import contextlib
import io
import json
import os
import tempfile
from collections.abc import Mapping
from datetime import date, time
from pathlib import Path
from typing import Any

import polars as pl

FORMATS = ("csv", "tsv", "json", "parquet")


def native(table: pl.DataFrame, flavor: str) -> Any:
    """The table as polars, pandas or pyarrow, as the data came in."""
    if flavor in ("polars", ""):
        return table
    if flavor == "pyarrow":
        return table.to_arrow()
    import narwhals as nw

    columns = {name: table[name].to_list() for name in table.columns}
    backend: Any = flavor
    return nw.from_dict(columns, backend=backend).to_native()


def records(table: pl.DataFrame) -> list[dict[str, Any]]:
    """Rows as plain mappings for JSON: dates as ISO text, missing numbers as None."""
    return [{name: _plain(value) for name, value in row.items()} for row in table.to_dicts()]


def _plain(value: Any) -> Any:
    if isinstance(value, float) and value != value:
        return None
    if isinstance(value, date | time):
        return value.isoformat()
    return value


def as_bytes(table: pl.DataFrame, form: str, described: Mapping[str, Any] | None = None) -> bytes:
    """The table in a file format; JSON holds the whole described result."""
    if form == "json":
        whole = described if described is not None else records(table)
        return (json.dumps(whole, indent=1, ensure_ascii=False) + "\n").encode()
    if form == "parquet":
        buffer = io.BytesIO()
        table.write_parquet(buffer)
        return buffer.getvalue()
    if form in ("csv", "tsv"):
        return table.write_csv(separator="," if form == "csv" else "\t").encode()
    raise ValueError(f'format "{form}" is not known. Choose one of: {", ".join(FORMATS)}.')


def format_of(path: str | os.PathLike[str]) -> str:
    """The format a file name asks for."""
    ending = Path(path).suffix.lower().lstrip(".")
    if ending not in FORMATS:
        raise ValueError(
            f"{path}: the name ends in none of {', '.join('.' + form for form in FORMATS)}, "
            f"so its format is not known."
        )
    return ending


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Write to a temporary file beside the target and rename it: all or nothing.

    A link is followed; what is no file (a pipe, a device) is written to as it is.
    """
    path = Path(os.path.realpath(path))
    if path.exists() and not path.is_file():
        path.write_bytes(content)
        return
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, _mode_of_new_files())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def _mode_of_new_files() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask

"""From any source (files, tables, mappings, arrays) to a `Sheet`."""

from __future__ import annotations

import datetime as dt
import math
import os
from collections.abc import Mapping, Sequence, Set
from typing import Any

import numpy as np
import polars as pl

from peckorder.errors import ArgumentError, ArgumentTypeError, DataError
from peckorder.sources.addresses import is_database
from peckorder.sources.databases import open_database
from peckorder.sources.headers import Wanted, header_rows
from peckorder.sources.labeled import labeled_array
from peckorder.sources.many import open_path
from peckorder.sources.names import INEXACT, unique_names
from peckorder.sources.sheet import DAMAGED, Sheet, reason
from peckorder.sources.workbook import SheetChoice, one_sheet
from peckorder.wording import option_name


def open_sheet(
    source: Any,
    *,
    sheet: SheetChoice = None,
    separator: str | None = None,
    encoding: str | None = None,
    header: int | str | Sequence[int] | None = None,
    wanted: Wanted | None = None,
    query: str | None = None,
    parameters: Any = None,
    glob: bool | None = None,
    stream: bool = False,
) -> Sheet:
    """Open a path, `-` for standard input, a database, a DataFrame, a mapping or arrays.

    With `wanted`, the header and the sheet of a workbook are searched for; with `stream`, a query
    (LazyFrame) is not executed yet.
    """
    if isinstance(source, Sheet):  # part of a sheet that was opened before
        return source
    rows = header_rows(header)
    text_options = {"separator": separator, "encoding": encoding, "header": header}
    if isinstance(source, str | os.PathLike):
        if is_database(source):
            _refuse("files", "a database", **text_options, glob=glob)
            table = one_sheet(sheet, "a database")
            return open_database(
                source, query=query, parameters=parameters, sheet=table, stream=stream
            )
        _refuse("databases", "a file", query=query, parameters=parameters)
        return open_path(source, sheet, separator, encoding, rows, wanted, glob)
    options = {"sheet": sheet, **text_options, "query": query, "parameters": parameters}
    options["glob"] = glob
    for argument, value in options.items():
        if value is not None:
            raise ArgumentError(
                f"{argument}= applies to files only; the source is a {type(source).__name__}."
            )
    if isinstance(source, pl.LazyFrame):
        try:
            if stream:
                return _from_query(source)
            source = source.collect()
        except DAMAGED as error:
            raise DataError(f"The LazyFrame cannot be read ({reason(error)}).") from error
    if isinstance(source, Mapping):
        unique_names(source, "the columns")
        columns = [_series(str(name), values) for name, values in source.items()]
        if len({len(column) for column in columns}) > 1:
            lengths = ", ".join(f'"{column.name}" has {len(column)}' for column in columns[:10])
            more = f" and {len(columns) - 10:,} more" if len(columns) > 10 else ""
            raise DataError(f"The columns must have the same length: {lengths}{more}.")
        return _from_frame(pl.DataFrame(columns), "the mapping", "polars")
    if (labeled := labeled_array(source)) is not None:
        return labeled
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
    if isinstance(source, pl.DataFrame) and not any(map(_is_extension, source.dtypes)):
        return _from_frame(source, "the DataFrame", "polars")
    return _from_dataframe(source)


def _refuse(apply_to: str, this: str, **options: Any) -> None:
    for argument, value in options.items():
        if value is not None:
            raise ArgumentError(
                f"{option_name(argument)} applies to {apply_to} only; the source is {this}."
            )


def _from_query(query: pl.LazyFrame) -> Sheet:
    """A LazyFrame as it is; its rows are counted, but not kept."""
    columns = query.collect_schema().names()
    height = query.select(pl.len()).collect(engine="streaming").item()
    return Sheet(query, columns, height, "the LazyFrame", row_word="position", query=True)


def _is_pair(row: Any) -> bool:
    return isinstance(row, tuple) and len(row) == 2


def _series(name: str, values: Any) -> pl.Series:
    """A column of a single type; values of mixed types become text, and NaN becomes null."""
    unordered = isinstance(values, str | bytes | Mapping | Set)
    if unordered or not hasattr(values, "__len__") or np.ndim(values) == 0:
        raise ArgumentTypeError(f'Column "{name}" must be a sequence, not {type(values).__name__}.')
    if isinstance(values, list | tuple) or (
        isinstance(values, np.ndarray) and values.dtype.kind == "O"
    ):
        _refuse_mixed_zones(name, values)
    try:
        column = pl.Series(name, values, strict=True)
        if column.dtype != pl.Object:
            return column
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        pass
    try:
        return pl.Series(name, [_text(value) for value in values], dtype=pl.String)
    except (TypeError, ValueError) as error:
        raise DataError(
            f'Column "{name}" contains a value that cannot be read as text ({reason(error)}). Give '
            f"one text, number or date per contest."
        ) from error


def _refuse_mixed_zones(name: str, values: Any) -> None:
    """Raise an error for times of which some have a time zone and others have none."""
    zoned = [v.tzinfo is not None for v in values if isinstance(v, dt.datetime) and v == v]
    if any(zoned) and not all(zoned):
        raise DataError(
            f'Column "{name}" contains times with a time zone and times without one, which cannot '
            f"be put in order. Give all of them with a time zone, or all without."
        )


def _text(value: Any) -> str | None:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, float | np.floating):
        if math.isnan(value):
            return None
        if float(value).is_integer() and abs(value) >= INEXACT:
            raise ArgumentError(f"{value:.0f} as a floating-point number, which is not exact")
        return str(int(value)) if float(value).is_integer() else str(value)
    return str(value)


def _from_frame(frame: pl.DataFrame, name: str, flavor: str, row_names=None) -> Sheet:
    query = frame.lazy()
    return Sheet(
        query,
        frame.columns,
        frame.height,
        name,
        row_word="position",
        flavor=flavor,
        row_names=row_names,
        held=(query, frame),
    )


def _is_extension(dtype: Any) -> bool:
    """Whether a type is known to another library only, such as periods of pandas."""
    return "Extension" in type(dtype).__name__


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
    except (TypeError, ValueError, AttributeError):
        raise ArgumentTypeError(
            f"peckorder reads a path, a pandas, polars or pyarrow table, a mapping of columns, a "
            f"pair (winners, losers) or a square array, not {type(source).__name__}."
        ) from None
    flavor = str(frame.implementation.value)
    unique_names(frame.columns, "the columns")
    try:
        table = frame.to_polars()
        table.columns = [str(name) for name in table.columns]
        strange = [c.name for c in table if _is_extension(c.dtype)]
        table = table.with_columns(_series(c, frame[c].to_list()) for c in strange)
    except (Exception, pl.exceptions.PanicException):  # text without pyarrow, or mixed types
        table = pl.DataFrame([_series(str(c.name), c.to_list()) for c in frame.iter_columns()])
    row_names = None
    index = getattr(source, "index", None)
    if flavor == "pandas" and index is not None and type(index).__name__ != "RangeIndex":
        row_names = [str(label) for label in index]
    return _from_frame(table, "the DataFrame", flavor, row_names)

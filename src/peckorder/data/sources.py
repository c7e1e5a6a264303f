"""From any source (files, tables, mappings, arrays) to a `Sheet`.

Arrays of wins whose axes have names: DataArrays of xarray, and cross tables of pandas.
"""

from __future__ import annotations

import datetime as dt
import math
import os
from collections.abc import Mapping, Sequence, Set
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.databases import is_connection, is_database, open_connection, open_database
from peckorder.data.files import How, open_path, refuse_options
from peckorder.data.headings import Wanted, header_rows, says
from peckorder.data.names import INEXACT, unique_names
from peckorder.data.sheet import DAMAGED, Sheet, reason
from peckorder.data.workbooks import SheetChoice, one_sheet
from peckorder.errors import ArgumentError, ArgumentTypeError, DataError
from peckorder.text import counted, first_row, quoted


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
            refuse_options("files", "the source is a database", **text_options, glob=glob)
            table = one_sheet(sheet, "a database")
            return open_database(
                source, query=query, parameters=parameters, sheet=table, stream=stream
            )
        refuse_options("databases", "the source is a file", query=query, parameters=parameters)
        return open_path(source, How(sheet, separator, encoding, rows, wanted), glob)
    if is_connection(source):
        refuse_options("files", "the source is a connection", **text_options, glob=glob)
        table = one_sheet(sheet, "a database")
        return open_connection(
            source, query=query, parameters=parameters, sheet=table, stream=stream
        )
    options = {"sheet": sheet, **text_options, "query": query, "parameters": parameters}
    refuse_options("files", f"the source is a {type(source).__name__}", **options, glob=glob)
    if isinstance(source, pl.LazyFrame):
        try:
            if stream:
                # as it is; its rows are counted, but not kept
                columns = source.collect_schema().names()
                height = source.select(pl.len()).collect(engine="streaming").item()
                shape = (columns, height, "the LazyFrame")
                return Sheet(source, *shape, query=True, **first_row())
            source = source.collect()
        except DAMAGED as error:
            raise DataError(f"The LazyFrame cannot be read ({reason(error)}).") from error
    if isinstance(source, list) and source and all(isinstance(row, Mapping) for row in source):
        labels = dict.fromkeys(label for row in source for label in row)
        source = {label: [row.get(label) for row in source] for label in labels}
    if isinstance(source, Mapping):
        unique_names(source, "the columns")
        columns = [_series(str(name), values) for name, values in source.items()]
        if len({len(column) for column in columns}) > 1:
            lengths = ", ".join(f'"{column.name}" has {len(column)}' for column in columns[:10])
            more = f" and {len(columns) - 10:,} more" if len(columns) > 10 else ""
            raise DataError(f"The columns must have the same length: {lengths}{more}.")
        return Sheet.of(pl.DataFrame(columns), "the mapping", **first_row())
    if (labeled := labeled_array(source)) is not None:
        return labeled
    if isinstance(source, np.ndarray) and source.ndim == 2:
        labels = [f"column {i + 1}" for i in range(source.shape[1])]
        if source.shape[1] == 2 != source.shape[0]:
            labels = ["winner", "loser"]
        columns = [_series(name, source[:, i].tolist()) for i, name in enumerate(labels)]
        return Sheet.of(pl.DataFrame(columns), "the array", **first_row())
    if isinstance(source, list) and source and all(_is_pair(row) for row in source):
        source = tuple(zip(*source, strict=True))  # a list of contests, not a pair of columns
    if isinstance(source, tuple) and len(source) == 2:
        first, second = _series("winner", source[0]), _series("loser", source[1])
        if len(first) != len(second):
            raise DataError(
                f"There are {len(first):,} winners and {len(second):,} losers. "
                f"Both sequences must have one entry per contest."
            )
        return Sheet.of(pl.DataFrame([first, second]), "the arrays", **first_row())
    if isinstance(source, pl.DataFrame) and not any(map(_is_extension, source.dtypes)):
        return Sheet.of(source, "the DataFrame", **first_row())
    return _from_dataframe(source)


def _is_pair(row: Any) -> bool:
    """Whether a row is a contest; a list of two numbers is a row of a square table."""
    named = isinstance(row, tuple) or (
        isinstance(row, list) and any(isinstance(value, str) for value in row)
    )
    return named and len(row) == 2


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


def _is_extension(dtype: Any) -> bool:
    """Whether a type is known to another library only, such as periods of pandas."""
    return "Extension" in type(dtype).__name__


def _from_dataframe(source: Any) -> Sheet:
    import narwhals as nw

    try:
        frame = nw.from_native(source, eager_only=True)
    except nw.exceptions.DuplicateError:
        raise DataError(
            "Two columns of the DataFrame have the same name. Rename one of them."
        ) from None
    except (TypeError, ValueError, AttributeError):
        if hasattr(source, "__arrow_c_stream__"):  # such as a relation of DuckDB
            return Sheet.of(pl.DataFrame(source), f"the {type(source).__name__}", **first_row())
        raise ArgumentTypeError(
            f"peckorder reads a path, a pandas, polars or pyarrow table, a mapping of columns, a "
            f"pair (winners, losers), a square array or a connection to a database, not "
            f"{type(source).__name__}."
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
    index = getattr(source, "index", None)
    if flavor != "pandas" or index is None or type(index).__name__ == "RangeIndex":
        return Sheet.of(table, "the DataFrame", flavor=flavor, **first_row())
    row_names = [str(label) for label in index]
    square = table.width == table.height or sorted(row_names) == sorted(table.columns)
    table = table if square else _with_index(table, index)
    more = {"flavor": flavor, "row_names": row_names if square else None}
    return Sheet.of(table, "the DataFrame", **more, **first_row())


def _with_index(table: pl.DataFrame, index: Any) -> pl.DataFrame:
    """The table with the index of pandas as columns, unless it only numbers the rows."""
    several = [index.get_level_values(level) for level in range(index.nlevels)]
    columns = []
    for part in several:
        dated = type(part).__name__ in ("DatetimeIndex", "PeriodIndex")
        name = str(part.name) if part.name is not None else "date" if dated else "index"
        if part.name is None and part.inferred_type in ("integer", "mixed-integer"):
            continue
        if name not in table.columns:
            part = part.to_timestamp() if type(part).__name__ == "PeriodIndex" else part
            columns.append(_series(name, part.to_list()))
    return table.hstack(columns)


def labeled_array(source: Any) -> Sheet | None:
    """A sheet from an array with labeled axes, or None if the source is something else."""
    if hasattr(source, "dims") and hasattr(source, "coords") and getattr(source, "ndim", 0) == 2:
        axes = [str(axis) for axis in source.dims]
        labels = [source.coords[axis].values if axis in source.coords else None for axis in axes]
        return _sheet(np.asarray(source.values), axes, labels, "the DataArray", "polars")
    index, columns = getattr(source, "index", None), getattr(source, "columns", None)
    axes = [str(getattr(labels, "name", None) or "") for labels in (index, columns)]
    if hasattr(source, "to_numpy") and _who(axes[0]) and _who(axes[1]):
        return _sheet(source.to_numpy(), axes, [index, columns], "the DataFrame", "pandas")
    return None


def _who(axis: str) -> str:
    """What the name of an axis says: won, lost or nothing; plurals count."""
    words = (axis, axis.removesuffix("s"))
    return next((what for what in ("won", "lost") if any(says(w, what) for w in words)), "")


def _sheet(counts: np.ndarray, axes: list[str], labels: list[Any], name: str, flavor: str) -> Sheet:
    notes = []
    said = [_who(axis) for axis in axes]
    if said[0] == said[1] != "":
        raise DataError(
            f"{name}: both axes are named as {quoted(axes)}. Name one after the winners and the "
            f"other after the losers."
        )
    if said[0] == "lost" or said[1] == "won":
        counts, labels = counts.T, labels[::-1]
        notes.append(f"Winners are in the columns ({quoted(axes)}), so the table was transposed.")
    names = [None if part is None else [str(label) for label in part] for part in labels]
    rows, columns = (part or other for part, other in (names, names[::-1]))
    if not rows or not columns:
        rows = None
        columns = [f"column {i + 1}" for i in range(counts.shape[1])]
    elif all(said) and set(rows) != set(columns):
        counts, rows, columns, note = _completed(counts, rows, columns)
        notes.append(note)
    if len(set(columns)) < len(columns) or len(columns) != counts.shape[1]:
        raise DataError(f"{name}: every row and column needs a name of its own.")
    frame = pl.DataFrame({label: counts[:, j].tolist() for j, label in enumerate(columns)})
    return Sheet.of(frame, name, flavor=flavor, row_names=rows, notes=notes, **first_row())


def _completed(
    counts: np.ndarray, rows: list[str], columns: list[str]
) -> tuple[np.ndarray, list[str], list[str], str]:
    """A square table: individuals without a row, or without a column, get counts of 0."""
    individuals = list(dict.fromkeys([*rows, *columns]))
    place = {individual: i for i, individual in enumerate(individuals)}
    full = np.zeros((len(individuals), len(individuals)), counts.dtype)
    full[np.ix_([place[row] for row in rows], [place[column] for column in columns])] = counts
    added = [name for name in individuals if name not in rows or name not in columns]
    note = (
        f"{counted(len(added), 'individual has', 'individuals have')} no row (no wins) or no "
        f"column (no losses), which were added with counts of 0: {quoted(added)}."
    )
    return full, individuals, individuals, note

"""From objects of R to columns and tables: factors, dates, times, text and matrices.

Objects are as `rdata` parses them; nothing in them is evaluated. Their classes decide: a number is
a date if R would print it as one. Missing values (NA) of all types become null.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from peckorder.sources.sheet import unique_labels
from peckorder.wording import quoted

LONGEST_SEQUENCE = 50_000_000  # of numbers that a file announces but does not contain
NA_INTEGER = -(2**31)
FARTHEST_DAY = 3e6  # days from 1970, about the year 10,000
LATIN1 = 1 << 2
VALUES = ("LGL", "INT", "REAL")


class NotAColumn(Exception):
    """An object that no column of a table can hold."""


def kind_of(item: Any) -> str:
    """The type of an object, such as VEC or INT."""
    return item.info.type.name


def elements(pairs: Any) -> list[tuple[str, Any]]:
    """Names and values of a pairlist."""
    found = []
    while pairs is not None and kind_of(pairs) == "LIST":
        found.append((_symbol(pairs.tag), pairs.value[0]))
        pairs = pairs.value[1]
    return found


def attributes(item: Any) -> dict[str, Any]:
    """Attributes of an object by name; those of a compact form are its third part."""
    return dict(elements(item.value[2] if kind_of(item) == "ALTREP" else item.attributes))


def _symbol(tag: Any) -> str:
    while tag is not None and kind_of(tag) == "REF":
        tag = tag.referenced_object
    return "" if tag is None else _decoded(tag.value) or ""


def _decoded(item: Any) -> str | None:
    raw = item.value
    if raw is None:
        return None
    if not item.info.gp & LATIN1:
        try:
            return raw.decode()
        except UnicodeDecodeError:
            pass  # written in the encoding of an old Windows
    return raw.decode("cp1252", errors="replace")


def texts(item: Any) -> list[str | None]:
    """A vector of text; empty for anything else."""
    if item is None or kind_of(item) != "STR":
        return []
    return [_decoded(word) for word in item.value]


def classes(item: Any) -> list[str | None]:
    """The classes of an object."""
    return texts(attributes(item).get("class"))


def dimensions(item: Any) -> list[int]:
    """The dimensions of a matrix or array; empty for a vector."""
    dim = attributes(item).get("dim")
    if dim is None or kind_of(dim) != "INT":
        return []
    return [int(size) for size in dim.value]


def frame_of(item: Any) -> tuple[pl.DataFrame, list[str] | None, list[str]]:
    """The columns of a data frame, the names of its rows if it has any, and notes."""
    own = attributes(item)
    labels = column_names(item)
    if len(labels) != len(item.value):
        raise NotAColumn("the number of names differs from the number of columns")
    columns, notes = [], []
    for label, part in zip(labels, item.value, strict=True):
        try:
            columns.append(column_of(label, part, notes))
        except NotAColumn as error:
            notes.append(f'Column "{label}" was left out: {error}.')
    if len({len(column) for column in columns}) > 1:
        raise NotAColumn("the columns differ in length")
    rows = texts(own.get("row.names"))
    names = [str(name) for name in rows] if rows and len(rows) == len(columns[0]) else None
    return pl.DataFrame(columns), names, notes


def column_names(item: Any) -> list[str]:
    """Names of the elements of a list or data frame; those without one have their number."""
    found = texts(attributes(item).get("names")) or [None] * len(item.value)
    return unique_labels([n or f"column {place}" for place, n in enumerate(found, start=1)])


def matrix_of(item: Any) -> tuple[pl.DataFrame, list[str] | None, list[str]]:
    """The columns of a matrix, the names of its rows, and notes."""
    rows, width = dimensions(item)
    values = _plain("", item)
    if len(values) != rows * width:
        raise NotAColumn("the number of values differs from the dimensions")
    names, labels, notes = *side_names(item), []
    individuals = values.dtype.is_numeric() and not {"winner", "loser"} & set(labels or ())
    if rows == width and individuals and bool(names) != bool(labels):
        notes.append("The names of the rows and of the columns were taken to be the same.")
        names = labels = names or labels
    shown = labels or [f"column {place + 1}" for place in range(width)]
    if len(shown) != width or (names is not None and len(names) != rows):
        raise NotAColumn("the number of names differs from the dimensions")
    columns = [
        values.slice(place * rows, rows).alias(label)
        for place, label in enumerate(unique_labels(shown))
    ]
    return pl.DataFrame(columns), names, notes


def side_names(item: Any) -> tuple[list[str] | None, list[str] | None]:
    """Names of the rows and of the columns of a matrix."""
    sides = attributes(item).get("dimnames")
    if sides is None or kind_of(sides) != "VEC" or len(sides.value) != 2:
        return None, None
    rows, columns = ([str(name) for name in texts(side)] or None for side in sides.value)
    return rows, columns


def column_of(label: str, item: Any, notes: list[str]) -> pl.Series:
    """A column of a data frame."""
    own = classes(item)
    if dimensions(item):
        raise NotAColumn("it is a matrix")
    if "POSIXlt" in own:
        raise NotAColumn("its times are of class POSIXlt; convert them with as.POSIXct")
    values = _plain(label, item)
    if "factor" in own:
        return _factor(values, texts(attributes(item).get("levels")))
    if "integer64" in own:
        whole = values.fill_null(float("nan")).to_numpy().view(np.int64)
        missing = pl.Series(whole == np.iinfo(np.int64).min)
        return pl.Series(label, whole).set(missing, None)
    if "Date" in own:
        return _moments(values, 1).cast(pl.Date)
    if "POSIXct" in own:
        return _zoned(_moments(values, 86_400), texts(attributes(item).get("tzone")), notes)
    if "hms" in own:
        return (values * 1e9).round().cast(pl.Int64, strict=False).cast(pl.Time, strict=False)
    return values


def _plain(label: str, item: Any) -> pl.Series:
    """A vector without its classes; NA and NaN are null."""
    kind = kind_of(item)
    if kind == "STR":
        return pl.Series(label, texts(item), dtype=pl.String)
    if kind == "ALTREP":
        return _compact(label, item)
    if kind not in VALUES:
        raise NotAColumn(f"it is of type {_KNOWN.get(kind, kind.lower())}")
    values = np.ma.getdata(item.value)
    if kind == "REAL":
        return pl.Series(label, values).fill_nan(None)
    missing = pl.Series(np.ma.getmaskarray(item.value) | (values.astype(np.int64) == NA_INTEGER))
    column = pl.Series(label, values)
    return column.set(missing, None) if missing.any() else column


_KNOWN = {"VEC": "list", "CPLX": "complex", "RAW": "raw", "CLO": "function", "NILVALUE": "NULL"}


def _compact(label: str, item: Any) -> pl.Series:
    """A vector that R keeps in a compact form: 1:n, numbers to be written as text, a wrapper."""
    form, state, _ = item.value
    name = _symbol(form.value[0]) if kind_of(form) == "LIST" else ""
    if name in ("compact_intseq", "compact_realseq"):
        length, first, step = (float(number) for number in state.value)
        if not 0 <= length <= LONGEST_SEQUENCE:
            raise NotAColumn("it is too long")
        kind = np.int64 if name == "compact_intseq" else np.float64
        return pl.Series(label, (first + step * np.arange(int(length))).astype(kind))
    if name == "deferred_string":
        numbers = _plain(label, state.value[0])
        if numbers.dtype.is_float():
            return numbers.cast(pl.String).str.strip_suffix(".0")
        return numbers.cast(pl.String)
    if name.startswith("wrap_"):
        return _plain(label, state.value[0])
    raise NotAColumn("it is in a compact form that is not known")


def _factor(values: pl.Series, levels: list[str | None]) -> pl.Series:
    known = values.is_between(1, len(levels)).fill_null(False)
    if not (known | values.is_null()).all():
        raise NotAColumn("its codes exceed the levels of the factor")
    places = (values.cast(pl.Int64) - 1).set(~known, None)
    return pl.Series(levels, dtype=pl.String).gather(places).alias(values.name)


def _moments(values: pl.Series, in_a_day: int) -> pl.Series:
    """Datetimes from days or seconds since 1970."""
    numbers = values.cast(pl.Float64)
    near = (numbers.abs() < FARTHEST_DAY * in_a_day).fill_null(False)
    if in_a_day == 1:
        numbers = numbers.floor()
    stamps = (numbers * (86_400_000_000 // in_a_day)).set(~near, None).round()
    return stamps.cast(pl.Int64).cast(pl.Datetime("us"))


def _zoned(stamps: pl.Series, zones: list[str | None], notes: list[str]) -> pl.Series:
    """Times as clocks of their zone showed them; without a zone, in UTC, which a note states."""
    zone = zones[0] if zones else None
    try:
        if zone:
            return stamps.dt.replace_time_zone("UTC").dt.convert_time_zone(zone)
    except pl.exceptions.PolarsError:
        pass
    reason = f"of time zone {quoted([zone])}, which is not known," if zone else "without time zone"
    notes.append(f'Times {reason} in column "{stamps.name}" were read as UTC.')
    return stamps

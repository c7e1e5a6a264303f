"""R files (.rds, .rda, .RData): which of their objects holds the contests.

A file of `saveRDS` holds one object, a file of `save` several by name, and an object may be a list
of others. Data frames and matrices can be read; if only one of them has the columns of contests,
it is read, otherwise they are listed.

From objects of R to columns and tables: factors, dates, times, text and matrices.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import warnings
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.columns import find_columns
from peckorder.data.sheet import Sheet, chosen, reason, unique_labels
from peckorder.errors import DataError
from peckorder.text import option, quoted

WORKSPACE = re.compile(rb"RD([XAB])[23]\r?\n")
SERIALIZED = re.compile(rb"X\n\0\0\0[\2\3]|[AB]\r?\n")
BINARY = b"X\n"
NAMES = (".rda", ".rds", ".rdata")
DEEPEST = 5  # lists within lists


def is_r_file(raw: bytes, name: str) -> bool:
    """Whether a file was written by R, by its content or, if that is damaged, its name."""
    try:
        head = unpacked(raw, 16)
    except UNPACKING:
        head = b""
    by_content = WORKSPACE.match(head) or re.match(rb"X\n\0\0\0[\2\3]", head)
    return bool(by_content) or name.lower().endswith(NAMES)


def open_r_file(raw: bytes, name: str, sheet: str | int | None) -> Sheet:
    """The data frame or matrix of an R file, chosen by name or found."""
    tables = tables_of(raw, name)
    if not tables:
        raise DataError(
            f"{name} contains neither a data frame nor a matrix. Save the contests in R: "
            f'saveRDS(contests, "contests.rds").'
        )
    place, notes = _chosen(tables, sheet, name)
    item = tables[place]
    label = f"{name}, object {place}" if place else name
    try:
        read = matrix_of if len(dimensions(item)) == 2 else frame_of
        frame, row_names, more = read(item)
    except NotAColumn as error:
        raise DataError(f"{label} is damaged: {error}. Save it again in R.") from None
    if frame.width == 0:
        raise DataError(f"{label} has no columns that can be read. {' '.join(more)}".rstrip())
    more = {"row_names": row_names, "notes": [*notes, *more]}
    return Sheet.of(frame, label, first_row=1, **more)


def _parsed(raw: bytes, name: str) -> Any:
    """The objects of a file; nothing in them is evaluated."""
    try:
        from rdata import parser
    except ImportError:
        raise ImportError(
            'po.read of R files needs rdata. Install it with: pip install "peckorder[r]"'
        ) from None
    try:
        content = unpacked(raw, LARGEST + 1)
    except UNPACKING as error:
        raise DataError(f"{name} is damaged ({error}). Obtain a new copy.") from None
    if len(content) > LARGEST:
        raise DataError(
            f"{name} expands to more than {LARGEST / 2**20:,.0f} MB, the maximum for an R file. "
            f"{ADVICE}"
        )
    workspace = WORKSPACE.match(content)
    start = workspace.end() if workspace else 0
    if not SERIALIZED.match(content[start : start + 8]):
        raise DataError(f"{name} is not a file of R, or it is damaged. Obtain a new copy. {ADVICE}")
    if not content.startswith(BINARY, start):
        raise DataError(f"{name} was saved as text. In R, save it again without ascii = TRUE.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            extension = None if workspace else ".rds"
            return parser.parse_data(content, expand_altrep=False, extension=extension).object
    except RecursionError:
        problem = "too many objects, or lists within lists"
    except Exception as error:  # whatever a damaged file makes the parser do
        problem = reason(error)
    raise DataError(f"{name} cannot be read as a file of R ({problem}). {ADVICE}")


def tables_of(raw: bytes, name: str) -> dict[str, Any]:
    """Data frames and matrices of a file by name; elements of lists as list$name."""
    item, found = _parsed(raw, name), {}
    try:
        if kind_of(item) == "LIST":
            for label, value in elements(item):
                _collect(label, value, found, 0)
        else:
            _collect("", item, found, 0)
    except (AttributeError, TypeError, ValueError, LookupError) as error:
        raise DataError(f"{name} is damaged ({reason(error)}). Obtain a new copy.") from None
    return found


def _collect(label: str, item: Any, found: dict[str, Any], depth: int) -> None:
    if ("data.frame" in classes(item) and kind_of(item) == "VEC") or len(dimensions(item)) == 2:
        found[label] = item
    elif kind_of(item) == "VEC" and depth < DEEPEST:
        names = texts(attributes(item).get("names")) or [None] * len(item.value)
        for place, (own, part) in enumerate(zip(names, item.value, strict=True), start=1):
            inner = f"{label}${own}" if label and own else own or f"{label}[[{place}]]"
            _collect(inner, part, found, depth + 1)


def _chosen(tables: dict[str, Any], sheet: str | int | None, name: str) -> tuple[str, list[str]]:
    names = list(tables)
    if sheet is not None:
        return names[chosen(names, sheet, name, "object")], []
    if len(names) == 1:
        return names[0], []
    fitting = [label for label in names if _has_contests(tables[label])]
    if len(fitting) == 1:
        note = f'{name} has objects {quoted(names)}; "{fitting[0]}" was read. Choose another with '
        return fitting[0], [f"{note}{option('sheet')}."]
    why = "several of which contain contests" if fitting else "none of which names its columns"
    listing = quoted(fitting or names)
    raise DataError(
        f"{name} has several data frames or matrices, {why}: {listing}. Choose one with "
        f"{option('sheet')}."
    )


def _has_contests(item: Any) -> bool:
    """Whether a data frame or matrix has the columns of contests, or the form of a win matrix."""
    if len(dimensions(item)) == 2:
        rows, labels = side_names(item)
        if rows and labels and set(rows) == set(labels):
            return True
        columns = labels or []
    else:
        columns = column_names(item)
    probe = Sheet(pl.LazyFrame(), columns, 0, "")
    try:
        return find_columns(probe, None, {}) is not None
    except DataError:
        return True  # several columns for one role: contests, too


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


LARGEST = 64 << 20  # bytes, expanded; texts take up to 40 times as much while they are read
ADVICE = 'In R, save the data frame alone: saveRDS(contests, "contests.rds").'
OPENED: dict[bytes, Callable[[Any], Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\0": lzma.open,
}
UNPACKING = (EOFError, OSError, zlib.error, lzma.LZMAError, ValueError)


def unpacked(raw: bytes, most: int) -> bytes:
    """The first bytes of a file that may be compressed by gzip, bzip2 or xz."""
    file: Any = io.BytesIO(raw)
    for mark, opened in OPENED.items():
        if raw.startswith(mark):
            file = opened(file)
    with file:
        return file.read(most)

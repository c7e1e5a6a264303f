"""R files (.rds, .rda, .RData): which of their objects holds the contests.

A file of `saveRDS` holds one object, a file of `save` several by name, and an object may be a list
of others. Data frames and matrices can be read; if only one of them has the columns of contests,
it is read, otherwise they are listed.
"""

from __future__ import annotations

import re
import warnings
from typing import Any

import polars as pl

from peckorder.errors import DataError
from peckorder.sources import r_columns
from peckorder.sources.columns import find_columns
from peckorder.sources.r_columns import (
    NotAColumn,
    attributes,
    classes,
    dimensions,
    elements,
    kind_of,
)
from peckorder.sources.r_limits import ADVICE, expanded, first_bytes, refuse_too_many_items
from peckorder.sources.sheet import Sheet, reason
from peckorder.wording import option, quoted

WORKSPACE = re.compile(rb"RD([XAB])[23]\r?\n")
SERIALIZED = re.compile(rb"X\n\0\0\0[\2\3]|[AB]\r?\n")
BINARY = b"X\n"
NAMES = (".rda", ".rds", ".rdata")
DEEPEST = 5  # lists within lists


def is_r_file(raw: bytes, name: str) -> bool:
    """Whether a file was written by R, by its content or, if that is damaged, its name."""
    head = first_bytes(raw)
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
    chosen, notes = _chosen(tables, sheet, name)
    item = tables[chosen]
    label = f"{name}, object {chosen}" if chosen else name
    try:
        read = r_columns.matrix_of if len(dimensions(item)) == 2 else r_columns.frame_of
        frame, row_names, more = read(item)
    except NotAColumn as error:
        raise DataError(f"{label} is damaged: {error}. Save it again in R.") from None
    if frame.width == 0:
        raise DataError(f"{label} has no columns that can be read. {' '.join(more)}".rstrip())
    return Sheet(
        frame.lazy(),
        frame.columns,
        frame.height,
        label,
        first_row=1,
        row_names=row_names,
        notes=[*notes, *more],
    )


def _parsed(raw: bytes, name: str) -> Any:
    """The objects of a file; nothing in them is evaluated."""
    try:
        from rdata import parser
    except ImportError:
        raise ImportError(
            'po.read of R files needs rdata. Install it with: pip install "peckorder[r]"'
        ) from None
    content = expanded(raw, name)
    workspace = WORKSPACE.match(content)
    start = workspace.end() if workspace else 0
    if not SERIALIZED.match(content[start : start + 8]):
        raise DataError(f"{name} is not a file of R, or it is damaged. Obtain a new copy. {ADVICE}")
    if not content.startswith(BINARY, start):
        raise DataError(f"{name} was saved as text. In R, save it again without ascii = TRUE.")
    items = memoryview(content)[start + len(BINARY) :]
    header = 12 if items[3] == 2 else 16 + max(int.from_bytes(items[12:16], "big"), 0)
    refuse_too_many_items(items[header:], name)
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
        names = r_columns.texts(attributes(item).get("names")) or [None] * len(item.value)
        for place, (own, part) in enumerate(zip(names, item.value, strict=True), start=1):
            inner = f"{label}${own}" if label and own else own or f"{label}[[{place}]]"
            _collect(inner, part, found, depth + 1)


def _chosen(tables: dict[str, Any], sheet: str | int | None, name: str) -> tuple[str, list[str]]:
    names = list(tables)
    if sheet is not None:
        text = str(sheet)
        if text in tables:
            return text, []
        if text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= len(names):
            return names[int(text) - 1], []
        shown = quoted(names) if names != [""] else "one without a name"
        raise DataError(f'{name} has no object "{sheet}". Data frames and matrices found: {shown}.')
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
        rows, labels = r_columns.side_names(item)
        if rows and labels and set(rows) == set(labels):
            return True
        columns = labels or []
    else:
        columns = r_columns.column_names(item)
    probe = Sheet(pl.LazyFrame(), columns, 0, "")
    try:
        return find_columns(probe, None, {}) is not None
    except DataError:
        return True  # several columns for one role: contests, too

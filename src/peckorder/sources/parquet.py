"""A check of the pages of a Parquet file before they are decoded.

The decoder trusts the number of values that the header of a page states: a damaged number makes it
request more memory than there is, which ends the process without an error that could be caught. So
the headers are read first. They are structs of the compact Thrift protocol: a byte with the type of
a field and the step to its number, then its value. See the Parquet format (FileMetaData,
ColumnChunk and PageHeader).
"""

from __future__ import annotations

import io
import mmap
from pathlib import Path
from typing import Any

from peckorder.errors import ArgumentError

TRUE, FALSE, BYTE, DOUBLE, BINARY, LIST, SET, STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
DEEPEST = 32
# Fields of FileMetaData, RowGroup, ColumnChunk and ColumnMetaData.
ROW_GROUPS, COLUMNS, META_DATA = 4, 1, 3
NUM_VALUES, COMPRESSED, DATA_PAGE, DICTIONARY_PAGE = 5, 7, 9, 11
# Fields of PageHeader; in each of its kinds of headers, field 1 is the number of values.
UNPACKED_SIZE, PAGE_SIZE, DICTIONARY = 2, 3, 7
KINDS_OF_PAGES = (5, DICTIONARY, 8)
LARGEST_PAGE = 1 << 31
LONGEST_HEADER = 1 << 20
UNREADABLE = (AttributeError, IndexError, KeyError, TypeError, ValueError)


class DamagedPage(Exception):
    """A page whose header cannot be true."""


def check_pages(source: Path | io.BytesIO) -> None:
    """Raise `DamagedPage` if the header of a page cannot be true."""
    if isinstance(source, io.BytesIO):
        _check(source.getvalue())
        return
    with source.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as raw:
        _check(raw)


def _check(raw: Any) -> None:
    try:
        size = int.from_bytes(raw[-8:-4], "little")
        footer = _struct(raw, len(raw) - 8 - size, DEEPEST)[0]
        chunks = [
            chunk[META_DATA] for group in footer[ROW_GROUPS] for chunk in group.get(COLUMNS, ())
        ]
        places = [
            (int(min(_starts(chunk))), int(chunk[COMPRESSED]), int(chunk[NUM_VALUES]))
            for chunk in chunks
        ]
    except UNREADABLE:
        return  # without a footer nothing is decoded: polars states what is wrong
    for begin, length, values in places:
        _check_chunk(raw, begin, length, values)


def _starts(chunk: dict[int, Any]) -> list[int]:
    return [chunk[DATA_PAGE], *([chunk[DICTIONARY_PAGE]] if chunk.get(DICTIONARY_PAGE) else [])]


def _check_chunk(raw: Any, begin: int, length: int, values: int) -> None:
    """Check the pages of one column chunk, one after another."""
    if values == 0:  # some programs then state no place
        return
    place, end = begin, begin + length
    if not (begin > 0 and length >= 0 and end <= len(raw) and values >= 0):
        raise DamagedPage("a column lies outside the file")
    while place < end:
        try:
            header, length = _struct(raw[place : place + LONGEST_HEADER], 0, DEEPEST)
            place += length
            size, unpacked = int(header[PAGE_SIZE]), int(header[UNPACKED_SIZE])
            stated = {kind: int(header[kind][1]) for kind in KINDS_OF_PAGES if kind in header}
        except UNREADABLE as error:
            raise DamagedPage("the header of a page cannot be read") from error
        if not (0 <= size <= end - place and 0 <= unpacked < LARGEST_PAGE):
            raise DamagedPage("a page has an impossible size")
        most = {DICTIONARY: max(values, unpacked)}  # which may have entries that are not used
        if any(not 0 <= number <= most.get(kind, values) for kind, number in stated.items()):
            raise DamagedPage("a page has an impossible number of values")
        place += size


def _struct(raw: Any, place: int, depth: int) -> tuple[dict[int, Any], int]:
    """The fields of a struct by number, and the place behind it."""
    if place < 0 or depth == 0:
        raise ArgumentError("no struct")
    fields: dict[int, Any] = {}
    number = 0
    while raw[place] != 0:
        step, kind = divmod(raw[place], 16)
        place += 1
        if step:
            number += step
        else:
            number, place = _integer(raw, place)
        if kind in (TRUE, FALSE):
            fields[number] = kind == TRUE
        else:
            fields[number], place = _value(raw, place, kind, depth - 1)
    return fields, place + 1


def _value(raw: Any, place: int, kind: int, depth: int) -> tuple[Any, int]:
    if kind in (BYTE, TRUE, FALSE):  # in a list, true and false take a byte
        return raw[place], place + 1
    if kind < DOUBLE:
        return _integer(raw, place)
    if kind == DOUBLE:
        return None, place + 8
    if kind == BINARY:
        length, place = _varint(raw, place)
        return None, place + length
    if kind in (LIST, SET):
        length, inner = divmod(raw[place], 16)
        place += 1
        if length == 15:
            length, place = _varint(raw, place)
        if length > len(raw) - place:
            raise ArgumentError("a list longer than the file")
        items = []
        for _ in range(length):
            item, place = _value(raw, place, inner, depth)
            items.append(item)
        return items, place
    if kind == STRUCT:
        return _struct(raw, place, depth)
    raise ArgumentError(f"type {kind}")


def _integer(raw: Any, place: int) -> tuple[int, int]:
    """A signed number; 0, −1, 1, −2 and so on are stored as 0, 1, 2, 3."""
    number, place = _varint(raw, place)
    return (number >> 1) ^ -(number & 1), place


def _varint(raw: Any, place: int) -> tuple[int, int]:
    """A number in groups of seven bits, the lowest first."""
    number = shift = 0
    while True:
        byte = raw[place]
        number |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return number, place
        if shift > 63:
            raise ArgumentError("a number of more than 64 bits")

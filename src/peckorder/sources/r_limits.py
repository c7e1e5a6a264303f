"""How large the content of an R file is, found without building it.

A small compressed file may expand to more than the memory holds, and a few bytes may announce
billions of items. The serialized items (R Internals, section 1.8) are therefore counted in one
pass that only skips from flag to flag, before the parser builds an object for each.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import zlib
from collections.abc import Callable
from typing import Any

from peckorder.errors import DataError

LARGEST = 256 << 20  # bytes, expanded
MOST_ITEMS = 4_000_000  # about 1.5 GB while they are read
ADVICE = 'In R, save the data frame alone: saveRDS(contests, "contests.rds").'
OPENED: dict[bytes, Callable[[Any], Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\0": lzma.open,
}
UNPACKING = (EOFError, OSError, zlib.error, lzma.LZMAError, ValueError)
NUMBER = struct.Struct(">i")
# Bytes per value of a vector, by type: logical, integer, real, complex, raw.
WIDTH = {10: 4, 13: 4, 14: 8, 15: 16, 24: 1}
PAIRS = (2, 3, 5, 6, 17)  # pairlists, functions, promises, calls, dots
VECTORS = (16, 19, 20)  # text, lists, expressions
LANGUAGE = (2, 6, 239, 240, 244)  # in compiled code: lists and calls, also with attributes
ITEM, CONSTANT, CODE, CALL = range(4)


def expanded(raw: bytes, name: str, most: int = LARGEST) -> bytes:
    """The content of a file that may be compressed by gzip, bzip2 or xz."""
    opened = next((way for mark, way in OPENED.items() if raw.startswith(mark)), None)
    if opened is None:
        return raw
    try:
        with opened(io.BytesIO(raw)) as file:
            content = file.read(most + 1)
    except UNPACKING as error:
        raise DataError(f"{name} is damaged ({error}). Obtain a new copy.") from None
    if len(content) > most:
        raise DataError(
            f"{name} expands to more than {most / 2**20:,.0f} MB, the maximum for an R file. "
            f"{ADVICE}"
        )
    return content


def first_bytes(raw: bytes, number: int = 16) -> bytes:
    """The first bytes of a file that may be compressed; empty if it is damaged."""
    opened = next((way for mark, way in OPENED.items() if raw.startswith(mark)), None)
    if opened is None:
        return raw[:number]
    try:
        with opened(io.BytesIO(raw)) as file:
            return file.read(number)
    except UNPACKING:
        return b""


def refuse_too_many_items(content: memoryview, name: str) -> None:
    """Raise an error if the items are too many, or if they end beyond the end of the file."""
    items = Items(content)
    try:
        number = items.counted()
    except (struct.error, IndexError):
        raise DataError(
            f"{name} is damaged: it ends before its content does. Obtain a new copy."
        ) from None
    if number > MOST_ITEMS:
        raise DataError(
            f"{name} contains more than {MOST_ITEMS:,} texts and other items, the maximum for an R "
            f"file. {ADVICE} Convert columns of text with factor(), or write a CSV file."
        )


class Items:
    """A position in serialized items, and what is expected from there on."""

    def __init__(self, content: memoryview):
        self.content, self.at, self.end = content, 0, len(content)
        self.expected: list[tuple[int, int]] = [(ITEM, 1)]

    def counted(self) -> int:
        """The number of items; counting ends where there are too many."""
        number = 0
        while self.expected and number <= MOST_ITEMS:
            what, times = self.expected.pop()
            if times > 1:
                self.expected.append((what, times - 1))
            number += 1
            if what == ITEM:
                self._item(self._number())
            elif what == CODE:
                # The instructions, then their constants.
                self.expected += [(CONSTANT, -1), (ITEM, 1)]
            elif times == -1:
                self._expect(CONSTANT, self._number())
            else:
                self._constant(self._number())
        return number

    def _number(self) -> int:
        (value,) = NUMBER.unpack_from(self.content, self.at)
        self.at += 4
        return value

    def _skip(self, size: int) -> None:
        self.at += size
        if size < 0 or self.at > self.end:
            raise IndexError

    def _expect(self, what: int, times: int) -> None:
        if times < 0 or 4 * times > self.end - self.at:  # every item has at least four bytes
            raise IndexError
        if times:
            self.expected.append((what, times))

    def _item(self, flags: int) -> None:
        kind, marked, tagged = flags & 0xFF, flags >> 9 & 1, flags >> 10 & 1
        if kind in PAIRS:
            self._expect(ITEM, 2 + marked + tagged)
            return
        if kind == 9:  # characters, of which those missing have the length -1
            self._skip(max(self._number(), 0))
            return
        if kind in WIDTH:
            self._expect(ITEM, marked)
            length = self._number()
            self._skip(length * WIDTH[kind] if length >= 0 else -1)
        elif kind in VECTORS:
            self._expect(ITEM, marked)
            self._expect(ITEM, self._number())
        elif kind == 1:  # a symbol
            self._expect(ITEM, 1)
        elif kind == 4:  # an environment
            self._number()
            self._expect(ITEM, 4)
        elif kind in (7, 8):  # functions of R itself, by name
            self._skip(max(self._number(), 0))
        elif kind == 21:  # compiled code, with the number of its repeated parts
            self._expect(ITEM, marked)
            if not 0 <= self._number() <= self.end - self.at:
                raise IndexError
            self.expected.append((CODE, 1))
        elif kind == 22:  # a pointer
            self._expect(ITEM, 2 + marked)
        elif kind == 238:  # a compact form: class, state, attributes
            self._expect(ITEM, 3)
        elif kind in (247, 249, 250):  # names of packages
            self._number()
            self._expect(ITEM, self._number())
        elif kind in (23, 25):  # weak references, objects of S4
            self._expect(ITEM, marked)
        elif kind == 255 and flags >> 8 == 0:  # a reference with its number behind it
            self._number()

    def _constant(self, kind: int) -> None:
        """A constant of compiled code, of this kind."""
        if kind == 21:
            self.expected.append((CODE, 1))
        elif kind == 243:  # a repeated part
            self._number()
        elif kind in LANGUAGE:
            if kind == 244:
                self._number()
                kind = self._number()
            self.expected += [(CONSTANT, 2), (ITEM, 1)]
            self._expect(ITEM, int(kind in (239, 240)))
        else:
            self._expect(ITEM, 1)

"""Files as R writes them (`saveRDS`, `save`), made by hand so that no R is needed.

The format is that of "R Internals", section 1.8 (serialization, XDR, versions 2 and 3): a header,
then items, each with four bytes of flags, its content and its attributes. Written from that
description and independent of the package that reads them. `python -m tests.r_writer` makes the
files in tests/data/r_files.
"""

from __future__ import annotations

import gzip
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "data" / "r_files"
NA_INTEGER = -(2**31)
NA_REAL = struct.unpack(">d", bytes.fromhex("7ff00000000007a2"))[0]
SYMBOL, PAIRS, CHARACTERS, LOGICAL, INTEGER, REAL, COMPLEX, TEXT, LIST = (
    1,
    2,
    9,
    10,
    13,
    14,
    15,
    16,
    19,
)
NULL, REFERENCE, ALTERNATIVE, BYTECODE, CLOSURE = 254, 255, 238, 21, 3
UTF8, LATIN1, ASCII = 1 << 3, 1 << 2, 1 << 6


@dataclass
class R:
    """A vector, a list or a pairlist of R."""

    kind: int
    values: Any
    attributes: dict[str, R] = field(default_factory=dict)


def text(values, **attributes):
    return R(TEXT, values, attributes)


def integer(values, **attributes):
    return R(INTEGER, values, attributes)


def real(values, **attributes):
    return R(REAL, values, attributes)


def factor(values, levels):
    codes = [None if v is None else levels.index(v) + 1 for v in values]
    return integer(codes, levels=text(levels), **{"class": text(["factor"])})


def dates(days):
    return real(days, **{"class": text(["Date"])})


def times(seconds, zone=None):
    zoned = {} if zone is None else {"tzone": text([zone])}
    return real(seconds, **{"class": text(["POSIXct", "POSIXt"]), **zoned})


def named(**elements):
    return R(LIST, list(elements.values()), {"names": text(list(elements))})


def frame(_rows=None, _classes=("data.frame",), **columns):
    table = named(**columns)
    height = len(next(iter(columns.values())).values)
    rows = integer([None, -height]) if _rows is None else text(_rows)
    return R(
        LIST, table.values, {**table.attributes, "row.names": rows, "class": text(list(_classes))}
    )


def matrix(rows, names=None, columns=None, kind=INTEGER):
    flat = [row[j] for j in range(len(rows[0])) for row in rows]
    attributes = {"dim": integer([len(rows), len(rows[0])])}
    if names or columns:
        sides = [text(side) if side else None for side in (names, columns)]
        attributes["dimnames"] = R(LIST, sides)
    return R(kind, flat, attributes)


class Writer:
    """Items in sequence; a symbol that occurs again is a reference, as in R."""

    def __init__(self, version=3, encoding=UTF8):
        self.out = bytearray(b"X\n" + struct.pack(">iii", version, 0x040301, 0x020300))
        if version == 3:
            self.out += struct.pack(">i", 5) + b"UTF-8"
        self.encoding, self.symbols = encoding, {}

    def number(self, *numbers):
        self.out += struct.pack(f">{len(numbers)}i", *numbers)

    def characters(self, word):
        if word is None:
            self.number(CHARACTERS, -1)
            return
        raw = word.encode("latin-1" if self.encoding == LATIN1 else "utf-8")
        flag = ASCII if word.isascii() else self.encoding
        self.number(CHARACTERS | flag << 12, len(raw))
        self.out += raw

    def symbol(self, name):
        if name in self.symbols:
            self.number(self.symbols[name] << 8 | REFERENCE)
            return
        self.symbols[name] = len(self.symbols) + 1
        self.number(SYMBOL)
        self.characters(name)

    def pairs(self, elements):
        for name, value in elements.items():
            self.number(PAIRS | 1 << 10)
            self.symbol(name)
            self.item(value)
        self.number(NULL)

    def item(self, value):
        if value is None:
            self.number(NULL)
            return
        if value.kind == ALTERNATIVE:
            self.alternative(value)
            return
        marked = bool(value.attributes)
        self.number(value.kind | ("class" in value.attributes) << 8 | marked << 9)
        self.number(len(value.values))
        if value.kind == TEXT:
            for word in value.values:
                self.characters(word)
        elif value.kind == LIST:
            for element in value.values:
                self.item(element)
        elif value.kind == REAL:
            filled = [NA_REAL if v is None else v for v in value.values]
            self.out += struct.pack(f">{len(filled)}d", *filled)
        elif value.kind == COMPLEX:
            self.out += struct.pack(
                f">{2 * len(value.values)}d", *sum(((v.real, v.imag) for v in value.values), ())
            )
        else:
            self.number(*(NA_INTEGER if v is None else int(v) for v in value.values))
        if marked:
            self.pairs(value.attributes)

    def alternative(self, value):
        """A compact form: its class (a pairlist of symbols), its state, its attributes."""
        name, state = value.values
        self.number(ALTERNATIVE)
        for symbol in (name, "base"):
            self.number(PAIRS)
            self.symbol(symbol)
        self.number(PAIRS)
        self.item(integer([INTEGER]))
        self.number(NULL)
        if isinstance(state, tuple):
            self.number(PAIRS)
            self.item(state[0])
            self.item(state[1])
        else:
            self.item(state)
        self.number(NULL)


def rds(value, **how):
    writer = Writer(**how)
    writer.item(value)
    return bytes(writer.out)


def rda(version=3, **objects):
    writer = Writer(version)
    writer.pairs(objects)
    return f"RDX{version}\n".encode() + bytes(writer.out)


def compact(first, number):
    """1:n as R keeps it."""
    return R(ALTERNATIVE, ("compact_intseq", real([number, first, 1])))


def deferred(numbers):
    """as.character(numbers) as R keeps it."""
    return R(ALTERNATIVE, ("deferred_string", (numbers, integer([0]))))


def main():
    FOLDER.mkdir(exist_ok=True)
    contests = frame(
        Date=dates([14000, 14001, 14001, 14003]),
        winner=factor(["Abe", "Bo", "Abe", "Cy"], ["Abe", "Bo", "Cy"]),
        loser=text(["Bo", "Cy", "Cy", "Bo"]),
        intensity=integer([1, None, 2, 2]),
    )
    wins = matrix([[0, 3, 2], [1, 0, 4], [0, 1, 0]], ["Abe", "Bo", "Cy"], ["Abe", "Bo", "Cy"])
    animals = frame(id=text(["Abe", "Bo", "Cy"]), sex=factor(["m", "f", None], ["f", "m"]))
    files = {
        "contests.rds": rds(contests),
        "wins.rds": rds(wins, version=2),
        "station.rda": rda(animals=animals, contests=contests, seed=integer([1])),
        "study.RData": rda(study=named(contests=contests, wins=wins, notes=text(["by hand"]))),
    }
    for name, content in files.items():
        (FOLDER / name).write_bytes(gzip.compress(content, mtime=0))


if __name__ == "__main__":
    main()

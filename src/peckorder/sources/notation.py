"""Contests written in one cell: `A > B`, `A = B`, `A < B`, `A beats B`, `A → B`.

The sign or word between two names states who won. A cell with two signs (`A > B > C`) may be a
ranking or two contests, and `A - B` states no winner: neither is read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

import polars as pl

from peckorder.sources.sheet import Sheet

ROWS_TRIED = 1000
FIRST_WON = ("->", "→", "➔", "➜", "⟶", "⇒", ">")
SECOND_WON = ("<-", "←", "⟵", "⇐", "<")
EVEN = ("=",)
WON_WORDS = (
    *("beats", "beat", "defeats", "defeated", "displaces", "displaced", "supplants"),
    *("supplanted", "wins against", "won against", "wins over", "won over", "dominates"),
)
LOST_WORDS = ("loses to", "lost to", "loses against", "lost against", "is beaten by")
EVEN_WORDS = ("ties with", "tied with", "draws with", "drew with")


def _between(signs: tuple[str, ...], words: tuple[str, ...]) -> str:
    spaced = [r"(?<=\s)" + word.replace(" ", r"\s+") + r"(?=\s)" for word in words]
    return "|".join([*map(re.escape, signs), *spaced])


_SIGN = re.compile(
    rf"(?P<won>{_between(FIRST_WON, WON_WORDS)})"
    rf"|(?P<lost>{_between(SECOND_WON, LOST_WORDS)})"
    rf"|(?P<even>{_between(EVEN, EVEN_WORDS)})",
    re.IGNORECASE,
)
_VERSUS = re.compile(r"\S\s+(?:vs?\.?|versus|gegen|contre|contra|contro)\s+\S", re.IGNORECASE)
# Signs that contain others, or compare: not a statement of who won.
_OTHER = re.compile(r"<->|<>|<=|=>|>=|>>|<<|==|↔|⇔")


@dataclass(frozen=True)
class Written:
    """A contest as written: the winner first, or both sides of a tie."""

    first: str
    second: str
    tie: bool
    sign: str
    cell: str


@lru_cache(maxsize=1 << 16)
def written(cell: str) -> Written | None:
    """The contest written in a cell, or None if it is not written unambiguously.

    >>> written("Abby < Bo")
    Written(first='Bo', second='Abby', tie=False, sign='<', cell='Abby < Bo')
    >>> written("Abby > Bo > Cy"), written("Abby - Bo"), written("Abby vs Bo")
    (None, None, None)
    """
    if _OTHER.search(cell):
        return None
    found = list(_SIGN.finditer(cell))
    if len(found) != 1:
        return None
    sign = found[0]
    left, right = cell[: sign.start()].strip(), cell[sign.end() :].strip()
    if not left or not right:
        return None
    if sign["lost"]:
        left, right = right, left
    return Written(left, right, bool(sign["even"]), " ".join(sign[0].lower().split()), cell)


def columns_of_contests(sheet: Sheet) -> list[str]:
    """The columns in which at least half of the cells are contests.

    A column of ties only, which may be a list of settings such as `sex=M`, counts if its names
    take part in the contests of other columns.
    """
    head = sheet.table().head(ROWS_TRIED)
    found = {column.name: _contests(column) for column in head if column.dtype == pl.String}
    decided = [name for name, read in found.items() if any(not contest.tie for contest in read)]
    known = {who for name in decided for one in found[name] for who in (one.first, one.second)}
    return [
        name
        for name, read in found.items()
        if name in decided
        or (read and all(who in known for one in read for who in (one.first, one.second)))
    ]


def _contests(column: pl.Series) -> list[Written]:
    """The contests in a column, or none if less than half of its cells are contests."""
    cells = [cell for cell in column.drop_nulls().str.strip_chars().to_list() if cell]
    read = [contest for contest in map(written, cells) if contest is not None]
    return read if 2 * len(read) >= len(cells) else []


def columns_without_winner(sheet: Sheet) -> tuple[str, str] | None:
    """The first column in which most cells name two sides (A vs B), and its first such cell."""
    for column in sheet.table().head(ROWS_TRIED):
        if column.dtype == pl.String:
            cells = [cell for cell in column.drop_nulls().str.strip_chars().to_list() if cell]
            found = [cell for cell in cells if _VERSUS.search(cell)]
            if 2 * len(found) > len(cells):
                return column.name, found[0]
    return None

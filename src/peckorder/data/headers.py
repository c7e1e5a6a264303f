"""The row of the column names, below titles and notes, and headers of two rows.

A row is taken as the header only if it names the columns that the data need (the winner and the
loser, for example) and no row above it has cells in both of these columns. Where the row below
divides its columns further ("Winner" above "ID" and "Sex"), the two are joined ("Winner ID").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from peckorder.data.columns import FORMS
from peckorder.data.headings import is_total, roles_of
from peckorder.errors import ArgumentError, DataError
from peckorder.text import given, listed, option, quoted

LAST_HEADER = 1_000_000_000
LOOKED_AT = 50  # rows in which the header is searched
LARGEST_MATRIX = 500  # rows of a matrix that is searched below a title
WHO_WON = ("votes", ("a", "b", "winner"))  # two sides, and a column that names the winner
Row = Sequence[str | None]


@dataclass(frozen=True)
class Wanted:
    """What the caller needs: columns given by name, roles to leave out, and the kind of data."""

    named: dict[str, str] = field(default_factory=dict)
    refused: frozenset[str] = frozenset()
    kind: str | None = None

    def places(self, labels: Row) -> list[int] | None:
        """Positions of the needed columns among these labels; None if one is missing."""
        cells = [(label or "").strip() for label in labels]
        of_role: dict[str, int] = {}
        for place, cell in enumerate(cells):
            if cell[:1].isalpha():
                for role in roles_of(cell, cells):
                    of_role.setdefault(role, place)
        for role in self.refused:
            of_role.pop(role, None)
        for role, name in self.named.items():
            of_role.pop(role, None)
            if name in cells:
                of_role[role] = cells.index(name)
        for kind, roles in (*FORMS, WHO_WON):
            if self.kind not in (None, kind):
                continue
            found = [of_role[role] for role in roles if role in of_role]
            if found and len(set(found)) == len(roles):
                return found
        return None


def _is_empty(name: object) -> bool:
    return isinstance(name, str) and not name


def wanted_columns(given: Mapping[str, str | bool | None], kind: str | None) -> Wanted:
    """What the arguments of `read` look for."""
    return Wanted(
        {role: name for role, name in given.items() if isinstance(name, str) and name},
        frozenset(role for role, name in given.items() if name is False or _is_empty(name)),
        kind if isinstance(kind, str) else None,
    )


@dataclass(frozen=True)
class Header:
    """The first and the last row of the column names, from 0, and what follows them."""

    first: int
    last: int
    kind: str = "list"
    above: int = 0  # rows with cells above it
    doubt: str = ""  # what speaks against it
    titles: tuple[str, ...] = ()  # cells above it

    @property
    def depth(self) -> int:
        """Number of rows of the header: 1 or 2, or 0 without one."""
        return self.last - self.first + 1

    def settled(self, name: str) -> Header:
        """The header; raises an error if a row above it could be data."""
        if not self.doubt:
            return self
        number = f"{self.first + 1}-{self.last + 1}" if self.depth == 2 else f"{self.first + 1}"
        raise DataError(
            f"{name}: row {self.first + 1} has the column names, but {self.doubt}. If the rows "
            f"above are not data, skip them with {option('header', number)}; otherwise move the "
            f"header to the first row."
        )

    def note(self, labels: Sequence[str]) -> str:
        """What was taken, and how to choose another row."""
        if self.depth == 2:
            return (
                f"Rows {self.first + 1} and {self.last + 1} were read as one header: "
                f"{quoted(labels, limit=6)}. To use one row only, give it with {option('header')}."
            )
        return (
            f"Row {self.first + 1} was read as the header; the rows above it were skipped. Choose "
            f"another with {option('header')}."
        )


NO_HEADER = Header(0, -1)


def header_rows(header: object) -> Header | None:
    """The argument `header`: a row number, two rows as "3-4" or (3, 4), or "none"."""
    if header is None:
        return None
    if str(header).strip().casefold() == "none":
        return NO_HEADER
    parts: list[object] = [header]
    if isinstance(header, str):
        parts = list(header.split("-"))
    elif isinstance(header, list | tuple):
        parts = list(header)
    numbers = [_row_number(part) for part in parts]
    first, last = numbers[0] if numbers else None, numbers[-1] if numbers else None
    if first is None or last is None or len(numbers) > 2 or last - first != len(numbers) - 1:
        raise ArgumentError(
            f"{given('header', header)}: give the row number of the column names, from 1, or two "
            f"rows that follow each other, such as {option('header', '3-4')}, or "
            f"{option('header', 'none')}."
        )
    return Header(first - 1, last - 1)


def _row_number(value: object) -> int | None:
    text = str(value).strip() if isinstance(value, int | str) else ""
    if isinstance(value, bool) or not (text.isascii() and text.isdigit() and len(text) <= 10):
        return None
    return int(text) if 1 <= int(text) <= LAST_HEADER else None


def find_header(rows: Sequence[Row], wanted: Wanted) -> Header | None:
    """The header among the first rows of a table; None if no row has the needed columns."""
    filled = [i for i, row in enumerate(rows[:LOOKED_AT]) if _filled(row)]
    for i in filled:
        below = rows[i + 1] if i + 1 < len(rows) else ()
        places, first, last = wanted.places(rows[i]), i, i
        if places is None:
            places, last = _of_two_rows(rows[i], below, wanted), i + 1
        elif (again := wanted.places(below)) == places:
            first = last = i + 1  # two rows of names, the second more exact
        elif again is None and _divides(rows[i], below, places):
            last = i + 1
        if places is not None:
            above = filled.index(first)
            titles = _titles(rows[:first])
            return Header(first, last, above=above, doubt=_doubt(rows[:i], places), titles=titles)
    if wanted.kind in (None, "matrix") and not wanted.named:
        return _of_matrix(rows, filled)
    return None


def _titles(above: Sequence[Row]) -> tuple[str, ...]:
    """The cells above a header."""
    return tuple(cell.strip() for row in above[:20] for cell in row if cell and cell.strip())[:20]


def joined(top: Row, bottom: Row) -> list[str]:
    """The labels of a header of two rows.

    A blank cell of the upper row belongs to the label on its left, as in merged cells.

    >>> joined(["Date", "Winner", None, "Loser", None], [None, "ID", "Sex", "ID", "Sex"])
    ['Date', 'Winner ID', 'Winner Sex', 'Loser ID', 'Loser Sex']
    """
    labels, above = [], ""
    for upper, lower in zip(top, bottom, strict=False):
        one, other = (upper or "").strip(), (lower or "").strip()
        if one:
            above = one if other else ""  # nothing below: not the beginning of a span
        elif other:
            one = above
        same = one.casefold() == other.casefold()
        labels.append(one if same else f"{one} {other}".strip())
    return labels


def _filled(row: Row) -> bool:
    return any(cell and cell.strip() for cell in row)


def _of_two_rows(top: Row, below: Row, wanted: Wanted) -> list[int] | None:
    """The needed columns of a header of two rows that neither of them names alone."""
    if not _filled(below) or wanted.places(below):
        return None
    return wanted.places(joined(top, below))


def _divides(top: Row, below: Row, places: list[int]) -> bool:
    """Whether the row below a header divides its columns, as "ID" and "Sex" divide "Winner".

    It then has cells below blanks of the header, and the same label below both sides: as a
    contest, an individual would meet itself.
    """
    cells = [(cell or "").strip().casefold() for cell in below]
    if max(places, default=0) >= len(cells):
        return False
    sides = {cells[place] for place in places[:2]}
    blanks = [i for i, cell in enumerate(top) if not (cell or "").strip()]
    under = any(i < len(cells) and cells[i] for i in blanks)
    return under and len(sides) == 1 and sides != {""}


def _doubt(above: Sequence[Row], places: list[int]) -> str:
    """A row above the header that has cells in all needed columns and could be data."""
    for i, row in enumerate(above):
        cells = [row[place] if place < len(row) else None for place in places]
        if all(cell and cell.strip() for cell in cells):
            shown = listed([quoted([cell]) for cell in cells])
            return f"row {i + 1} above it has cells in the same columns ({shown})"
    return ""


def _small(row: Row) -> list[str]:
    return [(cell or "").strip().casefold() for cell in row if cell]


def _of_matrix(rows: Sequence[Row], filled: list[int]) -> Header | None:
    """The row above a square table whose first column has the same names, in any order.

    Case does not matter, and totals are no names.
    """
    for i in filled:
        labels = [(cell or "").strip() for cell in rows[i]]
        names = [label.casefold() for label in labels[1:] if label and not is_total(label)]
        below = rows[i + 1 : i + 1 + len(names)]
        left = [(row[0] or "").strip().casefold() if row else "" for row in below]
        listed = len(names) < 4 and any(cell in left for row in below for cell in _small(row[1:]))
        if 2 <= len(names) <= LARGEST_MATRIX and sorted(names) == sorted(left) and not listed:
            return Header(i, i, "matrix", above=filled.index(i), titles=_titles(rows[:i]))
    return None

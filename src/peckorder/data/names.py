"""Names and their integer codes, in order of first appearance; names are always text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np
import polars as pl

from peckorder.errors import ArgumentError, DataError
from peckorder.text import did_you_mean, quoted

FEWEST_SLOTS = 1 << 13  # of the table of hashes
# Names that need a second look: blanks at an end, the beginning of an error of a formula (see
# `data.odd_names`), and what may stand between the names of several individuals (`data.polyadic`).
CONSPICUOUS = r"(?i)^[\s\x1c-\x1f#f]|[\s\x1c-\x1f]$|[,;&+/]|\s(?:and|und|et|y)\s"
INEXACT = 2.0**53  # from here on, floating-point numbers skip some whole numbers


def text_of(column: pl.Series) -> pl.Series:
    """Names as text; whole numbers without a decimal point, whatever their type.

    >>> text_of(pl.Series([1.0, 2.5, None])).to_list()
    ['1', '2.5', None]
    """
    if column.dtype == pl.String:
        return column
    if column.dtype.is_float():
        large = column.filter((column.abs() >= INEXACT).fill_null(False))
        if len(large):
            raise DataError(
                f'Column "{column.name}" contains names that are floating-point numbers, such as '
                f"{large[0]:.0f}. Whole numbers above {INEXACT:,.0f} are not exact there, so that "
                f"different names may have become one. Read the column as text."
            )
        return column.fill_nan(None).cast(pl.String).str.strip_suffix(".0")
    if column.dtype.is_nested():
        return column.map_elements(str, return_dtype=pl.String)
    return column.cast(pl.String)


def code_of(name: object, codes: Mapping[str, int]) -> int:
    """Code of an individual given by name."""
    code = codes.get(str(name))
    if code is None:
        raise ArgumentError(
            f'"{name}" is not among the individuals: {quoted(codes)}.{did_you_mean([name], codes)}'
        )
    return code


def recoded(
    first: np.ndarray, second: np.ndarray, names: Sequence[str]
) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """Codes in order of first appearance in these contests, and the names that occur in them."""
    both = np.stack([first, second], axis=1).ravel()
    remaining, first_at = np.unique(both, return_index=True)
    remaining = remaining[np.argsort(first_at)]
    code = np.zeros(len(names), np.int32)
    code[remaining] = np.arange(len(remaining), dtype=np.int32)
    left: list[int] = remaining.tolist()
    return code[first], code[second], tuple(names[old] for old in left)


class NameCodes:
    """Codes for names that are added in batches.

    Names are looked up by 64-bit hash in a compiled loop, a few nanoseconds per name; with a
    million names, the probability of a hash collision is below 10^−7. Names that differ only in
    leading or trailing blanks share a code, and so do the aliases of a name; `stripped` and
    `replaced` count how often blanks were stripped and aliases replaced.

    >>> codes = NameCodes()
    >>> codes.add(pl.Series(["Abe", "Bo "]), pl.Series(["Bo", "Cy"]))
    (array([0, 1], dtype=int32), array([1, 2], dtype=int32))
    >>> codes.names, codes.stripped
    (['Abe', 'Bo', 'Cy'], {'Bo ': 1})
    """

    def __init__(self, aliases: Mapping[str, str] | None = None, ignored: tuple[str, ...] = ()):
        self.aliases, self.ignored = dict(aliases or {}), ignored
        self.names: list[str] = []
        self.stripped: dict[str, int] = {}
        self.replaced: dict[str, int] = {}
        self._code_of_name: dict[str, int] = {}  # made when it is needed
        self._spellings = pl.Series(dtype=pl.String)
        self._code_of_spelling = np.zeros(0, np.int32)
        self._changed: list[int] = []
        self._conspicuous: list[str] = []
        self._unique = UniqueNames()
        self._clear_table(FEWEST_SLOTS)

    def add(
        self,
        first: pl.Series,
        second: pl.Series,
        into: tuple[np.ndarray, np.ndarray] | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Codes of both sides of a batch of contests; names must not be null.

        They are written to the arrays given by `into`, or to new ones.
        """
        known = len(self._spellings)
        codes = into or (np.empty(len(first), np.int32), np.empty(len(first), np.int32))
        self._look_up(first, second, codes)
        self._settle(known, codes)
        if self._changed:
            for side in codes:
                side[:] = self._code_of_spelling[side]
        return codes

    def correct(self, spelling: str) -> str:
        """The name that a spelling stands for."""
        name = spelling.strip()
        return self.aliases.get(name, name)

    @property
    def known(self) -> Set[str]:
        """All names."""
        return self._codes().keys()

    def code(self, name: str) -> int | None:
        """The code of a name, if it has one."""
        return self._codes().get(name)

    def matching(self, pattern: re.Pattern[str]) -> list[str]:
        """The conspicuous names that match a pattern."""
        return [name for name in self._conspicuous if pattern.search(name)]

    def unique(self) -> UniqueNames:
        """All names so far; they need no further check."""
        if len(self._unique) < len(self.names):
            plain = not self._changed and len(self.names) == len(self._spellings)
            column = self._spellings if plain else None
            self._unique = UniqueNames.of(self.names, column)
        return self._unique

    def left_out(self, *sides: np.ndarray) -> np.ndarray:
        """Whether a side of each contest is among the names to ignore."""
        known = self._codes()
        codes = [known[name] for name in self.ignored if name in known]
        return np.logical_or.reduce([np.isin(side, codes) for side in sides])

    def _codes(self) -> dict[str, int]:
        """The code of every name."""
        done = len(self._code_of_name)
        if done < len(self.names):
            new = self.names[done:] if done else self.names
            self._code_of_name.update(zip(new, range(done, len(self.names)), strict=True))
        return self._code_of_name

    def _clear_table(self, size: int) -> None:
        self._keys, self._slots = np.zeros(size, np.uint64), np.full(size, -1, np.int32)

    def _look_up(
        self, first: pl.Series, second: pl.Series, codes: tuple[np.ndarray, np.ndarray]
    ) -> None:
        """Write the codes of spellings, of which new ones are appended."""
        from peckorder.kernels.contests import encode, rehash

        one, other = (side.hash(0).to_numpy() for side in (first, second))
        begin, used = 0, len(self._spellings)
        witness = np.empty(2 * len(first), np.int64)
        while begin < len(first):
            used, begin = encode(
                *(one, other, begin, self._keys, self._slots, used, len(self._spellings)),
                *(*codes, witness),
            )
            if begin < len(first):
                small = self._keys, self._slots
                self._clear_table(4 * len(self._keys))
                rehash(*small, self._keys, self._slots)
        self._remember(first, second, witness[: used - len(self._spellings)])

    def _remember(self, first: pl.Series, second: pl.Series, witness: np.ndarray) -> None:
        """Append the names of new codes; witness = 2 × contest + side."""
        if not len(witness):
            return
        places = (witness // 2 + len(first) * (witness % 2)).astype(np.uint32)
        names = pl.concat([first, second.alias(first.name)], rechunk=False)[pl.Series(places)]
        if len(self._spellings):
            names = pl.concat([self._spellings, names.alias("")], rechunk=False)
        self._spellings = names.alias("")

    def _settle(self, known: int, codes: tuple[np.ndarray, np.ndarray]) -> None:
        """Assign each new spelling the code of its name, without blanks and by its alias."""
        if len(self._spellings) == known and not self._changed:
            return
        spellings = self._spellings[known:]
        new: list[str] = spellings.to_list()
        suspects = set(spellings.filter(spellings.str.contains(CONSPICUOUS)).to_list())
        if self._are_names(new, suspects):
            fresh = np.arange(len(self.names), len(self.names) + len(new), dtype=np.int32)
            self.names.extend(new)
            self._conspicuous += [name for name in new if name in suspects] if suspects else []
        else:
            fresh = np.array(self._joined_names(new, known, suspects), np.int32)
        self._code_of_spelling = np.concatenate([self._code_of_spelling, fresh])
        if self._changed:
            times = np.bincount(np.concatenate(codes), minlength=len(self._spellings))
            for place in self._changed:
                spelling, number = self._spellings[place], int(times[place])
                bare = spelling.strip()
                if bare != spelling:
                    self.stripped[spelling] = self.stripped.get(spelling, 0) + number
                if bare != self.correct(spelling):
                    self.replaced[bare] = self.replaced.get(bare, 0) + number

    def _are_names(self, new: list[str], suspects: set[str]) -> bool:
        """Whether all are new names as they stand; true of most files, and a great deal faster."""
        if self.aliases or any(name != name.strip() for name in suspects):
            return False
        # Spellings are distinct, so that only the name of another spelling can be among them.
        return not self._changed or self._codes().keys().isdisjoint(new)

    def _joined_names(self, new: list[str], known: int, suspects: set[str]) -> list[int]:
        """The codes of new spellings, some of which are those of a known name."""
        fresh, code_of_name = [], self._codes()
        for place, spelling in enumerate(new, start=known):
            name = self.correct(spelling)
            code = code_of_name.setdefault(name, len(self.names))
            if code == len(self.names):
                self.names.append(name)
                if spelling in suspects or name != spelling:
                    self._conspicuous.append(name)
            if name != spelling:
                self._changed.append(place)
            fresh.append(code)
        return fresh


class UniqueNames(tuple):
    """Names that were found to be text, each once, so that this is not checked again."""

    _column: pl.Series | None = None

    @classmethod
    def of(cls, names: Iterable[str], column: pl.Series | None) -> UniqueNames:
        """Such names, and the column that holds them, if there is one."""
        made = cls(names)
        made._column = column
        return made

    @property
    def column(self) -> pl.Series:
        """The names as a column of text, made once."""
        if self._column is None:
            self._column = pl.Series(tuple(self), dtype=pl.String)
        return self._column

    def __reduce__(self) -> tuple[Any, ...]:
        return UniqueNames, (tuple(self),)


def column_of(names: Sequence[str]) -> pl.Series:
    """Names as a column of text."""
    return names.column if isinstance(names, UniqueNames) else pl.Series(names, dtype=pl.String)


def unique_names(names: Any, of: str) -> tuple[str, ...]:
    """Names as a tuple of text in which each occurs once."""
    if isinstance(names, UniqueNames):
        return names
    names = UniqueNames(map(str, names))
    if len(set(names)) < len(names):
        seen: set[str] = set()
        twice = sorted({name for name in names if name in seen or seen.add(name)})
        raise DataError(f"Duplicated names among {of}: {quoted(twice, 10)}. Use each name once.")
    return names

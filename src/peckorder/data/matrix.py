"""Matrices of wins and draws: winners in rows, losers in columns."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from peckorder import notebook
from peckorder.errors import DataError
from peckorder.methods import Later
from peckorder.tables import native
from peckorder.text import counted, quoted
from peckorder.validate import in_words

LARGEST_COUNT = 2**31 - 1
SHARES = (
    "If these are shares of contests won, multiply each by the number of contests of its dyad: "
    "ranks and their uncertainty depend on how many there were."
)
# Contests that counts (a matrix, or a column of counts) may sum to, since each becomes an entry of
# the arrays: about 1 GB of memory.
MOST_FROM_COUNTS = 20_000_000


@in_words
@dataclass(frozen=True, eq=False, repr=False)
class Matrix:
    """Numbers of wins and draws between individuals.

    Attributes
    ----------
    individuals : tuple of str
    wins : integer array (N, N); `wins[i, j]` is the number of wins of i over j.
    draws : integer array (N, N), symmetric; `draws[i, j]` is the number of draws between i and
        j (default: 0).

    Examples
    --------
    >>> matrix = Matrix(("Abe", "Bo"), np.array([[0, 3], [1, 0]]))
    >>> matrix, int(matrix.wins[0, 1])
    (Matrix: 4 wins among 2 individuals, 3)
    """

    individuals: tuple[str, ...]
    wins: np.ndarray
    draws: np.ndarray = None  # pyright: ignore[reportAssignmentType]
    flavor: str = "polars"

    dyads = Later("peckorder.structure.dyads")
    unknown_dyads = Later("peckorder.structure.dyads")
    reversals = Later("peckorder.structure.dyads")

    def __post_init__(self) -> None:
        names = tuple(str(name) for name in self.individuals)
        wins = np.asarray(self.wins)
        draws = np.zeros(wins.shape, np.int64) if self.draws is None else np.asarray(self.draws)
        if len(set(names)) < len(names):
            twice = sorted({name for name in names if names.count(name) > 1})
            raise DataError(
                f"Duplicated names among the individuals of the matrix: {quoted(twice)}. Use each "
                f"name once."
            )
        for what, counts in (("wins", wins), ("draws", draws)):
            _check(what, counts, names)
        if not np.array_equal(draws, draws.T):
            i, j = np.argwhere(draws != draws.T)[0]
            raise DataError(
                f'draws["{names[i]}", "{names[j]}"] is {draws[i, j]}, but draws["{names[j]}", '
                f'"{names[i]}"] is {draws[j, i]}. Draws must be symmetric.'
            )
        object.__setattr__(self, "individuals", names)
        object.__setattr__(self, "wins", wins.astype(np.int64))
        object.__setattr__(self, "draws", draws.astype(np.int64))

    @cached_property
    def hash(self) -> str:
        """A short hash of names and counts."""
        digest = hashlib.blake2b("\x00".join(self.individuals).encode(), digest_size=8)
        digest.update(self.wins.tobytes() + self.draws.tobytes())
        return digest.hexdigest()

    def __repr__(self) -> str:
        drawn = int(self.draws.sum()) // 2
        text = f"Matrix: {counted(int(self.wins.sum()), 'win')}"
        text += f" and {counted(drawn, 'draw')}" if drawn else ""
        return f"{text} among {counted(len(self.individuals), 'individual')}"

    def _repr_html_(self) -> str:
        """What notebooks show: the wins as a heat map, or a table where there are many."""
        contests = np.maximum((self.wins + self.wins.T).sum(axis=1), 1)
        order = np.argsort(-self.wins.sum(axis=1) / contests, kind="stable")
        names, wins = [self.individuals[i] for i in order], self.wins[np.ix_(order, order)]
        picture = notebook.heat_map(names, wins)
        columns = {name: wins[:, i] for i, name in enumerate(names)}
        tables = (
            [] if picture else [notebook.table(pl.DataFrame({"winner \\ loser": names} | columns))]
        )
        return notebook.page(
            repr(self),
            sentences=("Wins of rows over columns, ordered by the proportion of contests won.",),
            picture=picture,
            tables=tables,
        )

    def to_table(self) -> Any:
        """A table of wins with one row and one column per individual."""
        columns = {name: self.wins[:, i] for i, name in enumerate(self.individuals)}
        table = pl.DataFrame({"winner \\ loser": self.individuals, **columns})
        return native(table, self.flavor)


def _check(what: str, counts: np.ndarray, names: tuple[str, ...]) -> None:
    """Check for nonnegative whole numbers, one row and column per individual, a zero diagonal."""
    if counts.shape != (len(names), len(names)):
        raise DataError(
            f"{what} has the shape {counts.shape}, but {counted(len(names), 'individual')} "
            f"require {len(names)} rows and {len(names)} columns."
        )
    if counts.dtype.kind not in "iufb":
        raise DataError(f"{what} contains values of type {counts.dtype}, not numbers.")
    bad = ~(np.isfinite(counts) & (counts >= 0) & (counts <= LARGEST_COUNT))
    bad |= counts != np.floor(np.where(bad, 0, counts))
    if bad.any():
        i, j = np.argwhere(bad)[0]
        raise DataError(
            f'{what}["{names[i]}", "{names[j]}"] is {counts[i, j]}. Counts must be whole '
            f"numbers of at least 0 ({counted(int(bad.sum()), 'invalid cell')})."
            + (f" {SHARES}" if 0 < counts[i, j] < 1 else "")
        )
    if np.diagonal(counts).any():
        own = [name for name, n in zip(names, np.diagonal(counts), strict=True) if n]
        raise DataError(f"The diagonal of {what} must be 0; it is not for {quoted(own)}.")

"""Counts of wins between every two individuals, with a rule for draws: what matrix methods use."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from peckorder.checked import one_of
from peckorder.components import in_braces, linked
from peckorder.data.interactions import Interactions
from peckorder.data.matrix import Matrix
from peckorder.errors import DataError, caution
from peckorder.wording import counted, option

TIES = {"omit": 0.0, "half": 0.5, "both": 1.0}  # what a draw counts for either side


@dataclass(frozen=True, eq=False)
class Tally:
    """Who scored how much against whom, out of how many contests.

    Attributes
    ----------
    individuals : tuple of str
    score : float array (N, N); wins, and draws by the rule
    contests : int array (N, N), symmetric; score + score.T
    drawn : float array (N, N), symmetric; what draws add to the score
    draws : the rule
    left_out : number of draws left out
    """

    individuals: tuple[str, ...]
    score: np.ndarray
    contests: np.ndarray
    drawn: np.ndarray
    ties: str
    left_out: int
    hash: str
    flavor: str

    def __len__(self) -> int:
        return len(self.individuals)

    @property
    def number(self) -> int:
        """How many contests there are."""
        return int(self.contests.sum()) // 2

    @cached_property
    def seen(self) -> np.ndarray:
        """Whether two individuals met in a contest that counts."""
        return self.contests > 0

    @cached_property
    def dominates(self) -> np.ndarray:
        """Whether the row beat the column more often than it lost to it."""
        return self.score > self.score.T

    @cached_property
    def tied(self) -> np.ndarray:
        """Whether both won equally often (at least once, or drew)."""
        return self.seen & (self.score == self.score.T)

    @cached_property
    def dyads(self) -> tuple[np.ndarray, np.ndarray]:
        """Codes of the two individuals of every dyad."""
        return np.triu_indices(len(self), 1)

    @cached_property
    def unit(self) -> np.ndarray:
        """½ for dyads with draws that count half a win each, 1 for all others."""
        return np.where((self.drawn > 0) & (self.ties == "half"), 0.5, 1.0)

    def whole(self, score: np.ndarray) -> np.ndarray:
        """Scores as whole numbers, unless draws are halves."""
        return score.astype(np.int64) if (self.unit == 1.0).all() else score

    @property
    def unknown(self) -> int:
        """Number of dyads without a contest that counts."""
        return int((~self.seen[self.dyads]).sum())

    @property
    def notes(self) -> tuple[str, ...]:
        if not self.left_out:
            return ()
        were = counted(self.left_out, "draw was", "draws were")
        return (f"{were} left out; {option('ties', 'half')} counts them as half a win each.",)


def tally(data: Any, *, ties: str = "omit", least: int = 2, cautious: bool = True) -> Tally:
    """The counts of a matrix method, checked.

    Refuses fewer than `least` individuals and data without any contest that counts; warns of
    several groups and, when `cautious`, of a record that falls apart into sets that never met.
    """
    one_of("ties", ties, TIES)
    matrix = matrix_of(data)
    size = len(matrix.individuals)
    if size < least:
        raise DataError(
            f"There {'is' if size == 1 else 'are'} {counted(size, 'individual')}, and this method "
            f"needs at least {least}."
        )
    wins, drawn = matrix.wins.astype(np.int64), matrix.draws.astype(np.int64)
    score = wins + TIES[ties] * drawn
    contests = np.rint(score + score.T).astype(np.int64)
    if not contests.any():
        if drawn.any():
            raise DataError(
                f'All contests are draws, and ties="omit" leaves them out: nothing remains. '
                f"Pass {option('ties', 'half')}."
            )
        raise DataError("There is no contest at all: every cell of the matrix is zero.")
    left_out = int(drawn.sum()) // 2 if ties == "omit" else 0
    counts = Tally(
        matrix.individuals,
        score,
        contests,
        TIES[ties] * drawn,
        ties,
        left_out,
        data.hash,
        matrix.flavor,
    )
    _warn(data, counts, cautious)
    return counts


def matrix_of(data: Any) -> Matrix:
    """The matrix of `Interactions`, or the `Matrix` itself."""
    if isinstance(data, Matrix):
        return data
    if isinstance(data, Interactions):
        return data.matrix()
    raise TypeError(
        f"This takes what peckorder.read returns, or a peckorder.Matrix, not "
        f"{type(data).__name__}: peckorder.read(…) reads files, tables and square arrays."
    )


def _warn(data: Matrix | Interactions, counts: Tally, cautious: bool) -> None:
    group = data.group if isinstance(data, Interactions) else None
    if group is not None and len(group.names) > 1:
        caution(
            f"The data hold {len(group.names):,} groups and are taken as one, equal names as the "
            f"same individual. Look at each on its own (in Python data.split(), at the shell "
            f"--by COLUMN); if they are one, leave the column out: {option('group', '')}."
        )
    sets = linked(counts.seen) if cautious else []
    if len(sets) > 1:
        caution(
            f"There are {len(sets):,} sets of individuals without a contest between them: "
            f"{in_braces(sets, counts.individuals)}. Their order relative to each other rests on "
            f"no evidence: look at each on its own (in Python data.filter(individuals=[…]), at "
            f"the shell a file for each)."
        )

"""Counts of wins and contests of each dyad, with a rule for ties: the input of matrix methods.

Excluding individuals: by name, with few contests, or with only wins or only losses.

Counts of contests of very many individuals, of whom most never met: no matrix is made.

How well the contests connect the individuals.

Which individuals were present together, so that they could have had a contest.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from peckorder.data.checks import pooled_groups, unconnected
from peckorder.data.contests import Contests, Record
from peckorder.data.matrix import Matrix
from peckorder.errors import ArgumentError, ArgumentTypeError, DataError, caution
from peckorder.ranks import in_braces, linked, sparse_cut
from peckorder.text import counted, given, option, quoted
from peckorder.validate import one_of, several, true_or_false

# Dyadic dominance indices.
NAMES = {"dij": "D_ij", "pij": "P_ij", "binomial": "the older d_ij"}
INDICES = tuple(NAMES)


TIES = {"omit": 0.0, "half": 0.5, "both": 1.0}  # what a tie counts for each side


@dataclass(frozen=True, eq=False)
class WinCounts:
    """Scores and numbers of contests between all pairs of individuals."""

    individuals: tuple[str, ...]
    score: np.ndarray  # wins, plus ties as set by the rule
    contests: np.ndarray  # score + score.T
    drawn: np.ndarray  # the contribution of ties to the score
    ties: str  # the rule for ties
    left_out: int  # number of ties omitted
    hash: str
    flavor: str
    # whether the two were ever present on the same day, if presence is recorded
    together: np.ndarray | None = None
    source: Matrix | Contests | None = None

    @property
    def cautions(self) -> dict[str, str]:
        """What the checks of the data found, one line by the name of the check."""
        return self.source.cautions if isinstance(self.source, Contests) else {}

    def __len__(self) -> int:
        return len(self.individuals)

    @property
    def number(self) -> int:
        """Number of contests."""
        return int(self.contests.sum()) // 2

    @cached_property
    def seen(self) -> np.ndarray:
        """Whether the two individuals of each dyad had a contest that counts."""
        return self.contests > 0

    @cached_property
    def dominates(self) -> np.ndarray:
        """Whether row beat column more often than column beat row."""
        return self.score > self.score.T

    @cached_property
    def tied(self) -> np.ndarray:
        """Whether both won equally often (dyads with at least one contest)."""
        return self.seen & (self.score == self.score.T)

    @cached_property
    def dyads(self) -> tuple[np.ndarray, np.ndarray]:
        """Codes of the two individuals of every dyad."""
        return np.triu_indices(len(self), 1)

    @cached_property
    def unit(self) -> np.ndarray:
        """½ for dyads with ties that count as half a win each, 1 for all others."""
        return np.where((self.drawn > 0) & (self.ties == "half"), 0.5, 1.0)

    def whole(self, score: np.ndarray) -> np.ndarray:
        """Scores as integers, unless ties count as half a win."""
        return score.astype(np.int64) if (self.unit == 1.0).all() else score

    @property
    def unknown(self) -> int:
        """Number of dyads without a contest that counts."""
        return int((~self.seen[self.dyads]).sum())

    @property
    def omitted(self) -> tuple[str, ...]:
        """A note on omitted draws, if there were any."""
        return _omitted(self.left_out)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on omitted draws, and on dyads that were never present together, if any."""
        notes = list(self.omitted)
        if self.together is not None:
            met, unknown = self.together[self.dyads], ~self.seen[self.dyads]
            if not met.all() and met.any():
                inside = int((met & unknown).sum())
                all_unknown = int(unknown.sum())
                be = "is" if all_unknown == 1 else "are"
                notes.append(
                    f"Of {counted(len(met), 'dyad')}, {all_unknown:,} {be} unknown "
                    f"({unknown.mean():.0%}); of the {int(met.sum()):,} ever present together, "
                    f"{inside:,} ({inside / met.sum():.0%})."
                )
        return tuple(notes)


def win_counts(
    data: Any, *, ties: str = "omit", least: int = 2, cautious: bool = True
) -> WinCounts:
    """The validated counts for a matrix method.

    Raises an error for fewer than `least` individuals or no contest that counts. Warns of several
    groups and, when `cautious`, of sets of individuals that are not connected by contests.
    """
    one_of("ties", ties, TIES)
    matrix = matrix_of(data)
    size = len(matrix.individuals)
    if size < least:
        raise DataError(
            f"There {'is' if size == 1 else 'are'} only {counted(size, 'individual')}; this method "
            f"requires at least {least}."
        )
    wins, drawn = matrix.wins.astype(np.int64), matrix.draws.astype(np.int64)
    score = wins + TIES[ties] * drawn
    contests = np.rint(score + score.T).astype(np.int64)
    if not contests.any():
        raise no_contests(drawn=bool(drawn.any()))
    left_out = int(drawn.sum()) // 2 if ties == "omit" else 0
    counts = WinCounts(
        matrix.individuals,
        score,
        contests,
        TIES[ties] * drawn,
        ties,
        left_out,
        data.hash,
        matrix.flavor,
        co_resident(data),
        data,
    )
    warn_of_sets(data, counts.seen, cautious)
    return counts


def no_contests(*, drawn: bool) -> DataError:
    """The error for data without a contest that counts; `drawn` if there were ties."""
    if drawn:
        return DataError(
            f"All contests are draws, which {option('ties', 'omit')} leaves out. Use "
            f"{option('ties', 'half')} to count them."
        )
    return DataError("There are no contests: all cells of the matrix are zero.")


def matrix_of(data: Any) -> Matrix:
    """The matrix of `Contests`, or the `Matrix` itself."""
    if isinstance(data, Matrix):
        return data
    if isinstance(data, Contests):
        return data.matrix()
    raise ArgumentTypeError(
        f"data must be Contests, as returned by peckorder.read, a peckorder.Matrix, or anything "
        f"that peckorder.read reads (a file, a table, a square array), not {type(data).__name__}."
    )


def warn_of_sets(data: Matrix | Contests, met: Any, cautious: bool) -> None:
    """Warn of several groups and of sets without a contest between them (`met`: who met whom)."""
    group = data.group if isinstance(data, Contests) else None
    groups = 1 if group is None else len(group.names)
    if line := pooled_groups(data):
        caution(line)
    sets = linked(met) if cautious else []
    if len(sets) > 1 and len(sets) != groups:  # groups that never meet are one finding, not two
        caution(unconnected(sets, data.individuals))


def chances(counts: WinCounts, index: str) -> np.ndarray:
    """Estimated probability that the row beats the column; 0 for dyads without contests."""
    one_of("index", index, INDICES)
    if index == "binomial" and (counts.unit != 1.0).any():
        raise ArgumentError(
            f"{option('index', 'binomial')} needs whole numbers of wins. Use "
            f"{option('ties', 'omit')} or {option('ties', 'both')}."
        )
    n = np.where(counts.seen, counts.contests, 1)
    chance = (counts.score + 0.5) / (n + 1) if index == "dij" else counts.score / n
    if index == "binomial":
        chance -= (chance - 0.5) * evens(counts.score, n)
    return np.where(counts.seen, chance, 0.0)


def evens(s: np.ndarray, n: np.ndarray | int) -> np.ndarray:
    """Binomial probability of s wins in n contests between equals."""
    log_factorial = np.vectorize(math.lgamma)
    return np.exp(
        log_factorial(np.add(n, 1.0))
        - log_factorial(s + 1.0)
        - log_factorial(n - s + 1.0)
        - n * math.log(2)
    )


def scores(chance: np.ndarray) -> dict[str, np.ndarray]:
    """w, w2, l, l2, ds and normds of a matrix of dyadic dominance indices."""
    size = len(chance)
    w, lost = chance.sum(axis=1), chance.sum(axis=0)
    w2, lost2 = chance @ w, chance.T @ lost
    ds = w + w2 - lost - lost2
    normds = (ds + size * (size - 1) / 2) / size
    return {"w": w, "w2": w2, "l": lost, "l2": lost2, "ds": ds, "normds": normds}


def reduced(
    data: Contests,
    *,
    individuals: Iterable[object] | None = None,
    min_contests: int | None = None,
    one_sided: bool = False,
) -> tuple[Contests, list[list[str]]]:
    """The remaining contests, and the individuals excluded in each round.

    Excluding an individual removes its contests, after which others may have too few contests, or
    only wins or only losses. Exclusion is therefore repeated until no further individual meets a
    criterion.
    """
    if min_contests is not None and (
        isinstance(min_contests, bool) or not isinstance(min_contests, int) or min_contests < 1
    ):
        raise ArgumentError(
            f"{given('min_contests', min_contests)}: give a whole number of at least 1."
        )
    true_or_false("one_sided", one_sided)
    rounds: list[list[str]] = []
    named = [] if individuals is None else several("individuals", individuals)
    excluded = [data.individuals[data.code(name)] for name in named]
    while True:
        if excluded:
            rounds.append(excluded)
            gone = [data.code(name) for name in excluded]
            keep = ~(np.isin(data.winner, gone) | np.isin(data.loser, gone))
            if not keep.any():
                number = sum(map(len, rounds))
                repeated = "" if len(rounds) == 1 else f", in {len(rounds):,} rounds"
                raise DataError(
                    f"No contest remains after excluding {counted(number, 'individual')} "
                    f"({quoted(rounds[0])} first{repeated}). Relax the criteria."
                )
            others = np.setdiff1d(np.arange(len(data.individuals)), gone)
            data = data.take(np.flatnonzero(keep), members=others)
        excluded = _to_exclude(data, min_contests, one_sided)
        if not excluded:
            return data, rounds


def _to_exclude(data: Contests, min_contests: int | None, one_sided: bool) -> list[str]:
    record = Record.of(data)
    leaves = np.zeros(len(data.individuals), bool)
    if min_contests is not None:
        leaves |= record.contests < min_contests
    if one_sided:
        leaves |= (
            (record.contests > 0)
            & (record.draws == 0)
            & ((record.wins == 0) | (record.losses == 0))
        )
    return [data.individuals[i] for i in np.flatnonzero(leaves)]


@dataclass(frozen=True, eq=False)
class DyadCounts:
    """The contests of a data set with the rule for ties, as `WinCounts` has them."""

    source: Contests
    drawn: np.ndarray  # whether each contest was a tie
    ties: str

    @property
    def individuals(self) -> tuple[str, ...]:
        """Names, in the order of their codes."""
        return self.source.individuals

    @property
    def size(self) -> int:
        """Number of individuals."""
        return len(self.individuals)

    def __len__(self) -> int:
        return self.size

    @property
    def hash(self) -> str:
        """The hash of the data."""
        return self.source.hash

    @property
    def flavor(self) -> str:
        """The table library of the data."""
        return self.source.flavor

    @property
    def cautions(self) -> dict[str, str]:
        """What the checks of the data found, one line by the name of the check."""
        return self.source.cautions

    @property
    def number(self) -> int:
        """Number of contests that count."""
        return len(self.drawn) - (int(self.drawn.sum()) if self.ties == "omit" else 0)

    @property
    def notes(self) -> tuple[str, ...]:
        """A note on omitted ties, if there were any."""
        return _omitted(len(self.drawn) - self.number)


def _omitted(number: int) -> tuple[str, ...]:
    if not number:
        return ()
    were, half = counted(number, "draw was", "draws were"), option("ties", "half")
    return (f"{were} omitted; {half} counts a draw as half a win for each side.",)


def dyad_counts(data: Contests, *, ties: str, cautious: bool) -> DyadCounts:
    """The checked counts, with the warnings of `win_counts`."""
    from scipy.sparse import coo_array

    drawn = np.zeros(len(data), bool) if data.draw is None else data.draw
    counts = DyadCounts(data, drawn, ties)
    if counts.number == 0:
        raise no_contests(drawn=bool(drawn.any()))
    counted_ones = ~drawn if ties == "omit" else np.ones(len(data), bool)
    sides = data.winner[counted_ones], data.loser[counted_ones]
    met = coo_array((np.ones(len(sides[0]), np.int8), sides), shape=(counts.size, counts.size))
    warn_of_sets(data, met, cautious)
    return counts


MOST = 1_000  # individuals


def sparse_connection(data: Contests) -> str | None:
    """A sentence on two sets of individuals with few contests between them, if there are any."""
    size = len(data.individuals)
    if size > MOST:
        return None
    met = np.zeros((size, size))
    np.add.at(met, (data.winner, data.loser), 1)
    cut = sparse_cut(met + met.T)
    if cut is None:
        return None
    sets = in_braces([cut.one, cut.other], data.individuals, " and ")
    return (
        f"Only {counted(cut.between, 'contest')} of {cut.total:,} took place between {sets}. "
        f"Differences between these sets are uncertain, more so than intervals show if the sets "
        f"differ more than their members."
    )


def co_resident(data: Any, start: Any = None, end: Any = None) -> np.ndarray | None:
    """Whether two individuals were ever present on the same day; None without presence data.

    `start` and `end` (days) restrict them to a window.
    """
    if not isinstance(data, Contests) or data.presence is None:
        return None
    stints = data.presence
    code = {name: i for i, name in enumerate(data.individuals)}
    who = np.array([code[name] for name in stints.individual])
    first = stints.start if start is None else np.maximum(stints.start, start)
    last = stints.end if end is None else np.minimum(stints.end, end)
    overlap = np.maximum(first[:, None], first) <= np.minimum(last[:, None], last)
    together = np.zeros((len(code), len(code)), bool)
    one, other = np.nonzero(overlap)
    together[who[one], who[other]] = True
    np.fill_diagonal(together, False)
    return together

"""Removals of contests, and the margin of a claim without them.

Contests are removed one after the other, each time the one that lowers the margin most. For
Bradley–Terry, candidates are chosen by their influence (Broderick et al. 2020) and then refitted;
where few fits suffice, all smaller sets are tried, which proves the number.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from peckorder.data.contests import Contests
from peckorder.errors import DataError
from peckorder.kernels import strengths as kernel
from peckorder.questions import claims
from peckorder.questions.claims import Claim
from peckorder.random_runs import Runs

MOST_FITS = 300_000  # of a proof
MOST_WORK = 3e8  # of a proof: fits times the cube of the number of individuals
MOST_CALLS = 300  # of a proof with another method
FINE = 1e-6  # of the statistic, which decides between removals with the same p-value
SHORT, RIVALS = 8, 3  # candidates by influence, and the nearest rivals
AGAIN = 60  # candidates after the first step, where all can be evaluated
FAST = ("elo", "davids_score")  # all contests are tried, not only the most influential ones


@dataclass
class Removed:
    """Which contests are gone, and which are reversed."""

    gone: np.ndarray
    turned: np.ndarray

    @classmethod
    def none(cls, number: int) -> Removed:
        """Nothing removed."""
        return cls(np.zeros(number, bool), np.zeros(number, bool))

    def also(self, places: np.ndarray, reverse: bool) -> Removed:
        """With further contests removed, or reversed."""
        out = Removed(self.gone.copy(), self.turned.copy())
        (out.turned if reverse else out.gone)[places] = True
        return out


@dataclass
class Margins:
    """Margins of a claim without some contests, by any method: it is applied to the others."""

    data: Contests
    claim: Claim
    method: str
    settings: Mapping[str, Any]
    seed: int
    every: bool = field(init=False)

    def __post_init__(self) -> None:
        self.every = self.method in FAST or not self.claim.ranks
        size = len(self.data.individuals)
        self.side = self.claim.side(size)
        drawn = self.data.draw
        self.tied = np.zeros(len(self.data), bool) if drawn is None else drawn
        code = (self.data.winner.astype(np.int64) * size + self.data.loser) * 2 + self.tied
        self.cell = np.unique(code, return_inverse=True)[1]
        first = np.unique(self.cell, return_index=True)[1]
        self.cells = kernel.Cells(
            self.data.winner[first].astype(np.int64),
            self.data.loser[first].astype(np.int64),
            self.tied[first],
        )
        self.sd = float(self.settings.get("prior_sd", 2.0))

    @property
    def interchangeable(self) -> bool:
        """Whether contests of one pair with the same outcome are interchangeable."""
        return self.method not in claims.IN_SEQUENCE or not self.data.ordered

    def found(self, removed: Removed) -> Any:
        """The result that the margin rests on."""
        data = left(self.data, removed)
        if not self.claim.ranks:
            return claims.structure(self.claim, data, self.seed, self.settings)[1]
        return claims.ranking(data, self.method, self.settings)

    def of(self, removed: Removed) -> float:
        """The margin without these contests."""
        if removed.gone.all():
            return np.inf
        try:
            if not self.claim.ranks:
                data = left(self.data, removed)
                value, found = claims.structure(self.claim, data, self.seed, self.settings)
                return value + FINE * claims.statistic_of(found) if value > 0 else value
            score = claims.scores(self.found(removed), self.data.individuals)
        except DataError:  # too few contests are left
            return np.inf
        return claims.difference(score, self.side)

    def after(self, removed: Removed, places: list[np.ndarray], reverse: bool) -> np.ndarray:
        """The margin after each of these sets of contests is removed, too."""
        return np.array([self.of(removed.also(one, reverse)) for one in places])

    def at_random(self, size: int, random: Runs, runs: int) -> np.ndarray:
        """The margin after contests were removed at random."""
        rng, none = np.random.default_rng([random.seed, size]), Removed.none(len(self.data))
        drawn = (rng.choice(len(self.data), size, replace=False) for _ in range(runs))
        return np.array([self.of(none.also(places, reverse=False)) for places in drawn])

    def wins(self, removed: Removed) -> np.ndarray:
        """Wins of each pair; a tie is half a win of each."""
        size, kept = len(self.data.individuals), ~removed.gone
        one = np.where(removed.turned, self.data.loser, self.data.winner)[kept]
        other = np.where(removed.turned, self.data.winner, self.data.loser)[kept]
        tied = self.tied[kept]
        wins = np.zeros((size, size))
        np.add.at(wins, (one, other), np.where(tied, 0.5, 1.0))
        np.add.at(wins, (other[tied], one[tied]), 0.5)
        return wins

    def shortlist(self, removed: Removed, places: list[np.ndarray], reverse: bool) -> list:
        """The contests with the largest influence on the margin by Bradley–Terry."""
        wins = self.wins(removed)
        x = fitted(wins, self.sd)
        above, below = np.flatnonzero(self.side > 0), np.flatnonzero(self.side < 0)
        weakest = above[np.argmin(x[above])]
        pull = np.zeros((len(x), len(x)))
        first = np.array([one[0] for one in places])
        i, j, tied = self.data.winner[first], self.data.loser[first], self.tied[first]
        swap = removed.turned[first]
        i, j = np.where(swap, j, i), np.where(swap, i, j)
        chosen: set[int] = set()
        curvature = _curvature(wins, x, self.sd)
        for rival in below[np.argsort(-x[below])][:RIVALS]:
            contrast = np.zeros(len(x))
            contrast[weakest], contrast[rival] = 1.0, -1.0
            pull = np.linalg.solve(curvature, contrast)
            chance = 1 / (1 + np.exp(x[j] - x[i]))
            change = (np.where(tied, 0.5, 1.0) - chance) * (pull[i] - pull[j])
            if reverse:
                change = change + chance * (pull[i] - pull[j])
            chosen |= {int(n) for n in np.argsort(-change, kind="stable")[:SHORT] if change[n] > 0}
        return [places[n] for n in sorted(chosen)]


class Strengths(Margins):
    """Margins by Bradley–Terry with a prior, in a compiled loop."""

    def of(self, removed: Removed) -> float:
        """The margin without these contests."""
        wins = self.wins(removed)
        return float(kernel.margin(wins, fitted(wins, self.sd), self.side))

    def after(self, removed: Removed, places: list[np.ndarray], reverse: bool) -> np.ndarray:
        """The margin after each of these sets of contests is removed, too."""
        if any(len(one) != 1 for one in places) or removed.turned.any():
            return super().after(removed, places, reverse)
        wins, out = self.wins(removed), np.empty(len(places))
        picks = np.array([self.cell[one[0]] for one in places])
        start = fitted(wins, self.sd)
        kernel.margins_without(wins, self.cells, picks, reverse, self.side, self.sd, start, out)
        return out

    def at_random(self, size: int, random: Runs, runs: int) -> np.ndarray:
        """The margin after contests were removed at random."""
        wins, out = self.wins(Removed.none(len(self.data))), np.empty(runs)
        start = fitted(wins, self.sd)
        kernel.margins_at_random(
            random.key(size), 0, wins, self.cells, self.cell, size, self.side, self.sd, start, out
        )
        return out

    def smaller(self, size: int) -> np.ndarray | None:
        """Contests of a set of this size that makes the claim false; None if there is none."""
        wins = self.wins(Removed.none(len(self.data)))
        number, cells = np.bincount(self.cell), np.empty(size, np.int64)
        start = fitted(wins, self.sd)
        if not kernel.smallest_set(
            wins, self.cells, number, size, self.side, self.sd, start, cells
        ):
            return None
        places: list[int] = []
        for cell in cells:
            free = np.setdiff1d(np.flatnonzero(self.cell == cell), places)
            places.append(int(free[-1]))
        return np.array(places)


def fitted(wins: np.ndarray, sd: float) -> np.ndarray:
    """Strengths by Bradley–Terry with a normal prior."""
    x = np.zeros(len(wins))
    kernel.fit(wins, sd, x, np.empty_like(wins), np.empty((len(wins), 1)))
    return x


def _curvature(wins: np.ndarray, x: np.ndarray, sd: float) -> np.ndarray:
    chance = 1 / (1 + np.exp(x - x[:, None]))
    information = (wins + wins.T) * chance * (1 - chance)
    return np.diag(information.sum(axis=1) + sd**-2) - information


def left(data: Contests, removed: Removed) -> Contests:
    """The contests that are left, some of them with the other outcome."""
    turned = removed.turned
    if turned.any():
        data = replace(
            data,
            winner=np.where(turned, data.loser, data.winner),
            loser=np.where(turned, data.winner, data.loser),
            points=None
            if data.points is None
            else np.where(turned[:, None], data.points[:, ::-1], data.points),
            home=None if data.home is None else np.where(turned, -data.home, data.home),
            turned=None if data.turned is None else data.turned ^ turned,
        )
    return data.take(np.flatnonzero(~removed.gone)) if removed.gone.any() else data


@dataclass
class Path:
    """Removals one after the other, until the claim is false or no removal lowers its margin."""

    sets: list[np.ndarray]
    margins: list[float]

    @property
    def false(self) -> bool:
        """Whether the claim is false in the end."""
        return bool(self.sets) and self.margins[-1] <= 0

    @property
    def places(self) -> np.ndarray:
        """All contests removed."""
        return np.concatenate(self.sets) if self.sets else np.zeros(0, np.int64)


def removals(
    margins: Margins, units: list[np.ndarray], *, reverse: bool, start: float, most: int
) -> Path:
    """The greedy path: each step takes the unit that lowers the margin most."""
    removed, path, value = Removed.none(len(margins.data)), Path([], []), start
    whole = any(len(unit) != 1 for unit in units)
    kept: list[np.ndarray] | None = None
    while value > 0 and len(path.sets) < most:
        used = removed.gone | removed.turned
        free = [unit for unit in units if not used[unit].all()]
        places = free if whole else one_of_each(margins, free)
        if not whole and not margins.every:
            places = margins.shortlist(removed, places, reverse)
        elif kept is not None:
            cells = {_key(margins, one) for one in kept}
            places = [one for one in places if _key(margins, one) in cells]
        if not places:
            break
        after = margins.after(removed, places, reverse)
        best = int(np.argmin(after))
        stuck = after[best] >= value - 1e-12
        if not np.isfinite(after[best]) or (stuck and not _by_ranks(margins)):
            break
        if not whole and margins.every:
            kept = [places[n] for n in np.argsort(after, kind="stable")[:AGAIN]]
        removed, value = removed.also(places[best], reverse), float(after[best])
        path.sets.append(places[best])
        path.margins.append(value)
    return path


def _by_ranks(margins: Margins) -> bool:
    """Whether the margin is a difference of ranks, which may stay the same for some removals."""
    by_p = margins.claim.kind in ("linear", "steep")
    return margins.method in ("isi", "percolation", "adagio") or by_p


def _key(margins: Margins, unit: np.ndarray) -> int:
    return int(margins.cell[unit[0]] if margins.interchangeable else unit[0])


def one_of_each(margins: Margins, units: list[np.ndarray]) -> list[np.ndarray]:
    """One contest of each cell where they are interchangeable: the last one."""
    return list({_key(margins, unit): unit for unit in units}.values())


def proved(margins: Margins, path: Path, units: list[np.ndarray]) -> tuple[Path, bool, int]:
    """Try all smaller sets, as long as this takes few fits; a smaller one replaces the path."""
    found = len(path.sets) if path.false else len(units) + 1
    single = all(len(unit) == 1 for unit in units)
    if found == 1:
        return path, True, 1
    if single and isinstance(margins, Strengths):
        cells = len(margins.cells.winner)
        budget = min(MOST_FITS, MOST_WORK / len(margins.data.individuals) ** 3)
        for size in range(1, found):
            budget -= math.comb(cells + size - 1, size)
            if budget < 0:
                return path, False, size
            places = margins.smaller(size)
            if places is not None:
                return _replayed(margins, places), True, size
        return path, path.false, found
    sets = one_of_each(margins, units) if single else units
    if not (margins.every or (not single and isinstance(margins, Strengths))):
        return path, False, 1
    # All single units were tried in the first step of the path; now all pairs.
    if found == 2 or math.comb(len(sets), 2) > (MOST_CALLS if single else 500):
        return path, found == 2 and path.false, 2
    none = Removed.none(len(margins.data))
    for n, one in enumerate(sets):
        after = margins.after(none.also(one, reverse=False), sets[n + 1 :], reverse=False)
        if after.size and after.min() <= 0:
            pair = Path([one, sets[n + 1 + int(np.argmin(after))]], [np.nan, float(after.min())])
            pair.margins[0] = margins.of(none.also(one, reverse=False))
            return pair, True, 2
    return path, found == 3 and path.false, 3


def _replayed(margins: Margins, places: np.ndarray) -> Path:
    """The path that removes these contests one after the other."""
    removed, path = Removed.none(len(margins.data)), Path([], [])
    for place in places:
        removed = removed.also(np.array([place]), reverse=False)
        path.sets.append(np.array([place]))
        path.margins.append(margins.of(removed))
    return path

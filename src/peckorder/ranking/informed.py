"""Ranks of a period given the ranks before it: Elo, David's scores, reordering.

Each method starts from the order of the members before the contests of the period, in which
newcomers have the places given by convention, and returns scores or an order (Strauss & Holekamp
2019).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from peckorder.components import strong
from peckorder.curves import Exponential
from peckorder.data.tally import scores
from peckorder.kernels import percolation as kernel
from peckorder.ranking.conventions import Convention

LARGEST = 20  # individuals for an exact order: one number per subset, a million
PRIOR = 0.75  # prior probability that the higher-ranked of two wins
BELOW_MOTHER = 0.1  # rating points


@dataclass
class EloState:
    """Ratings continued from period to period, and the last ratings of those that left."""

    k: float
    delta: float
    rating: dict[int, float] = field(default_factory=dict)
    gone: dict[int, float] = field(default_factory=dict)

    def begin(self, order: list[int]) -> None:
        """Ratings one k apart along the initial order."""
        self.rating = {code: self.k * (len(order) - 1 - p) for p, code in enumerate(order)}

    def change_members(self, members: list[int], convention: Convention) -> None:
        """Remove individuals that left, and rate newcomers by the convention."""
        self.gone |= {code: own for code, own in self.rating.items() if code not in members}
        self.rating = {code: own for code, own in self.rating.items() if code in members}
        newcomers = [code for code in members if code not in self.rating]
        present = np.array(list(self.rating.values()))
        if not newcomers:
            return
        if convention.name == "maternal":
            for mother, litter in convention.litters(newcomers):
                known = {**self.gone, **self.rating}
                start = known.get(mother, min(self.rating.values(), default=0.0))
                for n, code in enumerate(litter):
                    self.rating[code] = start - BELOW_MOTHER * (n + 1)
        elif convention.name == "none":
            mean = float(present.mean()) if len(present) else 0.0
            self.rating |= dict.fromkeys(newcomers, mean)
        elif len(present) == 0:
            self.begin(convention.sorted(members))
        else:
            wanted = convention.sorted(members)
            for code in newcomers:
                share = 1 - wanted.index(code) / max(len(members) - 1, 1)
                self.rating[code] = float(np.quantile(present, share))

    def rate(self, winner: np.ndarray, loser: np.ndarray, draw: np.ndarray) -> None:
        """Update the ratings contest by contest."""
        curve = Exponential(self.delta)
        for i, j, drawn in zip(winner.tolist(), loser.tolist(), draw.tolist(), strict=True):
            gain = self.k * ((0.5 if drawn else 1.0) - curve(self.rating[i] - self.rating[j]))
            self.rating[i] += gain
            self.rating[j] -= gain


def informed_chances(score: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """D_ij = P_ij − (P_ij − prior_ij)/(n_ij + 1): the prior has the weight of one contest."""
    n = score + score.T
    share = np.divide(score, n, out=np.zeros_like(score), where=n > 0)
    chance = share - (share - prior) / (n + 1)
    np.fill_diagonal(chance, 0.0)
    return chance


def prior_of_order(size: int) -> np.ndarray:
    """Prior probabilities by place in an order: ¾ for the higher-ranked."""
    prior = np.full((size, size), 1 - PRIOR)
    prior[np.triu_indices(size, 1)] = PRIOR
    return prior


def normalized_scores(chance: np.ndarray) -> np.ndarray:
    """Normalized David's scores of a matrix of probabilities."""
    return scores(chance)["normds"]


def reordered(dominates: np.ndarray) -> tuple[np.ndarray, int, bool]:
    """The order closest to the present one (0, 1, 2, …) among those with fewest inconsistencies.

    The closest order reverses the fewest dyads. Returns the order, its number of inconsistencies
    and whether it is proved optimal. In each dyad one individual is preferred above the other, by
    its dominance in the period or else by the present order; strongly connected components of
    this relation are ordered one by one.
    """
    size = len(dominates)
    if size == 0:  # a period in which nobody was present
        return np.zeros(0, np.int64), 0, True
    decided = dominates | dominates.T
    above = dominates | (~decided & np.triu(np.ones((size, size), bool), 1))
    turned = float(size * size)  # an inconsistency outweighs all reversed dyads
    penalty = np.where(dominates, turned, 0.0) + np.triu(np.ones((size, size)), 1)
    order: list[int] = []
    proved = True
    for members in strong(above):
        inside = np.ascontiguousarray(penalty[np.ix_(members, members)])
        exact = len(members) <= LARGEST
        best = _by_subsets(inside) if exact else _by_insertions(inside)
        order += members[best].tolist()
        proved &= exact
    place = np.argsort(order)
    inconsistent = dominates & (place[:, None] > place[None, :])
    return np.array(order), int(inconsistent.sum()), proved


def _by_subsets(penalty: np.ndarray) -> list[int]:
    """The best order by dynamic programming; of equal ones, the lowest keep the lowest ranks."""
    size = len(penalty)
    if size == 1:
        return [0]
    least = np.empty(1 << size)
    kernel.least_penalties(penalty, least)
    subset, order = (1 << size) - 1, []
    while subset:
        members = [v for v in range(size) if subset >> v & 1]
        last = next(
            v
            for v in reversed(members)
            if least[subset ^ (1 << v)] + penalty[v, members].sum() == least[subset]
        )
        order.append(last)
        subset ^= 1 << last
    return order[::-1]


def _by_insertions(penalty: np.ndarray) -> list[int]:
    """A good order: repeat the best move of one individual until no move improves it."""
    order = list(range(len(penalty)))
    while True:
        best, move = 0.0, None
        for p, code in enumerate(order):
            # Moving below y adds the penalty of being below y and removes that of y below.
            step = penalty[code, order] - penalty[order, code]
            down = np.cumsum(step[p + 1 :])
            up = np.cumsum(-step[:p][::-1])
            for change, way in ((down, 1), (up, -1)):
                if len(change) and change.min() < best:
                    best, move = float(change.min()), (p, p + way * (int(change.argmin()) + 1))
        if move is None:
            return order
        order.insert(move[1], order.pop(move[0]))

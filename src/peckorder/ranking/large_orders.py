"""Orders of components that are too large for a proof: the best one found, and a proven bound.

The number of inconsistencies of an order is at least the size of a smallest set of dominance
relations that leaves no circle when taken away, since an order breaks every circle. That number is
bounded from below by circles without a relation in common, then by a linear, and while time is left
by an integer program over the circles found so far: fewer circles ask for fewer relations, so each
of these is a bound, whether or not its program was solved to the end.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from peckorder.components import in_turn
from peckorder.kernels import search as kernel
from peckorder.kernels.random import begin

EFFORT = 2_000_000  # pairs looked at in one call of the kernel, some tens of milliseconds
FRUITLESS_KICKS = 20
SAFE = 1e-6


@dataclass(frozen=True)
class Found:
    """The best order found, and how few inconsistencies any order must have."""

    order: np.ndarray
    inconsistencies: int
    strength: int
    least: int


def best_found(
    dominates: np.ndarray,
    *,
    seconds: float,
    seed: int,
    progress: Callable[[float], object] | None = None,
) -> Found:
    """Search for half of the time, then look for a bound.

    Where the integer program for the bound ends in a set of relations that is smaller than the
    inconsistencies found, it is the smallest, and the search goes on from an order that breaks
    those alone.
    """

    def told(share: float, before: float) -> None:
        if progress is not None:
            progress(before + share / 2)

    order, cost = searched(dominates, seconds=seconds / 2, seed=seed, told=lambda x: told(x, 0.0))
    least, broken = lower_bound(dominates, seconds=seconds / 2, enough=cost[0])
    if broken is not None and len(broken[0]) < cost[0]:
        kept = dominates.copy()
        kept[broken] = False
        start = np.array(in_turn(kept, range(len(kept))))
        order, cost = searched(
            dominates, seconds=seconds / 4, seed=seed, start=start, told=lambda x: told(x, 0.5)
        )
    return Found(order, *cost, least)


def searched(
    dominates: np.ndarray,
    *,
    seconds: float,
    seed: int,
    start: np.ndarray | None = None,
    told: Callable[[float], object] | None = None,
) -> tuple[np.ndarray, tuple[int, int]]:
    """The best order found in the time given, with its inconsistencies and their strength.

    Insertions to a local optimum, then kicks and insertions again. Ends early when a quarter of
    the time and many kicks brought nothing better.
    """
    size = len(dominates)
    edge = dominates.astype(np.int8) - dominates.T.astype(np.int8)
    order = np.argsort(-edge.sum(axis=1), kind="stable") if start is None else start.copy()
    pull, random = np.empty(size, np.int64), np.empty(4, np.uint64)
    begin(random, np.uint64(seed), 0)
    weight = size**3  # more than any strength
    cost = kernel.weigh(edge, order, weight, pull)
    cost, _ = kernel.settle(edge, order, pull, weight, 0, cost)
    best, tally = order.copy(), np.array([cost, cost, 0])
    began = improved = time.monotonic()
    while (now := time.monotonic()) < began + seconds:
        before = tally[kernel.BEST]
        kernel.search(edge, order, best, pull, weight, random, tally, EFFORT // size)
        if tally[kernel.BEST] < before:
            improved = time.monotonic()
        fruitless = tally[kernel.FRUITLESS] > FRUITLESS_KICKS * size
        if fruitless and now - improved > 0.25 * seconds:
            break
        if told is not None:
            told(min(1.0, (now - began) / seconds))
    return best, divmod(int(tally[kernel.BEST]), weight)


def lower_bound(
    dominates: np.ndarray, *, seconds: float, enough: int | None = None
) -> tuple[int, tuple[np.ndarray, np.ndarray] | None]:
    """How many inconsistencies every order has, and a smallest set of relations to break if known.

    Looks no further once `enough` is reached.
    """
    circles = _Circles(dominates)
    ends = time.monotonic() + seconds
    bound = circles.without_common_relation()
    for solve in (circles.by_linear_program, circles.by_integer_program):
        while time.monotonic() < ends and (enough is None or bound < enough):
            least, taken = solve(ends - time.monotonic())
            bound = max(bound, int(np.ceil(least - SAFE)))
            if taken is None:
                break
            if not circles.grow(np.maximum(taken, 0.0), below=1 - SAFE):
                if solve == circles.by_integer_program:
                    return bound, (circles.tail[taken == 1], circles.head[taken == 1])
                break
    return bound, None


class _Circles:
    """Circles of dominance, found where they are needed."""

    def __init__(self, dominates: np.ndarray):
        self.size = len(dominates)
        self.tail, self.head = np.nonzero(dominates)
        self.number = np.full(dominates.shape, -1)
        self.number[self.tail, self.head] = np.arange(len(self.tail))
        self.known: dict[tuple[int, ...], None] = {}

    def through_each(self, length: np.ndarray, below: float = np.inf) -> list[tuple[int, ...]]:
        """The shortest circle through each relation, if shorter than `below`; shortest first."""
        price = np.full((self.size, self.size), np.inf)
        price[self.tail, self.head] = length
        distance, before = np.empty(price.shape), np.empty(price.shape, np.int64)
        kernel.cheapest_paths(price, distance, before)
        whole = distance[self.head, self.tail] + length
        short = np.flatnonzero(whole < below)
        found: dict[tuple[int, ...], None] = {}
        for relation in short[np.argsort(whole[short], kind="stable")].tolist():
            source, at = self.head[relation], self.tail[relation]
            circle = [relation]
            while at != source:
                circle.append(int(self.number[before[source, at], at]))
                at = before[source, at]
            found[tuple(sorted(circle))] = None
        return list(found)

    def without_common_relation(self) -> int:
        """How many circles without a relation in common a greedy choice finds."""
        free = np.ones(len(self.tail), bool)
        number = 0
        while True:
            circles = self.through_each(np.where(free, 1.0, np.inf))
            if not circles:
                return number
            self.known.update(dict.fromkeys(circles))
            for circle in map(list, circles):
                if free[circle].all():
                    free[circle] = False
                    number += 1

    def grow(self, taken: np.ndarray, below: float) -> bool:
        """Add circles of which too little is taken; whether there were any new ones."""
        before = len(self.known)
        self.known.update(dict.fromkeys(self.through_each(taken + SAFE / len(taken), below)))
        return len(self.known) > before

    def by_linear_program(self, seconds: float) -> tuple[float, np.ndarray | None]:
        """Least total taken, in any shares, such that a whole relation of each circle goes.

        The bound is that of the dual shares, scaled so that they surely fit.
        """
        from scipy.optimize import linprog

        rows, size, circles = self._rows(), len(self.tail), len(self.known)
        found = linprog(
            np.ones(size), A_ub=-rows, b_ub=-np.ones(circles), bounds=(0, None),
            method="highs", options={"time_limit": seconds},
        )  # fmt: skip
        if found.status != 0:
            return 0.0, None
        share = np.maximum(-found.ineqlin.marginals, 0.0)
        return share.sum() / max(1.0, (rows.T @ share).max()), found.x

    def by_integer_program(self, seconds: float) -> tuple[float, np.ndarray | None]:
        """The same in whole relations."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        rows, size = self._rows(), len(self.tail)
        found = milp(
            np.ones(size), constraints=LinearConstraint(rows, lb=1),
            integrality=np.ones(size), bounds=Bounds(0, 1),
            options={"time_limit": seconds},
        )  # fmt: skip
        bound = found.mip_dual_bound
        taken = np.round(found.x) if found.status == 0 else None
        return (0.0 if bound is None or not np.isfinite(bound) else float(bound)), taken

    def _rows(self):
        from scipy.sparse import csr_array

        ends = np.cumsum([0, *map(len, self.known)])
        columns = np.concatenate([np.array(circle) for circle in self.known])
        return csr_array(
            (np.ones(len(columns)), columns, ends), shape=(len(ends) - 1, len(self.tail))
        )

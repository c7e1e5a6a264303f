"""Orders of components that are too large for a proof: the best one found, and a proven bound.

The number of inconsistencies of an order is at least the size of a smallest set of dominance
relations that leaves no circle when taken away, since an order breaks every circle. That number is
bounded from below by circles without a relation in common, then by a linear, and while time is left
by an integer program over the circles found so far: fewer circles ask for fewer relations, so each
of these is a bound, whether or not its program was solved to the end.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from peckorder.components import in_turn
from peckorder.kernels import search as kernel
from peckorder.kernels.random import begin

EFFORT = 2_000_000  # pairs looked at in one call of the kernel, some tens of milliseconds
FRUITLESS_KICKS = 20
HOT, COLD = 0.5, 0.06  # temperatures of the heat bath, in inconsistencies
FIXED = 1e6  # so cold that no inconsistency is added
SAFE = 1e-6
INFEASIBLE = 2  # as scipy says it


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

    Insertions to a local optimum, then kicks and insertions again, in turn with a heat bath. Ends
    early when a quarter of the time and many kicks brought nothing better.
    """
    size = len(dominates)
    edge = dominates.astype(np.int8) - dominates.T.astype(np.int8)
    order = np.argsort(-edge.sum(axis=1), kind="stable") if start is None else start.copy()
    pull, random = np.empty(size, np.int64), np.empty(4, np.uint64)
    begin(random, np.uint64(seed), 0)
    weight = size**3  # more than any strength
    best, tally = order.copy(), np.full(3, np.iinfo(np.int64).max)
    _settled(edge, order, pull, weight, best, tally)
    looks = EFFORT // size
    # No work, but compiled before the clock starts.
    kernel.search(edge, order, best, pull, weight, random, tally, 0)
    kernel.simmer(edge, order, pull, 0.0, 0.0, random, 0)
    began = improved = time.monotonic()
    disturbed = False
    for bath in _schedule(size):
        if (now := time.monotonic()) >= began + seconds:
            break
        before = tally[kernel.BEST]
        if bath is not None:
            kernel.simmer(edge, order, pull, *bath, random, looks)
        else:
            if disturbed:
                _settled(edge, order, pull, weight, best, tally)
            kernel.search(edge, order, best, pull, weight, random, tally, looks)
        disturbed = bath is not None
        if tally[kernel.BEST] < before:
            improved = time.monotonic()
        fruitless = tally[kernel.FRUITLESS] > FRUITLESS_KICKS * size
        if fruitless and now - improved > 0.25 * seconds:
            break
        if told is not None:
            told(min(1.0, (now - began) / seconds))
    return best, divmod(int(tally[kernel.BEST]), weight)


def _schedule(size: int) -> Iterator[tuple[float, float] | None]:
    """Piece by piece how cold the bath is for number and for strength; None is a piece of kicks.

    While the bath cools for the number, strength is free: descent on both is drawn to orders of
    little strength, where the fewest inconsistencies need not be. Then strength cools at a fixed
    number, and kicks do the rest. Each round is twice as long as the last, up to a limit.
    """
    yield from itertools.repeat(None, 4)
    for turn in itertools.count(3):
        pieces = 2 ** min(turn, 9)
        yield from ((1 / heat, 0.0) for heat in np.geomspace(HOT, COLD, pieces))
        yield from ((FIXED, 1 / heat) for heat in np.geomspace(size, 1.0, pieces // 2))
        yield from itertools.repeat(None, pieces)


def _settled(
    edge: np.ndarray,
    order: np.ndarray,
    pull: np.ndarray,
    weight: int,
    best: np.ndarray,
    tally: np.ndarray,
) -> None:
    """Bring an order to a local optimum, or back to the best one if it has more inconsistencies."""
    cost = kernel.weigh(edge, order, weight, pull)
    cost, _ = kernel.settle(edge, order, pull, weight, 0, cost)
    if cost < tally[kernel.BEST]:
        best[:] = order
        tally[kernel.BEST], tally[kernel.FRUITLESS] = cost, 0
    elif cost // weight > tally[kernel.BEST] // weight:
        order[:] = best
        cost = kernel.weigh(edge, order, weight, pull)
    tally[kernel.PRESENT] = cost


def lower_bound(
    dominates: np.ndarray, *, seconds: float, enough: int | None = None
) -> tuple[int, tuple[np.ndarray, np.ndarray] | None]:
    """How many inconsistencies every order has, and a smallest set of relations to break if known.

    Looks no further once `enough` is reached.
    """
    circles = _Circles(dominates)
    ends = time.monotonic() + seconds
    bound = circles.without_common_relation()
    limit = np.inf if enough is None else enough
    for solve in (circles.by_linear_program, circles.by_integer_program):
        while (left := ends - time.monotonic()) > 0 and bound < limit:
            least, taken = solve(left, limit)
            bound = max(bound, int(np.ceil(min(least, limit) - SAFE)))
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
        self.dear = np.zeros(len(self.tail))  # what any order that breaks a relation costs at least

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

    def by_linear_program(self, seconds: float, _: float) -> tuple[float, np.ndarray | None]:
        """Least total taken, in any shares, such that a whole relation of each circle goes.

        The bound is that of the dual shares, scaled so that they surely fit.
        """
        from scipy.optimize import linprog

        rows = self._rows()
        found = linprog(
            np.ones(len(self.tail)),
            A_ub=-rows,
            b_ub=-np.ones(len(self.known)),
            bounds=(0, None),
            method="highs-ipm",
            options={"time_limit": seconds},
        )
        if found.status != 0:
            return 0.0, None
        share = np.maximum(-found.ineqlin.marginals, 0.0)
        load = rows.T @ share
        share, load = share / max(1.0, load.max()), load / max(1.0, load.max())
        self.dear = share.sum() + 1.0 - load
        return share.sum(), found.x

    def by_integer_program(self, seconds: float, limit: float) -> tuple[float, np.ndarray | None]:
        """The same in whole relations, for totals below `limit`: what is too dear for that stays.

        The bound is the lesser of the one returned and `limit`.
        """
        from scipy.optimize import LinearConstraint, milp

        each = np.ones(len(self.tail))
        found = milp(
            each,
            integrality=each,
            bounds=(0 * each, self.dear <= limit - 1 + SAFE),
            constraints=LinearConstraint(self._rows(), lb=1),
            options={"time_limit": seconds, "mip_rel_gap": 0.0},
        )
        if found.status == INFEASIBLE:
            return limit, None
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

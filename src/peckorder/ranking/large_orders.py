"""Heuristic search for orders of large components, and a lower bound of their inconsistencies.

The number of inconsistencies of an order is at least the size of a minimum feedback arc set, the
smallest set of dominance relations whose removal leaves no cycle. This size is bounded from below
by the number of disjoint cycles, then by a linear program and, while time remains, by an integer
program over the cycles found so far. A subset of the cycles only relaxes the problem, so each of
these is a valid bound, even if its program was not solved to optimality.
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

EFFORT = 2_000_000  # pairs examined per call of the kernel, some tens of milliseconds
FRUITLESS_KICKS = 20
HOT, COLD = 0.5, 0.06  # temperatures of simulated annealing, in inconsistencies
FIXED = 1e6  # inverse temperature at which no inconsistency is added
SAFE = 1e-6
INFEASIBLE = 2  # status code of scipy


@dataclass(frozen=True)
class Found:
    """The best order found, and a lower bound of the inconsistencies of any order."""

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
    """Search for an order in the first half of the time, and for a bound in the second.

    If the integer program for the bound yields a feedback arc set that is smaller than the number
    of inconsistencies found, the set is minimal. The search then continues from an order in which
    only these relations are inconsistent.
    """

    def report(share: float, before: float) -> None:
        if progress is not None:
            progress(before + share / 2)

    order, cost = searched(
        dominates, seconds=seconds / 2, seed=seed, report=lambda x: report(x, 0.0)
    )
    least, broken = lower_bound(dominates, seconds=seconds / 2, enough=cost[0])
    if broken is not None and len(broken[0]) < cost[0]:
        kept = dominates.copy()
        kept[broken] = False
        start = np.array(in_turn(kept, range(len(kept))))
        order, cost = searched(
            dominates, seconds=seconds / 4, seed=seed, start=start, report=lambda x: report(x, 0.5)
        )
    return Found(order, *cost, least)


def searched(
    dominates: np.ndarray,
    *,
    seconds: float,
    seed: int,
    start: np.ndarray | None = None,
    report: Callable[[float], object] | None = None,
) -> tuple[np.ndarray, tuple[int, int]]:
    """The best order found within a time limit, with its inconsistencies and their strength.

    Iterated local search (insertions to a local optimum, then random perturbations) alternates
    with simulated annealing. The search ends early if a quarter of the time and many perturbations
    bring no improvement.
    """
    size = len(dominates)
    edge = dominates.astype(np.int8) - dominates.T.astype(np.int8)
    order = np.argsort(-edge.sum(axis=1), kind="stable") if start is None else start.copy()
    pull, random = np.empty(size, np.int64), np.empty(4, np.uint64)
    begin(random, np.uint64(seed), 0)
    weight = size**3  # larger than any strength
    best, tally = order.copy(), np.full(3, np.iinfo(np.int64).max)
    _settled(edge, order, pull, weight, best, tally)
    looks = EFFORT // size
    # Compile before the time is measured; these calls do no work.
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
        if report is not None:
            report(min(1.0, (now - began) / seconds))
    return best, divmod(int(tally[kernel.BEST]), weight)


def _schedule(size: int) -> Iterator[tuple[float, float] | None]:
    """Inverse temperatures for number and strength, step by step; None is iterated local search.

    Annealing first minimizes the number of inconsistencies and ignores strength, because orders of
    low strength need not have the fewest inconsistencies. It then minimizes strength at a fixed
    number, followed by local search. Each round is twice as long as the last, up to a limit.
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
    """Move to a local optimum, or back to the best order if it has more inconsistencies."""
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
    """A lower bound of the inconsistencies, and a minimum feedback arc set if known.

    The computation stops once the bound reaches `enough`.
    """
    cycles = _Cycles(dominates)
    ends = time.monotonic() + seconds
    bound = cycles.without_common_relation()
    limit = np.inf if enough is None else enough
    for solve in (cycles.by_linear_program, cycles.by_integer_program):
        while (left := ends - time.monotonic()) > 0 and bound < limit:
            least, taken = solve(left, limit)
            bound = max(bound, int(np.ceil(min(least, limit) - SAFE)))
            if taken is None:
                break
            if not cycles.grow(np.maximum(taken, 0.0), below=1 - SAFE):
                if solve == cycles.by_integer_program:
                    return bound, (cycles.tail[taken == 1], cycles.head[taken == 1])
                break
    return bound, None


class _Cycles:
    """Dominance cycles, generated as needed."""

    def __init__(self, dominates: np.ndarray):
        self.size = len(dominates)
        self.tail, self.head = np.nonzero(dominates)
        self.number = np.full(dominates.shape, -1)
        self.number[self.tail, self.head] = np.arange(len(self.tail))
        self.known: dict[tuple[int, ...], None] = {}
        self.dear = np.zeros(len(self.tail))  # minimum cost of an order that breaks the relation

    def through_each(self, length: np.ndarray, below: float = np.inf) -> list[tuple[int, ...]]:
        """The shortest cycle through each relation, if shorter than `below`; shortest first."""
        price = np.full((self.size, self.size), np.inf)
        price[self.tail, self.head] = length
        distance, before = np.empty(price.shape), np.empty(price.shape, np.int64)
        kernel.cheapest_paths(price, distance, before)
        whole = distance[self.head, self.tail] + length
        short = np.flatnonzero(whole < below)
        found: dict[tuple[int, ...], None] = {}
        for relation in short[np.argsort(whole[short], kind="stable")].tolist():
            source, at = self.head[relation], self.tail[relation]
            cycle = [relation]
            while at != source:
                cycle.append(int(self.number[before[source, at], at]))
                at = before[source, at]
            found[tuple(sorted(cycle))] = None
        return list(found)

    def without_common_relation(self) -> int:
        """Number of disjoint cycles found by a greedy search."""
        free = np.ones(len(self.tail), bool)
        number = 0
        while True:
            cycles = self.through_each(np.where(free, 1.0, np.inf))
            if not cycles:
                return number
            self.known.update(dict.fromkeys(cycles))
            for cycle in map(list, cycles):
                if free[cycle].all():
                    free[cycle] = False
                    number += 1

    def grow(self, taken: np.ndarray, below: float) -> bool:
        """Add cycles whose constraint is violated; returns whether any are new."""
        before = len(self.known)
        self.known.update(dict.fromkeys(self.through_each(taken + SAFE / len(taken), below)))
        return len(self.known) > before

    def by_linear_program(self, seconds: float, _: float) -> tuple[float, np.ndarray | None]:
        """Minimum total weight of relations such that each cycle has a weight of at least 1.

        The bound is the value of the dual solution, scaled to be feasible despite rounding.
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
        """The same with integer weights, for totals below `limit`.

        Relations whose removal would reach the limit are excluded. The bound is the smaller of the
        returned bound and `limit`.
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
        columns = np.concatenate([np.array(cycle) for cycle in self.known])
        return csr_array(
            (np.ones(len(columns)), columns, ends), shape=(len(ends) - 1, len(self.tail))
        )

"""The order that contradicts pairwise probabilities least: simulated annealing, then a proof.

The cost of a contradiction increases with the distance of the two places and toward the top
(Fushing et al. 2011). It depends on both places and not only on who is above, so that dynamic
programming over subsets, as for the I&SI order, does not apply. Two facts help. An individual that
nobody outranks can be moved to the top at no cost, since all others then are lower or closer
together; such individuals are placed first. And the individuals still to be placed cost at least as
much as their best order would if all contradictions were between neighbors at the bottom, which
dynamic programming over subsets gives. With this bound, a search through all orders of up to 20
individuals can often be completed.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from peckorder.kernels import percolation as kernel
from peckorder.kernels.random import begin
from peckorder.runs import Runs

LARGEST = 20  # individuals whose orders are all searched: one number per subset, a million
STEPS = 2000  # per individual, in each run of annealing
HOT, COLD = 1.0, 1e-3  # first and last temperature, relative to the largest penalty
NODES = 500_000  # examined per call of the kernel, some tens of milliseconds
EQUAL = 1e-9  # relative difference below which costs are equal


@dataclass(frozen=True)
class Best:
    """An order (codes, from the top down), its cost, and the costs of all runs of annealing."""

    order: np.ndarray
    cost: float
    proved: bool
    costs: np.ndarray
    searchable: bool = True  # few enough individuals for a search through all orders


def spread_of(size: int) -> np.ndarray:
    """Factor of a contradiction between the upper place (row) and the lower place (column)."""
    place = np.arange(1.0, size + 1)
    upper, lower = place[:, None], place[None, :]
    return np.where(lower > upper, np.exp(2 * (size + 1 - upper) * (lower - upper) / size**2), 0.0)


def least_cost_order(
    penalty: np.ndarray, *, prefer: np.ndarray, runs: Runs, seconds: float
) -> Best:
    """The best order found, and whether it is proved that no order costs less.

    `penalty[i, j]` is the cost of i below j without regard to distance; `prefer` decides between
    orders of equal cost.
    """
    size = len(penalty)
    spread = spread_of(size)
    first, core = unopposed(penalty, prefer)
    if len(core) == 0:
        return Best(first, 0.0, True, np.zeros(runs.number))
    # In the order in which they are tried, which is also where annealing starts.
    core = core[np.lexsort((core, -prefer[core]))]
    inside = np.ascontiguousarray(penalty[np.ix_(core, core)])
    below = np.ascontiguousarray(spread[len(first) :, len(first) :])
    order, cost, costs = annealed(inside, below, runs)
    proved = cost == 0.0
    searchable = len(core) <= LARGEST
    if searchable:
        found = searched(inside, below, order, cost, seconds)
        if found is not None:
            order, proved = found, True
    cost = float(kernel.cost_of(inside, below, order))
    return Best(np.concatenate([first, core[order]]), cost, proved, costs, searchable)


def unopposed(penalty: np.ndarray, prefer: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Individuals that nobody remaining outranks, one after the other, and all others."""
    left = np.ones(len(penalty), bool)
    first: list[int] = []
    while True:
        free = np.flatnonzero(left & ~(penalty[left] > 0).any(axis=0))
        if len(free) == 0:
            return np.array(first, np.int64), np.flatnonzero(left)
        chosen = int(min(free, key=lambda i: (-prefer[i], i)))
        first.append(chosen)
        left[chosen] = False


def annealed(
    penalty: np.ndarray, spread: np.ndarray, runs: Runs
) -> tuple[np.ndarray, float, np.ndarray]:
    """The best order of several runs of simulated annealing, its cost, and those of all runs."""
    size, key = len(penalty), runs.key()
    orders, costs = np.empty((runs.number, size), np.int64), np.empty(runs.number)
    hot = HOT * penalty.max()

    def work(begin_run: int, end_run: int) -> None:
        random = np.empty(4, np.uint64)
        for run in range(begin_run, end_run):
            begin(random, key, run)
            start = np.arange(size)
            costs[run] = kernel.anneal(
                penalty, spread, start, random, STEPS * size, hot, COLD * hot, orders[run]
            )

    runs.do(work, block=1)
    best = int(np.argmin(costs))
    return orders[best], float(costs[best]), costs


def searched(
    penalty: np.ndarray, spread: np.ndarray, order: np.ndarray, cost: float, seconds: float
) -> np.ndarray | None:
    """The first of all best orders, or None if the search did not end within the time."""
    until = time.monotonic() + seconds
    least = np.empty(1 << len(penalty))
    kernel.least_penalties(penalty, least)
    while True:
        found, ended = _cheaper(penalty, spread, least, cost * (1 - EQUAL), until)
        if not ended:
            return None
        if found is None:
            break
        cost = float(kernel.cost_of(penalty, spread, found))
    # No order costs less. Take the first of equal cost, whichever one annealing found.
    found, ended = _cheaper(penalty, spread, least, cost * (1 + EQUAL) + 1e-300, until)
    return found if ended else None


def _cheaper(
    penalty: np.ndarray, spread: np.ndarray, least: np.ndarray, limit: float, until: float
) -> tuple[np.ndarray | None, bool]:
    """The first order that costs less than `limit`, if any, and whether the search ended."""
    size = len(penalty)
    order, look = np.zeros(size, np.int64), np.zeros(size + 1, np.int64)
    cost, state = np.zeros(size + 1), np.zeros(2, np.int64)
    while True:
        ended = kernel.branch(penalty, spread, least, order, look, cost, state, limit, NODES)
        if ended != 0:
            return (order if ended == 1 else None), True
        if time.monotonic() >= until:
            return None, False

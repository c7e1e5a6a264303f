"""The I&SI order (de Vries 1998), with a proof of optimality.

The I&SI order minimizes, first, the number of inconsistencies (dyads in which the lower-ranked
individual dominates the higher-ranked one) and, second, the sum of their rank differences. In an
optimal order the members of each strongly connected component of the dominance relation are
adjacent: every cut through a component is crossed by an inconsistency, whose rank difference would
increase with any individual in between. Components may be in any order that respects dominance
between them. Each component is solved by dynamic programming over its subsets.

Heuristic search for orders of large components, and a lower bound of their inconsistencies.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.read import Data, opened
from peckorder.data.win_counts import win_counts
from peckorder.kernels import orders as kernel
from peckorder.kernels.random import begin
from peckorder.orders.linear_extensions import LARGEST, best_orders, extensions
from peckorder.random_runs import Progress, Runs, in_threads
from peckorder.ranks import condensed, in_turn, strong
from peckorder.results import Order
from peckorder.text import counted, option_name
from peckorder.validate import CountedTies, not_negative, seed_number

BLOCK = 1 << 19
WALKED = ", estimated by random walks (missing if the standard error is above 0.1)"
MOST_ORDERS = 10**4000  # longer numbers cannot be printed or written to JSON


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ISI(Order):
    """The order with the fewest and weakest inconsistencies."""

    value: int  # number of inconsistencies
    strength: int  # sum of their rank differences
    proved: bool  # no order is better
    lower_bound: dict[str, int | None]  # of `value` and `strength` of any order
    orders: int  # number of optimal orders; a lower bound unless `orders_exact`
    orders_exact: bool
    inconsistent: list[dict[str, Any]]  # the inconsistencies: winner, loser, rank_difference


@dataclass(frozen=True)
class Arrangement:
    """The best order of one component (codes), and properties of all its best orders."""

    order: np.ndarray
    proved: bool
    least: int  # lower bound of the number of inconsistencies
    number: int = 1  # number of best orders; at least one if not proved
    places: np.ndarray | None = None  # mean number of members above, in the order of `members`


def isi(
    data: Data,
    *,
    ties: CountedTies = "omit",
    time_limit: float = 10.0,
    seed: Any = None,
    progress: Progress | None = None,
) -> ISI:
    """The I&SI order: fewest inconsistencies, then smallest sum of their strengths.

    Parameters
    ----------
    data : Contests or Matrix
    ties : {"omit", "half", "both"}
    time_limit : float
        Time limit in seconds of the heuristic search, which is used for strongly connected
        components of more than 24 individuals.
    seed : int, SeedSequence or Generator, optional
        Seed of the heuristic search, and of the random walks that estimate mean ranks if there are
        too many orders to count.
    progress : callable, optional
        Called repeatedly with (done, total).

    Returns
    -------
    ISI
        Table: individual, rank, mean_rank (over all optimal orders). Values: `value` (number of
        inconsistencies), `strength` (sum of their rank differences), `proved`, `lower_bound`,
        `orders` (number of optimal orders; a lower bound unless `orders_exact`), and
        `inconsistent` (the list of inconsistencies).

    Notes
    -----
    If several orders are optimal, ranks are assigned from the highest down. Each rank goes to the
    individual with the largest difference between the numbers of individuals that it dominates and
    that dominate it, among those that have this rank in an optimal order given the ranks above.
    Remaining ties are resolved by the order of first appearance.

    Components of more than 24 individuals are ordered by heuristic search. The lower bound of their
    inconsistencies is based on dominance cycles, each of which contains an inconsistency in any
    order. Mean ranks are not available for them.

    References
    ----------
    de Vries 1998, Animal Behaviour 55:827–843, doi:10.1006/anbe.1997.0708.

    Examples
    --------
    >>> import peckorder as po
    >>> order = po.isi(po.datasets.adv())
    >>> order.value, order.strength, order.orders, order.proved
    (1, 2, 3, True)
    >>> list(order)
    ['b', 'c', 'd', 'g', 'f', 'e', 'a']
    """
    data = opened(data)
    not_negative("time_limit", time_limit, "number of seconds")
    counts = win_counts(data, ties=ties)
    dominates = counts.dominates
    net_dominance = dominates.sum(axis=1) - dominates.sum(axis=0)
    sets = strong(dominates)
    large = sum(len(members) > LARGEST for members in sets)
    number = seed_number(seed)
    key = int(Runs(1, number).key())
    arranged = [
        _arranged(dominates, members, net_dominance, time_limit / max(large, 1), key, progress)
        for members in sets
    ]
    above = condensed(dominates, sets)
    between = extensions(above, np.array([len(members) for members in sets]), key)
    tops = [own.order[0] for own in arranged]
    turn = in_turn(above, [(-net_dominance[top], top) for top in tops])
    order = np.concatenate([arranged[c].order for c in turn])
    place = np.empty(len(counts))
    place[order] = np.arange(len(counts))
    mean_place = np.full(len(counts), np.nan)
    for members, own, before in zip(sets, arranged, between.before, strict=True):
        if own.places is not None:
            mean_place[members] = before + own.places
    proved = all(own.proved for own in arranged)
    lower, upper = np.nonzero(dominates & (place[:, None] > place[None, :]))
    far = (place[lower] - place[upper]).astype(int)
    names = counts.individuals
    orders = math.prod([between.number, *(own.number for own in arranged)])
    values = {
        "value": len(far),
        "strength": int(far.sum()),
        "proved": proved,
        "lower_bound": {
            "value": sum(own.least for own in arranged),
            "strength": int(far.sum()) if proved else None,
        },
        "orders": min(orders, MOST_ORDERS),
        "orders_exact": proved and between.exact and orders <= MOST_ORDERS,
        "inconsistent": [
            {"winner": names[i], "loser": names[j], "rank_difference": int(d)}
            for i, j, d in sorted(zip(lower, upper, far, strict=True), key=lambda x: -x[2])
        ],
    }
    return ISI(
        method="isi",
        data=counts,
        rank=place + 1,
        **values,
        frame=pl.DataFrame(
            {
                "individual": [names[i] for i in order],
                "rank": np.arange(1.0, len(counts) + 1),
                "mean_rank": pl.Series(np.round(mean_place[order] + 1, 9)).fill_nan(None),
            }
        ),
        summary=(*_summary(values, between.exact), *counts.notes),
        settings={"ties": ties, "time_limit": time_limit},
        citations=("devries1998",),
        seed=number if large or not between.exact else None,
    )


def _arranged(
    dominates: np.ndarray,
    members: np.ndarray,
    net_dominance: np.ndarray,
    seconds: float,
    seed: int,
    progress: Progress | None,
) -> Arrangement:
    """The best order of one strongly connected component."""
    if len(members) == 1:
        return Arrangement(members, proved=True, least=0, places=np.zeros(1))
    inside = dominates[np.ix_(members, members)]
    if len(members) <= LARGEST:
        return _proved(inside, members, net_dominance, progress)

    def share(done: float) -> None:
        if progress is not None:
            progress(round(100 * done), 100)

    found = best_found(inside, seconds=seconds, seed=seed, progress=share)
    return Arrangement(members[found.order], proved=False, least=found.least)


def _proved(
    inside: np.ndarray, members: np.ndarray, net_dominance: np.ndarray, progress: Progress | None
) -> Arrangement:
    size = len(members)
    bit = 1 << np.arange(size)
    beats, beaten_by = (inside * bit).sum(axis=1), (inside.T * bit).sum(axis=1)
    cost = np.zeros(1 << size, np.int32)
    in_threads(
        lambda first, last: kernel.cheapest(first, last, beats, beaten_by, cost),
        1 << size,
        block=BLOCK,
        threads=1,
        progress=progress,
    )
    marked = np.zeros(1 << size, np.bool_)
    kernel.mark_best(beats, beaten_by, cost, marked)
    number, _, places = best_orders(beats, beaten_by, cost, marked, np.ones(size))
    top, order = 0, []
    for place in range(size):
        able = [
            v
            for v in range(size)
            if not top >> v & 1
            and marked[top | 1 << v]
            and cost[top] + kernel.placing(v, top, place, beats, beaten_by) == cost[top | 1 << v]
        ]
        order.append(min(able, key=lambda v: (-net_dominance[members[v]], members[v])))
        top |= 1 << order[-1]
    # Rank differences of the whole set are not negative, so the quotient counts inconsistencies.
    least = int(cost[-1]) // kernel.INCONSISTENCY
    return Arrangement(
        members[order], proved=True, least=least, number=number, places=places.sum(axis=1)
    )


def _summary(values: dict[str, Any], exact_between: bool) -> tuple[str, ...]:
    found = counted(values["value"], "inconsistency", "inconsistencies")
    least = values["lower_bound"]["value"]
    if values["proved"]:
        optimum = f"{found}, total strength {values['strength']:,} (proven optimal)."
    elif least == values["value"]:
        optimum = (
            f"{found} (proven minimum), total strength {values['strength']:,} (best found, not "
            f"proven optimal)."
        )
    else:
        optimum = (
            f"{found}, total strength {values['strength']:,} (best order found, not proven "
            f"optimal). Every order has at least {least:,}. Increase {option_name('time_limit')} "
            f"to look for a better order or a higher bound."
        )
    many = "" if values["orders_exact"] else "at least "
    number = values["orders"]
    count = f"{number:,}"
    if number >= 10**15:
        power = math.floor(math.log10(number))
        count = f"{10 ** (math.log10(number) - power):.3f} × 10^{power}"
    unique = (
        "This is the only optimal order."
        if number == 1 and values["orders_exact"]
        else f"There are {many}{count} optimal orders; mean_rank is the mean over all of them"
        f"{'' if exact_between else WALKED}."
    )
    return (optimum, unique) if values["proved"] else (optimum,)


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

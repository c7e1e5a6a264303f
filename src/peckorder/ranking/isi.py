"""The I&SI order (de Vries 1998), with a proof of optimality.

The I&SI order minimizes, first, the number of inconsistencies (dyads in which the lower-ranked
individual dominates the higher-ranked one) and, second, the sum of their rank differences. In an
optimal order the members of each strongly connected component of the dominance relation are
adjacent: every cut through a component is crossed by an inconsistency, whose rank difference would
increase with any individual in between. Components may be in any order that respects dominance
between them. Each component is solved by dynamic programming over its subsets.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from peckorder.checked import is_number, seed_number
from peckorder.components import condensed, in_turn, strong
from peckorder.data.tally import tally
from peckorder.errors import ArgumentError
from peckorder.kernels import orders as kernel
from peckorder.ranking.extensions import LARGEST, best_orders, extensions
from peckorder.ranking.large_orders import best_found
from peckorder.results import Order
from peckorder.runs import Progress, Runs, in_threads
from peckorder.wording import counted, option_name

BLOCK = 1 << 19
WALKED = ", estimated by random walks (missing if the standard error is above 0.1)"
MOST_ORDERS = 10**4000  # longer numbers cannot be printed or written to JSON


@dataclass(frozen=True)
class Arrangement:
    """The best order of one component (codes), and properties of all its best orders."""

    order: np.ndarray
    proved: bool
    least: int  # lower bound of the number of inconsistencies
    number: int = 1  # number of best orders; at least one if not proved
    places: np.ndarray | None = None  # mean number of members above, in the order of `members`


def isi(
    data: Any,
    *,
    ties: str = "omit",
    time_limit: float = 10.0,
    seed: Any = 0,
    progress: Progress | None = None,
) -> Order:
    """The I&SI order: fewest inconsistencies, then smallest sum of their strengths.

    Parameters
    ----------
    data : Interactions or Matrix
    ties : {"omit", "half", "both"}
    time_limit : float
        Time limit in seconds of the heuristic search, which is used for strongly connected
        components of more than 24 individuals.
    seed : int, SeedSequence or Generator
        Seed of the heuristic search, and of the random walks that estimate mean ranks if there are
        too many orders to count.
    progress : callable, optional
        Called repeatedly with (done, total).

    Returns
    -------
    Order
        Table: individual, rank, mean_rank (over all optimal orders). Values: `inconsistencies`
        (number), `strength` (sum of their rank differences), `proved`, `lower_bound`, `orders`
        (number of optimal orders; a lower bound unless `orders_exact`), and `inconsistent` (the
        list of inconsistencies).

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
    >>> order.inconsistencies, order.strength, order.orders, order.proved
    (1, 2, 3, True)
    >>> list(order)
    ['b', 'c', 'd', 'g', 'f', 'e', 'a']
    """
    if not is_number(time_limit) or time_limit < 0:
        raise ArgumentError(
            f"{option_name('time_limit')}={time_limit!r}: give a number of seconds of at least 0."
        )
    counts = tally(data, ties=ties)
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
        "inconsistencies": len(far),
        "strength": int(far.sum()),
        "proved": proved,
        "lower_bound": {
            "inconsistencies": sum(own.least for own in arranged),
            "strength": int(far.sum()) if proved else None,
        },
        "orders": min(orders, MOST_ORDERS),
        "orders_exact": proved and between.exact and orders <= MOST_ORDERS,
        "inconsistent": [
            {"winner": names[i], "loser": names[j], "rank_difference": int(d)}
            for i, j, d in sorted(zip(lower, upper, far, strict=True), key=lambda x: -x[2])
        ],
    }
    return Order(
        method="isi",
        data=counts,
        rank=place + 1,
        values=values,
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
    found = counted(values["inconsistencies"], "inconsistency", "inconsistencies")
    least = values["lower_bound"]["inconsistencies"]
    if values["proved"]:
        optimum = f"{found}, total strength {values['strength']:,} (proven optimal)."
    elif least == values["inconsistencies"]:
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

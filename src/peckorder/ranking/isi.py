"""The I&SI order (de Vries 1998), proved to be optimal.

Among all orders, first as few inconsistencies as possible (a lower-ranked individual dominates a
higher-ranked one), then as small a sum of their rank differences as possible. In an optimal order
each strongly connected component of the dominance relation stands together: every cut through it
is crossed by an inconsistency, which anybody put in between would lengthen. Components follow each
other in any order that respects dominance between them, and each is solved by dynamic programming
over its subsets.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from peckorder.checked import seed_number
from peckorder.components import condensed, in_turn, strong
from peckorder.data.tally import tally
from peckorder.kernels import orders as kernel
from peckorder.ranking.extensions import LARGEST, best_orders, extensions
from peckorder.ranking.large_orders import best_found
from peckorder.results import Order
from peckorder.runs import Progress, Runs, in_threads
from peckorder.wording import counted

BLOCK = 1 << 19
WALKED = ", estimated by random walks and left out where these disagree by more than 0.1"
MOST_ORDERS = 10**4000  # no longer number can be printed or written to JSON


@dataclass(frozen=True)
class Arrangement:
    """One component in order: `order` by code, and what is known of all its best orders."""

    order: np.ndarray
    proved: bool
    least: int  # no order has fewer inconsistencies
    number: int = 1  # of best orders; where it is not proved, at least one
    places: np.ndarray | None = None  # mean number of members above, in the order of `members`


def isi(
    data: Any,
    *,
    ties: str = "omit",
    time_limit: float = 10.0,
    seed: Any = 0,
    progress: Progress | None = None,
) -> Order:
    """The order with the fewest and weakest inconsistencies.

    Parameters
    ----------
    data : Interactions or Matrix
    ties : {"omit", "half", "both"}
    time_limit : float
        Seconds to search where the optimum cannot be proved: in strongly connected components of
        more than 24 individuals.
    seed : int, SeedSequence or Generator
        Of that search, and of the random walks that estimate mean ranks where there are too many
        orders to count.
    progress : callable, optional
        Called with (done, all) now and then.

    Returns
    -------
    Order
        Table: individual, rank, mean_rank (over all optimal orders). Values: `inconsistencies`,
        `strength` (their summed rank differences), `proved`, `lower_bound`, `orders` (how many
        are equally good; at least so many unless `orders_exact`), and `inconsistent`, the list of
        those that remain.

    Notes
    -----
    Tie rule, where several orders are optimal: from the top, each place goes to the individual
    that dominates the most others less those that dominate it, among those who can hold the place
    in an optimal order given who stands above; then to the one named first.

    A component of more than 24 individuals is searched; the bound on its inconsistencies comes
    from cycles of dominance, each of which any order must break, and no mean ranks are given.

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
    if not isinstance(time_limit, int | float) or not 0 <= time_limit < float("inf"):
        raise ValueError(f"time_limit={time_limit!r}: give seconds from 0 up.")
    counts = tally(data, ties=ties)
    dominates = counts.dominates
    worth = dominates.sum(axis=1) - dominates.sum(axis=0)
    sets = strong(dominates)
    large = sum(len(members) > LARGEST for members in sets)
    number = seed_number(seed)
    key = int(Runs(1, number).key())
    arranged = [
        _arranged(dominates, members, worth, time_limit / max(large, 1), key, progress)
        for members in sets
    ]
    above = condensed(dominates, sets)
    between = extensions(above, np.array([len(members) for members in sets]), key)
    tops = [own.order[0] for own in arranged]
    turn = in_turn(above, [(-worth[top], top) for top in tops])
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
        summary=(*_in_words(values, between.exact), *counts.notes),
        settings={"ties": ties, "time_limit": time_limit},
        citations=("devries1998",),
        seed=number if large or not between.exact else None,
    )


def _arranged(
    dominates: np.ndarray,
    members: np.ndarray,
    worth: np.ndarray,
    seconds: float,
    seed: int,
    progress: Progress | None,
) -> Arrangement:
    """The best order of one strongly connected component."""
    if len(members) == 1:
        return Arrangement(members, proved=True, least=0, places=np.zeros(1))
    inside = dominates[np.ix_(members, members)]
    if len(members) <= LARGEST:
        return _proved(inside, members, worth, progress)

    def share(done: float) -> None:
        if progress is not None:
            progress(round(100 * done), 100)

    found = best_found(inside, seconds=seconds, seed=seed, progress=share)
    return Arrangement(members[found.order], proved=False, least=found.least)


def _proved(
    inside: np.ndarray, members: np.ndarray, worth: np.ndarray, progress: Progress | None
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
        order.append(min(able, key=lambda v: (-worth[members[v]], members[v])))
        top |= 1 << order[-1]
    # Rank differences of the whole set are not negative, so the shift leaves inconsistencies.
    least = int(cost[-1]) // kernel.INCONSISTENCY
    return Arrangement(
        members[order], proved=True, least=least, number=number, places=places.sum(axis=1)
    )


def _in_words(values: dict[str, Any], exact_between: bool) -> tuple[str, ...]:
    found = counted(values["inconsistencies"], "inconsistency", "inconsistencies")
    least = values["lower_bound"]["inconsistencies"]
    if values["proved"]:
        said = f"{found} of strength {values['strength']:,}: proved, no order has less."
    elif least == values["inconsistencies"]:
        said = (
            f"{found}: no order has fewer. Their strength, {values['strength']:,}, is the least "
            f"found but not proved."
        )
    else:
        said = (
            f"{found} of strength {values['strength']:,}: the best order found, not proved. No "
            f"order has fewer than {least:,}. More time (time_limit, --time-limit) may find a "
            f"better order or a higher bound."
        )
    many = "" if values["orders_exact"] else "at least "
    number = values["orders"]
    count = f"{number:,}"
    if number >= 10**15:
        power = math.floor(math.log10(number))
        count = f"{10 ** (math.log10(number) - power):.3f} × 10^{power}"
    alike = (
        "It is the only such order."
        if number == 1 and values["orders_exact"]
        else f"There are {many}{count} equally good orders; mean_rank averages over them"
        f"{'' if exact_between else WALKED}."
    )
    return (said, alike) if values["proved"] else (said,)

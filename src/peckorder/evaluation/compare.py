"""Comparison of the rank orders of several methods."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from statistics import NormalDist
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.contests import Contests
from peckorder.data.read import Data, opened
from peckorder.data.win_counts import win_counts
from peckorder.errors import ArgumentError, DataError, DataWarning
from peckorder.methods import METHODS as TABLE
from peckorder.orders.adagio import adagio
from peckorder.orders.bradley_terry import bradley_terry
from peckorder.orders.davids_score import davids_score
from peckorder.orders.indices import dominance_value
from peckorder.orders.isi import isi
from peckorder.orders.percolation import percolation
from peckorder.random_runs import Progress
from peckorder.ranks import average_ranks, kendall, spearman
from peckorder.ratings.elo import elo
from peckorder.ratings.randomized_elo import randomized_elo
from peckorder.results import Measure, Order
from peckorder.structure.order_test import LEVEL, cost_of, order_test
from peckorder.text import either
from peckorder.validate import CountedTies, between_0_and_1, seed_number, several

METHODS = ("elo", "randomized_elo", "davids_score", "isi", "bradley_terry")
# Compared on request, by calls with these arguments.
FURTHER = {
    "adagio": (adagio, ("ties",)),
    "percolation": (percolation, ("ties", "time_limit", "progress")),
    "dominance_value": (dominance_value, ("ties",)),
}
CHOICES = (*METHODS, *FURTHER)
MOST_COSTLY = 500_000.0  # of order_test, about 20 seconds


def compare(
    data: Data,
    *,
    methods: Iterable[str] = METHODS,
    ties: CountedTies = "omit",
    k: Any = None,
    runs: int = 1000,
    seed: Any = None,
    level: float = 0.95,
    time_limit: float = 10.0,
    progress: Progress | None = None,
) -> Order:
    """Ranks by several methods and the correlations between them.

    Parameters
    ----------
    data : Contests or Matrix
    methods : some of "elo", "randomized_elo", "davids_score", "isi", "bradley_terry", "adagio", \
            "percolation", "dominance_value"
        By default the first five. Sequential Elo is omitted if the order of contests is unknown.
    ties : {"omit", "half", "both"}
        Rule for methods that use a win-loss matrix; Elo counts a tie as half a win.
    k : k of both Elo methods, as in `elo`
    runs, seed : number of random orders and seed of randomized Elo
    level : confidence level of the intervals
    time_limit : time limit of the I&SI order and of percolation, in seconds
    progress : callable, optional

    Returns
    -------
    Order
        Table: one column of ranks per method (I&SI: mean rank over all optimal orders, if known),
        and rank, the rank of their means. Values: `spearman` and `kendall`, correlation matrices;
        `spearman_intervals` and `kendall_intervals`, {low, high} for each pair (None if the
        correlation is ±1 or there are fewer than 5 individuals); `order_test`, the values of
        `order_test` (did ranks change?), or None without Elo, without decided contests, and for
        very large records; the summary says why.

    Notes
    -----
    Intervals use Fisher's z with the variances of Bonett & Wright (2000). Bradley–Terry ranks are
    those of the penalized fit, which exists for any data. Differences between methods that use the
    sequence of contests and methods that ignore it may indicate that ranks changed (Albers &
    de Vries 2001); whether they did is tested by `order_test`, which has more power than a test of
    these differences.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.compare(po.datasets.adv(), k=200, seed=1)
    >>> round(found.spearman["elo"]["isi"], 3)
    0.964
    """
    data = opened(data)
    level = between_0_and_1("level", level)
    chosen = [str(name) for name in several("methods", methods)]
    unknown = [name for name in chosen if name not in CHOICES]
    if unknown or not chosen or len(set(chosen)) < len(chosen):
        what = f'Unknown method "{unknown[0]}"' if unknown else "Give each method once"
        raise ArgumentError(f"{what}. Choose from: {', '.join(CHOICES)}.")
    counts = win_counts(data, ties=ties)
    number = seed_number(seed)
    notes = list(counts.notes)
    if "elo" in chosen and not (isinstance(data, Contests) and data.ordered):
        chosen.remove("elo")
        notes.append("Sequential Elo is omitted because the order of these contests is unknown.")
        if not chosen:
            raise ArgumentError(
                "Sequential Elo needs the order of contests, which is unknown. Choose other "
                "methods."
            )
    ranks: dict[str, np.ndarray] = {}
    rating: dict[str, Any] = {}
    with warnings.catch_warnings():  # already given by the call of `win_counts`
        warnings.simplefilter("ignore", DataWarning)
        if "elo" in chosen:
            ranks["elo"] = average_ranks(elo(data, k=k).rating)
        if "randomized_elo" in chosen:
            found = randomized_elo(data, k=k, runs=runs, seed=number, progress=progress)
            ranks["randomized_elo"] = average_ranks(-found.rank)
            rating = {name: found.settings[name] for name in ("k", "start", "curve")}
        if "davids_score" in chosen:
            ranks["davids_score"] = davids_score(data, ties=ties).rank
        if "isi" in chosen:
            ranks["isi"] = _mean_ranks(
                isi(data, ties=ties, time_limit=time_limit, seed=number, progress=progress)
            )
        if "bradley_terry" in chosen:
            fit = bradley_terry(data, ties=ties, penalized=True)
            ranks["bradley_terry"] = fit.rank
        given = {"ties": ties, "time_limit": time_limit, "progress": progress}
        for name in [name for name in chosen if name in FURTHER]:
            method, arguments = FURTHER[name]
            try:
                ranks[name] = method(data, **{part: given[part] for part in arguments}).rank
            except DataError as error:
                if len(chosen) == 1:
                    raise
                chosen.remove(name)
                notes.append(f"{TABLE[name].title} is omitted. {error}")
    ranks = {name: ranks[name] for name in chosen}
    changed = None
    if "elo" in chosen:
        changed, left_out = _order_test(data, number, progress)
        notes += left_out
    overall = average_ranks(-np.round(np.mean(list(ranks.values()), axis=0), 9))
    top_down = np.argsort(overall, kind="stable")
    values: dict[str, Any] = {}
    for name, correlation, spread in (
        ("spearman", spearman, lambda r, n: (1 + r**2 / 2) / (n - 3)),
        ("kendall", kendall, lambda r, n: 0.437 / (n - 4)),
    ):
        matrix = {a: {b: _known(correlation(ranks[a], ranks[b])) for b in chosen} for a in chosen}
        values[name] = matrix
        values[f"{name}_intervals"] = {
            a: {b: _interval(matrix[a][b], len(counts), spread, level) for b in chosen if b != a}
            for a in chosen
        }
    values["order_test"] = None if changed is None else dict(changed.values)
    return Order(
        method="compare",
        data=counts,
        rank=overall,
        values=values,
        frame=pl.DataFrame(
            {
                "individual": [counts.individuals[i] for i in top_down],
                **{name: rank[top_down] for name, rank in ranks.items()},
                "rank": overall[top_down],
            }
        ),
        summary=(*_summary(values["spearman"], changed), *notes),
        settings={
            "methods": chosen,
            "ties": ties,
            "runs": runs,
            "level": level,
            "time_limit": time_limit,
            **rating,
        },
        citations=(*(TABLE[name].citations[0] for name in chosen), "bonett2000"),
        seed=number,
    )


def _mean_ranks(order: Order) -> np.ndarray:
    frame = order.as_polars()
    by_name = dict(zip(frame["individual"], frame["mean_rank"], strict=True))
    mean = np.array([by_name[name] for name in order.individuals], float)
    return np.where(np.isnan(mean), order.rank, mean)


def _known(r: float) -> float | None:
    return None if np.isnan(r) else r


def _order_test(
    data: Any, seed: int, progress: Progress | None
) -> tuple[Measure | None, list[str]]:
    """Whether ranks changed; None with a note if the test is not possible or would take long."""
    if cost_of(data) > MOST_COSTLY:
        return None, [
            "The order-dependence test (did ranks change?) is omitted, because it takes long for "
            f"a record of this size. To run it: {either('order_test(data)', 'order-test FILE')}."
        ]
    try:
        return order_test(data, seed=seed, progress=progress), []
    except DataError as error:
        return None, [f"The order-dependence test (did ranks change?) is omitted. {error}"]


def _interval(r: float | None, n: int, spread: Any, level: float) -> dict[str, float] | None:
    if r is None or n < 5 or not abs(r) < 1 - 1e-12:
        return None
    half = NormalDist().inv_cdf((1 + level) / 2) * np.sqrt(spread(r, n))
    low, high = np.tanh([np.arctanh(r) - half, np.arctanh(r) + half])
    return {"low": float(low), "high": float(high)}


def _summary(matrix: dict[str, dict[str, Any]], changed: Measure | None) -> list[str]:
    names = list(matrix)
    pairs = {(a, b): matrix[a][b] for i, a in enumerate(names) for b in names[i + 1 :]}
    pairs = {pair: r for pair, r in pairs.items() if r is not None}
    summary = []
    if pairs:
        least = min(pairs, key=lambda pair: pairs[pair])
        summary.append(
            f"The lowest rank correlation is between {TABLE[least[0]].label} and "
            f"{TABLE[least[1]].label} (Spearman {pairs[least]:.2f})."
        )
    if changed is not None:
        summary += changed.summary
        if changed.values["p"] <= LEVEL:
            summary.append(
                "Check the trajectories and the stability of ranks before reporting one order for "
                "the whole study (Albers & de Vries 2001)."
            )
    return summary

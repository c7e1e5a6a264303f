"""Percolation and conductance: dominance probabilities from direct and indirect wins.

If two individuals never met, paths of wins through others are still informative: a beats c, and c
beats b (Fushing, McAssey, Beisner & McCowan 2011; Fujii et al. 2021). Each path of wins without a
repeated individual adds to the wins of its first over its last individual; its weight decreases
with its length and increases with the transitivity of the network. The sums c_ij give the
probability that i outranks j, (α c_ij + β)/(α c_ij + α c_ji + 2β), and its certainty. The rank
order is the one that contradicts these probabilities least.

The order that contradicts pairwise probabilities least: simulated annealing, then a proof.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.read import Data, opened
from peckorder.data.win_counts import WinCounts, win_counts
from peckorder.errors import DataError
from peckorder.kernels import percolation as kernel
from peckorder.kernels.random import begin
from peckorder.random_runs import Progress, Runs, in_threads
from peckorder.results.measures import FurtherTable, Order
from peckorder.results.rank_table import of_pairs
from peckorder.text import counted, option, option_name
from peckorder.validate import CountedTies, not_negative, positive, whole_number

LARGEST_ALPHA = 500.0  # as in Perc, if all triangles are transitive


@dataclass(frozen=True, eq=False)
class Conductance:
    """Wins including those along paths, and the resulting probabilities."""

    wins: np.ndarray
    probability: np.ndarray
    transitivity: float | None
    triangles: int
    alpha: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Percolation(Order):
    """The order that contradicts dominance probabilities least."""

    transitivity: float | None  # share of transitive triangles
    triangles: int
    alpha: float
    certainty: float  # mean over dyads
    number_of_dyads: int
    unknown: int  # dyads without contests
    imputed: int  # of these, with indirect wins
    imputed_apart: int | None  # of these, never present together
    value: float  # cost of the order
    proved: bool  # no order costs less
    runs_at_lowest: int  # runs of simulated annealing that reached the lowest cost of any run
    costs: np.ndarray  # of the runs
    dyads = FurtherTable("Dyads with their wins, probability and certainty.")
    probability = FurtherTable("Probability that the row outranks the column.")


def percolation(
    data: Data,
    *,
    max_length: int = 4,
    alpha: float | None = None,
    beta: float = 1.0,
    ties: CountedTies = "omit",
    runs: int = 10,
    time_limit: float = 10.0,
    seed: Any = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Percolation:
    """Dominance probabilities with their certainty, and the rank order they support best.

    Parameters
    ----------
    data : Contests or Matrix
    max_length : int
        Length of the longest paths of wins that count; 1 uses direct wins only. The run time
        increases with the number of opponents beaten to this power.
    alpha : float, optional
        Weight of a win; by default estimated from the transitivity of the network.
    beta : float
        Prior wins of both individuals of a dyad; the larger, the closer all probabilities to ½.
    ties : {"omit", "half", "both"}
    runs : int
        Runs of simulated annealing.
    time_limit : float
        Time limit in seconds of the search for a proof that no order costs less.
    seed, threads, progress : as in `randomized_elo`

    Returns
    -------
    Percolation
        Table: individual, rank, certainty (mean over the dyads of the individual) and dominates
        (number of individuals outranked with a probability above ½). Values: `transitivity` of
        `triangles`; `alpha`; `certainty`, the mean over dyads; `number_of_dyads`; `unknown`, dyads
        without a contest; `imputed`, those of them with indirect wins; `imputed_apart`, those
        imputed although the two were never present together (None without presence data); `value`,
        the cost of the order; `proved`; and `runs_at_lowest`, the number of runs of simulated
        annealing that reached the lowest cost of any run (`costs`). Tables: `dyads` (a, b,
        contests, wins of each and wins including paths, p_a, certainty, source, and co_resident if
        presence is recorded) and `probability`, square, of the row over the column.

    Notes
    -----
    With T the share of transitive triangles among net wins, α solves ((α + β)/(α + 2β))² = T, up to
    500. A path of k + 1 contests has the weight [((α + β)/(α + 2β))/d]^k, where d is the mean
    number of wins per individual. An order costs Σ −log(2(1 − p_ij)) · exp(2(N + 1 − j)(i − j)/N²),
    summed over pairs of places j < i in which the lower-ranked individual probably outranks the
    higher-ranked one.

    An order is proved optimal if it costs nothing, or if the search through all orders was
    completed; it is attempted for up to 20 individuals, not counting those that nobody outranks. A
    proved order does not depend on the seed: individuals that nobody remaining outranks come first;
    then, from the top, each place goes to the individual with the highest mean probability that can
    have it in an order of lowest cost.

    References
    ----------
    Fushing, McAssey, Beisner & McCowan 2011, PLoS ONE 6:e17817,
    doi:10.1371/journal.pone.0017817. Fujii et al. 2021, R package Perc 0.1.6.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.orders.percolation(po.datasets.bonobos())
    >>> list(found)
    ['He', 'Dz', 'Ho', 'De', 'Re', 'Ko', 'Ki']
    >>> found.unknown, found.imputed, found.proved
    (3, 3, True)
    """
    data = opened(data)
    max_length = whole_number("max_length", max_length, 1)
    beta = float(positive("beta", beta))
    if alpha is not None:
        alpha = float(positive("alpha", alpha))
    time_limit = not_negative("time_limit", time_limit, "number of seconds")
    random = Runs.of(runs, seed, threads, progress)
    counts = win_counts(data, ties=ties)
    found = conductance(counts, max_length, alpha, beta, random.threads)
    best = least_cost_order(
        _penalties(found, beta),
        prefer=found.probability.sum(axis=1),
        runs=random,
        seconds=time_limit,
    )
    rank = np.empty(len(counts))
    rank[best.order] = np.arange(1.0, len(counts) + 1)
    dyads = _dyads(counts, found)
    imputed = dyads["source"] == "indirect"
    apart = (imputed & ~dyads["co_resident"]) if "co_resident" in dyads.columns else None
    values = {
        "transitivity": found.transitivity,
        "triangles": found.triangles,
        "alpha": found.alpha,
        "certainty": float(dyads["certainty"].mean()),  # pyright: ignore[reportArgumentType]
        "number_of_dyads": len(dyads),
        "unknown": counts.unknown,
        "imputed": int(imputed.sum()),
        "imputed_apart": None if apart is None else int(apart.sum()),
        "value": best.cost,
        "proved": best.proved,
        "runs_at_lowest": int((best.costs <= best.costs.min() * (1 + EQUAL) + EQUAL).sum()),
    }
    certainty = np.maximum(found.probability, found.probability.T)
    np.fill_diagonal(certainty, np.nan)
    names, chance = counts.individuals, found.probability.copy()
    np.fill_diagonal(chance, np.nan)
    return Percolation(
        method="percolation",
        data=counts,
        rank=rank,
        **values,
        costs=best.costs,
        frame=pl.DataFrame(
            {
                "individual": [names[i] for i in best.order],
                "rank": np.arange(1.0, len(counts) + 1),
                "certainty": np.nanmean(certainty, axis=1)[best.order],
                "dominates": (found.wins > found.wins.T).sum(axis=1)[best.order],
            }
        ),
        tables={"dyads": dyads, "probability": of_pairs(names, chance).fill_nan(None)},
        summary=(*_summary(values, random.number, best.searchable), *counts.notes),
        settings={
            "max_length": max_length,
            "alpha": alpha,
            "beta": beta,
            "ties": ties,
            "runs": random.number,
            "time_limit": time_limit,
        },
        citations=("fushing2011", "fujii2021"),
        seed=None if best.proved else random.seed,
    )


def conductance(
    counts: WinCounts, max_length: int, alpha: float | None, beta: float, threads: int | None = None
) -> Conductance:
    """Wins including the weights of all paths, and the resulting probabilities."""
    transitive, cyclic = triangles(counts.dominates)
    share = transitive / (transitive + cyclic) if transitive + cyclic else None
    alpha = alpha_of(share, beta) if alpha is None else float(alpha)
    paths = paths_between(counts.score > 0, max_length, threads)
    weight = (alpha + beta) / (alpha + 2 * beta) / (counts.score.sum() / len(counts))
    wins = counts.score + sum(
        (weight ** (k + 1) * number for k, number in enumerate(paths)), np.zeros(counts.score.shape)
    )
    probability = (alpha * wins + beta) / (alpha * (wins + wins.T) + 2 * beta)
    np.fill_diagonal(probability, 0.5)
    return Conductance(wins, probability, share, transitive + cyclic, alpha)


def triangles(dominates: np.ndarray) -> tuple[int, int]:
    """Numbers of transitive and of cyclic triangles."""
    arcs = dominates.astype(np.int64)
    two = arcs @ arcs
    return int((two * arcs).sum()), int(np.trace(two @ arcs)) // 3


def alpha_of(share: float | None, beta: float = 1.0) -> float:
    """α with ((α + β)/(α + 2β))² equal to the share of transitive triangles.

    >>> round(alpha_of(14 / 18), 6)
    6.468627
    """
    if share is None:
        raise DataError(
            f"alpha cannot be estimated from transitivity: there are no three individuals with a "
            f"dominant individual in each of their dyads. Give a value, for example "
            f"{option('alpha', '10')}."
        )
    root = math.sqrt(share)
    if root <= 0.5:
        raise DataError(
            f"Only {share:.0%} of the triangles are transitive, so that alpha would not be "
            f"positive: indirect wins are not informative in such a network. To use them "
            f"nevertheless, give a value, for example {option('alpha', '1')}."
        )
    if root == 1.0:
        return LARGEST_ALPHA
    return min(beta * (2 * root - 1) / (1 - root), LARGEST_ALPHA)


def paths_between(beats: np.ndarray, longest: int, threads: int | None = None) -> np.ndarray:
    """Number of paths without a repeated individual, for each length from 2 to `longest`."""
    size = len(beats)
    number = np.zeros((longest - 1, size, size), np.int64)
    if longest < 2:
        return number
    ends = np.concatenate([[0], np.cumsum(beats.sum(axis=1))])
    others = np.nonzero(beats)[1]
    in_threads(
        lambda first, last: kernel.count_paths(first, last, ends, others, longest, number),
        size,
        block=1,
        threads=threads,
    )
    return number


def _penalties(found: Conductance, beta: float) -> np.ndarray:
    """−log(2(1 − p_ij)) if i probably outranks j, otherwise 0."""
    mine, theirs = found.alpha * found.wins + beta, found.alpha * found.wins.T + beta
    return np.where(found.wins > found.wins.T, np.log((mine + theirs) / (2 * theirs)), 0.0)


def _dyads(counts: WinCounts, found: Conductance) -> pl.DataFrame:
    a, b = counts.dyads
    names = pl.Series(counts.individuals, dtype=pl.String)
    direct = counts.seen[a, b]
    indirect = ((found.wins - counts.score) + (found.wins - counts.score).T)[a, b] > 0
    source = np.where(
        direct,
        np.where(indirect, "both", "direct"),
        np.where(indirect, "indirect", "none"),
    )
    p = found.probability[a, b]
    frame = pl.DataFrame(
        {
            "a": names.gather(pl.Series(a)),
            "b": names.gather(pl.Series(b)),
            "contests": counts.contests[a, b],
            "a_wins": counts.whole(counts.score[a, b]),
            "b_wins": counts.whole(counts.score[b, a]),
            "a_wins_with_paths": found.wins[a, b],
            "b_wins_with_paths": found.wins[b, a],
            "p_a": p,
            "certainty": np.maximum(p, 1 - p),
            "source": source,
        }
    )
    if counts.together is None:
        return frame
    return frame.with_columns(co_resident=pl.Series(counts.together[a, b]))


def _summary(values: dict[str, Any], runs: int, searchable: bool) -> tuple[str, ...]:
    unknown, imputed, apart = (values[name] for name in ("unknown", "imputed", "imputed_apart"))
    certainty = f"Mean dominance certainty of dyads {values['certainty']:.2f} (0.5: none, 1: full)."
    if unknown:
        certainty += (
            f" {counted(unknown, 'dyad has', 'dyads have')} no contest; {imputed:,} "
            f"{'was' if imputed == 1 else 'were'} imputed from indirect wins"
            + (f", {apart:,} of which never present together" if apart else "")
            + "."
        )
    if values["proved"]:
        return certainty, f"Cost of the order {values['value']:.4g} (proven optimal)."
    reached = f"in {values['runs_at_lowest']:,} of {counted(runs, 'run')} of simulated annealing"
    advice = (
        f"Increase {option_name('time_limit')} to look for a proof."
        if searchable
        else f"Orders of more than {LARGEST} individuals are not proved; increase "
        f"{option_name('runs')} to look for a better one."
    )
    return (
        certainty,
        f"Cost of the order {values['value']:.4g} (best found, {reached}; not proven optimal). "
        f"{advice}",
    )


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
    """The best order found, and whether it is proved that no order costs less."""
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

"""Percolation and conductance: dominance probabilities from direct and indirect wins.

Where two individuals never met, paths of wins through others still carry information: a beats c
and c beats b (Fushing, McAssey, Beisner & McCowan 2011; Fujii et al. 2021). Every path of wins
without a repeated individual adds to the wins of its first over its last individual, with a weight
that falls with its length and rises with the transitivity of the network. The sums c_ij give the
probability that i outranks j, (α c_ij + β)/(α c_ij + α c_ji + 2β), and its certainty. The rank
order is the one that contradicts these probabilities least.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.tally import Tally, tally
from peckorder.errors import DataError
from peckorder.kernels import percolation as kernel
from peckorder.ranking.least_cost import least_cost_order
from peckorder.ranking.network import co_resident
from peckorder.results import Order
from peckorder.runs import Progress, Runs, in_threads, whole_number
from peckorder.wording import counted

LARGEST_ALPHA = 500.0  # as in Perc, where all triangles are transitive


@dataclass(frozen=True, eq=False)
class Conductance:
    """Wins with what paths add to them, and the probabilities they give."""

    wins: np.ndarray
    probability: np.ndarray
    transitivity: float | None
    triangles: int
    alpha: float


def percolation(
    data: Any,
    *,
    max_length: int = 4,
    alpha: float | None = None,
    beta: float = 1.0,
    draws: str = "omit",
    runs: int = 10,
    time_limit: float = 10.0,
    seed: Any = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Order:
    """Dominance probabilities with their certainty, and the rank order they support best.

    Parameters
    ----------
    data : Interactions or Matrix
    max_length : int
        Longest paths of wins that count, in contests; 1 uses direct wins only. The time needed
        grows as the number of others beaten to this power.
    alpha : float, optional
        Weight of a win. By default from the transitivity of the network.
    beta : float
        Prior wins of both sides of a dyad; the higher, the closer to ½ all probabilities are.
    draws : {"omit", "half", "both"}
    runs : int
        Runs of simulated annealing.
    time_limit : float
        Seconds to search for a proof that no order costs less.
    seed, threads, progress : as in `randomized_elo`

    Returns
    -------
    Order
        Table: individual, rank, certainty (mean over all dyads of the individual) and dominates
        (number of others outranked with a probability above ½). Values: `transitivity` over
        `triangles`, `alpha`, mean `certainty`, `number_of_dyads`, `unknown` (without a contest)
        and `imputed` (of these, with indirect wins), `cost` of the order, and `proved`. Tables:
        `dyads` (a, b, contests, wins and wins with paths of both, p_a, certainty, source, and
        co_resident where presence is known) and `probability`, square, of the row over the column.

    Notes
    -----
    With T the share of transitive triangles among net wins, α solves ((α + β)/(α + 2β))² = T, at
    most 500. A path of k + 1 contests weighs [((α + β)/(α + 2β))/d]^k with d the mean number of
    wins per individual. An order costs Σ −log(2(1 − p_ij)) · exp(2(N + 1 − j)(i − j)/N²) over
    the pairs of places j < i of which the lower-ranked probably outranks the higher-ranked.

    An order is proved where it costs nothing, or where a search through all orders could be
    finished: in groups with up to 20 individuals besides those whom nobody outranks. Where it is
    proved, it does not depend on the seed: the individuals whom nobody that is left outranks
    come first, and from the top each place goes to the one with the highest mean probability that
    can hold it in a best order.

    References
    ----------
    Fushing, McAssey, Beisner & McCowan 2011, PLoS ONE 6:e17817,
    doi:10.1371/journal.pone.0017817. Fujii et al. 2021, R package Perc 0.1.6.

    Examples
    --------
    >>> import peckorder as po
    >>> from peckorder.ranking.percolation import percolation
    >>> found = percolation(po.datasets.bonobos())
    >>> list(found)
    ['He', 'Dz', 'Ho', 'De', 'Re', 'Ko', 'Ki']
    >>> found.unknown, found.imputed, found.proved
    (3, 3, True)
    """
    max_length = whole_number("max_length", max_length, 1)
    _positive("beta", beta)
    if alpha is not None:
        _positive("alpha", alpha)
    if not isinstance(time_limit, int | float) or not 0 <= time_limit < float("inf"):
        raise ValueError(f"time_limit={time_limit!r}: give seconds from 0 up.")
    random = Runs.of(runs, seed, threads, progress)
    counts = tally(data, draws=draws)
    found = conductance(counts, max_length, alpha, float(beta), threads)
    best = least_cost_order(
        _penalties(found, float(beta)),
        prefer=found.probability.sum(axis=1),
        runs=random,
        seconds=time_limit,
    )
    rank = np.empty(len(counts))
    rank[best.order] = np.arange(1.0, len(counts) + 1)
    dyads = _dyads(data, counts, found)
    values = {
        "transitivity": found.transitivity,
        "triangles": found.triangles,
        "alpha": found.alpha,
        "certainty": float(dyads["certainty"].mean()),  # pyright: ignore[reportArgumentType]
        "number_of_dyads": len(dyads),
        "unknown": counts.unknown,
        "imputed": int((dyads["source"] == "indirect").sum()),
        "cost": best.cost,
        "proved": best.proved,
    }
    certainty = np.maximum(found.probability, found.probability.T)
    np.fill_diagonal(certainty, np.nan)
    names = counts.individuals
    return Order(
        method="percolation",
        data=counts,
        rank=rank,
        values=values,
        frame=pl.DataFrame(
            {
                "individual": [names[i] for i in best.order],
                "rank": np.arange(1.0, len(counts) + 1),
                "certainty": np.nanmean(certainty, axis=1)[best.order],
                "dominates": (found.wins > found.wins.T).sum(axis=1)[best.order],
            }
        ),
        tables={"dyads": dyads, "probability": _square(names, found.probability)},
        words=(*_in_words(values), *counts.notes),
        settings={
            "max_length": max_length,
            "alpha": alpha,
            "beta": float(beta),
            "draws": draws,
            "runs": random.number,
            "time_limit": time_limit,
        },
        citations=("fushing2011", "fujii2021"),
        draws={"cost": best.costs},
        seed=None if best.proved else random.seed,
    )


def conductance(
    counts: Tally, max_length: int, alpha: float | None, beta: float, threads: int | None = None
) -> Conductance:
    """Wins with the weight of all paths, and the probabilities that follow."""
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
            "No three individuals all met each other with a winner in each dyad, so alpha cannot "
            "be estimated from transitivity. Give it: alpha=, such as alpha=10."
        )
    root = math.sqrt(share)
    if root <= 0.5:
        raise DataError(
            f"Only {share:.0%} of the triangles are transitive: alpha would not be positive. "
            f"Indirect wins carry no information in such a network; to use them nevertheless, "
            f"give alpha=, such as alpha=1."
        )
    if root == 1.0:
        return LARGEST_ALPHA
    return min(beta * (2 * root - 1) / (1 - root), LARGEST_ALPHA)


def paths_between(beats: np.ndarray, longest: int, threads: int | None = None) -> np.ndarray:
    """Number of paths without a repeated individual, by number of contests from 2 to `longest`."""
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
    """−log(2(1 − p_ij)) where i probably outranks j, 0 elsewhere."""
    mine, theirs = found.alpha * found.wins + beta, found.alpha * found.wins.T + beta
    return np.where(found.wins > found.wins.T, np.log((mine + theirs) / (2 * theirs)), 0.0)


def _dyads(data: Any, counts: Tally, found: Conductance) -> pl.DataFrame:
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
    together = co_resident(data, a, b)
    return frame if together is None else frame.with_columns(co_resident=pl.Series(together))


def _square(names: tuple[str, ...], probability: np.ndarray) -> pl.DataFrame:
    """Probability that the row outranks the column; empty on the diagonal."""
    first = "individual" if "individual" not in names else "individual (row)"
    values = probability.copy()
    np.fill_diagonal(values, np.nan)
    columns = {name: pl.Series(values[:, j]).fill_nan(None) for j, name in enumerate(names)}
    return pl.DataFrame({first: names, **columns})


def _positive(name: str, value: Any) -> None:
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not number or not 0 < value < float("inf"):
        raise ValueError(f"{name}={value!r}: give a number above 0.")


def _in_words(values: dict[str, Any]) -> tuple[str, ...]:
    unknown, imputed = values["unknown"], values["imputed"]
    proved = (
        "no order contradicts the probabilities less (proved)"
        if values["proved"]
        else "the best order found, not proved; more time (time_limit, --time-limit) or more "
        "runs may find a better one"
    )
    said = f"Mean certainty of the dyads {values['certainty']:.2f} (½: none; 1: full)."
    if unknown:
        said += (
            f" {counted(unknown, 'dyad')} had no contest, of which {imputed:,} "
            f"{'was' if imputed == 1 else 'were'} imputed from indirect wins."
        )
    return said, f"Cost of the order {values['cost']:.4g}: {proved}."

"""Steepness of a hierarchy (de Vries, Stevens & Vervaecke 2006).

The slope of normalized David's scores on ranks, between 0 (all alike) and 1 (everybody always
beats all below). Its test redraws the wins of each dyad uniformly on 0 … n_ij.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from peckorder.checked import between_0_and_1
from peckorder.data.tally import tally
from peckorder.errors import caution
from peckorder.kernels import dyads as kernel
from peckorder.ranking.davids_score import chances, scores
from peckorder.results import Measure
from peckorder.runs import Progress, Runs, in_threads, monte_carlo_error, p_value
from peckorder.structure.dyads import unknown_in_words

AS_LARGE = 1e-12
BLOCK_DYADS = 400_000
INTERVAL_DRAWS = 4_000
FEW_CONTESTS = 20


def steepness(
    data: Any,
    *,
    index: str = "dij",
    ties: str = "omit",
    runs: int = 10_000,
    seed: Any = None,
    level: float = 0.95,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Measure:
    """Steepness with its fitted line, randomization test and interval.

    Parameters
    ----------
    data : Interactions or Matrix, at least 3 individuals
    index, ties : as in `davids_score`
    runs : int
        Random matrices of the test. (The interval always rests on 4,000 draws.)
    seed : int, SeedSequence or Generator, optional
    level : float
        Of the interval.
    threads : int, optional
        All cores by default. The result is the same for any number.
    progress : callable, optional
        Called with (done, runs) now and then.

    Returns
    -------
    Measure
        `value` and `intercept` of the line NormDS = intercept − value × rank; `expected` value
        under chance; `p_right` (as steep or steeper by chance) and `p_left`, both
        (count + 1)/(runs + 1), with the Monte Carlo standard error `mc_error` of the smaller;
        `low` and `high` of the interval. `.draws["null"]` and `.draws["interval"]` hold the draws.

    Notes
    -----
    The interval draws the win chance of each dyad that met from its Jeffreys posterior
    Beta(s_ij + ½, s_ji + ½), whose mean is D_ij, leaves dyads that never met at 0, and computes
    the slope per draw. Resampling contests instead would make dyads unknown and is not done.
    Its mean is not the value: the prior pulls every chance towards ½, and a sum of absolute
    differences is never 0. By simulation (benchmarks/README.md) it holds the steepness of the true
    chances as often as it should with hundreds of contests per dyad; with few it lies too low in
    steep and large, too high in flat groups.

    Warns
    -----
    DataWarning
        When many dyads are unknown, or the record falls into sets that never met.

    References
    ----------
    de Vries, Stevens & Vervaecke 2006, Animal Behaviour 71:585–592,
    doi:10.1016/j.anbehav.2005.05.015.

    Examples
    --------
    >>> import peckorder as po
    >>> steep = po.steepness(po.datasets.bonobos(), runs=1000, seed=1)
    >>> round(steep.value, 5), round(steep.intercept, 5), steep.p_right < 0.002
    (0.62838, 5.5135, True)
    """
    random, level = Runs.of(runs, seed, threads, progress), between_0_and_1("level", level)
    counts = tally(data, ties=ties, least=3)
    normds = scores(chances(counts, index))["normds"]
    top_down = np.argsort(-np.round(normds, 12), kind="stable")
    rank = np.arange(1.0, len(counts) + 1)
    slope, intercept = line(rank, normds[top_down])
    value = abs(slope)

    null, drawn = np.empty(random.number), np.empty(INTERVAL_DRAWS)
    a, b = (side[counts.seen[counts.dyads]] for side in counts.dyads)
    units = np.rint(counts.contests[a, b] / counts.unit[a, b]).astype(np.int64)
    opponents = counts.seen.sum(axis=1).astype(float)
    by_win, at_none = linear_chance(counts.contests[a, b], counts.unit[a, b], index)
    won, lost = counts.score[a, b], counts.score[b, a]
    keys = random.key(0), random.key(1)

    def test(begin: int, end: int) -> None:
        kernel.steepness_null(
            keys[0],
            begin,
            a,
            b,
            units,
            by_win,
            at_none,
            index == "binomial",
            opponents,
            null[begin:end],
        )

    def interval(begin: int, end: int) -> None:
        kernel.steepness_posterior(keys[1], begin, a, b, won, lost, opponents, drawn[begin:end])

    block = max(10, BLOCK_DYADS // len(a))
    in_threads(interval, INTERVAL_DRAWS, block=max(10, block // 20), threads=random.threads)
    random.do(test, block=block)
    p_right, p_left = p_value(null >= value - AS_LARGE), p_value(null <= value + AS_LARGE)
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    values = {
        "value": value,
        "intercept": intercept,
        "expected": float(null.mean()),
        "p_right": p_right,
        "p_left": p_left,
        "mc_error": monte_carlo_error(min(p_right, p_left), random.number),
        "low": float(low),
        "high": float(high),
        "runs": random.number,
    }
    unknown = unknown_in_words(data, counts)
    if unknown is not None:
        caution(unknown)
    return Measure(
        method="steepness",
        data=counts,
        values=values,
        frame=pl.DataFrame(
            {
                "individual": [counts.individuals[i] for i in top_down],
                "rank": rank,
                "normds": normds[top_down],
                "fitted": intercept + slope * rank,
            }
        ),
        summary=(
            *_in_words(values, level),
            *_few_in_words(counts.contests[a, b]),
            *([unknown] if unknown else []),
            *counts.notes,
        ),
        settings={"index": index, "ties": ties, "runs": random.number, "level": level},
        citations=("devries2006",),
        draws={"null": null, "interval": drawn},
        seed=random.seed,
    )


def line(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Slope and intercept of the least-squares line."""
    ahead = x - x.mean()
    slope = float(ahead @ y / (ahead @ ahead))
    return slope, float(y.mean() - slope * x.mean())


def linear_chance(n: np.ndarray, unit: np.ndarray, index: str) -> tuple[np.ndarray, np.ndarray]:
    """The chance of a dyad as a linear function of its wins in units."""
    if index == "dij":
        return unit / (n + 1), 0.5 / (n + 1)
    return unit / n, np.zeros(len(n))


def _few_in_words(contests: np.ndarray) -> tuple[str, ...]:
    if contests.mean() >= FEW_CONTESTS:
        return ()
    return (
        f"With {contests.mean():.3g} contests per dyad seen on average, value and interval come "
        f"out too low for a steep hierarchy and too high for a flat one: do not take the interval "
        f"for where the truth lies.",
    )


def _in_words(values: dict[str, Any], level: float) -> tuple[str, ...]:
    held = values["low"] <= values["value"] <= values["high"]
    outside = "" if held else ", which the value itself is not (its chances are more extreme)"
    right, left = values["p_right"], values["p_left"]
    if right < 0.05:
        verdict = f"the hierarchy is steeper than that (p_right = {right:.2g}"
    elif left < 0.05:
        verdict = f"the hierarchy is flatter than that (p_left = {left:.2g}"
    else:
        verdict = f"the hierarchy cannot be told from that (p_right = {right:.2g}"
    return (
        f"Steepness {values['value']:.3f}, where 0 means that all win alike and 1 that everybody "
        f"beats all below; with every chance drawn from its posterior, {level:.0%} lie between "
        f"{values['low']:.3f} and {values['high']:.3f}{outside}.",
        f"By chance alone {values['expected']:.3f} would be expected; {verdict}, Monte Carlo error "
        f"{values['mc_error']:.1g}).",
    )

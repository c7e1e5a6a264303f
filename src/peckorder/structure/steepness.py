"""Steepness of a hierarchy (de Vries, Stevens & Vervaecke 2006).

The slope of normalized David's scores on ranks, between 0 (all individuals equal) and 1 (each beats
all below it). Its published test redraws the wins of each dyad uniformly on 0 … n_ij, so that
one-sided dyads are as likely as even ones. Equal individuals give binomial wins, which are far more
even: whether a hierarchy is steeper than among equals is tested by fair coins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import polars as pl

from peckorder.data.read import Data, opened
from peckorder.data.win_counts import chances, scores, win_counts
from peckorder.errors import caution
from peckorder.kernels import dyads as kernel
from peckorder.random_runs import Progress, Runs, monte_carlo_error, p_value
from peckorder.results import Measure
from peckorder.structure.dyads import unknown_in_words
from peckorder.text import p_text
from peckorder.validate import CountedTies, one_of

AS_LARGE = 1e-12
BLOCK_DYADS = 400_000
FEW_CONTESTS = 20
NULLS = {"uniform": "uniform-wins null", "binomial": "fair-coin null"}
LEVEL = 0.05


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Steepness(Measure):
    """Steepness of a hierarchy, with the null distribution of its test."""

    value: float  # slope of the line NormDS = intercept − value × rank, without its sign
    intercept: float
    cv: float  # coefficient of variation of NormDS
    expected: float  # mean under the null
    p: float  # as steep or steeper by chance
    p_less: float  # as flat or flatter by chance
    p_error: float  # Monte Carlo standard error of the smaller of both
    runs: int
    null: np.ndarray  # steepness of the random matrices


def steepness(
    data: Data,
    *,
    index: Literal["dij", "pij", "binomial"] = "dij",
    ties: CountedTies = "omit",
    null: Literal["uniform", "binomial"] = "uniform",
    runs: int = 10_000,
    seed: Any = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Steepness:
    """Steepness with its fitted line and a randomization test.

    Parameters
    ----------
    data : Contests or Matrix, at least 2 individuals
    index, ties : as in `davids_score`
    null : {"uniform", "binomial"}
        Wins of a dyad by chance: uniform on 0 … n_ij, as published, or by fair coins, as among
        equal individuals (ties stay ties).
    runs : int
        Random matrices of the test.
    seed : int, SeedSequence or Generator, optional
    threads : int, optional
        All cores by default. The result is the same for any number.
    progress : callable, optional
        Called with (done, runs) now and then.

    Returns
    -------
    Steepness
        `value` and `intercept` of the line NormDS = intercept − value × rank; `cv`, the coefficient
        of variation of NormDS (which can put groups in another order than the slope: de Vries et
        al. 2006); `expected` value under the null; `p` (as steep or steeper by chance) and
        `p_less` (as flat or flatter), both (count + 1)/(runs + 1), with the Monte Carlo standard
        error `p_error` of the smaller; `null`, the steepness of each random matrix.

    Notes
    -----
    The uniform null is no model of equal individuals: their hierarchies are flatter than it
    expects, and a weak but real hierarchy may be, too. The summary calls a hierarchy steeper or
    flatter where the smaller of both p-values is at most 0.025, so that under the null one of the
    claims is made in at most 5% of data sets. For an interval see `steepness_bayes`.

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
    >>> round(steep.value, 5), round(steep.intercept, 5), steep.p < 0.002
    (0.62838, 5.5135, True)
    """
    data = opened(data)
    one_of("null", null, NULLS)
    random = Runs.of(runs, seed, threads, progress)
    counts = win_counts(data, ties=ties, least=2)
    normds = scores(chances(counts, index))["normds"]
    top_down = np.argsort(-np.round(normds, 12), kind="stable")
    rank = np.arange(1.0, len(counts) + 1)
    slope, intercept = line(rank, normds[top_down])
    value = abs(slope)

    drawn = np.empty(random.number)
    a, b = (side[counts.seen[counts.dyads]] for side in counts.dyads)
    n, unit = counts.contests[a, b], counts.unit[a, b]
    opponents = counts.seen.sum(axis=1).astype(float)
    fair = null == "binomial"
    by_win, at_none = linear_chance(n, 1.0 if fair else unit, index)
    if fair:  # ties stay what they are, and only decided contests are tossed
        number = np.rint(n - 2 * counts.drawn[a, b]).astype(np.int64)
        at_none = at_none + by_win * counts.drawn[a, b]
    else:
        number = np.rint(n / unit).astype(np.int64)
    key = random.key(0)

    def test(begin: int, end: int) -> None:
        kernel.steepness_null(
            key,
            begin,
            a,
            b,
            number,
            fair,
            by_win,
            at_none,
            n.astype(float),
            index == "binomial",
            opponents,
            drawn[begin:end],
        )

    random.do(test, block=max(128, BLOCK_DYADS // len(a)))
    p, p_less = p_value(drawn >= value - AS_LARGE), p_value(drawn <= value + AS_LARGE)
    values = {
        "value": value,
        "intercept": intercept,
        "cv": float(normds.std(ddof=1) / normds.mean()),
        "expected": float(drawn.mean()),
        "p": p,
        "p_less": p_less,
        "p_error": monte_carlo_error(min(p, p_less), random.number),
        "runs": random.number,
    }
    unknown = unknown_in_words(counts)
    if unknown is not None:
        caution(unknown)
    return Steepness(
        method="steepness",
        data=counts,
        **values,
        frame=pl.DataFrame(
            {
                "individual": [counts.individuals[i] for i in top_down],
                "rank": rank,
                "normds": normds[top_down],
                "fitted": intercept + slope * rank,
            }
        ),
        summary=(
            *_in_words(values, null),
            *_few_in_words(counts.contests[a, b]),
            *((unknown, *counts.omitted) if unknown else counts.notes),
        ),
        settings={"index": index, "ties": ties, "null": null, "runs": random.number},
        citations=("devries2006",),
        null=drawn,
        seed=random.seed,
    )


def line(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Slope and intercept of the least-squares line."""
    ahead = x - x.mean()
    slope = float(ahead @ y / (ahead @ ahead))
    return slope, float(y.mean() - slope * x.mean())


def linear_chance(
    n: np.ndarray, unit: np.ndarray | float, index: str
) -> tuple[np.ndarray, np.ndarray]:
    """The chance of a dyad as a linear function of its wins in units."""
    if index == "dij":
        return unit / (n + 1), 0.5 / (n + 1)
    return unit / n, np.zeros(len(n))


def _few_in_words(contests: np.ndarray) -> tuple[str, ...]:
    if contests.mean() >= FEW_CONTESTS:
        return ()
    return (
        f"With {contests.mean():.3g} contests per dyad seen on average, the value is biased: too "
        f"low for a steep hierarchy and too high for a flat one.",
    )


def _in_words(values: dict[str, Any], null: str) -> tuple[str, ...]:
    more, less = values["p"], values["p_less"]
    p = min(1.0, 2 * min(more, less))
    if p > LEVEL:
        verdict = "not significantly steeper or flatter"
    else:
        verdict = "steeper" if more < less else "flatter"
    source = "if all individuals were equal" if null == "binomial" else "from random wins"
    return (
        f"Steepness {values['value']:.3f} (0: all individuals equal; 1: each beats all below it).",
        f"The hierarchy is {verdict} than expected {source} ({NULLS[null]}: "
        f"{values['expected']:.3f} expected, two-sided {p_text(p)}, Monte Carlo error of p "
        f"{2 * values['p_error']:.1g}).",
    )

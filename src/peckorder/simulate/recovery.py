"""Reliability of ranks, from fits to simulated data like the observed ones.

Truths are draws from the posterior of `dynamic` (see `worlds`), so the uncertainty about the truth
is part of the answer, and no method is judged by data simulated from its own estimates.

Conclusion of a recovery study, as text.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from inspect import signature
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import polars as pl

from peckorder.data.read import Data, opened
from peckorder.errors import ArgumentError
from peckorder.executors.mapping import checked_executor
from peckorder.random_runs import Progress, Runs
from peckorder.ranks import average_ranks
from peckorder.ratings.dynamic import dynamic
from peckorder.ratings.elo import elo
from peckorder.ratings.likelihood import contests_of
from peckorder.results.measures import FurtherTable, Measure
from peckorder.simulate.parametric_bootstrap import refuse_points
from peckorder.simulate.recovery_runs import (
    METHODS,
    Estimate,
    Found,
    Study,
    Worlds,
    Z,
    may_be_equal,
    places_over_time,
    posterior_of,
    stream,
    unfitted,
    values_of,
)
from peckorder.text import counted, option, option_name
from peckorder.validate import is_number, one_of

# The defaults of elo_bayes.
FIRST_FIT = {"chains": 4, "warmup": 500, "samples": 1500, "threads": None}
NEGLIGIBLE = 0.02  # rank error that needs no further contests
SLOW = ("elo_ml", "elo_bayes")
UNCONNECTED = (
    "Not all individuals are connected by wins in both directions. Coverage refers to the "
    "simulated data sets in which they are."
)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Recovery(Measure):
    """Reliability of ranks; the table has one row per individual."""

    value: float | None  # Spearman correlation of estimated and true ranks
    rank_mae: float | None  # mean absolute error of ranks
    rank_mae_se: float | None  # Monte Carlo standard errors
    dyads_correct: float | None  # share of dyads in the correct order
    dyads_correct_se: float | None
    coverage_80: float | None  # of 80% intervals
    coverage: float | None  # of 95% intervals; None if the method has none
    dyads_probability: float  # mean posterior probability of the order of a dyad
    p_equal: float  # posterior probability that all individuals are equal
    log_bf_differences: float  # log Bayes factor against equal individuals
    verdict: str
    runs: int
    true_rank: np.ndarray  # (runs, individuals), ordered as in the table
    estimated_rank: np.ndarray
    over_time = FurtherTable("Rank error by number of contests.")
    efforts = FurtherTable("Errors with several times as many contests.")


def recovery(
    data: Data,
    *,
    method: Literal["dynamic", "elo", "elo_ml", "elo_bayes", "randomized_elo", "davids_score"]
    | None = None,
    runs: int = 200,
    effort: Sequence[float] | None = None,
    seed: Any = None,
    threads: int | None = None,
    executor: Any = None,
    progress: Progress | None = None,
    **settings: Any,
) -> Recovery:
    """Reliability of ranks estimated from data like these.

    Possible truths are drawn from the posterior of `dynamic`, given the data: one draw of the whole
    course of ratings, static or moving as the data suggest; or all individuals are equal, if the
    data allow it. Each truth gives a simulated data set with
    the same contests, the method is applied to it, and the result is compared with the truth.

    Parameters
    ----------
    data : Contests or Matrix
    method : {"dynamic", "elo", "elo_ml", "elo_bayes", "randomized_elo", "davids_score"}
        Default "dynamic", or "elo" if settings of `elo` (such as k) are given. Posteriors by
        `elo_bayes` are sampled with 2 chains of 500 draws unless set otherwise.
    runs : int
        Number of simulated data sets.
    effort : numbers
        Also simulate this many times as many contests, of the same pairs at the same times, to
        predict the benefit of further observation; empty to omit. Default (2, 4), for
        `elo_ml` and `elo_bayes` (2,).
    seed, threads, progress
    executor : optional
        Where data sets are simulated and fitted, as in `study`; by default in threads.
    settings : arguments of the method.

    Returns
    -------
    Recovery
        Table, in order of rank among the individuals present at the end: individual, rank,
        rank_error (mean |estimated − true rank| in simulated data), rank_probability and
        above_next (posterior probabilities, given the data, that this is the true rank and that
        the individual outranks the next), coverage_80 and coverage (of 80% and 95% intervals, if
        the method has them). Values: `value`, the Spearman correlation of estimated and true
        ranks, `rank_mae` with its Monte Carlo standard error `rank_mae_se`, `dyads_correct` with
        `dyads_correct_se`, `coverage_80`, `coverage`,
        `dyads_probability` (mean posterior probability of the order of a dyad, given the data),
        `p_equal` (posterior probability that all individuals are equal, prior 0.2) with the log
        Bayes factor `log_bf_differences`, `verdict`. `over_time`: contest, rank_mae. `efforts`:
        effort, contests, rank_mae and dyads_correct with Monte Carlo errors.
        `true_rank` and `estimated_rank`: arrays, runs × individuals, ordered as in the table.

    Notes
    -----
    In simulated groups the predicted rank error is close to the actual one, and ranks that are
    called resolved are right in about 95% of cases: see benchmarks/README.md.

    References
    ----------
    Goffe, Fischer & Sennhenn-Reulen 2018, doi:10.1111/2041-210X.13072.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.recovery(po.datasets.adv(), runs=50, seed=1)
    >>> found.rank_mae < 1.5, found.table.height
    (True, 7)
    """
    data = opened(data)
    contests = contests_of(data, "recovery")
    chosen = method_of(method, settings)
    each = replace(Runs.of(runs, seed, threads, progress), executor=checked_executor(executor))
    slow = chosen in SLOW
    efforts = _efforts(((2.0,) if slow else (2.0, 4.0)) if effort is None else effort)
    whole = FIRST_FIT | settings if chosen == "elo_bayes" else settings
    fitted = METHODS[chosen](contests, whole, each.seed)
    if fitted.ratings is not None:
        refuse_points(fitted.ratings)
    unbounded = fitted.ratings is not None and bool(fitted.ratings.values.get("unbounded"))
    ratings = posterior_of(contests, each.seed, threads)
    worlds = Worlds.of(ratings, each.number, each.seed)
    names, score, rank = _ranked(fitted, worlds)
    with warnings.catch_warnings():  # the first fit has issued the warnings about the data
        warnings.simplefilter("ignore")
        study = Study(METHODS[chosen], settings, worlds.record, names)
        found = study.runs(each, None)
        steps = [1.0, *efforts] if efforts else []
        scaled = [
            study.runs(stream(each, i, 0.15 if slow else 0.5), factor, course=False)
            for i, factor in enumerate(steps, start=1)
        ]
    order = np.argsort(-score, kind="stable")
    right, outranks = worlds.order_probabilities(rank)
    frame = _table(names, rank, order, found, right, outranks)
    values: dict[str, Any] = values_of(found) | _given_the_data(worlds, score, outranks)
    table = _effort_table(len(contests), steps, scaled) if efforts else None
    helped = None if (values["rank_mae"] or 0.0) <= NEGLIGIBLE else table
    verdict = verdict_of(
        [names[i] for i in order],
        frame["rank_probability"].to_list(),
        frame["above_next"].to_list(),
        helped,
        len(contests),
    )
    tables = {"over_time": _over_time(len(contests), found)}
    if table is not None:
        tables["efforts"] = table
    equal = may_be_equal(worlds.p_equal)
    return Recovery(
        method="recovery",
        data=contests,
        **values,
        verdict=verdict,
        runs=each.number,
        frame=frame,
        summary=(
            f"In {counted(each.number, 'simulated data set')} like this one, the mean absolute "
            f"rank error was {values['rank_mae']:.2f}{_error(values['rank_mae_se'])}, and "
            f"{percent(values['dyads_correct'])} of dyads were in the correct order.",
            verdict,
            *([equal] if equal else []),
            *([UNCONNECTED] if unbounded else []),
            *unfitted(found),
        ),
        settings={"method": chosen, "runs": runs, "effort": list(efforts), **settings},
        citations=("goffe2018",),
        true_rank=found.true[:, order],
        estimated_rank=found.estimated[:, order],
        seed=each.seed,
        tables=tables,
    )


def method_of(method: str | None, settings: dict[str, Any]) -> str:
    """The method to apply: by its name, or the one that takes the settings."""
    if method is not None:
        return one_of("method", method, tuple(METHODS))
    strange = [name for name in settings if name not in signature(dynamic).parameters]
    if not strange:
        return "dynamic"
    unknown = [name for name in strange if name not in signature(elo).parameters]
    if unknown:
        raise ArgumentError(
            f"{option_name(unknown[0])} is no setting of dynamic or of elo. Name the method that "
            f"takes it: {option('method', 'elo_ml')}, for example."
        )
    return "elo"


def percent(share: float | None) -> str:
    """A share in percent; "none" if there is none."""
    return "none" if share is None else f"{share:.0%}"


def _error(error: float | None) -> str:
    return "" if error is None else f" (Monte Carlo error {error:.2f})"


def _efforts(effort: Any) -> list[float]:
    given: Any = [effort] if np.isscalar(effort) else effort
    if not isinstance(given, Iterable) or any(not is_number(v) or v <= 0 for v in given):
        raise ArgumentError(f"effort={effort!r}: give numbers > 0.")
    return [float(value) for value in given]


def _ranked(fitted: Estimate, worlds: Worlds) -> tuple[tuple[str, ...], np.ndarray, np.ndarray]:
    """Those present at the end, with their scores and ranks by the method."""
    score_of = dict(zip(fitted.names, fitted.score, strict=True))
    everybody = worlds.ratings.individuals
    names = tuple(
        name for name, is_there in zip(everybody, worlds.present, strict=True) if is_there
    )
    lowest = float(fitted.score.min()) - 1.0
    score = np.array([score_of.get(name, lowest) for name in names])
    return names, score, average_ranks(score)


def _given_the_data(worlds: Worlds, score: np.ndarray, outranks: np.ndarray) -> dict[str, float]:
    """Posterior probability of the order of a dyad, on average, and evidence of differences."""
    ahead = score[:, None] > score[None, :]
    return {
        "dyads_probability": float(outranks[ahead].mean()) if ahead.any() else 0.5,
        "p_equal": worlds.p_equal,
        "log_bf_differences": worlds.log_bf_differences,
    }


def _table(
    names: tuple[str, ...],
    rank: np.ndarray,
    order: np.ndarray,
    found: Found,
    right: np.ndarray,
    outranks: np.ndarray,
) -> pl.DataFrame:
    error = np.abs(found.estimated - found.true)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        columns: dict[str, Any] = {
            "individual": [names[i] for i in order],
            "rank": rank[order],
            "rank_error": np.nanmean(error, axis=0)[order],
            "rank_probability": right[order],
            "above_next": [*(float(outranks[a, b]) for a, b in pairwise(order)), np.nan],
        }
        for level in Z:
            name = "coverage" if level == "95" else f"coverage_{level}"
            columns[name] = np.nanmean(found.covered[level], axis=0)[order]
    return pl.DataFrame(columns).fill_nan(None)


def _over_time(contests: int, found: Found) -> pl.DataFrame:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mean = np.nanmean(found.over_time, axis=0)
    return pl.DataFrame({"contest": places_over_time(contests), "rank_mae": mean}).fill_nan(None)


def _effort_table(contests: int, efforts: list[float], found: list[Found]) -> pl.DataFrame:
    rows = []
    for effort, one in zip(efforts, found, strict=True):
        values = values_of(one)
        errors = ("rank_mae", "rank_mae_se", "dyads_correct", "dyads_correct_se")
        row = {"effort": effort, "contests": max(1, round(effort * contests))}
        rows.append(row | {name: values[name] for name in errors})
    return pl.DataFrame(rows)


RESOLVED = 0.95  # posterior probability of a rank, or of the order of two adjacent ranks
HARDLY = 0.9  # share of the error that is left
LEAST_SLOPE = 0.25  # of the error in the number of contests, both as logarithms


def verdict_of(
    ranked: list[str],
    rank_right: list[float],
    next_right: list[float | None],
    efforts: pl.DataFrame | None,
    contests: int,
) -> str:
    """Which ranks are resolved, which are not, and how many more contests would help."""
    size = len(ranked)
    resolved = [name for name, p in zip(ranked, rank_right, strict=True) if p >= RESOLVED]
    cuts = [i for i, p in enumerate(next_right[:-1]) if p is not None and p >= RESOLVED]
    groups, begin = [], 0
    for cut in [*cuts, size - 1]:
        groups.append((begin + 1, cut + 1))
        begin = cut + 1
    unresolved = [f"{a}–{b}" for a, b in groups if a < b]
    if not resolved:
        text = "No single rank is resolved with these data"
    elif len(resolved) == size:
        text = "All ranks are resolved"
    else:
        names = ", ".join(resolved[:6]) + (", …" if len(resolved) > 6 else "")
        text = f"{counted(len(resolved), 'rank is', 'ranks are')} resolved ({names})"
    if unresolved:
        text += (
            f"; adjacent individuals within ranks {', '.join(unresolved)} are not distinguishable"
        )
    return f"{text}{_more_contests(efforts, contests)}."


def _more_contests(efforts: pl.DataFrame | None, contests: int) -> str:
    """Number of contests that would halve the error, by a power law fitted to the efforts."""
    if efforts is None:
        return ""
    efforts = efforts.filter(pl.col("effort") >= 1).unique("effort").sort("effort").drop_nulls()
    if efforts.height < 2:
        return ""
    error = np.maximum(efforts["rank_mae"].to_numpy(), 1e-3)
    steps = np.log(efforts["effort"].to_numpy())
    slope = -np.polyfit(steps, np.log(error), 1)[0]
    at_last = -(np.log(error[-1]) - np.log(error[-2])) / (steps[-1] - steps[-2])
    if min(slope, at_last) < LEAST_SLOPE:  # it decreases slowly or levels off: no extrapolation
        last = efforts.row(-1, named=True)
        if error[-1] > HARDLY * error[0]:
            return f"; {last['effort']:g} times as many contests would hardly reduce the error"
        return (
            f"; {last['effort']:g} times as many contests would still leave "
            f"{error[-1] / error[0]:.0%} of the error"
        )
    more = (2 ** (1 / slope) - 1) * contests
    digits = 10 ** max(0, int(np.floor(np.log10(max(more, 1)))) - 1)
    return f"; about {round(more / digits) * digits:,} more contests would halve the error"

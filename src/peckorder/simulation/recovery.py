"""Reliability of ranks, from fits to simulated data like the observed ones."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from peckorder.checked import is_number, one_of, whole_number
from peckorder.data.interactions import Interactions
from peckorder.errors import ArgumentError, ArgumentTypeError, DataError
from peckorder.likelihood.elo_ml import elo_ml
from peckorder.ranks import average_ranks
from peckorder.results import Measure
from peckorder.runs import Progress, Runs
from peckorder.simulation.estimates import METHODS, Z
from peckorder.simulation.hierarchies import hierarchy, names_of
from peckorder.simulation.like import like, more, present_at_end, refuse_points
from peckorder.simulation.truth import Truth, dyads_right, errors
from peckorder.simulation.verdict import verdict_of
from peckorder.wording import counted

POINTS = 20  # at which the error over time is computed
# The defaults of elo_bayes.
FIRST_FIT = {"chains": 4, "warmup": 500, "samples": 1500, "threads": None}
NEGLIGIBLE = 0.02  # rank error that needs no further contests


def recovery(
    data: Interactions,
    *,
    method: str = "elo",
    runs: int = 200,
    effort: Sequence[float] | None = None,
    seed: Any = None,
    threads: int | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> Measure:
    """Reliability of ranks estimated from data like these.

    The data are fitted, data sets like them are simulated from the fit (`simulate.like`), each is
    fitted with the same method, and the result is compared with the known truth.

    Parameters
    ----------
    data : Interactions
    method : {"elo", "elo_ml", "elo_bayes", "randomized_elo", "davids_score"}
        For methods without a model (the last two), data are simulated from a penalized fit with
        constant strengths; for maximum-likelihood fits with several components, from a penalized
        fit. Posteriors are sampled with 2 chains of 500 draws unless set otherwise.
    runs : int
        Number of simulated data sets.
    effort : numbers
        Also simulate this many times as many contests between pairs that met, to predict the
        benefit of further observation; empty to omit. Default (2, 4), for fits (2,).
    seed, threads, progress
    settings : arguments of the method.

    Returns
    -------
    Measure
        Table, in order of rank among the individuals present at the end: individual, rank,
        rank_error (mean |estimated − true rank|), above_next (share of simulations in which the
        order of this individual and the next is correct), coverage_80, coverage_95 (of intervals,
        if the method has them). Values: `rank_mae`, `rank_correlation` (Spearman),
        `dyads_correct`, `coverage_80`, `coverage_95`, `verdict`. `over_time`: contest, rank_mae.
        `efforts`: effort, contests, rank_mae, dyads_correct. `.draws["true_rank"]` and
        `.draws["estimated_rank"]`: runs × individuals, ordered as in the table.

    References
    ----------
    Goffe, Fischer & Sennhenn-Reulen 2018, doi:10.1111/2041-210X.13072.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.recovery(po.datasets.adv(), k=200, runs=50, seed=1)
    >>> found.rank_mae < 1.5, found.table.height
    (True, 7)
    """
    if not isinstance(data, Interactions):
        raise ArgumentTypeError(
            f"recovery takes what peckorder.read returns, not {type(data).__name__}: "
            f"peckorder.recovery(peckorder.read(…))."
        )
    fit = _method(method)
    each = Runs.of(runs, seed, threads, progress)
    slow = method in ("elo_ml", "elo_bayes")
    efforts = _efforts(((2.0,) if slow else (2.0, 4.0)) if effort is None else effort)
    source, names, own, noted = _generator(data, method, settings, each.seed)
    with warnings.catch_warnings():  # the first fit has issued the warnings about the data
        warnings.simplefilter("ignore")
        study = _Study(fit, settings, source, names)
        found = study.runs(each, None)
        steps = [1.0, *efforts] if efforts else []
        scaled = [
            study.runs(_stream(each, i, 0.15 if slow else 0.5), factor, course=False)
            for i, factor in enumerate(steps, start=1)
        ]
    noted += _unfitted(found)
    order = np.argsort(-own, kind="stable")
    frame = _table(names, own, order, found)
    values = _values(found)
    table = _effort_table(len(data), steps, scaled) if efforts else None
    ranked = [names[i] for i in order]
    helped = None if (values["rank_mae"] or 0.0) <= NEGLIGIBLE else table
    verdict = verdict_of(ranked, frame["above_next"].to_list(), helped, len(data), each.number)
    tables = {"over_time": _over_time(len(data), found)}
    if table is not None:
        tables["efforts"] = table
    return Measure(
        method="recovery",
        data=data,
        values=values | {"verdict": verdict, "runs": each.number},
        frame=frame,
        summary=(
            f"In {counted(each.number, 'simulated data set')} like this one, the mean absolute "
            f"rank error was {values['rank_mae']:.2f}, and {_percent(values['dyads_correct'])} of "
            f"dyads were in the correct order.",
            verdict,
            *noted,
        ),
        settings={"method": method, "runs": runs, "effort": list(efforts), **settings},
        citations=("goffe2018",),
        draws={"true_rank": found.true[:, order], "estimated_rank": found.estimated[:, order]},
        seed=each.seed,
        tables=tables,
    )


def power(
    individuals: int = 10,
    spread: float = 3.0,
    *,
    effort: Sequence[int] = (100, 200, 400, 800),
    method: str = "elo",
    meeting: Any = "equal",
    strengths: Any = "grid",
    runs: int = 100,
    seed: Any = None,
    threads: int | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> Measure:
    """Expected errors of a planned study, by the number of contests observed.

    Parameters
    ----------
    individuals, spread, strengths, meeting : as in `simulate.hierarchy`.
    effort : numbers of contests.
    method, settings, runs, seed, threads, progress : as in `recovery`.

    Returns
    -------
    Measure
        Table: interactions, per_individual, rank_mae, rank_correlation, dyads_correct,
        coverage_95 and interval_width (if the method has intervals).

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.power(8, 3, effort=[50, 400], runs=20, seed=1)
    >>> few, many = found.table["rank_mae"]
    >>> few > many
    True
    """
    fit = _method(method)
    each = Runs.of(runs, seed, threads, progress)
    effort = [effort] if np.isscalar(effort) else list(effort)  # pyright: ignore
    if len(effort) == 0:
        raise ArgumentError("effort is empty: give at least one number of contests.")
    names = names_of(individuals)
    rows = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, contests in enumerate(effort, start=1):
            whole_number("effort", contests, 1)

            def make(run_seed: int, _: Any, contests=contests) -> tuple[Truth, Interactions]:
                return hierarchy(
                    individuals,
                    contests,
                    strengths=strengths,
                    spread=spread,
                    meeting=meeting,
                    seed=run_seed,
                )

            found = _Study(fit, settings, make, names).runs(_stream(each, number), None)
            _unfitted(found)
            errors_of = _values(found)
            rows.append(
                {
                    "interactions": contests,
                    "per_individual": 2 * contests / len(names),
                    **{
                        name: errors_of[name]
                        for name in ("rank_mae", "rank_correlation", "dyads_correct", "coverage_95")
                    },
                    "interval_width": found.width(),
                }
            )
            sample = make(each.seed, None)[1]
    frame = pl.DataFrame(rows, infer_schema_length=None)
    best = rows[-1]
    return Measure(
        method="power",
        data=sample,  # pyright: ignore[reportPossiblyUnboundVariable]
        frame=frame,
        summary=(
            f"With {counted(best['interactions'], 'contest')}, the mean absolute rank error is "
            f"{best['rank_mae']:.2f}, and {_percent(best['dyads_correct'])} of dyads are in the "
            f"correct order.",
        ),
        settings={
            "individuals": len(names),
            "spread": spread,
            "effort": list(effort),
            "method": method,
            "meeting": meeting if isinstance(meeting, str) else "given",
            "runs": runs,
            **settings,
        },
        citations=("goffe2018",),
        seed=each.seed,
    )


def _method(method: str) -> Callable:
    one_of("method", method, METHODS)
    return METHODS[method]


def _percent(share: float | None) -> str:
    return "none" if share is None else f"{share:.0%}"


def _efforts(effort: Any) -> list[float]:
    given: Any = [effort] if np.isscalar(effort) else effort
    if not isinstance(given, Iterable) or any(not is_number(v) or v <= 0 for v in given):
        raise ArgumentError(f"effort={effort!r}: give numbers > 0.")
    return [float(value) for value in given]


def _stream(runs: Runs, number: int, share: float = 1.0) -> Runs:
    """A share of the runs, with separate random streams."""
    own = max(10, round(runs.number * share)) if share < 1 else runs.number
    return Runs(own, runs.seed + 7919 * number, runs.threads, runs.progress)


Make = Callable[[int, float | None], tuple[Truth, Interactions]]


def _generator(
    data: Interactions, method: str, settings: dict[str, Any], seed: int
) -> tuple[Make, tuple[str, ...], np.ndarray, list[str]]:
    """A simulator of data like these, the ranked individuals, their scores, and notes."""
    whole = FIRST_FIT | settings if method == "elo_bayes" else settings
    fitted, noted = METHODS[method](data, whole, seed), []
    ratings = fitted.ratings
    if ratings is None:
        ratings = elo_ml(data, estimate="start", penalized=True)
    elif ratings.values.get("unbounded"):
        options: dict[str, Any] = settings | {"penalized": True}
        ratings = elo_ml(data, **options)
        noted.append(
            "Not all individuals are connected by wins in both directions, so data were simulated "
            "from a penalized fit. Coverage refers to the simulated data sets in which they are."
        )
    if len(ratings) != len(fitted.names):
        raise DataError(
            "The fit excludes some individuals of the data, so data like these cannot be simulated."
        )
    refuse_points(ratings)
    there = dict(zip(ratings.individuals, present_at_end(ratings.data), strict=True))
    own = np.array([there[name] for name in fitted.names])
    if own.sum() < 2:
        raise DataError("Fewer than two individuals are present at the end: nothing to rank.")

    def make(run_seed: int, effort: float | None) -> tuple[Truth, Interactions]:
        if effort is None:
            return like(ratings, seed=run_seed)
        return more(ratings, effort, np.random.default_rng(np.random.SeedSequence([run_seed, 5])))

    names = tuple(name for name, is_there in zip(fitted.names, own, strict=True) if is_there)
    return make, names, fitted.score[own], noted


@dataclass(frozen=True, eq=False)
class _Found:
    """Results, one entry (or row) per run; NaN for individuals missing from a data set."""

    estimated: np.ndarray  # ranks (runs, individuals)
    true: np.ndarray
    spearman: np.ndarray
    right: np.ndarray
    covered: dict[str, np.ndarray]
    widths: np.ndarray
    over_time: np.ndarray
    agree: np.ndarray  # (runs, individuals, individuals): 1 if the order of a dyad is correct

    def width(self) -> float | None:
        known = self.widths[np.isfinite(self.widths)]
        return float(known.mean()) if known.size else None


class _Study:
    """Data sets simulated, fitted and compared with the truth."""

    def __init__(self, fit: Callable, settings: dict[str, Any], make: Make, names: tuple[str, ...]):
        self.fit, self.settings, self.make = fit, settings, make
        self.place = {name: i for i, name in enumerate(names)}

    def runs(self, runs: Runs, effort: float | None, *, course: bool = True) -> _Found:
        number, size = runs.number, len(self.place)

        def empty(*shape: int) -> np.ndarray:
            return np.full((number, *shape), np.nan)

        out = _Found(
            estimated=empty(size),
            true=empty(size),
            spearman=empty(),
            right=empty(),
            covered={level: empty(size) for level in Z},
            widths=empty(),
            over_time=empty(POINTS),
            agree=empty(size, size),
        )
        seeds = np.random.SeedSequence(runs.seed).generate_state(number)

        def work(begin: int, end: int) -> None:
            for run in range(begin, end):
                self._one(run, int(seeds[run]), effort, out, course)

        runs.do(work, 1)
        return out

    def _one(self, run: int, seed: int, effort: float | None, out: _Found, course: bool) -> None:
        truth, data = self.make(seed, effort)
        try:
            estimate = self.fit(data, self.settings, seed)
        except DataError:  # counted and reported by _unfitted
            return
        final = dict(zip(truth.individuals, truth.final, strict=True))
        known = [
            i
            for i, name in enumerate(estimate.names)
            if name in self.place and not np.isnan(final[name])
        ]
        if len(known) < 2:
            return
        own = np.array([self.place[estimate.names[i]] for i in known])
        score = estimate.score[known]
        true = np.array([final[estimate.names[i]] for i in known])
        rank, true_rank = average_ranks(score), average_ranks(true)
        out.estimated[run, own], out.true[run, own] = rank, true_rank
        if np.ptp(rank) > 0 and np.ptp(true_rank) > 0:
            out.spearman[run] = np.corrcoef(rank, true_rank)[0, 1]
        out.right[run] = dyads_right(score, true).mean()
        agree = (1 + np.sign(score[:, None] - score) * np.sign(true[:, None] - true)) / 2
        out.agree[run][np.ix_(own, own)] = agree
        self._cover(run, estimate, known, own, true, true_rank, out)
        if course and estimate.ratings is not None and estimate.names == data.individuals:
            places = np.linspace(0, len(data), POINTS + 1)[1:].round().astype(int)
            places = np.maximum(places, 1)
            replay = estimate.ratings.course.replay
            rating = replay.at(data.times[places - 1], np.array(known))
            stretch = np.searchsorted(truth.begin, places - 1, side="right") - 1
            strength = truth.strengths[
                :, [truth.individuals.index(estimate.names[i]) for i in known]
            ]
            out.over_time[run] = errors(rating, strength[stretch])[0]

    def _cover(self, run, estimate, known, own, true, true_rank, out: _Found) -> None:
        """Whether intervals contain the truth; scores have no origin, so both are centered."""
        for level, ends in (estimate.intervals or {}).items():
            low, high = (end[known] for end in ends)
            target = true_rank
            if not estimate.of_ranks:
                shift = estimate.score[known].mean() - estimate.score.mean()
                low, high, target = low - shift, high - shift, true - true.mean()
            fine = np.isfinite(low) & np.isfinite(high)
            hit = (low - 1e-12 <= target) & (target <= high + 1e-12)
            out.covered[level][run, own[fine]] = hit[fine]
            if level == "95" and fine.any():
                out.widths[run] = float((high - low)[fine].mean())


def _unfitted(found: _Found) -> list[str]:
    """A note on data sets that could not be fitted; an error if none could."""
    lost = int(np.isnan(found.estimated).all(axis=1).sum())
    if lost == len(found.estimated):
        raise DataError("None of the simulated data sets could be fitted with these settings.")
    if not lost:
        return []
    return [f"Left out: {counted(lost, 'simulated data set')} that could not be fitted."]


def _values(found: _Found) -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        error = np.nanmean(np.abs(found.estimated - found.true))
        cover = {level: _mean(found.covered[level]) for level in Z}
        return {
            "rank_mae": None if np.isnan(error) else float(error),
            "rank_correlation": _mean(found.spearman),
            "dyads_correct": _mean(found.right),
            "coverage_80": cover["80"],
            "coverage_95": cover["95"],
        }


def _mean(values: np.ndarray) -> float | None:
    return float(np.nanmean(values)) if np.isfinite(values).any() else None


def _table(
    names: tuple[str, ...], own: np.ndarray, order: np.ndarray, found: _Found
) -> pl.DataFrame:
    error = np.abs(found.estimated - found.true)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        columns: dict[str, Any] = {
            "individual": [names[i] for i in order],
            "rank": average_ranks(own)[order],
            "rank_error": np.nanmean(error, axis=0)[order],
            "above_next": [
                *(float(np.nanmean(found.agree[:, a, b])) for a, b in pairwise(order)),
                np.nan,
            ],
        }
        for level in Z:
            columns[f"coverage_{level}"] = np.nanmean(found.covered[level], axis=0)[order]
    return pl.DataFrame(columns).fill_nan(None)


def _over_time(contests: int, found: _Found) -> pl.DataFrame:
    places = np.linspace(0, contests, POINTS + 1)[1:].round().astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mean = np.nanmean(found.over_time, axis=0)
    return pl.DataFrame({"contest": places, "rank_mae": mean}).fill_nan(None)


def _effort_table(contests: int, efforts: list[float], found: list[_Found]) -> pl.DataFrame:
    rows = []
    for effort, one in zip(efforts, found, strict=True):
        values = _values(one)
        rows.append(
            {
                "effort": effort,
                "contests": max(1, round(effort * contests)),
                "rank_mae": values["rank_mae"],
                "dyads_correct": values["dyads_correct"],
            }
        )
    return pl.DataFrame(rows)

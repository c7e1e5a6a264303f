"""Data sets that are simulated, fitted, and compared with the truth; one run each.

Truths that may be behind a record, and records like it that they give.

Estimates of each method from a data set: scores, and intervals if available.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from peckorder.data.contests import Contests
from peckorder.errors import DataError
from peckorder.executors.mapping import map_in_order
from peckorder.orders.davids_score import davids_score
from peckorder.random_runs import Runs
from peckorder.ranks import average_ranks
from peckorder.ratings.dynamic import DynamicRatings, dynamic
from peckorder.ratings.elo import elo
from peckorder.ratings.elo_bayes import elo_bayes
from peckorder.ratings.elo_ml import elo_ml
from peckorder.ratings.filter_trajectory import (
    Courses,
    drawn_courses,
    log_bayes_factor_of_differences,
)
from peckorder.ratings.randomized_elo import randomized_elo
from peckorder.results import Ratings
from peckorder.results.samples import SampledRatings, ranks
from peckorder.simulate.parametric_bootstrap import (
    drawn_scores,
    present_at_end,
    repeated_contests,
    resampled,
    with_outcome,
)
from peckorder.simulate.truth import Truth, dyads_right, errors
from peckorder.text import counted

POINTS = 20  # at which the error over time is computed
PARTS = 64  # of the runs, each computed by a worker
Make = Callable[[int, int, float | None], tuple[Truth, Contests]]  # run, seed, effort


def places_over_time(contests: int) -> np.ndarray:
    """Numbers of contests, in equal steps, after which the error is computed."""
    return np.maximum(np.linspace(0, contests, POINTS + 1)[1:].round().astype(int), 1)


def stream(runs: Runs, number: int, share: float = 1.0) -> Runs:
    """A share of the runs, with separate random streams."""
    own = min(runs.number, max(10, round(runs.number * share)))
    return replace(runs, number=own, seed=runs.seed + 7919 * number)


@dataclass(frozen=True, eq=False)
class Found:
    """Results, one entry (or row) per run; NaN for individuals missing from a data set."""

    estimated: np.ndarray  # ranks (runs, individuals)
    true: np.ndarray
    spearman: np.ndarray
    right: np.ndarray
    covered: dict[str, np.ndarray]
    widths: np.ndarray
    over_time: np.ndarray

    @classmethod
    def empty(cls, number: int, size: int) -> Found:
        """Room for the results of some runs."""

        def room(*shape: int) -> np.ndarray:
            return np.full((number, *shape), np.nan)

        return cls(
            estimated=room(size),
            true=room(size),
            spearman=room(),
            right=room(),
            covered={level: room(size) for level in Z},
            widths=room(),
            over_time=room(POINTS),
        )

    def width(self) -> float | None:
        """Mean width of 95% intervals; None without intervals."""
        known = self.widths[np.isfinite(self.widths)]
        return float(known.mean()) if known.size else None


class Study:
    """Data sets simulated, fitted and compared with the truth."""

    def __init__(self, fit: Callable, settings: dict[str, Any], make: Make, names: tuple[str, ...]):
        self.fit, self.settings, self.make = fit, settings, make
        self.place = {name: i for i, name in enumerate(names)}

    def runs(self, runs: Runs, effort: float | None, *, course: bool = True) -> Found:
        """All runs, with the errors over time if `course`."""
        seeds = np.random.SeedSequence(runs.seed).generate_state(runs.number)
        if runs.executor is not None:
            parts = [
                (int(own[0]), seeds[own])
                for own in np.array_split(np.arange(runs.number), min(PARTS, runs.number))
            ]
            shared = (self, effort, course)
            return _joined(in_parts(_part, parts, shared, runs))
        out = Found.empty(runs.number, len(self.place))

        def work(begin: int, end: int) -> None:
            for run in range(begin, end):
                self.one(run, run, int(seeds[run]), effort, out, course)

        runs.do(work, 1)
        return out

    def one(
        self, run: int, number: int, seed: int, effort: float | None, out: Found, course: bool
    ) -> None:
        """One run, by its number among all, whose results are put in a row of `out`."""
        truth, data = self.make(number, seed, effort)
        try:
            estimate = self.fit(data, self.settings, seed)
        except DataError:  # counted and reported by `unfitted`
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
        right = dyads_right(score, true)
        if np.isfinite(right).all():  # dyads with an individual that is missing are guesses
            dyads = len(self.place) * (len(self.place) - 1) / 2
            out.right[run] = (right.sum() + 0.5 * (dyads - right.size)) / dyads
        self._cover(run, estimate, known, own, true, true_rank, out)
        if course and estimate.ratings is not None and estimate.names == data.individuals:
            places = places_over_time(len(data))
            replay = estimate.ratings.course.replay
            rating = replay.at(data.times[places - 1], np.array(known))
            stretch = np.searchsorted(truth.begin, places - 1, side="right") - 1
            strength = truth.strengths[
                :, [truth.individuals.index(estimate.names[i]) for i in known]
            ]
            out.over_time[run] = errors(rating, strength[stretch])[0]

    def _cover(self, run, estimate, known, own, true, true_rank, out: Found) -> None:
        """Whether intervals contain the truth; scores have no origin, so both are centered."""
        for level, ends in (estimate.intervals or {}).items():
            low, high = (end[known] for end in ends)
            target = true_rank
            if not estimate.of_ranks:
                shift = estimate.score[known].mean() - estimate.score.mean()
                low, high = low - shift, high - shift
                target = (true - true.mean()) * estimate.unit
            fine = np.isfinite(low) & np.isfinite(high)
            hit = (low - 1e-12 <= target) & (target <= high + 1e-12)
            out.covered[level][run, own[fine]] = hit[fine]
            if level == "95" and fine.any():
                out.widths[run] = float((high - low)[fine].mean())


def in_parts(function: Any, parts: list[Any], shared: Any, runs: Runs) -> list[Any]:
    """Parts of the runs by the workers of an executor, in order, with progress in runs."""
    progress = runs.progress

    def in_runs(done: int, of: int) -> None:
        if progress is not None:
            progress(round(runs.number * done / of), runs.number)

    return map_in_order(function, parts, shared=shared, executor=runs.executor, progress=in_runs)


def _part(shared: tuple[Study, float | None, bool], part: tuple[int, np.ndarray]) -> Found:
    """Some of the runs, in a worker."""
    (study, effort, course), (first, seeds) = shared, part
    out = Found.empty(len(seeds), len(study.place))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i, seed in enumerate(seeds):
            study.one(i, first + i, int(seed), effort, out, course)
    return out


def _joined(parts: list[Found]) -> Found:
    columns: dict[str, Any] = {
        one.name: np.concatenate([getattr(part, one.name) for part in parts])
        for one in fields(Found)
        if one.name != "covered"
    }
    covered = {level: np.concatenate([part.covered[level] for part in parts]) for level in Z}
    return Found(**columns, covered=covered)


def unfitted(found: Found) -> list[str]:
    """A note on data sets that could not be fitted; an error if none could."""
    lost = int(np.isnan(found.estimated).all(axis=1).sum())
    if lost == len(found.estimated):
        raise DataError("None of the simulated data sets could be fitted with these settings.")
    if not lost:
        return []
    return [f"Left out: {counted(lost, 'simulated data set')} that could not be fitted."]


def values_of(found: Found) -> dict[str, Any]:
    """Errors of ranks over all runs, and coverage of intervals."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        error = np.nanmean(np.abs(found.estimated - found.true))
        by_run = np.nanmean(np.abs(found.estimated - found.true), axis=1)
        cover = {level: mean_or_none(found.covered[level]) for level in Z}
        return {
            "value": mean_or_none(found.spearman),
            "rank_mae": None if np.isnan(error) else float(error),
            "rank_mae_se": monte_carlo_error_of(by_run),
            "dyads_correct": mean_or_none(found.right),
            "dyads_correct_se": monte_carlo_error_of(found.right),
            "coverage_80": cover["80"],
            "coverage": cover["95"],
        }


def mean_or_none(values: np.ndarray) -> float | None:
    """Mean of the known values; None if there are none."""
    return float(np.nanmean(values)) if np.isfinite(values).any() else None


def monte_carlo_error_of(values: np.ndarray) -> float | None:
    """Standard error of the mean of the known values; None if there are fewer than two."""
    known = values[np.isfinite(values)]
    return float(known.std(ddof=1) / np.sqrt(known.size)) if known.size > 1 else None


PRIOR_EQUAL = 0.2  # probability, before the data, that all individuals are equal
MAY_BE = 0.1  # posterior probability of equal individuals from which it is mentioned
HARDLY = 1e-9  # differences between equal individuals, whose order is arbitrary


def posterior_of(data: Contests, seed: int, threads: int | None) -> DynamicRatings:
    """Dynamic ratings of a record; a home advantage is estimated if sides are at home."""
    home = data.home is not None and bool(data.home.any())
    return dynamic(data, home_advantage="estimate" if home else None, seed=seed, threads=threads)


def may_be_equal(p_equal: float) -> str | None:
    """A sentence if all individuals may be equal."""
    if p_equal < MAY_BE:
        return None
    return (
        f"All individuals may be equal (σ = 0; posterior probability {p_equal:.2f}, prior "
        f"{PRIOR_EQUAL:.2f}): there may be no ranks to recover."
    )


@dataclass(frozen=True, eq=False)
class Worlds:
    """Draws of the truth behind a record."""

    ratings: DynamicRatings
    places: np.ndarray  # contests, from 0, at which strengths are kept
    courses: Courses
    present: np.ndarray  # mask of the individuals in the group at the end
    log_bf_differences: float  # of individuals that differ against equal ones

    @classmethod
    def of(cls, ratings: DynamicRatings, number: int, seed: int) -> Worlds:
        """Draws from the posterior, one per simulated record."""
        present = present_at_end(ratings.data)
        if present.sum() < 2:
            raise DataError("Fewer than two individuals are present at the end: nothing to rank.")
        places = np.unique(places_over_time(len(ratings.data)) - 1)
        sequence = np.random.SeedSequence([seed, 8])
        drawn = drawn_courses(ratings.bank, number, places, sequence)
        factor = log_bayes_factor_of_differences(ratings.bank)
        worlds = cls(ratings, places, drawn, present, factor)
        random = np.random.default_rng(np.random.SeedSequence([seed, 9]))
        worlds._level(random.random(number) < worlds.p_equal, random)
        return worlds

    @property
    def p_equal(self) -> float:
        """Posterior probability that all individuals are equal."""
        odds = np.exp(np.clip(self.log_bf_differences, -500, 500)) * (1 - PRIOR_EQUAL)
        return float(PRIOR_EQUAL / (PRIOR_EQUAL + odds))

    def _level(self, runs: np.ndarray, random: np.random.Generator) -> None:
        """Make individuals equal in these runs, in an arbitrary order that does not change."""
        bank = self.ratings.bank
        coefficients, _ = bank.coefficient_moments()
        self.courses.logits[runs] = bank.record.covariates @ coefficients[1:]
        strengths = self.courses.strengths
        order = HARDLY * random.standard_normal((int(runs.sum()), 1, strengths.shape[2]))
        strengths[runs] = np.where(np.isnan(strengths[runs]), np.nan, order)

    def record(self, run: int, seed: int, effort: float | None) -> tuple[Truth, Contests]:
        """A truth and a record of it; with an effort, that many times the contests."""
        random = np.random.default_rng(np.random.SeedSequence([seed, 5]))
        data, nu = self.ratings.data, self.ratings.bank.nu
        own = resampled(len(data), 1.0 if effort is None else effort, random)
        score = drawn_scores(self.courses.logits[run, own], nu, random)
        strengths = self.courses.strengths[run].copy()
        strengths[-1, ~self.present] = np.nan
        begin = np.searchsorted(own, self.places)
        truth = Truth(data.individuals, begin, strengths, len(own))
        return truth, with_outcome(repeated_contests(data, own), score)

    def order_probabilities(self, rank: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Posterior probabilities that ranks among those present are right, given the record.

        First, that the rank of each individual is its true rank; second, for all pairs, that the
        first outranks the second.
        """
        draws = self.ratings.final[:, self.present]
        right = (ranks(draws) == rank).mean(axis=0)
        outranks = (draws[:, :, None] > draws[:, None, :]).mean(axis=0)
        equal = self.p_equal
        chance = equal / len(rank)
        return (1 - equal) * right + chance, (1 - equal) * outranks + equal / 2


SMALL_FITS = {"chains": 2, "warmup": 300, "samples": 500, "threads": 1}
FEW_DRAWS = 1000
Z = {"80": 1.2815515655446004, "95": 1.959963984540054}


@dataclass(frozen=True, eq=False)
class Estimate:
    """Scores of individuals by a method, with intervals of scores or ranks if available."""

    names: tuple[str, ...]
    score: np.ndarray
    ratings: Ratings | None = None
    intervals: dict[str, tuple[np.ndarray, np.ndarray]] | None = None
    of_ranks: bool = False
    unit: float = 1.0  # of the scores, per unit of the natural scale


def _elo(data: Contests, settings: dict[str, Any], _: int) -> Estimate:
    found = elo(data, **settings)
    return Estimate(found.individuals, found.rating, found)


def _elo_ml(data: Contests, settings: dict[str, Any], _: int) -> Estimate:
    found = elo_ml(data, **settings)
    se = found.columns["rating_se"]
    center = found.rating - found.rating.mean()
    ends = {level: (center - z * se, center + z * se) for level, z in Z.items()}
    if found.values.get("unbounded"):  # distances between components are not estimates
        ends = None
    return Estimate(found.individuals, found.rating, found, ends, unit=1 / found.curve.slope)


def _elo_bayes(data: Contests, settings: dict[str, Any], seed: int) -> Estimate:
    options: dict[str, Any] = SMALL_FITS | settings
    found = elo_bayes(data, **options, seed=seed)
    return _sampled(found)


def _dynamic(data: Contests, settings: dict[str, Any], seed: int) -> Estimate:
    options: dict[str, Any] = {"samples": FEW_DRAWS, "threads": 1} | settings
    return _sampled(dynamic(data, **options, seed=seed))


def _sampled(found: SampledRatings) -> Estimate:
    draws = found.final
    draws = draws - draws.mean(axis=1, keepdims=True)
    low, low80, high80, high = np.quantile(draws, [0.025, 0.1, 0.9, 0.975], axis=0)
    ends = {"80": (low80, high80), "95": (low, high)}
    return Estimate(found.individuals, found.rating, found, ends, unit=1 / found.curve.slope)


def _randomized_elo(data: Contests, settings: dict[str, Any], seed: int) -> Estimate:
    options: dict[str, Any] = {"runs": 200, "threads": 1} | settings
    found = randomized_elo(data, **options, seed=seed)
    frame = found.as_polars()
    place = {name: i for i, name in enumerate(frame["individual"])}
    own = [place[name] for name in data.individuals]
    low, high = (frame[f"rank_{end}"].to_numpy()[own] for end in ("low", "high"))
    return Estimate(data.individuals, -found.rank, None, {"95": (low, high)}, of_ranks=True)


def _davids_score(data: Contests, settings: dict[str, Any], _: int) -> Estimate:
    found = davids_score(data, **settings)
    return Estimate(found.individuals, -found.rank)


METHODS: dict[str, Callable[[Contests, dict[str, Any], int], Estimate]] = {
    "dynamic": _dynamic,
    "elo": _elo,
    "elo_ml": _elo_ml,
    "elo_bayes": _elo_bayes,
    "randomized_elo": _randomized_elo,
    "davids_score": _davids_score,
}

"""Data sets that are simulated, fitted, and compared with the truth; one run each."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from peckorder.data.interactions import Interactions
from peckorder.errors import DataError
from peckorder.executors.mapping import map_in_order
from peckorder.ranks import average_ranks
from peckorder.runs import Runs
from peckorder.simulation.estimates import Z
from peckorder.simulation.truth import Truth, dyads_right, errors
from peckorder.wording import counted

POINTS = 20  # at which the error over time is computed
PARTS = 64  # of the runs, each computed by a worker
Make = Callable[[int, int, float | None], tuple[Truth, Interactions]]  # run, seed, effort


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
            "rank_mae": None if np.isnan(error) else float(error),
            "rank_mae_error": monte_carlo_error_of(by_run),
            "rank_correlation": mean_or_none(found.spearman),
            "dyads_correct": mean_or_none(found.right),
            "dyads_correct_error": monte_carlo_error_of(found.right),
            "coverage_80": cover["80"],
            "coverage_95": cover["95"],
        }


def mean_or_none(values: np.ndarray) -> float | None:
    """Mean of the known values; None if there are none."""
    return float(np.nanmean(values)) if np.isfinite(values).any() else None


def monte_carlo_error_of(values: np.ndarray) -> float | None:
    """Standard error of the mean of the known values; None if there are fewer than two."""
    known = values[np.isfinite(values)]
    return float(known.std(ddof=1) / np.sqrt(known.size)) if known.size > 1 else None

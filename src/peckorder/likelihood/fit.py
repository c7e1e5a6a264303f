"""The maximum of an Elo likelihood, or its limit if there is none, with standard errors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from peckorder.data.interactions import Interactions
from peckorder.kernels.courses import Draws, photograph
from peckorder.likelihood.components import components_of
from peckorder.likelihood.contests import Observed
from peckorder.likelihood.maximum import (
    MOST_CURVED,
    Problem,
    interior,
    maximize,
    observed_information,
    profile_interval,
    spread_of,
)
from peckorder.ranking.paired_fit import errors_around
from peckorder.sequential import policies
from peckorder.sequential.settings import EloSettings

FIRST_K = (0.02, 0.3, 2.0)
APART = 40.0  # natural units between components: a winning probability of 1 − 4e-18
MATTERS = 1e-4


@dataclass(frozen=True, eq=False)
class Fit:
    """The maximum of the likelihood of one data set for one set of free parameters.

    Attributes
    ----------
    whole : the problem with all contests
    problem : the problem that was maximized; with `limit`, without contests between components
    components : strongly connected components, highest first
    x : position of the maximum
    idle : for each k, whether no outcome depends on it
    """

    seen: Observed
    settings: EloSettings
    estimate: tuple[str, ...]
    whole: Problem
    problem: Problem
    components: list[np.ndarray]
    x: np.ndarray
    idle: np.ndarray
    limit: bool

    @property
    def data(self) -> Interactions:
        """The contests that were fitted."""
        return self.seen.data

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the individuals."""
        return self.seen.data.individuals

    @property
    def slope(self) -> float:
        """Slope of the curve: natural units per rating point."""
        return self.settings.curve.slope

    # -- derived quantities ------------------------------------------------------------------

    @cached_property
    def covariance(self) -> np.ndarray | None:
        """Covariance of all parameters; None if there are too many of them."""
        if self.problem.size > MOST_CURVED:
            return None
        inside = interior(self.problem, self.x)
        information = observed_information(self.problem, self.x)[np.ix_(inside, inside)]
        covariance = np.zeros((self.problem.size, self.problem.size))
        covariance[np.ix_(inside, inside)] = np.linalg.pinv(information, hermitian=True, rcond=1e-9)
        return covariance

    @property
    def parameters(self) -> int:
        """Number of identifiable parameters."""
        number = self.whole.size - int(self.idle.sum())
        return number - ("start" in self.estimate and self.settings.preset is None)

    def _level(self) -> float:
        """The reported mean of starting scores, on the natural scale."""
        if "start" not in self.estimate:
            return 0.0
        return float(policies.starts(self.settings, self.names).mean() * self.slope)

    def course_settings(self) -> EloSettings:
        """The settings with which `elo` reproduces the fitted ratings."""
        x = self.x
        if self.limit:
            x = _apart(self.problem, self.components, x, APART)
        start, k, _, home = self.whole.unfold(x)
        if "start" in self.estimate:
            if not self.limit:
                start = start - start.mean()
            start = start + self._level()
        by_class: Any = float(k[0]) / self.slope
        if self.seen.classes:
            by_class = {
                name: float(one) / self.slope
                for name, one in zip(self.seen.classes, k[:-1], strict=True)
            }
        # Nine digits, so that scores which differ only by rounding errors have equal ranks.
        starts = dict(zip(self.names, np.round(start, 9) / self.slope, strict=True))
        return replace(
            self.settings, k=by_class, start=starts, home_advantage=home / self.slope, preset=None
        )

    def columns(self) -> dict[str, np.ndarray]:
        """Starting scores, and standard errors of these and of the final ratings."""
        size = len(self.names)
        start = policies.starts(self.course_settings(), self.names)
        columns = {"start": start}
        errors = np.full((2, size), np.nan)
        if self.covariance is not None:
            places = self.problem.layout
            if "start" in places:
                errors[0] = self._errors(self.covariance[places["start"], places["start"]])
            errors[1] = self._errors(spread_of(self.covariance, self._finals, self.x))
        columns["start_se"], columns["rating_se"] = errors / self.slope
        component = np.empty(size, np.int64)
        for c, own in enumerate(self.components, start=1):
            component[own] = c
        return columns | {"component": component}

    def _errors(self, covariance: np.ndarray) -> np.ndarray:
        """Standard errors relative to the mean of the individuals with finite differences."""
        out = np.full(len(self.names), np.nan)
        sets = self.components if self.limit else [np.arange(len(self.names))]
        for own in sets:
            if len(own) > 1:
                out[own] = errors_around(
                    covariance[np.ix_(own, own)], np.full(len(own), 1 / len(own))
                )
        return out

    def _finals(self, x: np.ndarray) -> np.ndarray:
        return _scores_at(self.problem, x, np.array([self.problem.contests.first.size]))[0]

    def interval(self, place: int, level: float, low: float, high: float):
        """Estimate, standard error and profile interval of one parameter (natural scale)."""
        at = float(self.x[place])
        variance = 0.0 if self.covariance is None else self.covariance[place, place]
        se = float(np.sqrt(variance)) if variance > 0 else None
        left, right = profile_interval(self.problem, self.x, place, level, low, high)
        if left is None and low == 0.0:
            left = 0.0
        return at, se, left, right


def estimates_of_k(fit: Fit, seen: Observed) -> np.ndarray:
    """Estimates of k from the same contests in another order, starting from this maximum."""
    whole = _problem(seen, fit.settings, fit.estimate, fit.whole.prior_sd)
    problem = _without_contests_between(whole, fit.components) if fit.limit else whole
    start, _, nu, home = problem.unfold(fit.x)
    x, _ = maximize(problem, [fit.x, problem.position(start, FIRST_K[1], home, nu or 0.5)])
    return problem.unfold(x)[1][:-1] / fit.slope


def fitted(
    seen: Observed, settings: EloSettings, estimate: tuple[str, ...], prior_sd: float
) -> Fit:
    """Find the maximum of the likelihood, or its limit if differences in score are unbounded."""
    whole = _problem(seen, settings, estimate, prior_sd)
    components, guess = components_of(seen, estimate, bool(np.isfinite(prior_sd)))
    ability = guess if "start" in estimate else whole.start
    starts = _starts(whole, ability, estimate)
    problem, limit = whole, False
    if len(components) > 1 and not np.isfinite(prior_sd):
        problem = _without_contests_between(whole, components)
        x, value = maximize(problem, _starts(problem, ability, estimate))
        # With k above 0 a finite distance may still fit better, because contests between
        # components then update the scores within them.
        near = _apart(whole, components, x, 6.0)
        finite, finite_value = maximize(whole, [near, *starts[1:2]])
        limit = not finite_value > value + MATTERS
        if not limit:
            problem, x = whole, finite
    else:
        x, _ = maximize(whole, starts)
    x, idle = _idle_at_zero(problem, x)
    return Fit(seen, settings, estimate, whole, problem, components, x, idle, limit)


def _problem(
    seen: Observed, settings: EloSettings, estimate: tuple[str, ...], prior_sd: float
) -> Problem:
    slope = settings.curve.slope
    given = policies.starts(settings, seen.data.individuals) * slope
    k = np.full(max(1, len(seen.classes)) + 1, float(settings.k) * slope)
    k[-1] = 0.0 if settings.burn_in is None else settings.burn_in[1] * slope
    if "start" in estimate:
        given = given - given.mean()
    home = cast(float, settings.home_advantage) * slope
    return Problem(seen.contests, given, k, home, seen.with_draws, frozenset(estimate), prior_sd)


def _starts(problem: Problem, ability: np.ndarray, estimate: tuple[str, ...]) -> list[np.ndarray]:
    firsts = FIRST_K if "k" in estimate else FIRST_K[:1]
    return [problem.position(ability * (1 if k < 1 else 0.3), k) for k in firsts]


def _without_contests_between(whole: Problem, components: list[np.ndarray]) -> Problem:
    """Components infinitely far apart: contests between them are certain and change no score."""
    component = np.empty(len(whole.start), np.int64)
    for c, own in enumerate(components):
        component[own] = c
    contests = whole.contests
    inside = component[contests.first] == component[contests.second]

    def cut(array: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(array[inside]) if array.size else array

    within = contests._replace(
        first=cut(contests.first),
        second=cut(contests.second),
        draw=cut(contests.draw),
        home=cut(contests.home),
        k_of=cut(contests.k_of),
        counted=int(inside[: contests.counted].sum()),
    )
    if not inside.any():  # no contest within a component: k is not identifiable
        within = within._replace(draw=np.zeros(0, bool))
    return replace(whole, contests=within, work=[])


def _idle_at_zero(problem: Problem, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Position with every idle k (no effect on the likelihood) set to 0, and which k are idle."""
    place = problem.layout.get("k")
    if place is None:
        return x, np.zeros(len(problem.k) - 1, bool)
    idle = np.zeros(place.stop - place.start, bool)
    for c in range(len(idle)):
        values = []
        for k in (0.0, 0.5, 2.0):
            other = x.copy()
            other[place.start + c] = k
            values.append(problem.value(other)[0])
        idle[c] = np.ptp(values) < 1e-10
    x = x.copy()
    x[place][idle] = 0.0
    return x, idle


def _apart(problem: Problem, components: list[np.ndarray], x: np.ndarray, gap: float) -> np.ndarray:
    """The same position with components separated by `gap`, centered on the largest one."""
    out = x.copy()
    start = out[problem.layout["start"]]
    low, high = _course_range(problem, x)
    floor = np.inf
    for own in components:
        start[own] -= start[own].mean()
    shift = np.zeros(len(start))
    for own in components:
        if np.isfinite(floor):
            shift[own] = floor - gap - (start[own] + high[own]).max()
        floor = (start[own] + low[own] + shift[own]).min()
    start += shift
    start -= start[max(components, key=len)].mean()
    return out


def _course_range(problem: Problem, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Largest distance of each score below and above its starting value."""
    start, k, _, _ = problem.unfold(x)
    places = np.arange(problem.contests.first.size + 1)
    if len(places) * len(start) > 50_000_000:  # use a bound instead of all scores
        moved = np.full(len(start), k.max() * np.sqrt(len(places)))
        return -moved, moved
    course = _scores_at(problem, x, places) - start
    return course.min(axis=0), course.max(axis=0)


def _scores_at(problem: Problem, x: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Scores of all individuals after given numbers of contests, (places, individuals)."""
    start, k, nu, home = problem.unfold(x)
    out = np.empty((len(places), 1, len(start)))
    draw = Draws(start[None], k[None], np.array([nu]), np.array([home]))
    photograph(problem.contests, draw, places, np.arange(len(start)), out, True, 0)
    return out[:, 0]

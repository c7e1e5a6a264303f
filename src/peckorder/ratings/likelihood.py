"""The maximum of an Elo likelihood, or its limit if there is none, with standard errors.

Contests as arrays of a likelihood: contests that count, their k, arrivals and departures.

Connected components of the wins, and what cannot be estimated if there are several.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from peckorder.curves import Curve, Exponential, curve_from
from peckorder.data.checks import pooled_groups
from peckorder.data.contests import Contests
from peckorder.data.date_columns import whole_days
from peckorder.data.effects import NOBODY_AT_HOME
from peckorder.data.matrix import Matrix
from peckorder.data.read import opened_contests
from peckorder.data.same_time import random_order, stamp_numbers
from peckorder.errors import DataError, DataWarning, caution
from peckorder.kernels.likelihood import CENTER, ENTER, LEAVE, ContestArrays
from peckorder.kernels.trajectories import Draws, photograph
from peckorder.ranks import in_braces, linked, strong
from peckorder.ratings import elo_arrays
from peckorder.ratings.maximum import (
    MOST_CURVED,
    Problem,
    interior,
    maximize,
    observed_information,
    profile_interval,
    spread_of,
)
from peckorder.ratings.paired_fit import errors_around, label_of
from peckorder.ratings.paired_model import DyadRecord, maximum, ties_unbounded
from peckorder.ratings.settings import EloSettings
from peckorder.text import counted, option, option_name, quoted
from peckorder.validate import one_of

TIES = ("davidson", "omit")
CENTERINGS = ("none", "present")
NONE = np.zeros(0, np.int64)


@dataclass(frozen=True)
class Observed:
    """Contests with their arrays, and the classes of k by name (none if k is the same for all)."""

    data: Contests
    contests: ContestArrays
    classes: tuple[str, ...] = ()
    left_out: int = 0

    @property
    def with_draws(self) -> bool:
        """Whether the likelihood includes ties."""
        return bool(self.contests.draw[self.contests.counted :].any())

    @property
    def number(self) -> int:
        """Number of contests in the likelihood."""
        return len(self.data) - int(self.contests.counted)


def contests_of(data: Any, what: str) -> Contests:
    """The contests to fit: at least one, between at least two individuals."""
    if isinstance(data, Matrix):
        data = Contests.from_matrix(data)
    data = opened_contests(data, what)
    if len(data.individuals) < 2 or len(data) == 0:
        raise DataError(
            f"Too few data: {counted(len(data.individuals), 'individual')} and "
            f"{counted(len(data), 'contest')}. A fit needs at least one contest between two "
            f"individuals."
        )
    return data


def note_groups(data: Contests) -> None:
    """Warn if several groups are fitted as one."""
    if line := pooled_groups(data):
        caution(line)


def _warn_of_unknown_order() -> None:
    caution(
        "The order of these contests is unknown (they come from a matrix or from counts), but "
        "ratings that change over time depend on it. Neither k nor this ranking is reliable. Fit "
        f"a static hierarchy ({option('k', '0')}; for maximum likelihood "
        f"{option('estimate', 'start')}), or use Bradley–Terry, randomized Elo or posterior "
        "steepness."
    )


def observe(
    data: Contests,
    *,
    ties: str = "davidson",
    by_context: bool = False,
    counted_from: int = 0,
    home: bool = False,
    home_in_update: bool = False,
    centering: str = "none",
    static: bool = False,
) -> Observed:
    """Convert contests to the arrays of a likelihood."""
    one_of("ties", ties, TIES)
    one_of("centering", centering, CENTERINGS)
    if not data.ordered and not static:
        _warn_of_unknown_order()
    drawn = data.draw is not None and bool(data.draw.any())
    left_out = 0
    if data.draw is not None and drawn and ties == "omit":
        left_out = int(data.draw.sum())
        if left_out == len(data):
            raise DataError(
                f"All contests are ties, and {option('ties', 'omit')} excludes them all. Use "
                f"{option('ties', 'davidson')}."
            )
        before = data.individuals
        data, drawn = data.take(np.flatnonzero(~data.draw)), False
        lost = [name for name in before if name not in set(data.individuals)]
        if lost:
            caution(
                f"Excluded because all their contests are ties: {quoted(lost)}. To keep them, use "
                f"{option('ties', 'davidson')}."
            )
    if counted_from >= len(data):
        raise DataError(
            f"The burn-in includes all {counted(len(data), 'contest')}, so none remain to fit. "
            f"Shorten {option_name('burn_in')}."
        )
    classes: tuple[str, ...] = ()
    k_of = np.zeros(0, np.int32)
    if by_context:
        if data.context is None:
            raise DataError(
                f"k by context needs a column of contexts. Name it with {option('context')}."
            )
        classes, k_of = data.context.names, data.context.codes.astype(np.int32)
    if counted_from:
        k_of = np.zeros(len(data), np.int32) if k_of.size == 0 else k_of.copy()
        k_of[:counted_from] = max(1, len(classes))
    if home and data.home is None:
        raise DataError(NOBODY_AT_HOME)
    events = _arrivals_and_departures(data) if centering == "present" else (NONE, NONE, NONE)
    contests = ContestArrays(
        first=np.ascontiguousarray(data.winner, np.int32),
        second=np.ascontiguousarray(data.loser, np.int32),
        draw=np.ascontiguousarray(data.draw) if drawn else np.zeros(0, bool),
        home=data.home.astype(np.float64) if home and data.home is not None else np.zeros(0),
        home_in_update=bool(home_in_update),
        k_of=k_of,
        counted=int(counted_from),
        event_at=events[0],
        event_kind=events[1],
        event_who=events[2],
        event_hall=np.zeros(len(events[0]), np.int64),
    )
    return Observed(data, contests, classes, left_out)


def picked(contests: ContestArrays, own: np.ndarray | slice) -> ContestArrays:
    """Some of the contests, in this order; arrivals and departures stay where they are."""
    arrays = {name: getattr(contests, name) for name in ("first", "second", "draw", "home", "k_of")}
    return contests._replace(
        **{name: np.ascontiguousarray(a[own]) if a.size else a for name, a in arrays.items()}
    )


def reordered(seen: Observed, number: int) -> Observed:
    """The contests in one of many random orders within their time stamps."""
    data, contests = seen.data, seen.contests
    order = random_order(stamp_numbers(data.times), number)
    k_of = contests.k_of
    if k_of.size:
        own = data.context.codes if seen.classes and data.context is not None else k_of * 0
        k_of = own[order].astype(np.int32)
        k_of[: contests.counted] = max(1, len(seen.classes))
    return replace(seen, contests=picked(contests, order)._replace(k_of=k_of))


def first_contests(contests: ContestArrays, number: int) -> ContestArrays:
    """The first contests only, and who comes and goes before the last of them."""
    keep = contests.event_at < max(number, 1)
    events = {
        name: getattr(contests, name)[keep]
        for name in ("event_at", "event_kind", "event_who", "event_hall")
    }
    return picked(contests, slice(number))._replace(**events)


def observe_as(data: Contests, settings: dict[str, Any]) -> Observed:
    """The arrays of a posterior with these settings, without repeating warnings on the data."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return observe(
            data,
            ties=settings["ties"],
            by_context=settings["k"] == "context",
            home=settings["home_advantage"] is not None,
            home_in_update=settings["home_in_update"],
            centering=settings["centering"],
        )


def _arrivals_and_departures(data: Contests) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Arrivals and departures by the contest that follows them, each with a centering."""
    if data.presence is None:
        raise DataError(
            f"{option('centering', 'present')} needs presence data, and there are none. Supply "
            f"them with {option('presence')}."
        )
    days = whole_days(data.times)
    codes = {name: i for i, name in enumerate(data.individuals)}
    rows = []
    for name, start, end in zip(
        data.presence.individual, data.presence.start, data.presence.end, strict=True
    ):
        arrival = int(np.searchsorted(days, start, side="left"))
        departure = int(np.searchsorted(days, end, side="right"))
        if arrival >= departure:  # no contests in the group during this stay
            continue
        rows.append((arrival, ENTER, codes[name]))
        if departure < len(data):
            rows.append((departure, LEAVE, codes[name]))
    rows += [(at, CENTER, 0) for at in {row[0] for row in rows}]
    # Departures come first, and simultaneous arrivals and departures use the shift before both.
    rows.sort(key=lambda row: (row[0], row[1] == CENTER, row[1] != LEAVE))
    at, kind, who = np.array(rows, np.int64).T
    return np.ascontiguousarray(at), np.ascontiguousarray(kind), np.ascontiguousarray(who)


def joined(parts: Sequence[Observed], own_k: bool) -> ContestArrays:
    """Several groups as one likelihood: individuals numbered consecutively, group after group."""
    people = np.cumsum([0, *(len(part.data.individuals) for part in parts)])
    before = np.cumsum([0, *(len(part.data) for part in parts)])
    drawn = any(part.with_draws for part in parts)
    at_home = any(part.contests.home.size for part in parts)
    all_of = [part.contests for part in parts]

    def chained(name: str, add: np.ndarray | None = None) -> np.ndarray:
        pieces = [getattr(c, name) + (0 if add is None else add[i]) for i, c in enumerate(all_of)]
        return np.concatenate(pieces).astype(getattr(all_of[0], name).dtype)

    def padded(name: str, dtype: type) -> np.ndarray:
        return np.concatenate(
            [
                getattr(c, name) if getattr(c, name).size else np.zeros(c.first.size, dtype)
                for c in all_of
            ]
        )

    classes = [np.full(c.first.size, i, np.int32) for i, c in enumerate(all_of)]
    return ContestArrays(
        first=chained("first", people),
        second=chained("second", people),
        draw=padded("draw", bool) if drawn else np.zeros(0, bool),
        home=padded("home", float) if at_home else np.zeros(0),
        home_in_update=all_of[0].home_in_update,
        k_of=np.concatenate(classes) if own_k else np.zeros(0, np.int32),
        counted=0,
        event_at=chained("event_at", before),
        event_kind=chained("event_kind"),
        event_who=chained("event_who", people),
        event_hall=np.concatenate(
            [np.full(c.event_at.size, i, np.int64) for i, c in enumerate(all_of)]
        ),
    )


def natural_curve(scale: float | None, delta: float | None, preset: Curve | None = None) -> Curve:
    """The curve on whose scale a fit is reported: 1/(1 + e^(−Δ)) unless scale or δ is given."""
    if scale is None and delta is None:
        return preset or Exponential(1.0)
    return curve_from(None, scale=scale, delta=delta)


FIRST_K = (0.02, 0.3, 2.0)
APART = 40.0  # natural units between components: a winning probability of 1 − 4e-18
MATTERS = 1e-4


@dataclass(frozen=True, eq=False)
class Fit:
    """The maximum of the likelihood of one data set for one set of free parameters."""

    seen: Observed
    settings: EloSettings
    estimate: tuple[str, ...]
    whole: Problem  # the problem with all contests
    # the problem that was maximized; with `limit`, without contests between components
    problem: Problem
    components: list[np.ndarray]  # strongly connected components, highest first
    x: np.ndarray  # position of the maximum
    idle: np.ndarray  # for each k, whether no outcome depends on it
    limit: bool

    @property
    def data(self) -> Contests:
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
        return float(elo_arrays.starts(self.settings, self.names).mean() * self.slope)

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
        start = elo_arrays.starts(self.course_settings(), self.names)
        columns = {"start": start}
        errors = np.full((2, size), np.nan)
        if self.covariance is not None:
            places = self.problem.layout
            if "start" in places:
                errors[0] = self._errors(self.covariance[places["start"], places["start"]])
            errors[1] = self._errors(spread_of(self.covariance, self._finals, self.x))
        columns["start_se"], columns["rating_se"] = errors / self.slope
        return columns | {"component": label_of(self.components, size) + 1}

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
    given = elo_arrays.starts(settings, seen.data.individuals) * slope
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
    component, contests = label_of(components, len(whole.start)), whole.contests
    inside = component[contests.first] == component[contests.second]
    within = picked(contests, inside)._replace(counted=int(inside[: contests.counted].sum()))
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


MOST_MATRIX = 1_000
MOST_GUESSED = 200  # up to this many individuals, a Bradley–Terry fit gives the initial values


def components_of(
    seen: Observed, estimate: tuple[str, ...], penalized: bool
) -> tuple[list[np.ndarray], np.ndarray]:
    """Strongly connected components if starting scores are free, and initial values of these."""
    size = len(seen.data.individuals)
    contests = seen.contests
    won = np.bincount(contests.first, minlength=size) + 0.5
    lost = np.bincount(contests.second, minlength=size) + 0.5
    guess = np.log(won / lost)
    _refuse_draws_alone(seen, penalized)
    if "start" not in estimate:
        return [np.arange(size)], guess
    if size > MOST_MATRIX:
        _refuse_many_components(seen, penalized)
        return [np.arange(size)], guess
    counts = seen.data.take(np.arange(int(seen.contests.counted), len(seen.data)))
    matrix = counts.matrix()
    place = [seen.data.code(name) for name in matrix.individuals]
    wins, drawn = np.zeros((size, size)), np.zeros((size, size))
    wins[np.ix_(place, place)] = matrix.wins
    drawn[np.ix_(place, place)] = matrix.draws
    if not seen.with_draws:
        drawn[:] = 0
    _refuse_unseen(seen, penalized, (wins + wins.T + drawn).sum(axis=1))
    record = DyadRecord.of_matrix(wins, drawn)
    if size <= MOST_GUESSED:
        guess = maximum(record, np.zeros(size, np.int64), prior_sd=2.0)[:size]
        guess -= guess.mean()
    parts = linked(wins + drawn)
    if len(parts) > 1 and not penalized:
        raise DataError(
            f"There are {len(parts):,} sets of individuals with no contests between them: "
            f"{in_braces(parts, seen.data.individuals)}. Scores of different sets cannot be "
            f"compared. Fit each set separately, or use {option('penalized', 'True')}."
        )
    if record.ties and not penalized and ties_unbounded(record):
        raise DataError(
            "The likelihood of these wins and ties has no finite maximum: it keeps increasing "
            "with the probability of ties and the differences in score. Use "
            f"{option('ties', 'omit')} or {option('penalized', 'True')}."
        )
    return strong((wins > 0) | (drawn > 0), guess), guess


def _refuse_draws_alone(seen: Observed, penalized: bool) -> None:
    contests = seen.contests
    drawn = contests.draw[contests.counted :]
    if drawn.size and drawn.all() and not penalized:
        raise DataError(
            "All contests are ties, so the tie parameter has no finite estimate. Use "
            f"{option('penalized', 'True')}."
        )


def _refuse_unseen(seen: Observed, penalized: bool, number: np.ndarray) -> None:
    """Refuse individuals with contests in the burn-in only: their starting score is unknown."""
    unseen = [seen.data.individuals[i] for i in np.flatnonzero(number == 0)]
    if unseen and not penalized:
        raise DataError(
            f"{quoted(unseen)}: no contest after the burn-in, so their starting scores are not "
            f"identifiable. Shorten {option_name('burn_in')}, exclude these individuals, or use "
            f"{option('penalized', 'True')}."
        )


def _refuse_many_components(seen: Observed, penalized: bool) -> None:
    """Too many individuals for a square array: they must form one strongly connected component."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    contests, size = seen.contests, len(seen.data.individuals)
    first, second = contests.first[contests.counted :], contests.second[contests.counted :]
    if contests.draw.size:  # a tie is an arc in both directions
        drawn = contests.draw[contests.counted :]
        first, second = np.append(first, second[drawn]), np.append(second, first[drawn])
    arcs = coo_array((np.ones(len(first)), (first, second)), shape=(size, size)).tocsr()
    number, _ = connected_components(arcs, connection="strong")
    if number > 1 and not penalized:
        raise DataError(
            f"The {size:,} individuals form {number:,} strongly connected components, and "
            f"differences in score between components are unbounded. Use "
            f"{option('penalized', 'True')}."
        )

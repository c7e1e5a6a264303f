"""The maximum of an Elo likelihood: where it is, or how it runs off, and its standard errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from peckorder.components import in_braces, linked, strong
from peckorder.errors import DataError
from peckorder.kernels.courses import Draws, photograph
from peckorder.ranking import bradley_terry
from peckorder.rating import policies
from peckorder.rating.maximum import (
    MOST_CURVED,
    Problem,
    interior,
    maximize,
    observed_information,
    profile_interval,
    spread_of,
)
from peckorder.rating.observed import Observed
from peckorder.rating.policies import EloSettings
from peckorder.wording import option, quoted

FIRST_K = (0.02, 0.3, 2.0)
APART = 40.0  # natural units between components: a chance of 1 − 4e-18
MATTERS = 1e-4
MOST_MATRIX = 1_000
MOST_GUESSED = 200  # individuals for whom a Bradley–Terry fit is the first guess


class Fit:
    """One data set, one choice of free parameters, and the maximum found."""

    def __init__(
        self, seen: Observed, settings: EloSettings, estimate: tuple[str, ...], prior_sd: float
    ):
        self.seen, self.settings, self.estimate = seen, settings, estimate
        self.data, self.slope = seen.data, settings.curve.slope
        self.names = self.data.individuals
        given = policies.starts(settings, self.names) * self.slope
        burn_k = 0.0 if settings.burn_in is None else settings.burn_in[1] * self.slope
        k = np.full(max(1, len(seen.classes)) + 1, float(settings.k) * self.slope)
        k[-1] = burn_k
        if "start" in estimate:
            given = given - given.mean()
        assert not isinstance(settings.home_advantage, Mapping)
        self.whole = Problem(
            seen.contests, given, k, settings.home_advantage * self.slope, seen.with_draws,
            frozenset(estimate), prior_sd,
        )  # fmt: skip
        self.components = self._components()
        self.problem, self.limit = self.whole, False
        self._maximize()
        self.idle = self._idle()

    # -- finding the maximum ---------------------------------------------------------------

    def _components(self) -> list[np.ndarray]:
        """Strongly connected components of who beat whom, where starting scores are free."""
        size = len(self.names)
        contests = self.seen.contests
        won = np.bincount(contests.first, minlength=size) + 0.5
        lost = np.bincount(contests.second, minlength=size) + 0.5
        self.guess = np.log(won / lost)
        self._refuse_draws_alone()
        if "start" not in self.estimate:
            return [np.arange(size)]
        if size > MOST_MATRIX:
            self._refuse_many_components()
            return [np.arange(size)]
        counts = self.data.take(np.arange(int(self.seen.contests.counted), len(self.data)))
        matrix = counts.matrix()
        place = [self.data.code(name) for name in matrix.individuals]
        wins, drawn = np.zeros((size, size)), np.zeros((size, size))
        wins[np.ix_(place, place)] = matrix.wins
        drawn[np.ix_(place, place)] = matrix.draws
        if not self.seen.with_draws:
            drawn[:] = 0
        self._refuse_unseen((wins + wins.T + drawn).sum(axis=1))
        if size <= MOST_GUESSED:
            self.guess = bradley_terry.fit(wins, drawn, 2.0).ability
        penalized = np.isfinite(self.whole.prior_sd)
        parts = linked(wins + drawn)
        if len(parts) > 1 and not penalized:
            raise DataError(
                f"There are {len(parts):,} sets of individuals without a contest between them: "
                f"{in_braces(parts, self.names)}. Scores cannot be compared across them. Fit each "
                f"on its own (data.filter(individuals=[…])), or pass penalized=True (--penalized)."
            )
        if drawn.any() and not penalized and bradley_terry.draws_unbounded(wins, drawn):
            raise DataError(
                "These draws and wins have no finite maximum likelihood: ever more draws between "
                f"ever more unequal sides fit ever better. Pass {option('draws', 'omit')}, or "
                "penalized=True (--penalized)."
            )
        return strong((wins > 0) | (drawn > 0), self.guess)

    def _refuse_draws_alone(self) -> None:
        contests = self.seen.contests
        drawn = contests.draw[contests.counted :]
        if drawn.size and drawn.all() and not np.isfinite(self.whole.prior_sd):
            raise DataError(
                "All contests are draws: how likely a draw is has no finite estimate. Pass "
                "penalized=True (--penalized)."
            )

    def _refuse_unseen(self, number: np.ndarray) -> None:
        """Whoever met others in the burn-in only has no starting score that could be told."""
        unseen = [self.names[i] for i in np.flatnonzero(number == 0)]
        if unseen and not np.isfinite(self.whole.prior_sd):
            raise DataError(
                f"{quoted(unseen)}: no contest after the burn-in, so that nothing tells their "
                f"starting scores. Shorten burn_in (--burn-in), leave them out, or pass "
                f"penalized=True (--penalized)."
            )

    def _refuse_many_components(self) -> None:
        """Too many individuals for a square array: all of them must hang together."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        contests, size = self.seen.contests, len(self.names)
        first, second = contests.first[contests.counted :], contests.second[contests.counted :]
        if contests.draw.size:  # a draw leads both ways
            drawn = contests.draw[contests.counted :]
            first, second = np.append(first, second[drawn]), np.append(second, first[drawn])
        arcs = coo_array((np.ones(len(first)), (first, second)), shape=(size, size)).tocsr()
        number, _ = connected_components(arcs, connection="strong")
        if number > 1 and not np.isfinite(self.whole.prior_sd):
            raise DataError(
                f"Chains of wins do not link all of these {size:,} individuals: there are "
                f"{number:,} components, and differences between them are unbounded. Pass "
                f"penalized=True (--penalized)."
            )

    def _maximize(self) -> None:
        penalized = np.isfinite(self.whole.prior_sd)
        if len(self.components) > 1 and not penalized:
            self._maximize_limit()
            return
        self.x, self.value = maximize(self.whole, self._starts(self.whole))

    def _maximize_limit(self) -> None:
        """Components infinitely far apart: contests between them are certain and move nobody."""
        component = np.empty(len(self.names), np.int64)
        for c, own in enumerate(self.components):
            component[own] = c
        contests = self.whole.contests
        inside = component[contests.first] == component[contests.second]

        def cut(array: np.ndarray) -> np.ndarray:
            return np.ascontiguousarray(array[inside]) if array.size else array

        within = contests._replace(
            first=cut(contests.first), second=cut(contests.second), draw=cut(contests.draw),
            home=cut(contests.home), k_of=cut(contests.k_of),
            counted=int(inside[: contests.counted].sum()),
        )  # fmt: skip
        if not inside.any():  # nobody met an equal: no k can be told
            within = within._replace(draw=np.zeros(0, bool))
        limit = replace(self.whole, contests=within, work=[])
        self.x, self.value = maximize(limit, self._starts(limit))
        # With k above 0 a finite distance may fit better still: what is won between components
        # then moves scores inside them.
        x, value = maximize(self.whole, [self._apart(self.x, 6.0), *self._starts(self.whole)[1:2]])
        if value > self.value + MATTERS:
            self.x, self.value = x, value
        else:
            self.problem, self.limit = limit, True

    def _idle(self) -> np.ndarray:
        """Which k nothing depends on (nobody moves, whatever it is); such a k is put to 0."""
        place = self.problem.layout.get("k")
        if place is None:
            return np.zeros(len(self.whole.k) - 1, bool)
        out = np.zeros(place.stop - place.start, bool)
        for c in range(len(out)):
            values = []
            for k in (0.0, 0.5, 2.0):
                x = self.x.copy()
                x[place.start + c] = k
                values.append(self.problem.value(x)[0])
            out[c] = np.ptp(values) < 1e-10
        self.x[place][out] = 0.0
        return out

    def _apart(self, x: np.ndarray, gap: float) -> np.ndarray:
        """The same position with components put apart, around the largest of them."""
        out = x.copy()
        start = out[self.whole.layout["start"]]
        low, high = self._course_range(x)
        floor = np.inf
        for own in self.components:
            start[own] -= start[own].mean()
        shift = np.zeros(len(start))
        for own in self.components:
            if np.isfinite(floor):
                shift[own] = floor - gap - (start[own] + high[own]).max()
            floor = (start[own] + low[own] + shift[own]).min()
        start += shift
        largest = max(self.components, key=len)
        start -= start[largest].mean()
        return out

    def _course_range(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """How far below and above its start each score ever stood."""
        start, k, nu, home = self.whole.unfold(x)
        problem = self.problem if self.limit else self.whole
        places = np.arange(problem.contests.first.size + 1)
        if len(places) * len(start) > 50_000_000:  # a bound in place of the course
            moved = np.full(len(start), k.max() * np.sqrt(len(places)))
            return -moved, moved
        out = np.empty((len(places), 1, len(start)))
        draw = Draws(start[None], k[None], np.array([nu]), np.array([home]))
        photograph(problem.contests, draw, places, np.arange(len(start)), out, True, 0)
        course = out[:, 0] - start
        return course.min(axis=0), course.max(axis=0)

    def _starts(self, problem: Problem) -> list[np.ndarray]:
        ability = self.guess if "start" in self.estimate else problem.start
        firsts = FIRST_K if "k" in self.estimate else FIRST_K[:1]
        return [problem.position(ability * (1 if k < 1 else 0.3), k) for k in firsts]

    # -- what follows ------------------------------------------------------------------------

    @property
    def parameters(self) -> int:
        """Number of parameters that differences of scores can tell."""
        number = self.whole.size - int(self.idle.sum())
        return number - ("start" in self.estimate and self.settings.preset is None)

    def _level(self) -> float:
        """The reported level of starting scores, on the natural scale."""
        if "start" not in self.estimate:
            return 0.0
        return float(policies.starts(self.settings, self.names).mean() * self.slope)

    def course_settings(self) -> EloSettings:
        """The settings under which `elo` gives the fitted course."""
        x = self._apart(self.x, APART) if self.limit else self.x
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
        # To nine digits, so that what is equal but for rounding has the same rank.
        starts = dict(zip(self.names, np.round(start, 9) / self.slope, strict=True))
        return replace(
            self.settings, k=by_class, start=starts, home_advantage=home / self.slope, preset=None
        )

    def columns(self) -> dict[str, np.ndarray]:
        """Starting scores and standard errors of these and of the last ratings."""
        size = len(self.names)
        start = policies.starts(self.course_settings(), self.names)
        columns = {"start": start}
        errors = np.full((2, size), np.nan)
        self.covariance = np.zeros((0, 0))
        if self.problem.size <= MOST_CURVED:
            inside = interior(self.problem, self.x)
            information = observed_information(self.problem, self.x)[np.ix_(inside, inside)]
            covariance = np.zeros((self.problem.size, self.problem.size))
            covariance[np.ix_(inside, inside)] = np.linalg.pinv(
                information, hermitian=True, rcond=1e-9
            )
            self.covariance = covariance
            places = self.problem.layout
            if "start" in places:
                block = covariance[places["start"], places["start"]]
                errors[0] = self._errors(block)
            errors[1] = self._errors(spread_of(covariance, self._finals, self.x))
        columns["start_se"], columns["rating_se"] = errors / self.slope
        component = np.empty(size, np.int64)
        for c, own in enumerate(self.components, start=1):
            component[own] = c
        return columns | {"component": component}

    def _errors(self, covariance: np.ndarray) -> np.ndarray:
        """Standard errors relative to the mean of those whose differences are finite."""
        out = np.full(len(self.names), np.nan)
        sets = self.components if self.limit else [np.arange(len(self.names))]
        for own in sets:
            if len(own) > 1:
                block = bradley_terry.centered(covariance[np.ix_(own, own)])
                out[own] = np.sqrt(np.maximum(np.diag(block), 0.0))
        return out

    def _finals(self, x: np.ndarray) -> np.ndarray:
        start, k, nu, home = self.problem.unfold(x)
        contests = self.problem.contests
        out = np.empty((1, 1, len(start)))
        draw = Draws(start[None], k[None], np.array([nu]), np.array([home]))
        places = np.array([contests.first.size])
        photograph(contests, draw, places, np.arange(len(start)), out, True, 0)
        return out[0, 0]

    def interval(self, place: int, level: float, low: float, high: float):
        """Estimate, standard error and profile interval of one parameter (natural scale)."""
        at = float(self.x[place])
        variance = self.covariance[place, place] if self.covariance.size else 0.0
        se = float(np.sqrt(variance)) if variance > 0 else None
        left, right = profile_interval(self.problem, self.x, place, level, low, high)
        if left is None and low == 0.0:
            left = 0.0
        return at, se, left, right

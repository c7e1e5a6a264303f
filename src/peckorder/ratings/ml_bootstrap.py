"""Tests and an interval of k by the parametric bootstrap.

If k is estimated together with one starting score per individual, the number of parameters grows
with the number of individuals (incidental parameters, Neyman & Scott 1948): the likelihood ratio
no longer follows χ², the estimate of k is pulled toward 0, and its profile interval misses the
true value. The bootstrap replaces χ² by the likelihood ratios of records that are simulated from
the simpler model, with the same pairs in the same order. Where that model has starting scores,
they are drawn anew from a normal distribution whose standard deviation maximizes the integrated
likelihood (Laplace's approximation): fitted starting scores are spread too widely. The interval
of k contains the values that such a test does not reject (test inversion).

The simpler models inside a fit, and how much the likelihood loses with each of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from peckorder.errors import DataError
from peckorder.kernels.simulation import draw_outcomes
from peckorder.random_runs import Runs, p_value
from peckorder.ratings.likelihood import FIRST_K, Fit, Observed, fitted
from peckorder.ratings.maximum import LARGEST_K, Problem, maximize, observed_information, profile_at


@dataclass(frozen=True, eq=False)
class Nested:
    """A simpler model at its maximum."""

    name: str
    problem: Problem
    x: np.ndarray
    value: float
    parameters: int


def nested_models(fit: Fit, only: str | None = None) -> list[Nested]:
    """Other models: without k, without different starting scores, and without both."""
    if np.isfinite(fit.whole.prior_sd) or not {"k", "start"} & set(fit.estimate):
        return []
    problem, equal = fit.problem, np.zeros(len(fit.names))
    inner: dict[str, Problem] = {}
    if jointly(fit.estimate):
        inner["k, equal starts"] = fit.whole.fixed(start=equal)
        inner["starts, k = 0"] = problem.fixed(k=0.0)
    if "start" not in fit.estimate:
        inner["k = 0"] = fit.whole.fixed(k=0.0)
    elif "k" in fit.estimate:
        inner["equal starts, k = 0"] = fit.whole.fixed(start=equal, k=0.0)
    else:
        inner["equal starts"] = fit.whole.fixed(start=equal)
    found = []
    for name, one in inner.items():
        number = one.size - ("start" in one.free and fit.settings.preset is None)
        if number < fit.parameters and only in (None, name):
            x, value = maximize(one, _first_positions(fit, one))
            found.append(Nested(name, one, x, value, number))
    return found


def jointly(estimate: tuple[str, ...]) -> bool:
    """Whether k and one starting score per individual are estimated together."""
    return {"k", "start"} <= set(estimate)


def gain_over(fit: Fit, one: Nested) -> float:
    """Likelihood-ratio statistic: twice the gain of a fit over a simpler model."""
    return max(0.0, 2 * (fit.problem.log_likelihood(fit.x) - one.value))


def _first_positions(fit: Fit, one: Problem) -> list[np.ndarray]:
    start, _, nu, home = fit.problem.unfold(fit.x)
    firsts = FIRST_K if "k" in one.free else (0.0,)
    return [one.position(start, first, home, nu or 0.5) for first in firsts]


SPREADS = (0.02, 20.0)  # range of the standard deviation of starting scores
FIRST_STEP = 0.2  # first value of k that is tried as a limit, natural units
DOUBLINGS = 8
HALVINGS = 5
BLOCK = 5


@dataclass(frozen=True, eq=False)
class World:
    """A model to simulate from (natural scale): fixed starting scores, or their spread."""

    start: np.ndarray
    spread: float | None
    k: np.ndarray
    nu: float
    home_advantage: float

    @classmethod
    def of(cls, whole: Problem, problem: Problem, x: np.ndarray) -> World:
        """The model at a position of a problem; free starting scores give their spread only."""
        start, k, nu, home = problem.unfold(x)
        spread = spread_of_starts(whole, k[:-1]) if "start" in problem.free else None
        return cls(start, spread, k, nu, home)

    def record(self, seen: Observed, key: np.uint64, run: int) -> Observed:
        """The same pairs in the same order, with outcomes of this world."""
        contests, number = seen.contests, seen.contests.first.size
        start = self.start.astype(np.float64)
        if self.spread is not None:
            start = np.random.default_rng([int(key), run]).normal(0.0, self.spread, len(start))
        k = np.broadcast_to(self.k[contests.k_of] if contests.k_of.size else self.k[0], number)
        bonus = contests.home * self.home_advantage if contests.home.size else np.zeros(number)
        score = np.empty(number)
        draw_outcomes(
            contests.first.astype(np.int64),
            contests.second.astype(np.int64),
            bonus,
            contests.home_in_update,
            np.ascontiguousarray(k),
            self.nu,
            start.copy(),
            key,
            run,
            score,
            np.empty((number + 1, len(start))),
        )
        return with_scores(seen, score)


def with_scores(seen: Observed, score: np.ndarray) -> Observed:
    """The same contests, with these scores of the recorded winners."""
    contests, lost, drawn = seen.contests, score == 0.0, score == 0.5
    first = np.where(lost, contests.second, contests.first).astype(np.int32)
    second = np.where(lost, contests.first, contests.second).astype(np.int32)
    home = np.where(lost, -contests.home, contests.home) if contests.home.size else contests.home
    data = seen.data
    return replace(
        seen,
        contests=contests._replace(
            first=first,
            second=second,
            home=home,
            draw=drawn if contests.draw.size else contests.draw,
        ),
        data=replace(
            data,
            winner=first,
            loser=second,
            draw=drawn if data.draw is not None and contests.draw.size else None,
            home=None if data.home is None else np.where(lost, -data.home, data.home),
            turned=lost if data.turned is None else data.turned ^ lost,
            points=None,
        ),
    )


def spread_of_starts(whole: Problem, k: Any) -> float:
    """Standard deviation of starting scores that maximizes their integrated likelihood."""
    from scipy.optimize import minimize_scalar

    fixed = whole.fixed(k=k)

    def loss(log_spread: float) -> float:
        spread = float(np.exp(log_spread))
        problem = replace(fixed, prior_sd=spread, tie_prior=False, work=[])
        x, value = maximize(problem, [problem.position(np.zeros(len(whole.start)), 0.0)])
        curvature = np.linalg.slogdet(observed_information(problem, x))[1]
        return -(value - len(whole.start) * log_spread - curvature / 2)

    low, high = np.log(SPREADS)
    best: Any = minimize_scalar(loss, bounds=(low, high), method="bounded", options={"xatol": 0.05})
    return float(np.exp(best.x))


@dataclass(frozen=True)
class Bootstrapped:
    """p of each simpler model, limits of each k, and the records that could not be fitted."""

    p: dict[str, float]
    limits: list[tuple[float, float | None]]
    runs: int
    failed: int


class Bootstrap:
    """The simulated records of one fit."""

    def __init__(self, fit: Fit, runs: Runs):
        self.fit, self.runs, self.failed, self.steps = fit, runs, 0, 0
        joint = jointly(fit.estimate)
        self.classes = len(fit.idle) if joint else 0
        self.most = 3 + self.classes * (1 + DOUBLINGS + HALVINGS)

    def found(self, level: float) -> Bootstrapped:
        """Tests of the simpler models and, with joint estimates, limits of each k."""
        p = {one.name: self.p_of_model(one) for one in nested_models(self.fit)}
        known = p.get("starts, k = 0") if self.classes == 1 else None
        limits = [
            (0.0, None) if self.fit.idle[i] else self._limits(i, 1 - level, known)
            for i in range(self.classes)
        ]
        self._tell(done=True)
        return Bootstrapped(p, limits, self.runs.number, self.failed)

    def p_of_model(self, one: Nested) -> float:
        """P of the gain over a simpler model, among records simulated from that model."""
        world = World.of(self.fit.whole, one.problem, one.x)
        return self._p(world, gain_over(self.fit, one), lambda f: gain_over_model(f, one.name))

    def p_of_k(self, i: int, k: float) -> float:
        """P of a value of the k of one class, among records simulated with that value."""
        world = world_with_k(self.fit, i, k)
        return self._p(world, gain_over_k(self.fit, i, k), lambda f: gain_over_k(f, i, k))

    def _p(self, world: World, observed: float, statistic: Callable[[Fit], float]) -> float:
        """P of an observed statistic among those of simulated records."""
        fit, values = self.fit, np.full(self.runs.number, np.nan)
        key = self.runs.key()  # the same random numbers for every value of k

        def work(begin: int, end: int) -> None:
            for run in range(begin, end):
                try:
                    again = world.record(fit.seen, key, run)
                    values[run] = statistic(fitted(again, fit.settings, fit.estimate, np.inf))
                except DataError:  # no finite maximum
                    continue

        replace(self.runs, progress=self._tell).do(work, BLOCK)
        self.steps += 1
        known = values[np.isfinite(values)]
        self.failed += len(values) - len(known)
        return p_value(known >= observed - 1e-9)

    def _limits(self, i: int, least: float, p_at_0: float | None) -> tuple[float, float | None]:
        """Limits between which a value of k has p above `least`."""
        best = float(self.fit.x[fit_place(self.fit, i)])
        p_at = partial(self.p_of_k, i)
        if p_at_0 is None:
            p_at_0 = p_at(0.0)
        low = 0.0 if p_at_0 > least else _edge(p_at, least, best, 0.0)
        step, inner = max(best, FIRST_STEP), best
        for _ in range(DOUBLINGS):
            outer = min(inner + step, LARGEST_K)
            if p_at(outer) <= least:
                return low, _edge(p_at, least, inner, outer)
            inner, step = outer, 2 * step
        return low, None

    def _tell(self, here: int = 0, _: int = 0, done: bool = False) -> None:
        if self.runs.progress is not None:
            total = self.most * self.runs.number
            self.runs.progress(
                total if done else min(total - 1, self.steps * self.runs.number + here), total
            )


def _edge(p_at: Callable[[float], float], least: float, inside: float, outside: float) -> float:
    """The limit between a value that is not rejected and one that is."""
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2
        if p_at(middle) > least:
            inside = middle
        else:
            outside = middle
    return outside  # the cautious end


def fit_place(fit: Fit, i: int) -> int:
    """Place of the k of a class among the parameters."""
    return fit.problem.layout["k"].start + i


def profiled(fit: Fit, i: int, k: float) -> tuple[float, np.ndarray, Problem]:
    """The highest log-likelihood with one k fixed, its position, and the problem it belongs to."""
    tried = [fit.problem, fit.whole] if fit.limit else [fit.problem]
    found = [(*profile_at(one, fit.x, fit_place(fit, i), k), one) for one in tried]
    return max(found, key=lambda one: one[0])


def world_with_k(fit: Fit, i: int, k: float) -> World:
    """The model with a given k of one class, all other parameters at their estimates."""
    _, x, problem = profiled(fit, i, k)
    return World.of(fit.whole, problem, x)


def gain_over_model(fit: Fit, name: str) -> float:
    """The gain over one simpler model: 0 where k is not identifiable, so that it is no simpler."""
    return sum(gain_over(fit, one) for one in nested_models(fit, only=name))


def gain_over_k(fit: Fit, i: int, k: float) -> float:
    """The gain of the estimated k of a class over a given one."""
    top = fit.problem.log_likelihood(fit.x)
    return max(0.0, 2 * (top - profiled(fit, i, k)[0]))

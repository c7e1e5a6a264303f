"""Maximization of an Elo likelihood: L-BFGS with exact gradients, information matrix, profiles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from peckorder.kernels.likelihood import SLOTS, ContestArrays, evaluate

LARGEST_K = float(np.exp(10))  # upper bound of k in Goffe et al., on the natural scale
DIFFERENCE = 1e-5
NEARLY_NONE = 1e-7  # a smaller k is set to its lower bound 0
MOST_POLISHED = 200
MOST_CURVED = 1_000  # largest number of parameters for which the Hessian is computed


@dataclass(frozen=True)
class Problem:
    """The free parameters, and the values of the fixed ones (natural scale)."""

    contests: ContestArrays
    start: np.ndarray
    k: np.ndarray  # one per class, and that of the burn-in
    home_advantage: float
    with_nu: bool
    free: frozenset[str]
    prior_sd: float = np.inf
    tie_prior: bool = True  # whether log ν has the same prior
    work: list[np.ndarray] = field(default_factory=list)

    def __post_init__(self):
        size, halls = len(self.start), 1
        self.work.extend(
            [
                np.empty((SLOTS, self.contests.first.size)),
                np.zeros((halls, 3)),
                np.zeros((halls, 2)),
                np.empty(size),
                np.empty(len(self.k)),
            ]
        )

    def fixed(self, **known: Any) -> Problem:
        """With some parameters fixed: start=, k= (per class) or home_advantage=."""
        k = self.k.copy()
        if "k" in known:
            k[:-1] = known["k"]
        return replace(
            self,
            k=k,
            start=known.get("start", self.start),
            work=[],
            home_advantage=known.get("home_advantage", self.home_advantage),
            free=self.free - frozenset(known),
        )

    @cached_property
    def layout(self) -> dict[str, slice]:
        """Place of each free parameter in the vector that is optimized."""
        sizes = {
            "start": len(self.start),
            "k": len(self.k) - 1,
            "home_advantage": 1,
            "log_nu": 1,
        }
        places, at = {}, 0
        for name, size in sizes.items():
            if name in self.free or (name == "log_nu" and self.with_nu):
                places[name] = slice(at, at + size)
                at += size
        return places

    @property
    def size(self) -> int:
        """Number of free parameters."""
        return max((place.stop for place in self.layout.values()), default=0)

    def unfold(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, float, float]:
        """Starting scores, k of each class and burn-in, ν and home advantage."""
        places = self.layout
        start = np.ascontiguousarray(x[places["start"]]) if "start" in places else self.start
        k = self.k.copy()
        if "k" in places:
            k[:-1] = x[places["k"]]
        nu = float(np.exp(x[places["log_nu"]][0])) if "log_nu" in places else 0.0
        home = self.home_advantage
        if "home_advantage" in places:
            home = float(x[places["home_advantage"]][0])
        return start, k, nu, home

    def value(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        """Log-likelihood (plus the log prior, if any) and its gradient."""
        start, k, nu, home = self.unfold(x)
        kept, halls, bars, adjoint, by_k = self.work
        total, by_log_nu, by_home = evaluate(
            self.contests, start, k, nu, home, kept, halls, bars, adjoint, by_k
        )
        places, slope = self.layout, np.zeros(len(x))
        if "start" in places:
            slope[places["start"]] = adjoint - start * self.prior_sd**-2
            total -= 0.5 * float(start @ start) * self.prior_sd**-2
        if "k" in places:
            slope[places["k"]] = by_k[:-1]
        if "home_advantage" in places:
            slope[places["home_advantage"]] = by_home
        if "log_nu" in places:
            log_nu, weight = float(np.log(nu)), self.prior_sd**-2 if self.tie_prior else 0.0
            slope[places["log_nu"]] = by_log_nu - log_nu * weight
            total -= 0.5 * log_nu**2 * weight
        return total, slope

    def log_likelihood(self, x: np.ndarray) -> float:
        """Log-likelihood without the prior."""
        return replace(self, prior_sd=np.inf, work=[]).value(x)[0]

    def position(self, start: np.ndarray, k: Any, home: float = 0.0, nu: float = 0.5) -> np.ndarray:
        """Vector of the free parameters with these values."""
        known = {"start": start, "k": k, "home_advantage": home, "log_nu": np.log(nu)}
        x = np.zeros(self.size)
        for name, place in self.layout.items():
            x[place] = known[name]
        return x

    def bounds(self) -> list[tuple[float | None, float | None]]:
        """Lower and upper bound of each free parameter."""
        out: list[tuple[float | None, float | None]] = [(None, None)] * self.size
        places = self.layout
        if "k" in places:
            out[places["k"]] = [(0.0, LARGEST_K)] * (len(self.k) - 1)
        return out


def maximize(problem: Problem, starts: list[np.ndarray]) -> tuple[np.ndarray, float]:
    """The highest maximum found from several starting positions, and its value."""
    from scipy.optimize import minimize

    if problem.size == 0:
        return np.zeros(0), problem.value(np.zeros(0))[0]

    def downhill(x: np.ndarray) -> tuple[float, np.ndarray]:
        value, slope = problem.value(x)
        if not np.isfinite(value):  # a k so large that scores overflow
            return 1e300, np.zeros(len(x))
        return -value, -slope

    def descend(x: np.ndarray, tolerance: float) -> Any:
        options = {
            "maxiter": 20_000,
            "maxfun": 40_000,
            "ftol": tolerance,
            "gtol": 1e-8,
            "maxcor": 10,
        }
        return minimize(
            downhill, x, jac=True, method="L-BFGS-B", bounds=problem.bounds(), options=options
        )

    # Low tolerance from every starting position, then high precision from the best one.
    rough = min((descend(x, 1e-6) for x in starts), key=lambda result: result.fun)
    small = problem.size <= MOST_POLISHED
    best = descend(rough.x, 1e-10 if small else 1e-14)
    x, value = polished(problem, best.x, -best.fun) if small else (best.x, -best.fun)
    if "k" in problem.layout:
        k = x[problem.layout["k"]]
        if (k[k < NEARLY_NONE] > 0).any():
            k[k < NEARLY_NONE] = 0.0
            value = problem.value(x)[0]
    return x, value


def polished(problem: Problem, x: np.ndarray, value: float) -> tuple[np.ndarray, float]:
    """A few Newton steps from the result of L-BFGS; parameters at a bound are held fixed."""
    for _ in range(4):
        inside = interior(problem, x)
        curvature = observed_information(problem, x)[np.ix_(inside, inside)]
        slope = problem.value(x)[1][inside]
        step = np.zeros(len(x))
        step[inside] = np.linalg.lstsq(curvature, slope, rcond=1e-10)[0]
        new = x + step
        for i, (low, high) in enumerate(problem.bounds()):
            new[i] = min(max(new[i], -np.inf if low is None else low), high or np.inf)
        now = problem.value(new)[0]
        if not now >= value:
            break
        gain, x, value = now - value, new, now
        if gain < 1e-11:
            break
    return x, value


def interior(problem: Problem, x: np.ndarray) -> np.ndarray:
    """Which parameters are not at a bound."""
    inside = np.ones(len(x), bool)
    if "k" in problem.layout:
        place = problem.layout["k"]
        inside[place] = (x[place] > NEARLY_NONE) & (x[place] < LARGEST_K)
    return inside


def observed_information(problem: Problem, x: np.ndarray) -> np.ndarray:
    """The negative Hessian, by central differences of the exact gradient."""
    out = -derivatives(lambda at: problem.value(at)[1], x)
    return (out + out.T) / 2


def derivatives(of: Callable[[np.ndarray], np.ndarray], x: np.ndarray) -> np.ndarray:
    """Central differences of a function of the parameters, a row per parameter."""
    rows = []
    for i in range(len(x)):
        step = DIFFERENCE * max(1.0, abs(x[i]))
        ahead, behind = x.copy(), x.copy()
        ahead[i] += step
        behind[i] -= step
        rows.append((of(ahead) - of(behind)) / (2 * step))
    return np.array(rows)


def profile_at(
    problem: Problem, x: np.ndarray, place: int, fixed: float
) -> tuple[float, np.ndarray]:
    """The profile log-likelihood at one value of a parameter, and the position of its maximum."""
    from scipy.optimize import minimize

    others = np.arange(len(x)) != place

    def downhill(y: np.ndarray) -> tuple[float, np.ndarray]:
        z = np.empty(len(x))
        z[others], z[place] = y, fixed
        value, slope = problem.value(z)
        return (-value, -slope[others]) if np.isfinite(value) else (1e300, np.zeros(len(y)))

    z = x.copy()
    z[place] = fixed
    if not others.any():
        return problem.value(z)[0], z
    bounds = [bound for bound, other in zip(problem.bounds(), others, strict=True) if other]
    options = {"maxiter": 5_000, "maxfun": 10_000, "ftol": 1e-9, "gtol": 1e-6, "maxcor": 10}
    best = minimize(
        downhill, x[others], jac=True, method="L-BFGS-B", bounds=bounds, options=options
    )
    z[others] = best.x
    return -best.fun, z


def profile_interval(
    problem: Problem, x: np.ndarray, place: int, level: float, low: float, high: float
) -> tuple[float | None, float | None]:
    """Limits of the profile-likelihood interval; None if the bound is reached first."""
    from scipy.optimize import brentq
    from scipy.special import chdtri

    top, drop = problem.value(x)[0], chdtri(1, 1 - level) / 2
    known = {"x": x}

    # Maximizing again from another start may end elsewhere, so the ends of a bracket are kept.
    seen = {float(x[place]): drop}

    def above(value: float) -> Any:
        if float(value) not in seen:
            height, known["x"] = profile_at(problem, known["x"], place, value)
            seen[float(value)] = height - top + drop
        return seen[float(value)]

    def edge(direction: float, bound: float) -> float | None:
        known["x"] = x
        step, inner = max(0.1 * abs(x[place]), 0.05), x[place]
        while True:
            outer = inner + direction * step
            outer = max(outer, bound) if direction < 0 else min(outer, bound)
            if above(outer) < 0:
                if above(inner) <= 0:
                    return float(inner)
                return brentq(above, inner, outer, xtol=1e-6)  # pyright: ignore
            if outer == bound:
                return None
            inner, step = outer, 2 * step

    return edge(-1.0, low) if x[place] > low else None, edge(1.0, high)


def spread_of(
    covariance: np.ndarray, of: Callable[[np.ndarray], np.ndarray], x: np.ndarray
) -> np.ndarray:
    """Covariance of a function of the parameters, by the delta method."""
    slopes = derivatives(of, x).T
    return slopes @ covariance @ slopes.T

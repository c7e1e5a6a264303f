"""The simpler models inside a fit, and how much the likelihood loses with each of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peckorder.likelihood.fit import FIRST_K, Fit
from peckorder.likelihood.maximum import Problem, maximize


@dataclass(frozen=True, eq=False)
class Nested:
    """A simpler model at its maximum."""

    name: str
    problem: Problem
    x: np.ndarray
    value: float
    parameters: int


def nested_models(fit: Fit, only: str | None = None) -> list[Nested]:
    """Models without k, without different starting scores, and without both; or only one of them.

    A model that has as many identifiable parameters as the fit is the same model and left out.
    """
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

"""Results of a maximum-likelihood fit: estimates, comparison with nested models, and a summary."""

from __future__ import annotations

from typing import Any

import numpy as np

from peckorder.components import in_braces
from peckorder.likelihood.fit import APART, FIRST_K, Fit
from peckorder.likelihood.maximum import LARGEST_K, MOST_CURVED, Problem, maximize
from peckorder.wording import counted, option, quoted


def values_of(fit: Fit, level: float) -> dict[str, Any]:
    """Estimates and fit statistics by name."""
    x, places = fit.x, fit.problem.layout
    k = fit.problem.unfold(x)[1]
    likelihood = fit.problem.log_likelihood(x)
    penalized = bool(np.isfinite(fit.whole.prior_sd))
    scale = 1 / fit.slope
    names = list(fit.seen.classes) or [None]
    values: dict[str, Any] = {}
    if "k" in places:
        bits = [
            fit.interval(places["k"].start + i, level, 0.0, LARGEST_K) for i in range(len(names))
        ]
        for i, what in enumerate(("k", "k_se", "k_low", "k_high")):
            each = [
                None if idle else _times(bit[i], scale)
                for bit, idle in zip(bits, fit.idle, strict=True)
            ]
            values[what] = each[0] if names == [None] else dict(zip(names, each, strict=True))
    else:
        values["k"] = float(k[0]) * scale
    if "home_advantage" in places:
        at, se, low, high = fit.interval(places["home_advantage"].start, level, -1e3, 1e3)
        values |= {
            "home_advantage": at * scale,
            "home_advantage_se": _times(se, scale),
            "home_advantage_low": _times(low, scale),
            "home_advantage_high": _times(high, scale),
        }
    if "log_nu" in places:
        at, se, low, high = fit.interval(places["log_nu"].start, level, -20.0, 20.0)
        values |= {
            "nu": float(np.exp(at)),
            "nu_low": 0.0 if low is None else float(np.exp(low)),
            "nu_high": None if high is None else float(np.exp(high)),
        }
    return values | {
        "log_likelihood": likelihood,
        "parameters": fit.parameters,
        "aic": None if penalized else 2 * fit.parameters - 2 * likelihood,
        "bic": None
        if penalized
        else float(fit.parameters * np.log(fit.seen.number) - 2 * likelihood),
        "components": [sorted(fit.names[i] for i in own) for own in fit.components],
        "unbounded": fit.limit,
        "penalized": penalized,
        "models": models_of(fit, likelihood),
    }


def models_of(fit: Fit, likelihood: float) -> list[dict[str, Any]]:
    """Comparison with nested models: whether k and different starting scores are needed."""
    if np.isfinite(fit.whole.prior_sd) or not {"k", "start"} & set(fit.estimate):
        return []
    from scipy.special import chdtrc

    problem, equal = fit.problem, np.zeros(len(fit.names))
    inner: dict[str, Problem] = {}
    if {"k", "start"} <= set(fit.estimate):
        inner["k, equal starts"] = fit.whole.fixed(start=equal)
        inner["starts, k = 0"] = problem.fixed(k=0.0)
    if "start" not in fit.estimate:
        inner["k = 0"] = fit.whole.fixed(k=0.0)
    elif "k" in fit.estimate:
        inner["equal starts, k = 0"] = fit.whole.fixed(start=equal, k=0.0)
    else:
        inner["equal starts"] = fit.whole.fixed(start=equal)
    rows = [
        {
            "model": " and ".join(fit.estimate),
            "parameters": fit.parameters,
            "log_likelihood": likelihood,
            "p": None,
        }
    ]
    for name, one in inner.items():
        value = maximize(one, _nested_starts(fit, one))[1]
        number = one.size - ("start" in one.free and fit.settings.preset is None)
        gain, more = 2 * (likelihood - value), fit.parameters - number
        if more <= 0:  # the same model: k is not identifiable
            continue
        # At the boundary k = 0 the null distribution is a 50:50 mixture with a point mass at 0.
        edge = more == 1 and "k" in fit.estimate and name.endswith("k = 0")
        p = float(chdtrc(more, max(gain, 0.0))) * (0.5 if edge else 1.0)
        rows.append({"model": name, "parameters": number, "log_likelihood": value, "p": p})
    best = min(2 * row["parameters"] - 2 * row["log_likelihood"] for row in rows)
    for row in rows:
        row["aic"] = 2 * row["parameters"] - 2 * row["log_likelihood"]
        row["bic"] = row["parameters"] * float(np.log(fit.seen.number)) - 2 * row["log_likelihood"]
        row["delta_aic"] = row["aic"] - best
    return rows


def _nested_starts(fit: Fit, one: Problem) -> list[np.ndarray]:
    start, _, nu, home = fit.problem.unfold(fit.x)
    firsts = FIRST_K if "k" in one.free else (0.0,)
    return [one.position(start, first, home, nu or 0.5) for first in firsts]


def summary_of(
    fit: Fit, values: dict[str, Any], level: float, rounds: list[list[str]]
) -> tuple[str, ...]:
    """Sentences on the estimates, model comparisons, predictions and exclusions."""
    summary = []
    if len(fit.components) > 1:
        summary.append(_components_summary(fit))
    if "k" in fit.estimate:
        summary += _k_summary(fit, values, level)
    summary += [_comparison(row, values["models"][0]) for row in values["models"][1:]]
    if "home_advantage" in fit.estimate:
        summary.append(
            f"Home advantage {values['home_advantage']:.3g}"
            + _interval(values["home_advantage_low"], values["home_advantage_high"], level)
        )
    if "nu" in values:
        summary.append(
            f"Probability of a tie between equals {values['nu'] / (2 + values['nu']):.2f} (ν = "
            f"{values['nu']:.3g})."
        )
    drawn = fit.seen.contests.draw[fit.seen.contests.counted :]
    decided = fit.seen.number - int(drawn.sum())
    share = (
        f"The side with the higher score before the contest won {values['share']:.1%} of "
        f"{counted(decided, 'decided contest' if drawn.any() else 'contest')}"
    )
    brier = "" if values["brier"] is None else f" (Brier score {values['brier']:.4f})"
    summary.append(f"{share}{brier}.")
    if fit.problem.size > MOST_CURVED:
        summary.append(f"Standard errors are not computed above {MOST_CURVED:,} parameters.")
    if rounds:
        summary.append(f"Excluded: {'; then '.join(quoted(names) for names in rounds)}.")
    if fit.seen.left_out:
        summary.append(f"{counted(fit.seen.left_out, 'tie was', 'ties were')} excluded.")
    return tuple(summary)


def _components_summary(fit: Fit) -> str:
    components = (
        f"The individuals form {len(fit.components):,} components, and no individual has a win "
        f"against a higher component: {in_braces(fit.components, fit.names, ' > ')}. "
    )
    if np.isfinite(fit.whole.prior_sd):
        return components + "Differences between components depend strongly on the prior."
    if not fit.limit:
        return components + (
            "Because scores change over time, the likelihood is highest at a finite distance "
            "between them."
        )
    return components + (
        f"Differences in score between components are unbounded (reported as "
        f"{APART / fit.slope:,.0f}); scores are fitted within each. The log-likelihood is its "
        f"limit for infinite differences. For finite differences, use "
        f"{option('penalized', 'True')}."
    )


def _k_summary(fit: Fit, values: dict[str, Any], level: float) -> list[str]:
    by_class = values["k"] if fit.seen.classes else {None: values["k"]}
    out = []
    for name, k in by_class.items():
        low, high = (
            values[side] if name is None else values[side][name] for side in ("k_low", "k_high")
        )
        of = "" if name is None else f" of {name}"
        if k is None:
            out.append(f"k{of} is not identifiable: no outcome in these data depends on it.")
        elif k == 0:
            interval = "unbounded" if high is None else f"0–{high:.3g}"
            out.append(
                f"The estimate of k{of} is 0, its lower bound ({level:.0%} profile CI {interval})."
            )
        else:
            interval = (
                f"from {low:.3g}, no upper limit" if high is None else f"{low:.3g}–{high:.3g}"
            )
            out.append(f"k{of} = {k:.4g} ({level:.0%} profile CI {interval}).")
    if 0 in by_class.values() and "start" in fit.estimate:
        out.append(
            "Estimates of k are biased downward if starting scores are estimated too; the Bayesian "
            "fit avoids this bias."
        )
    return out


def _interval(low: float | None, high: float | None, level: float) -> str:
    if low is None or high is None:
        return "."
    dash = " to " if low < 0 else "–"
    return f" ({level:.0%} profile CI {low:.3g}{dash}{high:.3g})."


def _times(value: float | None, scale: float) -> float | None:
    return None if value is None else value * scale


def _comparison(row: dict[str, Any], full: dict[str, Any]) -> str:
    gain = full["log_likelihood"] - row["log_likelihood"]
    more = full["parameters"] - row["parameters"]
    better = row["aic"] - full["aic"]
    preferred = "full" if better > 0 else "simpler"
    p = "p < 0.001" if row["p"] < 0.001 else f"p = {row['p']:.2g}"
    return (
        f"Compared with “{row['model']}”, {counted(more, 'additional parameter')} "
        f"{'increases' if more == 1 else 'increase'} the log-likelihood by {gain:.2f} ({p}). AIC "
        f"is lower for the {preferred} model (ΔAIC {abs(better):.1f})."
    )

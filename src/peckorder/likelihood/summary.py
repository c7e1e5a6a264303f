"""What a maximum-likelihood fit says: estimates, nested models beside each other, and words."""

from __future__ import annotations

from typing import Any

import numpy as np

from peckorder.components import in_braces
from peckorder.likelihood.fit import APART, FIRST_K, Fit
from peckorder.likelihood.maximum import LARGEST_K, MOST_CURVED, Problem, maximize
from peckorder.wording import counted, quoted


def values_of(fit: Fit, level: float) -> dict[str, Any]:
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
    """The fit beside the models inside it: is k needed, are starting scores needed?"""
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
        if more <= 0:  # the same model, where k cannot be told
            continue
        # On the edge k = 0 half of the distribution of the test lies at zero.
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


def in_words(
    fit: Fit, values: dict[str, Any], level: float, rounds: list[list[str]]
) -> tuple[str, ...]:
    words = []
    if len(fit.components) > 1:
        words.append(_components_in_words(fit))
    if "k" in fit.estimate:
        words += _k_in_words(fit, values, level)
    words += [_needed(row, values["models"][0]) for row in values["models"][1:]]
    if "home_advantage" in fit.estimate:
        words.append(
            f"Being at home is worth {values['home_advantage']:.3g}"
            + _between(values["home_advantage_low"], values["home_advantage_high"], level)
        )
    if "nu" in values:
        words.append(
            f"Equals draw with a chance of {values['nu'] / (2 + values['nu']):.2f} (ν = "
            f"{values['nu']:.3g})."
        )
    drawn = fit.seen.contests.draw[fit.seen.contests.counted :]
    decided = fit.seen.number - int(drawn.sum())
    share = (
        f"By the scores before each contest, {values['share']:.1%} of "
        f"{counted(decided, 'decided contest' if drawn.any() else 'contest')} went to the side "
        f"with the higher score"
    )
    words.append(share + ("." if values["brier"] is None else f" (Brier {values['brier']:.4f})."))
    if fit.problem.size > MOST_CURVED:
        words.append(f"Standard errors are left out above {MOST_CURVED:,} parameters.")
    if rounds:
        words.append(f"Left out: {'; then '.join(quoted(names) for names in rounds)}.")
    if fit.seen.left_out:
        words.append(f"{counted(fit.seen.left_out, 'draw was', 'draws were')} left out.")
    return tuple(words)


def _components_in_words(fit: Fit) -> str:
    known = (
        f"No chain of wins leads back up between {len(fit.components):,} components: "
        f"{in_braces(fit.components, fit.names, ' > ')}. "
    )
    if np.isfinite(fit.whole.prior_sd):
        return known + "How far apart they stand is the prior's word as much as the data's."
    if not fit.limit:
        return known + "Since scores move, a finite distance between them still fits best."
    return known + (
        f"Scores differ without bound between them (they are printed {APART / fit.slope:,.0f} "
        f"apart, a chance of 1) and are fitted inside each; the log-likelihood is the limit. "
        f"penalized=True (--penalized) gives finite differences."
    )


def _k_in_words(fit: Fit, values: dict[str, Any], level: float) -> list[str]:
    by_class = values["k"] if fit.seen.classes else {None: values["k"]}
    out = []
    for name, k in by_class.items():
        low, high = (
            values[side] if name is None else values[side][name] for side in ("k_low", "k_high")
        )
        of = "" if name is None else f" of {name}"
        if k is None:
            out.append(f"k{of} cannot be told: no outcome of this record depends on it.")
        elif k == 0:
            upto = "any size" if high is None else f"{high:.3g}"
            doubt = (
                ". Beside starting scores k comes out too low: ask elo_bayes (--method bayes)"
                if "start" in fit.estimate
                else ""
            )
            out.append(
                f"k{of} is at its bound 0: no k above 0 makes the record more likely ({level:.0%} "
                f"profile interval up to {upto}){doubt}."
            )
        else:
            shown = f"from {low:.3g} without end" if high is None else f"{low:.3g} to {high:.3g}"
            out.append(f"k{of} = {k:.4g} ({level:.0%} profile interval {shown}).")
    return out


def _between(low: float | None, high: float | None, level: float) -> str:
    if low is None or high is None:
        return "."
    return f" ({level:.0%} profile interval {low:.3g} to {high:.3g})."


def _times(value: float | None, scale: float) -> float | None:
    return None if value is None else value * scale


def _needed(row: dict[str, Any], full: dict[str, Any]) -> str:
    gain = full["log_likelihood"] - row["log_likelihood"]
    more = full["parameters"] - row["parameters"]
    better = row["aic"] - full["aic"]
    verdict = (
        f"favours the full model by {better:.1f}"
        if better > 0
        else (f"favours the simpler one by {-better:.1f}")
    )
    return (
        f"Against “{row['model']}” the log-likelihood is higher by {gain:.2f} for "
        f"{counted(more, 'parameter')} more (p = {row['p']:.2g}); AIC {verdict}."
    )

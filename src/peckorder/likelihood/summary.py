"""Results of a maximum-likelihood fit: estimates, comparison with nested models, and a summary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from peckorder.components import in_braces
from peckorder.likelihood.bootstrap import Bootstrapped
from peckorder.likelihood.fit import APART, Fit
from peckorder.likelihood.maximum import LARGEST_K, MOST_CURVED
from peckorder.likelihood.nested import Nested, gain_over, jointly, nested_models
from peckorder.wording import counted, either, option, p_text, quoted

NO_GAIN = 1e-9  # likelihood ratios below it are rounding errors


@dataclass(frozen=True)
class Claims:
    """What is said beyond the maximum: by large-sample theory, by the bootstrap, or not at all.

    Where k is estimated together with one starting score per individual, large-sample theory does
    not hold, and nothing is said without the bootstrap unless the caller insists.
    """

    level: float
    asymptotic: bool
    bootstrapped: Bootstrapped | None = None

    @classmethod
    def of(
        cls, fit: Fit, level: float, asymptotic: bool, bootstrapped: Bootstrapped | None
    ) -> Claims:
        """The claims that a fit supports."""
        return cls(level, asymptotic or not jointly(fit.estimate), bootstrapped)


def values_of(fit: Fit, claims: Claims) -> dict[str, Any]:
    """Estimates and fit statistics by name."""
    x, places = fit.x, fit.problem.layout
    k = fit.problem.unfold(x)[1]
    likelihood = fit.problem.log_likelihood(x)
    penalized = bool(np.isfinite(fit.whole.prior_sd))
    scale = 1 / fit.slope
    values: dict[str, Any] = {}
    if "k" in places:
        values |= _k_values(fit, claims)
    else:
        values["k"] = float(k[0]) * scale
    if "home_advantage" in places:
        at, se, low, high = fit.interval(places["home_advantage"].start, claims.level, -1e3, 1e3)
        values |= {
            "home_advantage": at * scale,
            "home_advantage_se": _times(se, scale),
            "home_advantage_low": _times(low, scale),
            "home_advantage_high": _times(high, scale),
        }
    if "log_nu" in places:
        at, se, low, high = fit.interval(places["log_nu"].start, claims.level, -20.0, 20.0)
        values |= {
            "nu": float(np.exp(at)),
            "nu_low": 0.0 if low is None else float(np.exp(low)),
            "nu_high": None if high is None else float(np.exp(high)),
        }
    known = claims.asymptotic and not penalized
    return values | {
        "log_likelihood": likelihood,
        "parameters": fit.parameters,
        "aic": _aic(fit.parameters, likelihood) if known else None,
        "bic": _bic(fit, fit.parameters, likelihood) if known else None,
        "components": [sorted(fit.names[i] for i in own) for own in fit.components],
        "unbounded": fit.limit,
        "penalized": penalized,
        "models": models_of(fit, likelihood, claims),
    }


def _k_values(fit: Fit, claims: Claims) -> dict[str, Any]:
    """Each k with its standard error and limits, by context if there are several."""
    first, names = fit.problem.layout["k"].start, list(fit.seen.classes) or [None]
    parts = []
    for i in range(len(names)):
        at, se, low, high = float(fit.x[first + i]), None, None, None
        if claims.asymptotic:
            at, se, low, high = fit.interval(first + i, claims.level, 0.0, LARGEST_K)
        if claims.bootstrapped is not None and claims.bootstrapped.limits:
            low, high = claims.bootstrapped.limits[i]
        parts.append([None] * 4 if fit.idle[i] else [at, se, low, high])
    values = {}
    for what, column in zip(
        ("k", "k_se", "k_low", "k_high"), zip(*parts, strict=True), strict=True
    ):
        each = [_times(value, 1 / fit.slope) for value in column]
        values[what] = each[0] if names == [None] else dict(zip(names, each, strict=True))
    return values


def _aic(parameters: int, likelihood: float) -> float:
    return 2 * parameters - 2 * likelihood


def _bic(fit: Fit, parameters: int, likelihood: float) -> float:
    return parameters * float(np.log(fit.seen.number)) - 2 * likelihood


def models_of(fit: Fit, likelihood: float, claims: Claims) -> list[dict[str, Any]]:
    """Comparison with nested models: whether k and different starting scores are needed."""
    inner = nested_models(fit)
    if np.isfinite(fit.whole.prior_sd) or not {"k", "start"} & set(fit.estimate):
        return []
    rows = [
        {
            "model": " and ".join(fit.estimate),
            "parameters": fit.parameters,
            "log_likelihood": likelihood,
            "p": None,
        }
    ]
    for one in inner:
        p = _large_sample_p(fit, one) if claims.asymptotic else None
        if claims.bootstrapped is not None:
            p = claims.bootstrapped.p[one.name]
        rows.append(
            {
                "model": one.name,
                "parameters": one.parameters,
                "log_likelihood": one.value,
                "p": p,
            }
        )
    aic = [_aic(row["parameters"], row["log_likelihood"]) for row in rows]
    for row, own in zip(rows, aic, strict=True):
        known = claims.asymptotic
        row["aic"] = own if known else None
        row["bic"] = _bic(fit, row["parameters"], row["log_likelihood"]) if known else None
        row["delta_aic"] = own - min(aic) if known else None
    return rows


def _large_sample_p(fit: Fit, one: Nested) -> float:
    from scipy.special import chdtrc

    more, gain = fit.parameters - one.parameters, gain_over(fit, one)
    # At the boundary k = 0 the null distribution is a 50:50 mixture with a point mass at 0, so
    # that a gain of 0 is as large as all others.
    edge = more == 1 and "k" in fit.estimate and one.name.endswith("k = 0")
    if edge and gain < NO_GAIN:
        return 1.0
    return float(chdtrc(more, gain)) * (0.5 if edge else 1.0)


def summary_of(
    fit: Fit, values: dict[str, Any], claims: Claims, rounds: list[list[str]]
) -> tuple[str, ...]:
    """Sentences on the estimates, model comparisons, predictions and exclusions."""
    summary = []
    if len(fit.components) > 1:
        summary.append(_components_summary(fit))
    if "k" in fit.estimate:
        summary += _k_summary(fit, values, claims)
    summary += [_comparison(row, values["models"][0], claims) for row in values["models"][1:]]
    if claims.bootstrapped is not None:
        summary.append(_bootstrap_summary(claims.bootstrapped))
    if "home_advantage" in fit.estimate:
        summary.append(
            f"Home advantage {values['home_advantage']:.3g}"
            + _interval(values["home_advantage_low"], values["home_advantage_high"], claims.level)
        )
    if "nu" in values:
        summary.append(
            f"Probability of a tie between equals {values['nu'] / (2 + values['nu']):.2f} (ν = "
            f"{values['nu']:.3g})."
        )
    drawn = fit.seen.contests.draw[fit.seen.contests.counted :]
    decided = fit.seen.number - int(drawn.sum())
    summary += _predicted(values, decided, bool(drawn.any()))
    if fit.problem.size > MOST_CURVED:
        summary.append(f"Standard errors are not computed above {MOST_CURVED:,} parameters.")
    if rounds:
        summary.append(f"Excluded: {'; then '.join(quoted(names) for names in rounds)}.")
    if fit.seen.left_out:
        summary.append(f"{counted(fit.seen.left_out, 'tie was', 'ties were')} excluded.")
    return tuple(summary)


def _predicted(values: dict[str, Any], decided: int, ties: bool) -> list[str]:
    """How often the side ahead won; nobody is ahead if all scores are equal."""
    if not decided:
        return []
    contests = counted(decided, "decided contest" if ties else "contest")
    brier = "" if values["brier"] is None else f" (Brier score {values['brier']:.4f})"
    if values["equal"] == decided:
        return [f"Scores were equal before each of the {contests}, so none was predicted{brier}."]
    return [
        f"The side with the higher score before the contest won {values['share']:.1%} of "
        f"{contests}{brier}."
    ]


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


def _k_summary(fit: Fit, values: dict[str, Any], claims: Claims) -> list[str]:
    by_class = values["k"] if fit.seen.classes else {None: values["k"]}
    out = []
    for name, k in by_class.items():
        low, high = (
            values[side] if name is None else values[side][name] for side in ("k_low", "k_high")
        )
        of = "" if name is None else f" of {name}"
        if k is None:
            out.append(f"k{of} is not identifiable: no outcome in these data depends on it.")
            continue
        interval = _k_interval(low, high, claims)
        if k == 0:
            out.append(f"The estimate of k{of} is 0, its lower bound{interval}.")
        else:
            out.append(f"k{of} = {k:.4g}{interval}.")
    if jointly(fit.estimate) and any(k is not None for k in by_class.values()):
        out.append(_bias_of_k(claims))
    return out


def _k_interval(low: float | None, high: float | None, claims: Claims) -> str:
    bootstrapped = claims.bootstrapped is not None and bool(claims.bootstrapped.limits)
    if not bootstrapped and not claims.asymptotic:
        return ""
    ends = f"{low:.3g}–{high:.3g}" if high is not None else f"from {low:.3g}, no upper limit"
    return f" ({claims.level:.0%} {'bootstrap' if bootstrapped else 'profile'} CI {ends})"


def _bias_of_k(claims: Claims) -> str:
    """What is wrong with k if starting scores are estimated too, and where to go from here."""
    why = (
        "Estimates of k are biased downward if one starting score per individual is estimated "
        "too (incidental parameters: the data contain as many starting scores as individuals)"
    )
    posterior = either("dynamic or elo_bayes", "peckorder dynamic or peckorder fit --method bayes")
    if claims.bootstrapped is not None:
        return f"{why}; the bootstrap allows for it. {posterior} give a posterior instead."
    if claims.asymptotic:
        return (
            f"{why}, and p-values, AIC and intervals from large-sample theory are not valid. Use "
            f"{option('bootstrap', '199')}, or the posterior ({posterior})."
        )
    return (
        f"{why}, so an interval of k, p-values and AIC are not given. Get the first two by "
        f"simulation with {option('bootstrap', '199')}, or use the posterior ({posterior})."
    )


def _bootstrap_summary(found: Bootstrapped) -> str:
    failed = (
        ""
        if not found.failed
        else f" {counted(found.failed, 'simulated record')} without a finite maximum "
        f"{'was' if found.failed == 1 else 'were'} left out."
    )
    return (
        f"p-values compare the gain with that in {counted(found.runs, 'record')} simulated from "
        f"the simpler model.{failed}"
    )


def _interval(low: float | None, high: float | None, level: float) -> str:
    if low is None or high is None:
        return "."
    dash = " to " if low < 0 else "–"
    return f" ({level:.0%} profile CI {low:.3g}{dash}{high:.3g})."


def _times(value: float | None, scale: float) -> float | None:
    return None if value is None else value * scale


def _comparison(row: dict[str, Any], full: dict[str, Any], claims: Claims) -> str:
    gain = full["log_likelihood"] - row["log_likelihood"]
    more = full["parameters"] - row["parameters"]
    p = "" if row["p"] is None else f" ({p_text(row['p'])})"
    text = (
        f"Compared with “{row['model']}”, {counted(more, 'additional parameter')} "
        f"{'increases' if more == 1 else 'increase'} the log-likelihood by {gain:.2f}{p}."
    )
    if row["aic"] is None or claims.bootstrapped is not None:
        return text
    better = row["aic"] - full["aic"]
    preferred = "full" if better > 0 else "simpler"
    return f"{text} AIC is lower for the {preferred} model (ΔAIC {abs(better):.1f})."

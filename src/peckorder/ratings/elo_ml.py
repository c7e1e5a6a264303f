"""Elo ratings by maximum likelihood (Foerster et al. 2016).

The estimates are the k and the starting scores that maximize the likelihood of the observed
outcomes, each predicted from the scores before the contest. The likelihood depends on differences
in score only, so the mean is fixed. If the individuals are not strongly connected by their wins,
differences between components are unbounded: see `bradley_terry`.

Results of a maximum-likelihood fit: estimates, comparison with nested models, and a summary.

How far an estimate of k depends on the order of contests that share a time stamp.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from peckorder.curves import curve_settings
from peckorder.data.contests import Record
from peckorder.data.read import Data, opened
from peckorder.data.same_time import order_unknown, shared_words
from peckorder.data.win_counts import reduced
from peckorder.errors import ArgumentError, caution
from peckorder.random_runs import Progress, Runs
from peckorder.ranks import in_braces
from peckorder.ratings import elo_arrays
from peckorder.ratings.likelihood import (
    APART,
    Fit,
    contests_of,
    estimates_of_k,
    fitted,
    natural_curve,
    note_groups,
    observe,
    reordered,
)
from peckorder.ratings.maximum import LARGEST_K, MOST_CURVED
from peckorder.ratings.ml_bootstrap import (
    Bootstrap,
    Bootstrapped,
    Nested,
    gain_over,
    jointly,
    nested_models,
)
from peckorder.ratings.replay import EloReplay
from peckorder.ratings.settings import PRESETS, EloSettings
from peckorder.results import Ratings
from peckorder.results.trajectory import Course
from peckorder.text import counted, either, given, option, option_name, p_text, quoted
from peckorder.validate import FittedTies, between_0_and_1, positive, true_or_false

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


ESTIMATED = ("k", "start", "home_advantage")


def elo_ml(
    data: Data,
    *,
    estimate: tuple[str, ...] | str = ("k", "start"),
    k: float | str | None = None,
    start: Any = None,
    scale: float | None = None,
    delta: float | None = None,
    home_advantage: float | None = None,
    home_in_update: bool = False,
    ties: FittedTies = "davidson",
    presence: Any = None,
    burn_in: tuple[int, float] | None = None,
    penalized: bool = False,
    prior_sd: float = 2.0,
    min_contests: int | None = None,
    one_sided: bool = False,
    level: float = 0.95,
    preset: Literal["EloOptimized"] | None = None,
    bootstrap: int | None = None,
    asymptotic: bool = False,
    seed: Any = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Ratings:
    """Elo ratings with k and starting scores estimated by maximum likelihood.

    Parameters
    ----------
    data : Contests or Matrix
    estimate : any of "k", "start", "home_advantage"
        Parameters to estimate; the others are fixed by the next arguments.
    k : number or "context"
        Value of k if it is not estimated (default 0, a static hierarchy); "context" estimates one
        k per context.
    start : number or mapping
        Starting scores if they are not estimated, otherwise their reported mean; default 0.
        Individuals that a mapping does not name start at the default.
    scale, delta : float, optional
        Scale of the reported scores. By default the natural scale, on which the winning
        probability at a difference d is 1/(1 + e^(−d)); `scale=400` (base 10) or `delta=0.01` as
        in `elo`.
    home_advantage, home_in_update : as in `elo`
    ties : {"davidson", "omit"}
        Model ties (Davidson 1970) or exclude them. Ties update the scores as in `elo`.
    presence : as in `read`
        Determines which individuals are listed at a date; it does not affect the fit.
    burn_in : (n, k), optional
        The first n contests update scores with this k and are excluded from the likelihood. If
        starting scores are estimated it must be (n, 0), which excludes these contests entirely.
    penalized : bool
        Maximum a posteriori fit with a normal prior on starting scores (and on log ν), with mean 0
        and standard deviation `prior_sd` on the natural scale. The estimates are finite for any
        data. AIC and BIC are not available.
    min_contests, one_sided : optional
        Before the fit, exclude individuals with fewer contests, or with wins only or losses only.
        Contests that `burn_in=(n, 0)` excludes do not count. Both discard information and may
        lead to further exclusions: see `without`.
    level : float
        Confidence level of intervals.
    preset : {"EloOptimized"}, optional
        δ = 0.01 and start 1000. If only k is estimated, the burn-in is 100 contests at k = 100;
        otherwise the first 100 contests are excluded and all starting scores count as parameters,
        and AIC and p-values are those of large-sample theory, as with `asymptotic=True`. If only k
        is estimated, individuals are ranked from their first contest on.
    bootstrap : int, optional
        p-values of the comparison with nested models, and the interval of k if starting scores are
        estimated too, from this number of simulated records each (such as 199).
    asymptotic : bool
        If k and starting scores are estimated together, give p-values, AIC, BIC and a profile
        interval of k by large-sample theory nevertheless, as published fits do.
    seed, threads, progress
        Of the bootstrap.

    Returns
    -------
    Ratings
        The table also has start, start_se, rating_se and component. Values: `k` (by context: a
        dict), `k_se`, `k_low`, `k_high` (profile interval), `home_advantage` and `nu` likewise,
        `log_likelihood`, `parameters` (number of identifiable parameters), `aic`, `bic`,
        `components`, `models` (comparison with nested models), and `correct`, `equal` (contests
        without a favorite), `share`, `brier` (predictions from the scores before each contest). If
        individuals have several contests with the same time stamp, `k_orders` is the range of k
        over 10 random orders of these.

    Notes
    -----
    Estimates of k are biased downward if starting scores are estimated too, because one free score
    per individual overfits the static part of the hierarchy (incidental parameters). In data
    simulated with k = 0.3 (44 individuals, 915 contests) the estimate is k = 0, the profile
    interval excludes the true value, and χ² tests reject too often. Therefore `k_se`, `k_low`,
    `k_high`, `aic`, `bic` and all p-values are None in this setting, unless `bootstrap` computes
    the interval and p-values by simulation. `dynamic` and `elo_bayes` use partial pooling of the
    starting scores and avoid this bias.

    References
    ----------
    Foerster et al. 2016, Scientific Reports 6:35404, doi:10.1038/srep35404.

    Examples
    --------
    >>> import peckorder as po
    >>> fit = po.elo_ml(po.datasets.adv(), estimate="k")
    >>> round(fit.k, 3), round(fit.log_likelihood, 3)
    (1.59, -16.9)
    """
    data = opened(data)
    estimate = tuple(estimate) if isinstance(estimate, tuple | list | set) else (estimate,)
    unknown = [name for name in estimate if not isinstance(name, str) or name not in ESTIMATED]
    if unknown or not estimate:
        raise ArgumentError(
            f"{given('estimate', unknown[0] if unknown else [])} is not valid. "
            f"Choose from: {', '.join(ESTIMATED)}."
        )
    true_or_false("penalized", penalized)
    true_or_false("one_sided", one_sided)
    true_or_false("home_in_update", home_in_update)
    true_or_false("asymptotic", asymptotic)
    if preset is not None and str(preset) != "EloOptimized":
        raise ArgumentError(
            f"{option('preset', str(preset))} cannot be used here. The only preset of "
            f"maximum-likelihood fits is EloOptimized."
        )
    positive("prior_sd", prior_sd)
    between_0_and_1("level", level)
    if bootstrap is not None and (penalized or asymptotic):
        other = "penalized" if penalized else "asymptotic"
        raise ArgumentError(
            f"{option_name('bootstrap')} cannot be combined with {option(other, 'True')}."
        )
    if preset is not None:
        start = 1000.0 if start is None else start
        burn_in = burn_in or ((100, 0.0) if "start" in estimate else (100, 100.0))
    if isinstance(home_advantage, Mapping):
        raise ArgumentError(
            f"{option_name('home_advantage')} must be one number for all individuals in a fit."
        )
    if isinstance(k, np.ndarray):
        raise ArgumentError(f'{option_name("k")}={k!r}: give a number, or "context".')
    curve = natural_curve(scale, delta, PRESETS[preset]["curve"] if preset else None)
    settings = EloSettings(
        start=0.0 if start is None else start,
        burn_in=burn_in,
        curve=curve,
        home_advantage=0.0 if home_advantage is None else home_advantage,
        home_in_update=home_in_update,
        k=0.0 if k is None or k == "context" else k,  # pyright: ignore[reportArgumentType]
        day="max" if preset else "last",
        ranked_from="first contest" if preset and "start" not in estimate else "arrival",
        preset=preset,
    )
    if k is not None and k != "context" and ("k" in estimate or not isinstance(k, int | float)):
        raise ArgumentError(
            f"{option_name('k')}={k!r}: to fix k, give a number and remove k from "
            f"{option_name('estimate')}. To estimate one k per context, use "
            f"{option('k', 'context')}."
        )
    if k == "context" and "k" not in estimate:
        raise ArgumentError(
            f'{option("k", "context")} estimates k. Add "k" to {option_name("estimate")}.'
        )
    if home_advantage is not None and "home_advantage" in estimate:
        raise ArgumentError(
            f"{option_name('home_advantage')} cannot be both fixed and estimated. Omit one of them."
        )
    if burn_in is not None and burn_in[1] > 0 and "start" in estimate:
        raise ArgumentError(
            f"If starting scores are estimated, the k of {option_name('burn_in')} must be 0, which "
            f"excludes the first n contests."
        )
    contests = contests_of(data, "elo_ml")
    if presence is not None:
        contests = contests.with_presence(presence)
    if isinstance(start, Mapping):
        full = elo_arrays.starts(settings, contests.individuals, usual=1000.0 if preset else 0.0)
        settings = replace(settings, start=dict(zip(contests.individuals, full, strict=True)))
    note_groups(contests)
    rounds: list[list[str]] = []
    counted_from = 0 if burn_in is None else burn_in[0]
    if min_contests is not None or one_sided:
        if burn_in is not None and burn_in[1] == 0 and counted_from < len(contests):
            # Contests that are excluded entirely are no evidence of wins and losses either.
            contests, counted_from = contests.take(np.arange(counted_from, len(contests))), 0
            settings = replace(settings, burn_in=None)
        contests, rounds = reduced(contests, min_contests=min_contests, one_sided=one_sided)
    seen = observe(
        contests,
        ties=ties,
        by_context=k == "context",
        counted_from=counted_from,
        home="home_advantage" in estimate or bool(home_advantage),
        home_in_update=home_in_update,
        static="k" not in estimate and not k,
    )
    fit = fitted(seen, settings, estimate, prior_sd if penalized else np.inf)
    runs = None if bootstrap is None else Runs.of(bootstrap, seed, threads, progress, least=19)
    claims = Claims.of(
        fit,
        level,
        asymptotic or preset is not None,
        None if runs is None else Bootstrap(fit, runs).found(level),
    )
    return _ratings(
        fit,
        claims,
        rounds,
        {
            "estimate": list(estimate),
            "k": k,
            "start": start,
            **curve_settings(curve),
            "home_advantage": home_advantage,
            "home_in_update": home_in_update,
            "ties": ties,
            "burn_in": None if burn_in is None else list(burn_in),
            "penalized": penalized,
            "prior_sd": prior_sd if penalized else None,
            "min_contests": min_contests,
            "one_sided": one_sided,
            "level": level,
            "preset": preset,
            "bootstrap": bootstrap,
            "asymptotic": asymptotic,
            "day": settings.day,
            "ranked_from": settings.ranked_from,
            "presence": seen.data.presence is not None,
        },
        None if runs is None else runs.seed,
    )


def _ratings(
    fit: Fit,
    claims: Claims,
    rounds: list[list[str]],
    described: dict[str, Any],
    seed: int | None,
) -> Ratings:
    settings, columns = fit.course_settings(), fit.columns()
    replay = EloReplay(fit.data, settings)
    values = values_of(fit, claims)
    expected = replay.history()[0]
    own = np.arange(len(fit.data)) >= fit.seen.contests.counted
    decided = own if fit.data.draw is None else own & ~fit.data.draw
    correct = int((expected[decided] > 0.5).sum())
    values |= {
        "correct": correct,
        "equal": int((expected[decided] == 0.5).sum()),
        "share": correct / max(1, int(decided.sum())),
        "brier": float(np.mean((1 - expected[decided]) ** 2)) if decided.any() else None,
    }
    more, sentences = within_stamps(fit)
    values |= more
    summary = (*summary_of(fit, values, claims, rounds), *sentences)
    if len(fit.components) > 1 and not described["penalized"]:
        caution(summary[0])
    return Ratings(
        method="elo_ml",
        individuals=fit.names,
        rating=replay.final(),
        record=Record.of(fit.data),
        curve=settings.curve,
        settings=described,
        citations=("foerster2016", *(("davidson1970",) if fit.seen.with_draws else ())),
        report=fit.data.report,
        kept=Course(fit.data, replay, settings.day, settings.ranked_from),
        values=values,
        summary=summary,
        columns=columns,
        seed=seed,
    )


ORDERS = 10
MOST_CONTESTS = 5_000


def within_stamps(fit: Fit) -> tuple[dict[str, Any], list[str]]:
    """Range of k over random orders (value `k_orders`), and sentences about it."""
    static = "k" not in fit.estimate and fit.settings.k == 0
    unknown = int(order_unknown(fit.data).sum()) if fit.data.ordered and not static else 0
    if unknown == 0:
        return {}, []
    shared = f"{shared_words(unknown, len(fit.data))}. They were used in the order of the file."
    if "k" not in fit.estimate or fit.idle.any() or len(fit.data) > MOST_CONTESTS:
        return {}, [shared]
    each = np.array([estimates_of_k(fit, reordered(fit.seen, i)) for i in range(ORDERS)])
    ranges = list(zip(each.min(axis=0).tolist(), each.max(axis=0).tolist(), strict=True))
    names = fit.seen.classes or (None,)
    parts = [
        f"k{'' if name is None else f' of {name}'} is "
        + (f"between {low:.3g} and {high:.3g}" if high > low else f"always {low:.3g}")
        for name, (low, high) in zip(names, ranges, strict=True)
    ]
    value = dict(zip(names, ranges, strict=True)) if fit.seen.classes else ranges[0]
    sentence = f"In {ORDERS} random orders within stamps, {', '.join(parts)}."
    return {"k_orders": value}, [shared, sentence]

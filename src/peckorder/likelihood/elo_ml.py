"""Elo ratings by maximum likelihood (Foerster et al. 2016).

The estimates are the k and the starting scores that maximize the likelihood of the observed
outcomes, each predicted from the scores before the contest. The likelihood depends on differences
in score only, so the mean is fixed. If the individuals are not strongly connected by their wins,
differences between components are unbounded: see `bradley_terry`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from peckorder.checked import between_0_and_1, is_number, true_or_false
from peckorder.curves import curve_settings
from peckorder.data.exclusion import reduced
from peckorder.data.record import Record
from peckorder.errors import ArgumentError, caution
from peckorder.likelihood.bootstrap import Bootstrap
from peckorder.likelihood.contests import contests_of, natural_curve, note_groups, observe
from peckorder.likelihood.fit import Fit, fitted
from peckorder.likelihood.summary import Claims, summary_of, values_of
from peckorder.likelihood.within import within_stamps
from peckorder.results import Ratings
from peckorder.results.course import Course
from peckorder.runs import Progress, Runs
from peckorder.sequential import policies
from peckorder.sequential.replay import EloReplay
from peckorder.sequential.settings import PRESETS, EloSettings
from peckorder.wording import given, option, option_name

ESTIMATED = ("k", "start", "home_advantage")


def elo_ml(
    data: Any,
    *,
    estimate: tuple[str, ...] | str = ("k", "start"),
    k: float | str | None = None,
    start: Any = None,
    scale: float | None = None,
    delta: float | None = None,
    home_advantage: float | None = None,
    home_in_update: bool = False,
    ties: str = "davidson",
    presence: Any = None,
    burn_in: tuple[int, float] | None = None,
    penalized: bool = False,
    prior_sd: float = 2.0,
    min_contests: int | None = None,
    one_sided: bool = False,
    level: float = 0.95,
    preset: str | None = None,
    bootstrap: int | None = None,
    asymptotic: bool = False,
    seed: Any = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Ratings:
    """Elo ratings with k and starting scores estimated by maximum likelihood.

    Parameters
    ----------
    data : Interactions or Matrix
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
    estimate = tuple(estimate) if isinstance(estimate, tuple | list | set) else (estimate,)
    unknown = [name for name in estimate if not isinstance(name, str) or name not in ESTIMATED]
    if unknown or not estimate:
        raise ArgumentError(
            f"{given('estimate', unknown[0] if unknown else [])} is not valid. "
            f"Choose from: {', '.join(ESTIMATED)}."
        )
    for name, value in (("penalized", penalized), ("one_sided", one_sided)):
        true_or_false(name, value)
    for name, value in (("home_in_update", home_in_update), ("asymptotic", asymptotic)):
        true_or_false(name, value)
    if preset is not None and str(preset) != "EloOptimized":
        raise ArgumentError(
            f"{option('preset', str(preset))} cannot be used here. The only preset of "
            f"maximum-likelihood fits is EloOptimized."
        )
    if not is_number(prior_sd) or prior_sd <= 0:
        raise ArgumentError(f"{option_name('prior_sd')}={prior_sd!r}: give a number above 0.")
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
    data = contests_of(data, "elo_ml")
    if presence is not None:
        data = data.with_presence(presence)
    if isinstance(start, Mapping):
        full = policies.starts(settings, data.individuals, usual=1000.0 if preset else 0.0)
        settings = replace(settings, start=dict(zip(data.individuals, full, strict=True)))
    note_groups(data)
    rounds: list[list[str]] = []
    counted_from = 0 if burn_in is None else burn_in[0]
    if min_contests is not None or one_sided:
        if burn_in is not None and burn_in[1] == 0 and counted_from < len(data):
            # Contests that are excluded entirely are no evidence of wins and losses either.
            data, counted_from = data.take(np.arange(counted_from, len(data))), 0
            settings = replace(settings, burn_in=None)
        data, rounds = reduced(data, min_contests=min_contests, one_sided=one_sided)
    seen = observe(
        data,
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

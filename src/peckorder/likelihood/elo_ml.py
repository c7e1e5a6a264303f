"""Elo ratings by maximum likelihood (Foerster et al. 2016).

The k and the starting scores under which the record is most likely: the log-likelihood is the sum
of log chances of what happened, each by the scores before the contest. Only differences of scores
matter, so their common level is fixed. Where the wins do not lead from everybody to everybody
else, differences between components grow without bound: see `bradley_terry`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from peckorder.checked import between_0_and_1
from peckorder.curves import curve_settings
from peckorder.data.exclusion import reduced
from peckorder.data.record import Record
from peckorder.errors import caution
from peckorder.likelihood.contests import contests_of, natural_curve, note_groups, observe
from peckorder.likelihood.fit import Fit, fitted
from peckorder.likelihood.summary import in_words, values_of
from peckorder.results import Ratings
from peckorder.results.course import Course
from peckorder.sequential.elo import EloReplay
from peckorder.sequential.settings import PRESETS, EloSettings

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
) -> Ratings:
    """Elo ratings with k and starting scores estimated by maximum likelihood.

    Parameters
    ----------
    data : Interactions or Matrix
    estimate : any of "k", "start", "home_advantage"
        What is estimated; the rest stands where the next three put it.
    k : number or "context"
        A fixed k where k is not estimated (0 by default: a static hierarchy); "context" estimates
        one for each context.
    start : number or mapping
        Starting scores where they are not estimated, or else the level around which they are
        reported; default 0.
    scale, delta : float, optional
        Scale of what is reported: by default the natural one, on which a difference d wins with
        chance 1/(1 + e^(−d)); `scale=400` (base 10) or `delta=0.01` as in `elo`.
    home_advantage, home_in_update : as in `elo`
    ties : {"davidson", "omit"}
        Model draws (Davidson 1970), or leave them out. The update of a draw is that of `elo`.
    presence : as in `read`; it tells who is listed at a date, the fit does not depend on it.
    burn_in : (n, k), optional
        The first n contests move scores with this k and are left out of the likelihood. Where
        starting scores are estimated it must be (n, 0): those contests are left out altogether.
    penalized : bool
        Fit with a normal prior on starting scores (and on log ν), mean 0 and standard deviation
        `prior_sd` on the natural scale: finite for any data (the maximum a posteriori). Such a fit
        has no AIC and BIC.
    min_contests, one_sided : optional
        Leave individuals out first: with fewer contests, or with wins only or losses only. Both
        throw information away and may start a chain reaction: see `without`.
    level : float
        Of profile intervals.
    preset : {"EloOptimized"}, optional
        δ = 0.01 and start 1000; estimating k alone, 100 contests of burn-in at k = 100; else the
        first 100 contests are left out and all starting scores are counted as parameters.

    Returns
    -------
    Ratings
        Its table has besides: start, start_se, rating_se, component. Values: `k` (by context: a
        dict), `k_se`, `k_low`, `k_high` (profile interval), `home_advantage` and `nu` likewise,
        `log_likelihood`, `parameters` (the identified ones), `aic`, `bic`, `components`, `models`
        (nested models side by side), `correct`, `share`, `brier` (by the scores before each
        contest).

    Notes
    -----
    Estimated together with starting scores, k comes out too low: with a score for each individual
    the static part explains more than its due. In records made with k = 0.3 (44 individuals, 915
    contests) the maximum lies at k = 0 and the profile interval misses the truth. `elo_bayes`
    pools the starting scores and does not have this bias.

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
    estimate = (estimate,) if isinstance(estimate, str) else tuple(estimate)
    unknown = [name for name in estimate if name not in ESTIMATED]
    if unknown or not estimate:
        raise ValueError(
            f"estimate={unknown[0] if unknown else estimate!r} is not known. Choose from: "
            f"{', '.join(ESTIMATED)}."
        )
    if preset not in (None, "EloOptimized"):
        raise ValueError(f'preset="{preset}" is no preset of a fit. Choose: EloOptimized.')
    if not isinstance(prior_sd, int | float) or not 0 < prior_sd < float("inf"):
        raise ValueError(f"prior_sd={prior_sd!r}: give a number above 0.")
    between_0_and_1("level", level)
    if preset is not None:
        start = 1000.0 if start is None else start
        burn_in = burn_in or ((100, 0.0) if "start" in estimate else (100, 100.0))
    if isinstance(home_advantage, Mapping):
        raise ValueError("A fit takes one home advantage for all: a number.")
    curve = natural_curve(scale, delta, PRESETS[preset]["curve"] if preset else None)
    settings = EloSettings(
        start=0.0 if start is None else start,
        burn_in=burn_in,
        curve=curve,
        home_advantage=home_advantage or 0.0,
        home_in_update=home_in_update,
        k=0.0 if k is None or k == "context" else k,  # pyright: ignore[reportArgumentType]
        day="max" if preset else "last",
        preset=preset,
    )
    if k is not None and k != "context" and ("k" in estimate or not isinstance(k, int | float)):
        raise ValueError(
            f"k={k!r}: give a number for a fixed k and leave k out of estimate, or "
            f'k="context" to estimate one per context.'
        )
    if k == "context" and "k" not in estimate:
        raise ValueError('k="context" estimates k: add "k" to estimate.')
    if home_advantage is not None and "home_advantage" in estimate:
        raise ValueError("home_advantage is estimated or given, not both.")
    if burn_in is not None and burn_in[1] > 0 and "start" in estimate:
        raise ValueError(
            "Estimated starting scores need no burn-in that moves them: burn_in=(n, 0) leaves the "
            "first n contests out (--burn-in n,0)."
        )
    data = contests_of(data, "elo_ml")
    if presence is not None:
        data = data.with_presence(presence)
    note_groups(data)
    rounds: list[list[str]] = []
    if min_contests is not None or one_sided:
        data, rounds = reduced(data, min_contests=min_contests, one_sided=one_sided)
    seen = observe(
        data,
        ties=ties,
        by_context=k == "context",
        counted_from=0 if burn_in is None else burn_in[0],
        home="home_advantage" in estimate or bool(home_advantage),
        home_in_update=home_in_update,
        static="k" not in estimate and not k,
    )
    fit = fitted(seen, settings, estimate, prior_sd if penalized else np.inf)
    return _ratings(
        fit,
        level,
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
            "day": settings.day,
            "presence": seen.data.presence is not None,
        },
    )


def _ratings(fit: Fit, level: float, rounds: list[list[str]], described: dict[str, Any]) -> Ratings:
    settings, columns = fit.course_settings(), fit.columns()
    replay = EloReplay(fit.data, settings)
    values = values_of(fit, level)
    expected = replay.history()[0]
    own = np.arange(len(fit.data)) >= fit.seen.contests.counted
    decided = own if fit.data.draw is None else own & ~fit.data.draw
    correct = int((expected[decided] > 0.5).sum())
    values |= {
        "correct": correct,
        "share": correct / max(1, int(decided.sum())),
        "brier": float(np.mean((1 - expected[decided]) ** 2)) if decided.any() else None,
    }
    words = in_words(fit, values, level, rounds)
    if len(fit.components) > 1 and not described["penalized"]:
        caution(words[0])
    return Ratings(
        method="elo_ml",
        individuals=fit.names,
        rating=replay.final(),
        record=Record.of(fit.data),
        curve=settings.curve,
        settings=described,
        citations=("foerster2016", *(("davidson1970",) if fit.seen.with_draws else ())),
        report=fit.data.report,
        kept=Course(fit.data, replay, settings.day),
        values=values,
        summary=words,
        columns=columns,
    )

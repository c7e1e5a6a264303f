"""Bayesian Elo with partial pooling (Goffe, Fischer & Sennhenn-Reulen 2018).

Starting scores are drawn from a common distribution N(0, σ), and σ and k have half-normal priors.
Scores are updated as in sequential Elo. The posterior quantifies the uncertainty of every rating
and rank at any date. It is sampled by a No-U-Turn sampler with the non-centered parameterization
start = σz.

Summary of a posterior: estimates with intervals, and sentences that interpret them.

How far a posterior depends on the order of contests that share a time stamp.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from peckorder.curves import Curve, curve_settings
from peckorder.data.contests import Contests, Record
from peckorder.data.read import Data, opened
from peckorder.data.same_time import order_unknown, shared_words
from peckorder.errors import ArgumentError, ConvergenceError, ConvergenceWarning, caution
from peckorder.estimate import Estimate
from peckorder.kernels.posterior import Model, density_at, workplace
from peckorder.random_runs import Progress
from peckorder.ranks import average_ranks, in_braces, linked_by
from peckorder.ratings.dynamic import change_evidence, verdict_on_change
from peckorder.ratings.likelihood import (
    Observed,
    contests_of,
    natural_curve,
    note_groups,
    observe,
    reordered,
)
from peckorder.ratings.posterior import Posterior
from peckorder.ratings.posterior_trajectory import SCALED, PosteriorReplay
from peckorder.ratings.sampler import (
    STATISTICS,
    Convergence,
    Sampler,
    dimension,
    first_position,
    model_of,
    parameters,
    prior_scale,
)
from peckorder.results.trajectory import Course
from peckorder.text import counted, given, listed, option, option_name, quoted
from peckorder.validate import (
    FittedTies,
    between_0_and_1,
    finite,
    not_negative,
    positive,
    several,
    true_or_false,
)

SHARED = ("sigma", "k")
MOST_INDIVIDUALS = 5_000
STEPS_PER_DRAW = 31  # assumed leapfrog steps, to estimate the time of a large fit


def elo_bayes(
    data: Data,
    *,
    k: float | str | None = None,
    sigma: float | None = None,
    home_advantage: float | str | None = None,
    home_in_update: bool = False,
    centering: Literal["none", "present"] = "none",
    presence: Any = None,
    ties: FittedTies = "davidson",
    prior_sigma: float = 1.0,
    prior_k: float = 1.0,
    prior_nu: float = 1.0,
    prior_home: float = 1.0,
    shared: tuple[str, ...] | str = SHARED,
    scale: float | None = None,
    delta: float | None = None,
    chains: int = 4,
    warmup: int = 500,
    samples: int = 1500,
    accept: float = 0.8,
    seed: Any = None,
    level: float = 0.95,
    threads: int | None = None,
    progress: Progress | None = None,
    large: bool = False,
) -> Any:
    """Bayesian Elo: posterior distribution of all ratings and ranks, at any date.

    Parameters
    ----------
    data : Contests or Matrix; or a mapping of groups, {name: Contests}
        Groups are fitted jointly as separate hierarchies that share σ and k (see `shared`). The
        result is then a mapping {name: Posterior}.
    k : number or "context", optional
        Estimated by default. A number fixes k (`k=0`: a static hierarchy). "context" estimates one
        k per context with partial pooling, log k_c ~ N(log k, τ). Like ratings, k is in log-odds
        (with `scale=400` in points, as in `elo`: 174 times as large).
    sigma : float, optional
        Fixed value of σ on the natural scale (like the priors; `k` is on the reported scale).
        Estimated by default.
    home_advantage : number or "estimate", optional
        Rating points added to the home side in predictions; with `home_in_update=True`, also in
        the update.
    home_in_update : bool
        Whether the points that change hands also count the home advantage.
    centering : {"none", "present"}
        "none" follows the code published with the paper; a common shift of all scores has no
        effect. "present" follows its text: before each contest, the scores of the individuals
        present are centered, and absent individuals keep their scores. This changes the score of
        returning individuals relative to the others. Requires presence.
    presence : as in `read`
    ties : {"davidson", "omit"}
        Model ties (Davidson 1970, with log ν ~ N(0, `prior_nu`)) or exclude them.
    prior_sigma, prior_k, prior_home : float
        Scales of the half-normal priors of σ and k and of the normal prior of the home advantage,
        on the natural scale.
    shared : any of "sigma", "k"
        Parameters shared by all groups.
    scale, delta : as in `elo_ml`
    chains, warmup, samples : int
        Number of chains, and numbers of warm-up draws and posterior draws per chain.
    accept : float
        Target acceptance rate. Values closer to 1 lead to smaller steps and fewer divergences.
    seed : int, SeedSequence or Generator, optional
        Seed of the random numbers; drawn and reported when omitted.
    level : float
        Probability that intervals contain; also `.at_level(0.8)`.
    threads : int, optional
        All cores by default. The result does not depend on the number of threads.
    progress : callable, optional
        Called repeatedly with (draws done, total draws).
    large : bool
        Sample even if there are more than 5,000 individuals.

    Returns
    -------
    Posterior
        `Ratings` with posterior draws. The mean rating of all individuals is zero in every draw
        (with `centering="present"`, the mean of the individuals present). If individuals have
        several contests with the same time stamp, their order is that of the file, and `k_orders`
        and `rating_orders` are the posterior means of k and of the final ratings with 50 random
        orders integrated out.

    Raises
    ------
    ConvergenceError
        If the largest R̂ is above 1.1; `.ratings` of the error holds the result.

    Warns
    -----
    ConvergenceWarning
        If the largest R̂ is above 1.01, an effective sample size is below 400, or more than 1% of
        transitions are divergent.

    References
    ----------
    Goffe, Fischer & Sennhenn-Reulen 2018, Methods in Ecology and Evolution 9:2131–2144,
    doi:10.1111/2041-210X.13072.

    Examples
    --------
    >>> import peckorder as po
    >>> post = po.elo_bayes(po.datasets.adv(), seed=1)
    >>> post.outranks("b", "a") > 0.99, round(post.rhat_max, 2)
    (True, 1.0)
    """
    data = opened(data)
    sampler = Sampler.of(chains, warmup, samples, seed, threads, progress, accept)
    priors = {
        "prior_sigma": prior_scale("prior_sigma", prior_sigma),
        "prior_k": prior_scale("prior_k", prior_k),
        "prior_nu": prior_scale("prior_nu", prior_nu),
        "prior_home": prior_scale("prior_home", prior_home),
    }
    if sigma is not None:
        positive("sigma", sigma)
    curve = natural_curve(scale, delta)
    fixed_k = _fixed_k(k)
    true_or_false("home_in_update", home_in_update)
    true_or_false("large", large)
    estimated = isinstance(home_advantage, str) and home_advantage == "estimate"
    if home_advantage is not None and not estimated:
        finite("home_advantage", home_advantage)
    named = data if isinstance(data, Mapping) else {None: data}
    if not named:
        raise ArgumentError("The mapping of groups is empty. Give at least one group.")
    shared = tuple(several("shared", shared))
    unknown = [name for name in shared if not isinstance(name, str) or name not in SHARED]
    if unknown:
        raise ArgumentError(
            f"{given('shared', unknown[0])} is not valid. Choose from: {', '.join(SHARED)}."
        )
    if len(named) > 1 and k == "context":
        raise ArgumentError(
            f"{option('k', 'context')} cannot be combined with several groups. Fit one group at a "
            f"time."
        )
    parts = []
    for part in named.values():
        contests = contests_of(part, "elo_bayes")
        if presence is not None:
            if None not in named:
                raise ArgumentError(
                    f"{option_name('presence')} cannot be used with several groups. Supply it when "
                    f"reading the data of each group."
                )
            contests = contests.with_presence(presence)
        note_groups(contests)
        _note_sets(contests)
        parts.append(
            observe(
                contests,
                ties=ties,
                by_context=k == "context",
                home=home_advantage is not None,
                home_in_update=home_in_update,
                centering=centering,
                static=fixed_k == 0,
            )
        )
    own_k = len(parts) > 1 and "k" not in shared and fixed_k is None
    own_sigma = len(parts) > 1 and "sigma" not in shared and sigma is None
    model = model_of(
        parts,
        own_k=own_k,
        own_sigma=own_sigma,
        k=fixed_k,
        sigma=sigma,
        home_advantage=home_advantage,
        slope=curve.slope,
        priors=priors,
    )
    if len(model.sigma_of) > MOST_INDIVIDUALS and not large:
        raise ArgumentError(_too_large(model, sampler))
    # Before sampling: filters of small records then run without being compiled.
    change = [None if fixed_k == 0 else change_evidence(part.data) for part in parts]
    positions, statistics = sampler.run([model])[0]
    found = parameters(model, positions)
    convergence = Convergence.of(found, statistics, fixed_k is None, sigma is None)
    settings = {
        "k": k,
        "sigma": sigma,
        "home_advantage": home_advantage,
        "home_in_update": home_in_update,
        "centering": centering,
        "ties": ties,
        **priors,
        "groups": None if None in named else list(named),
        "shared": list(shared) if len(parts) > 1 else None,
        **curve_settings(curve),
        "chains": chains,
        "warmup": warmup,
        "samples": samples,
        "accept": accept,
        "level": between_0_and_1("level", level),
        "large": large,
    }
    evidence = None
    if len(parts) > 1 and not own_k and k is None:  # one k, and one Bayes factor, for all groups
        together = PosteriorReplay.of(
            parts[0].data, model.contests, found, {"home_advantage": model.home_advantage}
        )
        evidence = static_evidence(together, found["k"], prior_k)
    out: dict[Any, Posterior] = {}
    at = 0
    for i, (name, part) in enumerate(zip(named, parts, strict=True)):
        members = slice(at, at + len(part.data.individuals))
        at = members.stop
        own = dict(found) | {"start": found["start"][..., members]}
        own["sigma"] = found["sigma"][..., [i if own_sigma else 0]]
        if own_k:
            own["k"] = found["k"][..., [i]]
        out[name] = _posterior(
            part,
            own,
            statistics,
            convergence,
            curve=curve,
            sampler=sampler,
            settings=settings | {"presence": part.data.presence is not None},
            citations=_citations(part),
            change=change[i],
            evidence=evidence,
        )
    result = out.get(None, out)
    check_convergence(convergence, result)
    return result


def _fixed_k(k: Any) -> float | None:
    if k is None or (isinstance(k, str) and k == "context"):
        return None
    if isinstance(k, str):
        raise ArgumentError(f'{option("k", k)} is not valid. Give a number to fix k, or "context".')
    return not_negative("k", k)


def _note_sets(data: Contests) -> None:
    sets = linked_by(data.winner, data.loser, len(data.individuals))
    sets = [own for own in sets if len(own) > 1]
    if data.idle:
        caution(f"No contests of {quoted(data.idle)}: the score is the prior.")
    if len(sets) > 1:
        caution(
            f"There are {len(sets):,} sets of individuals with no contests between them: "
            f"{in_braces(sets, data.individuals)}. Comparisons between sets depend on the prior "
            f"only."
        )


def _too_large(model: Model, sampler: Sampler) -> str:
    """The estimated time and memory, from the duration of one gradient evaluation."""
    x = first_position(model)
    slope, target = np.zeros(len(x)), workplace(model)
    density_at(x, slope, target)
    began = time.perf_counter()
    density_at(x, slope, target)
    one = time.perf_counter() - began
    steps = sampler.chains * (sampler.warmup + sampler.samples) * STEPS_PER_DRAW
    memory = sampler.chains * sampler.samples * dimension(model) * 8 / 1e9
    return (
        f"Sampling the posterior of {counted(len(model.sigma_of), 'individual')} would take about "
        f"{max(1, round(one * steps / 60)):,} minutes on one core and {memory:.1f} GB of memory. "
        f"Use the maximum a posteriori instead (maximum likelihood with "
        f"{option('penalized', 'True')}), or sample anyway with {option('large', 'True')}."
    )


def _citations(part: Observed) -> tuple[str, ...]:
    return ("goffe2018", *(("davidson1970",) if part.with_draws else ()))


def check_convergence(convergence: Convergence, result: Any) -> None:
    """Warn if the sampler has not converged; raise an error if R̂ is above 1.1."""
    if convergence.hopeless:
        error = ConvergenceError(
            " ".join(convergence.summary)
            + " The result is in the attribute .ratings of this error."
        )
        error.ratings = result
        raise error
    if not convergence.good:
        caution(" ".join(convergence.summary), ConvergenceWarning)


def _posterior(
    seen: Observed,
    found: dict[str, np.ndarray],
    statistics: np.ndarray,
    convergence: Convergence,
    *,
    curve: Curve,
    sampler: Sampler,
    settings: dict[str, Any],
    citations: tuple[str, ...],
    change: float | None,
    evidence: dict[str, float] | None = None,
) -> Posterior:
    """The result, from parameters on the natural scale.

    `change` is the log Bayes factor of dynamic ratings; `evidence`, for k = 0, is of all groups.
    """
    if settings["centering"] == "none":  # the mean score is not identifiable
        start = found["start"]
        found = found | {"start": start - start.mean(axis=-1, keepdims=True)}
    draws = {
        name: array / curve.slope if name in SCALED else array for name, array in found.items()
    }
    replay = PosteriorReplay.of(seen.data, seen.contests, draws, settings, curve.slope)
    for name in ("sigma", "k", "k_typical", "k_spread"):  # one number per draw
        if name in draws and draws[name].shape[-1] == 1:
            draws[name] = draws[name][..., 0]
    summary = summarize(seen, found, convergence, settings, curve, replay, change, evidence)
    more, sentences = within_stamps(seen, replay, settings["k"])
    return Posterior(
        method="elo_bayes",
        individuals=seen.data.individuals,
        rating=replay.final.mean(axis=0),
        record=Record.of(seen.data),
        curve=curve,
        settings=settings,
        citations=citations,
        report=seen.data.report,
        kept=Course(seen.data, replay),
        values=summary.values | more,
        summary=(*summary.summary, *sentences),
        samples=draws,
        statistics={name: statistics[..., i] for i, name in enumerate(STATISTICS)},
        seed=sampler.seed,
    )


GRID = 64
WORK = 3e7  # limit of contests × draws × values of k in the computation of the Bayes factor
CLOSE = 3.0  # a smaller Bayes factor is not worth more than a bare mention (Kass & Raftery 1995)


@dataclass(frozen=True)
class Summary:
    """Values by name, and sentences that interpret them."""

    values: dict[str, Any]
    summary: tuple[str, ...]


def summarize(
    seen: Observed,
    found: dict[str, np.ndarray],
    convergence: Convergence,
    settings: dict[str, Any],
    curve: Curve,
    replay: PosteriorReplay,
    change: float | None,
    evidence: dict[str, float] | None,
) -> Summary:
    """Estimates of k, σ and other parameters, the Bayes factor for k = 0, and sentences."""
    scale, level = 1 / curve.slope, settings["level"]
    values: dict[str, Any] = {}
    sentences = list(convergence.summary)
    if settings["k"] is None:
        values["k"] = Estimate.of(found["k"] * scale, level)
    elif settings["k"] == "context":
        values["k"] = {
            name: Estimate.of(found["k"][..., c] * scale, level)
            for c, name in enumerate(seen.classes)
        }
        values["k_typical"] = Estimate.of(found["k_typical"] * scale, level)
        values["k_spread"] = Estimate.of(found["k_spread"], level)
    else:
        values["k"] = float(settings["k"])
    if settings["sigma"] is None:
        values["sigma"] = Estimate.of(found["sigma"] * scale, level)
        sentences.append(_sigma_sentence(found["sigma"], scale, level))
    else:
        values["sigma"] = float(settings["sigma"]) * scale
    for name in ("nu", "home_advantage"):
        if name in found:
            values[name] = Estimate.of(found[name] * (1.0 if name == "nu" else scale), level)
    if seen.data.ordered or settings["k"] == 0:
        sentences += _k_sentences(values, settings, scale)
    sentences += _other_sentences(values)
    expected = replay.expected
    decided = slice(None) if seen.data.draw is None else ~seen.data.draw
    predicted = expected[decided]
    correct = int((predicted > 0.5).sum())
    values |= {
        "correct": correct,
        "share": correct / max(1, len(predicted)),
        "brier": float(((1 - predicted) ** 2).mean()) if len(predicted) else None,
    }
    values |= convergence.values()
    values["static_evidence"] = None
    if settings["k"] is None and seen.data.ordered:
        values["static_evidence"] = evidence or static_evidence(
            replay, found["k"], settings["prior_k"]
        )
        sentences.append(_evidence_sentence(values["static_evidence"]))
    values["log_bf_drift"] = change
    sentences += _assumption_sentences(change, settings)
    if values["brier"] is not None:
        sentences.append(
            f"The side with the higher predicted probability won {values['share']:.1%} of "
            f"{counted(len(predicted), 'decided contest')} (Brier score {values['brier']:.4f})."
        )
    sentences += _data_sentences(settings, seen)
    return Summary(values, tuple(sentences))


def static_evidence(replay: PosteriorReplay, k: np.ndarray, prior_k: float) -> dict[str, float]:
    """Bayes factor for k = 0, by the Savage–Dickey density ratio."""
    thin = replay.thinned(int(np.clip(WORK / GRID / replay.contests.first.size, 100, 1000)))
    top = 1.5 * float(np.max(k)) + 1e-6
    # Dense near 0, and wide enough to include the tail.
    grid = top * np.linspace(0.0, 1.0, GRID) ** 2
    density = thin.totals(grid) - 0.5 * (grid / prior_k) ** 2
    density = np.exp(density - density.max(axis=1, keepdims=True))
    area = np.trapezoid(density, grid, axis=1)
    at_zero = density[:, 0] / area
    before = np.sqrt(2 / np.pi) / prior_k
    error = at_zero.std(ddof=1) / np.sqrt(len(at_zero))
    return {"ratio": float(at_zero.mean() / before), "mc_error": float(error / before)}


def _evidence_sentence(evidence: dict[str, float]) -> str:
    ratio, error = evidence["ratio"], evidence["mc_error"]
    shown = f"{ratio:.2g}" if ratio >= 1e-4 else "< 0.0001"
    if ratio >= CLOSE:
        verdict = "evidence that ratings did not change over time"
    elif ratio <= 1 / CLOSE:
        verdict = "evidence that ratings changed over time"
    else:
        verdict = "inconclusive"
    return (
        f"Bayes factor for a static hierarchy (k = 0): {shown} (Savage–Dickey, MC error "
        f"{error:.1g}), {verdict}."
    )


def _assumption_sentences(factor: float | None, settings: dict[str, Any]) -> list[str]:
    """What the intervals assume, and the evidence for change without this assumption."""
    if settings["k"] == 0:
        return ["Intervals assume that ratings did not change."]
    out = [
        "Intervals assume that ratings follow Elo's recursion exactly; those of dynamic ratings do "
        "not."
    ]
    if factor is not None:
        out.append(
            f"Log Bayes factor of dynamic ratings for change: {factor:+.2f}, "
            f"{verdict_on_change(factor)}."
        )
    return out


def _sigma_sentence(sigma: np.ndarray, scale: float, level: float) -> str:
    found = Estimate.of(sigma, level)
    p = [1 / (1 + np.exp(-2 * getattr(found, end))) for end in ("value", "low", "high")]
    return (
        f"σ = {found.value * scale:.3g} ({level:.0%} CrI {found.low * scale:.3g}–"
        f"{found.high * scale:.3g}): an individual 2σ above the mean beats an average "
        f"individual with probability {p[0]:.2f} ({level:.0%} CrI {p[1]:.2f}–{p[2]:.2f})."
    )


def _k_sentences(values: dict[str, Any], settings: dict[str, Any], scale: float) -> list[str]:
    if settings["k"] is None:
        named = {"": values["k"]}
    elif settings["k"] == "context":
        named = {f" of {name}": one for name, one in values["k"].items()}
        named[" of a typical context"] = values["k_typical"]
    else:
        return [f"k was fixed at {settings['k']:g}."]
    prior = settings["prior_k"] * scale
    prior_mean = prior * np.sqrt(2 / np.pi)
    out = [
        f"k{of} = {one.value:.3g} ({one.level:.0%} CrI {one.low:.3g}–{one.high:.3g})"
        + (
            "."
            if of.startswith(" of ") and "typical" not in of
            else f"; the prior has mean {prior_mean:.3g} and 95% quantile {1.96 * prior:.3g}."
        )
        for of, one in named.items()
    ]
    if settings["k"] == "context":
        spread = values["k_spread"]
        out.append(
            f"k differs among contexts by a typical factor of {np.exp(spread.value):.2g} "
            f"(k_spread is the standard deviation of log k)."
        )
    return [*out, "k is positive, so its posterior mean is above 0 even for a static hierarchy."]


def _other_sentences(values: dict[str, Any]) -> list[str]:
    sentences = []
    if "home_advantage" in values:
        home = values["home_advantage"]
        dash = " to " if home.low < 0 else "–"
        sentences.append(
            f"Home advantage {home.value:.3g} ({home.level:.0%} CrI "
            f"{home.low:.3g}{dash}{home.high:.3g})."
        )
    if "nu" in values:
        nu = values["nu"]
        even = [one / (2 + one) for one in (nu.value, nu.low, nu.high)]
        sentences.append(
            f"Probability of a tie between equals {even[0]:.2f} ({nu.level:.0%} CrI {even[1]:.2f}–"
            f"{even[2]:.2f}; ν = {nu.value:.3g})."
        )
    return sentences


def _data_sentences(settings: dict[str, Any], seen: Observed) -> list[str]:
    sentences = []
    if settings["centering"] == "present":
        sentences.append(
            "Before each contest, scores were centered on the individuals present "
            f"({option('centering', 'present')}). This changes the scores of returning individuals "
            "relative to the others."
        )
    if seen.left_out:
        sentences.append(f"{counted(seen.left_out, 'tie was', 'ties were')} excluded.")
    return sentences


ORDERS = 50
DRAWS = 500
MOST_CONTESTS = 20_000
FEWEST = 50  # effective draws


def within_stamps(
    seen: Observed, replay: PosteriorReplay, k: Any
) -> tuple[dict[str, Any], list[str]]:
    """Posterior means integrated over orders (`k_orders`, `rating_orders`), and sentences."""
    data = seen.data
    unknown = int(order_unknown(data).sum()) if data.ordered and k != 0 else 0
    if unknown == 0:
        return {}, []
    shared = f"{shared_words(unknown, len(data))}. They were used in the order of the file."
    if len(data) > MOST_CONTESTS:
        return {}, [shared]
    some = replay.thinned(DRAWS)
    each = [replace(some, contests=reordered(seen, i).contests) for i in range(ORDERS)]
    totals, finals = zip(*(one.own_totals() for one in each), strict=True)
    usual_totals, usual_final = some.own_totals()
    ratio = np.array(totals) - usual_totals
    weight = np.exp(ratio - ratio.max())  # (orders, draws)
    weight /= weight.sum()
    effective = float(1 / (weight.sum(axis=0) ** 2).sum())
    if effective < FEWEST:
        sentence = (
            f"The posterior depends strongly on their order: of {len(some)} draws, "
            f"{effective:.0f} remain effective if {ORDERS} random orders are integrated out."
        )
        return {}, [shared, sentence]
    rating = sum(w @ final for w, final in zip(weight, finals, strict=True))
    usual = usual_final.mean(axis=0)
    moved = np.abs(average_ranks(np.asarray(rating)) - average_ranks(usual)).max()
    values: dict[str, Any] = {
        "rating_orders": dict(zip(data.individuals, np.asarray(rating).tolist(), strict=True))
    }
    parts = []
    if k is None:
        ks = some.k[:, 0] / some.slope
        values["k_orders"] = float(weight.sum(axis=0) @ ks)
        parts.append(f"k by {abs(values['k_orders'] - ks.mean()):.2g}")
    parts.append(f"mean ratings by up to {np.abs(rating - usual).max():.2g}")
    parts.append(f"their ranks by up to {moved:g}" if moved else "their ranks not at all")
    sentence = (
        f"Integrating over {ORDERS} random orders within stamps changes the posterior mean of "
        f"{listed(parts)}."
        if k is None
        else f"Integrating over {ORDERS} random orders within stamps changes {listed(parts)}."
    )
    return values, [shared, sentence]

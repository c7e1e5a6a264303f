"""Bayesian Elo with partial pooling (Goffe, Fischer & Sennhenn-Reulen 2018).

Starting scores are drawn from a common distribution N(0, σ), and σ and k have half-normal priors.
Scores are updated as in sequential Elo. The posterior quantifies the uncertainty of every rating
and rank at any date. It is sampled by a No-U-Turn sampler with the non-centered parameterization
start = σz.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from peckorder.checked import finite, positive, several, true_or_false
from peckorder.components import in_braces, linked
from peckorder.curves import Curve, curve_settings
from peckorder.data.interactions import Interactions
from peckorder.data.record import Record
from peckorder.errors import ArgumentError, ConvergenceError, ConvergenceWarning, caution
from peckorder.kernels.posterior import Model, density_at
from peckorder.likelihood.contests import (
    Observed,
    contests_of,
    natural_curve,
    note_groups,
    observe,
)
from peckorder.posterior.course import SCALED, PosteriorReplay
from peckorder.posterior.diagnostics import Convergence
from peckorder.posterior.model import model_of
from peckorder.posterior.result import Posterior
from peckorder.posterior.sampler import STATISTICS, Sampler, dimension, first_position, parameters
from peckorder.posterior.summary import static_evidence, summarize
from peckorder.posterior.within import within_stamps
from peckorder.results.course import Course
from peckorder.runs import Progress
from peckorder.wording import counted, given, option, option_name

SHARED = ("sigma", "k")
MOST_INDIVIDUALS = 5_000
STEPS_PER_DRAW = 31  # assumed leapfrog steps, to estimate the time of a large fit


def elo_bayes(
    data: Any,
    *,
    k: float | str | None = None,
    sigma: float | None = None,
    home_advantage: float | str | None = None,
    home_in_update: bool = False,
    centering: str = "none",
    presence: Any = None,
    ties: str = "davidson",
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
    threads: int | None = None,
    progress: Progress | None = None,
    large: bool = False,
) -> Any:
    """Bayesian Elo: posterior distribution of all ratings and ranks, at any date.

    Parameters
    ----------
    data : Interactions or Matrix; or a mapping of groups, {name: Interactions}
        Groups are fitted jointly as separate hierarchies that share σ and k (see `shared`). The
        result is then a mapping {name: Posterior}.
    k : number or "context", optional
        Estimated by default. A number fixes k (`k=0`: a static hierarchy). "context" estimates one
        k per context with partial pooling, log k_c ~ N(log k, τ).
    sigma : float, optional
        Fixed value of σ on the natural scale (like the priors; `k` is on the reported scale).
        Estimated by default.
    home_advantage : number or "estimate", optional
        Rating points added to the home side in predictions; with `home_in_update=True`, also in
        the update.
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
    sampler = Sampler.of(chains, warmup, samples, seed, threads, progress, accept)
    priors = {
        "prior_sigma": prior_sigma,
        "prior_k": prior_k,
        "prior_nu": prior_nu,
        "prior_home": prior_home,
    }
    for name, value in priors.items():
        positive(name, value)
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
    finite("k", k)
    if k < 0:
        raise ArgumentError(f"{option_name('k')}={k!r}: give a number of at least 0.")
    return float(k)


def _note_sets(data: Interactions) -> None:
    from scipy.sparse import coo_array

    size = len(data.individuals)
    met = coo_array((np.ones(len(data)), (data.winner, data.loser)), shape=(size, size)).tocsr()
    sets = linked(met)
    if len(sets) > 1:
        caution(
            f"There are {len(sets):,} sets of individuals with no contests between them: "
            f"{in_braces(sets, data.individuals)}. Comparisons between sets depend on the prior "
            f"only."
        )


def _too_large(model: Model, sampler: Sampler) -> str:
    """The estimated time and memory, from the duration of one gradient evaluation."""
    x = first_position(model)
    slope = np.zeros(len(x))
    density_at(x, slope, model)
    began = time.perf_counter()
    density_at(x, slope, model)
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
    evidence: dict[str, float] | None = None,
) -> Posterior:
    """The result, from parameters on the natural scale; `evidence` for k = 0 is of all groups."""
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
    summary = summarize(seen, found, convergence, settings, curve, replay, evidence)
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
        draws=draws,
        statistics={name: statistics[..., i] for i, name in enumerate(STATISTICS)},
        seed=sampler.seed,
    )

"""One-step-ahead prediction: each contest is predicted from the contests before it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from peckorder.errors import ArgumentError
from peckorder.likelihood.contests import first_contests, observe_as
from peckorder.posterior.course import PosteriorReplay
from peckorder.posterior.loo import by_contest, guessing, score_measure
from peckorder.posterior.model import model_of
from peckorder.posterior.psis import smoothed
from peckorder.posterior.result import Posterior, refuse_no_posterior
from peckorder.posterior.sampler import Sampler, parameters
from peckorder.results import Measure
from peckorder.wording import counted

RELIABLE = 0.5  # largest k̂ for which weights are updated: their variance is finite


def prequential(
    post: Posterior,
    *,
    chains: int = 4,
    warmup: int = 300,
    samples: int = 500,
    seed: int = 0,
    threads: int | None = None,
    progress: Any = None,
) -> Measure:
    """Log score of each contest, predicted from the preceding contests only.

    The draws are updated by importance weights after each contest, and the model is fitted again
    whenever the weights become unreliable (Pareto k̂ above 0.5; Bürkner, Gabry & Vehtari 2020).
    The sum of the scores is the log marginal likelihood.

    Returns
    -------
    Measure
        `score`, `se`, `mean` (per contest), `refits` and `mc_error` (Monte Carlo standard error
        of the score, from its differences between chains). The table has one row per contest.

    Examples
    --------
    >>> import peckorder as po
    >>> post = po.elo_bayes(po.datasets.adv(), seed=1)
    >>> round(prequential(post).score)
    -18
    """
    from scipy.special import logsumexp

    refuse_no_posterior("prequential", post)
    sampler = Sampler.of(chains, warmup, samples, seed, threads, None)
    replay, size = post.course.replay, len(post.data)
    if len(post.settings["groups"] or ()) > 1:
        raise ArgumentError(
            "This group was fitted jointly with others and shares σ or k with them. Fit the group "
            "separately to compute its prequential score."
        )
    score, refits, j, variance = np.empty(size), 0, 0, 0.0
    while j < size:
        terms = _fitted_to(post, replay, j, sampler, refits).log_likelihood()
        refits += 1
        log_weight = np.zeros(len(terms))
        fitted = j
        while j < size:
            weight = np.full(len(terms), -np.log(len(terms)))
            if j > fitted:
                weight, shape = smoothed(log_weight)
                if shape > RELIABLE:
                    break
            score[j] = logsumexp(weight + terms[:, j])
            log_weight += terms[:, j]
            j += 1
        variance += _variance_between_chains(log_weight, chains)
        if progress is not None:
            progress(j, size)
    values = {
        "score": float(score.sum()),
        "se": float(score.std(ddof=1) * np.sqrt(size)) if size > 1 else None,
        "mean": float(score.mean()),
        "refits": refits,
        "mc_error": float(np.sqrt(variance)) if chains > 1 else None,
    }
    error = "" if chains == 1 else f", Monte Carlo error {values['mc_error']:.2g}"
    summary = [
        f"Prequential log score {values['score']:.1f} ({values['mean']:.3f} per contest, random "
        f"guessing {guessing(post):.3f}{error}); the model was fitted {counted(refits, 'time')}."
    ]
    settings = {"chains": chains, "warmup": warmup, "samples": samples, "model": post.settings}
    found = score_measure(
        "prequential", post, values, by_contest(score), summary, ("burkner2020",), settings
    )
    return replace(found, seed=sampler.seed)


def _variance_between_chains(log_weight: np.ndarray, chains: int) -> float:
    """Monte Carlo variance of the summed scores since a fit.

    Their sum is the logarithm of the mean weight, which every chain estimates by itself.
    """
    from scipy.special import logsumexp

    if chains == 1:
        return 0.0
    own = np.asarray(logsumexp(log_weight.reshape(chains, -1), axis=1))
    return float(own.var(ddof=1) / chains)


def _fitted_to(
    post: Posterior, replay: PosteriorReplay, number: int, sampler: Sampler, turn: int
) -> PosteriorReplay:
    """Draws of the posterior given the first contests only, with the replay of all contests."""
    settings, data = post.settings, post.data
    seen = observe_as(data, settings)
    priors = {name: settings[name] for name in settings if name.startswith("prior_")}
    k = settings["k"] if isinstance(settings["k"], int | float) else None
    model = model_of(
        [seen],
        k=k,
        sigma=settings["sigma"],
        home_advantage=settings["home_advantage"],
        slope=post.curve.slope,
        priors=priors,
    )._replace(contests=first_contests(seen.contests, number))
    own = replace(sampler, seed=sampler.seed + turn)
    found = parameters(model, own.run([model])[0][0])
    fixed = settings["home_advantage"]
    home = fixed if fixed in (None, "estimate") else fixed * post.curve.slope
    return PosteriorReplay.of(data, replay.contests, found, {"home_advantage": home})

"""One step ahead: how well a posterior predicts each contest from those before it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from peckorder.kernels.likelihood import Contests
from peckorder.likelihood.contests import observe_as
from peckorder.posterior.course import PosteriorReplay
from peckorder.posterior.loo import by_contest, guessing, score_measure
from peckorder.posterior.model import model_of
from peckorder.posterior.psis import smoothed
from peckorder.posterior.result import Posterior
from peckorder.posterior.sampler import Sampler, parameters
from peckorder.results import Measure

RELIABLE = 0.5  # k̂ up to which weights are carried on: their variance is finite


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
    """Log score of each contest predicted from those before it alone.

    The model is fitted to the first contests, weighted from contest to contest by what happened,
    and fitted anew whenever the weights become unreliable (Pareto k̂ above 0.5; Bürkner, Gabry &
    Vehtari 2020). The sum is the log marginal likelihood.

    Returns
    -------
    Measure
        `score`, `se`, `mean` (per contest) and `refits`; the table has a row per contest.
    """
    from scipy.special import logsumexp

    sampler = Sampler.of(chains, warmup, samples, seed, threads, None)
    replay, size = post.course.replay, len(post.data)
    if len(post.settings["groups"] or ()) > 1:
        raise ValueError(
            "A group that shares σ or k with others cannot be predicted on its own: fit it alone."
        )
    score, refits, j = np.empty(size), 0, 0
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
        if progress is not None:
            progress(j, size)
    values = {
        "score": float(score.sum()),
        "se": float(score.std(ddof=1) * np.sqrt(size)) if size > 1 else None,
        "mean": float(score.mean()),
        "refits": refits,
    }
    words = [
        f"One step ahead, the contests score {values['score']:.1f} in all ({values['mean']:.3f} "
        f"each; guessing has {guessing(post):.3f}); the model was fitted {refits:,} times."
    ]
    settings = {"chains": chains, "warmup": warmup, "samples": samples, "model": post.settings}
    found = score_measure(
        "prequential", post, values, by_contest(score), words, ("burkner2020",), settings
    )
    return replace(found, seed=sampler.seed)


def _fitted_to(
    post: Posterior, replay: PosteriorReplay, number: int, sampler: Sampler, turn: int
) -> PosteriorReplay:
    """Draws given the first contests only, ready to be taken through all of them."""
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
    )._replace(contests=_first(seen.contests, number))
    own = replace(sampler, seed=sampler.seed + turn)
    found = parameters(model, own.run([model])[0][0])
    fixed = settings["home_advantage"]
    home = fixed if fixed in (None, "estimate") else fixed * post.curve.slope
    return PosteriorReplay.of(data, replay.contests, found, {"home_advantage": home})


def _first(contests: Contests, number: int) -> Contests:
    """The first contests alone; arrays that are empty stay so."""
    keep = contests.event_at < max(number, 1)
    cut = {
        name: getattr(contests, name)[:number]
        for name in ("first", "second", "draw", "home", "k_of")
    }
    events = {
        name: getattr(contests, name)[keep]
        for name in ("event_at", "event_kind", "event_who", "event_hall")
    }
    return contests._replace(**cut, **events)

"""How well a posterior predicts: leave-one-out, one step ahead, and models side by side."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peckorder.kernels.likelihood import Contests
from peckorder.likelihood.contests import observe_as
from peckorder.posterior.course import PosteriorReplay
from peckorder.posterior.psis import TRUSTED, smoothed
from peckorder.posterior.sampler import Sampler, parameters
from peckorder.results.finding import Measure
from peckorder.wording import counted

if TYPE_CHECKING:
    from peckorder.posterior.result import Posterior

RELIABLE = 0.5  # k̂ up to which weights are carried on: their variance is finite
MOST_TERMS = 50_000_000


def loo(post: Posterior) -> Measure:
    """Expected log score of each contest left out of the likelihood (Vehtari et al. 2017).

    What a contest did to the scores after it stays: it is the evidence of its outcome that is
    left out.

    Returns
    -------
    Measure
        `elpd`, its standard error `se`, the effective number of parameters `p_loo`, `looic`
        (−2 elpd), `k_max` (the largest Pareto k̂) and `bad` (contests with k̂ above 0.7); the
        table has a row per contest.
    """
    from scipy.special import logsumexp

    replay = _replay(post).thinned(max(100, MOST_TERMS // len(_data(post))))
    terms = replay.log_likelihood()
    elpd, shape = np.empty(terms.shape[1]), np.empty(terms.shape[1])
    for j in range(terms.shape[1]):
        weight, shape[j] = smoothed(-terms[:, j])
        elpd[j] = logsumexp(weight + terms[:, j])
    inside = logsumexp(terms, axis=0) - np.log(len(terms))
    bad = int((shape > TRUSTED).sum())
    values = {
        "elpd": float(elpd.sum()),
        "se": float(elpd.std(ddof=1) * np.sqrt(len(elpd))) if len(elpd) > 1 else None,
        "p_loo": float((inside - elpd).sum()),
        "looic": float(-2 * elpd.sum()),
        "k_max": float(shape.max()),
        "bad": bad,
    }
    words = [
        f"Expected log score {values['elpd']:.1f} over {counted(len(elpd), 'contest')} "
        f"({values['elpd'] / len(elpd):.3f} each; guessing has {_guess(post):.3f})."
    ]
    if bad:
        words.append(
            f"{counted(bad, 'contest')} weigh so much (k̂ above {TRUSTED}) that leaving them out "
            f"by reweighting is not reliable; the prequential score needs no such trust."
        )
    return _measure("loo", post, values, _by_contest(elpd, shape), words, ("vehtari2017",))


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
    replay, size = _replay(post), len(_data(post))
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
        f"each; guessing has {_guess(post):.3f}); the model was fitted {refits:,} times."
    ]
    settings = {"chains": chains, "warmup": warmup, "samples": samples, "model": post.settings}
    found = _measure(
        "prequential", post, values, _by_contest(score), words, ("burkner2020",), settings
    )
    return replace(found, seed=sampler.seed)


def _fitted_to(
    post: Posterior, replay: PosteriorReplay, number: int, sampler: Sampler, turn: int
) -> PosteriorReplay:
    """Draws given the first contests only, ready to be taken through all of them."""
    from peckorder.posterior.elo_bayes import model_of

    settings, data = post.settings, _data(post)
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


def _guess(post: Posterior) -> float:
    """Log score of taking all outcomes for equally likely."""
    return float(-np.log(3 if "nu" in post.draws else 2))


def _data(post: Posterior) -> Any:
    return post._course()


def _replay(post: Posterior) -> PosteriorReplay:
    assert post.replay is not None
    return post.replay


def _by_contest(score: np.ndarray, shape: np.ndarray | None = None) -> pl.DataFrame:
    number = np.arange(1, len(score) + 1)
    if shape is None:
        return pl.DataFrame({"contest": number, "score": score})
    return pl.DataFrame({"contest": number, "elpd": score, "pareto_k": shape})


def _measure(method, post, values, frame, words, citations, settings=None) -> Measure:
    return Measure(
        method=method,
        data=post._course(),
        values=values,
        frame=frame,
        words=tuple(words),
        settings=post.settings if settings is None else settings,
        citations=citations,
        seed=post.seed,
    )

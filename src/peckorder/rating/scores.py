"""How well a posterior predicts: leave-one-out, one step ahead, and models side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peckorder.data.tally import Tally, tally
from peckorder.errors import DataError, caution
from peckorder.kernels.likelihood import Contests
from peckorder.rating.observed import observe_as
from peckorder.rating.psis import TRUSTED, smoothed
from peckorder.rating.sampling import Sampler, parameters
from peckorder.results.draws import PosteriorReplay
from peckorder.results.findings import Measure
from peckorder.wording import counted, quoted

if TYPE_CHECKING:
    from peckorder.results.posterior import Posterior

RELIABLE = 0.5  # k̂ up to which weights are carried on: their variance is finite
MOST_TERMS = 50_000_000
SCORES = ("loo", "prequential")


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
    post: Posterior, *, chains: int = 4, warmup: int = 300, samples: int = 500, seed: int = 0,
    threads: int | None = None, progress: Any = None,
) -> Measure:  # fmt: skip
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
    found = _measure("prequential", post, values, _by_contest(score), words, ("burkner2020",),
                     settings)  # fmt: skip
    return replace(found, seed=sampler.seed)


def _fitted_to(
    post: Posterior, replay: PosteriorReplay, number: int, sampler: Sampler, turn: int
) -> PosteriorReplay:
    """Draws given the first contests only, ready to be taken through all of them."""
    from peckorder.rating.bayes import model_of

    settings, data = post.settings, _data(post)
    seen = observe_as(data, settings)
    priors = {name: settings[name] for name in settings if name.startswith("prior_")}
    k = settings["k"] if isinstance(settings["k"], int | float) else None
    model = model_of(
        [seen], k=k, sigma=settings["sigma"], home_advantage=settings["home_advantage"],
        slope=post.curve.slope, priors=priors,
    )._replace(contests=_first(seen.contests, number))  # fmt: skip
    own = replace(sampler, seed=sampler.seed + turn)
    found = parameters(model, own.run([model])[0][0])
    fixed = settings["home_advantage"]
    home = fixed if fixed in (None, "estimate") else fixed * post.curve.slope
    return PosteriorReplay.of(data, replay.contests, found, {"home_advantage": home})


def _first(contests: Contests, number: int) -> Contests:
    """The first contests alone; arrays that are empty stay so."""
    keep = contests.event_at < max(number, 1)
    cut = {name: getattr(contests, name)[:number]
           for name in ("first", "second", "draw", "home", "k_of")}  # fmt: skip
    events = {name: getattr(contests, name)[keep]
              for name in ("event_at", "event_kind", "event_who", "event_hall")}  # fmt: skip
    return contests._replace(**cut, **events)


def compare_models(models: Mapping[str, Any], *, by: str = "loo", **options: Any) -> Measure:
    """Which model predicts the same contests best, and is the difference more than luck?

    Parameters
    ----------
    models : mapping of names to posteriors of the same contests
    by : {"loo", "prequential"}
        Leave-one-out, or one step ahead (slower; its differences are log Bayes factors).
    options : of `Posterior.prequential`

    Returns
    -------
    Measure
        Table, best first: model, score, se, difference (to the best), difference_se. Values:
        `best`, `by`.

    Examples
    --------
    >>> import peckorder as po
    >>> data = po.datasets.adv()
    >>> found = po.compare_models({
    ...     "moving": po.elo_bayes(data, seed=1), "static": po.elo_bayes(data, k=0, seed=1)
    ... })
    >>> found.best
    'static'
    """
    from peckorder.results.posterior import Posterior

    if by not in SCORES:
        raise ValueError(f'by="{by}" is not known. Choose one of: {", ".join(SCORES)}.')
    if not isinstance(models, Mapping) or len(models) < 2:
        raise ValueError('Give two models or more by name: {"moving": …, "static": …}.')
    for name, post in models.items():
        if not isinstance(post, Posterior):
            raise TypeError(
                f"{name} is no posterior. Compare fits of elo_bayes; those of elo_ml are compared "
                f"by their aic."
            )
    first = next(iter(models.values()))
    others = [name for name, post in models.items() if _data(post).hash != _data(first).hash]
    if others:
        raise DataError(
            f"{quoted(others)}: fitted to other contests than {quoted([next(iter(models))])}. "
            f"Scores can be compared on the same contests only."
        )
    found = {name: getattr(post, by)(**options) for name, post in models.items()}
    column = "elpd" if by == "loo" else "score"
    points = {name: one.frame[column].to_numpy() for name, one in found.items()}
    names = sorted(points, key=lambda name: -points[name].sum())
    best = points[names[0]]
    rows = []
    for name in names:
        behind = points[name] - best
        rows.append({
            "model": name, "score": float(points[name].sum()), "se": found[name].se,
            "difference": float(behind.sum()),
            "difference_se": float(behind.std(ddof=1) * np.sqrt(len(behind))),
        })  # fmt: skip
    words = [_behind(names[0], row) for row in rows[1:]]
    words += [word for one in found.values() for word in one.words[1:]]
    if any(one.values.get("bad") for one in found.values()):
        caution("Some contests weigh too much for leave-one-out by reweighting: see .words.")
    return _measure(
        "compare_models", first, {"best": names[0], "by": by}, pl.DataFrame(rows), words,
        ("vehtari2017" if by == "loo" else "burkner2020",),
        {"by": by, **options,
         "models": {name: post.settings | {"seed": post.seed} for name, post in models.items()}},
    )  # fmt: skip


def _behind(best: str, row: dict[str, Any]) -> str:
    gap, error = -row["difference"], row["difference_se"]
    verdict = "more than luck" if gap > 2 * error else "well within luck"
    return (
        f"“{best}” predicts better than “{row['model']}” by {gap:.1f} (standard error "
        f"{error:.1f}): {verdict}."
    )


def _guess(post: Posterior) -> float:
    """Log score of taking all outcomes for equally likely."""
    return float(-np.log(3 if "nu" in post.draws else 2))


def _data(post: Posterior) -> Any:
    return post._course()


def _replay(post: Posterior) -> PosteriorReplay:
    assert post.replay is not None
    return post.replay


def counts_of(post: Posterior) -> Tally:
    return tally(_data(post), draws="half", quiet=True)


def _by_contest(score: np.ndarray, shape: np.ndarray | None = None) -> pl.DataFrame:
    number = np.arange(1, len(score) + 1)
    if shape is None:
        return pl.DataFrame({"contest": number, "score": score})
    return pl.DataFrame({"contest": number, "elpd": score, "pareto_k": shape})


def _measure(method, post, values, frame, words, citations, settings=None) -> Measure:
    return Measure(
        method=method,
        tally=counts_of(post),
        values=values,
        frame=frame,
        words=tuple(words),
        settings=post.settings if settings is None else settings,
        citations=citations,
        seed=post.seed,
    )

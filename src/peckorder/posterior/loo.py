"""Leave-one-out: how well a posterior predicts each contest from all the others."""

from __future__ import annotations

import numpy as np
import polars as pl

from peckorder.posterior.psis import TRUSTED, smoothed
from peckorder.posterior.result import Posterior
from peckorder.results import Measure
from peckorder.wording import counted

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

    replay = post.course.replay.thinned(max(100, MOST_TERMS // len(post.data)))
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
        f"({values['elpd'] / len(elpd):.3f} each; guessing has {guessing(post):.3f})."
    ]
    if bad:
        words.append(
            f"{counted(bad, 'contest')} weigh so much (k̂ above {TRUSTED}) that leaving them out "
            f"by reweighting is not reliable; the prequential score needs no such trust."
        )
    return score_measure("loo", post, values, by_contest(elpd, shape), words, ("vehtari2017",))


def guessing(post: Posterior) -> float:
    """Log score of taking all outcomes for equally likely."""
    return float(-np.log(3 if "nu" in post.draws else 2))


def by_contest(score: np.ndarray, shape: np.ndarray | None = None) -> pl.DataFrame:
    number = np.arange(1, len(score) + 1)
    if shape is None:
        return pl.DataFrame({"contest": number, "score": score})
    return pl.DataFrame({"contest": number, "elpd": score, "pareto_k": shape})


def score_measure(method, post, values, frame, words, citations, settings=None) -> Measure:
    return Measure(
        method=method,
        data=post.data,
        values=values,
        frame=frame,
        summary=tuple(words),
        settings=post.settings if settings is None else settings,
        citations=citations,
        seed=post.seed,
    )

"""Leave-one-out cross-validation: the prediction of each contest from all others."""

from __future__ import annotations

import numpy as np
import polars as pl

from peckorder.posterior.psis import TRUSTED, smoothed
from peckorder.posterior.result import Posterior, refuse_no_posterior
from peckorder.results import Measure
from peckorder.wording import counted

MOST_TERMS = 50_000_000


def loo(post: Posterior) -> Measure:
    """Expected log predictive density by leave-one-out (PSIS-LOO; Vehtari et al. 2017).

    The contest is left out of the likelihood only: its effect on later scores remains.

    Returns
    -------
    Measure
        `elpd`, its standard error `se`, the effective number of parameters `p_loo`, `looic`
        (−2 elpd), `k_max` (the largest Pareto k̂) and `bad` (number of contests with k̂ above
        0.7). The table has one row per contest.

    Examples
    --------
    >>> import peckorder as po
    >>> post = po.elo_bayes(po.datasets.adv(), seed=1)
    >>> round(loo(post).elpd)
    -18
    """
    from scipy.special import logsumexp

    refuse_no_posterior("loo", post)
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
    summary = [
        f"Expected log predictive density {values['elpd']:.1f} "
        f"({counted(len(elpd), 'contest')}; {values['elpd'] / len(elpd):.3f} per contest, random "
        f"guessing {guessing(post):.3f})."
    ]
    if bad:
        summary.append(
            f"The estimate is unreliable for {counted(bad, 'contest')} with Pareto k̂ above "
            f"{TRUSTED}. The prequential score does not have this limitation."
        )
    return score_measure("loo", post, values, by_contest(elpd, shape), summary, ("vehtari2017",))


def guessing(post: Posterior) -> float:
    """Log score per contest if all outcomes are equally likely."""
    return float(-np.log(3 if "nu" in post.draws else 2))


def by_contest(score: np.ndarray, shape: np.ndarray | None = None) -> pl.DataFrame:
    """Table of the score of each contest, with Pareto k where it is known."""
    number = np.arange(1, len(score) + 1)
    if shape is None:
        return pl.DataFrame({"contest": number, "score": score})
    return pl.DataFrame({"contest": number, "elpd": score, "pareto_k": shape})


def score_measure(method, post, values, frame, summary, citations, settings=None) -> Measure:
    """A result with the data, seed and settings of a posterior."""
    return Measure(
        method=method,
        data=post.data,
        values=values,
        frame=frame,
        summary=tuple(summary),
        settings=post.settings if settings is None else settings,
        citations=citations,
        seed=post.seed,
    )

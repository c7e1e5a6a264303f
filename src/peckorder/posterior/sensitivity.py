"""Sensitivity to the priors, by reweighting the posterior draws or by fitting again."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from peckorder.checked import positive, true_or_false
from peckorder.errors import ArgumentError
from peckorder.posterior.elo_bayes import elo_bayes
from peckorder.posterior.psis import TRUSTED, smoothed
from peckorder.posterior.result import Posterior, refuse_no_posterior
from peckorder.results import Measure
from peckorder.wording import option

OF = {"prior_sigma": "sigma", "prior_k": "k"}
FACTORS = (0.5, 2.0)
CLOSE, FAR = 0.1, 0.3


def prior_sensitivity(post: Posterior, *, refit: bool = False, **priors: float) -> Measure:
    """Sensitivity of σ and k to the scales of their priors.

    By default each scale is halved and doubled; `prior_sigma=2.0` tests this scale only. Draws are
    reweighted by the ratio of the priors. `hellinger` is the Hellinger distance between the two
    posteriors, √(1 − E√w/√E w), from 0 (identical) to 1. The reweighting is reliable if `pareto_k`
    is at most 0.7. With `refit`, each model is sampled again instead.

    Returns
    -------
    Measure
        One row per prior and parameter: prior, scale, parameter, mean, low95, high95, hellinger,
        pareto_k. Values: `hellinger_max`, `refit`.

    Examples
    --------
    >>> import peckorder as po
    >>> post = po.elo_bayes(po.datasets.adv(), seed=1)
    >>> found = prior_sensitivity(post, prior_k=2.0)
    >>> found.table.select("prior", "scale", "parameter").row(3)
    ('prior_k', 2.0, 'k')
    """
    refuse_no_posterior("prior_sensitivity", post)
    given = post.settings
    free = {name: of for name, of in OF.items() if given[of] is None}
    unknown = [name for name in priors if name not in free]
    if unknown:
        why = " because k is estimated by context" if given["k"] == "context" else ""
        raise ArgumentError(
            f"{unknown[0]} cannot be changed in this fit{why}. Choose from: "
            f"{', '.join(free) or 'none'}."
        )
    true_or_false("refit", refit)
    scales = [(name, float(positive(name, value))) for name, value in priors.items()] or [
        (name, given[name] * factor) for name in free for factor in FACTORS
    ]
    draws = {of: post.draws[of].reshape(-1) * post.curve.slope for of in free.values()}
    rows = [_row("as fitted", None, of, draws[of], None, None, post) for of in draws]
    for name, scale in scales:
        if refit:
            other = _refit(post, {name: scale})
            rows += [
                _row(
                    name,
                    scale,
                    of,
                    other.draws[of].reshape(-1) * post.curve.slope,
                    None,
                    None,
                    post,
                )
                for of in draws
            ]
            continue
        value = draws[free[name]]
        ratio = -0.5 * value**2 * (scale**-2 - given[name] ** -2)
        weight, shape = smoothed(ratio)
        raw = np.exp(ratio - ratio.max())
        distance = float(np.sqrt(max(0.0, 1 - np.sqrt(raw).mean() / np.sqrt(raw.mean()))))
        rows += [
            _row(name, scale, of, draws[of], np.exp(weight), (distance, shape), post)
            for of in draws
        ]
    table = pl.DataFrame(rows, infer_schema_length=None)
    known = [row["hellinger"] for row in rows if row["hellinger"] is not None]
    return Measure(
        method="prior_sensitivity",
        data=post.data,
        values={"hellinger_max": max(known) if known else None, "refit": refit},
        frame=table,
        summary=tuple(_summary(rows)),
        settings={"refit": refit, **priors},
        citations=post.citations,
        seed=post.seed,
    )


def _refit(post: Posterior, priors: dict[str, float]) -> Posterior:
    if len(post.settings["groups"] or ()) > 1:
        raise ArgumentError(
            "This group was fitted jointly with others and shares σ or k with them. Fit the group "
            "separately to test other priors."
        )
    names = (
        "k",
        "sigma",
        "home_advantage",
        "home_in_update",
        "centering",
        "ties",
        "chains",
        "warmup",
        "samples",
        "accept",
        "prior_sigma",
        "prior_k",
        "prior_nu",
        "prior_home",
        "scale",
        "delta",
    )
    settings: dict[str, Any] = {
        name: post.settings[name] for name in names if name in post.settings
    }
    return elo_bayes(post.data, **{**settings, **priors, "seed": post.seed})


def _row(prior, scale, parameter, values, weight, quality, post) -> dict[str, Any]:
    weight = np.full(len(values), 1 / len(values)) if weight is None else weight
    order = np.argsort(values)
    low, high = np.interp([0.025, 0.975], np.cumsum(weight[order]), values[order])
    unit = 1 / post.curve.slope
    return {
        "prior": prior,
        "scale": scale,
        "parameter": parameter,
        "mean": float(values @ weight) * unit,
        "low95": float(low) * unit,
        "high95": float(high) * unit,
        "hellinger": None if quality is None else quality[0],
        "pareto_k": None if quality is None else quality[1],
    }


def _summary(rows: list[dict[str, Any]]) -> list[str]:
    fitted = {row["parameter"]: row for row in rows if row["scale"] is None}
    out = []
    for row in rows:
        if row["scale"] is None or row["parameter"] != OF[row["prior"]]:
            continue
        base = fitted[row["parameter"]]
        change = (
            f"With {row['prior']} = {row['scale']:g}, {row['parameter']} is {row['mean']:.3g} "
            f"instead of {base['mean']:.3g}"
        )
        if row["hellinger"] is None:
            out.append(change + ".")
        elif row["pareto_k"] > TRUSTED:
            out.append(
                f"{change}, but reweighting is unreliable (Pareto k̂ {row['pareto_k']:.2f}). Use "
                f"{option('refit', 'True')}."
            )
        else:
            far = row["hellinger"]
            how = "weak" if far < CLOSE else "moderate" if far < FAR else "strong"
            out.append(f"{change} ({how} sensitivity, Hellinger distance {far:.2f}).")
    return out

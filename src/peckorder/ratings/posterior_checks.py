"""Checks of a posterior, which are its methods: predictive accuracy, fit and sensitivity.

`loo` predicts each contest from all others, by Pareto-smoothed importance sampling (Vehtari,
Simpson, Gelman, Yao & Gabry 2024), and `prequential` from those before it. `predictive_check`
compares the data with data simulated from the model. `prior_sensitivity` reweights the draws, or
fits again, for other priors.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from peckorder.errors import ArgumentError
from peckorder.kernels.trajectories import replicate
from peckorder.random_runs import in_threads
from peckorder.ratings.elo_bayes import elo_bayes
from peckorder.ratings.likelihood import first_contests, observe_as
from peckorder.ratings.posterior import Posterior
from peckorder.ratings.posterior_trajectory import PosteriorReplay
from peckorder.ratings.sampler import Sampler, model_of, parameters
from peckorder.results import Measure
from peckorder.text import counted, option, p_text
from peckorder.validate import positive, seed_number, true_or_false

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
        One row per prior and parameter: prior, scale, parameter, mean, low, high, hellinger,
        pareto_k. Values: `value` (the largest `hellinger`), `refit`.

    Examples
    --------
    >>> import peckorder as po
    >>> post = po.elo_bayes(po.datasets.adv(), seed=1)
    >>> found = post.prior_sensitivity(prior_k=2.0)
    >>> found.table.select("prior", "scale", "parameter").row(3)
    ('prior_k', 2.0, 'k')
    """
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
    draws = {of: post.samples[of].reshape(-1) * post.curve.slope for of in free.values()}
    rows = [_row("as fitted", None, of, draws[of], None, None, post) for of in draws]
    for name, scale in scales:
        if refit:
            other = _refit(post, {name: scale})
            again = {of: other.samples[of].reshape(-1) * post.curve.slope for of in draws}
            rows += [_row(name, scale, of, again[of], None, None, post) for of in draws]
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
        values={"value": max(known) if known else None, "refit": refit},
        frame=table,
        summary=tuple(_summary(rows)),
        settings={"refit": refit, **priors},
        citations=post.citations,
        seed=post.seed,
    )


REFITTED = {  # settings of a fit that is repeated
    *("k", "sigma", "home_advantage", "home_in_update", "centering", "ties", "scale", "delta"),
    *("prior_sigma", "prior_k", "prior_nu", "prior_home"),
    *("chains", "warmup", "samples", "accept"),
}


def _refit(post: Posterior, priors: dict[str, float]) -> Posterior:
    _refuse_joint(post, "test other priors")
    same: dict[str, Any] = {name: post.settings[name] for name in REFITTED & post.settings.keys()}
    return elo_bayes(post.data, **{**same, **priors, "seed": post.seed})


def _refuse_joint(post: Posterior, what: str) -> None:
    if len(post.settings["groups"] or ()) > 1:
        raise ArgumentError(
            f"This group was fitted jointly with others and shares σ or k with them. Fit the group "
            f"separately to {what}."
        )


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
        "low": float(low) * unit,
        "high": float(high) * unit,
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


MOST_DRAWS = 1000
STATISTICS = {
    "upsets": "proportion of decided contests lost by the favorite",
    "consistency": "directional consistency index of decided contests",
    "switches": "proportion of consecutive contests of a dyad with different winners",
    "spread of wins": "standard deviation of the proportion of wins among individuals",
    "draws": "proportion of ties",
}


def predictive_check(post: Posterior, *, seed: Any = None) -> Measure:
    """Compare the observed outcomes with outcomes simulated from the posterior.

    The outcomes of the same contests are simulated once per posterior draw.

    Returns
    -------
    Measure
        One row per statistic: observed (mean over draws if it depends on parameters), expected
        (mean of the replicates), low, high, and p, the proportion of replicates that are larger
        (ties count one half). A p near 0 or 1 indicates that the model does not reproduce this
        feature of the data. `p` is the smallest value of min(p, 1 − p).

    Examples
    --------
    >>> import peckorder as po
    >>> post = po.elo_bayes(po.datasets.adv(), seed=1)
    >>> print(post.predictive_check().summary[0])
    The model reproduces all checked features of the data.
    """
    seed = seed_number(seed)
    replay = post.course.replay.thinned(MOST_DRAWS)
    number, contests = len(replay), replay.contests
    outcomes = np.empty((number, contests.first.size), np.int8)
    upsets = np.zeros((number, 2), np.int64)
    key = np.random.SeedSequence([seed, 1]).generate_state(1, np.uint64)[0]

    def work(begin: int, end: int) -> None:
        own = replay.arguments(begin, end)[1]
        replicate(contests, key, begin, own, outcomes[begin:end], upsets[begin:end])

    in_threads(work, number, block=50)
    record = np.zeros(contests.first.size, np.int8)
    if contests.draw.size:
        record[contests.draw] = 2
    dyads = _Dyads(contests.first, contests.second)
    seen = dyads.statistics(record)
    drawn = np.array([dyads.statistics(one) for one in outcomes])
    decided = np.maximum((outcomes != 2).sum(axis=1), 1), max(1, int((record != 2).sum()))
    rows = [("upsets", upsets[:, 0] / decided[1], upsets[:, 1] / decided[0])]
    names = list(STATISTICS)[1:]
    rows += [(name, np.full(number, seen[i]), drawn[:, i]) for i, name in enumerate(names)]
    if not contests.draw.size:
        rows = rows[:-1]
    table, summary, p_min = [], [], 1.0
    for name, observed, replicated in rows:
        defined = ~np.isnan(replicated) & ~np.isnan(observed)
        if not defined.any():
            continue
        observed, replicated = observed[defined], replicated[defined]
        # Ties count one half, because the statistics of few contests take few values.
        p = float((replicated > observed).mean() + (replicated == observed).mean() / 2)
        low, high = np.quantile(replicated, [0.025, 0.975])
        table.append(
            {
                "statistic": name,
                "observed": float(observed.mean()),
                "expected": float(replicated.mean()),
                "low": float(low),
                "high": float(high),
                "p": p,
            }
        )
        p_min = min(p_min, p, 1 - p)
        if min(p, 1 - p) < 0.025:
            summary.append(
                f"The model does not reproduce the observed {name} ({STATISTICS[name]}): "
                f"{observed.mean():.3f}, 95% of simulations {low:.3f}–{high:.3f} "
                f"(posterior predictive {p_text(p)})."
            )
    if not summary:
        summary = ["The model reproduces all checked features of the data."]
    return Measure(
        method="predictive_check",
        data=post.data,
        values={"p": p_min, "replicates": number},
        frame=pl.DataFrame(table),
        summary=tuple(summary),
        settings={"seed": seed},
        citations=post.citations,
        draws={"outcomes": outcomes},
        seed=seed,
    )


class _Dyads:
    """Dyadic statistics of outcomes (0: as observed, 1: the other side won, 2: tie)."""

    def __init__(self, first: np.ndarray, second: np.ndarray):
        self.first, self.second = first.astype(np.int64), second.astype(np.int64)
        size = int(max(first.max(), second.max())) + 1
        low, high = np.minimum(first, second), np.maximum(first, second)
        _, self.dyad = np.unique(low * np.int64(size) + high, return_inverse=True)
        self.lower_first = first < second
        order = np.argsort(self.dyad, kind="stable")
        same = self.dyad[order][1:] == self.dyad[order][:-1]
        self.before, self.after = order[:-1][same], order[1:][same]
        self.contests = np.bincount(self.first, minlength=size) + np.bincount(
            self.second, minlength=size
        )
        self.size = size

    def statistics(self, outcome: np.ndarray) -> tuple[float, ...]:
        decided = outcome != 2
        lower_won = (outcome == 0) == self.lower_first
        balance = np.bincount(self.dyad[decided], np.where(lower_won[decided], 1.0, -1.0))
        number = max(1, int(decided.sum()))
        consistency = float(np.abs(balance).sum() / number)
        both = decided[self.before] & decided[self.after]
        changed = lower_won[self.before][both] != lower_won[self.after][both]
        switches = float(changed.mean()) if both.any() else np.nan
        winner = np.where(outcome == 0, self.first, self.second)[decided]
        shares = np.bincount(winner, minlength=self.size) / np.maximum(self.contests, 1)
        spread = float(shares[self.contests > 0].std())
        return consistency, switches, spread, float((~decided).mean())


RELIABLE = 0.5  # largest k̂ for which weights are updated: their variance is finite


def prequential(
    post: Posterior,
    *,
    chains: int = 4,
    warmup: int = 300,
    samples: int = 500,
    seed: Any = None,
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
        `value`, `se`, `mean` (per contest), `refits` and `mc_se` (Monte Carlo standard error
        of the score, from its differences between chains). The table has one row per contest.

    Examples
    --------
    >>> import peckorder as po
    >>> post = po.elo_bayes(po.datasets.adv(), seed=1)
    >>> round(post.prequential(seed=1).value)
    -18
    """
    from scipy.special import logsumexp

    sampler = Sampler.of(chains, warmup, samples, seed, threads, None)
    replay, size = post.course.replay, len(post.data)
    _refuse_joint(post, "compute its prequential score")
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
        "value": float(score.sum()),
        "se": float(score.std(ddof=1) * np.sqrt(size)) if size > 1 else None,
        "mean": float(score.mean()),
        "refits": refits,
        "mc_se": float(np.sqrt(variance)) if chains > 1 else None,
    }
    error = "" if chains == 1 else f", Monte Carlo error {values['mc_se']:.2g}"
    summary = [
        f"Prequential log score {values['value']:.1f} ({values['mean']:.3f} per contest, random "
        f"guessing {guessing(post):.3f}{error}); the model was fitted {counted(refits, 'time')}."
    ]
    settings = {"chains": chains, "warmup": warmup, "samples": samples, "model": post.settings}
    found = score_measure(
        "prequential", post, values, by_contest(score), summary, ("burkner2020",), settings
    )
    return replace(found, seed=sampler.seed)


def _variance_between_chains(log_weight: np.ndarray, chains: int) -> float:
    """Monte Carlo variance of the summed scores since a fit."""
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


MOST_TERMS = 50_000_000


def loo(post: Posterior) -> Measure:
    """Expected log predictive density by leave-one-out (PSIS-LOO; Vehtari et al. 2017).

    The contest is left out of the likelihood only: its effect on later scores remains.

    Returns
    -------
    Measure
        `value` (elpd), its standard error `se`, the effective number of parameters `p_loo`, `looic`
        (−2 elpd), `k_max` (the largest Pareto k̂) and `bad` (number of contests with k̂ above
        0.7). The table has one row per contest.

    Examples
    --------
    >>> import peckorder as po
    >>> post = po.elo_bayes(po.datasets.adv(), seed=1)
    >>> round(post.loo().value)
    -18
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
        "value": float(elpd.sum()),
        "se": float(elpd.std(ddof=1) * np.sqrt(len(elpd))) if len(elpd) > 1 else None,
        "p_loo": float((inside - elpd).sum()),
        "looic": float(-2 * elpd.sum()),
        "k_max": float(shape.max()),
        "bad": bad,
    }
    summary = [
        f"Expected log predictive density {values['value']:.1f} "
        f"({counted(len(elpd), 'contest')}; {values['value'] / len(elpd):.3f} per contest, random "
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
    return float(-np.log(3 if "nu" in post.samples else 2))


def by_contest(score: np.ndarray, shape: np.ndarray | None = None) -> pl.DataFrame:
    """Table of the score of each contest, with Pareto k where it is known."""
    number = np.arange(1, len(score) + 1)
    if shape is None:
        return pl.DataFrame({"contest": number, "value": score})
    return pl.DataFrame({"contest": number, "value": score, "pareto_k": shape})


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


TRUSTED = 0.7


def smoothed(log_weights: np.ndarray) -> tuple[np.ndarray, float]:
    """Normalized smoothed log weights, and k̂ (infinite if the tail is too short)."""
    from scipy.special import logsumexp

    number = len(log_weights)
    x = log_weights - log_weights.max()
    tail = int(np.ceil(min(0.2 * number, 3 * np.sqrt(number))))
    order = np.argsort(x, kind="stable")
    cutoff = max(x[order[-tail - 1]], np.log(np.finfo(float).tiny)) if tail < number else -np.inf
    largest = order[x[order] > cutoff]
    shape = np.inf
    if len(largest) > 4:
        excess = np.exp(cutoff) * np.expm1(x[largest] - cutoff)
        shape, scale = _pareto(excess)
        if np.isfinite(shape):
            chance = (np.arange(len(largest)) + 0.5) / len(largest)
            if abs(shape) < 1e-12:
                quantile = -scale * np.log1p(-chance)
            else:
                quantile = scale * np.expm1(-shape * np.log1p(-chance)) / shape
            x = x.copy()
            x[largest] = np.minimum(np.log(np.exp(cutoff) + quantile), 0.0)
    return x - logsumexp(x), float(shape)


def _pareto(excess: np.ndarray) -> tuple[float, float]:
    """Shape and scale of a generalized Pareto distribution (Zhang & Stephens 2009)."""
    number = len(excess)
    points = 30 + int(np.sqrt(number))
    guess = 1 - np.sqrt(points / (np.arange(1, points + 1) - 0.5))
    theta = guess / (3 * excess[int(number / 4 + 0.5) - 1]) + 1 / excess[-1]
    shape = np.log1p(-theta[:, None] * excess).mean(axis=1)
    height = number * (np.log(-theta / shape) - shape - 1)
    with np.errstate(over="ignore"):  # an overflow yields the weight 1/∞ = 0
        weight = 1 / np.exp(height - height[:, None]).sum(axis=1)
    keep = weight >= 10 * np.finfo(float).eps
    theta, weight = theta[keep], weight[keep] / weight[keep].sum()
    best = float(theta @ weight)
    found = float(np.log1p(-best * excess).mean())
    return (number * found + 5) / (number + 10), -found / best

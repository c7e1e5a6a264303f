"""Bayesian steepness (Neumann & Fischer 2023): the posterior distribution of steepness.

Each posterior draw of Elo ratings gives the probability p_ij that i beats j. The score of i is the
sum of its winning probabilities, and steepness is the slope of scores on ranks, between 0 and 1.
If the order of contests is unknown, random orders are fitted separately, and the share of the
variance due to the unknown order is reported.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from peckorder.checked import positive, whole_number
from peckorder.data.dates import PERIODS, date_words, moment, period_ends, whole_days
from peckorder.data.interactions import Interactions
from peckorder.data.tally import Tally, tally
from peckorder.errors import (
    ArgumentError,
    ArgumentTypeError,
    ConvergenceWarning,
    DataError,
    DataWarning,
    caution,
)
from peckorder.estimate import Estimate
from peckorder.likelihood.contests import Observed, contests_of, observe
from peckorder.posterior.course import PosteriorReplay
from peckorder.posterior.diagnostics import Convergence, bulk_ess
from peckorder.posterior.model import model_of
from peckorder.posterior.sampler import Sampler, parameters
from peckorder.results.finding import Measure
from peckorder.results.sampled import ranks, slopes, summed_chances
from peckorder.runs import Progress
from peckorder.wording import counted, option

FEW, SOME = 100, 500  # contests up to which 50 and 20 random orders are fitted, then 5
DAVID_SD = 3.0  # of the normal prior on the logit of a dyad
DAVID_DRAWS = 4_000
PAIRS_AT_ONCE = 4_000_000
DRAWS_AT_ONCE = 20_000_000
ACCEPT = 0.7  # these small posteriors are well behaved, so longer steps are more efficient
LARGE_RHAT = 1.05  # of one fit among many
PRIORS = {"prior_sigma": 1.0, "prior_nu": 1.0, "prior_home": 1.0}


def steepness_bayes(
    data: Any,
    *,
    orders: int | None = None,
    at: Any = None,
    sigma: float | None = 1.0,
    prior_k: float = 1.0,
    ties: str = "omit",
    chains: int | None = None,
    warmup: int | None = None,
    samples: int | None = None,
    seed: Any = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Measure:
    """Posterior of steepness, of summed winning probabilities and of ranks.

    Parameters
    ----------
    data : Interactions or Matrix, at least 3 individuals
    orders : int, optional
        Number of random orders of the contests, each fitted separately. By default the observed
        sequence if it is known; otherwise 50 orders for up to 100 contests, 20 for up to 500,
        and 5 for more.
    at : date, list of dates, or "week", "month", "year", optional
        Steepness on these dates (or at the end of each period) among the individuals present,
        from one fit to the whole sequence. By default after the last contest, among all.
    sigma : float or None
        Standard deviation of the starting scores, 1 as in the paper; None estimates it.
    prior_k : float
        Scale of the half-normal prior on k (natural scale).
    ties : {"omit", "davidson"}
        Omit ties, or model them.
    chains, warmup, samples : int, optional
        Default 4 × (500 + 1500) for a sequence, 4 × (500 + 500) for each of several orders.
    seed, threads, progress : as in `elo_bayes`

    Returns
    -------
    Measure
        `value` {mean, sd, low80, high80, low95, high95}; `davids`, the same for Bayesian David's
        scores, with a N(0, 3) prior on the logit of each dyad; `orders`; `order_share`, the share
        of the variance due to the unknown order; `rhat_max`, `ess_min`. Table: individual, score
        (summed winning probabilities), score_low95, score_high95, rank, rank_low95, rank_high95;
        with several dates, one row per date. `.draws["steepness"]` is orders × draws.

    References
    ----------
    Neumann & Fischer 2023, Methods in Ecology and Evolution 14:669–682,
    doi:10.1111/2041-210X.14021.

    Examples
    --------
    >>> import peckorder as po
    >>> steep = po.steepness_bayes(po.datasets.bonobos(), orders=2, seed=1)
    >>> round(steep.value.mean, 1), round(steep.davids.mean, 1)
    (0.9, 0.8)
    """
    positive("prior_k", prior_k)
    if sigma is not None:
        positive("sigma", sigma)
    contests = contests_of(data, "steepness_bayes")
    shuffled = orders is not None or not contests.ordered
    with warnings.catch_warnings():
        if shuffled:  # random orders account for the unknown order
            warnings.filterwarnings("ignore", "The order of these contests", DataWarning)
        seen = observe(contests, ties=ties)
    counts = tally(seen.data, ties="omit" if ties == "omit" else "half", least=3)
    size = len(seen.data)
    if orders is None:
        orders = 1 if not shuffled else 50 if size <= FEW else 20 if size <= SOME else 5
    orders = whole_number("orders", orders, 1)
    if shuffled and at is not None:
        raise ArgumentError(
            f"Steepness at a date needs contests in their order. A matrix has no order, and "
            f"{option('orders')} randomizes it."
        )
    sampler = Sampler.of(
        4 if chains is None else chains,
        500 if warmup is None else warmup,
        (500 if shuffled else 1500) if samples is None else samples,
        seed,
        threads,
        progress,
        ACCEPT,
    )
    fits = _fits(seen, shuffled, orders, sigma, prior_k, sampler)
    replays, converged = [fit[0] for fit in fits], [fit[1] for fit in fits]
    moments = [] if at is None else _moments(at, replays[0].data)
    final = [replay.final for replay in replays]
    if moments:
        frame, draw, scores, present = _over_time(replays[0], moments)
    else:
        frame, present = None, np.ones(len(counts), bool)
        scores = np.concatenate([summed_chances(one) for one in final])
        draw = np.array([slopes(summed_chances(one)) for one in final])
    davids = davids_steepness(counts, sampler.seed)
    value = Estimate.of(draw)
    share = _order_share(draw, sampler.chains)
    rhat, ess = max(c.rhat_max for c in converged), min(c.ess_min for c in converged)
    values = {
        "value": value,
        "davids": Estimate.of(davids),
        "orders": orders,
        "order_share": share,
        "rhat_max": rhat,
        "ess_min": ess,
        "divergences": sum(c.divergences for c in converged),
    }
    bad = [c for c in converged if not c.good]
    # Among many fits, some exceed a limit by chance: they are counted in the summary, and a warning
    # is issued only if R̂ is clearly too large.
    worst = max(bad, key=lambda c: c.rhat_max, default=None)
    if worst is not None and (len(fits) == 1 or worst.rhat_max > LARGE_RHAT):
        caution(" ".join(worst.summary), ConvergenceWarning)
    return Measure(
        method="steepness_bayes",
        data=counts,
        values=values,
        frame=frame
        if frame is not None and len(moments) > 1
        else _table([name for i, name in enumerate(counts.individuals) if present[i]], scores),
        summary=tuple(_summary(values, shuffled, size, moments, len(bad))),
        settings={
            "orders": orders if shuffled else None,
            "at": None if at is None else str(at),
            "sigma": sigma,
            "prior_k": prior_k,
            "ties": ties,
            "chains": sampler.chains,
            "warmup": sampler.warmup,
            "samples": sampler.samples,
            "accept": ACCEPT,
        },
        citations=("neumann2023", "goffe2018"),
        draws={"steepness": draw, "davids": davids, "scores": scores},
        seed=sampler.seed,
    )


def _fits(
    seen: Observed,
    shuffled: bool,
    orders: int,
    sigma: float | None,
    prior_k: float,
    sampler: Sampler,
) -> list[tuple[PosteriorReplay, Convergence]]:
    """One fit per order, all in the same thread pool."""
    parts = [_reordered(seen, sampler.seed, i) for i in range(orders)] if shuffled else [seen]
    models = [model_of([part], sigma=sigma, priors=PRIORS | {"prior_k": prior_k}) for part in parts]
    out = []
    for part, model, (positions, statistics) in zip(
        parts, models, sampler.run(models), strict=True
    ):
        found = parameters(model, positions)
        convergence = Convergence.of(found, statistics, True, sigma is None)
        out.append((PosteriorReplay.of(part.data, part.contests, found, {}), convergence))
    return out


def _reordered(seen: Observed, seed: int, number: int) -> Observed:
    random = np.random.default_rng(np.random.SeedSequence([seed, 2, number]))
    order = random.permutation(len(seen.data))
    first, second = (
        np.ascontiguousarray(side[order]) for side in (seen.contests.first, seen.contests.second)
    )
    draw = seen.contests.draw
    drawn = np.ascontiguousarray(draw[order]) if draw.size else draw
    return Observed(seen.data, seen.contests._replace(first=first, second=second, draw=drawn))


def davids_steepness(counts: Tally, seed: int) -> np.ndarray:
    """Posterior draws of steepness from David's scores, with a N(0, 3) prior on each dyad's logit.

    The logit of a dyad, given its wins and losses, is drawn by inverting its posterior distribution
    function on a grid; an unknown dyad keeps the prior.
    """
    random = np.random.default_rng(np.random.SeedSequence([seed, 3]))
    size = len(counts)
    a, b = counts.dyads
    record = np.column_stack([counts.score[a, b], counts.score[b, a]])
    kinds, which = np.unique(record, axis=0, return_inverse=True)
    grid = np.linspace(-7 * DAVID_SD, 7 * DAVID_SD, 8_001)
    won, lost = -np.logaddexp(0, -grid), -np.logaddexp(0, grid)
    owners, masses = [], []
    for kind, (wins, losses) in enumerate(kinds):
        owners.append(np.flatnonzero(which.ravel() == kind))
        density = wins * won + losses * lost - 0.5 * (grid / DAVID_SD) ** 2
        masses.append(np.cumsum(np.exp(density - density.max())))
    out = np.empty(DAVID_DRAWS)
    step = max(1, PAIRS_AT_ONCE // size**2)
    for i in range(0, DAVID_DRAWS, step):
        number = min(step, DAVID_DRAWS - i)
        chance = np.empty((number, len(a)))
        for own, mass in zip(owners, masses, strict=True):
            logit = np.interp(random.random((number, len(own))), mass / mass[-1], grid)
            chance[:, own] = 1 / (1 + np.exp(-logit))
        p = np.zeros((number, size, size))
        p[:, a, b], p[:, b, a] = chance, 1 - chance
        w, lost_by = p.sum(axis=2), p.sum(axis=1)
        ds = w + np.einsum("dij,dj->di", p, w) - lost_by - np.einsum("dji,dj->di", p, lost_by)
        out[i : i + step] = slopes((ds + size * (size - 1) / 2) / size)
    return out


def _order_share(draw: np.ndarray, chains: int) -> float | None:
    """Share of the variance of steepness that is between random orders."""
    if len(draw) < 2:
        return None
    effective = [float(bulk_ess(one.reshape(chains, -1)[..., None])[0]) for one in draw]
    noise = np.mean(draw.var(axis=1, ddof=1) / np.maximum(effective, 1.0))
    between = max(0.0, float(draw.mean(axis=1).var(ddof=1) - noise))
    within = float(draw.var(axis=1, ddof=1).mean())
    return between / (between + within) if between + within > 0 else None


def _moments(at: Any, data: Interactions) -> list[Any]:
    times = data.times
    if isinstance(at, str) and at in PERIODS:
        if data.date is None or data.date.dtype.kind != "M":
            raise DataError(
                f'Steepness by "{at}" needs calendar dates. Name the date column: {option("date")}.'
            )
        return list(period_ends(data.date, at))
    several = at if isinstance(at, Sequence) and not isinstance(at, str) else [at]
    try:
        out = sorted(moment(one, times) for one in several)
    except ValueError as error:
        raise ArgumentError(f"{error} Or choose a period: {', '.join(PERIODS)}.") from None
    if out and out[0] < times[0]:
        raise ArgumentError(
            f"{date_words(out[0])} is before the first contest ({date_words(times[0])}). Choose a "
            f"later date."
        )
    return out


def _over_time(replay: PosteriorReplay, moments: list[Any]):
    """Steepness among those present at each moment, and draws and scores of the last one."""
    data = replay.data
    rows, draw, scores = [], np.zeros((1, 0)), np.zeros((0, 0))
    there = np.ones(len(data.individuals), bool)
    step = max(1, DRAWS_AT_ONCE // replay.start.size)
    block = np.zeros((0, 0, 0))
    for n, when in enumerate(moments):
        if n % step == 0:
            some = np.array(moments[n : n + step]).astype(data.times.dtype)
            block = replay.draws_at(some)
        there = np.ones(len(data.individuals), bool)
        if data.presence is not None:
            there = data.presence.at(when, data.individuals)
        if there.sum() < 3:
            raise DataError(
                f"Individuals present at {_day(when)}: {there.sum()}. Steepness needs at least 3."
            )
        scores = summed_chances(np.ascontiguousarray(block[n % step][:, there]))
        draw = slopes(scores)[None]
        own = Estimate.of(draw).to_dict()
        rows.append({"date": _day(when), "individuals": int(there.sum())} | own)
    return pl.DataFrame(rows), draw, scores, there


def _day(when: Any) -> str:
    return date_words(whole_days(np.array([when]))[0])


def _table(names: list[str], scores: np.ndarray) -> pl.DataFrame:
    rank = ranks(scores)
    low, high = np.quantile(scores, [0.025, 0.975], axis=0)
    rank_low, rank_high = np.quantile(rank, [0.025, 0.975], axis=0, method="inverted_cdf")
    mean = scores.mean(axis=0)
    top_down = np.argsort(-mean, kind="stable")
    return pl.DataFrame(
        {
            "individual": [names[i] for i in top_down],
            "score": mean[top_down],
            "score_low95": low[top_down],
            "score_high95": high[top_down],
            "rank": np.arange(1.0, len(names) + 1),
            "rank_low95": rank_low[top_down],
            "rank_high95": rank_high[top_down],
        }
    )


def _summary(
    values: dict[str, Any], shuffled: bool, contests: int, moments: list[Any], bad: int
) -> list[str]:
    value, davids = values["value"], values["davids"]
    when = f" at {_day(moments[-1])}" if moments else ""
    sentences = [
        f"Steepness{when}: {value.mean:.3f} (95% CrI {value.low95:.3f}–{value.high95:.3f}, "
        f"80% CrI {value.low80:.3f}–{value.high80:.3f}; 0: all individuals equal, 1: each beats "
        f"all below it).",
        f"From Bayesian David's scores, over all contests: {davids.mean:.3f} "
        f"(95% CrI {davids.low95:.3f}–{davids.high95:.3f}).",
    ]
    if shuffled:
        share = values["order_share"]
        due = "" if share is None else f"; {share:.0%} of the variance is due to the unknown order"
        sentences.append(
            f"Based on {counted(values['orders'], 'random order')} of the {contests:,} "
            f"contests{due}."
        )
    sentences.append(
        f"Convergence: largest R̂ {values['rhat_max']:.3f}, smallest effective sample size "
        f"{values['ess_min']:,.0f} (per fit)."
    )
    if bad:
        sentences.append(
            f"{bad:,} of {counted(values['orders'], 'fit')} did not meet the convergence criteria. "
            f"Take more draws: {option('samples')}."
        )
    return sentences


def steepness_difference(one: Measure, other: Measure) -> Measure:
    """Difference in steepness between two groups or periods, with its posterior.

    Parameters
    ----------
    one, other : results of `steepness_bayes`, from sets of contests that do not overlap

    Returns
    -------
    Measure
        `value` {mean, sd, low80, high80, low95, high95}, the steepness of the first minus that of
        the second, and `p_steeper`, the posterior probability that the first is steeper.
    """
    for found in (one, other):
        if not isinstance(found, Measure) or found.method != "steepness_bayes":
            raise ArgumentTypeError("steepness_difference takes two results of steepness_bayes.")
    a, b = (_thinned(found.draws["steepness"].ravel()) for found in (one, other))
    difference = (a[:, None] - b[None, :]).ravel()  # the two posteriors are independent
    value, p = Estimate.of(difference), float((difference > 0).mean())
    return Measure(
        method="steepness_difference",
        data=one.data,
        values={"value": value, "p_steeper": p},
        summary=(
            f"Difference in steepness, first minus second: {value.mean:.3f} "
            f"(95% CrI {value.low95:.3f} to {value.high95:.3f}). The first is steeper with "
            f"posterior probability {p:.3f}.",
        ),
        settings={"one": one.data.hash, "other": other.data.hash},
        citations=("neumann2023",),
    )


def _thinned(draws: np.ndarray, most: int = 2_000) -> np.ndarray:
    return draws[np.linspace(0, len(draws) - 1, min(most, len(draws))).astype(int)]

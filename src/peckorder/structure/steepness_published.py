"""Posterior steepness with the published settings (Neumann & Fischer 2023; EloSteepness).

Each posterior draw of Elo ratings gives the probability p_ij that i beats j. The score of i is the
sum of its winning probabilities, and steepness is the slope of scores on ranks, between 0 and 1.
Starting scores have a fixed standard deviation of 1. If the order of contests is unknown, random
orders are fitted separately, and the share of the variance due to the unknown order is reported.

Summed winning probabilities and their slope, in total or at dates, from draws of ratings.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
import polars as pl

from peckorder.data.contests import Contests
from peckorder.data.date_columns import PERIODS, date_words, moment, period_ends, whole_days
from peckorder.data.win_counts import WinCounts, win_counts
from peckorder.errors import ArgumentError, ConvergenceWarning, DataError, DataWarning, caution
from peckorder.estimate import Estimate
from peckorder.executors.mapping import map_in_order
from peckorder.kernels.posterior import Model
from peckorder.ratings.likelihood import Observed, observe
from peckorder.ratings.posterior_trajectory import PosteriorReplay
from peckorder.ratings.sampler import (
    Convergence,
    Sampler,
    bulk_ess,
    model_of,
    parameters,
    prior_scale,
)
from peckorder.results.measures import Measure
from peckorder.results.samples import ranks, slopes, summed_chances
from peckorder.text import counted, option
from peckorder.validate import positive, whole_number

FEW, SOME = 100, 500  # contests up to which 50 and 20 random orders are fitted, then 5
DAVID_SD = 3.0  # of the normal prior on the logit of a dyad
DAVID_DRAWS = 4_000
PAIRS_AT_ONCE = 4_000_000
ACCEPT = 0.7  # these small posteriors are well behaved, so longer steps are more efficient
LARGE_RHAT = 1.05  # of one fit among many
PRIORS = {"prior_sigma": 1.0, "prior_nu": 1.0, "prior_home": 1.0}
SIGMA, PRIOR_K = 1.0, 1.0
NARROW = (
    "With these published settings, 95% intervals are too narrow for flat and for steep groups: "
    "see the default."
)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SteepnessPosterior(Measure):
    """Posterior of steepness; the table has one row per individual, or per date."""

    value: Estimate
    expected: Estimate | None = None  # the same estimate if all contests were fair tosses
    p: float | None = None  # as steep or steeper if all contests were fair tosses
    sigma: Estimate | float | None = None  # spread of ratings
    davids: Estimate | None = None  # preset: from Bayesian David's scores
    orders: int | None = None  # preset: random orders of the contests
    order_share: float | None = None  # preset: of the variance, due to the unknown order
    rhat_max: float | None = None
    ess_min: float | None = None
    divergences: int | None = None
    samples: np.ndarray  # steepness
    scores: np.ndarray  # summed winning probabilities, (samples, individuals)
    null: np.ndarray | None = None  # estimates from fair tosses
    davids_samples: np.ndarray | None = None


def published_steepness(
    contests: Contests, at: Any, ties: str, given: dict[str, Any], runs: dict[str, Any]
) -> SteepnessPosterior:
    """Posterior of steepness with the settings of the paper, changed by what is `given`."""
    sigma = given.get("sigma", SIGMA)
    prior_k = prior_scale("prior_k", given.get("prior_k", PRIOR_K))
    sigma = None if sigma == "estimate" else positive("sigma", sigma)
    orders = given.get("orders")
    shuffled = orders is not None or not contests.ordered
    with warnings.catch_warnings():
        if shuffled:  # random orders account for the unknown order
            warnings.filterwarnings("ignore", "The order of these contests", DataWarning)
        seen = observe(contests, ties=ties)
    counts = win_counts(seen.data, ties="omit" if ties == "omit" else "half", least=3)
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
        given.get("chains", 4),
        given.get("warmup", 500),
        given.get("samples", 500 if shuffled else 1500),
        runs["seed"],
        runs["threads"],
        runs["progress"],
        ACCEPT,
    )
    fits = _fits(seen, shuffled, orders, sigma, prior_k, sampler, runs.get("executor"))
    replays, converged = [fit[0] for fit in fits], [fit[1] for fit in fits]
    moments = [] if at is None else moments_of(at, replays[0].data)
    final = [replay.final for replay in replays]
    if moments:
        frame, draw, scores, present = over_time(replays[0], moments, _presence(seen.data))
    else:
        frame, present = None, np.ones(len(counts), bool)
        scores = np.concatenate([summed_chances(one) for one in final])
        draw = np.array([slopes(summed_chances(one)) for one in final])
    davids = davids_steepness(counts, sampler.seed)
    value = Estimate.of(draw)
    share = _order_share(draw, sampler.chains)
    rhat, ess = max(c.rhat_max for c in converged), min(c.ess_min for c in converged)
    rhat, ess = (None if np.isnan(value) else value for value in (rhat, ess))
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
    return SteepnessPosterior(
        method="steepness_bayes",
        data=counts,
        **values,
        frame=frame
        if frame is not None and len(moments) > 1
        else score_table([name for i, name in enumerate(counts.individuals) if present[i]], scores),
        summary=tuple(_summary(values, shuffled, size, moments, len(bad))),
        settings={
            "preset": "EloSteepness",
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
        samples=draw,
        scores=scores,
        davids_samples=davids,
        seed=sampler.seed,
    )


def _presence(data: Contests) -> Any:
    """Who is in the group at a moment; everybody if presence is unknown."""
    presence = data.presence
    if presence is None:
        return lambda when: np.ones(len(data.individuals), bool)
    return lambda when: presence.at(when, data.individuals)


def _fits(
    seen: Observed,
    shuffled: bool,
    orders: int,
    sigma: float | None,
    prior_k: float,
    sampler: Sampler,
    executor: Any,
) -> list[tuple[PosteriorReplay, Convergence]]:
    """One fit per order, all in the same thread pool or each by a worker."""
    parts = [_reordered(seen, sampler.seed, i) for i in range(orders)] if shuffled else [seen]
    models = [model_of([part], sigma=sigma, priors=PRIORS | {"prior_k": prior_k}) for part in parts]
    if executor is None:
        chains = sampler.run(models)
    else:
        alone = replace(sampler, threads=1, progress=None)
        chains = map_in_order(
            _chains_of_order,
            list(enumerate(models)),
            shared=alone,
            executor=executor,
            progress=sampler.progress,
        )
    out = []
    for part, model, (positions, statistics) in zip(parts, models, chains, strict=True):
        found = parameters(model, positions)
        convergence = Convergence.of(found, statistics, True, sigma is None)
        out.append((PosteriorReplay.of(part.data, part.contests, found, {}), convergence))
    return out


def _chains_of_order(sampler: Sampler, order: tuple[int, Model]) -> tuple[np.ndarray, np.ndarray]:
    """The chains of one of several orders, as they are when all are sampled together."""
    number, model = order
    return sampler.run([model], first=number)[0]


def _reordered(seen: Observed, seed: int, number: int) -> Observed:
    random = np.random.default_rng(np.random.SeedSequence([seed, 2, number]))
    order = random.permutation(len(seen.data))
    first, second = (
        np.ascontiguousarray(side[order]) for side in (seen.contests.first, seen.contests.second)
    )
    draw = seen.contests.draw
    drawn = np.ascontiguousarray(draw[order]) if draw.size else draw
    return Observed(seen.data, seen.contests._replace(first=first, second=second, draw=drawn))


def davids_steepness(counts: WinCounts, seed: int) -> np.ndarray:
    """Draws of steepness from David's scores, with a N(0, 3) prior on the logit of each dyad."""
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


def _summary(
    values: dict[str, Any], shuffled: bool, contests: int, moments: list[Any], bad: int
) -> list[str]:
    value, davids = values["value"], values["davids"]
    when = f" at {day(moments[-1])}" if moments else ""
    sentences = [
        f"Steepness{when}: {value.value:.3f} (95% CrI {value.low:.3f}–{value.high:.3f}; "
        f"0: all individuals equal, 1: each beats all below it).",
        f"From Bayesian David's scores, over all contests: {davids.value:.3f} "
        f"(95% CrI {davids.low:.3f}–{davids.high:.3f}).",
    ]
    if shuffled:
        share = values["order_share"]
        due = "" if share is None else f"; {share:.0%} of the variance is due to the unknown order"
        sentences.append(
            f"Based on {counted(values['orders'], 'random order')} of the {contests:,} "
            f"contests{due}."
        )
    sentences.append(
        "R̂ is not available: the chains are too short."
        if values["rhat_max"] is None or values["ess_min"] is None
        else f"Convergence: largest R̂ {values['rhat_max']:.3f}, smallest effective sample size "
        f"{values['ess_min']:,.0f} (per fit)."
    )
    if bad:
        sentences.append(
            f"{bad:,} of {counted(values['orders'], 'fit')} did not meet the convergence criteria. "
            f"Take more draws: {option('samples')}."
        )
    sentences.append(NARROW)
    return sentences


DRAWS_AT_ONCE = 20_000_000


class Draws(Protocol):
    """Draws of ratings that can be taken at dates."""

    @property
    def data(self) -> Contests:
        """The contests behind them."""
        ...

    def __len__(self) -> int: ...

    def draws_at(self, times: np.ndarray) -> np.ndarray:
        """Ratings at moments in ascending order, (moments, draws, individuals)."""
        ...


class OverTime(NamedTuple):
    """Steepness at each of several moments, and everything about the last of them."""

    frame: pl.DataFrame
    steepness: np.ndarray  # (1, draws)
    scores: np.ndarray  # (draws, those present)
    present: np.ndarray  # mask of individuals


def moments_of(at: Any, data: Contests) -> list[Any]:
    """The moments that `at` asks for, in ascending order."""
    times = data.times
    if isinstance(at, str) and at in PERIODS:
        if data.date is None or data.date.dtype.kind != "M":
            raise DataError(
                f'Steepness by "{at}" needs calendar dates. Name the date column: {option("date")}.'
            )
        return list(period_ends(data.date, at))
    several = at if isinstance(at, Sequence) and not isinstance(at, str) else [at]
    if len(several) == 0:
        raise ArgumentError(f"{option('at')} is empty. Give at least one date.")
    try:
        out = sorted(moment(one, times) for one in several)
    except ValueError as error:
        raise ArgumentError(f"{error} Or choose a period: {', '.join(PERIODS)}.") from None
    if out[0] < times[0]:
        raise ArgumentError(
            f"{date_words(out[0])} is before the first contest ({date_words(times[0])}). Choose a "
            f"later date."
        )
    return out


def over_time(replay: Draws, moments: list[Any], present: Any) -> OverTime:
    """Steepness among those present at each moment; `present(when)` is a mask of individuals."""
    data = replay.data
    rows, draw, scores = [], np.zeros((1, 0)), np.zeros((0, 0))
    there = np.ones(len(data.individuals), bool)
    step = max(1, DRAWS_AT_ONCE // (len(replay) * len(data.individuals)))
    block = np.zeros((0, 0, 0))
    for n, when in enumerate(moments):
        if n % step == 0:
            some = np.array(moments[n : n + step]).astype(data.times.dtype)
            block = replay.draws_at(some)
        there = present(when)
        if there.sum() < 3:
            raise DataError(
                f"Individuals present at {day(when)}: {there.sum()}. Steepness needs at least 3."
            )
        scores = summed_chances(np.ascontiguousarray(block[n % step][:, there]))
        draw = slopes(scores)[None]
        own = Estimate.of(draw).to_dict()
        rows.append({"date": day(when), "individuals": int(there.sum())} | own)
    return OverTime(pl.DataFrame(rows), draw, scores, there)


def day(when: Any) -> str:
    """A moment as text, to the day."""
    return date_words(whole_days(np.array([when]))[0])


def score_table(names: list[str], scores: np.ndarray) -> pl.DataFrame:
    """Summed winning probabilities and ranks with 95% intervals, highest first."""
    rank = ranks(scores)
    low, high = np.quantile(scores, [0.025, 0.975], axis=0)
    rank_low, rank_high = np.quantile(rank, [0.025, 0.975], axis=0, method="inverted_cdf")
    mean = scores.mean(axis=0)
    top_down = np.argsort(-mean, kind="stable")
    return pl.DataFrame(
        {
            "individual": [names[i] for i in top_down],
            "score": mean[top_down],
            "score_low": low[top_down],
            "score_high": high[top_down],
            "rank": np.arange(1.0, len(names) + 1),
            "rank_low": rank_low[top_down],
            "rank_high": rank_high[top_down],
        }
    )

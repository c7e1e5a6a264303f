"""Posterior of steepness: the slope of summed winning probabilities on ranks.

Ratings that do not change have a normal prior whose spread σ is averaged over, by the static
filters of `dynamic`. Each draw of ratings gives winning probabilities p_ij; the score of i is their
sum, and steepness is the slope of scores on ranks, as defined by Neumann & Fischer (2023). Their
posterior fixes σ at 1, which is too wide for flat groups and too narrow for steep ones; it is the
preset "EloSteepness" (`steepness_published`).

Steepness that fair coins would give: the same contests, each decided by a toss.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from peckorder.data.read import Data, opened
from peckorder.data.win_counts import win_counts
from peckorder.errors import (
    ArgumentError,
    ArgumentTypeError,
)
from peckorder.estimate import Estimate
from peckorder.executors.mapping import checked_executor
from peckorder.kernels.static_fit import Pairs
from peckorder.random_runs import Progress, Runs, p_value
from peckorder.ratings.dynamic import DynamicRatings, dynamic, openings_in_words
from peckorder.ratings.filter_bank import Bank, nu_of_equals, present_after
from peckorder.ratings.filter_runner import square_roots
from peckorder.ratings.likelihood import contests_of, observe
from peckorder.ratings.static_fit import fit, pairs_of
from peckorder.results.measures import Measure
from peckorder.results.samples import slopes, summed_chances
from peckorder.structure.steepness_published import (
    OverTime,
    SteepnessPosterior,
    day,
    moments_of,
    over_time,
    published_steepness,
    score_table,
)
from peckorder.text import counted, option, option_name
from peckorder.validate import FittedTies, one_of, seed_number, whole_number

PRESET = "EloSteepness"
DRAWS = 4_000
LEVEL = 0.05  # of the comparison with fair coins


def steepness_bayes(
    data: Data,
    *,
    at: Any = None,
    ties: FittedTies = "omit",
    prior: Literal["openings", "normal"] = "openings",
    fair_coins: int | None = None,
    preset: Literal["EloSteepness"] | None = None,
    orders: int | None = None,
    sigma: float | str | None = None,
    prior_k: float | None = None,
    chains: int | None = None,
    warmup: int | None = None,
    samples: int | None = None,
    seed: Any = None,
    threads: int | None = None,
    executor: Any = None,
    progress: Progress | None = None,
) -> SteepnessPosterior:
    """Posterior of steepness, of summed winning probabilities and of ranks.

    Parameters
    ----------
    data : Contests or Matrix, at least 3 individuals
    at : date, list of dates, or "week", "month", "year", optional
        Steepness on these dates (or at the end of each period) among the individuals present, from
        ratings that may change (`dynamic`), given all contests. By default ratings are constant,
        and steepness is that of all individuals.
    ties : {"omit", "davidson"}
        Omit ties, or model them.
    prior : {"openings", "normal"}
        Prior of the ratings, as in `dynamic`; refits with fair coins have a normal prior.
    fair_coins : int, optional
        Number of refits in which every contest is a fair toss; 0 for none. By default 100 (fewer
        for large data, none with `at`).
    preset : {"EloSteepness"}, optional
        The published posterior: Elo ratings with starting scores of standard deviation 1, sampled.
        The arguments below change its settings; without the preset they raise an error.
    orders : int, optional
        Number of random orders of the contests, each fitted separately. By default the observed
        sequence if it is known; otherwise 50 orders for up to 100 contests, 20 for up to 500,
        and 5 for more.
    sigma : float or "estimate", optional
        Standard deviation of the starting scores, 1 as in the paper; "estimate" estimates it.
    prior_k : float, optional
        Scale of the half-normal prior on k (natural scale), 1 as in the paper.
    chains, warmup, samples : int, optional
        Default 4 × (500 + 1500) for a sequence, 4 × (500 + 500) for each of several orders.
    seed, threads, progress : as in `elo_bayes`
    executor : optional
        With the preset: where orders are fitted, as in `study`; by default in threads.

    Returns
    -------
    SteepnessPosterior
        `value` {value, sd, low, high}; `expected`, the mean and range of the
        same estimate if every decided contest of this design were a fair toss, and
        `p`, the one-sided p-value of the estimate among them, exact if all individuals
        are equal; `sigma`, the spread of ratings. Table:
        individual, score (summed winning probabilities), score_low, score_high, rank,
        rank_low, rank_high; with several dates, one row per date. 4,000 independent
        `samples` of steepness and of `scores`; nothing has to converge.
        With the preset instead of `expected` and `sigma`: `davids`, the same for Bayesian
        David's scores, with a N(0, 3) prior on the logit of each dyad; `orders`; `order_share`,
        the share of the variance due to the unknown order; `rhat_max`, `ess_min`, `divergences`;
        `samples` are orders × draws.

    Notes
    -----
    Coverage of intervals in simulated groups, of the default and of the preset, is in
    benchmarks/README.md. Exactly equal individuals have steepness 0, which no interval contains:
    compare the estimate with the `expected` one.

    References
    ----------
    Neumann & Fischer 2023, Methods in Ecology and Evolution 14:669–682,
    doi:10.1111/2041-210X.14021.

    Examples
    --------
    >>> import peckorder as po
    >>> steep = po.steepness_bayes(po.datasets.bonobos(), seed=1)
    >>> round(steep.value, 2), steep.expected.high < steep.value.low
    (0.91, True)
    >>> published = po.steepness_bayes(
    ...     po.datasets.bonobos(), preset="EloSteepness", orders=2, seed=1
    ... )
    >>> round(published.value, 1), round(published.davids, 1)
    (0.9, 0.8)
    """
    data = opened(data)
    settings = {
        "orders": orders,
        "sigma": sigma,
        "prior_k": prior_k,
        "chains": chains,
        "warmup": warmup,
        "samples": samples,
        "executor": checked_executor(executor),
    }
    given = {name: value for name, value in settings.items() if value is not None}
    if preset is not None:
        one_of("preset", preset, (PRESET,))
        if prior != "openings":
            raise ArgumentError(
                f"{option_name('prior')} is not for the published posterior, whose prior is normal "
                f"with {option_name('sigma')}. Leave it out."
            )
    elif given:
        names = ", ".join(option_name(name) for name in given)
        raise ArgumentError(
            f"{names}: for the published posterior only. Add {option('preset', PRESET)}, or leave "
            f"{'it' if len(given) == 1 else 'them'} out: by default nothing is sampled by chains."
        )
    contests = contests_of(data, "steepness_bayes")
    if preset is not None:
        if fair_coins is not None:
            raise ArgumentError(
                f"{option_name('fair_coins')} cannot be combined with {option('preset', PRESET)}, "
                f"whose refits would take too long. Leave one of them out."
            )
        runs = {"seed": seed, "threads": threads, "progress": progress}
        runs["executor"] = given.pop("executor", None)
        return published_steepness(contests, at, ties, given, runs)
    if at is not None and not contests.ordered:
        raise ArgumentError("Steepness at a date needs contests in their order; a matrix has none.")
    if at is not None and fair_coins:
        raise ArgumentError(
            f"{option_name('fair_coins')} is for all contests: leave out {option_name('at')}."
        )
    number = seed_number(seed)
    seen = observe(contests, ties=ties, static=True).data
    counts = win_counts(seen, ties="omit" if ties == "omit" else "half", least=3)
    moments = [] if at is None else moments_of(at, seen)
    ratings: DynamicRatings = dynamic(
        seen, ties=ties, static=at is None, samples=DRAWS, seed=number, threads=threads, prior=prior
    )
    found = _in_total(ratings) if at is None else _at(ratings, moments)
    values: dict[str, Any] = {"value": Estimate.of(found.steepness)}
    null = None
    if at is None:
        refits = usual_runs(ratings.bank) if fair_coins is None else fair_coins
        if whole_number("fair_coins", refits, 0) > 0:
            tossed = tossed_steepness(
                ratings.bank.normal, Runs.of(refits, number, threads, progress)
            )
            null = tossed.tossed
            values |= {"expected": Estimate.of(null), "p": tossed.p}
    values["sigma"] = ratings.values["sigma"]
    tosses = 0 if null is None else len(null)
    names = [
        name for name, is_there in zip(seen.individuals, found.present, strict=True) if is_there
    ]
    return SteepnessPosterior(
        method="steepness_bayes",
        data=counts,
        **values,
        frame=found.frame if len(moments) != 1 else score_table(names, found.scores),
        summary=tuple(_summary(values, moments, tosses, ratings)),
        settings={
            "preset": None,
            "at": None if at is None else str(at),
            "ties": ties,
            "prior": prior,
            "fair_coins": tosses,
        },
        citations=("neumann2023",),
        samples=found.steepness,
        scores=found.scores,
        null=null,
        seed=number,
    )


def _in_total(ratings: DynamicRatings) -> OverTime:
    """Steepness of all individuals, from constant ratings."""
    scores = summed_chances(ratings.final)
    everybody = np.ones(len(ratings), bool)
    return OverTime(
        score_table(list(ratings.individuals), scores), slopes(scores)[None], scores, everybody
    )


def _at(ratings: DynamicRatings, moments: list[Any]) -> OverTime:
    """Steepness at dates among those present, from ratings that may change."""
    data, intervals = ratings.data, ratings.bank.intervals
    codes = np.arange(len(data.individuals))

    def present(when: Any) -> np.ndarray:
        if data.presence is not None:
            return data.presence.at(when, data.individuals)
        done = int(np.searchsorted(data.times, np.asarray(when, data.times.dtype), side="right"))
        return np.isin(codes, present_after(intervals, done))

    return over_time(ratings.course.replay, moments, present)


def _summary(
    values: dict[str, Any], moments: list[Any], tosses: int, ratings: DynamicRatings
) -> list[str]:
    value = values["value"]
    when = f" at {day(moments[-1])}" if moments else ""
    sentences = [
        f"Steepness{when}: {value.value:.3f} (95% CrI {value.low:.3f}–{value.high:.3f}; "
        f"0: all individuals equal, 1: each beats all below it).",
    ]
    if moments:
        sentences.append("Ratings were allowed to change (dynamic ratings, given all contests).")
    else:
        sentences.append("Ratings were assumed not to change.")
    if "expected" in values:
        coins, p = values["expected"], values["p"]
        probability = f"p = {p:.3f}, one-sided"
        sentences.append(
            f"If every contest were a fair coin toss, the estimate would be {coins.value:.3f} "
            f"(95% range {coins.low:.3f}–{coins.high:.3f}; {counted(tosses, 'refit')}): "
            + (
                f"individuals differ ({probability})."
                if p <= LEVEL
                else f"no evidence that individuals differ ({probability})."
            )
        )
    sentences += openings_in_words(ratings.values, ratings.data)
    nu = ratings.values.get("nu")
    if nu:
        sentences.append(f"Ties were modeled (Davidson's ν = {nu:.3g}).")
    return sentences


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SteepnessDifference(Measure):
    """Difference in steepness between two groups or periods."""

    value: Estimate  # the first minus the second
    probability: float  # that the first is steeper


def steepness_difference(one: SteepnessPosterior, other: SteepnessPosterior) -> SteepnessDifference:
    """Difference in steepness between two groups or periods, with its posterior.

    Parameters
    ----------
    one, other : results of `steepness_bayes`, from sets of contests that do not overlap

    Returns
    -------
    SteepnessDifference
        `value` {value, sd, low, high}, the steepness of the first minus that of
        the second, and `probability`, the posterior probability that the first is steeper.

    Examples
    --------
    >>> import peckorder as po
    >>> first, second = po.datasets.bonobos(), po.datasets.table3()
    >>> found = steepness_difference(
    ...     *(steepness_bayes(data, fair_coins=5, seed=1) for data in (first, second))
    ... )
    >>> round(found.value, 1), found.probability > 0.99
    (0.3, True)
    """
    for found in (one, other):
        if not isinstance(found, SteepnessPosterior):
            raise ArgumentTypeError("steepness_difference takes two results of steepness_bayes.")
    a, b = (_thinned(found.samples.ravel()) for found in (one, other))
    difference = (a[:, None] - b[None, :]).ravel()  # the two posteriors are independent
    value, p = Estimate.of(difference), float((difference > 0).mean())
    return SteepnessDifference(
        method="steepness_difference",
        data=one.data,
        value=value,
        probability=p,
        summary=(
            f"Difference in steepness, first minus second: {value.value:.3f} "
            f"(95% CrI {value.low:.3f} to {value.high:.3f}). The first is steeper with "
            f"posterior probability {p:.3f}.",
        ),
        settings={"one": one.data.hash, "other": other.data.hash},
        citations=("neumann2023",),
    )


def _thinned(draws: np.ndarray, most: int = 2_000) -> np.ndarray:
    return draws[np.linspace(0, len(draws) - 1, min(most, len(draws))).astype(int)]


PAIRS = 40  # of antithetic draws per refit: enough for a mean
RUNS, LEAST_RUNS = 100, 20
MUCH = 2e9  # updated covariance entries after which fewer refits are made
PASSES = 30  # of a fit over all pairs and spreads, about
ROUGHLY = 1e-3  # accuracy of a refit, in standard deviations
BLOCK = 10
AS_LARGE = 1e-9  # a toss with the outcomes of the record counts as large as the record


def usual_runs(bank: Bank) -> int:
    """Number of refits by default: 100, or fewer for large data."""
    record = bank.record
    size = len(record.founder)
    pairs = min(record.winner.size, size * (size - 1) // 2)
    work = max(pairs, 1) * size**2 * PASSES
    return int(np.clip(MUCH // work, LEAST_RUNS, RUNS))


class Tosses(NamedTuple):
    """Posterior means of steepness, all computed in the same way."""

    observed: float
    tossed: np.ndarray  # one per toss of all contests

    @property
    def p(self) -> float:
        """One-sided p-value of the observed steepness."""
        return p_value(self.tossed >= self.observed - AS_LARGE)


def tossed_steepness(bank: Bank, runs: Runs) -> Tosses:
    """Posterior mean of steepness of the record and of several tosses; ties stay ties."""
    record = bank.record
    pairs = pairs_of(record.winner, record.loser, record.tied, record.covariates)
    normal = np.random.default_rng(np.random.SeedSequence([runs.seed, 6])).standard_normal(
        (PAIRS, record.founder.size)
    )
    out = np.empty(runs.number)

    def work(begin: int, end: int) -> None:
        for run in range(begin, end):
            random = np.random.default_rng(np.random.SeedSequence([runs.seed, 7, run]))
            out[run] = _mean_steepness(bank, _tossed(pairs, random), normal)

    runs.do(work, BLOCK)
    return Tosses(_mean_steepness(bank, pairs, normal), out)


def _tossed(pairs: Pairs, random: np.random.Generator) -> Pairs:
    """The same contests; each decided by a toss."""
    decided = pairs.won + pairs.lost
    won = random.binomial(decided.astype(int), 0.5).astype(float)
    return pairs._replace(won=won, lost=decided - won)


def _mean_steepness(bank: Bank, pairs: Pairs, normal: np.ndarray) -> float:
    """Posterior mean, from antithetic draws shared out among spreads by their weights."""
    record = bank.record
    means, covariances, log_evidence = fit(
        pairs,
        len(record.founder),
        bank.grid.sigma,
        record.coefficient_sd,
        nu_of_equals(record.tied),
        ROUGHLY,
    )
    log_weight = bank.grid.log_prior + log_evidence
    weight = np.exp(log_weight - log_weight.max())
    share = np.cumsum(weight / weight.sum())
    own = np.searchsorted(share, (np.arange(len(normal)) + 0.5) / len(normal)).clip(
        max=len(share) - 1
    )
    used, of = np.unique(own, return_inverse=True)
    ratings = slice(bank.coefficients, None)
    roots = square_roots(covariances[used, ratings, ratings])
    away = np.einsum("dij,dj->di", roots[of], normal)
    mean = means[own, ratings]
    return float(slopes(summed_chances(np.concatenate([mean + away, mean - away]))).mean())

"""Steepness that fair coins would give: the same contests, each decided by a toss.

Winning probabilities sorted by rank always slope, so steepness is above 0 even if all individuals
are equal, the more so the fewer their contests. Tossing a fair coin for every decided contest of
the same design and fitting again shows how far. If individuals are equal, the record is one more
toss, given who met whom and which contests were ties. The test is therefore exact, however good the
fit, as long as the estimate is the same function of the record and of the tosses: with the same
draws, and with Davidson's ν of equal individuals, which depends on the number of ties alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from peckorder.filters.bank import Bank
from peckorder.filters.mixtures import square_roots
from peckorder.filters.static import fit, pairs_of
from peckorder.filters.ties import nu_of_equals
from peckorder.kernels.static_fit import Pairs
from peckorder.results.sampled import slopes, summed_chances
from peckorder.runs import Runs, p_value

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

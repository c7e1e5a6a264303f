"""Steepness that fair coins would give: the same contests, each decided by a toss.

Winning probabilities sorted by rank always slope, so steepness is above 0 even if all individuals
are equal, the more so the fewer their contests. Tossing a fair coin for every contest of the same
design and fitting again shows how far.
"""

from __future__ import annotations

import numpy as np

from peckorder.filters.bank import Bank
from peckorder.filters.engine import run_filters, work_of
from peckorder.filters.mixtures import square_roots
from peckorder.kernels.filters import Record
from peckorder.results.sampled import slopes, summed_chances
from peckorder.runs import Runs

PAIRS = 40  # of antithetic draws per refit: enough for a mean
RUNS, LEAST_RUNS = 100, 20
MUCH = 2e10  # updated covariance entries after which fewer refits are made
BLOCK = 10


def usual_runs(bank: Bank) -> int:
    """Number of refits by default: 100, or fewer for large data."""
    return int(np.clip(MUCH // (work_of(bank.record) * len(bank.table)), LEAST_RUNS, RUNS))


def tossed_steepness(bank: Bank, runs: Runs) -> np.ndarray:
    """Posterior mean of steepness in each of several tosses; ties stay ties."""
    record = bank.record
    normal = np.random.default_rng(np.random.SeedSequence([runs.seed, 6])).standard_normal(
        (PAIRS, record.founder.size)
    )
    out = np.empty(runs.number)

    def work(begin: int, end: int) -> None:
        for run in range(begin, end):
            random = np.random.default_rng(np.random.SeedSequence([runs.seed, 7, run]))
            out[run] = _mean_steepness(bank, _tossed(record, random), normal)

    runs.do(work, BLOCK)
    return out


def _tossed(record: Record, random: np.random.Generator) -> Record:
    """The same contests; each keeps or reverses its outcome with probability ½."""
    flip = random.random(record.winner.size) < 0.5
    return record._replace(
        winner=np.where(flip, record.loser, record.winner),
        loser=np.where(flip, record.winner, record.loser),
    )


def _mean_steepness(bank: Bank, record: Record, normal: np.ndarray) -> float:
    """Posterior mean, from antithetic draws shared out among filters by their weights."""
    found = run_filters(record, bank.table)
    log_weight = bank.grid.log_prior + found.log_chances.sum(axis=1)
    weight = np.exp(log_weight - log_weight.max())
    share = np.cumsum(weight / weight.sum())
    own = np.searchsorted(share, (np.arange(len(normal)) + 0.5) / len(normal)).clip(
        max=len(share) - 1
    )
    used, of = np.unique(own, return_inverse=True)
    ratings = slice(bank.coefficients, None)
    roots = square_roots(found.covariances[used, ratings, ratings])
    away = np.einsum("dij,dj->di", roots[of], normal)
    mean = found.means[own, ratings]
    return float(slopes(summed_chances(np.concatenate([mean + away, mean - away]))).mean())

"""Ratings that did not change: the filters with τ = 0, fitted without regard to the order.

Expectation propagation over pairs: one pair after the other in small groups; in large ones all at
once, with one Cholesky factor per pass. Both have the same fixed point.
"""

from __future__ import annotations

import numpy as np

from peckorder.kernels.filters import Record
from peckorder.kernels.static_fit import Pairs, gather, propagate, refresh
from peckorder.ratings.filter_bank import (
    ENTRY,
    Bank,
    Grid,
    Intervals,
    drift_grid,
    estimated_nu,
    settings_table,
    tie_grid,
)
from peckorder.ratings.filter_runner import log_sum_exp

PASSES = 200
TOLERANCE = 1e-6  # change of a mean in standard deviations, and of a variance
ROUGHLY = 1e-4  # of the many fits with openings
SEARCHING = 1e-3  # of the fits that compare values of ν: their evidence is stationary
OSCILLATING = 0.9  # ratio of changes from which steps are halved
AT_ONCE = 60  # length of the state from which all pairs are updated at once


def static_bank(record: Record, intervals: Intervals, share: float, threads: int) -> Bank:
    """A bank of static filters, fitted without regard to the order of contests."""
    pairs = pairs_of(record.winner, record.loser, record.tied, record.covariates)
    size, sd = len(record.founder), record.coefficient_sd

    def log_evidence(nu: float, few: Grid) -> float:
        return log_sum_exp(few.log_prior + fit(pairs, size, few.sigma, sd, nu, SEARCHING)[2])

    grid = drift_grid(static=1.0)
    nu = estimated_nu(record.tied, log_evidence, tie_grid(static=1.0))
    means, covariances, log_evidences = fit(pairs, size, grid.sigma, sd, nu)
    return Bank(
        grid=grid,
        record=record,
        table=settings_table(grid, share, nu),
        intervals=intervals,
        log_evidences=log_evidences,
        nu=nu,
        means=means,
        covariances=covariances,
        threads=threads,
        ordered=False,
    )


def pairs_of(winner, loser, tied, covariates) -> Pairs:
    """Outcomes of each pair with the same values of the covariates."""
    turned = winner > loser  # the first of a pair has the lower code
    first, second = np.where(turned, loser, winner), np.where(turned, winner, loser)
    seen = np.where(turned[:, None], -covariates, covariates)
    rows = np.column_stack([first, second, seen])
    kinds, which = np.unique(rows, axis=0, return_inverse=True)
    counts = [
        np.bincount(which.ravel(), weights=of, minlength=len(kinds)).astype(float)
        for of in (~tied & ~turned, ~tied & turned, tied)
    ]
    return Pairs(
        kinds[:, 0].astype(np.int64),
        kinds[:, 1].astype(np.int64),
        np.ascontiguousarray(kinds[:, 2:]),
        *counts,
    )


def fit(
    pairs: Pairs,
    individuals: int,
    sigma: np.ndarray,
    coefficient_sd: np.ndarray,
    nu: float,
    tolerance: float = TOLERANCE,
    *,
    opening: np.ndarray | None = None,
    offset: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Means and covariances of the state, and log evidence, for each spread σ.

    Individuals with the same number of an opening share an offset; its variance goes with σ.
    """
    size = individuals + 1 + len(coefficient_sd)
    variances = np.empty((len(sigma), size))
    variances[:, 0] = (ENTRY * sigma) ** 2
    variances[:, 1 : 1 + len(coefficient_sd)] = coefficient_sd**2
    variances[:, 1 + len(coefficient_sd) :] = (sigma**2)[:, None]
    means = np.empty_like(variances)
    covariances = np.empty((len(sigma), size, size))
    log_evidences = np.empty(len(sigma))
    opening = np.full(individuals, -1, np.int32) if opening is None else opening
    shared = np.zeros(len(sigma)) if offset is None else np.ascontiguousarray(offset)
    given = pairs, variances, opening, shared, nu, PASSES, tolerance
    if size < AT_ONCE or not _all_at_once(*given, means, covariances, log_evidences):
        propagate(*given, means, covariances, log_evidences)
    return means, covariances, log_evidences


def _all_at_once(
    pairs, variances, opening, shared, nu, passes, tolerance, means, covariances, log_evidences
) -> bool:
    """`propagate` with all pairs updated at once; False if that does not converge."""
    from scipy.linalg import get_lapack_funcs

    potrf, potri = get_lapack_funcs(("potrf", "potri"), dtype=float)
    members = [np.flatnonzero(opening == n) for n in range(opening.max() + 1)]
    offset = variances.shape[1] - len(opening)
    precision, pull, new, toward = np.zeros((4, len(pairs.first)))
    for e, prior in enumerate(variances):
        start, log_prior = np.diag(1 / prior), np.log(prior).sum()
        for own in members:  # they share an offset
            at, spread = own + offset, prior[offset]
            grown = spread + len(own) * shared[e]
            start[np.ix_(at, at)] -= shared[e] / (spread * grown)
            log_prior += np.log(grown / spread)
        last, damping = np.inf, 1.0
        for _ in range(passes):
            # Columns first, as LAPACK keeps them: its upper triangle is our lower one.
            sharp, vector = start.copy(), np.zeros(len(prior))
            gather(pairs, precision, pull, sharp, vector)
            root, failed = potrf(sharp.T, overwrite_a=True)
            if failed:
                return False
            log_ratio = -2 * np.log(np.diagonal(root)).sum() - log_prior
            covariance = potri(root, overwrite_c=True)[0].T
            covariance += np.tril(covariance, -1).T
            mean = covariance @ vector
            change, total = refresh(pairs, nu, mean, covariance, precision, pull, new, toward)
            if change < tolerance:
                break
            if change > OSCILLATING * last:
                damping = 0.5
            last = change
            precision += damping * (new - precision)
            pull += damping * (toward - pull)
        else:
            return False
        means[e], covariances[e], log_evidences[e] = mean, covariance, 0.5 * log_ratio + total
    return True

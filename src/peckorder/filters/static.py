"""Ratings that did not change: the filters with τ = 0, fitted without regard to the order.

Filters take in one contest after the other, and each is approximated in turn, so that the result
depends a little on the order, and strongly where it is arbitrary, as in a matrix read row by row.
Where ratings are constant the same model is therefore fitted by expectation propagation over pairs
(`kernels/static_fit.py`), which has no order.
"""

from dataclasses import replace

import numpy as np

from peckorder.filters.bank import ENTRY, Bank
from peckorder.filters.mixtures import log_sum_exp
from peckorder.filters.ties import estimated_nu
from peckorder.kernels.static_fit import Pairs, propagate

PASSES = 200
TOLERANCE = 1e-6  # change of a mean in standard deviations, and of a variance


def without_order(bank: Bank) -> Bank:
    """The same bank of static filters, fitted without regard to the order of contests."""
    record = bank.record
    pairs = pairs_of(record.winner, record.loser, record.tied, record.covariates)
    size = len(record.founder)

    def fitted(nu: float, sigma: np.ndarray):
        return fit(pairs, size, sigma, record.coefficient_sd, nu)

    def log_evidence(nu: float, few) -> float:
        return log_sum_exp(few.log_prior + fitted(nu, few.sigma)[2])

    nu = estimated_nu(record.tied, log_evidence)
    means, covariances, log_evidences = fitted(nu, bank.grid.sigma)
    return replace(
        bank,
        nu=nu,
        means=means,
        covariances=covariances,
        log_evidences=log_evidences,
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
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Means and covariances of the state, and log evidence, for each spread σ."""
    size = individuals + 1 + len(coefficient_sd)
    variances = np.empty((len(sigma), size))
    variances[:, 0] = (ENTRY * sigma) ** 2
    variances[:, 1 : 1 + len(coefficient_sd)] = coefficient_sd**2
    variances[:, 1 + len(coefficient_sd) :] = (sigma**2)[:, None]
    means = np.empty_like(variances)
    covariances = np.empty((len(sigma), size, size))
    log_evidences = np.empty(len(sigma))
    propagate(pairs, variances, nu, PASSES, tolerance, means, covariances, log_evidences)
    return means, covariances, log_evidences

"""The grid of settings over which a bank of filters is averaged, with prior weights.

Standard deviation σ of the ratings, half-normal(2.5). Drift τ per contest of an individual, 0 with
probability 0.2 and otherwise half-normal(0.5); the prior probabilities of a random walk and of
mean reversion are equal. As a diagnostic only, the step size k of an Elo update, 0 with probability
0.5 and otherwise half-normal(1). Prior weights are the density times the width of the grid cell on
the logarithmic scale.
"""

from dataclasses import dataclass

import numpy as np

from peckorder.errors import ArgumentError

SIGMA = (0.1, 0.2, 0.35, 0.6, 0.9, 1.3, 1.9, 2.7, 3.8, 5.5)
TAU = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6)
ELO = (0.03, 0.06, 0.09, 0.12, 0.17, 0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0)
PRIOR_SIGMA, PRIOR_TAU, PRIOR_K = 2.5, 0.5, 1.0
STATIC, NO_ELO = 0.2, 0.5


@dataclass(frozen=True)
class Grid:
    """One entry per filter."""

    sigma: np.ndarray
    tau: np.ndarray
    returning: np.ndarray  # bool: mean-reverting drift, otherwise a random walk
    k: np.ndarray
    log_within: np.ndarray  # log prior, conditional on τ > 0 or not and on k > 0 or not
    log_prior: np.ndarray

    def __len__(self) -> int:
        return self.sigma.size


def half_normal_weights(values, scale: float) -> np.ndarray:
    """Prior weights of positive, ascending values under a half-normal density."""
    values = np.asarray(values, float)
    width = np.gradient(np.log(values)) if values.size > 1 else np.ones(1)
    weights = np.exp(-0.5 * (values / scale) ** 2) * values * width
    return weights / weights.sum()


def drift_grid(*, sigma=SIGMA, tau=TAU, elo: bool = False, static: float = STATIC) -> Grid:
    """All combinations of σ, τ (random walk and mean reversion) and, with `elo`, k.

    `static` is the prior probability of no drift; 1 excludes drift, and 0 excludes static ratings.
    """
    if not 0 <= static <= 1:
        raise ArgumentError(f"static={static!r}: give a probability from 0 to 1.")
    drifts = []  # τ, returning, weight within its class (τ = 0 or τ > 0), prior of the class
    if static > 0:
        drifts.append((0.0, False, 1.0, static))
    if static < 1:
        for value, weight in zip(tau, half_normal_weights(tau, PRIOR_TAU), strict=True):
            drifts += [(value, back, weight / 2, 1 - static) for back in (False, True)]
    gains = [(0.0, 1.0, NO_ELO if elo else 1.0)]
    if elo:
        weights = half_normal_weights(ELO, PRIOR_K)
        gains += [(k, weight, 1 - NO_ELO) for k, weight in zip(ELO, weights, strict=True)]
    rows = [
        (s, t, back, k, spread * moved * gained, class_of_drift * class_of_k)
        for s, spread in zip(sigma, half_normal_weights(sigma, PRIOR_SIGMA), strict=True)
        for k, gained, class_of_k in gains
        for t, back, moved, class_of_drift in drifts
    ]
    columns = np.array(rows, float).T
    return Grid(
        sigma=columns[0].copy(),
        tau=columns[1].copy(),
        returning=columns[2] > 0,
        k=columns[3].copy(),
        log_within=np.log(columns[4]),
        log_prior=np.log(columns[4] * columns[5]),
    )

"""Pareto-smoothed importance sampling (Vehtari, Simpson, Gelman, Yao & Gabry 2024).

The largest weights are replaced by quantiles of a generalized Pareto distribution fitted to them.
Estimates are reliable if its shape k̂ is at most 0.7.
"""

from __future__ import annotations

import numpy as np

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
    """Shape and scale of a generalized Pareto distribution (Zhang & Stephens 2009).

    The shape is shrunk toward ½ with the weight of ten observations.
    """
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

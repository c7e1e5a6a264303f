"""Gaussian mixtures with one component per filter: moments and random draws."""

import numpy as np

BISECTIONS = 34  # to a ten-billionth of the range


def log_sum_exp(x: np.ndarray) -> float:
    """Logarithm of Σ e^x."""
    highest = x.max()
    return float(highest + np.log(np.exp(x - highest).sum()))


def mixture_moments(weights, means, variances) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of a mixture, by the law of total variance."""
    mean = weights @ means
    return mean, np.sqrt(np.maximum(weights @ (variances + (means - mean) ** 2), 0.0))


def centered_moments(weights, means, covariances, at) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of some entries of the state, minus their mean."""
    block = covariances[:, at][:, :, at]
    shared = block.mean(axis=2)
    variances = np.diagonal(block, axis1=1, axis2=2) - 2 * shared
    variances = variances + shared.mean(axis=1, keepdims=True)
    means = means[:, at] - means[:, at].mean(axis=1, keepdims=True)
    return mixture_moments(weights, means, variances)


def square_roots(covariances: np.ndarray) -> np.ndarray:
    """L with L L′ = covariance, for each covariance; also if rounding makes one singular."""
    try:
        return np.linalg.cholesky(covariances)
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(covariances)
        return vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]


def mixture_draws(weights, means, covariances, number: int, random) -> np.ndarray:
    """Independent draws, each centered on its mean."""
    _, draws = labeled_draws(weights, means, covariances, number, random)
    return draws - draws.mean(axis=1, keepdims=True)


def labeled_draws(
    weights, means, covariances, number: int, random
) -> tuple[np.ndarray, np.ndarray]:
    """Independent draws: a component by its weight, then from its Gaussian; both are returned."""
    counts = random.multinomial(number, weights / weights.sum())
    used = np.flatnonzero(counts)
    roots = square_roots(covariances[used])
    which = random.permutation(np.repeat(np.arange(used.size), counts[used]))
    normal = random.standard_normal((number, means.shape[1]))
    draws = np.empty(normal.shape)
    for place, component in enumerate(used):
        rows = np.flatnonzero(which == place)
        draws[rows] = means[component] + normal[rows] @ roots[place].T
    return used[which], draws


def mixture_quantiles(weights, means, deviations, shares) -> np.ndarray:
    """Quantiles of mixtures of normals, (…, shares); components on the first axis.

    By bisection of the distribution function, from bounds that hold all components.
    """
    from scipy.special import ndtr

    weights = np.asarray(weights).reshape(-1, *[1] * (means.ndim - 1))
    deviations = np.maximum(deviations, 1e-12)
    out = np.empty((*means.shape[1:], len(shares)))
    for i, share in enumerate(shares):
        low = (means - 9 * deviations).min(axis=0)
        high = (means + 9 * deviations).max(axis=0)
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            below = (weights * ndtr((middle - means) / deviations)).sum(axis=0) < share
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        out[..., i] = (low + high) / 2
    return out

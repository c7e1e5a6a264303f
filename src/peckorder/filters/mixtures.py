"""Gaussian mixtures with one component per filter: moments and random draws."""

import numpy as np

MOST_STEPS = 60
ACCURACY = 1e-9  # of a quantile, in standard deviations of the narrowest component
ROOT_2_PI = float(np.sqrt(2 * np.pi))
FEW_ROWS = 4  # of a product, with fewer at once, threads are faster
ONE_THREAD = 200_000  # multiplications below which OpenBLAS does not start threads


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
    """L with L L′ = covariance, for each covariance; also if rounding makes one singular.

    Entries without variance (individuals that have not entered) get a variance of 1, with which
    there is a Cholesky factor, and a row of zeros in it.
    """
    covariances = np.array(covariances)
    entries = np.arange(covariances.shape[-1])
    fixed = covariances[:, entries, entries] == 0
    covariances[:, entries, entries] += fixed
    try:
        roots = np.linalg.cholesky(covariances)
        roots[:, entries, entries] -= fixed
    except np.linalg.LinAlgError:
        covariances[:, entries, entries] -= fixed
        values, vectors = np.linalg.eigh(covariances)
        roots = vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]
    return roots


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
        draws[rows] = means[component] + in_one_thread(normal[rows], roots[place])
    return used[which], draws


def in_one_thread(rows: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """Rows @ matrix.T, in parts so small that OpenBLAS starts no threads, which wait busily."""
    out = np.empty((len(rows), len(matrix)))
    step = max(1, ONE_THREAD // matrix.size)
    for begin in range(0, len(rows), step):
        part = slice(begin, begin + step)
        np.matmul(rows[part], matrix.T, out=out[part])
    return out


def product_in_one_thread(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Products of square matrices on the last two axes, in parts as in `in_one_thread`.

    Of large matrices, for which threads are worth starting, the whole product.
    """
    size = left.shape[-1]
    step = ONE_THREAD // size**2
    if step < FEW_ROWS:
        return left @ right
    out = np.empty(left.shape)
    for begin in range(0, size, step):
        part = slice(begin, begin + step)
        np.matmul(left[..., part, :], right, out=out[..., part, :])
    return out


def mixture_quantiles(weights, means, deviations, shares) -> np.ndarray:
    """Quantiles of mixtures of normals, (…, shares); components on the first axis.

    A quantile lies between the smallest and the largest of its components. Within these bounds,
    Newton steps on the distribution function, and bisection where a step would leave them.
    """
    from scipy.special import ndtr, ndtri

    weights = np.asarray(weights).reshape(-1, *[1] * (means.ndim - 1))
    deviations = np.maximum(deviations, 1e-12)
    out = np.empty((*means.shape[1:], len(shares)))
    for i, share in enumerate(shares):
        each = means + ndtri(share) * deviations
        low, high = each.min(axis=0), each.max(axis=0)
        at = (weights * each).sum(axis=0)
        for _ in range(MOST_STEPS):
            z = (at - means) / deviations
            ahead = (weights * ndtr(z)).sum(axis=0) - share
            low, high = np.where(ahead < 0, at, low), np.where(ahead < 0, high, at)
            density = (weights * np.exp(-0.5 * z * z) / deviations).sum(axis=0) / ROOT_2_PI
            step = ahead / np.maximum(density, 1e-300)
            there = at - step
            at = np.where((there >= low) & (there <= high), there, (low + high) / 2)
            if np.all(np.abs(step) <= ACCURACY * deviations.min(axis=0)):
                break
        out[..., i] = at
    return out

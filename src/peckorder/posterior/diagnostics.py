"""Did the chains converge, and how much are their draws worth?

Rank-normalized split R̂, bulk and tail effective sample size (Vehtari, Gelman, Simpson, Carpenter
& Bürkner 2021, doi:10.1214/20-BA1221), Monte Carlo standard errors, and E-BFMI (Betancourt 2016).
All functions take draws of many parameters at once: (chains, samples, parameters).
"""

from __future__ import annotations

import numpy as np

from peckorder.ranks import average_ranks

LIMIT_RHAT, LIMIT_ESS, LIMIT_BFMI = 1.01, 400, 0.3


def split(draws: np.ndarray) -> np.ndarray:
    """Halves of the chains as chains of their own."""
    half = draws.shape[1] // 2
    return np.concatenate([draws[:, :half], draws[:, draws.shape[1] - half :]])


def rank_normalized(draws: np.ndarray) -> np.ndarray:
    """Normal scores of the ranks over all chains (Blom)."""
    from scipy.special import ndtri

    chains, samples, size = draws.shape
    flat = draws.reshape(-1, size)
    rank = np.column_stack([average_ranks(-flat[:, i]) for i in range(size)])
    return ndtri((rank - 0.375) / (chains * samples + 0.25)).reshape(draws.shape)


def plain_rhat(draws: np.ndarray) -> np.ndarray:
    samples = draws.shape[1]
    within = draws.var(axis=1, ddof=1).mean(axis=0)
    between = draws.mean(axis=1).var(axis=0, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.sqrt((samples - 1) / samples + between / within)


def rhat(draws: np.ndarray) -> np.ndarray:
    """R̂ of location and of spread, the larger; NaN where a chain is too short or never moved."""
    halves = split(draws)
    if halves.shape[1] < 2:
        return np.full(draws.shape[2], np.nan)
    folded = np.abs(halves - np.median(halves, axis=(0, 1)))
    return np.maximum(plain_rhat(rank_normalized(halves)), plain_rhat(rank_normalized(folded)))


def _autocovariance(draws: np.ndarray) -> np.ndarray:
    samples = draws.shape[1]
    size = 1 << (2 * samples - 1).bit_length()
    power = np.abs(np.fft.rfft(draws - draws.mean(axis=1, keepdims=True), size, axis=1)) ** 2
    return np.fft.irfft(power, size, axis=1)[:, :samples] / samples


def plain_ess(draws: np.ndarray) -> np.ndarray:
    """Effective sample size by Geyer's initial monotone sequence."""
    chains, samples, size = draws.shape
    if samples < 4:
        return np.full(size, np.nan)
    covariance = _autocovariance(draws)
    within = covariance[:, 0].mean(axis=0) * samples / (samples - 1)
    total = within * (samples - 1) / samples
    if chains > 1:
        total = total + draws.mean(axis=1).var(axis=0, ddof=1)
    out = np.full(size, float(chains * samples))
    for i in np.flatnonzero(within > 0):
        rho = 1 - (within[i] - covariance[:, :, i].mean(axis=0)) / total[i]
        out[i] = chains * samples / _autocorrelation_time(rho, chains * samples)
    return out


def _autocorrelation_time(rho: np.ndarray, number: int) -> float:
    rho[0] = 1.0
    pairs = rho[: len(rho) // 2 * 2].reshape(-1, 2).sum(axis=1)
    most = (len(rho) - 3) // 2
    ended = np.flatnonzero(pairs[:most] <= 0)
    end = int(ended[0]) if ended.size else most
    kept = np.minimum.accumulate(pairs[:end])
    # The even lag after the last pair, where it is positive, improves antithetic chains.
    after = rho[2 * end] if rho[2 * end] > 0 or pairs[end] >= 0 else 0.0
    return max(-1.0 + 2.0 * float(kept.sum()) + float(after), 1 / np.log10(number))


def bulk_ess(draws: np.ndarray) -> np.ndarray:
    return plain_ess(rank_normalized(split(draws)))


def tail_ess(draws: np.ndarray) -> np.ndarray:
    """The smaller of those of the 5 and 95 % quantiles."""
    low, high = np.quantile(draws, [0.05, 0.95], axis=(0, 1))
    ends = [plain_ess(split((draws <= cut).astype(float))) for cut in (low, high)]
    return np.minimum(*ends)


def mcse(draws: np.ndarray) -> np.ndarray:
    """Monte Carlo standard error of the mean."""
    return draws.std(axis=(0, 1), ddof=1) / np.sqrt(plain_ess(split(draws)))


def bfmi(energy: np.ndarray) -> np.ndarray:
    """Bayesian fraction of missing information of each chain (chains, samples)."""
    if energy.shape[1] < 3:
        return np.full(len(energy), np.nan)
    return np.square(np.diff(energy, axis=1)).mean(axis=1) / energy.var(axis=1)


def interval(draws: np.ndarray) -> dict[str, float]:
    """Mean, standard deviation, 80 and 95 % intervals of one quantity."""
    flat = np.ravel(draws)
    low95, low80, high80, high95 = np.quantile(flat, [0.025, 0.1, 0.9, 0.975])
    return {
        "mean": float(flat.mean()),
        "sd": float(flat.std(ddof=1)) if flat.size > 1 else 0.0,
        "low80": float(low80),
        "high80": float(high80),
        "low95": float(low95),
        "high95": float(high95),
    }

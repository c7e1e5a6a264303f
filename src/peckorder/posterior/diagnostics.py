"""Convergence diagnostics of Markov chains.

Rank-normalized split R̂, bulk and tail effective sample size (Vehtari, Gelman, Simpson, Carpenter
& Bürkner 2021, doi:10.1214/20-BA1221), Monte Carlo standard errors, and E-BFMI (Betancourt 2016).
All functions take draws of several parameters: (chains, samples, parameters).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from peckorder.kernels.nuts import MAX_DEPTH
from peckorder.ranks import average_ranks
from peckorder.wording import option, option_name

HOPELESS_RHAT = 1.1
FEW_DIVERGED = 0.01
OFTEN_DEEP = 0.01
LIMIT_RHAT, LIMIT_ESS, LIMIT_BFMI = 1.01, 400, 0.3


def split(draws: np.ndarray) -> np.ndarray:
    """Each chain split into two halves, which count as separate chains."""
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
    """R̂ from the variances within and between chains, without ranks or splitting."""
    samples = draws.shape[1]
    within = draws.var(axis=1, ddof=1).mean(axis=0)
    between = draws.mean(axis=1).var(axis=0, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.sqrt((samples - 1) / samples + between / within)


def rhat(draws: np.ndarray) -> np.ndarray:
    """The larger of R̂ and folded R̂; NaN if a chain is too short or constant."""
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
    # Including the even lag after the last pair, if positive, improves antithetic chains.
    after = rho[2 * end] if rho[2 * end] > 0 or pairs[end] >= 0 else 0.0
    return max(-1.0 + 2.0 * float(kept.sum()) + float(after), 1 / np.log10(number))


def bulk_ess(draws: np.ndarray) -> np.ndarray:
    """Effective sample size of rank-normalized split chains."""
    return plain_ess(rank_normalized(split(draws)))


def tail_ess(draws: np.ndarray) -> np.ndarray:
    """The smaller effective sample size of the 5% and 95% quantiles."""
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


def diagnostic_table(draws: dict[str, np.ndarray], individuals: tuple[str, ...]) -> pl.DataFrame:
    """R̂, effective sample sizes and Monte Carlo error of every parameter."""
    names, parts = [], []
    for name, array in draws.items():
        if np.ptp(array) == 0:  # fixed
            continue
        columns = array.reshape(*array.shape[:2], -1)
        if name == "start":
            columns = columns - columns.mean(axis=-1, keepdims=True)
            names += [f"start[{one}]" for one in individuals]
        elif columns.shape[-1] > 1:
            names += [f"{name}[{i}]" for i in range(columns.shape[-1])]
        else:
            names.append(name)
        parts.append(columns)
    every = np.concatenate(parts, axis=-1)
    return pl.DataFrame(
        {
            "parameter": names,
            "mean": every.mean(axis=(0, 1)),
            "sd": every.std(axis=(0, 1), ddof=1),
            "mcse": mcse(every),
            "ess_bulk": bulk_ess(every),
            "ess_tail": tail_ess(every),
            "rhat": rhat(every),
        }
    )


@dataclass(frozen=True)
class Convergence:
    """Worst R̂ and effective sample sizes, and diagnostics of the sampler."""

    rhat_max: float
    ess_min: float
    ess_tail_min: float
    divergences: int
    draws: int
    chains: int
    bfmi_min: float
    deep: float

    @classmethod
    def of(
        cls, found: dict[str, np.ndarray], statistics: np.ndarray, free_k: bool, free_sigma: bool
    ) -> Convergence:
        """Diagnostics over k, σ and starting scores (centered in each draw)."""
        start = found["start"]
        parts = [start - start.mean(axis=-1, keepdims=True)]
        if free_k:
            parts.append(found["k"])
        if free_sigma:
            parts.append(found["sigma"])
        parts += [found[name][..., None] for name in ("nu", "home_advantage") if name in found]
        parts += [found[name] for name in ("k_typical", "k_spread") if name in found]
        every = np.concatenate(parts, axis=-1)
        with np.errstate(invalid="ignore"):
            return cls(
                rhat_max=_worst(rhat(every), np.nanmax),
                ess_min=_worst(bulk_ess(every), np.nanmin),
                ess_tail_min=_worst(tail_ess(every), np.nanmin),
                divergences=int(statistics[..., 5].sum()),
                draws=statistics.shape[0] * statistics.shape[1],
                chains=len(statistics),
                bfmi_min=_worst(bfmi(statistics[..., 1]), np.nanmin),
                deep=float((statistics[..., 4] >= MAX_DEPTH).mean()),
            )

    @property
    def hopeless(self) -> bool:
        """Whether R̂ is too large for the posterior to be returned."""
        return self.draws >= LIMIT_ESS and self.rhat_max > HOPELESS_RHAT

    @property
    def good(self) -> bool:
        """Whether no problem was found."""
        return not self.problems

    @property
    def problems(self) -> list[str]:
        """Problems found, each with a suggestion."""
        out = []
        what = "The chain has" if self.chains == 1 else "The chains have"
        if not self.rhat_max <= LIMIT_RHAT:
            out.append(
                f"{what} not mixed: largest R̂ {self.rhat_max:.3f}, which should be at most "
                f"{LIMIT_RHAT}. Increase {option_name('warmup')} and {option_name('samples')}."
            )
        if not min(self.ess_min, self.ess_tail_min) >= LIMIT_ESS:
            least = min(self.ess_min, self.ess_tail_min)
            out.append(
                f"The smallest effective sample size is {least:.0f} and should be at least "
                f"{LIMIT_ESS}. Increase {option_name('samples')}."
            )
        if self.divergences > FEW_DIVERGED * self.draws:
            out.append(
                f"{self.divergences:,} of {self.draws:,} transitions are divergent, so the draws "
                f"may be biased. Smaller steps ({option('accept', '0.95')}) or narrower priors "
                f"({option_name('prior_sigma')}, {option_name('prior_k')}) may help."
            )
        if self.bfmi_min < LIMIT_BFMI:
            out.append(
                f"E-BFMI is {self.bfmi_min:.2f} and should be above {LIMIT_BFMI}. Increase "
                f"{option_name('samples')} or decrease {option_name('prior_sigma')}."
            )
        return out

    @property
    def summary(self) -> tuple[str, ...]:
        """Convergence in one sentence, or the problems found."""
        if self.problems:
            return ("Convergence problems: this posterior is not reliable.", *self.problems)
        slow = (
            f" {self.deep:.0%} of transitions reached the maximum tree depth, which affects speed "
            f"but not validity."
            if self.deep > OFTEN_DEEP
            else ""
        )
        divergent = "no" if self.divergences == 0 else f"{self.divergences:,}"
        noun = "transition" if self.divergences == 1 else "transitions"
        return (
            f"Converged: largest R̂ {self.rhat_max:.3f}, smallest effective sample size "
            f"{min(self.ess_min, self.ess_tail_min):,.0f} of {self.draws:,} draws, {divergent} "
            f"divergent {noun}.{slow}",
        )

    def values(self) -> dict[str, Any]:
        """The diagnostics by name."""
        return {
            "rhat_max": self.rhat_max,
            "ess_min": self.ess_min,
            "ess_tail_min": self.ess_tail_min,
            "divergences": self.divergences,
            "bfmi_min": self.bfmi_min,
        }


def _worst(values: np.ndarray, of: Any) -> float:
    return float(of(values)) if np.isfinite(values).any() else float("nan")

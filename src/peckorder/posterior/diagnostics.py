"""Did the chains converge, and how much are their draws worth?

Rank-normalized split R̂, bulk and tail effective sample size (Vehtari, Gelman, Simpson, Carpenter
& Bürkner 2021, doi:10.1214/20-BA1221), Monte Carlo standard errors, and E-BFMI (Betancourt 2016).
All functions take draws of many parameters at once: (chains, samples, parameters).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from peckorder.kernels.nuts import MAX_DEPTH
from peckorder.ranks import average_ranks
from peckorder.wording import counted

HOPELESS_RHAT = 1.1
FEW_DIVERGED = 0.01
OFTEN_DEEP = 0.01
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


def diagnostic_table(draws: dict[str, np.ndarray], individuals: tuple[str, ...]) -> pl.DataFrame:
    """R̂, effective sizes and Monte Carlo error of every parameter."""
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
    """R̂, effective sizes and what the sampler met with."""

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
        """Over k, σ and starting scores, the latter relative to their mean in each draw."""
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
        return self.draws >= LIMIT_ESS and self.rhat_max > HOPELESS_RHAT

    @property
    def good(self) -> bool:
        return not self.problems

    @property
    def problems(self) -> list[str]:
        """What is wrong, each with what to try."""
        out = []
        who = "Parts of the chain" if self.chains == 1 else "Chains"
        if not self.rhat_max <= LIMIT_RHAT:
            out.append(
                f"{who} disagree (largest R̂ {self.rhat_max:.3f}, it should be at most "
                f"{LIMIT_RHAT}): take longer warm-up and more draws (warmup=, samples=; "
                f"--warmup, --samples)."
            )
        if not min(self.ess_min, self.ess_tail_min) >= LIMIT_ESS:
            least = min(self.ess_min, self.ess_tail_min)
            out.append(
                f"Draws are worth too few independent ones (least effective sample size "
                f"{least:.0f}, it should be {LIMIT_ESS} or more): take more draws (samples=, "
                f"--samples)."
            )
        if self.divergences > FEW_DIVERGED * self.draws:
            out.append(
                f"{counted(self.divergences, 'transition')} of {self.draws:,} diverged: the "
                f"posterior has corners the sampler cannot reach. Smaller steps (accept=0.95, "
                f"--accept 0.95) or "
                f"narrower priors (prior_sigma=, prior_k=) may help."
            )
        if self.bfmi_min < LIMIT_BFMI:
            out.append(
                f"Energies mix slowly (E-BFMI {self.bfmi_min:.2f}, it should be above "
                f"{LIMIT_BFMI}): take more draws, or a narrower prior_sigma."
            )
        return out

    @property
    def summary(self) -> tuple[str, ...]:
        if self.problems:
            return ("This posterior must not be trusted yet.", *self.problems)
        slow = (
            f" {self.deep:.0%} of the trajectories reached their longest length, which is slow but "
            f"not wrong."
            if self.deep > OFTEN_DEEP
            else ""
        )
        return (
            f"The chains agree (largest R̂ {self.rhat_max:.3f}), their {self.draws:,} draws are "
            f"worth at least {min(self.ess_min, self.ess_tail_min):,.0f} independent ones, and "
            f"{'none' if self.divergences == 0 else f'{self.divergences:,} (too few to matter)'} "
            f"diverged.{slow}",
        )

    def values(self) -> dict[str, Any]:
        return {
            "rhat_max": self.rhat_max,
            "ess_min": self.ess_min,
            "ess_tail_min": self.ess_tail_min,
            "divergences": self.divergences,
            "bfmi_min": self.bfmi_min,
        }


def _worst(values: np.ndarray, of: Any) -> float:
    return float(of(values)) if np.isfinite(values).any() else float("nan")

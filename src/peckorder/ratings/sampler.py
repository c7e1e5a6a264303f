"""Chains of the No-U-Turn sampler for one or several models, in threads that can be stopped.

Convergence diagnostics of Markov chains.

The model of Goffe et al. 2018 in the form used by the sampler: contests, parameters, priors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from peckorder.errors import ArgumentError, ArgumentTypeError, ConvergenceError
from peckorder.kernels.nuts import HOPELESS, MAX_DEPTH, Chain, Record, room_for
from peckorder.kernels.posterior import (
    FIXED,
    FREE,
    POOLED,
    Model,
    from_above_zero,
    sample_posterior,
    workplace,
)
from peckorder.random_runs import Progress, watched
from peckorder.ranks import average_ranks
from peckorder.ratings.likelihood import Observed, joined
from peckorder.text import given, option, option_name
from peckorder.validate import positive, seed_number, whole_number

FIRST_K = -1.0
PRIORS = 1e-4, 1e4  # scales that a prior may have
STATISTICS = ("log_density", "energy", "acceptance", "steps", "depth", "diverging")


@dataclass(frozen=True)
class Sampler:
    """Settings of the sampler: numbers of chains and draws, seed, threads and progress."""

    chains: int
    warmup: int
    samples: int
    seed: int
    threads: int | None
    progress: Progress | None
    accept: float = 0.8

    @classmethod
    def of(
        cls,
        chains: Any,
        warmup: Any,
        samples: Any,
        seed: Any,
        threads: Any,
        progress: Progress | None,
        accept: Any = 0.8,
    ) -> Sampler:
        """Checked settings of the sampler."""
        if not isinstance(accept, int | float) or not 0 < accept < 1:
            raise ArgumentError(
                f"{option_name('accept')}={accept!r}: give a number between 0 and 1, such as 0.9."
            )
        if progress is not None and not callable(progress):
            raise ArgumentTypeError("progress must be a function of (done, total), such as print.")
        if threads is not None:
            threads = whole_number("threads", threads, 1)
        return cls(
            whole_number("chains", chains, 1),
            whole_number("warmup", warmup, 0),
            whole_number("samples", samples, 1),
            seed_number(seed),
            threads,
            progress,
            float(accept),
        )

    def run(
        self, models: Sequence[Model], *, first: int = 0
    ) -> list[tuple[np.ndarray, np.ndarray]]:
        """Positions (chains, samples, size) and statistics of each model.

        Each chain has its own stream of random numbers, so the draws do not depend on threads.
        `first` is the number of the first model among several that are sampled one by one.
        """
        out = [
            (
                np.empty((self.chains, self.samples, dimension(model))),
                np.empty((self.chains, self.samples, len(STATISTICS))),
            )
            for model in models
        ]
        number = len(models) * self.chains
        # A chain counts its draws under the number of its stream.
        done = np.zeros(first * self.chains + number, np.int64)
        stop = np.zeros(1, np.int64)
        key = np.random.SeedSequence([self.seed, 0]).generate_state(1, np.uint64)[0]
        failed = []

        def work(i: int) -> None:
            model, chain = divmod(i, self.chains)
            size = dimension(models[model])
            own = Chain(key, first * self.chains + i, self.warmup, self.accept)
            record = Record(out[model][0][chain], out[model][1][chain], done, stop)
            start = first_position(models[model])
            target, room = workplace(models[model]), room_for(size, self.warmup)
            state, _ = sample_posterior(target, own, start, np.ones(size), record, room)
            if state == HOPELESS:
                failed.append(i)

        total = number * (self.warmup + self.samples)
        watched(
            work,
            number,
            done=done,
            total=total,
            stop=stop,
            threads=self.threads,
            progress=self.progress,
        )
        if failed:
            raise ConvergenceError(
                "Sampling could not start: the log density is not finite at the initial values. "
                "Prior scales may be so large that scores overflow; choose smaller ones."
            )
        return out


def layout(model: Model) -> dict[str, slice]:
    """The position of each parameter in the parameter vector."""
    sizes = {"z": len(model.sigma_of), "sigma": model.sigmas}
    if model.k_kind == FREE:
        sizes["k"] = model.ks
    elif model.k_kind == POOLED:
        sizes |= {"k": 1, "spread": 1, "u": model.ks}
    sizes |= {"log_nu": int(model.with_nu), "home": int(model.with_home)}
    places, at = {}, 0
    for name, size in sizes.items():
        if size:
            places[name] = slice(at, at + size)
            at += size
    return places


def dimension(model: Model) -> int:
    """Number of parameters of the model."""
    return max(place.stop for place in layout(model).values())


def first_position(model: Model) -> np.ndarray:
    """Position where the chains start, before the sampler draws around it: within the priors."""
    x, places = np.zeros(dimension(model)), layout(model)
    if "k" in places:
        x[places["k"]] = min(FIRST_K, from_above_zero(model.prior_k))
    if "sigma" in places:
        x[places["sigma"]] = min(0.0, from_above_zero(model.prior_sigma))
    return x


def prior_scale(name: str, value: Any) -> float:
    """A scale of a prior; one that would fix a parameter, or say nothing about it, is refused."""
    low, high = PRIORS
    if not low <= positive(name, value) <= high:
        fixed = {"prior_k": "k", "prior_sigma": "sigma", "prior_home": "home_advantage"}
        fix = f" To fix the parameter, give {option_name(fixed[name])}." if name in fixed else ""
        raise ArgumentError(
            f"{given(name, value)}: give a scale from {low:g} to {high:,.0f}; a difference of 1 on "
            f"this scale multiplies the odds of winning by e.{fix}"
        )
    return float(value)


def above_zero(x: np.ndarray) -> np.ndarray:
    """log(1 + e^x), the transformation of positive parameters."""
    return np.logaddexp(0.0, x)


def parameters(model: Model, x: np.ndarray) -> dict[str, np.ndarray]:
    """Start, σ, k of each class, spread, ν and home advantage of parameter vectors (…, size)."""
    places = layout(model)
    sigma = np.full((*x.shape[:-1], 1), model.sigma)
    if "sigma" in places:
        sigma = above_zero(x[..., places["sigma"]])
    out = {"start": x[..., places["z"]] * sigma[..., model.sigma_of], "sigma": sigma}
    if model.k_kind == FREE:
        out["k"] = above_zero(x[..., places["k"]])
    elif model.k_kind == POOLED:
        out["k_typical"] = above_zero(x[..., places["k"]])
        out["k_spread"] = above_zero(x[..., places["spread"]])
        out["k"] = out["k_typical"] * np.exp(out["k_spread"] * x[..., places["u"]])
    else:
        out["k"] = np.full((*x.shape[:-1], 1), model.k)
    if "log_nu" in places:
        out["nu"] = np.exp(x[..., places["log_nu"]])[..., 0]
    if "home" in places:
        out["home_advantage"] = x[..., places["home"]][..., 0]
    return out


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
    ).with_columns(pl.exclude("parameter").fill_nan(None))


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
        if np.isnan(self.rhat_max):
            out.append(
                f"R̂ is not available: the chains are too short. Increase {option_name('samples')}."
            )
        elif self.rhat_max > LIMIT_RHAT:
            out.append(
                f"{what} not mixed: largest R̂ {self.rhat_max:.3f}, which should be at most "
                f"{LIMIT_RHAT}. Increase {option_name('warmup')} and {option_name('samples')}."
            )
        if np.isnan(self.ess_min) or np.isnan(self.ess_tail_min):
            out.append(
                f"The effective sample size is not available. Increase {option_name('samples')}."
            )
        elif min(self.ess_min, self.ess_tail_min) < LIMIT_ESS:
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
        found = {
            "rhat_max": self.rhat_max,
            "ess_min": self.ess_min,
            "ess_tail_min": self.ess_tail_min,
            "divergences": self.divergences,
            "bfmi_min": self.bfmi_min,
        }
        return {name: None if np.isnan(value) else value for name, value in found.items()}


def _worst(values: np.ndarray, of: Any) -> float:
    return float(of(values)) if np.isfinite(values).any() else float("nan")


def model_of(
    parts: list[Observed],
    *,
    own_k: bool = False,
    own_sigma: bool = False,
    k: float | None = None,
    sigma: float | None = None,
    home_advantage: Any = None,
    slope: float = 1.0,
    priors: dict[str, float],
) -> Model:
    """The model of one or several groups in the form used by the kernels."""
    sizes = [len(part.data.individuals) for part in parts]
    classes = parts[0].classes
    contests = parts[0].contests if len(parts) == 1 else joined(parts, own_k)
    population = np.arange(len(parts)) if own_sigma else np.zeros(len(parts))
    if k is not None:
        kind, ks = FIXED, 0
    elif classes:
        kind, ks = POOLED, len(classes)
    else:
        kind, ks = FREE, len(parts) if own_k else 1
    estimated = home_advantage == "estimate"
    return Model(
        contests=contests,
        sigma_of=np.repeat(population, sizes).astype(np.int32),
        sigmas=0 if sigma is not None else (len(parts) if own_sigma else 1),
        sigma=float(sigma or 0.0),
        k_kind=kind,
        ks=ks,
        k=(k or 0.0) * slope,
        burn_k=0.0,
        with_nu=contests.draw.size > 0,
        with_home=estimated,
        home_advantage=0.0 if estimated or home_advantage is None else home_advantage * slope,
        prior_sigma=float(priors["prior_sigma"]),
        prior_k=float(priors["prior_k"]),
        prior_spread=1.0,
        prior_nu=float(priors["prior_nu"]),
        prior_home=float(priors["prior_home"]),
    )

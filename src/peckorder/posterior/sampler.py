"""Chains of the No-U-Turn sampler for one or several models, in threads that can be stopped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from peckorder.checked import seed_number, whole_number
from peckorder.errors import ArgumentError, ArgumentTypeError, ConvergenceError
from peckorder.kernels.nuts import HOPELESS, Chain, Record
from peckorder.kernels.posterior import FIXED, FREE, POOLED, Model, sample_posterior
from peckorder.runs import Progress, watched
from peckorder.wording import option_name

FIRST_K = -1.0
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
            state, _ = sample_posterior(models[model], own, start, np.ones(size), record)
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
    """Position where the chains start, before the sampler draws around it."""
    x = np.zeros(dimension(model))
    if model.k_kind != FIXED:
        x[layout(model)["k"]] = FIRST_K
    return x


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

"""Diagnostics of a sampled posterior, in numbers and in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from peckorder.kernels.nuts import MAX_DEPTH
from peckorder.posterior import diagnostics
from peckorder.posterior.diagnostics import LIMIT_BFMI, LIMIT_ESS, LIMIT_RHAT
from peckorder.wording import counted

HOPELESS_RHAT = 1.1
FEW_DIVERGED = 0.01
OFTEN_DEEP = 0.01


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
                rhat_max=_worst(diagnostics.rhat(every), np.nanmax),
                ess_min=_worst(diagnostics.bulk_ess(every), np.nanmin),
                ess_tail_min=_worst(diagnostics.tail_ess(every), np.nanmin),
                divergences=int(statistics[..., 5].sum()),
                draws=statistics.shape[0] * statistics.shape[1],
                chains=len(statistics),
                bfmi_min=_worst(diagnostics.bfmi(statistics[..., 1]), np.nanmin),
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
    def words(self) -> tuple[str, ...]:
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

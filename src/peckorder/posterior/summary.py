"""What a posterior says, in numbers and in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from peckorder.curves import Curve
from peckorder.estimate import Estimate
from peckorder.likelihood.contests import Observed
from peckorder.posterior.course import PosteriorReplay
from peckorder.posterior.diagnostics import Convergence
from peckorder.wording import counted

GRID = 64
WORK = 3e7  # contests × draws × values of k that the evidence may cost
CLOSE = 3.0  # a ratio below it is worth no more than a bare mention (Kass & Raftery 1995)


@dataclass(frozen=True)
class Told:
    values: dict[str, Any]
    summary: tuple[str, ...]


def summarize(
    seen: Observed,
    found: dict[str, np.ndarray],
    convergence: Convergence,
    settings: dict[str, Any],
    curve: Curve,
    replay: PosteriorReplay,
    evidence: dict[str, float] | None,
) -> Told:
    """Intervals of k, σ and the rest, the evidence for k = 0, and all of it in words."""
    scale = 1 / curve.slope
    values: dict[str, Any] = {}
    words = list(convergence.summary)
    if settings["k"] is None:
        values["k"] = Estimate.of(found["k"] * scale)
    elif settings["k"] == "context":
        values["k"] = {
            name: Estimate.of(found["k"][..., c] * scale) for c, name in enumerate(seen.classes)
        }
        values["k_typical"] = Estimate.of(found["k_typical"] * scale)
        values["k_spread"] = Estimate.of(found["k_spread"])
    else:
        values["k"] = float(settings["k"])
    if settings["sigma"] is None:
        values["sigma"] = Estimate.of(found["sigma"] * scale)
        words.append(_sigma_in_words(found["sigma"], scale))
    else:
        values["sigma"] = float(settings["sigma"]) * scale
    for name in ("nu", "home_advantage"):
        if name in found:
            values[name] = Estimate.of(found[name] * (1.0 if name == "nu" else scale))
    if seen.data.ordered or settings["k"] == 0:
        words += _k_in_words(values, settings, scale)
    words += _rest_in_words(values)
    expected = replay.history()[0]
    decided = slice(None) if seen.data.draw is None else ~seen.data.draw
    told = expected[decided]
    correct = int((told > 0.5).sum())
    values |= {
        "correct": correct,
        "share": correct / max(1, len(told)),
        "brier": float(((1 - told) ** 2).mean()) if len(told) else None,
    }
    values |= convergence.values()
    values["static_evidence"] = None
    if settings["k"] is None and seen.data.ordered:
        values["static_evidence"] = evidence or static_evidence(
            replay, found["k"], settings["prior_k"]
        )
        words.append(_evidence_in_words(values["static_evidence"]))
    if values["brier"] is not None:
        words.append(
            f"By the scores before each contest, {values['share']:.1%} of "
            f"{counted(len(told), 'decided contest')} went to the side with the higher chance "
            f"(Brier {values['brier']:.4f})."
        )
    words += _scores_in_words(settings, seen)
    return Told(values, tuple(words))


def static_evidence(replay: PosteriorReplay, k: np.ndarray, prior_k: float) -> dict[str, float]:
    """Savage–Dickey ratio: how many times likelier the contests have made k = 0.

    The posterior density at 0 is the mean over draws of the density of k given the other
    parameters of the draw, each normalized over a grid; above 1 the ratio speaks for a static
    hierarchy.
    """
    thin = replay.thinned(int(np.clip(WORK / GRID / replay.contests.first.size, 100, 1000)))
    top = 1.5 * float(np.max(k)) + 1e-6
    # Dense near 0 and wide enough for the tail.
    grid = top * np.linspace(0.0, 1.0, GRID) ** 2
    density = thin.totals(grid) - 0.5 * (grid / prior_k) ** 2
    density = np.exp(density - density.max(axis=1, keepdims=True))
    area = np.trapezoid(density, grid, axis=1)
    at_zero = density[:, 0] / area
    before = np.sqrt(2 / np.pi) / prior_k
    error = at_zero.std(ddof=1) / np.sqrt(len(at_zero))
    return {"ratio": float(at_zero.mean() / before), "mc_error": float(error / before)}


def _evidence_in_words(evidence: dict[str, float]) -> str:
    ratio, error = evidence["ratio"], evidence["mc_error"]
    shown = f"{ratio:.2g}" if ratio >= 1e-4 else "below 0.0001"
    if ratio >= CLOSE:
        verdict = "they speak for a static hierarchy"
    elif ratio <= 1 / CLOSE:
        verdict = "they speak against it: wins and losses move individuals"
    else:
        verdict = "they hardly decide"
    return (
        f"A static hierarchy (k = 0) is {shown} times as likely after these contests as before "
        f"(Savage–Dickey ratio, Monte Carlo error {error:.1g}): {verdict}."
    )


def _sigma_in_words(sigma: np.ndarray, scale: float) -> str:
    told = Estimate.of(sigma)
    chance = [1 / (1 + np.exp(-2 * getattr(told, end))) for end in ("mean", "low95", "high95")]
    return (
        f"σ = {told.mean * scale:.3g} (95% {told.low95 * scale:.3g} to "
        f"{told.high95 * scale:.3g}): an individual two σ above the average beats an average "
        f"one with a chance of {chance[0]:.2f} ({chance[1]:.2f} to {chance[2]:.2f}); one two σ "
        f"below, of {1 - chance[0]:.2f}."
    )


def _k_in_words(values: dict[str, Any], settings: dict[str, Any], scale: float) -> list[str]:
    if settings["k"] is None:
        told = {"": values["k"]}
    elif settings["k"] == "context":
        told = {f" of {name}": one for name, one in values["k"].items()}
        told[" of a typical context"] = values["k_typical"]
    else:
        return [f"k was fixed at {settings['k']:g}."]
    prior = settings["prior_k"] * scale
    typical = prior * np.sqrt(2 / np.pi)
    out = [
        f"k{of} = {one.mean:.3g} (95% {one.low95:.3g} to {one.high95:.3g})"
        + (
            "."
            if of.startswith(" of ") and "typical" not in of
            else f"; its prior has mean {typical:.3g} and 95% of it below {1.96 * prior:.3g}."
        )
        for of, one in told.items()
    ]
    if settings["k"] == "context":
        spread = values["k_spread"]
        out.append(
            f"Contexts differ by a factor of {np.exp(spread.mean):.2g} in k, typically "
            f"(k_spread is the standard deviation of log k)."
        )
    return [*out, "k is above 0 by construction, so its mean is above 0 even where nobody moves."]


def _rest_in_words(values: dict[str, Any]) -> list[str]:
    words = []
    if "home_advantage" in values:
        home = values["home_advantage"]
        words.append(
            f"Being at home is worth {home.mean:.3g} (95% {home.low95:.3g} to {home.high95:.3g})."
        )
    if "nu" in values:
        nu = values["nu"]
        even = [one / (2 + one) for one in (nu.mean, nu.low95, nu.high95)]
        words.append(
            f"Equals draw with a chance of {even[0]:.2f} ({even[1]:.2f} to {even[2]:.2f}; ν = "
            f"{nu.mean:.3g})."
        )
    return words


def _scores_in_words(settings: dict[str, Any], seen: Observed) -> list[str]:
    words = []
    if settings["centering"] == "present":
        words.append(
            "Scores were centered on those present before each contest (centering = present), "
            "which changes differences to those who return."
        )
    if seen.left_out:
        words.append(f"{counted(seen.left_out, 'draw was', 'draws were')} left out.")
    return words

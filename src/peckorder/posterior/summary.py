"""Summary of a posterior: estimates with intervals, and sentences that interpret them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from peckorder.curves import Curve
from peckorder.estimate import Estimate
from peckorder.filters.dynamic import change_evidence, verdict_on_change
from peckorder.likelihood.contests import Observed
from peckorder.posterior.course import PosteriorReplay
from peckorder.posterior.diagnostics import Convergence
from peckorder.wording import counted, option

GRID = 64
WORK = 3e7  # limit of contests × draws × values of k in the computation of the Bayes factor
CLOSE = 3.0  # a smaller Bayes factor is not worth more than a bare mention (Kass & Raftery 1995)


@dataclass(frozen=True)
class Summary:
    """Values by name, and sentences that interpret them."""

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
) -> Summary:
    """Estimates of k, σ and other parameters, the Bayes factor for k = 0, and sentences."""
    scale = 1 / curve.slope
    values: dict[str, Any] = {}
    sentences = list(convergence.summary)
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
        sentences.append(_sigma_sentence(found["sigma"], scale))
    else:
        values["sigma"] = float(settings["sigma"]) * scale
    for name in ("nu", "home_advantage"):
        if name in found:
            values[name] = Estimate.of(found[name] * (1.0 if name == "nu" else scale))
    if seen.data.ordered or settings["k"] == 0:
        sentences += _k_sentences(values, settings, scale)
    sentences += _other_sentences(values)
    expected = replay.expected
    decided = slice(None) if seen.data.draw is None else ~seen.data.draw
    predicted = expected[decided]
    correct = int((predicted > 0.5).sum())
    values |= {
        "correct": correct,
        "share": correct / max(1, len(predicted)),
        "brier": float(((1 - predicted) ** 2).mean()) if len(predicted) else None,
    }
    values |= convergence.values()
    values["static_evidence"] = None
    if settings["k"] is None and seen.data.ordered:
        values["static_evidence"] = evidence or static_evidence(
            replay, found["k"], settings["prior_k"]
        )
        sentences.append(_evidence_sentence(values["static_evidence"]))
    values["log_bf_drift"] = change_evidence(seen.data) if settings["k"] != 0 else None
    sentences += _assumption_sentences(values["log_bf_drift"], settings)
    if values["brier"] is not None:
        sentences.append(
            f"The side with the higher predicted probability won {values['share']:.1%} of "
            f"{counted(len(predicted), 'decided contest')} (Brier score {values['brier']:.4f})."
        )
    sentences += _data_sentences(settings, seen)
    return Summary(values, tuple(sentences))


def static_evidence(replay: PosteriorReplay, k: np.ndarray, prior_k: float) -> dict[str, float]:
    """Bayes factor for k = 0, by the Savage–Dickey density ratio.

    The posterior density at 0 is the mean over draws of the density of k given the other
    parameters of the draw, each normalized on a grid. A ratio above 1 is evidence for a static
    hierarchy.
    """
    thin = replay.thinned(int(np.clip(WORK / GRID / replay.contests.first.size, 100, 1000)))
    top = 1.5 * float(np.max(k)) + 1e-6
    # Dense near 0, and wide enough to include the tail.
    grid = top * np.linspace(0.0, 1.0, GRID) ** 2
    density = thin.totals(grid) - 0.5 * (grid / prior_k) ** 2
    density = np.exp(density - density.max(axis=1, keepdims=True))
    area = np.trapezoid(density, grid, axis=1)
    at_zero = density[:, 0] / area
    before = np.sqrt(2 / np.pi) / prior_k
    error = at_zero.std(ddof=1) / np.sqrt(len(at_zero))
    return {"ratio": float(at_zero.mean() / before), "mc_error": float(error / before)}


def _evidence_sentence(evidence: dict[str, float]) -> str:
    ratio, error = evidence["ratio"], evidence["mc_error"]
    shown = f"{ratio:.2g}" if ratio >= 1e-4 else "< 0.0001"
    if ratio >= CLOSE:
        verdict = "evidence that ratings did not change over time"
    elif ratio <= 1 / CLOSE:
        verdict = "evidence that ratings changed over time"
    else:
        verdict = "inconclusive"
    return (
        f"Bayes factor for a static hierarchy (k = 0): {shown} (Savage–Dickey, MC error "
        f"{error:.1g}), {verdict}."
    )


def _assumption_sentences(factor: float | None, settings: dict[str, Any]) -> list[str]:
    """What the intervals assume, and the evidence for change without this assumption."""
    if settings["k"] == 0:
        return ["Intervals assume that ratings did not change."]
    out = [
        "Intervals assume that ratings follow Elo's recursion exactly; those of dynamic ratings do "
        "not."
    ]
    if factor is not None:
        out.append(
            f"Log Bayes factor of dynamic ratings for change: {factor:+.2f}, "
            f"{verdict_on_change(factor)}."
        )
    return out


def _sigma_sentence(sigma: np.ndarray, scale: float) -> str:
    found = Estimate.of(sigma)
    p = [1 / (1 + np.exp(-2 * getattr(found, end))) for end in ("mean", "low95", "high95")]
    return (
        f"σ = {found.mean * scale:.3g} (95% CrI {found.low95 * scale:.3g}–"
        f"{found.high95 * scale:.3g}): an individual 2σ above the mean beats an average "
        f"individual with probability {p[0]:.2f} (95% CrI {p[1]:.2f}–{p[2]:.2f})."
    )


def _k_sentences(values: dict[str, Any], settings: dict[str, Any], scale: float) -> list[str]:
    if settings["k"] is None:
        named = {"": values["k"]}
    elif settings["k"] == "context":
        named = {f" of {name}": one for name, one in values["k"].items()}
        named[" of a typical context"] = values["k_typical"]
    else:
        return [f"k was fixed at {settings['k']:g}."]
    prior = settings["prior_k"] * scale
    prior_mean = prior * np.sqrt(2 / np.pi)
    out = [
        f"k{of} = {one.mean:.3g} (95% CrI {one.low95:.3g}–{one.high95:.3g})"
        + (
            "."
            if of.startswith(" of ") and "typical" not in of
            else f"; the prior has mean {prior_mean:.3g} and 95% quantile {1.96 * prior:.3g}."
        )
        for of, one in named.items()
    ]
    if settings["k"] == "context":
        spread = values["k_spread"]
        out.append(
            f"k differs among contexts by a typical factor of {np.exp(spread.mean):.2g} "
            f"(k_spread is the standard deviation of log k)."
        )
    return [*out, "k is positive, so its posterior mean is above 0 even for a static hierarchy."]


def _other_sentences(values: dict[str, Any]) -> list[str]:
    sentences = []
    if "home_advantage" in values:
        home = values["home_advantage"]
        dash = " to " if home.low95 < 0 else "–"
        sentences.append(
            f"Home advantage {home.mean:.3g} (95% CrI {home.low95:.3g}{dash}{home.high95:.3g})."
        )
    if "nu" in values:
        nu = values["nu"]
        even = [one / (2 + one) for one in (nu.mean, nu.low95, nu.high95)]
        sentences.append(
            f"Probability of a tie between equals {even[0]:.2f} (95% CrI {even[1]:.2f}–"
            f"{even[2]:.2f}; ν = {nu.mean:.3g})."
        )
    return sentences


def _data_sentences(settings: dict[str, Any], seen: Observed) -> list[str]:
    sentences = []
    if settings["centering"] == "present":
        sentences.append(
            "Before each contest, scores were centered on the individuals present "
            f"({option('centering', 'present')}). This changes the scores of returning individuals "
            "relative to the others."
        )
    if seen.left_out:
        sentences.append(f"{counted(seen.left_out, 'tie was', 'ties were')} excluded.")
    return sentences

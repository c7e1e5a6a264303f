"""What adaptive ratings learned: coefficients with their intervals, and values of the result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from peckorder.estimate import PARTS, Estimate
from peckorder.filters.adaptive_bank import DRIFTS, NU, SPREADS, AdaptiveBank
from peckorder.filters.adaptive_record import COEFFICIENTS
from peckorder.filters.mixtures import mixture_moments, mixture_quantiles


def learned(bank: AdaptiveBank, units: Mapping[str, float]) -> dict[str, tuple[Estimate, float]]:
    """Coefficients by name with intervals, and the probability that each is above 0.

    Those of covariates are per unit of their column; the entry level only where somebody entered.
    """
    from scipy.special import ndtr

    size, weights = bank.offset, bank.weights[-1]
    means = bank.filtered.means[:, :size]
    variances = np.diagonal(bank.filtered.covariances, axis1=1, axis2=2)[:, :size]
    deviations = np.sqrt(variances)
    mean, deviation = mixture_moments(weights, means, variances)
    shares = (0.1, 0.9, 0.025, 0.975)
    cuts = mixture_quantiles(weights, means, deviations, shares)
    positive = weights @ ndtr(means / deviations)
    per = {**dict.fromkeys(COEFFICIENTS, 1.0), **units}
    out = {}
    for i, (name, unit) in enumerate(per.items()):
        numbers = np.array([mean[i], deviation[i], *cuts[i]]) / unit
        parts: dict[str, float] = {"mean": numbers[0]}
        parts |= dict(zip(PARTS, numbers[1:].tolist(), strict=True))
        out[name] = Estimate.from_dict(parts), float(positive[i])
    if not bank.record.newcomer.size:
        del out["entry"]
    return out


def values_of(bank: AdaptiveBank, units: Mapping[str, float]) -> dict[str, Any]:
    """Coefficients, means over the filters, and how well contests were predicted."""
    weights = bank.weights[-1]
    shape = (len(bank.nus), len(SPREADS), len(DRIFTS))
    each = weights.reshape(shape).sum(axis=0)
    values: dict[str, Any] = {
        name: estimate for name, (estimate, _) in learned(bank, units).items()
    }
    values |= {
        "spread": float(each.sum(axis=1) @ SPREADS),
        "drift": float(each.sum(axis=0) @ DRIFTS),
        "elo_weight": float(1 - bank.bank_share),
        "log_loss": float(-np.log(bank.probability).sum()),
        "elo_log_loss": float(-np.log(bank.elo_probability).sum()),
    }
    if bank.record.tied.any():
        values["nu"] = float(weights @ bank.table[:, NU])
    return values

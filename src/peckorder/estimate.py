"""`Estimate`: a posterior mean with its standard deviation and credible intervals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

PARTS = ("sd", "low80", "high80", "low95", "high95")


class Estimate(float):
    """A posterior mean with its uncertainty, usable as a float.

    Attributes
    ----------
    sd : standard deviation
    low80, high80, low95, high95 : limits of the central 80% and 95% credible intervals
    interval : (low95, high95)

    Examples
    --------
    >>> k = Estimate.of(np.arange(1001) / 1000)
    >>> round(k + 1, 3), k.interval
    (1.5, (0.025, 0.975))
    """

    sd: float
    low80: float
    high80: float
    low95: float
    high95: float

    @classmethod
    def of(cls, draws: np.ndarray) -> Estimate:
        """The estimate from posterior draws, an array of any shape."""
        flat = np.ravel(draws)
        ends = np.quantile(flat, [0.1, 0.9, 0.025, 0.975])
        sd = flat.std(ddof=1) if flat.size > 1 else 0.0
        return cls.from_dict({"mean": flat.mean(), **dict(zip(PARTS, (sd, *ends), strict=True))})

    @classmethod
    def from_dict(cls, parts: Mapping[str, Any]) -> Estimate:
        """The estimate from the output of `to_dict`."""
        new = cls(parts["mean"])
        for name in PARTS:
            setattr(new, name, float("nan") if parts[name] is None else float(parts[name]))
        return new

    @property
    def mean(self) -> float:
        """The posterior mean as a plain float."""
        return float(self)

    @property
    def interval(self) -> tuple[float, float]:
        """Limits of the central 95% credible interval."""
        return self.low95, self.high95

    def to_dict(self) -> dict[str, float]:
        """Mean, standard deviation and interval limits by name."""
        return {"mean": float(self), **{name: getattr(self, name) for name in PARTS}}

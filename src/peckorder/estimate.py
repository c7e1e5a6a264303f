"""`Estimate`: a number with the limits of its interval."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

PARTS = ("sd", "low", "high")


class Estimate(float):
    """A number with its uncertainty, usable as a float.

    Attributes
    ----------
    value : the number alone; the mean, if it comes from posterior samples
    sd, low, high : posterior standard deviation and limits of its interval; NaN if unknown
    level : probability that the interval contains
    interval : (low, high), or None

    Examples
    --------
    >>> k = Estimate.of(np.arange(1001) / 1000)
    >>> round(k + 1, 3), k.interval
    (1.5, (0.025, 0.975))
    """

    sd: float
    low: float
    high: float
    level: float

    def __new__(
        cls,
        value: float,
        low: float | None = None,
        high: float | None = None,
        sd: float | None = None,
        level: float = 0.95,
    ) -> Estimate:
        """A number, the limits of its interval and its standard deviation."""
        new = super().__new__(cls, value)
        new.level = level
        new.low, new.high, new.sd = (math.nan if x is None else x for x in (low, high, sd))
        return new

    @classmethod
    def of(cls, samples: np.ndarray, level: float = 0.95) -> Estimate:
        """The estimate from posterior samples, an array of any shape."""
        flat = np.ravel(samples)
        low, high = np.quantile(flat, list(limits(level).values()))
        sd = float(flat.std(ddof=1)) if flat.size > 1 else 0.0
        return cls(float(flat.mean()), float(low), float(high), sd, level)

    @classmethod
    def from_dict(cls, parts: Mapping[str, Any], level: float = 0.95) -> Estimate:
        """The estimate from the output of `to_dict`."""
        return cls(parts["value"], parts["low"], parts["high"], parts.get("sd"), level)

    @property
    def value(self) -> float:
        """The number as a plain float."""
        return float(self)

    @property
    def interval(self) -> tuple[float, float] | None:
        """Limits of the interval, if there is one."""
        return None if math.isnan(self.low) else (self.low, self.high)

    def to_dict(self) -> dict[str, float]:
        """Value, standard deviation (if known) and limits by name."""
        parts = {"value": float(self), **{name: getattr(self, name) for name in PARTS}}
        return parts if not math.isnan(self.sd) else {k: v for k, v in parts.items() if k != "sd"}


def limits(*levels: float) -> dict[str, float]:
    """The quantiles that limit central intervals, by name: low and high, and low80 of a second.

    >>> limits(0.95, 0.8)
    {'low': 0.025, 'high': 0.975, 'low80': 0.1, 'high80': 0.9}
    """
    out: dict[str, float] = {}
    for place, level in enumerate(levels):
        tail = round((1 - level) / 2, 12)
        name = f"{100 * level:g}" if place else ""
        out |= {f"low{name}": tail, f"high{name}": round(1 - tail, 12)}
    return out

"""Winning-probability curves: from a rating difference to a probability of winning, and back.

Four curves are in use under the name of Elo; values of k are comparable only on the same curve:

- `Logistic`: 1/(1 + base^(−Δ/scale)), base 10 and scale 400 in chess and most sports;
- `Exponential`: 1/(1 + e^(−δΔ)), δ = 0.01 in much of the dominance literature;
- `Normal`: Φ(Δ/sd), sd = 200√2 in Elo's original model;
- `Table`: the printed table in the appendix of Albers & de Vries (2001),
  doi:10.1006/anbe.2000.1571, in steps of 0.01.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields

import numpy as np
from numpy.typing import ArrayLike

from peckorder.errors import ArgumentError, ArgumentTypeError
from peckorder.text import listed, option_name
from peckorder.text import missing as _missing
from peckorder.validate import is_number, one_of

__all__ = ["Exponential", "Logistic", "Normal", "Table", "k_from_effect"]

# |difference| up to which the tabulated probability is 0.50, 0.51, ..., 0.99; then 1.
# fmt: off
THRESHOLDS = np.array([
    3, 10, 17, 25, 32, 39, 46, 53, 61, 68, 76, 83, 91, 98, 106, 113, 121, 129, 137, 145, 153, 162,
    170, 179, 188, 197, 206, 215, 225, 235, 245, 256, 267, 278, 290, 302, 315, 328, 344, 357, 374,
    391, 411, 432, 456, 484, 517, 559, 619, 735,
], dtype=np.float64)
# fmt: on
# The same table by integer difference: 50 for 0 to 3 points, …, 100 from 736.
PERCENTS = 50.0 + np.searchsorted(THRESHOLDS, np.arange(THRESHOLDS[-1] + 2))

TABLE_LIMIT = 0.005
LIMIT = 1e-15


def _positive(name: str, value: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        raise ArgumentTypeError(f"{option_name(name)} must be a number, not {value!r}.")
    if not is_number(value) or value <= 0:
        raise ArgumentError(f"{option_name(name)} must be a finite number above 0, not {value}.")


def _chance(value: float) -> float:
    if not is_number(value) or not 0 < value < 1:
        raise ArgumentError(f"The probability must be above 0 and below 1, not {value!r}.")
    return float(value)


@dataclass(frozen=True)
class Logistic:
    """1/(1 + base^(−Δ/scale)).

    >>> round(Logistic()(400), 4), round(Logistic().difference(0.74), 1)
    (0.9091, 181.7)
    """

    scale: float = 400.0
    base: float = 10.0

    def __post_init__(self):
        _positive("scale", self.scale)
        _positive("base", self.base)
        if self.base <= 1:
            raise ArgumentError(f"base must be above 1, not {self.base}.")

    @property
    def slope(self) -> float:
        """Slope of the log odds in the rating difference."""
        return math.log(self.base) / self.scale

    def __call__(self, difference: ArrayLike):
        """Probability of a win at a rating difference."""
        return _logistic(self.slope, difference)

    def difference(self, chance: float) -> float:
        """Rating difference at which the higher-rated side wins with this probability."""
        chance = _chance(chance)
        return math.log(chance / (1 - chance)) / self.slope


@dataclass(frozen=True)
class Exponential:
    """1/(1 + e^(−δΔ)).

    >>> round(Exponential()(100), 4), round(Exponential().difference(0.74), 1)
    (0.7311, 104.6)
    """

    delta: float = 0.01

    def __post_init__(self):
        _positive("delta", self.delta)

    @property
    def slope(self) -> float:
        """Slope of the log odds in the rating difference."""
        return float(self.delta)

    def __call__(self, difference: ArrayLike):
        """Probability of a win at a rating difference."""
        return _logistic(self.delta, difference)

    def difference(self, chance: float) -> float:
        """Rating difference at which the higher-rated side wins with this probability."""
        chance = _chance(chance)
        return math.log(chance / (1 - chance)) / self.delta


@dataclass(frozen=True)
class Normal:
    """Φ(Δ/sd), the standard normal distribution function.

    >>> round(Normal()(200), 4), round(Normal(sd=2000 / 7).difference(0.74), 1)
    (0.7602, 183.8)
    """

    sd: float = 200 * math.sqrt(2)

    def __post_init__(self):
        _positive("sd", self.sd)

    @property
    def slope(self) -> float:
        """Factor of the rating difference in the error function."""
        return 1 / (self.sd * math.sqrt(2))

    def __call__(self, difference: ArrayLike):
        """Probability of a win at a rating difference."""
        from scipy.special import erfc

        chance = 0.5 * erfc(-self.slope * np.asarray(difference, dtype=float))
        return chance if chance.ndim else float(chance)

    def difference(self, chance: float) -> float:
        """Rating difference at which the higher-rated side wins with this probability."""
        from scipy.special import ndtri

        return float(self.sd * ndtri(_chance(chance)))


@dataclass(frozen=True)
class Table:
    """The table in Albers & de Vries (2001), in steps of 0.01.

    The absolute difference is rounded half up before it is looked up. The lower-rated side has
    the complementary probability; from a difference of 736 points the higher-rated side wins with
    probability 1. The inverse is the midpoint of the interval of differences with the given
    probability, 0 for 0.50.

    >>> Table()(200), Table()(-200), Table()(736)
    (0.76, 0.24, 1.0)
    >>> Table().difference(0.74)
    184.0
    """

    @property
    def slope(self) -> float:
        """Zero: kernels look probabilities up in the table instead."""
        return 0.0

    def __call__(self, difference: ArrayLike):
        """Probability of a win at a rating difference."""
        difference = np.asarray(difference, dtype=float)
        distance = np.minimum(np.abs(difference) + 0.5, len(PERCENTS) - 1).astype(np.int64)
        percent = PERCENTS[distance]
        chance = np.where(difference >= 0, percent, 100.0 - percent) / 100.0
        return chance if chance.ndim else float(chance)

    def difference(self, chance: float) -> float:
        """Midpoint of the interval of differences with this probability (rounded to 0.01)."""
        percent = math.floor(_chance(chance) * 100 + 0.5)
        if percent in (0, 100):
            raise ArgumentError(
                f"The table gives 1.00 for every difference above {THRESHOLDS[-1]:.0f}, so that "
                f"{chance} has no midpoint. Use a probability from 0.01 to 0.99."
            )
        if percent == 50:
            return 0.0
        if percent < 50:
            return -self.difference((100 - percent) / 100)
        bracket = percent - 50
        return float((THRESHOLDS[bracket - 1] + 1 + THRESHOLDS[bracket]) / 2)


Curve = Logistic | Exponential | Normal | Table
CURVES: dict[str, type[Curve]] = {
    "logistic": Logistic,
    "exponential": Exponential,
    "normal": Normal,
    "table": Table,
}


def _logistic(slope: float, difference: ArrayLike):
    from scipy.special import expit

    chance = expit(slope * np.asarray(difference, dtype=float))
    return chance if chance.ndim else float(chance)


def curve_from(curve: str | Curve | None = None, **parameters: float | None) -> Curve:
    """A curve by name and parameters; a parameter alone identifies the curve.

    >>> curve_from("logistic", scale=1000)
    Logistic(scale=1000, base=10.0)
    >>> curve_from(delta=0.02)
    Exponential(delta=0.02)
    """
    given = {name: value for name, value in parameters.items() if value is not None}
    if not isinstance(curve, str | None):
        if not isinstance(curve, Curve):
            raise ArgumentTypeError(
                f"curve must be one of {', '.join(CURVES)} or a curve, not {curve!r}."
            )
        if given:
            name = type(curve).__name__
            raise ArgumentError(f"Pass {', '.join(given)} as parameters of the curve: {name}(…).")
        return curve
    if curve is None:
        owners = [
            kind
            for kind, cls in CURVES.items()
            if given and set(given) <= {field.name for field in fields(cls)}
        ]
        curve = owners[0] if owners else "logistic"
    one_of("curve", curve, CURVES)
    known = {field.name for field in fields(CURVES[curve])}
    foreign = sorted(set(given) - known)
    if foreign:
        takes = listed([option_name(name) for name in sorted(known)]) if known else "no parameter"
        wrong = listed([option_name(name) for name in foreign])
        raise ArgumentError(f"The {curve} curve takes {takes}, not {wrong}.")
    return CURVES[curve](**given)  # pyright: ignore[reportArgumentType]


def curve_settings(curve: Curve) -> dict[str, object]:
    """The name and parameters of a curve, for settings and saved states."""
    name = next(name for name, cls in CURVES.items() if isinstance(curve, cls))
    return {"curve": name, **asdict(curve)}


def k_from_effect(chance: float, *, curve: str | Curve = "table") -> float:
    """The k at which one win raises the probability of beating an equal opponent to `chance`.

    The winner of a contest between individuals of equal rating gains k/2 over an individual of
    that rating. Hence k is twice the rating difference that corresponds to the probability
    (Albers & de Vries 2001: 74% corresponds to 184 points, hence k = 368).

    >>> k_from_effect(0.74)
    368.0
    """
    return 2 * curve_from(curve).difference(chance)


def smallest_probability(curve: Curve) -> float:
    """Smallest probability used in a log loss; the printed table rounds those near 1 to 1.00."""
    return TABLE_LIMIT if isinstance(curve, Table) else LIMIT


__getattr__ = _missing(__name__, __all__)

"""Parameters that can be tuned, their ranges, and the settings of a point.

Parameters of Glicko and Glicko-2 that can be tuned, and their ranges.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from peckorder.curves import Table
from peckorder.data.contests import Contests
from peckorder.data.effects import NOBODY_AT_HOME
from peckorder.errors import ArgumentError, ArgumentTypeError, DataError
from peckorder.ratings.arguments import choices
from peckorder.ratings.glicko import PLAYER_RATINGS
from peckorder.ratings.settings import EloSettings, resolve
from peckorder.text import did_you_mean, option, option_name, quoted
from peckorder.validate import as_numbers, several

NUMBERS = ("k", "scale", "delta", "sd", "home_advantage", "carry_over", "half_life")
CHOICES = {name: choices(name) for name in ("entry", "margin")}
SHAPES = ("scale", "delta", "sd")
LASTING = (7.0, 10_000.0)  # half-lives that are tried, in days
TABLE_UNIT = 175.0  # the printed table is about as steep as the logistic curve of scale 400
POINTS = {1: 41, 2: 15, 3: 9}
MANY_POINTS = 500


@dataclass(frozen=True)
class Parameter:
    """A numeric parameter on its range, mapped to a coordinate between 0 and 1.

    The mapping is quadratic for k, whose small values matter most, and logarithmic for scales.
    """

    name: str
    low: float
    high: float
    kind: str = "linear"
    values: tuple[float, ...] = ()  # only these, if a list was given
    context: str | None = None  # if k differs between contexts

    @property
    def label(self) -> str:
        """Name of the parameter, with its context if it has one."""
        return self.name if self.context is None else f"{self.name}[{self.context}]"

    def value(self, at: float) -> float:
        """Value of the parameter at a coordinate between 0 and 1."""
        at = float(np.clip(at, 0.0, 1.0))
        if self.kind == "square":
            return float(self.low + (self.high - self.low) * at**2)
        if self.kind == "ratio":
            return float(self.low * (self.high / self.low) ** at)
        return float(self.low + (self.high - self.low) * at)

    def place(self, value: float) -> float:
        """Coordinate between 0 and 1 of a value of the parameter."""
        if self.kind == "square":
            return float(np.sqrt(max(0.0, (value - self.low) / (self.high - self.low))))
        if self.kind == "ratio":
            return float(np.log(value / self.low) / np.log(self.high / self.low))
        return float((value - self.low) / (self.high - self.low))


@dataclass(frozen=True, eq=False)
class Point:
    """Coordinates of the numeric parameters, and the choices."""

    at: np.ndarray
    choices: tuple[Any, ...] = ()

    def moved(self, i: int, at: float) -> Point:
        """A copy with one coordinate changed."""
        moved = self.at.copy()
        moved[i] = at
        return Point(moved, self.choices)


@dataclass(frozen=True, eq=False)
class Space:
    """The parameters to be tuned, and the settings that are fixed."""

    numbers: tuple[Parameter, ...]
    choices: dict[str, tuple[Any, ...]]
    fixed: dict[str, Any]
    default: dict[str, Any]
    equal_starts: bool = True

    @classmethod
    def of(cls, data: Contests, over: Any, settings: dict[str, Any]) -> Space:
        """Check the parameters to be tuned, and choose ranges where none is given."""
        wanted = wanted_parameters(over, (*NUMBERS, *CHOICES))
        fixed = {name: value for name, value in settings.items() if value is not None}
        by_context = fixed.get("k") == "context"
        if by_context:
            if "k" not in wanted:
                raise ArgumentError(
                    f"{option('k', 'context')} tunes one k per context: add k to "
                    f"{option_name('over')}."
                )
            if data.context is None:
                raise DataError(
                    f"k per context needs a context. Name its column: {option('context')}."
                )
            fixed.pop("k")
        names = data.context.names if by_context and data.context is not None else ()
        base = resolve(fixed, of="tune")
        if "k" in wanted and isinstance(base.k, Mapping) and not by_context:
            raise ArgumentError(
                f"k has one value per context here: tune them with {option('k', 'context')}."
            )
        _check(wanted, base, data)
        numbers = []
        for name, given in wanted.items():
            if name in CHOICES:
                continue
            contexts = names if name == "k" and names else (None,)
            numbers += [_parameter(name, given, base, context) for context in contexts]
        choices = {name: _choices(name, given) for name, given in wanted.items() if name in CHOICES}
        default = {**fixed, **_usual(wanted, base, names)}
        rest = {name: value for name, value in fixed.items() if name not in wanted}
        identified = bool(
            isinstance(base.start, Mapping)
            or rest.get("home_advantage")
            or base.burn_in
            or base.k_periods
            or base.rounded
        )
        return cls(tuple(numbers), choices, rest, default, not identified)

    @property
    def ranges(self) -> dict[str, tuple]:
        """Range or list of values of each parameter, by name."""
        numbers = {one.label: one.values or (one.low, one.high) for one in self.numbers}
        return numbers | self.choices

    @property
    def free(self) -> np.ndarray:
        """Which numeric parameters the optimizer may change."""
        free = np.array([not one.values for one in self.numbers], bool)
        if self.redundant is not None:
            free[self.redundant] = False
        return free

    def settings(self, point: Point) -> dict[str, Any]:
        """The arguments of `elo` at a point."""
        out = dict(self.fixed)
        table = {}
        for one, at in zip(self.numbers, point.at, strict=True):
            if one.context is not None:
                table[one.context] = one.value(at)
            else:
                out[one.name] = one.value(at)
        if table:
            out["k"] = table
        return out | dict(zip(self.choices, point.choices, strict=True))

    def usual(self, one: Parameter) -> float:
        """The default value of a numeric parameter."""
        value = self.default[one.name]
        return float(value if one.context is None else value[one.context])

    def start(self) -> Point:
        """The default settings as a point, each parameter inside its range."""
        usual = [np.clip(self.usual(one), one.low, one.high) for one in self.numbers]
        at = [one.place(float(value)) for one, value in zip(self.numbers, usual, strict=True)]
        return Point(np.clip(np.array(at), 0, 1), tuple(v[0] for v in self.choices.values()))

    @property
    def redundant(self) -> int | None:
        """A scale that is not identifiable."""
        names = [one.name for one in self.numbers]
        if not self.equal_starts or "k" not in names:
            return None
        return next((i for i, name in enumerate(names) if name in SHAPES), None)

    def cautions(self) -> list[str]:
        """Warnings about this space."""
        if self.redundant is None:
            return []
        shape = self.numbers[self.redundant].name
        home = any(one.name == "home_advantage" for one in self.numbers)
        listed = "k, home_advantage" if home else "k"
        return [
            f"{listed} and {shape} are not jointly identifiable: all individuals start equal, so "
            f"only ratios to {shape} matter. {shape} was kept at its default."
        ]

    def grid(self) -> np.ndarray:
        """Coordinates of the initial grid, (points, parameters)."""
        if not self.numbers:
            return np.zeros((1, 0))
        lists = [[one.place(value) for value in one.values] for one in self.numbers]
        if self.redundant is not None:
            lists[self.redundant] = [float(self.start().at[self.redundant])]
        loose = sum(not values for values in lists)
        if loose <= 3:
            even = np.linspace(0, 1, POINTS.get(loose, 2))
            axes = [np.array(values) if values else even for values in lists]
            return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(lists))
        # Many dimensions: quasirandom points from an additive recurrence (Roberts 2018).
        ratio = 2.0
        for _ in range(50):
            ratio = (1 + ratio) ** (1 / (len(lists) + 1))
        steps = ratio ** -np.arange(1.0, len(lists) + 1)
        spread = (0.5 + np.arange(1, MANY_POINTS + 1)[:, None] * steps) % 1.0
        diagonal = np.linspace(0, 1, POINTS[1])[:, None] * np.ones(len(lists))
        points = np.vstack([spread, diagonal])
        for i, values in enumerate(lists):
            if values:
                nearest = np.abs(points[:, i, None] - np.array(values)).argmin(axis=1)
                points[:, i] = np.array(values)[nearest]
        return points


def wanted_parameters(over: Any, known: tuple[str, ...]) -> dict[str, Any]:
    """Names with their ranges, or None if no range was given."""
    wanted = dict(
        over if isinstance(over, Mapping) else dict.fromkeys(map(str, several("over", over)))
    )
    unknown = [name for name in wanted if name not in known]
    if unknown or not wanted:
        raise ArgumentError(
            f"{option_name('over')}: {quoted(unknown) or 'nothing'} cannot be tuned. Choose from: "
            f"{', '.join(known)}."
        )
    return wanted


def _check(wanted: dict[str, Any], base: EloSettings, data: Contests) -> None:
    shape = {"Logistic": "scale", "Exponential": "delta", "Normal": "sd"}
    own = shape.get(type(base.curve).__name__)
    for name in SHAPES:
        if name in wanted and name != own:
            curve = type(base.curve).__name__.lower()
            has = f"its parameter is {own}" if own else "it has no parameter"
            raise ArgumentError(f"{name} is not a parameter of the {curve} curve: {has}.")
    if "k" in wanted and (isinstance(base.k, str) or base.k_column):
        raise ArgumentError("k is set by a rule (FIDE, or a column) here and cannot be tuned.")
    if "k" in wanted and not isinstance(base.k, int | float | np.number | Mapping):
        raise ArgumentError("k is a pair or a list here: give a single number to tune it.")
    if "home_advantage" in wanted and isinstance(base.home_advantage, Mapping):
        raise ArgumentError(
            f"{option_name('home_advantage')} has one value per side here, but tuning needs a "
            f"single number. Omit it, or estimate one per side with home_advantages."
        )
    if "home_advantage" in wanted and (data.home is None or not (data.home != 0).any()):
        raise DataError(NOBODY_AT_HOME)
    if "carry_over" in wanted and (data.season is None or len(data.season.names) < 2):
        raise DataError(
            f"{option_name('carry_over')} needs several seasons. Name their column: "
            f"{option('season')}."
        )
    if "entry" in wanted and data.presence is None:
        raise DataError(
            f"{option_name('entry')} applies to newcomers, which are identified by presence: give "
            f"{option('presence')}."
        )
    if "margin" in wanted and data.points is None:
        raise DataError(f"{option_name('margin')} needs points, and these data have none.")


def _parameter(name: str, given: Any, base: EloSettings, context: str | None) -> Parameter:
    unit = TABLE_UNIT if isinstance(base.curve, Table) else 1.0 / base.curve.slope
    ratios = {*SHAPES, "half_life"}
    kind = "square" if name == "k" else "ratio" if name in ratios else "linear"
    if given is None:
        usual = getattr(base.curve, name, 0.0) if name in SHAPES else 0.0
        low, high = {
            "k": (0.0, 4 * unit),
            "home_advantage": (-unit, 3 * unit),
            "carry_over": (0.0, 1.0),
            "half_life": LASTING,
        }.get(name, (usual / 20, usual * 20))
        return Parameter(name, low, high, kind, context=context)
    positive, above = name in ("k", "carry_over"), name in ratios
    return given_range(name, given, kind, positive=positive, above=above, context=context)


def given_range(
    name: str,
    given: Any,
    kind: str,
    *,
    positive: bool = False,
    above: bool = False,
    context: str | None = None,
) -> Parameter:
    """A parameter on the range or list of values that was given; `above`: above 0."""
    values = _numbers(name, given)
    low, high = min(values), max(values)
    if positive and low < 0:
        raise ArgumentError(f"{option_name('over')}: {name} must be ≥ 0, not {low:g}.")
    if name == "carry_over" and high > 1:
        raise ArgumentError(f"{option_name('over')}: carry_over must be ≤ 1, not {high:g}.")
    if above and low <= 0:
        raise ArgumentError(f"{option_name('over')}: {name} must be > 0, not {low:g}.")
    if low == high:
        raise ArgumentError(
            f"{option_name('over')}: the range of {name} contains only {low:g}. To fix {name}, "
            f"give it directly: {option(name, f'{low:g}')}."
        )
    pair = isinstance(given, tuple) and len(given) == 2
    if pair and values[0] > values[1]:
        raise ArgumentError(
            f"{option_name('over')}: give {name} from low to high, not from {high:g} to {low:g}."
        )
    return Parameter(name, low, high, kind, () if pair else tuple(sorted(set(values))), context)


def _numbers(name: str, given: Any) -> list[float]:
    numbers = as_numbers(given) if isinstance(given, Sequence | np.ndarray) else None
    if (
        isinstance(given, str)
        or numbers is None
        or numbers.ndim != 1
        or len(numbers) < 2
        or not np.isfinite(numbers).all()
    ):
        raise ArgumentError(
            f"{option_name('over')}: {name} takes a pair (low, high) or a list of values to try, "
            f"not {given!r}."
        )
    return numbers.tolist()


def _choices(name: str, given: Any) -> tuple[Any, ...]:
    if given is None:
        return CHOICES[name]
    values = tuple(given)
    unknown = [value for value in values if value not in CHOICES[name]]
    if unknown or not values:
        raise ArgumentError(
            f"{option_name('over')}: {name}={quoted(unknown)} is not known. Choose from: "
            f"{', '.join(map(str, CHOICES[name]))}."
        )
    return values


def _usual(wanted: dict[str, Any], base: EloSettings, names: tuple[str, ...]) -> dict[str, Any]:
    """The settings without tuning, for comparison."""
    out: dict[str, Any] = {}
    for name in wanted:
        if name == "k":
            out["k"] = base.k
            if names and not isinstance(base.k, Mapping):
                out["k"] = dict.fromkeys(names, float(base.k))
        elif name in SHAPES:
            out[name] = getattr(base.curve, name)
        elif name == "carry_over":
            out[name] = 1.0 if base.carry_over is None else base.carry_over
        elif name == "half_life":
            out[name] = base.half_life or LASTING[1]
        elif name == "entry":
            out[name] = base.entry
        elif name == "home_advantage":
            out[name] = base.home_advantage
        else:
            out[name] = base.margin or "none"
    return out


UNIT = 173.72  # points per unit of log-odds
# Range and scale of each parameter.
RANGES = {
    "deviation": (10.0, 1000.0, "ratio"),
    "c": (0.0, 2 * UNIT, "square"),
    "volatility": (0.005, 2.0, "ratio"),
    "tau": (0.0, 2.0, "linear"),
    "home_advantage": (-UNIT, 3 * UNIT, "linear"),
}
OF_RATER = {
    "glicko": ("deviation", "c", "home_advantage"),
    "glicko2": ("deviation", "volatility", "tau", "home_advantage"),
}
USUALLY = {"glicko": ("deviation", "c"), "glicko2": ("deviation", "volatility")}
TUNED = ("deviation", "c", "volatility", "tau", "home_advantage", "max_deviation")


@dataclass(frozen=True, eq=False)
class GlickoSpace(Space):
    """The parameters of Glicko to be tuned; the limit of deviations is not below them."""

    limit: float = 0.0
    given_limit: bool = False

    @classmethod
    def of_rater(
        cls, rater: str, rate: Callable, data: Contests, over: Any, settings: dict[str, Any]
    ) -> GlickoSpace:
        """Check the parameters to be tuned, and choose ranges where none is given."""
        takes = inspect.signature(rate).parameters
        fixed = {name: value for name, value in settings.items() if value is not None}
        unknown = [name for name in fixed if name not in takes]
        if unknown:
            raise ArgumentTypeError(
                f"{rater} has no argument {option_name(unknown[0])}."
                f"{did_you_mean(unknown[:1], takes)}"
            )
        wanted = wanted_parameters(USUALLY[rater] if over is None else over, OF_RATER[rater])
        limit = float(fixed.get("max_deviation", takes["max_deviation"].default))
        given_limit = "max_deviation" in fixed
        usual = {name: one.default for name, one in takes.items()} | PLAYER_RATINGS
        default = {name: fixed.get(name, usual[name]) for name in wanted}
        by_individual = [name for name, value in default.items() if isinstance(value, Mapping)]
        if by_individual:
            raise ArgumentError(
                f"{option_name(by_individual[0])} has one value per individual here, but tuning "
                f"needs a single number."
            )
        if "home_advantage" in wanted and (data.home is None or not (data.home != 0).any()):
            raise DataError(NOBODY_AT_HOME)
        numbers = tuple(
            _glicko_parameter(name, given, limit if given_limit else None)
            for name, given in wanted.items()
        )
        rest = {name: value for name, value in fixed.items() if name not in wanted}
        return cls(numbers, {}, rest, fixed | default, True, limit, given_limit)

    def settings(self, point: Point) -> dict[str, Any]:
        """The arguments of the rater at a point."""
        out = super().settings(point)
        if not self.given_limit and out.get("deviation", 0.0) > self.limit:
            out["max_deviation"] = out["deviation"]
        return out


def _glicko_parameter(name: str, given: Any, limit: float | None) -> Parameter:
    low, high, kind = RANGES[name]
    if name == "deviation" and limit is not None:
        high = limit
        low = min(low, limit / 100)
    if given is None:
        return Parameter(name, low, high, kind)
    least = name in ("c", "tau")
    own = given_range(name, given, kind, positive=least, above=kind == "ratio")
    if name == "deviation" and limit is not None and own.high > limit:
        raise ArgumentError(
            f"{option_name('over')}: deviation must not be above "
            f"{option_name('max_deviation')} ({limit:g}), not {own.high:g}."
        )
    return own

"""Parameters of Glicko and Glicko-2 that can be tuned, and their ranges.

Deviations are on the scale of the ratings, where 400/ln 10 points are one unit of log-odds. The
starting deviation is the spread of strengths among newcomers, c (or the volatility) how fast
strengths change; both are what Glickman (1999) estimates by maximizing the likelihood of the
predictions.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from peckorder.data.interactions import Interactions
from peckorder.errors import ArgumentError, ArgumentTypeError, DataError
from peckorder.evaluation.space import Parameter, Point, Space, given_range, wanted_parameters
from peckorder.home import NOBODY_AT_HOME
from peckorder.wording import did_you_mean, option_name

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
        cls, rater: str, rate: Callable, data: Interactions, over: Any, settings: dict[str, Any]
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
        default = {name: fixed.get(name, takes[name].default) for name in wanted}
        by_individual = [name for name, value in default.items() if isinstance(value, Mapping)]
        if by_individual:
            raise ArgumentError(
                f"{option_name(by_individual[0])} has one value per individual here, but tuning "
                f"needs a single number."
            )
        if "home_advantage" in wanted and (data.home is None or not (data.home != 0).any()):
            raise DataError(NOBODY_AT_HOME)
        numbers = tuple(
            _parameter(name, given, limit if given_limit else None)
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


def _parameter(name: str, given: Any, limit: float | None) -> Parameter:
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

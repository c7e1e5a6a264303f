"""k and home advantage chosen by how well ratings before each contest predict it.

`elo(k="tuned")` and `elo(preset="Games")` minimize the prequential log loss of the rated contests,
the criterion of `peckorder.tune`: a grid over the whole range, then a simplex from its best points.
Each setting takes one pass over the contests in the compiled loop.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from peckorder.curves import Table, smallest_probability
from peckorder.data.interactions import Interactions
from peckorder.errors import ArgumentError, DataError
from peckorder.home import NOBODY_AT_HOME
from peckorder.sequential.replay import EloReplay
from peckorder.sequential.settings import DEFAULT, EloSettings
from peckorder.wording import counted, listed, option, option_name

TUNED = "tuned"
NAMES = ("k", "home_advantage")
GAMES = "Games"
TABLE_UNIT = 175.0  # the printed table is about as steep as the logistic curve of scale 400
POINTS = {1: 41, 2: 15}  # of the grid, in each direction
FIRST = 3  # best grid points from which the simplex starts
FEWEST = 20  # contests


@dataclass(frozen=True)
class Choice:
    """The settings that were chosen, with their mean log loss and that of the default."""

    settings: EloSettings
    values: dict[str, Any]
    summary: tuple[str, ...]


def wanted(given: dict[str, Any], data: Any) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Arguments without those to be tuned, and the names of these."""
    names = [name for name in NAMES if isinstance(given.get(name), str) and given[name] == TUNED]
    rest = {name: value for name, value in given.items() if name not in names}
    preset = given.get("preset")
    games = isinstance(preset, str) and preset == GAMES and given.get("home_advantage") is None
    if games and isinstance(data, Interactions) and has_home_sides(data):
        names.append("home_advantage")
    if names and not isinstance(data, Interactions):
        raise ArgumentError(
            f"{option(names[0], TUNED)} needs all contests at once. Read the whole file."
        )
    if "home_advantage" in names and not has_home_sides(data):
        raise DataError(NOBODY_AT_HOME)
    if "k" in names and given.get("k_column") is not None:
        raise ArgumentError(
            f"{option('k', TUNED)} cannot be combined with {option_name('k_column')}."
        )
    return rest, tuple(names)


def has_home_sides(data: Interactions) -> bool:
    """Whether some contest has a home side."""
    return data.home is not None and bool((data.home != 0).any())


def choose(replay: EloReplay, names: tuple[str, ...]) -> Choice:
    """The settings with the lowest log loss of foresight."""
    from scipy.optimize import minimize

    base, contests = replay.settings, len(replay.data)
    if not replay.data.ordered or contests < FEWEST:
        raise DataError(
            f"{option(names[0], TUNED)} needs at least {FEWEST} contests in a known order. Give a "
            f"number instead."
        )
    least = smallest_probability(base.curve)
    unit = TABLE_UNIT if isinstance(base.curve, Table) else 1.0 / base.curve.slope

    def at(place: np.ndarray) -> EloSettings:
        values = {
            "k": 4 * unit * float(np.clip(place[0], 0, 1)) ** 2,
            "home_advantage": unit * (4 * float(np.clip(place[-1], 0, 1)) - 1),
        }
        return replace(base, **{name: values[name] for name in names})

    def loss(place: Any) -> float:
        return float(replay.again(at(np.asarray(place))).foresight_sums(0, least)[0]) / contests

    axis = np.linspace(0, 1, POINTS[len(names)])
    grid = sorted((loss(place), place) for place in product(axis, repeat=len(names)))
    best: Any = min(
        (
            minimize(loss, place, method="Nelder-Mead", options={"xatol": 1e-5, "fatol": 1e-10})
            for _, place in grid[:FIRST]
        ),
        key=lambda found: found.fun,
    )
    chosen = at(best.x)
    before = float(replay.foresight_sums(0, least)[0]) / contests
    values = {name: float(getattr(chosen, name)) for name in names}
    return Choice(
        chosen,
        values | {"log_loss": float(best.fun), "default_log_loss": before, "contests": contests},
        (_summary(values, float(best.fun), before, base, contests),),
    )


def _summary(
    values: dict[str, float], loss: float, before: float, base: EloSettings, contests: int
) -> str:
    words = {"k": "k = {:.3g}", "home_advantage": "home advantage {:.3g}"}
    shown = listed([words[name].format(value) for name, value in values.items()])
    usual = listed([words[name].format(getattr(base, name)) for name in values])
    shown = shown if "k" in values else shown.capitalize()
    return (
        f"{shown}: chosen to minimize the log loss of the ratings before each of the "
        f"{counted(contests, 'contest')} ({loss:.4f}, compared with {before:.4f} for {usual}). "
        f"Their accuracy on these contests is slightly optimistic."
    )


def advice(given: dict[str, Any], data: Interactions) -> tuple[str, ...]:
    """Point games with home sides to their preset, if nothing was chosen for them."""
    chosen = [name for name, value in given.items() if value is not None]
    if not has_home_sides(data) or {"k", "k_column", "preset", "home_advantage"} & set(chosen):
        return ()
    return (
        f"These contests have home sides. For games between teams, {option('preset', GAMES)} (k = "
        f"40, home advantage estimated) usually predicts better than the default (k = "
        f"{DEFAULT['k']:.0f}, none).",
    )

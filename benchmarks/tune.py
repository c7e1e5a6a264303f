"""Elo settings evaluated per second on one core, compared with loops over other packages.

100,000 games between 20 and between 1,000 teams, won by the logistic curve of true ratings with a
home advantage of 80 points. A setting is a k, a scale and a home advantage; evaluating it means
predicting every game from the ratings before it, updating them game by game, and computing the mean
log loss. `tune` does this in one compiled pass without storing a history. For comparison, on the
same settings:

- evalica, ratings alone: its `elo` returns final ratings only and has no home advantage, so this is
  a lower bound on the cost of a loop over it, without predictions and in its fastest input format
  (codes in numpy arrays, the index built once);
- elote, game by game: `expected_score` with the home side raised, then `beat`; on fewer games, with
  the cost per game extrapolated to all of them;
- a loop in Python, and the same with the losses computed by numpy.

First, all of them rate a small set of games: the losses must agree to 1e-9 (evalica: the final
ratings). Last, the whole call of `tune` on one thread, once: search, intervals, profiles and
bootstrap.

Target: 100 settings per second with 100,000 games, both on the settings of the comparison and on
the initial grid of the search (if all start equal, `tune` holds the scale fixed there).
"""

from __future__ import annotations

import importlib
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import product
from math import log
from typing import Any

import numpy as np
import polars as pl
from common import compare, cpu_seconds, note, print_table, verdict, wants_quick

import peckorder as po
from peckorder.data.contests import Contests
from peckorder.evaluation.search import Objective
from peckorder.evaluation.search_space import Point, Space

OVER = ("k", "scale", "home_advantage")
SETTINGS = list(product((10.0, 40.0), (250.0, 800.0), (40.0, 120.0)))
TEAMS = (1000, 20)
START = 1000.0
TARGET = 100
GRID = "peckorder, on its grid"
GRID_STEP = 7  # every seventh point of the grid is timed


@dataclass(frozen=True)
class Games:
    """Codes of home and away sides, whether the home side won, and how many teams there are."""

    home: np.ndarray
    away: np.ndarray
    won: np.ndarray
    teams: int

    @classmethod
    def simulated(cls, number: int, teams: int) -> Games:
        random = np.random.default_rng(20260101)
        true = random.normal(START, 150.0, teams)
        home = random.integers(teams, size=number)
        away = (home + random.integers(1, teams, size=number)) % teams
        chance = 1.0 / (1.0 + 10.0 ** ((true[away] - true[home] - 80.0) / 400.0))
        return cls(home, away, random.random(number) < chance, teams)

    def first(self, number: int) -> Games:
        return Games(self.home[:number], self.away[:number], self.won[:number], self.teams)

    def rows(self) -> list[tuple[int, int, bool]]:
        columns = self.home.tolist(), self.away.tolist(), self.won.tolist()
        return list(zip(*columns, strict=True))

    def data(self) -> Contests:
        home_points = self.won.astype(np.int64)
        return po.read(
            pl.DataFrame(
                {
                    "home": self.home.astype(str),
                    "away": self.away.astype(str),
                    "home_points": home_points,
                    "away_points": 1 - home_points,
                }
            )
        )


def objective_of(data: Contests) -> Objective:
    """The objective function of `tune`."""
    space = Space.of(data, OVER, {})
    return Objective(po.elo(data, **space.default), space, "log_loss", 0)


def our_loss(objective: Objective, k: float, scale: float, home: float) -> float:
    numbers = zip(objective.space.numbers, (k, scale, home), strict=True)
    return objective.loss(Point(np.array([one.place(value) for one, value in numbers])))


def losses_on_grid(objective: Objective) -> list[float]:
    return [objective.loss(Point(at)) for at in objective.space.grid()[::GRID_STEP]]


def evalica_data(games: Games) -> tuple:
    import pandas as pd
    from evalica import Winner

    winners = [Winner.X if won else Winner.Y for won in games.won]
    index = pd.Index(np.unique([games.home, games.away]))
    return games.home, games.away, winners, index


def evalica_ratings(data: tuple, k: float, scale: float, home: float) -> Any:
    """Final ratings: no home advantage, no losses."""
    import evalica

    return evalica.elo(*data, initial=START, base=10.0, scale=scale, k=k).scores


def elote_loss(rows: list, teams: int, k: float, scale: float, home: float) -> float:
    from elote import EloCompetitor

    EloCompetitor.configure_class(base_rating=scale)
    sides = [EloCompetitor(initial_rating=START, k_factor=k) for _ in range(teams)]
    loss = 0.0
    for a, b, won in rows:
        one, other = sides[a], sides[b]
        own = one.rating
        one.rating = own + home
        chance = one.expected_score(other)
        one.rating = own
        if won:
            loss -= log(chance)
            one.beat(other)
        else:
            loss -= log(1.0 - chance)
            other.beat(one)
    return loss / len(rows)


def python_loss(rows: list, teams: int, k: float, scale: float, home: float) -> float:
    rating = [START] * teams
    loss = 0.0
    for a, b, won in rows:
        ahead = rating[a] - rating[b]
        chance = 1.0 / (1.0 + 10.0 ** (-(ahead + home) / scale))
        loss -= log(chance if won else 1.0 - chance)
        gain = k * (won - 1.0 / (1.0 + 10.0 ** (-ahead / scale)))
        rating[a] += gain
        rating[b] -= gain
    return loss / len(rows)


def numpy_loss(
    rows: list, teams: int, won: np.ndarray, k: float, scale: float, home: float
) -> float:
    """The loop only updates ratings; the losses are computed from all differences at once."""
    rating = [START] * teams
    lead = []
    for a, b, home_won in rows:
        ahead = rating[a] - rating[b]
        lead.append(ahead)
        gain = k * (home_won - 1.0 / (1.0 + 10.0 ** (-ahead / scale)))
        rating[a] += gain
        rating[b] -= gain
    chance = 1.0 / (1.0 + 10.0 ** (-(np.array(lead) + home) / scale))
    return float(-np.log(np.where(won, chance, 1.0 - chance)).mean())


@dataclass(frozen=True)
class Way:
    """A way to evaluate one setting, and the share of games it is given."""

    name: str
    module: str
    share: float
    prepare: Callable[[Games], Callable[[float, float, float], object]]

    def missing(self) -> bool:
        try:
            importlib.import_module(self.module)
        except ImportError:
            return True
        return False


OURS = Way(
    "peckorder", "peckorder", 1.0, lambda games: partial(our_loss, objective_of(games.data()))
)
EVALICA = Way(
    "evalica, ratings alone",
    "evalica",
    1.0,
    lambda games: partial(evalica_ratings, evalica_data(games)),
)
PYTHON = Way(
    "Python loop", "math", 1.0, lambda games: partial(python_loss, games.rows(), games.teams)
)
WAYS = [
    OURS,
    EVALICA,
    Way(
        "elote, game by game",
        "elote",
        0.1,
        lambda games: partial(elote_loss, games.rows(), games.teams),
    ),
    PYTHON,
    Way(
        "Python loop and numpy",
        "numpy",
        1.0,
        lambda games: partial(numpy_loss, games.rows(), games.teams, games.won),
    ),
]


def check(ways: list[Way]) -> None:
    """Check that all ways give equal losses, or equal final ratings."""
    games = Games.simulated(2_000, 20)
    evaluate = {way.name: way.prepare(games) for way in ways}
    furthest = 0.0
    for setting in SETTINGS:
        expected = evaluate[PYTHON.name](*setting)
        for way in ways:
            if way is not EVALICA:
                furthest = max(furthest, abs(evaluate[way.name](*setting) - expected))
    assert furthest <= 1e-9, f"Losses differ by {furthest:.1e}."
    print(f"Largest difference of a mean log loss, {len(SETTINGS)} settings: {furthest:.1e}")
    if EVALICA in ways:
        furthest = rating_difference(games, evaluate)
        print(f"Largest difference of a final rating of evalica: {furthest:.1e}")
    print()


def rating_difference(games: Games, evaluate: dict[str, Callable]) -> float:
    """Largest difference of evalica's final ratings from ours."""
    data, furthest = games.data(), 0.0
    for k, scale, home in SETTINGS:
        ours = po.elo(data, k=k, scale=scale, home_advantage=home)
        theirs = evaluate[EVALICA.name](k, scale, home)
        furthest = max(furthest, *(abs(ours[str(team)] - theirs[team]) for team in theirs.index))
    assert furthest <= 1e-6, f"Ratings differ by {furthest:.1e}."
    return furthest


def evaluate_all(evaluate: Callable[[float, float, float], object]) -> None:
    for setting in SETTINGS:
        evaluate(*setting)


def compared_with_others(ways: list[Way], number: int, teams: int, runs: int) -> None:
    games = Games.simulated(number, teams)
    given = {way.name: int(number * way.share) for way in ways} | {GRID: number}
    calls = {
        way.name: partial(evaluate_all, way.prepare(games.first(given[way.name]))) for way in ways
    }
    objective = objective_of(games.data())
    settings = dict.fromkeys(calls, len(SETTINGS)) | {GRID: len(losses_on_grid(objective))}
    times = compare(calls | {GRID: partial(losses_on_grid, objective)}, runs)

    def cost(name: str, clock: str = "wall") -> float:
        return getattr(times[name], clock) / settings[name] * number / given[name]

    rows = [
        [
            name,
            f"{given[name]:,}",
            settings[name],
            f"{cost(name) / number * 1e9:,.0f}",
            f"{cost(name) * 1e3:,.1f}",
            f"{cost(name, 'cpu') * 1e3:,.1f}",
            f"{1 / cost(name):,.1f}",
            f"{cost(name) / cost(OURS.name):.1f}",
        ]
        for name in times
    ]
    print(f"{number:,} games, {teams:,} teams, median of {runs}; ms are for all games")
    header = ["", "games", "settings", "ns/game", "ms/setting", "CPU ms", "settings/s", "relative"]
    print_table(header, rows)
    slower = min(1 / cost(OURS.name), 1 / cost(GRID))
    others = {way.name: 1 / cost(way.name) for way in ways if way is not OURS}
    peer = max(others.items(), key=lambda pair: pair[1])
    note(f"tune, {number:,} games, {teams:,} teams", slower, "settings/s", peer=peer, least=TARGET)
    print(f"Target ≥ {TARGET} settings/s: {slower:.0f}, {verdict(slower >= TARGET)}\n")


def whole_calls(number: int) -> None:
    rows = []
    for teams, over in product(TEAMS, (OVER, ("k", "home_advantage"))):
        data = Games.simulated(number, teams).data()
        wall, cpu = time.perf_counter(), cpu_seconds()
        evaluated = tune_once(data, over)
        wall, cpu = time.perf_counter() - wall, cpu_seconds() - cpu
        cells = f"{wall:.1f}", f"{cpu:.1f}", f"{evaluated:,}", f"{evaluated / wall:.0f}"
        rows.append([", ".join(over), f"{teams:,}", *cells])
    print(f"Whole call of tune, {number:,} games, one thread, one run")
    print_table(["over", "teams", "s", "CPU s", "evaluated", "settings/s"], rows)


def tune_once(data: Contests, over: tuple[str, ...]) -> int:
    """Number of settings evaluated by `tune`."""
    with warnings.catch_warnings(action="ignore", category=po.DataWarning):
        # The expected warning: k, scale and home advantage are not jointly identifiable.
        return po.tune(data, over=over, threads=1).evaluated


def main() -> None:
    quick = wants_quick(__doc__)
    ways = []
    for way in WAYS:
        if way.missing():
            print(f'{way.module}: not installed. Install it with: pip install "peckorder[bench]"')
        else:
            ways.append(way)
    check(ways)
    number = 5_000 if quick else 100_000
    for teams in TEAMS:
        compared_with_others(ways, number, teams, 3 if quick else 5)
    whole_calls(number)
    print(
        "relative: time divided by peckorder's. elote's costs are extrapolated linearly from the\n"
        "games it was given. evalica's are for final ratings alone, without predictions or losses."
    )


if __name__ == "__main__":
    main()

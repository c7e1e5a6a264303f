"""Langville & Meyer (2012), chapter 5: Elo ratings of the NFL season 2009–10.

The games are read from any file with the names of the book, and directly from that of
FiveThirtyEight, which has codes of teams, the home side first, and all seasons.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.contests import Contests
from peckorder.data.read import read
from peckorder.evaluation.evaluate import evaluate
from peckorder.evaluation.league import win_share
from peckorder.papers.printed import Expected, Printed, Statement
from peckorder.ranks import spearman
from peckorder.ratings.elo import elo
from peckorder.results.ratings import Ratings

COMMON: dict[str, Any] = {"scale": 1000, "start": 0}
LATE, PLAYOFFS = "2009-12-24", "2010-01-09"  # from week 16, and after the regular season
TABLES: dict[str, tuple[str, dict[str, Any]]] = {
    "wins": ("(5.6)", {"k": 32}),
    "scores": ("(5.8)", {"k": 32, "outcome": "points"}),
    "variable": (
        "(5.9)",
        {"k": 32, "outcome": "points", "k_periods": {LATE: 16, PLAYOFFS: 64}},
    ),
}
# Printed for the line of the proportion of wins on the ratings of (5.6), by name in `win_share`.
LINE = {
    "correlation": ("correlation with the proportion of wins", "0.9921"),
    "slope": ("slope of the proportion of wins", "0.0022268"),
    "intercept": ("intercept", "0.5"),
    "mad": ("mean absolute deviation", "0.017958"),
    "mse": ("mean squared error", "0.0006"),
}


def printed_ratings() -> pl.DataFrame:
    """The ratings of the three tables as printed, one team per row, and its results."""
    text = files("peckorder.papers").joinpath("langville2012.csv").read_text(encoding="utf-8")
    return pl.read_csv(text.encode(), infer_schema=False)


def read_games(file: Any, presence: Any = None) -> Contests:
    """The games of a file, with the names of the book."""
    games = read(file, presence=presence)
    printed = printed_ratings()
    codes = dict(zip(printed["code"], printed["team"], strict=True))
    if not set(codes) <= set(games.individuals):
        return games
    return read(
        file,
        home="team1",
        away="team2",
        home_points="score1",
        away_points="score2",
        date="date",
        neutral="neutral",
        where="season == 2009",
        names=codes,
    )


def expected() -> Expected:
    """What games must contain to be those of the season 2009–10."""
    results = tuple(
        (row["team"], int(row["won"]), int(row["lost"]), int(row["points"]))
        for row in printed_ratings().to_dicts()
    )
    what = "the games of the NFL season 2009–10 with its playoffs"
    return Expected(what, 267, 32, "2009-09-10", "2010-02-07", results, named=True)


def further(games: Contests) -> list[str]:
    """What else differs: points and the neutral ground of the last game."""
    if games.points is None:
        return ["no points of the two sides"]
    if games.home is None:
        return ["no home side"]
    if games.home[-1] != 0:
        return ["the Super Bowl (2010-02-07) is not marked as on neutral ground"]
    return []


def numbers(games: Contests) -> list[Printed]:
    """The three tables of ratings, the counts of predicted games, and the regression."""
    rated = {name: elo(games, **COMMON, **how) for name, (_, how) in TABLES.items()}
    return [*_tables(rated), *_counts(rated), *_regression(rated["wins"])]


def statements(games: Contests) -> list[Statement]:
    """What the book says about home advantage and ξ."""
    rated = elo(games, **COMMON, **TABLES["variable"][1])
    hits = {home: _correct(rated, home, "hindsight") for home in range(31)}
    best = max(hits, key=lambda home: hits[home])
    narrow = elo(games, k=32, scale=400, start=0)
    wide = elo(games, k=32, **COMMON)
    teams = list(games.individuals)
    rho = spearman(*(np.array([one[team] for team in teams]) for one in (narrow, wide)))
    return [
        Statement(
            "(5.9)",
            "H = 0 works best in hindsight with variable K",
            "no",
            f"H = {best} predicts {hits[best]:.0f} games, H = 0 {hits[0]:.0f}.",
        ),
        Statement(
            "Text",
            "ξ = 1000 instead of 400 does not change the ranking significantly",
            "yes",
            f"Spearman correlation {rho:.3f}; several neighbors exchange ranks.",
        ),
    ]


def _tables(rated: dict[str, Ratings]) -> list[Printed]:
    printed = printed_ratings()
    found = []
    for name, (equation, _) in TABLES.items():
        for team, number in zip(printed["team"], printed[name], strict=True):
            # Five significant digits, of which the book leaves out zeros at the end.
            size = abs(float(number))
            within = 0.5 * 10.0 ** (np.floor(np.log10(size)) - 4)
            what = f"rating of {team}"
            found.append(Printed(f"Table {equation}", what, number, rated[name][team], within))
    return found


def _counts(rated: dict[str, Ratings]) -> list[Printed]:
    cases = (
        ("wins", 0, "hindsight", "201"),
        ("wins", 15, "foresight", "166"),
        ("scores", 15, "hindsight", "194"),
        ("scores", 15, "foresight", "175"),
        ("variable", 0, "hindsight", "194"),
        ("variable", 9.5, "foresight", "176"),
    )
    return [
        Printed(
            "Text",
            f"games predicted by {TABLES[name][0]}, {view}, H = {home:g}",
            printed,
            _correct(rated[name], home, view),
        )
        for name, home, view, printed in cases
    ]


def _correct(ratings: Ratings, home: float, view: str) -> float:
    """Number of games predicted with a home advantage."""
    return float(getattr(evaluate(ratings, home_advantage=home, runs=1), view)["correct"])


def _regression(wins: Ratings) -> list[Printed]:
    line = win_share(wins, until="2010-01-03")
    exact = {"intercept": 1e-9}
    return [
        Printed("Text", what, printed, line.values[name], within=exact.get(name))
        for name, (what, printed) in LINE.items()
    ]

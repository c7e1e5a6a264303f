"""Langville & Meyer (2012), chapter 5: Elo ratings of the NFL season 2009–10."""

from __future__ import annotations

from importlib.resources import files

import numpy as np
import polars as pl

from peckorder.data.contests import Contests
from peckorder.evaluation.evaluate import evaluate
from peckorder.evaluation.league import win_share
from peckorder.papers.printed import Printed
from peckorder.ratings.elo import elo
from peckorder.results.ratings import Ratings

COMMON = {"scale": 1000, "start": 0}
LATE, PLAYOFFS = "2009-12-24", "2010-01-09"  # from week 16, and after the regular season
TABLES = {
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
    """The ratings of the three tables as printed, one team per row."""
    text = files("peckorder.papers").joinpath("langville2012.csv").read_text(encoding="utf-8")
    return pl.read_csv(text.encode(), infer_schema=False)


def numbers(games: Contests) -> list[Printed]:
    """The three tables of ratings, the counts of predicted games, and the regression."""
    rated = {name: elo(games, **COMMON, **how) for name, (_, how) in TABLES.items()}
    return [*_tables(rated), *_counts(rated), *_regression(rated["wins"])]


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
    def correct(name: str, home: float, view: str) -> float:
        found = evaluate(rated[name], home_advantage=home, runs=1)
        return float(getattr(found, view)["correct"])

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
            correct(name, home, view),
        )
        for name, home, view, printed in cases
    ]


def _regression(wins: Ratings) -> list[Printed]:
    line = win_share(wins, until="2010-01-03")
    exact = {"intercept": 1e-9}
    return [
        Printed("Text", what, printed, line.values[name], within=exact.get(name))
        for name, (what, printed) in LINE.items()
    ]

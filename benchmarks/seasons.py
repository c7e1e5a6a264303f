"""Simulated seasons: do 95% intervals of wins, made before the season, hold the totals?

Leagues of 32 sides and 16 rounds, in which strengths keep a share of their distance from the mean
between seasons and drift from round to round, with the same spread throughout. Ratings of the past
seasons predict the next one, for several values of k. Columns: with carry-over and what is new in a
season drawn at random (as `simulate_season` does), with carry-over only, and with neither; and
dynamic, adaptive and Glicko ratings, which know no seasons. The log loss of the games (with
carry-over) says which k suits the league.

Standard errors are over leagues. Totals are whole numbers, so that exact intervals would hold a
little more than 95%.

Usage: python benchmarks/seasons.py [--leagues 20] [--share 0.6] [--drift 0.06]
"""

import argparse
from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np
from common import print_table

import peckorder as po
from peckorder.evaluation import season as season_module

SIDES, ROUNDS, SEASONS, TESTED = 32, 16, 10, 2
SPREAD = 0.58  # of strengths in log-odds: 100 Elo points
STEPS = (10, 20, 30, 40)


def league(seed: int, share: float, drift: float) -> dict[str, list[Any]]:
    """Games of all seasons."""
    random = np.random.default_rng(seed)
    strength, games = random.normal(0, SPREAD, SIDES), []
    kept = np.sqrt(1 - (drift / SPREAD) ** 2)
    for year in range(SEASONS):
        if year:
            new = random.normal(0, SPREAD * np.sqrt(1 - share**2), SIDES)
            strength = share * strength + new
        for _ in range(ROUNDS):
            strength = kept * strength + random.normal(0, drift, SIDES)
            for a, b in random.permutation(SIDES).reshape(-1, 2):
                won = random.random() < 1 / (1 + np.exp(strength[b] - strength[a]))
                games.append((f"t{a}", f"t{b}", int(won), int(not won), 2000 + year))
    names = "home", "away", "home_goals", "away_goals", "season"
    return dict(zip(names, map(list, zip(*games, strict=True)), strict=True))


def held(games: dict[str, list[Any]], year: int, rate: Callable, new_season: bool) -> float:
    """Share of the totals of one season inside their intervals."""
    begin = games["season"].index(year)
    end = begin + SIDES * ROUNDS // 2
    past = po.read({name: column[:begin] for name, column in games.items()})
    fixtures = list(zip(games["home"][begin:end], games["away"][begin:end], strict=True))
    table = po.sport.simulate_season(
        rate(past), fixtures=fixtures, new_season=new_season, runs=2000, seed=1
    ).table
    winners = [
        pair[0] if won else pair[1]
        for pair, won in zip(fixtures, games["home_goals"][begin:end], strict=True)
    ]
    inside = [
        row["points_low"] <= winners.count(row["individual"]) <= row["points_high"]
        for row in table.iter_rows(named=True)
    ]
    return float(np.mean(inside))


def coverage(leagues: list[dict[str, list[Any]]], rate: Callable, new_season: bool) -> str:
    """Share of all totals inside, with its standard error over leagues."""
    years = range(2000 + SEASONS - TESTED, 2000 + SEASONS)
    each = [np.mean([held(games, year, rate, new_season) for year in years]) for games in leagues]
    return f"{np.mean(each):.3f} ({np.std(each, ddof=1) / np.sqrt(len(each)):.3f})"


def log_loss(games: dict[str, list[Any]], k: float, share: float) -> float:
    """Mean log loss of all games, each predicted from those before it."""
    ratings = po.elo(po.read(games), k=k, carry_over=share)
    return float(-np.log(ratings.foresight().win).mean())


def main() -> None:
    """Print coverage by rater."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--leagues", type=int, default=20)
    parser.add_argument("--share", type=float, default=0.6)
    parser.add_argument("--drift", type=float, default=0.06)
    options = parser.parse_args()
    share = options.share
    leagues = [league(seed, share, options.drift) for seed in range(options.leagues)]
    totals = options.leagues * TESTED * SIDES
    rows = []
    for k in STEPS:
        carried = coverage(leagues, lambda data, k=k: po.elo(data, k=k, carry_over=share), True)
        with mock.patch.object(season_module, "spread_between_seasons", return_value=0.0):
            bare = coverage(leagues, lambda data, k=k: po.elo(data, k=k, carry_over=share), True)
        plain = coverage(leagues, lambda data, k=k: po.elo(data, k=k), False)
        loss = np.mean([log_loss(games, k, share) for games in leagues])
        rows.append((f"elo, k = {k}", f"{loss:.4f}", carried, bare, plain))
    others: dict[str, Callable] = {
        "glicko": lambda data: po.sport.glicko(data, period="contest"),
        "dynamic": lambda data: po.dynamic(data, samples=1000, seed=1),
        "adaptive": lambda data: po.adaptive(data, samples=1000, seed=1),
    }
    rows += [(name, "", "", "", coverage(leagues, rate, False)) for name, rate in others.items()]
    print(f"{totals:,} totals")
    print_table(["rater", "log loss", "new part drawn", "carried over only", "neither"], rows)


if __name__ == "__main__":
    main()

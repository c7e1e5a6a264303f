"""Elo in leagues with home sides: defaults, the preset for games, tuned k, recalibration.

Every team plays every other at home, in random order; the log-odds of a home win are the difference
in strength plus 0.35. Strengths are normal (standard deviation 0.3, 0.6 or 1) and constant, or
take a step of 0.02 before each game (three seasons). Printed: mean log loss of the predictions of
the second half of the games (guessing: 0.693), for which the first half chooses k, home advantage
and slope where these are learned; and the calibration slope of foresight over the whole record
(below 1: too bold). Means over leagues, with their Monte Carlo errors.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
import polars as pl
from common import print_table

import peckorder as po
from peckorder.data.contests import Contests
from peckorder.results import Ratings

HOME = 0.35
# Teams, seasons, standard deviation of strengths, drift.
LEAGUES = ((20, 1, 0.3, 0.0), (20, 1, 0.6, 0.0), (10, 2, 1.0, 0.0), (12, 3, 0.6, 0.02))


def league(teams: int, seasons: int, spread: float, drift: float, seed: int) -> Contests:
    """All games of a league with known strengths."""
    random = np.random.default_rng([teams, seed])
    strength = random.normal(0, spread, teams)
    pairs = [(a, b) for a in range(teams) for b in range(teams) if a != b]
    rows = []
    for _ in range(seasons):
        for i in random.permutation(len(pairs)):
            a, b = pairs[i]
            strength = strength + random.normal(0, drift, teams)
            chance = 1 / (1 + np.exp(strength[b] - strength[a] - HOME))
            won = random.random() < chance
            rows.append((f"t{a}", f"t{b}", int(won), int(not won)))
    names = ["home", "away", "home_points", "away_points"]
    return po.read(pl.DataFrame(rows, schema=names, orient="row"))


def learned(data: Contests, **settings: object) -> Ratings:
    """Ratings of all games with what the first half of them teaches."""
    past = po.elo(data.take(np.arange(len(data) // 2)), **settings)  # pyright: ignore
    kept = {"k": past.settings["k"], "home_advantage": past.settings["home_advantage"]}
    return po.elo(data, home_in_update=True, **kept)


def raters(data: Contests) -> dict[str, Ratings]:
    """The ratings that are compared."""
    both = {"k": "tuned", "home_advantage": "tuned", "home_in_update": True}
    return {
        "default": po.elo(data),
        "Games": learned(data, preset="Games"),
        "tuned": learned(data, **both),
    }


def losses(data: Contests) -> dict[str, tuple[float, float]]:
    """Log loss in the second half and calibration slope, plain and recalibrated."""
    half, out = len(data) // 2, {}
    for name, ratings in raters(data).items():
        for calibrate in (False, True):
            found = po.evaluate(ratings, skip=half, runs=1, calibrate=calibrate)
            slope = po.calibration(ratings, calibrate=calibrate).value
            label = f"{name}, calibrated" if calibrate else name
            out[label] = found.foresight["log_loss"], slope
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, to try the program")
    parser.add_argument("--sets", type=int, help="leagues of each kind (default 30)")
    given = parser.parse_args()
    sets = given.sets or (2 if given.quick else 30)
    warnings.simplefilter("ignore")
    for kind in LEAGUES:
        found = [losses(league(*kind, seed=seed)) for seed in range(sets)]
        rows = []
        for name in found[0]:
            values = np.array([one[name] for one in found], float)
            error = values.std(axis=0, ddof=1) / np.sqrt(sets)
            cells = zip(values.mean(axis=0), error, strict=True)
            rows.append([name, *(f"{x:.3f} ± {e:.3f}" for x, e in cells)])
        teams, seasons, spread, drift = kind
        print(
            f"{teams} teams, {seasons} season(s), strengths with standard deviation {spread}, "
            f"drift {drift}; {sets} leagues"
        )
        print_table(["", "log loss", "slope"], rows)


if __name__ == "__main__":
    main()

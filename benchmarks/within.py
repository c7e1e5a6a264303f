"""Elo ratings of contests whose order within a day is not recorded, in simulated groups.

Groups of eight, true ratings normal with standard deviation 200, 20 days with 6 contests each
between random pairs, won with the chances of the logistic curve of scale 400. In three worlds true
ratings are constant (static), take a normal step of standard deviation 15 before each contest
(drift), or follow Elo with k = 100 (winner effects). The file has the contests of each day as they
happened, shuffled, or sorted by the name of the winner. Printed for each rule of `po.elo` with
k = 100, with Monte Carlo standard errors: the rank error (mean absolute difference between the
ranks and the true ranks after the last contest), by how much it is larger than with the true
sequence in the same group, how far ratings are from those of the true sequence (mean over groups of
the largest difference, in points), and the share of groups in which a pair of adjacent ranks of the
true sequence is reversed.
"""

from __future__ import annotations

import argparse

import numpy as np
import polars as pl
from common import print_table

import peckorder as po
from peckorder.ranks import average_ranks

SIZE, DAYS, EACH = 8, 20, 6
SPREAD, STEP, K, SCALE = 200.0, 15.0, 100.0, 400.0
WORLDS = ("static", "drift", "winner effects")
RULES = {
    "file, as it happened": ("file", "true"),
    "file, shuffled": ("file", "shuffled"),
    "file, sorted by winner": ("file", "sorted"),
    "average": ("average", "sorted"),
    "batch": ("batch", "sorted"),
}


def simulated(world: str, seed: int) -> tuple[list[tuple[int, str, str]], np.ndarray]:
    """Contests (day, winner, loser) in their true order, and the true ratings after the last."""
    random = np.random.default_rng([WORLDS.index(world), seed])
    true = random.normal(0, SPREAD, SIZE)
    rows = []
    for contest in range(DAYS * EACH):
        if world == "drift":
            true = true + random.normal(0, STEP, SIZE)
        a, b = random.choice(SIZE, 2, replace=False)
        chance = 1 / (1 + 10 ** ((true[b] - true[a]) / SCALE))
        a, b, chance = (a, b, chance) if random.random() < chance else (b, a, 1 - chance)
        if world == "winner effects":
            true[a] += K * (1 - chance)
            true[b] -= K * (1 - chance)
        rows.append((contest // EACH, f"n{a}", f"n{b}"))
    return rows, true


def in_the_file(rows: list[tuple[int, str, str]], order: str, seed: int) -> pl.DataFrame:
    """The table of contests, with those of a day in one of three orders."""
    if order == "shuffled":
        mixed = np.random.default_rng([9, seed]).permutation(len(rows))
        rows = sorted((rows[i] for i in mixed), key=lambda row: row[0])
    elif order == "sorted":
        rows = sorted(rows)
    first = np.datetime64("2026-01-01")
    return pl.DataFrame(
        {
            "date": [str(first + day) for day, _, _ in rows],
            "winner": [winner for _, winner, _ in rows],
            "loser": [loser for _, _, loser in rows],
        }
    )


def rated(rows: list[tuple[int, str, str]], rule: str, order: str, seed: int) -> np.ndarray:
    """Ratings n0, n1, …; individuals without a contest keep the starting rating."""
    found = dict(po.elo(po.read(in_the_file(rows, order, seed)), within=rule, k=K).items())
    return np.array([found.get(f"n{i}", 1000.0) for i in range(SIZE)])


def compared(world: str, seed: int) -> np.ndarray:
    """By rule: rank error, its excess, largest difference of ratings, whether a pair reverses."""
    rows, true = simulated(world, seed)
    reference = rated(rows, "file", "true", seed)
    ranks = np.argsort(-reference)
    true_ranks = average_ranks(true)
    least = np.abs(average_ranks(reference) - true_ranks).mean()
    out = []
    for rule, order in RULES.values():
        rating = rated(rows, rule, order, seed)
        error = np.abs(average_ranks(rating) - true_ranks).mean()
        reversed_pair = bool((np.diff(rating[ranks]) > 0).any())
        out.append((error, error - least, np.abs(rating - reference).max(), reversed_pair))
    return np.array(out, float)


def study(world: str, sets: int) -> tuple[np.ndarray, np.ndarray]:
    """Means over groups and their Monte Carlo standard errors, (rules, measures)."""
    each = np.array([compared(world, seed) for seed in range(sets)])
    return each.mean(axis=0), each.std(axis=0, ddof=1) / np.sqrt(sets)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few groups, to try the program")
    parser.add_argument("--sets", type=int, help="groups of each kind (default 400)")
    given = parser.parse_args()
    sets = given.sets or (20 if given.quick else 400)
    rows = []
    for world in WORLDS:
        mean, error = study(world, sets)
        for name, values, errors in zip(RULES, mean, error, strict=True):
            cells = [
                f"{v:.{digits}f} ± {e:.{digits}f}"
                for v, e, digits in zip(values, errors, (3, 3, 1, 3), strict=True)
            ]
            rows.append([world, name, *cells])
    print(f"{SIZE} individuals, {DAYS} days x {EACH} contests, {sets} groups of each kind")
    print_table(["world", "rule", "rank error", "excess", "points", "reversed"], rows)


if __name__ == "__main__":
    main()

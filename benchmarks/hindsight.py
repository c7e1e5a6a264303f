"""How much hindsight flatters sequential Elo, and whether cross-validation tells.

Strengths are normal and constant (league) or drift (each takes a normal step before each contest);
pairs meet at random. Ratings are Elo with a fixed k. Printed: the share of contests explained by
the final ratings; the share that they would explain if the outcomes of the same contests were drawn
again (the truth, which is known here); and the share by cross-validation, which `evaluate` reports.
Means over records, with their Monte Carlo errors.
"""

from __future__ import annotations

import argparse

import numpy as np
from common import as_data, print_table

import peckorder as po

WORLDS = (
    ("league", 12, 120, 0.0),
    ("league", 12, 400, 0.0),
    ("drift", 12, 400, 0.05),
)


def one(size: int, number: int, drift: float, k: float, seed: int) -> tuple[float, float, float]:
    """Share explained in one record, with outcomes drawn again, and by cross-validation."""
    random = np.random.default_rng(seed)
    steps = random.normal(0, drift, (number, size)) if drift else np.zeros((number, size))
    course = random.normal(0, 1, size) + np.cumsum(steps, axis=0)
    a = random.integers(size, size=number)
    b = (a + random.integers(1, size, size=number)) % size
    at = np.arange(number)
    chance = 1 / (1 + np.exp(course[at, b] - course[at, a]))
    won = random.random(number) < chance
    data = as_data(np.where(won, a, b), np.where(won, b, a))
    ratings = po.elo(data, k=k)
    found = po.evaluate(ratings, runs=1, seed=0, threads=1).hindsight
    known = dict(ratings.items())
    rating = np.array([known.get(str(i), 1000.0) for i in range(size)])
    ahead = rating[a] - rating[b]
    again = np.where(ahead > 0, chance, np.where(ahead < 0, 1 - chance, 0.0))
    return found["share"], float(again.mean()), found["share_left_out"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, to try the program")
    parser.add_argument("--sets", type=int, help="records of each kind (default 200)")
    given = parser.parse_args()
    sets = given.sets or (10 if given.quick else 200)
    rows = []
    for world, size, number, drift in WORLDS:
        for k in (20, 100, 300):
            found = np.array([one(size, number, drift, k, seed) for seed in range(sets)])
            error = found.std(axis=0, ddof=1) / np.sqrt(sets)
            cells = [f"{x:.3f} ± {e:.3f}" for x, e in zip(found.mean(axis=0), error, strict=True)]
            rows.append([world, f"{size}x{number}", k, *cells])
    print(f"Share of contests explained by final ratings, {sets} records of each kind")
    print_table(["", "size", "k", "hindsight", "drawn again", "cross-validated"], rows)


if __name__ == "__main__":
    main()

"""How often the best of several equally good raters is called better by `compare_models`.

Each rater predicts the true log-odds of a contest with an error of its own. "Equal": errors of all
raters have the same distribution, independent from contest to contest; "equal, lasting errors":
the same, but an error resembles the one before (autocorrelation 0.8); "one better": the first
rater makes no error, and those of the others are twice as large. Printed: the share of records in
which the rater with the highest log score is called better than at least one other, without a
correction (paired interval of each difference to the best) and as `compare_models` does it, and
how often the better rater is called better than all others. Monte Carlo errors are binomial.
"""

from __future__ import annotations

import argparse

import numpy as np
from common import print_table

from peckorder.evaluation.scoring import all_differences, paired_interval
from peckorder.random_runs import Runs

RATERS = 8
ERROR = 0.6
CLEARLY = 1.2  # standard deviation of errors where one rater makes none
RUNS = 499
WORLDS = (
    ("equal", 100),
    ("equal", 300),
    ("equal, lasting errors", 100),
    ("equal, lasting errors", 300),
    ("one better", 300),
    ("one better", 1000),
)


def log_scores(world: str, contests: int, seed: int, raters: int = RATERS) -> np.ndarray:
    """Log score of each contest (row) and rater (column)."""
    random = np.random.default_rng([WORLDS.index((world, contests)), seed])
    true = random.normal(0, 1, contests)
    error = random.normal(0, ERROR, (contests, raters))
    if world == "equal, lasting errors":
        for t in range(1, contests):
            error[t] = 0.8 * error[t - 1] + np.sqrt(1 - 0.8**2) * error[t]
    if world == "one better":
        error *= CLEARLY / ERROR
        error[:, 0] = 0.0
    won = random.random(contests) < 1 / (1 + np.exp(-true))
    log_odds = (true[:, None] + error) * np.where(won, 1, -1)[:, None]
    return -np.log1p(np.exp(-log_odds))


def called(points: np.ndarray, seed: int, runs: int = RUNS) -> tuple[bool, bool, bool]:
    """Better than some other: uncorrected and corrected; the first better than all: corrected."""
    order = np.argsort(-points.sum(axis=0))
    points = points[:, order]
    each = Runs.of(runs, seed, 1, None)
    plain = paired_interval(points[:, 1:] - points[:, :1], each, 0.95)[1]
    found = all_differences(points, each)
    high = np.array([found.limits(0, i, 0.95)[1] for i in range(1, points.shape[1])])
    return bool((plain < 0).any()), bool((high < 0).any()), bool((high < 0).all() and order[0] == 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, to try the program")
    parser.add_argument("--sets", type=int, help="records of each kind (default 1000)")
    given = parser.parse_args()
    sets = given.sets or (20 if given.quick else 1000)
    rows = []
    for world, contests in WORLDS:
        found = [called(log_scores(world, contests, seed), seed) for seed in range(sets)]
        shares = np.mean(np.array(found, float), axis=0)
        errors = np.sqrt(np.maximum(shares * (1 - shares), 0.25 / sets) / sets)
        cells = [f"{x:.3f} ± {e:.3f}" for x, e in zip(shares, errors, strict=True)]
        rows.append([world, contests, *cells])
    print(f"{RATERS} raters, {sets} records of each kind: share with a rater called better")
    print_table(["", "contests", "uncorrected", "corrected", "first better than all"], rows)


if __name__ == "__main__":
    main()

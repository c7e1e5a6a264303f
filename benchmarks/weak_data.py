"""Convergence of `elo_bayes` with default settings on sparse data.

Contests between random pairs, simulated from the model (k = 0.3), by the number of individuals, the
contests per individual (all contests divided by all individuals) and the true spread σ of starting
scores. Five data sets per setting: median and worst of the largest R̂ and of the smallest effective
sample size (bulk ESS; of k, σ and centered starting scores), and the divergences in all five. At
the end, the numbers of settings (by their median) and of single fits with R̂ above 1.01 or ESS below
300.
"""

from __future__ import annotations

import itertools
import warnings

import numpy as np
from common import as_data, elo_contests, print_table, wants_quick

import peckorder as po

INDIVIDUALS, PER_INDIVIDUAL, SPREADS, K = (5, 10, 44), (2, 6), (0.3, 2.6), 0.3
LIMIT_RHAT, LIMIT_ESS = 1.01, 300


def fit(individuals: int, contests: int, spread: float, number: int) -> list[float]:
    """Largest R̂, smallest effective sample size and divergences of one data set."""
    random = np.random.default_rng([individuals, contests, int(10 * spread), number])
    data = as_data(*elo_contests(contests, individuals, K, spread, random)[:2])
    try:
        found = po.elo_bayes(data, seed=number)
    except po.ConvergenceError as error:
        found = error.ratings
    return [found.values[name] for name in ("rhat_max", "ess_min", "divergences")]


def outside(rhat: float | np.ndarray, ess: float | np.ndarray) -> np.ndarray:
    return (np.asarray(rhat) > LIMIT_RHAT) | (np.asarray(ess) < LIMIT_ESS)


def main() -> None:
    sets = 1 if wants_quick(__doc__) else 5
    rows, kinds, fits = [], 0, 0
    for individuals, per, spread in itertools.product(INDIVIDUALS, PER_INDIVIDUAL, SPREADS):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", po.ConvergenceWarning)
            found = [fit(individuals, individuals * per, spread, i) for i in range(sets)]
        rhat, ess, divergences = np.array(found).T
        bad = outside(rhat, ess)
        kinds += int(outside(np.median(rhat), np.median(ess)))
        fits += int(bad.sum())
        rows.append(
            [
                individuals,
                per,
                spread,
                f"{np.median(rhat):.4f}",
                f"{rhat.max():.4f}",
                f"{np.median(ess):.0f}",
                f"{ess.min():.0f}",
                int(divergences.sum()),
                int(bad.sum()),
            ]
        )
    print(f"Sparse data, {sets} data sets per setting, 4 × (500 + 1500) draws")
    print_table(
        [
            "individuals",
            "contests each",
            "σ",
            "R̂",
            "worst R̂",
            "min ESS",
            "worst ESS",
            "divergences",
            "outside",
        ],
        rows,
    )
    print(
        f"R̂ > {LIMIT_RHAT} or ESS < {LIMIT_ESS}: {kinds} of {len(rows)} settings, "
        f"{fits} of {sets * len(rows)} fits"
    )


if __name__ == "__main__":
    main()

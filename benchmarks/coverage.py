"""How often the interval of steepness holds the truth: a simulation with known chances.

Strengths are drawn from a normal distribution; i beats j with chance 1/(1 + e^(s_j − s_i)); every
dyad has the same number of contests. The truth is the slope of David's scores on the true chances.
For each setting: the share of intervals that hold it, and that lie wholly above or below it; the
true and the estimated steepness on average.
"""

from __future__ import annotations

import numpy as np
from common import print_table, wants_quick

import peckorder as po
from peckorder.ranking.davids_score import scores
from peckorder.structure.steepness import line

SIZES, CONTESTS, SPREADS = (6, 12, 20), (1, 5, 20, 100, 500), (0.3, 1.0, 3.0)


def trial(size: int, contests: int, spread: float, random: np.random.Generator) -> list[float]:
    strength = random.normal(0, spread, size)
    chance = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
    np.fill_diagonal(chance, 0)
    upper = np.triu_indices(size, 1)
    wins = np.zeros((size, size), int)
    wins[upper] = random.binomial(contests, chance[upper])
    wins.T[upper] = contests - wins[upper]
    normds = np.sort(scores(chance)["normds"])[::-1]
    truth = abs(line(np.arange(1.0, size + 1), normds)[0])
    names = tuple(f"animal {i}" for i in range(size))
    found = po.steepness(po.Matrix(names, wins), runs=1, seed=random)
    return [truth, found.value, found.low, found.high]


def main() -> None:
    groups = 20 if wants_quick(__doc__) else 400
    rows = []
    for size in SIZES:
        for spread in SPREADS:
            for contests in CONTESTS:
                random = np.random.default_rng([size, contests, int(10 * spread)])
                seen = np.array([trial(size, contests, spread, random) for _ in range(groups)])
                truth, value, low, high = seen.T
                shares = (low <= truth) & (truth <= high), low > truth, high < truth
                rows.append(
                    [
                        size,
                        spread,
                        contests,
                        *(f"{share.mean():.2f}" for share in shares),
                        f"{truth.mean():.2f}",
                        f"{value.mean():.2f}",
                    ]
                )
    print(f"Interval of steepness (95 %), {groups} groups of each kind")
    print_table(
        [
            "individuals",
            "spread",
            "contests per dyad",
            "holds",
            "too high",
            "too low",
            "truth",
            "D_ij",
        ],
        rows,
    )


if __name__ == "__main__":
    main()

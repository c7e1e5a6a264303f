"""What the steepness test claims, by its null: uniform wins (published) or fair coins.

Ten individuals, every dyad with the same number of contests. Equal individuals (each contest a fair
toss), wins drawn uniformly on 0 … n, and hierarchies by the logistic curve of normal strengths.
Printed: the share of sets called steeper (p ≤ 0.05), flatter (p_less ≤ 0.05), and either of
both by the two-sided summary (smaller p ≤ 0.025), and the median p.
"""

from __future__ import annotations

import numpy as np
from common import print_table, wants_quick

import peckorder as po

SIZE = 10
CONTESTS = (5, 20)
WORLDS = {"equal individuals": 0.0, "spread 0.3": 0.3, "spread 1": 1.0, "uniform wins": None}
NULLS = ("uniform", "binomial")


def simulated(spread: float | None, contests: int, random: np.random.Generator) -> po.Matrix:
    """Wins in all dyads, by normal strengths or drawn uniformly."""
    strength = random.normal(0, spread or 0.0, SIZE)
    upper = np.triu_indices(SIZE, 1)
    if spread is None:
        won = random.integers(0, contests + 1, len(upper[0]))
    else:
        won = random.binomial(contests, 1 / (1 + np.exp(strength[upper[1]] - strength[upper[0]])))
    wins = np.zeros((SIZE, SIZE), int)
    wins[upper] = won
    wins.T[upper] = contests - won
    return po.Matrix(tuple(f"animal {i}" for i in range(SIZE)), wins)


def p_values(world: str, contests: int, null: str, *, sets: int, runs: int) -> np.ndarray:
    """p and p_less of simulated sets."""
    out = np.empty((sets, 2))
    for i in range(sets):
        random = np.random.default_rng([list(WORLDS).index(world), contests, i])
        data = simulated(WORLDS[world], contests, random)
        found = po.steepness(data, null=null, runs=runs, seed=i, threads=1)
        out[i] = found.p, found.p_less
    return out


def claims(p: np.ndarray) -> dict[str, float]:
    """Shares of sets that are called steeper, flatter, and either by the two-sided summary."""
    return {
        "steeper": float(np.mean(p[:, 0] <= 0.05)),
        "flatter": float(np.mean(p[:, 1] <= 0.05)),
        "two-sided": float(np.mean(p.min(axis=1) <= 0.025)),
    }


def main() -> None:
    sets = 20 if wants_quick(__doc__) else 400
    rows = []
    for world in WORLDS:
        for contests in CONTESTS:
            for null in NULLS:
                p = p_values(world, contests, null, sets=sets, runs=999)
                shares = (f"{share:.3f}" for share in claims(p).values())
                rows.append([world, contests, null, *shares, f"{np.median(p[:, 0]):.4f}"])
    error = np.sqrt(0.05 * 0.95 / sets)
    print(f"Steepness of {SIZE} individuals, {sets} sets of each kind (error of 0.05: {error:.3f})")
    header = ["world", "contests per dyad", "null", "steeper", "flatter", "two-sided"]
    print_table([*header, "median p"], rows)


if __name__ == "__main__":
    main()

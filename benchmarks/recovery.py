"""Does `recovery` predict the errors that ranks really have?

Twelve individuals with 150 contests, in worlds with equal individuals (whose order is arbitrary),
normal strengths of several spreads (once with 600 contests), drifting ratings, and a takeover
halfway. Each data set is given to `recovery` with each method. Printed: predicted and actual mean
absolute rank error and share of dyads in the correct order, with Monte Carlo errors of the actual
ones; how many ranks were called resolved (probability of the rank ≥ 0.95), and how many of these
are right.
"""

from __future__ import annotations

import warnings

import numpy as np
from common import print_table, wants_quick

import peckorder as po
from peckorder.ranks import average_ranks

SIZE, CONTESTS = 12, 150
LONG = "spread 2 × 600"  # contests: with more data, more ranks are resolved
WORLDS = ("spread 0", "spread 0.5", "spread 1", "spread 2", "drift", "takeover", LONG)
DRIFT = 0.1  # standard deviation of a step of every rating between two contests
METHODS = ("dynamic", "elo", "davids_score", "randomized_elo", "elo_ml", "elo_bayes")
SETS = {"dynamic": (40, 4), "elo_bayes": (10, 2), "elo_ml": (8, 2)}  # data sets, simulations each
SETTINGS = {"elo_ml": {"penalized": True}}


def simulated(world: str, random: np.random.Generator) -> tuple[dict[str, float], po.Interactions]:
    """True final strengths by name, and contests of random pairs."""
    spread = float(world.split()[1]) if world.startswith("spread") else 1.5
    strength = random.normal(0, max(spread, 1e-9), SIZE)
    names = [f"i{i:02d}" for i in range(SIZE)]
    rows = []
    contests = 600 if world == LONG else CONTESTS
    for t in range(contests):
        if world == "drift":
            strength = strength + random.normal(0, DRIFT, SIZE)
        if world == "takeover" and t == contests // 2:
            top, bottom = strength.argmax(), strength.argmin()
            strength[[top, bottom]] = strength[[bottom, top]]
        a, b = random.choice(SIZE, 2, replace=False)
        won = random.random() < 1 / (1 + np.exp(strength[b] - strength[a]))
        rows.append((names[a], names[b]) if won else (names[b], names[a]))
    return dict(zip(names, strength, strict=True)), po.read(rows)


def tried(world: str, method: str, sets: int, runs: int) -> np.ndarray:
    """Per data set: predicted and actual error and share of dyads, resolved ranks, right ones."""
    out = np.empty((sets, 6))
    for i in range(sets):
        random = np.random.default_rng([WORLDS.index(world), i])
        truth, data = simulated(world, random)
        found = po.recovery(
            data, method=method, runs=runs, effort=(), seed=i, threads=1, **SETTINGS.get(method, {})
        )
        table = found.table
        rank = table["rank"].to_numpy()
        strength = np.array([truth[name] for name in table["individual"]])
        true_rank = average_ranks(strength)
        a, b = np.triu_indices(len(rank), 1)
        right = (1 + np.sign(rank[b] - rank[a]) * np.sign(strength[a] - strength[b])) / 2
        resolved = table["rank_probability"].to_numpy() >= 0.95
        out[i] = (
            found.rank_mae,
            np.abs(rank - true_rank).mean(),
            found.dyads_correct,
            right.mean(),
            resolved.sum(),
            (resolved & (rank == true_rank)).sum(),
        )
    return out


def words(made: np.ndarray) -> list[str]:
    """Predicted → actual ± error, of ranks and dyads; resolved ranks and how many are right."""
    mean, error = made.mean(axis=0), made.std(axis=0, ddof=1) / np.sqrt(len(made))
    resolved, right = made[:, 4].sum(), made[:, 5].sum()
    return [
        f"{mean[0]:.2f} → {mean[1]:.2f} ± {error[1]:.2f}",
        f"{mean[0] / mean[1]:.2f}",
        f"{mean[2]:.2f} → {mean[3]:.2f} ± {error[3]:.2f}",
        f"{right:.0f} of {resolved:.0f}",
    ]


def main() -> None:
    quick = wants_quick(__doc__)
    warnings.simplefilter("ignore")
    rows = []
    for world in WORLDS:
        for method in METHODS:
            sets, runs = (2, 2) if quick else SETS.get(method, (60, 5))
            rows.append([world, method, sets, *words(tried(world, method, sets, runs))])
            print(*rows[-1], sep=" | ", flush=True)
    print(f"Recovery of ranks: {SIZE} individuals, {CONTESTS} contests")
    header = ["world", "method", "data sets", "rank error: predicted → actual", "ratio"]
    print_table(
        [*header, "dyads correct: predicted → actual", "resolved ranks that are right"], rows
    )


if __name__ == "__main__":
    main()

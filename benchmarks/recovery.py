"""Does `recovery` predict the errors that ranks really have?

Twelve individuals with 150 contests, in worlds with equal individuals (whose order is arbitrary),
normal strengths of several spreads (once with 600 contests), drifting ratings, a takeover halfway,
one individual far above all others (which differ, or hardly do), and two sets of individuals that
differ and rarely meet. Each data set is given to `recovery` with each method. Printed: predicted
and actual mean absolute rank error, their ratio, and share of dyads in the correct order, with
Monte Carlo errors; how many ranks were called resolved (probability of the rank ≥ 0.95), and how
many of these are right.

Usage: python benchmarks/recovery.py [--quick] [--methods elo_ml,elo_bayes]
       [--worlds "drift; two sets"]
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from common import print_table

import peckorder as po
from peckorder.ranks import average_ranks

SIZE, CONTESTS = 12, 150
LONG = "spread 2 × 600"  # contests: with more data, more ranks are resolved
DOMINANT, TWO_SETS, ALIKE = "one dominant", "two sets", "one dominant, others alike"
WORLDS = (
    *("spread 0", "spread 0.5", "spread 1", "spread 2"),
    *("drift", "takeover", LONG, DOMINANT, TWO_SETS, ALIKE),
)
DRIFT = 0.1  # standard deviation of a step of every rating between two contests
ABOVE = 4.0  # difference in rating between one dominant individual and the next
APART, BETWEEN = 3.0, 0.03  # difference between two sets, and share of contests between them
METHODS = ("dynamic", "elo", "davids_score", "randomized_elo", "elo_ml", "elo_bayes")
FAST, SLOW = (200, 3), (60, 2)  # data sets, and simulations for each of them
SETS = {"elo_ml": SLOW, "elo_bayes": SLOW}
SETTINGS = {
    "elo_ml": {"penalized": True},
    "elo_bayes": {"chains": 1, "warmup": 200, "samples": 300},  # enough for posterior means
}


def met(world: str, random: np.random.Generator) -> np.ndarray:
    """A random pair; in the world of two sets, mostly from the same set."""
    if world != TWO_SETS:
        return random.choice(SIZE, 2, replace=False)
    upper = SIZE // 2
    if random.random() < BETWEEN:
        return np.array([random.integers(upper), random.integers(upper, SIZE)])
    return random.choice(upper, 2, replace=False) + upper * random.integers(2)


def simulated(world: str, random: np.random.Generator) -> tuple[dict[str, float], po.Contests]:
    """True final strengths by name, and contests of random pairs."""
    spread = float(world.split()[1]) if world.startswith("spread") else 1.5
    spread = {DOMINANT: 1.0, TWO_SETS: 1.0, ALIKE: 0.3}.get(world, spread)
    strength = random.normal(0, max(spread, 1e-9), SIZE)
    if world in (DOMINANT, ALIKE):
        strength[0] = strength[1:].max() + ABOVE
    if world == TWO_SETS:
        strength[: SIZE // 2] += APART
    names = [f"i{i:02d}" for i in range(SIZE)]
    rows = []
    contests = 600 if world == LONG else CONTESTS
    for t in range(contests):
        if world == "drift":
            strength = strength + random.normal(0, DRIFT, SIZE)
        if world == "takeover" and t == contests // 2:
            top, bottom = strength.argmax(), strength.argmin()
            strength[[top, bottom]] = strength[[bottom, top]]
        a, b = met(world, random)
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
    """Predicted → actual, of ranks (with their ratio) and dyads; resolved ranks that are right."""
    mean, error = made.mean(axis=0), made.std(axis=0, ddof=1) / np.sqrt(len(made))
    ratio = mean[0] / mean[1]
    # Both errors are of the same data sets, so that the error of the ratio is one of differences.
    off = (made[:, 0] - ratio * made[:, 1]).std(ddof=1) / np.sqrt(len(made)) / mean[1]
    resolved, right = made[:, 4].sum(), made[:, 5].sum()
    return [
        f"{mean[0]:.2f} ± {error[0]:.2f} → {mean[1]:.2f} ± {error[1]:.2f}",
        f"{ratio:.2f} ± {off:.2f}",
        f"{mean[2]:.2f} → {mean[3]:.2f} ± {error[3]:.2f}",
        f"{right:.0f} of {resolved:.0f}",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, for a quick check")
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--worlds", default=";".join(WORLDS), help="names separated by ;")
    given = parser.parse_args()
    worlds = [name.strip() for name in given.worlds.split(";")]
    warnings.simplefilter("ignore")
    rows = []
    for method in given.methods.split(","):
        for world in worlds:
            sets, runs = (2, 2) if given.quick else SETS.get(method, FAST)
            rows.append([world, f"`{method}`", sets, *words(tried(world, method, sets, runs))])
            print(*rows[-1], sep=" | ", flush=True)
    print(f"Recovery of ranks: {SIZE} individuals, {CONTESTS} contests")
    header = ["world", "method", "data sets", "rank error: predicted → actual", "ratio"]
    print_table(
        [*header, "dyads correct: predicted → actual", "resolved ranks that are right"], rows
    )


if __name__ == "__main__":
    main()

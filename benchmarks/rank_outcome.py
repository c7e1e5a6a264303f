"""Which rank is the predictor of an outcome: of Elo, of posterior draws pooled, or the mean rank?

Strengths of 20 individuals (SD 1.2) give contests and ranks; an outcome depends on the true rank at
the end (a slope of 1.2 outcome SDs per SD of rank) and on a covariate. The outcome is regressed on
the covariate and on an estimate of the rank: the rank by Elo (k = 100), ranks in each of 50 draws
of `dynamic`, pooled by Rubin's rules (with the degrees of freedom of Barnard & Rubin 1999), or the
posterior mean of the rank, `rank_mean`. Worlds: constant strengths, strengths that drift (SD 0.03
per contest), and a covariate that correlates with strength (0.7). Printed, with Monte Carlo errors:
bias of the slope relative to the true one, coverage of 95% intervals, and how often the slope was
found (the interval excludes 0).

Usage: python benchmarks/rank_outcome.py [--sets 200] [--contests 100,400] [--worlds constant]
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
import scipy.stats
from common import print_table

import peckorder as po

SIZE, SPREAD, DRAWS = 20, 1.2, 50
WORLDS = ("constant", "drift", "confounded")
PREDICTORS = ("rank by Elo", "draws, pooled", "rank_mean")


def ranks(values: np.ndarray) -> np.ndarray:
    """Ranks along the last axis, 1 for the highest."""
    return np.argsort(np.argsort(-values, axis=-1), axis=-1) + 1.0


def record(world: str, contests: int, random: np.random.Generator):
    """Contests, true ranks at the end, and a covariate."""
    strength = random.normal(0, SPREAD, SIZE)
    shared = 0.7 if world == "confounded" else 0.0
    covariate = shared * strength / SPREAD + np.sqrt(1 - shared**2) * random.normal(size=SIZE)
    rows = []
    for _ in range(contests):
        a, b = random.choice(SIZE, 2, replace=False)
        won = random.random() < 1 / (1 + np.exp(strength[b] - strength[a]))
        rows.append((f"i{a}", f"i{b}") if won else (f"i{b}", f"i{a}"))
        if world == "drift":
            strength = strength + random.normal(0, 0.03, SIZE)
    return po.read(rows), strength, covariate


def slope(predictor: np.ndarray, covariate: np.ndarray, outcome: np.ndarray) -> tuple[float, float]:
    """Least-squares slope of a predictor, and its standard error."""
    columns = np.column_stack([np.ones(len(outcome)), covariate, predictor])
    inverse = np.linalg.inv(columns.T @ columns)
    fitted = inverse @ columns.T @ outcome
    rest = outcome - columns @ fitted
    error = np.sqrt(rest @ rest / (len(outcome) - 3) * inverse[2, 2])
    return float(fitted[2]), float(error)


def interval(value: float, error: float, freedom: float) -> tuple[float, float, float]:
    """Estimate with the limits of its 95% interval."""
    half = scipy.stats.t.ppf(0.975, freedom) * error
    return value, value - half, value + half


def pooled(draws: np.ndarray, covariate: np.ndarray, outcome: np.ndarray):
    """Rubin's rules."""
    each = np.array([slope(one, covariate, outcome) for one in draws])
    number, complete = len(each), len(outcome) - 3
    within, between = (each[:, 1] ** 2).mean(), each[:, 0].var(ddof=1)
    total = within + (1 + 1 / number) * between
    share = max((1 + 1 / number) * between / total, 1e-9)
    observed = (complete + 1) / (complete + 3) * complete * (1 - share)
    freedom = 1 / (share**2 / (number - 1) + 1 / observed)
    return interval(each[:, 0].mean(), np.sqrt(total), max(freedom, 2.0))


def estimates(world: str, contests: int, seed: int) -> tuple[float, dict[str, tuple]]:
    """The true slope, and the estimates by predictor."""
    random = np.random.default_rng([seed, contests, WORLDS.index(world)])
    data, strength, covariate = record(world, contests, random)
    code = np.array([int(name[1:]) for name in data.individuals])
    strength, covariate = strength[code], covariate[code]
    true = ranks(strength)
    size = -SPREAD / np.sqrt((SIZE**2 - 1) / 12)
    outcome = size * true + 0.5 * covariate + random.normal(size=len(true))
    rated = po.dynamic(data, samples=500, seed=seed, threads=1)
    drawn = ranks(rated.final)
    elo = ranks(np.asarray(po.elo(data, k=100).rating))
    freedom = len(true) - 3
    return size, {
        "rank by Elo": interval(*slope(elo, covariate, outcome), freedom),
        "draws, pooled": pooled(drawn[:: len(drawn) // DRAWS][:DRAWS], covariate, outcome),
        "rank_mean": interval(*slope(drawn.mean(axis=0), covariate, outcome), freedom),
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--contests", default="100,400")
    parser.add_argument("--worlds", default=",".join(WORLDS))
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for world in chosen.worlds.split(","):
        for contests in map(int, chosen.contests.split(",")):
            found = [estimates(world, contests, seed) for seed in range(chosen.sets)]
            for name in PREDICTORS:
                true = np.array([one for one, _ in found])
                value, low, high = np.array([by_name[name] for _, by_name in found]).T
                bias = value / true - 1
                held = (low <= true) & (true <= high)
                rows.append(
                    (
                        world,
                        contests,
                        name,
                        f"{bias.mean():+.2f} ± {bias.std() / np.sqrt(len(bias)):.2f}",
                        f"{held.mean():.2f}",
                        f"{((low > 0) | (high < 0)).mean():.2f}",
                    )
                )
    print_table(["world", "contests", "predictor", "bias", "coverage", "found"], rows)


if __name__ == "__main__":
    main()

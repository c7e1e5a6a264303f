"""What may be said of k and starting scores that `elo_ml` estimates together.

Records are simulated from Elo's recursion (natural scale): starting scores normal with standard
deviation σ, pairs at random, ratings moved by k. Printed, by large-sample theory (χ², profile
interval) and by the parametric bootstrap: how often equal starting scores are rejected at 5% where
all start equal; how often k = 0 is rejected where nothing changes; and how often the 95% interval
of k contains its true value. The bootstrap of a record (99 simulated records) ends early once its
verdict is known. Monte Carlo errors are binomial.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np
from common import as_data, elo_contests, print_table

from peckorder.curves import Exponential
from peckorder.random_runs import Runs
from peckorder.ratings.likelihood import Fit, fitted, observe
from peckorder.ratings.ml_bootstrap import (
    World,
    gain_over,
    gain_over_k,
    gain_over_model,
    nested_models,
    world_with_k,
)
from peckorder.ratings.settings import EloSettings

RUNS = 99
# Question, individuals, contests, k, σ.
WORLDS = (
    ("starts needed?", 12, 120, 0.3, 0.0),
    ("starts needed?", 12, 300, 0.3, 0.0),
    ("k needed?", 12, 300, 0.0, 1.0),
    ("interval of k", 12, 120, 0.3, 1.0),
    ("interval of k", 12, 300, 0.3, 1.0),
    ("interval of k", 12, 300, 1.0, 1.0),
    ("interval of k", 44, 915, 0.3, 2.0),
)


def simulated(size: int, number: int, k: float, sigma: float, seed: int) -> Fit:
    """A record of such a world, fitted with k and starting scores."""
    winner, loser, _ = elo_contests(number, size, k, sigma, np.random.default_rng(seed))
    settings = EloSettings(start=0.0, k=0.0, curve=Exponential(1.0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fitted(observe(as_data(winner, loser)), settings, ("k", "start"), np.inf)


def rejections(
    question: str, size: int, number: int, k: float, sigma: float, seed: int, runs: int = RUNS
) -> tuple[bool, bool]:
    """Whether the truth is rejected at 5%: by large-sample theory, and by the bootstrap."""
    from scipy.special import chdtrc

    fit = simulated(size, number, k, sigma, seed)
    if question == "interval of k":
        gain = gain_over_k(fit, 0, k)
        world, statistic = world_with_k(fit, 0, k), lambda f: gain_over_k(f, 0, k)
        p = float(chdtrc(1, gain))
    else:
        name = "k, equal starts" if question == "starts needed?" else "starts, k = 0"
        (one,) = nested_models(fit, only=name)
        gain = gain_over(fit, one)
        world = World.of(fit.whole, one.problem, one.x)
        statistic = lambda f: gain_over_model(f, name)  # noqa: E731
        half = 0.5 if question == "k needed?" else 1.0
        p = half * float(chdtrc(fit.parameters - one.parameters, gain))
    return p <= 0.05, simulation_rejects(fit, world, gain, statistic, seed, runs)


def simulation_rejects(
    fit: Fit,
    world: World,
    observed: float,
    statistic: Callable[[Fit], float],
    seed: int,
    runs: int,
) -> bool:
    """Whether p = (count + 1)/(runs + 1) ≤ 0.05, ended once the count is too large."""
    key, count = Runs.of(runs, seed, 1, None).key(), 0
    for run in range(runs):
        again = fitted(world.record(fit.seen, key, run), fit.settings, fit.estimate, np.inf)
        count += statistic(again) >= observed - 1e-9
        if (count + 1) / (runs + 1) > 0.05:
            return False
    return True


def shown(share: float, sets: int) -> str:
    return f"{share:.3f} ± {np.sqrt(max(share * (1 - share), 0.25 / sets) / sets):.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, to try the program")
    parser.add_argument("--sets", type=int, help="records of each kind (default 100)")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    sets = given.sets or (4 if given.quick else 100)
    rows = []
    header = ["", "size", "k", "σ", "χ², profile", "bootstrap"]
    with ProcessPoolExecutor(given.processes) as pool:
        for world in WORLDS[:3] if given.quick else WORLDS:
            found = list(pool.map(partial(rejections, *world), range(sets), chunksize=5))
            shares = np.mean(np.array(found, float), axis=0)
            if world[0] == "interval of k":
                shares = 1 - shares
            question, size, number, k, sigma = world
            rows.append([question, f"{size}x{number}", k, sigma, *(shown(x, sets) for x in shares)])
            print(*rows[-1], file=sys.stderr)
    print(f"Rejections at 5% (tests) and coverage of 95% (intervals), {sets} records of each kind")
    print_table(header, rows)


if __name__ == "__main__":
    main()

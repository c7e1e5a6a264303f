"""Would a prior with heavier tails hold the rating of one individual far above all others?

`dynamic` spreads ratings by a normal distribution, whose σ is learned. One outstanding individual
is then pulled toward the others. Here the prior is a contaminated normal distribution (Tukey 1960):
each individual has, with probability 0.1, three times the standard deviation of the others. The
posterior is a mixture over all individuals that may be the exception; of two or more exceptions
nothing is assumed. An individual with a wider prior is one with a coefficient of its own, so the
filters of the package are used as they are. Printed: coverage of 95% and 80% intervals, their mean
width, and coverage and bias of the ratings of the individuals concerned (see `dynamic.py`), with
the normal prior and with the other one.

Usage: python benchmarks/contaminated.py [--sets 60] [--size 12x120,12x300] [--worlds "takeover"]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
from common import print_table
from dynamic import world

from peckorder.ratings.filter_bank import (
    COEFFICIENT_SD,
    PRIOR_SIGMA,
    SIGMA,
    drift_grid,
    half_normal_weights,
    run_bank,
)
from peckorder.ratings.filter_runner import log_sum_exp, mixture_draws

EXCEPTION, WIDER = 0.1, 3.0  # probability of an exception, and its spread relative to the others
DRAWS = 1_000
WORLDS = (
    *("one dominant by 4", "one dominant by 2", "one dominant, others alike"),
    *("static, spread 1", "static, spread 2.6", "takeover", "two sets"),
)
PRIORS = ("normal", "contaminated")
Mixture = tuple[np.ndarray, np.ndarray, np.ndarray]  # log weights, means, covariances


def components(
    winner: np.ndarray, loser: np.ndarray, size: int, exception: int | None
) -> Iterator[Mixture]:
    """Filters with one exception, or none, for each spread."""
    prior = np.log(half_normal_weights(SIGMA, PRIOR_SIGMA))
    for sigma, log_prior in zip(SIGMA, prior, strict=True):
        unit = np.sqrt(WIDER**2 - 1) * sigma / COEFFICIENT_SD
        side = None
        if exception is not None:
            side = unit * ((winner == exception) * 1.0 - (loser == exception))
        grid = drift_grid(sigma=(sigma,))
        bank = run_bank(winner, loser, individuals=size, grid=grid, covariates=side, threads=1)
        total = np.zeros((size, bank.means.shape[1]))  # from the state to the ratings
        total[:, bank.coefficients :] = np.eye(size)
        if exception is not None:
            total[exception, 1] = unit
        means = bank.means @ total.T
        yield (
            log_prior + grid.log_prior + bank.log_evidences,
            means,
            total @ bank.covariances @ total.T,
        )


def posterior(winner: np.ndarray, loser: np.ndarray, size: int, prior: str) -> Mixture:
    """All filters, with their log weights."""
    without = size * np.log(1 - EXCEPTION)
    with_one = np.log(EXCEPTION) + (size - 1) * np.log(1 - EXCEPTION)
    cases: list[tuple[int | None, float]] = [(None, without)]
    if prior == "contaminated":
        cases += [(i, with_one) for i in range(size)]
    parts = [
        (log_prior + weights, means, covariances)
        for who, log_prior in cases
        for weights, means, covariances in components(winner, loser, size, who)
    ]
    weights, means, covariances = (np.concatenate(part) for part in zip(*parts, strict=True))
    return weights, means, covariances


def tried(name: str, size: int, contests: int, sets: int, prior: str) -> dict[str, list[float]]:
    """Coverage, width and bias in each of several groups."""
    held: dict[str, list[float]] = {key: [] for key in ("95", "80", "width", "own", "bias")}
    for number in range(sets):
        group = world(name, size, contests, np.random.default_rng([size, contests, number]))
        winner, loser = np.array(group.pairs).T
        weights, means, covariances = posterior(winner, loser, size, prior)
        weights = np.exp(weights - log_sum_exp(weights))
        random = np.random.default_rng(number)
        draws = mixture_draws(weights, means, covariances, DRAWS, random)
        truth = group.rating - group.rating.mean()
        low, low80, high80, high = np.quantile(draws, [0.025, 0.1, 0.9, 0.975], axis=0)
        inside = (low <= truth) & (truth <= high)
        held["95"].append(inside.mean())
        held["80"].append(((low80 <= truth) & (truth <= high80)).mean())
        held["width"].append((high - low).mean())
        if group.concerned.size:
            held["own"].append(inside[group.concerned].mean())
            held["bias"].append((draws.mean(axis=0) - truth)[group.concerned].mean())
    return held


def words(held: dict[str, list[float]]) -> list[str]:
    """Means, with Monte Carlo errors of coverage."""

    def error(key: str) -> float:
        return float(np.std(held[key]) / np.sqrt(len(held[key])))

    own = ["–", "–"]
    if held["own"]:
        own = [f"{np.mean(held['own']):.3f} ± {error('own'):.3f}", f"{np.mean(held['bias']):+.2f}"]
    return [
        f"{np.mean(held['95']):.3f} ± {error('95'):.3f}",
        f"{np.mean(held['80']):.3f}",
        f"{np.mean(held['width']):.2f}",
        *own,
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=60)
    parser.add_argument("--size", default="12x120,12x300")
    parser.add_argument("--worlds", default=";".join(WORLDS), help="names separated by ;")
    given = parser.parse_args()
    rows = []
    for size in given.size.split(","):
        individuals, contests = map(int, size.split("x"))
        for name in (one.strip() for one in given.worlds.split(";")):
            for prior in PRIORS:
                found = tried(name, individuals, contests, given.sets, prior)
                rows.append([name, size, prior, *words(found)])
                print(*rows[-1], sep=" | ", flush=True)
    print(f"{given.sets} simulated groups per row")
    header = ["world", "size", "prior", "95% intervals", "80%", "width", "concerned", "bias"]
    print_table(header, rows)


if __name__ == "__main__":
    main()

"""Simulation-based calibration of `elo_bayes` (Talts et al. 2018).

10 individuals, 150 contests of random pairs; σ and k half-normal(0, 1), starting scores N(0, σ).
With parameters drawn from the prior, p% intervals contain the truth in p% of the data sets, and
the rank of the truth among independent draws is uniform. Reported are the coverage of the 80% and
95% intervals of k, σ and the final ratings (centered), with the range expected in 95% of such
studies of a calibrated sampler; and the ranks among 99 thinned draws of k, σ and the starting score
of each individual (centered in every draw, as reported): a χ² test with ten bins, and the largest
deviation of their empirical distribution from the uniform one, which is below the bound of
Dvoretzky, Kiefer, Wolfowitz and Massart in at least 95% of studies. The ratings of one data set are
not independent: their range is that of the mean coverage per data set, and starting scores are
tested separately for each individual.
"""

from __future__ import annotations

import copy
import warnings

import numpy as np
from common import as_data, elo_contests, print_table, wants_quick
from scipy import stats

import peckorder as po

INDIVIDUALS, CONTESTS = 10, 150
LEVELS = (0.8, 0.95)
BINS, THINNED = 10, 99


def trial(number: int) -> tuple[dict[str, list[float]], dict[str, int], float]:
    """Coverage of k, σ and ratings at each level; ranks of the truth; largest R̂."""
    random = np.random.default_rng([20260101, number])
    k, sigma = np.abs(random.normal(size=2))
    start = copy.deepcopy(random).normal(0.0, sigma, INDIVIDUALS)  # what elo_contests draws first
    winner, loser, rating = elo_contests(CONTESTS, INDIVIDUALS, k, sigma, random)
    try:
        found = po.elo_bayes(as_data(winner, loser), warmup=500, samples=500, seed=number)
    except po.ConvergenceError as error:
        found = error.ratings
    codes = [int(name) for name in found.individuals]
    rating, start = rating[codes] - rating[codes].mean(), start[codes] - start[codes].mean()
    truths = {"k": k, "σ": sigma, "final ratings": rating}
    draws = {
        "k": found.samples["k"].ravel(),
        "σ": found.samples["sigma"].ravel(),
        "final ratings": found.final,
    }
    held = {}
    for name, truth in truths.items():
        ends = [np.quantile(draws[name], [(1 - p) / 2, (1 + p) / 2], axis=0) for p in LEVELS]
        held[name] = [float(np.mean((low <= truth) & (truth <= high))) for low, high in ends]
    kept = np.linspace(0, len(draws["k"]) - 1, THINNED).astype(int)
    ranks = {name: int((draws[name][kept] < truths[name]).sum()) for name in ("k", "σ")}
    started = found.samples["start"].reshape(-1, len(codes))[kept]
    below = (started - started.mean(axis=1, keepdims=True) < start).sum(axis=0)
    ranks |= {f"start {code + 1}": int(below[i]) for i, code in enumerate(codes)}
    return held, ranks, found.rhat_max


def bounds(level: float, sets: int) -> str:
    low, high = stats.binom.ppf([0.025, 0.975], sets, level) / sets
    return f"{low:.3f} to {high:.3f}"


def bounds_of_mean(shares: np.ndarray, level: float) -> str:
    error = 1.96 * shares.std(ddof=1) / np.sqrt(len(shares))
    return f"{level - error:.3f} to {level + error:.3f}"


def uniformity(ranks: np.ndarray) -> tuple[np.ndarray, float, float, float]:
    """Counts in bins, χ² and its p, and the largest deviation of the empirical distribution."""
    counts = np.bincount(ranks * BINS // (THINNED + 1), minlength=BINS)
    test = stats.chisquare(counts)
    reached = np.bincount(ranks, minlength=THINNED + 1).cumsum() / len(ranks)
    uniform = np.arange(1, THINNED + 2) / (THINNED + 1)
    return counts, test.statistic, test.pvalue, float(np.abs(reached - uniform).max())


def band(sets: int, tests: int = 1) -> float:
    """Bound that the deviation exceeds in at most 5% of studies, in any of `tests` tests."""
    return float(np.sqrt(np.log(2 * tests / 0.05) / (2 * sets)))


def print_coverage(trials: list, sets: int) -> None:
    rows = []
    for name in trials[0][0]:
        shares = np.array([held[name] for held, _, _ in trials])
        for i, level in enumerate(LEVELS):
            own = shares[:, i]
            range_of = (
                bounds_of_mean(own, level) if name == "final ratings" else bounds(level, sets)
            )
            rows.append([name, f"{level:.0%}", f"{own.mean():.3f}", range_of])
    print(f"Coverage of intervals, {sets} data sets")
    print_table(["", "level", "coverage", "expected"], rows)


def print_ranks(trials: list, sets: int) -> None:
    names = ["k", "σ", *(f"start {i}" for i in range(1, INDIVIDUALS + 1))]
    rows, smallest, largest = [], {}, {}
    for name in names:
        ranks = np.array([ranks[name] for _, ranks, _ in trials])
        counts, statistic, smallest[name], largest[name] = uniformity(ranks)
        rows.append(
            [
                name,
                *counts,
                f"{statistic:.1f}",
                f"{smallest[name]:.3f}",
                f"{largest[name]:.3f}",
                "inside" if largest[name] <= band(sets) else "OUTSIDE",
            ]
        )
    print(
        f"Rank of the truth among {THINNED} draws: data sets per bin (expected {sets / BINS:.0f})"
    )
    print_table(["", *range(1, BINS + 1), "χ²", "p", "deviation", f"band {band(sets):.3f}"], rows)
    worst, farthest = min(smallest, key=smallest.__getitem__), max(largest, key=largest.__getitem__)
    limit, wide = 0.05 / len(names), band(sets, len(names))
    fine = "above" if smallest[worst] >= limit else "BELOW"
    inside = "within" if largest[farthest] <= wide else "OUTSIDE"
    print(
        f"Smallest of {len(names)} p-values: {smallest[worst]:.4f} ({worst}), {fine} {limit:.4f} "
        f"(Bonferroni, 5%). Largest deviation: {largest[farthest]:.3f} ({farthest}), {inside} the "
        f"simultaneous band of all {len(names)} tests, {wide:.3f}."
    )


def main() -> None:
    sets = 50 if wants_quick(__doc__) else 500
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", po.ConvergenceWarning)
        trials = [trial(number) for number in range(sets)]
    print_coverage(trials, sets)
    print_ranks(trials, sets)
    rhat = np.array([r for _, _, r in trials])
    print(f"Largest R̂ {rhat.max():.3f}; above 1.01 in {(rhat > 1.01).mean():.0%} of fits")


if __name__ == "__main__":
    main()

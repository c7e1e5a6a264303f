"""Is the posterior of `elo_bayes` calibrated? Truths drawn from its own prior, then fitted.

10 individuals, 150 contests of random pairs; σ and k half-normal(0, 1), starting scores N(0, σ).
Drawn so, intervals of p % hold the truth in p % of the data sets, whatever the prior, and the rank
of the truth among independent draws is uniform (Talts et al. 2018, simulation-based calibration).
Told are the share that the 80 and 95 % intervals of k, σ and the final ratings (centred) hold, with
the range in which 95 % of such studies of a calibrated sampler lie; and the ranks of k and σ among
99 thinned draws, in ten bins with a χ² test. Ratings of one data set are not independent of each
other: their range is that of the mean share of a data set.
"""

from __future__ import annotations

import warnings

import numpy as np
from common import as_data, elo_contests, print_table, wants_quick
from scipy import stats

import peckorder as po

INDIVIDUALS, CONTESTS = 10, 150
LEVELS = (0.8, 0.95)
BINS, THINNED = 10, 99


def trial(number: int) -> tuple[dict[str, list[float]], dict[str, int], float]:
    """For k, σ and ratings the share of truths held at each level; the ranks; largest R̂."""
    random = np.random.default_rng([20260101, number])
    k, sigma = np.abs(random.normal(size=2))
    winner, loser, rating = elo_contests(CONTESTS, INDIVIDUALS, k, sigma, random)
    try:
        found = po.elo_bayes(as_data(winner, loser), warmup=500, samples=500, seed=number)
    except po.ConvergenceError as error:
        found = error.ratings
    rating = rating[[int(name) for name in found.individuals]]
    truths = {"k": k, "σ": sigma, "final ratings": rating - rating.mean()}
    draws = {"k": found.draws["k"].ravel(), "σ": found.draws["sigma"].ravel(),
             "final ratings": found.final}  # fmt: skip
    held = {}
    for name, truth in truths.items():
        ends = [np.quantile(draws[name], [(1 - p) / 2, (1 + p) / 2], axis=0) for p in LEVELS]
        held[name] = [float(np.mean((low <= truth) & (truth <= high))) for low, high in ends]
    kept = np.linspace(0, len(draws["k"]) - 1, THINNED).astype(int)
    ranks = {name: int((draws[name][kept] < truths[name]).sum()) for name in ("k", "σ")}
    return held, ranks, found.rhat_max


def bounds(level: float, sets: int) -> str:
    low, high = stats.binom.ppf([0.025, 0.975], sets, level) / sets
    return f"{low:.3f} to {high:.3f}"


def bounds_of_mean(shares: np.ndarray, level: float) -> str:
    error = 1.96 * shares.std(ddof=1) / np.sqrt(len(shares))
    return f"{level - error:.3f} to {level + error:.3f}"


def main() -> None:
    sets = 20 if wants_quick(__doc__) else 200
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", po.ConvergenceWarning)
        trials = [trial(number) for number in range(sets)]
    rows = []
    for name in trials[0][0]:
        shares = np.array([held[name] for held, _, _ in trials])
        for i, level in enumerate(LEVELS):
            own = shares[:, i]
            range_of = (
                bounds_of_mean(own, level) if name == "final ratings" else bounds(level, sets)
            )
            rows.append([name, f"{level:.0%}", f"{own.mean():.3f}", range_of])
    print(f"Share of intervals that hold the truth, {sets} data sets")
    print_table(["", "level", "holds", "expected"], rows)
    rows = []
    for name in ("k", "σ"):
        counts = np.bincount([ranks[name] * BINS // (THINNED + 1) for _, ranks, _ in trials],
                             minlength=BINS)  # fmt: skip
        test = stats.chisquare(counts)
        rows.append([name, *counts, f"{test.statistic:.1f}", f"{test.pvalue:.3f}"])
    print(f"Rank of the truth among {THINNED} draws, data sets in each tenth ({sets / BINS:.0f})")
    print_table(["", *range(1, BINS + 1), "χ²", "p"], rows)
    rhat = np.array([r for _, _, r in trials])
    print(f"Largest R̂ {rhat.max():.3f}; above 1.01 in {(rhat > 1.01).mean():.0%} of the fits")


if __name__ == "__main__":
    main()

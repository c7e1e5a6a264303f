"""Do intervals over groups hold? Coverage of means, differences and pooled values of steepness.

Sets of groups of two species, with normal strengths whose spread differs between species and
varies between groups. The truth of a group is the slope of its true summed winning probabilities;
that of a species is the mean over its groups in the long run. Compared are `Study.pooled`, and the
t-test of plain estimates, which ignores their uncertainty. Pooled values of single groups are
compared with their own intervals.

Usage: python benchmarks/pooling.py [--quick] [--sets N]
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from common import print_table
from scipy.stats import t as student

import peckorder as po
from peckorder.groups.pooling import pooled
from peckorder.results.samples import slopes

SPREADS = (1.0, 2.0)  # of the two species
VARIATION = 0.3  # of the logarithm of the spread between groups
SIZES = (6, 12)  # individuals of a group, from and to
LONG_RUN = 20_000


def strengths(species: int, random: np.random.Generator) -> np.ndarray:
    """True strengths of a group."""
    size = int(random.integers(SIZES[0], SIZES[1] + 1))
    return random.normal(0, SPREADS[species] * np.exp(random.normal(0, VARIATION)), size)


def true_steepness(strength: np.ndarray) -> float:
    """Slope of the true summed winning probabilities on ranks."""
    chance = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
    return float(slopes((chance.sum(axis=1) - 0.5)[None])[0])


def record(strength: np.ndarray, per_dyad: float, random: np.random.Generator) -> po.Contests:
    """Contests of random pairs."""
    size = len(strength)
    number = max(3, round(per_dyad * size * (size - 1) / 2))
    a = random.integers(size, size=number)
    b = (a + random.integers(1, size, size=number)) % size
    won = random.random(number) < 1 / (1 + np.exp(strength[b] - strength[a]))
    names = np.array([f"i{i}" for i in range(size)])
    return po.read((names[np.where(won, a, b)].tolist(), names[np.where(won, b, a)].tolist()))


def holds(low: float, high: float, truth: float) -> bool:
    return bool(low <= truth <= high)


def tried(
    groups: int, per_dyad: float, truth: np.ndarray, random: np.random.Generator, seed: int
) -> dict[str, list]:
    """One set of groups: what holds, and the widths of intervals of the difference."""
    species = np.repeat([0, 1], groups)
    own = [strengths(s, random) for s in species]
    value, error, raw = [], [], []
    for i, strength in enumerate(own):
        data = record(strength, per_dyad, random)
        found = po.steepness_bayes(data, fair_coins=0, seed=seed + i, threads=1).value
        value.append(found.mean)
        error.append(found.sd)
        raw.append(holds(found.low, found.high, true_steepness(strength)))
    y, s = np.array(value), np.array(error)
    found = pooled(y, s, species, seed, draws=4_000)
    difference = found.means[:, 1] - found.means[:, 0]
    ends = np.quantile(difference, [0.025, 0.975])
    centers = np.quantile(found.means, [0.025, 0.975], axis=0)
    limits = np.quantile(found.values, [0.025, 0.975], axis=0)
    plain = y[species == 1].mean() - y[species == 0].mean()
    spread = np.sqrt(sum(y[species == c].var(ddof=1) / groups for c in (0, 1)))
    half = student.ppf(0.975, 2 * groups - 2) * spread
    return {
        "mean": [holds(*centers[:, c], truth[c]) for c in (0, 1)],
        "difference": [holds(*ends, truth[1] - truth[0])],
        "plain": [holds(plain - half, plain + half, truth[1] - truth[0])],
        "raw": raw,
        "pooled": [holds(*limits[:, i], true_steepness(one)) for i, one in enumerate(own)],
        "width": [float(ends[1] - ends[0])],
        "plain width": [float(2 * half)],
        "bias": [float(difference.mean() - (truth[1] - truth[0]))],
    }


def share(hits: list[bool]) -> str:
    p = np.mean(hits)
    return f"{p:.3f} ± {max(np.sqrt(p * (1 - p) / len(hits)), 0.5 / len(hits)):.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, for a quick check")
    parser.add_argument("--sets", type=int, default=100)
    given = parser.parse_args()
    sets = 3 if given.quick else given.sets
    warnings.simplefilter("ignore")
    random = np.random.default_rng(1)
    truth = np.array(
        [np.mean([true_steepness(strengths(c, random)) for _ in range(LONG_RUN)]) for c in (0, 1)]
    )
    rows = []
    for groups in (4, 10):
        for per_dyad in (1, 5):
            random = np.random.default_rng([2, groups, per_dyad])
            found = [tried(groups, per_dyad, truth, random, 1000 * i) for i in range(sets)]
            joined = {name: [x for one in found for x in one[name]] for name in found[0]}
            names = ("mean", "difference", "plain", "raw", "pooled")
            widths = [f"{np.mean(joined[name]):.3f}" for name in ("width", "plain width", "bias")]
            rows.append([groups, per_dyad, *(share(joined[name]) for name in names), *widths])
            print(*rows[-1], sep=" | ", flush=True)
    print(f"\nTrue means {truth[0]:.3f} and {truth[1]:.3f}; coverage of 95% intervals, {sets} sets")
    header = ["groups per species", "contests per dyad", "mean", "difference", "difference, t-test"]
    header += ["group alone", "group pooled", "width", "width, t-test", "bias"]
    print_table(header, rows)


if __name__ == "__main__":
    main()

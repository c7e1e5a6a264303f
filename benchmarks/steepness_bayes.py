"""Does the posterior of steepness keep its word? Coverage of 95% intervals, default and preset.

Groups of 6, 10 and 20 individuals with 1 or 5 contests per dyad on average, in worlds with normal
strengths of several spreads, and in worlds that break the assumptions: dyads with chances of their
own (intransitive), ratings that drift, unequal encounters with 40% of dyads unknown, heavy-tailed
strengths. The truth is the slope of the true summed winning probabilities (averaged over the record
if they drift). Equal individuals have steepness 0, which no interval contains: there the bias is
shown, and how often the test against fair coins claims that individuals differ (level 0.05), also
if 30% of their contests are ties, which are then modeled (Davidson). The preset is the published
posterior with σ = 1, for the same sequences in their order.

Usage: python benchmarks/steepness_bayes.py [--quick] [--coins]
"""

from __future__ import annotations

import argparse
import warnings
from typing import NamedTuple

import numpy as np
from common import print_table

import peckorder as po
from peckorder.results.samples import slopes

SPREADS = (0.0, 0.3, 1.0, 3.0)
WRONG = ("intransitive", "drifting", "unequal encounters", "heavy tails")
TIES, TIED = "fair coins, ties", 0.3  # a world of equal individuals, and its share of ties
COINS = (0.0, TIES)  # worlds of equal individuals
PER_DYAD = (1, 5)
SIZES = (6, 10, 20)
DRIFT = 0.05  # standard deviation of a step of every rating between two contests
TOSSES = 19  # so that p ≤ 0.05 is possible in exactly 5% of sets
MOST_TOSSED = 300  # contests up to which refits with fair coins are affordable
UNKNOWN = 0.4  # share of dyads that never meet in the world of unequal encounters
FIT = {"chains": 2, "warmup": 400, "samples": 800}  # of the preset: shorter than its default


class Tried(NamedTuple):
    """One interval and the truth."""

    truth: float
    mean: float
    low: float
    high: float


def chances_of(strength: np.ndarray) -> np.ndarray:
    """Winning probabilities of all pairs."""
    return 1 / (1 + np.exp(strength[None, :] - strength[:, None]))


def true_steepness(chances: np.ndarray) -> float:
    """Slope of summed winning probabilities on ranks."""
    scores = chances.sum(axis=1) - np.diag(chances)
    return float(slopes(scores[None])[0])


def meetings(world: str, size: int, number: int, random: np.random.Generator) -> np.ndarray:
    """Pairs (number, 2) in random order: every dyad alike, or at rates of its own."""
    a, b = np.triu_indices(size, 1)
    if world == "unequal encounters":
        rate = random.gamma(0.5, size=len(a))
        chain = b == a + 1  # keeps the group connected
        rate[(random.random(len(a)) < UNKNOWN) & ~chain] = 0.0
        own = random.choice(len(a), number, p=rate / rate.sum())
    else:
        own = random.permutation(np.repeat(np.arange(len(a)), number // len(a)))
    return np.column_stack([a[own], b[own]])


def simulated(
    world: str | float, size: int, per_dyad: int, random: np.random.Generator
) -> tuple[float, po.Contests]:
    """True steepness and a sequence of contests."""
    number = per_dyad * size * (size - 1) // 2
    name = world if isinstance(world, str) else "normal"
    strength = random.normal(0, world if isinstance(world, float) else 1.0, size)
    if name == TIES:
        strength = np.zeros(size)
    if name == "heavy tails":
        strength = random.standard_t(2, size)
    pair = meetings(name, size, number, random)
    if name == "drifting":
        walk = np.cumsum(random.normal(0, DRIFT, (number, size)), axis=0)
        course = np.array([chances_of(strength + step) for step in walk])
        truth = true_steepness(course.mean(axis=0))
        p = course[np.arange(number), pair[:, 0], pair[:, 1]]
    else:
        chances = chances_of(strength)
        if name == "intransitive":
            own = np.triu(random.normal(0, 1, (size, size)), 1)
            odds = chances / (1 - chances) * np.exp(own - own.T)
            chances = odds / (1 + odds)
        truth = true_steepness(chances)
        p = chances[pair[:, 0], pair[:, 1]]
    won = random.random(number) < p
    winner, loser = np.where(won, pair[:, 0], pair[:, 1]), np.where(won, pair[:, 1], pair[:, 0])
    contests = {"winner": [f"i{i}" for i in winner], "loser": [f"i{i}" for i in loser]}
    if name == TIES:
        contests["draw"] = (random.random(number) < TIED).tolist()
    return truth, po.read(contests)


def tried(world: str | float, size: int, per_dyad: int, number: int, preset: bool) -> dict:
    """Intervals of several data sets: of the default or preset, and of David's scores."""
    out: dict[str, list] = {"value": [], "davids": [], "above": []}
    for i in range(number):
        place = (*SPREADS, *[None] * 6, *WRONG, TIES).index(world)
        random = np.random.default_rng([place, size, per_dyad, i])
        truth, data = simulated(world, size, per_dyad, random)
        if preset:
            found = po.steepness_bayes(data, preset="EloSteepness", seed=i, threads=1, **FIT)
        else:
            coins = TOSSES if world in COINS and len(data) <= MOST_TOSSED else 0
            ties = "davidson" if world == TIES else "omit"
            found = po.steepness_bayes(data, ties=ties, fair_coins=coins, seed=i, threads=1)
            if coins:
                out["above"].append(found.p <= 0.05)
        for name in ("value", "davids"):
            if name in found.values:
                value = found.values[name]
                out[name].append(Tried(truth, value.value, value.low, value.high))
    return out


def coverage(made: list[Tried]) -> tuple[float, float]:
    """Share of intervals that hold the truth, and its Monte Carlo error."""
    hit = np.array([one.low <= one.truth <= one.high for one in made])
    return float(hit.mean()), float(
        np.sqrt(max(hit.mean() * (1 - hit.mean()), 0.25 / len(hit)) / len(hit))
    )


def words(made: list[Tried], flat: bool) -> str:
    """Coverage ± error (none for flat groups, whose steepness is 0) and bias."""
    bias = np.mean([one.mean - one.truth for one in made])
    if flat:
        return f"– ({bias:+.2f})"
    share, error = coverage(made)
    return f"{share:.2f} ± {error:.2f} ({bias:+.2f})"


def claims(above: list[bool]) -> str:
    """Share of sets in which individuals are said to differ, with the error of a true 5%."""
    if not above:
        return ""
    return f"{np.mean(above):.3f} ± {np.sqrt(0.05 * 0.95 / len(above)):.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, for a quick check")
    parser.add_argument("--coins", action="store_true", help="worlds of equal individuals only")
    given = parser.parse_args()
    sets, tested, published = (6, 6, 2) if given.quick else (200, 400, 60)
    rows = []
    warnings.simplefilter("ignore")
    for size in SIZES:
        for world in COINS if given.coins else (*SPREADS, TIES, *WRONG):
            for per_dyad in PER_DYAD:
                flat = world in COINS
                tosses = flat and per_dyad * size * (size - 1) // 2 <= MOST_TOSSED
                ours = tried(world, size, per_dyad, tested if tosses else sets, preset=False)
                name = world if isinstance(world, str) else f"spread {world:g}"
                name = "fair coins" if world == 0.0 else name
                row = [name, size, per_dyad, words(ours["value"], flat)]
                width = np.mean([one.high - one.low for one in ours["value"]])
                row += [f"{width:.2f}", claims(ours["above"])]
                if size == 10 and world != TIES and not given.coins:
                    theirs = tried(world, size, per_dyad, published, preset=True)
                    row += [words(theirs[part], flat) for part in ("value", "davids")]
                else:
                    row += ["", ""]
                rows.append(row)
                print(*row, sep=" | ", flush=True)
    print(f"95% intervals of steepness: coverage ± Monte Carlo error (bias); {sets} data sets")
    print(f"(tests {tested}, preset {published})")
    header = ["world", "individuals", "contests per dyad", "default", "width"]
    print_table([*header, "p ≤ 0.05", "preset", "preset, David's scores"], rows)


if __name__ == "__main__":
    main()

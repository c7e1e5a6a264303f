"""Does choosing weak opponents inflate an Elo rating? A simulation study.

According to Batchelder & Bershad (1979), a rating system that compares observed with expected
outcomes is not affected by the choice of opponents. Ten individuals in a known hierarchy (natural
scale) all start at 0; the fifth in rank (the focal individual) meets all others equally often,
almost only the five below it, or almost only the four above it (in 99% of its contests). Its number
of contests is the same in each case, and all others meet each other equally often. Reported for
several k (natural scale; multiply by 173.7 for the scale of 400): its mean final rank by Elo with a
95% interval, its mean rating minus the average of all, and the share of runs in which it is rated
above each of the four stronger individuals; for comparison the share of contests won, which ignores
opponents. With a small k, ratings need many contests to converge: hence 2,000 and 20,000.
"""

from __future__ import annotations

import numpy as np
from common import print_table, wants_quick

import peckorder as po

INDIVIDUALS, FOCAL = 10, 4
NAMES = tuple(f"i{rank:02d}" for rank in range(1, INDIVIDUALS + 1))
SETTINGS = ((3.0, 2_000), (3.0, 20_000), (1.0, 2_000), (1.0, 20_000))  # spread, contests
KS = (0.05, 0.2, 0.5, 1.0)
RARELY = 0.01
CHOICES = ("all equally", "mostly weaker", "mostly stronger")


def meeting(choice: str) -> np.ndarray:
    """Weights of pairs; those of the focal individual have the same sum in each case."""
    weight = np.ones((INDIVIDUALS, INDIVIDUALS))
    if choice != "all equally":
        place = np.arange(INDIVIDUALS)
        wanted = place > FOCAL if choice == "mostly weaker" else place < FOCAL
        own = np.where(wanted, (1 - RARELY) / wanted.sum(), RARELY / (~wanted).sum())
        own[FOCAL] = 0.0
        own *= (INDIVIDUALS - 1) / own.sum()
        weight[FOCAL], weight[:, FOCAL] = own, own
    np.fill_diagonal(weight, 0.0)
    return weight


def scores(seed: int, choice: str, spread: float, contests: int) -> np.ndarray:
    """In the true order: ratings (one row per k), then the share of contests won."""
    _, data = po.simulate.hierarchy(
        NAMES, contests, spread=spread, meeting=meeting(choice), seed=seed
    )
    place = [data.individuals.index(name) for name in NAMES]
    rows = [po.elo(data, k=k, start=0, curve=po.curves.Exponential(1.0)).rating for k in KS]
    won, lost = (np.bincount(codes, minlength=INDIVIDUALS) for codes in (data.winner, data.loser))
    return np.array([*rows, won / (won + lost)])[:, place]


def described(name: str, choice: str, score: np.ndarray) -> list[str]:
    """One row: rank and score of the focal individual, and how often it is above stronger ones."""
    own = score[:, FOCAL]
    rank = 1 + (score > own[:, None]).sum(axis=1) + ((score == own[:, None]).sum(axis=1) - 1) / 2
    error = rank.std(ddof=1) / np.sqrt(len(rank))
    above = (own[:, None] > score[:, :FOCAL]).mean(axis=0)
    return [
        name,
        choice,
        f"{rank.mean():.2f} ± {1.96 * error:.2f}",
        f"{(own - score.mean(axis=1)).mean():+.2f}",
        *(f"{share:.3f}" for share in above),
    ]


def study(spread: float, contests: int, runs: int) -> list[tuple[str, bool]]:
    """Print the table of one hierarchy; return a sentence per rating and whether it is inflated."""
    seen = {
        choice: np.array([scores(seed, choice, spread, contests) for seed in range(1, runs + 1)])
        for choice in CHOICES
    }
    names = [*(f"Elo, k = {k:g}" for k in KS), "share won"]
    rows = [
        described(name, choice, seen[choice][:, i])
        for i, name in enumerate(names)
        for choice in CHOICES
    ]
    truth = np.linspace(spread, -spread, INDIVIDUALS)
    print(
        f"Strengths from {spread:+g} to {-spread:+g} (focal individual: {truth[FOCAL]:+.2f}), "
        f"{contests:,} contests, {runs} runs"
    )
    print_table(
        ["", "meets", "mean rank", "centered", *(f"above {i}" for i in range(1, FOCAL + 1))], rows
    )
    return [conclusion(name, seen, i) for i, name in enumerate(names)]


def conclusion(name: str, seen: dict[str, np.ndarray], i: int) -> tuple[str, bool]:
    """Effect of weak opponents on the probability of being rated above a stronger individual."""
    all_equal, weak = (
        (seen[choice][:, i, FOCAL, None] > seen[choice][:, i, :FOCAL]).mean(axis=1)
        for choice in CHOICES[:2]
    )
    gain = (weak - all_equal).mean()
    error = 1.96 * (weak - all_equal).std(ddof=1) / np.sqrt(len(weak))
    inflated = bool(gain > error)
    sentence = (
        f"  {name}: above a stronger individual in {all_equal.mean():.1%} of runs if it meets all "
        f"equally, in {weak.mean():.1%} if mostly weaker ones ({gain:+.1%} ± {error:.1%}: "
        f"{'INFLATED' if inflated else 'not inflated'})"
    )
    return sentence, inflated


def main() -> None:
    runs = 20 if wants_quick(__doc__) else 200
    inflations: dict[int, list[str]] = {contests: [] for _, contests in SETTINGS}
    for spread, contests in SETTINGS:
        conclusions = study(spread, contests, runs)
        print("Averaged over the four stronger individuals:")
        print(*(sentence for sentence, _ in conclusions), sep="\n")
        print()
        inflations[contests] += [
            f"k = {k:g} with strengths to ±{spread:g}"
            for k, (_, inflated) in zip(KS, conclusions, strict=False)
            if inflated
        ]
    number = len(KS) * len(SETTINGS) // len(inflations)
    print(
        f"Settings (of {number} per length) in which Elo inflates the rating of an individual with "
        f"mostly weaker opponents:"
    )
    for contests, found in inflations.items():
        print(f"  {contests:,} contests: {len(found)} ({', '.join(found) or 'none'})")
    print("By chance alone, a 95% interval indicates inflation in one of 40 settings.")


if __name__ == "__main__":
    main()

"""Does choosing weak opponents lift anybody above the stronger? A study.

Batchelder & Bershad (1979) hold that a rating system which compares what happened with what was
expected is not moved by the choice of opponents. Ten individuals in a known hierarchy (natural
scale), all starting at 0; the fifth in rank meets everybody alike, almost only the five below it,
or almost only the four above it (in 99 of 100 contests). Its number of contests is the same
in every case, and all others meet each other alike. Told for several k (natural scale; times 173.7
on the scale of 400): its mean final rank by Elo with a 95 % interval, its mean rating less the
average of all, and the share of runs in which it stands above each of the four that are stronger;
beside it the share of contests won, which asks nothing about opponents. A small k needs many
contests until ratings are what they will be: hence 2,000 and 20,000.
"""

from __future__ import annotations

import numpy as np
from common import print_table, wants_quick

import peckorder as po

INDIVIDUALS, CHOOSER = 10, 4
NAMES = tuple(f"i{rank:02d}" for rank in range(1, INDIVIDUALS + 1))
SETTINGS = ((3.0, 2_000), (3.0, 20_000), (1.0, 2_000), (1.0, 20_000))  # spread, contests
KS = (0.05, 0.2, 0.5, 1.0)
RARELY = 0.01
CHOICES = ("all alike", "weak ones", "strong ones")


def meeting(choice: str) -> np.ndarray:
    """Weights of who meets whom; the chooser's sum is the same whatever the choice."""
    weight = np.ones((INDIVIDUALS, INDIVIDUALS))
    if choice != "all alike":
        place = np.arange(INDIVIDUALS)
        wanted = place > CHOOSER if choice == "weak ones" else place < CHOOSER
        own = np.where(wanted, (1 - RARELY) / wanted.sum(), RARELY / (~wanted).sum())
        own[CHOOSER] = 0.0
        own *= (INDIVIDUALS - 1) / own.sum()
        weight[CHOOSER], weight[:, CHOOSER] = own, own
    np.fill_diagonal(weight, 0.0)
    return weight


def scores(seed: int, choice: str, spread: float, contests: int) -> np.ndarray:
    """By the true order: ratings (one row per k), then the share of contests won."""
    _, data = po.simulate.hierarchy(
        NAMES, contests, spread=spread, meeting=meeting(choice), seed=seed
    )
    place = [data.individuals.index(name) for name in NAMES]
    rows = [po.elo(data, k=k, start=0, curve=po.curves.Exponential(1.0)).rating for k in KS]
    won, lost = (np.bincount(codes, minlength=INDIVIDUALS) for codes in (data.winner, data.loser))
    return np.array([*rows, won / (won + lost)])[:, place]


def described(name: str, choice: str, score: np.ndarray) -> list[str]:
    """One row: rank and score of the chooser, and how often it stands above the stronger."""
    own = score[:, CHOOSER]
    rank = 1 + (score > own[:, None]).sum(axis=1) + ((score == own[:, None]).sum(axis=1) - 1) / 2
    error = rank.std(ddof=1) / np.sqrt(len(rank))
    above = (own[:, None] > score[:, :CHOOSER]).mean(axis=0)
    return [
        name,
        choice,
        f"{rank.mean():.2f} ± {1.96 * error:.2f}",
        f"{(own - score.mean(axis=1)).mean():+.2f}",
        *(f"{share:.3f}" for share in above),
    ]


def study(spread: float, contests: int, runs: int) -> list[tuple[str, bool]]:
    """A table of one hierarchy; what follows from it in words, and whether it is a lift."""
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
        f"Strengths from {spread:+g} to {-spread:+g} (the chooser: {truth[CHOOSER]:+.2f}), "
        f"{contests:,} contests, {runs} runs"
    )
    print_table(
        ["", "meets", "mean rank", "centered", *(f"above {i}" for i in range(1, CHOOSER + 1))], rows
    )
    return [conclusion(name, seen, i) for i, name in enumerate(names)]


def conclusion(name: str, seen: dict[str, np.ndarray], i: int) -> tuple[str, bool]:
    """What the choice of weak opponents does to the chance of standing above a stronger one."""
    alike, weak = (
        (seen[choice][:, i, CHOOSER, None] > seen[choice][:, i, :CHOOSER]).mean(axis=1)
        for choice in CHOICES[:2]
    )
    gain = (weak - alike).mean()
    error = 1.96 * (weak - alike).std(ddof=1) / np.sqrt(len(weak))
    lifted = bool(gain > error)
    words = (
        f"  {name}: above a stronger one in {alike.mean():.1%} when it meets all alike, in "
        f"{weak.mean():.1%} when it chooses the weak ({gain:+.1%} ± {error:.1%}: "
        f"{'a LIFT' if lifted else 'no lift'})"
    )
    return words, lifted


def main() -> None:
    runs = 20 if wants_quick(__doc__) else 200
    lifts: dict[int, list[str]] = {contests: [] for _, contests in SETTINGS}
    for spread, contests in SETTINGS:
        said = study(spread, contests, runs)
        print("In words, over all four stronger ones:")
        print(*(words for words, _ in said), sep="\n")
        print()
        lifts[contests] += [
            f"k = {k:g} with strengths to ±{spread:g}"
            for k, (_, lifted) in zip(KS, said, strict=False)
            if lifted
        ]
    number = len(KS) * len(SETTINGS) // len(lifts)
    print(
        f"Elo lifts whoever chooses weak opponents, among {number} settings of each length, after"
    )
    for contests, found in lifts.items():
        print(f"  {contests:,} contests in {len(found)}: {', '.join(found) or 'none'}")
    print("By chance alone an interval of 95 % shows a lift in one setting of 40.")


if __name__ == "__main__":
    main()

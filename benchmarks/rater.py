"""Microseconds of one update of `EloRater`, as a server of live ratings makes it.

Contests come one at a time among individuals with given ratings, and one contest in a hundred has a
newcomer. Compared with plain Python: a dictionary of ratings and the formula of Elo, without checks
and without a record. "all new": nobody is known beforehand except for a starting rating.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Callable

import numpy as np
from common import note, print_table, verdict

import peckorder as po

MOST = 2.0  # microseconds
NEWCOMERS = 0.01


def pairs(individuals: int, contests: int) -> list[tuple[str, str]]:
    """Winners and losers; some have not been seen before."""
    random = np.random.default_rng(1)
    codes = random.integers(individuals, size=(contests, 2))
    codes[:, 1] += codes[:, 0] == codes[:, 1]
    new = random.random(contests) < NEWCOMERS
    codes[new, 1] = individuals + 1 + np.arange(new.sum())
    return [(f"n{a}", f"n{b}") for a, b in codes.tolist()]


def plainly(start: dict[str, float]) -> Callable[[str, str], None]:
    """Elo with a dictionary."""
    rating = dict(start)

    def update(winner: str, loser: str) -> None:
        a, b = rating.get(winner, 1000.0), rating.get(loser, 1000.0)
        step = 100.0 / (1.0 + math.exp((a - b) * math.log(10) / 400.0))
        rating[winner], rating[loser] = a + step, b - step

    return update


def each(update: Callable[[str, str], object], contests: list[tuple[str, str]]) -> float:
    """Microseconds of CPU time of one update."""
    begin = time.process_time()
    for winner, loser in contests:
        update(winner, loser)
    return (time.process_time() - begin) / len(contests) * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, for a quick check")
    quick = parser.parse_args().quick
    rows = []
    for individuals in (1_000,) if quick else (1_000, 100_000, 1_000_000):
        start = {f"n{i}": 1000.0 + i % 100 for i in range(individuals + 1)}
        contests = pairs(individuals, 2_000 if quick else 200_000)
        ours, new, plain = (
            statistics.median(each(made(), contests) for _ in range(3))
            for made in (
                lambda start=start: po.EloRater(start, k=100, start=start).update,
                lambda start=start: po.EloRater(k=100, start=start).update,
                lambda start=start: plainly(start),
            )
        )
        note(
            f"EloRater, an update, {individuals:,} individuals",
            ours,
            "µs",
            peer=("plain Python", plain),
            most=MOST,
        )
        rows.append(
            [f"{individuals:,}", f"{ours:.2f}", f"{new:.2f}", f"{plain:.2f}", verdict(ours <= MOST)]
        )
    print("One update, CPU time")
    print_table(["individuals", "EloRater, µs", "all new", "plain Python", f"≤ {MOST:g} µs"], rows)


if __name__ == "__main__":
    main()

"""Do intervals of `dynamic` hold the ratings of two individuals again that exchanged ranks?

Groups of 12 with 120 contests of random pairs and normal strengths of spread 1. At a random contest
after the first quarter, two individuals that differ by at least 1 exchange strengths. Printed: the
share of their final ratings inside the 95% intervals, by the number of their own contests since
then, and that of all other ratings, with Monte Carlo errors over individuals. Also in how many
records `change_points` reports a change.

Usage: python benchmarks/since_change.py [--groups 300] [--changes 40]
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from common import print_table

import peckorder as po

SIZE, CONTESTS, LEAST_APART = 12, 120, 1.0
CLASSES = ((0, 5), (6, 9), (10, 15), (16, CONTESTS))


def group(random: np.random.Generator) -> tuple[po.Contests, np.ndarray, tuple[int, int], int]:
    """A record, final strengths, who exchanged them, and before which contest."""
    strength = random.normal(0, 1, SIZE)
    apart = np.abs(strength[:, None] - strength)
    one, other = random.permutation(np.argwhere(apart >= LEAST_APART))[0]
    when = int(random.integers(CONTESTS // 4, CONTESTS))
    rows = []
    for t in range(CONTESTS):
        if t == when:
            strength[[one, other]] = strength[[other, one]]
        a, b = random.choice(SIZE, 2, replace=False)
        if random.random() > 1 / (1 + np.exp(strength[b] - strength[a])):
            a, b = b, a
        rows.append((f"i{a}", f"i{b}"))
    return po.read(rows, individuals=[f"i{i}" for i in range(SIZE)]), strength, (one, other), when


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--groups", type=int, default=300)
    parser.add_argument("--changes", type=int, default=40)
    args = parser.parse_args()
    inside: dict[str, list[bool]] = {f"{low}–{high}": [] for low, high in CLASSES}
    inside["the others"] = []
    reported = 0
    for number in range(args.groups):
        random = np.random.default_rng(number)
        data, strength, pair, when = group(random)
        table = po.dynamic(data, samples=1000, seed=number).as_polars()
        truth = {f"i{i}": value for i, value in enumerate(strength - strength.mean())}
        for name, low, high in table.select("individual", "rating_low", "rating_high").rows():
            held = low <= truth[name] <= high
            if int(name[1:]) not in pair:
                inside["the others"].append(held)
                continue
            code = data.individuals.index(name)
            own = int(((data.winner[when:] == code) | (data.loser[when:] == code)).sum())
            low, high = next(each for each in CLASSES if each[0] <= own <= each[1])
            inside[f"{low}–{high}"].append(held)
        if number < args.changes:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                reported += po.change_points(data).value > 0
    rows = [
        (name, len(held), f"{np.mean(held):.3f} ± {np.std(held) / np.sqrt(len(held)):.3f}")
        for name, held in inside.items()
    ]
    print_table(("own contests since", "ratings", "inside"), rows)
    print(f"change_points reported a change in {reported} of {args.changes} records.")


if __name__ == "__main__":
    main()

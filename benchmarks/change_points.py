"""Dates of change (`change_points`) in simulated groups: hits, dates and false alarms.

Worlds without an abrupt change: static strengths, contests in bouts (independent outcomes),
turnover (a third of the group replaced one by one), and drift (a normal step of everybody before
each contest). Worlds with one in the middle: the strongest and one of the weakest third change
places (takeover), half or all of the strengths change owners (reshuffled). Strengths are normal
with the spread shown. Scenarios 3A–C of Goffe et al. 2018: an immigrant takes over, a subgroup
leaps to the top, the highest-ranked die and ranks are unstable before they settle (two dates), all
with evenly spaced strengths. Printed: share of records with a change; with one dated within 10% of
the contests from a true date; share of 95% intervals of dated changes that hold a true date; and
mean number of changes reported. ± is the Monte Carlo error.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import order_test as worlds
from common import print_table

import peckorder as po
from peckorder.data.contests import Contests

NEAR = 0.1
Simulated = tuple[Contests, list[int]]  # contests, and the first contest after each change


def record(outcome: worlds.Outcome, changes: list[int]) -> Simulated:
    winner, loser = outcome
    names = [f"i{code}" for code in range(max(winner.max(), loser.max()) + 1)]
    sides = ([names[code] for code in side] for side in (winner, loser))
    return po.read(tuple(sides)), changes


def unchanged(world: Callable, size: int, number: int, random: np.random.Generator) -> Simulated:
    return record(world(size, number, random), [])


def changed(
    size: int, number: int, random: np.random.Generator, *, share: float, spread: float
) -> Simulated:
    """Part of the strengths change owners in the middle; share 0 is a takeover."""
    before = random.normal(0, spread, size)
    order = np.argsort(-before)
    after = before.copy()
    if share == 0:
        pair = [order[0], random.choice(order[-(size // 3) :])]
        after[pair] = before[pair[::-1]]
    else:
        some = random.choice(size, round(share * size), replace=False)
        after[some] = before[random.permutation(some)]
    pairs = worlds.random_pairs(size, number, random)
    course = worlds.changed_in_the_middle(before, after, number)
    return record(worlds.played(*pairs, course, random), [number // 2])


def scenario(kind: str, size: int, number: int, random: np.random.Generator) -> Simulated:
    seed, half = int(random.integers(1 << 31)), number // 2
    if kind == "3A":
        return po.simulate.takeover(size, (half, half), seed=seed)[1], [half]
    if kind == "3B":
        return po.simulate.coalitionary_leap(size, (half, half), seed=seed)[1], [half]
    third = number // 3
    data = po.simulate.mortality(size, (third, third, third), seed=seed)[1]
    return data, [third, 2 * third]


WORLDS: dict[str, Callable[[int, int, np.random.Generator], Simulated]] = {
    "static": partial(unchanged, worlds.static),
    "bouts": partial(unchanged, worlds.bouts),
    "turnover": partial(unchanged, worlds.turnover),
    "drift 0.05": partial(unchanged, worlds.drift),
    "drift 0.15": partial(unchanged, partial(worlds.drift, step=0.15)),
    "takeover, spread 1": partial(changed, share=0, spread=1.0),
    "takeover, spread 2": partial(changed, share=0, spread=2.0),
    "half reshuffled, spread 1": partial(changed, share=0.5, spread=1.0),
    "half reshuffled, spread 2": partial(changed, share=0.5, spread=2.0),
    "all reshuffled, spread 2": partial(changed, share=1.0, spread=2.0),
    "3A takeover": partial(scenario, "3A"),
    "3B coalitionary leap": partial(scenario, "3B"),
    "3C mortality": partial(scenario, "3C"),
}


def tried(world: str, size: int, number: int, seed: int) -> tuple[int, bool, list[bool]]:
    """Number of changes, whether one is near a true date, and whether intervals hold one."""
    random = np.random.default_rng([list(WORLDS).index(world), size, number, seed])
    data, truths = WORLDS[world](size, number, random)
    table = po.change_points(data, threads=1).table
    near = any(abs(c - 1 - t) <= NEAR * len(data) for c in table["contest"] for t in truths)
    holds = [
        any(low - 1 <= t <= high - 1 for t in truths)
        for low, high in zip(table["low"], table["high"], strict=True)
    ]
    return table.height, near, holds


def share(values: list[bool]) -> str:
    if not values:
        return "–"
    mean = float(np.mean(values))
    error = np.sqrt(max(mean * (1 - mean), 0.25 / len(values)) / len(values))
    return f"{mean:.3f} ± {error:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few records, to try the program")
    parser.add_argument("--sets", type=int, help="records of each kind (default 200)")
    parser.add_argument("--size", default="12x300", help="individuals x contests, by commas")
    parser.add_argument("--worlds", help="parts of names of worlds, by commas (default all)")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    sets = given.sets or (4 if given.quick else 200)
    parts = (given.worlds or "").split(",")
    chosen = [world for world in WORLDS if any(part in world for part in parts)]
    for size, number in ([int(x) for x in pair.split("x")] for pair in given.size.split(",")):
        rows = []
        for world in chosen:
            with ThreadPoolExecutor(given.threads) as pool:
                found = list(pool.map(partial(tried, world, size, number), range(sets)))
            any_change = [count > 0 for count, _, _ in found]
            rows.append(
                [
                    world,
                    share(any_change),
                    share([near for _, near, _ in found]),
                    share([hold for _, _, holds in found for hold in holds]),
                    f"{np.mean([count for count, _, _ in found]):.2f}",
                ]
            )
        print(f"{size} individuals, {number} contests, {sets} records of each kind")
        print_table(["world", "a change", "near a true date", "interval holds", "changes"], rows)


if __name__ == "__main__":
    main()

"""Level and power of the test of change (`order_test`) in simulated groups with a known course.

Strengths are standard normal, pairs meet at random, i beats j with chance 1/(1 + e^(s_j − s_i)). In
the first three worlds nothing changes: a static group; the same with contests in bouts of one to
five of a dyad (independent outcomes); and turnover, a third of the group replaced one by one by
newcomers. In the next three something does: the strongest and one of the weakest third change
places in the middle (takeover), the strengths of half the group change owners in the middle
(reshuffled), or everybody takes a normal step before each contest (drift). In dependent bouts
nothing changes, but the outcome before is repeated with chance 0.9 within a bout; as they are, and
collapsed to their first contest. Printed: the share of records with p ≤ 0.05 by each null, and its
Monte Carlo error; 199 randomizations each, ended early once the verdict is known.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
from common import print_table

from peckorder.structure.order_test import Record, record, rejects

RUNS = 199
SPREAD = 1.0
Pairs = tuple[np.ndarray, np.ndarray]
Outcome = tuple[np.ndarray, np.ndarray]  # codes of winners and losers


def random_pairs(size: int, number: int, random: np.random.Generator) -> Pairs:
    a = random.integers(size, size=number)
    return a, (a + random.integers(1, size, size=number)) % size


def played(a: np.ndarray, b: np.ndarray, strength: np.ndarray, random) -> Outcome:
    """Winners and losers; `strength` holds a row for each contest, or one for all."""
    at = np.arange(len(a))
    course = np.broadcast_to(strength, (len(a), np.shape(strength)[-1]))
    won = random.random(len(a)) < 1 / (1 + np.exp(course[at, b] - course[at, a]))
    return np.where(won, a, b), np.where(won, b, a)


def changed_in_the_middle(before: np.ndarray, after: np.ndarray, number: int) -> np.ndarray:
    return np.where(np.arange(number)[:, None] < number // 2, before, after)


def static(size: int, number: int, random: np.random.Generator) -> Outcome:
    return played(*random_pairs(size, number, random), random.normal(0, SPREAD, size), random)


def in_bouts(size: int, number: int, random: np.random.Generator) -> Pairs:
    a, b = random_pairs(size, number, random)
    bout = np.repeat(np.arange(number), random.integers(1, 6, size=number))[:number]
    return a[bout], b[bout]


def bouts(size: int, number: int, random: np.random.Generator) -> Outcome:
    return played(*in_bouts(size, number, random), random.normal(0, SPREAD, size), random)


def dependent_bouts(
    size: int, number: int, random: np.random.Generator, collapsed: bool = False
) -> Outcome:
    a, b = in_bouts(size, number, random)
    winner, loser = played(a, b, random.normal(0, SPREAD, size), random)
    follows = np.append(False, (a[1:] == a[:-1]) & (b[1:] == b[:-1]))
    again = random.random(number) < 0.9
    for t in np.flatnonzero(follows & again):
        winner[t], loser[t] = winner[t - 1], loser[t - 1]
    return (winner[~follows], loser[~follows]) if collapsed else (winner, loser)


def turnover(size: int, number: int, random: np.random.Generator) -> Outcome:
    """The last third of the group enters one after another, and the first third leaves."""
    third = size // 3
    moments = np.sort(random.integers(number // 6, number - number // 6, size=third))
    a, b = random_pairs(size, number, random)
    gone = np.searchsorted(moments, np.arange(number), side="right")
    a, b = a + gone, b + gone
    return played(a, b, random.normal(0, SPREAD, size + third), random)


def takeover(size: int, number: int, random: np.random.Generator) -> Outcome:
    before = random.normal(0, SPREAD, size)
    order = np.argsort(-before)
    top, low = order[0], random.choice(order[-(size // 3) :])
    after = before.copy()
    after[[top, low]] = before[[low, top]]
    pairs = random_pairs(size, number, random)
    return played(*pairs, changed_in_the_middle(before, after, number), random)


def reshuffled(size: int, number: int, random: np.random.Generator) -> Outcome:
    before = random.normal(0, SPREAD, size)
    some = random.choice(size, size // 2, replace=False)
    after = before.copy()
    after[some] = before[random.permutation(some)]
    pairs = random_pairs(size, number, random)
    return played(*pairs, changed_in_the_middle(before, after, number), random)


def drift(size: int, number: int, random: np.random.Generator, step: float = 0.05) -> Outcome:
    start = random.normal(0, SPREAD, size)
    course = start + np.cumsum(random.normal(0, step, (number, size)), axis=0)
    return played(*random_pairs(size, number, random), course, random)


WORLDS: dict[str, Callable[[int, int, np.random.Generator], Outcome]] = {
    "static": static,
    "bouts": bouts,
    "turnover": turnover,
    "takeover": takeover,
    "half reshuffled": reshuffled,
    "drift 0.05": drift,
    "dependent bouts": dependent_bouts,
    "dependent bouts, collapsed": partial(dependent_bouts, collapsed=True),
}


def simulated(world: str, size: int, number: int, seed: int) -> Record:
    """One record of a world, codes in order of first appearance."""
    random = np.random.default_rng([list(WORLDS).index(world), size, number, seed])
    sides = np.stack(WORLDS[world](size, number, random), axis=1)
    _, first, code = np.unique(sides.ravel(), return_index=True, return_inverse=True)
    codes = np.argsort(np.argsort(first))[code].reshape(sides.shape)
    return record(codes[:, 0], codes[:, 1])


def share_rejected(
    world: str, size: int, number: int, null: str, *, sets: int, runs: int = RUNS, threads: int = 1
) -> float:
    """Share of records in which p ≤ 0.05."""

    def one(seed: int) -> bool:
        return rejects(simulated(world, size, number, seed), null=null, runs=runs, seed=seed)

    with ThreadPoolExecutor(threads) as pool:
        return float(np.mean(list(pool.map(one, range(sets)))))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, to try the program")
    parser.add_argument("--sets", type=int, help="records of each kind (default 200)")
    parser.add_argument("--size", default="12x120,12x300", help="individuals x contests, by commas")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    sets = given.sets or (20 if given.quick else 200)
    for size, number in ([int(x) for x in pair.split("x")] for pair in given.size.split(",")):
        rows = []
        for world in WORLDS:
            shares = [
                share_rejected(world, size, number, null, sets=sets, threads=given.threads)
                for null in ("strengths", "dyads")
            ]
            errors = [np.sqrt(max(x * (1 - x), 0.25 / sets) / sets) for x in shares]
            rows.append(
                [world, *(f"{x:.3f} ± {e:.3f}" for x, e in zip(shares, errors, strict=True))]
            )
        print(f"Share p ≤ 0.05: {size} individuals, {number} contests, {sets} records of each kind")
        print_table(["world", "strengths", "dyads"], rows)


if __name__ == "__main__":
    main()

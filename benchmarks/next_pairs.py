"""How many contests does a group need if the next dyads are chosen by `next_pairs`?

A group of 10 is observed in batches of 5 contests, after 9 that form a chain, until the expected
share of dyads in the wrong order is at most 0.05 (`stop`), with dyads drawn at random, with those
that met least, or with those that `next_pairs` chooses. Worlds: normal strengths (SD 1.2), equal
steps from 2 to −2, heavy tails (t with 3 degrees of freedom), deviations of dyads (SD 0.7), and
strengths that drift (SD 0.03 per contest). The posterior is that of `dynamic(static=True)`.
Printed: the median number of contests with its bootstrap standard error, the share of groups that
reached the most (600), dyads in the wrong order at the end, and the share of resolved dyads
(P ≥ 0.95) in the wrong order.

Usage: python benchmarks/next_pairs.py [--sets 20] [--worlds "normal,matchups"] [--needed 100]
"""

from __future__ import annotations

import argparse
import warnings
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from common import print_table

import peckorder as po
from peckorder.questions.next_pairs import STOP, Belief, choose

SIZE, BATCH, MOST, SURE = 10, 5, 600, 0.95
RULES = ("random", "least met", "next_pairs")
WORLDS = ("normal", "equal steps", "heavy tails", "matchups", "drift")


@dataclass
class Group:
    """True strengths, and what dyads add to their difference."""

    strength: np.ndarray
    dyad: np.ndarray
    drift: float

    @classmethod
    def of(cls, world: str, random: np.random.Generator) -> Group:
        """A new group."""
        strength, dyad = random.normal(0, 1.2, SIZE), np.zeros((SIZE, SIZE))
        if world == "equal steps":
            strength = np.linspace(2, -2, SIZE)
        if world == "heavy tails":
            strength = random.standard_t(3, SIZE)
        if world == "matchups":
            dyad = np.tril(random.normal(0, 0.7, (SIZE, SIZE)), -1)
            dyad = dyad - dyad.T
        return cls(strength, dyad, 0.03 if world == "drift" else 0.0)

    def contest(self, a: int, b: int, random: np.random.Generator) -> tuple[int, int]:
        """Winner and loser."""
        ahead = self.strength[a] - self.strength[b] + self.dyad[a, b]
        won = random.random() < 1 / (1 + np.exp(-ahead))
        if self.drift:
            self.strength = self.strength + random.normal(0, self.drift, SIZE)
        return (a, b) if won else (b, a)

    @property
    def above(self) -> np.ndarray:
        """Whether the row truly outranks the column, by its mean chance."""
        total = self.strength + self.dyad.mean(axis=1)
        return total[:, None] > total


def observed(world: str, rule: str, seed: int) -> tuple[int, float, int, int]:
    """Contests until the end, dyads in the wrong order, resolved dyads, and wrong ones of them."""
    random = np.random.default_rng([seed, 7])
    group, rows = Group.of(world, random), []
    chain = random.permutation(SIZE)
    todo = list(pairwise(chain))
    pairs = np.triu_indices(SIZE, 1)
    while True:
        rows += [group.contest(int(a), int(b), random) for a, b in todo]
        names = [(f"i{a}", f"i{b}") for a, b in rows]
        ratings = po.dynamic(po.read(names), static=True, samples=2, seed=1, threads=1)
        belief = Belief.of(ratings)
        code = np.array([int(name[1:]) for name in belief.names])
        chance = belief.order()
        wrong = np.minimum(chance, 1 - chance)[pairs]
        if wrong.mean() <= STOP or len(rows) >= MOST:
            true = group.above[np.ix_(code, code)][pairs]
            sure = np.maximum(chance, 1 - chance)[pairs] >= SURE
            bad = true != (chance[pairs] > 0.5)
            return len(rows), float(bad.mean()), int(sure.sum()), int((bad & sure).sum())
        if rule == "next_pairs":
            picked = choose(belief, BATCH, *pairs, np.ones((SIZE, SIZE)))
            todo = [(code[a], code[b]) for a, b, _ in picked]
        elif rule == "random":
            picked = random.integers(len(pairs[0]), size=BATCH)
            todo = [(pairs[0][q], pairs[1][q]) for q in picked]
        else:
            met = np.zeros((SIZE, SIZE))
            np.add.at(met, tuple(np.array(rows).T), 1)
            least = np.argsort((met + met.T)[pairs] + random.random(len(pairs[0])))[:BATCH]
            todo = [(pairs[0][q], pairs[1][q]) for q in least]


def needed(seed: int) -> list[bool]:
    """Whether a pair of adjacent ranks needs at most the predicted quartiles of contests."""
    random = np.random.default_rng([seed, 8])
    group, rows = Group.of("normal", random), []
    for _ in range(80):
        rows.append(group.contest(*random.choice(SIZE, 2, replace=False), random))
    place = int(random.integers(SIZE - 1))
    pair: list[str] = []
    predicted: list[float] = []
    for number in range(MOST // 2):
        names = [(f"i{a}", f"i{b}") for a, b in rows]
        ratings = po.dynamic(po.read(names), static=True, samples=2, seed=1, threads=1)
        if not pair:
            found = (
                po.questions.next_pairs(ratings, size=1, seed=seed).tables["adjacent"].row(place)
            )
            pair = list(found[:2])
            predicted = [np.inf if one is None else one for one in found[3:6]]
        belief = Belief.of(ratings)
        p = belief.order()[tuple(belief.names.index(name) for name in pair)]
        if max(p, 1 - p) >= SURE:
            return [number <= one for one in predicted]
        rows.append(group.contest(*(int(name[1:]) for name in pair), random))
    return [one == np.inf for one in predicted]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=20)
    parser.add_argument("--worlds", default=",".join(WORLDS))
    parser.add_argument("--needed", type=int, default=0, help="pairs; quartiles of needed only")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    if chosen.needed:
        shares = np.mean([needed(seed) for seed in range(chosen.needed)], axis=0)
        print(f"Pairs that needed at most the predicted quartiles: {shares.round(2)}")
        return
    rows = []
    for world in chosen.worlds.split(","):
        for rule in RULES:
            found = np.array([observed(world, rule, seed) for seed in range(chosen.sets)])
            number = found[:, 0]
            again = np.random.default_rng(1).choice(number, (400, len(number)))
            error = float(np.median(again, axis=1).std())
            rows.append(
                (
                    world,
                    rule,
                    f"{np.median(number):.0f} ± {error:.0f}",
                    f"{(number >= MOST).mean():.2f}",
                    f"{found[:, 1].mean():.3f}",
                    f"{found[:, 3].sum() / max(found[:, 2].sum(), 1):.3f}",
                )
            )
    print_table(
        ["world", "dyads", "contests", "not stopped", "misordered", "resolved, wrong"],
        rows,
    )
    print(f"Groups of {SIZE}, {chosen.sets} per row.")


if __name__ == "__main__":
    main()

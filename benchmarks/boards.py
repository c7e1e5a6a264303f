"""What leaderboards claim, judged in simulated arenas; and how soon a leader is found.

Twelve candidates with normal abilities (standard deviation 0.7), 2,400 votes of 60 voters. Worlds:
votes that follow the model, with ties; without ties, with weights of 0.2 or 3 that have nothing to
do with abilities; voters with tastes of their own (standard deviation 1).

Printed: share of 95% intervals of abilities that hold the true ones, share of 95% intervals of
ranks that do, and how often pairs were in the order whose probability was 0.90 to 0.99.

With --leader: eight candidates with normal abilities (standard deviation --spread), contests chosen
five at a time until one is first with a probability of 0.95, or 600 contests are over.
Pairs are random, chosen by `next_pairs(top=1)`, or those of the leader with the largest
½ log(1 + p(1 − p)s²) Φ(−|d|/s).
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import polars as pl
from common import print_table
from leaderboard import averaged
from scipy.special import ndtr

import peckorder as po
from peckorder.questions.next_pairs import Belief, choose

CANDIDATES, VOTERS, VOTES, SPREAD, TASTE, NU = 12, 60, 40, 0.7, 1.0, 0.4
ANALYSES: dict[str, tuple[dict[str, Any], ...]] = {
    "model": ({}, {"ties": "half"}, {"ties": "half", "robust": False}),
    "weights": ({"weights": "weight"}, {"weights": "weight", "robust": False}),
    "tastes": ({}, {"cluster": "voter"}),
}
MODELS, MOST, BATCH, SURE = 8, 600, 5, 0.95


def arena(world: str, seed: int) -> tuple[Any, np.ndarray]:
    """Votes of one world, and the abilities that a board should find."""
    random = np.random.default_rng([list(ANALYSES).index(world), seed])
    ability = random.normal(0, SPREAD, CANDIDATES)
    voter = np.repeat(np.arange(VOTERS), VOTES)
    a = random.integers(CANDIDATES, size=len(voter))
    b = (a + random.integers(1, CANDIDATES, size=len(voter))) % CANDIDATES
    own = np.tile(ability, (VOTERS, 1))
    nu = NU if world == "model" else 0.0
    if world == "tastes":
        own = own + random.normal(0, TASTE, own.shape)
    half = (own[voter, a] - own[voter, b]) / 2
    up, down = np.exp(half), np.exp(-half)
    point = random.random(len(voter)) * (up + down + nu)
    names = np.array([f"m{i:02}" for i in range(CANDIDATES)])
    frame = pl.DataFrame(
        {
            "a": names[a],
            "b": names[b],
            "winner": np.where(point < up, "a", np.where(point < up + nu, "tie", "b")),
            "voter": voter,
            "weight": random.choice([0.2, 3.0], len(voter)),
        }
    )
    target = averaged(ability) if world == "tastes" else ability
    return po.read(frame), target - target.mean()


def claims(world: str, settings: dict[str, Any], sets: int) -> list[str]:
    """Coverage of abilities and ranks, and of probabilities of the order of pairs."""
    held, ranked, claimed, right = [], [], [], []
    for seed in range(sets):
        data, ability = arena(world, seed)
        board = po.bradley_terry(data, **settings)
        table = board.as_polars().sort("individual")
        if settings.get("ties") == "half":  # abilities are on a scale of their own
            ability = ability * (board.ability.std() / ability.std())
        low, high = table["ability_low"].to_numpy(), table["ability_high"].to_numpy()
        held.append(np.mean((low <= ability) & (ability <= high)))
        rank = 1 + np.argsort(np.argsort(-ability))
        inside = (table["rank_low"].to_numpy() <= rank) & (rank <= table["rank_high"].to_numpy())
        ranked.append(inside.mean())
        order = [int(name[1:]) for name in board]
        chance = board.outranks().drop("individual").to_numpy().astype(float)
        true = ability[order][:, None] > ability[order]
        some = (chance >= 0.90) & (chance <= 0.99)
        claimed.extend(chance[some])
        right.extend(true[some])
    error = np.std(held, ddof=1) / np.sqrt(sets)
    return [
        f"{np.mean(held):.3f} ± {error:.3f}",
        f"{np.mean(ranked):.3f}",
        f"{np.mean(claimed):.3f}",
        f"{np.mean(right):.3f}",
    ]


def leader(policy: str, seed: int, spread: float) -> tuple[int, bool]:
    """Contests until a leader is found, and whether it is the right one."""
    random = np.random.default_rng([3, seed])
    ability = random.normal(0, spread, MODELS)
    names = [f"m{i}" for i in range(MODELS)]
    won = np.zeros((MODELS, MODELS), int)
    for begin in range(MODELS):  # each meets the next one once
        add(won, begin, (begin + 1) % MODELS, ability, random)
    while True:
        board = po.bradley_terry(po.Matrix(names, won), penalized=True, prior_sd=1.0, errors=False)
        first = next(iter(board))
        top = board.sampled_ranks[:, board.individuals.index(first)] == 1
        sure = top.mean() >= SURE
        if sure or won.sum() >= MOST:
            return int(won.sum()), bool(sure and first == names[int(np.argmax(ability))])
        for a, b in pairs(policy, board, random):
            add(won, names.index(a), names.index(b), ability, random)


def pairs(policy: str, board: Any, random: np.random.Generator) -> list[tuple[str, str]]:
    """The next contests."""
    names = list(board.individuals)
    if policy == "random":
        return [tuple(random.choice(names, 2, replace=False)) for _ in range(BATCH)]
    belief = Belief.of(board)
    if policy == "next_pairs(top=1)":
        one, other = np.triu_indices(MODELS, 1)
        weight = top_weights(belief)
        return [
            (belief.names[a], belief.names[b])
            for a, b, _ in choose(belief, BATCH, one, other, weight)
        ]
    out = []
    for _ in range(BATCH):
        rest = np.arange(1, MODELS)
        gap, variance = belief.mean[0] - belief.mean[rest], belief.variances(0 * rest, rest)
        p = 1 / (1 + np.exp(-gap))
        gain = np.log1p(p * (1 - p) * variance) / 2 * ndtr(-np.abs(gap) / np.sqrt(variance))
        pick = int(rest[np.argmax(gain)])
        out.append((belief.names[0], belief.names[pick]))
        belief = belief.after(0, pick)
    return out


def top_weights(belief: Belief) -> np.ndarray:
    """P(exactly one of two is first), by samples."""
    root = np.linalg.cholesky(belief.covariance + 1e-9 * np.eye(MODELS))
    normal = np.random.default_rng(1).normal(size=(400, MODELS))
    inside = np.zeros((400, MODELS))
    inside[np.arange(400), np.argmax(belief.mean + normal @ root.T, axis=1)] = 1
    return (inside.T @ (1 - inside) + (1 - inside).T @ inside) / 400


def add(won: np.ndarray, a: int, b: int, ability: np.ndarray, random: np.random.Generator) -> None:
    """One more contest."""
    first = random.random() < 1 / (1 + np.exp(ability[b] - ability[a]))
    won[(a, b) if first else (b, a)] += 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=100)
    parser.add_argument("--leader", type=int, default=0, help="number of races for a leader")
    parser.add_argument("--spread", type=float, default=0.5, help="of abilities, with --leader")
    given = parser.parse_args()
    if given.leader:
        lines = []
        for policy in ("random", "next_pairs(top=1)", "pairs of the leader"):
            found = [leader(policy, seed, given.spread) for seed in range(given.leader)]
            number, right = (np.array(part) for part in zip(*found, strict=True))
            share = right.mean()
            error = np.sqrt(share * (1 - share) / given.leader)
            lines.append([policy, f"{share:.2f} ± {error:.2f}", f"{np.median(number):.0f}"])
        print_table(["pairs", "right within 600", "median contests"], lines)
        return
    lines = [
        [world, ", ".join(f"{k}={v}" for k, v in one.items()), *claims(world, one, given.sets)]
        for world, analyses in ANALYSES.items()
        for one in analyses
    ]
    header = ["world", "settings", "abilities", "ranks", "claimed 0.90–0.99", "true"]
    print_table(header, lines)


if __name__ == "__main__":
    main()

"""What `audit_votes` finds, and how often it cries wolf, in simulated arenas.

Twelve candidates with normal abilities (standard deviation 1.2), 40 voters of 50 votes, with ties.
Worlds: all vote alike; each voter has tastes of its own (standard deviation 0.5); voters 0 and 1
guess and voter 2 votes contrary to everybody; six voters prefer the sixth candidate to all others.

Printed: share of arenas in which an honest voter was flagged, in which voters 0, 1 and 2 were, in
which a group was named, and in which three or more of the six were in it.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import polars as pl
from common import print_table

import peckorder as po

CANDIDATES, VOTERS, VOTES, SPREAD, TASTE, NU = 12, 40, 50, 1.2, 0.5, 0.3
WORLDS = ("alike", "tastes", "bad", "ring")
BAD, RING = ("0", "1", "2"), {"0", "1", "2", "3", "4", "5"}


def arena(world: str, seed: int) -> Any:
    """Votes of one world."""
    random = np.random.default_rng(seed)
    ability = random.normal(0, SPREAD, CANDIDATES)
    voter = np.repeat(np.arange(VOTERS), VOTES)
    a = random.integers(CANDIDATES, size=len(voter))
    b = (a + random.integers(1, CANDIDATES, size=len(voter))) % CANDIDATES
    own = np.tile(ability, (VOTERS, 1))
    if world == "tastes":
        own = own + random.normal(0, TASTE, own.shape)
    ahead = own[voter, a] - own[voter, b]
    if world == "bad":
        ahead = np.where(voter < 2, 0.0, np.where(voter == 2, -ahead, ahead))
    if world == "ring":
        sixth = np.argsort(-ability)[5]
        pushed = np.where(a == sixth, 3.0, np.where(b == sixth, -3.0, ahead))
        ahead = np.where(voter < len(RING), pushed, ahead)
    up, down = np.exp(ahead / 2), np.exp(-ahead / 2)
    point = random.random(len(voter)) * (up + down + NU)
    winner = np.where(point < up, "a", np.where(point < up + NU, "tie", "b"))
    names = np.array([f"m{i}" for i in range(CANDIDATES)])
    return po.read(pl.DataFrame({"a": names[a], "b": names[b], "winner": winner, "voter": voter}))


def study(arenas: int) -> None:
    """Print the shares of all worlds."""
    lines = []
    for world in WORLDS:
        wolf, found, groups, ring = 0, np.zeros(3), 0, 0
        for seed in range(arenas):
            board = po.bradley_terry(arena(world, seed), penalized=True)
            audit = po.sport.audit_votes(board, runs=100, seed=seed)
            flagged = set(audit.as_polars().filter("flagged")["voter"])
            wolf += bool(flagged - (set(BAD) if world == "bad" else set()))
            found += [name in flagged for name in BAD]
            groups += audit.groups > 0
            named = [set(row["names"].split(", ")) for row in audit.favors.iter_rows(named=True)]
            ring += any(len(names & RING) >= 3 for names in named)
        bad = [f"{share:.2f}" for share in found / arenas] if world == "bad" else ["", "", ""]
        told = f"{ring / arenas:.2f}" if world == "ring" else ""
        lines.append([world, f"{wolf / arenas:.2f}", *bad, f"{groups / arenas:.2f}", told])
    header = ["world", "honest voter flagged", "guesses", "guesses", "contrary", "group named"]
    print_table([*header, "ring found"], lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arenas", type=int, default=200)
    study(parser.parse_args().arenas)


if __name__ == "__main__":
    main()

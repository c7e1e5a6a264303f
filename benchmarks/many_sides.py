"""Races, doubles and duels: foresight compared with openskill and trueskill, estimates with choix.

Worlds: 30 individuals with normal abilities (standard deviation 1) that drift (0.03 a contest);
duels, two pairs of two, and races of eight by the Plackett-Luce model. Printed: log loss of pairs
of sides before each contest (`FieldRater`, and both others with their default settings; of two
prediction rules of openskill the better one), and CPU time per contest (updates only; of
`FieldRater` also where all contests are given at once). For races, the largest difference between
the abilities of `plackett_luce` and of choix, and the time of both.
"""

from __future__ import annotations

import argparse
import math
import time
from typing import Any

import numpy as np
from common import print_table

import peckorder as po

INDIVIDUALS, DRIFT = 30, 0.03
WORLDS = {"duels": (2, 1), "two against two": (2, 2), "races of 8": (8, 1)}


def contests(world: str, number: int, seed: int) -> list[list[list[str]]]:
    """Sides from the first to the last of each contest."""
    random = np.random.default_rng([list(WORLDS).index(world), seed])
    sides, members = WORLDS[world]
    ability = random.normal(size=INDIVIDUALS)
    out = []
    for _ in range(number):
        who = random.permutation(INDIVIDUALS)[: sides * members].reshape(sides, members)
        strength = ability[who].sum(axis=1) + random.gumbel(size=sides)
        out.append([[f"p{i}" for i in who[s]] for s in np.argsort(-strength)])
        ability[who] += random.normal(0, DRIFT, who.shape)
    return out


def by_field_rater(record: list[list[list[str]]]) -> tuple[float, float]:
    """Log loss of pairs, and CPU seconds of updates."""
    rater, losses, spent = po.sport.FieldRater(), [], 0.0
    rater.update([["warm"], ["up"]])
    for sides in record:
        names = set(rater.individuals)
        for i, one in enumerate(sides):
            for other in sides[i + 1 :]:
                known = names.issuperset([*one, *other])
                losses.append(-math.log(rater.probability(one, other)) if known else math.log(2))
        begin = time.process_time()
        rater.update(sides)
        spent += time.process_time() - begin
    return float(np.mean(losses)), spent


def by_openskill(record: list[list[list[str]]]) -> tuple[float, float]:
    from openskill.models import PlackettLuce

    model = PlackettLuce()
    known: dict[str, Any] = {}
    losses: list[list[float]] = []
    spent = 0.0
    for sides in record:
        teams = [[known.setdefault(name, model.rating()) for name in side] for side in sides]
        for i, one in enumerate(teams):
            for other in teams[i + 1 :]:
                gap = sum(r.mu for r in one) - sum(r.mu for r in other)
                spread = sum(model.beta**2 + r.sigma**2 for r in [*one, *other])
                rules = model.predict_win([one, other])[0], 1 / (1 + math.exp(-gap / spread**0.5))
                losses.append([-math.log(max(p, 1e-9)) for p in rules])
        begin = time.process_time()
        after = model.rate(teams)
        spent += time.process_time() - begin
        for side, rated in zip(sides, after, strict=True):
            known.update(zip(side, rated, strict=True))
    return float(np.mean(losses, axis=0).min()), spent


def by_trueskill(record: list[list[list[str]]]) -> tuple[float, float]:
    import trueskill

    world = trueskill.TrueSkill(draw_probability=0.0)
    known: dict[str, Any] = {}
    losses, spent = [], 0.0
    for sides in record:
        teams = [[known.setdefault(name, world.create_rating()) for name in side] for side in sides]
        for i, one in enumerate(teams):
            for other in teams[i + 1 :]:
                gap = sum(r.mu for r in one) - sum(r.mu for r in other)
                number = len(one) + len(other)
                variance = number * world.beta**2 + sum(r.sigma**2 for r in [*one, *other])
                losses.append(-math.log(max(world.cdf(gap / math.sqrt(variance)), 1e-9)))
        begin = time.process_time()
        after = world.rate(teams)
        spent += time.process_time() - begin
        for side, rated in zip(sides, after, strict=True):
            known.update(zip(side, rated, strict=True))
    return float(np.mean(losses)), spent


def against_choix(races: int) -> list[str]:
    """Abilities of races of eight by both, and their CPU seconds."""
    import choix

    record = contests("races of 8", races, 1)
    orders = [[int(side[0][1:]) for side in sides] for sides in record]
    begin = time.process_time()
    theirs = choix.ilsr_rankings(INDIVIDUALS, orders, tol=1e-12)
    theirs_time = time.process_time() - begin
    fields = po.sport.read_fields([[side[0] for side in sides] for sides in record])
    po.sport.plackett_luce(fields)
    begin = time.process_time()
    board = po.sport.plackett_luce(fields)
    own_time = time.process_time() - begin
    own = dict(zip(board.individuals, board.ability, strict=True))
    ours = np.array([own[f"p{i}"] for i in range(INDIVIDUALS)])
    apart = np.abs(ours - (theirs - theirs.mean())).max()
    return [f"{races:,}", f"{apart:.1e}", f"{own_time:.2f}", f"{theirs_time:.2f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--contests", type=int, default=2000)
    parser.add_argument("--records", type=int, default=3)
    given = parser.parse_args()
    print_table(
        ["races", "largest difference to choix", "CPU s", "choix"], [against_choix(given.contests)]
    )
    raters = {"FieldRater": by_field_rater, "openskill": by_openskill, "trueskill": by_trueskill}
    lines = []
    for world in WORLDS:
        number = given.contests // (4 if world == "races of 8" else 1)
        for name, rate in raters.items():
            found = [rate(contests(world, number, seed)) for seed in range(given.records)]
            loss, spent = np.mean(found, axis=0)
            lines.append([world, name, f"{loss:.4f}", f"{1e6 * spent / number:.0f}"])
        record = contests(world, number, 0)
        fields = po.sport.read_fields([[tuple(side) for side in sides] for sides in record])
        begin = time.process_time()
        po.sport.FieldRater().update_many(fields)
        spent = time.process_time() - begin
        lines.append([world, "FieldRater, all at once", "", f"{1e6 * spent / number:.0f}"])
    print_table(["world", "rater", "log loss of pairs", "CPU µs per contest"], lines)


if __name__ == "__main__":
    main()

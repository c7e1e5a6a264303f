"""Is a change of order that is said to have probability 0.95 true in 95% of cases?

Records of `long_record.py` (30 years, 8 places, contests on random days, strengths constant or
drifting, five takeovers or none), rated by `dynamic`. Each change that `rank_changes` lists claims
that one of two individuals was ranked below the other in the middle of one stretch of time, and
above it in the middle of the next. Printed by kind of record and by the probability claimed:

- changes: how many were listed in all records together;
- claimed: their mean probability;
- true: share of those in which the true order was the one claimed in the middle of both stretches;
- order reversed: share of those in which the true order of the two was first the one before and
  later the one after at any two days of the two stretches.

± is the Monte Carlo error of a ratio of sums, with records as units.
"""

from __future__ import annotations

import argparse
import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from common import print_table
from long_record import KINDS

import peckorder as po
from peckorder.results.tenure import Ladder, reversals
from peckorder.simulate.truth import Truth

BINS = ((0.0, 0.5), (0.5, 0.8), (0.8, 0.95), (0.95, 1.01))


class Claim(NamedTuple):
    """One change of order: its probability, and what was true."""

    probability: float
    true: bool
    reversed: bool


def true_signs(truth: Truth, days: np.ndarray, up: int, down: int) -> np.ndarray:
    """1 where `up` is the stronger one, −1 where `down` is, NaN where one is absent, by day."""
    period = np.searchsorted(truth.dates, days, side="right") - 1
    strengths = truth.strengths[period]
    return np.sign(strengths[:, up] - strengths[:, down])


def claims(truth: Truth, ratings: Any) -> list[Claim]:
    """All changes of order listed for these ratings, with the truth."""
    ladder = Ladder.of(ratings)
    table = ratings.rank_changes()
    out = []
    for chance, one in zip(table["probability"], reversals(ladder), strict=True):
        middles = ladder.days[[sum(one.before) // 2, sum(one.after) // 2]]
        span = np.arange(ladder.days[one.before[0]], ladder.following[one.after[1]])
        signs = true_signs(truth, span, one.up, one.down)
        below, above = np.flatnonzero(signs < 0), np.flatnonzero(signs > 0)
        turned = below.size > 0 and above.size > 0 and below[0] < above[-1]
        right = true_signs(truth, middles, one.up, one.down).tolist() == [-1, 1]
        out.append(Claim(chance, right, bool(turned)))
    return out


def tried(settings: dict[str, Any], contests: int, seed: int) -> list[Claim]:
    truth, data = po.simulate.long_term(8, contests, stay=12, seed=seed, **settings)
    return claims(truth, po.dynamic(data, samples=1000, seed=seed, threads=1))


def share(records: list[list[bool]]) -> str:
    """Share over all claims, and its Monte Carlo error with records as units."""
    numbers = np.array([len(own) for own in records], float)
    hits = np.array([sum(own) for own in records], float)
    if numbers.sum() == 0:
        return "–"
    mean = hits.sum() / numbers.sum()
    apart = np.sqrt(((hits - mean * numbers) ** 2).sum()) / numbers.sum()
    least = 0.5 / numbers.sum()  # all or none of them true
    return f"{mean:.3f} ± {max(apart, least):.3f}"


def rows_of(kind: str, found: list[list[Claim]]) -> list[list[str]]:
    """One row per range of probabilities."""
    out = []
    for low, high in BINS:
        some = [[one for one in own if low <= one.probability < high] for own in found]
        chances = [one.probability for own in some for one in own]
        out.append(
            [
                kind,
                f"{low:.2f}–{min(high, 1):.2f}",
                f"{len(chances):,}",
                f"{np.mean(chances):.3f}" if chances else "–",
                share([[one.true for one in own] for own in some]),
                share([[one.reversed for one in own] for own in some]),
            ]
        )
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few records, to try the program")
    parser.add_argument("--sets", type=int, help="records of each kind (default 60)")
    parser.add_argument("--contests", type=int, default=600, help="contests of a record")
    parser.add_argument("--kinds", default="", help="parts of names of kinds, by commas")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    sets = given.sets or (2 if given.quick else 60)
    contests = 300 if given.quick else given.contests
    header = ["record", "probability", "changes", "claimed", "true", "order reversed"]
    rows = []
    for kind, settings in KINDS.items():
        if not any(part in kind for part in given.kinds.split(",")):
            continue
        with ThreadPoolExecutor(given.threads) as pool:
            found = list(pool.map(partial(tried, settings, contests), range(1, sets + 1)))
        rows += rows_of(kind, found)
    print(f"30 years, {contests:,} contests, {sets} records of each kind")
    print_table(header, rows)


if __name__ == "__main__":
    main()

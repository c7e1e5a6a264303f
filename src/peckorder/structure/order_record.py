"""Contests as a test of their order takes them: decided ones, who entered when, and a schedule.

Ties are left out. A bout is a run of contests of the same dyad; on request only its first decided
contest is kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from peckorder.data.checks import pooled_groups
from peckorder.data.dates import whole_days
from peckorder.data.interactions import Interactions
from peckorder.data.matrix import Matrix
from peckorder.errors import ArgumentTypeError, DataError, caution
from peckorder.kernels.order_test import Grid, Schedule

SPREADS = np.array([0.1, 0.2, 0.35, 0.6, 0.9, 1.3, 1.9, 2.7, 3.8, 5.5])
PRIOR_SPREAD = 2.5  # scale of the half-normal prior of the spread
STEPS = np.array([0.1, 0.2, 0.4, 0.8])  # drift per own contest, in log-odds
LATE = 0.01


@dataclass(frozen=True)
class Kept:
    """The contests that are tested, and what was left out."""

    data: Interactions
    ties: int
    repeats: int
    expected_repeats: float
    bouts: int


@dataclass(frozen=True)
class Record:
    """A schedule with its outcomes, and the grid of the statistic."""

    schedule: Schedule
    won: np.ndarray
    grid: Grid


def decided_contests(data: Any, *, collapse_bouts: bool) -> Kept:
    """Contests in order without ties; of each bout the first decided one, if requested."""
    if isinstance(data, Matrix) or (isinstance(data, Interactions) and not data.ordered):
        raise DataError(
            "order_test needs the order of contests, which a matrix or counts do not hold. "
            "Read a file with one contest per row, in order or with dates."
        )
    if not isinstance(data, Interactions):
        raise ArgumentTypeError(
            f"order_test takes what peckorder.read returns, not {type(data).__name__}: "
            f"peckorder.order_test(peckorder.read(…))."
        )
    if line := pooled_groups(data):
        caution(line)
    decided = np.ones(len(data), bool) if data.draw is None else ~data.draw
    if not decided.any():
        raise DataError("There is no decided contest: order_test leaves ties out.")
    low, high = np.minimum(data.winner, data.loser), np.maximum(data.winner, data.loser)
    dyad = low.astype(np.int64) * len(data.individuals) + high
    follows = np.append(False, dyad[1:] == dyad[:-1])
    keep = np.flatnonzero(decided)
    if collapse_bouts:
        bout = np.cumsum(~follows)[keep]
        keep = keep[np.append(True, bout[1:] != bout[:-1])]
    counts = np.unique(dyad, return_counts=True)[1]
    return Kept(
        data=data.take(keep),
        ties=int((~decided).sum()),
        repeats=int(follows.sum()),
        expected_repeats=float((counts * (counts - 1)).sum() / len(data)),
        bouts=int(decided.sum()) - len(keep),
    )


def record_of(data: Interactions) -> Record:
    """The arrays of contests without ties; presence is used where it is known."""
    if data.presence is None:
        return record(data.winner, data.loser)
    days, codes = whole_days(data.times), {name: i for i, name in enumerate(data.individuals)}
    inside = np.zeros((len(data), len(codes)), bool)
    enter = np.full(len(codes), len(data))
    presence = data.presence
    for name, start, end in zip(presence.individual, presence.start, presence.end, strict=True):
        begin, after = np.searchsorted(days, start), np.searchsorted(days, end, side="right")
        inside[begin:after, codes[name]] = True
        enter[codes[name]] = min(enter[codes[name]], begin)
    return record(data.winner, data.loser, enter=enter, inside=inside)


def record(
    winner: np.ndarray,
    loser: np.ndarray,
    *,
    enter: np.ndarray | None = None,
    inside: np.ndarray | None = None,
) -> Record:
    """Codes of winners and losers as a schedule with outcomes.

    `enter` numbers the contest before which each individual came (0: a founder), `inside` says who
    was in the group at each contest. Without them newcomers are inferred and nobody leaves.
    """
    number, size = len(winner), int(max(winner.max(), loser.max())) + 1
    at = np.arange(number)
    first_seen, last_seen = np.full(size, number), np.full(size, -1)
    for side in (winner, loser):
        np.minimum.at(first_seen, side, at)
        np.maximum.at(last_seen, side, at)
    if enter is None:
        own = np.bincount(winner, minlength=size) + np.bincount(loser, minlength=size)
        enter = np.where((1 - first_seen / number) ** own < LATE, first_seen, -1)
    enter = np.minimum(enter, first_seen)
    enter = np.where(enter <= 0, -1, enter)
    there = at[:, None] > enter
    if inside is not None:
        there &= inside
    entry = np.zeros(number, bool)
    entry[enter[enter >= 0]] = True
    side_a, side_b = np.minimum(winner, loser), np.maximum(winner, loser)
    dyad = side_a.astype(np.int64) * size + side_b
    by_dyad = np.argsort(dyad, kind="stable")
    begins = np.flatnonzero(np.append(True, np.diff(dyad[by_dyad]) != 0))
    around = (last_seen - first_seen + 1).sum() / number
    density = np.exp(-0.5 * (SPREADS / PRIOR_SPREAD) ** 2) * SPREADS * np.gradient(np.log(SPREADS))
    return Record(
        Schedule(
            first=side_a.astype(np.int64),
            second=side_b.astype(np.int64),
            enter=enter.astype(np.int64),
            there=there,
            entry=entry,
            by_dyad=by_dyad,
            bounds=np.append(begins, number),
        ),
        winner == side_a,
        Grid(SPREADS, np.log(density / density.sum()), STEPS**2 * 2 / max(around, 2)),
    )

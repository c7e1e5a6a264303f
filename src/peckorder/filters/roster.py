"""Group composition before each contest, and the entries of newcomers.

Times are contest numbers from 0. An interval of presence runs from the first to the last contest
while an individual was in the group. Individuals present from the start are founders. All others
enter before the first contest of their first interval, with a prior centered on the mean of the
individuals already in the group, and drift from the next contest onward. Absent individuals do not
drift, and individuals that return have the rating with which they left.
"""

from typing import NamedTuple

import numpy as np

FOUNDER = -1
LATE = 0.01


class Intervals(NamedTuple):
    """Intervals of presence; several for individuals that left and returned."""

    individual: np.ndarray
    first: np.ndarray
    last: np.ndarray


class Roster(NamedTuple):
    """Arrays of the kernel's record that describe group composition."""

    founder: np.ndarray
    roster_of: np.ndarray
    roster_at: np.ndarray
    roster: np.ndarray
    entry_at: np.ndarray
    entry_mean: np.ndarray
    newcomer_at: np.ndarray
    newcomer: np.ndarray


def first_and_last(winner, loser, individuals: int) -> tuple[np.ndarray, np.ndarray]:
    """First and last contest of each individual; (number of contests, −1) if it has none."""
    contests = len(winner)
    number = np.arange(contests)
    first = np.full(individuals, contests)
    last = np.full(individuals, -1)
    for side in (winner, loser):
        np.minimum.at(first, side, number)
        np.maximum.at(last, side, number)
    return first, last


def inferred_intervals(winner, loser, individuals: int) -> Intervals:
    """Presence if it was not recorded: no individual leaves, and entries are inferred.

    An individual with c contests, the first at position f of n, is a newcomer if such a late first
    contest is unlikely for an individual present throughout: (1 − f/n)^c < 0.01.
    """
    contests = len(winner)
    first, _ = first_and_last(winner, loser, individuals)
    own = np.bincount(winner, minlength=individuals) + np.bincount(loser, minlength=individuals)
    late = (own > 0) & ((1 - first / max(contests, 1)) ** own < LATE)
    return Intervals(
        np.arange(individuals), np.where(late, first, FOUNDER), np.full(individuals, contests)
    )


def known_intervals(intervals, winner, loser, individuals: int) -> Intervals:
    """Recorded presence, extended to each individual's first and last contest.

    Individuals without an interval are present throughout.
    """
    who, begins, ends = (np.asarray(part, np.int64) for part in intervals)
    missing = np.setdiff1d(np.arange(individuals), who)
    who = np.concatenate([who, missing])
    begins = np.concatenate([begins, np.full(missing.size, FOUNDER)])
    ends = np.concatenate([ends, np.full(missing.size, len(winner))])
    order = np.lexsort((begins, who))
    who, begins, ends = who[order], begins[order], ends[order]
    first, last = first_and_last(winner, loser, individuals)
    opening = np.searchsorted(who, np.arange(individuals))
    closing = np.searchsorted(who, np.arange(individuals), side="right") - 1
    begins[opening] = np.minimum(begins[opening], first)
    ends[closing] = np.maximum(ends[closing], last)
    begins[opening] = np.where(begins[opening] <= 0, FOUNDER, begins[opening])
    return Intervals(who, begins, ends)


def present_after(intervals: Intervals, contests: int) -> np.ndarray:
    """Individuals in the group after a number of contests: those present at the last of them."""
    there = (intervals.first < max(contests, 1)) & (intervals.last >= contests - 1)
    return np.unique(intervals.individual[there])


def rosters(intervals: Intervals, contests: int, individuals: int) -> Roster:
    """Lists of the individuals that drift before each contest, and of entries, as flat arrays."""
    who, begins, ends = intervals
    changes = np.concatenate([[0], begins + 1, ends + 1])
    changes = np.unique(changes[(changes >= 0) & (changes <= contests)])
    lists = [np.unique(who[(begins < t) & (ends >= t)]) for t in changes]
    roster_of = np.searchsorted(changes, np.arange(contests + 1), side="right") - 1
    opening = np.full(individuals, np.iinfo(np.int64).max)
    np.minimum.at(opening, who, begins)
    entry_at = np.unique(opening[(opening > 0) & (opening <= contests)])
    newcomers = [np.flatnonzero(opening == t) for t in entry_at]
    return Roster(
        founder=opening <= 0,
        roster_of=roster_of.astype(np.int32),
        roster_at=offsets(lists),
        roster=flat(lists),
        entry_at=entry_at.astype(np.int32),
        entry_mean=roster_of[entry_at].astype(np.int32),
        newcomer_at=offsets(newcomers),
        newcomer=flat(newcomers),
    )


def offsets(lists) -> np.ndarray:
    """Start of each list in their concatenation, and its length."""
    return np.concatenate([[0], np.cumsum([len(part) for part in lists])]).astype(np.int32)


def flat(lists) -> np.ndarray:
    """The concatenation of all lists."""
    return np.concatenate([*lists, np.zeros(0, int)]).astype(np.int32)

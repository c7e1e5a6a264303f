"""Stability of a hierarchy over time (Neumann et al. 2011; McDonald & Shizuka 2013).

For each pair of consecutive days, C_t is the sum of the rank changes of the individuals present
on both, w_t is the standardized rating, on the day before, of the highest-ranked individual whose
rank changed, and M_t = ⌊n²/2⌋ is the largest possible C_t among n individuals. The index is
S = 1 − Σ C_t w_t/Σ M_t, which is 1 if no rank ever changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from peckorder.data.date_columns import whole_days
from peckorder.errors import ArgumentTypeError, DataError
from peckorder.ranks import average_ranks
from peckorder.results import Measure, Ratings
from peckorder.results.history import days_of
from peckorder.results.window import NO_CONTESTS
from peckorder.validate import one_of

RULES = ("carried", "interpolated")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Stability(Measure):
    """Stability of ranks over time."""

    value: float  # index S: 1 if no rank ever changes
    unweighted: float  # the same with changes at all ranks counted alike
    rule: str  # for ratings on days without contests
    steps: int  # from day to day, or contest to contest


def stability(
    ratings: Ratings, *, rule: Literal["carried", "interpolated"] | None = None
) -> Stability:
    """Stability index S of ratings over time, weighted and unweighted.

    Parameters
    ----------
    ratings : Ratings
    rule : {"carried", "interpolated"}, optional
        Rating on days on which an individual had no contest: the last rating carried forward, or
        a linear interpolation between its contest days, rounded to integers, as in EloRating.
        As there, "interpolated" also counts the ranks that others lose when a newcomer arrives
        above them; "carried" compares the individuals present on both days with each other only.
        Default: "interpolated" if the ratings use the preset "EloRating", otherwise "carried".

    Returns
    -------
    Stability
        `value` (weighted), `unweighted` (all w_t = 1), `rule`, and the number of `steps` from day
        to day (without dates: from contest to contest).

    Raises
    ------
    DataError
        If the order of contests is unknown, or no two days can be compared.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.stability(po.elo(po.datasets.adv(), k=200, preset="EloRating"))
    >>> round(found.value, 4), round(found.unweighted, 4), found.rule
    (0.9679, 0.9206, 'interpolated')
    """
    if not isinstance(ratings, Ratings):
        raise ArgumentTypeError(
            f"stability takes ratings, as returned by peckorder.elo, not {type(ratings).__name__}."
        )
    if rule is None:
        rule = "interpolated" if ratings.settings.get("preset") == "EloRating" else "carried"
    one_of("rule", rule, RULES)
    if not ratings.data.ordered:
        raise DataError(
            "Stability needs contests in order; the order of these contests is unknown."
        )
    if ratings.window is not None and len(ratings.data) == 0:
        raise DataError(NO_CONTESTS)
    days = (day for block in ratings.by_day() for day in zip(*block, strict=True))
    if rule == "interpolated":
        days = _interpolated_days(ratings)
    changed, weighted, most, steps = rank_changes(days, rule)
    if steps == 0:
        raise DataError(
            "No two individuals are present on two consecutive days: stability cannot be computed."
        )
    value, unweighted = 1 - weighted / most, 1 - changed / most
    step = "contest" if ratings.data.date is None else "day"
    return Stability(
        method="stability",
        data=ratings.data,
        value=float(value),
        unweighted=float(unweighted),
        rule=rule,
        steps=steps,
        summary=(
            *(() if ratings.window is None else (ratings.window.sentence,)),
            f"Stability S = {value:.4f} over {steps:,} steps from {step} to {step} (1: no rank "
            f"ever changed). Unweighted, so that changes count the same at all ranks: "
            f"{unweighted:.4f}.",
        ),
        settings={**ratings.settings, "rule": rule},
        citations=("neumann2011", "mcdonald2013"),
    )


def rank_changes(
    days: Iterable[tuple[np.ndarray, np.ndarray]], rule: str
) -> tuple[float, float, int, int]:
    """ΣC, ΣCw, ΣM and the number of steps, from ratings and presence on successive days."""
    changed, weighted, most, steps = 0.0, 0.0, 0, 0
    elorating = rule == "interpolated"
    ranks = _ranks_of_elorating if elorating else _ranks_of_both
    for (old, was_there), (new, is_there) in pairwise(days):
        both = was_there & is_there
        if both.sum() < 2:
            continue
        steps += 1
        most += int(both.sum()) ** 2 // 2
        before, after = ranks(old, was_there, new, is_there)
        moved = np.abs(after - before)
        if not moved.any():
            continue
        there = old[both] if elorating else old[was_there]
        top = old[both][moved > 0].max()
        spread = there.max() - there.min()
        changed += moved.sum()
        weighted += moved.sum() * ((top - there.min()) / spread if spread > 0 else 0.0)
    return changed, weighted, most, steps


def _ranks_of_both(
    old: np.ndarray, was_there: np.ndarray, new: np.ndarray, is_there: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Ranks on two days among the individuals present on both."""
    both = was_there & is_there
    if np.array_equal(new[both], old[both]):
        same = np.zeros(int(both.sum()))
        return same, same
    return average_ranks(old[both]), average_ranks(new[both])


def _ranks_of_elorating(
    old: np.ndarray, was_there: np.ndarray, new: np.ndarray, is_there: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Ranks on two days of those present on both, among all present on each day."""
    before, after = np.full(old.shape, np.nan), np.full(new.shape, np.nan)
    before[was_there], after[is_there] = average_ranks(old[was_there]), average_ranks(new[is_there])
    both = was_there & is_there
    left = before[was_there & ~is_there]
    return before[both] - (left < before[both][:, None]).sum(axis=1), after[both]


def _interpolated_days(ratings: Ratings) -> Iterable[tuple[np.ndarray, np.ndarray]]:
    """Interpolated ratings of all days, or of those in the window, day by day."""
    whole = ratings.whole
    days = (day for block in whole.by_day() for day in zip(*block, strict=True))
    found = _interpolated(whole, *map(np.array, zip(*days, strict=True)))
    if ratings.window is None:
        return found
    inside = np.isin(days_of(whole.data, None), days_of(whole.data, ratings.window))
    return (day for day, own in zip(found, inside, strict=True) if own)


def _interpolated(
    ratings: Ratings, rating: np.ndarray, present: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """EloRating's daily ratings: fixed on contest days, interpolated and rounded in between.

    The rating of a newcomer is fixed on the day of the first contest in the group since its
    arrival. Under the bottom rules, ratings are also fixed on days on which they are the lowest
    of all.
    """
    data, replay = ratings.data, ratings.course.replay
    day = whole_days(data.times)
    if day.dtype.kind == "M":
        day = (day - day[0]).astype(int)
    else:
        day = np.unique(day, return_inverse=True)[1]
    fixed = np.zeros(rating.shape, bool)
    fixed[day, data.winner] = fixed[day, data.loser] = True
    arrival = np.isnan(rating).sum(axis=0)
    here = np.flatnonzero(arrival <= day[-1])
    fixed[day[np.searchsorted(day, arrival[here])], here] = True
    entry = str(ratings.settings.get("entry", ""))
    if entry.startswith("bottom"):
        course = replay.after_each(np.arange(len(ratings)))
        lowest = course == np.nanmin(course, axis=1, keepdims=True)
        for contest in range(1, len(data)):
            fixed[day[contest]] |= lowest[contest]
        if entry == "bottom_low":
            fixed[day[0]] |= lowest[1]
    out = rating.copy()
    for code in range(len(ratings)):
        knots = np.flatnonzero(fixed[:, code])
        if knots.size:
            line = np.interp(np.arange(len(rating)), knots, rating[knots, code])
            out[:, code] = np.where(np.isnan(rating[:, code]), np.nan, np.rint(line))
    return zip(out, present, strict=True)

"""Moving windows over a record: a length of time, or a number of contests, moved by a step."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from peckorder.data.contests import Contests
from peckorder.data.date_columns import whole_days
from peckorder.errors import ArgumentError, DataError
from peckorder.text import given, option
from peckorder.validate import is_number

LAST_DAY = np.datetime64("9999-12-31")
DURATION = re.compile(r"\s*(\d{1,6})\s*(d|w|m|y|days?|weeks?|months?|years?)\s*", re.IGNORECASE)
CALENDAR = {"m": 1, "y": 12}  # in months; these windows begin on the first day of a month
DAYS = {"d": 1, "w": 7}
MOST_WINDOWS = 10_000


@dataclass(frozen=True)
class Window:
    """First and last day of a window (or first and last contest), and its contests."""

    start: Any
    end: Any
    contests: np.ndarray


@dataclass(frozen=True)
class Duration:
    """A length of time in months or days."""

    months: int = 0
    days: int = 0

    def after(self, first: np.ndarray, times: np.ndarray) -> np.ndarray:
        """The days at multiples (`times`) of the duration after a first day."""
        if self.months:
            month = first.astype("datetime64[M]") + times * self.months
            return month.astype("datetime64[D]")
        return first + times * self.days


def duration(name: str, value: Any) -> Duration:
    """Parse "1y", "6 months", "30d" or "2 weeks".

    >>> duration("window", "1y"), duration("step", "2 weeks")
    (Duration(months=12, days=0), Duration(months=0, days=14))
    """
    found = DURATION.fullmatch(value) if isinstance(value, str) else None
    if found is None or int(found[1]) == 0:
        raise ArgumentError(
            f'{given(name, value)}: give a length of time such as "1y", "6m", "2w" or "30d" '
            f"(years, months, weeks, days), or a number of contests."
        )
    number, unit = int(found[1]), found[2][0].lower()
    if unit in CALENDAR:
        return Duration(months=number * CALENDAR[unit])
    return Duration(days=number * DAYS[unit])


def moving_windows(data: Contests, window: Any, step: Any) -> list[Window]:
    """The windows of a record, in order; the last one contains the last contest.

    By time, windows of months and years begin on the first day of a month, others on the day of the
    first contest. A window given as a whole number contains that many contests.
    """
    if len(data) == 0:
        raise DataError("There are no contests. Choose a longer period or fewer conditions.")
    step = window if step is None else step
    if is_number(window) != is_number(step):
        raise ArgumentError(
            f"{option('window', str(window))} and {option('step', str(step))} must both be lengths "
            f"of time, or both numbers of contests."
        )
    if is_number(window):
        return _by_contests(data, window, step)
    length, move = duration("window", window), duration("step", step)
    if data.date is None or data.date.dtype.kind != "M":
        raise DataError(
            f"{option('window', str(window))} needs calendar dates. Name their column, "
            f"{option('date')}, or give {option('window')} as a number of contests."
        )
    days = whole_days(data.date)
    first, last = days[0], days[-1]
    if length.months and move.months:
        first = first.astype("datetime64[M]").astype("datetime64[D]")
    number = _number_of_steps(first, last, length, move, window, step)
    starts = move.after(first, np.arange(number))
    ends = np.array([_end(start, length) for start in starts])
    if ends.max() > LAST_DAY:
        raise ArgumentError(
            f"{option('window', str(window))} ends after the year 9999. Give a shorter window."
        )
    begin = np.searchsorted(days, starts, side="left")
    after = np.searchsorted(days, ends, side="right")
    return [Window(starts[i], ends[i], np.arange(begin[i], after[i])) for i in range(len(starts))]


def _end(start: Any, length: Duration) -> Any:
    """The last day of a window that begins on this day."""
    if not length.months:
        return start + length.days - 1
    month = start.astype("datetime64[M]")
    day = start - month.astype("datetime64[D]")
    beyond = (month + length.months).astype("datetime64[D]")
    longest = (month + length.months + 1).astype("datetime64[D]") - beyond - 1
    return beyond + min(day, longest) - 1


def _number_of_steps(first, last, length: Duration, move: Duration, window, step) -> int:
    """Number of windows until one contains the last day."""
    per_step = 30.4 * move.months + move.days
    if (last - first).astype(np.int64) / per_step > MOST_WINDOWS:
        raise ArgumentError(
            f"{option('step', str(step))} gives more than {MOST_WINDOWS:,} windows. Use longer "
            f"steps."
        )
    number = 1
    while _end(move.after(first, np.array(number - 1)), length) < last:
        number += 1
    return number


def _by_contests(data: Contests, window: Any, step: Any) -> list[Window]:
    for name, value in (("window", window), ("step", step)):
        if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
            raise ArgumentError(f"{given(name, value)}: give a whole number of contests, from 1.")
    size = len(data)
    if size / step > MOST_WINDOWS:
        raise ArgumentError(
            f"{option('step', str(step))} gives more than {MOST_WINDOWS:,} windows. Use longer "
            f"steps."
        )
    starts = [0]
    while starts[-1] + window < size:
        starts.append(starts[-1] + int(step))
    out = []
    for start in starts:
        places = np.arange(start, min(start + int(window), size))
        if data.date is None:
            ends = int(places[0]) + 1, int(places[-1]) + 1
        else:
            ends = data.date[places[0]], data.date[places[-1]]
        out.append(Window(*ends, places))
    return out

"""Study periods: the contests in each, and the members of the group."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from peckorder.data.dates import date_words, moment, whole_days
from peckorder.data.interactions import Interactions
from peckorder.errors import ArgumentError, ArgumentTypeError, DataError
from peckorder.wording import given, option, option_name

UNITS = ("year", "quarter", "month", "season")
MONTHS = {"year": 12, "quarter": 3, "month": 1}
ONE_DAY = np.timedelta64(1, "D")


@dataclass(frozen=True, eq=False)
class Period:
    """A study period: name, first and last day, contests, and members (codes)."""

    name: str
    start: Any
    end: Any
    contests: np.ndarray
    members: np.ndarray


def study_periods(data: Interactions, per: Any) -> list[Period]:
    """The periods of a study, in order.

    `per` is "year", "quarter", "month", "season", or the first days of all periods. Members are
    the individuals present on at least one day of the period or, without presence data, those
    between their first and last period with a contest.
    """
    if not isinstance(data, Interactions) or not data.ordered:
        raise DataError(
            "Study periods need contests in order; a matrix cannot be divided into periods."
        )
    if isinstance(per, str):
        if per not in UNITS:
            raise ArgumentError(
                f"{given('per', per)} is not known. Choose one of: {', '.join(UNITS)}; or give the "
                f"first days of all periods."
            )
        names, starts, ends, label = _seasons(data) if per == "season" else _calendar(data, per)
    else:
        names, starts, ends, label = _given(data, per)
    members = _members(data, starts, ends, label)
    return [
        Period(names[t], starts[t], ends[t], np.flatnonzero(label == t), members[t])
        for t in range(len(names))
    ]


def _calendar(data: Interactions, per: str) -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray]:
    if data.date is None or data.date.dtype.kind != "M":
        raise DataError(
            f"{option('per', per)} needs calendar dates. Name their column, {option('date')}, or "
            f"give the number of the first contest of each period."
        )
    width = MONTHS[per]
    unit = data.date.astype("datetime64[M]").astype(np.int64) // width
    label = unit - unit.min()
    first = (np.arange(unit.min(), unit.max() + 2) * width).astype("datetime64[M]")
    days = first.astype("datetime64[D]")
    texts = np.datetime_as_string(first[:-1]).tolist()
    if per == "year":
        texts = [text[:4] for text in texts]
    elif per == "quarter":
        texts = [f"{text[:4]} Q{(int(text[5:7]) + 2) // 3}" for text in texts]
    return texts, days[:-1], days[1:] - ONE_DAY, label


def _seasons(data: Interactions) -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray]:
    if data.season is None:
        raise DataError(
            f"{option('per', 'season')} needs the season of each contest. Name its column: "
            f"{option('season')}."
        )
    label, days = data.season.codes, whole_days(data.times)
    number = len(data.season.names)
    inside = [days[label == t] for t in range(number)]
    turn = sorted(range(number), key=lambda t: inside[t][0])
    starts = np.array([inside[t][0] for t in turn])
    ends = np.array([inside[t][-1] for t in turn])
    if (starts[1:] <= ends[:-1]).any():
        late = int(np.flatnonzero(starts[1:] <= ends[:-1])[0])
        names = [data.season.names[turn[t]] for t in (late, late + 1)]
        raise DataError(
            f'The seasons "{names[0]}" and "{names[1]}" overlap: both have contests until '
            f"{date_words(ends[late])}. Correct the seasons or the dates."
        )
    place = np.argsort(turn)
    return [data.season.names[t] for t in turn], starts, ends, place[label]


def _given(data: Interactions, per: Any) -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray]:
    if not isinstance(per, Iterable):
        raise ArgumentTypeError(
            f"{given('per', per)}: choose one of {', '.join(UNITS)}; or give the first days of all "
            f"periods."
        )
    times = data.times
    starts = np.array([whole_days(np.asarray(moment(x, times, end_of_day=False))) for x in per])
    if len(starts) == 0 or (starts[1:] <= starts[:-1]).any():
        raise ArgumentError(
            f"{option_name('per')}: give the first days of all periods, in order of time."
        )
    days = whole_days(times)
    if days[0] < starts[0]:
        raise ArgumentError(
            f"The first contest ({date_words(days[0])}) is before the first period "
            f"({date_words(starts[0])}). Start the first period earlier, or omit earlier contests."
        )
    step = ONE_DAY if starts.dtype.kind == "M" else 1
    ends = np.append(starts[1:] - step, max(days[-1], starts[-1]))
    label = np.searchsorted(starts, days, side="right") - 1
    return [date_words(start) for start in starts], starts, ends, label


def _members(
    data: Interactions, starts: np.ndarray, ends: np.ndarray, label: np.ndarray
) -> list[np.ndarray]:
    size, number = len(data.individuals), len(starts)
    there = np.zeros((number, size), bool)
    if data.presence is not None:
        for code, name in enumerate(data.individuals):
            for begin, end in data.presence.stints(name):
                there[:, code] |= (starts <= end) & (begin <= ends)
    else:
        for code in range(size):
            own = label[(data.winner == code) | (data.loser == code)]
            there[own.min() : own.max() + 1, code] = True
    return [np.flatnonzero(row) for row in there]

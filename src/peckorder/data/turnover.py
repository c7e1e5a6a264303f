"""Who was in the group together and how its composition changed, counted from presence data.

Days run from the first contest to the last, or within a window of them, as in `group_size`.
Whoever is present on the first day did not arrive on it, and whoever is present on the last day has
not departed: what was before and comes after the record is unknown. A departure counts on the first
day of absence, so that the size at the start + arrivals − departures is the size at the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from peckorder.data.date_columns import PERIODS, date_column, moment, whole_days
from peckorder.errors import ArgumentError, DataError
from peckorder.text import given, option, option_name
from peckorder.validate import one_of, whole_number

COUNTS = {"days": pl.Int64, "mean": pl.Float64, "sd": pl.Float64, "cv": pl.Float64}
COUNTS |= {"min": pl.Int64, "max": pl.Int64}
UNITS = {"week": "D", "month": "M", "quarter": "M", "year": "Y"}


def _span(data: Any, what: str, since: object, until: object) -> tuple[Any, Any]:
    """The first and the last day of the record, or of a window of it."""
    if data.presence is None:
        raise DataError(
            f"{what} needs presence data, and these data have none. Supply them with "
            f"{option('presence')}, or use {option('presence', 'inferred')}: present from the "
            f"first to the last contest."
        )
    first, last = whole_days(data.times[[0, -1]])
    if since is not None:
        first = max(first, whole_days(np.asarray(moment(since, data.times, end_of_day=False)))[()])
    if until is not None:
        last = min(last, whole_days(np.asarray(moment(until, data.times)))[()])
    if first > last:
        raise ArgumentError(
            f"There are no days in this window. Change {option_name('since')} or "
            f"{option_name('until')}."
        )
    return first, last


def _stints(data: Any, first: Any, last: Any) -> list[tuple[str, Any, Any]]:
    """Name, first and last day of each stay, within a span of days."""
    return [
        (name, max(start, first), min(end, last))
        for name in data.individuals
        for start, end in data.presence.stints(name)
        if start <= last and end >= first
    ]


def co_residence_frame(data: Any, since: object, until: object) -> pl.DataFrame:
    """Pairs that were present together: days, first and last day, and contests between them."""
    first, last = _span(data, "Co-residence", since, until)
    stays: dict[str, list[tuple[Any, Any]]] = {}
    for name, start, end in _stints(data, first, last):
        stays.setdefault(name, []).append((start, end))
    days = whole_days(data.times)
    inside = (days >= first) & (days <= last)
    met: dict[frozenset[int], int] = {}
    for pair in zip(data.winner[inside].tolist(), data.loser[inside].tolist(), strict=True):
        met[frozenset(pair)] = met.get(frozenset(pair), 0) + 1
    names = list(stays)
    codes = {name: code for code, name in enumerate(data.individuals)}
    rows = []
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            both = [
                (max(one[0], other[0]), min(one[1], other[1]))
                for one in stays[a]
                for other in stays[b]
                if max(one[0], other[0]) <= min(one[1], other[1])
            ]
            if both:
                length = sum(int((end - start).astype(int)) + 1 for start, end in both)
                contests = met.get(frozenset((codes[a], codes[b])), 0)
                rows.append((a, b, length, min(both)[0], max(e for _, e in both), contests))
    sides = {"a": [row[0] for row in rows], "b": [row[1] for row in rows]}
    return pl.DataFrame(
        {
            **{side: pl.Series(column, dtype=pl.String) for side, column in sides.items()},
            "days_together": pl.Series([row[2] for row in rows], dtype=pl.Int64),
            "first_together": date_column(np.array([row[3] for row in rows], days.dtype)),
            "last_together": date_column(np.array([row[4] for row in rows], days.dtype)),
            "contests": pl.Series([row[5] for row in rows], dtype=pl.Int64),
        }
    )


def _begins(first: Any, last: Any, every: Any) -> np.ndarray:
    """The first day of each period between two days; the first period may be cut."""
    days = np.arange(first, last + 1)
    if days.dtype.kind != "M":
        if isinstance(every, str) and not every.isdigit():
            raise ArgumentError(
                f"{given('every', every)} needs calendar dates. Name their column when reading "
                f"({option('date')}), or give a number of contests: {option('every', '10')}."
            )
        return days[:: whole_number("every", int(every) if isinstance(every, str) else every, 1)]
    one_of("every", every, UNITS)
    labels = days.astype(f"datetime64[{UNITS[every]}]").astype(np.int64)
    if every == "week":  # from Monday to Sunday; day 0 (1970-01-01) was a Thursday
        labels = (labels + 3) // 7
    elif every == "quarter":
        labels //= 3
    return days[np.flatnonzero(np.diff(labels, prepend=labels[0] - 1))]


def turnover_frame(data: Any, every: Any, since: object, until: object) -> pl.DataFrame:
    """Arrivals, departures and sizes of the group, one row per period."""
    first, last = _span(data, "Turnover", since, until)
    begins = _begins(first, last, every)
    stops = np.append(begins[1:], last + 1)
    stints = _stints(data, first, last)
    came = np.array([start for _, start, _ in stints], begins.dtype)
    left = np.array([end for _, _, end in stints], begins.dtype) + 1
    founders = came == first
    periods = list(zip(begins, stops, strict=True))
    arrivals, departures = (
        np.array([((at >= begin) & (at < stop)).sum() for begin, stop in periods])
        for at in (came[~founders], left[left <= last])
    )
    at_end = founders.sum() + (arrivals - departures).cumsum()
    return pl.DataFrame(
        {
            "first": date_column(begins),
            "last": date_column(stops - 1),
            "arrivals": arrivals.astype(np.int64),
            "departures": departures.astype(np.int64),
            "size_at_start": (at_end - arrivals + departures).astype(np.int64),
            "size_at_end": at_end.astype(np.int64),
        }
    )


def group_size(data: Any, period: str | None, since: object, until: object) -> pl.DataFrame:
    """Mean and variation of the number of individuals present, one row per period."""
    first, last = _span(data, "Group size", since, until)
    days = np.arange(first, last + 1)
    change = np.zeros(len(days) + 1, np.int64)
    for _, start, end in _stints(data, first, last):
        change[np.searchsorted(days, start, side="left")] += 1
        change[np.searchsorted(days, end, side="right")] -= 1
    counts = np.cumsum(change)[:-1]
    if period is not None:
        one_of("period", period, PERIODS)
        if days.dtype.kind != "M":
            raise DataError(
                f"{option('period', period)} needs calendar dates, but the dates of these contests "
                f"are numbers. Use {option_name('since')} and {option_name('until')}."
            )
    begins = np.searchsorted(days, days[:1] if period is None else _begins(first, last, period))
    rows = []
    for own in np.split(counts, begins[1:]):
        mean = float(own.mean())
        sd = float(own.std(ddof=1)) if len(own) > 1 else None
        cv = None if sd is None or mean == 0 else sd / mean
        rows.append((len(own), mean, sd, cv, int(own.min()), int(own.max())))
    table = pl.DataFrame(rows, COUNTS, orient="row")
    lasts = np.append(begins[1:], len(days)) - 1
    table.insert_column(0, date_column(days[begins]).alias("first"))
    return table.insert_column(1, date_column(days[lasts]).alias("last"))

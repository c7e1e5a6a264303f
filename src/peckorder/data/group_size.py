"""Number of individuals in the group: daily counts from presence, summarized by period."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from peckorder.checked import one_of
from peckorder.data.dates import PERIODS, date_column, moment, whole_days
from peckorder.errors import ArgumentError, DataError
from peckorder.wording import option, option_name


def daily_counts(data: Any, since: object, until: object) -> tuple[np.ndarray, np.ndarray]:
    """Days from the first to the last contest (or within a window), and how many are present."""
    if data.presence is None:
        raise DataError(
            f"Group size needs presence data, and these data have none. Supply them with "
            f"{option('presence')}, or use {option('presence', 'inferred')}: present from the "
            f"first to the last contest."
        )
    first, last = whole_days(data.times[[0, -1]])
    days = np.arange(first, last + 1)
    counts = np.zeros(len(days) + 1, np.int64)
    for name in dict.fromkeys(data.presence.individual):
        for start, end in data.presence.stints(name):
            begin = np.searchsorted(days, start, side="left")
            after = np.searchsorted(days, end, side="right")
            if begin < after:
                counts[begin] += 1
                counts[after] -= 1
    counts = np.cumsum(counts)[:-1]
    inside = np.ones(len(days), bool)
    if since is not None:
        inside &= days >= whole_days(np.asarray(moment(since, data.times, end_of_day=False)))
    if until is not None:
        inside &= days <= whole_days(np.asarray(moment(until, data.times)))
    if not inside.any():
        raise ArgumentError(
            f"There are no days in this window. Change {option_name('since')} or "
            f"{option_name('until')}."
        )
    return days[inside], counts[inside]


def group_size(data: Any, period: str | None, since: object, until: object) -> pl.DataFrame:
    """Mean and variation of the number of individuals present, one row per period."""
    days, counts = daily_counts(data, since, until)
    labels = np.zeros(len(days), np.int64)
    if period is not None:
        one_of("period", period, PERIODS)
        if days.dtype.kind != "M":
            raise DataError(
                f"{option('period', period)} needs calendar dates, but the dates of these contests "
                f"are numbers. Use {option_name('since')} and {option_name('until')}."
            )
        if period == "week":  # weeks begin on Monday; day 0 (1970-01-01) was a Thursday
            labels = (days.astype(np.int64) + 3) // 7
        else:
            labels = days.astype(f"datetime64[{period[0].upper()}]").astype(np.int64)
    begins = np.flatnonzero(np.diff(labels, prepend=labels[0] - 1))
    rows = []
    for own in np.split(counts, begins[1:]):
        mean = float(own.mean())
        sd = float(own.std(ddof=1)) if len(own) > 1 else None
        rows.append(
            {
                "days": len(own),
                "mean": mean,
                "sd": sd,
                "cv": None if sd is None or mean == 0 else sd / mean,
                "min": int(own.min()),
                "max": int(own.max()),
            }
        )
    lasts = np.append(begins[1:], len(days)) - 1
    table = pl.DataFrame(rows, infer_schema_length=None)
    table.insert_column(0, date_column(days[begins]).alias("first"))
    return table.insert_column(1, date_column(days[lasts]).alias("last"))

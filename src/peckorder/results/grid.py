"""Grids: ratings and ranks of those present at the end of every calendar period."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from peckorder.checked import one_of, true_or_false, whole_number
from peckorder.data.dates import date_column, whole_days
from peckorder.errors import ArgumentError, DataError
from peckorder.results.joins import Lookup, joined_columns, spread_columns
from peckorder.wording import given, option

UNITS = {"day": "D", "week": "W", "month": "M", "quarter": "M", "year": "Y"}
MOST_DATES = 200_000
MOST_ROWS = 20_000_000


def grid_dates(first: Any, last: Any, every: Any) -> np.ndarray:
    """The last day of each period from the first day to the last, which ends the last period."""
    if first.dtype.kind != "M":
        step = whole_number("every", every, 1)
        dates = np.arange(first + step - 1, last + 1, step)
        return dates if dates.size and dates[-1] == last else np.append(dates, last)
    one_of("every", every, UNITS)
    if every == "week":  # from Monday to Sunday
        begins = np.arange(first - (first.astype(np.int64) + 3) % 7, last + 1, 7)
        return np.minimum(begins + 6, last)
    begins = np.arange(first.astype(f"M8[{UNITS[every]}]"), last.astype(f"M8[{UNITS[every]}]") + 1)
    if every == "quarter":
        begins = begins[(begins.astype(np.int64) % 3 == 2) | (begins == begins[-1])]
    return np.minimum((begins + 1).astype("M8[D]") - 1, last)


def grid_frame(ratings: Any, every: Any, wide: bool) -> pl.DataFrame:
    """The grid, long or wide."""
    true_or_false("wide", wide)
    data, window = ratings.whole.data, ratings.window
    days = whole_days(data.times[[0, -1]])
    if window is not None:
        own = whole_days(np.array([window.start, window.end]))
        days = np.array([max(days[0], own[0]), min(max(days[1], own[0]), own[1])])
    if data.date is None and isinstance(every, str) and not every.isdigit():
        raise ArgumentError(
            f"{given('every', every)} needs calendar dates. Name their column when reading "
            f"({option('date')}), or give a number of contests, such as {option('every', '10')}."
        )
    numeric = data.clock.kind != "M"
    every = int(every) if numeric and isinstance(every, str) and every.isdigit() else every
    dates = grid_dates(days[0], days[1], every) if days[0] <= days[1] else days[:0]
    size = len(ratings.individuals)
    if len(dates) > MOST_DATES or len(dates) * size > MOST_ROWS:
        raise DataError(
            f"The grid has {len(dates):,} dates and {size:,} individuals, which is too large. "
            f"Choose a longer period: {option('every', 'year')}."
        )
    look = Lookup(
        ratings,
        np.tile(np.arange(size), len(dates)),
        np.repeat(dates, size).astype(data.clock),
        np.full(len(dates) * size, "", dtype=object),
    )
    columns = joined_columns(ratings, look)
    del columns["days_since_contest"]
    if hasattr(ratings, "draws_and_presence"):
        columns |= spread_columns(ratings, look)
    names = pl.Series(ratings.individuals, dtype=pl.String)
    keys = {
        "date": date_column(np.repeat(dates, size).astype(data.clock)),
        "individual": names.gather(pl.Series(look.codes)),
    }
    frame = pl.DataFrame(keys | columns).filter(pl.Series(look.reason == ""))
    frame = frame.sort("date", "rank", "individual", maintain_order=True)
    if not wide:
        return frame
    return frame.pivot("individual", index="date", values="rating").select(
        "date", *(name for name in ratings.everyone if name in set(frame["individual"]))
    )

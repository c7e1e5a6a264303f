"""Ratings over time: histories, trajectories, ratings day by day, and when the order settled.

Slopes of rating trajectories: whether individuals rose or fell over time.

Grids: ratings and ranks of those present at the end of every calendar period.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.contests import Contests
from peckorder.data.date_columns import date_column, ends, whole_days
from peckorder.errors import ArgumentError, DataError
from peckorder.ranks import spearman
from peckorder.results.chances import drawn_of
from peckorder.results.joins import Lookup, joined_columns, spread_columns
from peckorder.results.rank_table import top_down
from peckorder.results.trajectory import Course
from peckorder.results.window import Window
from peckorder.text import given, option
from peckorder.validate import one_of, true_or_false, whole_number

VALUES_AT_ONCE = 20_000_000
MOST_DAYS = 200_000  # five centuries; more is a wrong date


def history_frame(course: Course[Any]) -> pl.DataFrame:
    """Each contest with the expected score of the winner, and ratings before and after."""
    data = course.contests
    names = pl.Series(data.individuals, dtype=pl.String)
    columns: dict[str, Any] = {"contest": np.arange(len(data)) + data.first_number}
    if data.date is not None:
        columns["date"] = date_column(data.date)
    columns["winner"] = names.gather(pl.Series(data.winner))
    columns["loser"] = names.gather(pl.Series(data.loser))
    columns["draw"] = drawn_of(data)
    if data.context is not None:
        columns["context"] = data.context.column()
    expected, before, after = course.history
    columns["expected"] = expected
    columns["winner_before"], columns["loser_before"] = before.T
    columns["winner_after"], columns["loser_after"] = after.T
    return pl.DataFrame(columns)


def path_frame(
    course: Course[Any], code: int, rating: np.ndarray, window: Window | None
) -> pl.DataFrame:
    """The trajectory of one individual from its ratings after every contest."""
    data = course.contests
    own = (data.winner == code) | (data.loser == code)
    moved = np.concatenate([[False], rating[1:] != rating[:-1]])
    keep = np.concatenate([[True], own]) | moved
    keep &= ~np.isnan(rating)
    if own.any():
        entry = int(np.argmax(own))
        if np.isnan(rating[entry]):  # no rating before its first contest: show entry
            rating[entry] = course.own_path(code)[0]
            keep[entry] = True
    places = np.flatnonzero(keep)
    columns: dict[str, Any] = {"contest": places + data.first_number - 1}
    if data.date is not None:
        opening = data.date[:1] if window is None else np.array([window.opening], data.date.dtype)
        columns["date"] = date_column(np.concatenate([opening, data.date])[places])
    columns["rating"] = rating[places]
    return pl.DataFrame(columns)


def path_in_window(path: pl.DataFrame, window: Window) -> pl.DataFrame:
    """The part of a trajectory in a window; its first row is the rating at the opening."""
    inside = path.filter(pl.col("contest").is_between(window.begin + 1, window.stop))
    earlier = path.filter(pl.col("contest") <= window.begin)
    if earlier.is_empty():
        return inside
    opening = earlier.tail(1).with_columns(contest=pl.lit(window.begin, path["contest"].dtype))
    if "date" in path.columns:
        when = date_column(np.array([window.opening]))
        opening = opening.with_columns(date=when.cast(path["date"].dtype))
    return pl.concat([opening, inside])


def days_of(data: Contests, window: Window | None) -> np.ndarray:
    """Days from the first contest to the last, or those in the window; without dates, contests."""
    record = data if window is None else window.whole.data
    days = np.unique(whole_days(record.times))
    if days.dtype.kind == "M":
        span = int((days[-1] - days[0]).astype(int)) + 1
        if span > MOST_DAYS:
            raise DataError(
                f"The contests span {span:,} days, from {days[0]} to {days[-1]}; at most "
                f"{MOST_DAYS:,} days can be followed one by one. Check the first and the last "
                f"date."
            )
        days = np.arange(days[0], days[-1] + 1)
    if window is None:
        return days
    first, last = whole_days(np.array([window.start, window.end]))
    return days[(days >= first) & (days <= last)]


def day_by_day(
    course: Course[Any], window: Window | None
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Ratings at the end of each day and who was present, in blocks of days."""
    data = course.contests
    days = days_of(data, window)
    step = max(1, VALUES_AT_ONCE // max(1, len(data.individuals)))
    for i in range(0, len(days), step):
        last = ends(days[i : i + step])
        rating = course.at(last)
        present = ~np.isnan(rating)
        if data.presence is not None or course.ranked_from != "arrival":
            present &= course.present_at(last)
        yield rating, present


CLOSE = 0.9  # rank correlation with the final order
MOST_PLACES = 20_000  # contests after which the order is looked at


def settled_from(course: Course[Any], rating: np.ndarray, present: np.ndarray) -> int:
    """The first contest from which on the order of those present stays close to the final one.

    Close is a Spearman correlation of at least 0.9 among those who have a rating by then, so that
    one late exchange of neighbors does not count as a new order. In records of more than 20,000
    contests, the order is looked at after as many evenly spaced ones.
    """
    data = course.contests
    who = np.flatnonzero(present & ~np.isnan(rating))
    begin = data.first_number - 1
    number = max(2, min(MOST_PLACES, VALUES_AT_ONCE // max(1, len(who))))
    places = np.unique(np.linspace(0, len(data), min(number, len(data) + 1)).astype(np.int64))
    path = np.empty((len(places), len(who)))
    block = max(1, VALUES_AT_ONCE // (len(data) + 1))
    for i in range(0, len(who), block):
        path[:, i : i + block] = course.replay.after_each(who[i : i + block])[places]
    final = rating[who]
    for place, now in zip(places[::-1], path[::-1], strict=True):
        rated = ~np.isnan(now)
        if rated.sum() > 1 and not spearman(now[rated], final[rated]) >= CLOSE:
            return begin + int(places[np.searchsorted(places, place) + 1 :][:1].sum())
    return begin


SLOPES_AT_ONCE = 20_000_000

NO_SLOPES = {
    "individual": pl.String,
    "first": pl.Date,
    "last": pl.Date,
    "observations": pl.Int64,
    "slope": pl.Float64,
    "slope_se": pl.Float64,
}


@dataclass(frozen=True, eq=False)
class ContestDays:
    """The days with contests, and on which of them each individual had one."""

    days: np.ndarray  # dates or numbers, ascending
    observed: np.ndarray  # (days, individuals)

    @classmethod
    def of(cls, data: Contests) -> ContestDays:
        """The days of these contests."""
        days, which = np.unique(whole_days(data.times), return_inverse=True)
        observed = np.zeros((len(days), len(data.individuals)), bool)
        observed[which, data.winner] = observed[which, data.loser] = True
        return cls(days, observed)

    @property
    def number(self) -> np.ndarray:
        """Number of days of each individual."""
        return self.observed.sum(axis=0)

    def limits(self) -> tuple[np.ndarray, np.ndarray]:
        """Positions of the first and the last day of each individual."""
        return self.observed.argmax(axis=0), len(self.days) - 1 - self.observed[::-1].argmax(axis=0)

    @cached_property
    def _x(self) -> np.ndarray:
        """Days since the mean day of each individual; 0 on days without a contest of its own."""
        x = (self.days - self.days[0]).astype(float)
        mean = self.observed.T.astype(float) @ x / np.maximum(self.number, 1)
        return np.where(self.observed, x[:, None] - mean, 0.0)

    @property
    def weights(self) -> np.ndarray:
        """Weights of the ratings whose sum is the slope; NaN with fewer than two days."""
        squares = (self._x**2).sum(axis=0)
        return self._x / np.where(squares > 0, squares, np.nan)

    def errors(self, ratings: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """Standard errors of the slopes; NaN with fewer than three days."""
        number = self.number
        own = np.where(self.observed, ratings, 0.0)
        mean = own.sum(axis=0) / np.maximum(number, 1)
        residual = np.where(self.observed, ratings - mean, 0.0) - slope * self._x
        spread = (residual**2).sum(axis=0) / np.where(number > 2, number - 2, np.nan)
        return np.sqrt(spread / (self._x**2).sum(axis=0))

    def moments(self, most: int) -> Iterator[tuple[slice, np.ndarray]]:
        """Ends of the days, in blocks of at most `most` days."""
        for begin in range(0, len(self.days), max(1, most)):
            own = slice(begin, begin + max(1, most))
            yield own, ends(self.days[own])


def slope_frame(course: Course[Any], final: np.ndarray, days: ContestDays) -> pl.DataFrame:
    """Slopes of all trajectories, highest final rating first."""
    names = course.contests.individuals
    rating = np.vstack([course.at(at) for _, at in days.moments(SLOPES_AT_ONCE // len(names))])
    rating -= final  # smaller numbers, smaller rounding errors
    slope = (days.weights * np.where(days.observed, rating, 0.0)).sum(axis=0)
    errors = days.errors(rating, slope)
    order = top_down(final)
    order = order[days.number[order] > 0]
    first, last = (days.days[place[order]] for place in days.limits())
    return pl.DataFrame(
        {
            "individual": [names[i] for i in order],
            "first": date_column(first),
            "last": date_column(last),
            "observations": days.number[order],
            "slope": pl.Series(slope[order], nan_to_null=True),
            "slope_se": pl.Series(errors[order], nan_to_null=True),
        }
    )


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

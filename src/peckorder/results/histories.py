"""Ratings over time: histories, trajectories, ratings day by day, and when the order settled."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.dates import date_column, ends, whole_days
from peckorder.data.interactions import Interactions
from peckorder.errors import DataError
from peckorder.results.course import Course
from peckorder.results.standing import top_down
from peckorder.results.window import Window

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
    columns["draw"] = np.zeros(len(data), bool) if data.draw is None else data.draw
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


def days_of(data: Interactions, window: Window | None) -> np.ndarray:
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


def settled_from(course: Course[Any], rating: np.ndarray, present: np.ndarray) -> int:
    """The first contest after which the order of those present no longer changed."""
    data = course.contests
    order = np.flatnonzero(present)
    order = order[top_down(rating[order])]
    ahead = np.sign(np.diff(rating[order]))
    settled = np.ones(len(data) + 1, bool)
    step = max(1, VALUES_AT_ONCE // (len(data) + 1) - 1)
    for i in range(0, len(ahead), step):
        path = course.replay.after_each(order[i : i + step + 1])
        with np.errstate(invalid="ignore"):
            settled &= (np.sign(np.diff(path)) == ahead[i : i + step]).all(axis=1)
    unsettled = np.flatnonzero(~settled)
    before = data.first_number - 1
    return before + int(unsettled[-1]) + 1 if unsettled.size else before

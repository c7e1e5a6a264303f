"""Slopes of rating trajectories: whether individuals rose or fell over time.

The rating at the end of each day on which an individual had a contest is regressed on the day
(ordinary least squares; Neumann et al. 2011). Without dates, each contest is one day.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.dates import date_column, ends, whole_days
from peckorder.data.interactions import Interactions
from peckorder.results.course import Course
from peckorder.results.standing import top_down

VALUES_AT_ONCE = 20_000_000

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
    """The days with contests, and on which of them each individual had one.

    Attributes
    ----------
    days : dates or numbers, ascending
    observed : bool array, (days, individuals)
    """

    days: np.ndarray
    observed: np.ndarray

    @classmethod
    def of(cls, data: Interactions) -> ContestDays:
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
    rating = np.vstack([course.at(at) for _, at in days.moments(VALUES_AT_ONCE // len(names))])
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

"""Slopes of rating trajectories: whether individuals rose or fell within a window of time.

The rating at the end of each day on which an individual had a contest is regressed on the day
(ordinary least squares; Neumann et al. 2011). Without dates, each contest is one day.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from peckorder.data.dates import ends, moment, whole_days
from peckorder.data.interactions import Interactions
from peckorder.errors import ArgumentError
from peckorder.wording import option_name


@dataclass(frozen=True, eq=False)
class Window:
    """The days of a window, and on which of them each individual had a contest.

    Attributes
    ----------
    days : dates or numbers, ascending
    observed : bool array, (days, individuals)
    """

    days: np.ndarray
    observed: np.ndarray

    @classmethod
    def of(cls, data: Interactions, since: object, until: object) -> Window:
        """The days with contests from `since` to `until`, both included."""
        times = data.times
        inside = np.ones(len(data), bool)
        if since is not None:
            inside &= times >= moment(since, times, end_of_day=False)
        if until is not None:
            inside &= times <= moment(until, times)
        if not inside.any():
            raise ArgumentError(
                f"There are no contests in this window. Change {option_name('since')} or "
                f"{option_name('until')}."
            )
        days, which = np.unique(whole_days(times[inside]), return_inverse=True)
        observed = np.zeros((len(days), len(data.individuals)), bool)
        observed[which, data.winner[inside]] = observed[which, data.loser[inside]] = True
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

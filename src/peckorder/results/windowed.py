"""Seeing ratings through a window of time: the methods of `Ratings` that make and leave windows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np

from peckorder.data.interactions import Interactions
from peckorder.data.record import Record
from peckorder.errors import ArgumentError
from peckorder.results.result import Result
from peckorder.results.standing import standing
from peckorder.results.window import Window, WindowCourse, span_of, window_of

OF_THE_START = ("start", "start_se", "component")  # columns that hold at any date


class Windowed(Result):
    """Ratings of a record, or of a window of it."""

    individuals: tuple[str, ...]
    rating: np.ndarray
    record: Record
    columns: dict[str, np.ndarray]
    window: Window | None

    @property
    def data(self) -> Interactions:
        """The contests behind these ratings."""
        raise NotImplementedError

    def rated_at(self, moments: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Ratings at times in ascending order, and who is present and rated."""
        raise NotImplementedError

    @property
    def present(self) -> np.ndarray:
        """Who is in the table: everybody or, in a window, those present at its end."""
        size = len(self.individuals)
        return np.ones(size, bool) if self.window is None else self.window.present

    def between(
        self,
        start: object = None,
        end: object = None,
        *,
        season: object = None,
        year: object = None,
        month: object = None,
    ) -> Self:
        """The same ratings, seen through a window of time; nothing is rated again.

        The table is the one at the end of the window, with the contests in it. History,
        trajectories, slopes, evaluations and figures show the contests of the window, with the
        ratings that all contests before them led to. To rate the contests of some days on their
        own instead, select them: `po.elo(data.filter(start=…, end=…))`.

        Parameters
        ----------
        start, end : first and last day, both included (or contest numbers); default the first
            and the last of the record
        season : one season of the data, from its first contest to its last
        year, month : a calendar year (2004) or month ("2004-05")

        Returns
        -------
        Ratings
            `.left()` lists who was in the window but not at its end; `.whole` are the ratings
            without the window. A window that contains all contests is the whole record.

        Examples
        --------
        >>> import peckorder as po
        >>> ratings = po.elo(po.datasets.adv(), k=200, curve="table")
        >>> part = ratings.between("2010-01-10", "2010-01-20")
        >>> print(part.summary[0])
        Window 2010-01-10 to 2010-01-20 of ratings from 2010-01-01 on: 11 of 33 contests; 7 \
individuals present at its end (presence is unknown).
        >>> part["b"] == ratings.at("2010-01-20").filter(individual="b")["rating"][0]
        True
        """
        first, last = span_of(self.whole.data, start, end, season, year, month)
        if self.window is not None:  # a window of a window is what both contain
            first, last = max(first, self.window.start), min(last, self.window.end)
            if first > last:
                raise ArgumentError("The two windows have no day in common.")
        window = window_of(self.whole, first, last)
        return self.whole if window is None else self.whole.seen_through(window)

    def seen_through(self, window: Window) -> Self:
        """These ratings within a window that `window_of` has found."""
        course = WindowCourse.of(window)
        places = window.places
        if window.stop:
            rating = self.rated_at(np.array([window.end]))[0][0][places]
        else:
            rating = np.zeros(0)
        whole: Any = self  # a dataclass
        return replace(
            whole,
            individuals=course.contests.individuals,
            rating=rating,
            record=Record.of(course.contests),
            settings=self.settings | {"window": list(window.words)},
            kept=course,
            summary=(window.sentence, *self.summary),
            columns={name: column[places] for name, column in self._columns_at(window).items()},
            window=window,
            **self._parts_of(places),
        )

    def _columns_at(self, window: Window) -> dict[str, np.ndarray]:
        """Further columns of the table that hold at the end of a window."""
        last = window.stop == len(self.data)
        return {n: c for n, c in self.columns.items() if last or n in OF_THE_START}

    def _parts_of(self, places: np.ndarray) -> dict[str, Any]:
        """Further fields, reduced to some individuals."""
        return {}

    @property
    def whole(self) -> Self:
        """The ratings of the whole record, without a window."""
        return self if self.window is None else self.window.whole

    def left(self) -> Any:
        """Who was in the window and is not present at its end: rating then, and contests in it."""
        table = standing(self.individuals, self.rating, ~self.present, self.record)
        return self._native(table.drop("rank"))

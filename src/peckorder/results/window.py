"""Windows: the same ratings, seen from one date to another, without rating again.

A window cuts what is shown, not what is rated: at its first day ratings have the value that all
contests before it gave them. (Selecting the contests of the same days and rating those is another
thing: there everybody starts anew.) The contests of the window, their ratings and predictions are
parts of those of the whole record, and the table is the one at the end of the window.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from peckorder.data.contests import Contests
from peckorder.data.date_columns import date_words, ends, moment, whole_days
from peckorder.errors import ArgumentError
from peckorder.results.chances import Chances
from peckorder.results.trajectory import Course
from peckorder.text import counted, given, option, quoted

MONTH = re.compile(r"(\d{4})-(\d{1,2})", re.ASCII)
NO_CONTESTS = "There are no contests in this window: choose a longer one."
ONE_WAY = "Give a first and a last date, or one of season, year and month."


class NeedsWholeRecord(ArgumentError, AttributeError):
    """Something that only the ratings of the whole record can answer."""


@dataclass(frozen=True, eq=False)
class Window:
    """A span of time and what lies in it."""

    start: Any  # the first and the last moment
    end: Any
    begin: int  # numbers of contests before the window, and up to its end
    stop: int
    places: np.ndarray  # codes, in the whole record, of the individuals in the window
    present: np.ndarray  # who of them is present at its end
    whole: Any  # ratings of the whole record

    @property
    def opening(self) -> Any:
        """The first moment with ratings."""
        return max(self.start, self.whole.data.times[0])

    @property
    def words(self) -> tuple[str, str]:
        """The first and the last day, as text."""
        day = whole_days(np.array([self.end]))
        last = day[0] if ends(day)[0] == self.end else self.end
        return date_words(self.start), date_words(last)

    @property
    def sentence(self) -> str:
        """What the window shows, for the summary."""
        data, (first, last) = self.whole.data, self.words
        begin = date_words(whole_days(data.times[:1])[0])
        text = f"Window {first} to {last} of ratings from {begin} on"
        if self.stop == 0:
            return f"{text}: it ends before the first contest, so there are no ratings yet."
        here = int(self.present.sum())
        gone = len(self.places) - here
        who = f"{counted(here, 'individual')} present at its end" if here else "nobody present"
        left = f", {counted(gone, 'has left', 'have left')}" if gone else ""
        unknown = " (presence is unknown)" if data.presence is None else ""
        shown = f"{self.stop - self.begin:,} of {counted(len(data), 'contest')}"
        return f"{text}: {shown}; {who}{unknown}{left}."


def span_of(
    data: Contests, start: object, end: object, season: object, year: object, month: object
) -> tuple[Any, Any]:
    """First and last moment of the window that the arguments describe."""
    times = data.times
    dates = start is not None or end is not None
    if dates + sum(value is not None for value in (season, year, month)) > 1:
        raise ArgumentError(ONE_WAY)
    if season is not None:
        return _season(data, season)
    if year is not None:
        start, end = _year(data, year)
    elif month is not None:
        start, end = _month(data, month)
    first = times[0] if start is None else moment(start, times, end_of_day=False)
    last = whole_days(times[-1:])[0] if end is None else end
    last = moment(last, times)
    if first > last and end is None:
        last = moment(start, times)
    if first > last and start is None:
        first = moment(end, times, end_of_day=False)
    if first > last:
        raise ArgumentError(f"The window ends ({end}) before it starts ({start}). Exchange them.")
    return first, last


def _season(data: Contests, season: object) -> tuple[Any, Any]:
    labels = data.season
    if labels is None:
        raise ArgumentError(f"These data have no season. Name its column: {option('season')}.")
    if str(season) not in labels.names:
        raise ArgumentError(f'There is no season "{season}". Choose from: {quoted(labels.names)}.')
    own = np.flatnonzero(labels.codes == labels.names.index(str(season)))
    first, last = data.times[own[0]], data.times[own[-1]]
    return first, moment(whole_days(np.array([last]))[0], data.times)


def _year(data: Contests, year: object) -> tuple[Any, Any]:
    if data.date is None:
        raise ArgumentError(_no_dates("year", year))
    text = str(year).strip()
    if not text.isdigit():
        raise ArgumentError(f"{given('year', year)}: give a year such as 2004.")
    if data.clock.kind != "M":
        return int(text), int(text)
    return f"{int(text):04d}-01-01", f"{int(text):04d}-12-31"


def _month(data: Contests, month: object) -> tuple[Any, Any]:
    if data.date is None or data.clock.kind != "M":
        raise ArgumentError(_no_dates("month", month))
    found = MONTH.fullmatch(str(month).strip())
    if found is None or not 1 <= int(found[2]) <= 12:
        raise ArgumentError(f"{given('month', month)}: give a month such as 2004-05.")
    first = np.datetime64(f"{found[1]}-{int(found[2]):02d}", "M")
    return first.astype("datetime64[D]"), (first + 1).astype("datetime64[D]") - 1


def _no_dates(name: str, value: object) -> str:
    return (
        f"{given(name, value)} needs calendar dates. Name their column when reading: "
        f"{option('date')}."
    )


def window_of(whole: Any, start: Any, end: Any) -> Window | None:
    """The window from one moment to another; None if it contains all contests."""
    course, data = whole.course, whole.data
    begin = int(np.searchsorted(data.times, start, side="left"))
    stop = int(np.searchsorted(data.times, end, side="right"))
    if begin == 0 and stop == len(data):
        return None
    size = len(data.individuals)
    if stop == 0:
        nobody = np.zeros(0, np.int64)
        return Window(start, end, begin, stop, nobody, nobody.astype(bool), whole)
    rating, present = (part[0] for part in whole.rated_at(np.array([end])))
    there = np.zeros(size, bool)
    there[data.winner[begin:stop]] = there[data.loser[begin:stop]] = True
    some_time = present
    if data.presence is not None:
        days = whole_days(np.array([start, end]))
        own = (data.presence.start <= days[1]) & (data.presence.end >= days[0])
        names = {name for name, kept in zip(data.presence.individual, own, strict=True) if kept}
        some_time = np.array([name in names for name in data.individuals], bool)
        if course.ranked_from != "arrival":
            some_time &= course.present(end) | there
    places = np.flatnonzero(there | (some_time & ~np.isnan(rating)))
    return Window(start, end, begin, stop, places, present[places], whole)


def contests_in(window: Window) -> Contests:
    """The contests of the window, with new codes for the individuals in it."""
    data = window.whole.data
    names = tuple(data.individuals[i] for i in window.places)
    new = np.full(len(data.individuals), -1, np.int32)
    new[window.places] = np.arange(len(names))
    own = np.arange(window.begin, window.stop)
    presence = None if data.presence is None else data.presence.only(names)
    shared = {"individuals": names, "presence": presence, "first_number": window.begin + 1}
    if own.size:
        part = data.take(own)
        winner, loser = new[data.winner[own]], new[data.loser[own]]
        return replace(part, winner=winner, loser=loser, **shared)
    empty = {
        name: None if getattr(data, name) is None else getattr(data, name)[:0]
        for name in ("winner", "loser", "draw", "date", "points", "home", "turned", "rows", "extra")
    }
    return replace(data, **empty, **shared, context=None, group=None, season=None)


@dataclass(frozen=True, eq=False)
class WindowCourse(Course[Any]):
    """The course of ratings within a window; `whole` is that of the whole record."""

    whole: Any = None
    places: Any = None

    @classmethod
    def of(cls, window: Window) -> WindowCourse:
        """The part of the course that lies in the window."""
        whole = window.whole.course
        return cls(
            contests_in(window),
            WindowReplay(window, whole),
            whole.day,
            whole.ranked_from,
            whole,
            window.places,
        )

    def at(self, moments: np.ndarray) -> np.ndarray:
        """Ratings of the individuals in the window at times in ascending order."""
        return self.whole.at(moments)[:, self.places]

    def present_at(self, moments: np.ndarray) -> np.ndarray:
        """Which individuals of the window are ranked at times in ascending order."""
        return self.whole.present_at(moments)[:, self.places]


class WindowReplay:
    """The replay of the whole record, of which it gives the part that lies in the window."""

    def __init__(self, window: Window, course: Course[Any]):
        self.window, self.course = window, course
        self.own = slice(window.begin, window.stop)

    def __getattr__(self, name: str) -> Any:
        if name in ("home", "nu", "k"):  # of each draw, the same at any time
            return getattr(self.course.replay, name)
        if name.startswith("__") or not hasattr(self.course.replay, name):
            raise AttributeError(f"{type(self.course.replay).__name__} has no {name!r}.")
        raise NeedsWholeRecord(
            "This needs the fit to the whole record, not a window of it. Use ratings.whole."
        )

    def __len__(self) -> int:
        return len(self.course.replay)

    def history(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Expected score of the winner, and ratings before and after each contest."""
        expected, before, after = self.course.history
        return expected[self.own], before[self.own], after[self.own]

    def at(self, times: np.ndarray, who: np.ndarray) -> np.ndarray:
        """Ratings at these times, (times, who)."""
        return self.course.replay.at(times, self.window.places[who])

    def after_each(self, who: np.ndarray) -> np.ndarray:
        """Ratings before the first and after each contest, (contests + 1, who)."""
        course = self.course.replay.after_each(self.window.places[who])
        return course[self.window.begin : self.window.stop + 1]

    def foresight(self, home_advantage: Any = None) -> Chances:
        """Predictions of each contest from the ratings before it."""
        return self.course.replay.foresight(home_advantage).part(self.own)

    # -- of ratings with draws ---------------------------------------------------------------

    @property
    def final(self) -> np.ndarray:
        """Ratings at the end of the window, (draws, individuals)."""
        replay, window = self.course.replay, self.window
        if window.stop == len(window.whole.data):
            return replay.final[:, window.places]
        return self.draws_at(np.array([window.end]).astype(window.whole.data.clock))[0]

    def draws_at(self, times: np.ndarray, buffer: np.ndarray | None = None) -> np.ndarray:
        """Ratings at times in ascending order, (times, draws, individuals)."""
        return self.course.replay.draws_at(times, buffer)[:, :, self.window.places]

    def known_at(self, times: np.ndarray) -> np.ndarray:
        """Whether each individual has arrived, (times, individuals)."""
        return self.course.replay.known_at(times)[:, self.window.places]

    def courses_at(self, times: np.ndarray) -> Iterator[np.ndarray]:
        """Ratings at all these times, some draws at a time: (draws, times, individuals)."""
        for drawn in self.course.replay.courses_at(times):
            yield drawn[:, :, self.window.places]

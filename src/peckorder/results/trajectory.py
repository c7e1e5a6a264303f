"""The history of ratings: the contests and the rating method, which can be run over them again.

Ratings of millions of contests do not store their history. Ratings at a date, trajectories and
predictions are computed on request, by running the method over the contests again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from peckorder.data.contests import Contests
from peckorder.data.date_columns import whole_days
from peckorder.results.chances import Chances


def arrivals(data: Contests) -> np.ndarray:
    """First day of each individual; the time of the first contest if presence is unknown."""
    begin, presence = np.full(len(data.individuals), data.times[0]), data.presence
    if presence is None:
        return begin
    first: dict[str, Any] = {}
    for name, start in zip(presence.individual, presence.start, strict=True):
        first[name] = min(start, first.get(name, start))
    own = np.array([first[name] for name in data.individuals])
    late = own > whole_days(data.times[:1])[0]
    begin[late] = own[late]
    return begin


class Replay(Protocol):
    """What a rating method can compute from the contests after the fit."""

    def history(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Expected score of the winner, and ratings before and after each contest."""
        ...

    def at(self, times: np.ndarray, who: np.ndarray) -> np.ndarray:
        """Ratings at these times, (times, who)."""
        ...

    def after_each(self, who: np.ndarray) -> np.ndarray:
        """Ratings before the first and after each contest, (contests + 1, who)."""
        ...

    def foresight(self, home_advantage: Any) -> Chances:
        """Predictions of each contest from the ratings before it."""
        ...


R = TypeVar("R", bound=Replay, covariant=True)


@dataclass(frozen=True, eq=False)
class Course(Generic[R]):
    """Contests and their replay."""

    contests: Contests
    replay: R  # runs the rating method over the contests again
    day: str = "last"  # rating of a day: the "last" one, or the "max" (as in EloOptimized)
    ranked_from: str = "arrival"  # or "first contest" (as in EloOptimized)

    @cached_property
    def history(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Expected score of the winner, and ratings of both sides before and after each contest."""
        return self.replay.history()

    def after_each(self, code: int) -> np.ndarray:
        """Rating of one individual before the first and after each contest."""
        return self.replay.after_each(np.array([code]))[:, 0]

    def own_path(self, code: int) -> np.ndarray:
        """Rating of one individual before its first and after each of its own contests."""
        own, side = self._own_contests(code)
        _, before, after = self.history
        return np.append(before[own[:1], side[:1]], after[own, side])

    def at(self, moments: np.ndarray) -> np.ndarray:
        """Ratings of all individuals at times in ascending order, (times, individuals)."""
        moments = moments.astype(self.contests.times.dtype)
        rating = self.replay.at(moments, np.arange(len(self.contests.individuals)))
        if self.day == "max":
            self._take_day_maximum(rating, moments)
        return rating

    def present(self, when: np.generic) -> np.ndarray:
        """Which individuals are ranked at a time: all in the group, of whom some may have to wait.

        If presence is unknown, all individuals are in the group.
        """
        return self.present_at(np.array([when]))[0]

    def present_at(self, moments: np.ndarray) -> np.ndarray:
        """The same at times in ascending order, (times, individuals)."""
        names, presence = self.contests.individuals, self.contests.presence
        if presence is None:
            there = np.ones((len(moments), len(names)), bool)
        else:
            there = presence.at_each(whole_days(moments), names)
        if self.ranked_from == "first contest":
            there &= moments[:, None] >= self._first_contests[None, :]
        return there

    @cached_property
    def _first_contests(self) -> np.ndarray:
        """Time of the first contest of each individual; without one, after all others."""
        times = self.contests.times
        late = times[-1] + (np.timedelta64(1000 * 365, "D") if times.dtype.kind == "M" else np.inf)
        first = np.full(len(self.contests.individuals), late)
        for side in (self.contests.winner, self.contests.loser):
            np.minimum.at(first, side, times)
        return first

    def _own_contests(self, code: int) -> tuple[np.ndarray, np.ndarray]:
        """Contests of one individual, and its side in each (0 winner, 1 loser)."""
        won = self.contests.winner == code
        own = np.flatnonzero(won | (self.contests.loser == code))
        return own, np.where(won[own], 0, 1)

    def _take_day_maximum(self, rating: np.ndarray, moments: np.ndarray) -> None:
        times = self.contests.times
        days, after = whole_days(times), self.history[2]
        for code in range(rating.shape[1]):
            own, side = self._own_contests(code)
            after_own, own_days = after[own, side], days[own]
            for i, when in enumerate(moments):
                done = int(np.searchsorted(times[own], when, side="right"))
                if done:
                    same_day = own_days[:done] == own_days[done - 1]
                    rating[i, code] = after_own[:done][same_day].max()

"""Runs of the compiled Elo recursion: the state of ratings, and the replay of a data set.

`advance` is the one place that calls the kernel. `EloReplay` runs one data set again whenever part
of its history is requested; arrivals, departures, seasons and periods are events between contests.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from peckorder.curves import PERCENTS, Curve, Normal, Table
from peckorder.data.contests import Contests
from peckorder.data.date_columns import whole_days
from peckorder.data.effects import advantages
from peckorder.kernels import elo as kernel
from peckorder.ratings import elo_arrays
from peckorder.ratings.settings import FIDE_GAMES, FIDE_LEVEL, EloSettings
from peckorder.results.chances import Chances


def win_curve(curve: Curve) -> kernel.WinCurve:
    """The curve as the kernels know it."""
    kind = kernel.NORMAL if isinstance(curve, Normal) else kernel.LOGISTIC
    if isinstance(curve, Table):
        kind = kernel.TABLE
    return kernel.WinCurve(kind, curve.slope, PERCENTS)


def _entry_code(settings: EloSettings) -> int:
    of_present, of_seen = {
        "start": (kernel.START, kernel.START),
        "mean": (kernel.MEAN_PRESENT, kernel.MEAN_SEEN),
        "bottom": (kernel.BOTTOM, kernel.BOTTOM_SEEN),
        "bottom_low": (kernel.BOTTOM_LOW, kernel.BOTTOM_LOW_SEEN),
    }[settings.entry]
    return of_seen if settings.entry_from == "seen" else of_present


def _fide(settings: EloSettings) -> kernel.FideRule:
    if not isinstance(settings.k, str):
        return kernel.NO_FIDE
    newcomer, established, high = map(float, settings.fide)
    limits = float(FIDE_GAMES), float(FIDE_LEVEL)
    return kernel.FideRule(newcomer, established, high, *limits, settings.fide_early)


@dataclass
class EloState:
    """The state of the ratings between two contests."""

    start: np.ndarray
    rating: np.ndarray
    present: np.ndarray
    contests: np.ndarray
    reached: np.ndarray
    last: np.ndarray  # day of the last contest; NaN before the first, or without a half-life
    fought: np.ndarray
    done: int = 0

    @classmethod
    def of(cls, start: np.ndarray) -> EloState:
        """All individuals present at their starting ratings."""
        size = len(start)
        return cls(
            start,
            start.copy(),
            np.ones(size, bool),
            np.zeros(size, np.int64),
            np.zeros(size, bool),
            np.full(size, np.nan),
            np.zeros(size, bool),
        )

    def grow(self, start: np.ndarray) -> None:
        """Add newcomers at their starting ratings."""
        fresh = EloState.of(start)
        for name in ("start", "rating", "present", "contests", "reached", "last", "fought"):
            setattr(self, name, _longer(getattr(self, name), getattr(fresh, name)))

    def rating_at(self, settings: EloSettings, day: float) -> np.ndarray:
        """Ratings on a day, which without contests have moved toward their start (`half_life`)."""
        if settings.half_life is None:
            return self.rating
        share = elo_arrays.faded(settings, day - self.last)
        return self.start + share * (self.rating - self.start)


def _longer(values: np.ndarray, more: np.ndarray) -> np.ndarray:
    """Both, in an array with room for as many again: adding one by one takes linear time."""
    before, after = len(values), len(values) + len(more)
    room = values.base
    if not isinstance(room, np.ndarray) or len(room) < after:
        room = np.empty(2 * after, values.dtype)
        room[:before] = values
    room[before:after] = more
    return room[:after]


def advance(
    state: EloState,
    settings: EloSettings,
    first: np.ndarray,
    second: np.ndarray,
    score: np.ndarray,
    k: np.ndarray,
    advantage: np.ndarray,
    events: tuple[np.ndarray, np.ndarray, np.ndarray] = kernel.NO_EVENTS,
    history: kernel.History = kernel.NO_HISTORY,
    followed: np.ndarray | None = None,
    snapshots: np.ndarray | None = None,
    foresight: tuple[int, float, np.ndarray] = kernel.NO_FORESIGHT,
    kept: np.ndarray = kernel.NO_DECAY,
    ratings_set: tuple[np.ndarray, np.ndarray] = (np.zeros(0, np.int64), np.zeros(0)),
) -> None:
    """Rate contests from a state on: the one place that calls the kernel."""
    rules = kernel.Rules(
        curve=win_curve(settings.curve),
        advantage_in_update=settings.home_in_update,
        start=state.start,
        entry=_entry_code(settings),
        rounded=settings.rounded,
        fide=_fide(settings),
        carry_over=1.0 if settings.carry_over is None else float(settings.carry_over),
        carry_to=np.nan if settings.carry_to is None else float(settings.carry_to),
        carry_pauses=bool(settings.carry_pauses),
        set_of=ratings_set[0],
        set_to=ratings_set[1],
        correction=float(settings.margin_correction or 0.0),
    )
    course = kernel.State(
        rating=state.rating,
        frozen=state.rating if settings.period is None else state.rating.copy(),
        present=state.present,
        contests=state.contests,
        reached=state.reached,
        fought=state.fought,
        done=state.done,
    )
    photographs = kernel.NO_SNAPSHOTS
    if followed is not None and snapshots is not None:
        photographs = kernel.Snapshots(followed, snapshots)
    kernel.rate(
        kernel.ContestArrays(first, second, score, k, advantage, kept),
        rules,
        kernel.Events(*events),
        course,
        history,
        photographs,
        kernel.Foresight(*foresight),
    )
    state.done += len(first)


class EloReplay:
    """The rating of one data set, run again whenever part of its history is requested."""

    def __init__(self, data: Contests, settings: EloSettings):
        self.data, self.settings = data, settings
        self.start = elo_arrays.starts(settings, data.individuals, aliases=data.aliases)
        self._arrays = (
            elo_arrays.scores(settings, data),
            elo_arrays.k_values(settings, data),
            advantages(settings.home_advantage, data),
        )
        self._kept, self._last = elo_arrays.shares_kept(settings, data)
        self._set = elo_arrays.ratings_set(settings, data)
        self._events = self._between_contests()

    def _between_contests(self) -> list[np.ndarray]:
        """Arrivals, departures, seasons and periods: (index of next contest, time, kind, who)."""
        data, settings = self.data, self.settings
        rows, seasons = [np.zeros(0)] * 4, np.zeros(0, np.int64)
        if settings.carry_over is not None:
            seasons = elo_arrays.season_starts(data)
            rows = self._join(rows, seasons, kernel.SEASON)
        if settings.overrides is not None:
            times = self._set[0]
            places, at = np.searchsorted(data.times, times, side="left"), self._clock(times)
            seen = places < len(data)
            number = np.arange(len(times))
            rows = self._join(rows, places[seen], kernel.SET, number[seen], at[seen])
        if settings.period is not None:
            periods = elo_arrays.period_starts(settings.period, data)
            rows = self._join(rows, np.union1d(periods, seasons), kernel.PERIOD)
        if data.presence is not None:
            days = whole_days(data.times)
            codes = {name: i for i, name in enumerate(data.individuals)}
            who = np.array([codes[name] for name in data.presence.individual])
            start, end = data.presence.start, data.presence.end
            arrivals = np.searchsorted(days, start, side="left")
            departures = np.searchsorted(days, end, side="right")
            coming = start > days[0]
            rows = self._join(
                rows, arrivals[coming], kernel.ENTER, who[coming], self._clock(start[coming])
            )
            leaving = (departures < len(data)) & (end >= days[0])
            rows = self._join(
                rows, departures[leaving], kernel.LEAVE, who[leaving], self._clock(end[leaving])
            )
            rows = [column[np.lexsort((rows[2], rows[1], rows[0]))] for column in rows]
        # What happens between two seasons takes place after the carry-over.
        between = np.isin(rows[0], seasons)
        rows[1][between] = self._clock(data.times[rows[0][between].astype(np.int64)])
        return rows

    def _clock(self, times: np.ndarray) -> np.ndarray:
        if times.dtype.kind == "M":
            return times.astype("datetime64[us]").astype(np.int64).astype(np.float64)
        return times.astype(np.float64)

    def _join(self, rows, at, kind, who=None, time=None) -> list[np.ndarray]:
        time = self._clock(self.data.times[at]) if time is None else time
        who = np.zeros(len(at)) if who is None else who
        more = at, time, np.full(len(at), kind), who
        return [np.concatenate([old, new]) for old, new in zip(rows, more, strict=True)]

    def _state(self) -> EloState:
        state = EloState.of(self.start)
        if self.data.presence is not None:
            first_day = whole_days(self.data.times[:1])[0]
            state.present = self.data.presence.at(first_day, self.data.individuals)
            early = {
                name
                for name, start in zip(
                    self.data.presence.individual, self.data.presence.start, strict=True
                )
                if start <= first_day
            }
            newcomers = [name not in early for name in self.data.individuals]
            state.rating[newcomers] = np.nan
        return state

    def _run(
        self,
        events=None,
        history=kernel.NO_HISTORY,
        followed=None,
        snapshots=None,
        foresight=kernel.NO_FORESIGHT,
    ) -> EloState:
        rows = self._events if events is None else events
        # Arrivals and departures are already in order, which the stable sort preserves.
        kind = np.where(rows[2] == kernel.LEAVE, kernel.ENTER, rows[2])
        order = np.lexsort((kind, rows[1], rows[0]))
        at, kind, who = (rows[i][order].astype(np.int64) for i in (0, 2, 3))
        state = self._state()
        advance(
            state,
            self.settings,
            self.data.winner,
            self.data.loser,
            *self._arrays,
            (at, kind, who),
            history,
            followed,
            snapshots,
            foresight,
            self._kept,
            self._set[1:],
        )
        state.last[: len(self._last)] = self._last
        return state

    @property
    def eventful(self) -> bool:
        """Whether anything happens between contests: arrivals, departures, seasons or periods."""
        return self.data.presence is not None or len(self._events[0]) > 0

    @property
    def advantage(self) -> np.ndarray:
        """Home advantage of the winner of each contest (a single entry applies to all)."""
        return self._arrays[2]

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Score of the winner, values of k and home advantage of each contest."""
        return self._arrays

    def reordered(self, order: np.ndarray) -> EloReplay:
        """The same contests in another order within their time stamps."""
        other, data = copy(self), self.data
        other.data = replace(data, winner=data.winner[order], loser=data.loser[order])
        score, k, advantage = (a if len(a) == 1 else a[order] for a in self._arrays)
        if self.settings.burn_in is not None:  # for the first contests, whichever they are
            k = elo_arrays.k_with_burn_in(self.settings, data, order)
        other._arrays = score, np.ascontiguousarray(k), advantage
        return other

    def again(self, settings: EloSettings) -> EloReplay:
        """The same contests with other numeric settings; seasons and periods are unchanged."""
        other = copy(self)
        other.settings = settings
        other.start = elo_arrays.starts(settings, self.data.individuals, aliases=self.data.aliases)
        other._kept = elo_arrays.shares_kept(settings, self.data)[0]
        other._arrays = (
            self._arrays[0],
            elo_arrays.k_values(settings, self.data),
            advantages(settings.home_advantage, self.data),
        )
        return other

    def foresight_sums(self, first: int, least: float) -> np.ndarray:
        """Sums of the scores of predictions from contest `first` onward, without a history.

        Log loss, Brier score, number of correct predictions, number of decided contests.
        """
        sums = np.zeros(4)
        self._run(foresight=kernel.Foresight(first, least, sums))
        return sums

    def end(self) -> EloState:
        """The state after the last contest."""
        return self._run()

    def onward(self, newcomers: tuple[str, ...] = (), seasons: int = 0) -> EloState:
        """The state before the next contest, if some seasons begin and newcomers arrive."""
        names = (*self.data.individuals, *newcomers)
        start = elo_arrays.starts(self.settings, names, complete=False, aliases=self.data.aliases)
        known = self.data.presence is not None
        other = copy(self)
        other.start = start[: len(self.data.individuals)] if known else start
        state = other._run()
        kinds, who = [kernel.SEASON] * min(seasons, 1), [0] * min(seasons, 1)
        if known and newcomers:
            first = len(self.data.individuals)
            state.grow(start[first:])
            state.rating[first:], state.present[first:] = np.nan, False
            kinds += [kernel.ENTER] * len(newcomers)
            who += range(first, len(names))
        none = np.zeros(0, np.int32)
        events = np.zeros(len(kinds)), np.array(kinds), np.array(who)
        at, kind, whom = (np.asarray(part, np.int64) for part in events)
        plain = np.ones(1), np.ones((1, 2)), np.zeros(1)
        advance(state, self.settings, none, none, *plain, (at, kind, whom))
        for _ in range(seasons - 1):  # in those between, everybody is taken to have contests
            state.fought[self.data.winner] = state.fought[self.data.loser] = True
            season = np.zeros(1, np.int64)
            advance(state, self.settings, none, none, *plain, (season, season, season))
        state.rating = state.rating_at(self.settings, self._now)
        return state

    def final(self) -> np.ndarray:
        """Ratings after the last contest; NaN for individuals that arrived later."""
        return self._run().rating_at(self.settings, self._now)

    @property
    def _now(self) -> float:
        """The day of the last contest."""
        return float(np.nanmax(self._last)) if self.settings.half_life is not None else 0.0

    def _faded(
        self, rating: np.ndarray, places: np.ndarray, days: np.ndarray, who: np.ndarray
    ) -> np.ndarray:
        """Ratings (places, who) on some days, from those after the last contest of each."""
        if self.settings.half_life is None:
            return rating
        out, day = np.empty(rating.shape), elo_arrays.days_of(self.data.times)
        for j, code in enumerate(who):
            own = np.flatnonzero((self.data.winner == code) | (self.data.loser == code))
            last = np.append(np.nan, day[own])[np.searchsorted(own, places)]
            share = elo_arrays.faded(self.settings, days - last)
            out[:, j] = self.start[code] + share * (rating[:, j] - self.start[code])
        return out

    def final_without(self, places: np.ndarray) -> np.ndarray | None:
        """Final ratings if the contests at these places changed none; None if k follows FIDE."""
        if isinstance(self.settings.k, str):
            return None
        score, k, advantage = self._arrays
        k = np.array(np.broadcast_to(k, (len(self.data), 2)))
        k[places] = 0.0
        other = copy(self)
        other._arrays = (score, k, advantage)
        return other.final()

    def history(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Expected score of the winner, and ratings of both sides before and after each contest."""
        size = len(self.data)
        expected, before, after = np.empty(size), np.empty((size, 2)), np.empty((size, 2))
        self._run(history=kernel.NO_HISTORY._replace(expected=expected, before=before, after=after))
        return expected, before, after

    def foresight(self, home_advantage: Any = None) -> Chances:
        """Predictions of each contest from the ratings before it."""
        expected, ahead = np.empty(len(self.data)), np.empty(len(self.data))
        self._run(history=kernel.NO_HISTORY._replace(expected=expected, ahead=ahead))
        if home_advantage is None:
            ahead += self._arrays[2]
        else:
            ahead += advantages(home_advantage, self.data)
            expected = np.asarray(self.settings.curve(ahead))
        return Chances.decided(expected, ahead)

    def at(self, times: np.ndarray, who: np.ndarray) -> np.ndarray:
        """Ratings of some individuals at times in ascending order, shape (times, who)."""
        places = np.searchsorted(self.data.times, times, side="right")
        found = self.snapshots(places, self._clock(times), who)
        return self._faded(found, places, elo_arrays.days_of(times), who)

    def after_each(self, who: np.ndarray) -> np.ndarray:
        """Ratings of some individuals before the first and after each contest."""
        places = np.arange(len(self.data) + 1)
        # Taken before any other event between this contest and the next.
        found = self.snapshots(places, np.full(len(places), -np.inf), who)
        days = elo_arrays.days_of(self.data.times)[np.maximum(places - 1, 0)]
        return self._faded(found, places, days, who)

    def snapshots(self, places: np.ndarray, clock: np.ndarray, who: np.ndarray) -> np.ndarray:
        """Ratings before given contests, at clock times among the events before them."""
        snapshots = np.empty((len(places), len(who)))
        events = self._join(self._events, places, kernel.SNAPSHOT, time=clock)
        self._run(events, followed=np.asarray(who, np.int64), snapshots=snapshots)
        return snapshots

"""Sequential Elo ratings (Albers & de Vries 2001; Langville & Meyer 2012, chapter 5).

After a contest, the winner gains k(S − p) and the loser loses the same amount. Here p is the
expected score of the winner, and the observed score S is 1 for a win, ½ for a tie, or a proportion
of the points.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np

from peckorder.curves import PERCENTS, Curve, Normal, Table
from peckorder.data.dates import whole_days
from peckorder.data.interactions import Interactions
from peckorder.data.read import ContestStream
from peckorder.data.record import Record
from peckorder.data.stamps import order_unknown, shared_words
from peckorder.errors import ArgumentError, ArgumentTypeError, DataError, caution
from peckorder.home import advantages
from peckorder.kernels import elo as kernel
from peckorder.results import Ratings
from peckorder.results.chances import Chances
from peckorder.results.course import Course
from peckorder.sequential import policies, tuned
from peckorder.sequential.arguments import EloArguments, takes_elo_arguments
from peckorder.sequential.settings import FIDE_GAMES, FIDE_LEVEL, EloSettings, resolve
from peckorder.sequential.within import ORDERS, AveragedReplay
from peckorder.wording import option, option_name

UNORDERED = (
    "The order of these contests is unknown (they come from a matrix or from counts), but "
    "sequential ratings depend on it. Use randomized Elo ratings, or treat this result as one of "
    "many possible results."
)
MANY_CONTESTS = 1_000_000


@takes_elo_arguments
def elo(
    data: Interactions | ContestStream,
    *,
    presence: Any = None,
    **settings: Unpack[EloArguments],
) -> Ratings:
    """Sequential Elo ratings, updated after each contest.

    Ratings are never rounded, except with `preset="EloRating"`.

    Parameters
    ----------
    data : Interactions or ContestStream
        Ratings of a stream have no history.
    k : number, mapping, pair, array, "fide" or "tuned"
        Step size of the update, default 100. A mapping gives k by context, a pair (k of winner, k
        of loser), an array one k per contest; with "fide", k depends on experience and rating (see
        `fide`); "tuned" chooses the k with the lowest log loss of foresight (see `tune`, which
        also gives its interval).
    start : number or mapping
        Starting rating, default 1000, or one per individual (`prior_ranks` derives them from
        ranks). Individuals that a mapping does not name start at the default.
    curve : {"logistic", "exponential", "normal", "table"} or a curve
        Winning probability as a function of the rating difference, with parameter `scale`
        (logistic, default 400), `delta` (exponential, 0.01) or `sd` (normal, 200√2).
    entry : {"start", "mean", "bottom", "bottom_low"}
        Entry rating of newcomers: their starting rating, the mean rating of the individuals
        present, or their lowest rating. With "bottom", when a contest lowers the lowest rating,
        all others that shared it are lowered with it. With "bottom_low", in addition, all
        individuals except the first two contestants move to the bottom after the first contest.
        Newcomers are identified from presence; without it, all are present from the beginning.
    presence : optional
        As in `read`. Individuals are not rated before they arrive and keep their rating while
        absent.
    outcome : {"win", "points"}
        Score of a contest: 1 or ½, or (P + 1)/(P + P′ + 2) with P and P′ the points of the winner
        and the loser.
    margin : {"none", "log", "football"}, optional
        Factor on k by the margin of points: ln(1 + margin), or that of the World Football Elo
        Ratings.
    home_advantage : number, mapping or "tuned"
        Rating points added to the home side in predictions: one number, or one per side. With
        `home_in_update=True`, they are also used in the update. Not added at neutral venues.
    carry_over : float, optional
        Proportion of each rating's distance from the mean that is carried over between seasons.
    period : {"date", "day", "week", "month", "year"}, optional
        Update in batches: all contests of a period use the ratings at its start.
    within : {"file", "average", "batch"}
        Rule for contests with the same time stamp, whose order is not recorded: rated in the order
        of the file (default); ratings and predictions averaged over 100 random orders within
        stamps, drawn with a fixed seed; or as one batch from the ratings before the stamp (as
        `period="date"`). Without shared stamps all three are the same.
    k_column, k_periods, burn_in : optional
        Name of a column with the k of each contest; k from given dates onward, such as
        {"2009-01-01": 50}; (n, k), a different k for the first n contests.
    fide : three numbers
        Values of k for `k="fide"`, default (25, 15, 10): for fewer than 30 contests; afterwards;
        and permanently once a rating of 2400 is reached after these 30 contests.
    preset : {"EloRating", "EloOptimized", "aniDom", "PlayerRatings", "FIDE", "WorldFootball", \
"Games"}
        Settings of other software, or for games between teams (k = 40; home advantage tuned if
        there are home sides, and used in the update); explicit arguments override them.

    Returns
    -------
    Ratings
        `tuned` (if something was): the chosen values, their log loss and that of the default.

    References
    ----------
    Albers & de Vries 2001, Animal Behaviour 61:489–495, doi:10.1006/anbe.2000.1571.
    Langville & Meyer 2012, Who's #1?, Princeton University Press, chapter 5.

    Examples
    --------
    The sequence of contests in Albers & de Vries, with their table of probabilities and k = 200:

    >>> import peckorder as po
    >>> ratings = po.elo(po.datasets.adv(), k=200, curve="table")
    >>> {name: round(rating) for name, rating in ratings.items()}
    {'b': 1320, 'c': 1184, 'd': 1178, 'f': 1048, 'e': 1008, 'g': 732, 'a': 530}
    """
    given, free = tuned.wanted(dict(settings), data)
    chosen = resolve(given)
    if isinstance(data, ContestStream):
        if presence is not None:
            raise ArgumentError(
                f"{option_name('presence')} cannot be used with a stream. Read the whole file."
            )
        return _rate_stream(data, chosen)
    if not isinstance(data, Interactions):
        raise ArgumentTypeError(
            f"elo needs data from peckorder.read, not {type(data).__name__}. Use "
            f"peckorder.elo(peckorder.read(…))."
        )
    if presence is not None:
        data = data.with_presence(presence)
    if not data.ordered:
        caution(UNORDERED)
    if chosen.preset == "EloRating":
        policies.note_times_of_day(data)
    if chosen.within == "batch" and chosen.period is None and data.date is not None:
        chosen = replace(chosen, period="date")
    replay, values, summary = EloReplay(data, chosen), {}, tuned.advice(dict(settings), data)
    if free:
        found = tuned.choose(replay, free)
        chosen, values, summary = found.settings, {"tuned": found.values}, found.summary
        replay = replay.again(chosen)
    unknown = int(order_unknown(data).sum()) if data.ordered else 0
    if unknown and chosen.within == "average":
        return _averaged(AveragedReplay(replay), unknown, values, summary)
    if len(data) < MANY_CONTESTS:
        rating, record = replay.final(), Record.of(data)
    else:  # ratings and records are two loops over the contests: run them in parallel
        with ThreadPoolExecutor(max_workers=1) as beside:
            counting = beside.submit(Record.of, data)
            rating, record = replay.final(), counting.result()
    return Ratings(
        method="elo",
        individuals=data.individuals,
        rating=rating,
        record=record,
        curve=chosen.curve,
        settings=chosen.to_dict() | {"presence": data.presence is not None},
        citations=_citations(chosen),
        report=data.report,
        kept=Course(data, replay, chosen.day, chosen.ranked_from),
        values=values,
        summary=(*summary, *_shared_stamps(chosen, unknown, len(data))),
    )


def _averaged(
    replay: AveragedReplay, unknown: int, values: dict[str, Any], summary: tuple[str, ...]
) -> Ratings:
    """Ratings averaged over random orders within time stamps, and their variation."""
    data, settings = replay.data, replay.settings
    finals = replay.finals()
    spread = finals.std(axis=0, ddof=1)
    largest = f"Largest standard deviation of a rating over the orders: {np.nanmax(spread):.3g}."
    return Ratings(
        method="elo",
        individuals=data.individuals,
        rating=finals.mean(axis=0),
        record=Record.of(data),
        curve=settings.curve,
        settings=settings.to_dict() | {"presence": data.presence is not None},
        citations=_citations(settings),
        report=data.report,
        kept=Course(data, replay, settings.day, settings.ranked_from),
        values=values,
        summary=(*summary, *_shared_stamps(settings, unknown, len(data)), largest),
        columns={"order_sd": spread},
    )


def _shared_stamps(settings: EloSettings, unknown: int, size: int) -> tuple[str, ...]:
    """Which rule was used for contests with the same time stamp, where it matters."""
    if unknown == 0:
        return ()
    if settings.period is not None:
        rule = f"rated in batches ({option('period', settings.period)}), regardless of their order"
    elif settings.within == "average":
        rule = f"rated in {ORDERS} random orders, over which ratings are averaged"
    else:
        rule = (
            f"rated in the order of the file. Other orders may give other ratings: see "
            f"{option_name('within')}"
        )
    return (f"{shared_words(unknown, size)}. They were {rule}.",)


def _citations(settings: EloSettings) -> tuple[str, ...]:
    sport = (
        settings.outcome == "points"
        or settings.home_advantage != 0
        or settings.carry_over is not None
    )
    return ("albers2001", "langville2012") if sport else ("albers2001",)


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
    numbers = *settings.fide, FIDE_GAMES, FIDE_LEVEL
    return kernel.FideRule(*map(float, numbers))


@dataclass
class EloState:
    """The state of the ratings between two contests."""

    start: np.ndarray
    rating: np.ndarray
    present: np.ndarray
    contests: np.ndarray
    reached: np.ndarray
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
        )

    def grow(self, start: np.ndarray) -> None:
        """Add newcomers at their starting ratings."""
        fresh = EloState.of(start)
        for name in ("start", "rating", "present", "contests", "reached"):
            setattr(self, name, np.concatenate([getattr(self, name), getattr(fresh, name)]))


def advance(
    state: EloState,
    settings: EloSettings,
    first: np.ndarray,
    second: np.ndarray,
    score: np.ndarray,
    k: np.ndarray,
    advantage: np.ndarray,
    events: tuple[np.ndarray, np.ndarray, np.ndarray] = kernel.NO_EVENTS,
    history: tuple[np.ndarray, np.ndarray, np.ndarray] = kernel.NO_HISTORY,
    followed: np.ndarray | None = None,
    snapshots: np.ndarray | None = None,
    foresight: tuple[int, float, np.ndarray] = kernel.NO_FORESIGHT,
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
    )
    course = kernel.State(
        rating=state.rating,
        frozen=state.rating if settings.period is None else state.rating.copy(),
        present=state.present,
        contests=state.contests,
        reached=state.reached,
        done=state.done,
    )
    photographs = kernel.NO_SNAPSHOTS
    if followed is not None and snapshots is not None:
        photographs = kernel.Snapshots(followed, snapshots)
    kernel.rate(
        kernel.Contests(first, second, score, k, advantage),
        rules,
        kernel.Events(*events),
        course,
        kernel.History(*history),
        photographs,
        kernel.Foresight(*foresight),
    )
    state.done += len(first)


class EloReplay:
    """The rating of one data set, run again whenever part of its history is requested.

    The recursion is so fast that repeating it is cheaper than storing the history of millions of
    contests.
    """

    def __init__(self, data: Interactions, settings: EloSettings):
        self.data, self.settings = data, settings
        self.start = policies.starts(settings, data.individuals)
        self._arrays = (
            policies.scores(settings, data),
            policies.k_values(settings, data),
            advantages(settings.home_advantage, data),
        )
        self._events = self._between_contests()

    def _between_contests(self) -> list[np.ndarray]:
        """Arrivals, departures, seasons and periods: (index of next contest, time, kind, who)."""
        data, settings = self.data, self.settings
        rows, seasons = [np.zeros(0)] * 4, np.zeros(0, np.int64)
        if settings.carry_over is not None:
            seasons = policies.season_starts(data)
            rows = self._join(rows, seasons, kernel.SEASON)
        if settings.period is not None:
            periods = policies.period_starts(settings.period, data)
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
            # Arrivals and departures between two seasons take place after the carry-over.
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
        )
        return state

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
            k = policies.k_with_burn_in(self.settings, data, order)
        other._arrays = score, np.ascontiguousarray(k), advantage
        return other

    def again(self, settings: EloSettings) -> EloReplay:
        """The same contests with other numeric settings; seasons and periods are unchanged."""
        other = copy(self)
        other.settings = settings
        other.start = policies.starts(settings, self.data.individuals)
        other._arrays = (
            self._arrays[0],
            policies.k_values(settings, self.data),
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

    def final(self) -> np.ndarray:
        """Ratings after the last contest; NaN for individuals that arrived later."""
        return self._run().rating

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
        history = kernel.History(np.empty(size), np.empty((size, 2)), np.empty((size, 2)))
        self._run(history=history)
        return history

    def foresight(self, home_advantage: Any = None) -> Chances:
        """Predictions of each contest from the ratings before it."""
        expected, before, _ = self.history()
        advantage = self._arrays[2]
        if home_advantage is not None:
            advantage = advantages(home_advantage, self.data)
            expected = np.asarray(self.settings.curve(before[:, 0] - before[:, 1] + advantage))
        return Chances.decided(expected, before[:, 0] - before[:, 1] + advantage)

    def at(self, times: np.ndarray, who: np.ndarray) -> np.ndarray:
        """Ratings of some individuals at times in ascending order, shape (times, who)."""
        places = np.searchsorted(self.data.times, times, side="right")
        return self.snapshots(places, self._clock(times), who)

    def after_each(self, who: np.ndarray) -> np.ndarray:
        """Ratings of some individuals before the first and after each contest."""
        places = np.arange(len(self.data) + 1)
        # Taken before any other event between this contest and the next.
        return self.snapshots(places, np.full(len(places), -np.inf), who)

    def snapshots(self, places: np.ndarray, clock: np.ndarray, who: np.ndarray) -> np.ndarray:
        """Ratings before given contests, at clock times among the events before them."""
        snapshots = np.empty((len(places), len(who)))
        events = self._join(self._events, places, kernel.SNAPSHOT, time=clock)
        self._run(events, followed=np.asarray(who, np.int64), snapshots=snapshots)
        return snapshots


def _rate_stream(stream: ContestStream, settings: EloSettings) -> Ratings:
    """Rate a file in batches; only the state and the record of each individual are kept."""
    for name in ("carry_over", "period", "k_periods", "k_column", "within"):
        if getattr(settings, name) not in (None, "file"):
            raise ArgumentError(
                f"{option_name(name)} cannot be used with a stream, because it needs all contests "
                f"at once. Read the whole file."
            )
    if settings.entry not in ("start", "mean"):  # equivalent if presence is unknown
        raise ArgumentError(
            f"{option('entry', settings.entry)} cannot be used with a stream, which has no "
            f"presence. Use {option('entry', 'start')} or {option('entry', 'mean')}."
        )
    if isinstance(settings.k, list | np.ndarray):
        raise ArgumentError(
            f"{option_name('k')} cannot be an array for a stream. Give a number, or one number "
            f"per context."
        )
    state, record, names, ordered = EloState.of(np.zeros(0)), Record.empty(), (), True
    report = None
    for batch in stream:
        report = batch.report if report is None else report.joined(batch.report)
        if len(batch) == 0:
            continue
        names = batch.individuals
        number = len(names) - len(state.start)
        if number:
            state.grow(np.full(number, np.nan))
            record = record.grown(number, batch.clock)
        # A name may come from an excluded row: it gets a rating at its first contest.
        waiting = np.isnan(state.start)
        involved = np.zeros(len(names), bool)
        if waiting.any():
            involved[batch.winner] = involved[batch.loser] = True
        fresh = np.flatnonzero(waiting & involved)
        if fresh.size:
            starts = policies.starts(settings, [names[i] for i in fresh], complete=False)
            state.start[fresh] = state.rating[fresh] = starts
        advance(
            state,
            settings,
            batch.winner,
            batch.loser,
            policies.scores(settings, batch),
            policies.k_values(settings, batch, state.done),
            advantages(settings.home_advantage, batch),
        )
        record.count(batch)
        ordered &= batch.ordered
    if not ordered:
        caution(UNORDERED)
    if state.done == 0:
        raise DataError(f"{stream.sheet.name}: no contests remain after exclusions.")
    seen = np.flatnonzero(record.contests)
    return Ratings(
        method="elo",
        individuals=tuple(names[i] for i in seen),
        rating=state.rating[seen],
        record=record.of_some(seen),
        curve=settings.curve,
        settings=settings.to_dict() | {"presence": False, "stream": True},
        citations=_citations(settings),
        report=report,
    )

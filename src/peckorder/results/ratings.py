"""`Ratings`, the result of every rating method.

It holds the final ratings and the win-loss record of each individual, and computes the history of
the ratings on request.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from peckorder.checked import one_of
from peckorder.curves import Curve
from peckorder.data.dates import date_column, date_words, ends, moment, whole_days
from peckorder.data.import_report import ImportReport
from peckorder.data.interactions import Interactions
from peckorder.data.names import code_of
from peckorder.data.own_sheet import OwnSheet
from peckorder.data.record import Record
from peckorder.errors import ArgumentError, DataError
from peckorder.home import home_bonus
from peckorder.ranks import average_ranks, natural_breaks, scales
from peckorder.results.chances import Chances
from peckorder.results.course import Course, Replay
from peckorder.results.differences import differences
from peckorder.results.methods_sentence import sentence
from peckorder.results.result import Result
from peckorder.results.slopes import Window
from peckorder.wording import counted, option, option_name

VALUES_AT_ONCE = 20_000_000
MOST_DAYS = 200_000  # five centuries; more is a wrong date
JOINED = ("rating", "rank", "scaled", "proportional_rank")


@dataclass(frozen=True, eq=False, repr=False)
class Ratings(Result):
    """Ratings of all individuals, with their settings, history and predictions.

    Attributes
    ----------
    method : str
    individuals : tuple of str
    rating : float array, final ratings in the order of `individuals`
    record : Record
    curve : Curve, winning probability as a function of the rating difference
    settings : dict, every argument with its value
    report : ImportReport, how the rows of the source were used
    kept : Course or None (after streaming), contests and replay behind `course` and `data`
    seed : int or None, seed of the random numbers
    values : dict, other estimated quantities by name (also as attributes)
    summary : tuple of str, interpretation of the values and caveats
    columns : dict of arrays, further columns of the table, in the order of `individuals`
    """

    method: str
    individuals: tuple[str, ...]
    rating: np.ndarray
    record: Record
    curve: Curve
    settings: dict[str, Any]
    citations: tuple[str, ...] = ()
    report: ImportReport | None = None
    kept: Course[Replay] | None = None
    seed: int | None = None
    values: dict[str, Any] = field(default_factory=dict)
    summary: tuple[str, ...] = ()
    columns: dict[str, np.ndarray] = field(default_factory=dict)

    # -- the final state ---------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.individuals)

    def __getitem__(self, individual: str) -> float:
        return float(self.rating[self.code(individual)])

    def __iter__(self) -> Iterator[str]:
        return iter(self.individuals[i] for i in self._order(self.rating))

    def items(self) -> Iterator[tuple[str, float]]:
        """(name, rating) pairs from the highest rating to the lowest."""
        return ((self.individuals[i], float(self.rating[i])) for i in self._order(self.rating))

    def __repr__(self) -> str:
        top = ", ".join(f"{name} {rating:.1f}" for name, rating in list(self.items())[:5])
        contests = int(self.record.contests.sum()) // 2
        return (
            f"{type(self).__name__} ({self.method}): {counted(len(self), 'individual')}, "
            f"{counted(contests, 'contest')}; {top}{', …' if len(self) > 5 else ''}"
        )

    def as_polars(self) -> pl.DataFrame:
        """One row per individual, highest rating first: final rating, rank and record."""
        table = self._table(self.rating, np.ones(len(self), bool), self.record)
        order = pl.Series(self._order(self.rating))
        return table.with_columns(
            **{
                name: pl.Series(column, nan_to_null=True).gather(order)
                for name, column in self.columns.items()
            }
        )

    def _data_hash(self) -> str | None:
        return None if self.kept is None else self.kept.contests.hash

    def _data_notes(self) -> tuple[str, ...]:
        return () if self.kept is None else tuple(self.kept.contests.cautions.values())

    def _flavor(self) -> str:
        return "polars" if self.kept is None else self.kept.contests.report.flavor

    @property
    def course(self) -> Course[Replay]:
        """The contests behind these ratings and their replay; not available after streaming."""
        if self.kept is None:
            raise ArgumentError(
                "Ratings of a stream have no history. Read the whole file (without "
                f"{option('stream', 'True')}) for histories, trajectories and ratings at a date."
            )
        return self.kept

    @property
    def data(self) -> Interactions:
        """The contests behind these ratings; not available after streaming."""
        return self.course.contests

    def probability(self, a: str, b: str, *, at: object = None, home: str | None = None) -> float:
        """Probability that `a` beats `b`, from the final ratings or those at a date.

        `home` names the home side, to which the home advantage of the settings is added.
        """
        rating = self.rating if at is None else self._at(at)[0]
        pair = np.array([self.code(a)]), np.array([self.code(b)])
        ahead = (
            rating[pair[0]] - rating[pair[1]] + self.bonus_at_home(*pair, self._side(a, b, home))
        )
        if np.isnan(ahead[0]):
            raise ArgumentError(f'"{a}" or "{b}" was not rated yet at {at}. Choose a later date.')
        return float(self._chance(ahead, *pair, at)[0])

    def scaled(self, *, at: object = None) -> Any:
        """Ratings between 0 (lowest present) and 1 (highest), and proportional ranks."""
        rating, present = self._state(at)
        table = self._table(rating, present, None)
        values = table["rating"].to_numpy()
        return self._native(table.with_columns(**scales(values)))

    def centered(self, *, at: object = None) -> Any:
        """Ratings relative to the mean of the individuals present; differences are unchanged."""
        rating, present = self._state(at)
        return self._native(self._table(rating - rating[present].mean(), present, None))

    def expected_beaten(self, *, at: object = None, classes: int = 3) -> Any:
        """Expected number of group members that each individual beats (Foerster et al. 2016).

        Also given as a proportion, and as a class by natural breaks (class 1 is the highest).
        """
        rating, present = self._state(at)
        table = self._table(rating, present, None)
        values = table["rating"].to_numpy()
        codes = np.array([self._codes[name] for name in table["individual"]])
        step = max(1, VALUES_AT_ONCE // max(1, len(values)))
        beaten = np.zeros(len(values))
        for i in range(0, len(values), step):
            ahead = values[i : i + step, None] - values[None, :]
            chances = self._chance(ahead, codes[i : i + step, None], codes[None, :], at)
            beaten[i : i + step] = np.sum(chances, axis=1) - 0.5  # minus the diagonal entry
        share = beaten / (len(values) - 1) if len(values) > 1 else np.full(len(values), np.nan)
        return self._native(
            table.with_columns(
                expected_beaten=pl.Series(beaten),
                expected_share=pl.Series(share).fill_nan(None),
                **{"class": pl.Series(natural_breaks(beaten, classes))},
            )
        )

    def within(self, classes: Mapping[str, Any] | Iterable[str], *, at: object = None) -> Any:
        """Ranks within subsets (a sex, an age class), from the ratings of the whole group.

        `classes` maps individuals to their class, or lists the individuals of one subset.
        """
        if not isinstance(classes, Mapping):
            classes = dict.fromkeys(classes, "subset")
        codes = {self.code(name): str(label) for name, label in classes.items()}
        rating, present = self._state(at)
        table = self._table(rating, present, None)
        labels = {self.individuals[code]: label for code, label in codes.items()}
        table = table.with_columns(
            pl.col("individual")
            .replace_strict(labels, default=None, return_dtype=pl.String)
            .alias("class")
        ).filter(pl.col("class").is_not_null())
        return self._native(
            table.with_columns(
                pl.col("rating").rank("average", descending=True).over("class").alias("rank_within")
            ).sort("class", "rank_within", maintain_order=True)
        )

    # -- the course --------------------------------------------------------------------------

    @property
    def history(self) -> Any:
        """Each contest with the expected score of the winner, and ratings before and after."""
        data = self.data
        names = pl.Series(data.individuals, dtype=pl.String)
        columns: dict[str, Any] = {"contest": np.arange(1, len(data) + 1)}
        if data.date is not None:
            columns["date"] = date_column(data.date)
        columns["winner"] = names.gather(pl.Series(data.winner))
        columns["loser"] = names.gather(pl.Series(data.loser))
        columns["draw"] = np.zeros(len(data), bool) if data.draw is None else data.draw
        if data.context is not None:
            columns["context"] = data.context.column()
        expected, before, after = self.course.history
        columns["expected"] = expected
        columns["winner_before"], columns["loser_before"] = before.T
        columns["winner_after"], columns["loser_after"] = after.T
        return self._native(pl.DataFrame(columns))

    def at(self, date: object) -> Any:
        """The table at the end of a day (or after a contest, where there are no dates).

        Lists the individuals present; on a day without contests, the last rating is used. With
        `carry_over`, individuals that arrive between two seasons are rated from the first day of
        the new season.
        """
        data = self.data
        rating, present = self._at(date)
        when = moment(date, data.times)
        done = int(np.searchsorted(data.times, when, side="right"))
        return self._native(self._table(rating, present, Record.of(data, done)))

    def by_day(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Ratings at the end of each day and who was present, in blocks of days.

        Days run from the first contest to the last; without dates, each contest is one day. On
        days without a contest, an individual keeps its last rating.
        """
        data = self.data
        days = np.unique(whole_days(data.times))
        if days.dtype.kind == "M":
            span = int((days[-1] - days[0]).astype(int)) + 1
            if span > MOST_DAYS:
                raise DataError(
                    f"The contests span {span:,} days, from {days[0]} to {days[-1]}; at most "
                    f"{MOST_DAYS:,} days can be followed one by one. Check the first and the last "
                    f"date."
                )
            days = np.arange(days[0], days[-1] + 1)
        step = max(1, VALUES_AT_ONCE // len(self))
        for i in range(0, len(days), step):
            block = days[i : i + step]
            rating = self.course.at(ends(block))
            present = ~np.isnan(rating)
            if data.presence is not None or self.course.ranked_from != "arrival":
                present &= [self.course.present(when) for when in ends(block)]
            yield rating, present

    def trajectory(self, individual: str) -> Any:
        """Rating at the start (contest 0, or the last one before arrival) and after each change."""
        return self._native(self.trajectory_frame(individual))

    def trajectory_frame(self, individual: str, course: np.ndarray | None = None) -> pl.DataFrame:
        """The trajectory; `course` holds the ratings after every contest if already computed."""
        data, code = self.data, self.code(individual)
        own = (data.winner == code) | (data.loser == code)
        rating = self.course.after_each(code) if course is None else course
        moved = np.concatenate([[False], rating[1:] != rating[:-1]])
        keep = np.concatenate([[True], own]) | moved
        keep &= ~np.isnan(rating)
        entry = int(np.argmax(own))
        if np.isnan(rating[entry]) and own.any():  # no rating before its first contest: show entry
            rating[entry] = self.course.own_path(code)[0]
            keep[entry] = True
        places = np.flatnonzero(keep)
        columns: dict[str, Any] = {"contest": places}
        if data.date is not None:
            columns["date"] = date_column(data.date[np.maximum(places - 1, 0)])
        columns["rating"] = rating[places]
        return pl.DataFrame(columns)

    def integral(self, individual: str, *, over: str = "own") -> float:
        """Area under the trajectory by the trapezoidal rule, one unit per contest.

        `over="own"` counts the individual's own contests, `over="all"` every contest.
        """
        one_of("over", over, ("own", "all"))
        if over == "all":
            rating = self.course.after_each(self.code(individual))
            return float(np.trapezoid(rating[~np.isnan(rating)]))
        return float(np.trapezoid(self.course.own_path(self.code(individual))))

    def slopes(self, *, since: object = None, until: object = None) -> Any:
        """Slope of each trajectory over time: points per day, by linear regression.

        The rating at the end of each day with a contest of the individual, regressed on the day;
        without dates, on the number of the contest. Ratings of successive days depend on each
        other, so that standard errors are too small; use them to compare individuals.

        Parameters
        ----------
        since, until : first and last day of the window (or contest numbers); default all

        Returns
        -------
        Table: individual, first, last, observations (days), slope (missing with fewer than two
        days), slope_se (missing with fewer than three).
        """
        return self._native(self._slope_frame(Window.of(self.data, since, until)))

    def _slope_frame(self, window: Window) -> pl.DataFrame:
        rating = np.vstack(
            [self.course.at(at) for _, at in window.moments(VALUES_AT_ONCE // len(self))]
        )
        rating -= self.rating  # smaller numbers, smaller rounding errors
        slope = (window.weights * np.where(window.observed, rating, 0.0)).sum(axis=0)
        errors = window.errors(rating, slope)
        order = self._order(self.rating)
        order = order[window.number[order] > 0]
        first, last = (window.days[place[order]] for place in window.limits())
        return pl.DataFrame(
            {
                "individual": [self.individuals[i] for i in order],
                "first": date_column(first),
                "last": date_column(last),
                "observations": window.number[order],
                "slope": pl.Series(slope[order], nan_to_null=True),
                "slope_se": pl.Series(errors[order], nan_to_null=True),
            }
        )

    @cached_property
    def reliable_from(self) -> int:
        """The first contest after which the order no longer changed."""
        data = self.data
        order = self._order(self.rating)
        ahead = np.sign(np.diff(self.rating[order]))
        settled = np.ones(len(data) + 1, bool)
        step = max(1, VALUES_AT_ONCE // (len(data) + 1) - 1)
        for i in range(0, len(ahead), step):
            course = self.course.replay.after_each(order[i : i + step + 1])
            with np.errstate(invalid="ignore"):
                settled &= (np.sign(np.diff(course)) == ahead[i : i + step]).all(axis=1)
        unsettled = np.flatnonzero(~settled)
        return int(unsettled[-1]) + 1 if unsettled.size else 0

    def differences(self, *, by: str = "context") -> Any:
        """Rating differences between winner and loser by context (behavior), group or season."""
        return self._native(differences(self.course, self.settings, by))

    def at_dates(
        self, table: Any, *, individual: str, date: str, date_format: str | None = None
    ) -> Any:
        """Add rating, rank, scaled rating and proportional rank to each row of another table.

        Ranks and scaled ratings refer to the individuals present on that day. Scaled ratings run
        from 0 (lowest) to 1 (highest); the proportional rank is the proportion of the others that
        are outranked. Values are missing before the first contest and while the individual is
        absent.

        Parameters
        ----------
        table : DataFrame, or path of a file
        individual, date : names of its columns
        """
        data = self.data
        own = OwnSheet.read(
            table,
            individual=individual,
            date=date,
            date_format=date_format,
            individuals=self.individuals,
            clock=data.clock,
            new=JOINED,
        )
        return own.joined(self._joined(own.codes, own.dates))

    def _joined(self, codes: np.ndarray, values: np.ndarray) -> dict[str, pl.Series]:
        data = self.data
        moments, which = np.unique(ends(values), return_inverse=True)
        out = {name: np.full(len(codes), np.nan) for name in JOINED}
        step = max(1, VALUES_AT_ONCE // max(1, len(self)))
        for begin in range(0, len(moments), step):
            ratings = self.course.at(moments[begin : begin + step])
            for i, rating in enumerate(ratings, start=begin):
                present = self.course.present(moments[i]) & ~np.isnan(rating)
                if moments[i] < data.times[0] or not present.any():
                    continue
                own = np.flatnonzero((which == i) & present[codes])
                place = np.cumsum(present)[codes[own]] - 1
                columns = {"rank": average_ranks(rating[present]), **scales(rating[present])}
                out["rating"][own] = rating[codes[own]]
                for name, column in columns.items():
                    out[name][own] = np.asarray(column, dtype=float)[place]
        return {name: pl.Series(name, column).fill_nan(None) for name, column in out.items()}

    def cite(self) -> str:
        """A sentence for the methods section, with references."""
        return sentence(self)

    # -- probabilities -----------------------------------------------------------------------

    def foresight(self, home_advantage: Any = None) -> Chances:
        """Predictions of each contest from the ratings before it; the winner is the first side."""
        return self._with_draws(self.course.replay.foresight(home_advantage))

    def chances(
        self,
        first: np.ndarray,
        second: np.ndarray,
        home: np.ndarray,
        home_advantage: Any = None,
        at: object = None,
    ) -> Chances:
        """Probabilities from the final ratings or those at a date; NaN for unrated individuals."""
        rating = self.rating if at is None else self._at(at)[0]
        ahead = (
            rating[first] - rating[second] + self.bonus_at_home(first, second, home, home_advantage)
        )
        return self._with_draws(Chances.decided(self._chance(ahead, first, second, at), ahead))

    def _chance(
        self, ahead: np.ndarray, first: np.ndarray, second: np.ndarray, at: object = None
    ) -> np.ndarray:
        """Winning probability by rating difference; here it does not depend on the individuals."""
        return np.asarray(self.curve(ahead))

    def _with_draws(self, chances: Chances) -> Chances:
        return chances.with_draws(self.values["nu"]) if "nu" in self.values else chances

    def bonus_at_home(
        self, first: np.ndarray, second: np.ndarray, home: np.ndarray, home_advantage: Any = None
    ) -> np.ndarray:
        """Home advantage of the first side; `home` is −1 where the second side is at home."""
        if home_advantage is None:
            own = self.settings.get("home_advantage") or 0.0
            home_advantage = self.values.get("home_advantage", own)
        return home_bonus(home_advantage, self.individuals, first, second, home)

    @staticmethod
    def _side(a: str, b: str, home: str | None) -> np.ndarray:
        """1 if `a` is at home, −1 if `b` is, 0 at a neutral venue."""
        if home is not None and str(home) not in (str(a), str(b)):
            raise ArgumentError(f'{option_name("home")} must be "{a}" or "{b}", not "{home}".')
        return np.array([0 if home is None else 1 if str(home) == str(a) else -1])

    # -- internals ---------------------------------------------------------------------------

    def code(self, name: object) -> int:
        """The position of an individual in `individuals`."""
        return code_of(name, self._codes)

    @cached_property
    def _codes(self) -> dict[str, int]:
        return {name: code for code, name in enumerate(self.individuals)}

    @staticmethod
    def _order(rating: np.ndarray) -> np.ndarray:
        return np.argsort(-rating, kind="stable")

    def _state(self, at: object) -> tuple[np.ndarray, np.ndarray]:
        return (self.rating, np.ones(len(self), bool)) if at is None else self._at(at)

    def _at(self, date: object) -> tuple[np.ndarray, np.ndarray]:
        """Ratings at a date, and which individuals are present and rated."""
        data = self.data
        when = moment(date, data.times)
        if when < data.times[0]:
            what = "contest" if data.date is None else "date"
            raise ArgumentError(
                f"{date} is before the first contest ({date_words(data.times[0])}), so there are "
                f"no ratings yet. Choose a later {what}."
            )
        rating = self.course.at(np.array([when]))[0]
        return rating, self.course.present(when) & ~np.isnan(rating)

    def _table(self, rating: np.ndarray, keep: np.ndarray, record: Record | None) -> pl.DataFrame:
        """Individuals from the highest rating to the lowest, with their record if given."""
        places = np.flatnonzero(keep)
        places = places[self._order(rating[places])]
        columns: dict[str, Any] = {
            "individual": pl.Series(self.individuals, dtype=pl.String).gather(pl.Series(places)),
            "rating": rating[places],
            "rank": average_ranks(rating[places]) if len(places) else np.zeros(0),
        }
        if record is not None:
            columns["contests"] = record.contests[places]
            columns["wins"], columns["losses"] = record.wins[places], record.losses[places]
            columns["draws"] = record.draws[places]
            columns["first_seen"] = _seen(record.first_time[places], record.first[places])
            columns["last_seen"] = _seen(record.last_time[places], record.last[places])
        return pl.DataFrame(columns)


def _seen(times: np.ndarray, contest: np.ndarray) -> pl.Series:
    """Dates of the first or last contest; missing for individuals without contests."""
    if (contest >= 0).all():
        return date_column(times)
    return pl.select(
        pl.when(pl.Series(contest >= 0)).then(date_column(times)).otherwise(None)
    ).to_series()

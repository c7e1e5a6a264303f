"""`Ratings`, the result of every rating method.

It holds the final ratings and the win-loss record of each individual, and computes the history of
the ratings on request.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import polars as pl

from peckorder.checked import one_of
from peckorder.curves import Curve
from peckorder.data.dates import date_words, moment
from peckorder.data.import_report import ImportReport
from peckorder.data.interactions import Interactions
from peckorder.data.names import code_of
from peckorder.data.record import Record
from peckorder.errors import ArgumentError, caution
from peckorder.home import home_bonus
from peckorder.ranks import scales
from peckorder.results.chances import Chances
from peckorder.results.course import Course, Replay
from peckorder.results.differences import differences
from peckorder.results.grid import grid_frame
from peckorder.results.joins import joined
from peckorder.results.methods_sentence import sentence
from peckorder.results.over_time import day_by_day, history_frame, path_frame, settled_from
from peckorder.results.result import Result
from peckorder.results.slopes import ContestDays, slope_frame
from peckorder.results.standing import (
    class_labels,
    ranks_within,
    standing,
    summed_chances,
    top_down,
    with_expected_beaten,
)
from peckorder.results.window import Window, WindowCourse, span_of, window_of
from peckorder.wording import counted, option, option_name

OF_THE_START = ("start", "start_se", "component")  # columns that hold at any date


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
    window : Window or None, the span of time that is shown (see `between`)
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
    window: Window | None = None

    by_curve = True  # the chance of a win depends on the rating difference alone

    # -- the final state ---------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.individuals)

    def __getitem__(self, individual: str) -> float:
        return float(self.rating[self.code(individual)])

    def __iter__(self) -> Iterator[str]:
        return (name for name in self.everyone if self.present[self.code(name)])

    def items(self) -> Iterator[tuple[str, float]]:
        """(name, rating) pairs from the highest rating to the lowest."""
        return ((name, self[name]) for name in self)

    @property
    def everyone(self) -> list[str]:
        """Names from the highest rating to the lowest; in a window, with those who have left."""
        return [self.individuals[i] for i in top_down(self.rating)]

    @property
    def present(self) -> np.ndarray:
        """Who is in the table: everybody or, in a window, those present at its end."""
        return np.ones(len(self), bool) if self.window is None else self.window.present

    def __repr__(self) -> str:
        top = ", ".join(f"{name} {rating:.1f}" for name, rating in list(self.items())[:5])
        top = f"; {top}{', …' if self.present.sum() > 5 else ''}" if top else ""
        contests = int(self.record.contests.sum()) // 2
        seen = "" if self.window is None else " in the window {} to {}".format(*self.window.words)
        return (
            f"{type(self).__name__} ({self.method}): {counted(len(self), 'individual')}, "
            f"{counted(contests, 'contest')}{seen}{top}"
        )

    def as_polars(self) -> pl.DataFrame:
        """One row per individual, highest rating first: final rating, rank and record.

        In a window, the individuals present at its end, and contests in the window.
        """
        keep = self.present
        table = standing(self.individuals, self.rating, keep, self.record)
        places = np.flatnonzero(keep)
        order = pl.Series(places[top_down(self.rating[places])])
        return table.with_columns(
            **{
                name: pl.Series(column, nan_to_null=True).gather(order)
                for name, column in self.columns.items()
            }
        )

    def _data_hash(self) -> str | None:
        return None if self.kept is None else self.whole.data.hash

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

    # -- windows -----------------------------------------------------------------------------

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
        return replace(
            self,
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
        return float(self.chance(ahead, *pair, at)[0])

    def scaled(self, *, at: object = None) -> Any:
        """Ratings between 0 (lowest present) and 1 (highest), and proportional ranks."""
        table = self._listed(at)
        return self._native(table.with_columns(**scales(table["rating"].to_numpy())))

    def centered(self, *, at: object = None) -> Any:
        """Ratings relative to the mean of the individuals present; differences are unchanged."""
        table = self._listed(at)
        return self._native(table.with_columns(rating=pl.col("rating") - pl.col("rating").mean()))

    def expected_beaten(self, *, at: object = None, classes: int = 3) -> Any:
        """Expected number of group members that each individual beats (Foerster et al. 2016).

        Also given as a proportion, and as a class by natural breaks (class 1 is the highest).
        """
        table = self._listed(at)
        codes = np.array([self._codes[name] for name in table["individual"]], int)

        def chance(ahead: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
            return self.chance(ahead, first, second, at)

        beaten = summed_chances(table["rating"].to_numpy(), codes, chance)
        return self._native(with_expected_beaten(table, beaten, classes))

    def within(self, classes: Mapping[str, Any] | Iterable[str], *, at: object = None) -> Any:
        """Ranks within subsets (a sex, an age class), from the ratings of the whole group.

        `classes` maps individuals to their class, or lists the individuals of one subset.
        """
        labels = {
            self.individuals[self.code(name)]: label
            for name, label in class_labels(classes).items()
        }
        return self._native(ranks_within(self._listed(at), labels))

    # -- the course --------------------------------------------------------------------------

    @property
    def history(self) -> Any:
        """Each contest with the expected score of the winner, and ratings before and after."""
        return self._native(history_frame(self.course))

    def at(self, date: object) -> Any:
        """The table at the end of a day (or after a contest, where there are no dates).

        Contests of that day count. Lists the individuals present; on a day without contests, the
        last rating is used. With `carry_over`, individuals that arrive between two seasons are
        rated from the first day of the new season. Before the first contest and where nobody is
        present the table is empty, and a warning says why.
        """
        rating, present = self._state(date)
        return self._native(standing(self.individuals, rating, present, self._record_at(date)))

    def _record_at(self, date: object) -> Record:
        data = self.data
        when = moment(date, self.whole.data.times)
        return Record.of(data, int(np.searchsorted(data.times, when, side="right")))

    def by_day(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Ratings at the end of each day and who was present, in blocks of days.

        Days run from the first contest to the last, or from the first day of a window to its last;
        without dates, each contest is one day. On days without a contest, an individual keeps its
        last rating.
        """
        return day_by_day(self.course, self.window)

    def grid(self, *, every: str = "month", wide: bool = False) -> Any:
        """Ratings and ranks of those present at the end of every day, week, month or year.

        Parameters
        ----------
        every : {"day", "week", "month", "quarter", "year"}
            The last date of each calendar period from the first contest to the last (or in the
            window), periods without contests included. Without calendar dates: a whole number,
            every so many units.
        wide : bool
            One row per date with a column of ratings per individual, instead of one row per
            individual and date.

        Returns
        -------
        Table: date, individual, rating, rank, scaled, proportional_rank, number_present; only
        individuals present on that date. With draws also rating_sd, intervals and p_top.

        Examples
        --------
        >>> import peckorder as po
        >>> po.elo(po.datasets.adv()).grid(every="week").select("date").unique().height
        5
        """
        return self._native(grid_frame(self, every, wide))

    def trajectory(self, individual: str) -> Any:
        """Rating at the start (contest 0, or the last one before arrival) and after each change.

        In a window, the first row is the rating at its beginning.
        """
        return self._native(self.trajectory_frame(individual))

    def trajectory_frame(self, individual: str, course: np.ndarray | None = None) -> pl.DataFrame:
        """The trajectory; `course` holds the ratings after every contest if already computed."""
        code = self.code(individual)
        rating = self.course.after_each(code) if course is None else course
        return path_frame(self.course, code, rating, self.window)

    def integral(self, individual: str, *, over: str = "own") -> float:
        """Area under the trajectory by the trapezoidal rule, one unit per contest.

        `over="own"` counts the individual's own contests, `over="all"` every contest.
        """
        one_of("over", over, ("own", "all"))
        if over == "all":
            rating = self.course.after_each(self.code(individual))
            return float(np.trapezoid(rating[~np.isnan(rating)]))
        return float(np.trapezoid(self.course.own_path(self.code(individual))))

    def slopes(self) -> Any:
        """Slope of each trajectory over time: points per day, by linear regression.

        The rating at the end of each day with a contest of the individual, regressed on the day;
        without dates, on the number of the contest. `ratings.between(…).slopes()` gives those of
        a window. Ratings of successive days depend on each other, so that standard errors are too
        small; use them to compare individuals.

        Returns
        -------
        Table: individual, first, last, observations (days), slope (missing with fewer than two
        days), slope_se (missing with fewer than three).
        """
        return self._native(self._slope_frame(ContestDays.of(self.data)))

    def _slope_frame(self, days: ContestDays) -> pl.DataFrame:
        return slope_frame(self.course, self.rating, days)

    @cached_property
    def reliable_from(self) -> int:
        """The first contest after which the order no longer changed."""
        return settled_from(self.course, self.rating, self.present)

    def differences(self, *, by: str = "context") -> Any:
        """Rating differences between winner and loser by context (behavior), group or season."""
        return self._native(differences(self.course, self.settings, by))

    def at_dates(
        self,
        table: Any,
        *,
        individual: str,
        date: str,
        date_format: str | None = None,
        prefix: str = "",
        draws: int | None = None,
    ) -> Any:
        """Add to each row of another table how its individual stood on its date.

        A date means the end of that day, as in `at`: contests of the same day count. (With a time
        of day, contests up to that time count.) Ranks refer to the individuals present on that
        date.

        Parameters
        ----------
        table : DataFrame, mapping of columns, or path of a file
        individual, date : names of its columns
        date_format : as in `read`
        prefix : text in front of the names of the new columns
        draws : number of posterior draws, optional
            Repeat each row for that many draws, numbered in the column `draw`, with rating, rank,
            scaled, proportional_rank and expected_beaten under each (for models that take the
            uncertainty of ranks into account).

        Returns
        -------
        The table, in the library of the input, with the columns

        - rating, rank (1 is the highest), scaled (rating from 0, the lowest present, to 1),
          proportional_rank (share of the others that are outranked), expected_beaten (number of
          the others it is expected to beat), number_present;
        - days_since_contest (days since its last contest; without dates, contests);
        - with posterior draws also rating_sd, 80% and 95% intervals of rating and rank, p_top;
        - reason, why the values of a row are missing: no or unknown individual, no or unreadable
          date, before the first contest, not present, outside the window.

        Examples
        --------
        >>> import peckorder as po
        >>> births = {"mother": ["b", "z"], "birth": ["2010-01-20", "2010-01-20"]}
        >>> ratings = po.elo(po.datasets.adv(), k=200, curve="table")
        >>> found = ratings.at_dates(births, individual="mother", date="birth")
        >>> found["rank"].to_list(), found["reason"].to_list()
        ([1.0, None], [None, 'unknown individual'])
        """
        return joined(
            self,
            table,
            individual=individual,
            date=date,
            date_format=date_format,
            prefix=prefix,
            draws=draws,
        )

    def cite(self) -> str:
        """A sentence for the methods section, with references."""
        text = sentence(self.whole)
        if self.window is None:
            return text
        first, rest = text.split("\n", 1)
        return f"{first}\n{self.window.sentence}\n{rest}"

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
        return self._with_draws(Chances.decided(self.chance(ahead, first, second, at), ahead))

    def chance(
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

    def rated_at(self, moments: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Ratings at times in ascending order, and who is present and rated."""
        rating = self.course.at(moments)
        there = self.course.present_at(moments) & ~np.isnan(rating)
        there[moments < self.whole.data.times[0]] = False
        return rating, there

    def _listed(self, at: object) -> pl.DataFrame:
        """Individuals and ratings: the final ones, or those present at a date."""
        return standing(self.individuals, *self._state(at), None)

    def _state(self, at: object) -> tuple[np.ndarray, np.ndarray]:
        """Final ratings or those at a date, and who is listed; a warning if it is nobody."""
        if at is None:
            return self.rating, self.present
        why = self._why_nobody(at)
        if why is not None:
            caution(f"{why} The table is empty.")
        rating, present = self.rated_at(np.array([moment(at, self.whole.data.times)]))
        return rating[0], present[0] if why is None else np.zeros(len(self), bool)

    def _why_nobody(self, date: object) -> str | None:
        """Why there are no ratings at a date; None if there are some."""
        times = self.whole.data.times
        when = moment(date, times)
        if when < times[0]:
            return (
                f"{date} is before the first contest ({date_words(times[0])}), so there are no "
                f"ratings yet."
            )
        if self.window is not None and not self.window.start <= when <= self.window.end:
            return "{} is outside the window {} to {}.".format(date, *self.window.words)
        return None if self.rated_at(np.array([when]))[1].any() else f"Nobody is present at {date}."

    def _at(self, date: object) -> tuple[np.ndarray, np.ndarray]:
        """Ratings at a date, and who is present and rated; an error if nobody is rated yet."""
        times = self.whole.data.times
        when = moment(date, times)
        if when < times[0]:
            what = "contest" if self.data.date is None else "date"
            raise ArgumentError(f"{self._why_nobody(date)} Choose a later {what}.")
        rating, present = self.rated_at(np.array([when]))
        return rating[0], present[0]

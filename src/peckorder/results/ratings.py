"""`Ratings`, the result of every rating method.

It holds the final ratings and the win-loss record of each individual, and computes the history of
the ratings on request.

Seeing ratings through a window of time: the methods of `Ratings` that make and leave windows.

Winning probabilities from ratings: the methods of `Ratings` that predict contests.

The sentence for a methods section: how the ratings were computed, settings and references.

Rating differences between winner and loser, by type of behavior.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, Self

import numpy as np
import polars as pl

from peckorder import methods
from peckorder.curves import Curve
from peckorder.data.contests import Contests, Record
from peckorder.data.date_columns import date_words, moment
from peckorder.data.effects import home_bonus
from peckorder.data.import_report import ImportReport
from peckorder.data.names import code_of
from peckorder.data.win_counts import WinCounts, chances, scores
from peckorder.errors import ArgumentError, ArgumentTypeError, caution
from peckorder.methods import METHODS
from peckorder.ranks import average_ranks, scales
from peckorder.results import history, rank_table
from peckorder.results.chances import Chances
from peckorder.results.explanation import explain
from peckorder.results.history import NO_SLOPES, ContestDays
from peckorder.results.joins import joined
from peckorder.results.measures import Measure, Order
from peckorder.results.result import Result
from peckorder.results.tenure import careers_frame, changes_frame, tenure_frame
from peckorder.results.trajectory import Course, Replay
from peckorder.results.window import Window, WindowCourse, span_of, window_of
from peckorder.text import counted, option, option_name
from peckorder.validate import one_of, whole_number

# What Tab shows of ratings, of the names that are described in the manual.
MOST_USED: Sequence[str] = (
    *("at", "at_dates", "between", "careers", "cite", "expected_beaten", "explain", "history"),
    *("individuals", "left", "plot", "probability", "provenance", "rank_changes", "rating", "save"),
    *("settings", "slopes", "summary", "table", "tenure", "to_excel", "to_pandas", "trajectory"),
    "whole",
)
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

    Examples
    --------
    >>> import peckorder as po
    >>> ratings = po.elo(po.datasets.adv(), k=200, curve="table")
    >>> ratings["b"], list(ratings)[:3], round(ratings.probability("b", "a"), 2)
    (1320.0, ['b', 'c', 'd'], 1.0)
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

    MOST_USED: ClassVar[Sequence[str]] = MOST_USED
    by_curve: ClassVar[bool] = True  # the chance of a win depends on the rating difference alone

    def __dir__(self) -> list[str]:
        """What Tab shows: what is used most, and the values of the fit."""
        return sorted({*type(self).MOST_USED, *self.values})

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
        return [self.individuals[i] for i in rank_table.top_down(self.rating)]

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
        table = rank_table.standing(self.individuals, self.rating, keep, self.record)
        if not self.columns:
            return table
        places = np.flatnonzero(keep)
        order = pl.Series(places[rank_table.top_down(self.rating[places])])
        return table.with_columns(
            **{
                name: pl.Series(column, nan_to_null=True).gather(order)
                for name, column in self.columns.items()
            }
        )

    def _data_hash(self) -> str | None:
        return None if self.kept is None else self.whole.data.hash

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
    def data(self) -> Contests:
        """The contests behind these ratings; not available after streaming."""
        return self.course.contests

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

        beaten = rank_table.summed_chances(table["rating"].to_numpy(), codes, chance)
        return self._native(rank_table.with_expected_beaten(table, beaten, classes))

    def within(self, classes: Mapping[str, Any] | Iterable[str], *, at: object = None) -> Any:
        """Ranks within subsets (a sex, an age class), from the ratings of the whole group.

        `classes` maps individuals to their class, or lists the individuals of one subset.
        """
        labels = {
            self.individuals[self.code(name)]: label
            for name, label in rank_table.class_labels(classes).items()
        }
        return self._native(rank_table.ranks_within(self._listed(at), labels))

    # -- the course --------------------------------------------------------------------------

    @property
    def history(self) -> Any:
        """Each contest with the expected score of the winner, and ratings before and after."""
        return self._native(history.history_frame(self.course))

    def at(self, date: object) -> Any:
        """The table at the end of a day (or after a contest, where there are no dates).

        Contests of that day count; on a day without contests, the last rating is used. Lists the
        individuals present; if there are none, the table is empty and a warning says why. With
        `carry_over`, newcomers between two seasons are rated from the new season on.
        """
        rating, present = self._state(date)
        return self._native(
            rank_table.standing(self.individuals, rating, present, self._record_at(date))
        )

    def _record_at(self, date: object) -> Record:
        data = self.data
        when = moment(date, self.whole.data.times)
        return Record.of(data, int(np.searchsorted(data.times, when, side="right")))

    def by_day(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Ratings at the end of each day and who was present, in blocks of days.

        Days run from the first contest (or day of a window) to the last; without dates, each
        contest is one day. On days without a contest, an individual keeps its last rating.
        """
        return history.day_by_day(self.course, self.window)

    def grid(
        self,
        *,
        every: Literal["day", "week", "month", "quarter", "year"] = "month",
        wide: bool = False,
    ) -> Any:
        """Ratings and ranks of those present at the end of every day, week, month or year.

        Parameters
        ----------
        every : {"day", "week", "month", "quarter", "year"}
            Periods without contests included; without calendar dates, a whole number of units.
        wide : bool
            One row per date and one column of ratings per individual, instead of a row for each.

        Returns
        -------
        Table: date, individual, rating, rank and the other columns of `at_dates`.

        Examples
        --------
        >>> import peckorder as po
        >>> po.elo(po.datasets.adv()).grid(every="week").select("date").unique().height
        6
        """
        return self._native(history.grid_frame(self, every, wide))

    def trajectory(self, individual: str) -> Any:
        """Rating at the start (of the record, or of the window) and after each change."""
        return self._native(self.trajectory_frame(individual))

    def trajectory_frame(
        self, individual: str, levels: tuple[float, ...] = (), course: np.ndarray | None = None
    ) -> pl.DataFrame:
        """The trajectory; `course` holds the ratings after every contest if already computed."""
        code = self.code(individual)
        rating = self.course.after_each(code) if course is None else course
        return history.path_frame(self.course, code, rating, self.window)

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
        days = ContestDays.of(self.data)
        if len(days.days) == 0:
            return self._native(pl.DataFrame(schema=NO_SLOPES))
        return self._native(self._slope_frame(days))

    def _slope_frame(self, days: ContestDays) -> pl.DataFrame:
        return history.slope_frame(self.course, self.rating, days)

    def tenure(self, rank: int = 1) -> Any:
        """Who held a rank from when to when, among those present at the end of each day.

        Equal ratings: the holder before keeps the rank. Without dates, days are contests.

        Returns
        -------
        Table: individual, start, end, days and, with posterior draws, certainty (the mean
        probability of the rank over the tenure).

        Examples
        --------
        >>> import peckorder as po
        >>> po.elo(po.datasets.adv(), k=200).tenure().select("individual", "days").rows()[:2]
        [('b', 2), ('c', 2)]
        """
        return self._native(tenure_frame(self, rank))

    def rank_changes(self) -> Any:
        """Pairs whose order changed: who rose above whom, when, and how long either order held.

        Returns
        -------
        Table: date, up, down, days_before, days_after (length of the two orders); with posterior
        draws p_before and p_after, the probability of either order in the middle of its time, and
        probability, that of both.
        """
        return self._native(changes_frame(self))

    def careers(self, *, after: int = 365) -> Any:
        """Arrival, departure and ranks of each individual.

        `after` is a number of days (without dates, of contests): the rank that long after arrival
        is given where the individual was still present.

        Returns
        -------
        Table: individual, arrival, departure, days_present, rank_at_arrival, rank_after_… ,
        rank_at_end, best_rank, days_at_best, last_change (of its rank).
        """
        return self._native(careers_frame(self, whole_number("after", after, 1)))

    @cached_property
    def reliable_from(self) -> int:
        """The first contest from which on the order stays close to the final one.

        Close is a Spearman correlation of at least 0.9 among those present at the end (Albers & de
        Vries 2001: from when on can the order be relied on?). One late exchange of neighbors does
        not change it. How far it depends on chance: `po.simulate.settling`.
        """
        return history.settled_from(self.course, self.rating, self.present)

    def differences(self, *, by: Literal["context", "group", "season"] = "context") -> Any:
        """Rating differences between winner and loser by context (behavior), group or season.

        Parameters
        ----------
        by : column whose values are compared.

        Returns
        -------
        Table: its values; number of contests; mean, median, smallest and largest difference (winner
        minus loser, before the contest); smallest_in_k, in units of the k of the rating; and
        suggested_k, the smallest difference, if positive: the k that a behavior shown from this
        difference on may have at most (Albers & de Vries 2001, Example I).
        """
        return self._native(differences(self.course, self.settings, by))

    def explain(self, contest: int) -> Measure:
        """What Elo did in one contest: expected score, surprise, points moved, before and after.

        Parameters
        ----------
        contest : int
            Its number in the order of rating, from 1, as in `history`.

        Returns
        -------
        Measure
            expected and score (of the winner), surprise (their difference), moved (points of the
            winner), a table with both sides, and the same in sentences.

        Examples
        --------
        >>> import peckorder as po
        >>> print(po.elo(po.datasets.adv(), k=200, curve="table").explain(2))
        Measure (explain): contest 2, score 1, expected 0.36, surprise 0.64, moved 128
        Contest 2 (2010-01-02 16:07:30): c beat g.
        Before it, c was rated 900.0 (rank 7 of 7) and g 1000.0 (rank 4 of 7): g was 100.0 points \
above c.
        The expected score of c was 0.360 (table curve), so that this outcome had a probability \
of 36%; the surprise (score − expected score) was 0.640.
        k × (score − expected score) = 200 × (1 − 0.360) = +128.0 points: c +128.0 and g −128.0.
        Had g won, c would have lost 72.0 points.
        After it, c is rated 1028.0 (rank 2 of 7) and g 872.0 (rank 7 of 7).
        """
        whole = self.whole
        if whole.method != "elo":
            raise ArgumentError(
                f"Only Elo ratings, which move contest by contest, are explained in this way; "
                f"these are of the method {whole.method}."
            )
        return explain(whole.course, whole.settings, contest)

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
            scaled, proportional_rank and expected_beaten under each. They do not know an outcome
            of your table: fitted to each draw and pooled, a model of this outcome finds slopes
            that are too small. Use `rank_mean`, or a model with the outcome in it.

        Returns
        -------
        The table, in the library of the input, with the columns

        - rating, rank (1 is the highest), scaled (rating from 0, the lowest present, to 1),
          proportional_rank (share of the others that are outranked), expected_beaten (number of
          the others it is expected to beat), number_present;
        - days_since_contest (days since its last contest; without dates, contests);
        - with posterior draws also rank_mean (the posterior mean of the rank, the predictor to use
          in a model of an outcome), rating_sd, intervals of rating and rank, p_first;
        - reason, why the values of a row are missing: no or unknown individual, no or unreadable
          date, before the first contest, not present, outside the window.

        Examples
        --------
        >>> import peckorder as po
        >>> births = {"mother": ["b", "z"], "birth": ["2010-01-20", "2010-01-20"]}
        >>> ratings = po.elo(po.datasets.adv(), k=200, curve="table")
        >>> found = ratings.at_dates(births, individual="mother", date="birth")
        >>> found["rank"].to_list(), found["reason"].to_list()
        ([3.0, None], [None, 'unknown individual'])
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

    # -- windows of time ----------------------------------------------------------------------

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
        table = rank_table.standing(self.individuals, self.rating, ~self.present, self.record)
        return self._native(table.drop("rank"))

    # -- predictions --------------------------------------------------------------------------

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
        if "nu" not in self.values:
            return chances
        return chances.with_draws(self.values["nu"], self.settings.get("ties"))

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

    def cite(self) -> str:
        """A sentence for the methods section, with references."""
        return sentence(self.whole, () if self.window is None else (self.window.sentence,))

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
        return rank_table.standing(self.individuals, *self._state(at), None)

    def _state(self, at: object) -> tuple[np.ndarray, np.ndarray]:
        """Final ratings or those at a date, and who is listed; a warning if it is nobody."""
        if at is None:
            return self.rating, self.present
        why = self._why_nobody(at)
        if why is not None:
            caution(f"{why} The table is empty.")
        rating, present = self._rated_on(moment(at, self.whole.data.times))
        return rating, present if why is None else np.zeros(len(self), bool)

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
        return None if self._rated_on(when)[1].any() else f"Nobody is present at {date}."

    def _at(self, date: object) -> tuple[np.ndarray, np.ndarray]:
        """Ratings at a date, and who is present and rated; an error if nobody is rated yet."""
        times = self.whole.data.times
        when = moment(date, times)
        if when < times[0]:
            what = "contest" if self.data.date is None else "date"
            raise ArgumentError(f"{self._why_nobody(date)} Choose a later {what}.")
        return self._rated_on(when)

    def _rated_on(self, when: Any) -> tuple[np.ndarray, np.ndarray]:
        """Ratings at one moment, and who is present; kept for the next question about it."""
        known = self._known
        if when not in known:
            known.clear()
            rating, present = self.rated_at(np.array([when]))
            known[when] = rating[0], present[0]
        rating, present = known[when]
        return rating.copy(), present.copy()

    @cached_property
    def _known(self) -> dict[Any, tuple[np.ndarray, np.ndarray]]:
        """Ratings at the single date that was requested last."""
        return {}


def ranks_of(order: Any, counts: WinCounts) -> np.ndarray:
    """Ranks by an order (None: David's score), ties averaged, in the order of the counts."""
    if order is None:
        return average_ranks(np.round(scores(chances(counts, "dij"))["normds"], 12))
    if not isinstance(order, Order | Ratings):
        raise ArgumentTypeError(f"order must be an Order or Ratings, not {type(order).__name__}.")
    table = order.as_polars()
    rank = dict(zip(table["individual"], table["rank"], strict=True))
    if set(rank) != set(counts.individuals):
        raise ArgumentError("The order and the data contain different individuals.")
    values = np.array([rank[name] for name in counts.individuals], float)
    if np.isnan(values).any():
        caution("The order has no rank for some individuals, which are placed last.")
    return average_ranks(-np.nan_to_num(values, nan=np.inf))


SILENT = (  # settings that a sentence for the methods section leaves out
    *("preset", "entry_from", "tie_factor", "day", "ranked_from", "fide_early", "presence"),
    *("stream", "large", "min_contests", "one_sided", "level"),
)


def sentence(ratings: Any, more: tuple[str, ...] = ()) -> str:
    """A sentence for the methods section, further sentences, and references."""
    silent = {*SILENT}
    silent |= {"home_advantage"} if not ratings.settings.get("home_advantage") else set()
    silent |= {"fide"} if ratings.settings.get("k") != "fide" else set()
    silent |= {"within"} if ratings.settings.get("within") == "file" else set()
    if ratings.method == "elo_bayes":
        silent |= {"home_in_update"}
        silent |= {"prior_nu", "ties"} if "nu" not in ratings.values else set()
        silent |= {"prior_home"} if "home_advantage" not in ratings.values else set()
    shown = {
        name: value
        for name, value in ratings.settings.items()
        if name not in silent and value is not None and value is not False
    }
    choices = ", ".join(f"{name} = {_short(value)}" for name, value in shown.items())
    preset = ratings.settings.get("preset")
    like = f", with the settings of {preset}" if preset not in (None, "Games") else ""
    contests = int(ratings.record.contests.sum()) // 2
    mark = "" if ratings.kept is None else f"; data {ratings.kept.contests.hash}"
    seed = ratings.seed
    mark = mark if seed is None else f", seed {seed}{mark}"
    references = "\n".join((*more, *(methods.REFERENCES[key] for key in ratings.citations)))
    return (
        f"{METHODS[ratings.method].sentence.format(counted(len(ratings), 'individual'))} from "
        f"{counted(contests, 'contest')} with peckorder {methods.VERSION}{like} "
        f"({choices}{mark}).\n{references}\n{methods.SOFTWARE}"
    )


def _short(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    text = str(value)
    return text if len(text) <= 60 else text[:57] + "…"


def differences(course: Course, settings: dict[str, Any], by: str) -> pl.DataFrame:
    """The table of `Ratings.differences`; smallest_in_k is missing where k varied within a row."""
    data = course.contests
    one_of("by", by, ("context", "group", "season"))
    labels = getattr(data, by)
    if labels is None:
        raise ArgumentError(f"These data have no {by}. Name its column with {option(by)}.")
    before = course.history[1]
    ahead = pl.DataFrame({by: labels.column(), "difference": before[:, 0] - before[:, 1]})
    table = ahead.group_by(by, maintain_order=True).agg(
        contests=pl.len(),
        mean=pl.col("difference").mean(),
        median=pl.col("difference").median(),
        smallest=pl.col("difference").min(),
        largest=pl.col("difference").max(),
    )
    varied = any(settings.get(n) for n in ("k_column", "k_periods", "burn_in", "margin"))
    k = None if varied else settings.get("k")
    if isinstance(k, Mapping) and by == "context":
        in_force = pl.Series([float(k[name]) for name in table[by]])
    else:
        usual = float(k) if isinstance(k, int | float) else None
        in_force = pl.Series([usual] * table.height, dtype=pl.Float64)
    small = pl.col("smallest")
    return table.with_columns(
        smallest_in_k=small / in_force, suggested_k=pl.when(small > 0).then(small)
    )

"""True strengths of simulated data, and the error of ratings relative to them."""

from __future__ import annotations

from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np
import polars as pl

from peckorder import notebook
from peckorder.curves import Curve, Exponential
from peckorder.data.contests import Contests
from peckorder.data.date_columns import date_column
from peckorder.data.import_report import ImportReport
from peckorder.data.names import code_of, recoded
from peckorder.data.sources import open_sheet
from peckorder.errors import ArgumentError, ArgumentTypeError, DataError
from peckorder.ranks import average_ranks
from peckorder.results import Measure, Ratings
from peckorder.text import counted, quoted
from peckorder.validate import several, whole_number

MOST_VALUES = 100_000_000


@dataclass(frozen=True, eq=False, repr=False)
class Truth:
    """True strengths of a simulated data set, constant within periods.

    Attributes
    ----------
    individuals : tuple of str, in the order of the data
    begin : int array, number of contests before each period
    strengths : float array (periods, individuals), NaN for absent individuals
    contests : int
    curve : the win curve of the strengths
    dates : datetime64 array, optional
        The first day of each period, and the day after the last one, if the data have dates.
    takeovers : tuple of dates
        Dates on which the strongest individual was replaced by another one present, if simulated.

    Examples
    --------
    >>> import peckorder as po
    >>> truth, data = po.simulate.hierarchy(5, 100, seed=1)
    >>> truth
    Truth: 5 individuals, 100 contests, 1 period; final order i01, i02, i03, i04, i05
    """

    individuals: tuple[str, ...]
    begin: np.ndarray
    strengths: np.ndarray
    contests: int
    curve: Curve = field(default_factory=lambda: Exponential(1.0))
    dates: np.ndarray | None = None
    takeovers: tuple[Any, ...] = ()

    @classmethod
    def of_table(cls, source: Any, data: Contests) -> Truth:
        """The truth of simulated data from its table, or a file of it (`simulate --truth`)."""
        sheet = open_sheet(source)
        columns = ("from_contest", "individual", "strength")
        absent = [name for name in columns if name not in sheet.columns]
        if absent:
            raise DataError(
                f"{sheet.name} has no column {quoted(absent)}. The truth has the columns "
                f"{quoted(columns)}, as the command simulate writes them with --truth."
            )
        table = pl.DataFrame({name: sheet.texts(name) for name in columns})
        numbers = table.select(pl.col("from_contest", "strength").cast(pl.Float64, strict=False))
        first, strength = numbers["from_contest"].fill_null(0), numbers["strength"]
        for name, wrong in (
            ("from_contest", ~(first.is_between(1, len(data)) & (first % 1 == 0))),
            ("strength", strength.is_null() & (table["strength"] != "")),  # blank: absent
        ):
            if wrong.any():
                places = wrong.arg_true().to_numpy()
                raise DataError(
                    f'{sheet.name}: {sheet.where(places)}: "{table[name][int(places[0])]}" in '
                    f'column "{name}" is not one of these data. Give the file that was written '
                    f"with them."
                )
        begin, period = np.unique(first.to_numpy(), return_inverse=True)
        names = table["individual"].to_list()
        rows = len(table.unique(columns[:2])), len(begin) * len(data.individuals)
        if {*names} != {*data.individuals} or rows[0] != rows[1] or begin[0] != 1:
            raise DataError(
                f"{sheet.name}: the truth has one row for each period and individual of the data. "
                "Give the file that was written with these data."
            )
        strengths = np.full((len(begin), len(data.individuals)), np.nan)
        strengths[period, [data.code(name) for name in names]] = strength.fill_null(
            np.nan
        ).to_numpy()
        return cls(data.individuals, begin.astype(np.int64) - 1, strengths, len(data))

    def __repr__(self) -> str:
        names = [self.individuals[i] for i in np.argsort(-np.nan_to_num(self.final, nan=-np.inf))]
        shown = ", ".join(names[:6]) + (", …" if len(names) > 6 else "")
        return (
            f"Truth: {counted(len(self.individuals), 'individual')}, "
            f"{counted(self.contests, 'contest')}, "
            f"{counted(len(self.begin), 'period')}; final order {shown}"
        )

    def _repr_html_(self) -> str:
        """What notebooks show: the final strengths, highest first."""
        frame = pl.DataFrame({"individual": self.individuals, "strength": self.final})
        frame = frame.with_columns(pl.col("strength").fill_nan(None))
        frame = frame.sort("strength", descending=True, nulls_last=True)
        return notebook.page(repr(self), tables=[notebook.table(frame)])

    @property
    def final(self) -> np.ndarray:
        """Strengths in the last contest; NaN for absent individuals."""
        return self.strengths[-1]

    def at(self, contest: int) -> np.ndarray:
        """Strengths in a contest (numbered from 1)."""
        if not 1 <= contest <= self.contests:
            raise ArgumentError(
                f"contest={contest}: contests are numbered from 1 to {self.contests:,}."
            )
        return self.strengths[np.searchsorted(self.begin, contest - 1, side="right") - 1]

    def present(self, contest: int | None = None) -> list[str]:
        """Individuals present in a contest (the last one by default)."""
        strength = self.final if contest is None else self.at(contest)
        return [n for n, s in zip(self.individuals, strength, strict=True) if not np.isnan(s)]

    @property
    def strength(self) -> np.ndarray:
        """Strength of each individual in each contest, (contests, individuals)."""
        return self.strengths[self._stretch()]

    @property
    def rank(self) -> np.ndarray:
        """Rank of each individual in each contest among those present; NaN if absent."""
        return true_ranks(self.strengths)[self._stretch()]

    @property
    def table(self) -> pl.DataFrame:
        """One row per period and individual: from_contest, individual, strength, rank."""
        rank = true_ranks(self.strengths)
        size = len(self.individuals)
        return pl.DataFrame(
            {
                "from_contest": np.repeat(self.begin + 1, size),
                "individual": list(self.individuals) * len(self.begin),
                "strength": self.strengths.ravel(),
                "rank": rank.ravel(),
            }
        ).fill_nan(None)

    def tenure(self) -> pl.DataFrame:
        """Who was strongest from when to when: individual, start, end and days.

        Needs data with dates (`long_term`).
        """
        if self.dates is None:
            raise DataError("These simulated contests have no dates: use rank or at() instead.")
        somebody = ~np.isnan(self.strengths).all(axis=1)
        first = np.full(len(self.strengths), -1)
        first[somebody] = np.nanargmax(self.strengths[somebody], axis=1)
        begins = np.flatnonzero(np.diff(first, prepend=-2))
        stops = self.dates[np.append(begins[1:], len(first))]
        held = first[begins] >= 0
        start, stop = self.dates[begins][held], stops[held]
        return pl.DataFrame(
            {
                "individual": [self.individuals[i] for i in first[begins][held]],
                "start": date_column(start),
                "end": date_column(stop - 1),
                "days": (stop - start).astype(np.int64),
            }
        )

    def __getitem__(self, individual: str) -> float:
        codes = {name: code for code, name in enumerate(self.individuals)}
        return float(self.final[code_of(individual, codes)])

    def _stretch(self) -> np.ndarray:
        if self.contests * len(self.individuals) > MOST_VALUES:
            raise ArgumentError("Too many values for one array: use at() for single contests.")
        return np.searchsorted(self.begin, np.arange(self.contests), side="right") - 1


def true_ranks(strengths: np.ndarray) -> np.ndarray:
    """Ranks (1 for the strongest) in each row, among individuals present."""
    out = np.full(strengths.shape, np.nan)
    for row, strength in enumerate(strengths):
        there = ~np.isnan(strength)
        out[row, there] = average_ranks(strength[there])
    return out


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RankError(Measure):
    """Error of ranks relative to the true ones; the table has one row per contest."""

    mae: float  # mean absolute rank error at the last contest
    wrong: float  # share of dyads in the wrong order at the last contest


def rank_error(
    ratings: Ratings,
    *,
    truth: Truth | pl.DataFrame | str | PathLike[str],
    every: int = 1,
    among: Any = None,
) -> RankError:
    """Error of the ranks by ratings relative to the true ranks, over the course of contests.

    Parameters
    ----------
    ratings : Ratings, of simulated data.
    truth : Truth, table or file
        True strengths; a table has the columns from_contest, individual and strength.
    every : int
        Compute the error after every `every` contests.
    among : names, optional
        Restrict the comparison to these individuals (for example, survivors); ranks are among
        them.

    Returns
    -------
    RankError
        Table: contest, mae (mean |rank by ratings − true rank|), wrong (share of dyads in the
        wrong order; ties count half), individuals (present). Values: `mae` and `wrong` at the
        last contest.

    References
    ----------
    Goffe, Fischer & Sennhenn-Reulen 2018, doi:10.1111/2041-210X.13072.

    Examples
    --------
    >>> import peckorder as po
    >>> truth, data = po.simulate.hierarchy(8, 400, seed=1)
    >>> found = po.simulate.rank_error(po.elo(data), truth=truth)
    >>> found.table.height, found.mae < 1.5
    (400, True)
    """
    if not isinstance(ratings, Ratings):
        raise ArgumentTypeError(
            "rank_error takes ratings and the Truth of the same simulated data."
        )
    data = ratings.data
    truth = truth if isinstance(truth, Truth) else Truth.of_table(truth, data)
    if tuple(truth.individuals) != tuple(data.individuals) or truth.contests != len(data):
        raise ArgumentError("truth and ratings belong to different data.")
    codes = {name: code for code, name in enumerate(data.individuals)}
    own = np.arange(len(codes))
    if among is not None:
        names = list(dict.fromkeys(map(str, several("among", among))))
        own = np.array([code_of(name, codes) for name in names], dtype=np.int64)
        if len(own) < 2:
            raise ArgumentError("among: give at least two individuals.")
    if whole_number("every", every, 1) > len(data):
        raise ArgumentError(f"every={every}: there are {counted(len(data), 'contest')}.")
    places = np.arange(every, len(data) + 1, every)
    course = ratings.course.replay.after_each(own)[places]
    stretch = np.searchsorted(truth.begin, places - 1, side="right") - 1
    strength = truth.strengths[:, own][stretch]
    mae, wrong, there = errors(course, strength)
    frame = pl.DataFrame({"contest": places, "mae": mae, "wrong": wrong, "individuals": there})
    return RankError(
        method="rank_error",
        data=data,
        mae=float(mae[-1]),
        wrong=float(wrong[-1]),
        frame=frame.fill_nan(None),
        summary=(
            f"At the last contest, the mean absolute rank error is {mae[-1]:.2f}, and "
            f"{wrong[-1]:.1%} of dyads are in the wrong order.",
        ),
        settings={"every": every, "among": None if among is None else list(among)},
        citations=("goffe2018",),
    )


def errors(course: np.ndarray, strength: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean absolute rank error, share of misordered dyads and number present, row by row."""
    mae, wrong, there = (np.full(len(course), np.nan) for _ in range(3))
    for row, (rating, true) in enumerate(zip(course, strength, strict=True)):
        own = ~np.isnan(rating) & ~np.isnan(true)
        there[row] = own.sum()
        if own.sum() < 2:
            continue
        mae[row] = np.abs(average_ranks(rating[own]) - average_ranks(true[own])).mean()
        wrong[row] = 1 - dyads_right(rating[own], true[own]).mean()
    return mae, wrong, there.astype(np.int64)


def dyads_right(rating: np.ndarray, true: np.ndarray) -> np.ndarray:
    """1 for each dyad in the true order, ½ if its ratings are equal, 0 otherwise."""
    i, j = np.triu_indices(len(rating), 1)
    estimated, actual = np.sign(rating[i] - rating[j]), np.sign(true[i] - true[j])
    known = actual != 0
    return (1 + estimated[known] * actual[known]) / 2 if known.any() else np.full(1, np.nan)


def record(
    names: tuple[str, ...], first: np.ndarray, second: np.ndarray, score: np.ndarray, source: str
) -> tuple[Contests, np.ndarray]:
    """Simulated data, and the positions of their individuals among the names."""
    lost = score == 0.0
    winner = np.where(lost, second, first).astype(np.int32)
    loser = np.where(lost, first, second).astype(np.int32)
    winner, loser, seen = recoded(winner, loser, names)
    place = {name: i for i, name in enumerate(names)}
    drawn = score == 0.5
    data = Contests(
        seen,
        winner,
        loser,
        draw=drawn if drawn.any() else None,
        rows=np.arange(1, len(first) + 1),
        report=ImportReport(source=source, rows_in=len(first), row_word="contest"),
    )
    return data, np.array([place[name] for name in seen])

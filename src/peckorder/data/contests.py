"""`Contests`: a sequence of contests with their outcomes, individuals and dates.

Numbers of wins, losses and draws, and the first and last contest of each individual.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import polars as pl

from peckorder import notebook
from peckorder.data.addresses import shown
from peckorder.data.checks import CheckReport, cautions, check
from peckorder.data.conditions import contests_that_meet
from peckorder.data.date_columns import date_column, date_words, moment, whole_days
from peckorder.data.evidence import Evidence
from peckorder.data.import_report import ImportReport, Labels
from peckorder.data.matrix import MOST_FROM_COUNTS, Matrix
from peckorder.data.names import code_of, recoded, unique_names
from peckorder.data.presence import Presence, co_residence_frame, group_size, turnover_frame
from peckorder.data.presence_tables import attach
from peckorder.data.recipe import Doubt, Recipe
from peckorder.errors import ArgumentError, DataError
from peckorder.kernels.contests import win_counts
from peckorder.methods import Later
from peckorder.tables import native
from peckorder.text import counted, did_you_mean, quoted, rows
from peckorder.validate import in_words, several, text

LARGEST_MATRIX = 20_000
FIRST = 6  # contests that a notebook shows


# Compiled loops do not check indices: a code without an individual, or an array that is too short,
# would read memory that belongs to something else. So arrays are checked when an object is made.


def _codes(what: str, values: Any, number: int, length: int | None = None) -> np.ndarray:
    """Codes from 0 to `number` − 1 as a contiguous int32 array."""
    array = _of_length(what, values, length)
    if array.dtype.kind not in "iu" and array.size:
        raise DataError(f"{what} must contain whole numbers, not values of type {array.dtype}.")
    if array.size and not (int(array.min()) >= 0 and int(array.max()) < number):
        bad = np.flatnonzero((array < 0) | (array >= number))
        raise DataError(
            f"{what}[{bad[0]}] is {array[bad[0]]}, but codes of {counted(number, 'name')} are 0 to "
            f"{number - 1} ({counted(bad.size, 'invalid code')}). peckorder.read assigns codes to "
            f"names."
        )
    return np.ascontiguousarray(array, np.int32)


def _flags(what: str, values: Any, length: int) -> np.ndarray:
    """An array of True and False."""
    array = _of_length(what, values, length)
    if array.dtype.kind != "b":
        raise DataError(f"{what} must contain True and False, not values of type {array.dtype}.")
    return array


def _moments(what: str, values: Any, length: int) -> np.ndarray:
    """Dates or numbers, in order, without missing ones."""
    array = _of_length(what, values, length)
    if array.dtype.kind in "iu":
        array = array.astype(float)
    if array.dtype.kind == "M":
        given, array = array, array.astype("datetime64[us]", copy=False)
        lost = np.isnat(array)
        if array.dtype != given.dtype:  # dates that microseconds cannot express would change
            lost |= array.astype(given.dtype) != given
    elif array.dtype.kind == "f":
        lost, array = ~np.isfinite(array), array.astype(float, copy=False)
    else:
        raise DataError(f"{what} must contain dates or numbers, not {array.dtype}.")
    if lost.any():
        place = int(np.flatnonzero(lost)[0])
        raise DataError(f"{what}[{place}] is {values[place]}, which is not a date.")
    early = array[1:] < array[:-1]
    if early.any():
        place = int(np.flatnonzero(early)[0]) + 1
        raise DataError(
            f"{what}[{place}] is earlier than the date before it. Contests must be sorted by date; "
            f"peckorder.read sorts them."
        )
    return array


def _sides(what: str, values: Any, length: int) -> np.ndarray:
    """The side at home as an int8 array of 1, −1 and 0."""
    array = _of_length(what, values, length)
    if array.dtype.kind not in "iufb" or not ((array == 0) | (abs(array) == 1)).all():
        raise DataError(f"{what} must be 1 (winner), −1 (loser) or 0 (neutral) in every contest.")
    return array.astype(np.int8, copy=False)


def _pairs_of_points(what: str, values: Any, length: int) -> np.ndarray:
    """Points of both sides as a float array (n, 2)."""
    array = np.asarray(values)
    if array.shape != (length, 2) or array.dtype.kind not in "iufb":
        raise DataError(
            f"{what} must be numbers in {length:,} rows and 2 columns (winner, loser), but has "
            f"the shape {array.shape} and the type {array.dtype}."
        )
    if not np.isfinite(array).all():
        raise DataError(f"{what} must be finite numbers.")
    return array.astype(float, copy=False)


def _of_length(what: str, values: Any, length: int | None) -> np.ndarray:
    array = np.asarray(values)
    if array.ndim != 1 or (length is not None and len(array) != length):
        expected = "one entry per contest" + ("" if length is None else f" ({length:,})")
        raise DataError(f"{what} has the shape {array.shape}; it must have {expected}.")
    return array


ARRAYS = {
    "draw": _flags,
    "date": _moments,
    "points": _pairs_of_points,
    "home": _sides,
    "turned": _flags,
}


@in_words
@dataclass(frozen=True, eq=False, repr=False)
class Contests:
    """An immutable, validated sequence of contests: the input of all methods.

    Returned by `peckorder.read`. Contests are sorted by date; those with equal dates, or without
    dates, are in the order of the source.

    Attributes
    ----------
    individuals : tuple of str
        Names, always text, in order of first appearance. Codes are indices into this tuple.
    winner, loser : int32 arrays
        Codes of both sides; in a draw, the first and the second individual.
    draw : bool array or None
    date : datetime64 or float array, or None
    context, group, season : Labels or None
    points : float array (n, 2) or None
        Points of winner and loser.
    home : int8 array or None
        1 if the winner was at home, −1 if the loser was, 0 at a neutral venue.
    turned : bool array or None
        Whether the winner was the second side of its row (votes, games); None if rows name winner
        and loser.
    ordered : bool
        False if the order of the contests is unknown (a matrix, a list of counts).
    rows : int array or None
        Row of each contest in the source.
    extra : polars.DataFrame or None
        Unused columns of the source.
    presence : Presence or None
    report : ImportReport
    first_number : int
        Number of the first contest: 1, or more in a window of ratings.
    aliases : mapping
        Correct names of other spellings, as given to `peckorder.read`.

    Examples
    --------
    >>> import peckorder as po
    >>> data = po.read({"winner": ["Abe", "Abe"], "loser": ["Bo", "Cy"]})
    >>> data.individuals, data.winner.tolist(), data.loser.tolist()
    (('Abe', 'Bo', 'Cy'), [0, 0], [1, 2])
    """

    individuals: tuple[str, ...]
    winner: np.ndarray
    loser: np.ndarray
    draw: np.ndarray | None = None
    date: np.ndarray | None = None
    context: Labels | None = None
    group: Labels | None = None
    season: Labels | None = None
    points: np.ndarray | None = None
    home: np.ndarray | None = None
    ordered: bool = True
    rows: np.ndarray | None = None
    extra: pl.DataFrame | None = None
    presence: Presence | None = None
    report: ImportReport = field(default_factory=ImportReport)
    first_number: int = 1
    aliases: Mapping[str, str] = field(default_factory=dict)
    turned: np.ndarray | None = None
    evidence: Evidence = field(default_factory=Evidence)

    dyads = Later("peckorder.structure.dyads")
    unknown_dyads = Later("peckorder.structure.dyads")
    reversals = Later("peckorder.structure.dyads")

    def __post_init__(self) -> None:
        names = unique_names(self.individuals, "the individuals")
        winner = _codes("winner", self.winner, len(names))
        number = len(winner)
        checked: dict[str, Any] = {
            "individuals": names,
            "winner": winner,
            "loser": _codes("loser", self.loser, len(names), number),
        }
        for name, check_array in ARRAYS.items():
            if getattr(self, name) is not None:
                checked[name] = check_array(name, getattr(self, name), number)
        for name in ("context", "group", "season"):
            labels: Labels | None = getattr(self, name)
            if labels is not None:
                codes = _codes(name, labels.codes, len(labels.names), number)
                checked[name] = Labels(codes, tuple(map(str, labels.names)))
        for name in ("rows", "extra"):
            if getattr(self, name) is not None and len(getattr(self, name)) != number:
                raise DataError(f"{name} must have one entry per contest ({number:,}).")
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @classmethod
    def from_matrix(cls, matrix: Matrix) -> Contests:
        """One contest per win and per draw of a matrix, in unknown order."""
        total = int(matrix.wins.sum()) + int(matrix.draws.sum()) // 2
        if total > MOST_FROM_COUNTS:
            raise DataError(
                f"The matrix contains {total:,} contests; at most {MOST_FROM_COUNTS:,} can "
                f"be listed one by one. Use a method that takes a matrix, such as davids_score, or "
                f"divide all counts by a common factor."
            )
        a, b = np.nonzero(matrix.wins)
        c, d = np.nonzero(np.triu(matrix.draws))
        won, tied = matrix.wins[a, b], matrix.draws[c, d]
        winner = np.concatenate([np.repeat(a, won), np.repeat(c, tied)])
        loser = np.concatenate([np.repeat(b, won), np.repeat(d, tied)])
        drawn = np.arange(len(winner)) >= matrix.wins.sum()
        return cls(
            matrix.individuals,
            winner.astype(np.int32),
            loser.astype(np.int32),
            draw=drawn if drawn.any() else None,
            ordered=False,
        )

    def __len__(self) -> int:
        return len(self.winner)

    def __repr__(self) -> str:
        names = ", ".join(self.individuals[:6]) + (", …" if len(self.individuals) > 6 else "")
        parts = [
            f"Contests: {counted(len(self), 'contest')} among "
            f"{counted(len(self.individuals), 'individual')} ({names})"
        ]
        if self.draw is not None and self.draw.any():
            parts.append(counted(int(self.draw.sum()), "draw"))
        if self.date is not None and len(self):
            first, last = (date_words(d) for d in whole_days(self.date[[0, -1]]))
            parts.append(f"{first} to {last}")
        for name in ("context", "group", "season"):
            labels: Labels | None = getattr(self, name)
            if labels is not None:
                parts.append(f"{counted(len(labels.names), name)}")
        parts += ["points"] if self.points is not None else []
        parts += ["with presence data"] if self.presence is not None else []
        parts += [] if self.ordered else ["order of contests unknown"]
        return ", ".join(parts)

    def _repr_html_(self) -> str:
        """What notebooks show: the first contests, how they were read, and what to check."""
        title, _, shown = repr(self).partition(": ")
        first = self.take(np.arange(min(len(self), FIRST)))
        return notebook.page(
            title,
            sentences=(shown,),
            tables=[notebook.table(first.frame(), of=len(self))],
            after=(
                *self.report.notes,
                *self.cautions.values(),
                "data.check() lists all checks, data.matrix() shows who beat whom.",
            ),
        )

    @property
    def number(self) -> int:
        """Number of contests."""
        return len(self)

    @property
    def flavor(self) -> str:
        """The library of the source table: polars, pandas or pyarrow."""
        return self.report.flavor

    @property
    def times(self) -> np.ndarray:
        """The date of each contest or, without dates, its number."""
        first = float(self.first_number)
        return self.date if self.date is not None else np.arange(first, first + len(self))

    @property
    def clock(self) -> np.dtype:
        """Type of `times`."""
        return np.dtype(float) if self.date is None else self.date.dtype

    @cached_property
    def hash(self) -> str:
        """A short hash of everything that a rating may depend on."""
        digest = hashlib.blake2b(digest_size=8)
        digest.update("\x00".join(self.individuals).encode())
        for array in (self.winner, self.loser, self.draw, self.date, self.points, self.home):
            digest.update(b"-" if array is None else np.ascontiguousarray(array).tobytes())
        for labels in (self.context, self.group, self.season):
            if labels is not None:
                digest.update("\x00".join(labels.names).encode() + labels.codes.tobytes())
        if self.presence is not None:
            digest.update("\x00".join(self.presence.individual).encode())
            digest.update(self.presence.start.tobytes() + self.presence.end.tobytes())
        return digest.hexdigest()

    def code(self, name: object) -> int:
        """Code of an individual, by its name or an alias of it."""
        return code_of(self.aliases.get(str(name), name), self._codes)

    @cached_property
    def _codes(self) -> dict[str, int]:
        return {name: code for code, name in enumerate(self.individuals)}

    def row_numbers(self, places: Any) -> np.ndarray:
        """Row numbers of these contests, through all files if there are several."""
        places = np.asarray(places)
        return places if self.rows is None else self.rows[places]

    def row_of(self, places: Any) -> np.ndarray:
        """Rows of these contests in the source, with the file if there are several."""
        numbers = self.row_numbers(places)
        return numbers if self.report.files is None else self.report.files.labels(numbers)

    @property
    def doubts(self) -> tuple[Doubt, ...]:
        """What was decided only provisionally when the source was read, refusals first."""
        return self.evidence.doubts

    @property
    def recipe(self) -> Recipe:
        """How the source was read, with the role of every column; `.to_toml()` is its text."""
        return self.evidence.recipe

    def check(self) -> CheckReport:
        """All checks of the data, passed or failed, with the rows concerned."""
        return check(self)

    @cached_property
    def cautions(self) -> dict[str, str]:
        """What the checks found that every result says, one line by the name of the check."""
        return cautions(self)

    def matrix(self) -> Matrix:
        """Numbers of wins and draws between all pairs of individuals."""
        size = len(self.individuals)
        if size > LARGEST_MATRIX:
            raise DataError(
                f"A matrix of {size:,} individuals would have {size**2:,} cells. "
                f"Select fewer individuals first, with data.filter(individuals=[…])."
            )
        drawn = np.zeros(len(self), bool) if self.draw is None else self.draw
        dyad = self.winner.astype(np.int64) * size + self.loser
        wins = np.bincount(dyad[~drawn], minlength=size * size).reshape(size, size)
        draws = np.bincount(dyad[drawn], minlength=size * size).reshape(size, size)
        return Matrix(self.individuals, wins, draws + draws.T, self.report.flavor)

    def filter(
        self,
        where: str | None = None,
        *,
        individuals: Iterable[object] | None = None,
        start: object = None,
        end: object = None,
        context: object = None,
        group: object = None,
        season: object = None,
    ) -> Contests:
        """The contests that meet all of the given conditions.

        Parameters
        ----------
        where : condition on columns, such as 'behavior in ("bite", "chase") and date >= 2019'
            As in `peckorder.read`; columns have the names of the source or those of their roles.
        individuals : names; contests are kept if both sides are among them
        start, end : first and last date (inclusive) or, without dates, contest numbers
        context, group, season : one label or several

        Members of a roster (`individuals` of `read`) remain also without contests, and so do those
        that were present meanwhile; of several groups, only those with contests.
        """
        keep = np.ones(len(self), bool)
        wanted = np.ones(len(self.individuals), bool)
        if where is not None:
            keep &= contests_that_meet(where, self)
        if individuals is not None:
            wanted[:] = False
            names = several("individuals", individuals)
            wanted[[self.code(name) for name in names]] = True
            keep &= wanted[self.winner] & wanted[self.loser]
        if start is not None:
            keep &= self.times >= moment(start, self.times, end_of_day=False)
        if end is not None:
            keep &= self.times <= moment(end, self.times)
        for role, value in (("context", context), ("group", group), ("season", season)):
            if value is not None:
                keep &= self._labelled(role, value)
        return self.take(np.flatnonzero(keep), members=np.flatnonzero(wanted))

    def _labelled(self, role: str, value: Any) -> np.ndarray:
        labels: Labels | None = getattr(self, role)
        if labels is None:
            raise ArgumentError(
                f"These data have no {role}. Specify its column: po.read(…, {role}=…)."
            )
        wanted = [value] if np.isscalar(value) else list(value)
        unknown = [v for v in wanted if str(v) not in labels.names]
        if unknown:
            raise ArgumentError(
                f"There is no {role} {quoted(unknown)}. Choose from: {quoted(labels.names)}."
            )
        return np.isin(labels.codes, [labels.names.index(str(v)) for v in wanted])

    def split(self, by: str = "group") -> dict[str, Contests]:
        """One set of contests per group, context or season, in order of first appearance."""
        labels = getattr(self, by) if by in ("group", "context", "season") else None
        if labels is None:
            raise ArgumentError(
                f'These data cannot be split by "{by}". Choose group, context or season, and '
                f"specify its column: po.read(…, group=…)."
            )
        return {
            name: self.take(np.flatnonzero(labels.codes == code))
            for code, name in enumerate(labels.names)
        }

    def cut(self, at: object) -> tuple[Contests, Contests]:
        """The contests before a date (or a contest number), and those from it on."""
        later = self.times >= moment(at, self.times, end_of_day=False)
        if later.all() or not later.any():
            side = f"before {at}" if later.all() else f"from {at} on"
            raise ArgumentError(
                f"There are no contests {side}. Choose a date between the first and last contest."
            )
        return self.take(np.flatnonzero(~later)), self.take(np.flatnonzero(later))

    def take(self, places: np.ndarray, *, members: np.ndarray | None = None) -> Contests:
        """The contests at these positions, with new codes for their individuals.

        Members without contests remain, or those of them with these codes.
        """
        if len(places) == 0:
            raise DataError("No contest meets these conditions.")
        winner, loser, names = recoded(self.winner[places], self.loser[places], self.individuals)
        among = self.individuals if members is None else [self.individuals[i] for i in members]
        if len(among) > 0:
            staying = self._members(places).difference(names)
            names += tuple(name for name in among if name in staying)

        def cut(array):
            return None if array is None else array[places]

        def relabel(labels: Labels | None) -> Labels | None:
            if labels is None:
                return None
            codes, inverse = np.unique(labels.codes[places], return_inverse=True)
            return Labels(inverse.astype(np.int32), tuple(labels.names[code] for code in codes))

        presence = None if self.presence is None else self.presence.only(names)
        if presence is not None and self.date is None:  # it refers to numbers, which have changed
            presence = presence.renumbered(places + self.first_number)
        return replace(
            self,
            individuals=names,
            winner=winner,
            loser=loser,
            draw=cut(self.draw),
            date=cut(self.date),
            context=relabel(self.context),
            group=relabel(self.group),
            season=relabel(self.season),
            points=cut(self.points),
            home=cut(self.home),
            turned=cut(self.turned),
            rows=self.row_numbers(places),
            extra=None if self.extra is None else self.extra[places],
            presence=presence,
            first_number=1,
        )

    def _members(self, places: np.ndarray) -> set[str]:
        """Members of the group, with contests or without, at the time of these contests."""
        if self.group is not None and len(self.group.names) > 1:
            return set()  # it is not known of which group they are
        if self.presence is not None:
            times = self.times[places]
            return self.presence.during(times.min(), times.max())
        roster = "individuals" in self.report.options or self.idle
        return set(self.individuals) if roster else set()

    @property
    def idle(self) -> list[str]:
        """Members without any contest."""
        fought = np.zeros(len(self.individuals), bool)
        fought[self.winner] = fought[self.loser] = True
        return [self.individuals[i] for i in np.flatnonzero(~fought)]

    def with_presence(
        self, presence: Any, *, date_format: str | None = None, sheet: str | int | None = None
    ) -> Contests:
        """The same contests with presence data.

        `presence` is a `Presence`, any source that `peckorder.read_presence` reads (of a workbook,
        with `sheet`), or "inferred" (present from first to last contest). Contests of absent
        individuals raise an error.
        """
        data = attach(self, presence, date_format, sheet)
        options = dict(data.report.options)
        for name in ("presence", "presence_sheet"):
            options.pop(name, None)
        if presence is not None:  # a table must be saved to a file to repeat the call
            named = isinstance(presence, str | os.PathLike)
            options["presence"] = shown(presence) if named else "presence.csv"
            if named and sheet is not None:
                options["presence_sheet"] = sheet
        return replace(data, report=replace(data.report, options=options))

    def group_size(
        self,
        *,
        period: Literal["week", "month", "year"] | None = None,
        since: object = None,
        until: object = None,
    ) -> Any:
        """Number of individuals present per day: mean, standard deviation and variation.

        Days run from the first contest to the last, days without contests included. Needs
        presence data.

        Parameters
        ----------
        period : {"week", "month", "year"}, optional
            One row per calendar period instead of one for all days.
        since, until : first and last day to include

        Returns
        -------
        Table: first and last day, days, mean, sd, cv (sd/mean), min and max number of individuals.
        """
        return native(group_size(self, period, since, until), self.report.flavor)

    def co_residence(self, *, since: object = None, until: object = None) -> Any:
        """Pairs of individuals that were present together, whether or not they had a contest.

        Needs presence data.

        Parameters
        ----------
        since, until : first and last day to include; default the first and last contest

        Returns
        -------
        Table: a, b, days_together, first_together and last_together (days), contests (between
        them). Pairs that were never together are not listed.

        Examples
        --------
        >>> import peckorder as po
        >>> data = po.datasets.adv().with_presence("inferred")
        >>> data.co_residence().row(0)[:3]
        ('b', 'c', 32)
        """
        return native(co_residence_frame(self, since, until), self.report.flavor)

    def turnover(
        self,
        *,
        every: Literal["week", "month", "quarter", "year"] | int = "year",
        since: object = None,
        until: object = None,
    ) -> Any:
        """Arrivals and departures in each period, and the size of the group before and after.

        Those present on the first day have not arrived on it, those present on the last day have
        not departed, and a departure counts on the first day of absence. Needs presence data.

        Parameters
        ----------
        every : {"week", "month", "quarter", "year"}
            Without calendar dates, a whole number of units.
        since, until : first and last day to include; default the first and last contest

        Returns
        -------
        Table: first and last day, arrivals, departures, size_at_start (+ arrivals − departures =)
        size_at_end.

        Examples
        --------
        >>> import peckorder as po
        >>> data = po.datasets.adv().with_presence("inferred")
        >>> data.turnover(every="month").select("arrivals", "departures").rows()
        [(5, 2), (0, 3)]
        """
        return native(turnover_frame(self, every, since, until), self.report.flavor)

    def numbers(self, column: str) -> np.ndarray:
        """An unused column as numbers, one per contest."""
        text("column", column)
        if self.extra is None or column not in self.extra.columns:
            found = [] if self.extra is None else self.extra.columns
            raise DataError(
                f'There is no unused column "{column}".{did_you_mean([column], found)} Unused '
                f"columns: {quoted(found) or 'none'}."
            )
        values = self.extra[column]
        if values.dtype == pl.String:
            values = values.str.strip_chars()
        parsed = values.cast(pl.Float64, strict=False)
        bad = np.flatnonzero((parsed.is_null() | parsed.is_nan()).to_numpy())
        if bad.size:
            cell = values[int(bad[0])]
            wrong = f'"{cell}" in column "{column}" is not a number'
            if cell in (None, ""):
                wrong = f'no number in column "{column}"'
            raise DataError(f"{rows(self.report.row_word, self.row_of(bad))}: {wrong}.")
        return parsed.to_numpy()

    def to_table(self) -> Any:
        """One row per contest, in order, with all columns, in the library of the source."""
        return native(self.frame(), self.report.flavor)

    def frame(self) -> pl.DataFrame:
        """The same table as a polars DataFrame."""
        names = pl.Series(self.individuals, dtype=pl.String)
        columns: dict[str, Any] = {
            "winner": names.gather(pl.Series(self.winner)),
            "loser": names.gather(pl.Series(self.loser)),
        }
        if self.draw is not None:
            columns["draw"] = self.draw
        if self.date is not None:
            columns["date"] = date_column(self.date)
        for role in ("context", "group", "season"):
            labels: Labels | None = getattr(self, role)
            if labels is not None:
                columns[role] = labels.column()
        if self.points is not None:
            columns["winner_points"], columns["loser_points"] = self.points.T
        if self.home is not None:
            columns["home"] = pl.Series(["loser", "neutral", "winner"]).gather(
                pl.Series(self.home + 1)
            )
        for column in self.extra.columns if self.extra is not None else ():
            label = column if column not in columns else f"{column} (source)"
            columns[label] = self.extra[column]  # pyright: ignore[reportOptionalSubscript]
        return pl.DataFrame(columns)


@dataclass(frozen=True, eq=False)
class Record:
    """Wins, losses and draws of each individual, and its first and last contest."""

    wins: np.ndarray
    losses: np.ndarray
    draws: np.ndarray
    first: np.ndarray  # index of the contest, −1 if there is none yet
    last: np.ndarray
    first_time: np.ndarray
    last_time: np.ndarray

    @classmethod
    def empty(cls, size: int = 0, times: str = "f8") -> Record:
        """Record of individuals without contests."""
        counts = [np.zeros(size, np.int64) for _ in range(3)]
        places = [np.full(size, -1, np.int64) for _ in range(2)]
        return cls(*counts, *places, *(np.zeros(size, times) for _ in range(2)))

    @classmethod
    def of(cls, data: Contests, contests: int | None = None) -> Record:
        """Record of all contests, or of the first `contests`."""
        record = cls.empty(len(data.individuals), data.clock.str)
        record.count(data, contests)
        return record

    @property
    def contests(self) -> np.ndarray:
        """Number of contests of each individual."""
        return self.wins + self.losses + self.draws

    def count(self, data: Contests, contests: int | None = None) -> None:
        """Add further contests to the counts."""
        done = int(self.contests.sum()) // 2
        draw = np.zeros(1, bool) if data.draw is None else data.draw[:contests]
        win_counts(
            data.winner[:contests],
            data.loser[:contests],
            draw,
            int(data.draw is not None),
            done,
            self.wins,
            self.losses,
            self.draws,
            self.first,
            self.last,
        )
        for places, when in ((self.first, self.first_time), (self.last, self.last_time)):
            fresh = places >= done
            new = places[fresh]
            when[fresh] = new + data.first_number if data.date is None else data.date[new - done]

    def grown(self, number: int, times: np.dtype) -> Record:
        """The record extended by `number` new individuals."""
        more = Record.empty(number, times.str)
        if not len(self.wins):
            return more
        mine, theirs = vars(self).values(), vars(more).values()
        return Record(*(np.concatenate(pair) for pair in zip(mine, theirs, strict=True)))

    def of_some(self, places: np.ndarray) -> Record:
        """Record of the individuals at these places."""
        return Record(*(array[places] for array in vars(self).values()))

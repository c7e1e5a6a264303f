"""Fixtures: contests to be predicted, and which side is at home.

A user's own table of individuals and dates, to which results are joined.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.columns import ALIASES, Columns, column_of, fits
from peckorder.data.date_columns import read_dates
from peckorder.data.draft import mark_neutral, names_of
from peckorder.data.names import text_of
from peckorder.data.sheet import Sheet
from peckorder.data.sources import open_sheet
from peckorder.errors import ArgumentTypeError, DataError
from peckorder.text import did_you_mean, listed, option, quoted

PAIRS = (("home", "away"), ("a", "b"))


@dataclass(frozen=True, eq=False)
class Fixtures:
    """Codes of both sides; `home` is 1 (first side at home), −1 (second side) or 0 (neutral).

    Codes continue after those of the rated individuals with the newcomers; `season` has a label
    per fixture.
    """

    first: np.ndarray
    second: np.ndarray
    home: np.ndarray
    date: pl.Series | None = None
    season: tuple[str, ...] | None = None
    newcomers: tuple[str, ...] = ()
    extra: pl.DataFrame | None = None  # all columns of the table

    def numbers(self, column: str) -> np.ndarray:
        """A column of the table as numbers, one per fixture."""
        cells = (
            self.extra[column].cast(pl.Float64, strict=False) if self.extra is not None else None
        )
        if cells is None or cells.is_null().any():
            raise DataError(
                f'Fixtures: column "{column}" has cells that are no numbers. Fill them in, or '
                f"remove the column."
            )
        return cells.to_numpy()

    def __len__(self) -> int:
        return len(self.first)


def read_fixtures(
    source: Any,
    individuals: tuple[str, ...],
    *,
    home: str | None = None,
    away: str | None = None,
    neutral: str | None = None,
    a: str | None = None,
    b: str | None = None,
    season: str | None = None,
    newcomers: bool = False,
) -> Fixtures:
    """Read a table of fixtures with columns home and away (and neutral), or a and b.

    Unknown names are refused, because they may be misspelled, unless `newcomers` are allowed.
    """
    if isinstance(source, Fixtures):
        return source
    sheet = open_sheet(_as_columns(source))
    given = {"home": home, "away": away, "neutral": neutral, "a": a, "b": b, "season": season}
    found = {
        role: column_of(sheet, role, name or None, ALIASES[role]) for role, name in given.items()
    }
    date = next((c for c in sheet.columns if fits(c, ALIASES["date"])), None)
    pair = next((pair for pair in PAIRS if all(found[role] for role in pair)), None)
    if pair is None:
        raise DataError(
            f"{sheet.name}: fixtures require two columns, home and away, or a and b if neither "
            f"side is at home. Columns found: {quoted(sheet.columns)}. Specify them with "
            f"{listed([*map(option, ('home', 'away'))])}, or {listed([*map(option, ('a', 'b'))])}."
        )
    if sheet.height == 0:
        raise DataError(f"{sheet.name} has a header but no fixtures.")
    columns = Columns("fixtures", {role: str(found[role]) for role in pair})
    draft = names_of(sheet, pair, columns, "refuse", None, droppable=False)
    draft.home = np.full(len(draft.first), int(pair == PAIRS[0]), np.int8)
    if found["neutral"]:
        mark_neutral(draft, found["neutral"])
    twice = draft.first == draft.second
    if twice.any():
        name = draft.names.names[draft.first[np.argmax(twice)]]
        draft.refuse(twice, f'both sides are "{name}". Correct the names.')
    known = {name: code for code, name in enumerate(individuals)}
    codes = np.array([known.get(name, -1) for name in draft.names.names], np.int64)
    first, second = codes[draft.first], codes[draft.second]
    names = [draft.names.names[i] for i in np.unique([draft.first, draft.second]) if codes[i] < 0]
    if newcomers:
        known |= {name: len(individuals) + i for i, name in enumerate(names)}
        codes = np.array([known.get(name, -1) for name in draft.names.names], np.int64)
        first, second = codes[draft.first], codes[draft.second]
    draft.refuse(
        (first < 0) | (second < 0),
        f"{quoted(names)} took part in no contest and cannot be rated."
        f"{did_you_mean(names, individuals)} Correct the names or remove these fixtures; if they "
        f"are newcomers, pass {option('newcomers', 'True')}. Rated individuals: "
        f"{quoted(individuals)}.",
    )
    when = None if date is None else text_of(draft.column(date))
    seasons = None
    if found["season"]:
        labels = draft.texts(str(found["season"]))
        why = f'no season in column "{found["season"]}". Fill it in, or remove the column.'
        draft.refuse((labels == "").to_numpy(), why)
        seasons = tuple(labels.to_list())
    if draft.problems:
        raise DataError(*draft.problems)
    fresh = tuple(names) if newcomers else ()
    own = {name: draft.column(name) for name in sheet.columns}
    at_home = draft.home.astype(np.float64)
    return Fixtures(first, second, at_home, when, seasons, fresh, pl.DataFrame(own))


def _as_columns(source: Any) -> Any:
    """Convert a list of pairs (home, away) to columns."""
    if not isinstance(source, list | tuple):
        return source
    if not source:
        raise DataError("The list of fixtures is empty. Give at least one pair (home, away).")
    if not all(isinstance(row, list | tuple) and len(row) == 2 for row in source):
        raise DataError("Fixtures must be a file, a table, or a list of pairs (home, away).")
    return {"home": [row[0] for row in source], "away": [row[1] for row in source]}


NO_INDIVIDUAL = "no individual"
UNKNOWN = "unknown individual"
NO_DATE = "no date"
UNREADABLE = "date cannot be read"


@dataclass(frozen=True, eq=False)
class OwnSheet:
    """The original table, and the code of the individual and the date of each of its rows.

    `reason` says why a row cannot be used; it is empty for the others.
    """

    table: Any
    sheet: Sheet
    codes: np.ndarray
    dates: np.ndarray
    reason: np.ndarray

    @classmethod
    def read(
        cls,
        table: Any,
        *,
        individual: str,
        date: str,
        date_format: str | None,
        individuals: tuple[str, ...],
        clock: np.dtype,
    ) -> OwnSheet:
        """Read the columns of individuals and dates."""
        table = table.collect() if isinstance(table, pl.LazyFrame) else table
        sheet = open_sheet(table)
        for name, column in (("individual", individual), ("date", date)):
            if column not in sheet.columns:
                raise DataError(
                    f'The table has no column "{column}".{did_you_mean([column], sheet.columns)} '
                    f"Columns found: {quoted(sheet.columns)}. Name the right one: {option(name)}."
                )
        names = sheet.texts(individual)
        known = {name: code for code, name in enumerate(individuals)}
        codes = names.replace_strict(known, default=-1, return_dtype=pl.Int64).to_numpy()
        reason = np.full(len(names), "", dtype=object)
        reason[codes < 0] = UNKNOWN
        reason[(names == "").to_numpy()] = NO_INDIVIDUAL
        dates = _dates(sheet, date, date_format, clock, reason)
        return cls(table, sheet, codes, dates, reason)

    def joined(self, columns: dict[str, pl.Series], draws: int | None = None) -> Any:
        """The table with the new columns, in the library of the original table.

        With `draws`, each row is repeated so often, and the columns have as many values.
        """
        taken = [column for column in columns if column in self.sheet.columns]
        if taken:
            raise DataError(
                f"The table has columns {quoted(taken)} already. Rename them, or put something "
                f"in front of the new names: {option('prefix', 'elo_')}."
            )
        own = None if draws is None else np.repeat(np.arange(len(self.codes)), draws)
        if isinstance(self.table, str | os.PathLike | Mapping | pl.DataFrame):
            frame = self.table if isinstance(self.table, pl.DataFrame) else self.sheet.table()
            frame = frame if own is None else frame[own]
            return frame.with_columns(**columns)
        import narwhals as nw

        frame = nw.from_native(self.table, eager_only=True)
        frame = frame if own is None else frame[own]
        added = [
            nw.new_series(name, *_plain(values, nw), backend=frame.implementation)
            for name, values in columns.items()
        ]
        return frame.with_columns(*added).to_native()


def _plain(values: pl.Series, nw: Any) -> tuple[list[Any], Any]:
    """Values and their type for any library; missing numbers are NaN in a column of floats."""
    if values.dtype == pl.String:
        return values.to_list(), nw.String()
    if values.dtype.is_integer() and not values.has_nulls():
        return values.to_list(), nw.Int64()
    return values.cast(pl.Float64).fill_null(float("nan")).to_list(), nw.Float64()


def _dates(
    sheet: Sheet, date: str, date_format: str | None, clock: np.dtype, reason: np.ndarray
) -> np.ndarray:
    """The dates; rows without one get a reason. A column of no dates at all is an error."""
    if date_format is not None and not isinstance(date_format, str):
        raise ArgumentTypeError(f"{option('date_format')} must be text such as %d/%m/%Y.")
    values = sheet.column(date)
    dates, lost, problems = read_dates(sheet, date, values, date_format)
    empty = np.isnat(dates) if dates.dtype.kind == "M" else np.isnan(dates)
    if problems and (empty | lost).all():
        raise DataError(*problems)
    if dates.dtype.kind != clock.kind and not (empty | lost).all():
        raise DataError(
            f'Column "{date}" and the dates of the contests must be of the same type: both '
            f"dates, or both numbers."
        )
    reason[lost & (reason == "")] = NO_DATE
    reason[empty & ~lost & (reason == "")] = UNREADABLE
    return dates if dates.dtype.kind == clock.kind else np.full(len(dates), "NaT", clock)

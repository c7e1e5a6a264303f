"""A user's own table of individuals and dates, to which results are joined.

A row that cannot be used (an unknown individual, no date) does not spoil the others: it keeps its
place, and says why it stays empty.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.dates import read_dates
from peckorder.errors import ArgumentTypeError, DataError
from peckorder.sources.names import text_of
from peckorder.sources.sheet import Sheet
from peckorder.sources.source import open_sheet
from peckorder.wording import option, quoted

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
                    f'The table has no column "{column}". Columns found: '
                    f"{quoted(sheet.columns)}. Name the right one: {option(name)}."
                )
        names = text_of(sheet.column(individual)).fill_null("").str.strip_chars()
        codes = _codes(names, individuals)
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


def _codes(names: pl.Series, individuals: tuple[str, ...]) -> np.ndarray:
    known = {name: code for code, name in enumerate(individuals)}
    return names.replace_strict(known, default=-1, return_dtype=pl.Int64).to_numpy()


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

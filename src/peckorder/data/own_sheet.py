"""A user's own table of individuals and dates, to which results are joined."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.dates import no_dates, read_dates
from peckorder.data.names import text_of
from peckorder.data.sheet import Sheet
from peckorder.data.source import open_sheet
from peckorder.errors import DataError
from peckorder.wording import quoted, rows


@dataclass(frozen=True, eq=False)
class OwnSheet:
    """The original table, and the code of the individual and the date of each of its rows."""

    table: Any
    sheet: Sheet
    codes: np.ndarray
    dates: np.ndarray

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
        new: tuple[str, ...],
    ) -> OwnSheet:
        """Read and check a table to which the columns `new` will be added."""
        table = table.collect() if isinstance(table, pl.LazyFrame) else table
        sheet = open_sheet(table)
        for column in (individual, date):
            if column not in sheet.columns:
                raise DataError(
                    f'The table has no column "{column}". Columns found: {quoted(sheet.columns)}.'
                )
        taken = [column for column in new if column in sheet.columns]
        if taken:
            raise DataError(f"The table has columns {quoted(taken)} already. Rename them first.")
        names = text_of(sheet.column(individual)).fill_null("").str.strip_chars()
        known = {name: code for code, name in enumerate(individuals)}
        strange = [i for i, name in enumerate(names) if name not in known]
        if strange:
            who = list(dict.fromkeys(names[i] for i in strange))
            raise DataError(
                f"{rows(sheet.row_word, sheet.rows(np.array(strange)))}: {quoted(who)} took part "
                f"in no contest. Rated individuals: {quoted(individuals)}."
            )
        dates, lost, problems = read_dates(sheet, date, sheet.column(date), date_format)
        if lost.any():
            problems.append(no_dates(sheet, date, np.flatnonzero(lost)))
        if problems:
            raise DataError(*problems)
        if dates.dtype.kind != clock.kind:
            raise DataError(
                f'Column "{date}" and the dates of the contests must be of the same type: both '
                f"dates, or both numbers."
            )
        return cls(table, sheet, np.array([known[name] for name in names], np.int64), dates)

    def joined(self, columns: dict[str, pl.Series]) -> Any:
        """The table with the new columns, in the library of the original table."""
        if isinstance(self.table, str | os.PathLike | Mapping):
            return self.sheet.table().with_columns(**columns)
        import narwhals as nw

        frame = nw.from_native(self.table, eager_only=True)
        added = [
            nw.new_series(name, values.to_list(), nw.Float64(), backend=frame.implementation)
            for name, values in columns.items()
        ]
        return frame.with_columns(*added).to_native()

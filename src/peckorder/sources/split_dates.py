"""Dates that are split over columns for the day, the month and the year.

Such columns are joined to one date if there is no other. Read on its own, a column of days (1 to
31) would sort contests of different months into each other.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl

from peckorder.sources.headings import DAYS, MONTHS, YEARS, heading, roles_of
from peckorder.sources.sheet import Sheet
from peckorder.wording import option, quoted

JOINED = "year-month-day"


def with_joined_date(sheet: Sheet, given: dict[str, Any]) -> tuple[Sheet, dict[str, Any]]:
    """The sheet with a column that joins day, month and year, given as the date, if need be."""
    parts = [[c for c in sheet.columns if heading(c) in words] for words in (DAYS, MONTHS, YEARS)]
    other = any(
        "date" in roles_of(c, sheet.columns) and heading(c) not in DAYS | YEARS
        for c in sheet.columns
    )
    if given["date"] is not None or other or any(len(found) != 1 for found in parts):
        return sheet, given
    if sheet.parts or sheet.batches is not None or sheet.streamed or JOINED in sheet.columns:
        return sheet, given
    names = [found[0] for found in parts]
    day, month, year = (_text(sheet.column(name)) for name in names)
    if not year.drop_nulls().str.contains(r"^\d{4}$").all() or year.drop_nulls().is_empty():
        return sheet, given
    dates = _joined(day, month, year)
    whole = dates.drop_nulls()
    example = f", such as {whole[0]}" if len(whole) else ""
    note = (
        f"Columns {quoted(names)} were joined to one date{example}. To ignore dates, "
        f"use {option('date', '')}."
    )
    joined = replace(
        sheet,
        frame=sheet.table().with_columns(dates.alias(JOINED)).lazy(),
        columns=[*sheet.columns, JOINED],
        notes=[*sheet.notes, note],
        added=(*sheet.added, JOINED),
    )
    return joined, given | {"date": JOINED}


def _text(column: pl.Series) -> pl.Series:
    """Cells as text, without the decimals that a workbook may add to whole numbers."""
    text = column.cast(pl.String).str.strip_chars().str.replace(r"\.0+$", "")
    return text.set((text == "").fill_null(False), None)


def _joined(day: pl.Series, month: pl.Series, year: pl.Series) -> pl.Series:
    """2021-03-01, or 1 March 2021 if months have names; none if a part is missing."""
    parts = pl.DataFrame({"day": day, "month": month, "year": year})
    numbers = pl.concat_str(
        "year", pl.col("month").str.zfill(2), pl.col("day").str.zfill(2), separator="-"
    )
    words = pl.concat_str("day", "month", "year", separator=" ")
    named = month.str.contains(r"\pL").fill_null(False).any()
    return parts.select(words if named else numbers).to_series()

"""Dates that Excel stores as numbers: days since the end of 1899 or, in old files from a Mac, 1904.

A text file exported from a workbook may contain these numbers instead of dates. Read as plain
numbers, they keep their order but lose the calendar, so the choice is left to the user.
"""

from __future__ import annotations

import datetime as dt
import re

import numpy as np
import polars as pl

from peckorder.sources.sheet import Sheet
from peckorder.wording import option

NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?", re.ASCII)
EPOCHS = {"excel": dt.datetime(1899, 12, 30), "excel-1904": dt.datetime(1904, 1, 1)}
NUMBERS = (None, "number", *EPOCHS)
SERIALS = (25_569, 58_849)  # 1970 to 2060: numbers in this range look like dates of Excel
LAST_SERIAL = 2_958_465  # 9999-12-31


def serials_problem(sheet: Sheet, column: str, values: pl.Series, places: np.ndarray) -> list[str]:
    """The problem of numbers that are all dates as Excel stores them, in days since 1900."""
    present = values.drop_nulls().drop_nans()
    if sheet.streamed or present.is_empty() or not present.is_between(*SERIALS).all():
        return []
    row = sheet.rows(places[values.is_not_null().arg_max() or 0])
    return [
        f'The numbers in column "{column}" look like dates as Excel stores them: {sheet.row_word} '
        f"{row}, {present[0]:g}, would be {_day(present[0], 'excel')}. Use "
        f"{option('date_format', 'excel')} to read them so"
        f" ({option('date_format', 'excel-1904')} for old files from a Mac, "
        f"{_day(present[0], 'excel-1904')}), or {option('date_format', 'number')} for plain "
        f"numbers."
    ]


def serial_words(word: str) -> str:
    """What to do with a number among dates that may be a date as Excel stores it."""
    if not NUMBER.fullmatch(word) or not SERIALS[0] <= float(word) <= SERIALS[1]:
        return ""
    return (
        f" (as a date of Excel it would be {_day(float(word), 'excel')}; to read it so, use "
        f"{option('date_format', 'excel')})"
    )


def _day(number: float, system: str) -> str:
    return str((EPOCHS[system] + dt.timedelta(days=number)).date())


def dates_of_serials(numbers: pl.Series, epoch: dt.datetime) -> np.ndarray:
    """Datetimes from days since an epoch; a fraction is the time of day, exact to milliseconds."""
    days = numbers.fill_nan(None)
    days = days.set(~days.is_between(0, LAST_SERIAL), None)
    milliseconds = (days * 86_400_000).round().cast(pl.Int64)
    return (milliseconds.cast(pl.Duration("ms")) + epoch).cast(pl.Datetime("us")).to_numpy()

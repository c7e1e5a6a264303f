"""Dates that are stored as numbers: by Excel as days, by loggers and servers as seconds since 1970.

Excel counts days since the end of 1899 or, in old files from a Mac, 1904. A text file exported from
a workbook may contain these numbers instead of dates. Read as plain numbers, they keep their order
but lose the calendar, so the choice is left to the user. Seconds since 1970 are read as plain
numbers, with a note, because the time zone of the place is not known.
"""

from __future__ import annotations

import datetime as dt
import re

import numpy as np
import polars as pl

from peckorder.sources.sheet import Sheet
from peckorder.wording import option

NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?", re.ASCII)
EPOCHS = {
    "excel": dt.datetime(1899, 12, 30),
    "excel-1904": dt.datetime(1904, 1, 1),
    "unix": dt.datetime(1970, 1, 1),
    "unix-ms": dt.datetime(1970, 1, 1),
}
MILLISECONDS = {"unix": 1000, "unix-ms": 1}  # of a unit; otherwise it is a day
A_DAY = 86_400_000
SECONDS = (631_152_000, 2_840_140_800)  # 1990 to 2060: numbers in this range look like seconds
NUMBERS = (None, "number", *EPOCHS)
SERIALS = (25_569, 58_849)  # 1970 to 2060: numbers in this range look like dates of Excel
LAST_SERIAL = 2_958_465  # 9999-12-31


def serials_problem(sheet: Sheet, column: str, values: pl.Series, places: np.ndarray) -> list[str]:
    """The problem of numbers that are all dates as Excel stores them, in days since 1900."""
    present = values.drop_nulls().drop_nans()
    if sheet.streamed or present.is_empty():
        return []
    row = sheet.rows(places[values.is_not_null().arg_max() or 0])
    if not present.is_between(*SERIALS).all():
        _note_seconds(sheet, column, present, row)
        return []
    return [
        f'The numbers in column "{column}" look like dates as Excel stores them: {sheet.row_word} '
        f"{row}, {present[0]:g}, would be {_day(present[0], 'excel')}. Use "
        f"{option('date_format', 'excel')} to read them so"
        f" ({option('date_format', 'excel-1904')} for old files from a Mac, "
        f"{_day(present[0], 'excel-1904')}), or {option('date_format', 'number')} for plain "
        f"numbers."
    ]


def _note_seconds(sheet: Sheet, column: str, present: pl.Series, row: object) -> None:
    """A note on plain numbers that are probably times, in seconds or milliseconds since 1970."""
    for system, per_second in (("unix", 1), ("unix-ms", 1000)):
        if (present / per_second).is_between(*SECONDS).all():
            time = EPOCHS[system] + dt.timedelta(seconds=present[0] / per_second)
            sheet.notes.append(
                f'The numbers in column "{column}" look like {"milli" * (per_second > 1)}seconds '
                f"since 1970: {sheet.row_word} {row}, {present[0]:.0f}, would be "
                f"{time:%Y-%m-%d %H:%M:%S} (UTC). They were read as plain numbers; use "
                f"{option('date_format', system)} to read them as times."
            )


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


def dates_of_serials(numbers: pl.Series, system: str) -> np.ndarray:
    """Datetimes from days or seconds since an epoch, exact to milliseconds."""
    unit, values = MILLISECONDS.get(system, A_DAY), numbers.fill_nan(None)
    values = values.set(~values.is_between(0, LAST_SERIAL * A_DAY / unit), None)
    milliseconds = (values * unit).round().cast(pl.Int64)
    stamps = milliseconds.cast(pl.Duration("ms")) + EPOCHS[system]
    return stamps.cast(pl.Datetime("us")).to_numpy()

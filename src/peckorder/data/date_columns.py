"""Reading dates in common formats, provided that they are unambiguous.

A column becomes either datetimes (microseconds, no time zone) or plain numbers (years, days of
study). Dates that could be both day first and month first raise an error that shows both readings.

Times of day: in a column of their own, beyond midnight, and dates in a column called time.

Dates that are stored as numbers: by Excel as days, by loggers and servers as seconds since 1970.

Dates that a spreadsheet program has converted in the wrong order.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.columns import Columns
from peckorder.data.sheet import Sheet
from peckorder.dates import (
    COMPACT,
    ORDERS,
    YEAR_LAST,
    all_compact,
    compact,
    dotted,
    format_of,
    month_number,
    parse,
    two_digit_year,
)
from peckorder.errors import ArgumentError, ArgumentTypeError, DataError
from peckorder.text import given, listed, option

# Parsed by polars; values in other formats are parsed one by one.
ISO_FORMATS = (
    "%Y-%m-%d",
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%dT%H:%M:%S",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%d %H:%M:%S%.f",
    "%Y-%m-%dT%H:%M:%S%.f",
)
STORED = r"^\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d(?:\.\d+)?)?$"  # a real date of a workbook
# Says nothing that the date behind it does not.
WEEKDAY = r"(?i)^(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?[,.]?\s+(\S*\d)"
FORMAT_SIGNS = set("YCymbBhdejaAuwUWGgVDxFvHkIlPpMSfRTXrZz+csq%")
MISSING = ["", "NA", "NaN", "n/a", "N/A"]
DAY = np.timedelta64(1, "D")
STAMP = pl.Datetime("us")
SWAPPED_STORED = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?: .*)?", re.ASCII)
PERIODS = ("week", "month", "year")
LARGEST_DATE = 1e15  # above it, fractions of a day are not exact


def read_dates(
    sheet: Sheet,
    column: str,
    values: pl.Series,
    date_format: str | None = None,
    *,
    places: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Datetimes or numbers, a mask of missing values, and the problems found.

    `places` are the rows of the values in the sheet (None: all rows). Missing dates are NaT or
    NaN.
    """
    found = _Dates(sheet, column, np.arange(len(values)) if places is None else places)
    missing = values.is_null()
    if date_format is not None and not isinstance(date_format, str):
        raise ArgumentTypeError(
            f"{given('date_format', date_format)}: give a text such as %d/%m/%Y."
        )
    if values.dtype.is_integer() and (date_format not in NUMBERS or all_compact(values)):
        values = values.cast(pl.String)
    if values.dtype.is_numeric():
        numbers = values.cast(pl.Float64)
        if date_format in EPOCHS:
            return dates_of_serials(numbers, date_format), missing.to_numpy(), []
        if not date_format:
            found.refuse_serials(numbers)
        return found.numbers(numbers)
    if values.dtype.is_temporal():
        return found.stamps(values), missing.to_numpy(), []
    texts = values.cast(pl.String).str.strip_chars()
    if date_format is None and texts.head(LOOKED_AT).str.contains(WEEKDAY).any():
        texts = texts.str.replace(WEEKDAY, "$1")
    missing |= texts.is_in(MISSING)
    texts = texts.set(missing, None) if missing.any() else texts
    if date_format in NUMBERS:
        parsed = found.by_shape(texts, date_format)
    else:
        parsed = found.by_format(texts, date_format or "")
    if not found.problems:
        found.refuse_others(texts, (parsed.is_null() & ~missing).to_numpy(), date_format)
    if parsed.dtype == pl.Float64:
        return found.numbers(parsed)
    stamps = parsed.cast(pl.Datetime("us")).to_numpy().astype("datetime64[us]")
    return stamps, missing.to_numpy(), found.problems


def no_dates(sheet: Sheet, column: str, places: np.ndarray, advice: str = "") -> str:
    """The message for rows without a date."""
    where = sheet.where(places)
    return f'{where}: no date in column "{column}". Enter the date{advice}.'


@dataclass(frozen=True)
class _Dates:
    """A column of dates while it is read, and the problems found in it."""

    sheet: Sheet
    column: str
    places: np.ndarray  # of its rows in the sheet
    problems: list[str] = field(default_factory=list)

    def refuse(self, mask: np.ndarray, problem: str) -> None:
        """A problem of the rows where the mask is True, if there are any."""
        if mask.any():
            self.problems.append(f"{self.sheet.where(self.places[mask])}: {problem}")

    def numbers(self, values: pl.Series) -> tuple[np.ndarray, np.ndarray, list[str]]:
        """Years or day numbers, as long as they are exact."""
        numbers = values.fill_null(math.nan).to_numpy()
        large = np.abs(numbers) > LARGEST_DATE
        first = numbers[np.argmax(large)] if large.any() else 0
        self.refuse(
            large,
            f'{first:g} in column "{self.column}" is too large for a date. Write dates as '
            f"2009-05-28, as years or as day numbers.",
        )
        return numbers, np.isnan(numbers), self.problems

    def stamps(self, values: pl.Series) -> np.ndarray:
        """Dates that are stored as such."""
        if isinstance(values.dtype, pl.Datetime) and values.dtype.time_zone:
            self.sheet.notes.append(
                f'Times in column "{self.column}" were read as local times of their time zone '
                f"({values.dtype.time_zone})."
            )
            values = values.dt.replace_time_zone(None)
        try:
            return values.cast(pl.Datetime("us")).to_numpy().astype("datetime64[us]")
        except pl.exceptions.PolarsError:
            raise DataError(
                f'Column "{self.column}" contains values of type {values.dtype}, which are not '
                f"dates."
            ) from None

    def refuse_others(self, texts: pl.Series, failed: np.ndarray, date_format: str | None) -> None:
        """Cells that cannot be read like the others."""
        if not failed.any():
            return
        formed = date_format if date_format not in NUMBERS else None
        others = "" if failed.all() else " like the others"
        expected = f"the format {formed}" if formed else f"a date{others}"
        word = texts[int(np.argmax(failed))]
        serial = serial_words(word) if date_format is None else ""
        few = failed.sum() <= 0.1 * len(texts) and not serial
        leave = f"Correct the cells{self.sheet.leaving(self.places[failed])}. " if few else ""
        self.refuse(
            failed,
            f'"{word}" in column "{self.column}" cannot be read as {expected}{serial}. {leave}'
            f"{'Add their year, or a column year. ' * bool(YEARLESS.fullmatch(word))}"
            f"Write dates as 2009-05-28 (a time may follow), as years or as day numbers, or "
            f"specify the format, such as {option('date_format', '%d/%m/%y')}.",
        )

    def by_format(self, texts: pl.Series, date_format: str) -> pl.Series:
        """Dates in a format that the user gives."""
        if "%" not in date_format:
            raise ArgumentError(
                f"{given('date_format', date_format)} is not a date format. Use codes such as %d, "
                '%m and %Y: "%d/%m/%Y" reads 28/05/2009, "%m/%d/%Y %H:%M" reads 5/28/2009 9:23. '
                'For dates stored as numbers, use "excel", "unix" or "number".'
            )
        strange = set(re.findall(r"%[-_0]?([^.\d])", date_format)) - FORMAT_SIGNS
        if strange:
            raise ArgumentError(
                f"{given('date_format', date_format)}: the code %{min(strange)} is not known."
            )
        unique = texts.drop_nulls().unique()
        if re.search(r"%[HIMSpTRfcX]", date_format):
            dates = unique.str.to_datetime(date_format, strict=False)
        else:
            dates = unique.str.to_date(date_format, strict=False).cast(pl.Datetime("us"))
        if "%Y" in date_format:  # 28/05/09 would be in the year 9
            dates = dates.zip_with(_four_digits(dates), dates.clear(len(dates)))
        stored = dates.is_null() & unique.str.contains(STORED)  # real dates of a workbook
        if stored.any() and not stored.all() and not date_format.lower().startswith("%y"):
            self.sheet.notes.append(
                f'Column "{self.column}": the format applies to dates written as text; those '
                f'stored as dates, such as "{unique.filter(stored)[0]}", were read as they are.'
            )
            own = zip(unique, stored, strict=True)
            read = pl.Series([parse(w, "day") if s else None for w, s in own], dtype=STAMP)
            dates = dates.cast(STAMP).zip_with(~stored, read)
        return _spread(texts, unique, dates)

    def by_shape(self, texts: pl.Series, numbers: str | None) -> pl.Series:
        """Dates if they can be read in exactly one way; otherwise there is a problem."""
        present = texts.drop_nulls()
        if present.is_empty():
            return texts.cast(pl.Float64)
        for form in ISO_FORMATS:
            if _in_iso(present.head(10), form).has_nulls():  # quick: most columns have one format
                continue
            dates = _in_iso(texts, form)
            first = pl.Series([dates.min()], dtype=dates.dtype)
            if dates.null_count() == texts.null_count() and _four_digits(first).all():
                return dates
        unique = present.unique(maintain_order=True)
        words = unique.to_list()
        if numbers is None and all(COMPACT.fullmatch(word) and compact(word) for word in words):
            return _spread(texts, unique, pl.Series([compact(word) for word in words]))
        if all(NUMBER.fullmatch(word) for word in words):
            values = texts.cast(pl.Float64)
            if numbers in EPOCHS:
                return pl.Series(dates_of_serials(values, numbers), dtype=STAMP)
            if not numbers:
                self.refuse_serials(values)
            return values
        zoned = texts.str.contains(r"\d\s*Z$")
        if self.sheet.streamed:  # the value that decides may be in another batch
            self.problems.append(
                f'To be read as a stream, column "{self.column}" must contain dates such as '
                f"2009-05-28, or their format must be specified with {option('date_format')}."
            )
        elif zoned.any() and not zoned.fill_null(True).all():
            plain = ~zoned.fill_null(True).to_numpy()
            self.refuse(
                plain,
                f'"{texts[int(np.argmax(plain))]}" in column "{self.column}" has no time zone, but '
                f"other times are in UTC (they end in Z). Write all times in the same way.",
            )
        else:
            return self.in_one_order(texts, unique, numbers)
        return pl.Series([None] * len(texts), dtype=STAMP)

    def in_one_order(self, texts: pl.Series, unique: pl.Series, numbers: str | None) -> pl.Series:
        """Dates in the order (day, month or year first) that fits them all, if there is one."""
        words, sheet = unique.to_list(), self.sheet
        stored: list[dt.datetime | None] = [None] * len(words)
        if numbers in EPOCHS:
            values = unique.str.extract(f"^({NUMBER.pattern})$").cast(pl.Float64)
            stored = pl.Series(dates_of_serials(values, numbers)).to_list()
        readings = {
            order: [known or parse(word, order) for known, word in zip(stored, words, strict=True)]
            for order in ORDERS
        }
        fitting = {order: dates for order, dates in readings.items() if None not in dates}
        nothing = pl.Series([None] * len(texts), dtype=STAMP)
        if len({tuple(dates) for dates in fitting.values()}) > 1:
            unclear = [i for i in range(len(words)) if len({d[i] for d in fitting.values()}) > 1]
            if "day" not in fitting or not all(dotted(words[i]) for i in unclear):
                self.problems.append(self._ambiguous(texts, words[unclear[0]], unclear[0], fitting))
                return nothing
            sheet.notes.append(
                f'Dates with dots in column "{self.column}", such as "{words[unclear[0]]}", were '
                f"read day first. For another order, use {option('date_format')}."
            )
            order = "day"
        elif fitting:
            order = next(iter(fitting))
        else:  # none fits all dates; those that do not fit the best one are reported by row
            order = min(readings, key=lambda order: readings[order].count(None))
        if fitting and self._swapped(texts, words, order):
            return nothing
        dates = readings[order]
        short = [d.year for w, d in zip(words, dates, strict=True) if d and two_digit_year(w)]
        if short:
            last = f" to {max(short)}" if max(short) > min(short) else ""
            sheet.notes.append(
                f'Years of two digits in column "{self.column}" were read as {min(short)}{last}. '
                f"For another century, write them with four digits."
            )
        return _spread(texts, unique, pl.Series(dates, dtype=STAMP))

    def _ambiguous(self, texts: pl.Series, word: str, place: int, fitting: dict[str, list]) -> str:
        row = self.sheet.rows(self.places[(texts == word).arg_max()])
        dates = [dates[place] for dates in fitting.values()]
        readings = [f"{date.day} {date:%B %Y}" for date in dates]
        formats = [f"{option('date_format', format_of(word, o))} ({o} first)" for o in fitting]
        return (
            f'The dates in column "{self.column}" are ambiguous: {self.sheet.row_word} {row}, '
            f'"{word}", is {" or ".join(dict.fromkeys(readings))}. Specify {" or ".join(formats)}.'
        )

    def _swapped(self, texts: pl.Series, words: list[str], order: str) -> bool:
        """Whether the real dates of a column may have day and month exchanged: a problem."""
        stored = [match for word in words if (match := SWAPPED_STORED.fullmatch(word))]
        written = [m for word in words if (m := YEAR_LAST.fullmatch(word)) and m[2] != "."]
        days = [int(match[1 if order == "day" else 3]) for match in written]
        later = any(int(match[3]) > 12 for match in stored)
        if not stored or not written or later or min(days) <= 12:
            return False
        form = option("date_format", format_of(written[0][0], order))
        self.refuse(
            texts.is_in([match[0] for match in stored]).fill_null(False).to_numpy(),
            f'column "{self.column}" has dates, such as "{stored[0][0]}", and texts, such as '
            f'"{written[0][0]}". No date is later than the 12th of a month, and no text earlier '
            f"than the 13th: a spreadsheet program may have exchanged day and month of the dates. "
            f"Compare them with the original, then use {form} to read the texts so and the dates "
            f"as they are, or write all dates as 2009-05-28.",
        )
        return True

    def refuse_serials(self, values: pl.Series) -> None:
        """Numbers that are all dates as Excel stores them, by days; a note on seconds."""
        present = values.drop_nulls().drop_nans()
        if self.sheet.streamed or present.is_empty():
            return
        row = self.sheet.rows(self.places[values.is_not_null().arg_max() or 0])
        first = f'The numbers in column "{self.column}" look like'
        if present.is_between(*SERIALS).all():
            self.problems.append(
                f"{first} dates as Excel stores them: {self.sheet.row_word} {row}, "
                f"{present[0]:g}, would be {_day(present[0], 'excel')}. Use "
                f"{option('date_format', 'excel')} to read them so "
                f"({option('date_format', 'excel-1904')} for old files from a Mac, "
                f"{_day(present[0], 'excel-1904')}), or {option('date_format', 'number')} for "
                f"plain numbers."
            )
            return
        for system, per_second in (("unix", 1), ("unix-ms", 1000)):
            if (present / per_second).is_between(*SECONDS).all():
                time = EPOCHS[system] + dt.timedelta(seconds=present[0] / per_second)
                self.sheet.notes.append(
                    f"{first} {'milli' * (per_second > 1)}seconds since 1970: "
                    f"{self.sheet.row_word} {row}, {present[0]:.0f}, would be "
                    f"{time:%Y-%m-%d %H:%M:%S} (UTC). They were read as plain numbers; use "
                    f"{option('date_format', system)} to read them as times."
                )


def _four_digits(dates: pl.Series) -> pl.Series:
    """Whether the year of each date has four digits; polars reads 09-05-28 as the year 9."""
    return (dates.dt.year() >= 1000).fill_null(True)


def _in_iso(texts: pl.Series, form: str) -> pl.Series:
    if form == ISO_FORMATS[0]:
        return texts.str.to_date(form, strict=False).cast(STAMP)
    return texts.str.to_datetime(form, strict=False, time_unit="us")


def _spread(texts: pl.Series, unique: pl.Series, dates: pl.Series) -> pl.Series:
    """The date of each text, given the dates of the distinct texts."""
    return texts.replace_strict(unique, dates, default=None, return_dtype=dates.dtype)


YEARLESS = re.compile(r"\d{1,2}[-./]\d{1,2}[-./]?|\d{1,2}\W*[^\W\d]{3,}\.?|[^\W\d]{3,}\W+\d{1,2}")
PARTS_OF_DAY = {"dawn": 0, "am": 1, "morning": 1, "noon": 2, "midday": 2, "pm": 3, "afternoon": 3}
PARTS_OF_DAY |= {"evening": 4, "dusk": 4, "night": 5}
ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")
PART_OF_YEAR = re.compile(r"((?:19|20)\d\d)[-\s]?(?:w|kw|q|week)\s?(\d{1,2})")
NUMBERED = re.compile(r"(?:[^\W\d]+[\s.:#_-]*)?(\d{1,6})(?:st|nd|rd|th|\.)?")
CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?\s*([ap]m)?", re.IGNORECASE)
DAY_FORMS = ("%Y-%m-%d", "%Y.%m.%d", "%Y/%m/%d", "%d.%m.%Y", "%d-%b-%y", "%d-%b-%Y")


def sequence_number(cell: str) -> float | None:
    """A cell by which contests may be ordered: a number, time, month, part of the day or date.

    >>> sequence_number("9:30"), sequence_number("Feb"), sequence_number("3,5")
    (570.0, 2.0, 3.5)
    """
    low = cell.strip().casefold()
    if low in PARTS_OF_DAY:
        return float(PARTS_OF_DAY[low])
    if month := month_number(low):
        return float(month)
    if clock := CLOCK.fullmatch(low):
        hour = int(clock[1]) % 12 + 12 * (clock[4] == "pm") if clock[4] else int(clock[1])
        return hour * 60 + int(clock[2]) + int(clock[3] or 0) / 60
    if re.fullmatch(r"-?\d+(?:[.,]\d+)?", low):
        return float(low.replace(",", "."))
    if part := PART_OF_YEAR.fullmatch(low):
        return float(part[1]) * 100 + float(part[2])
    if low in ROMAN:
        return ROMAN.index(low) + 1.0
    if number := NUMBERED.fullmatch(low):
        return float(number[1])
    day = day_of(cell)
    return None if day is None else float(day.toordinal())


def day_of(cell: str) -> dt.date | None:
    """A date in one of the forms that cannot be mistaken, of which a year is the first day."""
    for form in DAY_FORMS:
        with contextlib.suppress(ValueError):
            return dt.datetime.strptime(re.split("[T ]", cell.strip())[0], form).date()
    if re.fullmatch(r"(?:1[89]|20)\d{6}", cell):
        with contextlib.suppress(ValueError):
            return dt.datetime.strptime(cell, "%Y%m%d").date()
    return dt.date(int(cell), 1, 1) if re.fullmatch(r"(?:1[89]|2\d)\d\d", cell) else None


def are_dates(cells: Sequence[str]) -> bool:
    """Whether all cells are dates, in one order of day, month and year; years alone are not."""
    if all(len(cell) > 4 and day_of(cell) for cell in cells):
        return True
    return any(all(parse(cell.strip(), order) for cell in cells) for order in ORDERS)


def moment(value: Any, like: np.ndarray, *, end_of_day: bool = True) -> Any:
    """A date given by the user, comparable with `like`; midnight means the whole day."""
    if like.dtype.kind != "M":
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            raise ArgumentError(
                f"{value!r} is not a number. Give a number from {like[0]:g} to {like[-1]:g}: the "
                f"date of a contest or, without dates, its position in the sequence."
            ) from None
        if math.isnan(number):
            raise ArgumentError(f"{value!r} is not a date.")
        # A whole number covers its whole unit: 5 extends to just before 6.
        return np.nextafter(number + 1, number) if end_of_day and number.is_integer() else number
    if isinstance(value, str):
        word = value.strip()
        readings = [found for order in ORDERS if (found := parse(word, order)) is not None]
        if len(days := dict.fromkeys(f"{found:%Y-%m-%d}" for found in readings)) > 1:
            raise ArgumentError(
                f'"{value}" may be {listed([*days], "or")}. Write the one that is meant.'
            )
        if not days:
            raise ArgumentError(f'"{value}" is not a date. Write dates as 2009-05-28.')
        value = readings[0]
    if not isinstance(value, dt.date | np.datetime64) or value != value:
        raise ArgumentError(f"{value!r} is not a date. Write dates as 2009-05-28.")
    stamp = np.asarray(value).astype("datetime64[us]")[()]
    if end_of_day and stamp == stamp.astype("datetime64[D]"):
        stamp += DAY - np.timedelta64(1, "us")
    return stamp


def ends(dates: np.ndarray) -> np.ndarray:
    """Dates without a time of day, moved to the end of the day; whole numbers likewise."""
    if dates.dtype.kind == "M":
        last = whole_days(dates) + np.timedelta64(86_399_999_999, "us")
    else:
        last = np.nextafter(dates + 1, dates)
    return np.where(whole_days(dates) == dates, last, dates)


def whole_days(dates: np.ndarray) -> np.ndarray:
    """Datetimes truncated to the day, numbers to the next lower whole number."""
    return dates.astype("datetime64[D]") if dates.dtype.kind == "M" else np.floor(dates)


def period_ends(dates: np.ndarray, period: str) -> np.ndarray:
    """End of the last day with a contest in each week (from Monday), month or year."""
    days = dates.astype("datetime64[D]")
    if period == "week":
        label = (days.astype(np.int64) + 3) // 7
    else:
        label = days.astype(f"datetime64[{period[0].upper()}]").astype(np.int64)
    last = np.flatnonzero(np.append(label[1:] != label[:-1], True))
    return ends(np.unique(days[last]))


def date_words(value: Any) -> str:
    """A date formatted for messages and plain-text tables."""
    if isinstance(value, np.datetime64):
        stamp = value.astype("datetime64[us]").astype(dt.datetime)
        return f"{stamp:%Y-%m-%d}" if stamp.time() == dt.time() else f"{stamp:%Y-%m-%d %H:%M:%S}"
    return f"{value:.0f}" if value % 1 == 0 else f"{value:g}"


def date_column(dates: np.ndarray) -> pl.Series:
    """Dates for a table: plain dates if all times are midnight, integers if all are whole."""
    if dates.dtype.kind == "M":
        column = pl.Series(dates.astype("datetime64[us]"))
        valid = dates[~np.isnat(dates)]
        return column.cast(pl.Date) if (whole_days(valid) == valid).all() else column
    lost = np.isnan(dates)
    whole = np.where(lost, 0, np.floor(dates))
    values = whole.astype(np.int64) if (lost | (whole == dates)).all() else dates
    return pl.Series(values).set(pl.Series(lost), None) if lost.any() else pl.Series(values)


# Excel stores a time of day as a datetime on the first day of its calendar.
OF_EXCEL = r"^(?:1899-12-3[01]|1904-01-01)[ T]"
HOUR = 3_600_000_000
LATE, EARLY = 18 * HOUR, 6 * HOUR
LOOKED_AT = 100


def read_times(
    sheet: Sheet, column: str, values: pl.Series, places: np.ndarray
) -> tuple[np.ndarray, list[str]]:
    """Times of day as microseconds since midnight."""
    if values.dtype.is_temporal() and values.dtype != pl.Duration:
        times = values if values.dtype == pl.Time else values.dt.time()
        microseconds = times.cast(pl.Int64) // 1000
    else:
        microseconds = _times_of_text(values.cast(pl.String))
    bad = microseconds.is_null().arg_true().to_numpy()
    if bad.size == 0:
        return microseconds.to_numpy(), []
    cell = values[int(bad[0])]
    said = "no time" if cell in (None, "") else f'"{cell}" is not a time of day'
    said += _of_excel(str(cell))
    return np.zeros(len(values), np.int64), [
        f'{sheet.where(places[bad])}: {said} in column "{column}". Write 9:23 '
        f"or 09:23:45 (after midnight 0:10, with the date of the next day), or use "
        f"{option('time', '')} to ignore times."
    ]


def _of_excel(cell: str) -> str:
    """What a number between 0 and 1 is as a time of Excel, which stores parts of a day."""
    if not re.fullmatch(r"0?[.,]\d+", cell):
        return ""
    minutes = round(float(cell.replace(",", ".")) * 1440)
    return (
        f" (as a part of a day it would be {minutes // 60:02}:{minutes % 60:02}: give the column "
        f"the format of times in the spreadsheet program, and save it again)"
    )


def _times_of_text(texts: pl.Series) -> pl.Series:
    """Microseconds since midnight; null if the text is not a time."""
    texts = (
        texts.str.strip_chars().str.replace(OF_EXCEL, "").str.replace(r"^(\d+)[hH](\d)", "$1:$2")
    )
    years = texts.str.contains(r"^(?:19|20)\d\d$").all()
    if texts.str.contains(r"^(?:\d{1,2}\.\d\d|\d{4})$").all() and not years:  # 9.30 or 0930
        texts = texts.str.replace(r"^(\d+?)\.?(\d\d)$", "$1:$2")
    parts = texts.str.extract_groups(
        r"^(\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d+)?))?\s*(?:([AaPp])\.?[Mm]\.?)?$"
    )
    hour, minute, second = (
        parts.struct.field(str(i)).cast(pl.Float64, strict=False) for i in (1, 2, 3)
    )
    half, second = parts.struct.field("4").str.to_lowercase(), second.fill_null(0.0)
    twelve = half.is_null() | ((hour >= 1) & (hour <= 12))  # 13:00 AM has no reading
    hour = pl.select(
        pl.when(half.is_null()).then(hour).otherwise(hour % 12 + 12 * (half == "p").cast(pl.Int8))
    ).to_series()
    good = (hour < 24) & (minute < 60) & (second < 60) & twelve
    total = ((hour * 3600 + minute * 60 + second) * 1e6).round().cast(pl.Int64)
    return total.set(~good.fill_null(False), None)


def past_midnight(
    sheet: Sheet, column: str, days: np.ndarray, times: np.ndarray, places: np.ndarray
) -> str | None:
    """A note if times go from the evening to the early morning within the same date."""
    back = (days[1:] == days[:-1]) & (times[:-1] >= LATE) & (times[1:] < EARLY)
    later = np.flatnonzero(back) + 1
    if later.size == 0:
        return None
    where = sheet.where(places[later])
    return (
        f'{where}: the time in column "{column}" goes back to the early morning of the same date. '
        f"If observations went on past midnight, enter the date of the next day there."
    )


def dates_called_time(sheet: Sheet, columns: Columns, given: Mapping[str, Any]) -> Columns:
    """The columns, with a column of times that contains dates as the date, if there is no other.

    Times without dates, or with dates that are numbers, have no role, so that they are asked about.
    """
    column, date = columns["time"], columns["date"]
    if column is None or given["date"] is not None or given["time"]:
        return columns
    head = replace(sheet, frame=sheet.frame.head(10 * LOOKED_AT))
    if date is not None:
        days = head.column(date).drop_nulls()
        numbers = days if days.dtype.is_numeric() else days.cast(pl.Float64, strict=False)
        if days.dtype.is_temporal() or not numbers.count() or not (numbers < SERIALS[0]).all():
            return columns
    cells = head.column(column).drop_nulls().head(LOOKED_AT)
    dated = date is None and (cells.dtype in (pl.Date, pl.Datetime) or _are_dates(cells))
    if not dated:
        return replace(columns, of={role: c for role, c in columns.of.items() if role != "time"})
    of = {("date" if role == "time" else role): name for role, name in columns.of.items()}
    note = (
        f'Column "{column}" contains dates and was used as the date. To ignore it, use '
        f"{option('time', '')}."
    )
    return replace(columns, of=of, notes=[*columns.notes, note])


def _are_dates(cells: pl.Series) -> bool:
    """Whether the first cells of a column of text are dates rather than times of day."""
    if cells.dtype != pl.String:
        return False
    texts = [text for text in cells.str.strip_chars().to_list() if text]
    first = [text for text in texts if any(parse(text, order) for order in ORDERS)]
    of_excel = pl.Series(first, dtype=pl.String).str.contains(OF_EXCEL).any()
    return bool(texts) and 2 * len(first) > len(texts) and not of_excel


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

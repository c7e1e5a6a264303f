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
from collections.abc import Sequence
from dataclasses import replace
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
    parse,
    two_digit_year,
)
from peckorder.errors import ArgumentError, ArgumentTypeError, DataError
from peckorder.text import given, option

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
    places = np.arange(len(values)) if places is None else places
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
        problems = [] if date_format else serials_problem(sheet, column, numbers, places)
        return _by_number(sheet, column, numbers, places, problems)
    if values.dtype.is_temporal():
        if isinstance(values.dtype, pl.Datetime) and values.dtype.time_zone:
            sheet.notes.append(
                f'Times in column "{column}" were read as local times of their time zone '
                f"({values.dtype.time_zone})."
            )
            values = values.dt.replace_time_zone(None)
        try:
            stamps = values.cast(pl.Datetime("us")).to_numpy().astype("datetime64[us]")
        except pl.exceptions.PolarsError:
            raise DataError(
                f'Column "{column}" contains values of type {values.dtype}, which are not dates.'
            ) from None
        return stamps, missing.to_numpy(), []
    texts = values.cast(pl.String).str.strip_chars()
    if date_format is None and texts.head(LOOKED_AT).str.contains(WEEKDAY).any():
        texts = texts.str.replace(WEEKDAY, "$1")
    missing |= texts.is_in(MISSING)
    texts = texts.set(missing, None) if missing.any() else texts
    if date_format in NUMBERS:
        parsed, problems = _by_shape(sheet, column, texts, places, date_format)
    else:
        parsed, problems = _by_format(sheet, column, texts, date_format or ""), []
    failed = (
        (parsed.is_null() & ~missing).arg_true().to_numpy() if not problems else np.zeros(0, int)
    )
    if failed.size:
        formed = date_format if date_format not in NUMBERS else None
        expected = f"the format {formed}" if formed else "a date like the others"
        word = texts[int(failed[0])]
        serial = serial_words(word) if date_format is None else ""
        few = failed.size <= 0.1 * len(texts) and not serial
        leave = f"Correct the cells{sheet.leaving(places[failed])}. " if few else ""
        problems.append(
            f'{sheet.where(places[failed])}: "{word}" in column "{column}" cannot be read as '
            f"{expected}{serial}. {leave}Write dates as 2009-05-28 (a time may follow), as years "
            f"or as day numbers, or specify the format, such as "
            f"{option('date_format', '%d/%m/%y')}."
        )
    if parsed.dtype == pl.Float64:
        return _by_number(sheet, column, parsed, places, problems)
    stamps = parsed.cast(pl.Datetime("us")).to_numpy().astype("datetime64[us]")
    return stamps, missing.to_numpy(), problems


def _by_number(
    sheet: Sheet, column: str, values: pl.Series, places: np.ndarray, problems: list[str]
) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Years or day numbers, as long as they are exact."""
    numbers = values.fill_null(math.nan).to_numpy()
    too_large = np.flatnonzero(np.abs(numbers) > LARGEST_DATE)
    if too_large.size == 0:
        return numbers, np.isnan(numbers), problems
    where = sheet.where(places[too_large])
    problem = (
        f'{where}: {numbers[too_large[0]]:g} in column "{column}" is too large for a date. Write '
        f"dates as 2009-05-28, as years or as day numbers."
    )
    return numbers, np.isnan(numbers), [problem]


def no_dates(sheet: Sheet, column: str, places: np.ndarray, advice: str = "") -> str:
    """The message for rows without a date."""
    where = sheet.where(places)
    return f'{where}: no date in column "{column}". Enter the date{advice}.'


def _by_format(sheet: Sheet, column: str, texts: pl.Series, date_format: str) -> pl.Series:
    if "%" not in date_format:
        raise ArgumentError(
            f"{given('date_format', date_format)} is not a date format. Use codes such as %d, %m "
            'and %Y: "%d/%m/%Y" reads 28/05/2009, "%m/%d/%Y %H:%M" reads 5/28/2009 9:23. For dates '
            'stored as numbers, use "excel", "unix" or "number".'
        )
    strange = set(re.findall(r"%[-_0]?([^.\d])", date_format)) - FORMAT_SIGNS
    if strange:
        raise ArgumentError(
            f"{given('date_format', date_format)}: the code %{min(strange)} is not known."
        )
    has_time = re.search(r"%[HIMSpTRfcX]", date_format)
    unique = texts.drop_nulls().unique()
    if has_time:
        dates = unique.str.to_datetime(date_format, strict=False)
    else:
        dates = unique.str.to_date(date_format, strict=False).cast(pl.Datetime("us"))
    if "%Y" in date_format:  # 28/05/09 would be in the year 9
        dates = dates.set(~_four_digits(dates), None)
    if not date_format.lower().startswith("%y"):
        dates = _with_stored(sheet, column, unique, dates)
    return _spread(texts, unique, dates)


def _four_digits(dates: pl.Series) -> pl.Series:
    """Whether the year of each date has four digits; polars reads 09-05-28 as the year 9."""
    return (dates.dt.year() >= 1000).fill_null(True)


def _with_stored(sheet: Sheet, column: str, unique: pl.Series, dates: pl.Series) -> pl.Series:
    """Dates of cells in another format than that of the texts: real dates of a workbook."""
    stored = dates.is_null() & unique.str.contains(STORED)
    if not stored.any() or stored.all():
        return dates
    sheet.notes.append(
        f'Column "{column}": the format applies to dates written as text; those stored as dates, '
        f'such as "{unique.filter(stored)[0]}", were read as they are.'
    )
    read = [parse(word, "day") if own else None for word, own in zip(unique, stored, strict=True)]
    return dates.cast(pl.Datetime("us")).zip_with(~stored, pl.Series(read, dtype=pl.Datetime("us")))


def _by_shape(
    sheet: Sheet, column: str, texts: pl.Series, places: np.ndarray, numbers: str | None
) -> tuple[pl.Series, list[str]]:
    """Dates if they can be read in exactly one way, or the reason why they cannot."""
    present = texts.drop_nulls()
    if present.is_empty():
        return texts.cast(pl.Float64), []
    for form in ISO_FORMATS:
        if _in_iso(present.head(10), form).has_nulls():  # quick: most columns have one format
            continue
        dates = _in_iso(texts, form)
        first = pl.Series([dates.min()], dtype=dates.dtype)
        if dates.null_count() == texts.null_count() and _four_digits(first).all():
            return dates, []
    unique = present.unique(maintain_order=True)
    words = unique.to_list()
    if numbers is None and all(COMPACT.fullmatch(word) and compact(word) for word in words):
        return _spread(texts, unique, pl.Series([compact(word) for word in words])), []
    if numbers not in EPOCHS and all(NUMBER.fullmatch(word) for word in words):
        values = texts.cast(pl.Float64)
        return values, [] if numbers else serials_problem(sheet, column, values, places)
    if numbers in EPOCHS and all(NUMBER.fullmatch(word) for word in words):
        stamps = dates_of_serials(texts.cast(pl.Float64), numbers)
        return pl.Series(stamps, dtype=pl.Datetime("us")), []
    nothing = pl.Series([None] * len(texts), dtype=pl.Datetime("us"))
    if sheet.streamed:  # the value that decides may be in another batch
        return nothing, [
            f'To be read as a stream, column "{column}" must contain dates such as 2009-05-28, or '
            f"their format must be specified with {option('date_format')}."
        ]
    if problem := _mixed_zones(sheet, column, texts, places):
        return nothing, [problem]
    return _in_one_order(sheet, column, texts, places, unique, numbers)


def _in_iso(texts: pl.Series, form: str) -> pl.Series:
    if form == ISO_FORMATS[0]:
        return texts.str.to_date(form, strict=False).cast(pl.Datetime("us"))
    return texts.str.to_datetime(form, strict=False, time_unit="us")


def _in_one_order(
    sheet: Sheet,
    column: str,
    texts: pl.Series,
    places: np.ndarray,
    unique: pl.Series,
    numbers: str | None,
) -> tuple[pl.Series, list[str]]:
    """Dates in the order (day, month or year first) that fits them all, if there is only one."""
    words = unique.to_list()
    stored: list[dt.datetime | None] = [None] * len(words)
    if numbers in EPOCHS:
        values = unique.str.extract(f"^({NUMBER.pattern})$").cast(pl.Float64)
        stored = pl.Series(dates_of_serials(values, numbers)).to_list()
    readings = {
        order: [known or parse(word, order) for known, word in zip(stored, words, strict=True)]
        for order in ORDERS
    }
    fitting = {order: dates for order, dates in readings.items() if None not in dates}
    chosen = {tuple(dates): order for order, dates in reversed(fitting.items())}
    if len(chosen) > 1:
        unclear = [i for i in range(len(words)) if len({d[i] for d in fitting.values()}) > 1]
        if "day" not in fitting or not all(dotted(words[i]) for i in unclear):
            nothing = pl.Series([None] * len(texts), dtype=pl.Datetime("us"))
            return nothing, [_ambiguous(sheet, column, texts, places, words, fitting)]
        sheet.notes.append(
            f'Dates with dots in column "{column}", such as "{words[unclear[0]]}", were read day '
            f"first. For another order, use {option('date_format')}."
        )
        order = "day"
    elif fitting:
        order = next(iter(fitting))
    else:  # none fits all dates; those that do not fit the best one are reported by row
        order = min(readings, key=lambda order: readings[order].count(None))
    if fitting and (problem := swapped_dates(sheet, column, texts, places, words, order)):
        return pl.Series([None] * len(texts), dtype=pl.Datetime("us")), [problem]
    _note_short_years(sheet, column, words, readings[order])
    return _spread(texts, unique, pl.Series(readings[order], dtype=pl.Datetime("us"))), []


def _note_short_years(
    sheet: Sheet, column: str, words: list[str], dates: list[dt.datetime | None]
) -> None:
    years = [d.year for w, d in zip(words, dates, strict=True) if d and two_digit_year(w)]
    if years:
        last = f" to {max(years)}" if max(years) > min(years) else ""
        sheet.notes.append(
            f'Years of two digits in column "{column}" were read as {min(years)}{last}. For '
            f"another century, write them with four digits."
        )


def _mixed_zones(sheet: Sheet, column: str, texts: pl.Series, places: np.ndarray) -> str | None:
    """The problem of a column in which some times are in UTC (…Z) and others have no zone."""
    zoned = texts.str.contains(r"\d\s*Z$").fill_null(True).to_numpy()
    if not texts.str.contains(r"\d\s*Z$").any() or zoned.all():
        return None
    plain = np.flatnonzero(~zoned)
    return (
        f'{sheet.where(places[plain])}: "{texts[int(plain[0])]}" in column "{column}" has no time '
        "zone, but other times are in UTC (they end in Z). Write all times in the same way."
    )


def _spread(texts: pl.Series, unique: pl.Series, dates: pl.Series) -> pl.Series:
    """The date of each text, given the dates of the distinct texts."""
    found = pl.DataFrame({"text": unique, "date": dates})
    return (
        pl.DataFrame({"text": texts})
        .join(found, on="text", how="left", maintain_order="left")
        .get_column("date")
    )


def _ambiguous(
    sheet: Sheet,
    column: str,
    texts: pl.Series,
    places: np.ndarray,
    words: list[str],
    fitting: dict[str, list],
) -> str:
    orders = list(fitting)
    place = next(i for i in range(len(words)) if len({fitting[o][i] for o in orders}) > 1)
    word, row = words[place], sheet.rows(places[(texts == words[place]).arg_max()])
    dates = [fitting[order][place] for order in orders]
    readings = [f"{date.day} {date:%B %Y}" for date in dates]
    formats = [f"{option('date_format', format_of(word, o))} ({o} first)" for o in orders]
    return (
        f'The dates in column "{column}" are ambiguous: {sheet.row_word} {row}, '
        f'"{word}", is {" or ".join(dict.fromkeys(readings))}. Specify {" or ".join(formats)}.'
    )


PARTS_OF_DAY = {"dawn": 0, "am": 1, "morning": 1, "noon": 2, "midday": 2, "pm": 3, "afternoon": 3}
PARTS_OF_DAY |= {"evening": 4, "dusk": 4, "night": 5}
ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")
PART_OF_YEAR = re.compile(r"((?:19|20)\d\d)[-\s]?(?:w|kw|q|week)\s?(\d{1,2})")
NUMBERED = re.compile(r"(?:[^\W\d]+[\s.:#_-]*)?(\d{1,6})(?:st|nd|rd|th|\.)?")
MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
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
    if low.isalpha() and low[:3] in MONTH_NAMES:
        return MONTH_NAMES.index(low[:3]) + 1.0
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
        readings = {parse(word, order) for order in ORDERS} - {None}
        if dotted(word):
            readings = {parse(word, "day")} - {None}
        if len(readings) != 1:
            raise ArgumentError(f'"{value}" is not a date. Write dates as 2009-05-28.')
        value = readings.pop()
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


def dates_called_time(sheet: Sheet, columns: Columns, given: object) -> Columns:
    """The columns, with a column of times that contains dates as the date, if there is no other."""
    column = columns["time"]
    if column is None or columns["date"] is not None or given is not None:
        return columns
    first = replace(sheet, frame=sheet.frame.head(10 * LOOKED_AT))
    cells = first.column(column).drop_nulls().head(LOOKED_AT)
    if cells.dtype not in (pl.Date, pl.Datetime) and not _are_dates(cells):
        return columns
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
        f"{option('date_format', 'excel')} to read them so ({option('date_format', 'excel-1904')} "
        f"for old files from a Mac, {_day(present[0], 'excel-1904')}), or "
        f"{option('date_format', 'number')} for plain numbers."
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


SWAPPED_STORED = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?: .*)?", re.ASCII)


def swapped_dates(
    sheet: Sheet, column: str, texts: pl.Series, places: np.ndarray, words: list[str], order: str
) -> str | None:
    """The problem of a column whose real dates may have day and month exchanged."""
    stored = [match for word in words if (match := SWAPPED_STORED.fullmatch(word))]
    written = [match for word in words if (match := YEAR_LAST.fullmatch(word)) and match[2] != "."]
    if not stored or not written:
        return None
    days = [int(match[1 if order == "day" else 3]) for match in written]
    if any(int(match[3]) > 12 for match in stored) or min(days) <= 12:
        return None
    known = [match[0] for match in stored]
    where = texts.is_in(known).arg_true().to_numpy()
    form = option("date_format", format_of(written[0][0], order))
    return (
        f'{sheet.where(places[where])}: column "{column}" has dates, such as '
        f'"{known[0]}", and texts, such as "{written[0][0]}". No date is later than the 12th of a '
        f"month, and no text earlier than the 13th: a spreadsheet program may have exchanged day "
        f"and month of the dates. Compare them with the original, then use {form} to read the "
        f"texts so and the dates as they are, or write all dates as 2009-05-28."
    )

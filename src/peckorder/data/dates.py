"""Reading dates in common formats, provided that they are unambiguous.

A column becomes either datetimes (microseconds, no time zone) or plain numbers (years, days of
study). Dates that could be both day first and month first raise an error that shows both readings.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.sheet import Sheet
from peckorder.errors import ArgumentError, ArgumentTypeError, DataError
from peckorder.wording import given, option, rows

# Parsed by polars; values in other formats are parsed one by one.
ISO_FORMATS = (
    "%Y-%m-%d",
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%dT%H:%M:%S",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%d %H:%M:%S%.f",
    "%Y-%m-%dT%H:%M:%S%.f",
)
TIME = r"(?:[T ]+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?\s*([AaPp][Mm])?\s*Z?)?"
YEAR_FIRST = re.compile(r"(\d{4})([-./])(\d{1,2})\2(\d{1,2})" + TIME, re.ASCII)
YEAR_LAST = re.compile(r"(\d{1,2})([-./])(\d{1,2})\2(\d{4})" + TIME, re.ASCII)
COMPACT = re.compile(r"(1[89]\d\d|20\d\d)(\d\d)(\d\d)", re.ASCII)
WITH_MONTH_NAME = ("%d %B %Y", "%d %b %Y", "%d-%b-%Y", "%B %d, %Y", "%b %d, %Y", "%d. %B %Y")
FORMAT_SIGNS = set("YCymbBhdejaAuwUWGgVDxFvHkIlPpMSfRTXrZz+csq%")
MISSING = ["", "NA", "NaN", "n/a", "N/A"]
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?", re.ASCII)
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
    if values.dtype.is_integer() and (date_format or _all_compact(values)):
        values = values.cast(pl.String)
    if values.dtype.is_numeric():
        return _by_number(sheet, column, values.cast(pl.Float64), places)
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
    missing |= texts.is_in(MISSING)
    texts = texts.set(missing, None) if missing.any() else texts
    if date_format:
        parsed, problems = _by_format(texts, date_format), []
    else:
        parsed, problems = _by_shape(sheet, column, texts, places)
    failed = (
        (parsed.is_null() & ~missing).arg_true().to_numpy() if not problems else np.zeros(0, int)
    )
    if failed.size:
        expected = f"the format {date_format}" if date_format else "a date"
        problems.append(
            f"{rows(sheet.row_word, sheet.rows(places[failed]))}: "
            f'"{texts[int(failed[0])]}" in column "{column}" cannot be read as {expected}'
            f"{'' if date_format else ' like the others'}. Write dates as 2009-05-28 (a time may "
            f"follow), as years or as day numbers, or specify the format, such as "
            f"{option('date_format', '%d/%m/%y')}."
        )
    if parsed.dtype == pl.Float64:
        return _by_number(sheet, column, parsed, places)
    stamps = parsed.cast(pl.Datetime("us")).to_numpy().astype("datetime64[us]")
    return stamps, missing.to_numpy(), problems


def _by_number(
    sheet: Sheet, column: str, values: pl.Series, places: np.ndarray
) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Years or day numbers, as long as they are exact."""
    numbers = values.fill_null(math.nan).to_numpy()
    too_large = np.flatnonzero(np.abs(numbers) > LARGEST_DATE)
    if too_large.size == 0:
        return numbers, np.isnan(numbers), []
    where = rows(sheet.row_word, sheet.rows(places[too_large]))
    problem = (
        f'{where}: {numbers[too_large[0]]:g} in column "{column}" is too large for a date. Write '
        f"dates as 2009-05-28, as years or as day numbers."
    )
    return numbers, np.isnan(numbers), [problem]


def no_dates(sheet: Sheet, column: str, places: np.ndarray, advice: str = "") -> str:
    """The message for rows without a date."""
    where = rows(sheet.row_word, sheet.rows(places))
    return f'{where}: no date in column "{column}". Enter the date{advice}.'


def _all_compact(values: pl.Series) -> bool:
    """Whether whole numbers are dates such as 20090528."""
    present = values.drop_nulls().cast(pl.Int64, strict=False)
    if (
        present.is_empty()
        or present.has_nulls()
        or not present.is_between(18000101, 21001231).all()
    ):
        return False
    return all(_compact(str(value)) for value in present.unique())


def _by_format(texts: pl.Series, date_format: str) -> pl.Series:
    if "%" not in date_format:
        raise ArgumentError(
            f"{given('date_format', date_format)} is not a date format. Use codes such as %d, %m "
            f"and %Y: "
            f'"%d/%m/%Y" reads 28/05/2009, "%m/%d/%Y %H:%M" reads 5/28/2009 9:23.'
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
    return _spread(texts, unique, dates)


def _by_shape(
    sheet: Sheet, column: str, texts: pl.Series, places: np.ndarray
) -> tuple[pl.Series, list[str]]:
    """Dates if they can be read in exactly one way, or the reason why they cannot."""
    present = texts.drop_nulls()
    if present.is_empty():
        return texts.cast(pl.Float64), []
    for form in ISO_FORMATS:
        if form == ISO_FORMATS[0]:
            dates = texts.str.to_date(form, strict=False).cast(pl.Datetime("us"))
        else:
            dates = texts.str.to_datetime(form, strict=False, time_unit="us")
        if dates.null_count() == texts.null_count():
            return dates, []
    unique = present.unique(maintain_order=True)
    words = unique.to_list()
    if all(COMPACT.fullmatch(word) and _compact(word) for word in words):
        return _spread(texts, unique, pl.Series([_compact(word) for word in words])), []
    if all(NUMBER.fullmatch(word) for word in words):
        return texts.cast(pl.Float64), []
    nothing = pl.Series([None] * len(texts), dtype=pl.Datetime("us"))
    if sheet.streamed:  # the value that decides may be in another batch
        return nothing, [
            f'To be read as a stream, column "{column}" must contain dates such as 2009-05-28, or '
            f"their format must be specified with {option('date_format')}."
        ]
    if problem := _mixed_zones(sheet, column, texts, places):
        return nothing, [problem]
    day_first = [_parse(word, day_first=True) for word in words]
    month_first = [_parse(word, day_first=False) for word in words]
    readings = [r for r in (day_first, month_first) if None not in r]
    if len(readings) == 2 and day_first != month_first:
        return nothing, [_ambiguous(sheet, column, texts, places, words, day_first, month_first)]
    # If no reading fits all dates, use the one that fits more; the others are reported by row.
    best = min(readings or [day_first, month_first], key=lambda dates: dates.count(None))
    return _spread(texts, unique, pl.Series(best, dtype=pl.Datetime("us"))), []


def _mixed_zones(sheet: Sheet, column: str, texts: pl.Series, places: np.ndarray) -> str | None:
    """The problem of a column in which some times are in UTC (…Z) and others have no zone."""
    zoned = texts.str.contains(r"\d\s*Z$").fill_null(True).to_numpy()
    if not texts.str.contains(r"\d\s*Z$").any() or zoned.all():
        return None
    plain = np.flatnonzero(~zoned)
    return (
        f'{rows(sheet.row_word, sheet.rows(places[plain]))}: "{texts[int(plain[0])]}" in column '
        f'"{column}" has no time zone, but other times are in UTC (they end in Z). Write all times '
        f"in the same way."
    )


def _spread(texts: pl.Series, unique: pl.Series, dates: pl.Series) -> pl.Series:
    """The date of each text, given the dates of the distinct texts."""
    found = pl.DataFrame({"text": unique, "date": dates})
    return (
        pl.DataFrame({"text": texts})
        .join(found, on="text", how="left", maintain_order="left")
        .get_column("date")
    )


def _compact(word: str) -> dt.datetime | None:
    try:
        return dt.datetime.strptime(word, "%Y%m%d")
    except ValueError:
        return None


def _parse(word: str, *, day_first: bool) -> dt.datetime | None:
    if match := YEAR_FIRST.fullmatch(word):
        year, month, day = match[1], match[3], match[4]
    elif match := YEAR_LAST.fullmatch(word):
        year = match[4]
        day, month = (match[1], match[3]) if day_first else (match[3], match[1])
    elif COMPACT.fullmatch(word):
        return _compact(word)
    else:
        for form in WITH_MONTH_NAME:
            try:
                return dt.datetime.strptime(word, form)
            except ValueError:
                continue
        return None
    hour, minute, second, fraction, half = match.groups()[4:]
    hour = int(hour or 0)
    if half:
        hour = hour % 12 + (12 if half.lower() == "pm" else 0)
    try:
        return dt.datetime(
            int(year),
            int(month),
            int(day),
            hour,
            int(minute or 0),
            int(second or 0),
            int((fraction or "0").ljust(6, "0")),
        )
    except ValueError:
        return None


def _ambiguous(sheet, column, texts, places, words, day_first, month_first) -> str:
    place = next(i for i in range(len(words)) if day_first[i] != month_first[i])
    word, one, other = words[place], day_first[place], month_first[place]
    sign = YEAR_LAST.fullmatch(word)[2]  # pyright: ignore[reportOptionalSubscript]
    time = "" if ":" not in word else " %H:%M:%S" if word.count(":") == 2 else " %H:%M"
    row = sheet.rows(places[(texts == word).arg_max()])
    return (
        f'The dates in column "{column}" are ambiguous: {sheet.row_word} {row}, '
        f'"{word}", is {one.day} {one:%B %Y} or {other.day} {other:%B %Y}. Specify '
        f"{option('date_format', f'%d{sign}%m{sign}%Y{time}')} (day first) or "
        f"{option('date_format', f'%m{sign}%d{sign}%Y{time}')} (month first)."
    )


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
    return np.zeros(len(values), np.int64), [
        f'{rows(sheet.row_word, sheet.rows(places[bad]))}: {said} in column "{column}". Write 9:23 '
        f"or 09:23:45, or use {option('time', '')} to ignore times."
    ]


def _times_of_text(texts: pl.Series) -> pl.Series:
    """Microseconds since midnight; null if the text is not a time."""
    # Excel stores a time of day as a datetime on 1899-12-30 or 31.
    texts = texts.str.strip_chars().str.replace(r"^1899-12-3[01][ T]", "")
    parts = texts.str.extract_groups(r"^(\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d+)?))?\s*([AaPp][Mm])?$")
    hour, minute, second = (
        parts.struct.field(str(i)).cast(pl.Float64, strict=False) for i in (1, 2, 3)
    )
    half, second = parts.struct.field("4").str.to_lowercase(), second.fill_null(0.0)
    hour = pl.select(
        pl.when(half.is_null()).then(hour).otherwise(hour % 12 + 12 * (half == "pm").cast(pl.Int8))
    ).to_series()
    good = (hour < 24) & (minute < 60) & (second < 60)
    total = ((hour * 3600 + minute * 60 + second) * 1e6).round().cast(pl.Int64)
    return total.set(~good.fill_null(False), None)


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
        readings = {_parse(value.strip(), day_first=first) for first in (True, False)} - {None}
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
    return f"{value:g}"


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

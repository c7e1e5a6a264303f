"""Dates as people write them, read only when there is one way to read them.

A column becomes either datetimes (microseconds, no time zone) or plain numbers (years, days of
study). Text that can be read day first and month first is refused with both readings.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.source import Sheet
from peckorder.errors import DataError
from peckorder.wording import rows

# Read by polars at full speed; whatever does not fit is looked at value by value.
ISO_FORMATS = (
    "%Y-%m-%d",
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%dT%H:%M:%S",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%d %H:%M:%S%.f",
    "%Y-%m-%dT%H:%M:%S%.f",
)
TIME = r"(?:[T ]+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?\s*([AaPp][Mm])?\s*Z?)?"
YEAR_FIRST = re.compile(r"(\d{4})([-./])(\d{1,2})\2(\d{1,2})" + TIME)
YEAR_LAST = re.compile(r"(\d{1,2})([-./])(\d{1,2})\2(\d{4})" + TIME)
COMPACT = re.compile(r"(1[89]\d\d|20\d\d)(\d\d)(\d\d)")
WITH_MONTH_NAME = ("%d %B %Y", "%d %b %Y", "%d-%b-%Y", "%B %d, %Y", "%b %d, %Y", "%d. %B %Y")
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")
DAY = np.timedelta64(1, "D")


def read_dates(
    sheet: Sheet, column: str, values: pl.Series, date_format: str | None
) -> tuple[np.ndarray, list[str]]:
    """Datetimes or numbers, and the problems found; places with a problem hold NaT or NaN."""
    missing = values.is_null()
    if values.dtype == pl.String:
        missing |= values.str.strip_chars().str.len_bytes() == 0
    problems = []
    if missing.any():
        where = rows(sheet.row_word, sheet.rows(missing.arg_true().to_numpy()))
        problems.append(
            f'{where}: no date in column "{column}". Fill it in, pass missing="drop" to leave such '
            f'rows out, or date="" to do without dates.'
        )
    if values.dtype.is_numeric():
        numbers = values.cast(pl.Float64).fill_null(math.nan).to_numpy()
        return numbers, problems
    if values.dtype.is_temporal():
        if isinstance(values.dtype, pl.Datetime) and values.dtype.time_zone:
            values = values.dt.replace_time_zone(None)
        return values.cast(pl.Datetime("us")).to_numpy().astype("datetime64[us]"), problems
    texts = values.cast(pl.String).str.strip_chars()
    texts = texts.set(missing, None) if missing.any() else texts
    parsed = _by_format(texts, date_format) if date_format else _by_shape(sheet, column, texts)
    failed = parsed.is_null() & ~missing
    if failed.any():
        problems.append(_not_parsed(sheet, column, texts, failed, date_format))
    if parsed.dtype == pl.Float64:
        return parsed.fill_null(math.nan).to_numpy(), problems
    return parsed.cast(pl.Datetime("us")).to_numpy().astype("datetime64[us]"), problems


def _not_parsed(sheet, column, texts, failed, date_format) -> str:
    where = failed.arg_true().to_numpy()
    asked = f"the format {date_format}" if date_format else "a date"
    return (
        f'{rows(sheet.row_word, sheet.rows(where))}: "{texts[int(where[0])]}" in column "{column}" '
        f"cannot be read as {asked}. Write 2009-05-28 (a time may follow), a year or a day number, "
        f'or give the format, for example date_format="%d.%m.%y".'
    )


def _by_format(texts: pl.Series, date_format: str) -> pl.Series:
    if "%" not in date_format:
        raise ValueError(
            f'date_format="{date_format}" is no format. Use signs such as %d, %m and %Y: '
            f'"%d/%m/%Y" reads 28/05/2009, "%m/%d/%Y %H:%M" reads 5/28/2009 9:23.'
        )
    has_time = re.search(r"%[HIMSpTRfcX]", date_format)
    unique = texts.drop_nulls().unique()
    if has_time:
        dates = unique.str.to_datetime(date_format, strict=False)
    else:
        dates = unique.str.to_date(date_format, strict=False).cast(pl.Datetime("us"))
    return _spread(texts, unique, dates)


def _by_shape(sheet: Sheet, column: str, texts: pl.Series) -> pl.Series:
    present = texts.drop_nulls()
    if present.is_empty():
        return texts.cast(pl.Float64)
    for form in ISO_FORMATS:
        if form == ISO_FORMATS[0]:
            dates = texts.str.to_date(form, strict=False).cast(pl.Datetime("us"))
        else:
            dates = texts.str.to_datetime(form, strict=False, time_unit="us")
        if dates.null_count() == texts.null_count():
            return dates
    unique = present.unique(maintain_order=True)
    words = unique.to_list()
    if all(COMPACT.fullmatch(word) and _compact(word) for word in words):
        return _spread(texts, unique, pl.Series([_compact(word) for word in words]))
    if all(NUMBER.fullmatch(word) for word in words):
        return texts.cast(pl.Float64)
    day_first = [_parse(word, day_first=True) for word in words]
    month_first = [_parse(word, day_first=False) for word in words]
    readings = [r for r in (day_first, month_first) if None not in r]
    if len(readings) == 2 and day_first != month_first:
        _refuse_ambiguous(sheet, column, texts, words, day_first, month_first)
    # With no reading that fits all, the one that fits more; what is left is named row by row.
    best = min(readings or [day_first, month_first], key=lambda dates: dates.count(None))
    return _spread(texts, unique, pl.Series(best, dtype=pl.Datetime("us")))


def _spread(texts: pl.Series, unique: pl.Series, dates: pl.Series) -> pl.Series:
    """The value of each text, given the values of the distinct ones."""
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
            int(year), int(month), int(day), hour, int(minute or 0), int(second or 0),
            int((fraction or "0").ljust(6, "0")),
        )  # fmt: skip
    except ValueError:
        return None


def _refuse_ambiguous(sheet, column, texts, words, day_first, month_first) -> None:
    place = next(i for i in range(len(words)) if day_first[i] != month_first[i])
    word, one, other = words[place], day_first[place], month_first[place]
    sign = YEAR_LAST.fullmatch(word)[2]  # pyright: ignore[reportOptionalSubscript]
    time = "" if ":" not in word else " %H:%M:%S" if word.count(":") == 2 else " %H:%M"
    row = sheet.rows((texts == word).arg_max())
    raise DataError(
        f'Column "{column}" can be read day first or month first: {sheet.row_word} {row}, '
        f'"{word}", is {one:%-d %B %Y} or {other:%-d %B %Y}. Say which: '
        f'date_format="%d{sign}%m{sign}%Y{time}" (day first) or '
        f'date_format="%m{sign}%d{sign}%Y{time}" (month first); --date-format in the shell.'
    )


def read_times(sheet: Sheet, column: str, values: pl.Series) -> tuple[np.ndarray, list[str]]:
    """Times of day as microseconds since midnight; a missing time is midnight."""
    if values.dtype == pl.Time:
        return values.cast(pl.Int64).fill_null(0).to_numpy() // 1000, []
    if values.dtype.is_temporal():
        values = values.dt.time()
        return values.cast(pl.Int64).fill_null(0).to_numpy() // 1000, []
    # Workbooks give a time of day as a moment on the eve of 1900.
    texts = values.cast(pl.String).str.strip_chars().str.replace(r"^1899-12-3[01][ T]", "")
    texts = texts.set(texts == "", None)
    parts = texts.str.extract_groups(r"^(\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d+)?))?\s*([AaPp][Mm])?$")
    hour, minute, second, half = (parts.struct.field(str(i)) for i in range(1, 5))
    afternoon = half.str.to_lowercase() == "pm"
    hour, minute = hour.cast(pl.Float64), minute.cast(pl.Float64)
    hour = pl.select(
        pl.when(half.is_null()).then(hour).otherwise(hour % 12 + 12 * afternoon.cast(pl.Int8))
    ).to_series()
    second = second.cast(pl.Float64).fill_null(0.0)
    good = (hour < 24) & (minute < 60) & (second < 60)
    failed = texts.is_not_null() & ~good.fill_null(False)
    if failed.any():
        where = failed.arg_true().to_numpy()
        return np.zeros(len(values), np.int64), [
            f'{rows(sheet.row_word, sheet.rows(where))}: "{texts[int(where[0])]}" in column '
            f'"{column}" is no time of day. Write 9:23 or 09:23:45, or pass time="" to do without.'
        ]
    microseconds = ((hour * 3600 + minute * 60 + second) * 1e6).fill_null(0.0)
    return microseconds.to_numpy().round().astype(np.int64), []


def moment(value: Any, like: np.ndarray, *, end_of_day: bool = True) -> Any:
    """One date given by the user, as a value comparable with `like`."""
    if like.dtype.kind != "M":
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise ValueError(
                f"{value!r} is no number; these data are dated by numbers "
                f"({like[0]:g} to {like[-1]:g})."
            ) from None
        return np.float64(number)
    if isinstance(value, str):
        parsed = _parse(value.strip(), day_first=True)
        if parsed is None or parsed != _parse(value.strip(), day_first=False):
            raise ValueError(f'"{value}" is no date. Write it as 2009-05-28.')
        stamp, only_date = np.datetime64(parsed, "us"), ":" not in value
    elif isinstance(value, dt.date | np.datetime64):
        stamp = np.asarray(value).astype("datetime64[us]")[()]
        only_date = not isinstance(value, dt.datetime) and stamp == stamp.astype("datetime64[D]")
    else:
        raise ValueError(f"{value!r} is no date. Write it as 2009-05-28.")
    if np.isnat(stamp):
        raise ValueError("The date is missing (NaT).")
    if only_date and end_of_day:
        stamp = stamp + DAY - np.timedelta64(1, "us")
    return stamp


def whole_days(dates: np.ndarray) -> np.ndarray:
    """Datetimes cut to their day; numbers as they are."""
    return dates.astype("datetime64[D]") if dates.dtype.kind == "M" else dates


def date_words(value: Any) -> str:
    """A date for a message or a table of plain text."""
    if isinstance(value, np.datetime64):
        stamp = value.astype("datetime64[us]").astype(dt.datetime)
        return f"{stamp:%Y-%m-%d}" if stamp.time() == dt.time() else f"{stamp:%Y-%m-%d %H:%M:%S}"
    return f"{value:g}"


def date_column(dates: np.ndarray) -> pl.Series:
    """Dates for a table: days where every time is midnight, integers where all are whole."""
    if dates.dtype.kind == "M":
        column = pl.Series(dates.astype("datetime64[us]"))
        valid = dates[~np.isnat(dates)]
        return column.cast(pl.Date) if (whole_days(valid) == valid).all() else column
    column = pl.Series(dates).fill_nan(None)
    valid = dates[~np.isnan(dates)]
    return column.cast(pl.Int64) if (valid == np.floor(valid)).all() else column

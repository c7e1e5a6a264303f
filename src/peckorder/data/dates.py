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

from peckorder.data.date_texts import (
    COMPACT,
    ORDERS,
    all_compact,
    compact,
    dotted,
    format_of,
    parse,
    two_digit_year,
)
from peckorder.data.excel_dates import (
    EPOCHS,
    NUMBER,
    NUMBERS,
    dates_of_serials,
    serial_words,
    serials_problem,
)
from peckorder.data.swapped_dates import swapped_dates
from peckorder.errors import ArgumentError, ArgumentTypeError, DataError
from peckorder.sources.sheet import Sheet
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
STORED = r"^\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d(?:\.\d+)?)?$"  # a real date of a workbook
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
        problems.append(
            f"{rows(sheet.row_word, sheet.rows(places[failed]))}: "
            f'"{word}" in column "{column}" cannot be read as {expected}{serial}. Write dates as '
            f"2009-05-28 (a time may follow), as years or as day numbers, or specify the format, "
            f"such as {option('date_format', '%d/%m/%y')}."
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


def _by_format(sheet: Sheet, column: str, texts: pl.Series, date_format: str) -> pl.Series:
    if "%" not in date_format:
        raise ArgumentError(
            f"{given('date_format', date_format)} is not a date format. Use codes such as %d, %m "
            f"and %Y: "
            f'"%d/%m/%Y" reads 28/05/2009, "%m/%d/%Y %H:%M" reads 5/28/2009 9:23. For dates '
            f'stored as numbers, use "excel", "unix" or "number".'
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

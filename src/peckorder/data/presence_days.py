"""Days and months of presence data, in a column or in the header of a wide table.

A month stands for all its days. Months are recognized if all values are written as such (2019-01,
01/2019, Jan 2019); "Jan-19" may be a day of a month as well and is refused like any date that
cannot be read.
"""

from __future__ import annotations

import re
from calendar import month_abbr, month_name
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from peckorder.data.dates import MISSING, no_dates, read_dates, whole_days
from peckorder.data.presence import ONE_DAY, forever
from peckorder.errors import DataError
from peckorder.sources.sheet import Sheet

WORDS = {word.casefold(): i for names in (month_abbr, month_name) for i, word in enumerate(names)}
MONTHS = (
    re.compile(r"(?P<year>\d{4})[-/ ](?P<month>\d{1,2})", re.ASCII),
    re.compile(r"X(?P<year>\d{4})\.(?P<month>\d{1,2})", re.ASCII),  # as R changes labels
    re.compile(r"(?P<month>\d{1,2})[-/. ](?P<year>\d{4})", re.ASCII),
    re.compile(r"(?P<word>[A-Za-z]{3,9})\.?[-/ ]?(?P<year>\d{4})", re.ASCII),
    re.compile(r"(?P<year>\d{4})[-/ ]?(?P<word>[A-Za-z]{3,9})", re.ASCII),
)
DAY = re.compile(
    r"X?\d{1,4}[-./]\d{1,2}[-./]\d{1,4}([ T].*)?|\d{8}|\d{1,2}\.?[ -]?[A-Za-z]{3,9}[ -]?\d{4}"
    r"|[A-Za-z]{3,9} \d{1,2}, \d{4}",
    re.ASCII,
)
SHORT = re.compile(r"(?P<word>[A-Za-z]{3,9})[-' ]\d{2}|\d{2}[-' ](?P<end>[A-Za-z]{3,9})", re.ASCII)
YEAR = re.compile(r"(1[89]|20|21)\d\d", re.ASCII)


@dataclass(frozen=True)
class Spans:
    """First and last day of each row or column of a wide table, and what they are."""

    first: np.ndarray
    last: np.ndarray
    unit: str

    def gaps(self) -> int:
        """How often the next span does not follow directly, in order of time."""
        if self.first.dtype.kind != "M":
            return 0
        order = np.argsort(self.first, kind="stable")
        return int((self.first[order][1:] > self.last[order][:-1] + ONE_DAY).sum())


def month_of(text: str) -> np.datetime64 | None:
    """The month that a text means, or None.

    >>> [str(month_of(text)) for text in ("2019-01", "Feb 2019", "3/2019", "2019-13", "Jan-19")]
    ['2019-01', '2019-02', '2019-03', 'None', 'None']
    """
    for form in MONTHS:
        if found := form.fullmatch(text.strip()):
            parts = found.groupdict()
            word = parts.get("word")
            month = WORDS.get(word.casefold(), 0) if word else int(parts["month"])
            if 1 <= month <= 12:
                return np.datetime64(f"{parts['year']}-{month:02d}", "M")
    return None


def is_time_label(label: str) -> bool:
    """Whether the label of a column looks like a day or a month."""
    text = label.strip()
    return bool(DAY.fullmatch(text)) or month_of(text) is not None


def may_be_short_month(label: str) -> bool:
    """Whether a label is a month with two digits, which may be a year or a day.

    >>> may_be_short_month("Jan-19"), may_be_short_month("19-Feb"), may_be_short_month("Abe 12")
    (True, True, False)
    """
    found = SHORT.fullmatch(label.strip())
    return found is not None and (found["word"] or found["end"]).casefold() in WORDS


def is_year_label(label: str) -> bool:
    """Whether the label of a column is a year."""
    return bool(YEAR.fullmatch(label.strip()))


def spans_of_column(sheet: Sheet, column: str, date_format: str | None) -> Spans:
    """Days or months in a column."""
    values = sheet.column(column)
    return _spans(sheet, column, values, date_format)


def spans_of_labels(sheet: Sheet, labels: list[str], date_format: str | None) -> Spans:
    """Days or months in the header; errors name the column instead of the row."""
    texts = pl.Series([re.sub(r"^X(?=\d)", "", label.strip()) for label in labels])
    texts = texts.str.replace(r"^(\d{4})\.(\d{2})\.(\d{2})$", "$1-$2-$3")
    if all(month_of(label) is not None for label in labels):
        texts = pl.Series(labels)
    numbers = np.array([sheet.columns.index(label) + 1 for label in labels])
    header = replace(sheet, row_word="column", picked=numbers, files=None)
    return _spans(header, "header", texts, date_format)


def _spans(sheet: Sheet, column: str, values: pl.Series, date_format: str | None) -> Spans:
    texts = values.to_list() if values.dtype == pl.String else []
    months = [month_of(text) for text in texts if text is not None]
    if months and len(months) == len(values) and None not in months:
        first = np.array(months, "datetime64[M]")
        last = (first + 1).astype("datetime64[D]") - ONE_DAY
        return Spans(first.astype("datetime64[D]"), last, "month")
    days = plain_days(sheet, column, values, date_format)
    return Spans(days, days, "day" if days.dtype.kind == "M" else "number")


def read_days(sheet: Sheet, column: str, date_format: str | None, *, open_end=False) -> np.ndarray:
    """Days of a column; with `open_end`, an empty cell means no end."""
    values = sheet.column(column)
    if not open_end:
        return plain_days(sheet, column, values, date_format)
    absent = blanks(values)
    if absent.all():
        return np.full(len(values), np.datetime64("9999-12-31"))
    present = values.gather(pl.Series(np.flatnonzero(~absent)))
    known = plain_days(sheet, column, present, date_format, places=np.flatnonzero(~absent))
    days = np.full(len(values), forever(known), known.dtype)
    days[~absent] = known
    return days


def blanks(values: pl.Series) -> np.ndarray:
    """Which cells are empty."""
    if values.dtype == pl.String:
        return values.fill_null("").str.strip_chars().is_in(MISSING).to_numpy()
    if values.dtype.is_float():
        values = values.fill_nan(None)
    return values.is_null().to_numpy()


def plain_days(
    sheet: Sheet,
    column: str,
    values: pl.Series,
    date_format: str | None,
    *,
    places: np.ndarray | None = None,
) -> np.ndarray:
    """Days of a column; the format is used only if they cannot be read without it."""
    places = np.arange(len(values)) if places is None else places
    try:
        dates, lost, problems = read_dates(sheet, column, values, places=places)
    except DataError as error:
        dates, lost, problems = np.zeros(0), np.zeros(0, bool), list(error.problems)
    if problems and date_format is not None:
        dates, lost, problems = read_dates(sheet, column, values, date_format, places=places)
    if lost.any():
        problems.append(no_dates(sheet, column, places[lost]))
    if problems:
        raise DataError(*(f"{sheet.name}: {problem}" for problem in problems))
    return whole_days(dates)

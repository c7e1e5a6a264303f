"""Times of day: in a column of their own, beyond midnight, and dates in a column called time."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import polars as pl

from peckorder.data.date_texts import ORDERS, parse
from peckorder.sources.columns import Columns
from peckorder.sources.sheet import Sheet
from peckorder.wording import option, rows

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
        f'{rows(sheet.row_word, sheet.rows(places[bad]))}: {said} in column "{column}". Write 9:23 '
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
    texts = texts.str.strip_chars().str.replace(OF_EXCEL, "")
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
    where = rows(sheet.row_word, sheet.rows(places[later]))
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

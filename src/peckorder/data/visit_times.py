"""Times of visits: time stamps, numbers of seconds, or times of day with a column of dates."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from peckorder.data.dates import MISSING, read_dates, whole_days
from peckorder.data.durations import SECOND
from peckorder.data.times import read_times
from peckorder.sources.sheet import Sheet
from peckorder.wording import counted, option, rows

CLOCK = r"^\s*\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?\s*([AaPp][Mm])?\s*$"
DAY = 86_400 * SECOND


def where(sheet: Sheet, mask: np.ndarray) -> str:
    """Rows as they appear in messages."""
    return rows(sheet.row_word, sheet.rows(np.flatnonzero(mask)))


def days_of(
    sheet: Sheet,
    found: dict[str, str],
    given: dict[str, Any],
    date_format: str | None,
    problems: list[str],
    notes: list[str],
) -> np.ndarray | None:
    """Days in microseconds, if starts are times of day and there is a column of dates."""
    column = found.get("date")
    if column is None:
        return None
    starts = sheet.column(found["start"])
    if not (starts.dtype == pl.Time or _are_clock_times(starts)):
        if given.get("date"):
            problems.append(
                f'{sheet.name}: column "{found["start"]}" does not contain times of day such as '
                f"09:23:45, so {option('date')} cannot be used."
            )
        del found["date"]
        return None
    days, lost, wrong = read_dates(sheet, column, sheet.column(column), date_format)
    problems += wrong
    if days.dtype.kind != "M" and not wrong:
        problems.append(f'{sheet.name}: column "{column}" contains numbers, not dates.')
    if lost.any():
        problems.append(f'{where(sheet, lost)}: no date in column "{column}". Enter the date.')
    if problems:
        return np.zeros(sheet.height, np.int64)
    notes.append(
        f'Times in column "{found["start"]}" were combined with the dates in column "{column}".'
    )
    return whole_days(days).astype("datetime64[us]").astype(np.int64)


def _are_clock_times(cells: pl.Series) -> bool:
    if cells.dtype != pl.String:
        return False
    present = cells.drop_nulls().filter(~cells.drop_nulls().str.strip_chars().is_in(MISSING))
    return len(present) > 0 and bool(present.head(1000).str.contains(CLOCK).all())


def times_of(
    sheet: Sheet,
    column: str,
    date_format: str | None,
    problems: list[str],
    day: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray, bool]:
    """Microseconds, where there are none, and whether they are dates (or numbers of seconds)."""
    cells = sheet.column(column)
    if day is not None:
        return *_clock_times(sheet, column, cells, problems, day), True
    values, lost, wrong = read_dates(sheet, column, cells, date_format)
    problems += wrong
    if values.dtype.kind == "M":
        times = values.astype("datetime64[us]").astype(np.int64)
        known = values[~lost]
        if not wrong and known.size > 1 and (whole_days(known) == known).all():
            problems.append(
                f'{sheet.name}: column "{column}" contains dates without a time of day. Visits are '
                f"compared in seconds: write times such as 2009-05-28 09:23:45, or name a column "
                f"of times of day as {option('start')} and the dates as {option('date')}."
            )
        return np.where(lost, 0, times), lost, True
    large = np.abs(np.where(lost, 0.0, values)) > 1e12  # microseconds would not be exact
    if large.any() and not wrong:
        problems.append(
            f'{where(sheet, large)}: {values[large][0]:g} in column "{column}" is too large for a '
            f"time in seconds. Write times such as 2009-05-28 09:23:45."
        )
    return np.where(lost | large, 0.0, np.rint(values * SECOND)).astype(np.int64), lost, False


def _clock_times(
    sheet: Sheet, column: str, cells: pl.Series, problems: list[str], day: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Times of day, added to the days."""
    lost = cells.is_null().to_numpy()
    if cells.dtype == pl.String:
        lost = cells.fill_null("").str.strip_chars().is_in(MISSING).to_numpy()
    places = np.flatnonzero(~lost)
    clock, wrong = read_times(sheet, column, cells.gather(pl.Series(places)), places)
    problems += wrong
    times = day.copy()
    times[places] += clock
    return times, lost


def ends_of(
    sheet: Sheet,
    found: dict[str, str],
    start: np.ndarray,
    dated: bool,
    date_format: str | None,
    problems: list[str],
    day: np.ndarray | None,
    notes: list[str],
) -> tuple[np.ndarray, np.ndarray]:
    """Ends of visits, and where there is none."""
    cells = sheet.column(found["end"])
    blank = cells.is_null()
    if cells.dtype == pl.String:
        blank |= cells.str.strip_chars().is_in(MISSING)
    if blank.all():
        return start, np.ones(len(start), bool)
    end, lost, same = times_of(sheet, found["end"], date_format, problems, day)
    if same != dated and not problems:
        problems.append(
            f'{sheet.name}: columns "{found["start"]}" and "{found["end"]}" must both contain '
            f"dates with times, or both numbers of seconds."
        )
    if day is not None:
        late = ~lost & (end < start)
        if late.any():
            notes.append(
                f"{counted(int(late.sum()), 'visit')} ended at an earlier time of day than they "
                f"started, on the next day."
            )
        end = end + DAY * late
    return end, lost


def without_end(
    sheet: Sheet,
    found: dict[str, str],
    start: np.ndarray,
    end: np.ndarray,
    lost: np.ndarray,
    rule: str,
    problems: list[str],
    notes: list[str],
) -> np.ndarray:
    """Ends; visits without one are refused, or are detections at their start."""
    if not lost.any():
        return end
    if rule == "refuse":
        problems.append(
            f'{where(sheet, lost)}: no end in column "{found["end"]}". Enter it, or use '
            f"{option('missing_end', 'start')} to take such visits as detections at their start."
        )
    else:
        notes.append(
            f"{counted(int(lost.sum()), 'visit')} without an end counted as a detection at the "
            f"start."
        )
    return np.where(lost, start, end)

"""Reading tables of visits: who was at which feeder or antenna, from when to when.

A row is a visit with a start and an end, or a detection at a single time. Rows are checked like
those of contests: all problems are reported together, with their rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from peckorder.checked import one_of
from peckorder.data.columns import fits, refuse_other_types
from peckorder.data.dates import MISSING, read_dates, read_times, whole_days
from peckorder.data.durations import SECOND
from peckorder.data.file_rows import FileRows
from peckorder.data.names import text_of
from peckorder.data.sheet import Sheet
from peckorder.data.source import open_sheet
from peckorder.errors import DataError
from peckorder.wording import counted, option, quoted, rows

ALIASES = {
    "individual": (
        "id",
        "individual",
        "animal",
        "tag",
        "animal_id",
        "individual_id",
        "tag_id",
        "bird",
        "bird_id",
        "cow",
        "cow_id",
        "subject",
        "pit",
        "rfid",
        "transponder",
    ),
    "place": (
        "place",
        "feeder",
        "antenna",
        "bin",
        "feeder_id",
        "antenna_id",
        "bin_id",
        "logger",
        "logger_id",
        "location",
        "site",
        "station",
        "drinker",
        "bunk",
        "reader",
    ),
    "start": (
        "start",
        "start_time",
        "begin",
        "arrival",
        "time_in",
        "entry",
        "timestamp",
        "time_stamp",
        "datetime",
        "date_time",
        "time",
        "detection",
    ),
    "end": ("end", "end_time", "stop", "departure", "time_out", "exit"),
    "date": ("date", "day"),
}
OPTIONAL = ("end", "date")
CLOCK = r"^\s*\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?\s*([AaPp][Mm])?\s*$"
DAY = 86_400 * SECOND
MISSING_ENDS = ("refuse", "start")


@dataclass(frozen=True, eq=False)
class Visits:
    """Visits sorted by place and start; times in microseconds."""

    individuals: tuple[str, ...]
    places: tuple[str, ...]
    who: np.ndarray
    place: np.ndarray
    start: np.ndarray
    end: np.ndarray
    rows: np.ndarray
    dated: bool
    source: str
    rows_in: int
    row_word: str
    flavor: str
    files: FileRows | None
    columns: dict[str, str]
    unused: tuple[str, ...]
    dropped: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def labels(self, visits: np.ndarray) -> np.ndarray:
        """Rows of these visits as they appear in messages."""
        numbers = np.sort(self.rows[visits])
        return numbers if self.files is None else self.files.labels(numbers)


def read_visits(
    source: Any,
    columns: dict[str, Any],
    *,
    date_format: str | None = None,
    missing: str = "refuse",
    missing_end: str = "refuse",
    **opening: Any,
) -> Visits:
    """Read and check a table of visits; `columns` are given by role, or detected."""
    one_of("missing", missing, ("refuse", "drop"))
    one_of("missing_end", missing_end, MISSING_ENDS)
    sheet = open_sheet(source, **opening)
    found, notes = _find_columns(sheet, columns)
    if sheet.height == 0:
        raise DataError(f"{sheet.name} has a header but no visits.")
    problems: list[str] = []
    who, individuals, no_name = _coded(sheet, found["individual"])
    if "place" in found:
        place, places, no_place = _coded(sheet, found["place"], by_name=True)
    else:
        place, places = np.zeros(sheet.height, np.int32), ("",)
        no_place = np.zeros(sheet.height, bool)
    day = _days(sheet, found, columns, date_format, problems, notes)
    start, no_start, dated = _times(sheet, found["start"], date_format, problems, day)
    lost = {"individual": no_name, "place": no_place, "start": no_start}
    if missing == "refuse":
        for role, gone in lost.items():
            if gone.any():
                problems.append(
                    f'{_where(sheet, gone)}: no {role} in column "{found[role]}". Fill it in, or '
                    f"use {option('missing', 'drop')} to drop such rows."
                )
    kept = ~(no_name | no_place | no_start)
    end = start
    if "end" in found:
        end, no_end = _ends(sheet, found, start, dated, date_format, problems, day, notes)
        end = _without_end(sheet, found, start, end, no_end & kept, missing_end, problems, notes)
        backwards = kept & (end < start)
        if backwards.any() and not problems:
            problems.append(
                f"{_where(sheet, backwards)}: the visit ends before it starts. Correct the times."
            )
    else:
        notes.append("There is no column of ends: each row is a detection at a single time.")
    if problems:
        raise DataError(*problems)
    if not kept.any():
        raise DataError(f"{sheet.name}: no visits remain.")
    order = _sorted(place, start, kept)
    return Visits(
        individuals,
        places,
        who[order],
        place[order],
        start[order],
        end[order],
        sheet.numbers(order),
        dated,
        sheet.name,
        sheet.height,
        sheet.row_word,
        sheet.flavor,
        sheet.files,
        found,
        tuple(column for column in sheet.columns if column not in found.values()),
        {"no individual, place or start": int((~kept).sum())} if not kept.all() else {},
        (*sheet.notes, *notes),
    )


def _find_columns(sheet: Sheet, given: dict[str, Any]) -> tuple[dict[str, str], list[str]]:
    refuse_other_types(sheet, given)
    found, problems, notes = {}, [], []
    named = [name for name in given.values() if isinstance(name, str)]
    for role, name in given.items():
        if isinstance(name, str) and name and name not in sheet.columns:
            problems.append(
                f'{sheet.name} has no column "{name}", given as {option(role)}. Columns found: '
                f"{quoted(sheet.columns)}."
            )
        elif name is False or name == "":
            if role not in (*OPTIONAL, "place"):
                problems.append(f"{sheet.name}: a column for {role} is required.")
        elif name:
            found[role] = name
        else:
            fitting = [c for c in sheet.columns if c not in named and fits(c, ALIASES[role])]
            if len(fitting) == 1:
                found[role] = fitting[0]
            elif len(fitting) > 1:
                problems.append(
                    f"{sheet.name}: several columns match {role}: {quoted(fitting)}. Choose one "
                    f"with {option(role)}."
                )
            elif role not in OPTIONAL:
                alone = (
                    f", or {option('place', '')} if all visits were to one place"
                    if role == "place"
                    else ""
                )
                problems.append(
                    f"{sheet.name}: no column was found for {role}. Columns found: "
                    f"{quoted(sheet.columns)}. Specify the column with {option(role)}{alone}."
                )
    if problems:
        raise DataError(*problems)
    if "place" not in found:
        notes.append("All visits are taken to be to one place.")
    return found, notes


def _where(sheet: Sheet, mask: np.ndarray) -> str:
    return rows(sheet.row_word, sheet.rows(np.flatnonzero(mask)))


def _coded(
    sheet: Sheet, column: str, *, by_name: bool = False
) -> tuple[np.ndarray, tuple[str, ...], np.ndarray]:
    """Codes of labels in order of appearance or of names, their names, and where there is none."""
    values = text_of(sheet.column(column)).fill_null("")
    spellings = values.unique(maintain_order=True)
    codes = values.cast(pl.Enum(spellings)).to_physical().to_numpy().astype(np.int32)
    plain = spellings.str.strip_chars()  # of few spellings, not of all rows
    names = plain.unique(maintain_order=True)
    names = names.sort() if by_name else names
    if not names.equals(spellings):
        code = plain.cast(pl.Enum(names)).to_physical().to_numpy().astype(np.int32)
        codes = code[codes]
    labels = tuple(names.to_list())
    blank = codes == labels.index("") if "" in labels else np.zeros(len(codes), bool)
    return codes, labels, blank


def _days(
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
        problems.append(f'{_where(sheet, lost)}: no date in column "{column}". Enter the date.')
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


def _times(
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
            f'{_where(sheet, large)}: {values[large][0]:g} in column "{column}" is too large for a '
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


def _ends(
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
    end, lost, same = _times(sheet, found["end"], date_format, problems, day)
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


def _without_end(
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
            f'{_where(sheet, lost)}: no end in column "{found["end"]}". Enter it, or use '
            f"{option('missing_end', 'start')} to take such visits as detections at their start."
        )
    else:
        notes.append(
            f"{counted(int(lost.sum()), 'visit')} without an end counted as a detection at the "
            f"start."
        )
    return np.where(lost, start, end)


def _sorted(place: np.ndarray, start: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """The order of visits by place, then by start; that of simultaneous ones does not matter."""
    order = np.flatnonzero(kept)
    times = start[order]
    if (times[1:] < times[:-1]).any():
        order = order[pl.Series(times).arg_sort().to_numpy()]
    small = place[order].astype(np.uint16 if place.max(initial=0) < 2**16 else np.int32)
    return order[np.argsort(small, kind="stable")]  # by radix where places are few

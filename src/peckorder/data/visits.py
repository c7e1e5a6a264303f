"""Reading tables of visits: who was at which feeder or antenna, from when to when.

A row is a visit with a start and an end, or a detection at a single time. Rows are checked like
those of contests: all problems are reported together, with their rows.

Durations such as 2s, 500ms or 1.5 min, in microseconds.

Times of visits: time stamps, numbers of seconds, or times of day with a column of dates.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.columns import column_of, fits, refuse_other_types
from peckorder.data.date_columns import MISSING, read_dates, read_times, whole_days
from peckorder.data.headings import heading, words
from peckorder.data.import_report import ImportReport
from peckorder.data.names import text_of
from peckorder.data.sheet import Sheet
from peckorder.data.sources import open_sheet
from peckorder.errors import ArgumentError, DataError
from peckorder.text import counted, either, given, option, quoted
from peckorder.validate import is_number, one_of

ALIASES = {
    "individual": words(
        "id individual animal tag animal_id individual_id tag_id bird bird_id cow cow_id subject "
        "pit rfid transponder tier vogel hen who"
    ),
    "place": words(
        "place feeder antenna bin feeder_id antenna_id bin_id logger logger_id location site "
        "station drinker bunk reader antenne antena futterstelle box patch trough where"
    ),
    "start": words(
        "start start_time begin arrival time_in entry timestamp time_stamp datetime date_time time "
        "detection zeitstempel horodatage beginn debut inicio in arrived from entry_time"
    ),
    "end": words(
        "end end_time stop departure time_out exit ende fin fim out left to exit_time finish"
    ),
    "date": ("date", "day"),
}
OPTIONAL = ("end", "date")
VISIT = ("individual", "place", "start", "end")
DURATIONS = ("duration", "dauer", "duree", "duracion", "duracao", "durata", "visitlength")
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
    report: ImportReport

    def labels(self, visits: np.ndarray) -> np.ndarray:
        """Rows of these visits as they appear in messages."""
        numbers = np.sort(self.rows[visits])
        files = self.report.files
        return numbers if files is None else files.labels(numbers)


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
    times = _Times(sheet, found, date_format, notes)
    problems = times.problems
    who, individuals, no_name = _coded(sheet, found["individual"])
    if "place" in found:
        place, places, no_place = _coded(sheet, found["place"], by_name=True)
    else:
        place, places = np.zeros(sheet.height, np.int32), ("",)
        no_place = np.zeros(sheet.height, bool)
    times.find_days(bool(columns.get("date")))
    start, no_start, dated = times.of(found["start"])
    lost = {"individual": no_name, "place": no_place, "start": no_start}
    for role, gone in lost.items() if missing == "refuse" else ():
        or_drop = f"Fill it in, or use {option('missing', 'drop')} to drop such rows."
        times.refuse(gone, f'no {role} in column "{found.get(role)}". {or_drop}')
    kept = ~(no_name | no_place | no_start)
    end = start
    if "end" in found:
        end = times.ends(start, dated, kept, missing_end)
        if not problems:
            why = "the visit ends before it starts. Correct the times."
            times.refuse(kept & (end < start), why)
    else:
        _refuse_durations(sheet, columns, found)
        notes.append("There is no column of ends: each row is a detection at a single time.")
    if problems:
        raise DataError(*problems)
    if not kept.any():
        raise DataError(f"{sheet.name}: no visits remain.")
    order = _sorted(place, start, kept)
    report = ImportReport.of(
        sheet,
        "visits",
        sheet.height,
        dropped={} if kept.all() else {"no individual, place or start": int((~kept).sum())},
        columns=found,
        unused=tuple(column for column in sheet.columns if column not in found.values()),
        notes=(*sheet.notes, *notes),
    )
    return Visits(
        individuals,
        places,
        who[order],
        place[order],
        start[order],
        end[order],
        sheet.numbers(order),
        dated,
        report,
    )


def refuse_visits(sheet: Sheet) -> None:
    """Raise an error for a table of visits where contests are expected."""
    found = {role: [c for c in sheet.columns if fits(c, ALIASES[role])] for role in VISIT}
    names = {role: columns[0] for role, columns in found.items() if columns}
    if not all(found.values()):
        times = _starts_and_ends(sheet)
        others = [c for c in sheet.columns if c not in times]
        if len(times) != 2 or len(others) < 2:
            return
        names = dict(zip(VISIT, [*others[:2], *times], strict=True))
    call = ", ".join(f'{role}="{column}"' for role, column in names.items())
    flags = " ".join(f'--{role} "{column}"' for role, column in names.items())
    raise DataError(
        f"{sheet.name} appears to contain visits to a feeder or an antenna (columns "
        f"{quoted(names.values())}): they say who was there, and not who won. Who replaced whom "
        f"within a time that you choose can be counted as contests with "
        + either(
            f'peckorder.displacements(…, {call}, within="2s").',
            f"peckorder displacements FILE {flags} --within 2s -o contests.csv.",
        )
    )


def _starts_and_ends(sheet: Sheet) -> list[str]:
    """Two columns of times of which the second is never earlier than the first."""
    if sheet.batches is not None or sheet.parts:
        return []
    table = sheet.table().head(1_000)
    times = {}
    for column in table:
        if column.dtype == pl.String and column.str.contains(r"\d:\d\d").fill_null(False).all():
            times[column.name] = column.str.strip_chars()
        elif column.dtype == pl.Datetime:
            times[column.name] = column
    if len(times) != 2:
        return []
    first, second = times.values()
    return [*times] if bool((second >= first).all()) else []


def _refuse_durations(sheet: Sheet, given: dict[str, Any], found: dict[str, str]) -> None:
    """Raise an error if the end of a visit is only given by its duration, which is not read."""
    others = [c for c in sheet.columns if c not in found.values()]
    long = [c for c in others if heading(c).startswith(DURATIONS)]
    if long and given.get("end") is None:
        raise DataError(
            f'{sheet.name}: column "{long[0]}" appears to contain durations of visits, and there '
            f"is no column of ends. Add a column with the end of each visit, or use "
            f"{option('end', '')} to read each row as a detection at its start."
        )


def _find_columns(sheet: Sheet, given: dict[str, Any]) -> tuple[dict[str, str], list[str]]:
    refuse_other_types(sheet, given)
    found, problems = {}, []
    named = [name for name in given.values() if isinstance(name, str)]
    for role, name in given.items():
        if column := column_of(sheet, role, name, ALIASES[role], taken=named):
            found[role] = column
        elif role in OPTIONAL or (role == "place" and name is not None):
            continue
        elif name is not None:
            problems.append(f"{sheet.name}: a column for {role} is required.")
        else:
            alone = f", or {option('place', '')} if all visits were to one place"
            problems.append(
                f"{sheet.name}: no column was found for {role}. Columns found: "
                f"{quoted(sheet.columns)}. Specify the column with {option(role)}"
                f"{alone if role == 'place' else ''}."
            )
    if problems:
        raise DataError(*problems)
    return found, [] if "place" in found else ["All visits are taken to be to one place."]


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


def _sorted(place: np.ndarray, start: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """The order of visits by place, then by start; that of simultaneous ones does not matter."""
    every = bool(kept.all())  # as usual: then nothing has to be selected
    order = np.flatnonzero(kept)
    times = start if every else start[order]
    if (times[1:] < times[:-1]).any():
        by_time = pl.Series(times).arg_sort().to_numpy()
        order = by_time if every else order[by_time]
    small = place[order].astype(np.uint16 if place.max(initial=0) < 2**16 else np.int32)
    return order[np.argsort(small, kind="stable")]  # by radix where places are few


SECOND = 1_000_000
UNITS = {
    "ms": 1_000,
    **dict.fromkeys(("s", "sec", "second", "seconds"), SECOND),
    **dict.fromkeys(("min", "minute", "minutes"), 60 * SECOND),
    **dict.fromkeys(("h", "hour", "hours"), 3600 * SECOND),
}
TEXT = re.compile(r"\s*(\d+(?:\.\d+)?|\.\d+)\s*([a-z]*)\s*", re.ASCII)
LONGEST = 10**6 * 86_400 * SECOND


def duration(name: str, value: Any) -> int:
    """A duration in microseconds: a number of seconds, a text with a unit, or a timedelta.

    >>> duration("within", "2s"), duration("within", 0.5), duration("within", "1.5 min")
    (2000000, 500000, 90000000)
    """
    found: float | None = None
    if isinstance(value, str):
        match = TEXT.fullmatch(value.lower())
        unit = UNITS.get(match[2] or "s") if match else None
        found = None if match is None or unit is None else float(match[1]) * unit
    elif isinstance(value, dt.timedelta):
        found = value.total_seconds() * SECOND
    elif isinstance(value, np.timedelta64) and not np.isnat(value):
        found = float(value / np.timedelta64(1, "us"))
    elif is_number(value):
        found = float(value) * SECOND
    if found is None or not 0 <= found <= LONGEST:
        raise ArgumentError(
            f"{given(name, value)}: give a duration of at least 0, such as 2s, 500ms or 1.5min (a "
            f"number without a unit is in seconds)."
        )
    return round(found)


def duration_text(microseconds: float) -> str:
    """A duration in the unit in which it is easiest to read.

    >>> duration_text(2_000_000), duration_text(90_000_000), duration_text(7_200_000_000)
    ('2 s', '90 s', '2 h')
    """
    seconds = microseconds / SECOND
    if seconds < 120:
        return f"{seconds:.3g} s"
    return f"{seconds / 60:.3g} min" if seconds < 7200 else f"{seconds / 3600:.3g} h"


CLOCK = r"^\s*\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?\s*([AaPp][Mm])?\s*$"
DAY = 86_400 * SECOND


@dataclass
class _Times:
    """Times of a sheet of visits in microseconds, with the problems and notes of reading them."""

    sheet: Sheet
    found: dict[str, str]
    date_format: str | None
    notes: list[str]
    problems: list[str] = field(default_factory=list)
    day: np.ndarray | None = None  # of each row, if starts are times of day

    def refuse(self, mask: np.ndarray, problem: str) -> None:
        """A problem of the rows where the mask is True, if there are any."""
        if mask.any():
            self.problems.append(f"{self.sheet.where(mask)}: {problem}")

    def find_days(self, stated: bool) -> None:
        """Use the column of dates if starts are times of day; `stated` if the user names it."""
        column = self.found.get("date")
        if column is None:
            return
        starts = self.sheet.column(self.found["start"])
        if not (starts.dtype == pl.Time or _are_clock_times(starts)):
            if stated:
                self.problems.append(
                    f'{self.sheet.name}: column "{self.found["start"]}" does not contain times of '
                    f"day such as 09:23:45, so {option('date')} cannot be used."
                )
            del self.found["date"]
            return
        cells = self.sheet.column(column)
        days, lost, wrong = read_dates(self.sheet, column, cells, self.date_format)
        self.problems += wrong
        if days.dtype.kind != "M" and not wrong:
            self.problems.append(
                f'{self.sheet.name}: column "{column}" contains numbers, not dates.'
            )
        self.refuse(lost, f'no date in column "{column}". Enter the date.')
        self.day = np.zeros(self.sheet.height, np.int64)
        if not self.problems:
            self.notes.append(
                f'Times in column "{self.found["start"]}" were combined with the dates in column '
                f'"{column}".'
            )
            self.day = whole_days(days).astype("datetime64[us]").astype(np.int64)

    def of(self, column: str) -> tuple[np.ndarray, np.ndarray, bool]:
        """The times of a column, where there are none, and whether they are dates."""
        sheet, cells = self.sheet, self.sheet.column(column)
        if self.day is not None:
            lost = _blank(cells)
            places = np.flatnonzero(~lost)
            clock, wrong = read_times(sheet, column, cells.gather(pl.Series(places)), places)
            self.problems += wrong
            times = self.day.copy()
            times[places] += clock
            return times, lost, True
        values, lost, wrong = read_dates(sheet, column, cells, self.date_format)
        self.problems += wrong
        if values.dtype.kind == "M":
            times, known = values.astype("datetime64[us]").astype(np.int64), values[~lost]
            if not wrong and known.size > 1 and (whole_days(known) == known).all():
                self.problems.append(
                    f'{sheet.name}: column "{column}" contains dates without a time of day. Visits '
                    f"are compared in seconds: write times such as 2009-05-28 09:23:45, or name a "
                    f"column of times of day as {option('start')} and the dates as "
                    f"{option('date')}."
                )
            return np.where(lost, 0, times), lost, True
        large = np.abs(np.where(lost, 0.0, values)) > 1e12  # microseconds would not be exact
        if large.any() and not wrong:
            self.refuse(
                large,
                f'{values[large][0]:g} in column "{column}" is too large for a time in seconds. '
                f"Write times such as 2009-05-28 09:23:45.",
            )
        return np.where(lost | large, 0.0, np.rint(values * SECOND)).astype(np.int64), lost, False

    def ends(self, start: np.ndarray, dated: bool, kept: np.ndarray, missing: str) -> np.ndarray:
        """Ends of visits; those without one are refused, or are detections at their start."""
        column, end, lost = self.found["end"], start, _blank(self.sheet.column(self.found["end"]))
        if not lost.all():
            end, lost, same = self.of(column)
            if same != dated and not self.problems:
                self.problems.append(
                    f'{self.sheet.name}: columns "{self.found["start"]}" and "{column}" must both '
                    f"contain dates with times, or both numbers of seconds."
                )
            if self.day is not None and (late := ~lost & (end < start)).any():
                self.notes.append(
                    f"{counted(int(late.sum()), 'visit')} ended at an earlier time of day than "
                    f"they started, on the next day."
                )
                end = end + DAY * late
        lost &= kept
        if missing == "refuse":
            self.refuse(
                lost,
                f'no end in column "{column}". Enter it, or use {option("missing_end", "start")} '
                f"to take such visits as detections at their start.",
            )
        elif lost.any():
            self.notes.append(
                f"{counted(int(lost.sum()), 'visit')} without an end counted as a detection at the "
                f"start."
            )
        return np.where(lost, start, end)


def _blank(cells: pl.Series) -> np.ndarray:
    blank = cells.is_null()
    if cells.dtype == pl.String:
        blank |= cells.fill_null("").str.strip_chars().is_in(MISSING)
    return blank.to_numpy()


def _are_clock_times(cells: pl.Series) -> bool:
    if cells.dtype != pl.String:
        return False
    present = cells.filter(pl.Series(~_blank(cells))).head(1000)
    return len(present) > 0 and bool(present.str.contains(CLOCK).all())

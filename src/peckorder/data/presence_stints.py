"""Presence from first and last days: one stint per row, or several pairs of columns in a row.

Lists of individuals often have both the birth and the arrival, and both the departure and the
death. An individual is present from its arrival or, if there is none, from its birth; until its
departure or, if there is none, until its death.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from peckorder.data.dates import date_words, no_dates
from peckorder.data.presence import ONE_DAY, Presence, forever
from peckorder.data.presence_days import blanks, read_days
from peckorder.data.presence_wide import names_in
from peckorder.errors import DataError
from peckorder.sources.columns import plain_label
from peckorder.sources.sheet import Sheet
from peckorder.wording import either, quoted, rows

ARRIVAL = (
    *("start", "start_date", "from", "first", "begin", "arrival", "entry", "date_begin"),
    *("first_seen", "first_date", "first_day", "arrival_date", "date_of_arrival", "arrived"),
    *("entry_date", "immigration", "joined", "since", "date_in", "date_from"),
)
BIRTH = ("birth", "born", "birth_date", "birthdate", "birthday", "date_of_birth", "dob")
DEPARTURE = (
    *("end", "end_date", "to", "until", "last", "departure", "exit", "date_end"),
    *("last_seen", "last_date", "last_day", "departure_date", "date_of_departure", "departed"),
    *("exit_date", "emigration", "left", "disappeared", "date_out", "date_to"),
)
DEATH = ("death", "died", "death_date", "date_of_death", "dod")


@dataclass(frozen=True)
class StintColumns:
    """Columns of first and last days; the second of a pair is used where the first is blank."""

    starts: list[tuple[str, ...]]
    ends: list[tuple[str, ...]]


def stint_columns(sheet: Sheet, start: str | None, end: str | None) -> StintColumns | None:
    """The columns of stints that are given or recognized; None if there is no first day."""
    starts = [(start,)] if start else _found(sheet, ARRIVAL, BIRTH, "start")
    ends = [(end,)] if end else _found(sheet, DEPARTURE, DEATH, "end")
    if not starts:
        return None
    if ends and len(starts) != len(ends):
        raise DataError(
            f"{sheet.name}: {len(starts)} columns of first days "
            f"({quoted(c for pair in starts for c in pair)}) and {len(ends)} columns of last days "
            f"({quoted(c for pair in ends for c in pair)}) do not form pairs. Name the columns of "
            f"a stint alike (from1, to1, from2, to2)."
        )
    return StintColumns(starts, ends)


def _found(
    sheet: Sheet, usual: tuple[str, ...], otherwise: tuple[str, ...], role: str
) -> list[tuple[str, ...]]:
    first = _numbered(sheet, usual, role)
    second = _numbered(sheet, otherwise, role)
    if len(first) == len(second) == 1:
        return [(first[0], second[0])]
    return [(column,) for column in first or second]


def _numbered(sheet: Sheet, names: tuple[str, ...], role: str) -> list[str]:
    """Columns with one of these names, in the order of their numbers (from1, from2, …)."""
    found: list[tuple[int, int, str, str]] = []
    for place, column in enumerate(sheet.columns):
        label = plain_label(column.split(" (column ")[0])
        name, number = _split(label)
        if name in names:
            found.append((number, place, column, name))
    if len({name for *_, name in found}) > 1:
        raise DataError(
            f"{sheet.name}: several columns may contain the {role} of presence: "
            f"{quoted(column for *_, column, _ in found)}. "
            + either(
                f"Specify one with {role}= of read_presence.", "Rename or delete the other one."
            )
        )
    return [column for *_, column, _ in sorted(found)]


def _split(label: str) -> tuple[str, int]:
    """A label and its number, wherever it stands.

    >>> _split("from2"), _split("date_in_1"), _split("start_3_date"), _split("to")
    (('from', 2), ('date_in', 1), ('start_date', 3), ('to', 0))
    """
    if found := re.search(r"_?(\d{1,2})(?=_|$)", label):
        return (label[: found.start()] + label[found.end() :]).strip("_"), int(found[1])
    return label, 0


def from_intervals(
    sheet: Sheet, individual: str, columns: StintColumns, date_format: str | None
) -> Presence:
    """Presence from a table of stints; refuses stints that overlap or end before they start."""
    names = names_in(sheet, individual)
    notes: list[str] = []
    stints = _Stints([], [], [], [])
    for number, starts in enumerate(columns.starts):
        ends = columns.ends[number] if columns.ends else ()
        stints.add(_stints(sheet, starts, ends, date_format, required=number == 0))
    notes += _decisions(columns)
    start, end = stints.dates(sheet)
    return _checked(sheet, [names[i] for i in stints.places], stints.places, start, end, notes)


def _decisions(columns: StintColumns) -> list[str]:
    """Notes on columns beyond one pair of first and last day."""
    notes = []
    if len(columns.starts) > 1:
        pairs = zip(columns.starts, columns.ends, strict=False)
        shown = "; ".join(f'"{one[0]}" to "{other[0]}"' for one, other in pairs)
        notes.append(f"Each row has up to {len(columns.starts)} stints: {shown}.")
    for pair, what in ((columns.starts[0], "first"), ((columns.ends or [()])[0], "last")):
        if len(pair) > 1:
            notes.append(
                f'The {what} day of an individual is "{pair[0]}" or, if that is empty, "{pair[1]}".'
            )
    if not columns.ends:
        notes.append("There is no column of last days: all individuals remain present.")
    return notes


@dataclass
class _Stints:
    """Stints of several pairs of columns, one after another."""

    places: list[int]
    starts: list[np.ndarray]
    ends: list[np.ndarray]
    open: list[np.ndarray]

    def add(self, more: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]) -> None:
        places, start, end, opened = more
        self.places += places.tolist()
        self.starts.append(start)
        self.ends.append(end)
        self.open.append(opened)

    def dates(self, sheet: Sheet) -> tuple[np.ndarray, np.ndarray]:
        """First and last days; open ends in the type of the first days."""
        starts = [part for part in self.starts if part.size]
        if len({part.dtype.kind for part in starts}) > 1:
            raise DataError(f"{sheet.name}: start and end must both be dates, or both numbers.")
        start = np.concatenate(starts)
        end = np.full(len(start), forever(start), start.dtype)
        begin = 0
        for part, opened in zip(self.ends, self.open, strict=True):
            place = np.arange(begin, begin := begin + len(opened))[~opened]
            if place.size and part.dtype.kind != start.dtype.kind:
                raise DataError(f"{sheet.name}: start and end must both be dates, or both numbers.")
            end[place] = part[~opened]
        return start, end


def _stints(
    sheet: Sheet,
    starts: tuple[str, ...],
    ends: tuple[str, ...],
    date_format: str | None,
    *,
    required: bool,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Rows, first days, last days and open ends of one pair of columns."""
    start, no_start = _first_given(sheet, starts, date_format)
    end, no_end = (
        _first_given(sheet, ends, date_format) if ends else (start, np.ones(len(start), bool))
    )
    lost = no_start if required else no_start & ~no_end
    if lost.any():
        raise DataError(f"{sheet.name}: {no_dates(sheet, starts[0], np.flatnonzero(lost))}")
    places = np.flatnonzero(~no_start)
    return places, start[places], end[places], no_end[places]


def _first_given(
    sheet: Sheet, columns: tuple[str, ...], date_format: str | None
) -> tuple[np.ndarray, np.ndarray]:
    """Days of the first of these columns that is not blank in a row, and where all are blank."""
    missing = np.ones(sheet.height, bool)
    days: np.ndarray | None = None
    for column in columns:
        blank = blanks(sheet.column(column))
        if blank.all():
            continue
        own = read_days(sheet, column, date_format, open_end=True)
        if days is None:
            days = own.copy()
        elif days.dtype.kind != own.dtype.kind:
            raise DataError(
                f"{sheet.name}: columns {quoted(columns)} must all contain dates, or all numbers."
            )
        else:
            days = np.where(missing & ~blank, own, days)
        missing &= blank
    return (np.zeros(sheet.height, "datetime64[D]") if days is None else days), missing


def _checked(
    sheet: Sheet,
    names: list[str],
    places: list[int],
    start: np.ndarray,
    end: np.ndarray,
    notes: list[str],
) -> Presence:
    problems = []
    row = sheet.rows(np.array(places))
    backwards = np.flatnonzero(end < start)
    if backwards.size:
        place = backwards[0]
        problems.append(
            f"{sheet.name}: {rows(sheet.row_word, row[backwards])}: the stint of "
            f'"{names[place]}" ends ({date_words(end[place])}) before it starts '
            f"({date_words(start[place])}). Correct the dates."
        )
    appearance = {name: i for i, name in enumerate(dict.fromkeys(names))}
    order = np.lexsort((start, np.array([appearance[name] for name in names])))
    absences = []
    for one, other in pairwise(order):
        if names[one] != names[other]:
            continue
        if start[other] <= end[one]:
            where = rows(sheet.row_word, sorted({int(row[one]), int(row[other])}))
            problems.append(
                f'{sheet.name}: {where}: two stints of "{names[one]}" overlap (until '
                f"{date_words(end[one])}, and from {date_words(start[other])}). Merge them or "
                f"correct the dates."
            )
        elif start[other] > end[one] + (ONE_DAY if end.dtype.kind == "M" else 1):
            gone, back = date_words(end[one]), date_words(start[other])
            absences.append(f"{names[one]} was absent after {gone}, until {back}.")
    if problems:
        raise DataError(*problems)
    ordered = tuple(names[i] for i in order)
    return Presence(ordered, start[order], end[order], (*notes, *absences))

"""Rows of a behavior log that count as events, and when they happened.

Programs that code videos write times as seconds since the start of an observation, whose date is
in another column; programs for the field write the time of the event itself.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
import polars as pl

from peckorder.data.dates import read_dates, whole_days
from peckorder.errors import DataError
from peckorder.sources.log_formats import Log
from peckorder.sources.names import text_of
from peckorder.wording import option, rows

EPOCH = 1e8  # seconds above it count from 1970, not from the start of an observation


@dataclass
class Events:
    """The rows of a log that are still candidates for contests."""

    log: Log
    places: np.ndarray
    behavior: pl.Series
    dropped: dict[str, int]
    notes: list[str]

    def keep(self, mask: np.ndarray, why: str) -> None:
        """Keep the rows where the mask is True and count the others as dropped."""
        if not mask.all():
            self.dropped[why] = int((~mask).sum())
            self.places, self.behavior = self.places[mask], self.behavior.filter(pl.Series(mask))

    def cells(self, column: str) -> pl.Series:
        """Cells of a column as text without blanks around them."""
        texts = text_of(self.log.sheet.column(column)).fill_null("").str.strip_chars()
        return texts.gather(pl.Series(self.places))

    def where(self, mask: np.ndarray) -> str:
        """Rows as they are named in a message."""
        sheet = self.log.sheet
        return rows(sheet.row_word, sheet.rows(self.places[mask]))


def counted_events(log: Log) -> Events:
    """Rows with a behavior, without the ends of state events."""
    if log.behavior is None:
        raise DataError(f"{log.sheet.name}: the column of behaviors is not known.")
    behavior = text_of(log.sheet.column(log.behavior)).fill_null("").str.strip_chars()
    events = Events(log, np.arange(log.sheet.height), behavior, {}, [])
    events.keep((behavior != "").to_numpy(), f'no behavior in column "{log.behavior}"')
    if log.status is not None:
        status = events.cells(log.status).str.to_uppercase()
        _note_unpaired(events, status.to_list())
        ends = "ends of state events (a state counts once, at its start)"
        events.keep((status != "STOP").to_numpy(), ends)
    return events


def _note_unpaired(events: Events, status: list[str]) -> None:
    """Report states that end without having started, which are therefore not counted."""
    log = events.log
    columns = [c for c in (log.observation, log.actor) if c is not None]
    keys = zip(*(events.cells(c).to_list() for c in columns), events.behavior, strict=True)
    started: Counter[tuple[str, ...]] = Counter()
    alone = np.zeros(len(status), bool)
    for place, (key, state) in enumerate(zip(keys, status, strict=True)):
        if state == "START":
            started[key] += 1
        elif state == "STOP":
            alone[place] = started[key] == 0
            started[key] -= 0 if alone[place] else 1
    if alone.any():
        events.notes.append(
            f"{events.where(alone)}: a state event ends that has no start in the file; it was not "
            f"counted."
        )


def moments(events: Events, dated: bool, timed: bool, date_format: str | None) -> pl.Series | None:
    """When each event happened: the date of its row, plus the seconds since the observation."""
    log = events.log
    if not dated or log.date is None:
        return None
    sheet = log.sheet
    cells = sheet.column(log.date).gather(pl.Series(events.places))
    if cells.dtype == pl.String:  # Animal Observer separates date and time by a comma
        cells = cells.str.replace(r"^(\d{4}-\d{2}-\d{2}),\s*", "$1 ")
    dates, _, problems = read_dates(sheet, log.date, cells, date_format, places=events.places)
    if problems:
        raise DataError(*(f"{sheet.name}: {problem}" for problem in problems))
    if log.seconds is None or not timed or dates.dtype.kind != "M":
        return pl.Series(dates)
    seconds = _seconds(events, log.seconds)
    if (seconds > EPOCH).all():
        events.notes.append(f'Times in column "{log.seconds}" are seconds since 1970 (UTC).')
        return pl.Series((seconds * 1e6).astype("datetime64[us]"))
    if log.offset is not None:
        seconds = seconds - _seconds(events, log.offset, blank=0.0)
    moments = dates + np.round(seconds * 1e6).astype("timedelta64[us]")
    events.notes.append(
        f'The time of an event is the start of its observation ("{log.date}") plus '
        f'"{log.seconds}". Ignore the latter with {option("time", "")}.'
    )
    late = whole_days(moments) > whole_days(dates)
    if late.any():
        events.notes.append(
            f"{events.where(late)}: the event is on a later day than the start of its observation. "
            f'If "{log.seconds}" is a time of day, use {option("time", "")}.'
        )
    return pl.Series(moments)


def _seconds(events: Events, column: str, blank: float | None = None) -> np.ndarray:
    """Seconds, written as a number or as hours, minutes and seconds."""
    cells = events.cells(column)
    parts = cells.str.extract_groups(r"^(-?)(\d+):(\d{2}):(\d{2}(?:\.\d+)?)$")
    hours, minutes, rest = (
        parts.struct.field(str(i)).cast(pl.Float64, strict=False) for i in (2, 3, 4)
    )
    sign = pl.Series([-1.0 if s == "-" else 1.0 for s in parts.struct.field("1")])
    number = cells.cast(pl.Float64, strict=False)
    number = number.zip_with(number.is_not_null(), sign * (hours * 3600 + minutes * 60 + rest))
    if blank is not None:
        number = number.fill_null(blank)
    bad = (number.is_null() | number.is_nan()).to_numpy()
    if bad.any():
        raise DataError(
            f'{events.log.sheet.name}: {events.where(bad)}: "{cells[int(np.argmax(bad))]}" in '
            f'column "{column}" is not a number of seconds. Correct it, or use '
            f"{option('time', '')} to ignore these times."
        )
    return number.to_numpy()


def order_by_time(events: Events, of_pair: np.ndarray) -> np.ndarray:
    """Without dates: the order of contests by the time of their event within each observation."""
    log = events.log
    if log.seconds is None:
        return np.arange(len(of_pair))
    first: dict[str, int] = {}
    observation = np.zeros(len(events.places), int)
    if log.observation is not None:
        for place, name in enumerate(events.cells(log.observation)):
            observation[place] = first.setdefault(name, len(first))
    order = np.lexsort((_seconds(events, log.seconds)[of_pair], observation[of_pair]))
    if (np.diff(order) != 1).any():
        events.notes.append(
            f'Contests were sorted by column "{log.seconds}" within each observation; the '
            f"observations are in the order of the file."
        )
    return order

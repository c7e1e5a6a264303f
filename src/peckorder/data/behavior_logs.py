"""From a behavior log to contests: which behaviors are won, and by whom.

In a log a row is a behavior that one individual shows (the actor), possibly toward another. Who
wins depends on the behavior: the individual that displaces another wins, and the individual that
flees loses. That is the user's decision (`winner_behaviors`, `loser_behaviors`): it is never
inferred from the words, and other behaviors are not counted. A state event counts once, at its
start.

The columns are those of the exports themselves: tabular and aggregated events of BORIS (Friard &
Gamba 2016, Methods in Ecology and Evolution 7: 1325–1330; older versions write a block of lines on
the observation above the header of tabular events), the report of a study of ZooMonitor, and the
table of behaviors of Animal Observer. The columns of CyberTracker are defined by each user, so that
its tables are read like any other list.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.columns import column_of, find_columns
from peckorder.data.date_columns import read_dates, whole_days
from peckorder.data.headings import usual_sides
from peckorder.data.import_report import ImportReport
from peckorder.data.names import text_of
from peckorder.data.recipe import listing
from peckorder.data.sheet import Sheet
from peckorder.errors import ArgumentError, DataError
from peckorder.text import counted, did_you_mean, either, given, option, quoted
from peckorder.validate import several

MOST_LINES_ABOVE = 200
LISTED_ABOVE = ("observation_id", "observation_date", "time_offset_s")
MODIFIER = re.compile(r"modifiers?(_\d+)?")
CHANNEL = re.compile(r"interval_channel_\d+_(value|social_modifier)")


@dataclass(frozen=True)
class Log:
    """A behavior log: its sheet, and the columns of a row."""

    program: str  # what the table is, for messages
    sheet: Sheet  # the table below its header
    # columns of who shows a behavior, and of behaviors (None if the user has to name it)
    actor: str
    behavior: str | None
    others: tuple[str, ...]  # columns that may contain the individual at which it is directed
    behaviors: tuple[str, ...] = ()  # columns that may contain behaviors
    # column that says whether a row is a point event, or the start or end of a state
    status: str | None = None
    date: str | None = None  # column of the start of the observation, or of the time of the event
    # columns of seconds since the start of the observation, and of what was added to them
    seconds: str | None = None
    offset: str | None = None
    observation: str | None = None  # column of observations
    stated: bool = False  # whether it is a log because the user names behaviors, not by its columns


def recognized(sheet: Sheet) -> Log | None:
    """The log of a sheet whose columns are those of a known export, or None."""
    for form in (_boris, _zoomonitor, _animal_observer):
        if (log := form(sheet)) is not None:
            return log
    return _boris_below_lines(sheet)


def _key(label: str) -> str:
    """A label without case and signs, as R changes them when it writes a table.

    >>> _key("Start (s)"), _key("Start..s."), _key("Modifier #1")
    ('start_s', 'start_s', 'modifier_1')
    """
    plain = label.split(" (column ")[0].casefold()
    return re.sub(r"[^a-z0-9]+", "_", plain).strip("_")


def _keys(sheet: Sheet) -> dict[str, str]:
    """The first column of each key."""
    found: dict[str, str] = {}
    for column in sheet.columns:
        found.setdefault(_key(column), column)
    return found


def _boris(sheet: Sheet, below: str = "") -> Log | None:
    of = _keys(sheet)
    status = of.get("behavior_type") or of.get("status")
    seconds = of.get("start_s") or of.get("start") or of.get("time")
    if not {"subject", "behavior"} <= of.keys() or status is None or seconds is None:
        return None
    keys = Counter(map(_key, sheet.columns))
    if twice := [of[key] for key in ("subject", "behavior") if keys[key] > 1]:
        raise DataError(
            f"{sheet.name}: several columns are called {quoted(twice)}, one of which may be an "
            f"independent variable. Rename the others."
        )
    kind = "tabular" if seconds == of.get("time") else "aggregated"
    return Log(
        f"{kind} events of BORIS{below}",
        sheet,
        of["subject"],
        of["behavior"],
        tuple(column for key, column in of.items() if MODIFIER.fullmatch(key)),
        (of["behavior"],),
        status,
        of.get("observation_date"),
        seconds,
        of.get("time_offset_s"),
        of.get("observation_id"),
    )


def _boris_below_lines(sheet: Sheet) -> Log | None:
    """Tabular events of older versions, with lines on the observation above the header."""
    cells = sheet.cells
    if cells is None or cells.width < 2 or _key(cells.row(0)[0] or "") != "observation_id":
        return None
    above: dict[str, str] = {}
    for place, row in enumerate(cells.head(MOST_LINES_ABOVE).iter_rows()):
        header = [(cell or "").strip() for cell in row]
        if {"time", "subject", "behavior", "status"} <= {_key(label) for label in header}:
            return _boris(_below(sheet, place, header, above), " with lines above the header")
        above.setdefault(_key(header[0]), header[1])
    return None


def _below(sheet: Sheet, place: int, header: list[str], above: dict[str, str]) -> Sheet:
    """The sheet from a lower header on, with what the lines above it say as columns."""
    body = sheet.table() if sheet.cells is None else sheet.cells.slice(place + 1)
    number = Counter(header)
    table = pl.DataFrame(
        [
            body.to_series(i).alias(f"{label} (column {i + 1})" if number[label] > 1 else label)
            for i, label in enumerate(header)
            if label
        ]
    )
    said = {key: above.get(key) for key in LISTED_ABOVE}
    table = table.with_columns(pl.lit(value).alias(key) for key, value in said.items() if value)
    # `cells` begins with the first header, one row above `first_row`.
    return sheet.of_table(table, first_row=sheet.first_row + place, cells=None)


def _zoomonitor(sheet: Sheet) -> Log | None:
    of = _keys(sheet)
    channels = {key: column for key, column in of.items() if CHANNEL.fullmatch(key)}
    if "focal_name" not in of or not ("all_occurrence_value" in of or channels):
        return None
    values = [column for key, column in channels.items() if key.endswith("_value")]
    social = [column for key, column in channels.items() if key.endswith("_modifier")]
    behavior = of.get("all_occurrence_value")
    whom = of.get("all_occurrence_behavior_social_modifier")
    return Log(
        "a report of ZooMonitor",
        sheet,
        of["focal_name"],
        behavior,
        # Interval samples are not events: they are used only if the user names their columns.
        (whom,) if whom else () if behavior else tuple(social),
        (behavior, *values) if behavior else tuple(values),
        date=of.get("datetime") or of.get("date"),
        observation=of.get("sessionid"),
    )


def _animal_observer(sheet: Sheet) -> Log | None:
    of = _keys(sheet)
    if not {"behavior_timestamp", "actor", "subject"} <= of.keys():
        return None
    after = sheet.columns.index(of["subject"]) + 1
    until = sheet.columns.index(of["comment"]) if "comment" in of else len(sheet.columns)
    described = sheet.columns[after:until]
    named = [c for c in described if re.fullmatch("behaviou?r", _key(c))]
    behavior = (named or (described if len(described) == 1 else [None]))[0]
    return Log(
        "behaviors of Animal Observer",
        sheet,
        of["actor"],
        behavior,
        (of["subject"],),
        tuple(described),
        date=of["behavior_timestamp"],
        observation=of.get("focal_start_timestamp"),
    )


EPOCH = 1e8  # seconds above it count from 1970, not from the start of an observation


@dataclass
class Events:
    """The rows of a log that are still candidates for contests."""

    log: Log
    places: np.ndarray
    behavior: pl.Series
    left: dict[str, np.ndarray]  # rows without a contest, by the reason
    notes: list[str]

    def keep(self, mask: np.ndarray, why: str) -> None:
        """Keep the rows where the mask is True; the others give no contest."""
        if not mask.all():
            self.left[why] = self.log.sheet.numbers(self.places[~mask])
            self.places, self.behavior = self.places[mask], self.behavior.filter(pl.Series(mask))

    def cells(self, column: str) -> pl.Series:
        """Cells of a column as text without blanks around them."""
        texts = self.log.sheet.texts(column)
        return texts.gather(pl.Series(self.places))

    def where(self, mask: np.ndarray) -> str:
        """Rows as they are named in a message."""
        sheet = self.log.sheet
        return sheet.where(self.places[mask])


def counted_events(log: Log, *, blanks: bool = False) -> Events:
    """Rows with a behavior (or also without one), without the ends of state events."""
    if log.behavior is None:
        raise DataError(f"{log.sheet.name}: the column of behaviors is not known.")
    behavior = log.sheet.texts(log.behavior)
    events = Events(log, np.arange(log.sheet.height), behavior, {}, [])
    if not blanks:
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


# BORIS writes "None" if no modifier was chosen, and this name if no subject was.
NOBODY = ("", "none", "na", "n/a", "nan", "no focal subject")
SHOWN = 10


@dataclass(frozen=True)
class LogContests:
    """The contests of a log as a sheet with columns of winners, losers and times."""

    sheet: Sheet
    roles: dict[str, str | bool]
    rows_in: int
    left: dict[str, np.ndarray]  # rows without a contest, by the reason
    columns: dict[str, str]  # roles of the columns of the log
    behaviors: dict[str, list[str]]  # that the actor wins or loses, by argument

    def reported(self, report: ImportReport) -> ImportReport:
        """The report of the contests with the rows of the log that are no contests."""
        dropped = {why: len(rows) for why, rows in self.left.items()} | report.dropped
        return replace(
            report, rows_in=self.rows_in, dropped=dropped, left={**self.left, **report.left}
        )


def contests_of_log(
    sheet: Sheet,
    kind: str | None,
    given: dict[str, str | bool | None],
    *,
    winner_behaviors: Any,
    loser_behaviors: Any,
    other: str | None,
    date_format: str | None,
    missing: str,
    unused: Sequence[str] = (),
) -> LogContests | None:
    """The contests of a sheet that is a behavior log, by its columns or because the user says so.

    `given` holds the columns that the user names. With columns of winners and losers a log is read
    like any list, unless behaviors are named: these columns are then actors and others.
    """
    stated = winner_behaviors is not None or loser_behaviors is not None
    if kind not in (None, "events"):
        if stated or other is not None:
            raise ArgumentError(
                f"{option('winner_behaviors')}, {option('loser_behaviors')} and {option('other')} "
                f"apply to behavior logs, not to {option('kind', kind)}."
            )
        return None
    log = None if given["winner"] or given["loser"] else recognized(sheet)
    if log is None and other is not None:
        raise ArgumentError(
            f"{option('other')} applies to behavior logs, and {sheet.name} was not recognized as "
            f"one. Give the columns with {option('winner')} and {option('loser')}."
        )
    if log is None and stated:
        log = _list_of_behaviors(sheet, given, unused)
    if log is None:
        return None
    behavior, timed = given["context"], given["time"] is None
    log = _with_behaviors(log, behavior if isinstance(behavior, str) and behavior else None)
    named = [*listing(winner_behaviors), *listing(loser_behaviors)]
    events = counted_events(log, blanks="" in named)
    won, lost = _stated(events, winner_behaviors, loser_behaviors)
    of_interest = events.behavior.is_in([*won, *lost]).to_numpy()
    rest = Counter(events.behavior.filter(pl.Series(~of_interest)).to_list())
    events.keep(of_interest, f"other behaviors: {_tally(rest)}")
    column, cells = _others(events, other)
    actors = events.cells(log.actor).to_list()
    pairs = _pairs(events, column, actors, cells, missing)
    swap = events.behavior.is_in(lost).to_list()
    sides = [(whom, actors[i]) if swap[i] else (actors[i], whom) for i, whom in pairs]
    of_pair = np.array([i for i, _ in pairs], int)
    when = moments(events, given["date"] is None, timed, date_format)
    if when is None and timed:
        order = order_by_time(events, of_pair)
        of_pair, sides = of_pair[order], [sides[i] for i in order]
    sheet = _sheet(events, of_pair, sides, None if when is None else when.gather(of_pair))
    labels = sheet.columns[len(log.sheet.columns) :]
    roles: dict[str, str | bool] = dict(zip(("winner", "loser", "date"), labels, strict=False))
    roles["context"] = str(log.behavior)
    if log.date is not None or log.seconds is not None:  # otherwise found like in any list
        roles = {"date": False, "time": False} | roles
    sheet.notes.insert(0, _decided(events, column, won, lost))
    sides = ("winner", "loser") if log.stated else ("actor", "other")
    own = dict(zip(sides, (log.actor, column), strict=True)) | {"behavior": log.behavior or ""}
    used = {name: role for role, name in own.items() if name in log.sheet.columns}
    behaviors = {n: b for n, b in (("winner_behaviors", won), ("loser_behaviors", lost)) if b}
    return LogContests(sheet, roles, log.sheet.height, events.left, used, behaviors)


def _list_of_behaviors(
    sheet: Sheet, given: dict[str, str | bool | None], unused: Sequence[str]
) -> Log:
    """A list with columns for the actor, the other individual and the behavior."""
    columns = find_columns(sheet, "events", given, unused=unused)
    if columns is None or columns["context"] is None:
        raise DataError(
            f"{sheet.name}: {option('winner_behaviors')} and {option('loser_behaviors')} require a "
            f"column of behaviors. Choose it with {option('context')}. Columns found: "
            f"{quoted(sheet.columns)}."
        )
    return Log(
        "a list of behaviors",
        sheet,
        columns.of["winner"],
        columns["context"],
        (columns.of["loser"],),
        stated=True,
    )


def _with_behaviors(log: Log, behavior: str | None) -> Log:
    """The log with the column of behaviors that the user names, or its own."""
    if behavior is not None:
        return replace(log, behavior=column_of(log.sheet, "context", behavior, ()))
    if log.behavior is None:
        samples = (
            f" and the column of the other individual with {option('other')}; note that these are "
            f"interval samples, in which one interaction may be recorded several times"
        )
        samples = samples if "ZooMonitor" in log.program else ""
        raise DataError(
            f"{log.sheet.name} was recognized as {log.program}. Columns that may contain "
            f"behaviors: {quoted(log.behaviors)}. Choose one with {option('context')}{samples}."
        )
    return log


def _tally(numbers: Counter[str]) -> str:
    """Behaviors with their numbers of events, the most frequent first."""
    most = sorted(numbers.items(), key=lambda item: (-item[1], item[0]))
    more = f" and {len(most) - SHOWN:,} more" if len(most) > SHOWN else ""
    return ", ".join(f"{name} ({number:,})" for name, number in most[:SHOWN]) + more


def _stated(events: Events, winner_behaviors: Any, loser_behaviors: Any) -> tuple[list, list]:
    """The behaviors that the actor wins and loses, as the user states them."""
    numbers = Counter(events.behavior.to_list())
    won = _known("winner_behaviors", winner_behaviors, numbers)
    lost = _known("loser_behaviors", loser_behaviors, numbers)
    if not won and not lost:
        raise DataError(_question(events, numbers))
    both = [name for name in won if name in lost]
    if both:
        raise ArgumentError(
            f"{quoted(both)} is given in {option('winner_behaviors')} and in "
            f"{option('loser_behaviors')}. Give each behavior once."
        )
    return won, lost


def _known(name: str, value: Any, numbers: Counter[str]) -> list[str]:
    """Behaviors given one by one or, as at the shell, separated by commas."""
    parts: list[str] = []
    for text in [] if value is None else several(name, value):
        own = str(text).strip()
        split = [part.strip() for part in own.split(",") if part.strip() or not own]
        parts += [own] if own in numbers else split
    unknown = [part for part in parts if part not in numbers]
    if unknown:
        raise ArgumentError(
            f"{given(name, ', '.join(unknown))}: there is no such behavior. Behaviors, with the "
            f"number of events: {_tally(numbers)}.{did_you_mean(unknown, numbers)}"
        )
    return list(dict.fromkeys(parts))


def _question(events: Events, numbers: Counter[str]) -> str:
    """The error that asks which behaviors are won, with flags to copy."""
    log = events.log
    won, lost = usual_sides(numbers)
    flags = [
        option(name, ",".join(names))
        for name, names in (("winner_behaviors", won), ("loser_behaviors", lost))
        if names
    ]
    return (
        f"{log.sheet.name} was recognized as {log.program}, in which the behavior determines who "
        f"wins. Behaviors, with the number of events: {_tally(numbers)}. Name those that the "
        f'individual in column "{log.actor}" wins ({option("winner_behaviors")}) and those that it '
        f"loses ({option('loser_behaviors')}); others are not counted."
        + (
            f" For example, if the words mean what they usually mean: "
            f"{either(', ', ' ').join(flags)}"
            if flags
            else ""
        )
    )


def _others(events: Events, other: str | None) -> tuple[str, list[str]]:
    """Column and cells of the other individuals."""
    log = events.log
    parts = {name: cells for column in log.others for name, cells in _parts(events, column)}
    parts = {name: own for name, own in parts.items() if not {*map(str.casefold, own)} <= {*NOBODY}}
    if other is not None:
        if other not in parts and other not in log.sheet.columns:
            found = dict.fromkeys([*parts, *log.sheet.columns])
            raise DataError(
                f'{log.sheet.name} has no column "{other}", given as {option("other")}.'
                f"{did_you_mean([other], found)} Columns found: {quoted(found)}."
            )
        return other, parts[other] if other in parts else events.cells(other).to_list()
    if len(parts) == 1:
        return next(iter(parts.items()))
    expected = quoted(parts or log.others)
    known = set(text_of(log.sheet.column(log.actor)).str.strip_chars()) - {None, ""}
    if not parts:
        rest = [name for name in log.sheet.columns if name not in (log.actor, *log.others)]
        parts = {name: own for name in rest if known & {*(own := events.cells(name).to_list())}}
    if not parts:
        raise DataError(
            f"{log.sheet.name} was recognized as {log.program}, but no column contains the other "
            f"individual (in BORIS, a modifier). Choose one with {option('other')}. Columns found: "
            f"{quoted(log.sheet.columns)}."
        )
    fitting = [
        name
        for name, cells in parts.items()
        if any(known.intersection([cell, *cell.split(",")]) for cell in cells)
    ]
    if len(fitting) == 1:
        events.notes.append(
            f'Of the columns {expected}, only "{fitting[0]}" contains individuals of column '
            f'"{log.actor}"; it was used as the other individual. Choose another with '
            f"{option('other')}."
            if f'"{fitting[0]}"' in expected
            else f'No individual is in {expected}, but column "{fitting[0]}" contains individuals '
            f'of column "{log.actor}"; it was used as the other individual. Choose another with '
            f"{option('other')}."
        )
        return fitting[0], parts[fitting[0]]
    examples = "; ".join(
        f'"{name}": {quoted(dict.fromkeys(c for c in cells if c), limit=4)}'
        for name, cells in parts.items()
    )
    raise DataError(
        f"{log.sheet.name}: several columns may contain the other individual ({examples}). Choose "
        f"one with {option('other')}."
    )


def _parts(events: Events, column: str) -> list[tuple[str, list[str]]]:
    """A column of modifiers; several modifiers in one cell (a|b) count as several columns."""
    cells = events.cells(column).to_list()
    split = [cell.split("|") for cell in cells]
    most = max((len(parts) for parts in split), default=1)
    if most == 1:
        return [(column, cells)]
    return [
        (f"{column} #{k + 1}", [parts[k].strip() if k < len(parts) else "" for parts in split])
        for k in range(most)
    ]


def _pairs(
    events: Events, column: str, actors: list[str], cells: list[str], missing: str
) -> list[tuple[int, str]]:
    """Each event with its other individual; an event with several others counts once for each."""
    known = {*actors, *(cell for cell in cells if "," not in cell)}
    pairs: list[tuple[int, str]] = []
    lost, shared = np.zeros(len(cells), bool), np.zeros(len(cells), bool)
    for place, (actor, cell) in enumerate(zip(actors, cells, strict=True)):
        names = [cell] if cell in known else [part.strip() for part in cell.split(",")]
        names = [name for name in names if name.casefold() not in NOBODY]
        lost[place] = not names or actor.casefold() in NOBODY
        shared[place] = len(names) > 1
        if not lost[place]:
            pairs += [(place, name) for name in names]
    if lost.any() and missing != "drop":
        raise DataError(
            f"{events.log.sheet.name}: {events.where(lost)}: a behavior that counts as a contest "
            f'has no individual in column "{events.log.actor}" or "{column}". Enter it, or use '
            f"{option('missing', 'drop')} to drop such rows ({counted(int(lost.sum()), 'row')})."
        )
    if lost.any():
        events.left["no winner or no loser"] = events.log.sheet.numbers(events.places[lost])
    if shared.any():
        events.notes.append(
            f'{events.where(shared)}: several individuals in column "{column}"; the behavior '
            f"counts as one contest with each."
        )
    if not pairs:
        raise DataError(f"{events.log.sheet.name}: no contests remain.")
    return pairs


def _sheet(
    events: Events, of_pair: np.ndarray, sides: Sequence[tuple[str, str]], when: pl.Series | None
) -> Sheet:
    """The rows of the log, once per contest, with new columns at the end."""
    log = events.log
    places = events.places[of_pair]
    table = log.sheet.table()[places]
    names = [_new_label(label, table.columns) for label in ("winner", "loser", "time of event")]
    new = [pl.Series(names[k], [side[k] for side in sides], dtype=pl.String) for k in (0, 1)]
    if when is not None:
        new.append(when.alias(names[2]))
    table = table.with_columns(new)
    notes = [*log.sheet.notes, *events.notes]
    return log.sheet.of_rows(table, places, cells=None, notes=notes)


def _new_label(label: str, taken: Sequence[str]) -> str:
    while label in taken:
        label += "_"
    return label


def _decided(events: Events, column: str, won: list[str], lost: list[str]) -> str:
    """The note that says how winners were determined."""
    numbers, log = Counter(events.behavior.to_list()), events.log
    parts = [
        f'column "{who}" contains the winner of '
        f"{_tally(Counter({name: numbers[name] for name in names}))}"
        for who, names in ((log.actor, won), (column, lost))
        if names
    ]
    return (
        f"Read as {log.program}: {'; '.join(parts)}. Change this with {option('winner_behaviors')} "
        f"and {option('loser_behaviors')}."
    )

"""Behavior logs and the programs that export them: BORIS, ZooMonitor and Animal Observer.

A log has one row per behavior, with the individual that shows it and, for social behaviors, the
individual at which it is directed. The columns are those of the exports themselves: tabular and
aggregated events of BORIS (Friard & Gamba 2016, Methods in Ecology and Evolution 7: 1325–1330;
older versions write a block of lines on the observation above the header of tabular events), the
report of a study of ZooMonitor, and the table of behaviors of Animal Observer. The columns of
CyberTracker are defined by each user, so that its tables are read like any other list.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace

import polars as pl

from peckorder.data.sheet import Sheet
from peckorder.errors import DataError
from peckorder.text import quoted

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


def padded_above(raw: bytes, separator: str) -> bytes:
    """Text in which lines on an observation have as many fields as the header below them.

    BORIS fills these lines up; editors of text may remove what looks like blanks at their ends.
    """
    sign = separator.encode()
    *above, rest = raw.split(b"\n", MOST_LINES_ABOVE)
    for place, line in enumerate(above):
        if line.startswith(b"Time" + sign) and sign + b"Subject" + sign in line:
            width = line.count(sign)
            filled = [
                text.rstrip(b"\r") + sign * (width - text.count(sign)) for text in above[:place]
            ]
            return b"\n".join([*filled, *above[place:], rest])
    return raw


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
    first = sheet.first_row + place
    return replace(
        sheet,
        frame=table.lazy(),
        columns=table.columns,
        height=table.height,
        first_row=first,
        cells=None,
    )


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

"""The reading: what was decided about a sheet, as arguments of `peckorder.read`, and what it gives.

A decision is an argument of `read`, and so an edit of the recipe of the sheet: the code shown
beside the sheet reads the same contests. What nobody has decided is assumed for now
(`provisional`), so that everything else can be seen at once, and is a doubt of `peckorder.propose`.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import peckorder as po
from peckorder.app.uploads import Record, Sheets
from peckorder.data.proposal import NAMED, Proposal, proposal
from peckorder.data.recipe import Doubt, Recipe
from peckorder.data.visits import duration
from peckorder.errors import DataError, PeckorderError
from peckorder.tables import as_polars, plain

ROLES = {
    "winner": "winner",
    "loser": "loser",
    "a": "side 1",
    "b": "side 2",
    "outcome": "outcome (who won)",
    "date": "date",
    "time": "time of day",
    "tie": "tie",
    "group": "group",
    "context": "context",
    "season": "season",
    "count": "number of contests",
    "home": "home side",
    "away": "away side",
    "home_points": "points of the home side",
    "away_points": "points of the away side",
    "a_points": "points of side 1",
    "b_points": "points of side 2",
    "winner_points": "points of the winner",
    "loser_points": "points of the loser",
    "neutral": "neutral venue",
    "contest": "contest (A > B)",
}
TEXTS = ("kind", "date_format", "where", "separator", "encoding", "other", "presence_sheet")
RULES = {
    "self_contests": ("drop",),
    "missing": ("drop",),
    "polyadic": ("dyads", "drop", "keep"),
    "undecided": ("drop", "tie"),
    "winners": ("rows", "columns"),
    "twins": ("once",),
    "times": ("drop",),
    "presence": ("inferred", "file"),
}
LISTS = (
    *("ignore", "individuals", "fill_down", "winner_behaviors", "loser_behaviors"),
    *("order", "unused", "leave_out", "accept"),
)
MAPPINGS = ("names", "outcomes", "cells")
PRESENT = ("presence", "presence_sheet")  # arguments about who was there
WITHIN = "within"  # of visits: the longest time from a departure to an arrival
LONGEST_TEXT = 2_000
MOST_NAMES = 20_000


def checked_option(name: str, value: Any) -> Any:
    """One decision as an argument of `read`; raises an error for anything that is not one."""
    if name in ROLES or name in TEXTS:
        return _text(name, value)
    if name in RULES:
        if value not in RULES[name]:
            raise DataError(f"{name}: choose one of {', '.join(RULES[name])}.")
        return value
    if name in LISTS:
        given = value if isinstance(value, list) else [value]
        given = [str(one) if name == "leave_out" else one for one in given[:MOST_NAMES]]
        return [_text(name, one) for one in given]
    if name in MAPPINGS:
        if not isinstance(value, Mapping) or len(value) > MOST_NAMES:
            raise DataError(f"{name}: give texts by text.")
        return {_text(name, one): _text(name, other) for one, other in value.items()}
    if name == "sheet":
        if isinstance(value, list):
            return [_text(name, one) for one in value[:100]]
        return _text(name, str(value))
    if name == "header":
        if not re.fullmatch(r"\d{1,7}(-\d{1,7})?", str(value)):
            raise DataError("header: give the number of a row, or two rows such as 3-4.")
        return str(value) if "-" in str(value) else int(value)
    if name == WITHIN:
        duration(name, _text(name, value))
        return value
    raise DataError(f"{name} is not a decision about a sheet.")


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_TEXT or "\0" in value:
        raise DataError(f"{name}: give a text of at most {LONGEST_TEXT:,} characters.")
    return value


def decided_with(decided: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Decisions after changes: None takes one back, also inside of a list or mapping.

    >>> decided_with({"ignore": ["?"]}, {"ignore": {"?": None, "x": True}, "missing": "drop"})
    {'ignore': ['x'], 'missing': 'drop'}
    """
    found = dict(decided)
    for name, value in changes.items():
        if value is not None and isinstance(value, Mapping) and name in (*LISTS, *MAPPINGS):
            before = found.get(name) or {}
            joined = {**(before if name in MAPPINGS else dict.fromkeys(before, True)), **value}
            joined = {str(one): other for one, other in joined.items() if other is not None}
            value = joined if name in MAPPINGS else list(joined)
        if name == "where" and found.get(name) and value:
            value = f"({found[name]}) and ({value})"
        if value is None or value in ([], {}):
            found.pop(name, None)
        else:
            found[name] = checked_option(name, value)
    names = found.get("names", {})
    for name in names:  # chains end at the final name
        target, passed = names[name], {name}
        while target in names and names[target] != target and target not in passed:
            passed.add(target)
            target = names[target]
        names[name] = target
    return found


@dataclass(frozen=True, eq=False)
class Reading:
    """What a record gives with these decisions."""

    record: Record
    decided: dict[str, Any]  # decisions, as arguments of `read`
    # arguments assumed for now, about which nobody has decided
    provisional: dict[str, Any] = field(default_factory=dict)
    doubts: tuple[Doubt, ...] = ()
    recipe: Recipe = field(default_factory=Recipe)
    data: Any = None  # the contests; None if they cannot be read
    wrong: tuple[str, ...] = ()  # why the chosen presence is not used
    presence: Path | None = None
    sheets: Sheets | None = None  # sheets of the record that are open

    @property
    def options(self) -> dict[str, Any]:
        """All arguments that were used."""
        rows = [*self.decided.get("leave_out", ()), *self.provisional.get("leave_out", ())]
        more = {"leave_out": list(dict.fromkeys(rows))} if rows else {}
        return self.decided | self.provisional | more

    @property
    def failure(self) -> list[str]:
        """Why the sheet cannot be read."""
        return [] if self.data is not None else [doubt.evidence for doubt in self.doubts]


def read_record(
    record: Record,
    decided: Mapping[str, Any],
    presence: Path | None,
    sheets: Sheets | None = None,
) -> Reading:
    """Read a record with these decisions; what is not decided is left out for now."""
    sheets, given = sheets or Sheets(record), dict(decided)
    arguments = {k: v for k, v in given.items() if k not in (*PRESENT, WITHIN)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if WITHIN in given:
            found = displaced(record, given)
        else:
            found = proposal(lambda options: sheets.open(options, ROLES), arguments)
    data, wrong = found.data, ()
    if data is not None:
        data = replace(data, report=replace(data.report, path=str(record.path)))
        data, wrong = _with_presence(data, sheets, given, presence)
    return Reading(
        record, given, found.added, found.doubts, found.recipe, data, wrong, presence, sheets
    )


def displaced(record: Record, given: Mapping[str, Any]) -> Proposal:
    """The contests of visits to feeders: who replaced whom."""
    try:
        data = po.displacements(str(record.path), within=given[WITHIN], **visit_columns(record))
    except PeckorderError as error:
        doubt = Doubt("reading", "visits", str(error), (), (), "refuse")
        return Proposal(None, Recipe(), (doubt,))
    return Proposal(data, Recipe(source=record.name, shape="visits"), data.doubts)


def visit_columns(record: Record) -> dict[str, Any]:
    """The columns of visits, as the message of `read` names them."""
    try:
        po.read(str(record.path))
    except PeckorderError as error:
        named = dict(NAMED.findall(str(error)))
        return {k: v for k, v in named.items() if k in ("individual", "place", "start", "end")}
    return {}


def gaps_of(record: Record) -> dict[str, Any]:
    """Gaps between visits, and the contests that each threshold would give."""
    found = po.visit_gaps(str(record.path), **visit_columns(record))
    histogram = as_polars(found.tables["gaps"]).to_dicts()
    return {
        "thresholds": [
            {name: plain(value) for name, value in row.items()}
            for row in found.as_polars().to_dicts()
        ],
        "histogram": histogram,
        "last": max(60.0, *(row["high"] for row in histogram)),
    }


def _with_presence(
    data: Any, sheets: Sheets, decided: Mapping[str, Any], file: Path | None
) -> tuple[Any, tuple[str, ...]]:
    """The contests with the presence that was chosen; without it if the two do not agree."""
    kind, sheet = (decided.get(name) for name in PRESENT)
    if not kind and not sheet:
        return data, ()
    source = sheets.record.path if sheet else file if kind == "file" else kind
    try:
        if source is None:
            raise DataError("There is no file of presence data. Upload one.")
        form = decided.get("date_format")
        with_it = data.with_presence(str(source), date_format=form, sheet=sheet)
    except (PeckorderError, OSError) as error:
        return data, tuple(getattr(error, "problems", (str(error),)))
    used = dict(with_it.report.options)
    if sheet:  # of the workbook that is read
        del used["presence"]
    return replace(with_it, report=replace(with_it.report, options=used)), ()

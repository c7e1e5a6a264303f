"""The reading: what was decided about a sheet, as arguments of `peckorder.read`, and what it gives.

A decision is an argument of `read` and nothing else, so that the code shown beside the sheet reads
the same contests. Where `read` refuses rows that nobody has decided about, its message names the
argument that would leave them out; these arguments are added for the time being (`provisional`), so
that everything else can be seen at once. They are counted, and every answer says so.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from peckorder.app.uploads import Record, Sheets
from peckorder.data.read import proposed
from peckorder.errors import DataError, PeckorderError

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
TEXTS = ("kind", "date_format", "where", "separator", "encoding", "other")
RULES = {
    "self_contests": ("drop",),
    "missing": ("drop",),
    "polyadic": ("dyads", "drop", "keep"),
    "undecided": ("drop", "tie"),
    "winners": ("rows", "columns"),
    "twins": ("once",),
    "times": ("drop",),
}
LISTS = (
    *("ignore", "individuals", "fill_down", "winner_behaviors", "loser_behaviors"),
    *("order", "unused", "leave_out", "accept"),
)
PRESENCE = ("inferred", "file")
PRESENT = ("presence", "presence_sheet")  # arguments about who was there
MOST_ATTEMPTS = 6
LONGEST_TEXT = 2_000
MOST_NAMES = 20_000
# Arguments by which a message of `read` says that rows can be left out for now.
LEAVES_OUT = re.compile(r"\b(missing|self_contests|polyadic|undecided)=\"drop\"")
FORMATS = re.compile(r'date_format="([^"]+)" \((\w+) first\)')
HEADER = re.compile(r"\bheader=\"?(\d+(?:-\d+)?)\"?")
SHEETS = re.compile(r'Choose one with sheet="([^"]+)"')


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
    if name in ("names", "outcomes"):
        if not isinstance(value, Mapping) or len(value) > MOST_NAMES:
            raise DataError(f"{name}: give correct names by spelling.")
        return {_text(name, one): _text(name, other) for one, other in value.items()}
    if name == "sheet":
        if isinstance(value, list):
            return [_text(name, one) for one in value[:100]]
        return _text(name, str(value))
    if name == "header":
        if not re.fullmatch(r"\d{1,7}(-\d{1,7})?", str(value)):
            raise DataError("header: give the number of a row, or two rows such as 3-4.")
        return str(value) if "-" in str(value) else int(value)
    if name == "presence_sheet":
        return _text(name, value)
    if name == "presence":
        if value not in PRESENCE:
            raise DataError("presence: choose inferred, or upload a file.")
        return value
    raise DataError(f"{name} is not a decision about a sheet.")


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_TEXT or "\0" in value:
        raise DataError(f"{name}: give a text of at most {LONGEST_TEXT:,} characters.")
    return value


@dataclass(frozen=True)
class Problem:
    """One message of `read`, and what was done about it for now."""

    text: str
    options: tuple[str, ...] = ()
    formats: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, eq=False)
class Reading:
    """What a record gives with these decisions."""

    record: Record
    decided: dict[str, Any]  # decisions, as arguments of `read`
    # arguments added for now, about which nobody has decided
    provisional: dict[str, Any] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()  # what `read` said about rows that are not decided
    data: Any = None  # the contests; None if they cannot be read
    failure: tuple[str, ...] = ()  # why they cannot be read
    presence: Path | None = None
    sheets: Sheets | None = None  # sheets of the record that are open

    @property
    def options(self) -> dict[str, Any]:
        """All arguments that were used."""
        return self.decided | self.provisional


def read_record(
    record: Record,
    decided: Mapping[str, Any],
    presence: Path | None,
    sheets: Sheets | None = None,
) -> Reading:
    """Read a record with these decisions; what is not decided is left out for now."""
    sheets = sheets or Sheets(record)
    given, added = dict(decided), {}
    found: list[Problem] = []
    texts: tuple[str, ...] = ()
    for _ in range(MOST_ATTEMPTS):
        try:
            data = _read(sheets, given | added)
        except (PeckorderError, OSError) as error:
            texts = _problems(error)
            more, problems = _for_now(texts, given | added)
            if not more:
                break
            added |= more
            found += problems
        else:
            data, wrong = _with_presence(data, sheets, given, presence)
            added |= dict.fromkeys(name for problem in wrong for name in problem.options)
            problems = (*found, *wrong)
            return Reading(record, given, added, problems, data, (), presence, sheets)
    return Reading(record, given, added, tuple(found), None, texts, presence, sheets)


def _problems(error: Exception) -> tuple[str, ...]:
    return getattr(error, "problems", None) or (str(error),)


def _read(sheets: Sheets, options: Mapping[str, Any]) -> Any:
    """The contests, without presence."""
    arguments = {name: value for name, value in options.items() if name not in PRESENT}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = proposed(sheets.open(options, ROLES), None, arguments)
    return replace(data, report=replace(data.report, path=str(sheets.record.path)))


def _with_presence(
    data: Any, sheets: Sheets, decided: Mapping[str, Any], file: Path | None
) -> tuple[Any, list[Problem]]:
    """The contests with the presence that was chosen; without it if the two do not agree."""
    kind, sheet = (decided.get(name) for name in PRESENT)
    if not kind and not sheet:
        return data, []
    source = sheets.record.path if sheet else file if kind == "file" else kind
    try:
        if source is None:
            raise DataError("There is no file of presence data. Upload one.")
        form = decided.get("date_format")
        with_it = data.with_presence(str(source), date_format=form, sheet=sheet)
    except (PeckorderError, OSError) as error:
        chosen = tuple(name for name in PRESENT if decided.get(name))
        return data, [Problem(text, chosen) for text in _problems(error)]
    used = dict(with_it.report.options)
    if sheet:  # of the workbook that is read
        del used["presence"]
    return replace(with_it, report=replace(with_it.report, options=used)), []


def _for_now(
    texts: tuple[str, ...], options: Mapping[str, Any]
) -> tuple[dict[str, Any], list[Problem]]:
    """Arguments that leave out, for now, what these messages are about."""
    added: dict[str, Any] = {}
    problems = []
    for text in texts:
        own: dict[str, Any] = dict.fromkeys(LEAVES_OUT.findall(text), "drop")
        formats = tuple((form, order) for form, order in FORMATS.findall(text))
        if formats or "date_format=" in text or ('date=""' in text and not own):
            own = {"date": ""}
        elif not own and 'time=""' in text:
            own = {"time": ""}
        elif not own and (row := HEADER.search(text)):
            own = {"header": checked_option("header", row[1])}
        elif not own and (sheet := SHEETS.search(text)) and "sheet" not in options:
            own = {"sheet": sheet[1]}
        own = {name: value for name, value in own.items() if options.get(name) != value}
        added |= own
        problems.append(Problem(text, tuple(own), formats))
    return added, problems

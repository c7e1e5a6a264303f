"""What a message of `read` proposes, as choices in the words of the page.

A message names arguments (`winner="Initiator"`), because it is written for code. The app offers
them as choices, and what is written on a choice is what it means.

Behaviors of a log: for each one, whether the individual that shows it wins or loses.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from peckorder.app.cards import DECIDED, WRONG, Card, choice
from peckorder.app.reading import LISTS, ROLES, RULES, Reading
from peckorder.app.table import Table, opened_sheet
from peckorder.data.behavior_logs import counted_events
from peckorder.data.log_formats import recognized
from peckorder.errors import PeckorderError
from peckorder.text import counted, quoted

TOGETHER = re.compile(r'\b\w+="[^"]*"(?:(?:, | and )\w+="[^"]*")*')
PROPOSED = re.compile(r'\b(\w+)="([^"]*)"')
CHOOSE = re.compile(r"Choose (?:one|it) with (\w+)=(?!\")")
KINDS = {
    "events": "Winner and loser are in two columns",
    "votes": "Two columns name the sides, a third one the winner",
    "games": "These are games with points",
    "arrows": "Cells are written as A > B",
    "matrix": "It is a win matrix",
}
OF_RULES = {
    ("missing", "drop"): "Leave out rows with missing cells",
    ("self_contests", "drop"): "Leave out self-contests",
    ("polyadic", "dyads"): "Several names in a cell: one contest per pair",
    ("polyadic", "drop"): "Leave out cells with several names",
    ("polyadic", "keep"): "Keep each cell as one name",
    ("undecided", "drop"): "Leave out contests without a decided outcome",
    ("undecided", "tie"): "Count contests without a decided outcome as ties",
}
MOST = 24


def proposals(text: str, columns: Sequence[str]) -> list[dict[str, Any]]:
    """What a message proposes to give: arguments that it names together are one choice."""
    offered, taken = [], set()
    for run in TOGETHER.finditer(text):
        change = {name: value for name, value in PROPOSED.findall(run[0]) if _offered(name)}
        key = tuple(change.items())
        if not change or key in taken:
            continue
        taken.add(key)
        plain = {name: [value] if name in LISTS else value for name, value in key}
        offered.append(choice(in_words_of(change), "", plain))
    for name in CHOOSE.findall(text):  # one of the columns that the message quotes
        if name in ROLES or name == "other":
            quoted = dict.fromkeys(re.findall(r'"([^"]+)"', text))
            found = [column for column in quoted if column in columns]
            offered += [choice(in_words_of({name: column}), "", {name: column}) for column in found]
    return offered[:MOST]


def in_words_of(change: Mapping[str, str]) -> str:
    """What a change of arguments means.

    >>> in_words_of({"winner": "Initiator", "loser": "Receiver"})
    'Use "Initiator" as winner, "Receiver" as loser'
    >>> in_words_of({"kind": "matrix"}), in_words_of({"date": ""})
    ('It is a win matrix', 'Use no column as date')
    """
    used, parts = [], []
    for name, value in change.items():
        if name == "kind":
            parts.append(KINDS.get(value, value))
        elif (name, value) in OF_RULES:
            parts.append(OF_RULES[name, value])
        elif name == "fill_down":
            parts.append(f"Blank cells of {value} take the value above")
        elif name == "date_format":
            parts.append(f"Read dates as {value}")
        elif name == "sheet":
            parts.append(f"Use sheet {value}")
        elif name in ROLES and not value:
            parts.append(f"Use no column as {ROLES[name]}")
        elif name in ROLES:
            used.append(f'"{value}" as {ROLES[name]}')
        elif name == "other":
            used.append(f'"{value}" as the other individual')
        else:
            parts.append(f"{name.replace('_', ' ')}: {value}")
    return "; ".join([f"Use {', '.join(used)}"] * bool(used) + parts)


def _offered(name: str) -> bool:
    return (
        name in ROLES or name in RULES or name in LISTS or name in ("kind", "sheet", "date_format")
    )


SIDES = ("winner_behaviors", "loser_behaviors")
MOST_BEHAVIORS = 60
UNCOUNTED = "not counted"


def asks_for_behaviors(text: str) -> bool:
    """Whether a message of `read` is about behaviors, which have a card of their own."""
    return any(f"{side}=" in text for side in SIDES)


def behavior_card(reading: Reading, table: Table) -> list[Card]:
    """The card of a behavior log, or nothing."""
    asked = any(asks_for_behaviors(text) for text in reading.failure)
    stated = {side: _parts(reading.decided.get(side)) for side in SIDES}
    if not asked and not any(stated.values()):
        return []
    found = _behaviors(reading, table)
    if found is None:
        return []
    actor, column, numbers = found
    won, lost = stated.values()
    shown = sorted(numbers, key=lambda name: (-numbers[name], name))[:MOST_BEHAVIORS]
    out = [name for name in shown if name not in won and name not in lost]
    if asked:
        text = f'Who wins follows from the behavior. Say it for each one in "{column}".'
    else:
        text = f"{counted(len(won) + len(lost), 'behavior')} decided."
        text += f" Not counted: {quoted(out, limit=6)}." if out else ""
    return [
        Card(
            "behaviors",
            WRONG if asked else DECIDED,
            "Behaviors",
            text,
            columns=[table.columns.index(column)] if column in table.columns else [],
            menus=[_menu(name, numbers[name], actor, won, lost) for name in shown],
        )
    ]


def _parts(value: list[str] | None) -> list[str]:
    return list(value or [])


def _menu(name: str, events: int, actor: str, won: list[str], lost: list[str]) -> dict:
    """The three ways to count a behavior; each sets the complete lists."""
    sides = [[one for one in side if one != name] for side in (won, lost)]
    ways = (
        (UNCOUNTED, sides, name not in won and name not in lost),
        (f"{actor} wins", [[*sides[0], name], sides[1]], name in won),
        (f"{actor} loses", [sides[0], [*sides[1], name]], name in lost),
    )
    return {
        "label": name,
        "detail": counted(events, "event"),
        "options": [
            choice(
                label,
                "",
                {side: names or None for side, names in zip(SIDES, both, strict=True)},
                done=f"{name}: {label}",
                chosen=chosen,
            )
            for label, both, chosen in ways
        ],
    }


def _behaviors(reading: Reading, table: Table) -> tuple[str, str, Counter[str]] | None:
    """Column of actors, column of behaviors, and how often each behavior occurs."""
    sheet, chosen = opened_sheet(reading), reading.decided.get("context")
    log = None if sheet is None else recognized(sheet)
    if log is not None:
        log = replace(log, behavior=chosen) if chosen in table.columns else log
        try:
            events = counted_events(log)
        except PeckorderError:  # the column of behaviors is still to be chosen
            return None
        return log.actor, str(log.behavior), Counter(events.behavior.to_list())
    used = {} if reading.data is None else reading.data.report.columns
    column = used.get("context")
    if column not in table.columns:
        return None
    cells = table.cells.to_series(table.columns.index(column)).str.strip_chars()
    return "the first", column, Counter(cell for cell in cells.to_list() if cell)

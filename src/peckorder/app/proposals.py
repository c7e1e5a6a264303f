"""What a message of `read` proposes, as choices in the words of the page.

A message names arguments (`winner="Initiator"`), because it is written for code. The app offers
them as choices, and what is written on a choice is what it means.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from peckorder.app.cards import choice
from peckorder.app.reading import LISTS, ROLES, RULES

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

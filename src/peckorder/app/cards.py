"""Cards: what was found in a sheet, with the rows concerned and the choices.

A choice is a change of arguments of `read`, so that deciding is nothing else than changing the code
that is shown. The suggestion is marked and never applied unasked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from peckorder.app.reading import Reading
from peckorder.app.table import Table

WRONG, OPEN, DECIDED, NOTE, PASSED = "wrong", "open", "decided", "note", "passed"
ORDER = (WRONG, OPEN, DECIDED, NOTE, PASSED)
TYPED = re.compile(r"\b(?:[a-z_]+=|data\.\w+\()")
ASIDE = re.compile(r" \([^()]*\b[a-z_]+=[^()]*\)")


@dataclass
class Card:
    """One finding."""

    id: str  # what was found
    state: str
    title: str
    text: str
    # rows concerned, from 0 below the header
    places: np.ndarray = field(default_factory=lambda: np.zeros(0, int))
    columns: list[int] = field(default_factory=list)  # positions of the columns concerned
    # what can be decided; each with `set`, the change of arguments
    choices: list[dict[str, Any]] = field(default_factory=list)
    # similar names, each with its own choices
    pairs: list[dict[str, Any]] = field(default_factory=list)
    # placeholder names with the number of their rows, and whether they are left out
    names: list[dict[str, Any]] = field(default_factory=list)
    # words, each with several meanings of which one is chosen (`options`)
    menus: list[dict[str, Any]] = field(default_factory=list)
    command: str = ""  # a line for the shell, where the app itself cannot help

    def to_dict(self) -> dict[str, Any]:
        """The card as the page knows it."""
        return {
            "id": self.id,
            "state": self.state,
            "title": self.title,
            "text": self.text,
            "rows": len(self.places),
            "first": int(self.places.min()) if len(self.places) else None,
            "columns": self.columns,
            "choices": self.choices,
            "pairs": self.pairs,
            "names": self.names,
            "menus": self.menus,
            "command": self.command,
        }


def in_words(text: str) -> str:
    """A message without the parts that say what to type, which the app replaces.

    >>> in_words("Row 4 was read as the header. Choose another with header=.")
    'Row 4 was read as the header.'
    >>> in_words('4 draws were omitted; ties="half" counts a draw as half a win.')
    '4 draws were omitted.'
    """
    kept = []
    for sentence in re.split(r"(?<=[.!?]) (?=[A-Z])", ASIDE.sub("", text)):
        clauses = sentence.split("; ")
        plain = [clause for clause in clauses if not TYPED.search(clause)]
        if plain and plain[0] == clauses[0]:
            kept.append("; ".join(plain).rstrip(".") + ".")
    return " ".join(kept) or text


def choice(
    label: str, detail: str, change: dict[str, Any], *, done: str = "", **more: Any
) -> dict[str, Any]:
    """One way to decide: `set` changes the arguments, `done` is its label in the history."""
    usual = {"suggested": False, "chosen": False}
    return {"label": label, "detail": detail, "set": change, "done": done or label} | usual | more


def suggestions(cards: list[Card]) -> dict[str, Any]:
    """The arguments that all suggestions together would change."""
    change: dict[str, Any] = {}
    for card in cards:
        if card.state not in (OPEN, WRONG):
            continue
        offered = [one for one in card.choices if one["suggested"]][:1]
        offered += [one for pair in card.pairs for one in pair["choices"] if one["suggested"]]
        for one in offered:
            for name, value in one["set"].items():
                merged = isinstance(value, dict) and isinstance(change.get(name), dict)
                change[name] = change[name] | value if merged else value
    return change


def columns_of(reading: Reading, table: Table, roles: tuple[str, ...]) -> list[int]:
    """Positions of the columns that have these roles."""
    used = {} if reading.data is None else reading.data.report.columns
    return [table.columns.index(used[role]) for role in roles if used.get(role) in table.columns]


def _sides(reading: Reading, table: Table) -> list[pl.Series]:
    places = columns_of(reading, table, ("winner", "loser", "a", "b", "home", "away", "contest"))
    return [table.cells.to_series(place).str.strip_chars() for place in places]


def rows_with(reading: Reading, table: Table, names: list[str]) -> np.ndarray:
    """Rows in which one of these names is a side."""
    found = np.zeros(table.height, bool)
    if names:
        for side in _sides(reading, table):
            found |= side.is_in(names).to_numpy()
    return np.flatnonzero(found)

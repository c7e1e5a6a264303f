"""Doubts as cards: what was noticed, the evidence, and each choice as a button.

A card is built from the `Doubt` alone, so that whatever reading comes to doubt has its card. A
choice sets the arguments of `read` that make the same edit of the recipe.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from peckorder.app.cards import DECIDED, NOTE, OPEN, WRONG, Card, choice, rows_with
from peckorder.app.reading import Reading
from peckorder.app.table import Table
from peckorder.data.recipe import Choice, Recipe
from peckorder.text import quoted

STATES = {"refuse": WRONG, "ask": OPEN, "note": NOTE}
TITLES = {
    "group": "Is this a column of groups?",
    "direction": "Who won?",
    "order": "The order of contests",
    "date part": "The order of contests",
    "count": "Numbers of contests",
    "filter": "Does this column decide which rows count?",
    "name": "Is this a name?",
    "date": "Dates",
    "total": "A row of totals",
    "twins": "Games listed from both sides",
    "new": "New in this sheet",
}


def doubt_cards(reading: Reading, table: Table) -> list[Card]:
    """One card for each doubt that is not decided, and one for names that are left out."""
    if reading.data is None:
        return []
    cards = [_card(reading, table, doubt) for doubt in reading.data.doubts]
    ignored = reading.decided.get("ignore") or []
    if ignored:
        again = choice("Decide again", "", {"ignore": None}, done="Names decided again")
        text = f"Contests with {quoted(ignored)} are left out."
        places = rows_with(reading, table, ignored)
        cards.append(Card("ignored", DECIDED, "Names", text, places, choices=[again]))
    return cards


def _card(reading: Reading, table: Table, doubt: Any) -> Card:
    rows = [row for row in doubt.rows if isinstance(row, int)]
    places = np.array(rows, int) - table.first_row
    columns = [table.columns.index(doubt.where)] if doubt.where in table.columns else []
    choices = [
        choice(
            _capital(one.label),
            "",
            change_of(reading.decided, one),
            done=f"{_capital(doubt.kind)}, {doubt.where}: {one.label}",
            suggested=place == 0 and doubt.kind == "name",
        )
        for place, one in enumerate(doubt.choices)
    ]
    text = f"{doubt.where}: {doubt.evidence}."
    title = TITLES.get(doubt.kind, _capital(doubt.kind))
    name = f"{doubt.kind}-{doubt.where}".replace('"', "")
    state = STATES[doubt.severity]
    return Card(name, state, title, text, places[places >= 0], columns, choices)


def change_of(decided: dict[str, Any], one: Choice) -> dict[str, Any]:
    """The arguments of `read` that a choice changes, with what was decided before."""
    after = Recipe().with_arguments(decided).edited(one.edits).arguments()
    return {name: after[name] for name in one.arguments()}


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]

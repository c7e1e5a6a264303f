"""What was found in a sheet, as cards: wrong, to decide, decided, notes and passed.

The findings are those of `peckorder.read` (see `sheet_cards`) and of `data.check()`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from peckorder.app.cards import (
    DECIDED,
    NOTE,
    OPEN,
    ORDER,
    PASSED,
    Card,
    choice,
    columns_of,
    in_words,
    rows_with,
)
from peckorder.app.doubts import doubt_cards
from peckorder.app.proposals import behavior_card
from peckorder.app.reading import Reading
from peckorder.app.sheet_cards import outcome_words, presence_card, sheet_cards, word_card
from peckorder.app.table import Table
from peckorder.text import counted, quoted

MOST_PAIRS = 60
TITLES = {
    "names": "Names",
    "self_contests": "Self-contests",
    "similar_names": "Similar names",
    "groups": "Groups",
    "duplicates": "Duplicated rows",
    "date_order": "Order of dates",
    "order_within": "Same time stamp",
    "presence": "Presence",
    "presence_notes": "Presence",
    "one_day": "Days of observation",
    "connected": "Connected individuals",
    "contests_each": "Contests per individual",
    "unknown_dyads": "Unknown dyads",
}


def cards_of(reading: Reading, table: Table, groups: str | None) -> list[Card]:
    """All findings, the wrong ones first."""
    cards = [*behavior_card(reading, table), *word_card(reading, table)]
    cards += sheet_cards(reading, table)
    cards += doubt_cards(reading, table)
    if reading.data is not None:
        cards += _checks(reading, table, groups)
        cards += [
            Card(f"note-{i}", NOTE, "How the sheet was read", in_words(text))
            for i, text in enumerate(reading.data.report.notes)
            if not any(card.text == in_words(text) for card in cards)
        ]
    return sorted(cards, key=lambda card: ORDER.index(card.state))


def _checks(reading: Reading, table: Table, groups: str | None) -> list[Card]:
    """The checks of the data."""
    report = reading.data.check()
    cards = []
    for i, check in enumerate(report.checks):
        if check.name in ("names", "self_contests") and reading.provisional:
            continue
        state = {"passed": PASSED, "note": NOTE}.get(check.level, NOTE)
        places = np.array([r for r in check.rows if isinstance(r, int)], int) - table.first_row
        title = TITLES.get(check.name, check.name)
        card = Card(check.name, state, title, in_words(check.message), places[places >= 0])
        if check.name == "similar_names":
            card = _similar(reading, table, card, report)
        elif check.name == "groups":
            card = _groups(reading, card, check, groups)
        elif check.name == "presence":
            card = presence_card(reading, card)
        elif check.name == "presence_notes":
            card.id = f"presence-{i}"
        cards.append(card)
    if groups == "pool" and reading.decided.get("group") == "":
        again = choice(
            "Use the groups", "", {"group": None, "groups": None}, done="Groups reopened"
        )
        text = "Groups are pooled in one ranking. Positions across groups may be arbitrary."
        cards.append(Card("groups", DECIDED, "Groups", text, choices=[again]))
    return cards


def _similar(reading: Reading, table: Table, card: Card, report: Any) -> Card:
    words = outcome_words(reading)
    aliases = {
        one: into for one, into in (reading.decided.get("names") or {}).items() if one not in words
    }
    rows = report.proposed.rows(named=True)[:MOST_PAIRS] if report.proposed.height else []
    undecided = [row for row in rows if row["similar to"]]
    for row in undecided:
        one, other = row["name"], row["similar to"]
        proposed = row["individual"] != one
        into = row["individual"] if proposed else other
        card.pairs.append(
            {
                "one": one,
                "other": other,
                "difference": row["difference"],
                "contests": row["contests"],
                "decided": None,
                "choices": [
                    choice(
                        "Join",
                        f"{one} becomes {into}",
                        {"names": {one: into}},
                        done=f"Joined {one} with {into}",
                        suggested=proposed,
                    ),
                    choice(
                        "Keep apart",
                        "",
                        {"names": {one: one}},
                        done=f"Kept {one} and {other} apart",
                    ),
                ],
            }
        )
    for one, into in list(aliases.items())[:MOST_PAIRS]:
        card.pairs.append(
            {
                "one": one,
                "other": into,
                "difference": "",
                "contests": None,
                "decided": "apart" if one == into else "join",
                "choices": [
                    choice("Decide again", "", {"names": {one: None}}, done=f"Reopened {one}")
                ],
            }
        )
    involved = [row["name"] for row in undecided]  # the rarer spelling of each pair
    card.places = rows_with(reading, table, [*involved, *aliases])
    card.columns = columns_of(reading, table, ("winner", "loser", "a", "b", "outcome"))
    if undecided:
        card.state = OPEN if report["similar_names"].level == "warning" else NOTE
        card.text = report["similar_names"].message.split(" Check whether")[0]
    elif aliases:
        joined = sum(one != into for one, into in aliases.items())
        card.state = DECIDED
        card.text = f"{counted(joined, 'spelling')} joined, {len(aliases) - joined} kept apart."
    return card


def _groups(reading: Reading, card: Card, check: Any, groups: str | None) -> Card:
    if check.level != "warning":
        return card
    names = reading.data.group.names
    card.state = DECIDED if groups else OPEN
    card.text = f"{counted(len(names), 'group')}: {quoted(names, limit=6)}."
    if groups == "each":
        card.text += " Each has its own ranking."
    card.choices = [
        choice(
            "Rank each group on its own",
            "",
            {"groups": "each"},
            suggested=True,
            chosen=groups == "each",
            done="Each group ranked on its own",
        ),
        choice(
            "One ranking for all",
            "Equal names are the same individual; positions across groups may be arbitrary.",
            {"groups": "pool", "group": ""},
            done="Groups pooled",
        ),
    ]
    return card

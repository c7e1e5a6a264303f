"""Words of a column of outcomes that `read` does not know: the user says what each one means.

The meaning is an alias of the word (`names`), which `read` applies to outcomes as well as to names,
so that the code shown reads the same contests.
"""

from __future__ import annotations

import re
from typing import Any

from peckorder.app.cards import DECIDED, WRONG, Card, choice, columns_of, in_words
from peckorder.app.reading import Reading
from peckorder.app.table import Table

MEANINGS = ("won", "lost", "tie", "undecided")
UNKNOWN = re.compile(
    r'((?:"[^"]*"(?:, )?)+)(?: and [\d,]+ more)? in column "(?P<column>[^"]+)" names? neither side'
)
SIDES = re.compile(r"Write the name of the winner, (?P<a>.+?), (?P<b>.+?) or tie")


def outcome_words(reading: Reading) -> dict[str, str]:
    """Words whose meaning was decided, by word."""
    names = reading.decided.get("names") or {}
    known = () if reading.data is None else reading.data.individuals
    return {
        word: meaning
        for word, meaning in names.items()
        if meaning in MEANINGS and word != meaning and meaning not in known
    }


def asks_for_words(text: str) -> bool:
    """Whether a message of `read` is about words of outcomes, which have a card of their own."""
    return UNKNOWN.search(text) is not None and SIDES.search(text) is not None


def word_card(reading: Reading, table: Table) -> list[Card]:
    """What the words of the column of outcomes mean, or nothing."""
    decided = outcome_words(reading)
    for text in reading.failure:
        unknown, sides = UNKNOWN.search(text), SIDES.search(text)
        if unknown is None or sides is None:
            continue
        words = re.findall(r'"([^"]*)"', unknown[1])
        column = unknown["column"]
        menus = [
            _menu(word, decided.get(word), sides["a"], sides["b"])
            for word in _as_in_the_sheet([*words, *decided], table, column)
        ]
        places = [table.columns.index(column)] if column in table.columns else []
        return [
            Card(
                "words",
                WRONG,
                "Words for the outcome",
                in_words(text),
                columns=places,
                choices=_always(text, sides["a"]),
                menus=menus,
            )
        ]
    if not decided or reading.data is None:
        return []
    used = reading.data.report.columns
    if not used.get("outcome"):
        return []
    words = _as_in_the_sheet([*decided], table, used["outcome"])
    menus = [_menu(word, decided[word], used["a"], used["b"]) for word in words]
    text = f'Words in column "{used["outcome"]}" whose meaning you gave.'
    places = columns_of(reading, table, ("outcome",))
    return [
        Card("words", DECIDED, "Words for the outcome", text, columns=places, menus=menus),
    ]


def _as_in_the_sheet(words: list[str], table: Table, column: str) -> list[str]:
    """Words in the order of their first rows, so that a decision does not move them."""
    words = list(dict.fromkeys(words))
    if column not in table.columns:
        return words
    cells = table.cells.to_series(table.columns.index(column)).str.strip_chars()
    rows = {cell: row for row, cell in enumerate(cells.unique(maintain_order=True))}
    return sorted(words, key=lambda word: rows.get(word, len(rows)))


def _always(text: str, a: str) -> list[dict[str, Any]]:
    """The choice not to use the column, where `read` offers it."""
    if 'outcome=""' not in text:
        return []
    return [
        choice(
            f'"{a}" won every contest',
            "The column is not used.",
            {"outcome": ""},
            done=f"{a} read as the winner",
        )
    ]


def _menu(word: str, meaning: str | None, a: str, b: str) -> dict[str, Any]:
    labels = (f"{a} won", f"{b} won", "a tie", "no result")
    ways = [
        choice(
            label,
            "",
            {"names": {word: value}},
            done=f"{word}: {label}",
            chosen=value == meaning,
        )
        for value, label in zip(MEANINGS, labels, strict=True)
    ]
    first = choice(
        "not decided", "", {"names": {word: None}}, done=f"Reopened {word}", chosen=meaning is None
    )
    return {"label": word, "detail": "", "options": [first, *ways]}

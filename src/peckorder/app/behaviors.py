"""Behaviors of a log: for each one, whether the individual that shows it wins or loses.

The decision is requested behavior by behavior, and all of them stay in sight: one that is not
counted is a contest less, which must not be overlooked once the first one is decided.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from peckorder.app.cards import DECIDED, WRONG, Card, choice
from peckorder.app.reading import Reading
from peckorder.app.table import Table, opened_sheet
from peckorder.data.log_events import counted_events
from peckorder.errors import PeckorderError
from peckorder.sources.log_formats import recognized
from peckorder.wording import counted, quoted

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

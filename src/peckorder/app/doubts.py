"""Doubts as cards: what was noticed, the rows concerned, and each choice as a button.

A card is made from the doubts of the reading alone, so that whatever reading comes to doubt has its
card; several doubts of one kind (names, behaviors, words) share one. A choice is a change of
arguments of `read`, which is an edit of the recipe. Suggestions are marked, never applied unasked.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from peckorder.app.errors import capital, in_words
from peckorder.app.reading import PRESENT, ROLES, WITHIN, Reading
from peckorder.app.table import Table, opened_sheet, sides_of
from peckorder.app.uploads import MADE
from peckorder.data.headings import says
from peckorder.data.proposal import FEW, behavior_doubts, choices_named, meanings
from peckorder.data.proposal import in_words as meaning
from peckorder.data.recipe import LISTS, Choice, Doubt
from peckorder.data.workbooks import ALL, COLUMN
from peckorder.text import counted, quoted

WRONG, OPEN, DECIDED, NOTE, PASSED = "wrong", "open", "decided", "note", "passed"
ORDER = (WRONG, OPEN, DECIDED, NOTE, PASSED)
MOST_ITEMS, MOST_CELLS = 60, 12
SHARED = ("name", "behavior", "outcome word")  # kinds of which several doubts share one card
TITLES = {
    "missing": "Missing cells",
    "self-contest": "Self-contests",
    "several names": "Several names in one cell",
    "no outcome": "No decided outcome",
    "cell": "Cells that cannot be read",
    "date": "Dates",
    "time": "Times of day",
    "header": "Header row",
    "sheet": "Several sheets",
    "outcome": "Outcomes",
    "outcome word": "Words for the outcome",
    "behavior": "Behaviors",
    "visits": "Visits, not contests",
    "reading": "Cannot be read yet",
    "group": "Is this a column of groups?",
    "direction": "Who won?",
    "order": "The order of contests",
    "date part": "The order of contests",
    "count": "Numbers of contests",
    "filter": "Does this column decide which rows count?",
    "name": "Names",
    "total": "A row of totals",
    "twins": "Games listed from both sides",
    "new": "New in this sheet",
    # checks of the data
    "self_contests": "Self-contests",
    "duplicates": "Duplicated rows",
    "date_order": "Order of dates",
    "order_within": "Same time stamp",
    "presence_notes": "Presence",
    "one_day": "Days of observation",
    "connected": "Connected individuals",
    "contests_each": "Contests per individual",
}
# Decisions that are seen elsewhere on the screen.
SEEN_ELSEWHERE = (
    *(*ROLES, *PRESENT, "kind", "header", "sheet", "accept"),
    *("outcomes", "winner_behaviors", "loser_behaviors"),
)
JOINED = 'were joined; column "'  # of a note, which has a card of its own
COLUMNS = (COLUMN, "name of the sheet")  # with the names of joined sheets
SIDES = ("winner", "loser", "a", "b", "home", "away")  # roles that name individuals
THROUGHOUT: dict[str, Any] = dict.fromkeys(PRESENT)


@dataclass
class Card:
    """One finding, or several of a kind."""

    id: str
    state: str
    title: str
    text: str
    # rows concerned, from 0 below the header
    places: np.ndarray = field(default_factory=lambda: np.zeros(0, int))
    columns: list[int] = field(default_factory=list)  # positions of the columns concerned
    # what can be decided; each with `set`, the change of arguments
    choices: list[dict[str, Any]] = field(default_factory=list)
    # names, words or behaviors, each with its own choices
    items: list[dict[str, Any]] = field(default_factory=list)
    # cells that can be corrected in place
    cells: list[dict[str, Any]] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """The card as the page knows it."""
        found = {name: value for name, value in vars(self).items() if name != "places"}
        first = int(self.places.min()) if len(self.places) else None
        return found | {"rows": len(self.places), "first": first}

    def offered(self) -> list[dict[str, Any]]:
        """All choices, also those of its items."""
        return [*self.choices, *(one for item in self.items for one in item["choices"])]


def choice(
    label: str, change: dict[str, Any], *, detail: str = "", done: str = "", **more: Any
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
        offered += [o for item in card.items for o in item["choices"] if o["suggested"]]
        for one in offered:
            for name, value in one["set"].items():
                merged = isinstance(value, dict) and isinstance(change.get(name), dict)
                change[name] = change[name] | value if merged else value
    return change


def change_of(one: Choice) -> dict[str, Any]:
    """The change of arguments of `read` that makes the edits of a choice.

    >>> change_of(Choice("", {"columns.cage": "group", "ignore": ["?"]}))
    {'group': 'cage', 'ignore': {'?': True}}
    """
    found: dict[str, Any] = {
        name: dict.fromkeys(map(str, value), True) if name in LISTS and name != "accept" else value
        for name, value in one.arguments().items()
    }
    for key, wins in one.edits.items():
        if key.startswith("behaviors."):
            for side, own in (("winner_behaviors", "actor"), ("loser_behaviors", "receiver")):
                known = found.setdefault(side, {})
                known[key.partition(".")[2]] = True if wins == own else None
    return {"date": None} | found if "date_format" in found else found


def cards_of(reading: Reading, table: Table, groups: str | None) -> list[Card]:
    """All findings, the wrong ones first."""
    kinds: dict[str, list[Doubt]] = {}
    for doubt in (*_stated(reading, table), *reading.doubts):
        if doubt.kind == "group" and table.files is not None and doubt.where in COLUMNS:
            continue  # asked about joined sheets
        same = doubt.kind if doubt.kind in SHARED else f"{doubt.kind}-{doubt.where}"
        name = f"{same}-{doubt.severity}" if same in kinds and doubt.kind not in SHARED else same
        known = kinds.setdefault(name, [])
        known += [doubt] if doubt.where not in [one.where for one in known] else []
    cards = [_card(reading, table, name.replace('"', ""), found) for name, found in kinds.items()]
    cards += _decisions(reading, table)
    if reading.data is not None:
        cards += [*_other_winner(reading, table), *_checks(reading, table, groups)]
        cards += _joined(reading, table)
        for i, text in enumerate(reading.data.report.notes):
            if JOINED in text:
                continue
            note = Card(f"note-{i}", NOTE, "How the sheet was read", in_words(text))
            ways = choices_named(text, table.columns)
            note.choices = [choice(capital(one.label), change_of(one)) for one in ways]
            cards.append(note)
    return sorted(cards, key=lambda card: ORDER.index(card.state))


def _stated(reading: Reading, table: Table) -> list[Doubt]:
    """Behaviors and words that stay in sight when they are decided."""
    found: list[Doubt] = []
    if any(reading.decided.get(side) for side in ("winner_behaviors", "loser_behaviors")):
        found += behavior_doubts(opened_sheet(reading), reading.decided)
    for word in reading.decided.get("outcomes") or {}:
        used = {} if reading.data is None else reading.data.report.columns
        one, other = used.get("a", "side 1"), used.get("b", "side 2")
        found.append(Doubt("outcome word", word, "", meanings(word, one, other)))
    return found


def _title(kind: str) -> str:
    return TITLES.get(kind, capital(kind.replace("_", " ")))


def _state(reading: Reading, doubts: list[Doubt]) -> str:
    if all(_chosen(reading, one) is not None for one in doubts):
        return DECIDED
    severity = {doubt.severity for doubt in doubts}
    if "refuse" in severity:
        return WRONG if reading.data is None or not reading.provisional else OPEN
    if doubts[0].kind == "behavior" and reading.data is not None:
        return DECIDED
    return OPEN if "ask" in severity else NOTE


def _chosen(reading: Reading, doubt: Doubt) -> str | None:
    """What was decided about a behavior or a word."""
    if doubt.kind == "outcome word":
        return (reading.decided.get("outcomes") or {}).get(doubt.where)
    if doubt.kind == "behavior":
        for side, wins in (("winner_behaviors", "actor"), ("loser_behaviors", "receiver")):
            if doubt.where in reading.decided.get(side, ()):
                return wins
        return "drop" if reading.data is not None else None
    return None


def _card(reading: Reading, table: Table, name: str, doubts: list[Doubt]) -> Card:
    """A card of one doubt, or of several that are decided alike."""
    first = doubts[0]
    places = np.unique(np.concatenate([table.places(doubt.rows) for doubt in doubts]))
    state, title = _state(reading, doubts), _title(first.kind)
    if first.kind in SHARED:
        column = next(iter(_columns(table, *(d.where for d in doubts))), None)
        card = Card(name, state, title, "", places, [] if column is None else [column])
        card.items = [_item(reading, doubt) for doubt in doubts[:MOST_ITEMS]]
        card.text = _said(doubts)
        return card
    lead = f"{first.where}: " if first.severity != "refuse" and first.where else ""
    columns = _columns(table, first.where)
    card = Card(name, state, title, in_words(f"{lead}{first.evidence}"), places, columns)
    card.text = card.text if card.text.endswith(".") else f"{card.text}."
    card.choices = [_choice(first, one) for one in first.choices if "leave_out" not in one.edits]
    if reading.data is None and reading.decided.get("sheet") == ALL and first.kind == "reading":
        card.choices = [
            choice(f"Read {label} alone", {"sheet": label}) for label in reading.record.sheets
        ]
    if first.severity == "refuse" and columns and not table.cells.is_empty():
        cells = table.cells.to_series(columns[0])
        heading = table.columns[columns[0]]
        card.cells = [
            {"row": table.row(place), "column": heading, "text": cells[place]}
            for place in places[:MOST_CELLS].tolist()
        ]
        card.choices += _in_place(reading, table, heading, cells, places)
    return card


def _in_place(
    reading: Reading, table: Table, column: str, cells: pl.Series, places: np.ndarray
) -> list[dict[str, Any]]:
    """A contest without a usable date keeps its place in the sheet, where rows are in order."""
    data = reading.data
    if data is None or data.date is None or data.report.columns.get("date") != column:
        return []
    order = np.argsort(data.rows, kind="stable")
    known, dates = data.rows[order] - table.first_row, data.date[order]
    after = np.searchsorted(known, places)
    if not len(places) or after.min() == 0:
        return []  # no row above
    last = np.minimum(after, len(known) - 1)
    if not (dates[after - 1] <= np.where(after < len(known), dates[last], dates[-1])).all():
        return []
    above = cells[known[after - 1].tolist()].to_list()
    changed = {
        f"{table.row(place)} {column}": text
        for place, text in zip(places.tolist(), above, strict=True)
    }
    said = "Its date stays unknown: that of the row above it is used, so that it keeps its place."
    done = f"Kept in place: {counted(len(places), 'row')}"
    return [choice("Keep in the order of the sheet", {"cells": changed}, detail=said, done=done)]


def _said(doubts: list[Doubt]) -> str:
    if doubts[0].kind == "behavior":
        return "Who wins follows from the behavior. Decide for each one."
    if doubts[0].kind == "outcome word":
        return doubts[0].evidence or "Words whose meaning was given."
    names = [one.where.strip('"') for one in doubts]
    return f"{counted(len(names), 'name')} that may not be one: {quoted(names)}."


def _choice(doubt: Doubt, one: Choice) -> dict[str, Any]:
    done = f"{capital(doubt.kind)}, {doubt.where}: {one.label}" if doubt.where else one.label
    return choice(
        capital(one.label),
        change_of(one),
        detail=one.detail,
        done=done,
        suggested=one.likely,
    )


def _item(reading: Reading, doubt: Doubt) -> dict[str, Any]:
    """One of several names, behaviors or words."""
    chosen = _chosen(reading, doubt)
    offered = []
    for place, one in enumerate(doubt.choices):
        value = next(iter(one.edits.values()), None)
        suggested = one.likely or (place == 0 and doubt.kind == "name")
        found = _choice(doubt, one) | {"suggested": suggested, "chosen": value == chosen}
        if doubt.kind == "name":
            key, name = next(iter(one.edits)), doubt.where.strip('"')
            words = "Leave out" if key == "ignore" else "Keep" if value == name else f"Join {value}"
            found |= {"label": words, "detail": capital(one.label)}
        offered.append(found | {"done": f"{doubt.where}: {one.label}"})
    decided = next((one["label"] for one in offered if one["chosen"]), None)
    return {
        "where": doubt.where.strip('"'),
        "text": "" if doubt.kind == "outcome word" else doubt.evidence,
        "decided": decided,
        "menu": doubt.kind in ("behavior", "outcome word"),
        "choices": offered,
    }


def _columns(table: Table, *names: str) -> list[int]:
    return [table.columns.index(name) for name in names if name in table.columns]


def _decisions(reading: Reading, table: Table) -> list[Card]:
    """What was decided, each of which can be taken back."""
    items = []
    for name, value in reading.decided.items():
        if name in SEEN_ELSEWHERE and not (name in ROLES and value == ""):
            continue
        inner = value if isinstance(value, dict | list) else [value]
        for one in inner:
            back: Any = None if not isinstance(value, dict | list) else {str(one): None}
            text = _decision(name, one, value[one] if isinstance(value, dict) else None)
            again = choice("Decide again", {name: back}, done=f"Reopened: {text}")
            items.append({"where": text, "text": "", "decided": None, "choices": [again]})
    if not items:
        return []
    text = f"{counted(len(items), 'decision')} about rows, names and columns."
    return [Card("decided", DECIDED, "Decided", text, items=items[:MOST_ITEMS])]


def _decision(name: str, one: Any, other: Any) -> str:
    """A decision in words.

    >>> _decision("ignore", "?", None), _decision("cells", "5 date", "2020-01-01")
    ('Contests with "?" are left out', 'Cell 5 date is read as "2020-01-01"')
    """
    if name == "names":
        return f'"{one}" is {"kept apart" if one == other else f"{chr(34)}{other}{chr(34)}"}'
    words = {
        "ignore": f'Contests with "{one}" are left out',
        "leave_out": f"Row {one} is left out",
        "cells": f'Cell {one} is read as "{other}"',
        "order": f'Contests of a date are in the order of "{one}"',
        "unused": f'"{one}" is not used',
        "where": f"Only rows with {one}",
        WITHIN: f"Whoever arrives within {one} of a departure wins",
    }
    return words.get(name) or capital(meaning({name: one}))


def _other_winner(reading: Reading, table: Table) -> list[Card]:
    """A column that names the winner but is not used, where it disagrees with the one used."""
    used = reading.data.report.columns
    winner, loser = used.get("winner"), used.get("loser")
    if winner not in table.columns or loser not in table.columns or says(winner, "won"):
        return []
    first, second = (
        table.cells.to_series(table.columns.index(name)).str.strip_chars()
        for name in (winner, loser)
    )
    for column in reading.data.report.unused:
        if not says(column, "won") or column not in table.columns:
            continue
        named = table.cells.to_series(table.columns.index(column)).str.strip_chars()
        wrong = np.flatnonzero(((named == second) & (named != first) & (named != "")).to_numpy())
        if len(wrong):
            text = (
                f'"{winner}" is read as the winner, but the column "{column}" names the individual '
                f'in "{loser}" in {counted(len(wrong), "row")}.'
            )
            use = choice(
                f'Use "{column}" as the winner',
                {"winner": None, "loser": None, "a": winner, "b": loser, "outcome": column},
                done=f"Winner taken from {column}",
                suggested=True,
            )
            columns = _columns(table, winner, column)
            return [Card("winner", WRONG, "Winner column not used", text, wrong, columns, [use])]
    return []


def _joined(reading: Reading, table: Table) -> list[Card]:
    """What several sheets or files are that were joined: groups, periods, or parts of a record."""
    column = next((name for name in table.columns if name in COLUMNS), None)
    if table.files is None or column is None or not reading.record.is_workbook:
        return []
    cells = table.cells.to_series(table.columns.index(column))
    sides = sides_of(reading, table, SIDES)
    names = pl.concat([pl.DataFrame({"sheet": cells, "name": side}) for side in sides]).unique()
    names = names.filter(pl.col("name") != "")
    shared = names.filter(pl.col("name").is_duplicated())
    labels = cells.unique(maintain_order=True).to_list()
    linked = shared["sheet"].n_unique() == len(labels)  # each with another one
    decided, choices = reading.decided, []
    for label, role, likely in (
        ("Groups", "group", shared.is_empty()),
        ("Periods", "season", linked),
        ("Parts of one record", "unused", False),
    ):
        change: dict[str, Any] = {n: None for n in ("group", "season") if decided.get(n) == column}
        change |= {"unused": {column: None}}
        change |= {role: {column: True} if role == "unused" else column}
        given = decided.get(role) or ()
        chosen = column in given if role == "unused" else given == column
        done = f"Sheets are {label.lower()}"
        choices.append(choice(label, change, done=done, suggested=likely, chosen=chosen))
    text = (
        f"{quoted(labels, limit=6)} were joined. {counted(shared['name'].n_unique(), 'name')} of "
        f"{names['name'].n_unique()} are in more than one. Are they groups, or periods of one?"
    )
    if left := [name for name in reading.record.sheets if name not in labels]:
        text += f" Not read, because no contests were recognized in them: {quoted(left, limit=6)}."
    state = DECIDED if any(one["chosen"] for one in choices) else OPEN
    return [
        Card(
            "joined",
            state,
            "Joined sheets",
            text,
            np.zeros(0, int),
            _columns(table, column),
            choices,
        )
    ]


def _checks(reading: Reading, table: Table, groups: str | None) -> list[Card]:
    """The checks of the data."""
    report = reading.data.check()
    cards = []
    for i, check in enumerate(report.checks):
        if check.name in ("names", "self_contests") and reading.provisional:
            continue
        state = PASSED if check.level == "passed" else NOTE
        title = _title(check.name)
        card = Card(check.name, state, title, in_words(check.message), table.places(check.rows))
        if check.name == "similar_names":
            _similar(reading, table, card, report)
        elif check.name == "groups" and check.level == "warning":
            _groups(reading, card, groups)
        elif check.name == "presence":
            _presence(reading, card)
        elif check.name == "presence_notes":
            card.id = f"presence-{i}"
        cards.append(card)
    if groups == "pool" and reading.decided.get("group") == "":
        again = choice("Use the groups", {"group": None, "groups": None}, done="Groups reopened")
        text = "Groups are pooled in one ranking. Positions across groups may be arbitrary."
        cards.append(Card("groups", DECIDED, "Groups", text, choices=[again]))
    return cards


def _similar(reading: Reading, table: Table, card: Card, report: Any) -> None:
    """Pairs of names that may be one individual: join them or keep them apart."""
    rows = report.proposed.rows(named=True)[:MOST_ITEMS] if report.proposed.height else []
    known = {doubt.where.strip('"') for doubt in reading.doubts if doubt.kind == "name"}
    rows = [row for row in rows if row["similar to"] and row["name"] not in known]
    for row in rows:
        one, other = row["name"], row["similar to"]
        proposed = row["individual"] != one
        into = row["individual"] if proposed else other
        joins = choice(
            "Join",
            {"names": {one: into}},
            detail=f"{one} becomes {into}",
            done=f"Joined {one} with {into}",
            suggested=proposed,
        )
        apart = choice("Keep apart", {"names": {one: one}}, done=f"Kept {one} and {other} apart")
        contests = "" if row["contests"] is None else counted(row["contests"], "contest")
        item = {"where": one, "other": other, "text": contests, "decided": None}
        card.items.append(item | {"choices": [joins, apart]})
    card.places = rows_with(reading, table, [row["name"] for row in rows])
    if rows:
        card.state = OPEN if report["similar_names"].level == "warning" else NOTE
        card.text = report["similar_names"].message.split(" Check whether")[0]


def doubtful(cards: list[Card], reading: Reading, table: Table) -> dict[str, int]:
    """Individuals in rows about which something is open, with the numbers of these rows.

    What concerns most rows, such as the order of day and month, marks nobody.
    """
    if reading.data is None:
        return {}
    waiting = [card.places for card in cards if card.state in (OPEN, WRONG)]
    waiting = [places for places in waiting if 0 < len(places) <= FEW * table.height]
    if not waiting:
        return {}
    rows = np.unique(np.concatenate(waiting)).tolist()
    same = reading.options.get("names") or {}
    found: dict[str, int] = {}
    for side in sides_of(reading, table, SIDES):
        for name in side[rows]:
            name = same.get(name, name)
            found[name] = found.get(name, 0) + 1
    return {name: number for name, number in found.items() if name in reading.data.individuals}


def rows_with(reading: Reading, table: Table, names: list[str]) -> np.ndarray:
    """Rows in which one of these names is a side."""
    sides = sides_of(reading, table, (*SIDES, "contest"))
    found = np.zeros(table.height, bool)
    for side in sides if names else ():
        found |= side.is_in(names).to_numpy()
    return np.flatnonzero(found)


def _groups(reading: Reading, card: Card, groups: str | None) -> None:
    names = reading.data.group.names
    card.state = DECIDED if groups else OPEN
    card.text = f"{counted(len(names), 'group')}: {quoted(names, limit=6)}."
    if groups == "each":
        card.text += " Each has its own ranking."
    card.choices = [
        choice(
            "Rank each group on its own",
            {"groups": "each"},
            suggested=True,
            chosen=groups == "each",
            done="Each group ranked on its own",
        ),
        choice(
            "One ranking for all",
            {"groups": "pool", "group": ""},
            detail="Equal names are the same individual; positions across groups may be arbitrary.",
            done="Groups pooled",
        ),
    ]


def _presence(reading: Reading, card: Card) -> None:
    """Who was there when, by the contests, a file or a sheet of the workbook."""
    if not reading.data.ordered and reading.data.date is None:
        return  # presence needs dates, or at least an order
    now, sheet = (reading.decided.get(name) for name in PRESENT)
    if reading.wrong:
        card.state, card.title = WRONG, "Presence not used"
        card.text = "\n".join(reading.wrong)
    elif now or sheet:
        card.state = DECIDED
    if sheet and not reading.wrong:
        card.text = f'From the sheet "{sheet}". {card.text}'
    ways: list[tuple[str, str, dict[str, Any], bool]] = [
        ("All present throughout", "", {}, not now and not sheet),
        ("From first to last contest", "", {"presence": "inferred"}, now == "inferred"),
    ]
    used = reading.data.report.source.rpartition(", sheet ")[2]
    form = reading.options.get("date_format")
    found = {} if reading.sheets is None else reading.sheets.of_presence(form)
    for label, number in found.items():
        if label != used:
            said = counted(number, "individual")
            chosen = {"presence_sheet": label}
            ways.append((f'From the sheet "{label}"', said, chosen, label == sheet))
    if reading.presence is not None:
        file = reading.presence.name
        ways.append(("From the uploaded file", file, {"presence": "file"}, now == "file"))
    together = reading.record.name.endswith(MADE) and card.state == NOTE  # given with the contests
    for label, more, change, on in ways:
        likely = together and "presence_sheet" in change
        card.state = OPEN if likely else card.state
        done = f"Presence: {label}"
        card.choices.append(
            choice(label, THROUGHOUT | change, detail=more, done=done, chosen=on, suggested=likely)
        )

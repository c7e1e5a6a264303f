"""What was found in a sheet, as cards: wrong, to decide, decided, notes and passed.

The findings are those of `peckorder.read` and `data.check()`. A card adds the rows concerned and
the choices. A choice is a change of arguments of `read`, so that deciding is nothing else than
changing the code that is shown. The suggestion is marked and never applied unasked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from peckorder.app.reading import ROLES, RULES, Problem, Reading
from peckorder.app.table import MISSING, POLYADIC, SELF, SIDES, UNDECIDED, Table
from peckorder.sources.headings import says
from peckorder.wording import counted, quoted

WRONG, OPEN, DECIDED, NOTE, PASSED = "wrong", "open", "decided", "note", "passed"
ORDER = (WRONG, OPEN, DECIDED, NOTE, PASSED)
MOST_PAIRS = 60
TYPED = re.compile(r"\b(?:[a-z_]+=|data\.\w+\()")
PROPOSED = re.compile(r'\b(\w+)="([^"]*)"')
TITLES = {
    "names": "Names",
    "self_contests": "Self-contests",
    "placeholders": "Placeholder names",
    "similar_names": "Similar names",
    "unused": "Unused columns",
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


@dataclass
class Card:
    """One finding.

    Attributes
    ----------
    id, state, title, text : what was found
    places : rows concerned, from 0 below the header
    columns : positions of the columns concerned
    choices : what can be decided; each with `set`, the change of arguments
    pairs : similar names, each with its own choices
    names : placeholder names with the number of their rows, and whether they are left out
    """

    id: str
    state: str
    title: str
    text: str
    places: np.ndarray = field(default_factory=lambda: np.zeros(0, int))
    columns: list[int] = field(default_factory=list)
    choices: list[dict[str, Any]] = field(default_factory=list)
    pairs: list[dict[str, Any]] = field(default_factory=list)
    names: list[dict[str, Any]] = field(default_factory=list)

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
        }


def cards_of(reading: Reading, table: Table, groups: str | None) -> list[Card]:
    """All findings, the wrong ones first."""
    cards = [*_failures(reading), *_rules(reading, table), *_dates(reading, table)]
    cards += _place_of_table(reading)
    if reading.data is not None:
        cards += [*_other_winner(reading, table), *_checks(reading, table, groups)]
        cards += [
            Card(f"note-{i}", NOTE, "How the sheet was read", in_words(text))
            for i, text in enumerate(reading.data.report.notes)
            if not any(card.text == in_words(text) for card in cards)
        ]
    return sorted(cards, key=lambda card: ORDER.index(card.state))


def in_words(text: str) -> str:
    """A message without the sentences that say what to type, which the app replaces.

    >>> in_words('Row 4 was read as the header. Choose another with header=.')
    'Row 4 was read as the header.'
    """
    sentences = re.split(r"(?<=[.!?]) (?=[A-Z])", text)
    return " ".join(one for one in sentences if not TYPED.search(one)) or text


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


def _failures(reading: Reading) -> list[Card]:
    cards = []
    for i, text in enumerate(reading.failure):
        offered = [
            choice(f'{ROLES.get(name, name)}: "{value}"', "", {name: value})
            for name, value in dict.fromkeys(PROPOSED.findall(text))
            if name in ROLES or name in RULES or name in ("kind", "sheet", "date_format")
        ]
        cards.append(Card(f"failure-{i}", WRONG, "Cannot be read yet", text, choices=offered[:8]))
    return cards


RULE_CARDS = {
    "missing": (
        "Missing cells",
        MISSING,
        [("drop", "Leave these rows out", "Left out rows with missing cells")],
    ),
    "self_contests": (
        "Self-contests",
        SELF,
        [("drop", "Leave these rows out", "Left out self-contests")],
    ),
    "polyadic": (
        "Several names in one cell",
        POLYADIC,
        [
            ("dyads", "One contest per pair", "Split cells with several names into pairs"),
            ("drop", "Leave these rows out", "Left out cells with several names"),
            ("keep", "Keep each cell as one name", "Kept cells with several names"),
        ],
    ),
    "undecided": (
        "No decided outcome",
        UNDECIDED,
        [
            ("drop", "Leave these rows out", "Left out undecided contests"),
            ("tie", "Count them as ties", "Undecided contests counted as ties"),
        ],
    ),
}


def _rules(reading: Reading, table: Table) -> list[Card]:
    """Rows that are left out by a rule, decided or not."""
    cards = []
    for rule, (title, reason, ways) in RULE_CARDS.items():
        told = [problem for problem in reading.problems if rule in problem.options]
        decided = rule in reading.decided
        if not told and not decided:
            continue
        places = table.reasons.get(reason, np.zeros(0, int))
        offered = [
            choice(
                label,
                counted(len(places), "row") if value == "drop" and len(places) else "",
                {rule: value},
                done=done,
                suggested=i == 0,
                chosen=reading.decided.get(rule) == value,
            )
            for i, (value, label, done) in enumerate(ways)
        ]
        if rule == "missing" and any("fill_down=" in problem.text for problem in told):
            offered.insert(
                0,
                choice(
                    "Repeat the date above",
                    "Blank cells of the date take the value above.",
                    {"fill_down": ["date"]},
                    done="Filled dates down",
                ),
            )
        text = " ".join(_shown(problem) for problem in told)
        if decided:
            way = next(label for value, label, _ in ways if value == reading.decided[rule])
            number = f" ({counted(len(places), 'row')})" if len(places) else ""
            text = f"{way}{number}."
        cards.append(
            Card(
                rule,
                DECIDED if decided else OPEN,
                title,
                text,
                places,
                _columns(reading, table, SIDES[0] + SIDES[1] + SIDES[2]),
                offered,
            )
        )
    return cards


def _shown(problem: Problem) -> str:
    """The message without what to type, which the choices replace."""
    for sign in (" Enter ", " Use ", " Remove ", " Specify ", " Write "):
        problem_text, cut, _ = problem.text.partition(sign)
        if cut:
            return problem_text
    return problem.text


def _dates(reading: Reading, table: Table) -> list[Card]:
    """Dates that can be read in two ways, with what either way means."""
    told = [problem for problem in reading.problems if "date" in problem.options]
    cards = []
    for problem in told:
        column = _date_column(table, problem)
        cells = None if column is None else table.cells.to_series(column).str.strip_chars()
        places, offered = np.zeros(0, int), []
        for form, order in problem.formats:
            detail, suggested = "", False
            if cells is not None:
                detail, suggested = _consequence(cells, form)
            offered.append(
                choice(
                    f"{order.capitalize()} first",
                    detail,
                    {"date_format": form, "date": None},
                    done=f"Dates read {order} first",
                    suggested=suggested,
                )
            )
        if sum(one["suggested"] for one in offered) != 1:
            offered = [one | {"suggested": False} for one in offered]
        if cells is not None and len(problem.formats) > 1:
            places = _ambiguous(cells, [form for form, _ in problem.formats])
        offered.append(
            choice(
                "Ignore dates",
                "Contests in the order of the rows.",
                {"date": ""},
                done="Ignored dates",
            )
        )
        shown = [] if column is None else [column]
        cards.append(Card("dates", OPEN, "Dates", _shown(problem), places, shown, offered))
    if "date_format" in reading.decided and not told:
        undo = choice("Decide again", "", {"date_format": None}, done="Format of dates reopened")
        text = f"Dates are read as {reading.decided['date_format']}."
        cards.append(Card("dates", DECIDED, "Dates", text, choices=[undo]))
    return cards


def _date_column(table: Table, problem: Problem) -> int | None:
    named = re.search(r'column "([^"]+)"', problem.text)
    return table.columns.index(named[1]) if named and named[1] in table.columns else None


def _dated(cells: pl.Series, form: str) -> pl.Series:
    return cells.str.to_datetime(form, strict=False, time_unit="us")


def _consequence(cells: pl.Series, form: str) -> tuple[str, bool]:
    """An example of a reading, and whether it keeps the order of the sheet."""
    plain = form.replace("%H:%M:%S", "").replace("%H:%M", "").strip()
    dates = cells.str.slice(0, 10).str.strip_chars().str.to_date(plain, strict=False)
    known = dates.drop_nulls()
    if known.is_empty():
        return "", False
    back = int((known.diff().drop_nulls().dt.total_days() < 0).sum())
    word = cells.gather(pl.Series([int(dates.is_not_null().arg_max() or 0)]))[0]
    order = "in order" if back == 0 else f"out of order {counted(back, 'time')}"
    return f'"{word}" is {known[0]:%-d %B %Y}; rows are {order}.', back == 0


def _ambiguous(cells: pl.Series, forms: list[str]) -> np.ndarray:
    """Rows whose date can be read in several ways."""
    read = [cells.str.to_date(form, strict=False) for form in forms]
    both = read[0].is_not_null()
    for other in read[1:]:
        both &= other.is_not_null() & (other != read[0])
    return np.flatnonzero(both.fill_null(False).to_numpy())


def _place_of_table(reading: Reading) -> list[Card]:
    """The sheet or the header row that is used for now."""
    cards = []
    for name, title in (("sheet", "Several sheets"), ("header", "Header row")):
        for problem in reading.problems:
            if name in problem.options:
                value = reading.provisional[name]
                use = choice(f"Use {name} {value}", "", {name: value}, suggested=name == "header")
                more = [
                    choice(f"Use sheet {label}", "", {"sheet": label})
                    for label in reading.record.sheets()
                    if name == "sheet" and label != value
                ]
                every = [choice("Join all sheets", "", {"sheet": "*"})] if more else []
                text = _shown(problem)
                cards.append(Card(name, OPEN, title, text, choices=[use, *more[:8], *every]))
    return cards


def _columns(reading: Reading, table: Table, roles: tuple[str, ...]) -> list[int]:
    used = {} if reading.data is None else reading.data.report.columns
    return [table.columns.index(used[role]) for role in roles if used.get(role) in table.columns]


def _sides(reading: Reading, table: Table) -> list[pl.Series]:
    places = _columns(reading, table, ("winner", "loser", "a", "b", "home", "away", "contest"))
    return [table.cells.to_series(place).str.strip_chars() for place in places]


def _rows_with(reading: Reading, table: Table, names: list[str]) -> np.ndarray:
    found = np.zeros(table.height, bool)
    for side in _sides(reading, table):
        found |= side.is_in(names).to_numpy()
    return np.flatnonzero(found)


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
        place = table.columns.index(column)
        named = table.cells.to_series(place).str.strip_chars()
        wrong = np.flatnonzero(((named == second) & (named != first) & (named != "")).to_numpy())
        if len(wrong):
            text = (
                f'"{winner}" is read as the winner, but the column "{column}" names the individual '
                f'in "{loser}" in {counted(len(wrong), "row")}.'
            )
            use = choice(
                f'Use "{column}" as the winner',
                "",
                {"winner": None, "loser": None, "a": winner, "b": loser, "outcome": column},
                done=f"Winner taken from {column}",
                suggested=True,
            )
            columns = [table.columns.index(winner), place]
            return [Card("winner", WRONG, "Winner column not used", text, wrong, columns, [use])]
    return []


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
        if check.name == "placeholders":
            card = _placeholders(reading, table, card, check)
        elif check.name == "similar_names":
            card = _similar(reading, table, card, report)
        elif check.name == "groups":
            card = _groups(reading, card, check, groups)
        elif check.name == "presence":
            card = _presence(reading, card)
        elif check.name == "unused" and check.level == "warning":
            card.state = OPEN
            card.choices = _unused(reading, check.message)
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


def _placeholders(reading: Reading, table: Table, card: Card, check: Any) -> Card:
    ignored, aliases = reading.decided.get("ignore") or [], reading.decided.get("names") or {}
    kept = [name for name in check.individuals if aliases.get(name) == name]
    found = [*ignored, *(name for name in check.individuals if name not in kept)]
    if not found:
        return card
    card.names = [
        {"name": name, "rows": len(_rows_with(reading, table, [name])), "ignored": name in ignored}
        for name in found
    ]
    card.places = _rows_with(reading, table, found)
    card.columns = _columns(reading, table, ("winner", "loser", "a", "b"))
    undecided = [name for name in found if name not in ignored]
    card.state = OPEN if undecided else DECIDED
    if undecided:
        card.text = f"Treated as names: {quoted(undecided)}."
        card.choices = [
            choice(
                "Leave their contests out",
                counted(len(card.places), "row"),
                {"ignore": found},
                done="Left out placeholder names",
                suggested=True,
            ),
            choice(
                "Keep them as individuals",
                "",
                {"names": {one: one for one in undecided}},
                done="Kept placeholder names",
            ),
        ]
    else:
        card.text = f"Contests with {quoted(ignored)} are left out."
        card.choices = [
            choice(
                "Keep them as individuals",
                "",
                {"ignore": None, "names": {name: name for name in ignored}},
                done="Kept placeholder names",
            )
        ]
    return card


def _similar(reading: Reading, table: Table, card: Card, report: Any) -> Card:
    aliases = reading.decided.get("names") or {}
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
    involved = [name for row in undecided for name in (row["name"], row["similar to"])]
    card.places = _rows_with(reading, table, [*involved, *aliases])
    card.columns = _columns(reading, table, ("winner", "loser", "a", "b", "outcome"))
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


def _presence(reading: Reading, card: Card) -> Card:
    now = reading.decided.get("presence")
    card.state = DECIDED if now else card.state
    card.choices = [
        choice(
            "All present throughout",
            "",
            {"presence": None},
            chosen=now is None,
            done="Presence: throughout",
        ),
        choice(
            "From first to last contest",
            "",
            {"presence": "inferred"},
            chosen=now == "inferred",
            done="Presence: from first to last contest",
        ),
    ]
    if reading.presence is not None:
        card.choices.append(
            choice(
                "From the uploaded file",
                reading.presence.name,
                {"presence": "file"},
                chosen=now == "file",
                done="Presence: from a file",
            )
        )
    return card


def _unused(reading: Reading, text: str) -> list[dict[str, Any]]:
    """Use an unused column, or accept that it is not used."""
    found = dict.fromkeys(PROPOSED.findall(text))
    use = [
        choice(f'Use "{value}" as {ROLES.get(name, name)}', "", {name: value})
        for name, value in found
        if name in ROLES and value
    ]
    leave = {name: "" for name, value in found if name in ROLES and not value}
    return [*use, choice("Leave them out", "", leave, done="Left unused columns out")]

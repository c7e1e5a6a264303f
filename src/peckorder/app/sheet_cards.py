"""Findings of `read`: rows that are left out, dates, sheets and headers, and the wrong winner.

Words of a column of outcomes that `read` does not know: the user says what each one means.

The check "Presence": who was there when, by the contests, a file or a sheet of the workbook.
"""

from __future__ import annotations

import re
import shlex
from typing import Any

import numpy as np
import polars as pl

from peckorder.app.cards import DECIDED, NOTE, OPEN, WRONG, Card, choice, columns_of, in_words
from peckorder.app.proposals import PROPOSED, asks_for_behaviors, proposals
from peckorder.app.reading import PRESENT, Problem, Reading
from peckorder.app.table import MISSING, POLYADIC, SELF, SIDES, UNDECIDED, Table
from peckorder.data.headings import says
from peckorder.text import counted

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
# Numbers as dates, by the format that reads them.
NUMBERS = {
    "excel": "Days of Excel",
    "excel-1904": "Days of Excel for old Macs, from 1904",
    "unix": "Seconds since 1970",
    "unix-ms": "Milliseconds since 1970",
    "number": "Numbers, such as days of the study",
}
PARTS = {
    "%d": "day",
    "%m": "month",
    "%Y": "year",
    "%y": "year",
    "%b": "month",
    "%B": "month",
    "%H": "hour",
    "%M": "minute",
    "%S": "second",
}
# In a table of wins, a blank cell is a number of wins.
BLANK_COUNTS = (
    "Blank cells",
    [("drop", "Count blank cells as 0", "Blank cells counted as 0")],
)


def sheet_cards(reading: Reading, table: Table) -> list[Card]:
    """All findings of `read`."""
    cards = [*_failures(reading, table), *_rules(reading, table), *_dates(reading, table)]
    cards += [*_times(reading), *_place_of_table(reading), *_filled(reading)]
    return cards if reading.data is None else [*cards, *_other_winner(reading, table)]


def _failures(reading: Reading, table: Table) -> list[Card]:
    cards = []
    for i, text in enumerate(reading.failure):
        if "appears to contain visits" in text:
            cards.append(_visits(reading, text))
        elif not asks_for_behaviors(text) and not asks_for_words(text):
            offered = proposals(text, table.columns)
            words = in_words(text)
            cards.append(Card(f"failure-{i}", WRONG, "Cannot be read yet", words, choices=offered))
    return cards


def _visits(reading: Reading, text: str) -> Card:
    """Visits to a feeder, of which the shell makes contests."""
    words = (
        f"{text.partition(' Who replaced')[0]} Count who replaced whom within, say, 2 seconds with "
        f"this line in a terminal, then open displacements.csv here."
    )
    file = shlex.quote(reading.record.name)
    line = f"peckorder displacements {file} --within 2s -o displacements.csv"
    return Card("visits", WRONG, "Visits, not contests", words, command=line)


def _rules(reading: Reading, table: Table) -> list[Card]:
    """Rows that are left out by a rule, decided or not."""
    cards = []
    for rule, (title, reason, ways) in RULE_CARDS.items():
        stated = [problem for problem in reading.problems if rule in problem.options]
        decided = rule in reading.decided
        noted = _noted(reading, rule)
        if not stated and not decided and not noted:
            continue
        if rule == "missing" and _in_matrix(reading, stated):
            title, ways = BLANK_COUNTS
        places = table.reasons.get(reason, np.zeros(0, int))
        offered = [
            choice(
                label,
                counted(len(places), "row") if value == "drop" and len(places) else "",
                {rule: value},
                done=done,
                suggested=i == 0 and not noted,
                chosen=reading.decided.get(rule, "drop" if noted else None) == value,
            )
            for i, (value, label, done) in enumerate(ways)
        ]
        if rule == "missing" and any("fill_down=" in problem.text for problem in stated):
            offered = [_fill_down(), *(one | {"suggested": False} for one in offered)]
        if decided and len(ways) == 1:
            offered = [choice("Decide again", "", {rule: None}, done=f"{title}: reopened")]
        text = " ".join([*(_shown(problem) for problem in stated), *map(in_words, noted)])
        if decided:
            way = next(label for value, label, _ in ways if value == reading.decided[rule])
            number = f" ({counted(len(places), 'row')})" if len(places) else ""
            text = f"{way}{number}."
        cards.append(
            Card(
                rule,
                DECIDED if decided else OPEN if stated else NOTE,
                title,
                text,
                places,
                columns_of(reading, table, SIDES[0] + SIDES[1] + SIDES[2]),
                offered,
            )
        )
    return cards


def _noted(reading: Reading, rule: str) -> list[str]:
    """What `read` has left out by itself, with a note that names another way."""
    notes = () if reading.data is None or rule != "undecided" else reading.data.report.notes
    return [note for note in notes if 'undecided="tie"' in note]


def _in_matrix(reading: Reading, stated: list[Problem]) -> bool:
    """Whether missing cells are those of a table of wins, which are counts and not rows."""
    kind = None if reading.data is None else reading.data.report.kind
    return kind == "matrix" or any("no count" in problem.text for problem in stated)


def _fill_down() -> dict:
    return choice(
        "Repeat the date above",
        "Blank cells of the date take the value above.",
        {"fill_down": ["date"]},
        done="Filled dates down",
        suggested=True,
    )


def _filled(reading: Reading) -> list[Card]:
    """Blank cells that take the value above, which can be taken back."""
    roles = reading.decided.get("fill_down")
    if not roles:
        return []
    again = choice("Decide again", "", {"fill_down": None}, done="Blank cells reopened")
    text = f"Blank cells take the value above: {', '.join(roles)}."
    return [Card("filled", DECIDED, "Blank cells", text, choices=[again])]


def _shown(problem: Problem) -> str:
    """The message without what to type, which the choices replace."""
    for sign in (" Enter ", " Use ", " Remove ", " Specify ", " Write "):
        problem_text, cut, _ = problem.text.partition(sign)
        if cut:
            return in_words(problem_text)
    return in_words(problem.text)


def _dates(reading: Reading, table: Table) -> list[Card]:
    """Dates that can be read in two ways, with what either way means."""
    stated = [problem for problem in reading.problems if "date" in problem.options]
    cards = []
    for problem in stated:
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
        if not problem.formats:
            offered += [
                choice(
                    NUMBERS.get(form, f"Read as {form}"), "", {"date_format": form, "date": None}
                )
                for name, form in PROPOSED.findall(problem.text)
                if name == "date_format" and "%" not in form
            ]
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
    if "date_format" in reading.decided and not stated:
        undo = choice("Decide again", "", {"date_format": None}, done="Format of dates reopened")
        text = f"Dates are read as {_format_in_words(reading.decided['date_format'])}."
        cards.append(Card("dates", DECIDED, "Dates", text, choices=[undo]))
    return cards


def _format_in_words(form: str) -> str:
    """A format of dates as a person writes it down: %d/%m/%Y is day/month/year."""
    for code, word in PARTS.items():
        form = form.replace(code, word)
    return NUMBERS.get(form, form)[:1].lower() + NUMBERS.get(form, form)[1:]


def _times(reading: Reading) -> list[Card]:
    """Times of day that cannot be read."""
    ignore = choice(
        "Ignore times",
        "Contests of a day in the order of the rows.",
        {"time": ""},
        done="Ignored times",
        suggested=True,
    )
    return [
        Card("times", OPEN, "Times of day", _shown(problem), choices=[ignore])
        for problem in reading.problems
        if "time" in problem.options
    ]


def _date_column(table: Table, problem: Problem) -> int | None:
    named = re.search(r'column "([^"]+)"', problem.text)
    return table.columns.index(named[1]) if named and named[1] in table.columns else None


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
    return f'"{word}" is {known[0].day} {known[0]:%B %Y}; rows are {order}.', back == 0


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
                    for label in reading.record.sheets
                    if name == "sheet" and label != value
                ]
                every = [choice("Join all sheets", "", {"sheet": "*"})] if more else []
                text = _shown(problem)
                cards.append(Card(name, OPEN, title, text, choices=[use, *more[:8], *every]))
    return cards


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


MEANINGS = ("won", "lost", "tie", "undecided")
UNKNOWN = re.compile(
    r'((?:"[^"]*"(?:, )?)+)(?: and [\d,]+ more)? in column "(?P<column>[^"]+)" names? neither side'
)
OUTCOME_SIDES = re.compile(r"Write the name of the winner, (?P<a>.+?), (?P<b>.+?) or tie")


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
    return UNKNOWN.search(text) is not None and OUTCOME_SIDES.search(text) is not None


def word_card(reading: Reading, table: Table) -> list[Card]:
    """What the words of the column of outcomes mean, or nothing."""
    decided = outcome_words(reading)
    for text in reading.failure:
        unknown, sides = UNKNOWN.search(text), OUTCOME_SIDES.search(text)
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


THROUGHOUT: dict[str, Any] = {"presence": None, "presence_sheet": None}


def presence_card(reading: Reading, card: Card) -> Card:
    """The card with its choices."""
    if not reading.data.ordered and reading.data.date is None:
        return card  # presence needs dates, or at least an order
    now, sheet = (reading.decided.get(name) for name in ("presence", "presence_sheet"))
    wrong = [one.text for one in reading.problems if set(one.options) & set(PRESENT)]
    if wrong:
        card.state, card.title = WRONG, "Presence not used"
        card.text = "\n".join(wrong)
    elif now or sheet:
        card.state = DECIDED
    if sheet and not wrong:
        card.text = f'From the sheet "{sheet}". {card.text}'
    card.choices = [
        choice(
            "All present throughout",
            "",
            THROUGHOUT,
            chosen=not now and not sheet,
            done="Presence: throughout",
        ),
        choice(
            "From first to last contest",
            "",
            THROUGHOUT | {"presence": "inferred"},
            chosen=now == "inferred",
            done="Presence: from first to last contest",
        ),
        *(_sheet(label, number, chosen=label == sheet) for label, number in _sheets(reading)),
    ]
    if reading.presence is not None:
        card.choices.append(
            choice(
                "From the uploaded file",
                reading.presence.name,
                THROUGHOUT | {"presence": "file"},
                chosen=now == "file",
                done="Presence: from a file",
            )
        )
    return card


def _sheet(label: str, individuals: int, *, chosen: bool) -> dict[str, Any]:
    return choice(
        f'From the sheet "{label}"',
        counted(individuals, "individual"),
        THROUGHOUT | {"presence_sheet": label},
        chosen=chosen,
        done=f"Presence: from the sheet {label}",
    )


def _sheets(reading: Reading) -> list[tuple[str, int]]:
    """Sheets of the workbook that can be read as presence, with the number of individuals."""
    if reading.sheets is None:
        return []
    used = reading.data.report.source.rpartition(", sheet ")[2]
    found = reading.sheets.of_presence(reading.options.get("date_format"))
    return [(label, number) for label, number in found.items() if label != used]

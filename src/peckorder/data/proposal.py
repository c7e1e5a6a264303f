"""A reading that is not refused: what nobody has decided is left out for now, and is a doubt.

`read` raises an error that names all problems. Here, each problem becomes a `Doubt`, with the rows
concerned and with the remedies of its message as choices. Rows in which a cell cannot be used are
left out for now, as are dates that can be read in two ways, so that everything else can be seen;
what was assumed is in `added`, and nothing of it is a decision.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from peckorder.data.behavior_logs import counted_events, recognized
from peckorder.data.contests import Contests
from peckorder.data.read import proposed
from peckorder.data.recipe import KINDS, LISTS, ROLES, Choice, Doubt, Recipe, listing
from peckorder.data.sheet import Sheet
from peckorder.errors import ArgumentTypeError, PeckorderError
from peckorder.text import counted

MOST_ATTEMPTS = 8
MOST_CHOICES, MOST_BEHAVIORS = 24, 60
FEW = 0.5  # share of the rows that may be left out for now
# What a message names: arguments, formats of dates, the row of the header, sheets, and words.
TOGETHER = re.compile(r'\b\w+="[^"]*"(?:(?:, | and )\w+="[^"]*")*')
NAMED = re.compile(r'\b(\w+)="([^"]*)"')
CHOOSE = re.compile(r"Choose (?:one|it) with (\w+)=(?!\")")
FORMATS = re.compile(r'date_format="([^"]+)" \((\w+) first\)')
HEADER = re.compile(r"\bheader=\"?(\d+(?:-\d+)?)\"?")
WORDS = re.compile(r'((?:"[^"]*"(?:, )?)+)(?: and [\d,]+ more)? in column "[^"]+" names? neither')
SIDES = re.compile(r"Write the name of the winner, (?P<a>.+?), (?P<b>.+?) or tie")
LISTED = re.compile(r"(?:Rows?|Positions?) ([\d, and]+):")
COLUMN = re.compile(r'\bcolumn "([^"]+)"')
REMEDY = re.compile(
    r" (?:Who replaced|Enter|Use|Remove|Specify|Write|Choose|Correct|If the|To read|Give)"
    r" .*",
    re.S,
)
DROPPED = {
    "missing": "missing",
    "self_contests": "self-contest",
    "polyadic": "several names",
    "undecided": "no outcome",
}
SERIALS = {
    "excel": "days of Excel",
    "excel-1904": "days of Excel for old Macs, from 1904",
    "unix": "seconds since 1970",
    "unix-ms": "milliseconds since 1970",
    "number": "numbers, such as days of the study",
}
OF_KINDS = {
    "events": "winner and loser are in two columns",
    "votes": "two columns name the sides, a third one the winner",
    "games": "these are games with points",
    "arrows": "cells are written as A > B",
    "matrix": "it is a win matrix",
}
OF_RULES = {
    ("missing", "drop"): "leave out rows with missing cells",
    ("self_contests", "drop"): "leave out self-contests",
    ("polyadic", "dyads"): "one contest per pair",
    ("polyadic", "drop"): "leave out cells with several names",
    ("polyadic", "keep"): "keep each cell as one name",
    ("undecided", "drop"): "leave out contests without a decided outcome",
    ("undecided", "tie"): "count them as ties",
}
LIKELY = {"missing": "drop", "self_contests": "drop", "polyadic": "dyads", "undecided": "drop"}


@dataclass(frozen=True, eq=False)
class Proposal:
    """How a source would be read."""

    data: Contests | None  # None if there are no contests whatever is left out
    recipe: Recipe
    doubts: tuple[Doubt, ...]  # all that is not decided, refusals first
    added: dict[str, Any] = field(default_factory=dict)  # arguments of `read` assumed for now


def proposal(
    opened: Callable[[Mapping[str, Any]], Any], given: Mapping[str, Any], recipe: Any = None
) -> Proposal:
    """Read what `opened` gives for arguments of `read`; problems become doubts."""
    base = None if recipe is None else Recipe.of(recipe)
    given = dict(given) if base is None else base.with_arguments(given).arguments()
    added: dict[str, Any] = {}
    doubts: dict[str, Doubt] = {}
    for _ in range(MOST_ATTEMPTS):
        arguments = _both(given, added)
        try:
            data = proposed(opened(arguments), base, dict(arguments))
        except (ArgumentTypeError, FileNotFoundError):
            raise  # there is no sheet of which anything could be proposed
        except (PeckorderError, OSError) as error:
            sheet = _sheet(opened, arguments)
            problems = getattr(error, "problems", (str(error),))
            rows = getattr(error, "rows", ((),) * len(problems))
            more: dict[str, Any] = {}
            for text, numbers in zip(problems, rows, strict=True):
                found, assumed = _doubt(text, numbers, sheet, arguments)
                doubts |= {one.kind + one.where: one for one in found}
                more = _both(more, assumed)
            if not (more := {n: v for n, v in more.items() if arguments.get(n) != v}):
                bare = Recipe().with_arguments(given)
                columns = {} if sheet is None else dict.fromkeys(sheet.columns, "unused: not read?")
                bare = replace(bare, columns=columns | bare.columns)
                return Proposal(None, bare, tuple(doubts.values()), added)
            added = _both(added, more)
        else:
            every = [*doubts.values(), *data.doubts]
            every.sort(key=lambda one: one.severity != "refuse")
            recipe = _undecided(data.recipe, given, added, every)
            return Proposal(data, recipe, tuple(every), added)
    return Proposal(None, Recipe().with_arguments(given), tuple(doubts.values()), added)


def propose(source: Any, **arguments: Any) -> tuple[Recipe, tuple[Doubt, ...]]:
    """How a source would be read, and what is doubtful about it, refusals included.

    Parameters
    ----------
    source : as in `read`
    **arguments
        Arguments of `read`, such as `recipe` or `group`.

    Returns
    -------
    A `Recipe` and its doubts, refusals first, also where `read` would raise an error.
    `recipe.decide(doubt, 0)` makes the first choice of a doubt, and `read(source, recipe=recipe)`
    reads the contests. Rows that `read` would refuse are not in the recipe until they are decided.

    Examples
    --------
    >>> import peckorder as po
    >>> sheet = {"winner": ["Abe", "Bo", "unknown"], "loser": ["Bo", "Cy", "Abe"]}
    >>> recipe, doubts = po.propose(sheet)
    >>> print(doubts[0])
    "unknown": may stand for no identified individual (1 contest)
    >>> po.read(sheet, recipe=recipe.decide(doubts[0], 0))
    Contests: 2 contests among 3 individuals (Abe, Bo, Cy)
    """
    given = {name: value for name, value in arguments.items() if value is not None}
    recipe, _ = given.pop("recipe", None), given.pop("presence", None)
    found = proposal(lambda _: source, given, recipe)
    return found.recipe, found.doubts


def _undecided(
    recipe: Recipe, given: Mapping[str, Any], added: Mapping[str, Any], doubts: list[Doubt]
) -> Recipe:
    """The recipe without what was only assumed."""
    columns = dict(recipe.columns)
    for one in doubts:
        if columns.get(one.where, "").startswith("unused") and one.severity == "refuse":
            columns[one.where] = f"unused: {one.kind}?"
    assumed = {*listing(added.get("leave_out"))} - {*listing(given.get("leave_out"))}
    left = [
        {**item, "rows": [row for row in item["rows"] if str(row) not in assumed]}
        for item in recipe.left_out
    ]
    rules = {name: value for name, value in recipe.rules.items() if name not in added}
    plain = {n: type(getattr(recipe, n))() for n in ("sheet", "header") if n in added}
    left = [item for item in left if item["rows"]]
    return replace(recipe, columns=columns, left_out=left, rules=rules, **plain)


def _both(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of two kinds, with the rows that either leaves out."""
    rows = [*listing(first.get("leave_out")), *listing(second.get("leave_out"))]
    return {**first, **second} | ({"leave_out": list(dict.fromkeys(rows))} if rows else {})


def _sheet(opened: Callable[[Mapping[str, Any]], Any], arguments: Mapping[str, Any]) -> Any:
    """The sheet of a source that cannot be read, if it can be opened at all."""
    from peckorder.data.sources import open_sheet

    for header in (arguments.get("header"), 1):
        try:
            found = opened({**arguments, "header": header})
            return found if isinstance(found, Sheet) else open_sheet(found, header=header)
        except (PeckorderError, OSError, TypeError):
            continue
    return None


def _doubt(
    text: str, rows: tuple[Any, ...], sheet: Sheet | None, arguments: Mapping[str, Any]
) -> tuple[list[Doubt], dict[str, Any]]:
    """The doubts of one problem, and the arguments that leave it out for now."""
    columns = [] if sheet is None else sheet.columns
    column = next((one for one in COLUMN.findall(text) if one in columns), "")
    if not rows and (listed := LISTED.match(text)):
        rows = tuple(map(int, re.findall(r"\d+", listed[1])))
    evidence = without_remedy(text)
    if any(f"{side}=" in text for side in ("winner_behaviors", "loser_behaviors")):
        found = list(behavior_doubts(sheet, arguments, evidence))
        if found:
            return found, {}
    words, sides = WORDS.search(text), SIDES.search(text)
    if words and sides and column:
        found = [
            _word(word, column, sides["a"], sides["b"], evidence, sheet)
            for word in re.findall(r'"([^"]*)"', words[1])
        ]
        use = Choice(f'"{sides["a"]}" won every contest', {"rules.outcome": ""})
        always = [use] if 'outcome=""' in text else []
        whole = [Doubt("outcome", column, evidence, (*always,), rows, "refuse")] if always else []
        return [*found, *whole], {}
    choices, assumed = list(choices_named(text, columns)), {}
    kind = next((kind for rule, kind in DROPPED.items() if f'{rule}="drop"' in text), "")
    formats = FORMATS.findall(text)
    few = bool(rows) and sheet is not None and len(rows) <= FEW * sheet.height
    if kind:
        rule = next(rule for rule, one in DROPPED.items() if one == kind)
        assumed = {rule: "drop"}
        blank = next((one for one in choices if "rules.fill_down" in one.edits), None)
        likely = [one for one in choices if one.edits.get(f"rules.{rule}") == LIKELY[rule]]
        choices = sorted(choices, key=lambda one: one is not blank)
        likely = [blank] if blank else likely
        choices = [replace(one, likely=one in likely) for one in choices]
        choices = [one for one in choices if "rules.date" not in one.edits or blank is None]
    elif formats or "date_format=" in text or 'date=""' in text:
        kind, assumed = "date", {"date": ""}
        choices = [one for one in choices if "date_format" not in one.edits]
        offered = [_read_as(form, order, sheet, column) for form, order in formats]
        offered += [
            Choice(SERIALS.get(form, f"read as {form}"), {"date_format": form})
            for name, form in NAMED.findall(text)
            if name == "date_format" and not formats and "%" not in form
        ]
        if sum(one.likely for one in offered) != 1:
            offered = [replace(one, likely=False) for one in offered]
        ignore = Choice("ignore dates", {"rules.date": ""}, "Contests in the order of the rows.")
        choices = [*offered, *(one for one in choices if "rules.date" not in one.edits), ignore]
        if not offered and few:
            assumed = {"leave_out": [str(row) for row in rows]}
    elif 'time=""' in text:
        kind, assumed = "time", {"leave_out": [str(row) for row in rows]} if few else {"time": ""}
        choices = [replace(one, label="ignore times", likely=not few) for one in choices]
    elif row := HEADER.search(text):
        kind = "header"
        value = row[1] if "-" in row[1] else int(row[1])
        assumed = {"header": value}
        choices = [Choice(f"use row {row[1]}", {"header": value}, likely=True)]
    elif "sheet" not in arguments and re.search(r'Choose one with sheet="', text):
        kind = "sheet"
        labels = [one["sheet"] for one in map(Choice.arguments, choices) if "sheet" in one]
        assumed = {"sheet": labels[0]}
        choices = [one for one in choices if one.edits != {"sheet": "*"}]
        choices = [*choices, Choice("join all sheets", {"sheet": "*"})]
    elif "appears to contain visits" in text:
        kind = "visits"
    elif few:
        kind, assumed = "cell", {"leave_out": [str(row) for row in rows]}
    if rows and sheet is not None and len(rows) < sheet.height and kind not in ("header", "sheet"):
        out = [{"rows": [str(row) for row in rows], "why": kind or "not read"}]
        likely = few and not any(one.likely for one in choices) and not formats
        these = "this row" if len(rows) == 1 else f"these {counted(len(rows), 'row')}"
        leaves = Choice(f"leave out {these}", {"left_out": out}, likely=likely)
        if not any("drop" in str(one.edits) for one in choices):
            choices.append(leaves)
    doubt = Doubt(kind or "reading", column, evidence, tuple(choices), rows, "refuse")
    return [doubt], assumed


def without_remedy(text: str) -> str:
    """A message without what to type, which choices replace.

    >>> without_remedy('Row 4: no name in column "Loser". Enter the name, or use missing="drop".')
    'Row 4: no name in column "Loser".'
    """
    return REMEDY.sub("", text, count=1) if REMEDY.search(text) else text


def choices_named(text: str, columns: list[str]) -> Iterator[Choice]:
    """What a message proposes: arguments that it names together are one choice."""
    taken = set()
    for run in TOGETHER.finditer(text):
        change = dict(NAMED.findall(run[0]))
        edits = edits_of(change)
        if edits and (key := str(edits)) not in taken and len(taken) < MOST_CHOICES:
            taken.add(key)
            yield Choice(in_words(change), edits)
    for name in CHOOSE.findall(text):  # one of the columns that the message quotes
        for column in dict.fromkeys(re.findall(r'"([^"]+)"', text)):
            if name in ROLES and column in columns:
                yield Choice(in_words({name: column}), edits_of({name: column}))


def edits_of(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of `read` as edits of a recipe; those that cannot be are left.

    A column has one role: there is no edit that gives it two.

    >>> edits_of({"winner": "Victor", "date": "", "missing": "drop"})
    {'columns.Victor': 'winner', 'rules.date': '', 'rules.missing': 'drop'}
    >>> edits_of({"winner": "Victor", "loser": "Victor"})
    {}
    """
    found: dict[str, Any] = {}
    for name, value in arguments.items():
        if f"columns.{value}" in found and name in ROLES:
            return {}
        if name in ROLES and value:
            found[f"columns.{value}"] = name
        elif name == "kind":
            found |= {"shape": value} if value in KINDS else {}
        elif name in ("sheet", "header", "date_format"):
            found[name] = value
        elif name in ROLES or name in (*DROPPED, "times", "twins"):
            found[f"rules.{name}"] = value
        elif name in ("fill_down", "accept") or name in LISTS:
            own = name in LISTS and name != "accept"
            found[name if own else f"rules.{name}"] = [value]
    return found


def in_words(change: Mapping[str, Any]) -> str:
    """What a change of arguments means.

    >>> in_words({"winner": "Initiator", "loser": "Receiver"})
    'use "Initiator" as winner, "Receiver" as loser'
    >>> in_words({"kind": "matrix"}), in_words({"date": ""})
    ('it is a win matrix', 'use no column as date')
    """
    used, parts = [], []
    for name, value in change.items():
        if name == "kind":
            parts.append(OF_KINDS.get(value, value))
        elif (name, value) in OF_RULES:
            parts.append(OF_RULES[name, value])
        elif name == "fill_down":
            parts.append(f"repeat the {value} above in blank cells")
        elif name == "date_format":
            parts.append(f"read dates as {SERIALS.get(value, value)}")
        elif name in ROLES and not value:
            parts.append(f"use no column as {name.replace('_', ' ')}")
        elif name in ROLES:
            role = "the other individual" if name == "other" else name.replace("_", " ")
            used.append(f'"{value}" as {role}')
        else:
            parts.append(f"use {name.replace('_', ' ')} {value}")
    return "; ".join([f"use {', '.join(used)}"] * bool(used) + parts)


def _read_as(form: str, order: str, sheet: Sheet | None, column: str) -> Choice:
    """One way to read dates: an example, and whether it keeps the order of the sheet."""
    label, edits = f"{order} first", {"date_format": form}
    if sheet is None or not column:
        return Choice(label, edits)
    cells = sheet.texts(column)
    plain = form.replace("%H:%M:%S", "").replace("%H:%M", "").strip()
    dates = cells.str.slice(0, 10).str.strip_chars().str.to_date(plain, strict=False)
    known = dates.drop_nulls()
    if known.is_empty():
        return Choice(label, edits)
    back = int((known.diff().drop_nulls().dt.total_days() < 0).sum())
    word = cells[int(dates.is_not_null().arg_max() or 0)]
    order = "in order" if back == 0 else f"out of order {counted(back, 'time')}"
    detail = f'"{word}" is {known[0].day} {known[0]:%B %Y}; rows are {order}.'
    return Choice(label, edits, detail, back == 0)


def _word(word: str, column: str, a: str, b: str, evidence: str, sheet: Sheet | None) -> Doubt:
    """What a word of the column of outcomes means."""
    places = [] if sheet is None else (sheet.texts(column) == word).arg_true().to_list()
    rows = () if sheet is None else tuple(sheet.rows(pl.Series(places).to_numpy()).tolist())
    return Doubt("outcome word", word, evidence, meanings(word, a, b), rows, "refuse")


def meanings(word: str, a: str, b: str) -> tuple[Choice, ...]:
    """What a word of the column of outcomes can mean."""
    ways = {"first": f"{a} won", "second": f"{b} won", "tie": "a tie", "drop": "no result"}
    return tuple(Choice(label, {f"outcomes.{word}": way}) for way, label in ways.items())


def behavior_doubts(
    sheet: Sheet | None, arguments: Mapping[str, Any], evidence: str = ""
) -> Iterator[Doubt]:
    """For each behavior of a log: whether the individual that shows it wins or loses."""
    log = None if sheet is None else recognized(sheet)
    if log is None or sheet is None:
        return
    chosen = arguments.get("context")
    log = replace(log, behavior=chosen) if chosen in sheet.columns else log
    try:
        behaviors = counted_events(log).behavior.to_list()
    except PeckorderError:  # the column of behaviors is still to be chosen
        return
    for name, number in Counter(behaviors).most_common(MOST_BEHAVIORS):
        ways = {
            "actor": f"{log.actor} wins",
            "receiver": f"{log.actor} loses",
            "drop": "not counted",
        }
        choices = tuple(Choice(label, {f"behaviors.{name}": way}) for way, label in ways.items())
        cells = sheet.texts(str(log.behavior)) == name
        rows = tuple(sheet.rows(cells.arg_true().to_numpy()).tolist())
        yield Doubt("behavior", name, counted(number, "event"), choices, rows, "refuse")

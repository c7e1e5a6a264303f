"""Roles of columns: which column has which role, and errors when columns are not found."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from peckorder.data.headings import (
    ALIASES,
    DAYS,
    FORMS,
    YEARS,
    fits,
    heading,
    is_count,
    is_total,
    parts_of_dates,
    roles_of,
    says,
)
from peckorder.data.names import text_of
from peckorder.data.outcome_columns import (
    as_outcome,
    check_who_won,
    columns_of_contests,
    columns_without_winner,
    digits_in,
    further_pair,
    of_a_pair,
    outcome_columns,
    pair_of_sides,
    says_who_lost,
    sharing_names,
    sides_without_outcome,
    table_of_focals,
    table_of_records,
    table_of_wins,
)
from peckorder.data.sheet import Sheet
from peckorder.dates import ORDERS, parse
from peckorder.errors import ArgumentError, ArgumentTypeError, DataError
from peckorder.text import did_you_mean, listed, option, quoted

NEEDED = dict(reversed(FORMS))
SHAPES = ("dyads", "focal")  # recognized as a whole
LOST_OF_TWO = ("a", "b", "loser")
STATING = frozenset(role for _, needed in FORMS for role in needed)
COMMON = ("date", "time", "context", "group", "season")
USABLE = {
    "events": (*COMMON, "tie", "count", "home", "neutral", "winner_points", "loser_points"),
    "games": (*COMMON, "neutral"),
    "votes": (*COMMON, "tie", "count"),
    "dyads": (*COMMON, "tie"),
    "focal": COMMON,
    "arrows": COMMON,
}
# Labels of contests: if several columns match, none is used and a note is given.
LABELS = ("context", "group", "season")
LOOKED_AT = 1_000  # rows in which names of the first row are searched
MOST_COUNTED = 500  # contests in one row that is not certainly a number of contests


@dataclass(frozen=True)
class Columns:
    """The kind of data and the column of each role.

    `digits` are the digits in a column of outcomes, which decide what 1 means there.
    """

    kind: str
    of: dict[str, str]
    notes: list[str] = field(default_factory=list)
    digits: frozenset[str] = frozenset()

    def __getitem__(self, role: str) -> str | None:
        return self.of.get(role)


def plain_label(label: str) -> str:
    """A column label in lower case, with underscores for spaces, periods and hyphens."""
    return re.sub(r"[\s.-]", "_", label.strip().rstrip("?:").casefold())


def find_columns(
    sheet: Sheet,
    kind: str | None,
    given: dict[str, str | bool | None],
    *,
    unused: Sequence[str] = (),
) -> Columns | None:
    """Determine the kind of data and its columns; None if the data can only be a matrix.

    A column given by name is used as such; a role given as False or "" is left out; columns of
    the other roles are detected by their common names, except for the `unused` ones.
    """
    if kind == "matrix":
        return None
    named = {role: name for role, name in given.items() if isinstance(name, str) and name}
    refused = {role for role, name in given.items() if name is False or name == ""}
    _refuse_unknown(sheet, named)
    kind, named = _shape(sheet, kind, named, refused)
    taken = {*named.values(), *unused}
    fitting: dict[str, list[str]] = {
        role: [] for role in ALIASES if role not in named and role not in refused
    }
    for column in sheet.columns:
        if column not in taken and not _is_moment_of_visits(sheet, column):
            for role in roles_of(column, sheet.columns):
                if role in fitting:
                    fitting[role].append(column)
    of_a_pair(named, fitting)
    both = fitting.get("winner", True) and fitting.get("loser", True)
    alone = not fitting.get("a", True) and not both and kind in (None, "votes")
    if pair := further_pair(sheet) if alone else None:
        fitting["a"], fitting["b"] = [pair[0]], [pair[1]]
    if kind in (None, "votes"):
        as_outcome(named, fitting)
    outcome_columns(sheet, named, fitting)
    form = _form(sheet, kind, named, fitting)
    if form is None:
        return None
    return _choose(sheet, *form, named, fitting)


def _is_moment_of_visits(sheet: Sheet, column: str) -> bool:
    """Whether a column called from or to contains times and not names."""
    if heading(column) not in ("from", "to") or sheet.batches is not None:
        return False
    cells = sheet.table(column).head(LOOKED_AT).to_series()
    return bool(text_of(cells).drop_nulls().str.contains(r"\d:\d\d|\d{4}-\d\d").all())


def _shape(
    sheet: Sheet, kind: str | None, named: dict[str, str], refused: set[str]
) -> tuple[str | None, dict[str, str]]:
    """The kind and the columns of a table of dyads or of focal individuals, if it is one."""
    plain = not named and sheet.batches is None and kind in (None, "dyads")
    if plain and (found := table_of_records(sheet)):
        return "dyads", found
    listed = all(any(says(c, said) for c in sheet.columns) for said in ("won", "lost"))
    if listed or named.keys() & STATING or sheet.batches is not None:
        return kind, named
    if kind in (None, "dyads") and (found := table_of_wins(sheet, refused)):
        return "dyads", named | found
    if kind in (None, "focal") and (found := table_of_focals(sheet)):
        return "focal", named | found
    return kind, named


def refuse_other_types(sheet: Sheet, given: Mapping[str, Any]) -> None:
    """Raise an error for a column that is given by anything but its name."""
    for role, name in given.items():
        if name is not None and name is not False and not isinstance(name, str):
            example = next((c for c in sheet.columns if c == str(name)), "")
            raise ArgumentTypeError(
                f"{role}={name!r}: give the name of the column as text"
                f"{f', {role}={example!r}' if example else ''}, or False to ignore a column that "
                f"would be detected. Columns found: {quoted(sheet.columns)}."
            )


def column_of(
    sheet: Sheet,
    role: str,
    name: Any,
    aliases: tuple[str, ...],
    *,
    taken: Sequence[str] = (),
) -> str | None:
    """The column of a role by its name or, without one, by common names; none if it is False."""
    if isinstance(name, str) and name:
        if name not in sheet.columns:
            raise DataError(
                f'{sheet.name} has no column "{name}", given as {option(role)}.'
                f"{did_you_mean([name], sheet.columns)} Columns found: {quoted(sheet.columns)}."
            )
        return name
    found = (
        [c for c in sheet.columns if c not in taken and fits(c, aliases)] if name is None else []
    )
    if len(found) > 1:
        raise DataError(
            f"{sheet.name}: several columns match {role}: {quoted(found)}. Choose one with "
            f"{option(role)}."
        )
    return found[0] if found else None


def _refuse_unknown(sheet: Sheet, named: dict[str, str]) -> None:
    problems = []
    for role, name in named.items():
        if name not in sheet.columns:
            twins = [c for c in sheet.columns if c.startswith(f"{name} (column ")]
            if twins:
                problems.append(
                    f'{sheet.name}: {len(twins)} columns are called "{name}". Rename one of them '
                    f"in the file, or specify one by its position: {quoted(twins)}."
                )
            else:
                problems.append(
                    f'{sheet.name} has no column "{name}", given as {option(role)}.'
                    f"{did_you_mean([name], sheet.columns)} Columns found: "
                    f"{quoted(sheet.columns)}."
                )
    for name, number in Counter(named.values()).items():
        roles = [option(role) for role in named if named[role] == name]
        if number > 1:
            problems.append(
                f'Column "{name}" is given for {listed(roles)}. Give a different column for each.'
            )
    if problems:
        raise DataError(*problems)


def _form(
    sheet: Sheet, kind: str | None, named: dict[str, str], fitting: dict[str, list[str]]
) -> tuple[str, tuple[str, ...]] | None:
    """The kind of data and its required columns; columns given by name decide first."""
    forms = [form for form in FORMS if kind in (None, form[0])]
    lost = any(says(c, "lost") for c in fitting.get("loser", []))
    alone = lost and not any(says(c, "won") for c in sheet.columns)  # names losers, not winners
    complete = [
        (form, needed)
        for form, needed in forms
        if all(role in named or fitting.get(role) for role in needed)
        and (form not in SHAPES or form == kind)
        and (needed != LOST_OF_TWO or "loser" in named or alone)
    ]
    if named.keys() & STATING:
        if stated := [form for form in complete if named.keys() & set(form[1])]:
            return stated[0]
        given = [(len(named.keys() & set(needed)), kind != "games") for kind, needed in forms]
        best = max(range(len(forms)), key=lambda place: given[place])
        return forms[best] if given[best][0] or kind else None
    certain = all(
        any(says(c, said) for c in fitting.get(role, []))
        for role, said in (("winner", "won"), ("loser", "lost"))
    )
    if complete and complete[0][0] == "events" and not certain:
        complete = [*complete[1:], complete[0]]  # headings that do not say who won
    if not complete and kind in (None, "arrows"):
        fitting["contest"] = columns_of_contests(sheet)
        complete = [form for form in forms if form[0] == "arrows" and fitting["contest"]]
    if complete:
        _refuse_two_results(sheet, complete, fitting)
        return complete[0]
    return forms[0] if kind else None


def _refuse_two_results(sheet: Sheet, complete: list, fitting: dict[str, list[str]]) -> None:
    """Points and an outcome of the same two sides may disagree, as after a penalty shoot-out."""
    needed = [set(form[1]) for form in complete]
    if {"a", "b", "a_points", "b_points"} in needed[:1] and {"a", "b", "outcome"} in needed:
        points = quoted([*fitting["a_points"], *fitting["b_points"]])
        none = listed([option("a_points", ""), option("b_points", "")])
        raise DataError(
            f"{sheet.name}: columns {points} contain points, and {quoted(fitting['outcome'])} "
            f"appears to say who won. Use {option('outcome', '')} to "
            f"decide contests by points, or {none} to decide them by that column."
        )


def _choose(
    sheet: Sheet,
    kind: str,
    needed: tuple[str, ...],
    named: dict[str, str],
    fitting: dict[str, list[str]],
) -> Columns:
    roles = needed + USABLE[kind]
    chosen = {role: name for role, name in named.items() if role in roles}
    misplaced = sorted(set(named) - set(chosen))
    if misplaced:
        raise ArgumentError(
            f"{listed([option(role).rstrip('=') for role in misplaced])} cannot be used with "
            f"{option('kind', kind)}, which takes the columns {listed(roles)}."
        )
    for role, said in (("winner", "won"), ("loser", "lost")):
        found = fitting.get(role, [])
        fitting[role] = [c for c in found if says(c, said)] or found
    _of_the_same_manner(named, fitting)
    _refuse_side_by_side(sheet, [role for role in needed if role not in chosen], fitting)
    problems, notes = _split_dates(sheet, chosen, fitting), []
    for role in roles:
        found = [c for c in fitting.get(role, []) if c not in chosen.values()]
        if role in chosen or (not found and role not in needed):
            continue
        if len(found) == 1:
            chosen[role] = found[0]
        elif role == "contest" and found:
            chosen |= {f"contest_{i}" if i > 1 else role: c for i, c in enumerate(found, start=1)}
        elif not found:
            problems.append(
                f"{sheet.name}: no column was found for {role}. Columns found: "
                f"{quoted(sheet.columns)}. Specify the column with {option(role)}."
            )
        elif role in LABELS:
            notes.append(
                f"Several columns match {role}: {quoted(found)}. None was used; choose one with "
                f"{option(role)}."
            )
        else:
            problems.append(
                f"{sheet.name}: several columns match {role}: {quoted(found)}. "
                f"Choose one with {' or '.join(option(role, column) for column in found[:3])}."
            )
    if problems:
        raise DataError(*problems)
    notes += _leave_weights(sheet, chosen, named)
    if kind == "events":
        if "count" not in chosen and "count" in fitting and "date" not in chosen:
            notes += _choose_count(sheet, chosen)
        draws = chosen.get("tie")
        losses_marked = draws is not None and says_who_lost(sheet.column(draws))
        notes += check_who_won(sheet, chosen, named, losses_marked)
    digits: frozenset[str] = frozenset()
    if kind == "votes":
        digits = digits_in(text_of(sheet.column(chosen.get("outcome", chosen.get("loser", "")))))
    return Columns(kind, chosen, notes, digits)


def _leave_weights(sheet: Sheet, chosen: dict[str, str], named: dict[str, str]) -> list[str]:
    """Weights of contests, which may be fractions, are no numbers of contests."""
    column = chosen.get("count")
    if column is None or "count" in named or column.strip().casefold() != "weight":
        return []
    numbers = sheet.column(column).cast(pl.Float64, strict=False)
    if sheet.batches is not None or not bool((numbers % 1 != 0).any()):
        return []
    del chosen["count"]
    return [
        f'Column "{column}" has fractions, so that it was not read as numbers of contests. '
        f"bradley_terry takes it as {option('weights', column)}."
    ]


def _choose_count(sheet: Sheet, chosen: dict[str, str]) -> list[str]:
    """Use a column as numbers of contests by its heading and its content.

    These are whole numbers, not those of rows, in a table with one row for each winner and loser.
    """
    found = [c for c in sheet.columns if c not in chosen.values() and is_count(c)]
    if not found or sheet.parts or sheet.batches is not None or not 4 <= sheet.height <= LOOKED_AT:
        return []
    pairs = sheet.table(chosen["winner"], chosen["loser"])
    if pairs.n_unique() < sheet.height:
        return []
    for column in found:
        numbers = sheet.column(column).cast(pl.Float64, strict=False)
        whole = numbers.null_count() == 0 and bool(((numbers % 1 == 0) & (numbers >= 0)).all())
        small = bool((numbers < MOST_COUNTED).all()) and bool((numbers > 1).any())
        if whole and small and numbers.n_unique() < sheet.height:
            chosen["count"] = column
            return [
                f'Column "{column}" was used as the number of contests: no winner and loser occur '
                f"in two rows. If it is something else, ignore it with {option('count', '')}."
            ]
    return []


def _of_the_same_manner(named: dict[str, str], fitting: dict[str, list[str]]) -> None:
    """A winner called winner_id, given by name, goes with a loser called loser_id."""
    for one, other in (("winner", "loser"), ("loser", "winner")):
        if one in named and other in fitting:
            twin = heading(named[one]).replace(one, other)
            same = [column for column in fitting[other] if heading(column) == twin]
            fitting[other] = same if len(same) == 1 else fitting[other]


def _refuse_side_by_side(sheet: Sheet, needed: list[str], fitting: dict[str, list[str]]) -> None:
    """Raise an error for two tables beside each other, whose columns have the same names."""
    twins = [[c for c in fitting.get(role, []) if " (column " in c] for role in needed]
    if len(needed) < 2 or any(len(found) < 2 for found in twins):
        return
    first = listed([option(role, found[0]) for role, found in zip(needed, twins, strict=True)])
    raise DataError(
        f"{sheet.name} appears to contain {len(twins[0])} tables side by side: columns "
        f"{quoted([column for found in twins for column in found])}. Put them below each other, "
        f"under one header, or choose the columns of one table, for example with {first}."
    )


def _split_dates(sheet: Sheet, chosen: dict[str, str], fitting: dict[str, list[str]]) -> list[str]:
    """Use a year only if there is no other date; report dates split into day, month and year."""
    found = fitting.get("date", [])
    fitting["date"] = [c for c in found if heading(c) not in YEARS] or found
    parts, days = parts_of_dates(sheet.columns), [heading(c) for c in fitting["date"]]
    if "date" in chosen or len(parts) < 2 or len(days) != 1 or days[0] not in DAYS:
        return []
    return [
        f"{sheet.name}: the date appears to be split over columns {quoted(parts)}. Combine them in "
        f"one column, such as 2009-05-28, or use {option('date', '')} to ignore dates."
    ]


def names_sides(sheet: Sheet) -> bool:
    """Whether columns have the names of the two sides of contests, so this is not a matrix."""
    pairs = (("winner", "loser"), ("home", "away"))
    found = {role: any(fits(c, ALIASES[role]) for c in sheet.columns) for p in pairs for role in p}
    if any(found[one] and found[other] for one, other in pairs):
        return True
    return pair_of_sides(sheet.columns) is not None


def _first_row_is_data(sheet: Sheet) -> DataError | None:
    """The error for a table without header: column names that are also cells further down."""
    if sheet.batches is not None or sheet.parts:
        return None
    table = sheet.table().head(LOOKED_AT)
    texts = {c.name: {x.strip() for x in c if x} for c in table if c.dtype == pl.String}
    cells = set().union(*texts.values())
    labels = {column: column.split(" (column ")[0].strip() for column in sheet.columns}
    found = [column for column in sheet.columns if labels[column] in cells]
    if len(found) < 2:
        return None
    places = {c: f"column {i}" for i, c in enumerate(sheet.columns, start=1)}
    dated = [
        c
        for c in texts
        if all(any(parse(x, o) for o in ORDERS) for x in {labels[c], *texts[c]} - {""})
    ]
    roles = {"winner": found[0], "loser": found[1]} | ({"date": dated[0]} if dated else {})
    ways = [option("header", "none"), *(option(r, places[c]) for r, c in roles.items())]
    return DataError(
        f"{sheet.name}: {quoted([labels[c] for c in found], limit=4)} in the first row also occur "
        f"further down, so that it appears to be data and not the column names. If the first of "
        f"two names is the winner, give {listed(ways)}; or add a row of column names above it."
    )


def not_understood(sheet: Sheet) -> DataError:
    """The error for a table whose kind is not recognized."""
    if pair := pair_of_sides(sheet.columns) or further_pair(sheet):
        return sides_without_outcome(sheet, *pair)
    if unclear := columns_without_winner(sheet):
        column, cell = unclear
        return DataError(
            f'{sheet.name}: cells such as "{cell}" in column "{column}" do not say who won. Write '
            f"the winner first with a sign (A > B, or A = B for a tie), or add a column of winners."
        )
    if error := _first_row_is_data(sheet):
        return error
    if pair := sharing_names(sheet):
        return sides_without_outcome(sheet, *pair)
    texts = [
        c for c in sheet.table().head(LOOKED_AT) if c.dtype == pl.String or c.dtype.is_integer()
    ]
    counts = {c.name: c.alias("").value_counts()["count"] for c in texts}
    if twice := [c for c, number in counts.items() if len(number) > 1 and (number == 2).all()]:
        return DataError(
            f"{sheet.name}: every value of {quoted(twice[:1])} occurs in two rows, so that a row "
            f"appears to be one side of a contest. Write one row per contest, with the columns "
            f"winner and loser."
        )
    sides = {kind: listed([option(role) for role in roles]) for kind, roles in NEEDED.items()}
    return DataError(
        f"{sheet.name}: the kind of data was not recognized. Columns found: "
        f"{quoted(sheet.columns)}. Specify the columns: {sides['events']} for a list of contests, "
        f"{sides['games']} for games, {sides['votes']} for two sides and an outcome, or "
        f"{sides['arrows']} for cells such as A > B. For a square table of wins "
        f"(winners in rows), use {option('kind', 'matrix')}. If the column names are not in the "
        f"first row, give their row with {option('header')}. {' '.join(sheet.notes)}".rstrip()
    )


def is_named_matrix(sheet: Sheet) -> bool:
    """Whether the first column contains the same names as the other column headers."""
    columns = sheet.columns
    if sheet.row_names is not None and set(sheet.row_names) == set(columns):
        return True
    if abs(sheet.height - len(columns) + 1) > 1 or sheet.height < 2:
        return False
    names = sheet.texts(columns[0]).to_list()
    sides = [{key_of(name) for name in side if not is_total(name)} for side in (names, columns[1:])]
    return len(sides[0]) > 1 and sides[0] == sides[1]


def key_of(name: str) -> str:
    """A name as rows and columns are compared: regardless of case and of blanks around it."""
    return name.strip().casefold()

"""Contests of two sides whose winner is stated in a third column.

Votes for one of two items (`a`, `b`, `outcome`) and records of who began (`initiator`, `receiver`,
`winner`) are the same shape: two columns name the sides, and a third one says who won. Contests
without a decided outcome are no ties: they are left out, with a note, unless `undecided="tie"`.

Several individuals in one cell: `Abby, Bella` or `Abby & Cora` against `Dan`.

Contests from columns of cells such as `A > B` (see `notation`), one or several per row.

Games: two sides with their points, and which side was at home.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import partial
from itertools import compress

import numpy as np
import polars as pl

from peckorder.data.columns import Columns
from peckorder.data.date_columns import MISSING
from peckorder.data.draft import (
    Draft,
    expand,
    flags_of,
    mark_neutral,
    names_of,
    points_of,
    tabulate,
    too_many,
)
from peckorder.data.headings import says
from peckorder.data.names import NameCodes
from peckorder.data.outcome_columns import (
    AMBIGUOUS,
    ASKED,
    BLANK,
    DIGITS,
    FIRST,
    INVALID,
    NO,
    OPEN,
    SECOND,
    TIE,
    YES,
    Written,
    verdicts,
    written,
)
from peckorder.data.recipe import typed
from peckorder.data.sheet import Sheet
from peckorder.errors import ArgumentError, DataError
from peckorder.text import counted, either, given, listed, option, option_name, quoted

OUTCOMES = ("first", "second", "tie", "drop")  # what a word of the outcome may stand for


def with_outcomes(sheet: Sheet, columns: Columns, meaning: Mapping[str, str]) -> Sheet:
    """The sheet with words of the outcome replaced by those that they stand for."""
    if wrong := [word for word in meaning.values() if word not in OUTCOMES]:
        raise ArgumentError(f"{given('outcomes', wrong[0])}: choose from {listed(OUTCOMES)}.")
    column = columns["outcome"] or columns["tie"]
    if column is None or columns.kind not in ("votes", "events"):
        raise ArgumentError(
            f"{option_name('outcomes')} gives the meaning of words of outcomes or ties, and no "
            f"column has them. Name it with {option('outcome')}."
        )
    own = (columns["a"], columns["b"], "tie", "none") if columns["outcome"] else ("w", "l", "t", "")
    words: dict[str, str] = {w: str(o) for w, o in zip(OUTCOMES, own, strict=True)}
    small = {str(one).strip().casefold(): words[means] for one, means in meaning.items()}
    cells = sheet.texts(column)
    keys = cells.str.to_lowercase()
    known = keys.is_in(list(small))
    cells = cells.zip_with(~known, keys.replace(small))
    return sheet.of_table(sheet.table().with_columns(cells.alias(column)))


def votes(
    sheet: Sheet,
    columns: Columns,
    missing: str,
    names: NameCodes | None = None,
    *,
    undecided: str | None = None,
) -> Draft:
    """Contests from a sheet with two sides, and a column that says who won, or who lost."""
    sides = ("home", "away") if columns["home"] else ("a", "b")
    draft = names_of(sheet, sides, columns, missing, names)
    if columns["home"]:
        draft.home = np.ones(len(draft.first), np.int8)
    column = columns["outcome"] or columns.of["loser"]
    cells = draft.texts(column).replace(draft.names.aliases)
    known = pl.Series(draft.names.names, dtype=pl.String)
    first, second = (known.gather(pl.Series(side)) for side in (draft.first, draft.second))
    labels = (columns.of[sides[0]], columns.of[sides[1]])
    found = verdicts(cells, first, second, labels, column, columns.digits)
    if not columns["outcome"]:  # the column names the loser
        found = np.select([found == FIRST, found == SECOND], [SECOND, FIRST], found).astype(np.int8)
    draft.outcome = found
    if flag := columns["tie"]:
        drawn = flags_of(draft, flag)
        draft.refuse(
            drawn & np.isin(found, (FIRST, SECOND)),
            f'column "{flag}" states a tie, and column "{column}" a winner. Correct one of them, '
            f"or use {option('tie', '')} to ignore the former.",
        )
        draft.outcome = np.where(drawn & np.isin(found, (BLANK, OPEN, ASKED)), TIE, found)
    _refuse_invalid(draft, column, labels)
    _settle(draft, column, undecided)
    blank = draft.outcome == BLANK
    if missing == "drop":
        draft.leave_out(blank, "no outcome")
    else:
        draft.refuse(
            blank,
            f'no outcome in column "{column}". Enter the winner, tie or undecided, or use '
            f"{option('missing', 'drop')} to drop such rows.",
        )
    draft.draw = draft.outcome == TIE
    lost = draft.outcome == SECOND
    if not sheet.streamed:
        names_loser = "" if columns["outcome"] else " (it names the loser)"
        draft.note_later(partial(_readings, draft.outcome, labels, column, names_loser))
    draft.swap(lost)
    if count := columns["count"]:
        expand(draft, count, dated=bool(columns["date"]))
    return draft


def _readings(
    outcome: np.ndarray, labels: tuple[str, str], column: str, more: str, kept: np.ndarray
) -> str:
    """How often either side won, so that a wrong reading is noticed."""
    number = [int((outcome[kept] == verdict).sum()) for verdict in (FIRST, SECOND, TIE)]
    parts = [f'{counted(n, "win")} of "{label}"' for n, label in zip(number, labels, strict=False)]
    parts += [counted(number[2], "tie")] if number[2] else []
    return f'Column "{column}" was read as {", ".join(parts)}{more}.'


def _words(draft: Draft, column: str, mask: np.ndarray) -> str:
    """The cells where the mask is True, each once."""
    cells = draft.texts(column).filter(pl.Series(mask))
    return quoted(cells.unique(maintain_order=True), limit=5)


def _refuse_invalid(draft: Draft, column: str, labels: tuple[str, str]) -> None:
    """Cells that state no outcome, or two."""
    (a, b), ignore = labels, ""
    if says(a, "acted"):
        ignore = f', or use {option("outcome", "")} to read "{a}" as the winner of every contest'
    for verdict, one, several in (
        (
            *(INVALID, "names neither side of its row and is not a valid outcome"),
            "name neither side of their rows and are not valid outcomes",
        ),
        (
            *(AMBIGUOUS, "is ambiguous: the name of one side, and a word for another outcome"),
            "are ambiguous: names of one side, and words for another outcome",
        ),
    ):
        bad = draft.outcome == verdict
        if bad.any():
            different = draft.texts(column).filter(pl.Series(bad)).unique().to_list()
            hint = _as_answers(different, a) if verdict == INVALID else ""
            draft.refuse(
                bad,
                f'{_words(draft, column, bad)} in column "{column}" '
                f"{one if len(different) == 1 else several}. "
                f"Write the name of the winner, {a}, {b} or tie{ignore}.{hint}",
            )


def _settle(draft: Draft, column: str, rule: str | None) -> None:
    """Leave out contests without a decided outcome, or count them as ties."""
    assert draft.outcome is not None
    unsure, open_ = draft.outcome == ASKED, draft.outcome == OPEN
    undecided, drop, tie = unsure | open_, option("undecided", "drop"), option("undecided", "tie")
    if not undecided.any():
        return
    if rule is None:
        draft.refuse(
            unsure,
            f'{_words(draft, column, unsure)} in column "{column}" may mean a tie or no result. '
            f"Use {tie} to count such contests as ties, or {drop} to leave them out.",
        )
        if open_.any():
            draft.notes.append(
                f'{draft.where(open_)}: no decided outcome in column "{column}" '
                f"({_words(draft, column, undecided)}). These contests were left out; use {tie} "
                f"to count them as ties."
            )
    if rule == "tie":
        number = counted(int(undecided.sum()), "contest")
        counts = "was counted as a tie" if undecided.sum() == 1 else "were counted as ties"
        draft.notes.append(f'{number} without a decided outcome in column "{column}" {counts}.')
        draft.outcome[undecided] = TIE
    else:
        draft.leave_out(undecided, "no decided outcome")


def _as_answers(cells: list[str], a: str) -> str:
    """What cells may mean: codes or answers, or a word of the user's own."""
    low = {cell.casefold(): cell for cell in cells}
    first = next((low[word] for word in ("1", *YES) if word in low), None)
    if first is None or not {*low} <= {*DIGITS, *YES, *NO}:
        tie, dropped = (typed({"outcomes": {cells[0]: word}}) for word in ("tie", "drop"))
        said = f" If this cell means a tie, use {tie}; {dropped} leaves such rows out."
        return said if len(cells) == 1 else ""
    second = next((low[word] for word in ("2", "-1", "0", *NO) if word in low), "")
    meaning = {cell: "second" if cell == second else "tie" for cell in sorted(cells)}
    return (
        f' If "{first}" means that the individual in "{a}" won, use '
        f"{typed({'outcomes': meaning | {first: 'first'}})}."
    )


def dyads(sheet: Sheet, columns: Columns, missing: str, names: NameCodes | None = None) -> Draft:
    """Contests from the numbers of wins of two sides and, if there are any, of ties."""
    draft = names_of(sheet, ("a", "b"), columns, missing, names)
    used = [columns.of["a_points"], columns.of["b_points"]]
    used += [ties] if (ties := columns["tie"]) else []
    tabulate(draft, used, tied=2, second=1)
    return draft


def focal(sheet: Sheet, columns: Columns, missing: str, names: NameCodes | None = None) -> Draft:
    """Contests of focal individuals: whom they displaced, and who displaced them."""
    cells = [sheet.texts(columns.of[role]) for role in ("a", "loser", "winner")]
    pairs = [
        (row, *sides)
        for row, (who, lost, won) in enumerate(zip(*cells, strict=True))
        for sides in (((who, lost),) if lost else ()) + (((won, who),) if won else ())
    ]
    places = np.array([pair[0] for pair in pairs], np.int64)
    codes = names or NameCodes()
    one, other = (pl.Series([pair[side] for pair in pairs], dtype=pl.String) for side in (1, 2))
    draft = Draft(sheet, codes, *codes.add(one, other), places)
    draft.left_out(np.setdiff1d(np.arange(sheet.height), places), "no other individual")
    draft.notes.append(
        f'The individual in column "{columns.of["a"]}" won against those in '
        f'"{columns.of["loser"]}" and lost to those in "{columns.of["winner"]}".'
    )
    blank = codes.code("")
    gone = (draft.first == (-1 if blank is None else blank)) | (draft.second == blank)
    draft.refuse(gone, f'no name in column "{columns.of["a"]}". Enter the name.')
    draft.leave_out_ignored()
    return draft


SIDES_AT_HOME = ("home", "away", "home_points", "away_points")
RULES = ("refuse", "dyads", "drop", "keep")
SIGNS = re.compile(r"[,;&+]|(?<=\s)(?:and|und|et|y)(?=\s)", re.IGNORECASE)
SLASH = "/"
DOUBLES = 2  # parts that change partners and sides of the sign, if no name stands alone
POSSIBLE = re.compile(r"[,;&+/]|\s(?:and|und|et|y)\s", re.IGNORECASE)


def several_in(
    names: list[str], suspects: list[str], *, certain: bool = False
) -> dict[str, tuple[str, ...]]:
    """The names that stand for several individuals, and their parts.

    `suspects` are the names that match POSSIBLE. `certain` states that there are such cells, so
    that no part needs to occur alone.

    >>> several_in(["Abby, Bella", "Abby", "Dan", "Smith, John"], ["Abby, Bella", "Smith, John"])
    {'Abby, Bella': ('Abby', 'Bella'), 'Smith, John': ('Smith', 'John')}
    >>> several_in(["Smith, John", "Doe, Jane", "Dan"], ["Smith, John", "Doe, Jane"])
    {}
    >>> list(several_in(*[["Al & Bo", "Bo & Cy", "Cy & Al", "Al & Di"]] * 2))
    ['Al & Bo', 'Bo & Cy', 'Cy & Al', 'Al & Di']
    """
    if not suspects:
        return {}
    parts = {name: _parts(name) for name in suspects}
    parts = {name: found for name, found in parts.items() if len(found) > 1}
    alone = {name.casefold() for name in names if name not in parts}
    crossing = _crossing(parts)
    if not alone - {""} and len(crossing) < DOUBLES:
        crossing = set()
    known = alone | crossing
    proven = {
        _sign(name)
        for name, found in parts.items()
        if any(part.casefold() in known for part in found) and _sign(name) != SLASH
    }
    if certain and not proven:
        proven = {_sign(name) for name in parts} - {SLASH}
    return {
        name: found
        for name, found in parts.items()
        if _sign(name) in proven or all(part.casefold() in alone for part in found)
    }


def _parts(name: str) -> tuple[str, ...]:
    pieces = SIGNS.split(name) if SIGNS.search(name) else name.split(SLASH)
    return tuple(dict.fromkeys(piece.strip() for piece in pieces if piece.strip()))


def _sign(name: str) -> str:
    """The first sign between the parts; words count as one sign."""
    found = SIGNS.search(name)
    if found is None:
        return SLASH
    return found[0] if len(found[0]) == 1 and not found[0].isalpha() else "and"


def _crossing(parts: dict[str, tuple[str, ...]]) -> set[str]:
    """Parts that come first in one cell and later in another, unlike a surname."""
    first = {found[0].casefold() for found in parts.values()}
    return first & {part.casefold() for found in parts.values() for part in found[1:]}


def separate(draft: Draft, rule: str) -> None:
    """Refuse rows with several individuals in a cell, split them into dyads, or drop them."""
    names, suspects = draft.names.names, draft.names.matching(POSSIBLE)
    found = several_in(names, suspects, certain=rule != "refuse")
    if not found:
        names = [name for name in suspects if SIGNS.search(name) and len(_parts(name)) > 1]
        if names and not draft.sheet.streamed:
            doubles = either("peckorder.sport.read_fields", "peckorder plackett-luce")
            draft.notes.append(
                f"Read as {'the name' if len(names) == 1 else 'names'} of one individual"
                f"{'' if len(names) == 1 else ' each'}: {quoted(names, limit=5)}. If several "
                f"individuals are meant, use {option('polyadic', 'dyads')} or "
                f"{option('polyadic', 'drop')}; for sides of two, such as doubles, {doubles}."
            )
        return
    joint = np.array([name in found for name in names], bool)
    involved = joint[draft.first] | joint[draft.second]
    if rule == "refuse" and all(name in found for name in names if name):
        draft.problems.append(
            f"Sides of several individuals, as in doubles: {quoted(found, limit=5)}. Read them "
            f"with {either('peckorder.sport.read_fields', 'peckorder plackett-luce')}, which rates "
            f"each individual, or use {option('polyadic', 'keep')} if each is the name of one."
        )
    elif rule == "refuse":
        where = draft.where(involved) if involved.any() else draft.sheet.name
        draft.problems.append(
            f"{where}: several individuals in one cell: {quoted(found, limit=5)}. Use "
            f"{option('polyadic', 'dyads')} to read one contest for each pair of a winner and a "
            f"loser, {option('polyadic', 'drop')} to leave such rows out, or "
            f"{option('polyadic', 'keep')} if each of these is the name of one individual."
        )
    elif rule == "drop":
        draft.leave_out(involved, "several individuals in one cell")
    elif involved.any():
        _as_dyads(draft, involved, found)


def refuse_joint_names(names: list[str]) -> None:
    """An error for names of several individuals that were not taken apart."""
    found = several_in(names, [name for name in names if POSSIBLE.search(name)])
    if found:
        sign = _sign(next(iter(found)))
        raise DataError(
            f"Several individuals in one name: {quoted(found, limit=5)}. Use "
            f"{option('members', sign)} to take them apart, or {option('members', '')} if each of "
            f"these is the name of one."
        )


def _as_dyads(draft: Draft, involved: np.ndarray, found: dict[str, tuple[str, ...]]) -> None:
    """One contest for each pair of an individual of one side and one of the other."""
    names = draft.names.names
    singles = [found.get(name, (name,)) for name in names]
    sizes = np.array([len(parts) for parts in singles])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    flat = pl.Series([part for parts in singles for part in parts], dtype=pl.String)
    codes, _ = draft.names.add(flat, flat)
    one, other = draft.first, draft.second
    times = sizes[one] * sizes[other]
    if too_many(draft, times):
        return
    rows_joint = int(np.unique(draft.places[involved]).size)
    contests = int(times[involved].sum())
    repeated = np.repeat(np.arange(len(one)), times)
    within = np.arange(len(repeated)) - np.repeat(np.cumsum(times) - times, times)
    draft.keep(repeated)
    opponents = sizes[draft.second]
    draft.first = codes[starts[draft.first] + within // opponents]
    draft.second = codes[starts[draft.second] + within % opponents]
    draft.notes.append(
        f"{counted(rows_joint, 'row')} with several individuals in one cell "
        f"({quoted(found, limit=3)}) {'was' if rows_joint == 1 else 'were'} read as "
        f"{counted(contests, 'contest')}, one for each pair of a winner and a loser. Each counts "
        f"as much as any other contest, so that these rows have more weight; "
        f"{option('polyadic', 'drop')} leaves them out."
    )


def arrows(sheet: Sheet, columns: Columns, missing: str, names: NameCodes | None = None) -> Draft:
    """Contests from all columns of contests, row by row and from left to right."""
    names = names or NameCodes()
    used = [column for role, column in columns.of.items() if role.startswith("contest")]
    cells = [sheet.texts(c).to_list() for c in used]
    contests: list[Written] = []
    places: list[int] = []
    unread: dict[str, list[int]] = {}
    for place, row in enumerate(zip(*cells, strict=True)):
        for column, cell in zip(used, row, strict=True):
            contest = written(cell) if cell else None
            if contest is not None:
                contests.append(contest)
                places.append(place)
            elif cell:
                unread.setdefault(column, []).append(place)
    first, second = names.add(
        pl.Series([contest.first for contest in contests], dtype=pl.String),
        pl.Series([contest.second for contest in contests], dtype=pl.String),
    )
    tie = np.array([contest.tie for contest in contests], bool)
    draft = Draft(sheet, names, first, second, np.array(places, np.int64))
    draft.draw = tie if tie.any() else None
    for column, where in unread.items():
        draft.problems.append(
            f'{sheet.where(np.array(where))}: "{sheet.column(column)[where[0]]}" in column '
            f'"{column}" is not a contest such as A > B, A < B or A = B. Write one contest per '
            f"cell (a chain such as A > B > C may be a ranking), with a sign that states who won."
        )
    _empty(draft, np.array([not any(row) for row in zip(*cells, strict=True)], bool), missing, used)
    if contests and not sheet.streamed:
        draft.note_later(lambda kept: _arrow_note(used, list(compress(contests, kept))))
    return draft


def _arrow_note(used: list[str], contests: list[Written]) -> str:
    """How each sign was read, with the first contest as an example."""
    number = Counter(contest.sign for contest in contests)
    example = {contest.sign: contest for contest in reversed(contests)}
    parts = [
        f'"{example[sign].cell}" was read as '
        f"{'a tie' if example[sign].tie else 'a win of ' + example[sign].first} "
        f"({counted(number[sign], 'such cell')})"
        for sign in number
    ]
    return f"Contests in {quoted(used)}: {', '.join(parts)}."


def _empty(draft: Draft, empty: np.ndarray, missing: str, used: list[str]) -> None:
    """Rows without a contest."""
    blank = draft.sheet.blank_rows() & empty
    lost = np.flatnonzero(empty & ~blank)
    draft.left_out(np.flatnonzero(blank), "blank rows")
    if missing == "drop":
        draft.left_out(lost, "no contest")
    elif lost.size:
        draft.problems.append(
            f"{draft.sheet.where(lost)}: no contest in {quoted(used)}. Enter it, or use "
            f"{option('missing', 'drop')} to drop such rows."
        )


def games(sheet: Sheet, columns: Columns, missing: str, names: NameCodes | None = None) -> Draft:
    """Contests from a sheet of games with points; the first side is at home if it is so called."""
    sides = ("home", "away") if columns["home"] else ("a", "b")
    scores = (f"{sides[0]}_points", f"{sides[1]}_points")
    draft = names_of(sheet, sides, columns, missing, names)
    blank = [draft.texts(columns.of[role]).is_in(MISSING) for role in scores]
    draft.leave_out((blank[0] & blank[1]).to_numpy(), "not played yet (no points)")
    draft.points = points_of(draft, columns, scores, missing)
    if sides[0] == "home":
        draft.home = np.ones(len(draft.first), np.int8)
    else:
        home = listed(
            [
                option(role, columns.of[side])
                for role, side in zip(SIDES_AT_HOME, (*sides, *scores), strict=True)
            ]
        )
        draft.notes.append(
            f'Neither "{columns["a"]}" nor "{columns["b"]}" is read as the home side. If the first '
            f"is at home, give {home}."
        )
    if column := columns["neutral"]:
        mark_neutral(draft, column)
    draft.draw = draft.points[:, 0] == draft.points[:, 1]
    draft.swap(draft.points[:, 0] < draft.points[:, 1])
    return draft

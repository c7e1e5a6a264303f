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
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from peckorder.data.columns import Columns
from peckorder.data.date_columns import MISSING
from peckorder.data.draft import (
    Draft,
    expand,
    flags_of,
    leave_out_ignored,
    mark_neutral,
    names_of,
    points_of,
    tabulate,
    too_many,
)
from peckorder.data.headings import says
from peckorder.data.matrix import MOST_FROM_COUNTS
from peckorder.data.names import NameCodes, text_of
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
    outcome_option,
    verdicts,
    written,
)
from peckorder.data.recipe import typed
from peckorder.data.sheet import Sheet
from peckorder.errors import ArgumentError
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
    table = sheet.table().with_columns(cells.alias(column))
    return replace(sheet, frame=table.lazy(), parts=(), ready=None, query=False)


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
    cells = text_of(sheet.column(column).gather(pl.Series(draft.places)))
    cells = cells.fill_null("")
    if draft.names.aliases:
        cells = cells.str.strip_chars().replace(draft.names.aliases)
    known = pl.Series(draft.names.names, dtype=pl.String)
    first, second = (known.gather(pl.Series(side)) for side in (draft.first, draft.second))
    labels = (columns.of[sides[0]], columns.of[sides[1]])
    found = verdicts(cells, first, second, labels, column, columns.digits)
    if not columns["outcome"]:  # the column names the loser
        found = np.select([found == FIRST, found == SECOND], [SECOND, FIRST], found).astype(np.int8)
    read = _Votes(sheet, draft, columns, labels, column, cells, found)
    if flag := columns["tie"]:
        read.with_draws(flags_of(sheet, flag, draft))
    read.refuse_invalid()
    read.settle(undecided)
    read.refuse_blank(missing)
    if not sheet.streamed:
        read.note()
    draft.draw = read.found == TIE
    draft.swap(read.found == SECOND)
    if count := columns["count"]:
        expand(sheet, count, draft, dated=bool(columns["date"]))
    return draft


@dataclass
class _Votes:
    """Verdicts of a column of outcomes, while contests are left out."""

    sheet: Sheet
    draft: Draft
    columns: Columns
    labels: tuple[str, str]
    column: str
    cells: pl.Series
    found: np.ndarray

    def where(self, mask: np.ndarray) -> str:
        """Rows as they are named in a message."""
        return self.sheet.where(self.draft.places[np.flatnonzero(mask)])

    def words(self, mask: np.ndarray) -> str:
        """The cells where the mask is True, each once."""
        return quoted(dict.fromkeys(self.cells.filter(pl.Series(mask)).to_list()), limit=5)

    def leave_out(self, gone: np.ndarray, why: str) -> None:
        """Leave out contests, and count them."""
        self.draft.dropped[why] = int(gone.sum())
        self.draft.keep(~gone)
        self.found, self.cells = self.found[~gone], self.cells.filter(pl.Series(~gone))

    def with_draws(self, drawn: np.ndarray) -> None:
        """Ties from a column of draws; an error where the outcome names a winner."""
        wrong = drawn & np.isin(self.found, (FIRST, SECOND))
        if wrong.any():
            self.draft.problems.append(
                f'{self.where(wrong)}: column "{self.columns["tie"]}" states a tie, and column '
                f'"{self.columns["outcome"]}" a winner. Correct one of them, or use '
                f"{option('tie', '')} to ignore the former."
            )
        tied = drawn & np.isin(self.found, (BLANK, OPEN, ASKED))
        self.found = np.where(tied, TIE, self.found).astype(np.int8)

    def refuse_invalid(self) -> None:
        """Cells that state no outcome, or two."""
        (a, b), ignore = self.labels, ""
        if says(a, "acted"):
            ignore = f', or use {outcome_option("")} to read "{a}" as the winner of every contest'
        for verdict, *wrong in (
            (
                *(INVALID, "names neither side of its row and is not a valid outcome"),
                "name neither side of their rows and are not valid outcomes",
            ),
            (
                *(AMBIGUOUS, "is ambiguous: the name of one side, and a word for another outcome"),
                "are ambiguous: names of one side, and words for another outcome",
            ),
        ):
            bad = self.found == verdict
            if bad.any():
                different = self.cells.filter(pl.Series(bad)).unique(maintain_order=True).to_list()
                hint = _as_answers(different, a) if verdict == INVALID else ""
                self.draft.problems.append(
                    f'{self.where(bad)}: {self.words(bad)} in column "{self.column}" '
                    f"{wrong[len(different) > 1]}. "
                    f"Write the name of the winner, {a}, {b} or tie{ignore}.{hint}"
                )

    def settle(self, rule: str | None) -> None:
        """Leave out contests without a decided outcome, or count them as ties."""
        unsure, open_ = self.found == ASKED, self.found == OPEN
        undecided, drop = unsure | open_, option("undecided", "drop")
        if unsure.any() and rule is None:
            self.draft.problems.append(
                f'{self.where(unsure)}: {self.words(unsure)} in column "{self.column}" may mean a '
                f"tie or no result. Use {option('undecided', 'tie')} to count such contests as "
                f"ties, or {drop} to leave them out."
            )
        if rule == "tie" and undecided.any():
            number = counted(int(undecided.sum()), "contest")
            counts = "was counted as a tie" if undecided.sum() == 1 else "were counted as ties"
            self.draft.notes.append(
                f'{number} without a decided outcome in column "{self.column}" {counts}.'
            )
            self.found = np.where(undecided, TIE, self.found).astype(np.int8)
        elif undecided.any():
            if rule is None and open_.any():
                self.draft.notes.append(
                    f'{self.where(open_)}: no decided outcome in column "{self.column}" '
                    f"({self.words(undecided)}). These contests were left out; use "
                    f"{option('undecided', 'tie')} to count them as ties."
                )
            self.leave_out(undecided, "no decided outcome")

    def refuse_blank(self, missing: str) -> None:
        """Contests without an outcome."""
        blank = self.found == BLANK
        if blank.any() and missing == "drop":
            self.leave_out(blank, "no outcome")
        elif blank.any():
            self.draft.problems.append(
                f'{self.where(blank)}: no outcome in column "{self.column}". Enter the winner, tie '
                f"or undecided, or use {option('missing', 'drop')} to drop such rows."
            )

    def note(self) -> None:
        """How the outcomes were read, so that a wrong reading is noticed."""
        parts = [
            f'{counted(int((self.found == FIRST).sum()), "win")} of "{self.labels[0]}"',
            f'{counted(int((self.found == SECOND).sum()), "win")} of "{self.labels[1]}"',
        ]
        if (self.found == TIE).any():
            parts.append(counted(int((self.found == TIE).sum()), "tie"))
        names = "" if self.columns["outcome"] else " (it names the loser)"
        self.draft.notes.append(f'Column "{self.column}" was read as {", ".join(parts)}{names}.')


def _as_answers(cells: list[str], a: str) -> str:
    """A hint if the cells answer whether the first side won, under a heading of winners."""
    if not {cell.lower() for cell in cells} <= {*DIGITS, *YES, *NO}:
        return ""
    meanings = dict(zip(sorted(cells), ("first", "second", "tie"), strict=False))
    return (
        f' If 1 or yes means that the individual in "{a}" won, name the column "won". For codes, '
        f"state what each means, for example {typed({'outcomes': meanings})}, where first and "
        f"second are the sides."
    )


def dyads(sheet: Sheet, columns: Columns, missing: str, names: NameCodes | None = None) -> Draft:
    """Contests from the numbers of wins of two sides and, if there are any, of ties."""
    draft = names_of(sheet, ("a", "b"), columns, missing, names)
    used = [columns.of["a_points"], columns.of["b_points"]]
    used += [ties] if (ties := columns["tie"]) else []
    tabulate(sheet, used, draft, tied=2, second=1)
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
    draft = Draft(codes, *codes.add(one, other), places)
    empty = sheet.height - len(np.unique(places))
    if empty:
        draft.dropped["no other individual"] = empty
    draft.notes.append(
        f'The individual in column "{columns.of["a"]}" won against those in '
        f'"{columns.of["loser"]}" and lost to those in "{columns.of["winner"]}".'
    )
    blank = codes.code("")
    gone = (draft.first == blank) | (draft.second == blank)
    if blank is not None and gone.any():
        where = sheet.where(np.unique(places[gone]))
        draft.problems.append(f'{where}: no name in column "{columns.of["a"]}". Enter the name.')
    leave_out_ignored(draft)
    return draft


SIDES_AT_HOME = ("home", "away", "home_points", "away_points")
RULES = ("refuse", "dyads", "drop", "keep")
SIGNS = re.compile(r"[,;&+]|(?<=\s)(?:and|und|et|y)(?=\s)", re.IGNORECASE)
SLASH = "/"
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
    """
    if not suspects:
        return {}
    parts = {name: _parts(name) for name in suspects}
    parts = {name: found for name, found in parts.items() if len(found) > 1}
    alone = {name.casefold() for name in names if name not in parts}
    known = alone | (_crossing(parts) if alone - {""} else set())
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


def separate(sheet: Sheet, draft: Draft, rule: str) -> None:
    """Refuse rows with several individuals in a cell, split them into dyads, or drop them."""
    names, suspects = draft.names.names, draft.names.matching(POSSIBLE)
    found = several_in(names, suspects, certain=rule != "refuse")
    if not found:
        unsure = [name for name in suspects if SIGNS.search(name) and len(_parts(name)) > 1]
        if unsure and not sheet.streamed:
            draft.notes.append(_as_single(unsure))
        return
    joint = np.array([name in found for name in names], bool)
    involved = joint[draft.first] | joint[draft.second]
    places = np.unique(draft.places[involved])
    if rule == "refuse":
        _refuse(sheet, draft, places, found)
    elif not involved.any():
        return
    elif rule == "drop":
        draft.dropped["several individuals in one cell"] = int(places.size)
        draft.keep(~involved)
    else:
        _as_dyads(sheet, draft, involved, found)


def _as_single(names: list[str]) -> str:
    doubles = either("peckorder.sport.read_fields", "peckorder plackett-luce")
    return (
        f"Read as {'the name' if len(names) == 1 else 'names'} of one individual"
        f"{'' if len(names) == 1 else ' each'}: {quoted(names, limit=5)}. If several individuals "
        f"are meant, use {option('polyadic', 'dyads')} or {option('polyadic', 'drop')}; for sides "
        f"of two, such as doubles, {doubles}."
    )


def _refuse(
    sheet: Sheet, draft: Draft, places: np.ndarray, found: dict[str, tuple[str, ...]]
) -> None:
    where = sheet.where(places) if places.size else sheet.name
    draft.problems.append(
        f"{where}: several individuals in one cell: {quoted(found, limit=5)}. Use "
        f"{option('polyadic', 'dyads')} to read one contest for each pair of a winner and a loser, "
        f"{option('polyadic', 'drop')} to leave such rows out, or {option('polyadic', 'keep')} if "
        f"each of these is the name of one individual."
    )


def _as_dyads(
    sheet: Sheet, draft: Draft, involved: np.ndarray, found: dict[str, tuple[str, ...]]
) -> None:
    """One contest for each pair of an individual of one side and one of the other."""
    names = draft.names.names
    singles = [found.get(name, (name,)) for name in names]
    sizes = np.array([len(parts) for parts in singles])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    flat = pl.Series([part for parts in singles for part in parts], dtype=pl.String)
    codes, _ = draft.names.add(flat, flat)
    one, other = draft.first, draft.second
    times = sizes[one] * sizes[other]
    if times.sum() > MOST_FROM_COUNTS:
        draft.problems.append(too_many(sheet, float(times.sum())))
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
    empty: list[int] = []
    for place, row in enumerate(zip(*cells, strict=True)):
        for column, cell in zip(used, row, strict=True):
            contest = written(cell) if cell else None
            if contest is not None:
                contests.append(contest)
                places.append(place)
            elif cell:
                unread.setdefault(column, []).append(place)
        if not any(row):
            empty.append(place)
    first, second = names.add(
        pl.Series([contest.first for contest in contests], dtype=pl.String),
        pl.Series([contest.second for contest in contests], dtype=pl.String),
    )
    tie = np.array([contest.tie for contest in contests], bool)
    draft = Draft(names, first, second, np.array(places, np.int64))
    draft.draw = tie if tie.any() else None
    for column, where in unread.items():
        _unread(sheet, draft, column, where)
    if empty:
        _empty(sheet, draft, np.array(empty), missing, used)
    if contests and not sheet.streamed:
        draft.notes.append(_arrow_note(used, contests))
    return draft


def _arrow_note(used: list[str], contests: list[Written]) -> str:
    """How each sign was read, with the first contest as an example."""
    number = Counter(contest.sign for contest in contests)
    example: dict[str, Written] = {}
    for contest in contests:
        example.setdefault(contest.sign, contest)
    parts = [
        f'"{contest.cell}" was read as '
        f"{'a tie' if contest.tie else 'a win of ' + contest.first} "
        f"({counted(number[sign], 'such cell')})"
        for sign, contest in example.items()
    ]
    return f"Contests in {quoted(used)}: {', '.join(parts)}."


def _unread(sheet: Sheet, draft: Draft, column: str, where: list[int]) -> None:
    cell = sheet.column(column)[where[0]]
    draft.problems.append(
        f'{sheet.where(np.array(where))}: "{cell}" in column "{column}" is '
        f"not a contest such as A > B, A < B or A = B. Write one contest per cell (a chain such as "
        f"A > B > C may be a ranking), with a sign that states who won."
    )


def _empty(sheet: Sheet, draft: Draft, empty: np.ndarray, missing: str, used: list[str]) -> None:
    blank = sheet.blank_rows()[empty]
    if blank.any():
        draft.dropped["blank rows"] = int(blank.sum())
    lost = empty[~blank]
    if lost.size and missing == "drop":
        draft.dropped["no contest"] = int(lost.size)
    elif lost.size:
        draft.problems.append(
            f"{sheet.where(lost)}: no contest in {quoted(used)}. Enter it, "
            f"or use {option('missing', 'drop')} to drop such rows."
        )


def games(sheet: Sheet, columns: Columns, missing: str, names: NameCodes | None = None) -> Draft:
    """Contests from a sheet of games with points; the first side is at home if it is so called."""
    sides = ("home", "away") if columns["home"] else ("a", "b")
    scores = (f"{sides[0]}_points", f"{sides[1]}_points")
    draft = names_of(sheet, sides, columns, missing, names)
    _leave_out_unplayed(sheet, draft, columns, scores)
    draft.points = points_of(sheet, draft, columns, scores, missing)
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
        mark_neutral(sheet, column, draft)
    draft.draw = draft.points[:, 0] == draft.points[:, 1]
    draft.swap(draft.points[:, 0] < draft.points[:, 1])
    return draft


def _leave_out_unplayed(
    sheet: Sheet, draft: Draft, columns: Columns, scores: tuple[str, str]
) -> None:
    blank = [sheet.texts(columns.of[role]).is_in(MISSING) for role in scores]
    unplayed = (blank[0] & blank[1]).to_numpy()[draft.places]
    if unplayed.any():
        draft.dropped["not played yet (no points)"] = int(unplayed.sum())
        draft.keep(~unplayed)

"""Contests from columns of cells such as `A > B` (see `notation`), one or several per row."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl

from peckorder.data.shapes import Draft
from peckorder.sources.columns import Columns
from peckorder.sources.names import NameCodes, text_of
from peckorder.sources.notation import Written, written
from peckorder.sources.sheet import Sheet
from peckorder.wording import counted, option, quoted, rows


def arrows(sheet: Sheet, columns: Columns, missing: str, names: NameCodes | None = None) -> Draft:
    """Contests from all columns of contests, row by row and from left to right."""
    names = names or NameCodes()
    used = [column for role, column in columns.of.items() if role.startswith("contest")]
    cells = [text_of(sheet.column(c)).fill_null("").str.strip_chars().to_list() for c in used]
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
        draft.notes.append(_note(used, contests))
    return draft


def _note(used: list[str], contests: list[Written]) -> str:
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
        f'{rows(sheet.row_word, sheet.rows(np.array(where)))}: "{cell}" in column "{column}" is '
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
            f"{rows(sheet.row_word, sheet.rows(lost))}: no contest in {quoted(used)}. Enter it, "
            f"or use {option('missing', 'drop')} to drop such rows."
        )

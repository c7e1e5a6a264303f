"""Contests of two sides whose winner is stated in a third column.

Votes for one of two items (`a`, `b`, `outcome`) and records of who began (`initiator`, `receiver`,
`winner`) are the same shape: two columns name the sides, and a third one says who won. Contests
without a decided outcome are no ties: they are left out, with a note, unless `undecided="tie"`.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from peckorder.data.shapes import Draft, expand, flags_of, names_of
from peckorder.sources.columns import Columns
from peckorder.sources.headings import says
from peckorder.sources.names import NameCodes, text_of
from peckorder.sources.sheet import Sheet
from peckorder.sources.sides import outcome_option
from peckorder.sources.verdicts import (
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
    verdicts,
)
from peckorder.wording import counted, option, quoted, rows


def votes(
    sheet: Sheet,
    columns: Columns,
    missing: str,
    names: NameCodes | None = None,
    *,
    undecided: str | None = None,
) -> Draft:
    """Contests from a sheet with two sides, a and b, and an outcome."""
    draft = names_of(sheet, ("a", "b"), columns, missing, names)
    column = columns.of["outcome"]
    cells = text_of(sheet.column(column).gather(pl.Series(draft.places)))
    cells = cells.fill_null("")
    if draft.names.aliases:
        cells = cells.str.strip_chars().replace(draft.names.aliases)
    known = pl.Series(draft.names.names, dtype=pl.String)
    first, second = (known.gather(pl.Series(side)) for side in (draft.first, draft.second))
    labels = (columns.of["a"], columns.of["b"])
    found = verdicts(cells, first, second, labels, column, columns.digits)
    drawn = flags_of(sheet, flag, draft) if (flag := columns["draw"]) else None
    if drawn is not None:
        found = _with_draws(sheet, draft, columns, found, drawn)
    _problems(sheet, draft, columns, cells, found)
    found = _undecided(sheet, draft, columns, cells, found, undecided)
    found = _missing_outcomes(sheet, draft, columns, found, missing)
    if not sheet.streamed:
        _note(draft, columns, found)
    draft.draw = found == TIE
    draft.swap(found == SECOND)
    if count := columns["count"]:
        expand(sheet, count, draft)
    return draft


def _where(sheet: Sheet, draft: Draft, mask: np.ndarray) -> str:
    return rows(sheet.row_word, sheet.rows(draft.places[np.flatnonzero(mask)]))


def _with_draws(
    sheet: Sheet, draft: Draft, columns: Columns, found: np.ndarray, drawn: np.ndarray
) -> np.ndarray:
    """Ties from a column of draws; an error where the outcome names a winner."""
    wrong = drawn & np.isin(found, (FIRST, SECOND))
    if wrong.any():
        draft.problems.append(
            f'{_where(sheet, draft, wrong)}: column "{columns["draw"]}" states a draw, and column '
            f'"{columns["outcome"]}" a winner. Correct one of them, or use '
            f"{option('draw', '')} to ignore the former."
        )
    return np.where(drawn & np.isin(found, (BLANK, OPEN, ASKED)), TIE, found).astype(np.int8)


def _problems(
    sheet: Sheet, draft: Draft, columns: Columns, cells: pl.Series, found: np.ndarray
) -> None:
    a, b, column = columns.of["a"], columns.of["b"], columns.of["outcome"]
    ignore = ""
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
        bad = np.flatnonzero(found == verdict)
        if bad.size:
            different = list(dict.fromkeys(cells.gather(pl.Series(bad)).to_list()))
            shown = quoted(different, limit=5)
            hint = _as_answers(different, a) if verdict == INVALID else ""
            draft.problems.append(
                f'{_where(sheet, draft, found == verdict)}: {shown} in column "{column}" '
                f"{wrong[len(different) > 1]}. "
                f"Write the name of the winner, {a}, {b} or tie{ignore}.{hint}"
            )


def _as_answers(cells: list[str], a: str) -> str:
    """A hint if the cells answer whether the first side won, under a heading of winners."""
    if not {cell.lower() for cell in cells} <= {*DIGITS, *YES, *NO}:
        return ""
    return f' If 1 or yes means that the individual in "{a}" won, name the column "won".'


def _undecided(
    sheet: Sheet,
    draft: Draft,
    columns: Columns,
    cells: pl.Series,
    found: np.ndarray,
    rule: str | None,
) -> np.ndarray:
    """Leave out contests without a decided outcome, or count them as ties."""
    column = columns.of["outcome"]
    unsure = found == ASKED
    if unsure.any() and rule is None:
        words = quoted(dict.fromkeys(cells.filter(pl.Series(unsure)).to_list()), limit=5)
        draft.problems.append(
            f'{_where(sheet, draft, unsure)}: {words} in column "{column}" may mean a tie or no '
            f"result. Use {option('undecided', 'tie')} to count such contests as ties, or "
            f"{option('undecided', 'drop')} to leave them out."
        )
    undecided = unsure | (found == OPEN)
    if rule == "tie":
        if undecided.any():
            number = counted(int(undecided.sum()), "contest")
            counts = "was counted as a tie" if undecided.sum() == 1 else "were counted as ties"
            draft.notes.append(f'{number} without a decided outcome in column "{column}" {counts}.')
        return np.where(undecided, TIE, found).astype(np.int8)
    if undecided.any():
        words = quoted(dict.fromkeys(cells.filter(pl.Series(undecided)).to_list()), limit=5)
        if rule is None and (found == OPEN).any():
            draft.notes.append(
                f'{_where(sheet, draft, found == OPEN)}: no decided outcome in column "{column}" '
                f"({words}). These contests were left out; use {option('undecided', 'tie')} to "
                f"count them as ties."
            )
        draft.dropped["no decided outcome"] = int(undecided.sum())
        draft.keep(~undecided)
    return found[~undecided]


def _missing_outcomes(
    sheet: Sheet, draft: Draft, columns: Columns, found: np.ndarray, missing: str
) -> np.ndarray:
    blank = found == BLANK
    if not blank.any():
        return found
    if missing == "drop":
        draft.dropped["no outcome"] = int(blank.sum())
        draft.keep(~blank)
        return found[~blank]
    draft.problems.append(
        f'{_where(sheet, draft, blank)}: no outcome in column "{columns["outcome"]}". Enter the '
        f"winner, tie or undecided, or use {option('missing', 'drop')} to drop such rows."
    )
    return found


def _note(draft: Draft, columns: Columns, found: np.ndarray) -> None:
    """How the outcomes were read, so that a wrong reading is noticed."""
    a, b = columns.of["a"], columns.of["b"]
    parts = [
        f'{counted(int((found == FIRST).sum()), "win")} of "{a}"',
        f'{counted(int((found == SECOND).sum()), "win")} of "{b}"',
    ]
    if (found == TIE).any():
        parts.append(counted(int((found == TIE).sum()), "tie"))
    draft.notes.append(f'Column "{columns["outcome"]}" was read as {", ".join(parts)}.')

"""Cells that are no names: errors of formulas, a repeated header, and codes for missing names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import numpy as np

from peckorder.data.import_report import Labels
from peckorder.data.shapes import Draft
from peckorder.sources.columns import Columns
from peckorder.sources.formulas import is_error
from peckorder.sources.headings import roles_of
from peckorder.sources.sheet import Sheet
from peckorder.wording import quoted, rows

SUSPECT = re.compile("^[#f]")
SIDES = (("winner", "loser"), ("home", "away"), ("a", "b"))
PLACEHOLDERS = {
    *("na", "nan", "n/a", "n.a.", "none", "null", "nobody", "missing", "other", "unknown", "unk"),
    *("-", "--", "?", "??", "???", ".", "unknown individual", "unidentified", "not identified"),
    *("unid", "unbekannt", "desconocido", "desconocida", "inconnu", "inconnue", "desconhecido"),
    *("total", "totals", "sum", "summe", "gesamt", "somme", "suma", "soma", "totale"),
}
# What remains of them, and of all words that stand for them, without dots and question marks.
BARE = {word.rstrip(".?") for word in PLACEHOLDERS}


def stands_for_nobody(name: str) -> bool:
    """Whether a name looks like a code for a missing one, with or without a dot or question mark.

    >>> stands_for_nobody("unid."), stands_for_nobody("Unknown?"), stands_for_nobody("Una")
    (True, True, False)
    """
    word = name.casefold()
    return word in PLACEHOLDERS or word.rstrip(".?") in PLACEHOLDERS


def placeholders(names: Iterable[str]) -> list[str]:
    """The names that look like codes for a missing one."""
    likely = [name for name in names if name.casefold().rstrip(".?") in BARE]
    return [name for name in likely if stands_for_nobody(name)]


def odd_names(sheet: Sheet, columns: Columns, draft: Draft) -> list[str]:
    """The problems of names that are errors or labels, with their rows."""
    problems = []
    errors = [name for name in draft.names.matching(SUSPECT) if is_error(name)]
    codes = np.array([draft.names.code(name) for name in errors])
    wrong = np.isin(draft.first, codes) | np.isin(draft.second, codes) if errors else []
    if np.any(wrong):  # rows may have been dropped
        problems.append(_of_formula(sheet, draft, np.asarray(wrong), errors[0]))
    sides = next((pair for pair in SIDES if columns[pair[0]] and columns[pair[1]]), None)
    if sides is None:  # both names are in one cell
        return problems
    labels = [columns.of[side].split(" (column ")[0] for side in sides]
    one, other = (draft.names.code(label) for label in labels)
    if one is None or other is None:
        return problems
    again = (draft.first == one) & (draft.second == other)
    if again.any():
        problems.append(
            f"{rows(sheet.row_word, _rows(sheet, draft, again))}: the header is repeated "
            f"({quoted(labels)}). Remove the row from the table."
        )
    elif all(code >= 0 for code in codes) and not any(roles_of(one, labels) for one in labels):
        problems.append(
            f"The column names {quoted(labels)} are also names of individuals, so that the first "
            f"row appears to be a contest. Add a row of column names above it, such as winner and "
            f"loser."
        )
    return problems


def odd_labels(sheet: Sheet, draft: Draft, labels: Mapping[str, Labels | None]) -> list[str]:
    """The problems of contexts, groups and seasons that are errors, with their rows."""
    problems = []
    for found in labels.values():
        errors = [c for c, name in enumerate(found.names) if is_error(name)] if found else []
        wrong = np.isin(found.codes, errors) if found and errors else np.zeros(0, bool)
        if found and wrong.any():
            problems.append(_of_formula(sheet, draft, wrong, found.names[errors[0]]))
    return problems


def _of_formula(sheet: Sheet, draft: Draft, wrong: np.ndarray, word: str) -> str:
    return (
        f'{rows(sheet.row_word, _rows(sheet, draft, wrong))}: "{word}" is an error of a formula, '
        f"or a formula without a stored value. Correct the cell, or open the workbook in Excel and "
        f"save it again."
    )


def _rows(sheet: Sheet, draft: Draft, mask: np.ndarray) -> np.ndarray:
    return sheet.rows(np.unique(draft.places[np.flatnonzero(mask)]))

"""Cells that are no names: errors of formulas, and a header that is repeated further down."""

from __future__ import annotations

import numpy as np

from peckorder.data.columns import Columns
from peckorder.data.formulas import is_error
from peckorder.data.shapes import Draft
from peckorder.data.sheet import Sheet
from peckorder.wording import quoted, rows


def odd_names(sheet: Sheet, columns: Columns, draft: Draft, sides: tuple[str, str]) -> list[str]:
    """The problems of names that are errors or labels, with their rows."""
    names, problems = draft.names.names, []
    errors = [code for code, name in enumerate(names) if is_error(name)]
    if errors:
        wrong = np.isin(draft.first, errors) | np.isin(draft.second, errors)
        problems.append(
            f"{rows(sheet.row_word, _rows(sheet, draft, wrong))}: "
            f"{quoted([names[code] for code in errors], limit=4)} is the error or the text of a "
            f"formula, not a name. Correct the formula, or replace it by its value."
        )
    labels = [columns.of[side].split(" (column ")[0] for side in sides]
    codes = [names.index(label) if label in names else -1 for label in labels]
    again = (draft.first == codes[0]) & (draft.second == codes[1]) & (codes[0] >= 0)
    if again.any():
        problems.append(
            f"{rows(sheet.row_word, _rows(sheet, draft, again))}: the header is repeated "
            f"({quoted(labels)}). Remove the row from the table."
        )
    return problems


def _rows(sheet: Sheet, draft: Draft, mask: np.ndarray) -> np.ndarray:
    return sheet.rows(np.unique(draft.places[np.flatnonzero(mask)]))

"""Yes and no in a column: words, or ticks with blanks for no.

In many sheets a tie is marked with an x and all other cells are blank. A blank then means no, but
only if nothing else in the column does: next to a written no, a blank is a missing value.
"""

from __future__ import annotations

import polars as pl

from peckorder.wording import counted, quoted

YES = ("1", "true", "yes", "y", "t", "1.0")
NO = ("0", "false", "no", "n", "f", "0.0")
TICKS = ("x", "✓", "✔", "☑", "√", "+", "ja", "oui", "si", "sí", "sim")
FOREIGN_NO = ("nein", "non", "não", "nao")


def yes_and_no(words: pl.Series, column: str, *more: str) -> tuple[pl.Series, pl.Series, str]:
    """Which cells mean yes, which have no reading, and a note if blanks were read as no.

    Words are in lower case; `more` are further words for yes.
    """
    yes = words.is_in([*YES, *TICKS, *more])
    no = words.is_in([*NO, *FOREIGN_NO])
    blank = words == ""
    if no.any() or not blank.any():
        return yes, ~(yes | no), ""
    marks = words.filter(yes).unique(maintain_order=True).to_list()
    marked = f"marked with {quoted(marks, limit=4)}" if marks else "marked"
    note = (
        f'Column "{column}": {counted(int(yes.sum()), "row is", "rows are")} {marked}; blank cells '
        f"({counted(int(blank.sum()), 'row')}) were read as no."
    )
    return yes, ~(yes | blank), note

"""Dates that a spreadsheet program has converted in the wrong order.

A program with American settings turns 03/04/2021 into a date, 4 March, and leaves 28/05/2021 as
text, because there is no month 28. A column with real dates up to the 12th of the month and texts
from the 13th on is the trace of this: its real dates may have day and month exchanged.
"""

from __future__ import annotations

import re

import numpy as np
import polars as pl

from peckorder.data.date_texts import YEAR_LAST, format_of
from peckorder.sources.sheet import Sheet
from peckorder.wording import option, rows

STORED = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?: .*)?", re.ASCII)


def swapped_dates(
    sheet: Sheet, column: str, texts: pl.Series, places: np.ndarray, words: list[str], order: str
) -> str | None:
    """The problem of a column whose real dates may have day and month exchanged."""
    stored = [match for word in words if (match := STORED.fullmatch(word))]
    written = [match for word in words if (match := YEAR_LAST.fullmatch(word)) and match[2] != "."]
    if not stored or not written:
        return None
    days = [int(match[1 if order == "day" else 3]) for match in written]
    if any(int(match[3]) > 12 for match in stored) or min(days) <= 12:
        return None
    known = [match[0] for match in stored]
    where = texts.is_in(known).arg_true().to_numpy()
    form = option("date_format", format_of(written[0][0], order))
    return (
        f'{rows(sheet.row_word, sheet.rows(places[where]))}: column "{column}" has dates, such as '
        f'"{known[0]}", and texts, such as "{written[0][0]}". No date is later than the 12th of a '
        f"month, and no text earlier than the 13th: a spreadsheet program may have exchanged day "
        f"and month of the dates. Compare them with the original, then use {form} to read the "
        f"texts so and the dates as they are, or write all dates as 2009-05-28."
    )

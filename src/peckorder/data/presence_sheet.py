"""Presence data in a sheet of a workbook, most often that of the contests.

Field workbooks keep who was there beside who beat whom: one sheet of contests, one of stints or
ticks. The sheet is named; which workbook it belongs to is, unless stated, the one that is read.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from peckorder.data.interactions import Interactions
from peckorder.errors import ArgumentError
from peckorder.wording import option

INFERRED = "inferred"


def with_sheet_of_presence(
    data: Interactions, source: Any, presence: Any, sheet: str | int, date_format: str | None
) -> Interactions:
    """The contests with presence data from a sheet of `presence` or, without it, of the source."""
    if isinstance(presence, str) and presence == INFERRED:
        raise ArgumentError(
            f"{option('presence', INFERRED)} takes presence from the contests: leave out "
            f"{option('presence_sheet')}."
        )
    book = source if presence is None else presence
    if not isinstance(book, str | os.PathLike) or str(book) == "-":
        raise ArgumentError(
            f"{option('presence_sheet')} names a sheet of a workbook, which is a file. Give its "
            f"path with {option('presence')}."
        )
    found = data.with_presence(book, date_format=date_format, sheet=sheet)
    if presence is not None:
        return found
    options = {name: value for name, value in found.report.options.items() if name != "presence"}
    return replace(found, report=replace(found.report, options=options))

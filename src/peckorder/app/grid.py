"""A window of the grid: cells, what was changed in them, and which rows are left out and why."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from peckorder.app.reading import Reading
from peckorder.app.table import WORDS, Table

NAMED = ("winner", "loser", "a", "b", "home", "away", "outcome")
LONGEST = 300  # characters of a cell
MIDNIGHT = re.compile(r"\d{4}-\d\d-\d\d 00:00:00")  # a date of a workbook


def window(
    reading: Reading, table: Table, start: int, count: int, only: np.ndarray | None
) -> dict[str, Any]:
    """The rows from `start` on, of all rows or of those of a check.

    Rows are places from 0 below the header; `number` is their number in the file.
    """
    places = np.arange(table.height) if only is None else only
    shown = places[max(0, start) : max(0, start) + count]
    reasons = table.reason_of()
    texts = table.cells[shown.tolist()].rows() if len(shown) else []
    return {
        "total": len(places),
        "height": table.height,
        "from": max(0, start),
        "titles": table.titles,
        "columns": table.columns,
        "rows": [
            {
                "place": int(place),
                "number": int(place) + table.first_row,
                "cells": [_short(cell) for cell in cells],
                "contests": int(table.kept[place]) if len(table.kept) else 0,
                "left": reasons.get(int(place)),
                "why": WORDS.get(reasons.get(int(place), "")),
                "changed": _changed(reading, table, cells),
            }
            for place, cells in zip(shown.tolist(), texts, strict=True)
        ],
    }


def _short(cell: str) -> str:
    cell = cell.removesuffix(" 00:00:00") if MIDNIGHT.fullmatch(cell) else cell
    return cell if len(cell) <= LONGEST else f"{cell[:LONGEST]}…"


def _changed(reading: Reading, table: Table, cells: tuple[str, ...]) -> dict[str, str]:
    """Names that are read differently from how they are written, by position of the column."""
    names = reading.options.get("names") or {}
    if reading.data is None or not names:
        return {}
    used = reading.data.report.columns
    places = [table.columns.index(used[role]) for role in NAMED if used.get(role) in table.columns]
    return {
        str(i): names[cells[i].strip()]
        for i in places
        if cells[i].strip() in names and names[cells[i].strip()] != cells[i].strip()
    }


def runs(places: np.ndarray) -> list[list[int]]:
    """Places as runs of consecutive ones: first, length.

    >>> import numpy as np
    >>> runs(np.array([3, 4, 5, 9]))
    [[3, 3], [9, 1]]
    """
    if len(places) == 0:
        return []
    places = np.sort(places)
    breaks = np.flatnonzero(np.diff(places) != 1) + 1
    return [[int(part[0]), len(part)] for part in np.split(places, breaks)]

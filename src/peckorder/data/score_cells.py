"""The points of both sides in one cell, such as 2-1, 2:1 or, in chess, 1/2-1/2.

Such a column is divided into the points of the first and of the second side if a table has two
sides and no other points. Anything else in one of the cells (penalties, sets) leaves the column as
it is, so that the table is refused rather than read in part.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import polars as pl

from peckorder.sources.headings import ALIASES as HEADINGS
from peckorder.sources.headings import fits, heading
from peckorder.sources.sheet import Sheet
from peckorder.sources.sides import pair_of_sides
from peckorder.wording import option

SCORES = frozenset(
    ("score", "scores", "result", "finalscore", "fulltime", "ft", "ergebnis", "resultat")
) | frozenset(("resultado", "risultato", "endstand", "goals", "points"))
POINTS = r"(?:\d+(?:\.5)?|1/2|½)"
CELL = re.compile(rf"\s*({POINTS})\s*[-–:]\s*({POINTS})\s*")
SIDES = ("home", "away", "home_points", "away_points")
EVEN_SIDES = ("a", "b", "a_points", "b_points")


def with_divided_scores(sheet: Sheet, given: dict[str, Any]) -> tuple[Sheet, dict[str, Any]]:
    """The sheet with the points of both sides in columns of their own, given by name."""
    if any(given[role] is not None for role in ("winner", "loser", "outcome")):
        return sheet, given
    if sheet.parts or sheet.batches is not None or sheet.streamed:
        return sheet, given
    sides, column = _given_sides(given) or _sides(sheet.columns), _column_of_scores(sheet)
    if sides is None or column is None or not set(sides) <= set(sheet.columns):
        return sheet, given
    at_home = given["home"] is not None or fits(sides[0], HEADINGS["home"])
    roles = SIDES if at_home and given["a"] is None else EVEN_SIDES
    cells = sheet.column(column)
    divided = {
        f"{column} of {side}": pl.Series([_points(cell, place) for cell in cells], dtype=pl.String)
        for place, side in enumerate(sides, start=1)
    }
    chosen = dict(zip(roles, (*sides, *divided), strict=True))
    if any(given[role] not in (None, chosen.get(role)) for role in (*SIDES, *EVEN_SIDES)):
        return sheet, given
    example = next(cell for cell in cells if cell and cell.strip())
    note = (
        f'Column "{column}" was read as the points of both sides: "{example}" is '
        f'{_points(example, 1)} for "{sides[0]}" and {_points(example, 2)} for "{sides[1]}". For '
        f"another reading, name the columns of points, such as {option(roles[2])}."
    )
    table = sheet.table().with_columns(**divided)
    wider = replace(
        sheet,
        frame=table.lazy(),
        columns=table.columns,
        notes=[*sheet.notes, note],
        added=(*sheet.added, *divided),
    )
    return wider, given | chosen | ({"outcome": ""} if roles is EVEN_SIDES else {})


def _given_sides(given: dict[str, Any]) -> tuple[str, str] | None:
    """Two sides that are given by name."""
    for one, other in (SIDES[:2], EVEN_SIDES[:2]):
        if given[one] and given[other]:
            return given[one], given[other]
    return None


def _sides(columns: list[str]) -> tuple[str, str] | None:
    """The two sides: at home and away, with a number or a letter, or white and black."""
    for first, second in ((HEADINGS["home"], HEADINGS["away"]), (("white",), ("black",))):
        found = [[c for c in columns if fits(c, names)] for names in (first, second)]
        if all(len(one) == 1 for one in found):
            return found[0][0], found[1][0]
    return pair_of_sides(columns)


def _column_of_scores(sheet: Sheet) -> str | None:
    """The only column of scores, if there are no other points and every cell has two numbers."""
    points = [name for role in (*SIDES[2:], *EVEN_SIDES[2:]) for name in HEADINGS[role]]
    named = [c for c in sheet.columns if heading(c) in SCORES]
    if len(named) != 1 or any(fits(c, tuple(points)) for c in sheet.columns):
        return None
    cells = sheet.column(named[0])
    if cells.dtype != pl.String:
        return None
    filled = [cell for cell in cells.drop_nulls() if cell.strip()]
    return named[0] if filled and all(map(CELL.fullmatch, filled)) else None


def _points(cell: str | None, place: int) -> str | None:
    found = CELL.fullmatch(cell or "")
    return found[place].replace("1/2", "0.5").replace("½", "0.5") if found else None

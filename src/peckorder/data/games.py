"""Games: two sides with their points, and which side was at home.

A game without any points has not been played yet: it is left out and counted. A game with the
points of one side only is an error.
"""

from __future__ import annotations

import numpy as np

from peckorder.data.dates import MISSING
from peckorder.data.shapes import Draft, mark_neutral, names_of, points_of
from peckorder.sources.columns import Columns
from peckorder.sources.names import NameCodes, text_of
from peckorder.sources.sheet import Sheet
from peckorder.wording import listed, option


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
        home = listed([option(role, columns.of[side]) for role, side in _as_home(sides, scores)])
        draft.notes.append(
            f'Neither "{columns["a"]}" nor "{columns["b"]}" is read as the home side. If the first '
            f"is at home, give {home}."
        )
    if column := columns["neutral"]:
        mark_neutral(sheet, column, draft)
    draft.draw = draft.points[:, 0] == draft.points[:, 1]
    draft.swap(draft.points[:, 0] < draft.points[:, 1])
    return draft


def _as_home(sides: tuple[str, str], scores: tuple[str, str]) -> list[tuple[str, str]]:
    roles = ("home", "away", "home_points", "away_points")
    return list(zip(roles, (*sides, *scores), strict=True))


def _leave_out_unplayed(
    sheet: Sheet, draft: Draft, columns: Columns, scores: tuple[str, str]
) -> None:
    blank = [
        text_of(sheet.column(columns.of[role])).fill_null("").str.strip_chars().is_in(MISSING)
        for role in scores
    ]
    unplayed = (blank[0] & blank[1]).to_numpy()[draft.places]
    if unplayed.any():
        draft.dropped["not played yet (no points)"] = int(unplayed.sum())
        draft.keep(~unplayed)

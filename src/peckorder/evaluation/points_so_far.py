"""Points already won when a season is simulated: by name, from a sheet, or of the last season."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from peckorder.checked import as_numbers, is_number
from peckorder.data.interactions import Interactions
from peckorder.errors import ArgumentError, DataError
from peckorder.results import Ratings
from peckorder.results.chances import drawn_of
from peckorder.sources.columns import fits
from peckorder.sources.names import text_of
from peckorder.sources.source import open_sheet
from peckorder.wording import did_you_mean, option, option_name, quoted, rows

POINTS = ("points", "pts", "score")


def points_so_far(
    ratings: Ratings, standings: Any, points: tuple[float, ...]
) -> tuple[dict[str, float], list[str]]:
    """Points of rated sides by name, and sentences for the summary."""
    data = ratings.data
    if standings is None:
        if data.season is None:
            return {}, []
        last = data.season.names[data.season.codes[-1]]
        return {}, [
            f"All sides start from 0 points; {option('standings', 'season')} adds the points of "
            f"season {last}."
        ]
    if isinstance(standings, str) and standings == "season":
        return _of_last_season(data, points), []
    if not isinstance(standings, Mapping):
        standings = _table_of_points(standings)
    had = {}
    for name, value in standings.items():
        if isinstance(value, bool) or not isinstance(value, int | float | np.number):
            raise ArgumentError(f'Standings must be numbers; check "{name}".')
        if not is_number(value):
            raise ArgumentError(f'Standings must be finite numbers; check "{name}".')
        had[str(name)] = float(value)
    unknown = [name for name in had if name not in set(ratings.individuals)]
    if unknown:
        raise DataError(
            f"{option_name('standings')}: {quoted(unknown)} took part in no contest."
            f"{did_you_mean(unknown, ratings.individuals)}"
        )
    return had, []


def _of_last_season(data: Interactions, points: tuple[float, ...]) -> dict[str, float]:
    """Points won in the last season."""
    if data.season is None:
        raise DataError(f"These data have no seasons. Name their column: {option('season')}.")
    own = data.season.codes == data.season.codes[-1]
    drawn = drawn_of(data)[own]
    had = np.zeros(len(data.individuals))
    np.add.at(had, data.winner[own], np.where(drawn, points[1], points[0]))
    np.add.at(had, data.loser[own], np.where(drawn, points[1], points[2]))
    played = np.unique([data.winner[own], data.loser[own]])
    return {data.individuals[i]: float(had[i]) for i in played}


def _table_of_points(source: Any) -> dict[str, float]:
    """Points by name, from a sheet with two columns."""
    sheet = open_sheet(source)
    numbers = [c for c in sheet.columns if sheet.column(c).dtype.is_numeric() or fits(c, POINTS)]
    names = [c for c in sheet.columns if c not in numbers]
    if len(numbers) != 1 or len(names) != 1:
        raise DataError(
            f"{sheet.name}: standings need a sheet with two columns, names and points. Columns "
            f"found: {quoted(sheet.columns)}."
        )
    values = sheet.column(numbers[0]).cast(pl.Float64, strict=False)
    lost = np.flatnonzero(values.is_null().to_numpy())
    if lost.size:
        raise DataError(
            f"{rows(sheet.row_word, sheet.rows(lost))}: the points in column "
            f'"{numbers[0]}" are not numbers.'
        )
    who = text_of(sheet.column(names[0])).fill_null("").str.strip_chars()
    return dict(zip(who.to_list(), values.to_list(), strict=True))


def checked_points(points: Any) -> tuple[float, ...]:
    """Points for a win, a tie and a loss."""
    numbers = as_numbers(points)
    if numbers is None or numbers.shape != (3,) or not np.isfinite(numbers).all():
        raise ArgumentError(
            f"{option_name('points')} must be three numbers, for a win, a tie and a loss, not "
            f"{points!r}."
        )
    return tuple(numbers.tolist())

"""Fixtures: contests to be predicted, and which side is at home."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.shapes import mark_neutral, names_of
from peckorder.errors import DataError
from peckorder.sources.columns import ALIASES, Columns, fits
from peckorder.sources.names import text_of
from peckorder.sources.sheet import Sheet
from peckorder.sources.source import open_sheet
from peckorder.wording import did_you_mean, option, quoted, rows

PAIRS = (("home", "away"), ("a", "b"))


@dataclass(frozen=True, eq=False)
class Fixtures:
    """Codes of both sides; `home` is 1 (first side at home), −1 (second side) or 0 (neutral).

    Codes continue after those of the rated individuals with the newcomers; `season` has a label
    per fixture.
    """

    first: np.ndarray
    second: np.ndarray
    home: np.ndarray
    date: pl.Series | None = None
    season: tuple[str, ...] | None = None
    newcomers: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.first)


def read_fixtures(
    source: Any,
    individuals: tuple[str, ...],
    *,
    home: str | None = None,
    away: str | None = None,
    neutral: str | None = None,
    a: str | None = None,
    b: str | None = None,
    season: str | None = None,
    newcomers: bool = False,
) -> Fixtures:
    """Read a table of fixtures with columns home and away (and neutral), or a and b.

    Unknown names are refused, because they may be misspelled, unless `newcomers` are allowed.
    """
    if isinstance(source, Fixtures):
        return source
    sheet = open_sheet(_as_columns(source))
    given = {"home": home, "away": away, "neutral": neutral, "a": a, "b": b, "season": season}
    found = {role: _column(sheet, role, name) for role, name in given.items()}
    date = next((c for c in sheet.columns if fits(c, ALIASES["date"])), None)
    pair = next((pair for pair in PAIRS if all(found[role] for role in pair)), None)
    if pair is None:
        raise DataError(
            f"{sheet.name}: fixtures require two columns, home and away, or a and b if neither "
            f"side is at home. Columns found: {quoted(sheet.columns)}. Specify them with "
            f"{_flag('home')} and {_flag('away')}, or {_flag('a')} and {_flag('b')}."
        )
    if sheet.height == 0:
        raise DataError(f"{sheet.name} has a header but no fixtures.")
    columns = Columns("fixtures", {role: str(found[role]) for role in pair})
    draft = names_of(sheet, pair, columns, "refuse", None, droppable=False)
    draft.home = np.full(len(draft.first), int(pair == PAIRS[0]), np.int8)
    if found["neutral"]:
        mark_neutral(sheet, found["neutral"], draft)
    twice = np.flatnonzero(draft.first == draft.second)
    if twice.size:
        name = draft.names.names[draft.first[twice[0]]]
        draft.problems.append(
            f'{rows(sheet.row_word, sheet.rows(draft.places[twice]))}: both sides are "{name}". '
            f"Correct the names."
        )
    known = {name: code for code, name in enumerate(individuals)}
    codes = np.array([known.get(name, -1) for name in draft.names.names], np.int64)
    first, second = codes[draft.first], codes[draft.second]
    names = [draft.names.names[i] for i in np.unique([draft.first, draft.second]) if codes[i] < 0]
    if newcomers:
        known |= {name: len(individuals) + i for i, name in enumerate(names)}
        codes = np.array([known[name] for name in draft.names.names], np.int64)
        first, second = codes[draft.first], codes[draft.second]
    strange = np.flatnonzero((first < 0) | (second < 0))
    if strange.size:
        draft.problems.append(
            f"{rows(sheet.row_word, sheet.rows(draft.places[strange]))}: {quoted(names)} took part "
            f"in no contest and cannot be rated.{did_you_mean(names, individuals)} Correct the "
            f"names or remove these fixtures; if they are newcomers, pass "
            f"{option('newcomers', 'True')}. Rated individuals: {quoted(individuals)}."
        )
    if draft.problems:
        raise DataError(*draft.problems)
    when = None
    if date is not None:
        when = text_of(sheet.column(date)).gather(pl.Series(draft.places))
    seasons = None
    if found["season"]:
        seasons = _labels(sheet, str(found["season"]), draft.places)
    fresh = tuple(names) if newcomers else ()
    return Fixtures(first, second, draft.home.astype(np.float64), when, seasons, fresh)


def _labels(sheet: Sheet, column: str, places: np.ndarray) -> tuple[str, ...]:
    """The season of each fixture."""
    labels = text_of(sheet.column(column)).gather(pl.Series(places)).fill_null("")
    labels = labels.str.strip_chars()
    empty = np.flatnonzero((labels == "").to_numpy())
    if empty.size:
        raise DataError(
            f"{rows(sheet.row_word, sheet.rows(places[empty]))}: no season in column "
            f'"{column}". Fill it in, or remove the column.'
        )
    return tuple(labels.to_list())


def _flag(role: str) -> str:
    return option(role, flag=f"fixture_{role}")


def _as_columns(source: Any) -> Any:
    """Convert a list of pairs (home, away) to columns."""
    if not isinstance(source, list | tuple):
        return source
    if not source:
        raise DataError("The list of fixtures is empty. Give at least one pair (home, away).")
    if not all(isinstance(row, list | tuple) and len(row) == 2 for row in source):
        raise DataError("Fixtures must be a file, a table, or a list of pairs (home, away).")
    return {"home": [row[0] for row in source], "away": [row[1] for row in source]}


def _column(sheet: Sheet, role: str, name: str | None) -> str | None:
    """The column of a role, by the name given or by common names."""
    if name:
        if name not in sheet.columns:
            raise DataError(
                f'{sheet.name} has no column "{name}" for {role}. Columns found: '
                f"{quoted(sheet.columns)}."
            )
        return name
    fitting = [column for column in sheet.columns if fits(column, ALIASES[role])]
    if len(fitting) > 1:
        raise DataError(
            f"{sheet.name}: several columns match {role}: {quoted(fitting)}. Choose one with "
            f"{_flag(role)}, or rename the others."
        )
    return fitting[0] if fitting else None

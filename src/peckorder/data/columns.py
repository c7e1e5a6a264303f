"""Roles of columns: the names that are recognized, and errors when columns are not found."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from peckorder.checked import one_of
from peckorder.data.sheet import Sheet
from peckorder.errors import ArgumentError, ArgumentTypeError, DataError
from peckorder.wording import listed, option, quoted

# Case is ignored; blanks, hyphens and dots count as underscores.
ALIASES: dict[str, tuple[str, ...]] = {
    "winner": (
        "winner",
        "winner_id",
        "winner_name",
        "id_winner",
        "win",
        "actor",
        "initiator",
        "aggressor",
        "attacker",
        "dominant",
        "victor",
        "displacer",
        "supplanter",
    ),
    "loser": (
        "loser",
        "loser_id",
        "loser_name",
        "id_loser",
        "lose",
        "recipient",
        "receiver",
        "target",
        "victim",
        "subordinate",
        "displaced",
        "supplanted",
        "defeated",
    ),
    "date": (
        "date",
        "datetime",
        "date_time",
        "timestamp",
        "day",
        "date_of_contest",
        "obs_date",
        "year",
    ),
    "time": ("time", "time_of_day", "clock"),
    "draw": ("draw", "drawn", "tie", "tied", "undecided"),
    "context": ("context", "behaviour", "behavior", "intensity", "interaction_type", "competition"),
    "group": ("group", "group_id", "troop", "flock", "herd", "colony", "pack"),
    "season": ("season",),
    "count": ("count", "weight", "freq", "frequency", "n_wins"),
    "winner_points": ("winner_points", "winner_score", "points_winner", "score_winner"),
    "loser_points": ("loser_points", "loser_score", "points_loser", "score_loser"),
    "home": ("home", "home_team", "hometeam", "home_side", "home_player"),
    "away": ("away", "away_team", "awayteam", "away_side", "away_player", "visitor", "guest"),
    "home_points": (
        "home_points",
        "home_score",
        "home_goals",
        "points_home",
        "score_home",
        "goals_home",
        "fthg",
        "hg",
    ),
    "away_points": (
        "away_points",
        "away_score",
        "away_goals",
        "points_away",
        "score_away",
        "goals_away",
        "ftag",
        "ag",
    ),
    "neutral": ("neutral", "neutral_ground", "neutral_site", "neutral_venue", "neutral_field"),
    "a": ("a", "model_a", "player_a", "side_a", "item_a", "option_a", "team_a", "left"),
    "b": ("b", "model_b", "player_b", "side_b", "item_b", "option_b", "team_b", "right"),
    "outcome": ("outcome", "winner", "result", "vote", "preference", "verdict"),
}

ROLES_OF: dict[str, list[str]] = {}
for _role, _aliases in ALIASES.items():
    for _one in _aliases:
        ROLES_OF.setdefault(_one, []).append(_role)

# Required and optional columns of each kind of data.
NEEDED = {
    "events": ("winner", "loser"),
    "games": ("home", "away", "home_points", "away_points"),
    "votes": ("a", "b", "outcome"),
}
COMMON = ("date", "time", "context", "group", "season")
USABLE = {
    "events": (*COMMON, "draw", "count", "home", "neutral", "winner_points", "loser_points"),
    "games": (*COMMON, "neutral"),
    "votes": COMMON,
}
# Labels of contests: if several columns match, none is used and a note is given.
LABELS = ("context", "group", "season")
KINDS = ("events", "matrix", "games", "votes")


@dataclass(frozen=True)
class Columns:
    """The kind of data and the column of each role."""

    kind: str
    of: dict[str, str]
    notes: list[str] = field(default_factory=list)

    def __getitem__(self, role: str) -> str | None:
        return self.of.get(role)


def plain_label(label: str) -> str:
    """A column label in lower case, with underscores for spaces, periods and hyphens."""
    return re.sub(r"[\s.-]", "_", label.strip().rstrip("?:").casefold())


def _flag(role: str) -> str:
    return option(role, flag="outcome_column" if role == "outcome" else None)


def find_columns(
    sheet: Sheet, kind: str | None, given: dict[str, str | bool | None]
) -> Columns | None:
    """Determine the kind of data and its columns; None if the data can only be a matrix.

    A column given by name is used as such; a role given as False or "" is left out; columns of
    the other roles are detected by their common names.
    """
    if kind is not None:
        one_of("kind", kind, KINDS)
    if kind == "matrix":
        return None
    named = {role: name for role, name in given.items() if isinstance(name, str) and name}
    refused = {role for role, name in given.items() if name is False or name == ""}
    _refuse_unknown(sheet, named)
    taken = set(named.values())
    fitting: dict[str, list[str]] = {
        role: [] for role in ALIASES if role not in named and role not in refused
    }
    for column in sheet.columns:
        if column not in taken:
            for role in ROLES_OF.get(_alias(column), ()):
                if role in fitting:
                    fitting[role].append(column)
    kind = kind or _kind(named, fitting)
    if kind is None:
        return None
    return _choose(sheet, kind, named, fitting)


def refuse_other_types(sheet: Sheet, given: Mapping[str, Any]) -> None:
    """Raise an error for a column that is given by anything but its name."""
    for role, name in given.items():
        if name is not None and name is not False and not isinstance(name, str):
            example = next((c for c in sheet.columns if c == str(name)), "")
            raise ArgumentTypeError(
                f"{role}={name!r}: give the name of the column as text"
                f"{f', {role}={example!r}' if example else ''}, or False to ignore a column that "
                f"would be detected. Columns found: {quoted(sheet.columns)}."
            )


def fits(label: str, aliases: tuple[str, ...]) -> bool:
    """Whether a column label is one of the aliases of a role."""
    return _alias(label) in aliases


def _alias(label: str) -> str:
    """A label as it is compared with the aliases; duplicates have their position appended."""
    return plain_label(label.split(" (column ")[0])


def _refuse_unknown(sheet: Sheet, named: dict[str, str]) -> None:
    problems = []
    for role, name in named.items():
        if name not in sheet.columns:
            twins = [c for c in sheet.columns if c.startswith(f"{name} (column ")]
            if twins:
                problems.append(
                    f'{sheet.name}: {len(twins)} columns are called "{name}". Rename one of them '
                    f"in the file, or specify one by its position: {quoted(twins)}."
                )
            else:
                problems.append(
                    f'{sheet.name} has no column "{name}", given as {_flag(role)}. '
                    f"Columns found: {quoted(sheet.columns)}."
                )
    for name, number in Counter(named.values()).items():
        roles = [_flag(role) for role in named if named[role] == name]
        if number > 1:
            problems.append(
                f'Column "{name}" is given for {listed(roles)}. Give a different column for each.'
            )
    if problems:
        raise DataError(*problems)


def _kind(named: dict[str, str], fitting: dict[str, list[str]]) -> str | None:
    """The kind of data whose required columns are all given or found; given ones decide first."""
    for kind in ("events", "games", "votes"):
        own = set(NEEDED[kind]) & set(named)
        if own and all(role in named or fitting.get(role) for role in NEEDED[kind]):
            return kind
    for kind in ("events", "games", "votes"):
        if any(role in named for role in NEEDED[kind]):
            return kind
    for kind in ("events", "games", "votes"):
        if all(fitting.get(role) for role in NEEDED[kind]):
            return kind
    return None


def _choose(
    sheet: Sheet, kind: str, named: dict[str, str], fitting: dict[str, list[str]]
) -> Columns:
    chosen = {role: name for role, name in named.items() if role in NEEDED[kind] + USABLE[kind]}
    misplaced = sorted(set(named) - set(chosen))
    if misplaced:
        raise ArgumentError(
            f"{listed([_flag(role).rstrip('=') for role in misplaced])} cannot be used with "
            f"{option('kind', kind)}, which takes the columns "
            f"{listed(NEEDED[kind] + USABLE[kind])}."
        )
    problems, notes = _split_dates(sheet, chosen, fitting), []
    for role in NEEDED[kind] + USABLE[kind]:
        found = [c for c in fitting.get(role, []) if c not in chosen.values()]
        if role in chosen or (not found and role not in NEEDED[kind]):
            continue
        if len(found) == 1:
            chosen[role] = found[0]
        elif not found:
            problems.append(
                f"{sheet.name}: no column was found for {role}. Columns found: "
                f"{quoted(sheet.columns)}. Specify the column with {_flag(role)}."
            )
        elif role in LABELS:
            notes.append(
                f"Several columns match {role}: {quoted(found)}. None was used; choose one with "
                f"{_flag(role)}."
            )
        else:
            problems.append(
                f"{sheet.name}: several columns match {role}: {quoted(found)}. "
                f"Choose one with {_flag(role)}."
            )
    if problems:
        raise DataError(*problems)
    return Columns(kind, chosen, notes)


def _split_dates(sheet: Sheet, chosen: dict[str, str], fitting: dict[str, list[str]]) -> list[str]:
    """Use a year only if there is no other date; report dates split into day, month and year."""
    found = fitting.get("date", [])
    fitting["date"] = [c for c in found if plain_label(c) != "year"] or found
    parts = [c for c in sheet.columns if plain_label(c) in ("day", "month", "year")]
    if "date" in chosen or len(parts) < 2 or [plain_label(c) for c in fitting["date"]] != ["day"]:
        return []
    return [
        f"{sheet.name}: the date appears to be split over columns {quoted(parts)}. Combine them in "
        f"one column, such as 2009-05-28, or use {option('date', '')} to ignore dates."
    ]


def names_sides(sheet: Sheet) -> bool:
    """Whether columns have the names of the two sides of contests, so this is not a matrix."""
    pairs = (("winner", "loser"), ("home", "away"))
    found = {role: any(fits(c, ALIASES[role]) for c in sheet.columns) for p in pairs for role in p}
    return any(found[one] and found[other] for one, other in pairs)


def not_understood(sheet: Sheet) -> DataError:
    """The error for a table whose kind is not recognized."""
    sides = {kind: listed([_flag(role) for role in roles]) for kind, roles in NEEDED.items()}
    return DataError(
        f"{sheet.name}: the kind of data was not recognized. Columns found: "
        f"{quoted(sheet.columns)}. Specify the columns: {sides['events']} for a list of contests, "
        f"{sides['games']} for games, or {sides['votes']} for votes. For a square table of wins "
        f"(winners in rows), use {option('kind', 'matrix')}. If the column names are not in the "
        f"first row, give their row with {option('header')}. {' '.join(sheet.notes)}".rstrip()
    )

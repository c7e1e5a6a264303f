"""The recipe by which a sheet is read, and the doubts that it leaves.

A `Recipe` is complete: every column has a role or a reason for not being used, and whatever is left
out, renamed or reversed is written down. It is a TOML file, to be read again next year. A `Doubt`
is something that is decided only provisionally: what was noticed, the evidence, and the choices.
Each choice is an edit of the recipe, which is also an argument of `peckorder.read`.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

from peckorder.errors import ArgumentError, ArgumentTypeError, MissingFileError
from peckorder.text import either, listed, option

Severity = Literal["refuse", "ask", "note"]
SEVERITIES: tuple[Severity, ...] = ("refuse", "ask", "note")
# Roles that are arguments of `read`: the name of the column is their value.
ROLES = (
    *("winner", "loser", "date", "time", "tie", "context", "group", "season", "count"),
    *("winner_points", "loser_points", "home", "away", "home_points", "away_points", "neutral"),
    *("a", "b", "outcome", "a_points", "b_points", "contest", "other"),
)
UNUSED = "unused"
BEHAVIOR = "behavior"  # a context whose values decide who wins
KINDS = ("events", "matrix", "games", "votes", "dyads", "focal", "arrows")
COLUMNS_WON = "matrix: columns won"
ROWS_WON = "matrix: rows won"
SIDES = ("actor", "receiver", "drop")
# Roles that are no argument of `read`.
FURTHER = (BEHAVIOR, "order", "filter", "actor", "part of another column", UNUSED)
# Arguments that are lists of names or of columns.
LISTS = (
    *("ignore", "order", "unused", "leave_out", "accept"),
    *("winner_behaviors", "loser_behaviors"),
)
MAPPINGS = ("names", "outcomes", "cells")


@dataclass(frozen=True)
class Choice:
    """One way to decide a doubt: what a user reads, and the edits of the recipe by dotted key.

    >>> choice = Choice("use cage as group", {"columns.cage": "group"})
    >>> choice.arguments(), choice.words()
    ({'group': 'cage'}, 'group="cage"')
    """

    label: str
    edits: Mapping[str, Any] = field(default_factory=dict)
    detail: str = ""  # what follows from it
    likely: bool = False  # whether it can be made unless somebody knows better

    def arguments(self) -> dict[str, Any]:
        """The arguments of `read` that make this choice."""
        found = Recipe().edited(self.edits).arguments()
        return {n: v for n, v in found.items() if n != "kind" or "winners" not in found}

    def words(self) -> str:
        """The same as it is typed: in Python, or as flags at the shell."""
        return typed(self.arguments())

    def lines(self) -> str:
        """The same as lines of a recipe."""
        return Recipe().edited(self.edits).to_toml().strip()


@dataclass(frozen=True)
class Doubt:
    """What was noticed, where, the evidence in one sentence, and what may be done."""

    # group, direction, order, date, date part, count, filter, name, header, total, twins, new
    kind: str
    where: str  # the column, name or row concerned
    evidence: str  # why this is doubtful, with numbers
    choices: tuple[Choice, ...] = ()  # what can be decided, the most probable first
    rows: tuple[int | str, ...] = ()  # rows of the source
    # "refuse" (no contests until decided), "ask" (read provisionally) or "note"
    severity: Severity = "ask"

    def __str__(self) -> str:
        return f"{self.where}: {self.evidence}"

    def decide(self) -> str:
        """The choices as a sentence: what to type for each."""
        ways = [f"{choice.words()} ({choice.label})" for choice in self.choices if choice.edits]
        return f"Decide with {listed(ways, 'or')}." if ways else ""

    def to_dict(self) -> dict[str, Any]:
        """The doubt as plain values, each choice with its edits and arguments."""
        choices = [
            {
                "label": choice.label,
                "edits": dict(choice.edits),
                "arguments": choice.arguments(),
                "type": choice.words(),
            }
            for choice in self.choices
        ]
        return {**{name: getattr(self, name) for name in _PLAIN}, "choices": choices}


_PLAIN = ("kind", "where", "severity", "evidence", "rows")


@dataclass(frozen=True)
class Recipe:
    """How a sheet is read, so that reading it again needs nothing else.

    Attributes
    ----------
    source : path of the sheet for which the recipe was made
    sheet : sheet of a workbook, table of a database or object of an R file
    sha256 : of the file, to tell whether it has changed
    header : row of the column names, from 1, or two rows as "3-4"; 0 if unknown
    shape : "events", "games", "votes", "dyads", "focal", "arrows", "log", "matrix: rows won" or
        "matrix: columns won"
    date_format : such as "%d.%m.%Y"
    order : columns by which contests of equal date are ordered
    where : condition on columns; other rows are not contests
    ignore : names whose contests are left out
    left_out : rows that are left out, each with `rows` and `why`
    known : names of the individuals, to tell which are new in another sheet
    decided : what was decided, as "kind, where: choice"
    columns : every column with its role, or with "unused: why"
    names : other spellings, each with the correct name
    outcomes : words for outcomes, each "first", "second", "tie" or "drop"
    cells : corrected cells by row and column, such as "5 date"
    behaviors : behaviors, each with who wins ("actor" or "receiver") or "drop"
    rules : all other arguments of `read`, such as missing or polyadic

    Examples
    --------
    >>> import peckorder as po
    >>> data = po.read({"winner": ["Abe", "Bo"], "loser": ["Bo", "Cy"], "Q": ["x", "x"]})
    >>> print(data.recipe.to_toml(), end="")
    source = "the mapping"
    shape = "events"
    known = ["Abe", "Bo", "Cy"]
    <BLANKLINE>
    [columns]
    "winner" = "winner"
    "loser" = "loser"
    "Q" = "unused: always x"
    """

    source: str = ""
    sheet: Any = ""
    sha256: str = ""
    header: Any = 0
    shape: str = ""
    date_format: str = ""
    order: list[str] = field(default_factory=list)
    where: str = ""
    ignore: list[str] = field(default_factory=list)
    left_out: list[dict[str, Any]] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    decided: list[str] = field(default_factory=list)
    columns: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    outcomes: dict[str, str] = field(default_factory=dict)
    cells: dict[str, str] = field(default_factory=dict)
    behaviors: dict[str, str] = field(default_factory=dict)
    rules: dict[str, Any] = field(default_factory=dict)

    def to_toml(self) -> str:
        """The recipe as the text of a TOML file, to be edited."""
        plain, tables = [], []
        for name, value in vars(self).items():
            if isinstance(value, dict) and value:
                lines = (f"{_toml(key)} = {_toml(one)}" for key, one in value.items())
                tables.append(f"\n[{name}]\n" + "\n".join(lines))
            elif value not in ("", 0, [], {}):
                plain.append(f"{name} = {_toml(value)}")
        return "\n".join([*plain, *tables]).lstrip("\n") + "\n"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the recipe to a TOML file, to be given to `read` as `recipe=`."""
        from peckorder.tables import check_target, write_whole

        check_target(str(path))
        write_whole((str(path), self.to_toml().encode()))

    @classmethod
    def from_toml(cls, text: str, source: str = "The recipe") -> Recipe:
        """The recipe in the text of a TOML file; arguments of `read` are taken as shortcuts."""
        try:
            found = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise ArgumentError(f"{source} is not valid TOML: {error}.") from None
        own = {one.name: one for one in fields(cls)}
        wrong = [n for n, v in found.items() if n in own and not _fits(getattr(cls(), n), v)]
        unknown = [n for n in found if n not in own and n not in _reading()]
        if wrong or unknown:
            near = get_close_matches(unknown[0], [*own, *_reading()], 1) if unknown else []
            hint = f" Did you mean {near[0]}?" if near else ""
            raise ArgumentError(
                f"{source}: {listed(wrong or unknown)} cannot be used in a recipe.{hint} A recipe "
                f"has the fields {listed([*own])}, and arguments of peckorder.read."
            )
        for name, allowed in (("columns", (*ROLES, *FURTHER)), ("behaviors", SIDES)):
            for one, role in found.get(name, {}).items():
                if str(role).partition(":")[0] not in allowed:
                    raise ArgumentError(
                        f'{source}: "{role}" is not possible for "{one}" in {name}. Choose from '
                        f"{listed(allowed, 'or')}."
                    )
        recipe = cls(**{name: value for name, value in found.items() if name in own})
        return recipe.with_arguments({n: v for n, v in found.items() if n not in own})

    @classmethod
    def of(cls, source: Recipe | str | os.PathLike[str] | Mapping[str, Any] | None) -> Recipe:
        """A recipe, or that in a file or a mapping."""
        if source is None:
            return cls()
        if isinstance(source, Recipe):
            return source
        if isinstance(source, Mapping):
            return cls.from_toml(
                "\n".join(f"{_key(name)} = {_toml(value)}" for name, value in source.items())
            )
        if not isinstance(source, str | os.PathLike):
            raise ArgumentTypeError(
                f"recipe={source!r}: give a Recipe, its TOML file or a mapping of its fields."
            )
        try:
            return cls.from_toml(Path(source).read_text(encoding="utf-8"), str(source))
        except FileNotFoundError:
            raise MissingFileError.of(source) from None
        except (OSError, UnicodeDecodeError) as error:
            raise ArgumentError(f"The recipe {source} cannot be read ({error}).") from None

    def edited(self, edits: Mapping[str, Any]) -> Recipe:
        """The recipe after edits by dotted key, such as {"columns.cage": "group"}."""
        changes: dict[str, Any] = {}
        for key, value in edits.items():
            name, _, inner = key.partition(".")
            old = changes.get(name, getattr(self, name))
            if name == "where" and old and value:
                changes[name] = f"({old}) and ({value})"
            elif isinstance(old, dict):
                changes[name] = {**old, inner: value}
            elif isinstance(old, list):
                changes[name] = [*old, *(one for one in value if one not in old)]
            else:
                changes[name] = value
        return replace(self, **changes)

    def decide(self, doubt: Doubt, choice: Choice | int) -> Recipe:
        """The recipe after one choice, which is written down."""
        chosen = doubt.choices[choice] if isinstance(choice, int) else choice
        done = f"{doubt.kind}, {doubt.where}: {chosen.label}"
        edited = self.edited(chosen.edits)
        return replace(edited, decided=[*self.decided, done])

    def arguments(self) -> dict[str, Any]:
        """The arguments of `read` that this recipe stands for."""
        found: dict[str, Any] = {}
        for column, role in self.columns.items():
            if role.partition(":")[0] == UNUSED:
                if role.endswith("?"):  # a doubt that nobody has decided
                    continue
                found.setdefault("unused", []).append(column)
            elif role == BEHAVIOR:
                found["context"] = column
            elif role in ROLES:
                found[role] = column
        if list(self.columns.values()).count("contest") > 1:
            del found["contest"]  # found by their cells
        kind = self.shape.partition(":")[0]
        if kind in KINDS:
            found["kind"] = kind
        if self.shape == COLUMNS_WON:
            found["winners"] = "columns"
        elif self.shape == ROWS_WON:
            found["winners"] = "rows"
        if ordering := [c for c, r in self.columns.items() if r == "order" and c not in self.order]:
            found["order"] = [*self.order, *ordering]
        for name in ("sheet", "header", "date_format", "order", "where", "ignore"):
            if name in found:
                continue
            if value := getattr(self, name):
                found[name] = value
        for name in MAPPINGS:
            if getattr(self, name):
                found[name] = dict(getattr(self, name))
        for name, side in (("winner_behaviors", "actor"), ("loser_behaviors", "receiver")):
            if chosen := [one for one, wins in self.behaviors.items() if wins == side]:
                found[name] = chosen
        if rows := [row for item in self.left_out for row in item["rows"]]:
            found["leave_out"] = rows
        return found | self.rules

    def with_arguments(self, given: Mapping[str, Any]) -> Recipe:
        """The recipe with arguments of `read`, which are shortcuts for its fields."""
        columns, behaviors = dict(self.columns), dict(self.behaviors)
        changes: dict[str, Any] = {}
        rules = dict(self.rules)
        for name, value in given.items():
            if name in ROLES and isinstance(value, str) and value:
                columns = {c: r for c, r in columns.items() if r != name} | {value: name}
            elif name == "unused":
                settled = {c for c, r in columns.items() if r.startswith(UNUSED) and r[-1] != "?"}
                new = [column for column in listing(value) if column not in settled]
                columns |= dict.fromkeys(new, f"{UNUSED}: not wanted")
            elif name == "kind":
                same = self.shape.partition(":")[0] == value  # a matrix with its direction
                changes["shape"] = self.shape if same else value
            elif name == "winners":
                changes["shape"] = f"matrix: {value} won"
            elif name in ("winner_behaviors", "loser_behaviors"):
                side = "actor" if name.startswith("winner") else "receiver"
                behaviors = {b: s for b, s in behaviors.items() if s != side}
                behaviors |= dict.fromkeys(listing(value), side)
            elif name == "leave_out":
                changes["left_out"] = [{"rows": listing(value), "why": "given"}]
            elif name in MAPPINGS and isinstance(value, Mapping):
                changes[name] = {str(one): str(other) for one, other in value.items()}
            elif name in ("sheet", "header", "date_format", "where"):
                changes[name] = value
            elif name in ("order", "ignore"):
                changes[name] = listing(value)
            else:
                rules[name] = value
        changes |= {"columns": columns, "behaviors": behaviors, "rules": rules}
        return replace(self, **changes)


def listing(value: Any) -> list[Any]:
    """One value or several, as a list.

    >>> listing("a"), listing(("a", "b")), listing(None)
    (['a'], ['a', 'b'], [])
    """
    if value is None or value is False:
        return []
    if isinstance(value, str) or not isinstance(value, Iterable):
        return [value]
    return list(value)


def typed(arguments: Mapping[str, Any]) -> str:
    """Arguments of `read` as they are typed: in Python, or as flags at the shell.

    >>> typed({"names": {"Bella*": "Bella"}, "ignore": ["unknown"]})
    'names={"Bella*": "Bella"}, ignore="unknown"'
    """
    python = ", ".join(f"{name}={_python(value)}" for name, value in arguments.items())
    return either(python, " ".join(f for n, v in arguments.items() for f in _flags(n, v)))


def _flags(name: str, value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return [_flag(name, f"{one}={other}") for one, other in value.items()]
    return [_flag(name, str(one)) for one in (listing(value) if name in LISTS else [value])]


def _flag(name: str, value: str) -> str:
    # The flag --accept makes choices by number; the argument silences doubts.
    if name == "accept" or option(name).startswith("--read"):
        return f"--read {shlex.quote(f'{name}={value}')}"
    return f"{option(name).split()[0]} {shlex.quote(value)}"


def _python(value: Any) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str) and len(value) == 1:
        value = value[0]
    if isinstance(value, str) and '"' in value and "'" not in value and "\\" not in value:
        return f"'{value}'"
    return json.dumps(value, ensure_ascii=False)


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(k)} = {_toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    # A string of JSON is one of TOML, except for DEL and surrogates.
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(key: Any) -> str:
    return str(key) if re.fullmatch(r"[A-Za-z0-9_-]+", str(key)) else _toml(key)


def _fits(usual: Any, value: Any) -> bool:
    """Whether a value has the type of a field, of which 0 may be any."""
    if isinstance(usual, dict | list):
        return isinstance(value, type(usual))
    return isinstance(value, str | int | list) and not isinstance(value, bool)


def _reading() -> tuple[str, ...]:
    """The arguments of `read`."""
    import inspect

    from peckorder.data.read import read

    return tuple(n for n in inspect.signature(read).parameters if n not in ("source", "recipe"))

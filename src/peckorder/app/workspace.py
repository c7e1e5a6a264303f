"""Workspaces: record, reading, settings and results of one page, with undo.

Each level invalidates what follows: another reading gives other contests, other settings other
ratings. Every change has a number (`rev`); a change that was made on an older state is refused, so
that two windows of one workspace do not overwrite each other.
"""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from peckorder.app import explore
from peckorder.app.code import code_of
from peckorder.app.doubts import DECIDED, OPEN, WRONG, Card, cards_of, doubtful
from peckorder.app.errors import Refused
from peckorder.app.reading import ROLES, Reading, decided_with, read_record
from peckorder.app.security import Limits
from peckorder.app.settings import Settings
from peckorder.app.table import Table, table_of
from peckorder.app.uploads import Keep, Record, Sheets, keeper
from peckorder.data.headings import roles_of

KEPT_READINGS = 6
KEPT_PICTURES = 8
KEPT_FIGURES = 24  # as they are saved
KEPT_PARTS = 24  # of pictures, which do not depend on k
LONGEST_LABEL = 200


@dataclass(frozen=True)
class State:
    """What can be undone."""

    decided: dict[str, Any]
    settings: Settings
    presence: Path | None = None


@dataclass(frozen=True, eq=False)
class Seen:
    """A reading with its table and its cards."""

    reading: Reading
    table: Table
    cards: list[Card]


@dataclass(eq=False)
class Workspace:
    """One workspace; all changes are made under its lock."""

    id: str
    record: Record
    limits: Limits
    state: State = field(default_factory=lambda: State({}, Settings()))
    rev: int = 0
    past: list[tuple[str, State]] = field(default_factory=list)
    future: list[tuple[str, State]] = field(default_factory=list)
    results: OrderedDict[str, dict[str, Any]] = field(default_factory=OrderedDict)
    used: float = field(default_factory=time.monotonic)
    lock: threading.RLock = field(default_factory=threading.RLock)
    readings: Keep = field(default_factory=lambda: keeper(KEPT_READINGS))
    pictures: Keep = field(default_factory=lambda: keeper(KEPT_PICTURES))
    parts: Keep = field(default_factory=lambda: keeper(KEPT_PARTS))
    figures: Keep = field(default_factory=lambda: keeper(KEPT_FIGURES))
    sheets: Sheets = field(init=False)

    def __post_init__(self) -> None:
        self.sheets = Sheets(self.record)

    # -- what is known -----------------------------------------------------------------------

    @property
    def seen(self) -> Seen:
        """The present reading, its table and its cards."""
        state = self.state
        key = json.dumps(state.decided, sort_keys=True), str(state.presence)
        groups = state.settings.groups

        def make() -> tuple[Reading, Table]:
            reading = read_record(self.record, state.decided, state.presence, self.sheets)
            return reading, table_of(reading, self.parts)

        reading, table = self.readings(key, make)
        return self.readings(
            (*key, groups), lambda: Seen(reading, table, cards_of(reading, table, groups))
        )

    @property
    def key(self) -> str:
        """What a result depends on: the contests, and the settings of ratings."""
        data = self.seen.reading.data
        settings = self.state.settings.to_dict()
        about = {name: settings[name] for name in sorted(settings) if name != "groups"}
        return json.dumps([None if data is None else data.hash, about])

    def contests(self, settings: Settings | None = None) -> tuple[Any, str | None]:
        """The contests of the chosen group, and its name."""
        data = self.seen.reading.data
        if data is None:
            raise Refused(409, "There are no contests yet: the sheet cannot be read.", rev=self.rev)
        return explore.contests_of(data, settings or self.state.settings)

    def order(self, contests: Any, group: str | None) -> list[str]:
        """Names in the order that fixes their colors."""
        key = ("order", contests.hash, group)
        return self.parts(key, lambda: explore.first_order(contests))

    def undecided(self) -> int:
        """Number of rows that are left out, or not dated, although nobody has decided."""
        seen = self.seen
        open_ones = [one for one in seen.reading.doubts if one.severity == "refuse"]
        added = seen.reading.provisional
        if {"date", "time"} & set(added) and seen.reading.data is not None:
            return seen.table.height
        return len({row for doubt in open_ones if added for row in doubt.rows})

    def described(self, label: str | None = None) -> dict[str, Any]:
        """The state as the page knows it."""
        seen = self.seen
        data, states = seen.reading.data, [card.state for card in seen.cards]
        return {
            "workspace": self.id,
            "rev": self.rev,
            "label": label,
            "record": self.record.described(),
            "reading": self._reading(seen),
            "contests": 0 if data is None else len(data),
            "individuals": 0 if data is None else len(data.individuals),
            "groups": [] if data is None or data.group is None else list(data.group.names),
            "span": None if data is None else explore.span(data),
            "dated": data is not None and data.date is not None and data.date.dtype.kind == "M",
            "ordered": data is not None and data.ordered,
            "home": data is not None and data.home is not None,
            "presence": data is not None and data.presence is not None,
            "hash": None if data is None else data.hash,
            "undecided": self.undecided(),
            "doubtful": doubtful(seen.cards, seen.reading, seen.table),
            "open": sum(state in (WRONG, OPEN) for state in states),
            "decided": states.count(DECIDED),
            "checks": [card.to_dict() for card in seen.cards],
            "settings": self.state.settings.to_dict(),
            "code": self.code("check"),
            "undo": self.past[-1][0] if self.past else None,
            "redo": self.future[-1][0] if self.future else None,
        }

    def _reading(self, seen: Seen) -> dict[str, Any]:
        reading, table = seen.reading, seen.table
        report = None if reading.data is None else reading.data.report
        used = {} if report is None else {name: role for role, name in report.columns.items()}
        decided = reading.decided
        roles = {decided[role]: role for role in ROLES if decided.get(role)} | used
        return {
            "kind": None if report is None else report.kind,
            "options": reading.decided,
            "provisional": reading.provisional,
            "failure": reading.failure,
            "recipe": reading.recipe.to_toml(),
            "first_row": table.first_row,
            "height": table.height,
            "row_word": table.row_word,
            "columns": [
                {"name": name, "role": roles.get(name, "")}
                | sureness(name, roles.get(name, ""), table, decided)
                for name in table.columns
            ],
            "sheet": _sheet(reading),
            "header": table.first_row - 1 if table.first_row > 0 and table.columns else None,
            "roles": [["", "unused"], *([role, label] for role, label in ROLES.items())],
            "left": {why: len(places) for why, places in table.reasons.items()},
        }

    def code(self, verb: str) -> dict[str, str]:
        """The shell line and the Python lines of the present state."""
        reading, settings = self.seen.reading, self.state.settings
        if reading.data is None:
            return code_of(reading, settings, "check")
        contests, group = self.contests()
        return code_of(reading, settings, verb, contests, group)

    # -- changes -----------------------------------------------------------------------------

    def refuse_older(self, rev: Any) -> None:
        """Refuse a change that was made on an older state."""
        if rev != self.rev:
            raise Refused(409, "The workspace has changed meanwhile.", rev=self.rev)

    def change(self, state: State, label: str) -> None:
        """Take over a new state, which can be undone."""
        self.past.append((label[:LONGEST_LABEL], self.state))
        del self.past[: -self.limits.undo]
        self.future.clear()
        self.state = state
        self.rev += 1

    def decide(self, changes: Mapping[str, Any], label: str) -> None:
        """Change decisions: arguments of `read`, or None to take one back."""
        settings, rest = self.state.settings, dict(changes)
        if "groups" in rest:
            settings = settings.with_changes({"groups": rest.pop("groups")})
        decided = decided_with(self.state.decided, rest)
        self.change(State(decided, settings, self.state.presence), label)

    def give_role(self, column: str, role: str, label: str) -> None:
        """Give a column a role, as by the menu above it."""
        seen = self.seen
        if column not in seen.table.columns or role not in ("", *ROLES):
            raise Refused(400, "There is no such column or role.")
        data = seen.reading.data
        used = {} if data is None else dict(data.report.columns)
        changes: dict[str, Any] = {}
        for old, name in {
            **used,
            **{r: v for r, v in self.state.decided.items() if r in ROLES},
        }.items():
            if name == column and old != role and old in ROLES:
                changes[old] = ""
        if role:
            changes[role] = column
            changes |= _rivals(role, used, self.state.decided)
        self.decide(changes, label)

    def step(self, back: bool) -> str:
        """Undo or redo one step; returns its label."""
        source, target = (self.past, self.future) if back else (self.future, self.past)
        if not source:
            raise Refused(409, f"There is nothing to {'undo' if back else 'redo'}.", rev=self.rev)
        label, state = source.pop()
        target.append((label, self.state))
        self.state = state
        self.rev += 1
        return label


def _rivals(role: str, used: Mapping[str, str], decided: Mapping[str, Any]) -> dict[str, Any]:
    """Roles that must go when a role is given by hand: winner and loser exclude two sides."""
    pairs = {"winner": ("a", "b", "outcome"), "loser": ("a", "b", "outcome")}
    pairs |= dict.fromkeys(("a", "b", "outcome"), ("winner", "loser"))
    return {
        rival: None
        for rival in pairs.get(role, ())
        if decided.get(rival) not in (None, "") and rival not in used
    }


def sureness(name: str, role: str, table: Table, decided: Mapping[str, Any]) -> dict[str, Any]:
    """How sure the role of a column is, from 0 to 3, and why."""
    if role and decided.get(role) == name:
        return {"sure": 3, "why": "Chosen by hand.", "given": True}
    known = roles_of(name, table.columns)
    if role and role in known:
        return {"sure": 3, "why": f'The heading "{name}" is usual for this role.', "given": False}
    if role:
        return {"sure": 2, "why": "Found by its heading and its cells.", "given": False}
    cells = table.cells.to_series(table.columns.index(name))
    if len(cells) and int((cells == "").sum()) > len(cells) / 2:
        return {"sure": 0, "why": "Mostly blank; not used.", "given": False}
    why = "Not used: another column has the role." if known else "Not used: unknown heading."
    return {"sure": 1 if known else 0, "why": why, "given": False}


def _sheet(reading: Reading) -> str | None:
    """The sheet of a workbook that was read, or * for several that are joined."""
    if reading.data is None:
        chosen = reading.options.get("sheet")
        return chosen if isinstance(chosen, str) else None
    if reading.data.report.files is not None and reading.record.is_workbook:
        return "*"
    _, sign, label = reading.data.report.source.partition(", sheet ")
    return label if sign else None


class Workspaces:
    """All workspaces of a server, of which only so many are kept."""

    def __init__(
        self,
        folder: Path,
        limits: Limits,
        busy: Callable[[str], bool] = lambda _: False,
        dropped: Callable[[str], None] = lambda _: None,
    ):
        self.folder, self.limits = folder, limits
        self.known: dict[str, Workspace] = {}
        self.first: str | None = None  # opened from the command line
        self.lock = threading.Lock()
        self.busy, self.dropped = busy, dropped

    def create(self, store: Callable[[Path], Record], name: str | None = None) -> Workspace:
        """A new workspace; the one that was idle longest makes room if there are too many.

        The record is stored under the lock, so that its file is not removed with another one.
        """
        with self.lock:
            while self._full():
                self._make_room()
            made = Workspace(name or secrets.token_hex(16), store(self.folder), self.limits)
            self.known[made.id] = made
        return made

    def close(self, name: str) -> None:
        """Forget a workspace, and its file."""
        with self.lock:
            if name in self.known:
                self._drop(self.known[name])

    def _full(self) -> bool:
        stored = sum(space.record.size for space in self.known.values())
        return len(self.known) >= self.limits.workspaces or stored > self.limits.stored

    def _make_room(self) -> None:
        now = time.monotonic()
        idle = [
            space
            for space in self.known.values()
            if now - space.used > self.limits.idle and not self.busy(space.id)
        ]
        if not idle:
            raise Refused(429, "Too many workspaces are in use. Try again in a moment.")
        oldest = min(idle, key=lambda space: space.used)
        self._drop(oldest)

    def _drop(self, space: Workspace) -> None:
        """Forget a workspace, and its file if no other one uses it."""
        del self.known[space.id]
        self.dropped(space.id)
        if not any(other.record.path == space.record.path for other in self.known.values()):
            space.record.path.unlink(missing_ok=True)

    def __getitem__(self, name: str) -> Workspace:
        found = self.known.get(name)
        if found is None:
            raise Refused(404, "This workspace is no longer open. Open the data again.")
        found.used = time.monotonic()
        return found

"""Opened sheets of a record, kept so that a decision does not read the file again.

Opening a file is most of the work of reading it, and nearly all decisions (names, dates, rows left
out) are about cells that stay the same. Which cells there are depends on few arguments only: those
of the file (sheet, header, separator, encoding) and the columns by which the header is searched.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from peckorder.app.kept import Kept
from peckorder.app.record import Record
from peckorder.data.presence_tables import read_presence
from peckorder.errors import PeckorderError
from peckorder.sources.columns import STATING
from peckorder.sources.headers import Wanted, wanted_columns
from peckorder.sources.sheet import Sheet
from peckorder.sources.source import open_sheet

LAYOUT = ("sheet", "separator", "encoding", "header")
KEPT_SHEETS, MOST_SHEETS = 3, 24
LARGE = 20 << 20  # bytes of a file of which one sheet is kept only


class Sheets:
    """The sheets of one record that were opened last."""

    def __init__(self, record: Record):
        self.record, self.known = record, Kept(KEPT_SHEETS if record.size <= LARGE else 1)
        self.stays: dict[tuple[str, str | None], dict[str, int]] = {}

    def open(self, options: Mapping[str, Any], roles: Iterable[str]) -> Sheet:
        """The sheet that these arguments of `read` open; a copy, whose notes may be added to.

        `roles` are the arguments that name columns.
        """
        layout, wanted = _layout(options), _wanted(options, roles)
        sheet = self.known.get_or_make(
            key_of(options, roles),
            lambda: open_sheet(str(self.record.path), **layout, wanted=wanted),
        )
        return replace(sheet, notes=list(sheet.notes))

    def of_presence(self, date_format: str | None) -> dict[str, int]:
        """Sheets of the workbook that can be read as presence, with the number of individuals."""
        key = ("presence", date_format)
        if key not in self.stays:
            self.stays[key] = dict(_stays(self.record, date_format))
        return self.stays[key]


def _stays(record: Record, date_format: str | None) -> Iterator[tuple[str, int]]:
    labels = [] if record.size > LARGE else record.described()["sheets"]
    for label in labels[:MOST_SHEETS] if len(labels) > 1 else ():
        with contextlib.suppress(PeckorderError, OSError):
            found = read_presence(str(record.path), sheet=label, date_format=date_format)
            yield label, len(set(found.individual))


def _layout(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: options[name] for name in LAYOUT if options.get(name) is not None}


def _wanted(options: Mapping[str, Any], roles: Iterable[str]) -> Wanted:
    return wanted_columns({role: options.get(role) for role in roles}, options.get("kind"))


def key_of(options: Mapping[str, Any], roles: Iterable[str]) -> str:
    """What decides which cells there are.

    A header is found by the columns that state who won, and by whether any column was named: a
    square table is looked for only if none was.

    >>> key_of({"date": "Day"}, ["date"]) == key_of({"time": "Hour", "ignore": ["?"]}, ["time"])
    True
    >>> key_of({"winner": "A"}, ["winner"]) == key_of({"winner": "B"}, ["winner"])
    False
    """
    layout, wanted = _layout(options), _wanted(options, roles)
    named = {role: name for role, name in wanted.named.items() if role in STATING}
    refused = sorted(wanted.refused & STATING)
    found = [layout, named, bool(wanted.named), refused, wanted.kind]
    return json.dumps(found, sort_keys=True)

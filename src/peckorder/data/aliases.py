"""Aliases: other spellings of a name, which are joined on request only.

`names=` is a mapping from a spelling to the correct name, or a sheet with a column of spellings and
a column of correct names. Every spelling stands for one name, and a correct name is not itself a
spelling of another, so that the order of the rows does not matter.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Set
from dataclasses import replace
from typing import Any

import numpy as np

from peckorder.data.headings import fits, words
from peckorder.data.import_report import IDLE, JOINED, NOT_IGNORED
from peckorder.data.names import text_of
from peckorder.data.sheet import Sheet
from peckorder.data.sources import open_sheet
from peckorder.errors import ArgumentError, DataError
from peckorder.text import counted, option_name, quoted
from peckorder.validate import several

SPELLINGS = words("alias spelling spelled variant synonym from old old_name")
CORRECT = words("correct_name correct individual id standard_name true_name to new new_name")
EITHER = ("name",)  # a spelling next to "individual", a correct name next to "alias"


def read_aliases(source: Any) -> dict[str, str]:
    """The correct name of every spelling, from a mapping, a table or a file.

    >>> read_aliases({"abby": "Abby", "ABBY": "Abby"})
    {'abby': 'Abby', 'ABBY': 'Abby'}
    >>> read_aliases({"alias": ["abby", "Bo "], "name": ["Abby", "Bob"]})
    {'abby': 'Abby', 'Bo': 'Bob'}
    >>> read_aliases({"a": "b", "b": "c"})
    Traceback (most recent call last):
    ...
    peckorder.errors.DataError: names: "b" is a correct name (of "a") and an alias (of "c"). Give \
the final name for both.
    """
    if source is None:
        return {}
    if _maps_names(source):
        pairs = [(str(one).strip(), str(other).strip()) for one, other in source.items()]
        if any(not one or not other for one, other in pairs):
            raise DataError(f"{option_name('names')}: an alias or a name is empty. Give both.")
        return _checked(option_name("names"), pairs)
    sheet = open_sheet(source)
    spelled, correct = _columns(sheet)
    pairs = list(zip(sheet.texts(spelled), sheet.texts(correct), strict=True))
    half = [place for place, (one, other) in enumerate(pairs) if bool(one) != bool(other)]
    if half:
        raise DataError(
            f"{sheet.name}: {sheet.where(np.array(half))}: an alias needs a correct name. Enter "
            f"both, or remove the {'row' if len(half) == 1 else 'rows'}."
        )
    return _checked(sheet.name, [pair for pair in pairs if all(pair)])


def _maps_names(source: Any) -> bool:
    """Whether this is a mapping from names to names, not from labels to columns."""
    return isinstance(source, Mapping) and all(isinstance(v, str | int) for v in source.values())


def _columns(sheet: Sheet) -> tuple[str, str]:
    """The columns of spellings and of correct names."""
    spelled = [c for c in sheet.columns if fits(c, SPELLINGS)]
    correct = [c for c in sheet.columns if fits(c, CORRECT)]
    either = [c for c in sheet.columns if fits(c, EITHER)]
    spelled, correct = spelled or either, correct or either
    if len(spelled) == len(correct) == 1 and spelled != correct:
        return spelled[0], correct[0]
    raise DataError(
        f"{sheet.name}: aliases need one column of spellings, called name or alias, and one column "
        f"of correct names, called individual or correct name. Columns found: "
        f"{quoted(sheet.columns)}."
    )


def _checked(where: str, pairs: list[tuple[str, str]]) -> dict[str, str]:
    """The pairs as a mapping, unless they contradict each other or form chains."""
    problems, found = [], {}
    for one, other in pairs:
        if found.setdefault(one, other) != other:
            problems.append(
                f'{where}: "{one}" is an alias of two names, "{found[one]}" and "{other}". Keep '
                f"one of them."
            )
    for one, other in found.items():
        if found.get(other, other) != other:
            problems.append(
                f'{where}: "{other}" is a correct name (of "{one}") and an alias (of '
                f'"{found[other]}"). Give the final name for both.'
            )
    if problems:
        raise DataError(*dict.fromkeys(problems[:10]))
    return found


def read_ignored(names: Any) -> tuple[str, ...]:
    """The names whose contests are left out."""
    if names is None:
        return ()
    found = tuple(dict.fromkeys(str(name).strip() for name in several("ignore", names)))
    if "" in found:
        raise ArgumentError(
            f"{option_name('ignore')} contains an empty name. Rows without a name are dropped with "
            f"{option_name('missing')}."
        )
    return found


def repeatable(source: Any) -> Any:
    """What to give as names= to repeat a call: a table must be saved to a file first."""
    if isinstance(source, str | os.PathLike):
        return str(source)
    if _maps_names(source):
        return {str(one): str(other) for one, other in source.items()}
    return "names.csv"


def by_correct_name(
    argument: str, values: Mapping[Any, Any], aliases: Mapping[str, str]
) -> dict[str, float]:
    """Numbers by the correct name of each individual; two for the same individual must agree."""
    found: dict[str, float] = {}
    for name, value in values.items():
        correct = aliases.get(str(name), str(name))
        if found.setdefault(correct, float(value)) != float(value):
            raise ArgumentError(
                f'{option_name(argument)} has two values for "{correct}", of which "{name}" is an '
                f"alias. Keep one of them."
            )
    return found


def renamed(sheet: Sheet, aliases: Mapping[str, str], column: str | None) -> Sheet:
    """The sheet with correct names in a column or, without a column, in the headers."""
    if not aliases:
        return sheet
    if column is not None:
        names = text_of(sheet.column(column)).str.strip_chars().replace(dict(aliases))
        return replace(sheet, frame=sheet.frame.with_columns(names.alias(column)))
    labels = {label: aliases.get(label.strip(), label) for label in sheet.columns}
    twins = [label for label in labels if list(labels.values()).count(labels[label]) > 1]
    if twins:
        raise DataError(
            f"{sheet.name}: columns {quoted(twins)} are the same individual according to "
            f"{option_name('names')}. Combine them."
        )
    return replace(sheet, frame=sheet.frame.rename(labels), columns=list(labels.values()))


def notes_on(
    aliases: Mapping[str, str],
    replaced: Mapping[str, int],
    ignored: tuple[str, ...],
    known: Set[str],
) -> list[str]:
    """What became of the aliases, and the names and aliases that occur nowhere."""
    notes = []
    if replaced:
        total = sum(replaced.values())
        pairs = [f'"{one}" → "{aliases[one]}" ({number:,})' for one, number in replaced.items()]
        more = f" and {len(pairs) - 5:,} more" if len(pairs) > 5 else ""
        notes.append(f"{JOINED} in {counted(total, 'cell')}: {', '.join(pairs[:5])}{more}.")
    idle = [one for one, other in aliases.items() if one not in replaced and one != other]
    if idle:
        notes.append(f"{IDLE}: {quoted(idle, limit=10)}.")
    lacking = [name for name in ignored if name not in known]
    if lacking:
        notes.append(f"{NOT_IGNORED}: {quoted(lacking, limit=10)}.")
    return notes

"""The groups of a study, each with its contests or with the reason why it has none.

A file is read as a whole. If it is refused, each group is read on its own: those with the rows at
fault are set aside with the reason, and the others are read together.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.import_report import Labels
from peckorder.data.interactions import Interactions
from peckorder.data.matrix import Matrix
from peckorder.data.read import read
from peckorder.errors import ArgumentError, DataError
from peckorder.sources.headers import wanted_columns
from peckorder.sources.names import text_of
from peckorder.sources.sheet import Sheet
from peckorder.sources.source import open_sheet
from peckorder.wording import counted, did_you_mean, given, option_name, quoted

ROLES = ("group", "context", "season")
ALL = "all"  # the name of the only group
OPENING = ("sheet", "separator", "encoding", "header", "query", "parameters", "glob")


@dataclass(frozen=True)
class Groups:
    """Contests by group, in order of appearance, and reasons why others have none."""

    data: dict[str, Interactions]
    refused: dict[str, str]
    flavor: str
    names: tuple[str, ...]  # of both, in order
    notes: tuple[str, ...] = ()  # of the import


def groups_of(data: Any, by: str | None, reading: dict[str, Any]) -> Groups:
    """The groups of contests that were read, of a file or table, or of a mapping."""
    if isinstance(data, Interactions | Matrix) and reading:
        raise ArgumentError(
            f"{option_name(next(iter(reading)))}: the data have been read already. Give it to "
            f"peckorder.read."
        )
    if isinstance(data, Matrix):
        data, by = Interactions.from_matrix(data), None
    if isinstance(data, Interactions):
        return _known(split(data, by), {}, data)
    if _is_mapping_of_groups(data):
        return _of_mapping(data, reading)
    if by is None:
        whole = read(data, **reading)
        return _known({ALL: whole}, {}, whole)
    try:
        whole = read(data, group=by, **reading)
    except DataError as refused:
        return _without_the_refused(data, by, reading, refused)
    return _known(split(whole, "group"), {}, whole)


def _known(data: dict[str, Interactions], refused: dict[str, str], whole: Interactions) -> Groups:
    return Groups(data, refused, whole.flavor, (*data, *refused), _notes(whole))


def _notes(data: Interactions) -> tuple[str, ...]:
    """What was decided and dropped when the contests were read."""
    dropped = (
        f"{counted(number, 'row was', 'rows were')} dropped: {why}."
        for why, number in data.report.dropped.items()
    )
    presence = data.presence.notes if data.presence is not None else ()
    return (*data.report.notes, *presence, *dropped)


def _is_mapping_of_groups(data: Any) -> bool:
    kinds = (Interactions, Matrix, str, os.PathLike)
    return (
        isinstance(data, Mapping)
        and bool(data)
        and all(isinstance(part, kinds) or hasattr(part, "columns") for part in data.values())
    )


def _of_mapping(parts: Mapping[Any, Any], reading: dict[str, Any]) -> Groups:
    """Each part read on its own: contests, matrices, tables or files."""
    data: dict[str, Interactions] = {}
    refused: dict[str, str] = {}
    for name, part in parts.items():
        try:
            if isinstance(part, Matrix):
                part = Interactions.from_matrix(part)
            data[str(name)] = (
                part if isinstance(part, Interactions) else read(part, **_without_group(reading))
            )
        except (DataError, OSError) as error:
            refused[str(name)] = _said(error)
    if not data:
        raise DataError(f"No group can be read. The first: {next(iter(refused.values()))}")
    flavor = next(iter(data.values())).flavor
    names = tuple(str(name) for name in parts)
    notes = tuple(f"{name}: {note}" for name, one in data.items() for note in _notes(one))
    return Groups(data, refused, flavor, names, notes)


def _without_group(reading: dict[str, Any]) -> dict[str, Any]:
    return {"group": False, **reading}


def _said(error: Exception) -> str:
    if isinstance(error, OSError):
        return f"{error.filename or ''}: {error.strerror or error}."
    return str(error)


def split(data: Interactions, by: str | None) -> dict[str, Interactions]:
    """Contests by the labels of a role or of any other column."""
    if by is None:
        return {ALL: data}
    role = next((role for role, column in data.report.columns.items() if column == by), by)
    if role in ROLES and getattr(data, role) is not None:
        labels = getattr(data, role)
    elif data.extra is not None and by in data.extra.columns:
        labels = _labels(data.extra[by])
    else:
        known = [r for r in ROLES if getattr(data, r) is not None]
        known += [] if data.extra is None else data.extra.columns
        raise ArgumentError(
            f"{given('by', by)}: the data have no such column. "
            + (f"Choose from: {quoted(known)}." if known else "They have no column of groups.")
        )
    # One sort instead of one comparison of all contests per group.
    order = np.argsort(labels.codes, kind="stable")
    ends = np.cumsum(np.bincount(labels.codes, minlength=len(labels.names)))
    parts = np.split(order, ends[:-1])
    return {
        name: data.take(places)
        for name, places in zip(labels.names, parts, strict=True)
        if len(places)
    }


def _labels(column: pl.Series) -> Labels:
    texts = text_of(column).fill_null("").str.strip_chars()
    names = texts.unique(maintain_order=True)
    codes = pl.Series(texts).replace_strict(names, np.arange(len(names)), return_dtype=pl.Int32)
    return Labels(codes.to_numpy(), tuple(name or "(blank)" for name in names))


def _without_the_refused(
    source: Any, by: str, reading: dict[str, Any], refused: DataError
) -> Groups:
    """Groups whose rows can be read; for the others the reason."""
    opening = {name: reading[name] for name in OPENING if reading.get(name) is not None}
    rest = {name: value for name, value in reading.items() if name not in OPENING}
    if isinstance(source, str) and source == "-":
        raise refused  # standard input cannot be read twice
    sheet = open_sheet(source, wanted=wanted_columns({**rest, "group": by}, None), **opening)
    if by not in sheet.columns:
        raise DataError(
            f'{sheet.name} has no column "{by}", given as {option_name("by")}.'
            f"{did_you_mean([by], sheet.columns)} Columns found: {quoted(sheet.columns)}."
        ) from None
    labels = _labels(sheet.column(by))
    table = sheet.table()
    reasons: dict[str, str] = {}
    for code, name in enumerate(labels.names):
        own = np.flatnonzero(labels.codes == code)
        try:
            read(_rows(sheet, table, own), group=by, **rest)
        except DataError as error:
            reasons[name] = str(error)
    if len(reasons) == len(labels.names):
        raise refused
    bad = [code for code, name in enumerate(labels.names) if name in reasons]
    kept = np.flatnonzero(~np.isin(labels.codes, bad))
    try:
        whole = read(_rows(sheet, table, kept), group=by, **rest)
    except DataError:
        raise refused from None
    return replace(_known(split(whole, "group"), reasons, whole), names=labels.names)


def _rows(sheet: Sheet, table: pl.DataFrame, places: np.ndarray) -> Sheet:
    """Some rows of a sheet, which keep their numbers."""
    return replace(sheet.of_rows(table[places], places), notes=[])

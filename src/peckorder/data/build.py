"""From a sheet with known columns to contests in order: dates, labels and the import report."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from peckorder.data import matrix_reader
from peckorder.data.aliases import notes_on
from peckorder.data.cells import would_be_filled
from peckorder.data.columns import Columns, column_of
from peckorder.data.conditions import selected
from peckorder.data.contests import Contests
from peckorder.data.date_columns import (
    no_dates,
    past_midnight,
    read_dates,
    read_times,
    sequence_number,
    whole_days,
)
from peckorder.data.draft import Draft, events, labels_of, leave_out_ignored
from peckorder.data.headings import roles_of
from peckorder.data.import_report import STRIPPED, ImportReport, Labels
from peckorder.data.names import NameCodes, recoded, text_of
from peckorder.data.outcomes import POSSIBLE, arrows, dyads, focal, games, separate, votes
from peckorder.data.recipe import listing
from peckorder.data.sheet import Sheet, is_error
from peckorder.errors import DataError
from peckorder.text import counted, listed, option, quoted, rows

SHAPES = {"events": events, "games": games, "arrows": arrows, "dyads": dyads, "focal": focal}


def from_matrix(
    sheet: Sheet,
    individuals: list[str] | None,
    missing: str,
    *,
    self_contests: str = "refuse",
    winners: str | None = None,
    aliases: Mapping[str, str] | None = None,
    ignored: tuple[str, ...] = (),
) -> Contests:
    """The contests of a square table of wins."""
    draft = matrix_reader.matrix(sheet, individuals, missing, aliases, winners=winners)
    if aliases or ignored:
        _rename_matrix(sheet, draft, self_contests, NameCodes(aliases, ignored))
    if len(draft.names.names) < 2:
        raise DataError(f"{sheet.name} has only one individual; at least two are required.")
    if len(draft.first) == 0:
        raise DataError(f"{sheet.name}: all counts are 0, so there are no contests.")
    report = ImportReport(
        source=sheet.name,
        kind="matrix",
        rows_in=len(draft.names.names),
        notes=(*sheet.notes, *draft.notes),
        row_word=sheet.row_word,
        flavor=sheet.flavor,
        winners="columns" if draft.transposed else "rows",
    )
    return Contests(
        tuple(draft.names.names),
        draft.first,
        draft.second,
        ordered=False,
        rows=sheet.numbers(draft.places),
        report=report,
        aliases=dict(aliases or {}),
    )


def _rename_matrix(sheet: Sheet, draft: Draft, rule: str, codes: NameCodes) -> None:
    """Join the rows and columns of aliases, and leave out those of names to ignore."""
    spelled = pl.Series(draft.names.names, dtype=pl.String)
    own, _ = codes.add(spelled, spelled)
    codes.replaced = {name: number // 2 for name, number in codes.replaced.items()}
    draft.notes += notes_on(codes.aliases, codes.replaced, codes.ignored, set(codes.names))
    draft.first, draft.second, draft.names = own[draft.first], own[draft.second], codes
    gone = codes.left_out(draft.first, draft.second)
    if gone.any():
        draft.notes.append(
            f"{counted(int(gone.sum()), 'contest was', 'contests were')} left out: ignored names "
            f"({quoted(codes.ignored)})."
        )
        draft.keep(~gone)
    _self_contests(sheet, draft, rule)
    if draft.problems:
        raise DataError(*draft.problems)
    # Individuals without contests stay, unless they are ignored.
    stay = [name for name in codes.names if name not in codes.ignored]
    place = {name: code for code, name in enumerate(stay)}
    new = np.array([place.get(name, -1) for name in codes.names], np.int32)
    draft.first, draft.second = new[draft.first], new[draft.second]
    codes.names = stay


def assembled(
    sheet: Sheet,
    columns: Columns,
    *,
    date_format: str | None,
    self_contests: str,
    missing: str,
    polyadic: str = "refuse",
    undecided: str | None = None,
    where: str | None = None,
    order: str | Sequence[str] | None = None,
    times: str | None = None,
    aliases: Mapping[str, str] | None = None,
    ignored: tuple[str, ...] = (),
    names: NameCodes | None = None,
) -> Contests:
    """The contests of a sheet with known columns, in order; raises all problems found."""
    rows_in = sheet.height
    if where is not None:
        sheet = selected(sheet, columns, where, aliases=aliases or {}, date_format=date_format)
    codes = NameCodes(aliases, ignored) if names is None else names
    if columns.kind == "votes":
        draft = votes(sheet, columns, missing, codes, undecided=undecided)
    else:
        draft = SHAPES[columns.kind](sheet, columns, missing, codes)
    if sheet.height < rows_in:
        draft.dropped = {f"condition not met ({where})": rows_in - sheet.height, **draft.dropped}
    draft.problems += odd_names(sheet, columns, draft)
    if polyadic != "keep" and draft.names.matching(POSSIBLE):
        separate(sheet, draft, polyadic)
    leave_out_ignored(draft)
    _self_contests(sheet, draft, self_contests)
    date = _dates(sheet, columns, draft, date_format, missing)
    if draft.problems:
        raise DataError(*draft.problems)
    if times == "drop" and date is not None:
        date = whole_days(date)
    inner = _order_columns(sheet, draft, listing(order)) if order else {}
    sequence = _order(sheet, draft, date, inner)
    if draft.problems:
        raise DataError(*draft.problems)
    if sequence is not None:
        draft.keep(sequence)
        date = None if date is None else date[sequence]
    labels: dict[str, Any] = {
        role: labels_of(sheet, column, role, draft) if (column := columns[role]) else None
        for role in ("context", "group", "season")
    }
    if problems := odd_labels(sheet, draft, labels):
        raise DataError(*problems)
    if draft.names.stripped:
        total = sum(draft.names.stripped.values())
        draft.notes.append(
            f"{STRIPPED} from {counted(total, 'name')}: {quoted(draft.names.stripped, limit=5)}."
        )
    if aliases or ignored:
        known = codes.known if codes.ignored else frozenset()  # takes long for very many names
        draft.notes += notes_on(codes.aliases, codes.replaced, codes.ignored, known)
    untouched = draft.kept is None
    individuals = draft.names.unique()
    if names is None and not (untouched and columns.kind == "events" and draft.draw is None):
        draft.first, draft.second, individuals = recoded(draft.first, draft.second, individuals)
    report = ImportReport(
        source=sheet.name,
        kind=columns.kind,
        rows_in=rows_in,
        dropped=draft.dropped,
        reordered=sequence is not None,
        columns=columns.of,
        unused=tuple(c for c in sheet.columns if c not in columns.of.values()),
        notes=(*sheet.notes, *columns.notes, *draft.notes),
        row_word=sheet.row_word,
        flavor=sheet.flavor,
        files=sheet.files,
    )
    return Contests(
        individuals=individuals,
        winner=np.ascontiguousarray(draft.first, np.int32),
        loser=np.ascontiguousarray(draft.second, np.int32),
        draw=draft.draw,
        date=date,
        **labels,
        points=draft.points,
        home=draft.home,
        turned=draft.turned,
        ordered=draft.ordered,
        rows=None
        if untouched and sheet.picked is None and not sheet.first_row
        else sheet.numbers(draft.places),
        extra=_extra(sheet, report.unused, draft, untouched) if names is None else None,
        report=report,
        aliases=codes.aliases,
    )


def _self_contests(sheet: Sheet, draft: Draft, rule: str) -> None:
    same = draft.first == draft.second
    if not same.any():
        return
    where = np.flatnonzero(same)
    if rule == "drop":
        draft.dropped["winner and loser are the same individual"] = int(
            np.unique(draft.places[where]).size
        )
        draft.keep(~same)
        return
    places = np.unique(draft.places[where])
    who = draft.names.names[int(draft.first[where[0]])]
    draft.problems.append(
        f'{sheet.where(places)}: winner and loser are both "{who}"'
        f"{' (and others)' if np.unique(draft.first[where]).size > 1 else ''}. Remove the "
        f"{'row' if places.size == 1 else 'rows'}, or use {option('self_contests', 'drop')} to "
        f"drop such rows ({counted(places.size, 'row')})."
    )


def _dates(
    sheet: Sheet, columns: Columns, draft: Draft, date_format: str | None, missing: str
) -> np.ndarray | None:
    """Dates of the rows kept, with the time of day if there is one."""
    column, clock = columns["date"], columns["time"]
    if column is None:
        if clock is not None:
            draft.notes.append(
                f'Column "{clock}" contains times, but there is no column of dates; it was not '
                f"used to order the contests."
            )
        return None
    places = draft.places
    cells = sheet.column(column)
    cells = cells if draft.kept is None else cells.gather(pl.Series(places))
    values, lost, problems = read_dates(sheet, column, cells, date_format, places=places)
    draft.problems += problems
    if lost.any():
        if missing == "drop":
            draft.dropped["no date"] = int(np.unique(places[lost]).size)
            draft.keep(~lost)
            values, places = values[~lost], places[~lost]
        else:
            ways = [f"{option('missing', 'drop')} to drop such rows"]
            if would_be_filled(cells, lost):
                ways.insert(0, f"{option('fill_down', 'date')} to repeat the date above")
            advice = f", use {', '.join(ways)}, or {option('date', '')} to ignore dates"
            draft.problems.append(no_dates(sheet, column, places[lost], advice))
    if clock is not None and values.dtype.kind != "M":
        draft.notes.append(f'Column "{clock}" was not used: the dates are numbers.')
    elif clock is not None and not draft.problems:
        values = _with_times(sheet, draft, clock, column, values, places)
    return values


def _with_times(sheet, draft, clock, column, values, places) -> np.ndarray:
    """Dates combined with the time of day from a separate column."""
    timed = np.flatnonzero(values != whole_days(values))
    if timed.size:
        draft.problems.append(
            f'{sheet.where(places[timed])}: column "{column}" contains a '
            f'time, and so does column "{clock}". Use {option("time", "")} to ignore the latter.'
        )
        return values
    times, problems = read_times(
        sheet, clock, sheet.column(clock).gather(pl.Series(places)), places
    )
    draft.problems += problems
    if not problems and (note := past_midnight(sheet, clock, values, times, places)):
        draft.notes.append(note)
    return values + times.astype("timedelta64[us]")


def _order_columns(sheet: Sheet, draft: Draft, order: list[str]) -> dict[str, np.ndarray]:
    """The columns by which contests of equal date are ordered, as numbers."""
    found = {}
    for column in order:
        column_of(sheet, "order", column, ())
        cells = text_of(sheet.column(column)).fill_null("").gather(pl.Series(draft.places))
        unique = cells.unique(maintain_order=True)
        numbers = [sequence_number(cell) for cell in unique]
        values = cells.replace_strict(unique, numbers, return_dtype=pl.Float64)
        if wrong := [cell for cell, x in zip(unique, numbers, strict=True) if x is None]:
            places = draft.places[(values.is_null()).to_numpy()]
            draft.problems.append(
                f'{sheet.where(places)}: "{wrong[0]}" in column "{column}" '
                f"is neither a number nor a time or date, so that contests cannot be ordered by "
                f"it. Correct the cell, or leave out {option('order')}."
            )
        found[column] = values.fill_null(0).to_numpy()
    return found


def _order(
    sheet: Sheet, draft: Draft, date: np.ndarray | None, inner: dict[str, np.ndarray]
) -> np.ndarray | None:
    """The order by date (stable sort), or None if the contests are sorted already."""
    if inner:
        keys = [*reversed(inner.values()), *([] if date is None else [date])]
        places = np.lexsort(keys)
        if not (np.diff(places) != 1).any():
            return None
        keys_named = [] if date is None else ["date"]
        keys_named += [f'column "{name}"' for name in inner]
        draft.notes.append(f"Contests were sorted by {listed(keys_named)}.")
        return places
    if date is None or not (date[1:] < date[:-1]).any():
        return None
    late = np.flatnonzero(date < np.maximum.accumulate(date))
    moved = list(dict.fromkeys(sheet.rows(draft.places[late]).tolist()))
    draft.notes.append(
        f"Contests were sorted by date: {rows(sheet.row_word, moved)} "
        f"{'was' if len(moved) == 1 else 'were'} dated before an earlier {sheet.row_word}."
    )
    return np.argsort(date, kind="stable")


def _extra(
    sheet: Sheet, unused: tuple[str, ...], draft: Draft, untouched: bool
) -> pl.DataFrame | None:
    if not unused:
        return None
    table = sheet.table(*unused)
    return table if untouched else table[draft.places]


SUSPECT = re.compile("^[#f]")
SIDES = (("winner", "loser"), ("home", "away"), ("a", "b"))


def odd_names(sheet: Sheet, columns: Columns, draft: Draft) -> list[str]:
    """The problems of names that are errors or labels, with their rows."""
    problems = []
    errors = [name for name in draft.names.matching(SUSPECT) if is_error(name)]
    codes = np.array([draft.names.code(name) for name in errors])
    wrong = np.isin(draft.first, codes) | np.isin(draft.second, codes) if errors else []
    if np.any(wrong):  # rows may have been dropped
        problems.append(_of_formula(sheet, draft, np.asarray(wrong), errors[0]))
    sides = next((pair for pair in SIDES if columns[pair[0]] and columns[pair[1]]), None)
    if sides is None:  # both names are in one cell
        return problems
    labels = [columns.of[side].split(" (column ")[0] for side in sides]
    one, other = (draft.names.code(label) for label in labels)
    if one is None or other is None:
        return problems
    again = (draft.first == one) & (draft.second == other)
    if again.any():
        problems.append(
            f"{rows(sheet.row_word, _rows(sheet, draft, again))}: the header is repeated "
            f"({quoted(labels)}). Remove the row from the table"
            f"{sheet.leaving(np.unique(draft.places[np.flatnonzero(again)]))}."
        )
    elif all(code >= 0 for code in codes) and not any(roles_of(one, labels) for one in labels):
        problems.append(
            f"The column names {quoted(labels)} are also names of individuals, so that the first "
            f"row appears to be a contest. Add a row of column names above it, such as winner and "
            f"loser."
        )
    return problems


def odd_labels(sheet: Sheet, draft: Draft, labels: Mapping[str, Labels | None]) -> list[str]:
    """The problems of contexts, groups and seasons that are errors, with their rows."""
    problems = []
    for found in labels.values():
        errors = [c for c, name in enumerate(found.names) if is_error(name)] if found else []
        wrong = np.isin(found.codes, errors) if found and errors else np.zeros(0, bool)
        if found and wrong.any():
            problems.append(_of_formula(sheet, draft, wrong, found.names[errors[0]]))
    return problems


def _of_formula(sheet: Sheet, draft: Draft, wrong: np.ndarray, word: str) -> str:
    return (
        f'{rows(sheet.row_word, _rows(sheet, draft, wrong))}: "{word}" is an error of a formula, '
        f"or a formula without a stored value. Correct the cell, or open the workbook in Excel and "
        f"save it again."
    )


def _rows(sheet: Sheet, draft: Draft, mask: np.ndarray) -> np.ndarray:
    return sheet.rows(np.unique(draft.places[np.flatnonzero(mask)]))

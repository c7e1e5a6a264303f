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
from peckorder.data.draft import Draft, events, labels_of
from peckorder.data.headings import roles_of
from peckorder.data.import_report import STRIPPED, ImportReport
from peckorder.data.names import NameCodes, recoded
from peckorder.data.outcomes import POSSIBLE, arrows, dyads, focal, games, separate, votes
from peckorder.data.recipe import listing
from peckorder.data.sheet import Sheet, is_error
from peckorder.errors import DataError
from peckorder.text import counted, listed, option, quoted

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
        _rename_matrix(draft, self_contests, NameCodes(aliases, ignored))
    if len(draft.names.names) < 2:
        raise DataError(f"{sheet.name} has only one individual; at least two are required.")
    if len(draft.first) == 0:
        raise DataError(f"{sheet.name}: all counts are 0, so there are no contests.")
    side = "columns" if draft.transposed else "rows"
    notes, number = (*sheet.notes, *draft.notes), len(draft.names.names)
    report = ImportReport.of(sheet, "matrix", number, notes=notes, winners=side)
    return Contests(
        tuple(draft.names.names),
        draft.first,
        draft.second,
        ordered=False,
        rows=sheet.numbers(draft.places),
        report=report,
        aliases=dict(aliases or {}),
    )


def _rename_matrix(draft: Draft, rule: str, codes: NameCodes) -> None:
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
    _self_contests(draft, rule)
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
    rows_in, left = sheet.height, {}
    if where is not None:
        rows = sheet.numbers(np.arange(rows_in))
        sheet = selected(sheet, columns, where, aliases=aliases or {}, date_format=date_format)
        if sheet.height < rows_in:
            gone = np.setdiff1d(rows, sheet.numbers(np.arange(sheet.height)))
            left[f"condition not met ({where})"] = gone
    codes = NameCodes(aliases, ignored) if names is None else names
    if columns.kind == "votes":
        draft = votes(sheet, columns, missing, codes, undecided=undecided)
    else:
        draft = SHAPES[columns.kind](sheet, columns, missing, codes)
    _refuse_odd_names(columns, draft)
    if polyadic != "keep" and draft.names.matching(POSSIBLE):
        separate(draft, polyadic)
    draft.leave_out_ignored()
    _self_contests(draft, self_contests)
    date = _dates(columns, draft, date_format, missing)
    if draft.problems:
        raise DataError(*draft.problems)
    if times == "drop" and date is not None:
        date = whole_days(date)
    inner = _order_columns(draft, listing(order)) if order else {}
    sequence = _order(draft, date, inner)
    if draft.problems:
        raise DataError(*draft.problems)
    if sequence is not None:
        draft.keep(sequence)
        date = None if date is None else date[sequence]
    labels: dict[str, Any] = {
        role: labels_of(draft, column, role) if (column := columns[role]) else None
        for role in ("context", "group", "season")
    }
    for found in labels.values():
        errors = [c for c, name in enumerate(found.names) if is_error(name)] if found else []
        if found and errors:
            draft.refuse(np.isin(found.codes, errors), _of_formula(found.names[errors[0]]))
    if draft.problems:
        raise DataError(*draft.problems)
    if draft.names.stripped:
        total = sum(draft.names.stripped.values())
        draft.notes.append(
            f"{STRIPPED} from {counted(total, 'name')}: {quoted(draft.names.stripped, limit=5)}."
        )
    draft.notes += [note() for note in draft.later]
    if aliases or ignored:
        known = codes.known if codes.ignored else frozenset()  # takes long for very many names
        draft.notes += notes_on(codes.aliases, codes.replaced, codes.ignored, known)
    untouched = draft.kept is None
    individuals = draft.names.unique()
    if names is None and not (untouched and columns.kind == "events" and draft.draw is None):
        draft.first, draft.second, individuals = recoded(draft.first, draft.second, individuals)
    left |= {why: sheet.numbers(places) for why, places in draft.left.items()}
    report = ImportReport.of(
        sheet,
        columns.kind,
        rows_in,
        dropped={why: len(rows) for why, rows in left.items()},
        left={} if sheet.streamed else left,
        reordered=sequence is not None,
        columns=columns.of,
        unused=tuple(c for c in sheet.columns if c not in columns.of.values()),
        notes=(*sheet.notes, *columns.notes, *draft.notes),
    )
    extra = sheet.table(*report.unused) if report.unused and names is None else None
    if extra is not None and not untouched:
        extra = extra[draft.places]
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
        extra=extra,
        report=report,
        aliases=codes.aliases,
    )


def _self_contests(draft: Draft, rule: str) -> None:
    same = draft.first == draft.second
    if rule == "drop":
        draft.leave_out(same, "winner and loser are the same individual")
    elif same.any():
        who, number = np.unique(draft.first[same]), np.unique(draft.places[same]).size
        draft.refuse(
            same,
            f'winner and loser are both "{draft.names.names[draft.first[np.argmax(same)]]}"'
            f"{' (and others)' if who.size > 1 else ''}. Remove the "
            f"{'row' if number == 1 else 'rows'}, or use {option('self_contests', 'drop')} to "
            f"drop such rows ({counted(number, 'row')}).",
        )


def _dates(
    columns: Columns, draft: Draft, date_format: str | None, missing: str
) -> np.ndarray | None:
    """Dates of the rows kept, with the time of day if there is one."""
    column, clock, sheet = columns["date"], columns["time"], draft.sheet
    if column is None:
        if clock is not None:
            draft.notes.append(
                f'Column "{clock}" contains times, but there is no column of dates; it was not '
                f"used to order the contests."
            )
        return None
    cells = draft.column(column)
    values, lost, problems = read_dates(sheet, column, cells, date_format, places=draft.places)
    draft.problems += problems
    if missing == "drop":
        values = values[~lost]
        draft.leave_out(lost, "no date")
    elif lost.any():
        ways = [f"{option('missing', 'drop')} to drop such rows"]
        if would_be_filled(cells, lost):
            ways.insert(0, f"{option('fill_down', 'date')} to repeat the date above")
        advice = f", use {', '.join(ways)}, or {option('date', '')} to ignore dates"
        draft.problems.append(no_dates(sheet, column, draft.places[lost], advice))
    if clock is None:
        return values
    if values.dtype.kind != "M":
        draft.notes.append(f'Column "{clock}" was not used: the dates are numbers.')
        return values
    if draft.problems:
        return values
    timed = values != whole_days(values)
    if timed.any():
        draft.refuse(
            timed,
            f'column "{column}" contains a time, and so does column "{clock}". Use '
            f"{option('time', '')} to ignore the latter.",
        )
        return values
    times, problems = read_times(sheet, clock, draft.column(clock), draft.places)
    draft.problems += problems
    if not problems and (note := past_midnight(sheet, clock, values, times, draft.places)):
        draft.notes.append(note)
    return values + times.astype("timedelta64[us]")


def _order_columns(draft: Draft, order: list[str]) -> dict[str, np.ndarray]:
    """The columns by which contests of equal date are ordered, as numbers."""
    found = {}
    for column in order:
        column_of(draft.sheet, "order", column, ())
        cells = draft.texts(column)
        unique = cells.unique(maintain_order=True)
        numbers = [sequence_number(cell) for cell in unique]
        values = cells.replace_strict(unique, numbers, return_dtype=pl.Float64)
        wrong = [cell for cell, x in zip(unique, numbers, strict=True) if x is None]
        draft.refuse(
            values.is_null().to_numpy(),
            f'"{wrong[0] if wrong else ""}" in column "{column}" is neither a number nor a time '
            f"or date, so that contests cannot be ordered by it. Correct the cell, or leave out "
            f"{option('order')}.",
        )
        found[column] = values.fill_null(0).to_numpy()
    return found


def _order(
    draft: Draft, date: np.ndarray | None, inner: dict[str, np.ndarray]
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
    late = date < np.maximum.accumulate(date)
    was = "was" if np.unique(draft.places[late]).size == 1 else "were"
    draft.notes.append(
        f"Contests were sorted by date: {draft.where(late)} {was} dated before an earlier "
        f"{draft.sheet.row_word}."
    )
    return np.argsort(date, kind="stable")


SUSPECT = re.compile("^[#f]")
SIDES = (("winner", "loser"), ("home", "away"), ("a", "b"))


def _refuse_odd_names(columns: Columns, draft: Draft) -> None:
    """The problems of names that are errors or labels, with their rows."""
    errors = [name for name in draft.names.matching(SUSPECT) if is_error(name)]
    if errors:
        codes = np.array([draft.names.code(name) for name in errors])
        draft.refuse(
            np.isin(draft.first, codes) | np.isin(draft.second, codes), _of_formula(errors[0])
        )
    sides = next((pair for pair in SIDES if columns[pair[0]] and columns[pair[1]]), None)
    if sides is None:  # both names are in one cell
        return
    labels = [columns.of[side].split(" (column ")[0] for side in sides]
    one, other = (draft.names.code(label) for label in labels)
    if one is None or other is None:
        return
    again = (draft.first == one) & (draft.second == other)
    draft.refuse(
        again,
        f"the header is repeated ({quoted(labels)}). Remove the row from the table"
        f"{draft.sheet.leaving(np.unique(draft.places[again]))}.",
    )
    if not again.any() and not any(roles_of(label, labels) for label in labels):
        draft.problems.append(
            f"The column names {quoted(labels)} are also names of individuals, so that the first "
            f"row appears to be a contest. Add a row of column names above it, such as winner and "
            f"loser."
        )


def _of_formula(word: str) -> str:
    return (
        f'"{word}" is an error of a formula, or a formula without a stored value. Correct the '
        f"cell, or open the workbook in Excel and save it again."
    )

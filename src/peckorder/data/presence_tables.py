"""Reading presence data in three layouts, and joining them to contests."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from peckorder.checked import one_of
from peckorder.data.aliases import read_aliases, renamed
from peckorder.data.columns import fits, plain_label
from peckorder.data.dates import date_words, no_dates, read_dates, whole_days
from peckorder.data.names import text_of
from peckorder.data.presence import ONE_DAY, Presence, forever
from peckorder.data.sheet import Sheet
from peckorder.data.source import open_sheet
from peckorder.errors import DataError
from peckorder.wording import counted, either, quoted, rows

KINDS = ("intervals", "daily", "census")
ALIASES = {
    "individual": ("individual", "id", "name", "animal", "subject", "individual_id"),
    "start": ("start", "start_date", "from", "first", "begin", "arrival", "entry", "date_begin"),
    "end": ("end", "end_date", "to", "until", "last", "departure", "exit", "date_end"),
    "date": ("date", "day", "census", "year", "census_date"),
}


def read_presence(
    source: Any,
    *,
    kind: str | None = None,
    individual: str | None = None,
    start: str | None = None,
    end: str | None = None,
    date: str | None = None,
    date_format: str | None = None,
    sheet: str | int | None = None,
    names: Any = None,
) -> Presence:
    """Read presence data: when each individual was in the group.

    Parameters
    ----------
    source : path or table
    kind : {"intervals", "daily", "census"}, optional
        Layout of the table; detected from the columns if omitted.

        - intervals: one stint per row, with columns individual, start and end. An empty end means
          that the individual was still present.
        - daily: a column of dates, then one 0/1 column per individual.
        - census: one row per individual and census date. An individual listed in consecutive
          censuses is assumed to have been present in between.
    individual, start, end, date : str, optional
        Names of columns; common names are detected automatically.
    date_format : str, optional
        For example `"%d/%m/%Y"`; needed only if dates are ambiguous.
    sheet : str or int, optional
        Sheet of an Excel workbook, by name or number from 1.
    names : mapping, path or table, optional
        Correct names of other spellings, as in `peckorder.read`, which applies its own to the
        presence data as well.

    Examples
    --------
    >>> read_presence({"id": ["Abe", "Bo"], "start": ["2009-01-01"] * 2, "end": ["2009-06-30", ""]})
    Presence: 2 stints of 2 individuals, from 2009-01-01
    """
    aliases = read_aliases(names)
    if isinstance(source, Presence):
        return source.renamed(aliases)
    if kind is not None:
        one_of("kind", kind, KINDS)
    opened = open_sheet(source, sheet=sheet)
    given = {"individual": individual, "start": start, "end": end, "date": date}
    found = _columns(opened, given)
    kind = kind or _kind(opened, found)
    if opened.height == 0:
        raise DataError(f"{opened.name} has a header but no rows.")
    column = None if kind == "daily" else found.get("individual")
    if kind == "daily" or column is not None:
        opened = renamed(opened, aliases, column)
    reader = {"intervals": _intervals, "daily": _daily, "census": _census}[kind]
    return reader(opened, found, date_format)


def _columns(sheet: Sheet, given: dict[str, str | None]) -> dict[str, str]:
    found = {}
    for role, name in given.items():
        if name is not None:
            if name not in sheet.columns:
                raise DataError(
                    f'{sheet.name} has no column "{name}", given as {role}=. '
                    f"Columns found: {quoted(sheet.columns)}."
                )
            found[role] = name
        else:
            fitting = [c for c in sheet.columns if fits(c, ALIASES[role])]
            if len(fitting) == 1:
                found[role] = fitting[0]
    return found


def _kind(sheet: Sheet, found: dict[str, str]) -> str:
    if {"individual", "start", "end"} <= found.keys():
        return "intervals"
    if {"individual", "date"} <= found.keys():
        return "census"
    first = plain_label(sheet.columns[0]) if sheet.columns else ""
    if first in ALIASES["date"] or first.startswith("column_") or "date" in found:
        return "daily"
    raise DataError(
        f"{sheet.name}: the layout of the presence data was not recognized. Columns found: "
        f"{quoted(sheet.columns)}. Use one of these layouts: columns individual, start and end "
        f"(one stint per row); date and individual (census); or date and one 0/1 column per "
        f"individual (daily)."
    )


def _need(sheet: Sheet, found: dict[str, str], *roles: str) -> None:
    lacking = [role for role in roles if role not in found]
    if lacking:
        raise DataError(
            f"{sheet.name}: no column was found for {' and '.join(lacking)}. Columns found: "
            f"{quoted(sheet.columns)}. "
            + either(
                f"Specify it with {lacking[0]}= of read_presence.",
                f'Rename the column to "{lacking[0]}".',
            )
        )


def _read_days(sheet: Sheet, column: str, date_format: str | None, *, open_end=False) -> np.ndarray:
    """Days of a column; with `open_end`, an empty cell means no end."""
    values = sheet.column(column)
    if open_end:
        if values.dtype == pl.String:
            values = values.str.strip_chars().replace({"": None, "NA": None})
        elif values.dtype.is_float():
            values = values.fill_nan(None)
        absent = values.is_null().to_numpy()
        if absent.all():
            return np.full(len(values), np.datetime64("9999-12-31"))
        values = values.fill_null(values.drop_nulls()[0])
        days = _plain_days(sheet, column, values, date_format).copy()
        days[absent] = forever(days)
        return days
    return _plain_days(sheet, column, values, date_format)


def _plain_days(sheet: Sheet, column: str, values: pl.Series, date_format: str | None):
    """Days of a column; the format is used only if they cannot be read without it."""
    try:
        dates, lost, problems = read_dates(sheet, column, values)
    except DataError as error:
        dates, lost, problems = np.zeros(0), np.zeros(0, bool), list(error.problems)
    if problems and date_format is not None:
        dates, lost, problems = read_dates(sheet, column, values, date_format)
    if lost.any():
        problems.append(no_dates(sheet, column, np.flatnonzero(lost)))
    if problems:
        raise DataError(*(f"{sheet.name}: {problem}" for problem in problems))
    return whole_days(dates)


def _names(sheet: Sheet, column: str) -> list[str]:
    values = text_of(sheet.column(column)).fill_null("").str.strip_chars()
    blank = (values == "").arg_true().to_numpy()
    if blank.size:
        raise DataError(
            f"{sheet.name}: {rows(sheet.row_word, sheet.rows(blank))}: no name in column "
            f'"{column}". Enter the name or delete the row.'
        )
    return values.to_list()


def _intervals(sheet: Sheet, found: dict[str, str], date_format: str | None) -> Presence:
    _need(sheet, found, "individual", "start", "end")
    names = _names(sheet, found["individual"])
    start = _read_days(sheet, found["start"], date_format)
    end = _read_days(sheet, found["end"], date_format, open_end=True)
    if end.dtype.kind != start.dtype.kind:
        if (end == forever(end)).all():
            end = np.full(len(end), forever(start))
        else:
            raise DataError(f"{sheet.name}: start and end must both be dates, or both numbers.")
    problems = []
    backwards = np.flatnonzero(end < start)
    if backwards.size:
        place = backwards[0]
        problems.append(
            f"{sheet.name}: {rows(sheet.row_word, sheet.rows(backwards))}: the stint of "
            f'"{names[place]}" ends ({date_words(end[place])}) before it starts '
            f"({date_words(start[place])}). Correct the dates."
        )
    appearance = {name: i for i, name in enumerate(dict.fromkeys(names))}
    order = np.lexsort((start, np.array([appearance[name] for name in names])))
    notes = []
    for one, other in pairwise(order):
        if names[one] != names[other]:
            continue
        if start[other] <= end[one]:
            problems.append(
                f"{sheet.name}: {rows(sheet.row_word, sheet.rows(np.sort([one, other])))}: two "
                f'stints of "{names[one]}" overlap (until {date_words(end[one])}, and from '
                f"{date_words(start[other])}). Merge them or correct the dates."
            )
        elif start[other] > end[one] + (ONE_DAY if end.dtype.kind == "M" else 1):
            gone, back = date_words(end[one]), date_words(start[other])
            notes.append(f"{names[one]} was absent after {gone}, until {back}.")
    if problems:
        raise DataError(*problems)
    return Presence(tuple(names[i] for i in order), start[order], end[order], tuple(notes))


def _daily(sheet: Sheet, found: dict[str, str], date_format: str | None) -> Presence:
    date_name = found.get("date", sheet.columns[0])
    days = _read_days(sheet, date_name, date_format)
    order = np.argsort(days, kind="stable")
    if (np.diff(days[order]) == np.zeros(1, np.diff(days).dtype)).any():
        twice = order[1:][days[order][1:] == days[order][:-1]]
        raise DataError(
            f"{sheet.name}: {rows(sheet.row_word, sheet.rows(np.sort(twice)))}: the date is "
            f"a duplicate of an earlier row. Use one row per day."
        )
    stints, problems, empty = [], [], 0
    for column in (c for c in sheet.columns if c != date_name):
        words = sheet.column(column).cast(pl.String).fill_null("").str.strip_chars()
        present = words.is_in(["1", "1.0", "true", "TRUE", "True"])
        bad = ~(present | words.is_in(["0", "0.0", "false", "FALSE", "False", "", "NA"]))
        if bad.any():
            where = bad.arg_true().to_numpy()
            problems.append(
                f"{sheet.name}: {rows(sheet.row_word, sheet.rows(where))}: "
                f'"{words[int(where[0])]}" in column "{column}" is neither 1 (present) nor 0 '
                "(absent)."
            )
        empty += int(words.is_in(["", "NA"]).sum())
        stints += _runs(column.strip(), present.to_numpy()[order], days[order])
    if problems:
        raise DataError(*problems)
    notes = []
    if empty:
        notes.append(f"{counted(empty, 'empty cell was', 'empty cells were')} counted as absent.")
    if days.dtype.kind == "M":
        gaps = int((np.diff(days[order]) > ONE_DAY).sum())
        if gaps:
            notes.append(
                f"The daily table has {counted(gaps, 'gap')} of one or more days; individuals "
                f"present before and after a gap are assumed to have been present during it."
            )
    return _from_stints(sheet, stints, tuple(notes))


def _census(sheet: Sheet, found: dict[str, str], date_format: str | None) -> Presence:
    _need(sheet, found, "individual", "date")
    names = _names(sheet, found["individual"])
    days = _read_days(sheet, found["date"], date_format)
    censuses, census = np.unique(days, return_inverse=True)
    stints = []
    for name in dict.fromkeys(names):
        listed = np.zeros(len(censuses), bool)
        listed[census[[i for i, other in enumerate(names) if other == name]]] = True
        stints += _runs(name, listed, censuses)
    return _from_stints(sheet, stints, ())


def _runs(name: str, present: np.ndarray, days: np.ndarray) -> list[tuple[str, Any, Any]]:
    """Stints of an individual, from consecutive rows in which it is present."""
    edges = np.diff(np.concatenate([[0], present.astype(np.int8), [0]]))
    begins, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1
    return [(name, days[i], days[j]) for i, j in zip(begins, ends, strict=True)]


def _from_stints(sheet: Sheet, stints: list[tuple[str, Any, Any]], notes) -> Presence:
    if not stints:
        raise DataError(f"{sheet.name}: no individual is present on any day.")
    names, starts, ends = zip(*stints, strict=True)
    return Presence(names, np.array(starts), np.array(ends), notes)


def attach(data: Any, presence: Any, date_format: str | None = None) -> Any:
    """The contests with presence data; an error if an individual was absent from its contest."""
    if presence is not None and data.date is None and not data.ordered:
        raise DataError(
            "Presence requires the dates or the sequence of the contests, and both are unknown "
            "here."
        )
    if isinstance(presence, str) and presence == "inferred":
        return replace(data, presence=Presence.inferred(data))
    if presence is None:
        return replace(data, presence=None)
    presence = read_presence(presence, date_format=date_format, names=data.aliases)
    if presence.start.dtype.kind != data.times.dtype.kind:
        have = "numbers" if presence.start.dtype.kind == "f" else "dates"
        raise DataError(
            f"Presence is given by {have}, but the contests "
            f"{'have no dates' if data.date is None else 'have dates'}"
            f"{'' if data.date is None or have == 'numbers' else ' that are numbers'}. "
            f"Use the same type for both."
        )
    known = set(presence.individual)
    unlisted = [name for name in data.individuals if name not in known]
    problems = []
    if unlisted:
        problems.append(
            f"The presence data do not include {quoted(unlisted)}, which took part in contests. "
            f"Add their stints, or correct the names."
        )
    for role, side in (("winner", data.winner), ("loser", data.loser)):
        covered = presence.covers(side, data.times, data.individuals)
        absent = [
            place
            for place in np.flatnonzero(~covered)
            if data.individuals[side[place]] not in unlisted
        ]
        if absent:
            who = list(dict.fromkeys(data.individuals[side[place]] for place in absent))
            day = date_words(whole_days(data.times[absent[:1]])[0])
            problems.append(
                f"{rows(data.report.row_word, data.row_of(absent))}: the {role} "
                f"({quoted(who, limit=5)}) was absent on that day (first: {day}). Correct the "
                f"presence data or the date of the contest."
            )
    if problems:
        raise DataError(*problems)
    unseen = [name for name in dict.fromkeys(presence.individual) if name not in data.individuals]
    notes = presence.notes
    if unseen:
        notes += (f"Present but without any contest, and therefore not rated: {quoted(unseen)}.",)
    return replace(data, presence=replace(presence.only(data.individuals), notes=notes))

"""Reading presence data in four layouts, and joining them to contests."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from peckorder.checked import one_of, text
from peckorder.data.aliases import read_aliases, renamed
from peckorder.data.dates import date_words, whole_days
from peckorder.data.presence import Presence
from peckorder.data.presence_days import (
    Spans,
    is_time_label,
    is_year_label,
    may_be_short_month,
    spans_of_column,
)
from peckorder.data.presence_stints import from_intervals, stint_columns
from peckorder.data.presence_wide import (
    days_in_columns,
    days_in_rows,
    from_stints,
    names_in,
    runs,
)
from peckorder.errors import DataError
from peckorder.sources.columns import fits, plain_label
from peckorder.sources.sheet import Sheet
from peckorder.sources.source import open_sheet
from peckorder.wording import either, quoted, rows

KINDS = ("intervals", "daily", "transposed", "census")
MONTHS = ("month", "months", "year_month")
ALIASES = {
    "individual": ("individual", "id", "name", "animal", "subject", "individual_id"),
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
    kind : {"intervals", "daily", "transposed", "census"}, optional
        Layout of the table; detected from the columns if omitted.

        - intervals: one stint per row, with columns individual, start and end (or arrival and
          departure, birth and death, and others), or several stints per row (from1, to1, from2,
          to2). An empty end means that the individual was still present.
        - daily: a column of dates or months, then one column per individual with 1 or 0, or with
          ticks (x) and blanks.
        - transposed: a column of individuals, then one column per day or month.
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
    reader = {
        "intervals": _intervals,
        "daily": _daily,
        "transposed": _transposed,
        "census": _census,
    }[kind]
    return reader(opened, found, date_format)


def _columns(sheet: Sheet, given: dict[str, str | None]) -> dict[str, str]:
    found = {}
    for role, name in given.items():
        if name is not None:
            if text(role, name) not in sheet.columns:
                raise DataError(
                    f'{sheet.name} has no column "{name}", given as {role}=. '
                    f"Columns found: {quoted(sheet.columns)}."
                )
            found[role] = name
        elif role in ALIASES:
            fitting = [c for c in sheet.columns if fits(c, ALIASES[role])]
            if len(fitting) == 1:
                found[role] = fitting[0]
    return found


def _kind(sheet: Sheet, found: dict[str, str]) -> str:
    """The layout of the table, by its columns and, for wide tables, by dates in the first one."""
    if "individual" in found:
        if stint_columns(sheet, found.get("start"), found.get("end")) is not None:
            return "intervals"
        if "date" in found:
            return "census"
    if sum(map(is_time_label, sheet.columns)) > 1:
        return "transposed"
    first = plain_label(sheet.columns[0]) if sheet.columns else ""
    if first in (*ALIASES["date"], *MONTHS) or "date" in found or _times_down(sheet):
        return "daily"
    if len(_times_across(sheet)) > 1:
        return "transposed"
    if first.startswith("column_"):
        return "daily"
    if short := [c for c in sheet.columns if may_be_short_month(c)]:
        raise DataError(
            f"{sheet.name}: {quoted(short, limit=4)} may be months or days. Write months as Jan "
            f"2019 or 2019-01, and days as 2019-01-31."
        )
    raise DataError(
        f"{sheet.name}: the layout of the presence data was not recognized. Columns found: "
        f"{quoted(sheet.columns)}. Use one of these layouts: columns individual, start and end "
        f"(one stint per row); date and individual (census); date and one 0/1 column per "
        f"individual (daily); or individual and one 0/1 column per day or month (transposed)."
    )


def _times_across(sheet: Sheet) -> list[str]:
    """Columns whose labels are days or months or, if there are none of these, years."""
    return [c for c in sheet.columns if is_time_label(c)] or [
        c for c in sheet.columns[1:] if is_year_label(c)
    ]


def _times_down(sheet: Sheet) -> bool:
    """Whether all cells of the first column are days or months."""
    if not sheet.columns or sheet.height == 0:
        return False
    values = sheet.column(sheet.columns[0])
    if values.dtype in (pl.Date, pl.Datetime):
        return True
    return values.dtype == pl.String and all(is_time_label(text or "") for text in values)


def _lacking(sheet: Sheet, roles: list[str]) -> DataError:
    """The error for columns that were not found."""
    return DataError(
        f"{sheet.name}: no column was found for {' and '.join(roles)}. Columns found: "
        f"{quoted(sheet.columns)}. "
        + either(
            f"Specify it with {roles[0]}= of read_presence.",
            f'Rename the column to "{roles[0]}".',
        )
    )


def _need(sheet: Sheet, found: dict[str, str], *roles: str) -> None:
    lacking = [role for role in roles if role not in found]
    if lacking:
        raise _lacking(sheet, lacking)


def _intervals(sheet: Sheet, found: dict[str, str], date_format: str | None) -> Presence:
    _need(sheet, found, "individual")
    columns = stint_columns(sheet, found.get("start"), found.get("end"))
    if columns is None:
        raise _lacking(sheet, ["start"])
    return from_intervals(sheet, found["individual"], columns, date_format)


def _daily(sheet: Sheet, found: dict[str, str], date_format: str | None) -> Presence:
    return days_in_rows(sheet, found.get("date", sheet.columns[0]), date_format)


def _transposed(sheet: Sheet, found: dict[str, str], date_format: str | None) -> Presence:
    individual = found.get("individual", sheet.columns[0])
    labels = [c for c in _times_across(sheet) if c != individual]
    if not labels:
        raise DataError(
            f"{sheet.name}: no column has a day or month as its name, such as 2019-01-31 or "
            f"2019-01. Columns found: {quoted(sheet.columns)}."
        )
    return days_in_columns(sheet, individual, labels, date_format)


def _census(sheet: Sheet, found: dict[str, str], date_format: str | None) -> Presence:
    _need(sheet, found, "individual", "date")
    names = names_in(sheet, found["individual"])
    seen = spans_of_column(sheet, found["date"], date_format)
    first, places, census = np.unique(seen.first, return_index=True, return_inverse=True)
    spans = Spans(first, seen.last[places], seen.unit)
    stints = []
    for name in dict.fromkeys(names):
        listed = np.zeros(len(first), bool)
        listed[census[[i for i, other in enumerate(names) if other == name]]] = True
        stints += runs(name, listed, spans)
    notes = ("A census stands for all days of its month.",) if spans.unit == "month" else ()
    return from_stints(sheet, stints, notes)


def attach(
    data: Any, presence: Any, date_format: str | None = None, sheet: str | int | None = None
) -> Any:
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
    presence = read_presence(presence, date_format=date_format, sheet=sheet, names=data.aliases)
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

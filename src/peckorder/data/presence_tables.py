"""Reading presence data in four layouts, and joining them to contests.

In a wide table, one cell per individual and day (or month), in either direction, says present (1,
yes, x or another tick) or absent (0, no, blank). An individual that is present in two successive
days of the table was present between them. A table of stints has first and last days: one stint per
row, or several pairs of columns in a row.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import polars as pl

from peckorder.data.aliases import read_aliases, renamed
from peckorder.data.columns import column_of, plain_label
from peckorder.data.date_columns import MISSING, date_words, no_dates, read_dates, whole_days
from peckorder.data.headings import words
from peckorder.data.presence import ONE_DAY, Presence, forever
from peckorder.data.sheet import Sheet
from peckorder.data.sources import open_sheet
from peckorder.dates import month_number
from peckorder.errors import DataError
from peckorder.text import counted, either, quoted, rows
from peckorder.validate import one_of, text

MONTHS = (
    re.compile(r"(?P<year>\d{4})[-/ ](?P<month>\d{1,2})", re.ASCII),
    re.compile(r"X(?P<year>\d{4})\.(?P<month>\d{1,2})", re.ASCII),  # as R changes labels
    re.compile(r"(?P<month>\d{1,2})[-/. ](?P<year>\d{4})", re.ASCII),
    re.compile(r"(?P<word>[A-Za-z]{3,9})\.?[-/ ]?(?P<year>\d{4})", re.ASCII),
    re.compile(r"(?P<year>\d{4})[-/ ]?(?P<word>[A-Za-z]{3,9})", re.ASCII),
)
DAY = re.compile(
    r"X?\d{1,4}[-./]\d{1,2}[-./]\d{1,4}([ T].*)?|\d{8}|\d{1,2}\.?[ -]?[A-Za-z]{3,9}[ -]?\d{4}"
    r"|[A-Za-z]{3,9} \d{1,2}, \d{4}",
    re.ASCII,
)
SHORT = re.compile(r"(?P<word>[A-Za-z]{3,9})[-' ]\d{2}|\d{2}[-' ](?P<end>[A-Za-z]{3,9})", re.ASCII)
YEAR = re.compile(r"(1[89]|20|21)\d\d", re.ASCII)


@dataclass(frozen=True)
class Spans:
    """First and last day of each row or column of a wide table, and what they are."""

    first: np.ndarray
    last: np.ndarray
    unit: str

    def gaps(self) -> int:
        """How often the next span does not follow directly, in order of time."""
        if self.first.dtype.kind != "M":
            return 0
        order = np.argsort(self.first, kind="stable")
        return int((self.first[order][1:] > self.last[order][:-1] + ONE_DAY).sum())


def month_of(text: str) -> np.datetime64 | None:
    """The month that a text means, or None.

    >>> [str(month_of(text)) for text in ("2019-01", "Feb 2019", "3/2019", "2019-13", "Jan-19")]
    ['2019-01', '2019-02', '2019-03', 'None', 'None']
    """
    for form in MONTHS:
        if found := form.fullmatch(text.strip()):
            parts = found.groupdict()
            word = parts.get("word")
            month = month_number(word) if word else int(parts["month"])
            if 1 <= month <= 12:
                return np.datetime64(f"{parts['year']}-{month:02d}", "M")
    return None


def is_time_label(label: str) -> bool:
    """Whether the label of a column looks like a day or a month."""
    text = label.strip()
    return bool(DAY.fullmatch(text)) or month_of(text) is not None


def may_be_short_month(label: str) -> bool:
    """Whether a label is a month with two digits, which may be a year or a day.

    >>> may_be_short_month("Jan-19"), may_be_short_month("19-Feb"), may_be_short_month("Abe 12")
    (True, True, False)
    """
    found = SHORT.fullmatch(label.strip())
    return found is not None and month_number(found["word"] or found["end"]) > 0


def spans_of_labels(sheet: Sheet, labels: list[str], date_format: str | None) -> Spans:
    """Days or months in the header; errors name the column instead of the row."""
    texts = pl.Series([re.sub(r"^X(?=\d)", "", label.strip()) for label in labels])
    texts = texts.str.replace(r"^(\d{4})\.(\d{2})\.(\d{2})$", "$1-$2-$3")
    if all(month_of(label) is not None for label in labels):
        texts = pl.Series(labels)
    numbers = np.array([sheet.columns.index(label) + 1 for label in labels])
    header = replace(sheet, row_word="column", picked=numbers, files=None)
    return spans_of(header, "header", texts, date_format)


def spans_of(sheet: Sheet, column: str, values: pl.Series, date_format: str | None) -> Spans:
    """Days or months in a column."""
    texts = values.to_list() if values.dtype == pl.String else []
    months = [month_of(text) for text in texts if text is not None]
    if months and len(months) == len(values) and None not in months:
        first = np.array(months, "datetime64[M]")
        last = (first + 1).astype("datetime64[D]") - ONE_DAY
        return Spans(first.astype("datetime64[D]"), last, "month")
    days = plain_days(sheet, column, values, date_format)
    return Spans(days, days, "day" if days.dtype.kind == "M" else "number")


def read_days(sheet: Sheet, column: str, date_format: str | None, *, open_end=False) -> np.ndarray:
    """Days of a column; with `open_end`, an empty cell means no end."""
    values = sheet.column(column)
    if not open_end:
        return plain_days(sheet, column, values, date_format)
    absent = blanks(values)
    if absent.all():
        return np.full(len(values), np.datetime64("9999-12-31"))
    present = values.gather(pl.Series(np.flatnonzero(~absent)))
    known = plain_days(sheet, column, present, date_format, places=np.flatnonzero(~absent))
    days = np.full(len(values), forever(known), known.dtype)
    days[~absent] = known
    return days


def blanks(values: pl.Series) -> np.ndarray:
    """Which cells are empty."""
    if values.dtype == pl.String:
        return values.fill_null("").str.strip_chars().is_in(MISSING).to_numpy()
    if values.dtype.is_float():
        values = values.fill_nan(None)
    return values.is_null().to_numpy()


def plain_days(
    sheet: Sheet,
    column: str,
    values: pl.Series,
    date_format: str | None,
    *,
    places: np.ndarray | None = None,
) -> np.ndarray:
    """Days of a column; the format is used only if they cannot be read without it."""
    places = np.arange(len(values)) if places is None else places
    try:
        dates, lost, problems = read_dates(sheet, column, values, places=places)
    except DataError as error:
        dates, lost, problems = np.zeros(0), np.zeros(0, bool), list(error.problems)
    if problems and date_format is not None:
        dates, lost, problems = read_dates(sheet, column, values, date_format, places=places)
    if lost.any():
        problems.append(no_dates(sheet, column, places[lost]))
    if problems:
        raise DataError(*(f"{sheet.name}: {problem}" for problem in problems))
    return whole_days(dates)


PRESENT = ("1", "1.0", "true", "yes", "y", "present", "p")
TICKS = ("x", "✓", "✔", "√", "+", "*")
ABSENT = ("0", "0.0", "false", "no", "n", "absent", "-", "–", "—")
BLANK = ("", "na", "n/a")


class Cells:
    """Cells of a wide table: which are present, and what has to be reported."""

    def __init__(self, sheet: Sheet):
        self.sheet = sheet
        self.problems: list[str] = []
        self.blank = 0
        self.ticks: dict[str, int] = {}

    def present(self, column: str) -> np.ndarray:
        """Whether each cell of a column means present."""
        words = self.sheet.column(column).cast(pl.String).fill_null("").str.strip_chars()
        small = words.str.to_lowercase()
        present = small.is_in([*PRESENT, *TICKS])
        blank = small.is_in(BLANK)
        bad = ~(present | blank | small.is_in(ABSENT))
        if bad.any():
            where = bad.arg_true().to_numpy()
            self.problems.append(
                f'{self.sheet.name}: {self.sheet.where(where)}: "{words[int(where[0])]}" in column '
                f'"{column}" is neither 1 (present) nor 0 (absent).'
            )
        self.blank += int(blank.sum())
        for tick in small.filter(small.is_in(TICKS)):
            self.ticks[tick] = self.ticks.get(tick, 0) + 1
        return present.to_numpy()

    def notes(self, spans: Spans) -> list[str]:
        """What was decided about cells and days."""
        out = []
        for tick, number in self.ticks.items():
            out.append(f'{counted(number, "cell")} with "{tick}" counted as present.')
        if self.blank:
            cells = counted(self.blank, "empty cell was", "empty cells were")
            out.append(f"{cells} counted as absent.")
        if spans.unit == "month":
            out.append("A cell of the presence table stands for all days of its month.")
        if gaps := spans.gaps():
            table = "daily table" if spans.unit == "day" else "table"
            length = "days" if spans.unit == "day" else "months"
            out.append(
                f"The {table} has {counted(gaps, 'gap')} of one or more {length}; individuals "
                f"present before and after a gap are assumed to have been present during it."
            )
        daily = spans.unit == "day" and len(spans.first) > 2
        if daily and (spans.first == spans.first.astype("datetime64[M]")).all():
            out.append(
                "All dates are the first day of a month, and a cell stands for that day. If it "
                "stands for the month, write months (2019-01)."
            )
        return out


def days_in_rows(sheet: Sheet, column: str, date_format: str | None) -> Presence:
    """Presence from a table with days or months in rows and individuals in columns."""
    spans = spans_of(sheet, column, sheet.column(column), date_format)
    if twice := _duplicates(spans):
        unit = "month" if spans.unit == "month" else "day"
        raise DataError(
            f"{sheet.name}: {sheet.where(np.array(twice))}: the date is a "
            f"duplicate of an earlier row. Use one row per {unit}."
        )
    individuals = [c for c in sheet.columns if c != column]
    if shared := [c for c in individuals if " (column " in c]:
        raise DataError(
            f"{sheet.name}: several columns have the same name: {quoted(shared)}. Use one column "
            f"per individual."
        )
    cells = Cells(sheet)
    stints = [
        stint for name in individuals for stint in runs(name.strip(), cells.present(name), spans)
    ]
    return _presence(cells, stints, spans, [])


def days_in_columns(
    sheet: Sheet, individual: str, labels: list[str], date_format: str | None
) -> Presence:
    """Presence from a table with individuals in rows and days or months in columns."""
    spans = spans_of_labels(sheet, labels, date_format)
    if twice := _duplicates(spans):
        raise DataError(
            f"{sheet.name}: columns {quoted([labels[i] for i in twice])} are the same day or month "
            f"as an earlier column. Use one column for each."
        )
    names = names_in(sheet, individual)
    for name in dict.fromkeys(names):
        own = np.flatnonzero([other == name for other in names])
        if own.size > 1:
            raise DataError(
                f'{sheet.name}: {sheet.where(own)}: "{name}" appears more '
                f"than once. Use one row per individual."
            )
    cells = Cells(sheet)
    table = np.array([cells.present(label) for label in labels])
    stints = [stint for i, name in enumerate(names) for stint in runs(name, table[:, i], spans)]
    notes = [
        f'Presence table: individuals are in rows (column "{individual}") and '
        f"{counted(len(labels), spans.unit)} in columns."
    ]
    unused = [c for c in sheet.columns if c not in (individual, *labels)]
    if unused:
        notes.append(f"Columns that are neither days nor months were not used: {quoted(unused)}.")
    return _presence(cells, stints, spans, notes)


def names_in(sheet: Sheet, column: str) -> list[str]:
    """Names of individuals in a column; all rows must have one."""
    values = sheet.texts(column)
    blank = (values == "").arg_true().to_numpy()
    if blank.size:
        raise DataError(
            f"{sheet.name}: {sheet.where(blank)}: no name in column "
            f'"{column}". Enter the name or delete the row.'
        )
    return values.to_list()


def _duplicates(spans: Spans) -> list[int]:
    """Places whose day or month occurred before."""
    seen: set[Any] = set()
    twice = []
    for place, first in enumerate(spans.first.tolist()):
        if first in seen:
            twice.append(place)
        seen.add(first)
    return twice


def runs(name: str, present: np.ndarray, spans: Spans) -> list[tuple[str, Any, Any]]:
    """Stints of an individual, from successive days or months in which it is present."""
    order = np.argsort(spans.first, kind="stable")
    edges = np.diff(np.concatenate([[0], present[order].astype(np.int8), [0]]))
    begins, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1
    first, last = spans.first[order], spans.last[order]
    return [(name, first[i], last[j]) for i, j in zip(begins, ends, strict=True)]


def _presence(cells: Cells, stints: list, spans: Spans, notes: list[str]) -> Presence:
    if cells.problems:
        raise DataError(*cells.problems)
    return from_stints(cells.sheet, stints, (*notes, *cells.notes(spans)))


def from_stints(sheet: Sheet, stints: list[tuple[str, Any, Any]], notes) -> Presence:
    """Presence from stints; an error if there are none."""
    if not stints:
        raise DataError(f"{sheet.name}: no individual is present on any day.")
    names, starts, ends = zip(*stints, strict=True)
    return Presence(names, np.array(starts), np.array(ends), notes)


KINDS = ("intervals", "daily", "transposed", "census")
OF_MONTHS = ("month", "months", "year_month")
ALIASES = {
    "individual": ("individual", "id", "name", "animal", "subject", "individual_id"),
    "date": ("date", "day", "census", "year", "census_date"),
}


def read_presence(
    source: Any,
    *,
    kind: Literal["intervals", "daily", "transposed", "census"] | None = None,
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
    needed = {"intervals": ("individual",), "census": ("individual", "date")}.get(kind, ())
    if lacking := [role for role in needed if role not in found]:
        raise _lacking(opened, lacking)
    column = None if kind == "daily" else found.get("individual")
    if kind == "daily" or column is not None:
        opened = renamed(opened, aliases, column)
    if kind == "intervals":
        columns = stint_columns(opened, found.get("start"), found.get("end"))
        if columns is None:
            raise _lacking(opened, ["start"])
        return from_intervals(opened, found["individual"], columns, date_format)
    if kind == "daily":
        return days_in_rows(opened, found.get("date", opened.columns[0]), date_format)
    return (_transposed if kind == "transposed" else _census)(opened, found, date_format)


def _columns(sheet: Sheet, given: dict[str, str | None]) -> dict[str, str]:
    found = {
        role: column_of(
            sheet, role, name if name is None else text(role, name), ALIASES.get(role, ())
        )
        for role, name in given.items()
    }
    return {role: column for role, column in found.items() if column}


def _kind(
    sheet: Sheet, found: dict[str, str]
) -> Literal["intervals", "daily", "transposed", "census"]:
    """The layout of the table, by its columns and, for wide tables, by dates in the first one."""
    if "individual" in found:
        if stint_columns(sheet, found.get("start"), found.get("end")) is not None:
            return "intervals"
        if "date" in found:
            return "census"
    if sum(map(is_time_label, sheet.columns)) > 1:
        return "transposed"
    first = plain_label(sheet.columns[0]) if sheet.columns else ""
    if first in (*ALIASES["date"], *OF_MONTHS) or "date" in found or _times_down(sheet):
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
        c for c in sheet.columns[1:] if YEAR.fullmatch(c.strip())
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
    names = names_in(sheet, found["individual"])
    seen = spans_of(sheet, found["date"], sheet.column(found["date"]), date_format)
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
        own = "have no dates" if data.date is None else "have dates"
        own += " that are numbers" if data.date is not None and have == "dates" else ""
        raise DataError(
            f"Presence is given by {have}, but the contests {own}. Use the same type for both."
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
    # Who was present during the study and never fought is a member all the same; with several
    # groups it is not known of which.
    during = presence.during(data.times.min(), data.times.max())
    several = data.group is not None and len(data.group.names) > 1
    unseen = [name for name in dict.fromkeys(presence.individual) if name not in data.individuals]
    new = [] if several else [name for name in unseen if name in during]
    left = [name for name in unseen if name not in new]
    notes = presence.notes
    if new:
        notes += (f"Members without any contest, by the presence data: {quoted(new)}.",)
    if left:
        why = "of an unknown group" if several else "absent during the study"
        notes += (f"Without any contest and {why}, and therefore not rated: {quoted(left)}.",)
    data = replace(data, individuals=(*data.individuals, *new))
    return replace(data, presence=replace(presence.only(data.individuals), notes=notes))


ARRIVAL = words(
    "start start_date from first begin arrival entry date_begin first_seen first_date first_day "
    "arrival_date date_of_arrival arrived entry_date immigration joined since date_in date_from"
)
BIRTH = ("birth", "born", "birth_date", "birthdate", "birthday", "date_of_birth", "dob")
DEPARTURE = words(
    "end end_date to until last departure exit date_end last_seen last_date last_day "
    "departure_date date_of_departure departed exit_date emigration left disappeared date_out "
    "date_to"
)
DEATH = ("death", "died", "death_date", "date_of_death", "dod")


@dataclass(frozen=True)
class StintColumns:
    """Columns of first and last days; the second of a pair is used where the first is blank."""

    starts: list[tuple[str, ...]]
    ends: list[tuple[str, ...]]


def stint_columns(sheet: Sheet, start: str | None, end: str | None) -> StintColumns | None:
    """The columns of stints that are given or recognized; None if there is no first day."""
    starts = [(start,)] if start else _found(sheet, ARRIVAL, BIRTH, "start")
    ends = [(end,)] if end else _found(sheet, DEPARTURE, DEATH, "end")
    if not starts:
        return None
    if ends and len(starts) != len(ends):
        raise DataError(
            f"{sheet.name}: {len(starts)} columns of first days "
            f"({quoted(c for pair in starts for c in pair)}) and {len(ends)} columns of last days "
            f"({quoted(c for pair in ends for c in pair)}) do not form pairs. Name the columns of "
            f"a stint alike (from1, to1, from2, to2)."
        )
    return StintColumns(starts, ends)


def _found(
    sheet: Sheet, usual: tuple[str, ...], otherwise: tuple[str, ...], role: str
) -> list[tuple[str, ...]]:
    first = _numbered(sheet, usual, role)
    second = _numbered(sheet, otherwise, role)
    if len(first) == len(second) == 1:
        return [(first[0], second[0])]
    return [(column,) for column in first or second]


def _numbered(sheet: Sheet, names: tuple[str, ...], role: str) -> list[str]:
    """Columns with one of these names, in the order of their numbers (from1, from2, …)."""
    found: list[tuple[int, int, str, str]] = []
    for place, column in enumerate(sheet.columns):
        label = plain_label(column.split(" (column ")[0])
        name, number = _split(label)
        if name in names:
            found.append((number, place, column, name))
    if len({name for *_, name in found}) > 1:
        raise DataError(
            f"{sheet.name}: several columns may contain the {role} of presence: "
            f"{quoted(column for *_, column, _ in found)}. "
            + either(
                f"Specify one with {role}= of read_presence.", "Rename or delete the other one."
            )
        )
    return [column for *_, column, _ in sorted(found)]


def _split(label: str) -> tuple[str, int]:
    """A label and its number, wherever it stands.

    >>> _split("from2"), _split("date_in_1"), _split("start_3_date"), _split("to")
    (('from', 2), ('date_in', 1), ('start_date', 3), ('to', 0))
    """
    if found := re.search(r"_?(\d{1,2})(?=_|$)", label):
        return (label[: found.start()] + label[found.end() :]).strip("_"), int(found[1])
    return label, 0


def from_intervals(
    sheet: Sheet, individual: str, columns: StintColumns, date_format: str | None
) -> Presence:
    """Presence from a table of stints; refuses stints that overlap or end before they start."""
    names, parts = names_in(sheet, individual), []
    for number, starts in enumerate(columns.starts):
        start, no_start = _first_given(sheet, starts, date_format)
        end, no_end = _first_given(
            sheet, (columns.ends or [()])[number * bool(columns.ends)], date_format
        )
        lost = no_start if number == 0 else no_start & ~no_end
        if lost.any():
            raise DataError(f"{sheet.name}: {no_dates(sheet, starts[0], np.flatnonzero(lost))}")
        parts += [
            (place, start[place], end[place], no_end[place]) for place in np.flatnonzero(~no_start)
        ]
    days = [day for _, start, end, opened in parts for day in ([start] if opened else [start, end])]
    if len({day.dtype.kind for day in days}) > 1:
        raise DataError(f"{sheet.name}: start and end must both be dates, or both numbers.")
    start = np.array([start for _, start, _, _ in parts])
    end = np.array([forever(start) if opened else end for _, _, end, opened in parts], start.dtype)
    places = [int(part[0]) for part in parts]
    notes = _decisions(columns)
    return _checked(sheet, [names[i] for i in places], places, start, end, notes)


def _decisions(columns: StintColumns) -> list[str]:
    """Notes on columns beyond one pair of first and last day."""
    notes = []
    if len(columns.starts) > 1:
        pairs = zip(columns.starts, columns.ends, strict=False)
        shown = "; ".join(f'"{one[0]}" to "{other[0]}"' for one, other in pairs)
        notes.append(f"Each row has up to {len(columns.starts)} stints: {shown}.")
    for pair, what in ((columns.starts[0], "first"), ((columns.ends or [()])[0], "last")):
        if len(pair) > 1:
            notes.append(
                f'The {what} day of an individual is "{pair[0]}" or, if that is empty, "{pair[1]}".'
            )
    if not columns.ends:
        notes.append("There is no column of last days: all individuals remain present.")
    return notes


def _first_given(
    sheet: Sheet, columns: tuple[str, ...], date_format: str | None
) -> tuple[np.ndarray, np.ndarray]:
    """Days of the first of these columns that is not blank in a row, and where all are blank."""
    missing = np.ones(sheet.height, bool)
    days: np.ndarray | None = None
    for column in columns:
        blank = blanks(sheet.column(column))
        if blank.all():
            continue
        own = read_days(sheet, column, date_format, open_end=True)
        if days is None:
            days = own.copy()
        elif days.dtype.kind != own.dtype.kind:
            raise DataError(
                f"{sheet.name}: columns {quoted(columns)} must all contain dates, or all numbers."
            )
        else:
            days = np.where(missing & ~blank, own, days)
        missing &= blank
    return (np.zeros(sheet.height, "datetime64[D]") if days is None else days), missing


def _checked(
    sheet: Sheet,
    names: list[str],
    places: list[int],
    start: np.ndarray,
    end: np.ndarray,
    notes: list[str],
) -> Presence:
    problems = []
    row = sheet.rows(np.array(places))
    backwards = np.flatnonzero(end < start)
    if backwards.size:
        place = backwards[0]
        problems.append(
            f"{sheet.name}: {rows(sheet.row_word, row[backwards])}: the stint of "
            f'"{names[place]}" ends ({date_words(end[place])}) before it starts '
            f"({date_words(start[place])}). Correct the dates."
        )
    appearance = {name: i for i, name in enumerate(dict.fromkeys(names))}
    order = np.lexsort((start, np.array([appearance[name] for name in names])))
    absences = []
    for one, other in pairwise(order):
        if names[one] != names[other]:
            continue
        if start[other] <= end[one]:
            where = rows(sheet.row_word, sorted({int(row[one]), int(row[other])}))
            problems.append(
                f'{sheet.name}: {where}: two stints of "{names[one]}" overlap (until '
                f"{date_words(end[one])}, and from {date_words(start[other])}). Merge them or "
                f"correct the dates."
            )
        elif start[other] > end[one] + (ONE_DAY if end.dtype.kind == "M" else 1):
            gone, back = date_words(end[one]), date_words(start[other])
            absences.append(f"{names[one]} was absent after {gone}, until {back}.")
    if problems:
        raise DataError(*problems)
    ordered = tuple(names[i] for i in order)
    return Presence(ordered, start[order], end[order], (*notes, *absences))

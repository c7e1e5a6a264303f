"""Reading tables of visits: who was at which feeder or antenna, from when to when.

A row is a visit with a start and an end, or a detection at a single time. Rows are checked like
those of contests: all problems are reported together, with their rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from peckorder.checked import one_of
from peckorder.data.visit_times import days_of, ends_of, times_of, where, without_end
from peckorder.errors import DataError
from peckorder.sources.columns import fits, refuse_other_types
from peckorder.sources.file_rows import FileRows
from peckorder.sources.headings import heading
from peckorder.sources.names import text_of
from peckorder.sources.sheet import Sheet
from peckorder.sources.source import open_sheet
from peckorder.wording import either, option, quoted

ALIASES = {
    "individual": (
        "id",
        "individual",
        "animal",
        "tag",
        "animal_id",
        "individual_id",
        "tag_id",
        "bird",
        "bird_id",
        "cow",
        "cow_id",
        "subject",
        "pit",
        "rfid",
        "transponder",
        "tier",
        "vogel",
    ),
    "place": (
        "place",
        "feeder",
        "antenna",
        "bin",
        "feeder_id",
        "antenna_id",
        "bin_id",
        "logger",
        "logger_id",
        "location",
        "site",
        "station",
        "drinker",
        "bunk",
        "reader",
        "antenne",
        "antena",
        "futterstelle",
    ),
    "start": (
        "start",
        "start_time",
        "begin",
        "arrival",
        "time_in",
        "entry",
        "timestamp",
        "time_stamp",
        "datetime",
        "date_time",
        "time",
        "detection",
        "zeitstempel",
        "horodatage",
        "beginn",
        "debut",
        "inicio",
    ),
    "end": ("end", "end_time", "stop", "departure", "time_out", "exit", "ende", "fin", "fim"),
    "date": ("date", "day"),
}
OPTIONAL = ("end", "date")
VISIT = ("individual", "place", "start", "end")
DURATIONS = ("duration", "dauer", "duree", "duracion", "duracao", "durata", "visitlength")
MISSING_ENDS = ("refuse", "start")


@dataclass(frozen=True, eq=False)
class Visits:
    """Visits sorted by place and start; times in microseconds."""

    individuals: tuple[str, ...]
    places: tuple[str, ...]
    who: np.ndarray
    place: np.ndarray
    start: np.ndarray
    end: np.ndarray
    rows: np.ndarray
    dated: bool
    source: str
    rows_in: int
    row_word: str
    flavor: str
    files: FileRows | None
    columns: dict[str, str]
    unused: tuple[str, ...]
    dropped: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def labels(self, visits: np.ndarray) -> np.ndarray:
        """Rows of these visits as they appear in messages."""
        numbers = np.sort(self.rows[visits])
        return numbers if self.files is None else self.files.labels(numbers)


def read_visits(
    source: Any,
    columns: dict[str, Any],
    *,
    date_format: str | None = None,
    missing: str = "refuse",
    missing_end: str = "refuse",
    **opening: Any,
) -> Visits:
    """Read and check a table of visits; `columns` are given by role, or detected."""
    one_of("missing", missing, ("refuse", "drop"))
    one_of("missing_end", missing_end, MISSING_ENDS)
    sheet = open_sheet(source, **opening)
    found, notes = _find_columns(sheet, columns)
    if sheet.height == 0:
        raise DataError(f"{sheet.name} has a header but no visits.")
    problems: list[str] = []
    who, individuals, no_name = _coded(sheet, found["individual"])
    if "place" in found:
        place, places, no_place = _coded(sheet, found["place"], by_name=True)
    else:
        place, places = np.zeros(sheet.height, np.int32), ("",)
        no_place = np.zeros(sheet.height, bool)
    day = days_of(sheet, found, columns, date_format, problems, notes)
    start, no_start, dated = times_of(sheet, found["start"], date_format, problems, day)
    lost = {"individual": no_name, "place": no_place, "start": no_start}
    if missing == "refuse":
        for role, gone in lost.items():
            if gone.any():
                problems.append(
                    f'{where(sheet, gone)}: no {role} in column "{found[role]}". Fill it in, or '
                    f"use {option('missing', 'drop')} to drop such rows."
                )
    kept = ~(no_name | no_place | no_start)
    end = start
    if "end" in found:
        end, no_end = ends_of(sheet, found, start, dated, date_format, problems, day, notes)
        end = without_end(sheet, found, start, end, no_end & kept, missing_end, problems, notes)
        backwards = kept & (end < start)
        if backwards.any() and not problems:
            problems.append(
                f"{where(sheet, backwards)}: the visit ends before it starts. Correct the times."
            )
    else:
        _refuse_durations(sheet, columns, found)
        notes.append("There is no column of ends: each row is a detection at a single time.")
    if problems:
        raise DataError(*problems)
    if not kept.any():
        raise DataError(f"{sheet.name}: no visits remain.")
    order = _sorted(place, start, kept)
    return Visits(
        individuals,
        places,
        who[order],
        place[order],
        start[order],
        end[order],
        sheet.numbers(order),
        dated,
        sheet.name,
        sheet.height,
        sheet.row_word,
        sheet.flavor,
        sheet.files,
        found,
        tuple(column for column in sheet.columns if column not in found.values()),
        {"no individual, place or start": int((~kept).sum())} if not kept.all() else {},
        (*sheet.notes, *notes),
    )


def refuse_visits(sheet: Sheet) -> None:
    """Raise an error for a table of visits where contests are expected."""
    found = {role: [c for c in sheet.columns if fits(c, ALIASES[role])] for role in VISIT}
    if not all(found.values()):
        return
    columns = quoted(column for role in VISIT for column in found[role])
    raise DataError(
        f"{sheet.name} appears to contain visits to a feeder or an antenna (columns {columns}): "
        f"they say who was there, and not who won. Who replaced whom within a time that you choose "
        f"can be counted as contests with "
        + either(
            'peckorder.displacements(…, within="2s").',
            "peckorder displacements FILE --within 2s -o contests.csv.",
        )
    )


def _refuse_durations(sheet: Sheet, given: dict[str, Any], found: dict[str, str]) -> None:
    """Raise an error if the end of a visit is only given by its duration, which is not read."""
    others = [c for c in sheet.columns if c not in found.values()]
    long = [c for c in others if heading(c).startswith(DURATIONS)]
    if long and given.get("end") is None:
        raise DataError(
            f'{sheet.name}: column "{long[0]}" appears to contain durations of visits, and there '
            f"is no column of ends. Add a column with the end of each visit, or use "
            f"{option('end', '')} to read each row as a detection at its start."
        )


def _find_columns(sheet: Sheet, given: dict[str, Any]) -> tuple[dict[str, str], list[str]]:
    refuse_other_types(sheet, given)
    found, problems, notes = {}, [], []
    named = [name for name in given.values() if isinstance(name, str)]
    for role, name in given.items():
        if isinstance(name, str) and name and name not in sheet.columns:
            problems.append(
                f'{sheet.name} has no column "{name}", given as {option(role)}. Columns found: '
                f"{quoted(sheet.columns)}."
            )
        elif name is False or name == "":
            if role not in (*OPTIONAL, "place"):
                problems.append(f"{sheet.name}: a column for {role} is required.")
        elif name:
            found[role] = name
        else:
            fitting = [c for c in sheet.columns if c not in named and fits(c, ALIASES[role])]
            if len(fitting) == 1:
                found[role] = fitting[0]
            elif len(fitting) > 1:
                problems.append(
                    f"{sheet.name}: several columns match {role}: {quoted(fitting)}. Choose one "
                    f"with {option(role)}."
                )
            elif role not in OPTIONAL:
                alone = (
                    f", or {option('place', '')} if all visits were to one place"
                    if role == "place"
                    else ""
                )
                problems.append(
                    f"{sheet.name}: no column was found for {role}. Columns found: "
                    f"{quoted(sheet.columns)}. Specify the column with {option(role)}{alone}."
                )
    if problems:
        raise DataError(*problems)
    if "place" not in found:
        notes.append("All visits are taken to be to one place.")
    return found, notes


def _coded(
    sheet: Sheet, column: str, *, by_name: bool = False
) -> tuple[np.ndarray, tuple[str, ...], np.ndarray]:
    """Codes of labels in order of appearance or of names, their names, and where there is none."""
    values = text_of(sheet.column(column)).fill_null("")
    spellings = values.unique(maintain_order=True)
    codes = values.cast(pl.Enum(spellings)).to_physical().to_numpy().astype(np.int32)
    plain = spellings.str.strip_chars()  # of few spellings, not of all rows
    names = plain.unique(maintain_order=True)
    names = names.sort() if by_name else names
    if not names.equals(spellings):
        code = plain.cast(pl.Enum(names)).to_physical().to_numpy().astype(np.int32)
        codes = code[codes]
    labels = tuple(names.to_list())
    blank = codes == labels.index("") if "" in labels else np.zeros(len(codes), bool)
    return codes, labels, blank


def _sorted(place: np.ndarray, start: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """The order of visits by place, then by start; that of simultaneous ones does not matter."""
    every = bool(kept.all())  # as usual: then nothing has to be selected
    order = np.flatnonzero(kept)
    times = start if every else start[order]
    if (times[1:] < times[:-1]).any():
        by_time = pl.Series(times).arg_sort().to_numpy()
        order = by_time if every else order[by_time]
    small = place[order].astype(np.uint16 if place.max(initial=0) < 2**16 else np.int32)
    return order[np.argsort(small, kind="stable")]  # by radix where places are few

"""Opened sheets of a record, kept so that a decision does not read the file again.

Opening a file is most of the work of reading it, and nearly all decisions (names, dates, rows left
out) are about cells that stay the same. Which cells there are depends on few arguments only: those
of the file (sheet, header, separator, encoding) and the columns by which the header is searched.

The record: an uploaded file as it was, stored under its hash.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import polars as pl

from peckorder.data.columns import STATING
from peckorder.data.headings import Wanted, wanted_columns
from peckorder.data.presence_tables import read_presence
from peckorder.data.sheet import Sheet
from peckorder.data.sources import open_sheet
from peckorder.datasets import CATALOGUE
from peckorder.errors import DataError, PeckorderError
from peckorder.executors.processes import python

LONGEST_NAME = 80  # characters of the name of a file
MOST_MEMORY, LONGEST = 4096 << 20, 120  # bytes and seconds in which an upload must be opened
BETWEEN_LOOKS = 0.1  # seconds between looks at the memory that is used
COMPRESSED = (b"\x1f\x8b", b"BZh", b"\xfd7z")
WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
PARQUET = b"PAR1"
PASTED, MADE = "pasted.tsv", " (joined).xlsx"  # names of files that the app makes
MIDNIGHT = re.compile(r"\d{4}-\d\d-\d\d 00:00:00")  # a date of a workbook
LONGEST_LABEL, MOST_JOINED = 31, 1_000_000  # characters of the name of a sheet, and its rows


@dataclass(frozen=True)
class Record:
    """An upload."""

    name: str  # name of the file, as shown
    sha256: str  # hash of its content, as hexadecimal digits
    path: Path
    size: int  # bytes
    example: str | None = None  # name of a shipped data set, if it is one

    @property
    def is_workbook(self) -> bool:
        """Whether the content is that of an Excel or OpenDocument workbook."""
        with self.path.open("rb") as file:
            return file.read(4) in WORKBOOKS

    @cached_property
    def sheets(self) -> list[str]:
        """Names of the sheets of a workbook; empty for other files."""
        if not self.is_workbook:
            return []
        import fastexcel

        try:
            return fastexcel.read_excel(self.path).sheet_names
        except BaseException as error:  # a panic of the reader is not an Exception
            if isinstance(error, Exception) or type(error).__name__ == "PanicException":
                raise DataError(f"{self.name} cannot be opened as a workbook.") from error
            raise

    def described(self) -> dict[str, Any]:
        """The record as the page knows it."""
        try:
            sheets = self.sheets
        except DataError:
            sheets = []
        return {
            "name": self.name,
            "sha256": self.sha256,
            "bytes": self.size,
            "sheets": sheets,
            "example": self.example,
        }


def plain_name(name: str) -> str:
    r"""The name of a file without folders and signs that mean something to a file system.

    >>> plain_name("../../etc/pass wd.csv"), plain_name("C:\\data\\.a.xlsx"), plain_name("/..")
    ('pass wd.csv', 'a.xlsx', 'contests.csv')
    """
    last = re.split(r"[/\\]", name)[-1]
    kept = re.sub(r"[^\w .()+-]+", "_", last).strip(" .")
    stem, dot, ending = kept.rpartition(".")
    if not dot:
        stem, ending = kept, "csv"
    stem = stem.strip(" .")[:LONGEST_NAME]
    return f"{stem}.{ending[:12]}" if stem else "contests.csv"


def stored(folder: Path, name: str, content: bytes, example: str | None = None) -> Record:
    """Store an upload under its hash, once."""
    digest = hashlib.sha256(content).hexdigest()
    place = folder / digest[:32]
    place.mkdir(parents=True, exist_ok=True)
    path = place / plain_name(name)
    if not path.exists():
        path.write_bytes(content)
        if example is None and (b"\0" in content[:8192] or content.startswith(COMPRESSED)):
            _refuse_dangerous(path)
    return Record(plain_name(name), digest, path, len(content), example)


def _refuse_dangerous(path: Path) -> None:
    """Open a file that is not plain text in a process of its own first, with limits.

    Such files are read by compiled code, which may need any amount of memory, or end the process.
    """
    command = python("-P", "-m", "peckorder.app.uploads", str(path), str(MOST_MEMORY))
    try:
        done = subprocess.run(command, stderr=subprocess.DEVNULL, timeout=LONGEST, check=False)
        failed = done.returncode != 0
    except subprocess.TimeoutExpired:
        failed = True
    if failed:
        path.unlink()
        raise DataError(
            f"{path.name} cannot be opened: its reader failed, or needed more than "
            f"{MOST_MEMORY >> 20:,} MB of memory or {LONGEST} s. Open it in the program that wrote "
            f"it, and save the sheet as CSV."
        )


def limit_memory(most: int, say: Callable[[], object]) -> None:
    """End this process when it needs more memory, where the system reports how much it needs.

    The system refuses twice as much, which a library may survive by waiting forever.
    """
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (2 * most, 2 * most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        unit = 1 if sys.platform == "darwin" else 1024

        def look() -> None:
            while resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit <= most:
                time.sleep(BETWEEN_LOOKS)
            say()
            os._exit(1)

        threading.Thread(target=look, daemon=True).start()


def main(path: str, memory: int) -> None:
    """Open all sheets of a file; what is wrong with its content is said by the server."""
    limit_memory(memory, lambda: None)
    record = Record(Path(path).name, "", Path(path), 0)
    for sheet in record.described()["sheets"][:MOST_SHEETS] or [None]:
        with contextlib.suppress(PeckorderError, OSError, pl.exceptions.PolarsError):
            open_sheet(path, sheet=sheet, wanted=_wanted({}, ()))


def as_text(column: pl.Series) -> pl.Series:
    """The cells of a column as they are shown."""
    if column.dtype == pl.String:
        return column.fill_null("")
    if column.dtype.is_nested() or column.dtype in (pl.Object, pl.Binary):
        return pl.Series([str(value) for value in column], dtype=pl.String)
    return column.cast(pl.String, strict=False).fill_null("")


def without_midnight(cell: str) -> str:
    """A date of a workbook without its time of day.

    >>> without_midnight("2021-03-04 00:00:00"), without_midnight("2021-03-04 06:00:00")
    ('2021-03-04', '2021-03-04 06:00:00')
    """
    return cell.removesuffix(" 00:00:00") if MIDNIGHT.fullmatch(cell) else cell


def joined(folder: Path, records: list[Record]) -> Record:
    """Several files as the sheets of one workbook, in which their rows keep their numbers.

    What `read` knows of several sheets is then true of several files, and the workbook can be
    saved, so that the code beside the sheet reads the same contests.
    """
    import xlsxwriter

    buffer, taken = io.BytesIO(), set()
    with xlsxwriter.Workbook(
        buffer, {"constant_memory": True, "strings_to_formulas": False}
    ) as book:
        book.set_properties({"created": datetime(2000, 1, 1)})  # equal files give equal workbooks
        for record in records:
            labels = record.sheets or [None]
            for label in labels[:MOST_SHEETS]:
                sheet = _opened(record, label, alone=len(labels) == 1)
                if sheet is None:
                    continue
                name = label if label and len(labels) > 1 else record.name.rpartition(".")[0]
                page = book.add_worksheet(_free_label(name, taken))
                rows = [sheet.columns, *pl.DataFrame(map(as_text, sheet.table())).rows()]
                for number, row in enumerate(rows, max(0, sheet.first_row - 2)):
                    for place, cell in enumerate(row):
                        if cell:
                            page.write_string(number, place, without_midnight(cell))
    stems = " + ".join(re.sub(r"( \(joined\))?\.\w+$", "", one.name) for one in records)
    return stored(folder, f"{stems[: LONGEST_NAME - len(MADE)]}{MADE}", buffer.getvalue())


def _opened(record: Record, label: str | None, *, alone: bool) -> Sheet | None:
    """One sheet of a file to be joined; of several sheets, those without a table are left."""
    for header in (None, 1):
        try:
            found = open_sheet(str(record.path), sheet=label, header=header, wanted=_wanted({}, ()))
        except (PeckorderError, OSError) as error:
            if alone and header:
                raise DataError(
                    f"{record.name} cannot be joined with other files: {error}"
                ) from None
            continue
        if found.batches is not None or found.height >= MOST_JOINED:
            raise DataError(
                f"{record.name} is too long to be joined with other files here: a sheet holds "
                f"{MOST_JOINED:,} rows. Join the files first, and open the result."
            )
        return found
    return None


def _free_label(name: str, taken: set[str]) -> str:
    """A name of a sheet as workbooks allow it, not taken yet (case does not count).

    >>> taken = set()
    >>> _free_label("a/b", taken), _free_label("A b", taken), _free_label("x" * 40, taken)
    ('a b', 'A b 2', 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx')
    """
    plain = re.sub(r"[\[\]:*?/\\]", " ", name).strip(" '")[:LONGEST_LABEL] or "sheet"
    found, number = plain, 1
    while found.casefold() in taken:
        number += 1
        found = f"{plain[: LONGEST_LABEL - 4]} {number}"
    taken.add(found.casefold())
    return found


def example(folder: Path, name: str) -> Record:
    """A shipped data set as a record."""
    if name not in CATALOGUE:
        raise DataError(f'There is no example "{name}". Choose one of: {", ".join(CATALOGUE)}.')
    content = Path(CATALOGUE[name].path).read_bytes()
    return stored(folder, f"{name}.csv", content, example=name)


LAYOUT = ("sheet", "separator", "encoding", "header")
KEPT_SHEETS, MOST_SHEETS = 3, 24
LARGE = 20 << 20  # bytes of a file of which one sheet is kept only


Keep = Callable[[Hashable, Callable[[], Any]], Any]  # a value by key, made if it is not known


@dataclass(unsafe_hash=True)
class Asked:
    """A value that is asked for by its key, and how to make it."""

    key: Hashable
    make: Callable[[], Any] | None = field(compare=False)

    def value(self) -> Any:
        """Make the value; what it is made from is not held any longer."""
        make, self.make = self.make, None
        return None if make is None else make()


def keeper(most: int) -> Keep:
    """Keep a few values, of which the one not used for longest is forgotten.

    >>> keep = keeper(1)
    >>> keep("a", lambda: 1), keep("a", lambda: 2), keep("b", lambda: 3), keep("a", lambda: 4)
    (1, 1, 3, 4)
    """
    kept = lru_cache(most)(Asked.value)
    return lambda key, make: kept(Asked(key, make))


class Sheets:
    """The sheets of one record that were opened last."""

    def __init__(self, record: Record):
        self.record, self.keep = record, keeper(KEPT_SHEETS if record.size <= LARGE else 1)
        self.stays: dict[tuple[str, str | None], dict[str, int]] = {}

    def open(self, options: Mapping[str, Any], roles: Iterable[str]) -> Sheet:
        """The sheet that these arguments of `read` open; a copy, whose notes may be added to.

        `roles` are the arguments that name columns.
        """
        layout, wanted = _layout(options), _wanted(options, roles)
        sheet = self.keep(
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


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))

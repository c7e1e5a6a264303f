"""`Sheet`: an input table before it is interpreted, with the row numbers of its source.

Rows of a table that consists of several files: which row of which file a contest is.

Cells of formulas that have no value: errors such as #N/A, and formulas never calculated.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
import polars as pl

from peckorder.data.names import text_of
from peckorder.errors import ArgumentTypeError, DataError
from peckorder.text import given, option, quoted, rows


@dataclass(frozen=True)
class FileRows:
    """Names of files, their numbers of rows, and the number of the first row of each.

    >>> files = FileRows(("a.csv", "b.csv"), (3, 2), (2, 2))
    >>> files.labels([0, 2, 4]).tolist()
    ['2 of a.csv', '4 of a.csv', '3 of b.csv']
    """

    names: tuple[str, ...]
    heights: tuple[int, ...]
    first_rows: tuple[int, ...]

    def of(self, numbers: Any) -> np.ndarray:
        """The index of the file of each row, numbered through all files."""
        return np.searchsorted(np.cumsum(self.heights), numbers, side="right")

    def labels(self, numbers: Any) -> np.ndarray:
        """Rows as they appear in messages."""
        numbers = np.asarray(numbers)
        file = self.of(numbers)
        begins = np.concatenate([[0], np.cumsum(self.heights)])
        within = numbers - begins[file] + np.array(self.first_rows)[file]
        said = [
            f"{row} of {self.names[i]}"
            for row, i in zip(within.ravel().tolist(), file.ravel().tolist(), strict=True)
        ]
        return np.array(said, dtype=object).reshape(numbers.shape)


ROWS_AT_ONCE = 1 << 20
MOST_LEFT_OUT = 20  # rows that a message offers to leave out
# What polars raises for a damaged file. A panic is not an Exception, and it is final only for the
# query in which it happens.
DAMAGED = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)
Job = TypeVar("Job")
Done = TypeVar("Done")


@dataclass(frozen=True)
class Part:
    """One of several files that form a table."""

    name: str
    frame: pl.LazyFrame
    height: int
    first_row: int = 0


@dataclass(frozen=True)
class Sheet:
    """An input table before it is interpreted.

    Cells of text files and workbooks are text; other sources keep their types. `cells` contains
    the cells of a text file including the header row, since a matrix may have no header. `parts`
    are the files of a table of several files; `files` are the rows of files or sheets that were
    joined, and `added` the columns that the joining added. `picked` are the rows of the source if
    only some were selected. `ready` holds the columns of a batch that were read ahead, and `held`
    the table behind `frame` if it is in memory, with that frame: another frame ends it. `query` is
    True for a LazyFrame of the user, which is executed once; `batches` reads a query of a database,
    so many rows at a time (the frame is then empty), whose rows without ORDER BY are not `ordered`.
    """

    frame: pl.LazyFrame
    columns: list[str]
    height: int
    name: str
    row_word: str = "row"
    first_row: int = 0
    flavor: str = "polars"
    cells: pl.DataFrame | None = None
    row_names: list[str] | None = None
    streamed: bool = False
    picked: np.ndarray | None = None
    notes: list[str] = field(default_factory=list)
    parts: tuple[Part, ...] = ()
    files: FileRows | None = None
    added: tuple[str, ...] = ()
    separator: str | None = None
    ordered: bool = True
    batches: Callable[[int], Iterator[pl.DataFrame]] | None = None
    ready: pl.DataFrame | None = None
    query: bool = False
    held: tuple[pl.LazyFrame, pl.DataFrame] | None = None
    titles: tuple[str, ...] = ()  # cells above the header
    made: tuple[str, ...] = ()  # columns that reading made, from those in `parts_used`
    parts_used: tuple[str, ...] = ()
    log: dict[str, str] | None = None  # roles of the columns of a behavior log
    named: dict[str, np.ndarray] = field(default_factory=dict)  # rows that messages have named

    @classmethod
    def of(cls, table: pl.DataFrame, name: str, **more: Any) -> Sheet:
        """A table that is in memory."""
        query = table.lazy()
        return cls(query, table.columns, table.height, name, held=(query, table), **more)

    def column(self, name: str) -> pl.Series:
        """One column, read into memory; categories as text."""
        if self.ready is not None and name in self.ready.columns:
            return self._usable(self.ready[name])
        return self._usable(self.table(name).to_series())

    def table(self, *names: str) -> pl.DataFrame:
        """The named columns, or all, read into memory."""
        if self.ready is not None and names and set(names) <= set(self.ready.columns):
            return self.ready[list(names)]  # without a query, which select would be
        if self.parts:  # one file after another, so that a damaged one can be named
            return pl.concat([self._read(self._part(i), names) for i in range(len(self.parts))])
        return self._read(self, names)

    def texts(self, name: str) -> pl.Series:
        """One column as text without blanks around the cells; empty where there is none."""
        return text_of(self.column(name)).fill_null("").str.strip_chars()

    def where(self, places: Any) -> str:
        """Rows as they are named in a message: those at these places, or where a mask is True."""
        places = np.asarray(places)
        numbers = self.rows(np.flatnonzero(places) if places.dtype == bool else places)
        text = rows(self.row_word, numbers)
        self.named[text] = numbers
        return text

    def rows_of(self, problem: str) -> tuple[Any, ...]:
        """The rows that a message begins with, all of them."""
        found = [text for text in self.named if problem.startswith(f"{text}: ")]
        return tuple(self.named[max(found, key=len)].tolist()) if found else ()

    def leaving(self, places: Any) -> str:
        """What leaves these rows out, after a comma; nothing for many rows."""
        listed = ",".join(map(str, self.rows(np.asarray(places)).tolist()))
        few = 0 < len(places) <= MOST_LEFT_OUT and not self.streamed
        return f", or leave them out with {option('leave_out', listed)}" if few else ""

    def chunks(self, *names: str, rows: int = ROWS_AT_ONCE) -> Iterator[list[pl.Series]]:
        """The named columns in batches of rows, to limit memory use.

        The next batch is read while the current one is processed.
        """
        if self.height <= rows and not self.parts:
            table = self.table(*dict.fromkeys(names))  # one column may be requested twice
            yield [self._usable(table[name]) for name in names]
            return
        for piece in self.pieces(rows, *dict.fromkeys(names)):
            yield [piece.column(name) for name in names]

    def pieces(self, rows: int, *names: str) -> Iterator[Sheet]:
        """The sheet in batches of rows, in order; the named columns of a batch are read ahead."""
        if self.batches is not None:
            yield from self._numbered(self.batches(rows))
            return
        if self.query and hasattr(self.frame, "collect_batches"):
            yield from self._batches_of_query(rows)
            return
        wholes = [self._part(i) for i in range(len(self.parts))] or [self]
        jobs = ((whole, begin) for whole in wholes for begin in range(0, whole.height, rows))

        def piece(job: tuple[Sheet, int]) -> Sheet:
            whole, begin = job
            height = min(rows, whole.height - begin)
            part = replace(
                whole,
                frame=whole.frame.slice(begin, height),
                height=height,
                first_row=whole.first_row + begin,
            )
            return replace(part, ready=self._read(part, names))

        for part in _ahead(piece, jobs):
            # Messages about cells name the file in each row.
            yield replace(part, name=self.name)

    def _batches_of_query(self, rows: int) -> Iterator[Sheet]:
        """The result of a query of the user in batches; the query is executed once."""
        try:
            yield from self._numbered(
                self.frame.collect_batches(chunk_size=rows, maintain_order=True)
            )
        except DAMAGED as error:
            raise DataError(f"{self.name} cannot be read ({reason(error)}).") from error

    def _numbered(self, tables: Iterable[pl.DataFrame]) -> Iterator[Sheet]:
        """Batches as sheets, with the row numbers of the whole."""
        begin = self.first_row
        for table in tables:
            yield self.of_table(table, first_row=begin, batches=None)
            begin += table.height

    def of_rows(self, table: pl.DataFrame, places: np.ndarray, **changes: Any) -> Sheet:
        """A sheet of some of the rows, or of rows that are used several times."""
        return self.of_table(table, picked=self.numbers(places), **changes)

    def of_table(self, table: pl.DataFrame, *notes: str, **changes: Any) -> Sheet:
        """A sheet with the cells of another table, and further notes."""
        own: dict[str, Any] = {"frame": table.lazy(), "columns": table.columns}
        own |= {"height": table.height, "parts": (), "ready": None, "query": False}
        return replace(self, **(own | {"notes": [*self.notes, *notes]} | changes))

    def _part(self, i: int) -> Sheet:
        """One of the files as a sheet; its rows are numbered through all files."""
        part = self.parts[i]
        begin = sum(earlier.height for earlier in self.parts[:i])
        return replace(
            self, frame=part.frame, height=part.height, name=part.name, first_row=begin, parts=()
        )

    def numbers(self, places: np.ndarray) -> np.ndarray:
        """Row numbers, through all files if there are several."""
        places = np.asarray(places)
        return places + self.first_row if self.picked is None else self.picked[places]

    def rows(self, places: np.ndarray) -> np.ndarray:
        """Rows as they appear in messages: numbers in the source, or in one of several files."""
        numbers = self.numbers(places)
        return numbers if self.files is None else self.files.labels(numbers)

    def blank_rows(self) -> np.ndarray:
        """Whether all cells of each row are blank, except for the name of a joined sheet."""
        blank = np.ones(self.height, bool)
        for column in self.table(*(c for c in self.columns if c not in self.added)):
            if not blank.any():
                break
            empty = column.is_null()
            if column.dtype in (pl.String, pl.Categorical, pl.Enum):
                text = column.cast(pl.String).fill_null("").str.strip_chars()
                empty |= (text == "") | without_value(text)  # formulas copied below the table
            blank &= empty.to_numpy()
        return blank

    def _usable(self, column: pl.Series) -> pl.Series:
        """The column, if its cells are single values; categories and bytes become text."""
        if column.dtype in (pl.Categorical, pl.Enum, pl.Null):
            return column.cast(pl.String)
        if column.dtype == pl.Binary:
            with contextlib.suppress(pl.exceptions.PolarsError):
                return column.cast(pl.String)
        elif not column.dtype.is_nested() and column.dtype not in (pl.Object, pl.Duration):
            return column
        raise DataError(
            f'{self.name}: column "{column.name}" contains values of type {column.dtype}. Convert '
            f"it to text, numbers or dates (one value per cell), or use another column."
        )

    @staticmethod
    def _read(sheet: Sheet, names: Iterable[str]) -> pl.DataFrame:
        try:
            if sheet.held is not None and sheet.held[0] is sheet.frame:  # without a query
                return sheet.held[1][list(names)] if names else sheet.held[1]
            frame = sheet.frame.select(*names) if names else sheet.frame
            return frame.collect()
        except DAMAGED as error:
            raise DataError(
                f"{sheet.name} cannot be read; the file is damaged ({reason(error)}). Obtain a new "
                f"copy."
            ) from error


def stacked(whole: Sequence[Part], name: str, columns: list[str], **more: Any) -> Sheet:
    """One sheet of the rows of several, which have the same columns."""
    names, heights, first_rows = zip(
        *((one.name, one.height, one.first_row) for one in whole), strict=True
    )
    files = FileRows(names, heights, first_rows)
    frame = pl.concat([part.frame for part in whole])
    return Sheet(frame, columns, sum(heights), name, files=files, **more)


MOST_KEPT = 200_000  # rows of a sheet that is kept together with its contests


def without_cells(sheet: Sheet) -> Sheet:
    """A large sheet without its cells, which would stay in memory beside the contests."""
    if sheet.height <= MOST_KEPT and not sheet.parts and sheet.batches is None:
        return sheet
    bare: dict[str, Any] = {"frame": pl.LazyFrame(), "held": None, "cells": None, "ready": None}
    return replace(sheet, **bare, parts=(), batches=None)


def without_rows(sheet: Sheet, rows: Any) -> Sheet:
    """The sheet without rows of the source, given as numbers or as text such as "5-9"."""
    wanted = set(_row_labels(rows))
    if not wanted:
        return sheet
    labels = [str(label) for label in sheet.rows(np.arange(sheet.height)).tolist()]
    if unknown := wanted.difference(labels):
        raise DataError(
            f"{sheet.name}: there is no row {min(unknown)}, given in {option('leave_out')}."
        )
    keep = np.array([label not in wanted for label in labels])
    return sheet.of_rows(sheet.table().filter(pl.Series(keep)), np.flatnonzero(keep))


def with_cells(sheet: Sheet, cells: Mapping[str, str] | None) -> Sheet:
    """The sheet with corrected cells, each given by its row and column, as "5 date"."""
    cells = {} if cells is None else cells
    if not isinstance(cells, Mapping) or not all(isinstance(key, str) for key in cells):
        raise ArgumentTypeError(
            f"{given('cells', cells)}: give corrected cells by row and column, such as "
            f"{{'5 {sheet.columns[0]}': 'Abe'}}."
        )
    if not cells:
        return sheet
    table = sheet.table()
    labels = [str(label) for label in sheet.rows(np.arange(sheet.height)).tolist()]
    for key, value in cells.items():
        fitting = [c for c in sheet.columns if key.strip().endswith(f" {c}")]
        column = max(fitting, key=len, default="")
        row = key.strip().removesuffix(column).strip()
        if not column or row not in labels:
            raise DataError(
                f'{sheet.name}: there is no cell "{key}", given in {option("cells")}. Write the '
                f"row and the column, such as 5 {sheet.columns[0]}."
            )
        texts, place = text_of(table[column]), labels.index(row)
        sheet.notes.append(
            f'{sheet.row_word.capitalize()} {row}: "{texts[place] or ""}" in column "{column}" was '
            f'corrected to "{value}".'
        )
        new = pl.Series(column, [str(value)], dtype=pl.String)
        table = table.with_columns(
            pl.concat([texts[:place], new, texts[place + 1 :]]).alias(column)
        )
    return sheet.of_rows(table, np.arange(sheet.height), cells=None)


def _row_labels(rows: Any) -> Iterator[str]:
    for one in [rows] if isinstance(rows, int | str) else rows or ():
        for part in str(one).split(","):
            first, dash, last = part.strip().partition("-")
            if dash and first.isdigit() and last.isdigit():
                yield from map(str, range(int(first), int(last) + 1))
            elif part.strip():
                yield part.strip()


def chosen(tables: Sequence[str], sheet: object, name: str, what: str) -> int:
    """The place of a table, sheet or object that is given by name or by number from 1."""
    text = str(sheet)
    if text in tables:
        return tables.index(text)
    if text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= len(tables):
        return int(text) - 1
    found = quoted(tables) if any(tables) else "one without a name"
    raise DataError(f'{name} has no {what} "{sheet}". {what.capitalize()}s found: {found}.')


def unique_labels(labels: list[str]) -> list[str]:
    """Labels made unique by position; selecting a column by a duplicated name is an error later.

    >>> unique_labels(["winner", "loser", "winner"])
    ['winner (column 1)', 'loser', 'winner (column 3)']
    """
    number = Counter(labels)
    return [
        f"{label} (column {i + 1})" if number[label] > 1 else label
        for i, label in enumerate(labels)
    ]


def _ahead(work: Callable[[Job], Done], jobs: Iterable[Job]) -> Iterator[Done]:
    """The results of jobs in order; the next one is done while the current one is used."""
    with ThreadPoolExecutor(max_workers=1) as worker:
        following = None
        for job in jobs:
            ready, following = following, worker.submit(work, job)
            if ready is not None:
                yield ready.result()
        if following is not None:
            yield following.result()


def reason(error: BaseException) -> str:
    """The first line of a message of another package, shortened."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]


# As Excel shows them in English, German, French, Spanish, Italian and Portuguese.
ERRORS = (
    *("#N/A", "#REF!", "#DIV/0!", "#VALUE!", "#NAME?", "#NUM!", "#NULL!", "#SPILL!", "#CALC!"),
    *("#NV", "#BEZUG!", "#WERT!", "#ZAHL!", "#ÜBERLAUF!", "#N/D", "#VALEUR!", "#NOM?", "#NOMBRE!"),
    *("#¡REF!", "#¡VALOR!", "#¿NOMBRE?", "#¡DIV/0!", "#VALORE!", "#RIF!", "#NOME?", "#VALOR!"),
    *("#GETTING_DATA", "#FIELD!", "#BLOCKED!", "#CONNECT!"),
)


NOT_CALCULATED = "formula ="  # before a formula that has no stored value


def is_error(word: str) -> bool:
    """Whether a cell is the error of a formula, or a formula instead of its value.

    >>> is_error("#N/A"), is_error("formula =A1"), is_error("=A1"), is_error("#1")
    (True, True, False, False)
    """
    return word.strip().upper() in ERRORS or word.startswith(NOT_CALCULATED)


def without_value(cells: pl.Series) -> pl.Series:
    """Whether each cell of a column of text is an error or a formula."""
    return (
        cells.str.strip_chars().is_in(ERRORS) | cells.str.starts_with(NOT_CALCULATED)
    ).fill_null(False)

"""From a file to a `Sheet`: text, Excel workbooks, Parquet and R files, also through pipes.

Several files as one table: the files of a folder, or those that match a pattern.

A check of the pages of a Parquet file before they are decoded.
"""

from __future__ import annotations

import io
import mmap
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePath
from typing import Any, BinaryIO
from urllib.parse import unquote

import numpy as np
import polars as pl

from peckorder.data.headings import Header, Wanted, joined
from peckorder.data.outcome_columns import written
from peckorder.data.r_files import NAMES as R_FILES
from peckorder.data.r_files import OPENED, is_r_file, open_r_file
from peckorder.data.sheet import DAMAGED, Part, Sheet, reason, stacked, unique_labels
from peckorder.data.text_files import GAME, cells_of_json, cells_of_pgn, cells_of_text, is_json
from peckorder.data.workbooks import (
    SheetChoice,
    cells_of_workbook,
    joined_sheets,
    one_sheet,
)
from peckorder.errors import ArgumentError, DataError, MissingFileError
from peckorder.text import counted, first_row, option, option_name, quoted
from peckorder.validate import true_or_false

PARQUET, WORKBOOKS = b"PAR1", (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
LIKE_R = (b"RD", b"X\n", b"A\n", b"B\n", *OPENED)  # how files of R begin, packed ones included
LONGEST_NAME = 255


@dataclass(frozen=True)
class How:
    """What the caller says about a file."""

    sheet: SheetChoice = None
    separator: str | None = None
    encoding: str | None = None
    header: Header | None = None
    wanted: Wanted | None = None


def refuse_options(apply_to: str, but: str, **options: Any) -> None:
    """Raise an error for an option that does not apply to a source."""
    for argument, value in options.items():
        if value is not None:
            raise ArgumentError(f"{option_name(argument)} applies to {apply_to} only; {but}.")


def open_file(source: str | os.PathLike[str], how: How) -> Sheet:
    """Open a path, or `-` for standard input."""
    path = Path(source)
    if str(source) == "-":
        if sys.stdin is None:
            raise DataError("Standard input (-) is closed. Give the path of a file.")
        return _from_stream(sys.stdin.buffer, "standard input", how)
    if "\0" in str(source):
        raise DataError("The name of a file cannot contain the character NUL.")
    if len(path.name) > LONGEST_NAME:
        raise DataError(
            f"The name of a file has at most {LONGEST_NAME} characters, this one "
            f"{len(path.name):,}. Give a path, or a table."
        )
    if path.is_file() and is_parquet(path):
        return _from_parquet(path, path.name)
    try:
        file = path.open("rb")  # a pipe, as in <(gunzip …), can be opened only once
    except FileNotFoundError:
        raise MissingFileError.of(path) from None
    with file:
        return _from_stream(file, path.name, how)


def is_parquet(path: Path) -> bool:
    """Whether a file has the content of a Parquet file, whatever its name."""
    with path.open("rb") as file:
        return file.read(4) == PARQUET


def _from_stream(file: BinaryIO, name: str, how: How) -> Sheet:
    separator, encoding, header, wanted = how.separator, how.encoding, how.header, how.wanted
    raw = file.read()
    if raw.startswith(PARQUET):
        return _from_parquet(io.BytesIO(raw), name)
    if raw.startswith(WORKBOOKS):
        refuse_options(
            "text files", f"{name} is a workbook", separator=separator, encoding=encoding
        )
        sheets, notes = cells_of_workbook(raw, name, how.sheet, header, wanted)
        opened = {}
        for one in sheets:
            above = (one.header.first, one.header.depth) if one.header else (0, 1)
            made = _from_cells(one.cells, f"{name}, sheet {one.label}", list(one.notes), *above)
            opened[one.label] = _noted(made, one.header, header)
        made = joined_sheets(opened, name) if len(opened) > 1 else opened[sheets[0].label]
        return replace(made, notes=[*notes, *made.notes])
    if (raw.startswith(LIKE_R) or name.lower().endswith(R_FILES)) and is_r_file(raw, name):
        of_text = {"separator": separator, "encoding": encoding, "header": header}
        refuse_options("text files", f"{name} is an R file", **of_text)
        return open_r_file(raw, name, one_sheet(how.sheet, name))
    where = "workbooks, databases and R files"
    refuse_options(where, f"{name} is a text file", sheet=how.sheet)
    if separator is None and is_json(raw):
        return Sheet.of(cells_of_json(raw, name), name, row_word="record", first_row=1)
    if separator is None and GAME.match(raw):
        return Sheet.of(cells_of_pgn(raw), name, row_word="game", first_row=1)
    if separator is None and name.lower().endswith((".tsv", ".tab")):
        separator = "\t"
    text = cells_of_text(raw, name, encoding, separator, header, wanted)
    depth = text.header.depth if text.header else 1
    made = _from_cells(text.cells, name, text.notes, text.skipped, depth)
    return replace(_noted(made, text.header, header), separator=text.separator)


def _noted(sheet: Sheet, found: Header | None, header: Header | None) -> Sheet:
    """The sheet with a note if its header was found below other rows, or has two rows."""
    if header is None and found is not None and (found.depth == 2 or found.above):
        sheet.notes.append(found.note(sheet.columns))
    return sheet if found is None else replace(sheet, titles=found.titles)


def _from_cells(
    cells: pl.DataFrame, name: str, notes: list[str], skipped: int = 0, depth: int = 1
) -> Sheet:
    """A sheet of text cells; the first nonblank row is the header, or the first of two."""
    filled = np.zeros(cells.height, bool)
    for column in cells:
        filled |= column.is_not_null().to_numpy()
    if not filled.any():
        raise DataError(f"{name} is empty. Provide a header row and one row per contest.")
    first, last = (int(place) for place in np.flatnonzero(filled)[[0, -1]])
    cells = cells.slice(first, last + 1 - first)
    header = [(cell or "").strip().removeprefix("\ufeff") for cell in cells.row(0)]
    if depth == 1 and _begins_with_a_contest(header, cells):
        depth = 0
        notes.append("The first row is a contest, so that the columns have no names.")
    if depth == 0:
        header = [""] * len(header)
    if depth == 2:
        header = joined(header, cells.row(1))
    body = cells.slice(depth)
    taken = [
        i for i, label in enumerate(header) if label or body.to_series(i).null_count() < body.height
    ]
    columns = unique_labels([header[i] or f"column {i + 1}" for i in taken])
    body = pl.DataFrame(
        [body.to_series(i).alias(label) for i, label in zip(taken, columns, strict=True)]
    )
    begin = skipped + first + depth + 1
    return Sheet.of(body, name, first_row=begin, cells=cells, notes=notes)


def _begins_with_a_contest(header: list[str], cells: pl.DataFrame) -> bool:
    """Whether the first row has a contest such as A > B, and so has the row below it."""
    return any(
        (own := written(label)) and not own.tie and (below := cell) and written(below)
        for label, cell in zip(header, cells.row(1) if cells.height > 1 else (), strict=False)
    )


def _from_parquet(path: Path | io.BytesIO, name: str) -> Sheet:
    try:
        check_pages(path)
        frame = pl.scan_parquet(path, glob=False)
        columns = frame.collect_schema().names()
        height = frame.select(pl.len()).collect().item()
    except (*DAMAGED, DamagedPage) as error:
        raise DataError(
            f"{name} cannot be read as Parquet ({reason(error)}). Obtain a new copy, or save the "
            f"table as CSV."
        ) from error
    return Sheet(frame, columns, height, name, **first_row())


PATTERN = re.compile(r"[*?\[]")
PARQUET_FILES = (".parquet", ".pq", ".parq")
TEXT = (".csv", ".tsv", ".tab", ".csv.gz", ".tsv.gz")
WORKBOOK_FILES = (".xlsx", ".xls", ".xlsm", ".ods")
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
MOST_PROBLEMS = 10
TEXT_TYPES = (pl.String, pl.Categorical, pl.Enum)


def open_path(source: str | os.PathLike[str], how: How, glob: bool | None) -> Sheet:
    """Open a file, `-` for standard input, the files of a folder, or those matching a pattern."""
    if glob is not None:
        true_or_false("glob", glob)
    name = os.fspath(source)

    opened = partial(open_file, how=how)
    path = Path(name)
    if name == "-" or "\0" in name or len(path.name) > LONGEST_NAME:
        return opened(name)
    if path.is_dir():
        files, notes = _files_of_folder(path)
        return _joined(path, name, files, notes, opened)
    pattern = PATTERN.search(name) is not None
    if path.exists() or glob is False or not pattern:
        if glob and not pattern:
            raise ArgumentError(
                f"{name} is not a pattern, which {option('glob', 'True')} requests: it contains "
                f"none of the characters *, ? and [."
            )
        found = opened(path)
        if glob:
            found.notes.append(
                f"{name} is the name of a file, so it was not used as a pattern for other files."
            )
        return found
    root, files = _matching(name)
    return _joined(root, name, files, [], opened)


def natural(path: PurePath) -> list[list[tuple[int, int, str]]]:
    """A key that sorts names as people do: part-2 before part-10, folder by folder.

    >>> sorted([PurePath("b/1"), PurePath("a/p10"), PurePath("a/p2")], key=natural)
    [PurePosixPath('a/p2'), PurePosixPath('a/p10'), PurePosixPath('b/1')]
    """
    return [
        [
            (0, int(piece), piece) if piece.isdecimal() else (1, 0, piece)
            for piece in re.split(r"(\d+)", part)
            if piece
        ]
        for part in path.parts
    ]


def _files_of_folder(folder: Path) -> tuple[list[Path], list[str]]:
    """The Parquet files of a folder and its subfolders or, without any, its text files."""
    everything = [
        path
        for path in folder.rglob("*")
        if path.is_file()
        # Programs that write many files mark their own with _ and hidden ones with a dot.
        and not any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)
    ]
    for endings in (PARQUET_FILES, TEXT):
        chosen = [path for path in everything if path.name.lower().endswith(endings)]
        if chosen:
            break
    else:
        books = [path.name for path in everything if path.name.lower().endswith(WORKBOOK_FILES)]
        why = f" Workbooks ({quoted(books, 3)}) are read one at a time." if books else ""
        raise DataError(
            f"{folder} is a folder without files that end in "
            f"{', '.join((*PARQUET_FILES, *TEXT))}.{why} Give the path of a file, "
            f"or a pattern such as {folder.name or '.'}/*.txt."
        )
    others = sorted({*everything} - {*chosen})
    notes = []
    if others:
        names = [str(path.relative_to(folder)) for path in others]
        notes.append(
            f"{counted(len(others), 'other file')} of {folder.name} "
            f"{'was' if len(others) == 1 else 'were'} not read: {quoted(names, 5)}."
        )
    return sorted(chosen, key=natural), notes


def _matching(name: str) -> tuple[Path, list[Path]]:
    """The files that match a pattern, and the folder above the first wildcard."""
    parts = Path(name).parts
    first = next(i for i, part in enumerate(parts) if PATTERN.search(part))
    root, pattern = Path(*parts[:first]), str(Path(*parts[first:]))
    try:
        found = sorted((path for path in root.glob(pattern) if path.is_file()), key=natural)
    except (ValueError, NotImplementedError) as error:
        raise DataError(f"{name} is not a pattern for files ({error}).") from None
    if found:
        return root, found
    if not root.is_dir():
        raise DataError(f"No file matches {name}: there is no folder {root}.")
    near = sorted(path.name for path in root.iterdir())
    holds = f"The folder {root} contains {quoted(near, 5)}." if near else f"{root} is empty."
    raise DataError(f"There is no file {name}, and no file matches it as a pattern. {holds}")


def _joined(
    root: Path, source: str, paths: list[Path], notes: list[str], opened: Callable[[Path], Sheet]
) -> Sheet:
    """One sheet of several files, which must be of the same kind and have the same columns."""
    labels = [path.relative_to(root).as_posix() for path in paths]
    sheets, problems = [], []
    for path, label in zip(paths, labels, strict=True):
        try:
            found = opened(path)
            kept = (found.frame, found.columns, found.height, label, found.row_word)
            sheets.append(Sheet(*kept, first_row=found.first_row, notes=found.notes))
        except DataError as error:  # all damaged files are reported together
            problems += [_naming(problem, path.name, label) for problem in error.problems]
    if problems:
        raise DataError(*_shortened(problems))
    sheets, more = _with_folders(sheets, labels)
    columns = sheets[0].columns
    if problems := _differences(sheets):
        raise DataError(*_shortened(problems))
    notes = [*notes, *more, *_notes_of_files(source, sheets)]
    parts = tuple(_part(sheet, sheets[0]) for sheet in sheets)
    return stacked(parts, source, columns, row_word=sheets[0].row_word, notes=notes, parts=parts)


def _naming(problem: str, name: str, label: str) -> str:
    """A problem of a file, with the folders of the file and not only its name."""
    if problem.startswith(name):
        return label + problem.removeprefix(name)
    return f"{label}: {problem}"


def _notes_of_files(source: str, sheets: list[Sheet]) -> list[str]:
    names = [sheet.name for sheet in sheets]
    order = "" if len(sheets) == 1 else " in the order of their names"
    first = f"{source}: {counted(len(sheets), 'file')} read{order} ({quoted(names, 3)})."
    seen: dict[str, list[str]] = {}
    for sheet in sheets:
        for note in sheet.notes:
            seen.setdefault(note, []).append(sheet.name)
    return [
        first,
        *(f"{note} (in {quoted(where, 3)})" for note, where in list(seen.items())[:MOST_PROBLEMS]),
    ]


def _with_folders(sheets: list[Sheet], labels: list[str]) -> tuple[list[Sheet], list[str]]:
    """Columns from folders that are named `key=value`, and notes about them."""
    keys = [_keys_of(label) for label in labels]
    for label, own in zip(labels, keys, strict=True):
        if list(own) != list(keys[0]):
            has = quoted([f"{key}=…" for key in own]) or "no such folders"
            first = quoted([f"{key}=…" for key in keys[0]]) or "no such folders"
            raise DataError(
                f"Folders named key=value give columns, but {label} has {has} and {labels[0]} "
                f"{first}. Move the files into folders of the same structure."
            )
    present = [key for key in keys[0] if any(key in sheet.columns for sheet in sheets)]
    fresh = [key for key in keys[0] if key not in present]
    notes = []
    if fresh:
        what = "Column" if len(fresh) == 1 else "Columns"
        notes.append(f"{what} {quoted(fresh)} from the names of folders, such as {labels[0]}.")
    if present:
        notes.append(
            f"Folders are named after {quoted(present)}, but the files have a column of that name; "
            f"the column of the files was used."
        )
    if not fresh:
        return sheets, notes
    widened = []
    for sheet, own in zip(sheets, keys, strict=True):
        values = [pl.lit(own[key], dtype=pl.String).alias(key) for key in fresh]
        wider = {"frame": sheet.frame.with_columns(values), "columns": [*sheet.columns, *fresh]}
        widened.append(replace(sheet, **wider))
    return widened, notes


def _keys_of(label: str) -> dict[str, str | None]:
    """The values in the names of folders.

    >>> _keys_of("group=a%20b/year=2020/part-0.parquet")
    {'group': 'a b', 'year': '2020'}
    """
    pairs = (part.split("=", 1) for part in PurePath(label).parts[:-1] if "=" in part)
    return {unquote(key): None if v == NO_VALUE else unquote(v) for key, v in pairs if key}


def _differences(sheets: list[Sheet]) -> list[str]:
    """Columns that are missing, or have another type, in some of the files."""
    first = sheets[0]
    expected = first.frame.collect_schema()
    problems = []
    for sheet in sheets[1:]:
        schema = sheet.frame.collect_schema()
        lost = [column for column in expected if column not in schema]
        new = [column for column in schema if column not in expected]
        if lost or new:
            said = [f"no column {quoted(lost)}"] if lost else []
            said += [f"the additional column {quoted(new)}"] if new else []
            problems.append(
                f"{sheet.name} has {' and '.join(said)}, compared with {first.name}. All files "
                f"must have the same columns."
            )
        for column, kind in expected.items():
            other = schema.get(column, kind)
            both_text = isinstance(kind, TEXT_TYPES) and isinstance(other, TEXT_TYPES)
            if other != kind and not both_text:
                problems.append(
                    f'{sheet.name}: column "{column}" is of type {other}, but in {first.name} of '
                    f"type {kind}. Write all files with the same types."
                )
    return problems


def _part(sheet: Sheet, first: Sheet) -> Part:
    """A file with its columns in the order of the first one; categories become text."""
    schema = sheet.frame.collect_schema()
    columns = [
        pl.col(name).cast(pl.String) if isinstance(schema[name], TEXT_TYPES) else pl.col(name)
        for name in first.columns
    ]
    return Part(sheet.name, sheet.frame.select(columns), sheet.height, sheet.first_row)


def _shortened(problems: list[str]) -> list[str]:
    if len(problems) <= MOST_PROBLEMS:
        return problems
    return [*problems[:MOST_PROBLEMS], f"{len(problems) - MOST_PROBLEMS:,} more such problems."]


TRUE, FALSE, BYTE, DOUBLE, BINARY, LIST, SET, STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
DEEPEST = 32
# Fields of FileMetaData, RowGroup, ColumnChunk and ColumnMetaData.
ROW_GROUPS, COLUMNS, META_DATA = 4, 1, 3
NUM_VALUES, COMPRESSED, DATA_PAGE, DICTIONARY_PAGE = 5, 7, 9, 11
# Fields of PageHeader; in each of its kinds of headers, field 1 is the number of values.
UNPACKED_SIZE, PAGE_SIZE, DICTIONARY = 2, 3, 7
KINDS_OF_PAGES = (5, DICTIONARY, 8)
LARGEST_PAGE = 1 << 31
LONGEST_HEADER = 1 << 20
UNREADABLE = (AttributeError, IndexError, KeyError, TypeError, ValueError)


class DamagedPage(Exception):
    """A page whose header cannot be true."""


def check_pages(source: Path | io.BytesIO) -> None:
    """Raise `DamagedPage` if the header of a page cannot be true."""
    if isinstance(source, io.BytesIO):
        _check(source.getvalue())
        return
    with source.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as raw:
        _check(raw)


def _check(raw: Any) -> None:
    try:
        size = int.from_bytes(raw[-8:-4], "little")
        footer = _struct(raw, len(raw) - 8 - size, DEEPEST)[0]
        chunks = [
            chunk[META_DATA] for group in footer[ROW_GROUPS] for chunk in group.get(COLUMNS, ())
        ]
        places = [
            (int(min(_starts(chunk))), int(chunk[COMPRESSED]), int(chunk[NUM_VALUES]))
            for chunk in chunks
        ]
    except UNREADABLE:
        return  # without a footer nothing is decoded: polars states what is wrong
    for begin, length, values in places:
        _check_chunk(raw, begin, length, values)


def _starts(chunk: dict[int, Any]) -> list[int]:
    return [chunk[DATA_PAGE], *([chunk[DICTIONARY_PAGE]] if chunk.get(DICTIONARY_PAGE) else [])]


def _check_chunk(raw: Any, begin: int, length: int, values: int) -> None:
    """Check the pages of one column chunk, one after another."""
    if values == 0:  # some programs then state no place
        return
    place, end = begin, begin + length
    if not (begin > 0 and length >= 0 and end <= len(raw) and values >= 0):
        raise DamagedPage("a column lies outside the file")
    while place < end:
        try:
            header, length = _struct(raw[place : place + LONGEST_HEADER], 0, DEEPEST)
            place += length
            size, unpacked = int(header[PAGE_SIZE]), int(header[UNPACKED_SIZE])
            stated = {kind: int(header[kind][1]) for kind in KINDS_OF_PAGES if kind in header}
        except UNREADABLE as error:
            raise DamagedPage("the header of a page cannot be read") from error
        if not (0 <= size <= end - place and 0 <= unpacked < LARGEST_PAGE):
            raise DamagedPage("a page has an impossible size")
        most = {DICTIONARY: max(values, unpacked)}  # which may have entries that are not used
        if any(not 0 <= number <= most.get(kind, values) for kind, number in stated.items()):
            raise DamagedPage("a page has an impossible number of values")
        place += size


def _struct(raw: Any, place: int, depth: int) -> tuple[dict[int, Any], int]:
    """The fields of a struct by number, and the place behind it."""
    if place < 0 or depth == 0:
        raise ArgumentError("no struct")
    fields: dict[int, Any] = {}
    number = 0
    while raw[place] != 0:
        step, kind = divmod(raw[place], 16)
        place += 1
        if step:
            number += step
        else:
            number, place = _integer(raw, place)
        if kind in (TRUE, FALSE):
            fields[number] = kind == TRUE
        else:
            fields[number], place = _value(raw, place, kind, depth - 1)
    return fields, place + 1


def _value(raw: Any, place: int, kind: int, depth: int) -> tuple[Any, int]:
    if kind in (BYTE, TRUE, FALSE):  # in a list, true and false take a byte
        return raw[place], place + 1
    if kind < DOUBLE:
        return _integer(raw, place)
    if kind == DOUBLE:
        return None, place + 8
    if kind == BINARY:
        length, place = _varint(raw, place)
        return None, place + length
    if kind in (LIST, SET):
        length, inner = divmod(raw[place], 16)
        place += 1
        if length == 15:
            length, place = _varint(raw, place)
        if length > len(raw) - place:
            raise ArgumentError("a list longer than the file")
        items = []
        for _ in range(length):
            item, place = _value(raw, place, inner, depth)
            items.append(item)
        return items, place
    if kind == STRUCT:
        return _struct(raw, place, depth)
    raise ArgumentError(f"type {kind}")


def _integer(raw: Any, place: int) -> tuple[int, int]:
    """A signed number; 0, −1, 1, −2 and so on are stored as 0, 1, 2, 3."""
    number, place = _varint(raw, place)
    return (number >> 1) ^ -(number & 1), place


def _varint(raw: Any, place: int) -> tuple[int, int]:
    """A number in groups of seven bits, the lowest first."""
    number = shift = 0
    while True:
        byte = raw[place]
        number |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return number, place
        if shift > 63:
            raise ArgumentError("a number of more than 64 bits")

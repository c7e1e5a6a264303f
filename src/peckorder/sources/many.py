"""Several files as one table: the files of a folder, or those that match a pattern.

Large records are stored in parts: one file per month, or a folder per group, named `group=a` (the
layout of Hive, which Spark, Arrow and polars write). The files are read in the natural order of
their names (part-2 before part-10) as if they were one; they must have the same columns. A file of
exactly the name given is always read as such, even if the name could be a pattern.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path, PurePath
from urllib.parse import unquote

import polars as pl

from peckorder.checked import true_or_false
from peckorder.errors import ArgumentError, DataError
from peckorder.sources.file_rows import FileRows
from peckorder.sources.files import LONGEST_NAME, is_parquet, open_file
from peckorder.sources.headers import Header, Wanted
from peckorder.sources.sheet import Part, Sheet
from peckorder.sources.workbook import SheetChoice
from peckorder.wording import counted, option, quoted

PATTERN = re.compile(r"[*?\[]")
PARQUET = (".parquet", ".pq", ".parq")
TEXT = (".csv", ".tsv", ".tab", ".csv.gz", ".tsv.gz")
WORKBOOKS = (".xlsx", ".xls", ".xlsm", ".ods")
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
MOST_PROBLEMS = 10
TEXT_TYPES = (pl.String, pl.Categorical, pl.Enum)


def open_path(
    source: str | os.PathLike[str],
    sheet: SheetChoice,
    separator: str | None,
    encoding: str | None,
    header: Header | None,
    wanted: Wanted | None,
    glob: bool | None,
) -> Sheet:
    """Open a file, `-` for standard input, the files of a folder, or those matching a pattern."""
    if glob is not None:
        true_or_false("glob", glob)
    name = os.fspath(source)

    def opened(path: str | Path) -> Sheet:
        return open_file(path, sheet, separator, encoding, header, wanted)

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
    for endings in (PARQUET, TEXT):
        chosen = [path for path in everything if path.name.lower().endswith(endings)]
        if chosen:
            break
    else:
        books = [path.name for path in everything if path.name.lower().endswith(WORKBOOKS)]
        why = f" Workbooks ({quoted(books, 3)}) are read one at a time." if books else ""
        raise DataError(
            f"{folder} is a folder without files that end in {', '.join((*PARQUET, *TEXT))}.{why} "
            f"Give the path of a file, or a pattern such as {folder.name or '.'}/*.txt."
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
    _refuse_mixed(paths, labels)
    sheets, problems = [], []
    for path, label in zip(paths, labels, strict=True):
        try:
            found = opened(path)
            sheets.append(_renamed(found, label))
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
    return Sheet(
        pl.concat([part.frame for part in parts]),
        columns,
        sum(part.height for part in parts),
        source,
        row_word=sheets[0].row_word,
        notes=notes,
        parts=parts,
        files=FileRows(
            tuple(part.name for part in parts),
            tuple(part.height for part in parts),
            tuple(part.first_row for part in parts),
        ),
    )


def _refuse_mixed(paths: list[Path], labels: list[str]) -> None:
    kinds = [is_parquet(path) for path in paths]
    if any(kinds) and not all(kinds):
        one, other = labels[kinds.index(True)], labels[kinds.index(False)]
        raise DataError(
            f"{one} is a Parquet file and {other} is not; files of different kinds cannot be read "
            f"together. Give a pattern that matches one kind only. If {other} should be a Parquet "
            f"file, it is damaged: obtain a new copy."
        )


def _renamed(sheet: Sheet, label: str) -> Sheet:
    return Sheet(
        sheet.frame,
        sheet.columns,
        sheet.height,
        label,
        row_word=sheet.row_word,
        first_row=sheet.first_row,
        notes=sheet.notes,
    )


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
        widened.append(
            Sheet(
                sheet.frame.with_columns(values),
                [*sheet.columns, *fresh],
                sheet.height,
                sheet.name,
                row_word=sheet.row_word,
                first_row=sheet.first_row,
                notes=sheet.notes,
            )
        )
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

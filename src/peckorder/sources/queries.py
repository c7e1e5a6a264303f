"""The text of a query: one statement that reads, from an argument or a file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from peckorder.errors import ArgumentError, ArgumentTypeError, DataError
from peckorder.wording import either, option, option_name, quoted

# What is not code: comments, and text and names in quotes.
QUOTED = re.compile(
    r"--[^\n]*|/\*.*?(?:\*/|\Z)|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|\$(\w*)\$.*?\$\1\$", re.DOTALL
)
READS = ("select", "with", "values", "table", "(")
UUID_BYTES = 16


@dataclass(frozen=True)
class Query:
    """A statement to run, its parameters, and what to call its result."""

    text: str
    parameters: Sequence[Any]
    name: str
    ordered: bool


def query_of(query: str | None, parameters: Any, name: str) -> Query | None:
    """The query given as text, or as the path of a .sql file; None without one."""
    values = _checked(parameters)
    if query is None:
        if values:
            raise ArgumentError(f"{either('parameters', '--parameter')} needs {option('query')}.")
        return None
    if not isinstance(query, str):
        raise ArgumentTypeError(
            f"{option_name('query')} must be text, or the path of a .sql file, not "
            f"{type(query).__name__}."
        )
    text = _text_of(query).strip()
    code = QUOTED.sub(" ", text).strip()
    text = text.rstrip(";").rstrip() if code.endswith(";") and text.endswith(";") else text
    code = code.rstrip("; \n\t")
    if not code:
        raise ArgumentError(f"{option_name('query')} is empty. Give a SELECT statement.")
    if ";" in code:
        raise ArgumentError(
            f"{option_name('query')} contains more than one statement. Give a single SELECT."
        )
    if not code.lower().startswith(READS):
        raise ArgumentError(
            f"{option_name('query')} begins with {quoted([code.split()[0]])}. Data are only read: "
            f"give a statement that begins with SELECT or WITH."
        )
    return Query(text, values, f"{name}, query", _has_order(code))


def _checked(parameters: Any) -> list[Any]:
    if parameters is None:
        return []
    if isinstance(parameters, str | bytes) or not isinstance(parameters, Sequence):
        raise ArgumentTypeError(
            f"{either('parameters', '--parameter')} must be a list with one value per placeholder "
            f"($1, $2), not {type(parameters).__name__}."
        )
    return list(parameters)


def _text_of(query: str) -> str:
    if not re.fullmatch(r"\S+\.sql|[^\n;]+\.sql", query.strip(), re.IGNORECASE):
        return query
    try:
        return Path(query.strip()).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ArgumentError(f"{option_name('query')}: there is no file {query.strip()}.") from None
    except (OSError, ValueError):
        raise ArgumentError(
            f"{option_name('query')}: {query.strip()} cannot be read as text in UTF-8."
        ) from None


def _has_order(code: str) -> bool:
    """Whether the statement itself, not a part in parentheses, has an ORDER BY.

    >>> _has_order("select * from t order by id"), _has_order("select * from (t order by id)")
    (True, False)
    """
    outer, depth = [], 0
    for letter in code:
        depth += (letter == "(") - (letter == ")")
        outer.append(letter if depth == 0 else " ")
    return re.search(r"\border\s+by\b", "".join(outer), re.IGNORECASE) is not None


def chosen_table(tables: list[str], sheet: str | int | None, name: str) -> tuple[str, list[str]]:
    """The table to read without a query, and a note; an error that lists them if it is unclear."""
    if not tables:
        raise DataError(f"{name} contains no tables.")
    if sheet is not None:
        text = str(sheet)
        if text in tables:
            return text, []
        if text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= len(tables):
            return tables[int(text) - 1], []
        raise DataError(f'{name} has no table "{sheet}". Tables found: {quoted(tables)}.')
    if len(tables) > 1:
        raise DataError(
            f"{name} has several tables: {quoted(tables)}. Choose one with {option('sheet')}, or "
            f"select rows with {option('query')}."
        )
    note = f'{name} has one table, "{tables[0]}", which was read. Select rows with '
    return tables[0], [f"{note}{option('query')}."]


def quoted_name(name: str) -> str:
    """A name of a table or column as SQL.

    >>> print(quoted_name('the "best" table'))
    "the ""best"" table"
    """
    return '"' + name.replace('"', '""') + '"'


def distinct_names(names: Sequence[str], name: str) -> None:
    """Raise an error if two columns of a result have the same name."""
    twins = sorted({column for column in names if list(names).count(column) > 1})
    if twins:
        raise DataError(
            f"{name}: several columns are called {quoted(twins)}. Give each its own name in the "
            f"query, such as a.id AS winner."
        )


def readable(column: pl.Series) -> pl.Series:
    """Types that only databases have as text: uuids, and numbers of any precision."""
    if column.dtype == pl.Binary:
        sizes = column.bin.size().drop_nulls()
        if len(sizes) and (sizes == UUID_BYTES).all():
            digits = column.bin.encode("hex")
            parts = [digits.str.slice(at, n) for at, n in _UUID_PARTS]
            return pl.select(pl.concat_str(parts, separator="-")).to_series().alias(column.name)
        return column
    if "Extension" in type(column.dtype).__name__:
        return column.ext.storage()  # pyright: ignore[reportAttributeAccessIssue]
    return column


_UUID_PARTS = ((0, 8), (8, 4), (12, 4), (16, 4), (20, 12))

"""SQLite files, opened for reading only, in batches."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import polars as pl

from peckorder.errors import DataError
from peckorder.sources.addresses import Address
from peckorder.sources.queries import Query, chosen_table, distinct_names, quoted_name, readable
from peckorder.sources.sheet import Sheet, reason

ROWS_AT_ONCE = 1 << 16


def open_sqlite(
    address: Address, query: Query | None, sheet: str | int | None, *, stream: bool
) -> Sheet:
    """The result of a query, or a table, of a SQLite file."""
    notes: list[str] = []
    if query is None:
        table, notes = chosen_table(_tables(address), sheet, address.shown)
        query = _whole_table(address, table)
    if stream:
        columns = [name for name, _ in _described(address, query)]
        frame = pl.DataFrame(schema=dict.fromkeys(columns, pl.String))
    else:
        frame = _joined(list(_batches(address, query, ROWS_AT_ONCE)))
    return Sheet(
        frame.lazy(),
        frame.columns,
        frame.height,
        query.name,
        first_row=1,
        notes=notes,
        ordered=query.ordered,
        batches=(lambda rows: _batches(address, query, rows)) if stream else None,
    )


def _connected(address: Address) -> sqlite3.Connection:
    path = Path(address.target)
    if not path.is_file():
        raise DataError(f"There is no file {address.target}.")
    where = f"file:{quote(str(path.absolute()))}?mode=ro"
    connection = sqlite3.connect(where, uri=True, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA query_only = ON")
    connection.execute("PRAGMA trusted_schema = OFF")  # the file may come from anybody
    return connection


def _tables(address: Address) -> list[str]:
    listing = (
        "select name from sqlite_master where type in ('table', 'view') "
        "and name not like 'sqlite\\_%' escape '\\' order by rowid"
    )
    found = pl.concat(list(_batches(address, Query(listing, [], address.shown, True), 1000)))
    return [str(name) for name in found.to_series()]


def _whole_table(address: Address, table: str) -> Query:
    """All rows in the order of their row ids, which views and some tables do not have."""
    name = f"{address.shown}, table {table}"
    plain = Query(f"select * from {quoted_name(table)}", [], name, False)
    by_id = Query(f"{plain.text} order by rowid", [], name, True)
    try:
        # A view may pass on something called rowid; a table may have such a column of its own.
        kinds = "select type from sqlite_master where name = ?"
        with closing(_connected(address)) as connection:
            (kind,) = connection.execute(kinds, [table]).fetchone()
            connection.execute(by_id.text).close()
    except (sqlite3.Error, UnicodeError):  # explained where the rows are read
        return plain
    return by_id if kind == "table" else plain


def _described(address: Address, query: Query) -> list[tuple[str, int]]:
    """Names of the columns of a query, which is not run."""
    inner = Query(f"select * from ({query.text}\n) limit 0", query.parameters, query.name, True)
    frames = list(_batches(address, inner, 1))
    return [(name, place) for place, name in enumerate(frames[0].columns)]


def _batches(address: Address, query: Query, rows: int) -> Iterator[pl.DataFrame]:
    """The rows of a query; the first batch may be empty, so that its columns are known."""
    problem = None
    try:
        with closing(_connected(address)) as connection:
            cursor = connection.execute(query.text, _bound(query))
            names = [str(column[0]) for column in cursor.description]
            distinct_names(names, query.name)
            found = cursor.fetchmany(rows)
            yield _frame(names, found)
            while len(found) == rows:
                found = cursor.fetchmany(rows)
                if found:
                    yield _frame(names, found)
    except (sqlite3.Error, sqlite3.Warning, UnicodeError, OverflowError) as error:
        problem = error
    if problem is not None:
        raise _explained(problem, query)


def _bound(query: Query) -> Any:
    """Parameters by position, or by number where placeholders are written $1 and $2."""
    if re.search(r"\$[0-9]", query.text):
        return {str(place): value for place, value in enumerate(query.parameters, start=1)}
    return query.parameters


def _frame(names: list[str], found: list[tuple]) -> pl.DataFrame:
    columns = list(zip(*found, strict=True)) if found else [()] * len(names)
    return pl.DataFrame([_series(n, list(c)) for n, c in zip(names, columns, strict=True)])


def _series(name: str, values: list[Any]) -> pl.Series:
    """A column of one type; cells of a column of SQLite may have different types."""
    kinds = {type(value) for value in values} - {type(None)}
    if kinds == {int, float}:
        return pl.Series(name, values, dtype=pl.Float64, strict=False)
    if len(kinds) > 1:
        return pl.Series(name, [None if v is None else _text(v) for v in values], dtype=pl.String)
    return readable(pl.Series(name, values, strict=False))


def _text(value: Any) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def _joined(batches: list[pl.DataFrame]) -> pl.DataFrame:
    """All batches; a column that has different types in them becomes text."""
    first = batches[0]
    for name in first.columns:
        types = {batch.schema[name] for batch in batches} - {pl.Null()}
        if len(types) > 1 and not all(kind.is_numeric() for kind in types):
            batches = [batch.with_columns(pl.col(name).cast(pl.String)) for batch in batches]
    return pl.concat(batches, how="vertical_relaxed")


def _explained(error: Exception, query: Query) -> DataError:
    said = reason(error).rstrip(".")
    if "readonly" in said or "query_only" in said:
        return DataError(f"{query.name}: data are only read, and this query would write ({said}).")
    if "no such table" in said:
        return DataError(f"{query.name}: {said}. Without a query, the tables are listed.")
    if "parameter" in said or "binding" in said.lower():
        return DataError(
            f"{query.name}: placeholders and parameters do not match ({said}). Give one parameter "
            f"for each placeholder ($1, $2)."
        )
    if "locked" in said:
        return DataError(f"{query.name}: the file is in use ({said}). Try again later.")
    if isinstance(error, sqlite3.DatabaseError) and re.search("malformed|not a database", said):
        return DataError(f"{query.name}: the file is damaged ({said}). Obtain a new copy.")
    return DataError(f"{query.name} cannot be read ({said}). Correct the query or the file.")

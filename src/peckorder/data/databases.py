"""Databases as sources of contests: files of SQLite and DuckDB, PostgreSQL, open connections.

The text of a query is one statement that reads, from an argument or a file. Files are opened for
reading only; PostgreSQL is read through its Arrow driver (ADBC), in transactions that only read.
"""

from __future__ import annotations

import getpass
import os
import re
import sqlite3
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import polars as pl

from peckorder.data.addresses import Address, address_of, looks_like_address
from peckorder.data.sheet import DAMAGED, Sheet, chosen, reason
from peckorder.errors import ArgumentError, ArgumentTypeError, DataError, PeckorderError
from peckorder.text import either, option, option_name, quoted

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
        return tables[chosen(tables, sheet, name, "table")], []
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


UNCOPIED = {"adbc.postgresql.use_copy": "false"}  # rows of a cursor cannot be copied
TABLES = """
select case when table_schema = 'public' then table_name
            else table_schema || '.' || table_name end
from information_schema.tables
where table_schema not in ('pg_catalog', 'information_schema') order by 1
"""
WAIT = 15  # seconds for a server to answer


def open_postgres(
    address: Address, query: Query | None, sheet: str | int | None, *, stream: bool
) -> Sheet:
    """The result of a query, or a table, of a PostgreSQL database."""
    notes: list[str] = []
    connection, address = _connected(address)
    with closing(connection):
        if query is None:
            listing = Query(TABLES, [], address.shown, True)
            tables = [str(name) for name in _run(connection, address, listing).to_series()]
            table, notes = chosen_table(tables, sheet, address.shown)
            place = ".".join(map(quoted_name, table.split(".", 1)))
            query = Query(f"select * from {place}", [], f"{address.shown}, table {table}", False)
        text = f"select * from ({query.text}\n) as contests limit 0" if stream else query.text
        frame = _run(connection, address, replace(query, text=text))
        if stream:
            frame = pl.DataFrame(schema=dict.fromkeys(frame.columns, pl.String))
    return _as_sheet(
        frame, query, notes, (lambda rows: _batches(address, query, rows)) if stream else None
    )


def _connected(address: Address) -> tuple[Any, Address]:
    """A connection in a transaction that only reads; a missing password is requested."""
    try:
        from adbc_driver_postgresql import dbapi
    except ImportError:
        raise ImportError(
            "po.read of PostgreSQL needs adbc-driver-postgresql. Install it with: "
            'pip install "peckorder[sql]"'
        ) from None
    target = address.target
    if "connect_timeout" not in target:
        target += f"{'&' if '?' in target else '?'}connect_timeout={WAIT}"
    connection, problem = None, ""
    try:
        connection = dbapi.connect(target)
    except (dbapi.Error, OSError) as error:
        problem = str(error)
    if connection is not None:
        _run(connection, address, Query("set transaction read only", [], address.shown, True))
        return connection, address
    if "no password supplied" in problem and not address.has_password and sys.stdin.isatty():
        return _connected(address.with_password(getpass.getpass(f"Password ({address.shown}): ")))
    raise _not_connected(address, problem)


def _not_connected(address: Address, problem: str) -> DataError:
    said = _said(address, problem)
    if "no password supplied" in problem:
        advice = (
            "the server asks for a password. Set PGPASSWORD, or name a file with passwords in "
            "PGPASSFILE"
        )
    elif "password authentication failed" in problem:
        advice = "the server refuses this user and password. Check PGPASSWORD or PGPASSFILE"
    elif re.search("refused|could not translate|timeout|timed out|unreachable|No such", problem):
        advice = f"no server answers ({said}). Check the address, and whether the server is running"
    else:
        advice = f"no connection ({said})"
    return DataError(f"{address.shown}: {advice}.")


def _said(address: Address, problem: str) -> str:
    """The essence of a message of the driver, in one line and without secrets."""
    text = address.without_secrets(problem)
    found = re.search(r"(?:ERROR|FATAL):\s*(.*)", text) or re.search(r"failed: (.*)", text)
    line = found[1] if found else (text.strip().splitlines() or ["unknown error"])[0]
    line = re.sub(r"^[A-Z_]+: |\[libpq\] |Failed to connect: ", "", line)
    return re.sub(r"\.? SQLSTATE.*", "", line).strip().rstrip(".")[:200]


def _run(connection: Any, address: Address, query: Query, **options: str) -> pl.DataFrame:
    """Run a statement and load its result."""
    from adbc_driver_postgresql import dbapi

    problem = ""
    try:
        with connection.cursor(adbc_stmt_kwargs=options) as cursor:
            cursor.execute(f"{query.text}\n", parameters=query.parameters or None)
            frame = pl.DataFrame(cursor.fetch_arrow())
            return frame.with_columns(readable(column) for column in frame)
    except (dbapi.Error, *DAMAGED) as error:
        problem = str(error)
    raise _explained(query, _said(address, problem), problem)


def _batches(address: Address, query: Query, rows: int) -> Iterator[pl.DataFrame]:
    """The rows of a query from a cursor of the server."""
    connection, _ = _connected(address)
    with closing(connection):
        declared = f"declare contests no scroll cursor for {query.text}"
        opened = Query(declared, query.parameters, query.name, True)
        _run(connection, address, opened)
        fetch = Query(f"fetch forward {rows} from contests", [], query.name, True)
        while True:
            frame = _run(connection, address, fetch, **UNCOPIED)
            if frame.height:
                yield frame
            if frame.height < rows:
                return


# What a message of a database means, and what to do.
ADVICE = {
    "read-only transaction|read-write mode|readonly|query_only|read-only mode": (
        "data are only read, and this query would write"
    ),
    "operator does not exist|could not determine data type": (
        "Write the type behind a placeholder, such as $1::date or $1::int."
    ),
    "parameter|bind": "Give one parameter for each placeholder ($1, $2).",
    "interval": "Intervals are not read: leave them out, or convert them, such as gap::text.",
    "more than one occurrence": "Give each column its own name, such as a.id AS winner.",
    "no such table": "Without a query, the tables are listed.",
    "does not exist": "Check the names of tables and columns.",
    "permission denied": "Ask the owner of the database for the right to read.",
    "locked": "The file is in use: try again later.",
    "malformed|not a database": "The file is damaged: obtain a new copy.",
    "": "Correct the query or the file.",
}


def _explained(query: Query, said: str, problem: str) -> DataError:
    """The error for a query: the essence of the message of a driver, and what to do."""
    found = next(key for key in ADVICE if re.search(key, problem, re.IGNORECASE))
    if "read-only" in found:
        return DataError(f"{query.name}: {ADVICE[found]} ({said}).")
    return DataError(f"{query.name} cannot be read ({said}). {ADVICE[found]}")


ROWS_AT_ONCE = 1 << 16
Connect = Callable[[], AbstractContextManager[Any]]
OF_SQLITE = (
    "select name from sqlite_master where type in ('table', 'view') "
    "and name not like 'sqlite\\_%' escape '\\' order by rowid"
)


def _opened(
    connect: Connect, name: str, query: Query | None, sheet: str | int | None, *, stream: bool
) -> Sheet:
    """The result of a query, or a table, by a connection as Python's DB-API 2.0 defines it."""
    notes: list[str] = []
    if query is None:
        table, notes = chosen_table(_tables(connect, name), sheet, name)
        query = _whole_table(connect, name, table)
    if stream:
        text = f"select * from ({query.text}\n) limit 0"
        columns = next(_fetched(connect, replace(query, text=text), 1)).columns
        frame = pl.DataFrame(schema=dict.fromkeys(columns, pl.String))
    else:
        frame = _joined(list(_fetched(connect, query, ROWS_AT_ONCE)))
    return _as_sheet(
        frame, query, notes, (lambda rows: _fetched(connect, query, rows)) if stream else None
    )


def _as_sheet(frame: pl.DataFrame, query: Query, notes: list[str], batches: Any) -> Sheet:
    more = {"notes": notes, "ordered": query.ordered, "batches": batches}
    return Sheet.of(frame, query.name, first_row=1, **more)


def _sqlite(address: Address) -> AbstractContextManager[Any]:
    """A SQLite file, opened for reading only."""
    path = _existing(address)
    where = f"file:{quote(str(path.absolute()))}?mode=ro"
    connection = sqlite3.connect(where, uri=True, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA query_only = ON")
    connection.execute("PRAGMA trusted_schema = OFF")  # the file may come from anybody
    return closing(connection)


def _duckdb(address: Address) -> AbstractContextManager[Any]:
    """A DuckDB file, opened for reading only, and without a way to other files."""
    try:
        import duckdb
    except ImportError:
        raise ImportError(
            'po.read of DuckDB files needs duckdb. Install it with: pip install "peckorder[sql]"'
        ) from None
    try:
        connection = duckdb.connect(str(_existing(address)), read_only=True)
        connection.execute("set enable_external_access = false")
    except duckdb.Error as error:
        raise DataError(f"{address.shown} cannot be opened ({reason(error)}).") from None
    return closing(connection)


def _existing(address: Address) -> Path:
    path = Path(address.target)
    if not path.is_file():
        raise DataError(f"There is no file {address.target}.")
    return path


def _tables(connect: Connect, name: str) -> list[str]:
    with connect() as connection:
        listing = OF_SQLITE if isinstance(connection, sqlite3.Connection) else TABLES
    query = Query(listing.replace("'public'", "current_schema()"), [], name, True)
    return [str(table) for batch in _fetched(connect, query, 1000) for table in batch.to_series()]


def _whole_table(connect: Connect, name: str, table: str) -> Query:
    """All rows in the order of their row ids, which views and some tables do not have."""
    named = quoted_name(table)
    plain = Query(f"select * from {named}", [], f"{name}, table {table}", False)
    with connect() as connection:
        if not isinstance(connection, sqlite3.Connection):
            parts = ".".join(map(quoted_name, table.split(".", 1)))
            return replace(plain, text=f"select * from {parts}")
        by_id = replace(plain, text=f"{plain.text} order by rowid", ordered=True)
        try:
            # A view may pass on something called rowid; a table may have such a column of its own.
            kinds = "select type from sqlite_master where name = ?"
            (kind,) = connection.execute(kinds, [table]).fetchone()
            connection.execute(by_id.text).close()
        except (sqlite3.Error, UnicodeError):  # explained where the rows are read
            return plain
    return by_id if kind == "table" else plain


def _fetched(connect: Connect, query: Query, rows: int) -> Iterator[pl.DataFrame]:
    """The rows of a query; the first batch may be empty, so that its columns are known."""
    problem = None
    try:
        with connect() as connection:
            cursor = connection.cursor()
            bound: Any = query.parameters
            if isinstance(connection, sqlite3.Connection) and re.search(r"\$[0-9]", query.text):
                bound = {str(place): value for place, value in enumerate(bound, start=1)}
            cursor.execute(query.text, bound)
            yield from _batches_of(cursor, query.name, rows)
    except PeckorderError:
        raise
    except Exception as error:  # each driver has errors of its own
        problem = error
    if problem is not None:
        raise _explained(query, reason(problem).rstrip("."), str(problem))


def _batches_of(cursor: Any, name: str, rows: int) -> Iterator[pl.DataFrame]:
    """What a cursor still has, in batches."""
    names = [str(column[0]) for column in cursor.description]
    distinct_names(names, name)
    found = cursor.fetchmany(rows)
    yield _frame(names, found)
    while len(found) == rows:
        found = cursor.fetchmany(rows)
        if found:
            yield _frame(names, found)


def _frame(names: list[str], found: list[tuple]) -> pl.DataFrame:
    columns = list(zip(*found, strict=True)) if found else [()] * len(names)
    return pl.DataFrame([_series(n, list(c)) for n, c in zip(names, columns, strict=True)])


def _series(name: str, values: list[Any]) -> pl.Series:
    """A column of one type; cells of a column of SQLite may have different types."""
    kinds = {type(value) for value in values} - {type(None)}
    if kinds == {int, float}:
        return pl.Series(name, values, dtype=pl.Float64, strict=False)
    if len(kinds) > 1:
        texts = [v.decode(errors="replace") if isinstance(v, bytes) else v for v in values]
        return pl.Series(name, [None if v is None else str(v) for v in texts], dtype=pl.String)
    return readable(pl.Series(name, values, strict=False))


def _joined(batches: list[pl.DataFrame]) -> pl.DataFrame:
    """All batches; a column that has different types in them becomes text."""
    first = batches[0]
    for name in first.columns:
        types = {batch.schema[name] for batch in batches} - {pl.Null()}
        if len(types) > 1 and not all(kind.is_numeric() for kind in types):
            batches = [batch.with_columns(pl.col(name).cast(pl.String)) for batch in batches]
    return pl.concat(batches, how="vertical_relaxed")


FILES = {"sqlite": _sqlite, "duckdb": _duckdb}


def open_database(
    source: str | os.PathLike[str],
    *,
    query: str | None,
    parameters: Any,
    sheet: str | int | None,
    stream: bool,
) -> Sheet:
    """The result of a query, or one table, of the database at an address."""
    address = address_of(source)
    asked = _query_or_table(query, parameters, sheet, address.shown)
    if address.kind == "postgresql":
        return open_postgres(address, asked, sheet, stream=stream)
    kind = "duckdb" if _is_duckdb(Path(address.target)) else address.kind
    return _opened(partial(FILES[kind], address), address.shown, asked, sheet, stream=stream)


def open_connection(
    source: Any, *, query: str | None, parameters: Any, sheet: str | int | None, stream: bool
) -> Sheet:
    """The same of a connection that is open, and stays so; also the rows of a cursor."""
    name = f"the {type(source).__name__}"
    asked = _query_or_table(query, parameters, sheet, name)
    if not hasattr(source, "cursor"):
        if asked is not None or sheet is not None:
            raise ArgumentError(
                f"{option_name('query')} and {option_name('sheet')}: give the "
                f"connection instead of {name}."
            )
        if source.description is None:
            raise DataError(f"{name} has no rows. Execute a SELECT statement first.")
        frame = _joined(list(_batches_of(source, name, ROWS_AT_ONCE)))
        return _as_sheet(frame, Query("", [], name, True), [], None)
    if asked is not None and WRITES.search(QUOTED.sub(" ", asked.text)):
        raise ArgumentError(
            f"{option_name('query')} would write. Data are only read: give a statement that only "
            f"selects rows."
        )
    return _opened(lambda: nullcontext(source), name, asked, sheet, stream=stream)


WRITES = re.compile(r"\b(?:insert\s+into|update\s+\S+\s+set|delete\s+from|merge\s+into)\b", re.I)


def is_connection(source: Any) -> bool:
    """Whether this is a connection to a database, or a cursor, as DB-API 2.0 defines them."""
    if hasattr(source, "__arrow_c_stream__"):  # a relation of DuckDB, which may be read again
        return False
    connection = callable(getattr(source, "cursor", None)) and hasattr(source, "commit")
    return connection or (hasattr(source, "fetchmany") and hasattr(source, "description"))


def is_database(source: str | os.PathLike[str]) -> bool:
    """Whether a source is the address of a database, or a file of SQLite or DuckDB."""
    if SIGNS_OF_ADDRESSES.search(str(source)) and looks_like_address(source):
        return True
    return _begins(Path(source)).startswith(SQLITE) or _is_duckdb(Path(source))


SQLITE = b"SQLite format 3\0"
SIGNS_OF_ADDRESSES = re.compile("[:=]")


def _is_duckdb(path: Path) -> bool:
    return _begins(path)[8:12] == b"DUCK"


def _begins(path: Path) -> bytes:
    """The first bytes of a file; empty if it cannot be read, which is reported elsewhere."""
    try:
        if not path.is_file():
            return b""
        with path.open("rb") as file:
            return file.read(16)
    except (OSError, ValueError):
        return b""


def _query_or_table(
    query: str | None, parameters: Any, sheet: str | int | None, name: str
) -> Query | None:
    asked = query_of(query, parameters, name)
    if asked is not None and sheet is not None:
        raise ArgumentError(
            f"{option_name('sheet')} names a table and {option_name('query')} selects rows: give "
            f"one of them."
        )
    return asked

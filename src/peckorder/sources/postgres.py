"""PostgreSQL through its Arrow driver (ADBC), in read-only transactions.

A complete result is copied as Arrow columns; a stream is fetched from a cursor of the server, batch
by batch, so that neither side holds all rows. What the driver says is shown in one line, without
the password.
"""

from __future__ import annotations

import ctypes
import getpass
import re
import sys
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import polars as pl

from peckorder.errors import DataError
from peckorder.sources.addresses import Address
from peckorder.sources.queries import Query, chosen_table, distinct_names, quoted_name, readable
from peckorder.sources.sheet import DAMAGED, Sheet

INTERVALS = (b"tiM", b"tiD", b"tin")  # types that no table of polars can hold
UNCOPIED = {"adbc.postgresql.use_copy": "false"}  # rows of a cursor cannot be copied
TABLES = """
select case when table_schema = 'public' then table_name
            else table_schema || '.' || table_name end
from information_schema.tables
where table_schema not in ('pg_catalog', 'information_schema') order by 1
"""
WAIT = 15  # seconds for a server to answer


class _Schema(ctypes.Structure):
    """The first fields of a type in the Arrow C data interface."""

    _fields_ = (
        ("format", ctypes.c_char_p),
        ("name", ctypes.c_char_p),
        ("metadata", ctypes.c_void_p),
        ("flags", ctypes.c_int64),
        ("number", ctypes.c_int64),
        ("children", ctypes.POINTER(ctypes.c_void_p)),
    )


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
        columns = _columns(connection, address, query)
        if stream:
            frame = pl.DataFrame(schema=dict.fromkeys(columns, pl.String))
        else:
            frame = _run(connection, address, query)
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
    raise _explained(address, query, problem)


def _columns(connection: Any, address: Address, query: Query) -> list[str]:
    """Names of the columns of a query, which is not run; refuses types that cannot be loaded."""
    from adbc_driver_postgresql import dbapi

    problem, found = "", []
    try:
        with connection.cursor() as cursor:
            cursor.adbc_statement.set_sql_query(f"{query.text}\n")
            handle = cursor.adbc_statement.execute_schema()
            found = _fields(handle.address)
    except (dbapi.Error, *DAMAGED) as error:
        problem = str(error)
    if problem:
        raise _explained(address, query, problem)
    names = [name for name, _ in found]
    distinct_names(names, query.name)
    for name, kind in found:
        if kind in INTERVALS:
            raise DataError(
                f'{query.name}: column "{name}" contains intervals, which are not read. Leave it '
                f"out, or convert it in the query: {quoted_name(name)}::text."
            )
    return names


def _fields(address: int) -> list[tuple[str, bytes]]:
    """Name and type of each column of an Arrow schema in memory."""
    schema = _Schema.from_address(address)
    fields = [_Schema.from_address(schema.children[place]) for place in range(schema.number)]
    return [((field.name or b"").decode(), field.format or b"") for field in fields]


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


def _explained(address: Address, query: Query, problem: str) -> DataError:
    said = _said(address, problem)
    if re.search("read-only transaction|read-write mode", problem):
        return DataError(f"{query.name}: data are only read, and this query would write ({said}).")
    if re.search("operator does not exist|could not determine data type", problem):
        advice = " Write the type behind a placeholder, such as $1::date or $1::int."
    elif re.search("parameter|bind message", problem):
        advice = " Give one parameter for each placeholder ($1, $2)."
    elif "does not exist" in problem:
        advice = " Check the names of tables and columns."
    elif "permission denied" in problem:
        advice = " Ask the owner of the database for the right to read."
    else:
        advice = " Correct the query."
    return DataError(f"{query.name} cannot be read ({said}).{advice}")

"""Databases as sources of contests: SQLite files and PostgreSQL."""

from __future__ import annotations

import os
from typing import Any

from peckorder.errors import ArgumentError
from peckorder.sources.addresses import address_of
from peckorder.sources.postgres import open_postgres
from peckorder.sources.queries import query_of
from peckorder.sources.sheet import Sheet
from peckorder.sources.sqlite import open_sqlite
from peckorder.wording import option_name

OPEN = {"sqlite": open_sqlite, "postgresql": open_postgres}


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
    asked = query_of(query, parameters, address.shown)
    if asked is not None and sheet is not None:
        raise ArgumentError(
            f"{option_name('sheet')} names a table and {option_name('query')} selects rows: give "
            f"one of them."
        )
    return OPEN[address.kind](address, asked, sheet, stream=stream)

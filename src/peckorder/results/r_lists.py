"""Results as plain lists, for R.

The package reticulate turns Python's lists of numbers or of texts into vectors of R, and mappings
into named lists. It needs NumPy for arrays and pandas tables, and fails where its version and that
of NumPy do not match, so nothing here is an array. A list in which some elements are None would not
become a vector: missing numbers are NaN, which R treats as missing, and missing texts are empty.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from peckorder.tables import as_polars, plain


def vectors(table: Any) -> dict[str, list[Any]]:
    """The columns of a table as lists of one type each; dates as text.

    >>> vectors(pl.DataFrame({"name": ["Abe", None], "rank": [1, None], "wins": [3, 0]}))
    {'name': ['Abe', ''], 'rank': [1.0, nan], 'wins': [3, 0]}
    """
    return {column.name: _vector(column) for column in as_polars(table).get_columns()}


def _vector(column: pl.Series) -> list[Any]:
    if column.dtype == pl.Boolean and not column.null_count():
        return column.to_list()
    if column.dtype.is_integer() and not column.null_count():
        return column.to_list()
    if column.dtype.is_numeric() or column.dtype == pl.Boolean:
        return column.cast(pl.Float64).fill_null(float("nan")).to_list()
    if isinstance(column.dtype, pl.Datetime):
        column = _as_r_writes_times(column)
    return ["" if value is None else str(plain(value)) for value in column.to_list()]


def _as_r_writes_times(column: pl.Series) -> pl.Series:
    """Days without a time of day as dates, otherwise times in the form that as.POSIXct reads."""
    days = column.dt.truncate("1d")
    same = (days == column).drop_nulls().all()
    return column.cast(pl.Date) if same else column.dt.strftime("%Y-%m-%d %H:%M:%S%.f")

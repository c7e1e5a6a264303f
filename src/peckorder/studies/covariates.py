"""Covariates of groups: a second sheet with one row per group."""

from __future__ import annotations

import os
from typing import Any

import polars as pl

from peckorder.errors import ArgumentError, ArgumentTypeError, DataError
from peckorder.sources.names import text_of
from peckorder.sources.source import open_sheet
from peckorder.wording import did_you_mean, option_name, quoted


def with_covariates(table: pl.DataFrame, covariates: Any, by: str | None) -> pl.DataFrame:
    """A table of groups with the columns of the second sheet; groups without a row are refused."""
    if covariates is None:
        return table
    sheet = _sheet(covariates)
    key = next((name for name in ("group", by) if name in sheet.columns), None)
    if key is None:
        wanted = "group" if by in (None, "group") else f"group or {by}"
        raise DataError(
            f"{option_name('covariates')}: there is no column {wanted}. Columns: "
            f"{quoted(sheet.columns)}."
        )
    sheet = sheet.with_columns(text_of(sheet[key]).str.strip_chars().alias("group"))
    sheet = sheet.drop_nulls("group").select("group", pl.exclude("group", key))
    twice = sheet.filter(sheet["group"].is_duplicated())["group"].unique(maintain_order=True)
    if len(twice):
        raise DataError(f"{option_name('covariates')}: {quoted(twice)} appears in several rows.")
    absent = [name for name in table["group"] if name not in set(sheet["group"])]
    if absent:
        raise DataError(
            f"{option_name('covariates')}: there is no row for {quoted(absent)}."
            f"{did_you_mean(absent[:3], sheet['group'])}"
        )
    taken = {name: f"{name}_2" for name in sheet.columns[1:] if name in table.columns}
    joined = sheet.rename(taken).select("group", *(_numbers(c) for c in sheet.rename(taken)[:, 1:]))
    return table.join(joined, on="group", how="left", maintain_order="left")


def _numbers(column: pl.Series) -> pl.Series:
    """A column of text as numbers, if all its cells are numbers or blank."""
    if column.dtype != pl.String:
        return column
    filled = column.str.strip_chars().replace(["", "NA"], None)
    numbers = filled.cast(pl.Float64, strict=False)
    return numbers if numbers.null_count() == filled.null_count() else filled


def _sheet(covariates: Any) -> pl.DataFrame:
    if isinstance(covariates, str | os.PathLike) or hasattr(covariates, "columns"):
        return open_sheet(covariates).table()
    if isinstance(covariates, dict):
        return pl.DataFrame(covariates)
    raise ArgumentTypeError(
        f"{option_name('covariates')}: give a file or a table, not {type(covariates).__name__}."
    )


def column_of(table: pl.DataFrame, name: str) -> pl.Series:
    """A column of covariates, or an error that lists them."""
    if name not in table.columns:
        raise ArgumentError(
            f'There is no column "{name}".{did_you_mean([name], table.columns)} Columns: '
            f"{quoted(table.columns)}."
        )
    return table[name]

"""Parquet files that are damaged."""

import io

import polars as pl
import pytest

import peckorder as po


def packed(table: pl.DataFrame, **options) -> bytes:
    file = io.BytesIO()
    table.write_parquet(file, **options)
    return file.getvalue()


def test_the_error_names_the_file(sheet):
    raw = bytearray(packed(pl.DataFrame({"winner": ["a"] * 50, "loser": ["b"] * 50})))
    raw[5] = raw[6] = raw[7] = 0xFF
    with pytest.raises(po.DataError, match="x.parquet cannot be read.* Obtain a new copy"):
        po.read(sheet(bytes(raw), "x.parquet"))

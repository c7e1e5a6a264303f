"""Pages of Parquet files are checked before they are decoded."""

import io

import numpy as np
import polars as pl
import pytest

import peckorder as po
from peckorder.data.files import DamagedPage, check_pages


def packed(table: pl.DataFrame, **options) -> bytes:
    file = io.BytesIO()
    table.write_parquet(file, **options)
    return file.getvalue()


@pytest.mark.parametrize("options", [{}, {"compression": "uncompressed"}, {"row_group_size": 7}])
@pytest.mark.parametrize("pyarrow", [False, True])
def test_whole_files_pass(options, pyarrow):
    rng = np.random.default_rng(1)
    table = pl.DataFrame(
        {
            "winner": [f"animal {i}" for i in rng.integers(0, 30, 500)],
            "loser": pl.Series(["x", None] * 250, dtype=pl.Categorical),
            "date": pl.Series(rng.normal(size=500)),
            "flag": rng.random(500) < 0.5,
            "list": [[1, 2], None] * 250,
        }
    )
    check_pages(io.BytesIO(packed(table, use_pyarrow=pyarrow, **options)))
    check_pages(io.BytesIO(packed(table.clear(), use_pyarrow=pyarrow)))


def test_a_page_with_an_impossible_number_of_values():
    """The number of values is the first field of the first header; −1 once ended the process."""
    raw = packed(
        pl.DataFrame({"winner": ["a"] * 50, "loser": ["b"] * 50}), compression="uncompressed"
    )
    changed = []
    for place in range(4, 60):
        for byte in (0x7F, 0x63, 0x01):
            bad = bytearray(raw)
            bad[place] = byte
            changed.append(bytes(bad))
    found = 0
    for bad in changed:
        try:
            check_pages(io.BytesIO(bad))
        except DamagedPage:
            found += 1
    assert found > 20


def test_the_error_names_the_file(sheet):
    raw = bytearray(packed(pl.DataFrame({"winner": ["a"] * 50, "loser": ["b"] * 50})))
    raw[5] = raw[6] = raw[7] = 0xFF
    with pytest.raises(
        po.DataError, match="x.parquet cannot be read as Parquet .* Obtain a new copy"
    ):
        po.read(sheet(bytes(raw), "x.parquet"))

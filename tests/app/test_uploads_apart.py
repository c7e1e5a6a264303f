"""Files that compiled code reads are opened in a process of their own first."""

import io

import polars as pl
import pytest

import peckorder as po
from peckorder.app import uploads


def parquet(rows: int) -> bytes:
    """A file of a few kilobytes, whatever the number of rows."""
    buffer = io.BytesIO()
    pl.DataFrame({"winner": ["a"] * rows, "loser": ["b"] * rows}).write_parquet(buffer)
    return buffer.getvalue()


def test_workbooks_and_tables_are_opened(tmp_path):
    po.datasets.adv().to_table().write_excel(tmp_path / "adv.xlsx")
    for name, content in (
        ("adv.xlsx", (tmp_path / "adv.xlsx").read_bytes()),
        ("small.parquet", parquet(3)),
        ("broken.xlsx", b"PK\x03\x04 nothing\0"),  # the server says what is wrong with it
    ):
        assert uploads.stored(tmp_path / "kept", name, content).path.exists()


@pytest.mark.posix
def test_one_that_needs_too_much_memory_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(uploads, "MOST_MEMORY", 50 << 20)
    with pytest.raises(po.DataError, match="more than 50 MB.* save the sheet as CSV"):
        uploads.stored(tmp_path, "small.parquet", parquet(3))
    assert list(tmp_path.rglob("small.parquet")) == []


@pytest.mark.posix
def test_one_that_ends_its_reader_ends_nothing_else(tmp_path, monkeypatch):
    monkeypatch.setattr(uploads, "python", lambda *_: ["sh", "-c", "kill -ABRT $$"])
    with pytest.raises(po.DataError, match="its reader failed"):
        uploads.stored(tmp_path, "a.xlsx", b"PK\x03\x04\0")
    text = uploads.stored(tmp_path, "a.csv", b"winner,loser\na,b\n")  # Python reads this
    assert text.path.exists()

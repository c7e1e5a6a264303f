"""Odd sources: types, sizes and damage that ordinary files have, and that once were not expected."""

import datetime as dt
import gzip
import io
import os
import subprocess
import sys
import threading
import zipfile

import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pytest

import peckorder as po
from peckorder.data import text_files, workbooks

ROWS = {"winner": ["a", "b", "c"], "loser": ["b", "c", "a"]}


@pytest.mark.parametrize("dtype", [pl.Int16, pl.UInt8, pl.Int8, pl.UInt64, pl.Int128])
def test_numbers_of_every_size_are_dates(dtype):
    data = po.read(pl.DataFrame({**ROWS, "date": pl.Series([1, 2, 3], dtype=dtype)}))
    assert data.date.tolist() == [1, 2, 3]
    years = pl.DataFrame({**ROWS, "year": pl.Series([2001, 2002, 2003], dtype=pl.Int16)})
    assert po.read(years).date.tolist() == [2001, 2002, 2003]


def test_categories_and_periods_are_read():
    table = pl.DataFrame(ROWS).cast(pl.Categorical)
    assert po.read(table).individuals == ("a", "b", "c")
    days = pd.period_range("2001-01-01", periods=3, freq="D")
    assert str(po.read(pd.DataFrame({**ROWS, "date": days})).date[0])[:10] == "2001-01-01"
    months = pd.period_range("2001-01", periods=3, freq="M")
    with pytest.raises(po.DataError, match='"2001-01" in column "date" cannot be read as a date'):
        po.read(pd.DataFrame({**ROWS, "date": months}))


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("winner", [["a"], ["b"], ["c"]]),
        ("date", [["2001-01-01"]] * 3),
        ("count", [{"n": 1}] * 3),
        ("winner", [b"\xff", b"b", b"c"]),
        ("date", [dt.timedelta(1)] * 3),
    ],
)
def test_columns_of_other_types_are_refused(column, values):
    with pytest.raises(po.DataError, match=f'column "{column}" contains values of type .* Convert'):
        po.read(pl.DataFrame({**ROWS, column: values}))


def test_unused_columns_may_be_of_any_type():
    data = po.read(pl.DataFrame({**ROWS, "notes": [[1], None, [2, 3]]}), missing="drop")
    assert data.extra["notes"].to_list() == [[1], None, [2, 3]]


@pytest.mark.parametrize("cell", ["1_0", "١", "0x1", "1 0"])
def test_only_plain_numbers_are_counts(cell):
    with pytest.raises(po.DataError, match="not a number"):
        po.read(np.array([["0", cell], ["3", "0"]]))


def test_dates_that_are_not_exact_are_refused():
    with pytest.raises(po.DataError, match="Position 0: inf .* too large for a date"):
        po.read({**ROWS, "date": ["9" * 400, "1", "2"]})
    with pytest.raises(po.DataError, match="too large for a date"):
        po.read({**ROWS, "date": [2**60, 1, 2]})


def test_names_that_are_not_exact_are_refused():
    with pytest.raises(
        po.DataError, match='Column "winner" contains names that are floating-point'
    ):
        po.read({"winner": [2.0**53, 1.0], "loser": [3.0, 4.0]})
    assert po.read({"winner": [2**60, 2**60 + 1], "loser": [3, 4]}).individuals[0] == str(2**60)


def test_zoned_and_local_times_are_not_mixed():
    zoned, plain = dt.datetime(2001, 1, 1, tzinfo=dt.UTC), dt.datetime(2001, 1, 1)
    with pytest.raises(po.DataError, match="with a time zone and times without one"):
        po.read({**ROWS, "date": [zoned, plain, plain]})
    texts = ["2001-01-01T10:00:00Z", "2001-01-01T10:00:00Z", "2001-01-01T09:00:00"]
    with pytest.raises(po.DataError, match="Position 2: .* has no time zone, but others? "):
        po.read({**ROWS, "date": texts})
    berlin = pd.date_range("2001-06-01 12:00", periods=3, tz="Europe/Berlin")
    data = po.read(pd.DataFrame({**ROWS, "date": berlin}))
    assert str(data.date[0]) == "2001-06-01T12:00:00.000000"
    assert "local times of their time zone (Europe/Berlin)" in str(data.report)


def test_a_column_is_given_by_its_name():
    with pytest.raises(TypeError, match="winner=7: give the name of the column as text"):
        po.read(ROWS, winner=7)
    with pytest.raises(TypeError, match="date=True"):
        po.read(ROWS, date=True)
    with pytest.raises(po.DataError, match='Column "winner" is given for winner= and loser='):
        po.read(ROWS, winner="winner", loser="winner")


@pytest.mark.parametrize("source", [{**ROWS, "count": [50_000_000, 1, 1]}, np.diag([5e7], 1)])
def test_large_counts_are_refused_before_they_fill_the_memory(source):
    with pytest.raises(po.DataError, match="sum to 50,000,00. contests; the maximum is 20,000,000"):
        po.read(source)


def test_archives_that_expand_too_far_are_refused(sheet, monkeypatch):
    monkeypatch.setattr(text_files, "LARGEST_TEXT", 1000)
    path = sheet(gzip.compress(b"winner,loser\n" + b"a,b\n" * 500), "x.csv.gz")
    with pytest.raises(po.DataError, match="expands to more than .* Uncompress it first"):
        po.read(path)
    monkeypatch.setattr(workbooks, "LARGEST_WORKBOOK", 1000)
    with pytest.raises(po.DataError, match="would expand to .* the maximum for a workbook"):
        po.read(book(sheet, {"A1": "winner", "B1": "loser", "A2": "a", "B2": "b"}))


def book(sheet, cells, name="x.xlsx"):
    """A workbook with these cells."""
    made = openpyxl.Workbook()
    for place, value in cells.items():
        made.active[place] = value
    file = io.BytesIO()
    made.save(file)
    return sheet(file.getvalue(), name)


CELLS = {"A1": "winner", "B1": "loser", "A2": "a", "B2": "b"}


def test_a_stray_cell_far_below_or_beside_the_table(sheet):
    with pytest.raises(po.DataError, match='Row 50000: no name in column "winner"'):
        po.read(book(sheet, {**CELLS, "B50000": "x"}))
    with pytest.raises(po.DataError, match="extends to cell XFD1048576.*Delete stray cells"):
        po.read(book(sheet, {**CELLS, "XFD1048576": "x"}))


def test_thousands_of_columns(sheet):
    """Twenty thousand columns once took 70 seconds; the number of steps is what matters."""
    header = ",".join(["winner", "loser", *(f"c{i}" for i in range(3000))])
    data = po.read(sheet(f"{header}\na,b{',1' * 3000}\nb,a{',2' * 3000}\n"))
    assert len(data.report.unused) == 3000


def test_damaged_files_are_refused_and_never_panic(sheet):
    file = io.BytesIO()
    pl.DataFrame({name: cells * 200 for name, cells in ROWS.items()}).write_parquet(file)
    whole = file.getvalue()
    excel = book(sheet, CELLS).read_bytes()
    rng = np.random.default_rng(1)
    refused = 0
    for raw, name in ((whole, "x.parquet"), (excel, "x.xlsx")):
        for _ in range(60):
            bad = bytearray(raw)
            for place in rng.integers(4, len(bad), 4):
                bad[place] = rng.integers(256)
            if rng.random() < 0.3:
                del bad[rng.integers(len(bad)) :]
            try:
                po.read(sheet(bytes(bad), name))
            except po.PeckorderError:
                refused += 1
    assert refused > 60


def test_a_zip_file_that_is_no_workbook(sheet):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("readme.txt", "hello")
    with pytest.raises(po.DataError, match="cannot be opened as an Excel workbook"):
        po.read(sheet(file.getvalue(), "x.zip"))


@pytest.mark.parametrize("name", ["punycode", "hex", "no-such", "a\0b"])
def test_encodings_that_are_none(sheet, name):
    with pytest.raises(po.PeckorderError, match="encoding|cannot be read as"):
        po.read(sheet("winner,loser\na,bé\n"), encoding=name)


@pytest.mark.parametrize("separator", ["é", "ab", '"', "x", "\x00", "\n", "\xa0"])
def test_separators_that_are_none(tmp_path, separator):
    (tmp_path / "a.csv").write_text("winner,loser\na,b\n", encoding="utf-8")
    with pytest.raises(po.ArgumentError, match="give a single character such as , or ; or tab"):
        po.read(tmp_path / "a.csv", separator=separator)


@pytest.mark.posix
def test_contests_through_a_pipe(tmp_path):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=("winner,loser\na,b\nb,c\n",))
    writer.start()
    assert len(po.read(pipe)) == 2
    writer.join()


@pytest.mark.slow
@pytest.mark.posix
def test_the_shell_reads_and_writes_pipes(tmp_path):
    (tmp_path / "x.csv").write_text("winner,loser\na,b\n")
    run = f"{sys.executable} -m peckorder elo <(cat x.csv) --format csv -o /dev/stdout | cat"
    done = subprocess.run(["bash", "-c", run], cwd=tmp_path, capture_output=True, check=True)
    assert done.stdout.startswith(b"individual,rating,rank")
    run = f"{sys.executable} -m peckorder elo x.csv -o /dev/stdout > out.txt"
    subprocess.run(["bash", "-c", run], cwd=tmp_path, capture_output=True, check=True)
    assert (tmp_path / "out.txt").read_text().split()[0] == "individual"


def test_a_text_too_long_for_the_name_of_a_file_is_refused():
    with pytest.raises(po.DataError, match="at most 255 characters, this one 3,000"):
        po.read("x" * 3000)

"""R files through `po.read`; files made by hand (tests/r_writer.py) and by R itself (rdata's own)."""

import builtins
import bz2
import datetime as dt
import gzip
import io
import lzma
import random
import re
import struct
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import peckorder as po
from peckorder.data import r_files
from tests.r_writer import (
    COMPLEX,
    FOLDER,
    INTEGER,
    LATIN1,
    LIST,
    LOGICAL,
    TEXT,
    R,
    Writer,
    compact,
    dates,
    deferred,
    factor,
    frame,
    integer,
    matrix,
    rda,
    rds,
    real,
    text,
    times,
)

rdata = pytest.importorskip("rdata")
FROM_R = sorted(Path(str(rdata.TESTDATA_PATH)).rglob("*.rd[as]"))
WINNER, LOSER = text(["a", "b", "a"]), text(["b", "a", "b"])


@pytest.fixture
def saved(tmp_path):
    def write(content, name="contests.rds"):
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write


def problem(source, **options):
    with pytest.raises(po.PeckorderError) as caught:
        po.read(source, **options)
    return str(caught.value)


def test_a_data_frame():
    data = po.read(FOLDER / "contests.rds")
    assert data.individuals == ("Abe", "Bo", "Cy")
    assert data.date.astype("datetime64[D]").astype(str).tolist() == [
        "2008-05-01",
        "2008-05-02",
        "2008-05-02",
        "2008-05-04",
    ]
    assert data.report.source == "contests.rds"
    assert data.report.columns["context"] == "intensity"


def test_a_matrix_with_names():
    data = po.read(FOLDER / "wins.rds")
    assert data.matrix().wins.tolist() == [[0, 3, 2], [1, 0, 4], [0, 1, 0]]
    assert data.individuals == ("Abe", "Bo", "Cy")


def test_the_object_with_contests_is_found():
    data = po.read(FOLDER / "station.rda")
    assert data.hash == po.read(FOLDER / "contests.rds").hash
    assert (
        'station.rda has objects "animals", "contests"; "contests" was read. Choose another with '
        "sheet=." in data.report.notes
    )
    assert data.report.source == "station.rda, object contests"


def test_elements_of_a_list_are_chosen_by_name(inside):
    told = problem(FOLDER / "study.RData")
    assert told == (
        "study.RData has several data frames or matrices, several of which contain contests: "
        '"study$contests", "study$wins". Choose one with sheet=.'
    )
    data = po.read(FOLDER / "study.RData", sheet="study$wins")
    assert data.hash == po.read(FOLDER / "wins.rds").hash
    assert data.report.options == {"sheet": "study$wins"}
    assert po.read(FOLDER / "study.RData", sheet=2).hash == data.hash
    assert "has no object" in problem(FOLDER / "study.RData", sheet="wins")
    done = inside("elo", FOLDER / "study.RData", "--sheet", "study$contests")
    assert done.returncode == 0


def test_lists_without_names(saved):
    content = rds(R(LIST, [frame(x=WINNER), frame(winner=WINNER, loser=LOSER)]))
    data = po.read(saved(content))
    assert data.report.source == "contests.rds, object [[2]]"


def test_objects_without_contests_are_listed(saved):
    path = saved(rda(x=frame(p=WINNER), y=frame(q=WINNER)), "two.rda")
    assert 'none of which names its columns: "x", "y"' in problem(path)
    assert "neither a data frame nor a matrix" in problem(saved(rds(text(["x"]))))


def test_types_of_columns(saved):
    table = frame(
        winner=WINNER,
        loser=LOSER,
        date=times([0, 3600.5, 7200], "Europe/Berlin"),
        whole=integer([1, None, 3]),
        number=real([1.5, None, float("nan")]),
        flag=R(LOGICAL, [1, None, 0]),
        sequence=compact(1, 3),
        written=deferred(integer([1, None, 30])),
        lasted=real([36000, 1.5, None], **{"class": text(["hms", "difftime"])}),
        code=factor(["x", None, "y"], ["x", "y"]),
        born=dates([0, -1, None]),
        large=real(
            [struct.unpack(">d", struct.pack(">q", n))[0] for n in (2**60, 7, -(2**63))],
            **{"class": text(["integer64"])},
        ),
        cells=R(LIST, [text(["x"])] * 3),
        complex=R(COMPLEX, [1j, 2, 3]),
    )
    data = po.read(saved(rds(table)))
    assert data.date[0] == np.datetime64("1970-01-01T01:00:00")
    assert "local times of their time zone (Europe/Berlin)" in str(data.report)
    extra = data.extra
    assert extra["whole"].to_list() == [1, None, 3]
    assert extra["number"].to_list() == [1.5, None, None]
    assert extra["flag"].to_list() == [True, None, False]
    assert extra["sequence"].to_list() == [1, 2, 3]
    assert extra["written"].to_list() == ["1", None, "30"]
    assert extra["lasted"].to_list() == [dt.time(10), dt.time(0, 0, 1, 500_000), None]
    assert extra["code"].to_list() == ["x", None, "y"]
    assert extra["born"].to_list() == [dt.date(1970, 1, 1), dt.date(1969, 12, 31), None]
    assert extra["large"].to_list() == [2**60, 7, None]
    assert 'Column "cells" was left out: it is of type list.' in data.report.notes
    assert 'Column "complex" was left out: it is of type complex.' in data.report.notes


def test_times_without_a_zone_are_utc_and_reported(saved):
    data = po.read(saved(rds(frame(winner=WINNER, loser=LOSER, date=times([0, 60, 120])))))
    assert data.date[1] == np.datetime64("1970-01-01T00:01:00")
    assert 'Times without time zone in column "date" were read as UTC.' in data.report.notes
    odd = frame(winner=WINNER, loser=LOSER, date=times([0, 60, 120], "Nowhere/Land"))
    assert 'Times of time zone "Nowhere/Land", which is not known,' in str(
        po.read(saved(rds(odd))).report
    )


def test_missing_names_and_dates_are_reported_by_row(saved):
    table = frame(winner=text(["a", None, "b"]), loser=LOSER, date=dates([1, 2, None]))
    told = problem(saved(rds(table)))
    assert "Row 2" in told
    assert "Row 3" in told


def test_names_as_numbers_and_factors(saved):
    table = frame(winner=real([1, 2, 10]), loser=integer([2, 10, 1]))
    assert po.read(saved(rds(table))).individuals == ("1", "2", "10")


def test_encodings(saved):
    for how in ({}, {"encoding": LATIN1}, {"version": 2}, {"version": 2, "encoding": 0}):
        table = frame(winner=text(["Zoë"]), loser=text(["Jürg"]))
        assert po.read(saved(rds(table, **how))).individuals == ("Zoë", "Jürg")


@pytest.mark.parametrize("packed", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_compression(saved, packed):
    content = packed(rda(contests=frame(winner=WINNER, loser=LOSER)))
    for name in ("x.rda", "x.RData", "noname"):
        assert len(po.read(saved(content, name))) == 3


def test_standard_input(monkeypatch):
    content = (FOLDER / "contests.rds").read_bytes()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert len(po.read("-")) == 4


def test_matrices(saved):
    names = ["a", "b"]
    for content in (
        matrix([[0, 1], [2, 0]], names, names),
        matrix([[0.0, 1.0], [2.0, 0.0]], names, names, 14),
        matrix([[0, 1], [2, 0]], names),
        matrix([[0, 1], [2, 0]], None, names),
        frame(names, a=integer([0, 2]), b=integer([1, 0])),
    ):
        data = po.read(saved(rds(content)))
        assert data.matrix().wins.tolist() == [[0, 1], [2, 0]]
        assert data.individuals == ("a", "b")
    unnamed = po.read(saved(rds(matrix([[0, 1], [2, 0]]))), individuals=names)
    assert unnamed.individuals == ("a", "b")
    blank = matrix([[None, 1], [2, None]], names, names)
    assert len(po.read(saved(rds(blank)))) == 3
    words = matrix([["a", "b"], ["b", "a"]], None, ["winner", "loser"], TEXT)
    assert len(po.read(saved(rds(words)))) == 2
    oblong = matrix([[0, 1, 1], [2, 0, 1]], names, ["a", "b", "c"])
    assert "square" in problem(saved(rds(oblong)), kind="matrix")


def test_names_that_occur_twice(saved):
    table = frame(winner=WINNER, loser=LOSER)
    table.attributes["names"] = text(["winner", "winner"])
    assert "winner (column 1)" in problem(saved(rds(table)))


def test_options_of_text_files_do_not_apply(saved):
    path = saved(rds(frame(winner=WINNER, loser=LOSER)))
    assert "applies to text files only; contests.rds is an R file" in problem(path, header=2)


def test_every_file_that_is_cut_off_gives_one_error(saved):
    content = rda(contests=frame(winner=WINNER, loser=LOSER, date=dates([1, 2, 3])))
    for end in range(0, len(content) - 1, 7):
        told = problem(saved(content[:end], "cut.rda"))
        assert "cut.rda" in told
        assert "\n" not in told


def test_files_with_wrong_bytes_never_end_in_a_fault(saved):
    content = bytearray(rds(frame(winner=WINNER, loser=LOSER, date=dates([1, 2, 3]))))
    source, refused = random.Random(1), 0
    for _ in range(300):
        broken = bytearray(content)
        for _ in range(source.randint(1, 4)):
            broken[source.randrange(23, len(broken))] = source.randrange(256)
        try:
            po.read(saved(bytes(broken)))
        except po.PeckorderError:
            refused += 1
    assert 0 < refused < 300


def test_bombs_are_refused_before_they_fill_the_memory(saved, monkeypatch):
    monkeypatch.setattr(r_files, "LARGEST", 1 << 20)
    zeros = b"X\n\0\0\0\2" + bytes(2 << 20)
    for packed in (gzip.compress, bz2.compress, lzma.compress):
        assert "expands to more than 1 MB" in problem(saved(packed(zeros)))


def test_lengths_that_the_file_does_not_have(saved):
    for kind in (LOGICAL, INTEGER, 14, COMPLEX, TEXT, LIST):
        for length in (2**31 - 1, 1000, -1, -5):
            writer = Writer()
            writer.number(kind, length)
            told = problem(saved(bytes(writer.out)))
            assert "cannot be read as a file of R" in told or "neither a data frame" in told
    announced = frame(winner=compact(1, 2**31 - 1), loser=compact(1, 1e300))
    assert 'Column "winner" was left out: it is too long.' in problem(saved(rds(announced)))


def test_lists_within_lists(saved):
    deep = text(["x"])
    for _ in range(3000):
        deep = R(LIST, [deep])
    writer = Writer()
    for _ in range(3000):
        writer.number(LIST, 1)
    writer.item(text(["x"]))
    assert "lists within lists" in problem(saved(bytes(writer.out)))


def test_what_is_no_file_of_r(saved):
    assert "is not a file of R, or it is damaged" in problem(saved(b"winner,loser\na,b\n"))
    assert "save it again without ascii = TRUE" in problem(saved(b"A\n3\n262147\n197888\n"))
    assert len(po.read(saved(gzip.compress(b"winner,loser\na,b\n"), "x.csv.gz"))) == 1


def test_columns_that_do_not_fit_together(saved):
    uneven = frame(winner=WINNER, loser=text(["a"]))
    assert "the columns differ in length" in problem(saved(rds(uneven)))
    wrong = frame(
        winner=integer([1, 5, 1], levels=text(["a"]), **{"class": text(["factor"])}), loser=LOSER
    )
    assert "its codes exceed the levels" in problem(saved(rds(wrong)))
    false = matrix([[0, 1], [2, 0]])
    false.attributes["dim"] = integer([5, 5])
    assert "differs from the dimensions" in problem(saved(rds(false)))


def test_without_rdata(monkeypatch):
    genuine = builtins.__import__

    def without(name, *rest, **more):
        if name == "rdata":
            raise ImportError(name)
        return genuine(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError) as caught:
        po.read(FOLDER / "contests.rds")
    assert str(caught.value) == (
        'po.read of R files needs rdata. Install it with: pip install "peckorder[r]"'
    )


def test_data_frames_by_r_are_as_rdata_converts_them():
    compared = 0
    for path in FROM_R:
        if not re.match(r"test_dataframe(.*xdr|\.rd)", path.name):
            continue
        tables = r_files.tables_of(path.read_bytes(), path.name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = rdata.conversion.convert(rdata.parser.parse_file(path))
        for label, item in tables.items():
            own, _, _ = r_files.frame_of(item)
            theirs = expected[label] if label else expected
            for name in own.columns:
                values = [None if pd.isna(v) else v for v in theirs[name].astype(object).tolist()]
                assert own[name].to_list() == pl.Series(values, strict=False).to_list()
                compared += 1
    assert compared > (20 if len(FROM_R) > 100 else 3)  # rdata 0.11 has few files

"""Several files as one table: folders, patterns, partitions, order, differences and damage."""

from __future__ import annotations

import datetime as dt
from pathlib import Path, PurePath

import numpy as np
import polars as pl
import pytest

import peckorder as po
from peckorder.data.files import natural

NAMES = [f"n{i}" for i in range(12)]


def table(number: int, seed: int = 1, begin: int = 0) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    first = random.integers(0, 12, number)
    second = (first + random.integers(1, 12, number)) % 12
    days = [dt.date(2020, 1, 1) + dt.timedelta(begin + i) for i in range(number)]
    return pl.DataFrame(
        {
            "winner": [NAMES[i] for i in first],
            "loser": [NAMES[i] for i in second],
            "date": days,
            "draw": random.random(number) < 0.1,
        }
    )


def folder_of(folder: Path, whole: pl.DataFrame, sizes: list[int]) -> Path:
    """The rows of a table in files part-0, part-1, …; natural order differs from that of text."""
    folder.mkdir(parents=True, exist_ok=True)
    begin = 0
    for i, size in enumerate(sizes):
        whole.slice(begin, size).write_parquet(folder / f"part-{i}.parquet")
        begin += size
    assert begin == whole.height
    return folder


@pytest.fixture
def twelve(tmp_path) -> tuple[Path, pl.DataFrame]:
    whole = table(120)
    return folder_of(tmp_path / "record", whole, [10] * 11 + [0, 10]), whole


@pytest.mark.parametrize("batch", [3, 1000])
def test_a_folder_is_one_table_also_as_a_stream(twelve, monkeypatch, batch):
    monkeypatch.setattr("peckorder.data.stream.CONTESTS_IN_A_BATCH", batch)
    folder, whole = twelve
    expected = po.elo(po.read(whole))
    read = po.read(folder)
    assert read.hash == po.read(whole).hash
    stream = po.read(folder, stream=True)
    assert repr(stream) == f"ContestStream: 120 rows of {folder}"
    for rated in (po.elo(read), po.elo(stream), po.elo(po.read(folder / "*.parquet"))):
        assert rated.individuals == expected.individuals
        assert rated.rating.tolist() == expected.rating.tolist()
    note = read.report.notes[0]
    assert "13 files read in the order of their names" in note
    assert '("part-0.parquet", "part-1.parquet", "part-2.parquet" and 10 more)' in note


def test_names_are_sorted_as_people_do():
    texts = ["b/a.csv", "a/x10.csv", "a/x9.csv", "a/x9b.csv", "x.csv"]
    found = sorted((PurePath(text) for text in texts), key=natural)
    assert [path.as_posix() for path in found] == [
        "a/x9.csv",
        "a/x9b.csv",
        "a/x10.csv",
        "b/a.csv",
        "x.csv",
    ]


def test_a_file_of_exactly_that_name_is_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table(5, seed=1).write_parquet("troop1.parquet")
    alone = po.read("troop[1].parquet")  # no such file: a pattern
    assert alone.hash == po.read("troop1.parquet").hash
    assert 'troop[1].parquet: 1 file read ("troop1.parquet").' in alone.report.notes
    with pytest.raises(FileNotFoundError):
        po.read("troop[1].parquet", glob=False)
    table(7, seed=2).write_parquet("troop2.parquet")
    Path("troop[1].parquet").write_bytes(Path("troop2.parquet").read_bytes())
    assert len(po.read("troop[1].parquet")) == 7
    assert len(po.read("troop[1].parquet", glob=False)) == 7
    asked = po.read("troop[1].parquet", glob=True)
    assert len(asked) == 7
    assert "is the name of a file, so it was not used as a pattern" in asked.report.notes[0]
    assert len(po.read("troop[12].parquet", glob=True)) == 12
    with pytest.raises(ValueError, match="is not a pattern, which glob=True requests"):
        po.read("troop1.parquet", glob=True)
    with pytest.raises(po.DataError, match=r"no file matches it as a pattern. The folder . cont"):
        po.read("herd*.parquet")
    with pytest.raises(po.DataError, match="there is no folder herd"):
        po.read("herd/*.parquet")
    with pytest.raises(TypeError, match="give True or False"):
        po.read("troop1.parquet", glob="yes")
    with pytest.raises(ValueError, match="glob applies to files only"):
        po.read({"winner": ["a"], "loser": ["b"]}, glob=True)


def test_folders_named_key_value_give_columns(tmp_path):
    first, second = table(20, seed=1), table(20, seed=2, begin=20)
    folder_of(tmp_path / "herd" / "group=a%20b", first, [20])
    folder_of(tmp_path / "herd" / "group=c", second, [10, 10])
    (tmp_path / "herd" / "_SUCCESS").write_text("")
    (tmp_path / "herd" / "notes.txt").write_text("by hand")
    read = po.read(tmp_path / "herd")
    assert read.group is not None
    assert read.group.column().to_list() == ["a b"] * 20 + ["c"] * 20
    assert read.report.columns["group"] == "group"
    notes = " ".join(read.report.notes)
    assert 'Column "group" from the names of folders, such as group=a%20b/part-0.parquet' in notes
    assert '1 other file of herd was not read: "notes.txt".' in notes
    batches = list(po.read(tmp_path / "herd", stream=True))
    assert [set(batch.group.names) for batch in batches] == [{"a b"}, {"c"}, {"c"}]
    folder_of(tmp_path / "herd", table(5, begin=50), [5])
    with pytest.raises(po.DataError, match="but part-0.parquet has no such folders and group=a%20"):
        po.read(tmp_path / "herd")


def test_a_column_of_the_files_precedes_the_folder(tmp_path):
    own = table(4).with_columns(group=pl.lit("mine"))
    folder_of(tmp_path / "herd" / "group=theirs", own, [4])
    read = po.read(tmp_path / "herd")
    assert read.group is not None
    assert set(read.group.names) == {"mine"}
    assert "the column of the files was used" in " ".join(read.report.notes)


def test_order_is_checked_across_files(tmp_path):
    whole = table(30)
    folder = folder_of(tmp_path / "record", whole, [10, 10, 10])
    whole.slice(5, 5).write_parquet(folder / "part-3.parquet")
    with pytest.raises(po.DataError) as caught:
        po.elo(po.read(folder, stream=True))
    assert (
        "position 0 of part-3.parquet is dated 2020-01-06 and follows position 9 of "
        "part-2.parquet, dated 2020-01-30. Name the files so that their natural order"
    ) in str(caught.value)
    read = po.read(folder)
    assert (
        "Contests were sorted by date: Positions 0 of part-3.parquet, 1 of part-3.parquet, 2 of "
        "part-3.parquet, 3 of part-3.parquet and 4 of part-3.parquet were dated before"
    ) in " ".join(read.report.notes)
    assert (np.diff(read.date) >= np.timedelta64(0)).all()
    late = whole.slice(10, 10)
    pl.concat([late[5:], late[:5]]).write_parquet(folder / "part-1.parquet")
    with pytest.raises(
        po.DataError,
        match="position 5 of part-1.parquet is dated 2020-01-11 and follows position 4 of part-1.*"
        "Sort the file, or read",
    ):
        po.elo(po.read(folder, stream=True))


def test_messages_name_the_file_and_the_row(twelve):
    folder, whole = twelve
    odd = whole[:4].with_columns(
        winner=pl.Series(["a", None, "b", "c"]), loser=pl.Series(["b", "a", "b", "d"])
    )
    odd.write_parquet(folder / "part-13.parquet")
    for stream in (False, True):
        with pytest.raises(po.DataError) as caught:
            po.elo(po.read(folder, stream=stream))
        text = str(caught.value)
        assert 'Position 1 of part-13.parquet: no name in column "winner"' in text
        assert 'Position 2 of part-13.parquet: winner and loser are both "b"' in text
    checked = po.read(folder, missing="drop", self_contests="drop").filter(individuals=["a", "b"])
    assert checked.row_of([0]).tolist() == ["0 of part-13.parquet"]


def test_schemas_that_differ_are_refused(twelve):
    folder, whole = twelve
    whole.drop("draw").with_columns(sex=pl.lit("f")).write_parquet(folder / "part-13.parquet")
    whole.with_columns(pl.col("date").cast(pl.String)).write_parquet(folder / "part-14.parquet")
    with pytest.raises(po.DataError) as caught:
        po.read(folder)
    assert caught.value.problems == (
        'part-13.parquet has no column "draw" and the additional column "sex", compared with '
        "part-0.parquet. All files must have the same columns.",
        'part-14.parquet: column "date" is of type String, but in part-0.parquet of type Date. '
        "Write all files with the same types.",
    )


def test_categories_and_the_order_of_columns_may_differ(tmp_path):
    whole = table(20)
    folder = folder_of(tmp_path / "record", whole, [10, 10])
    other = whole[10:].with_columns(pl.col("winner").cast(pl.Categorical))
    other.select("draw", "date", "loser", "winner").write_parquet(folder / "part-1.parquet")
    assert po.read(folder).hash == po.read(whole).hash


def test_a_damaged_file_is_named(twelve):
    folder, _ = twelve
    for name, cut in (("part-3.parquet", 100), ("part-7.parquet", 5)):
        raw = (folder / name).read_bytes()
        (folder / name).write_bytes(raw[:cut])
    with pytest.raises(po.DataError) as caught:
        po.read(folder, stream=True)
    assert [problem[:14] for problem in caught.value.problems] == [
        "part-3.parquet",
        "part-7.parquet",
    ]
    assert all("Obtain a new copy" in problem for problem in caught.value.problems)
    (folder / "part-7.parquet").unlink()
    (folder / "part-3.parquet").write_bytes(b"nothing")
    with pytest.raises(po.DataError, match="part-3.parquet has no column"):
        po.read(folder)


def test_text_files_are_read_as_one(tmp_path):
    (tmp_path / "2020.csv").write_text("winner,loser,date\na,b,2020-01-01\nb,c,2020-01-02\n")
    (tmp_path / "2021.csv").write_text("\nwinner;loser;date\nc;a;2021-01-01\n")
    read = po.read(tmp_path / "*.csv")
    assert [read.individuals[i] for i in read.winner] == ["a", "b", "c"]
    assert read.row_of([0, 1, 2]).tolist() == ["2 of 2020.csv", "3 of 2020.csv", "3 of 2021.csv"]
    assert po.read(tmp_path).hash == read.hash
    (tmp_path / "2022.csv").write_text("winner,loser,date\nc,c,2022-01-01\n")
    with pytest.raises(po.DataError, match='Row 2 of 2022.csv: winner and loser are both "c"'):
        po.read(tmp_path)
    (tmp_path / "2022.csv").write_text("winner,loser,day\nc,a,2022-01-01\n")
    with pytest.raises(po.DataError, match='2022.csv has no column "date" and the additional'):
        po.read(tmp_path)


def test_only_lists_of_contests_are_joined(tmp_path):
    (tmp_path / "a.csv").write_text("x,a,b\na,0,1\nb,2,0\n")
    with pytest.raises(po.DataError, match="the kind of data was not recognized"):
        po.read(tmp_path)
    with pytest.raises(po.DataError, match="a matrix is read from one file"):
        po.read(tmp_path, kind="matrix")


@pytest.mark.parametrize("batch", [7, 1000])
def test_queries_are_read_in_batches_and_executed_once(twelve, monkeypatch, batch):
    monkeypatch.setattr("peckorder.data.stream.CONTESTS_IN_A_BATCH", batch)
    folder, whole = twelve
    query = pl.scan_parquet(folder / "*.parquet").filter(pl.col("winner") != "n3").sort("date")
    expected = po.elo(po.read(query.collect()))
    executed = []

    def count(frame: pl.DataFrame) -> pl.DataFrame:
        executed.append(frame.height)
        return frame

    stream = po.read(query.map_batches(count, streamable=False), stream=True)
    assert len(stream) == (whole["winner"] != "n3").sum()
    executed.clear()
    rated = po.elo(stream)
    assert sum(executed) == len(stream)  # in one part or more
    assert rated.rating.tolist() == expected.rating.tolist()
    assert po.elo(po.read(query)).rating.tolist() == expected.rating.tolist()
    with pytest.raises(po.DataError, match="The LazyFrame cannot be read"):
        po.read(query.select("nothing"), stream=True)
    bad = query.with_columns(loser=pl.when(pl.int_range(pl.len()) == 9).then("winner"))
    with pytest.raises(po.DataError, match="Positions 0, 1, 2"):
        po.elo(po.read(bad.with_columns(pl.col("loser").cast(pl.String)), stream=True))


def test_the_shell_reads_folders_and_patterns(twelve, inside):
    folder, whole = twelve
    expected = po.elo(po.read(whole)).rating.round(2).tolist()
    for source, flags in ((folder, ()), (folder / "*.parquet", ("--stream",))):
        done = inside("elo", str(source), "--format", "csv", *flags)
        assert done.returncode == 0, done.stderr
        found = pl.read_csv(done.stdout)["rating"].round(2).to_list()
        assert sorted(found) == sorted(expected)
    done = inside("elo", str(folder / "part[0].parquet"), "--read", "glob=false")
    assert done.returncode == 2
    assert b"File not found" in done.stderr

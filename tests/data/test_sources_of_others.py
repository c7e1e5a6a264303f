"""Connections to databases, relations of DuckDB, and headers of games of chess."""

import sqlite3

import polars as pl
import pytest

import peckorder as po

ROWS = [("Abe", "Bo", "2020-01-01"), ("Bo", "Cy", "2020-01-02"), ("Abe", "Cy", "2020-01-03")]


@pytest.fixture
def station():
    connection = sqlite3.connect(":memory:")
    connection.execute("create table contests (winner, loser, date)")
    connection.executemany("insert into contests values (?, ?, ?)", ROWS)
    return connection


def pairs(data):
    return [(row["winner"], row["loser"]) for row in data.frame().rows(named=True)]


def test_an_open_connection(station):
    wanted = [row[:2] for row in ROWS]
    assert pairs(po.read(station)) == wanted
    query = "select * from contests where date > $1 order by date"
    assert pairs(po.read(station, query=query, parameters=["2020-01-01"])) == wanted[1:]
    assert pairs(po.read(station, sheet="contests")) == wanted
    assert sum(len(batch) for batch in po.read(station, stream=True)) == 3  # type: ignore
    assert len(po.elo(station, k=100).data) == 3
    assert station.execute("select count(*) from contests").fetchone() == (3,)  # still open


def test_the_rows_of_a_cursor(station):
    cursor = station.execute("select * from contests where winner = 'Abe'")
    assert pairs(po.read(cursor)) == [("Abe", "Bo"), ("Abe", "Cy")]
    with pytest.raises(po.DataError, match="Execute a SELECT"):
        po.read(station.cursor())
    with pytest.raises(po.PeckorderError, match="give the connection"):
        po.read(station.cursor(), query="select 1")


def test_a_connection_is_only_read(station):
    writing = "with x as (select 1) insert into contests select 'a', 'b', 'c'"
    with pytest.raises(po.PeckorderError, match="only read"):
        po.read(station, query=writing)
    with pytest.raises(po.PeckorderError, match="begins with"):
        po.read(station, query="drop table contests")
    with pytest.raises(po.DataError, match="no such table: fights"):
        po.read(station, query="select * from fights")
    with pytest.raises(po.PeckorderError, match="separator applies to files only"):
        po.read(station, separator=";")
    assert len(po.read(station, query="select *, 'insert into' as note from contests")) == 3


@pytest.fixture
def duck(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "station.db"  # whatever its name
    with duckdb.connect(str(path)) as connection:
        connection.execute("create table contests (winner text, loser text, date date)")
        connection.executemany("insert into contests values (?, ?, ?)", ROWS)
    return path


def test_a_file_of_duckdb(duck):
    assert pairs(po.read(duck)) == [row[:2] for row in ROWS]
    assert po.read(f"sqlite:///{duck}").date is not None
    where = "select * from contests where winner = $1 order by date"
    assert len(po.read(duck, query=where, parameters=["Abe"])) == 2
    streamed = po.read(duck, query=where, parameters=["Abe"], stream=True)
    assert sum(len(one) for one in streamed) == 2  # type: ignore
    with pytest.raises(po.DataError, match="fights"):
        po.read(duck, query="select * from fights")
    with pytest.raises(po.DataError, match="cannot be read"):  # no way to other files
        po.read(duck, query=f"select * from read_text('{__file__}')")
    before = duck.read_bytes()
    with pytest.raises(po.DataError, match="only read"):
        po.read(duck, query="with x as (select 1) insert into contests select 'a', 'b', null")
    assert duck.read_bytes() == before


def test_relations_of_duckdb(duck):
    import duckdb

    with duckdb.connect(str(duck), read_only=True) as connection:
        for source in (connection, connection.table("contests")):
            assert pairs(po.read(source)) == [row[:2] for row in ROWS]
        chosen = connection.sql("select * from contests where winner = 'Abe'")
        assert len(po.read(chosen)) == 2
        assert len(po.elo(chosen, k=100).data) == 2


def test_without_duckdb(duck, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "duckdb", None)
    with pytest.raises(ImportError, match=r"needs duckdb.*peckorder\[sql\]"):
        po.read(duck)


GAME = """[Event "Casual"]
[Date "{}"]
[Round "{}"]
[White "{}"]
[Black "{}"]
[Result "{}"]

1. e4 {{[%clk 0:10:00] a comment}} e5 {}

"""


def test_headers_of_games_of_chess(tmp_path):
    games = [
        ("2020.05.17", 1, "Carlsen, Magnus", "Ding, Liren", "1-0"),
        ("2020.05.18", 2, "Ding, Liren", r"Caruana \"F\"", "1/2-1/2"),
        ("2020.05.18", 3, "Carlsen, Magnus", r"Caruana \"F\"", "0-1"),
        ("2020.05.19", 4, "Ding, Liren", "Carlsen, Magnus", "*"),
    ]
    path = tmp_path / "club.pgn"
    path.write_text("".join(GAME.format(*game, game[-1]) for game in games))
    data = po.read(path)
    table = data.frame()
    assert pairs(data) == [
        ("Carlsen, Magnus", "Ding, Liren"),
        ("Ding, Liren", 'Caruana "F"'),
        ('Caruana "F"', "Carlsen, Magnus"),
    ]
    assert table["draw"].to_list() == [False, True, False]
    assert table["date"].dtype == pl.Date
    assert data.report.dropped == {"not played yet (no points)": 1}
    assert data.recipe.columns["Result"] == "part of another column"
    path.write_text(GAME.format("????.??.??", 1, "Abe", "Bo", "1-0", "1-0"))
    assert po.read(path, date="").date is None
    with pytest.raises(po.DataError, match="no date"):
        po.read(path)

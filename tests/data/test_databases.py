"""SQLite files through `po.read`: tables, queries, parameters, batches; addresses of databases."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import peckorder as po
from peckorder.data import databases
from peckorder.data import stream as reading
from peckorder.data.addresses import address_of, file_of, shown
from peckorder.data.databases import query_of
from peckorder.data.read import UNORDERED
from peckorder.data.sources import is_database
from peckorder.reporting.page import Lines

CONTESTS = [("Abe", "Bo", "2009-05-28"), ("Bo", "Cy", "2009-05-30"), ("Abe", "Cy", "2009-05-29")]


@pytest.fixture
def station(tmp_path, monkeypatch):
    """A file with one table, in the working directory."""
    monkeypatch.chdir(tmp_path)

    def run(*statements):
        with closing(sqlite3.connect("station.db")) as connection:
            for statement in statements:
                connection.execute(statement)
            connection.commit()

    with closing(sqlite3.connect("station.db")) as connection:
        connection.execute("create table contests (winner text, loser text, day text)")
        connection.executemany("insert into contests values (?, ?, ?)", CONTESTS)
        connection.commit()
    return run


def count():
    with closing(sqlite3.connect("station.db")) as connection:
        return connection.execute("select count(*) from contests").fetchone()[0]


def problem(source, **options):
    with pytest.raises(po.PeckorderError) as caught:
        po.read(source, **options)
    return str(caught.value)


def test_the_only_table_is_read_with_a_note(station):
    for source in ("station.db", "sqlite:///station.db"):
        data = po.read(source)
        assert len(data) == 3
        assert data.report.source == "station.db, table contests"
        assert data.report.path == source
        assert (
            'station.db has one table, "contests", which was read. Select rows with query=.'
            in data.report.notes
        )
        assert "Contests were sorted by date: Row 3" in str(data.report)


def test_the_name_of_the_file_does_not_matter(station, tmp_path):
    (tmp_path / "station.db").rename(tmp_path / "field notes #1 100%.dat")
    assert len(po.read("field notes #1 100%.dat")) == 3
    assert len(po.read("sqlite:///field notes #1 100%.dat")) == 3
    assert len(po.read(f"sqlite:///{tmp_path}/field notes #1 100%.dat")) == 3


def test_several_tables_are_listed(station):
    station("create table animals (name text)", "create view wins as select * from contests")
    told = problem("station.db")
    assert told == (
        'station.db has several tables: "contests", "animals", "wins". Choose one with sheet=, or '
        "select rows with query=."
    )
    assert len(po.read("station.db", sheet="contests")) == 3
    assert len(po.read("station.db", sheet=3)) == 3
    assert 'has no table "x". Tables found: "contests"' in problem("station.db", sheet="x")


def test_a_file_without_tables(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with closing(sqlite3.connect("empty.db")) as connection:
        connection.execute("create table t (a)")
        connection.execute("drop table t")
        connection.commit()
    assert problem("empty.db") == "empty.db contains no tables."


def test_queries_with_parameters(station):
    for query in (
        "select winner, loser from contests where day >= $1 and winner = $2 order by day",
        "select winner, loser from contests where day >= ? and winner = ? order by day",
    ):
        data = po.read("station.db", query=query, parameters=["2009-05-29", "Abe"])
        assert data.individuals == ("Abe", "Cy")
        assert "Give one parameter for each placeholder" in problem("station.db", query=query)
    injected = po.read(
        "station.db",
        query="select winner, loser from contests where winner <> $1",
        parameters=["x' or 1=1; delete from contests; --"],
    )
    assert len(injected) == count() == 3


def test_the_call_can_be_repeated(station):
    query = "select winner, loser from contests where day >= $1 and winner = $2 order by day"
    options = {"query": query, "parameters": ["2009-05-29", "Abe"]}
    data = po.read("sqlite:///station.db", **options)
    assert data.report.options == options
    lines = Lines.of(data)
    assert lines.command("elo") == (
        f"peckorder elo sqlite:///station.db --read 'query={query}' --read parameters=2009-05-29 "
        f"--read parameters=Abe"
    )
    names = {}
    exec(lines.reading, names)
    assert names["data"].hash == data.hash


def test_a_query_from_a_file(station, tmp_path, inside):
    (tmp_path / "my rows.sql").write_text("-- by day\nselect * from contests order by day;\n")
    assert len(po.read("station.db", query="my rows.sql")) == 3
    done = inside("elo", "sqlite:///station.db", "--read", "query=my rows.sql")
    assert done.returncode == 0
    assert b"Abe" in done.stdout
    assert "there is no file other.sql" in problem("station.db", query="other.sql")
    (tmp_path / "bad.sql").write_bytes(b"select '\xff'")
    assert "cannot be read as text" in problem("station.db", query="bad.sql")


def test_the_order_is_only_certain_with_dates_or_order_by(station):
    note = UNORDERED
    plain = "select winner, loser from contests"
    assert note in po.read("station.db", query=plain).report.notes
    inner = f"select * from ({plain} order by day)"
    assert note in po.read("station.db", query=inner).report.notes
    assert note not in po.read("station.db", query=f"{plain} order by day").report.notes
    assert note not in po.read("station.db", query="select * from contests").report.notes
    assert note not in po.read("station.db", date="").report.notes  # by row id
    station(
        "create table keyed (winner text, loser text, primary key (winner, loser)) without rowid",
        "insert into keyed select winner, loser from contests",
    )
    assert note in po.read("station.db", sheet="keyed").report.notes


def test_the_file_cannot_be_changed(station):
    before = (count(), Path("station.db").read_bytes())
    for query in (
        "with x as (select 1) delete from contests",
        "with x as (select 1) insert into contests select 'a', 'b', 'c'",
    ):
        assert "data are only read, and this query would write" in problem(
            "station.db", query=query
        )
    for query, told in (
        ("select 1; delete from contests", "more than one statement"),
        ("drop table contests", 'begins with "drop"'),
        ("attach 'other.db' as other", 'begins with "attach"'),
        ("pragma query_only = off", 'begins with "pragma"'),
        ("", "is empty"),
        ("-- nothing", "is empty"),
    ):
        assert told in problem("station.db", query=query)
    assert (count(), Path("station.db").read_bytes()) == before


def test_wrong_queries_and_files(station, tmp_path):
    assert "no such table: x" in problem("station.db", query="select * from x")
    assert "no such column: x" in problem("station.db", query="select x from contests")
    assert "incomplete input" in problem("station.db", query="select * from")
    assert 'several columns are called "winner"' in problem(
        "station.db", query="select winner, winner from contests"
    )
    assert problem("sqlite:///none.db") == "There is no file none.db."
    assert not (tmp_path / "none.db").exists()
    assert "write sqlite:///station.db" in problem("sqlite://station.db")
    content = (tmp_path / "station.db").read_bytes()
    (tmp_path / "cut.db").write_bytes(content[: len(content) // 2])
    assert "cut.db" in problem("cut.db")
    (tmp_path / "bad.db").write_bytes(content[:100] + b"\xff" * (len(content) - 100))
    assert "damaged" in problem("bad.db")


def test_options_that_do_not_apply(station, sheet):
    assert "header applies to files only" in problem("station.db", header=2)
    assert "query applies to databases only; the source is a file" in problem(
        sheet("winner,loser\na,b\n"), query="select 1"
    )
    assert "query applies to files only" in problem({"winner": ["a"]}, query="select 1")
    assert "give one of them" in problem("station.db", query="select 1", sheet="contests")
    assert "parameters needs query=" in problem("station.db", parameters=["x"])
    assert "must be a list" in problem("station.db", query="select 1", parameters="x")
    assert "must be text" in problem("station.db", query=5)


def test_cells_of_different_types(station):
    station(
        "create table mixed (winner, loser, count, size)",
        "insert into mixed values (1, 'Bo', 1, 1), ('x', 2.5, 2, 1.5), (x'4142', 'Bo', 1, null)",
    )
    data = po.read("station.db", sheet="mixed")
    assert set(data.individuals) == {"1", "Bo", "x", "2.5", "AB"}
    assert len(data) == 4
    assert data.report.unused == ("size",)


def test_types_that_change_between_batches(station, monkeypatch):
    monkeypatch.setattr(databases, "ROWS_AT_ONCE", 2)
    station(
        "create table mixed (winner, loser, x)",
        "insert into mixed values (1, 2, null), (2, 3, 1), ('a', 1, 2.5), (2, 'a', null)",
    )
    data = po.read("station.db", sheet="mixed")
    assert set(data.individuals) == {"1", "2", "3", "a"}
    assert data.extra["x"].to_list() == [None, 1.0, 2.5, None]


def test_uuids_as_bytes(station):
    station(
        "create table tagged (winner blob, loser text)",
        "insert into tagged values (x'a0eebc999c0b4ef8bb6d6bb9bd380a11', 'Bo')",
    )
    assert po.read("station.db", sheet="tagged").individuals[0] == (
        "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
    )


def test_an_empty_result(station):
    query = "select * from contests where winner = 'nobody'"
    assert "no contests" in problem("station.db", query=query)
    with pytest.raises(po.DataError, match="no contests remain"):
        po.elo(po.read("station.db", query=query, stream=True))


def test_streams(station, monkeypatch):
    monkeypatch.setattr(reading, "CONTESTS_IN_A_BATCH", 2)
    query = "select * from contests order by day"
    stream = po.read("station.db", query=query, stream=True)
    assert repr(stream) == "ContestStream: rows of station.db, query"
    assert bool(stream)
    assert [len(batch) for batch in stream] == [2, 1]
    assert [batch.row_of([0])[0] for batch in stream] == [1, 3]
    whole = po.elo(po.read("station.db", query=query))
    assert (po.elo(stream).rating == whole.rating).all()
    with pytest.raises(po.DataError, match="Add ORDER BY"):
        po.elo(po.read("station.db", query="select * from contests", stream=True))


def test_a_matrix_from_a_database(station):
    station(
        "create table wins (name text, Abe integer, Bo integer)",
        "insert into wins values ('Abe', 0, 3), ('Bo', 1, 0)",
    )
    assert len(po.read("station.db", sheet="wins")) == 4


def test_presence_from_a_database(station):
    station("create table stays (id text, start text, end text)")
    station("insert into stays values ('Abe', '2009-05-01', ''), ('Bo', '2009-05-01', '')")
    with closing(sqlite3.connect("stays.db")) as connection:
        connection.execute("create table stays (individual text, start text, end text)")
        rows = [(name, "2009-05-01", "") for name in ("Abe", "Bo", "Cy")]
        connection.executemany("insert into stays values (?, ?, ?)", rows)
        connection.commit()
    data = po.read("station.db", sheet="contests", presence="sqlite:///stays.db")
    assert data.report.options["presence"] == "sqlite:///stays.db"


def test_the_shell_does_not_replace_the_database(station, inside):
    done = inside("elo", "sqlite:///station.db", "-o", "station.db")
    assert done.returncode == 2
    assert count() == 3
    done = inside("elo", "sqlite:///station.db", "--read", "query=select 1; select 2")
    assert done.returncode == 2
    assert done.stderr.decode() == (
        "Error: --read query contains more than one statement. Give a single SELECT.\n"
    )
    done = inside("check", "station.db")
    assert "Select rows with --read query=…." in (done.stderr + done.stdout).decode()


SECRET = "hush"


@pytest.mark.parametrize(
    "source",
    [
        f"mysql://me:{SECRET}@host/db",
        f"postgresql+psycopg2://me:{SECRET}@host/db",
        f"postgresql:/me:{SECRET}@host/db",
        f"postgres:me:{SECRET}@host/db",
        f"host=here user=me password={SECRET}",
        f"postgresql://me:{SECRET}/x@host/db",
        f"postgresql://me:{SECRET}@x@host/db",
        f"postgresql://me:{SECRET}@host:port/db",
        f"postgresql://me: {SECRET}@host/db",
    ],
)
def test_addresses_that_cannot_be_read_are_not_shown(source, inside):
    assert SECRET not in problem(source, query="select 1")
    assert SECRET not in shown(source)
    done = inside("elo", source)
    assert done.returncode == 2
    assert SECRET.encode() not in done.stdout + done.stderr


def test_addresses_are_shown_without_secrets():
    for source, expected in (
        (
            f"postgresql://me:{SECRET}@host:5433/db?sslmode=require",
            "postgresql://me@host:5433/db?sslmode=require",
        ),
        (f"postgres://me:{SECRET}@[::1]/db", "postgresql://me@[::1]/db"),
        (f"postgresql://host/db?password={SECRET}&user=me", "postgresql://host/db?user=me"),
        (f"postgresql://host/db?user=me&password={SECRET}", "postgresql://host/db?user=me"),
        (f"postgresql:///db?sslpassword={SECRET}", "postgresql:///db"),
    ):
        address = address_of(source)
        assert address.shown == expected
        assert SECRET not in repr(address)
        assert SECRET in address.secrets
        assert address.has_password
    assert not address_of("postgresql://me@host/db").has_password
    asked = address_of("postgresql://host/db?sslmode=require").with_password("a b&c")
    assert asked.target == "postgresql://host/db?sslmode=require&password=a%20b%26c"
    assert asked.without_secrets("a b&c, a%20b%26c") == "***, ***"


def test_what_is_a_database(station, sheet):
    assert is_database("station.db")
    assert is_database("sqlite:///x")
    assert not is_database(sheet("winner,loser\n"))
    assert not is_database("none.csv")
    assert file_of("sqlite:////data/x.db") == "/data/x.db"


@pytest.mark.parametrize(
    ("text", "ordered"),
    [
        ("select * from t order  by x", True),
        ("select * from t -- order by x", False),
        ("select 'order by' from t", False),
        ("select row_number() over (order by x) from t", False),
        ("(select 1) order by 1", True),
    ],
)
def test_order_by_is_found_where_it_counts(text, ordered):
    assert query_of(text, None, "x").ordered is ordered


def test_names_of_columns_that_are_no_text_are_refused(tmp_path):
    path = tmp_path / "damaged.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("create table contests (winner, loser)")
        connection.execute("insert into contests values ('a', 'b')")
        connection.commit()
    path.write_bytes(path.read_bytes().replace(b"winner", b"\x9finner"))
    with pytest.raises(po.DataError, match="not valid text|decode|UTF-8"):
        po.read(path)

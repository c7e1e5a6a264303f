"""PostgreSQL through `po.read`, with a real server of the tests' own."""

import builtins
import getpass
import json
import os
import subprocess
import sys
import traceback
from urllib.parse import quote

import polars as pl
import pytest

import peckorder as po
from peckorder.data import stream as reading
from peckorder.data.databases import open_postgres
from peckorder.reporting.page import Lines
from tests import postgres_server
from tests.postgres_server import PASSWORD, USER

pytestmark = [pytest.mark.postgres, pytest.mark.posix, pytest.mark.programs]
SECRETS = (PASSWORD, quote(PASSWORD, safe=""))
ROWS = "select winner, loser, day from contests order by id"
TABLE = """
create type mood as enum ('calm', 'fierce');
create table contests (
    id serial primary key, winner text, loser varchar(20), day date, at timestamptz,
    size numeric(8, 2), tag uuid, mood mood, draw boolean, gap interval);
insert into contests (winner, loser, day, at, size, tag, mood, draw, gap) values
    ('Abe', 'Bo', '2009-05-28', '2009-05-28 09:23+02', 1.50,
     'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'calm', false, '1 day'),
    ('Bo', 'Cy', '2009-05-29', '2009-05-29 10:00+02', 2.00,
     'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12', 'fierce', true, null),
    ('Abe', 'Cy', '2009-05-30', null, null, null, null, null, null);
create table long as
    select 'i' || (g * 7919 % 50) as winner, 'i' || ((g * 7919 + 1 + g % 49) % 50) as loser,
           date '2000-01-01' + g / 10 as date
    from generate_series(1, 5000) g;
create function writes() returns text language sql as
    $$ delete from contests returning winner $$;
"""


@pytest.fixture(scope="session")
def server():
    if postgres_server.programs() is None:
        if os.environ.get("CI") == "true":
            pytest.fail("PostgreSQL is not installed, and CI must not skip what needs it")
        pytest.skip("PostgreSQL is not installed")
    with postgres_server.running() as found:
        found.run(TABLE)
        yield found


@pytest.fixture(autouse=True)
def _no_password_at_hand(monkeypatch):
    for name in ("PGPASSWORD", "PGPASSFILE", "PGUSER", "PGHOST", "PGPORT"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def known(monkeypatch):
    """The password comes from the environment."""
    monkeypatch.setenv("PGPASSWORD", PASSWORD)


def problem(source, **options):
    """The message of the error, which must not contain the password anywhere."""
    with pytest.raises(po.PeckorderError) as caught:
        po.read(source, **options)
    whole = "".join(traceback.format_exception(caught.value))
    assert not any(secret in whole for secret in SECRETS)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    return str(caught.value)


def test_a_query_is_read_with_its_dates(server, known):
    data = po.read(server.address, query=ROWS)
    assert repr(data) == (
        "Contests: 3 contests among 3 individuals (Abe, Bo, Cy), 2009-05-28 to 2009-05-30"
    )
    assert data.report.source == f"{server.address}, query"
    assert data.report.notes == ()


def test_parameters_are_bound_by_the_server(server, known):
    query = "select winner, loser from contests where day >= $1::date and winner <> $2 order by id"
    data = po.read(server.address, query=query, parameters=["2009-05-29", "' or ''='"])
    assert len(data) == 2
    told = problem(
        server.address, query="select winner from contests where day > $1", parameters=["x"]
    )
    assert "Write the type behind a placeholder, such as $1::date" in told
    assert "one parameter for each" in problem(server.address, query=query, parameters=["x"])
    assert "one parameter for each" in problem(server.address, query=query)


def test_types_of_the_server(server, known):
    query = "select winner, loser, at, size, tag, mood, draw from contests order by id"
    data = po.read(server.address, query=query, date="at", tie="", missing="drop")
    assert data.report.dropped == {"no date": 1}
    assert str(data.date[0]) == "2009-05-28T07:23:00.000000"
    assert "local times of their time zone (UTC)" in str(data.report)
    kept = data.extra
    assert kept["size"].to_list() == ["1.50", "2.00"]
    assert kept["tag"][0] == "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
    assert kept["mood"].to_list() == ["calm", "fierce"]
    assert kept["draw"].to_list() == [False, True]


def test_names_that_are_uuids_enums_and_numbers(server, known):
    query = "select tag as winner, mood as loser from contests where id < 3 order by id"
    first, second = (f"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1{number}" for number in (1, 2))
    assert po.read(server.address, query=query).individuals == (first, "calm", second, "fierce")
    query = "select id as winner, size as loser from contests where id < 3 order by id"
    assert po.read(server.address, query=query).individuals == ("1", "1.50", "2", "2.00")


def test_missing_names_are_reported_with_their_rows(server, known):
    query = "select winner, mood as loser from contests order by id"
    assert "Row 3" in problem(server.address, query=query)


def test_intervals_are_refused_in_words(server, known):
    told = problem(server.address, query="select winner, loser, gap from contests")
    assert "Intervals are not read" in told
    assert "gap::text" in told


def test_tables_are_offered(server, known):
    assert 'several tables: "contests", "long"' in problem(server.address)
    assert len(po.read(server.address, sheet="long")) == 5000
    assert 'has no table "short"' in problem(server.address, sheet="short")


def test_without_order_the_report_says_so(server, known):
    data = po.read(server.address, query="select winner, loser from contests")
    assert "neither an ORDER BY nor a column of dates" in str(data.report)
    dated = po.read(server.address, query="select winner, loser, day from contests")
    assert "ORDER BY" not in str(dated.report)


def test_the_database_refuses_to_write(server, known):
    count = "select count(*) from contests"
    for query in (
        "with gone as (delete from contests returning *) select winner, loser from gone",
        "select writes() as winner, 'x' as loser",
        "select nextval('contests_id_seq')::text as winner, 'x' as loser",
    ):
        assert "data are only read, and this query would write" in problem(
            server.address, query=query
        )
        stream = po.read(server.address, query=ROWS, stream=True)
        assert len(list(stream)) == 1
        assert server.run(count) == "3"
    off = "select set_config('transaction_read_only', 'off', false) as winner, writes() as loser"
    assert "would write" in problem(server.address, query=off)
    assert server.run(count) == "3"


def test_a_stream_cannot_write_either(server, known):
    query = "select writes() as winner, 'x'::text as loser"
    stream = po.read(server.address, query=query, stream=True)
    with pytest.raises(po.DataError, match="would write"):
        list(stream)
    assert server.run("select count(*) from contests") == "3"


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("select 1; delete from contests", "more than one statement"),
        ("delete from contests", 'begins with "delete"'),
        ("drop table contests", 'begins with "drop"'),
        ("copy contests to stdout", 'begins with "copy"'),
        ("select * from nothing", 'relation "nothing" does not exist'),
        ("select nothing from contests", 'column "nothing" does not exist'),
        ("select * from", "syntax error"),
        ("select id, 1 / (id - 2) as x from contests", "division by zero"),
        ("select winner, winner from contests", "Give each column its own name"),
    ],
)
def test_wrong_queries(server, known, query, told):
    said = problem(server.address, query=query)
    assert told in said
    assert "\n" not in said
    assert server.run("select count(*) from contests") == "3"


def test_comments_and_quoted_semicolons_are_no_statements(server, known):
    query = "select winner, loser -- ; first\nfrom contests /* ; */ where winner <> ';' order by id -- last"
    assert len(po.read(server.address, query=query)) == 3
    assert len(po.read(server.address, query=f"{ROWS};\n")) == 3


def test_a_stream_is_fetched_in_batches(server, known, monkeypatch):
    monkeypatch.setattr(reading, "CONTESTS_IN_A_BATCH", 1000)
    query = "select * from long where date < $1::date order by date, winner, loser"
    options = {"query": query, "parameters": ["2001-01-01"]}
    stream = po.read(server.address, stream=True, **options)
    assert repr(stream) == f"ContestStream: rows of {server.address}, query"
    assert [len(batch) for batch in stream] == [1000, 1000, 1000, 659]
    with pytest.raises(TypeError, match="not known before it is read"):
        len(stream)
    whole = po.elo(po.read(server.address, **options))
    assert (po.elo(stream).rating == whole.rating).all()


def test_a_stream_that_is_not_sorted_by_date(server, known):
    stream = po.read(server.address, query="select * from long order by date desc", stream=True)
    with pytest.raises(po.DataError, match="Add ORDER BY, or read the contests with stream=False"):
        po.elo(stream)


def test_a_stream_ended_early_leaves_no_connection(server, known, monkeypatch):
    monkeypatch.setattr(reading, "CONTESTS_IN_A_BATCH", 1000)
    batches = iter(po.read(server.address, query="select * from long order by date", stream=True))
    next(batches)
    batches.close()
    others = "select count(*) from pg_stat_activity where backend_type = 'client backend'"
    assert server.run(others) == "1"  # the one that asks


def test_a_stream_of_unknown_columns(server, known):
    told = problem(server.address, query="select id, size from contests", stream=True)
    assert "the kind of data was not recognized" in told


def test_the_password_from_a_file(server, tmp_path, monkeypatch):
    escaped = PASSWORD.replace("\\", "\\\\").replace(":", "\\:")
    path = tmp_path / "passwords"
    path.write_text(f"127.0.0.1:{server.port}:*:{USER}:{escaped}\n")
    path.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(path))
    assert len(po.read(server.address, query=ROWS)) == 3


def test_the_password_is_asked_for_on_a_terminal(server, monkeypatch):
    asked = []

    def answer(prompt):
        asked.append(prompt)
        return PASSWORD

    monkeypatch.setattr(getpass, "getpass", answer)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    stream = po.read(server.address, query=ROWS, stream=True)
    assert asked == [f"Password ({server.address}): "]
    assert len(list(stream)) == 1  # and not again
    assert len(asked) == 1
    monkeypatch.setattr(getpass, "getpass", lambda prompt: "wrong")
    assert "refuses this user and password" in problem(server.address, query=ROWS)


def test_errors_of_the_connection(server):
    assert "asks for a password. Set PGPASSWORD" in problem(server.address, query=ROWS)
    wrong = server.with_password("nonsense")
    assert problem(wrong, query=ROWS) == (
        f"{server.address}: the server refuses this user and password. Check PGPASSWORD or "
        f"PGPASSFILE."
    )
    gone = server.full_address.replace(str(server.port), "9")
    assert "no server answers (Connection refused)" in problem(gone, query=ROWS)
    nowhere = server.full_address.replace("/postgres", "/nowhere")
    assert 'database "nowhere" does not exist' in problem(nowhere, query=ROWS)
    percent = server.with_password(f"{SECRETS[1]}%zz")
    assert "invalid percent-encoded token" in problem(percent, query=ROWS)


def test_the_password_appears_nowhere(server):
    for source in (server.full_address, f"{server.address}?password={SECRETS[1]}"):
        data = po.read(source, query=ROWS, parameters=[])
        ratings = po.elo(data)
        lines = Lines.of(data)
        shown = [
            repr(data),
            str(data.report),
            repr(data.report),
            repr(vars(data)),
            str(data.check()),
            repr(ratings),
            json.dumps(ratings.to_dict(), default=str),
            json.dumps(ratings.provenance, default=str),
            lines.reading,
            lines.command("elo"),
            repr(po.read(source, query=ROWS, stream=True)),
            repr(vars(po.read(source, query=ROWS, stream=True))),
        ]
        assert not any(secret in text for secret in SECRETS for text in shown)
        assert data.report.path == server.address


def test_the_shell(server, known, inside, tmp_path):
    (tmp_path / "rows.sql").write_text(f"{ROWS.replace('order', 'where winner <> $1 order')};\n")
    done = inside("elo", server.address, "--read", "query=rows.sql", "--read", "parameters=Bo")
    assert done.returncode == 0
    assert "Abe" in done.stdout.decode()
    streamed = inside(
        "elo", server.address, "--read", "query=rows.sql", "--read", "parameters=Bo", "--stream"
    )
    assert streamed.stdout == done.stdout


def test_the_shell_never_shows_the_password(server, shell, tmp_path):
    for address, query in (
        (server.full_address, "select * from nothing"),
        (server.full_address.replace("/postgres", "/nowhere"), ROWS),
        (server.full_address, ROWS),
    ):
        done = shell("--debug", "elo", address, "--read", f"query={query}", "--format", "json")
        said = (done.stdout + done.stderr).decode()
        assert not any(secret in said for secret in SECRETS)
    assert done.returncode == 0


def test_without_the_driver(monkeypatch):
    genuine = builtins.__import__

    def without(name, *rest, **more):
        if name.startswith("adbc_driver_postgresql"):
            raise ImportError(name)
        return genuine(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError) as caught:
        po.read("postgresql://me@127.0.0.1/db", query="select 1")
    assert str(caught.value) == (
        "po.read of PostgreSQL needs adbc-driver-postgresql. Install it with: pip install "
        '"peckorder[sql]"'
    )


def test_the_server_ends_with_its_parent():
    """A killed test run leaves no server behind."""
    if sys.platform != "linux" or postgres_server.programs() is None:
        pytest.skip("needs PostgreSQL on Linux")
    program = (
        "import os, signal\n"
        "from tests import postgres_server\n"
        "with postgres_server.running() as server:\n"
        "    print(server.port, server.folder, flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    root = postgres_server.Path(postgres_server.__file__).parent.parent
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=False
    )
    port, folder = done.stdout.split()
    ready = [postgres_server.programs() / "pg_isready", "-q", "-h", "127.0.0.1", "-p", port]
    for _ in range(100):
        if subprocess.run(ready, check=False).returncode == 2:
            break
        postgres_server.time.sleep(0.1)
    else:
        pytest.fail("the server is still running")
    postgres_server.shutil.rmtree(folder)


def test_open_postgres_is_lazy_about_streams(server, known):
    from peckorder.data.addresses import address_of
    from peckorder.data.databases import query_of

    asked = query_of(ROWS, None, "x")
    sheet = open_postgres(address_of(server.address), asked, None, stream=True)
    assert sheet.height == 0
    assert sheet.columns == ["winner", "loser", "day"]
    assert pl.concat(list(sheet.batches(2))).height == 3

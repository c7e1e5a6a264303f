"""The command line: output streams, exit codes and atomic file writes."""

import json
import os
import subprocess
import sys

import polars as pl
import pytest
from click import Context

import peckorder as po
from tests.fuzzing.shell import leaves

ADV = po.datasets.CATALOGUE["adv"].path
MESSY = "Actor,Receiver,When,Behaviour\nAbe,Bo,28.05.2009,bite\nBo, Cy,27.05.2009,chase\n"


def test_ratings_as_json(inside):
    done = inside("elo", ADV, "--k", "100", "--preset", "EloRating", "--format", "json")
    assert done.returncode == 0
    answer = json.loads(done.stdout)
    assert set(answer) == {"method", "settings", "result", "provenance"}
    table = {row["individual"]: row["rating"] for row in answer["result"]["table"]}
    assert table == {"b": 1203, "c": 1148, "d": 1116, "f": 1004, "e": 982, "g": 843, "a": 704}
    assert answer["settings"]["rounded"] is True
    assert answer["result"]["table"][0]["first_seen"] == "2010-01-01T15:38:13"
    assert done.stderr == b""


def test_table_csv_parquet_and_output_files(inside, tmp_path):
    shown = inside("elo", ADV, "--k", "200", "--curve", "table").stdout.decode().splitlines()
    assert shown[0].split()[:3] == ["individual", "rating", "rank"]
    assert shown[2].split()[:3] == ["b", "1320", "1"]
    text = inside("elo", ADV, "--format", "csv").stdout.decode().splitlines()
    assert text[0].startswith("individual,rating,rank,contests")
    done = inside("elo", ADV, "-o", "r.parquet", "--history", "h.csv")
    assert done.stdout == b""
    assert done.stderr.decode().splitlines() == ["Wrote h.csv.", "Wrote r.parquet."]
    assert pl.read_parquet(tmp_path / "r.parquet").height == 7
    assert pl.read_csv(tmp_path / "h.csv").height == 33
    assert sorted(path.name for path in tmp_path.iterdir()) == ["h.csv", "r.parquet"]


def test_messy_file_needs_only_the_date_format(inside, sheet):
    sheet(MESSY, "messy.csv")
    done = inside(
        "elo", "messy.csv", "--date", "When", "--k", "bite=200,chase=20", "--format", "csv"
    )
    assert done.returncode == 0, done.stderr.decode()
    talk = done.stderr.decode()
    assert "Contests were sorted by date" in talk
    assert 'Leading or trailing blanks were removed from 1 name: " Cy"' in talk
    assert done.stdout.decode().splitlines()[1].startswith("Abe,1102.877")


def test_standard_input(shell):
    done = shell("elo", "-", "--format", "csv", stdin=b"winner,loser\na,b\n")
    assert done.stdout.decode().splitlines()[1].startswith("a,1050.0,1.0,1,1,0,0")


def test_groups_are_rated_on_their_own(inside, sheet):
    sheet("winner,loser,troop\na,b,x\na,c,y\nc,a,y\n", "g.csv")
    done = inside("elo", "g.csv", "--by", "troop", "--format", "json")
    rows = json.loads(done.stdout)["result"]["table"]
    assert [(row["troop"], row["individual"]) for row in rows] == [
        ("x", "a"),
        ("x", "b"),
        ("y", "c"),
        ("y", "a"),
    ]
    assert rows[0]["rating"] == 1050


def test_games_with_home_advantage_neutral_ground_and_seasons(inside, sheet):
    sheet(
        "home,away,home_score,away_score,ground,year\na,b,2,1,1,1\nb,c,0,0,0,1\na,c,1,3,0,2\n",
        "g.csv",
    )
    flags = ["--outcome", "points", "--home-advantage", "50", "--read", "neutral=ground"]
    flags += ["--read", "season=year", "--carry-over", "0.5", "--start", "0", "--scale", "1000"]
    done = inside("elo", "g.csv", *flags, "--format", "json", "--history", "h.csv")
    assert done.returncode == 0, done.stderr.decode()
    answer = json.loads(done.stdout)
    assert answer["settings"]["home_advantage"] == 50
    assert sum(row["rating"] for row in answer["result"]["table"]) == pytest.approx(0)


def test_presence_and_date(inside, sheet):
    sheet("winner,loser,date\na,b,2020-01-01\nc,a,2020-01-05\n", "c.csv")
    sheet("id,start,end\na,2020-01-01,\nb,2020-01-01,2020-01-02\nc,2020-01-04,\n", "p.csv")
    done = inside(
        "elo",
        "c.csv",
        "--presence",
        "p.csv",
        "--entry",
        "mean",
        "--at",
        "2020-01-03",
        "--format",
        "csv",
    )
    assert [line.split(",")[0] for line in done.stdout.decode().splitlines()] == ["individual", "a"]


def test_stream_flag_gives_the_same_table(inside):
    whole = inside("elo", ADV, "--format", "csv")
    assert inside("elo", ADV, "--stream", "--format", "csv").stdout == whole.stdout


@pytest.mark.parametrize("kind", ["events", "matrix", "games", "votes"])
def test_templates_can_be_read(inside, tmp_path, kind):
    done = inside("template", "--kind", kind, "-o", "t.csv")
    assert done.returncode == 0
    assert po.read(tmp_path / "t.csv").report.kind == kind
    assert inside("check", "t.csv").returncode == 0


def test_template_of_presence_can_be_read(inside, tmp_path):
    inside("template", "--kind", "presence", "-o", "p.csv")
    assert len(po.read_presence(tmp_path / "p.csv").individual) == 4


def test_datasets_and_cite(inside):
    listed = inside("datasets").stdout.decode()
    assert all(
        name in listed for name in ("adv", "bonobos", "table3", "doi:10.1006/anbe.2000.1571")
    )
    assert inside("datasets", "adv").stdout.decode().startswith('"Date","Time","winner"')
    assert inside("datasets", "nfl").returncode == 2
    assert "Albers" in inside("cite").stdout.decode()


def test_check(inside, sheet):
    done = inside("check", ADV)
    assert done.returncode == 0
    assert "33 rows, 33 kept" in done.stdout.decode()
    answer = json.loads(inside("check", ADV, "--format", "json").stdout)
    assert {check["name"] for check in answer["checks"]} >= {"duplicates", "connected"}
    sheet("winner,loser\na,a\n,b\n", "bad.csv")
    done = inside("check", "bad.csv")
    assert done.returncode == 3
    assert done.stdout.decode().count("✗") == 2
    assert len(json.loads(inside("check", "bad.csv", "--format", "json").stdout)["refused"]) == 2


@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        (2, ["elo", ADV, "--k", "-5"]),
        (2, ["elo", ADV, "--k", "nan"]),
        (2, ["elo", ADV, "--k", "big"]),
        (2, ["elo", ADV, "--scale", "0"]),
        (2, ["elo", ADV, "--curve", "cubic"]),
        (2, ["elo", ADV, "--preset", "Elo"]),
        (2, ["elo", ADV, "--at", "someday"]),
        (2, ["elo", ADV, "--start", "many"]),
        (2, ["elo", ADV, "--carry-over", "2"]),
        (2, ["elo", ADV, "--history", "h.doc"]),
        (2, ["elo", ADV, "--wing", "x"]),
        (2, ["elo", "gone.csv"]),
        (2, ["elo"]),
        (3, ["elo", ADV, "--winner", "Sieger"]),
        (3, ["elo", ADV, "--k", "bite=3"]),
        (3, ["elo", ADV, "--start", "zz=1000"]),
        (3, ["elo", ADV, "--read", "season=Date", "--carry-over", "0.5", "--read", "neutral=x"]),
        (3, ["elo", ADV, "--by", "troop"]),
        (3, ["elo", ADV, "--outcome", "points"]),
        (1, ["elo", ADV, "-o", "nowhere/r.csv"]),
    ],
)
def test_exit_codes_one_message_and_nothing_written(inside, tmp_path, code, arguments):
    done = inside(*arguments)
    assert done.returncode == code, done.stderr.decode()
    assert done.stdout == b""
    assert "Error" in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.posix
def test_full_disk_leaves_the_old_output_and_no_temporary_file(sheet, tmp_path):
    """A limit on the size of files acts as a full disk does; all is loaded before it is set."""
    rows = "".join(f"n{i},n{i + 1}\n" for i in range(3000))
    source = sheet(f"winner,loser\n{rows}", "many.csv")
    out = tmp_path / "out"
    out.mkdir()
    (out / "r.csv").write_text("old")
    script = f"""
import resource
from peckorder.cli import main
main(["elo", {str(source)!r}], standalone_mode=False)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
main(["elo", {str(source)!r}, "-o", {str(out / "r.csv")!r}])
"""
    done = subprocess.run(
        [sys.executable, "-B", "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    assert done.stderr == f"Error: {out / 'r.csv'}: File too large. Nothing was written.\n"
    assert (out / "r.csv").read_text() == "old"
    assert [path.name for path in out.iterdir()] == ["r.csv"]


@pytest.mark.posix
def test_outputs_follow_links_and_keep_modes(inside, sheet, tmp_path):
    """Links are followed, modes kept, devices written to; inputs and outputs must differ."""
    source = sheet("winner,loser\na,b\n", "in.csv")
    target = tmp_path / "target.csv"
    target.write_text("old")
    target.chmod(0o600)
    (tmp_path / "link.csv").symlink_to(target)
    assert inside("elo", "in.csv", "-o", "link.csv").returncode == 0
    assert (tmp_path / "link.csv").is_symlink()
    assert target.read_text().startswith("individual")
    assert target.stat().st_mode & 0o777 == 0o600
    os.mkfifo(tmp_path / "pipe.csv")
    reader = subprocess.Popen(["cat", str(tmp_path / "pipe.csv")], stdout=subprocess.PIPE)
    assert inside("elo", "in.csv", "-o", "pipe.csv").returncode == 0
    assert reader.communicate()[0].startswith(b"individual")
    for arguments in (["-o", "in.csv"], ["-o", "x.csv", "--history", "x.csv"], ["-o", "x.xls"]):
        assert inside("elo", "in.csv", *arguments).returncode == 2
    assert source.read_text() == "winner,loser\na,b\n"
    assert inside("elo", "in.csv", "--history", "h.csv", "-o", "gone/x.csv").returncode == 1
    assert not (tmp_path / "h.csv").exists()  # both or neither


def test_a_terminal_without_the_characters(tmp_path):
    environment = os.environ | {"PYTHONIOENCODING": "cp1252"}
    done = subprocess.run(
        [sys.executable, "-m", "peckorder", "check", ADV],
        env=environment,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    assert b"? No self-contests." in done.stdout


def test_groups_with_and_without_times_of_day(inside, sheet):
    sheet("winner,loser,troop,date\na,b,x,2020-01-01\nc,d,y,2020-01-02 09:30\n", "g.csv")
    assert inside("elo", "g.csv", "--by", "troop", "--format", "csv").returncode == 0


def test_streams_report_dropped_rows(inside, sheet):
    sheet("winner,loser\na,b\nc,c\n", "s.csv")
    done = inside("elo", "s.csv", "--stream", "--read", "self_contests=drop", "--format", "tsv")
    assert "1 row was dropped: winner and loser are the same individual" in done.stderr.decode()
    assert done.stdout.decode().startswith("individual\trating")


def test_groups_that_start_later_and_columns_of_the_same_name(inside, sheet):
    sheet("winner,loser,rank,date\na,b,x,2020-01-01\nc,d,y,2020-02-01\n", "g.csv")
    done = inside("elo", "g.csv", "--by", "rank", "--at", "2020-01-15", "--format", "csv")
    assert done.returncode == 0
    assert done.stdout.decode().splitlines()[0].startswith("group,individual")
    assert "Note: y: 2020-01-15 is before the first contest" in done.stderr.decode()
    done = inside("elo", "g.csv", "--by", "rank", "--at", "2019-01-01", "--format", "csv")
    assert done.stdout.decode().count("\n") == 1  # the header alone


def test_date_format_applies_to_presence(inside, sheet):
    sheet("winner,loser,date\na,b,03/04/2020\n", "c.csv")
    sheet("id,start,end\na,01/02/2020,\nb,01/02/2020,05/06/2020\n", "p.csv")
    sheet("id,start,end\na,2020-02-01,\nb,2020-02-01,2020-06-05\n", "iso.csv")
    for presence in ("p.csv", "iso.csv"):
        done = inside("elo", "c.csv", "--presence", presence, "--read", "date_format=%d/%m/%Y")
        assert done.returncode == 0, done.stderr.decode()


@pytest.mark.posix
def test_a_closed_pipe_does_not_crash(sheet):
    rows = "".join(f"n{i},n{i + 1}\n" for i in range(5000))
    source = sheet(f"winner,loser\n{rows}", "many.csv")
    command = f"{sys.executable} -m peckorder elo {source} --format csv | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, check=False)
    assert done.stdout.decode().startswith("individual")
    assert "Traceback" not in done.stderr.decode()


def test_no_flag_of_a_command_repeats_a_paragraph():
    for name, command in leaves():
        texts = [getattr(one, "help", None) or "" for one in command.get_params(Context(command))]
        long = [text for text in texts if len(text) > 150]
        assert len(long) == len({*long}), name

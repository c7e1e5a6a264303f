"""Commands about time: slopes and group-size, and the likelihood surface."""

import json

import pytest

import peckorder as po
from tests.votes import votes

CONTESTS = (
    "date,winner,loser\n2026-01-01,a,b\n2026-01-01,b,c\n2026-01-03,a,c\n2026-01-08,c,b\n"
    "2026-01-08,a,b\n2026-01-15,b,c\n"
)
PRESENCE = "individual,start,end\na,2026-01-01,\nb,2026-01-01,\nc,2026-01-01,2026-01-20\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "c.csv").write_text(CONTESTS, encoding="utf-8")
    (tmp_path / "p.csv").write_text(PRESENCE, encoding="utf-8")
    return tmp_path


def test_slopes_are_those_of_the_library(inside, files):
    done = inside(
        "slopes", str(files / "c.csv"), "--k", "50", "--to", "2026-01-08", "--format", "json"
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    expected = po.elo(po.read(files / "c.csv"), k=50).between(end="2026-01-08").slopes()
    found = {row["individual"]: row["slope"] for row in said["result"]["table"]}
    assert found == dict(expected.select("individual", "slope").iter_rows())
    assert said["settings"]["window"] == ["2026-01-01", "2026-01-08"]
    assert "Note: Window 2026-01-01 to 2026-01-08 of ratings from" in done.stderr.decode()


def test_slopes_of_other_methods_and_bad_windows(inside, files):
    done = inside("slopes", str(files / "c.csv"), "--method", "glicko")
    assert done.returncode == 0
    assert b"observations" in done.stdout
    done = inside("slopes", str(files / "c.csv"), "--from", "2027-01-01", "--to", "2026-01-01")
    assert done.returncode == 2
    assert "ends (2026-01-01) before it starts" in done.stderr.decode()


def test_group_size(inside, files):
    path, presence = str(files / "c.csv"), str(files / "p.csv")
    done = inside(
        "group-size", path, "--presence", presence, "--period", "week", "--format", "json"
    )
    rows = json.loads(done.stdout)["result"]["table"]
    assert [row["days"] for row in rows] == [4, 7, 4]
    assert [row["mean"] for row in rows] == [3.0, 3.0, 3.0]
    done = inside("group-size", path)
    assert done.returncode == 3
    assert "--presence inferred" in done.stderr.decode()


def test_likelihood_surface(inside, files):
    done = inside("likelihood-surface", str(files / "c.csv"), "--over", "k=0:200", "--grid", "5")
    assert done.returncode == 0, done.stderr
    text = done.stdout.decode()
    assert "value" in text
    assert "is highest at k = " in text


def test_elo_within(inside, files):
    """The rule reaches the rating, and the summary is printed as a note."""
    path = str(files / "c.csv")
    for rule, words in (
        ("file", "order of the file. Other orders may give other ratings: see --within"),
        ("average", "100 random orders"),
        ("batch", "in batches"),
    ):
        done = inside("elo", path, "--within", rule, "--format", "json")
        assert words in done.stderr.decode()
        table = json.loads(done.stdout)["result"]["table"]
        expected = po.elo(po.read(path), within=rule)
        assert {row["individual"]: row["rating"] for row in table} == dict(expected.items())


@pytest.mark.parametrize(
    ("command", "flags", "ask"),
    [
        ("tenure", ("--rank", "2"), lambda ratings: ratings.tenure(2)),
        ("rank-changes", (), lambda ratings: ratings.rank_changes()),
        ("careers", ("--after", "5"), lambda ratings: ratings.careers(after=5)),
    ],
)
def test_tenures_changes_and_careers_are_those_of_the_library(inside, files, command, flags, ask):
    path, presence = str(files / "c.csv"), str(files / "p.csv")
    ratings = po.elo(po.read(path, presence=presence), k=300)
    for window, seen in (
        ((), ratings),
        (
            ("--from", "2026-01-02", "--to", "2026-01-09"),
            ratings.between("2026-01-02", "2026-01-09"),
        ),
    ):
        done = inside(
            command, path, "--presence", presence, "--k", "300", *flags, *window, "--format", "csv"
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.decode() == ask(seen).write_csv()
        assert ("Note: Window 2026-01-02" in done.stderr.decode()) == bool(window)


def test_classes_are_those_of_the_library(inside, files):
    path = str(files / "c.csv")
    ratings = po.dynamic(po.read(path), seed=1)
    done = inside("classes", path, "--number", "3", "--seed", "1", "--format", "csv")
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode() == ratings.classes(3).write_csv()


def test_a_tenure_with_its_certainty_and_settings(inside, files, tmp_path):
    out = tmp_path / "tenure.json"
    done = inside(
        "tenure", str(files / "c.csv"), "--method", "dynamic", "--seed", "1", "-o", str(out)
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(out.read_text(encoding="utf-8"))
    assert said["settings"]["rank"] == 1
    assert {"individual", "start", "end", "days", "certainty"} == set(said["result"]["table"][0])
    done = inside("tenure", str(files / "c.csv"), "--rank", "0")
    assert done.returncode == 2
    assert "rank" in done.stderr.decode()


@pytest.mark.parametrize(
    ("command", "flags", "ask"),
    [
        ("turnover", ("--every", "week"), lambda data: data.turnover(every="week")),
        ("co-residence", ("--since", "2026-01-03"), lambda d: d.co_residence(since="2026-01-03")),
    ],
)
def test_turnover_and_co_residence_are_those_of_the_library(inside, files, command, flags, ask):
    path, presence = str(files / "c.csv"), str(files / "p.csv")
    done = inside(command, path, "--presence", presence, *flags, "--format", "csv")
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode() == ask(po.read(path, presence=presence)).write_csv()
    done = inside(command, path)
    assert done.returncode == 3
    assert "--presence inferred" in done.stderr.decode()


def test_an_empty_table_says_why(inside, files):
    done = inside("tenure", str(files / "c.csv"), "--rank", "9", "--format", "csv")
    assert done.returncode == 0
    assert done.stdout.decode().strip() == "individual,start,end,days"
    assert "Nobody held this rank alone." in done.stderr.decode()


@pytest.mark.parametrize("command", ["elo", "tenure", "rank-changes", "careers", "slopes"])
@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (("--from", "2050-01-01"), "contests; nobody present"),
        (("--to", "2001-01-01"), "it ends before the first contest"),
    ],
)
def test_where_nobody_is_the_window_is_said(inside, files, command, flags, sentence):
    path = str(files / "c.csv")
    done = inside(command, path, "--presence", "inferred", *flags, "--format", "csv")
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.decode().splitlines()) == 1  # the names of columns
    assert sentence in done.stderr.decode()


def test_covariates_are_described_and_written_alike_for_all_ratings(inside, tmp_path):
    path = tmp_path / "votes.csv"
    votes(200).write_csv(path)
    for command, columns in (
        ("dynamic", " style , length_a - length_b"),
        ("adaptive", "style,length_a - length_b"),
        ("bradley-terry", "style, length_a - length_b"),
    ):
        done = inside(command, str(path), "--covariates", columns, "--format", "json")
        assert done.returncode == 0, done.stderr
        covariates = json.loads(done.stdout)["settings"]["covariates"]
        assert covariates == ["style", "length_a - length_b"]

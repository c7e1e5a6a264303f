"""`peckorder join`, and windows and grids at the shell."""

import json

import polars as pl
import pytest

import peckorder as po

BIRTHS = (
    "mother,birth,litter\nb,2010-01-20,1\nzed,2010-01-03,1\na,,4\n,2010-01-05,1\n"
    "c,2009-01-01,3\nd,soon,1\n"
)


@pytest.fixture
def here(inside, tmp_path):
    inside("datasets", "adv", "-o", "adv.csv")
    (tmp_path / "births.csv").write_text(BIRTHS, encoding="utf-8")
    return tmp_path


def test_join_is_that_of_the_library(inside, here):
    done = inside(
        "join",
        "adv.csv",
        "births.csv",
        "--individual",
        "mother",
        "--date",
        "birth",
        "--k",
        "50",
        "-o",
        "joined.csv",
    )
    assert done.returncode == 0, done.stderr
    found = pl.read_csv(here / "joined.csv")
    expected = po.elo(po.read(here / "adv.csv"), k=50).at_dates(
        here / "births.csv", individual="mother", date="birth"
    )
    assert found["reason"].to_list() == expected["reason"].to_list()
    assert found["rating"].to_list() == expected["rating"].to_list()
    assert (
        "Note: 1 of 6 rows joined; without values: 1 before the first contest, 1 date cannot be "
        "read, 1 no date, 1 no individual, 1 unknown individual." in done.stderr.decode()
    )


def test_join_to_an_excel_sheet_with_intervals_and_draws(inside, here):
    pl.DataFrame({"who": ["b", "a"], "day": ["20/01/2010", "21/01/2010"]}).write_excel(
        here / "mine.xlsx"
    )
    flags = ("--individual", "who", "--date", "day", "--method", "dynamic", "--seed", "1")
    done = inside("join", "adv.csv", "mine.xlsx", *flags, "--format", "csv")
    assert done.returncode == 0, done.stderr
    table = pl.read_csv(done.stdout)
    assert (table["rank_low"] <= table["rank"]).all()
    done = inside("join", "adv.csv", "mine.xlsx", *flags, "--draws", "20", "--format", "csv")
    assert pl.read_csv(done.stdout).height == 40


def test_join_from_saved_draws(inside, here):
    short = ("--seed", "1", "--warmup", "300", "--samples", "300")
    assert inside("fit", "adv.csv", *short, "-o", "fit.npz").returncode == 0
    flags = ("--individual", "mother", "--date", "birth", "--format", "csv")
    done = inside("join", "fit.npz", "births.csv", *flags)
    assert done.returncode == 0, done.stderr
    saved = po.Posterior.load(here / "fit.npz")
    own = saved.at("2010-01-20").filter(individual="b").row(0, named=True)
    row = pl.read_csv(done.stdout).row(0, named=True)
    assert row["rating_low"] == pytest.approx(own["rating_low"])
    done = inside("join", "fit.npz", "births.csv", *flags, "--k", "5")
    assert done.returncode == 2
    assert "--k cannot be used with a saved posterior" in done.stderr.decode()


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--individual", "mum", "--date", "birth"), 'no column "mum"'),
        (("--individual", "mother", "--date", "birth", "--draws", "9"), "--method bayes"),
        (("--individual", "mother"), "Missing option '--date'"),
    ],
)
def test_joins_that_fail(inside, here, flags, message):
    done = inside("join", "adv.csv", "births.csv", *flags)
    assert done.returncode in (2, 3)  # wrong flags, wrong data
    assert message in done.stderr.decode()
    missing = inside("join", "adv.csv", "none.csv", "--individual", "a", "--date", "b")
    assert "File not found: none.csv" in missing.stderr.decode()


WINDOW = ("--from", "2010-01-10", "--to", "2010-01-20")


def test_windows_at_the_shell(inside, here):
    part = po.elo(po.read(here / "adv.csv")).between("2010-01-10", "2010-01-20")
    done = inside("elo", "adv.csv", *WINDOW, "--format", "csv", "--history", "h.csv")
    assert pl.read_csv(done.stdout)["rating"].to_list() == part.table["rating"].to_list()
    assert pl.read_csv(here / "h.csv").height == 11
    assert f"Note: {part.summary[0]}" in done.stderr.decode()
    said = json.loads(inside("evaluate", "adv.csv", *WINDOW, "--format", "json").stdout)
    assert said["result"]["foresight"]["contests"] == 11
    assert said["settings"]["rater"]["window"] == ["2010-01-10", "2010-01-20"]
    done = inside("stability", "adv.csv", *WINDOW)
    assert "over 10 steps" in done.stdout.decode()
    for command in (("glicko",), ("dynamic", "--seed", "1"), ("fit", "--method", "ml")):
        done = inside(command[0], "adv.csv", *command[1:], *WINDOW)
        assert done.returncode == 0, done.stderr
        assert "Window 2010-01-10 to 2010-01-20" in done.stdout.decode()
    done = inside("plot", "trajectories", "adv.csv", *WINDOW, "-o", "t.svg", "-o", "t.csv")
    assert done.returncode == 0, done.stderr
    assert pl.read_csv(here / "t.csv")["contest"].is_between(9, 20).all()
    done = inside("elo", "adv.csv", "--from", "2010-02-01", "--to", "2010-01-01")
    assert done.returncode == 2
    assert "before it starts" in done.stderr.decode()


def test_grids_at_the_shell(inside, here):
    done = inside("elo", "adv.csv", "--every", "week", "--format", "csv")
    expected = po.elo(po.read(here / "adv.csv")).grid(every="week")
    assert pl.read_csv(done.stdout)["rating"].to_list() == expected["rating"].to_list()
    wide = inside("elo", "adv.csv", "--every", "month", "--wide", "--format", "csv")
    assert pl.read_csv(wide.stdout).shape == (2, 8)
    done = inside("dynamic", "adv.csv", "--seed", "1", "--every", "month")
    assert "rank_low" in done.stdout.decode()
    for flags in (("--every", "month", "--at", "2010-01-10"), ("--wide",), ("--every", "eon")):
        assert inside("elo", "adv.csv", *flags).returncode == 2

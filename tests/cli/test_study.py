"""`peckorder study`."""

import inspect
import json

import polars as pl
import pytest

from peckorder.cli.commands import WRITTEN
from peckorder.cli.progress import pace
from peckorder.groups.tasks import ANALYSES, USUAL
from tests.many_groups import table


@pytest.fixture
def contests(tmp_path):
    table(4).write_csv(tmp_path / "contests.csv")
    return "contests.csv"


def test_one_row_per_group_and_the_folder_is_resumed(inside, contests, tmp_path):
    call = ["study", contests, "--by", "group", "--measures", "linearity,isi", "--workers", "1"]
    call += ["--folder", "st", "--seed", "1"]
    done = inside(*call)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.decode().splitlines()
    assert lines[0].split() == [
        *("group", "individuals", "contests", "unknown_share", "linearity"),
        *("isi", "status"),
    ]
    assert [line.split()[0] for line in lines[2:6]] == ["g0", "g1", "g2", "g3"]
    assert "4 groups: 4 complete, 0 incomplete, 0 failed." in lines
    assert (tmp_path / "st" / "table.csv").exists()
    again = inside(*call, "-o", "again.parquet")
    assert again.returncode == 0
    first = pl.read_csv(tmp_path / "st" / "table.csv")
    assert pl.read_parquet(tmp_path / "again.parquet")["linearity"].equals(first["linearity"])
    other = inside(*call[:-1], "2")
    assert other.returncode == 2
    assert b"seed: 1 in the folder, 2 now" in other.stderr
    assert b"--folder st contains another study" in other.stderr


def test_settings_draws_pooling_and_a_script(inside, contests, tmp_path):
    (tmp_path / "species.csv").write_text("group,species\ng0,a\ng1,b\ng2,a\ng3,b\n")
    done = inside(
        *("study", contests, "--measures", "steepness_bayes", "--seed", "1", "--workers", "1"),
        *("--set", "steepness_bayes.fair_coins=0", "--pooled", "steepness_bayes"),
        *("--covariates", "species.csv", "--between", "species"),
        *("--draws", "steepness_bayes", "draws.parquet"),
        *("--r-script", "steepness_bayes", "steep.R", "--format", "json"),
    )
    assert done.returncode == 0, done.stderr
    text, _, rest = done.stdout.decode().partition("\n}\n")
    found = json.loads(text + "\n}")
    assert found["settings"]["measures"] == {"steepness_bayes": {"fair_coins": 0}}
    assert "steepness_bayes_p" not in found["result"]["table"][0]
    assert "a minus b" in rest
    assert pl.read_parquet(tmp_path / "draws.parquet").height == 4 * 4000
    assert "1 + species" in (tmp_path / "steep.R").read_text()
    unused = inside("study", contests, "--covariates", "species.csv")
    assert unused.returncode == 2
    assert b"--covariates is used by --pooled" in unused.stderr
    assert b"Wrote steep.R and steep.csv." in done.stderr


def test_groups_that_fail_are_named(inside, tmp_path):
    (tmp_path / "c.csv").write_text("winner,loser,troop\na,b,x\nb,c,x\na,c,x\nd,e,y\n,e,z\n")
    done = inside("study", "c.csv", "--by", "troop", "--measures", "linearity", "--workers", "1")
    assert done.returncode == 0, done.stderr
    said = done.stderr.decode()
    assert "Note: y is failed:" in said
    assert "Note: z is failed: Row 6" in said
    assert "Seed: " in said


def test_several_files_are_one_group_each(inside, tmp_path):
    for name in ("north", "south"):
        table(1).drop("group").write_csv(tmp_path / f"{name}.csv")
    done = inside(
        *("study", "north.csv", "south.csv", "--measures", "linearity", "--seed", "1"),
        *("--workers", "1", "--format", "csv"),
    )
    assert done.returncode == 0, done.stderr
    assert [line.split(",")[0] for line in done.stdout.decode().splitlines()] == [
        "group",
        "north",
        "south",
    ]


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--measures", "linearty"], 'Did you mean "linearity"'),
        (["--workers", "2", "--cluster", "tcp://x:1"], "Use one of --workers and --cluster"),
        (["--workers", "0"], "--workers: give a number of at least 1"),
        (["--cluster", "host"], "such as tcp://host:8786"),
        (["--set", "runs=3"], "--set runs=3: write the measure, the setting"),
        (["--set", "linearity.rins=3"], 'Did you mean "runs"'),
        (["--pooled", "elo"], "elo is not among the --measures"),
        (["--pooled", "linearity"], "linearity has no standard error. Choose one of: steepness_b"),
        (["--draws", "linearity", "x.parquet"], "linearity has no posterior draws. Choose one"),
        (["--r-script", "linearity", "x.R"], "linearity has no standard error."),
        (["--between", "x"], "--between needs --pooled and --covariates"),
        (["--group", "other"], "--by and --group"),
        (["--slurm", "none.yaml"], "none.yaml"),
        (["--by", "gruop"], 'has no column "gruop", given as --by. Did you mean "group"'),
    ],
)
def test_wrong_flags(inside, contests, flags, message):
    done = inside("study", contests, *flags)
    assert done.returncode in (1, 2, 3)
    assert message in done.stderr.decode()


def test_the_flags_have_the_defaults_of_the_function():
    usual = inspect.signature(WRITTEN["study"].written).parameters["measures"].default
    assert tuple(usual.split(",")) == USUAL
    assert set(USUAL) <= set(ANALYSES)


def test_rate_and_time_left():
    assert pace(10, 20, 10, 5, "groups") == "10 of 20 groups"  # nothing done yet
    assert pace(12, 20, 10, 60, "groups") == "12 of 20 groups, 2 per minute, 4 min 0 s left"
    assert pace(30, 10_030, 10, 10, "groups").endswith("2 per second, 1 h 23 min left")
    assert pace(15, 20, 10, 1, "groups").endswith("5 per second, 1 s left")
    assert pace(20, 20, 0, 1, "groups") == "20 of 20 groups"

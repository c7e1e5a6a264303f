"""League tables, brackets and chances to finish at the shell: as in Python."""

import json
from pathlib import Path

import polars as pl
import pytest

import peckorder as po

DATA = Path(__file__).parents[2] / "docs" / "data"


@pytest.fixture
def league(tmp_path):
    for name in ("league.csv", "fixtures.csv"):
        (tmp_path / name).write_bytes((DATA / name).read_bytes())
    return po.read(DATA / "league.csv")


def test_chances_to_finish_are_columns_of_the_season(league, inside, tmp_path):
    flags = ("--points", "3,1,0", "--standings", "season", "--runs", "500", "--seed", "1")
    finish = ("--finish", "playoffs=4,cup=5:6,relegated=-2")
    done = inside("simulate-season", "league.csv", "fixtures.csv", *flags, *finish, "-o", "s.csv")
    assert done.returncode == 0, done.stderr
    season = po.sport.simulate_season(
        po.elo(league),
        fixtures=DATA / "fixtures.csv",
        points=(3, 1, 0),
        standings="season",
        runs=500,
        seed=1,
        finish={"playoffs": 4, "cup": (5, 6), "relegated": -2},
    )
    found = pl.read_csv(tmp_path / "s.csv")
    wanted = po.sport.finish_chances(season, playoffs=4, cup=(5, 6), relegated=-2)
    for name in ("playoffs", "cup", "relegated"):
        assert found[f"p_{name}"].to_list() == pytest.approx(wanted[name].to_list())
        assert season.table[f"p_{name}"].to_list() == wanted[name].to_list()
    assert any("p_relegated: places 7–8" in text for text in season.summary)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("playoffs", b'"playoffs" is not of the form playoffs=7'),
        ("cup=5:6:7", b"is not of the form"),
        ("playoffs=40", b"give a place from 1 to 8, a negative number counted from the bottom"),
        ("title=3", b"p_title is the chance of place 1"),
    ],
)
def test_places_that_are_refused(league, inside, text, message):
    done = inside("simulate-season", "league.csv", "fixtures.csv", "--runs", "50", "--finish", text)
    assert done.returncode != 0
    assert message in done.stderr


def test_the_table_of_a_league(league, inside):
    done = inside("league-table", "league.csv", "--format", "json")
    found = json.loads(done.stdout)
    assert found["result"]["table"] == po.sport.league_table(league).to_dicts()
    done = inside("league-table", "league.csv", "--tie-breaks", "head_to_head", "--points", "2,1,0")
    assert done.returncode == 0, done.stderr
    done = inside("league-table", "league.csv", "--tie-breaks", "luck")
    assert b"head_to_head" in done.stderr


def test_a_bracket(league, inside, tmp_path):
    names = ["Ravens", "Hares", "Foxes", "Otters", None, "Herons", "Moles", "Badgers"]
    seeds = ",".join(name or "" for name in names)
    done = inside("bracket", "league.csv", "--seeds", seeds, "--best-of", "3", "-o", "b.csv")
    assert done.returncode == 0, done.stderr
    wanted = po.sport.bracket(po.elo(league), names, best_of=3)
    found = pl.read_csv(tmp_path / "b.csv")
    assert found["individual"].to_list() == wanted["individual"].to_list()
    assert found["title"].to_list() == pytest.approx(wanted["title"].to_list())
    done = inside("bracket", "league.csv", "--seeds", "Ravens,Hares,Foxes")
    assert b"Fill it up with byes: empty names, as in A,,B,C." in done.stderr

"""peckorder reproduce."""

import polars as pl
import pytest


@pytest.mark.programs
def test_numbers_and_figures_of_a_paper(inside, tmp_path):
    done = inside("reproduce", "devries2006", "-o", "again")
    assert done.returncode == 0
    printed = done.stdout.decode()
    assert "199 of 207 numbers agree with the paper;" in printed
    assert any(
        line.split()[-4:] == ["0.362", "0.3616", "-0.0004", "yes"] for line in printed.splitlines()
    )
    assert {path.name for path in (tmp_path / "again").iterdir()} == {
        "devries2006.csv",
        "index_errors.png",
        "steepness_fig1.png",
        "steepness_fig2.png",
    }
    assert pl.read_csv(tmp_path / "again" / "devries2006.csv", infer_schema=False).height == 207


def test_numbers_only_and_what_differs(inside, tmp_path):
    done = inside("reproduce", "goffe2018", "--numbers-only")
    assert "printed 0.55, computed 0.55932. 0.5593 rounds to 0.56" in done.stdout.decode()
    assert [path.name for path in (tmp_path / "goffe2018").iterdir()] == ["goffe2018.csv"]


@pytest.mark.paper_data
def test_a_file_is_needed_and_used(inside, paper_file):
    missing = inside("reproduce", "langville2012")
    assert missing.returncode == 2
    assert b"Give the file: peckorder reproduce langville2012 FILE." in missing.stderr
    games = paper_file("nfl2009_538.csv")
    done = inside("reproduce", "langville2012", games, "--numbers-only")
    assert "107 of 107 numbers agree" in done.stdout.decode()
    assert inside("reproduce", "langville2012", "no.csv").returncode == 2
    wrong = inside("reproduce", "foerster2016", games)
    assert wrong.returncode == 3
    assert b"What differs: number of contests 267 instead of 1015;" in wrong.stderr


def test_the_list_and_a_wrong_name(inside):
    listed = inside("reproduce").stdout.decode()
    assert listed.startswith("albers2001: Albers, P. C. H.")
    wrong = inside("reproduce", "albers2002")
    assert wrong.returncode == 2
    assert b'Did you mean "albers2001"?' in wrong.stderr

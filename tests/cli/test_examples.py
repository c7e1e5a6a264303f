"""peckorder examples."""

from pathlib import Path

import pytest

from peckorder.cli.commands import programs

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_the_list_names_every_example(inside):
    printed = inside("examples").stdout.decode().splitlines()
    assert [line.split(":")[0] for line in printed] == list(programs())
    assert set(programs()) == {path.stem for path in EXAMPLES.glob("*.py")} - {"gallery"}
    assert all(line.partition(": ")[2] for line in printed)


def test_an_example_is_shown_and_run(inside, tmp_path):
    shown = inside("examples", "games_with_scores", "--show")
    assert shown.stdout.decode() == (EXAMPLES / "games_with_scores.py").read_text(encoding="utf-8")
    done = inside("examples", "games_with_scores")
    assert done.returncode == 0
    assert done.stdout
    assert list(tmp_path.iterdir()) == []  # it writes nothing, so no folder remains


@pytest.mark.slow
def test_what_it_writes_is_named(inside, tmp_path):
    done = inside("examples", "albers_de_vries", "-o", "here")
    assert done.stderr.decode() == "Wrote here/albers_fig1.png.\n"
    assert (tmp_path / "here" / "albers_fig1.png").stat().st_size > 10_000


def test_unknown_and_failing_examples(inside):
    wrong = inside("examples", "albers_de_vrie")
    assert wrong.returncode == 2
    assert b'Did you mean "albers_de_vries"?' in wrong.stderr
    failing = inside("examples", "nfl", "missing.csv")
    assert failing.returncode == 1

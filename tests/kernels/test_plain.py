"""Loops that run as plain Python while there is little to do."""

import subprocess
import sys

import pytest

import peckorder as po
from peckorder import datasets
from tests.conftest import plainly

SETTINGS = [
    {},
    {"preset": "EloRating"},
    {"preset": "FIDE"},
    {"curve": "normal", "entry": "mean"},
    {"k": 1e9},  # differences whose exponential is infinite
]


def both(find):
    """What is found by plain loops, and by compiled ones."""
    with plainly():
        found = find()
    return found, find()


@pytest.mark.parametrize("settings", SETTINGS)
def test_ratings_are_the_same_to_the_last_bit(settings):
    one, other = both(lambda: po.elo(datasets.adv(), **settings))
    assert one.rating.tobytes() == other.rating.tobytes()
    assert one.history.equals(other.history)


def tied():
    """Ties, a newcomer and time between contests."""
    return po.read(
        {
            "date": [f"2024-01-{day:02}" for day in (1, 1, 2, 3, 5, 8, 9, 9, 12, 20)],
            "winner": list("abacbadcab"),
            "loser": list("bccacdabdd"),
            "draw": [False, True, False, False, True, False, False, True, False, False],
        }
    )


@pytest.mark.parametrize("data", [datasets.adv, tied])
def test_filters_find_the_same_to_the_last_bit(data):
    def find():
        found = po.dynamic(data(), seed=1)
        return found.rating.tobytes(), found.table.write_csv(), found.trajectory("b").write_csv()

    one, other = both(find)
    assert one == other


SMALL = """
import sys
from peckorder.cli import main
main(sys.argv[1:], standalone_mode=False)
print("numba" in sys.modules)
"""


@pytest.mark.parametrize("command", ["elo", "dynamic"])
def test_a_small_file_needs_no_numba(tmp_path, command):
    (tmp_path / "adv.csv").write_text(po.datasets.adv().frame().write_csv(), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", SMALL, command, "adv.csv"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert done.stdout.splitlines()[-1] == "False"

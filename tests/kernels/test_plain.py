"""Loops that run as plain Python while there is little to do."""

import subprocess
import sys

import pytest

import peckorder as po
from peckorder import datasets

SETTINGS = [
    {},
    {"preset": "EloRating"},
    {"preset": "FIDE"},
    {"curve": "normal", "entry": "mean"},
    {"k": 1e9},  # differences whose exponential is infinite
]
FOUND = {}


def same_as_before(name, found):
    """Plain loops come first, compiled ones second."""
    assert FOUND.setdefault(name, found) == found


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize("place", range(len(SETTINGS)))
def test_ratings_are_the_same_to_the_last_bit(place):
    rated = po.elo(datasets.adv(), **SETTINGS[place])
    same_as_before(place, (rated.rating.tobytes(), rated.history.write_csv()))


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


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize("data", [datasets.adv, tied])
def test_filters_find_the_same_to_the_last_bit(data):
    found = po.dynamic(data(), seed=1)
    past = found.trajectory("b").write_csv()
    same_as_before(data.__name__, (found.rating.tobytes(), found.table.write_csv(), past))


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

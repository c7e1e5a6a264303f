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


SMALL = """
import sys
from peckorder.cli import main
main(sys.argv[1:], standalone_mode=False)
print("numba" in sys.modules)
"""


def test_a_small_file_needs_no_numba(tmp_path):
    (tmp_path / "adv.csv").write_text(po.datasets.adv().frame().write_csv(), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", SMALL, "elo", "adv.csv"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert done.stdout.splitlines()[-1] == "False"

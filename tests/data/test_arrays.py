"""Objects check their arrays where they are made: compiled loops rely on them."""

import numpy as np
import pytest

import peckorder as po
from peckorder.data.import_report import Labels

NAMES = ("a", "b", "c")
WINNER, LOSER = np.array([0, 1, 0]), np.array([1, 2, 2])
DAYS = np.array(["2009-01-01", "2009-01-02", "2009-01-02"], "datetime64[D]")


def test_sound_arrays_are_kept_in_the_types_of_the_loops():
    data = po.Contests(NAMES, WINNER, LOSER, date=DAYS, home=np.array([1, 0, -1]))
    assert data.winner.dtype == data.loser.dtype == np.int32
    assert data.date.dtype == "datetime64[us]"
    assert data.home.dtype == np.int8
    assert next(iter(po.elo(data))) == "a"


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"winner": np.array([0, 1, 3])}, r"winner\[2\] is 3, but codes of 3 names are 0 to 2"),
        ({"loser": np.array([1, -1, 2])}, r"loser\[1\] is -1"),
        ({"winner": np.array([0, 1, 2**40])}, r"winner\[2\] is 1099511627776"),
        ({"winner": np.array([0.0, 1.0, 0.0])}, "winner must contain whole numbers"),
        ({"loser": np.array([1, 2])}, r"loser has the shape \(2,\)"),
        ({"winner": np.zeros((3, 2), int)}, r"winner has the shape \(3, 2\)"),
        ({"draw": np.array([0, 1, 0])}, "draw must contain True and False"),
        ({"draw": np.array([True])}, "draw has the shape"),
        ({"date": np.array([1.0, np.nan, 3.0])}, r"date\[1\] is nan"),
        ({"date": DAYS[::-1]}, "earlier than the date before it"),
        ({"date": np.array(["x", "y", "z"])}, "date must contain dates or numbers"),
        ({"points": np.ones(3)}, "points must be numbers in 3 rows and 2 columns"),
        ({"points": np.full((3, 2), np.inf)}, "points must be finite"),
        ({"home": np.array([1, 2, 0])}, "home must be 1"),
        ({"context": Labels(np.array([0, 1, 1]), ("x",))}, r"context\[1\] is 1"),
        ({"rows": np.array([1, 2])}, "rows must have one entry per contest"),
        ({"individuals": ("a", "b", "b")}, 'Duplicated names among the individuals: "b"'),
    ],
)
def test_contests_with_unsound_arrays_are_refused(changed, message):
    sound = {"individuals": NAMES, "winner": WINNER, "loser": LOSER}
    with pytest.raises(po.DataError, match=message):
        po.Contests(**(sound | changed))


@pytest.mark.parametrize(
    ("start", "end", "message"),
    [
        (DAYS[:1], DAYS[:2], "lengths 2, 1 and 2"),
        (DAYS[:2], np.array([1.0, 2.0]), "must both be dates, or both numbers"),
        (DAYS[1::-1], DAYS[:2], 'of "a", must start'),
        (np.array([1.0, np.nan]), np.array([2.0, 3.0]), 'of "b", must start'),
    ],
)
def test_presence_with_unsound_arrays_is_refused(start, end, message):
    with pytest.raises(po.DataError, match=message):
        po.Presence(("a", "b"), start, end)


def test_a_matrix_with_too_many_contests_is_not_listed_one_by_one():
    large = po.Matrix(("a", "b"), np.array([[0, 50_000_000], [3, 0]]))
    assert po.davids_score(large).table["individual"][0] == "a"
    with pytest.raises(po.DataError, match="at most 20,000,000 can be listed one by one"):
        po.elo_ml(large)

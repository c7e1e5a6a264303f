"""Measures over moving windows equal the measure of the contests in each window."""

import numpy as np
import pytest

import peckorder as po


@pytest.fixture(scope="module")
def data():
    _, data = po.simulate.hierarchy(6, 120, spread=2, seed=3)
    return data


@pytest.mark.parametrize("window", [5, "1y"])
def test_windows_of_nothing_are_refused(window):
    nothing = po.elo(po.datasets.adv()).between("1990-01-01", "1991-01-01").data
    with pytest.raises(po.DataError, match="There are no contests"):
        po.over_time(nothing, "linearity", window=window, runs=10)


def test_windows_end_within_the_calendar():
    with pytest.raises(po.ArgumentError, match="ends after the year 9999"):
        po.over_time(po.datasets.adv(), "linearity", window="8000y", runs=10)


def test_one_window_over_the_whole_record_is_the_measure(data):
    found = po.over_time(data, po.hierarchy_shape, window=len(data))
    assert found.table["value"].to_list() == [po.hierarchy_shape(data).value]
    assert found.windows == found.computed == 1


def test_each_window_is_the_measure_of_its_contests(data):
    found = po.over_time(data, "steepness", window=60, step=30, runs=20, seed=4)
    for i, row in enumerate(found.table.iter_rows(named=True)):
        part = data.filter(start=30 * i + 1, end=30 * i + 60)
        assert row["contests"] == len(part)
        assert row["individuals"] == len(part.individuals)
        assert row["value"] == po.steepness(part, runs=20, seed=1).value
        assert row["unknown_share"] == part.unknown_dyads().value


def test_intervals_are_those_of_the_measure(data):
    found = po.over_time(data, window=60, seed=4, fair_coins=0)
    own = po.steepness_bayes(data.filter(end=60), seed=1, fair_coins=0)
    row = found.table.row(0, named=True)
    assert row["value"] == pytest.approx(float(own.value), abs=0.02)  # other random numbers
    assert row["low"] < row["value"] < row["high"]


def test_threads_do_not_change_the_values(data):
    one, two = (
        po.over_time(data, "linearity", window=40, step=20, runs=30, seed=4, threads=threads)
        for threads in (1, 2)
    )
    assert one.table.equals(two.table)


def test_orders_are_compared_with_the_window_before(data):
    found = po.over_time(data, "davids_score", window=60)
    first, second = (po.davids_score(data.filter(start=a, end=a + 59)) for a in (1, 61))
    shared = sorted(set(first) & set(second))
    a, b = ([order[name] for name in shared] for order in (first, second))
    ranks = [np.argsort(np.argsort(x)) for x in (a, b)]
    assert found.table["value"].to_list()[0] is None
    assert found.table["value"].to_list()[1] == pytest.approx(np.corrcoef(*ranks)[0, 1])
    assert found.ranks.height == len(first) + len(second)


def test_own_functions_give_numbers_or_mappings(data):
    assert po.over_time(data, len, window=60).table["value"].to_list() == [60.0, 60.0]
    both = po.over_time(data, lambda d: {"size": len(d), "n": len(d.individuals)}, window=60)
    assert both.table["value"].to_list() == [60.0, 60.0]
    with pytest.raises(TypeError, match="must return a number"):
        po.over_time(data, lambda d: "x", window=60)
    with pytest.raises(TypeError, match="give the name of a measure"):
        po.over_time(data, 3, window=60)
    with pytest.raises(ValueError, match="Choose one of"):
        po.over_time(data, "height", window=60)


def test_windows_that_cannot_be_analyzed_keep_their_row_and_say_why(data):
    found = po.over_time(data, "linearity", window=100, min_contests=30, runs=20, seed=1)
    assert found.table["reason"].to_list() == [None, "20 contests, fewer than 30."]
    assert found.computed == 1
    with pytest.raises(po.DataError, match="No window can be analyzed"):
        po.over_time(data, "linearity", window=5, min_contests=30)


def test_a_value_that_the_measure_lacks(data):
    with pytest.raises(ValueError, match="has no such value. Choose one of"):
        po.over_time(data, "linearity", window=60, value="hh", runs=20, seed=1)


def test_a_seed_where_nothing_is_random(data):
    with pytest.raises(ValueError, match="uses no random numbers"):
        po.over_time(data, "davids_score", window=60, seed=1)


def test_a_matrix_has_no_windows():
    with pytest.raises(po.DataError, match="a matrix cannot be divided"):
        po.over_time(po.datasets.bonobos(), "linearity", window=60)


def test_presence_counts_those_present_in_the_window():
    days = [f"2020-01-{day:02}" for day in range(1, 29)]
    sheet = {"winner": ["a", "b"] * 14, "loser": ["b", "c"] * 14, "date": days}
    sheet["loser"][20:] = ["b" if w == "a" else "a" for w in sheet["winner"][20:]]
    presence = {
        "id": ["a", "b", "c", "d"],
        "start": ["2020-01-01"] * 4,
        "end": ["2020-01-28", "2020-01-28", "2020-01-20", "2020-01-10"],
    }
    data = po.read(sheet, presence=presence)
    found = po.over_time(data, len, window="1w", min_contests=1)
    # d, who was present until 10 January, had no contest.
    assert found.table["present"].to_list() == [4, 4, 3, 2]
    # a and c were together without a contest in the first window.
    assert found.table["unknown_share"].to_list()[0] == pytest.approx(1 / 3)


def test_unknown_dyads_among_those_present_together_are_noted():
    sheet = {
        "winner": ["a", "a", "b", "d"],
        "loser": ["b", "b", "c", "c"],
        "date": ["2020-01-01", "2020-01-02", "2020-01-03", "2020-02-01"],
    }
    presence = {
        "id": ["a", "b", "c", "d"],
        "start": ["2020-01-01", "2020-01-01", "2020-01-01", "2020-01-20"],
        "end": ["2020-01-10", "2020-01-10", "2020-02-01", "2020-02-01"],
    }
    found = po.davids_score(po.read(sheet, presence=presence))
    assert found.summary[-1] == (
        "Of 6 dyads, 3 are unknown (50%); of the 4 ever present together, 1 (25%)."
    )

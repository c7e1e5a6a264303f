"""Results as plain lists for R: one type per column, nothing that needs NumPy."""

import math
from datetime import date, datetime

import numpy as np
import polars as pl
import pytest

import peckorder as po
from peckorder.results.result import vectors
from peckorder.text import in_r
from peckorder.validate import seed_number


def test_columns_have_one_type():
    found = vectors(
        pl.DataFrame(
            {
                "text": ["a", None],
                "whole": [1, 2],
                "gap": [1, None],
                "yes": [True, False],
                "maybe": [True, None],
                "day": [date(2024, 1, 2), None],
                "midnight": [datetime(2024, 1, 2), None],
                "time": [datetime(2024, 1, 2, 8, 30), None],
            }
        )
    )
    assert found["text"] == ["a", ""]
    assert found["whole"] == [1, 2]
    assert found["yes"] == [True, False]
    assert found["gap"][0] == found["maybe"][0] == 1.0
    assert math.isnan(found["gap"][1])
    assert math.isnan(found["maybe"][1])
    assert found["day"] == found["midnight"] == ["2024-01-02", ""]
    assert found["time"] == ["2024-01-02 08:30:00", ""]


def plain(value):
    if isinstance(value, dict):
        return all(isinstance(name, str) and plain(part) for name, part in value.items())
    if isinstance(value, list):
        return all(map(plain, value))
    return value is None or type(value) in (str, int, float, bool)


@pytest.mark.parametrize(
    "result",
    [
        lambda data: po.elo(data),
        lambda data: po.dynamic(data, seed=1, samples=100),
        lambda data: po.davids_score(data),
        lambda data: po.steepness(data, runs=100, seed=1),
        lambda data: po.isi(data),
    ],
)
def test_nothing_but_plain_values(result):
    found = result(po.datasets.adv())
    listed = found.to_r()
    assert plain(listed)
    assert listed["method"] == found.method
    assert list(listed["table"]) == found.table.columns
    assert listed["summary"] == list(found.summary)
    lengths = {len(column) for column in listed["table"].values()}
    assert lengths == {found.table.height}


def test_other_tables_of_any_library():
    data = po.read(
        {"winner": ["a", "b"], "loser": ["b", "c"], "date": ["2024-01-01", "2024-01-02"]}
    )
    ratings = po.elo(data)
    history = ratings.to_r(ratings.history)
    assert history["winner"] == ["a", "b"]
    assert history["date"] == ["2024-01-01", "2024-01-02"]
    assert ratings.to_r(ratings.history.to_pandas()) == history


def test_whole_numbers_beyond_those_of_r():
    data = po.datasets.bonobos()
    found = po.steepness(data, runs=10, seed=3383863371).to_r()
    assert found["provenance"]["seed"] == 3383863371.0
    assert isinstance(found["provenance"]["seed"], float)
    assert po.steepness(data, runs=10, seed=2**60).to_r()["provenance"]["seed"] == str(2**60)
    assert vectors(pl.DataFrame({"n": [1, 2**40]}))["n"] == [1, 2.0**40]


def test_drawn_seeds_fit_r():
    drawn = [np.random.default_rng(i) for i in range(50)]
    drawn += [np.random.SeedSequence(i) for i in range(50)]
    assert max(seed_number(seed) for seed in (*drawn, *[None] * 50)) < 2**31


def test_messages_in_r_count_from_1():
    rows = {"winner": ["a", "b"], "loser": ["b", "c"], "date": ["2024-01-01", "2024-13-41"]}
    with pytest.raises(po.DataError, match="Position 1"):
        po.read(rows)
    with in_r(), pytest.raises(po.DataError, match="Row 2"):
        po.read(rows)
    with in_r(), pytest.raises(po.ArgumentError, match=r"runs = 0"):
        po.steepness(po.datasets.bonobos(), runs=0)

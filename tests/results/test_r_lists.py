"""Results as plain lists for R: one type per column, nothing that needs NumPy."""

import math
from datetime import date, datetime

import polars as pl
import pytest

import peckorder as po
from peckorder.results.result import vectors


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

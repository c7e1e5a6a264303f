"""Moving windows against a plain search over all days."""

import datetime as dt

import numpy as np
import pytest

import peckorder as po
from peckorder.data.moving_windows import moving_windows


def dated(days):
    size = len(days)
    return po.read(
        {
            "winner": [f"a{i % 3}" for i in range(size)],
            "loser": [f"b{i % 4}" for i in range(size)],
            "date": [str(day) for day in days],
        }
    )


@pytest.fixture(scope="module")
def data():
    random = np.random.default_rng(1)
    first = dt.date(2019, 1, 31)
    days = sorted(first + dt.timedelta(days=int(d)) for d in random.integers(0, 900, 300))
    return dated(days)


@pytest.mark.parametrize(
    ("window", "step", "months", "days"),
    [("1y", "1m", (12, 1), None), ("3 months", "3m", (3, 3), None), ("30d", "1w", None, (30, 7))],
)
def test_windows_contain_what_a_search_finds(data, window, step, months, days):
    dates = [d.astype(object) for d in data.date.astype("datetime64[D]")]
    found = moving_windows(data, window, step)
    for i, one in enumerate(found):
        if months:
            number = dates[0].year * 12 + dates[0].month - 1 + i * months[1]
            start = dt.date(number // 12, number % 12 + 1, 1)
            number += months[0]
            end = dt.date(number // 12, number % 12 + 1, 1) - dt.timedelta(days=1)
        else:
            start = dates[0] + dt.timedelta(days=i * days[1])
            end = start + dt.timedelta(days=days[0] - 1)
        assert (one.start.astype(object), one.end.astype(object)) == (start, end)
        inside = [place for place, date in enumerate(dates) if start <= date <= end]
        assert one.contests.tolist() == inside
    assert found[-1].end.astype(object) >= dates[-1]
    assert found[-2].end.astype(object) < dates[-1]


def test_a_year_that_moves_by_days_ends_a_day_before_its_anniversary():
    data = dated([dt.date(2020, 2, 29), dt.date(2020, 6, 1), dt.date(2021, 2, 27)])
    (one,) = moving_windows(data, "1y", "10d")
    assert str(one.end) == "2021-02-27"


def test_windows_of_contests_cover_all():
    data = dated([dt.date(2020, 1, 1)] * 10)
    assert [w.contests.tolist() for w in moving_windows(data, 4, 3)] == [
        [0, 1, 2, 3],
        [3, 4, 5, 6],
        [6, 7, 8, 9],
    ]
    assert [len(w.contests) for w in moving_windows(data, 4, None)] == [4, 4, 2]
    assert len(moving_windows(data, 40, None)) == 1


@pytest.mark.parametrize(
    ("window", "step", "message"),
    [
        ("1 fortnight", None, r"give a length of time such as \"1y\""),
        ("0d", None, "give a length of time"),
        (None, None, "give a length of time"),
        ("1y", 5, "must both be lengths of time"),
        (0, None, "give a whole number of contests, from 1"),
        (2.5, None, "give a whole number of contests"),
    ],
)
def test_wrong_lengths(window, step, message):
    with pytest.raises((ValueError, TypeError), match=message):
        moving_windows(dated([dt.date(2020, 1, 1)] * 4), window, step)


def test_too_many_windows():
    data = dated([dt.date(1000, 1, 1), dt.date(2020, 1, 1)])
    with pytest.raises(ValueError, match="more than 10,000 windows"):
        moving_windows(data, "1d", "1d")


def test_lengths_of_time_need_dates():
    data = po.read({"winner": ["a", "b"], "loser": ["b", "c"]})
    with pytest.raises(po.DataError, match="needs calendar dates"):
        moving_windows(data, "1y", None)

"""Grids of individuals and dates."""

from datetime import date

import polars as pl
import pytest

import peckorder as po

ROWS = {
    "winner": list("abac"),
    "loser": list("bcba"),
    "date": ["2019-12-30", "2020-01-05", "2020-04-01", "2020-05-20"],
}
PRESENCE = {
    "id": list("abc"),
    "start": ["2019-01-01", "2019-01-01", "2020-01-03"],
    "end": ["2020-12-31", "2020-04-10", "2020-12-31"],
}


@pytest.fixture(scope="module")
def ratings():
    return po.elo(po.read(ROWS, presence=PRESENCE))


@pytest.mark.parametrize(
    ("every", "dates"),
    [
        ("year", [date(2019, 12, 31), date(2020, 5, 20)]),
        ("quarter", [date(2019, 12, 31), date(2020, 3, 31), date(2020, 5, 20)]),
        (
            "month",
            [
                date(2019, 12, 31),
                *(date(2020, m, d) for m, d in ((1, 31), (2, 29), (3, 31), (4, 30), (5, 20))),
            ],
        ),
    ],
)
def test_a_grid_is_the_table_at_the_end_of_each_period(ratings, every, dates):
    history = ratings.grid(every=every)
    assert history["date"].unique().sort().to_list() == dates
    for day in dates:
        own = history.filter(date=day)
        assert own["individual"].to_list() == ratings.at(day)["individual"].to_list()
        assert own["rating"].to_list() == ratings.at(day)["rating"].to_list()
        assert own["rank"].to_list() == ratings.at(day)["rank"].to_list()


def test_days_weeks_and_presence(ratings):
    assert ratings.grid(every="day")["date"].n_unique() == 143
    weeks = ratings.grid(every="week")["date"].unique().sort()
    assert weeks[:-1].dt.weekday().unique().to_list() == [7]  # Sundays
    months = ratings.grid(every="month")
    assert months.filter(date=date(2019, 12, 31))["individual"].to_list() == ["a", "b"]
    assert "b" not in months.filter(date=date(2020, 4, 30))["individual"].to_list()


def test_wide_grids(ratings):
    wide = ratings.grid(every="month", wide=True)
    assert set(wide.columns) == {"date", "a", "b", "c"}
    assert wide["c"][0] is None  # not yet there
    long = ratings.grid(every="month")
    melted = wide.unpivot(index="date", variable_name="individual", value_name="rating")
    melted = melted.drop_nulls().sort("date", "individual")
    assert melted.equals(long.select("date", "individual", "rating").sort("date", "individual"))


def test_grids_of_windows_and_draws():
    data = po.datasets.adv()
    found = po.dynamic(data, seed=1, samples=200)
    history = found.between("2010-01-10", "2010-01-20").grid(every="week")
    assert history["date"].unique().sort().to_list() == [
        date(2010, 1, 10),
        date(2010, 1, 17),
        date(2010, 1, 20),
    ]
    last = history.filter(date=date(2010, 1, 20))
    assert last["rank_low"].to_list() == found.at("2010-01-20")["rank_low"].to_list()


def test_grids_without_dates_count_contests():
    ratings = po.elo(po.read((list("abcab"), list("bcaca"))))
    assert ratings.grid(every=2)["date"].unique().sort().to_list() == [2, 4, 5]
    with pytest.raises(ValueError, match='every="month" needs calendar dates'):
        ratings.grid()
    with pytest.raises(ValueError, match="month"):
        po.elo(po.datasets.adv()).grid(every="decade")


def test_grids_that_are_too_large(monkeypatch, ratings):
    from peckorder.results import history

    monkeypatch.setattr(history, "MOST_DATES", 100)
    with pytest.raises(po.DataError, match='143 dates.*every="year"'):
        ratings.grid(every="day")


def test_a_grid_is_a_polars_table_for_polars(ratings):
    assert isinstance(ratings.grid(), pl.DataFrame)


def test_wide_is_true_or_false():
    with pytest.raises(po.ArgumentTypeError, match="give True or False"):
        po.elo(po.datasets.adv()).grid(wide="yes")

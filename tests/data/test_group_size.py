"""Number of individuals present per day, compared with plain counting."""

from datetime import date, timedelta
from statistics import fmean, stdev

import polars as pl
import pytest

import peckorder as po

CONTESTS = pl.DataFrame(
    {
        "date": [date(2026, 1, 5), date(2026, 1, 20), date(2026, 2, 10), date(2026, 3, 3)],
        "winner": ["a", "b", "a", "c"],
        "loser": ["b", "c", "c", "a"],
    }
)
STINTS = [
    ("a", date(2025, 12, 1), date(2026, 3, 31)),
    ("b", date(2026, 1, 1), date(2026, 1, 25)),
    ("b", date(2026, 1, 26), date(2026, 1, 28)),
    ("c", date(2026, 1, 15), date(2026, 3, 3)),
]


def data():
    presence = pl.DataFrame(STINTS, schema=["individual", "start", "end"], orient="row")
    return po.read(CONTESTS, presence=presence)


def counts(first, last):
    """Present individuals on each day, counted one by one."""
    out = []
    while first <= last:
        out.append(len({name for name, start, end in STINTS if start <= first <= end}))
        first += timedelta(days=1)
    return out


def test_all_days_between_the_first_and_the_last_contest():
    own = counts(date(2026, 1, 5), date(2026, 3, 3))
    row = data().group_size().row(0, named=True)
    assert (row["first"], row["last"]) == (date(2026, 1, 5), date(2026, 3, 3))
    assert (row["days"], row["min"], row["max"]) == (len(own), 2, 3)
    assert row["mean"] == pytest.approx(fmean(own))
    assert row["sd"] == pytest.approx(stdev(own))
    assert row["cv"] == pytest.approx(stdev(own) / fmean(own))


@pytest.mark.parametrize("period", ["week", "month", "year"])
def test_periods_are_those_of_the_calendar(period):
    found = data().group_size(period=period)
    assert found["days"].sum() == 58
    for row in found.iter_rows(named=True):
        assert row["mean"] == pytest.approx(fmean(counts(row["first"], row["last"])))
    label = {
        "week": lambda day: day.isocalendar()[:2],
        "month": lambda day: (day.year, day.month),
        "year": lambda day: day.year,
    }[period]
    firsts = found["first"].to_list()
    assert [label(day) for day in firsts] == sorted({label(day) for day in firsts})
    assert all(label(a) == label(b) for a, b in found.select("first", "last").iter_rows())


def test_a_window():
    row = data().group_size(since="2026-01-10", until="2026-01-31").row(0, named=True)
    own = counts(date(2026, 1, 10), date(2026, 1, 31))
    assert (row["days"], row["mean"]) == (22, pytest.approx(fmean(own)))
    with pytest.raises(ValueError, match="no days in this window"):
        data().group_size(since="2027-01-01")


def test_numbers_as_dates_and_a_constant_group():
    numbers = po.read(
        pl.DataFrame({"date": [1, 2, 5], "winner": ["a"] * 3, "loser": ["b"] * 3}),
        presence="inferred",
    )
    row = numbers.group_size().row(0, named=True)
    assert (row["days"], row["mean"], row["cv"]) == (5, 2.0, 0.0)
    with pytest.raises(po.DataError, match="needs calendar dates"):
        numbers.group_size(period="month")


def test_presence_is_needed():
    with pytest.raises(po.DataError, match='presence="inferred"'):
        po.read(CONTESTS).group_size()
    with pytest.raises(ValueError, match="Choose one of: week, month, year"):
        data().group_size(period="day")


@pytest.mark.paper_data
def test_adv_with_its_presence(paper_file):
    """Counted from the 0/1 table of data/adv_presence.csv, one row per day."""
    own = pl.read_csv(paper_file("adv_presence.csv"))
    daily = own.drop(own.columns[0]).sum_horizontal().to_list()
    found = po.read(paper_file("adv.csv"), presence=paper_file("adv_presence.csv")).group_size()
    row = found.row(0, named=True)
    assert row["days"] == len(daily) == 33
    assert row["mean"] == pytest.approx(fmean(daily))
    assert row["cv"] == pytest.approx(stdev(daily) / fmean(daily))

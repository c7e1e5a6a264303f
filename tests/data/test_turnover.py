"""Co-residence and turnover, compared with counting day by day."""

from datetime import date, timedelta
from itertools import combinations

import numpy as np
import polars as pl
import pytest

import peckorder as po
from peckorder.data.win_counts import co_resident
from peckorder.errors import ArgumentError, DataError

NAMES = ("a", "b", "c", "d", "e", "f")
FIRST, LAST = date(2019, 11, 5), date(2021, 3, 2)


@pytest.fixture(scope="module", params=[1, 2, 3])
def stints(request):
    """Stays of six individuals, some with two; two of them are there on the first and last day."""
    random = np.random.default_rng(request.param)
    out = [("a", FIRST - timedelta(40), LAST + timedelta(30)), ("b", FIRST, LAST)]
    for name in NAMES[2:]:
        cuts = sorted(random.choice(520, 4, replace=False).tolist())
        for one, other in (cuts[:2], cuts[2:])[: 1 + int(random.integers(2))]:
            out.append((name, FIRST + timedelta(one - 10), FIRST + timedelta(other - 10)))
    return out


def here(stints, day):
    return {name for name, start, end in stints if start <= day <= end}


def days(first=FIRST, last=LAST):
    return [first + timedelta(i) for i in range((last - first).days + 1)]


@pytest.fixture(scope="module")
def data(stints):
    random = np.random.default_rng(7)
    rows = [(FIRST, "a", "b"), (LAST, "b", "a")]
    for day in days():
        present = sorted(here(stints, day))
        if random.random() < 0.3:
            rows.append((day, *random.permutation(present)[:2].tolist()))
    for name in NAMES:  # everybody is seen once
        day = next(d for d in days() if name in here(stints, d))
        rows.append((day, *(("a", name) if name != "a" else ("a", "b"))))
    contests = pl.DataFrame(rows, schema=["date", "winner", "loser"], orient="row")
    presence = pl.DataFrame(stints, schema=["individual", "start", "end"], orient="row")
    return po.read(contests, presence=presence)


def test_co_residence_is_counted_day_by_day(data, stints):
    table = data.co_residence()
    found = {frozenset((a, b)): rest for a, b, *rest in table.iter_rows()}
    contests = data.frame()
    for a, b in combinations(NAMES, 2):
        both = [day for day in days() if {a, b} <= here(stints, day)]
        if not both:
            assert frozenset((a, b)) not in found
            continue
        number = contests.filter(pl.col("winner").is_in([a, b]) & pl.col("loser").is_in([a, b]))
        assert found[frozenset((a, b))] == [len(both), both[0], both[-1], number.height]
    assert table["contests"].sum() == len(data)
    together = co_resident(data)
    assert table.height == together.sum() // 2


def test_a_window_of_co_residence(data, stints):
    since, until = date(2020, 2, 1), date(2020, 5, 31)
    table = data.co_residence(since=str(since), until=str(until))
    found = {
        frozenset((a, b)): number for a, b, number in table.select("a", "b", "days_together").rows()
    }
    for a, b in combinations(NAMES, 2):
        both = [day for day in days(since, until) if {a, b} <= here(stints, day)]
        assert found.get(frozenset((a, b)), 0) == len(both)
    assert table["contests"].sum() == len(data.filter(start=str(since), end=str(until)))


@pytest.mark.parametrize("every", ["week", "month", "quarter", "year"])
def test_turnover_is_counted_day_by_day(data, stints, every):
    def label(day):
        return {
            "week": day.isocalendar()[:2],
            "month": (day.year, day.month),
            "quarter": (day.year, (day.month - 1) // 3),
            "year": day.year,
        }[every]

    plain = {}
    for day in days():
        row = plain.setdefault(label(day), [day, day, 0, 0])
        row[1] = day
        if day > FIRST:
            before, now = here(stints, day - timedelta(1)), here(stints, day)
            row[2] += len(now - before)
            row[3] += len(before - now)
    table = data.turnover(every=every)
    assert [list(row[:4]) for row in table.iter_rows()] == list(plain.values())
    assert table["size_at_end"].to_list() == [len(here(stints, row[1])) for row in plain.values()]
    changed = table["size_at_start"] + table["arrivals"] - table["departures"]
    assert changed.to_list() == table["size_at_end"].to_list()
    assert table["size_at_start"][1:].to_list() == table["size_at_end"][:-1].to_list()
    assert table["size_at_start"][0] == len(here(stints, FIRST))


def test_without_dates_periods_are_numbers_of_contests():
    data = po.read((["a", "b", "a", "c", "c"], ["b", "a", "b", "a", "a"]), presence="inferred")
    assert data.turnover(every=2).rows() == [
        (1, 2, 0, 0, 2, 2),
        (3, 4, 1, 1, 2, 2),
        (5, 5, 0, 0, 2, 2),
    ]
    assert data.co_residence().rows() == [("a", "b", 3, 1, 3, 3), ("a", "c", 2, 4, 5, 2)]
    with pytest.raises(ArgumentError, match="needs calendar dates"):
        data.turnover()


def test_what_cannot_be_counted_says_why():
    with pytest.raises(DataError, match="Co-residence needs presence data"):
        po.datasets.adv().co_residence()
    data = po.datasets.adv().with_presence("inferred")
    with pytest.raises(DataError, match="Turnover needs presence data"):
        po.datasets.adv().turnover()
    with pytest.raises(ArgumentError, match="no days in this window"):
        data.turnover(since="2011-01-01")
    with pytest.raises(ArgumentError, match="Choose one of: week, month, quarter, year"):
        data.turnover(every="decade")

"""Slopes of trajectories, compared with a regression that is written out."""

from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest

import peckorder as po
from tests.twin import Contest, rate

START = date(2026, 1, 1)
ROWS = [
    (0, "a", "b"),
    (0, "b", "c"),
    (2, "a", "c"),
    (3, "c", "b"),
    (7, "a", "b"),
    (7, "c", "a"),
    (9, "b", "c"),
    (12, "a", "d"),
    (13, "b", "a"),
    (13, "c", "d"),
]


def table():
    return pl.DataFrame(
        {
            "date": [START + timedelta(days=row[0]) for row in ROWS],
            "winner": [row[1] for row in ROWS],
            "loser": [row[2] for row in ROWS],
        }
    )


def regression(points):
    """Slope and standard error of ordinary least squares."""
    n = len(points)
    mean_x, mean_y = sum(x for x, _ in points) / n, sum(y for _, y in points) / n
    sxx = sum((x - mean_x) ** 2 for x, _ in points)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / sxx
    rss = sum((y - mean_y - slope * (x - mean_x)) ** 2 for x, y in points)
    return slope, (rss / (n - 2) / sxx) ** 0.5 if n > 2 else None


def end_of_day(name, since, until):
    """(day, last rating of the day) on days with a contest of this individual."""
    _, history = rate([Contest(winner, loser) for _, winner, loser in ROWS])
    last = {}
    for (day, winner, loser), one in zip(ROWS, history, strict=True):
        if name in (winner, loser) and since <= day <= until:
            last[day] = one["winner_after" if name == winner else "loser_after"]
    return list(last.items())


@pytest.mark.parametrize(("since", "until"), [(0, 13), (3, 12)])
def test_slopes_are_those_of_a_plain_regression(since, until):
    window = po.elo(po.read(table())).between(
        START + timedelta(days=since), START + timedelta(days=until)
    )
    found = window.slopes()
    for row in found.iter_rows(named=True):
        points = end_of_day(row["individual"], since, until)
        assert row["observations"] == len(points)
        assert row["first"] == START + timedelta(days=points[0][0])
        assert row["last"] == START + timedelta(days=points[-1][0])
        if len(points) < 2:
            assert row["slope"] is None
            continue
        slope, se = regression(points)
        assert row["slope"] == pytest.approx(slope)
        assert row["slope_se"] == (None if se is None else pytest.approx(se))
    assert set(found["individual"]) == {n for n in "abcd" if end_of_day(n, since, until)}


def test_without_dates_slopes_are_per_contest():
    rated = po.elo(po.read(table().drop("date")))
    own = rated.trajectory("a").filter(pl.col("contest") > 0)
    slope, se = regression(list(zip(own["contest"], own["rating"], strict=True)))
    row = rated.slopes().filter(individual="a").row(0, named=True)
    assert (row["slope"], row["slope_se"]) == pytest.approx((slope, se))
    assert row["observations"] == len(own) == 6


def test_constant_ratings_have_no_slope():
    """With k = 0 nothing moves; slopes are zero, and so are their errors."""
    found = po.elo(po.read(table()), k=0).slopes()
    assert found["slope"].drop_nulls().to_list() == [0.0] * 4
    assert found["slope_se"].drop_nulls().to_list() == [0.0] * 3


@pytest.mark.parametrize("rule", ["average", "batch"])
def test_other_raters_and_rules_have_slopes(rule):
    rated = po.elo(po.read(table()), within=rule)
    days = sorted({row[0] for row in ROWS if "b" in row[1:]})
    points = [
        (day, rated.at(START + timedelta(days=day)).filter(individual="b")["rating"][0])
        for day in days
    ]
    assert rated.slopes().filter(individual="b")["slope"][0] == pytest.approx(regression(points)[0])
    glicko = po.sport.glicko(po.read(table())).slopes()
    assert glicko["slope"].null_count() == 0


def test_posterior_slopes_have_intervals():
    post = po.elo_bayes(po.read(table()), seed=1, warmup=300, samples=300)
    row = post.slopes().filter(individual="b").row(0, named=True)
    days = sorted({day for day, *both in ROWS if "b" in both})
    draws = np.array([post.scores(at=START + timedelta(days=d))[:, post.code("b")] for d in days])
    each = np.array([regression(list(zip(days, own, strict=True)))[0] for own in draws.T])
    low, high = np.quantile(each, [0.025, 0.975])
    assert (row["slope"], row["slope_low"], row["slope_high"]) == pytest.approx(
        (each.mean(), low, high)
    )


def test_an_empty_window_has_no_slopes():
    whole = po.elo(po.read(table()))
    part = whole.between("2027-01-01").slopes()
    assert (part.height, part.columns) == (0, whole.slopes().columns)

"""Long records with a known truth: what they contain, and what is found in them."""

from datetime import timedelta

import numpy as np
import polars as pl
import pytest

import peckorder as po
from peckorder.errors import ArgumentError, DataError

NEAR = 365  # days


@pytest.fixture(scope="module")
def made():
    return po.simulate.long_term(
        6, 900, years=30, stay=40, takeovers=3, drift=0.0, spread=2.5, seed=4
    )


@pytest.fixture(scope="module")
def moving():
    return po.simulate.long_term(8, 500, years=12, stay=4, takeovers=2, drift=0.4, seed=2)


@pytest.fixture(scope="module")
def rated(made):
    return po.dynamic(made[1], samples=200, seed=1)


def days_of(data):
    first, last = data.times[[0, -1]].astype("datetime64[D]")
    return np.arange(first, last + 1)


def alpha_by_day(tenure, days):
    """The holder of the rank on each day, by walking through the table."""
    out = np.full(len(days), "", object)
    for name, start, end in tenure.select("individual", "start", "end").iter_rows():
        out[(days >= np.datetime64(start)) & (days <= np.datetime64(end))] = name
    return out


@pytest.mark.parametrize("which", ["made", "moving"])
def test_truth_and_contests_agree(which, request):
    truth, data = request.getfixturevalue(which)
    days = data.times.astype("datetime64[D]")
    assert (np.diff(days) >= np.timedelta64(0)).all()
    strength = truth.strength
    there = ~np.isnan(strength)
    contests = np.arange(len(data))
    assert there[contests, data.winner].all()
    assert there[contests, data.loser].all()
    # Presence and the strengths that are known are the same thing, at every contest.
    assert (data.presence.at_each(days, data.individuals) == there).all()
    won = strength[contests, data.winner] > strength[contests, data.loser]
    ahead = np.abs(strength[contests, data.winner] - strength[contests, data.loser])
    assert won.mean() == pytest.approx((1 / (1 + np.exp(-ahead))).mean(), abs=0.06)


@pytest.mark.parametrize("which", ["made", "moving"])
def test_the_true_alpha_is_the_strongest_on_each_day(which, request):
    truth, data = request.getfixturevalue(which)
    tenure = truth.tenure()
    assert tenure["days"].to_list() == [
        (end - start).days + 1 for start, end in tenure.select("start", "end").iter_rows()
    ]
    days = data.times.astype("datetime64[D]")
    strongest = np.nanargmax(truth.strength, axis=1)
    assert alpha_by_day(tenure, days).tolist() == [data.individuals[i] for i in strongest]


def test_at_takeovers_two_exchange_strengths(made):
    truth, _ = made
    assert len(truth.takeovers) == 3
    tenure = truth.tenure()
    for day in truth.takeovers:
        period = int(np.flatnonzero(truth.dates == np.datetime64(day))[0])
        before, after = truth.strengths[period - 1], truth.strengths[period]
        moved = np.flatnonzero(~np.isnan(before) & ~np.isnan(after) & (before != after))
        assert len(moved) == 2
        assert sorted(before[moved]) == sorted(after[moved])
        old = np.nanargmax(before)
        assert old in moved
        assert tenure.filter(start=day)["individual"].to_list() == [
            truth.individuals[moved[moved != old][0]]
        ]


def test_arguments_and_seeds():
    again = [po.simulate.long_term(5, 60, years=3, takeovers=1, seed=3)[1].hash for _ in "ab"]
    assert again[0] == again[1]
    assert again[0] != po.simulate.long_term(5, 60, years=3, takeovers=1, seed=4)[1].hash
    assert po.simulate.long_term(5, 60, years=3, takeovers=0, seed=3)[0].takeovers == ()
    for wrong in ({"stay": 0}, {"spread": -1.0}, {"drift": 2.0}, {"takeovers": -1}, {"years": 0}):
        with pytest.raises(ArgumentError, match=next(iter(wrong))):
            po.simulate.long_term(5, 60, **wrong)
    truth, _ = po.simulate.hierarchy(4, 30, seed=1)
    with pytest.raises(DataError, match="no dates"):
        truth.tenure()


def test_strengths_keep_their_spread():
    truth, _ = po.simulate.long_term(10, 200, years=40, stay=5, drift=1.0, takeovers=0, seed=5)
    own = truth.strengths[~np.isnan(truth.strengths)]
    assert own.std() == pytest.approx(2.0, abs=0.3)


def test_the_alphas_are_recovered(made, rated):
    truth, data = made
    days = days_of(data)
    true = alpha_by_day(truth.tenure(), days)
    tenure = rated.tenure()
    assert tenure["days"].sum() == len(days)
    right = (alpha_by_day(tenure, days) == true).mean()
    by_elo = (alpha_by_day(po.elo(data).tenure(), days) == true).mean()
    assert right > 0.75
    assert by_elo > 0.4
    certainty = np.average(tenure["certainty"], weights=tenure["days"])
    assert abs(certainty - right) < 0.25


def test_probable_changes_of_order_happened(made, rated):
    """A small version of benchmarks/rank_changes.py, by the middle day of either order."""
    truth, data = made
    true = []
    for row in rated.rank_changes().filter(pl.col("probability") >= 0.9).iter_rows(named=True):
        codes = [data.individuals.index(row[side]) for side in ("up", "down")]
        middles = (
            row["date"] - timedelta(row["days_before"] // 2),
            row["date"] + timedelta(row["days_after"] // 2),
        )
        period = np.searchsorted(truth.dates, np.array(middles, "M8[D]"), side="right") - 1
        up, down = truth.strengths[period][:, codes].T
        true.append(up[0] < down[0] and up[1] > down[1])
    assert len(true) >= 5
    assert np.mean(true) >= 0.8


@pytest.mark.slow
def test_takeovers_are_dated(made):
    truth, data = made
    found = po.change_points(data, threads=1).table["date"].to_list()
    near = [min(abs(day - t) for t in truth.takeovers) <= timedelta(NEAR) for day in found]
    assert all(near)
    assert len(found) >= 2


def test_a_window_over_the_whole_record_is_no_window(moving):
    _, data = moving
    ratings = po.elo(data)
    whole = ratings.between(str(days_of(data)[0]), str(days_of(data)[-1]))
    assert whole.window is None
    assert whole.tenure().equals(ratings.tenure())
    assert whole.rank_changes().equals(ratings.rank_changes())
    # Two halves hold the same days as the whole.
    middle = days_of(data)[len(days_of(data)) // 2]
    halves = [ratings.between(end=str(middle)), ratings.between(str(middle + 1))]
    joined = np.concatenate([alpha_by_day(half.tenure(), days_of(data)) for half in halves])
    both = joined.reshape(2, -1)
    assert (
        np.where(both[0] == "", both[1], both[0]).tolist()
        == alpha_by_day(ratings.tenure(), days_of(data)).tolist()
    )


def test_joining_at_the_date_of_a_contest_gives_the_history(moving):
    _, data = moving
    ratings = po.elo(data)
    history = ratings.history
    day = pl.Series(data.times.astype("datetime64[D]"))
    for side in ("winner", "loser"):
        # The last contest of a day is the state at its end, for those who took part in it.
        last = history.with_columns(day=day).filter(pl.col("day") != pl.col("day").shift(-1))
        joined = ratings.at_dates(last.select(side, "day"), individual=side, date="day")
        assert np.allclose(joined["rating"], last[f"{side}_after"])


def test_a_measure_over_one_window_of_everything_is_the_measure(moving):
    _, data = moving
    length = len(data)
    table = po.over_time(data, measure="consistency", window=length, step=length, runs=50, seed=1)
    whole = po.consistency(data, runs=50, seed=1)
    assert table.table["value"].to_list() == pytest.approx([whole.value])


def test_slopes_equal_a_plain_regression(moving):
    _, data = moving
    ratings = po.elo(data)
    slopes = dict(ratings.slopes().select("individual", "slope").iter_rows())
    days = data.times.astype("datetime64[D]")
    for code, name in enumerate(data.individuals):
        own = np.unique(days[(data.winner == code) | (data.loser == code)])
        if len(own) < 2:
            assert slopes[name] is None
            continue
        at = pl.DataFrame({"who": [name] * len(own), "day": own})
        y = ratings.at_dates(at, individual="who", date="day")["rating"].to_numpy()
        assert slopes[name] == pytest.approx(np.polyfit((own - own[0]).astype(float), y, 1)[0])


def test_group_size_and_turnover_equal_a_plain_count(moving):
    _, data = moving
    days = days_of(data)
    present = data.presence.at_each(days, data.individuals)
    row = data.group_size().row(0, named=True)
    assert row["mean"] == pytest.approx(present.sum(axis=1).mean())
    came = (present[1:] & ~present[:-1]).sum()
    left = (~present[1:] & present[:-1]).sum()
    table = data.turnover()
    assert (table["arrivals"].sum(), table["departures"].sum()) == (came, left)

"""Contests with the same time stamp: file order, average over random orders, and batches."""

import sys
from itertools import groupby, permutations, product
from pathlib import Path
from statistics import fmean

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peckorder as po
from peckorder.data.same_time import order_unknown, stamp_numbers
from peckorder.ratings.same_time import ORDERS
from tests.examples import examples
from tests.twin import Contest, rate

NAMES = "abcde"
BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
RULES = ("file", "average", "batch")


def table(rows, **more):
    return pl.DataFrame(
        {
            "date": [f"2026-01-{day:02d}" for _, _, day in rows],
            "winner": [winner for winner, _, _ in rows],
            "loser": [loser for _, loser, _ in rows],
            **more,
        }
    )


def days_of(size, days, each, seed):
    """Random contests of a linear group, several on each day."""
    random = np.random.default_rng(seed)
    rows = []
    for day in range(1, days + 1):
        for _ in range(each):
            a, b = sorted(random.choice(size, 2, replace=False))
            a, b = (b, a) if random.random() < 0.25 else (a, b)
            rows.append((f"n{a}", f"n{b}", day))
    return rows


def twin(rows, **more):
    contests = [Contest(a, b, day, period=day) for a, b, day in rows]
    return rate(contests, **more)


def every_order(rows):
    """All sequences that are compatible with the stamps."""
    stamps = [list(own) for _, own in groupby(rows, key=lambda row: row[2])]
    for chosen in product(*(permutations(own) for own in stamps)):
        yield [row for stamp in chosen for row in stamp]


def shuffled_within(rows, seed):
    random = np.random.default_rng(seed)
    return sorted(random.permutation(np.array(rows, object)).tolist(), key=lambda row: row[2])


ROWS = days_of(5, 6, 3, 1)


def test_batch_is_the_plain_recursion_from_the_ratings_before_the_stamp():
    found = po.elo(po.read(table(ROWS)), within="batch")
    expected, history = twin(ROWS, batch=True)
    assert dict(found.items()) == pytest.approx(expected, abs=1e-9)
    assert found.history["expected"].to_list() == pytest.approx(
        [one["expected"] for one in history]
    )
    assert found.settings["period"] == "date"


def test_average_is_the_mean_of_the_plain_recursion_over_the_same_orders():
    data = po.read(table(ROWS))
    found = po.elo(data, within="average")
    stamp = stamp_numbers(data.times)
    finals, predicted, changed = [], np.zeros(len(ROWS)), np.zeros(len(ROWS))
    for number in range(ORDERS):
        order = found.course.replay._order(number).tolist()
        assert np.array_equal(stamp[order], stamp)
        final, history = twin([ROWS[i] for i in order])
        finals.append(final)
        for i, one in zip(order, history, strict=True):
            predicted[i] += one["expected"] / ORDERS
            changed[i] += (one["winner_after"] - one["winner_before"]) / ORDERS
    mean = {name: fmean(final[name] for final in finals) for name in finals[0]}
    assert dict(found.items()) == pytest.approx(mean, abs=1e-9)
    sd = np.std([final["n0"] for final in finals], ddof=1)
    own = found.table.filter(individual="n0")["order_sd"][0]
    assert own == pytest.approx(sd)
    history = found.history
    assert history["expected"].to_numpy() == pytest.approx(predicted)
    assert found.foresight().win == pytest.approx(predicted)
    moved = (history["winner_after"] - history["winner_before"]).to_numpy()
    assert moved == pytest.approx(changed)


def test_average_is_close_to_the_mean_over_all_orders():
    rows = ROWS[:9]
    found = po.elo(po.read(table(rows)), within="average")
    finals = [twin(order)[0] for order in every_order(rows)]
    assert len(finals) == 6**3
    for name, rating in found.items():
        own = [final[name] for final in finals]
        assert abs(rating - fmean(own)) < 4 * np.std(own) / np.sqrt(ORDERS) + 1e-9


def test_course_of_averaged_ratings_is_consistent():
    """At the end of each stamp, history, trajectories and ratings at a date agree."""
    found = po.elo(po.read(table(ROWS)), within="average")
    history = found.history
    for day in range(1, 7):
        at = dict(found.at(f"2026-01-{day:02d}").select("individual", "rating").iter_rows())
        done = history.head(3 * day)
        for name, rating in at.items():
            own = done.filter((pl.col("winner") == name) | (pl.col("loser") == name)).tail(1)
            if len(own):
                side = "winner_after" if own["winner"][0] == name else "loser_after"
                assert own[side][0] == pytest.approx(rating)
    for name in found.individuals:
        path = found.trajectory(name)
        assert path["rating"][-1] == pytest.approx(found[name])
        assert len(path) == 1 + found.table.filter(individual=name)["contests"][0]
        assert found.course.own_path(found.code(name)) == pytest.approx(path["rating"].to_numpy())


def test_rounded_ratings_and_presence_within_stamps():
    presence = pl.DataFrame(
        {
            "individual": ["n0", "n1", "n2", "n3", "n4"],
            "start": ["2026-01-01"] * 3 + ["2026-01-03", "2026-01-04"],
            "end": ["2026-01-31"] * 5,
        }
    )
    arrive = {"n3": 3, "n4": 4}
    rows = [row for row in ROWS if all(arrive.get(n, 0) <= row[2] for n in row[:2])]
    data = po.read(table(rows))
    rated = po.elo(data, within="average", preset="EloRating", presence=presence)
    early = rated.at("2026-01-02")["individual"].to_list()
    assert sorted(early) == ["n0", "n1", "n2"]
    assert rated.at("2026-01-06")["rating"].to_list() == pytest.approx(
        rated.table["rating"].to_list()
    )
    assert rated.trajectory("n4")["rating"][-1] == pytest.approx(rated["n4"])


def test_burn_in_holds_for_the_first_contests_of_each_order():
    """With k = 0 after the first contest, one random contest of the first day counts.

    It is a–b as often as c–d: before the second day, nothing tells these pairs apart.
    """
    rows = [("a", "b", 1), ("c", "d", 1), ("a", "c", 1), ("b", "d", 2)]
    found = po.elo(po.read(table(rows)), within="average", k=0, burn_in=(1, 100))
    moved = {name: rating - 1000 for name, rating in found.items()}
    first = [found.course.replay._order(i)[0] for i in range(ORDERS)]
    share = np.bincount(first, minlength=3) / ORDERS
    assert moved == pytest.approx(
        {
            "a": 50 * (share[0] + share[2]),
            "b": -50 * share[0],
            "c": 50 * (share[1] - share[2]),
            "d": -50 * share[1],
        }
    )


contests = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES), st.integers(1, 4)).filter(
        lambda row: row[0] != row[1]
    ),
    min_size=2,
    max_size=14,
)


@given(contests)
@examples(25)
def test_without_shared_stamps_all_rules_are_the_same(rows):
    rows = [(a, b, day) for day, (a, b, _) in enumerate(rows, start=1)]
    data = po.read(table(rows))
    one, two, three = (po.elo(data, within=rule) for rule in RULES)
    assert np.array_equal(one.rating, two.rating)
    assert np.array_equal(one.rating, three.rating)
    assert one.history.equals(two.history)
    assert one.history.equals(three.history)
    assert one.summary == two.summary == three.summary == ()


@given(contests, st.integers(0, 99))
@examples(25)
def test_average_and_batch_do_not_depend_on_the_order_of_rows(rows, seed):
    rows = sorted(rows, key=lambda row: row[2])
    other = [tuple(row) for row in shuffled_within(rows, seed)]
    for rule in ("average", "batch"):
        first, second = (
            dict(po.elo(po.read(table(r)), within=rule).items()) for r in (rows, other)
        )
        assert second == pytest.approx(first, abs=1e-9)


def test_the_order_of_rows_matters_otherwise():
    rows = [("a", "b", 1), ("b", "c", 1), ("c", "a", 1)]
    first, second = (po.elo(po.read(table(r))) for r in (rows, rows[::-1]))
    assert dict(first.items()) != pytest.approx(dict(second.items()), abs=1)
    assert "3 of 3 contests share a time stamp" in first.summary[0]
    assert "order of the file" in first.summary[0]
    averaged = po.elo(po.read(table(rows)), within="average")
    assert "100 random orders" in averaged.summary[0]
    assert "standard deviation" in averaged.summary[1]
    assert "in batches" in po.elo(po.read(table(rows)), within="batch").summary[0]
    assert "within = average" in averaged.cite()
    assert "within" not in first.cite()


def test_contests_of_different_individuals_do_not_count():
    data = po.read(table([("a", "b", 1), ("c", "d", 1), ("a", "c", 2), ("a", "d", 2)]))
    assert order_unknown(data).tolist() == [False, False, True, True]
    league = po.read(table([("a", "b", 1), ("c", "d", 1)]))
    assert po.elo(league).summary == ()
    assert np.array_equal(po.elo(league, within="average").rating, po.elo(league).rating)


def test_numbers_as_dates_and_no_dates():
    plain = pl.DataFrame({"winner": ["a", "b", "c"], "loser": ["b", "c", "a"]})
    one, two, three = (po.elo(po.read(plain), within=rule) for rule in RULES)
    assert np.array_equal(one.rating, two.rating)
    assert np.array_equal(one.rating, three.rating)


def test_tuning_uses_the_rule():
    data = po.read(table(days_of(5, 12, 4, 2)))
    with pytest.warns(po.DataWarning):
        found = po.tune(data, over={"k": [20.0, 60.0, 120.0]}, within="average", runs=100)
    losses = dict(found.profile.select("value", "loss").iter_rows())
    for k, loss in losses.items():
        win = po.elo(data, k=k, within="average").foresight().win
        assert loss == pytest.approx(-np.log(win).mean())
    assert found.settings["within"] == found.values["settings"]["within"] == "average"


def test_home_advantage_and_draws_in_averaged_predictions():
    rows = [("a", "b", 1), ("b", "c", 1), ("c", "a", 1), ("a", "b", 2), ("a", "c", 2)]
    games = pl.DataFrame(
        {
            "date": [f"2026-01-{day:02d}" for _, _, day in rows],
            "home": [a for a, _, _ in rows],
            "away": [b for _, b, _ in rows],
            "home_points": [2, 1, 1, 0, 3],
            "away_points": [1, 1, 0, 2, 1],
        }
    )
    rated = po.elo(po.read(games), within="average", home_advantage=60)
    again = rated.foresight(60)
    assert again.win == pytest.approx(rated.foresight().win)
    assert again.ahead == pytest.approx(rated.foresight().ahead)
    assert not np.allclose(rated.foresight(0).win, again.win)
    sums = rated.course.replay.foresight_sums(1, 0.01)
    found = po.evaluate(rated, skip=1, runs=10, seed=1)
    assert sums[0] / 4 == pytest.approx(found.foresight["log_loss"])


def test_what_cannot_be_combined_is_refused(tmp_path):
    data = po.read(table(ROWS))
    with pytest.raises(ValueError, match='within="mean" is not known. Choose one of: file'):
        po.elo(data, within="mean")
    with pytest.raises(ValueError, match="highest rating of a day depends"):
        po.elo(data, within="average", preset="EloOptimized")
    with pytest.raises(TypeError, match="EloRater has no argument 'within'"):
        po.EloRater(within="average")
    table(ROWS).write_csv(tmp_path / "c.csv")
    with pytest.raises(ValueError, match="within cannot be used with a stream"):
        po.elo(po.read(tmp_path / "c.csv", stream=True), within="batch")


@pytest.fixture
def program():
    """The program that compares the rules."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import within

        yield within
    finally:
        sys.path.remove(str(BENCHMARKS))
        for name in ("within", "common"):
            sys.modules.pop(name, None)


def test_study_of_days_in_unknown_order(program):
    """What benchmarks/within.py prints, with fewer groups."""
    mean, _ = program.study("winner effects", 12)
    found = dict(zip(program.RULES, mean, strict=True))
    assert found["file, as it happened"][1:].tolist() == [0, 0, 0]
    points = {name: values[2] for name, values in found.items()}
    assert 0 < points["average"] < min(points["file, shuffled"], points["batch"])
    assert points["file, shuffled"] < points["file, sorted by winner"]


@given(contests)
@examples(60)
def test_affected_contests_by_plain_counting(rows):
    rows = sorted(rows, key=lambda row: row[2])
    expected = []
    for _, _, day in rows:
        sides = [name for a, b, other in rows if other == day for name in (a, b)]
        expected.append(len(set(sides)) < len(sides))
    assert order_unknown(po.read(table(rows))).tolist() == expected

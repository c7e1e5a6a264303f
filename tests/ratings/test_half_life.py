"""Elo ratings that move toward their start while an individual is away."""

import datetime as dt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peckorder as po
from tests.examples import examples

FIRST = dt.date(2020, 1, 1)


@st.composite
def records(draw):
    """Contests of up to five individuals, in order, some on the same day."""
    number = draw(st.integers(2, 25))
    pairs = st.lists(st.sampled_from("abcde"), min_size=2, max_size=2, unique=True)
    contests = draw(st.lists(pairs, min_size=number, max_size=number))
    days = np.cumsum(draw(st.lists(st.integers(0, 400), min_size=number, max_size=number)))
    return [(one, other, int(day)) for (one, other), day in zip(contests, days, strict=True)]


def table(rows, shift=0):
    return {
        "winner": [one for one, _, _ in rows],
        "loser": [other for _, other, _ in rows],
        "date": [str(FIRST + dt.timedelta(day + shift)) for _, _, day in rows],
    }


def plain(rows, half_life, k, start):
    """Contest by contest: predictions, and the ratings on the last day."""
    rating, last, chances = {}, {}, []
    for one, other, day in rows:
        for name in (one, other):
            away = day - last.get(name, day)
            distance = rating.get(name, start[name]) - start[name]
            rating[name] = start[name] + distance * 0.5 ** (away / half_life)
            last[name] = day
        chance = 1 / (1 + 10 ** ((rating[other] - rating[one]) / 400))
        chances.append(chance)
        rating[one] += k * (1 - chance)
        rating[other] -= k * (1 - chance)
    now = rows[-1][2]
    return chances, {
        name: start[name] + (rating[name] - start[name]) * 0.5 ** ((now - last[name]) / half_life)
        for name in rating
    }


@examples(40)
@given(records(), st.floats(1, 1000), st.floats(0, 300))
def test_equal_to_the_plain_program_and_to_the_live_rater(rows, half_life, k):
    start = dict(zip("abcde", (1000.0, 1100.0, 900.0, 1000.0, 1250.0), strict=True))
    own = {name: start[name] for row in rows for name in row[:2]}
    settings = {"half_life": half_life, "k": k, "start": own}
    ratings = po.elo(po.read(table(rows)), **settings)
    chances, final = plain(rows, half_life, k, start)
    assert dict(ratings.items()) == pytest.approx(final)
    assert ratings.foresight().win == pytest.approx(chances)
    rater = po.EloRater(**settings)
    seen = []
    for row, contest in enumerate(zip(*table(rows).values(), strict=True)):
        one, other, date = contest
        seen.append(rater.update(one, other, date=date))
        if row == len(rows) // 2:
            rater = po.EloRater.from_dict(rater.to_dict())
    assert rater.ratings == {name: ratings[name] for name in rater.ratings}  # to the last bit
    assert seen == ratings.foresight().win.tolist()
    again = po.EloRater.from_ratings(po.elo(po.read(table(rows)), **settings))
    assert again.ratings == {name: ratings[name] for name in again.ratings}


@examples(25)
@given(records(), st.floats(1, 1000))
def test_invariances(rows, half_life):
    """Later contests, the calendar date, the level and an infinite half-life change nothing."""
    data = po.read(table(rows))
    ratings = po.elo(data, half_life=half_life)
    cut = len(rows) // 2
    early = po.elo(po.read(table(rows[: cut + 1])), half_life=half_life)
    assert ratings.foresight().win[: cut + 1].tolist() == early.foresight().win.tolist()
    if cut + 1 < len(rows) and rows[cut][2] < rows[cut + 1][2]:
        then = ratings.at(FIRST + dt.timedelta(rows[cut][2]))
        for name in early.individuals:
            assert then.filter(then["individual"] == name)["rating"][0] == early[name]
    moved = po.elo(po.read(table(rows, shift=1000)), half_life=half_life)
    assert dict(moved.items()) == dict(ratings.items())
    higher = po.elo(data, half_life=half_life, start=1500)
    assert {n: r - 500 for n, r in higher.items()} == pytest.approx(dict(ratings.items()))
    slow = po.elo(data, half_life=1e12)
    assert dict(slow.items()) == pytest.approx(dict(po.elo(data).items()))


def test_half_of_the_distance_is_left_after_a_half_life():
    rows = [("a", "b", 0), ("c", "d", 100)]
    data = po.read(table(rows))
    ratings = po.elo(data, half_life=100)
    assert (ratings["a"], ratings["b"], ratings["c"]) == (1025.0, 975.0, 1050.0)
    trajectory = ratings.course.replay.after_each(np.arange(4))
    assert trajectory.tolist() == [
        [1000, 1000, 1000, 1000],
        [1050, 950, 1000, 1000],
        [1025, 975, 1050, 950],
    ]
    assert ratings.at(FIRST + dt.timedelta(200))["rating"].to_list() == [1025, 1012.5, 987.5, 975]
    years = po.elo(
        po.read({"winner": ["a", "c"], "loser": ["b", "d"], "date": [1, 3]}), half_life=2
    )
    assert years["a"] == 1025.0  # dates that are numbers are counted in their unit


def test_a_half_life_is_found_where_ratings_fade():
    rng = np.random.default_rng(1)
    strength, rows, day = rng.normal(size=12), [], 0.0
    for _ in range(4000):
        i, j = rng.choice(12, 2, replace=False)
        if rng.random() < 0.01:  # a break, after which everybody is somebody else
            day += 400
            strength = rng.normal(size=12)
        day += 0.05
        won = rng.random() < 1 / (1 + np.exp(2 * (strength[j] - strength[i])))
        one, other = (i, j) if won else (j, i)
        rows.append((f"n{one}", f"n{other}", int(day)))
    data = po.read(table(rows))
    found = po.tune(data, over=["half_life"])
    best = dict(zip(found.table["parameter"], found.table["best"], strict=True))["half_life"]
    assert best < 400
    assert found.log_loss < found.default_log_loss - 0.005


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"half_life": 0}, "give a number above 0"),
        ({"half_life": 5, "carry_over": 0.5}, "cannot be combined with carry_over"),
        ({"half_life": 5, "period": "day"}, "cannot be combined with period"),
        ({"half_life": 5, "within": "average"}, "cannot be combined with within"),
        ({"half_life": 5, "entry": "mean"}, "cannot be combined with entry"),
    ],
)
def test_what_is_refused(settings, text):
    with pytest.raises(ValueError, match=text):
        po.elo(po.datasets.adv(), **settings)


def test_contests_need_dates_in_order():
    with pytest.raises(po.DataError, match="half_life needs dates"):
        po.elo({"winner": ["a"], "loser": ["b"]}, half_life=5)
    rater = po.EloRater(half_life=5)
    with pytest.raises(ValueError, match="give the day of the contest"):
        rater.update("a", "b")
    rater.update("a", "b", date="2020-05-01")
    with pytest.raises(ValueError, match="earlier day than the latest"):
        rater.update("a", "b", date="2020-04-01")
    assert rater.contests == 1

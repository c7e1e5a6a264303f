"""Glicko and Glicko-2 against Glickman's worked examples, other software and a plain twin."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peckorder as po
from tests import glicko_twin

EXAMPLE = {"winner": ["p", "b", "c"], "loser": ["a", "p", "p"], "date": [1, 1, 1]}
START = {"p": 1500, "a": 1400, "b": 1550, "c": 1700}
DEVIATION = {"p": 200, "a": 30, "b": 100, "c": 300}


def own(ratings, name, column):
    return float(ratings.columns[column][ratings.code(name)])


def test_glickmans_example_of_glicko():
    """glicko.pdf: 1464 and 151.4; the MIT-licensed skillratings prints all digits of the latter."""
    found = po.sport.glicko(po.read(EXAMPLE), start=START, deviation=DEVIATION)
    assert found["p"] == pytest.approx(1464, abs=0.5)
    assert own(found, "p", "rating_sd") == pytest.approx(151.39890244796933, abs=1e-9)


def test_glickmans_example_of_glicko_2():
    """glicko2.pdf: 1464.06, 151.52 and 0.05999, rounded on the way; elixir-glicko (MIT) does not
    round, but has 173.7178 for 400/ln 10."""
    found = po.sport.glicko2(
        po.read(EXAMPLE), start=START, deviation=DEVIATION, volatility=0.06, tau=0.5
    )
    assert found["p"] == pytest.approx(1464.06, abs=0.01)
    assert found["p"] == pytest.approx(1464.0506705393013, abs=1e-6)
    assert own(found, "p", "rating_sd") == pytest.approx(151.51652412385727, abs=1e-5)
    assert own(found, "p", "volatility") == pytest.approx(0.05999, abs=1e-5)


def test_chances_draw_nearer_to_even_the_less_is_known():
    """Glickman's glicko.pdf: 1400 with 80 against 1500 with 150 has 0.376."""
    twin = glicko_twin.prediction((1400, 80), (1500, 150))
    assert twin == pytest.approx(0.376, abs=5e-4)
    data = po.read({"winner": ["p"], "loser": ["a"], "date": [1]})
    found = po.sport.glicko(data)
    state = [(found[n], own(found, n, "rating_sd")) for n in "pa"]
    assert found.probability("p", "a") == pytest.approx(glicko_twin.prediction(*state))
    assert 0.5 < found.probability("p", "a") < po.curves.Logistic()(found["p"] - found["a"])
    assert found.expected_beaten()["expected_beaten"][0] == pytest.approx(
        found.probability("p", "a")
    )


contests = st.lists(
    st.tuples(st.integers(0, 8), st.integers(0, 4), st.integers(1, 4), st.sampled_from([0.5, 1.0])),
    min_size=1,
    max_size=40,
)


@given(contests, st.floats(0, 80), st.sampled_from([0.3, 0.5, 1.2]))
def test_glicko_is_that_of_the_twin(rows, c, tau):
    rows = sorted(rows, key=lambda row: row[0])
    names = [(f"x{a}", f"x{(a + step) % 5}") for _, a, step, _ in rows]
    periods = {day: i for i, day in enumerate(sorted({row[0] for row in rows}))}
    plain = [
        (periods[day], *pair, score, 0.0)
        for (day, _, _, score), pair in zip(rows, names, strict=True)
    ]
    data = po.read(
        {
            "winner": [a for a, _ in names],
            "loser": [b for _, b in names],
            "date": [row[0] for row in rows],
            "draw": [int(row[3] == 0.5) for row in rows],
        }
    )
    for found, (state, records) in (
        (po.sport.glicko(data, c=c), glicko_twin.glicko(plain, c=c)),
        (
            po.sport.glicko(data, c=c, preset="PlayerRatings"),
            glicko_twin.glicko(plain, c=c, newcomers_grow=True),
        ),
        (po.sport.glicko2(data, tau=tau), glicko_twin.glicko2(plain, tau=tau)),
    ):
        for name in data.individuals:
            assert found[name] == pytest.approx(state[name][0], abs=1e-8)
            assert own(found, name, "rating_sd") == pytest.approx(state[name][1], abs=1e-8)
        history = found.history
        assert history["expected"].to_list() == pytest.approx([r.expected for r in records])
        assert history["winner_before"].to_list() == pytest.approx([r.rating[0] for r in records])
        assert history["loser_after"].to_list() == pytest.approx([r.after[1] for r in records])


def test_preset_playerratings_increases_the_deviation_of_newcomers():
    """One contest between two newcomers, from Glickman's formulas with RD = √(300² + 15²)."""
    data = po.read({"winner": ["a", "a"], "loser": ["b", "c"], "date": [1, 2]})
    found = po.sport.glicko(data, preset="PlayerRatings")
    spread, q = np.hypot(300, 15), np.log(10) / 400
    g = 1 / np.sqrt(1 + 3 * (q * spread / np.pi) ** 2)
    variance = 1 / (1 / spread**2 + q**2 * g**2 / 4)
    assert found["b"] == pytest.approx(2200 - q * g * variance / 2, abs=1e-9)
    assert own(found, "b", "rating_sd") == pytest.approx(np.sqrt(variance), abs=1e-9)
    assert found.settings["preset"] == "PlayerRatings"
    before = found.course.replay.deviations_at(1.0)[found.code("c")]
    assert before == 300  # not yet in its first period
    default = po.sport.glicko(data)
    assert default["b"] > found["b"]
    same = po.sport.glicko(data, preset="PlayerRatings", c=0)
    assert dict(same.items()) == dict(po.sport.glicko(data, c=0).items())
    at_the_limit = po.sport.glicko(data, preset="PlayerRatings", deviation=350)
    assert own(at_the_limit, "b", "rating_sd") < 350
    with pytest.raises(ValueError, match="PlayerRatings"):
        po.sport.glicko(data, preset="EloRating")


def test_home_advantage_enters_the_update():
    dice = random.Random(3)
    rows = {"home": [], "away": [], "home_goals": [], "away_goals": [], "date": []}
    plain = []
    for j in range(40):
        a, b = dice.sample("abcd", 2)
        goals = dice.randint(0, 3), dice.randint(0, 3)
        score = 1.0 if goals[0] > goals[1] else 0.5 if goals[0] == goals[1] else 0.0
        plain.append((j // 4, a, b, score, 60.0))
        for column, cell in zip(rows.values(), (a, b, *goals, j // 4), strict=True):
            column.append(cell)
    data = po.read(rows)
    for rate, twin in (
        (po.sport.glicko, glicko_twin.glicko),
        (po.sport.glicko2, glicko_twin.glicko2),
    ):
        found, (state, _) = rate(data, home_advantage=60), twin(plain)
        assert [found[n] for n in "abcd"] == pytest.approx([state[n][0] for n in "abcd"])


def test_the_course_changes_at_the_end_of_a_period():
    data = po.read(
        {
            "winner": list("aab"),
            "loser": list("bca"),
            "date": ["2024-01-05", "2024-01-20", "2024-02-01"],
        }
    )
    found = po.sport.glicko(data, period="month")
    assert found.settings["period"] == "month"
    path = found.trajectory("a")["rating"].to_list()
    assert path[0] == path[1] == 2200  # January is not over after its first contest
    assert path[2] == found.history["winner_after"][1] > 2200
    assert found.at("2024-01-10")["rating"].to_list() == [2200] * 3
    table = found.at("2024-01-31")
    assert table["individual"][0] == "a"
    early = found.probability("a", "b", at="2024-01-31")
    deviation = found.course.replay.deviations_at(np.datetime64("2024-01-31T23:59:59"))
    state = dict(zip(table["individual"], table["rating"], strict=True))
    spread = np.hypot(deviation[found.code("a")], deviation[found.code("b")])
    assert early == pytest.approx(glicko_twin.expectation(state["a"] - state["b"], spread))


def test_periods_by_default_and_what_is_said_of_them():
    undated = po.sport.glicko(po.read([("a", "b"), ("b", "c")]))
    assert undated.settings["period"] == "contest"
    with pytest.raises(po.DataError, match="needs dates"):
        po.sport.glicko(po.read([("a", "b")]), period="month")
    with pytest.raises(ValueError, match="Choose one of: contest, date, day"):
        po.sport.glicko(po.datasets.adv(), period="decade")
    with pytest.warns(po.DataWarning, match="order of these contests is unknown"):
        po.sport.glicko(po.datasets.bonobos())


def test_intervals_citation_and_table():
    found = po.sport.glicko2(po.datasets.adv())
    table = found.table
    assert {"rating_sd", "volatility", "rating_low", "rating_high"} <= set(table.columns)
    reach = table["rating_high"] - table["rating"]
    assert reach.to_list() == pytest.approx((1.959963984540054 * table["rating_sd"]).to_list())
    assert "Glickman, M. E. 2001" in found.cite()
    assert "volatility" not in po.sport.glicko(po.datasets.adv()).table.columns
    constant = po.sport.glicko2(po.datasets.adv(), tau=0)
    assert set(constant.table["volatility"]) == {0.15}


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"deviation": 400}, "above max_deviation=350"),
        ({"deviation": 0}, "deviation=0: give a finite number above 0"),
        ({"deviation": {"a": 100}}, "deviation has no value for"),
        ({"c": -1}, "c=-1: give a finite number of at least 0"),
        ({"start": float("nan")}, "start must be a finite number"),
    ],
)
def test_settings_that_are_refused(settings, text):
    with pytest.raises(ValueError, match=text):
        po.sport.glicko(po.datasets.adv(), **settings)
    with pytest.raises(TypeError, match="glicko needs data from peckorder.read"):
        po.sport.glicko(object())


def test_extreme_ratings_stay_finite():
    data = po.read([("b", "a")] * 5)
    for rate in (po.sport.glicko, po.sport.glicko2):
        found = rate(data, start={"a": 50_000, "b": 0})
        assert np.isfinite(found.rating).all()
        assert np.isfinite(found.columns["rating_sd"]).all()


def test_pauses_count_by_the_calendar():
    """A week and a year away are 1 and 52 periods; only periods with contests count in that of R."""
    rows = {"winner": ["a", "b", "a"], "loser": ["b", "c", "b"]}
    apart = [
        po.read(rows | {"date": ["2020-01-06", "2020-01-13", last]})
        for last in ("2020-01-20", "2021-01-11")
    ]
    fresh = [po.sport.glicko(data, period="week", c=40) for data in apart]
    before = [f.course.replay._history.spread[2] for f in fresh]
    first = fresh[0].course.replay._history.spread_after[0, 0]
    assert before[0][0] == pytest.approx(np.sqrt(first**2 + 2 * 40**2))
    assert before[1][0] == pytest.approx(min(np.sqrt(first**2 + 53 * 40**2), 350))
    played = [po.sport.glicko(d, period="week", c=40, preset="PlayerRatings") for d in apart]
    assert played[0]["a"] == played[1]["a"]
    second = [po.sport.glicko2(data, period="week", preset="Glickman") for data in apart]
    assert second[1].columns["rating_sd"][0] > second[0].columns["rating_sd"][0]


def test_the_table_at_a_date_has_deviations_and_volatilities():
    data = po.datasets.adv()
    found = po.sport.glicko2(data, preset="Glickman")
    then = found.at("2010-01-10")
    part = po.sport.glicko2(data.cut("2010-01-11")[0], preset="Glickman")
    expected = {row["individual"]: row for row in part.table.iter_rows(named=True)}
    for row in then.iter_rows(named=True):
        for column in ("rating", "rating_sd", "volatility", "rating_low", "rating_high"):
            if row["individual"] in expected:
                assert row[column] == pytest.approx(expected[row["individual"]][column])


def test_the_preset_of_glickman_is_his_example():
    """Glickman's note on Glicko-2: 1500, 200, 0.06 and τ 0.5 against three opponents."""
    found = po.sport.glicko2(
        po.read({"winner": ["p", "r", "s"], "loser": ["q", "p", "p"], "date": [1, 1, 1]}),
        preset="Glickman",
        start={"p": 1500, "q": 1400, "r": 1550, "s": 1700},
        deviation={"p": 200, "q": 30, "r": 100, "s": 300},
    )
    own = found.table.filter(individual="p").row(0, named=True)
    assert own["rating"] == pytest.approx(1464.06, abs=0.01)
    assert own["rating_sd"] == pytest.approx(151.52, abs=0.01)
    assert own["volatility"] == pytest.approx(0.05999, abs=1e-5)
    assert found.settings["tau"] == 0.5
    usual = po.sport.glicko(po.datasets.adv(), preset="Glickman")
    assert (usual.settings["start"], usual.settings["deviation"]) == (1500, 350)

"""Simulated data with a known truth: plain loops, frequencies, Goffe's scenarios, errors."""

import math
import re

import numpy as np
import polars as pl
import pytest

import peckorder as po
from peckorder.kernels import random as stream
from peckorder.kernels import simulation as kernel
from peckorder.simulate.hierarchies import Setting, natural
from tests import oracle


def place(weights, u):
    total, target = 0.0, u * sum(weights)
    for i, weight in enumerate(weights):
        total += weight
        if total > target:
            return i
    raise AssertionError


def test_contests_are_those_of_a_plain_loop():
    random = np.random.default_rng(1)
    starter, opponent = random.random((2, 4)), random.random((2, 4, 4))
    for p in range(2):
        np.fill_diagonal(opponent[p], 0)
    chance = random.random((2, 4, 4))
    period = np.repeat([0, 1], 50)
    first, second, score = np.empty(100, np.int32), np.empty(100, np.int32), np.empty(100)
    kernel.draw_contests(
        starter.cumsum(axis=1),
        opponent.cumsum(axis=2),
        chance,
        0.7,
        period,
        np.uint64(5),
        3,
        first,
        second,
        score,
    )
    state = np.empty(4, np.uint64)
    stream.begin(state, np.uint64(5), 3)
    for j in range(100):
        p = period[j]
        a = place(starter[p], stream.uniform(state))
        b = place(opponent[p, a], stream.uniform(state))
        win = chance[p, a, b]
        odds = 0.7 * math.sqrt(win * (1 - win))
        u = stream.uniform(state) * (1 + odds)
        assert (first[j], second[j]) == (a, b)
        assert score[j] == (1.0 if u < win else 0.5 if u < win + odds else 0.0)


@pytest.mark.parametrize("in_update", [False, True])
def test_outcomes_with_updates_equal_those_of_a_plain_loop(in_update):
    random = np.random.default_rng(2)
    first = random.integers(0, 5, 80)
    second = (first + random.integers(1, 5, 80)) % 5
    bonus, k = random.normal(size=80) * 0.3, random.random(80)
    start = random.normal(size=5)
    score, course = np.empty(80), np.empty((81, 5))
    kernel.draw_outcomes(
        first, second, bonus, in_update, k, 0.4, start.copy(), np.uint64(9), 0, score, course
    )
    state = np.empty(4, np.uint64)
    stream.begin(state, np.uint64(9), 0)
    rating = start.tolist()
    for j in range(80):
        assert course[j].tolist() == pytest.approx(rating)
        ahead = rating[first[j]] - rating[second[j]]
        win = 1 / (1 + math.exp(-(ahead + bonus[j])))
        odds = 0.4 * math.sqrt(win * (1 - win))
        u = stream.uniform(state) * (1 + odds)
        scored = 1.0 if u < win else 0.5 if u < win + odds else 0.0
        assert score[j] == scored
        step = k[j] * (scored - (win if in_update else 1 / (1 + math.exp(-ahead))))
        rating[first[j]] += step
        rating[second[j]] -= step


def test_win_frequencies_match_the_strengths():
    truth, data = po.simulate.hierarchy(3, 30_000, spread=1.0, seed=1)
    wins = data.matrix().wins
    for a, b in ((0, 1), (0, 2), (1, 2)):
        expected = 1 / (1 + math.exp(truth.final[b] - truth.final[a]))
        number = wins[a, b] + wins[b, a]
        assert wins[a, b] / number == pytest.approx(expected, abs=4.5 * 0.5 / math.sqrt(number))
        assert number == pytest.approx(10_000, abs=450)
    _, drawn = po.simulate.hierarchy(2, 20_000, spread=0.0, nu=1.0, seed=1)
    assert drawn.draw.mean() == pytest.approx(1 / 3, abs=0.015)


def test_strengths_ranks_and_the_table_of_truth():
    truth, data = po.simulate.hierarchy(["Abe", "Bo", "Cy"], 60, strengths=[1, 3, 2], seed=4)
    assert {n: truth[n] for n in truth.individuals} == {"Abe": 1, "Bo": 3, "Cy": 2}
    assert truth.strength.shape == truth.rank.shape == (60, 3)
    ranks = dict(zip(truth.individuals, truth.rank[0], strict=True))
    assert ranks == {"Abe": 3, "Bo": 1, "Cy": 2}
    assert truth.individuals == data.individuals
    normal, _ = po.simulate.hierarchy(400, 4000, strengths="normal", spread=2.0, seed=1)
    assert normal.final.std() == pytest.approx(2.0, rel=0.12)
    assert "final order Bo, Cy, Abe" in repr(truth)


def test_the_same_seed_gives_the_same_data():
    one, two, other = (po.simulate.hierarchy(8, 200, seed=s)[1] for s in (3, 3, 4))
    assert one.hash == two.hash != other.hash
    assert po.simulate.takeover(seed=5)[1].hash == po.simulate.takeover(seed=5)[1].hash


def test_who_meets_whom():
    def counts(**settings):
        truth, data = po.simulate.hierarchy(6, 12_000, spread=2.0, seed=1, **settings)
        number = np.zeros((6, 6))
        np.add.at(number, (data.winner, data.loser), 1)
        order = np.argsort(-truth.final)
        return (number + number.T)[np.ix_(order, order)]

    equal = counts()
    off = equal[np.triu_indices(6, 1)]
    assert off.std() / off.mean() < 0.06
    ranked = counts(meeting="by_rank").sum(axis=1)
    assert (np.diff(ranked) < 0).all()  # lower ranks less often
    close = counts(meeting="by_closeness")
    assert close[0, 1] > 2 * close[0, 3] > 2.5 * close[0, 5]
    made = Setting("equal", 0.05, natural(None), 0.0, None)
    starter, opponent, _ = made._weights(tuple("abcdef"), np.linspace(3, -3, 6), 1)
    joint = (starter / starter.sum())[:, None] * opponent / opponent.sum(axis=1, keepdims=True)
    assert np.tril(joint, -1).sum() == pytest.approx(
        0.05 / 1.05
    )  # initiated against a stronger one
    timid = counts(initiative=0.1)
    assert timid.sum() == equal.sum()
    weights = np.zeros((6, 6))
    weights[0, 1] = weights[2, 3] = weights[4, 5] = 1
    only = counts(meeting=weights)
    assert (only > 0).sum() == 6


def test_chances_in_place_of_strengths():
    chances = np.array([[0, 0.9, 0.2], [0.1, 0, 0.9], [0.8, 0.1, 0]])
    truth, data = po.simulate.hierarchy(3, 9000, chances=chances, seed=2)
    wins = data.matrix().wins
    code = {name: i for i, name in enumerate(data.individuals)}
    a, b = code["i01"], code["i02"]
    assert wins[a, b] / (wins[a, b] + wins[b, a]) == pytest.approx(0.9, abs=0.03)
    assert truth["i01"] == pytest.approx(1.1)


def test_presence_divides_the_data():
    truth, data = po.simulate.hierarchy(
        4, 300, presence={"i01": (1, 100), "i04": (51, 300)}, seed=1
    )
    assert truth.begin.tolist() == [0, 50, 100]
    gone = data.individuals.index("i01")
    assert not ((data.winner[100:] == gone) | (data.loser[100:] == gone)).any()
    assert data.presence is not None
    assert set(po.elo(data).at(200)["individual"]) == {"i02", "i03", "i04"}
    assert np.isnan(truth.at(200)[gone])


def test_periods_may_shuffle_and_change_members():
    truth, _ = po.simulate.periods(
        [
            {"strengths": {"a": 2, "b": 0, "c": -2}, "contests": 90, "shuffle_every": 30},
            {"strengths": {"b": 1, "c": 0, "d": -1}, "contests": 50},
        ],
        seed=1,
    )
    assert truth.begin.tolist() == [0, 30, 60, 90]
    for row in truth.strengths[:3]:
        assert sorted(row[~np.isnan(row)]) == [-2, 0, 2]
    assert truth.table.filter(pl.col("from_contest") == 91)["strength"].null_count() == 1


def test_scenarios_have_the_numbers_of_the_paper():
    truth, data = po.simulate.high_dimensional(seed=1)
    assert (len(truth.individuals), len(data)) == (44, 1000)
    truth, data = po.simulate.unbalanced(seed=1)
    assert len(data) == 4000
    before, after = truth.strengths
    order = np.argsort(-before)
    assert np.argsort(-after).tolist() == order[[1, 0, 3, 2, 5, 4, 7, 6, 9, 8]].tolist()
    contests = np.bincount(data.winner, minlength=10) + np.bincount(data.loser, minlength=10)
    assert contests[order[0]] > 2 * contests[order[-1]]
    truth, data = po.simulate.takeover(seed=1)
    assert truth.begin.tolist() == [0, 2000]
    alpha, immigrant = (truth.individuals.index(n) for n in ("i01", "immigrant"))
    assert truth.strengths[0, alpha] == truth.strengths[1, immigrant] == 6
    assert truth.strengths[1, alpha] == pytest.approx(-6 - 12 / 9)
    truth, data = po.simulate.coalitionary_leap(seed=1)
    assert (len(truth.individuals), len(data)) == (25, 3000)
    top = [truth.individuals[i] for i in np.argsort(-truth.final)[:5]]
    assert top == ["i11", "i12", "i13", "i14", "i15"]
    truth, data = po.simulate.mortality(seed=1)
    assert len(data) == 3000
    assert len(truth.begin) == 1 + 20 + 1
    lost = [truth.individuals.index(n) for n in ("i01", "i02")]
    assert np.isnan(truth.strengths[1:, lost]).all()
    old = np.delete(truth.strengths[0], lost)
    assert np.array_equal(np.delete(truth.final, lost), old)


def test_rank_error_by_a_plain_loop():
    truth, data = po.simulate.takeover(contests=(80, 80), seed=3)
    ratings = po.elo(data, k=100)
    found = po.simulate.rank_error(ratings, truth=truth, every=20)
    for row in found.table.to_dicts():
        table = ratings.at(row["contest"])
        rated = dict(zip(table["individual"], table["rating"], strict=True))
        true = {
            n: s
            for n, s in zip(truth.individuals, truth.at(row["contest"]), strict=True)
            if not np.isnan(s) and n in rated
        }
        names = list(true)
        by_rating = {
            n: sum(rated[m] > rated[n] for m in names)
            + sum(rated[m] == rated[n] for m in names) / 2
            for n in names
        }
        by_truth = {n: sum(true[m] > true[n] for m in names) + 0.5 for n in names}
        assert row["mae"] == pytest.approx(
            np.mean([abs(by_rating[n] - by_truth[n]) for n in names])
        )
        assert row["individuals"] == len(names)
    some = po.simulate.rank_error(ratings, truth=truth, among=["i02", "i03", "i04"])
    assert some.table["individuals"].max() == 3
    assert truth.present() == [n for n in truth.individuals if not np.isnan(truth[n])]
    for wrong, text in (
        ({"every": 0}, "every=0"),
        ({"every": 999}, "there are 160 contests"),
        ({"among": ["i02"]}, "at least two"),
        ({"among": []}, "at least two"),
        ({"among": "i0"}, "not among the individuals"),
    ):
        with pytest.raises(ValueError, match=text):
            po.simulate.rank_error(ratings, truth=truth, **wrong)
    other, _ = po.simulate.takeover(contests=(80, 80), seed=4)
    with pytest.raises(ValueError, match="truth and ratings belong to different data"):
        po.simulate.rank_error(ratings, truth=other)


@pytest.mark.parametrize("method", ["elo", "elo_ml", "elo_bayes", "glicko"])
def test_data_like_given_data(method):
    data = po.simulate.hierarchy(5, 150, spread=1.5, seed=1)[1]
    fit = {
        "elo": lambda: po.elo(data),
        "elo_ml": lambda: po.elo_ml(data, penalized=True),
        "elo_bayes": lambda: po.elo_bayes(data, seed=1),
        "glicko": lambda: po.sport.glicko(data),
    }[method]()
    truth, again = po.simulate.like(fit, seed=2)
    met = [frozenset((a, b)) for a, b in zip(data.winner, data.loser, strict=True)]
    assert [frozenset((a, b)) for a, b in zip(again.winner, again.loser, strict=True)] == met
    assert truth.individuals == data.individuals
    upsets = np.mean(
        [(po.simulate.like(fit, seed=s)[1].winner == data.winner).mean() for s in range(40)]
    )
    expected = fit.foresight().win.mean()
    assert upsets == pytest.approx(expected, abs=0.08)
    more = po.simulate.like(fit, effort=2.0, seed=3)[1]
    assert len(more) == 300
    assert po.simulate.like(fit, seed=2)[1].hash == again.hash


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"individuals": 1}, "whole number of at least 2"),
        ({"individuals": ["a"]}, "at least two individuals"),
        ({"individuals": ["a", "a"]}, "names must be unique"),
        ({"strengths": [1, 2]}, "one number per individual (10), not 2"),
        ({"individuals": 2, "strengths": [1, float("nan")]}, "strengths must be finite"),
        ({"strengths": "steep"}, "Choose one of: grid, normal"),
        ({"spread": -1}, "spread=-1"),
        ({"meeting": "often"}, "Choose one of: equal, by_rank, by_closeness"),
        ({"meeting": np.ones((3, 3))}, "10 × 10 matrix of weights"),
        (
            {"individuals": ["a", "b", "c"], "meeting": [[0, 1, 0], [1, 0, 0], [0, 0, 0]]},
            'leaves "c" without an opponent',
        ),
        ({"individuals": 2, "chances": [[0, 0.7], [0.7, 0]]}, "must sum to 1"),
        ({"individuals": 2, "chances": [[0, 1.7], [-0.7, 0]]}, "between 0 and 1"),
        ({"initiative": 2}, "initiative=2"),
        ({"contests": 0}, "contests=0"),
        (
            {"individuals": 3, "presence": {"i01": (1, 10), "i02": (1, 10)}},
            "at least two must be present",
        ),
        ({"presence": {"Zoe": (1, 2)}}, '"Zoe" not found among'),
        ({"seed": -3}, "seed=-3"),
        ({"meeting": 3}, "Choose one of: equal"),
        ({"presence": {"i01": 5}}, "must be (first contest, last contest)"),
        ({"strengths": ["a"] * 10}, "must be numbers"),
    ],
)
def test_what_is_refused(arguments, text):
    with pytest.raises(ValueError, match=re.escape(text)):
        po.simulate.hierarchy(**arguments)


def test_periods_that_are_refused():
    with pytest.raises(ValueError, match="at least one period"):
        po.simulate.periods([])
    with pytest.raises(ValueError, match='needs "contests"'):
        po.simulate.periods([{"strengths": {"a": 1, "b": 2}}])
    with pytest.raises(ValueError, match="Period 2 has 1 individual: at least two"):
        po.simulate.periods(
            [
                {"strengths": {"a": 1, "b": 2}, "contests": 5},
                {"strengths": {"a": 1}, "contests": 5},
            ]
        )
    with pytest.raises(ValueError, match='"a" leaves and comes back'):
        po.simulate.periods(
            [
                {"strengths": {"a": 1, "b": 2, "c": 3}, "contests": 5},
                {"strengths": {"b": 1, "c": 2}, "contests": 5},
                {"strengths": {"a": 1, "b": 2, "c": 3}, "contests": 5},
            ]
        )
    with pytest.raises(ValueError, match="contests must be 2 numbers"):
        po.simulate.takeover(contests=100)
    with pytest.raises(ValueError, match="name of the newcomer"):
        po.simulate.takeover(["a", "immigrant"])
    with pytest.raises(ValueError, match="only groups 2 to 5 can move"):
        po.simulate.coalitionary_leap(leaping=1)
    with pytest.raises(ValueError, match="groups=5: there are 3 individuals"):
        po.simulate.coalitionary_leap(3)
    with pytest.raises(ValueError, match="effort=0"):
        po.simulate.like(po.elo(po.datasets.adv()), effort=0)
    with pytest.raises(TypeError, match="like takes ratings"):
        po.simulate.like(po.datasets.adv())


def test_ties_home_advantage_and_updates_are_kept():
    data = po.simulate.hierarchy(6, 1000, nu=1.0, spread=1, seed=1)[1]
    share = np.mean([po.simulate.like(po.elo(data), seed=s)[1].draw.mean() for s in range(10)])
    assert share == pytest.approx(data.draw.mean(), abs=0.04)
    random = np.random.default_rng(3)
    rows = {"home": [], "away": [], "home_goals": [], "away_goals": []}
    for _ in range(120):
        a, b = random.choice(5, 2, replace=False)
        for column, cell in zip(
            rows.values(), (f"x{a}", f"x{b}", *random.permutation([0, 1])), strict=True
        ):
            column.append(cell)
    games = po.read(rows)
    fit = po.elo_ml(
        games, estimate="start", k=0.3, home_advantage=0.5, home_in_update=True, penalized=True
    )
    truth, again = po.simulate.like(fit, seed=3)
    replay = type(fit.course.replay)(again, fit.course.replay.settings)
    course = replay.after_each(np.arange(5))
    assert np.allclose(course[:-2], truth.strengths[:-1], atol=1e-9)


def test_asymmetric_initiative_if_initiators_have_an_advantage():
    """Albers & de Vries' Example II: Elo and I&SI agree better if low ranks initiate rarely."""
    chances = 0.5 + 0.35 * np.arange(-8, 9)[np.arange(9)[None, :] - np.arange(9)[:, None] + 8] / 8
    np.fill_diagonal(chances, 0)

    def mean_agreement(initiative):
        rho = []
        for seed in range(25):
            data = po.simulate.hierarchy(
                9, 540, chances=chances, initiative=initiative, starter_advantage=1.0, seed=seed
            )[1]
            elo, isi = po.elo(data, k=20, curve="table"), po.isi(data)
            rho.append(oracle.spearman((-elo.rating).tolist(), isi.rank.tolist()))
        return np.mean(rho)

    symmetric, asymmetric = mean_agreement(1.0), mean_agreement(0.1)
    assert symmetric > 0.7
    assert asymmetric > symmetric + 0.03
    made = Setting("equal", 1.0, natural(None), 0.0, None, 1.0)
    chance = made._weights(("a", "b"), np.zeros(2), 1)[2]
    assert chance[0, 1] == chance[1, 0] == pytest.approx(1 / (1 + math.exp(-1)))


def test_a_spread_of_minus_zero_is_zero():
    truth, _ = po.simulate.hierarchy(3, 10, strengths="normal", spread=-0.0, seed=1)
    assert (truth.strengths == 0).all()


@pytest.mark.parametrize("argument", ["strengths", "chances", "meeting"])
def test_integers_too_large_for_a_number_are_refused(argument):
    given = {"strengths": [10**400] * 3}.get(argument, [[10**400] * 3] * 3)
    with pytest.raises(po.PeckorderError, match=f"{argument} must be"):
        po.simulate.hierarchy(3, 10, **{argument: given})


def test_truth_from_its_file(tmp_path, inside):
    scenario = ("simulate", "mortality", "--seed", "3", "--truth", "true.csv", "-o", "record.csv")
    assert inside(*scenario).returncode == 0
    truth, data = po.simulate.mortality(seed=3)
    ratings = po.elo(data)
    found = po.simulate.rank_error(ratings, truth=truth, every=50)
    same = po.simulate.rank_error(
        ratings, truth=truth.table.sample(fraction=1, shuffle=True, seed=1), every=50
    )
    assert same.table.equals(found.table)
    done = inside(
        "rank-error", "record.csv", "--truth", "true.csv", "--every", "50", "--format", "csv"
    )
    assert pl.read_csv(done.stdout).equals(found.table)
    done = inside("rank-error", "record.csv", "--truth", "record.csv")
    assert b'record.csv has no column "from_contest", "individual", "strength"' in done.stderr
    for wrong, text in (
        (truth.table.head(5), "one row for each period and individual"),
        (truth.table.with_columns(from_contest=pl.lit("x")), '"x" in column "from_contest"'),
        (truth.table.with_columns(strength=pl.lit("1,5")), '"1,5" in column "strength"'),
        (truth.table.filter(pl.col("from_contest") > 1), "one row for each period"),
    ):
        with pytest.raises(po.DataError, match=text):
            po.simulate.rank_error(ratings, truth=wrong)

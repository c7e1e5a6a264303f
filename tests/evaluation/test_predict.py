"""Fixtures: probabilities by hand, by enumeration of a small league, and error messages."""

import itertools
import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import peckorder as po
from tests.evaluation.leagues import league


def chance(ahead, scale=400.0):
    return 1 / (1 + 10 ** (-ahead / scale))


def test_chances_at_home_away_and_on_neutral_ground():
    data = league(1, home=60)
    ratings = po.elo(data, k=30, home_advantage=50)
    sheet = {"home": ["t0", "t1", "t0"], "away": ["t1", "t0", "t1"], "neutral": ["no", "0", "yes"]}
    found = po.predict(ratings, fixtures=sheet).table
    ahead = ratings["t0"] - ratings["t1"]
    assert found["p_a"].to_list() == pytest.approx(
        [chance(ahead + 50), chance(50 - ahead), chance(ahead)]
    )
    assert (found["p_a"] + found["p_b"] + found["p_tie"]).to_list() == pytest.approx([1, 1, 1])
    assert found["p_tie"].to_list() == [0, 0, 0]  # no ties in the data
    bare = po.predict(ratings, fixtures=sheet, home_advantage=0).table["p_a"]
    assert bare.to_list() == pytest.approx([chance(ahead), chance(-ahead), chance(ahead)])
    no_home = po.predict(ratings, fixtures={"a": ["t0"], "b": ["t1"]}).table
    assert no_home["p_a"][0] == pytest.approx(chance(ahead))
    assert no_home["a"].to_list() == ["t0"]


def test_ties_by_davidson_are_as_frequent_as_observed():
    data = league(2, draws=0.9, games=600)
    ratings = po.elo(data, k=20)
    found = po.predict(ratings, fixtures=[("t0", "t1")])
    expected = ratings.history["expected"].to_numpy()
    odds = found.nu * np.sqrt(expected * (1 - expected))
    assert (odds / (1 + odds)).sum() == pytest.approx(data.draw.sum())
    p = chance(ratings["t0"] - ratings["t1"])
    root = found.nu * math.sqrt(p * (1 - p))
    row = found.table.row(0, named=True)
    assert row["p_a"] == pytest.approx(p / (1 + root))
    assert row["p_tie"] == pytest.approx(root / (1 + root))
    assert "Equally rated sides tie with probability" in found.summary[0]
    bare = po.predict(ratings, fixtures=[("t0", "t1")], ties="omit")
    assert bare.table["p_tie"].to_list() == [None]
    assert bare.table["p_a"][0] == pytest.approx(p)
    drawn = po.elo(po.read({"winner": ["t0"], "loser": ["t1"], "draw": [1]}))
    with pytest.raises(po.DataError, match="All contests were ties"):
        po.predict(drawn, fixtures=[("t0", "t1")])


def test_posteriors_carry_intervals():
    data = league(3, draws=0.8)
    post = po.elo_bayes(data, seed=1)
    row = po.predict(post, fixtures=[("t0", "t1")]).table.row(0, named=True)
    scores, nu = post.course.replay.final, post.course.replay.nu
    p = 1 / (1 + np.exp(-(scores[:, 0] - scores[:, 1])))
    codes = [post.code(name) for name in ("t0", "t1")]
    p = 1 / (1 + np.exp(-(scores[:, codes[0]] - scores[:, codes[1]])))
    odds = nu * np.sqrt(p * (1 - p))
    assert row["p_a"] == pytest.approx(np.mean(p / (1 + odds)))
    assert row["p_tie_low"] == pytest.approx(np.quantile(odds / (1 + odds), 0.025))
    assert row["p_a_low"] < row["p_a"] < row["p_a_high"]


def test_predictions_of_a_date():
    rows = {
        "winner": list("abc"),
        "loser": list("bca"),
        "date": ["2024-01-01", "2024-02-01", "2024-03-01"],
    }
    ratings = po.elo(po.read(rows))
    early = po.predict(ratings, fixtures=[("a", "b")], at="2024-01-15").table["p_a"][0]
    assert early == pytest.approx(chance(100))
    with pytest.raises(ValueError, match="there are no ratings yet"):
        po.predict(ratings, fixtures=[("a", "b")], at="2023-01-01")
    presence = {
        "id": list("abc"),
        "start": ["2024-01-01", "2024-01-01", "2024-02-01"],
        "end": [""] * 3,
    }
    late = po.elo(po.read(rows, presence=presence))
    with pytest.raises(po.DataError, match='"a", "c": one or both were not rated'):
        po.predict(late, fixtures=[("a", "c")], at="2024-01-15")


@pytest.mark.parametrize(
    ("sheet", "text"),
    [
        (
            {"home": ["t0", "Tottenham"], "away": ["Arsenal", "t1"]},
            'Positions 0 and 1: "Arsenal", "Tottenham" took part in no contest',
        ),
        ({"home": ["t0"], "away": ["t0"]}, 'Position 0: both sides are "t0"'),
        ({"home": ["t0", ""], "away": ["t1", "t2"]}, 'Position 1: no name in column "home"'),
        (
            {"home": ["t0"], "away": ["t1"], "neutral": ["maybe"]},
            'Position 0: "maybe" in column "neutral" is neither yes nor no',
        ),
        ({"one": ["t0"], "two": ["t1"]}, "fixtures require two columns, home and away"),
        ({"home": [], "away": []}, "a header but no fixtures"),
    ],
)
def test_fixtures_that_are_refused(sheet, text):
    with pytest.raises(po.DataError) as caught:
        po.predict(po.elo(league(4)), fixtures=sheet)
    assert text in str(caught.value)


def test_fixtures_with_columns_of_other_names():
    sheet = pl.DataFrame({"Heim": ["t0"], "Gast": ["t1"], "date": ["2030-01-01"]})
    found = po.predict(po.elo(league(4)), fixtures=sheet, home="Heim", away="Gast")
    assert found.table["date"].to_list() == ["2030-01-01"]
    with pytest.raises(po.DataError, match='no column "Haus"'):
        po.predict(po.elo(league(4)), fixtures=sheet, home="Haus", away="Gast")


def enumerated(ratings, fixtures, points, had, k):
    """Shares of titles and mean points over all possible outcomes of a small season."""
    names = sorted({name for pair in fixtures for name in pair})
    title, total = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0)
    for outcome in itertools.product((1.0, 0.0), repeat=len(fixtures)):
        rating = {name: ratings[name] for name in names}
        tally = {name: had.get(name, 0.0) for name in names}
        weight = 1.0
        for (a, b), score in zip(fixtures, outcome, strict=True):
            p = chance(rating[a] - rating[b])
            weight *= p if score else 1 - p
            tally[a] += points[0] if score else points[2]
            tally[b] += points[2] if score else points[0]
            rating[a] += k * (score - p)
            rating[b] -= k * (score - p)
        best = [name for name in names if tally[name] == max(tally.values())]
        for name in best:
            title[name] += weight / len(best)
        for name in names:
            total[name] += weight * tally[name]
    return title, total


def test_a_small_season_by_enumeration():
    ratings = po.elo(league(5, teams=3, games=40), k=60)
    fixtures = [("t0", "t1"), ("t1", "t2"), ("t2", "t0"), ("t0", "t2")]
    had = {"t1": 1.0}
    found = po.sport.simulate_season(
        ratings,
        fixtures=fixtures,
        points=(3, 1, 0),
        standings=had,
        tie_breaks=(),
        runs=40_000,
        seed=1,
    )
    title, total = enumerated(ratings, fixtures, (3, 1, 0), had, 60)
    for row in found.table.to_dicts():
        error = math.sqrt(0.25 / 40_000)
        assert row["p_title"] == pytest.approx(title[row["individual"]], abs=4.5 * error)
        assert row["points"] == pytest.approx(total[row["individual"]], abs=0.1)
    assert found.table["p_title"].sum() == pytest.approx(1)
    shares = found.places.group_by("individual").agg(pl.col("share").sum())["share"]
    assert shares.to_list() == pytest.approx([1, 1, 1])
    held = po.sport.simulate_season(
        ratings, fixtures=fixtures, k=0, tie_breaks=(), runs=40_000, seed=1
    )
    title, _ = enumerated(ratings, fixtures, (1, 0.5, 0), {}, 0)
    for row in held.table.to_dicts():
        assert row["p_title"] == pytest.approx(title[row["individual"]], abs=0.012)


def test_seasons_repeat_on_any_number_of_threads():
    ratings = po.elo(league(6, draws=0.8), home_advantage=40)
    fixtures = list(itertools.permutations([f"t{i}" for i in range(5)], 2))
    one, two = (
        po.sport.simulate_season(ratings, fixtures=fixtures, runs=3000, seed=9, threads=n)
        for n in (1, 2)
    )
    assert one.to_dict() == two.to_dict()
    assert len(one.table) == 5  # t5 does not take part


def test_uncertain_ratings_give_less_certain_seasons():
    data = league(7, teams=4, games=30, spread=400)
    fixtures = list(itertools.permutations([f"t{i}" for i in range(4)], 2))
    glicko = po.sport.glicko(data)
    sure = po.elo(data, k=0, start=dict(zip(glicko.individuals, glicko.rating, strict=True)))
    top = [
        po.sport.simulate_season(one, fixtures=fixtures, k=0, seed=1).table["p_title"].max()
        for one in (sure, glicko)
    ]
    assert top[1] < top[0]
    post = po.sport.simulate_season(po.elo_bayes(data, seed=1), fixtures=fixtures, seed=1)
    assert post.table["p_title"].sum() == pytest.approx(1)
    contexts = po.elo(data, k={"a": 1, "b": 2, "c": 3})
    simulated = po.sport.simulate_season(contexts, fixtures=fixtures, runs=50, seed=1)
    assert "there is no single k" in simulated.summary[1]


def test_seasons_that_are_refused():
    ratings = po.elo(league(8))
    with pytest.raises(ValueError, match="three numbers, for a win"):
        po.sport.simulate_season(ratings, fixtures=[("t0", "t1")], points=(3, 1))
    with pytest.raises(po.DataError, match='standings: "t9" took part in no contest'):
        po.sport.simulate_season(ratings, fixtures=[("t0", "t1")], standings={"t9": 3})
    with pytest.raises(ValueError, match="runs=0"):
        po.sport.simulate_season(ratings, fixtures=[("t0", "t1")], runs=0)
    with pytest.raises(ValueError, match="give a finite number of at least 0"):
        po.sport.simulate_season(ratings, fixtures=[("t0", "t1")], k=-1)


def test_an_advantage_in_the_update_moves_seasons_too():
    data = league(9, teams=2, games=30, home=60)
    ratings = po.elo(data, k=200, home_advantage=300, home_in_update=True)
    found = po.sport.simulate_season(
        ratings, fixtures=[("t0", "t1")] * 4, points=(1, 0, 0), runs=60_000, seed=1
    )
    title = 0.0
    for outcome in itertools.product((1.0, 0.0), repeat=4):
        ahead, weight = ratings["t0"] - ratings["t1"], 1.0
        for score in outcome:
            p = chance(ahead + 300)
            weight *= p if score else 1 - p
            ahead += 2 * 200 * (score - p)
        title += weight * (1.0 if sum(outcome) > 2 else 0.5 if sum(outcome) == 2 else 0.0)
    by = dict(zip(found.table["individual"], found.table["p_title"], strict=True))
    assert by["t0"] == pytest.approx(title, abs=0.01)


def test_raters_by_points_predict_wins():
    """Close games: a share of points near ½ can go with a certain winner."""
    dice = np.random.default_rng(1)
    rows = {"home": [], "away": [], "home_goals": [], "away_goals": [], "neutral": []}
    for _ in range(600):
        won = dice.random() < 0.8
        for column, cell in zip(
            rows.values(), ("s", "w", 11 if won else 9, 9 if won else 11, 1), strict=True
        ):
            column.append(cell)
    ratings = po.elo(po.read(rows), k=20, outcome="points")
    found = po.predict(ratings, fixtures={"a": ["s"], "b": ["w"]})
    assert found.table["p_a"][0] == pytest.approx(0.8, abs=0.06)
    assert "expect a share of the points" in found.summary[0]
    season = po.sport.simulate_season(ratings, fixtures={"a": ["s"] * 9, "b": ["w"] * 9}, seed=1)
    assert season.table["p_title"].max() > 0.9
    assert "Ratings were held" in season.summary[1]


def test_ties_left_out_of_a_fit_have_no_probability():
    data = league(10, draws=1.0)
    found = po.predict(po.elo_ml(data, estimate="k", ties="omit"), fixtures=[("t0", "t1")])
    assert found.table["p_tie"].to_list() == [None]
    assert "left out of the fit" in found.summary[0]


def test_names_that_are_numbers_and_numbers_of_numpy():
    ratings = po.elo(po.read({"winner": [1, 2, 3, 1], "loser": [2, 3, 1, 3]}))
    found = po.sport.simulate_season(
        ratings,
        fixtures=[(1, 2)],
        standings={1: np.int64(50)},
        points=np.array([3, 1, 0]),
        k=np.float64(10),
        runs=50,
        seed=1,
    )
    assert found.table["individual"][0] == "1"
    assert found.table["p_title"][0] == 1
    with pytest.raises(ValueError, match="finite numbers"):
        po.sport.simulate_season(ratings, fixtures=[(1, 2)], standings={"1": float("inf")})


def test_only_hosts_of_fixtures_need_an_advantage():
    ratings = po.elo(po.datasets.adv())
    table = po.predict(ratings, fixtures=[("a", "b")], home_advantage={"a": 30}).table
    ahead = ratings["a"] - ratings["b"] + 30
    assert table["p_a"][0] == pytest.approx(chance(ahead))


def test_ambiguous_lists_and_columns():
    ratings = po.elo(league(11))
    for pairs in ([["t0", "t1"]], (("t0", "t1"),), [("t0", "t1")]):
        assert po.predict(ratings, fixtures=pairs).fixtures == 1
    with pytest.raises(po.DataError, match="The list of fixtures is empty"):
        po.predict(ratings, fixtures=[])
    with pytest.raises(po.DataError, match="a list of pairs"):
        po.predict(ratings, fixtures=["t0", "t1"])
    twice = {"home": ["t0"], "away": ["t1"], "neutral": [1], "neutral_site": [0]}
    with pytest.raises(po.DataError, match="several columns match neutral"):
        po.predict(ratings, fixtures=twice)


def test_certain_outcomes_and_ties():
    rows = {"winner": ["a", "a", "b"], "loser": ["b", "c", "c"], "draw": [1, 0, 1]}
    far = po.elo(po.read(rows), k=0, start={"a": 1e5, "b": 0, "c": -1e5})
    found = po.predict(far, fixtures=[("a", "b")])
    assert np.isfinite(found.nu)
    assert found.table["p_a"][0] > 0.3


def test_standings_from_a_sheet_or_the_last_season(tmp_path):
    data = league(12, games=60, draws=0.6, seasons=2)
    ratings = po.elo(data)
    fixtures = [("t0", "t1")]
    season = po.sport.simulate_season(
        ratings, fixtures=fixtures, points=(3, 1, 0), standings="season", runs=10, seed=1
    )
    had = dict.fromkeys(data.individuals, 0.0)
    for j in range(30, 60):
        a, b = data.individuals[data.winner[j]], data.individuals[data.loser[j]]
        drawn = data.draw[j]
        had[a] += 1 if drawn else 3
        had[b] += 1 if drawn else 0
    assert {k: v for k, v in season.settings["standings"].items() if v} == {
        k: v for k, v in had.items() if v
    }
    sheet = tmp_path / "standings.csv"
    sheet.write_text("team,points\nt0,7\nt1,4\n")
    for given in (sheet, pl.DataFrame({"team": ["t0", "t1"], "points": [7, 4]})):
        found = po.sport.simulate_season(
            ratings, fixtures=fixtures, standings=given, runs=10, seed=1
        )
        assert found.settings["standings"] == {"t0": 7, "t1": 4}
    plain = po.sport.simulate_season(ratings, fixtures=fixtures, runs=10, seed=1)
    assert 'standings="season"' in plain.summary[-1]
    one_season = po.elo(replace(league(12, games=60, draws=0.6), season=None))
    start = po.sport.simulate_season(one_season, fixtures=fixtures, runs=10, seed=1)
    assert 'from 0 points; standings="season" adds the points of all rated' in start.summary[-1]
    found = po.sport.simulate_season(
        one_season, fixtures=fixtures, points=(3, 1, 0), standings="season", runs=10, seed=1
    )
    table = po.sport.league_table(one_season.data, points=(3, 1, 0))
    assert found.settings["standings"] == dict(table.select("individual", "points").iter_rows())
    assert found.summary[-1] == (
        "Points so far are those of all rated contests, which have no seasons."
    )
    with pytest.raises(po.DataError, match='took part in no contest. Did you mean "t1"'):
        po.sport.simulate_season(ratings, fixtures=fixtures, standings={"t1x": 3})
    with pytest.raises(po.DataError, match="two columns, names and points"):
        po.sport.simulate_season(ratings, fixtures=fixtures, standings=pl.DataFrame({"a": ["t0"]}))

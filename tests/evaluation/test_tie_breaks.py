"""Simulated seasons order equal points by the rule of the league, with simulated scores."""

import numpy as np
import polars as pl
import pytest

import peckorder as po


def league(seed, teams=6, rounds=2, goals=True):
    """A season with scores: each pair meets at both grounds, `rounds` times."""
    random = np.random.default_rng(seed)
    strength = random.normal(0, 0.4, teams)
    rows = []
    for _ in range(rounds):
        for home in range(teams):
            for away in range(teams):
                if home != away:
                    gap = strength[home] - strength[away]
                    score = random.poisson([1.4 * np.exp(gap), 1.2 * np.exp(-gap)])
                    rows.append((f"t{home}", f"t{away}", *score.tolist(), "2024"))
    columns = ["home", "away", "home_goals", "away_goals", "season"]
    frame = pl.DataFrame(rows, schema=columns, orient="row").sample(
        fraction=1, shuffle=True, seed=seed
    )
    if not goals:
        result = pl.when(pl.col("home_goals") > pl.col("away_goals")).then(pl.col("home"))
        result = result.otherwise("away")
        frame = frame.select(
            winner=result, loser=pl.when(result == pl.col("home")).then("away").otherwise("home")
        )
    return frame


@pytest.mark.parametrize("rules", [("difference", "scored"), ("head_to_head",), ("wins", "scored")])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_finished_season_has_the_places_of_its_table(rules, seed):
    """Between newcomers to the league nothing is left to chance but their own game."""
    games = po.read(league(seed), season="season")
    table = po.sport.league_table(games, tie_breaks=rules)
    ratings = po.elo(games, k=20)
    found = po.sport.simulate_season(
        ratings,
        fixtures=[("new one", "new two")],
        newcomers=True,
        points=(3, 1, 0),
        standings="season",
        tie_breaks=rules,
        runs=400,
        seed=1,
    )
    old = table["individual"].to_list()
    place = dict(found.table.select("individual", "place").rows())
    shared = table.filter(pl.col("place").is_duplicated())["individual"].to_list()
    ahead = table.filter(pl.col("points") > 3)["individual"]  # of the newcomers
    apart = [name for name in old if name not in shared and name in set(ahead)]
    assert len(apart) >= 3
    for name in apart:
        expected = table.filter(pl.col("individual") == name)["place"][0]
        assert place[name] == pytest.approx(expected)
    assert [name for name in found.table["individual"] if name in apart] == apart


def test_the_difference_decides_instead_of_a_coin():
    games = pl.DataFrame(
        {
            "home": ["A", "B", "C", "C", "A", "B"] * 4,
            "away": ["C", "C", "A", "B", "B", "A"] * 4,
            "home_goals": [5, 1, 0, 0, 1, 1] * 4,
            "away_goals": [0, 0, 5, 1, 1, 1] * 4,
            "season": ["2024"] * 24,
        }
    )
    ratings = po.elo(po.read(games, season="season"), k=1)
    settings = {"fixtures": [("C", "A"), ("C", "B")], "standings": "season", "points": (3, 1, 0)}
    rule = po.sport.simulate_season(ratings, **settings, runs=2000, seed=1)
    coin = po.sport.simulate_season(ratings, **settings, tie_breaks=(), runs=2000, seed=1)
    title = [dict(f.table.select("individual", "p_title").rows()) for f in (rule, coin)]
    assert title[0]["A"] > title[1]["A"] + 0.1
    assert title[0]["B"] < title[1]["B"] - 0.1
    assert "Equal points are ordered by difference and scored, then at random." in rule.summary


def test_simulated_scores_are_those_of_similar_games():
    """Differences of a whole season vary as in the record it follows."""
    frame = league(5, teams=10, rounds=3)
    games = po.read(frame, season="season")
    ratings = po.dynamic(games, static=True, seed=1, samples=200)
    fixtures = frame.select("home", "away")
    found = po.sport.simulate_season(
        ratings, fixtures=fixtures, points=(3, 1, 0), runs=400, seed=1, tie_breaks=("difference",)
    )
    table = po.sport.league_table(games)
    real = dict(table.select("individual", "place").rows())
    place = dict(found.table.select("individual", "place").rows())
    names = list(real)
    known = np.corrcoef([real[n] for n in names], [place[n] for n in names])[0, 1]
    assert known > 0.9


def test_tie_breaks_that_the_record_cannot_give_are_refused():
    ratings = po.elo(po.read(league(1, goals=False)), k=20)
    with pytest.raises(po.DataError, match="no points, from which scores are simulated"):
        po.sport.simulate_season(
            ratings, fixtures=[("t0", "t1")], tie_breaks=("difference",), runs=10
        )
    found = po.sport.simulate_season(
        ratings,
        fixtures=[("t0", "t1"), ("t1", "t0")],
        tie_breaks=("head_to_head",),
        runs=200,
        seed=1,
    )
    assert found.settings["tie_breaks"] == ["head_to_head"]
    with pytest.raises(po.ArgumentError, match="difference"):
        po.sport.simulate_season(ratings, fixtures=[("t0", "t1")], tie_breaks=("coin",), runs=10)

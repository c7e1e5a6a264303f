"""Divisions, wild cards and playoffs after simulated seasons."""

import numpy as np
import polars as pl
import pytest

import peckorder as po
from peckorder.evaluation.knockout import Playoffs
from tests.evaluation.test_tie_breaks import league

TEAMS = [f"t{i}" for i in range(8)]
DIVISIONS = {team: "EW"[i % 2] for i, team in enumerate(TEAMS)}
ORDER = ["t3", "t1", "t0", "t6", "t7", "t2", "t5", "t4"]  # by points so far
AHEAD = {team: 100.0 * (8 - place) for place, team in enumerate(ORDER)}


@pytest.fixture(scope="module")
def ratings():
    return po.elo(po.read(league(1, teams=8), season="season"), preset="Games", home_advantage=80)


def season(ratings, **settings):
    """A season of one game, after which the order is that of the points so far."""
    usual = {"standings": AHEAD, "k": 0, "runs": 20_000, "seed": 3, "points": (3, 1, 0)}
    games = [("t0", "t1")]
    return po.sport.simulate_season(ratings, fixtures=games, **usual | settings)


def named(found, column):
    return dict(zip(found.table["individual"], found.table[column], strict=True))


@pytest.mark.parametrize(
    ("rules", "exact"),
    [
        ({"size": 8}, {"hosts": ORDER}),
        ({"size": 8, "hosts": 0}, {}),
        ({"size": 8, "best_of": 5}, {"hosts": ORDER, "best_of": 5}),
        ({"size": 8, "best_of": 3, "reseed": True}, {"hosts": ORDER, "best_of": 3, "reseed": True}),
        ({"size": 6}, {"hosts": ORDER}),
        ({"size": 5, "reseed": 1}, {"hosts": ORDER, "reseed": True}),
    ],
)
def test_playoffs_have_the_chances_of_the_exact_bracket(ratings, rules, exact):
    found = season(ratings, playoffs=rules)
    taken = [*ORDER[: rules["size"]], *[None] * (8 - rules["size"])]
    if not exact.get("reseed"):
        taken = [taken[i] for i in (0, 7, 3, 4, 1, 6, 2, 5)]
    table = po.sport.bracket(ratings, taken, **exact)
    for column, own in (
        ("p_round_1", "round_1"),
        ("p_round_2", "round_2"),
        ("p_champion", "title"),
    ):
        expected = dict(zip(table["individual"], table[own], strict=True))
        shares = named(found, column)
        assert {name: shares[name] for name in expected} == pytest.approx(expected, abs=0.012)
    assert found.settings["ties"] == "davidson"
    assert found.table["p_playoffs"].sum() == pytest.approx(rules["size"])
    out = set(TEAMS) - set(ORDER[: rules["size"]])
    assert all(named(found, "p_playoffs")[name] == 0 for name in out)


def test_leaders_of_divisions_come_first_then_wild_cards():
    place = np.array([[3, 0, 1, 2, 4, 5], [5, 4, 3, 2, 1, 0]])
    division = np.array([0, 1, 1, 1, 0, 1])
    rules = Playoffs.of({"size": 4}, 6, 2)
    assert rules.seeds(place, division).tolist() == [[1, 0, 2, 3], [5, 4, 3, 2]]
    two = Playoffs.of({"size": 4, "leaders": 2}, 6, 2)
    assert two.seeds(place, division).tolist() == [[1, 2, 0, 4], [5, 4, 3, 0]]
    assert rules.seeds(place, None).tolist() == [[1, 2, 3, 0], [5, 4, 3, 2]]


def test_divisions_are_won_by_their_best_and_hosts_have_their_advantage(ratings, tmp_path):
    found = season(ratings, divisions=DIVISIONS, playoffs=4, runs=4000)
    best = {"E": "t0", "W": "t3"}
    for name, share in named(found, "p_division").items():
        assert share == (1.0 if name in best.values() else 0.0)
    assert named(found, "division") == DIVISIONS
    # Leaders t3 and t0, then the best of all others.
    shares = named(found, "p_playoffs")
    assert {name for name, share in shares.items() if share == 1} == {"t3", "t0", "t1", "t6"}
    assert "the leader of each of 2 divisions and 2 wild cards" in found.summary[1]
    sheet = tmp_path / "divisions.csv"
    pl.DataFrame({"division": list(DIVISIONS.values()), "team": TEAMS}).write_csv(sheet)
    again = season(ratings, divisions=sheet, playoffs=4, runs=4000)
    assert again.table.equals(found.table)
    plain = season(ratings, runs=4000)
    columns = plain.table.columns
    assert found.table.select(columns).equals(plain.table)  # the season itself is the same


@pytest.mark.parametrize("method", ["dynamic", "bradley_terry", "glicko2"])
def test_any_rater_goes_on_to_its_playoffs(method):
    data = po.read(league(2, teams=8), season="season")
    settings = {"bradley_terry": {"penalized": True}, "dynamic": {"seed": 1}}.get(method, {})
    rate = getattr(po, method, None) or getattr(po.sport, method)
    fixtures = [(a, b) for a in TEAMS for b in TEAMS if a < b]
    found = po.sport.simulate_season(
        rate(data, **settings),
        fixtures=fixtures,
        divisions=DIVISIONS,
        playoffs={"size": 4, "best_of": 3, "reseed": 1},
        runs=500,
        seed=1,
    ).table
    sums = {"p_playoffs": 4, "p_round_1": 2, "p_champion": 1, "p_division": 2}
    for column, total in sums.items():
        assert found[column].sum() == pytest.approx(total)
    assert (found["p_champion"] <= found["p_round_1"]).all()
    assert (found["p_round_1"] <= found["p_playoffs"]).all()


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"playoffs": 9}, "size must be from 2 to 8"),
        ({"playoffs": {"sise": 4}}, 'Did you mean "size"'),
        ({"playoffs": {"size": 4, "best_of": 2}}, "best_of must be odd"),
        ({"playoffs": 3, "divisions": dict.fromkeys(TEAMS, "A") | {"t1": "B"}}, None),
        ({"playoffs": {"size": 3, "leaders": 2}, "divisions": DIVISIONS}, "size of at least 4"),
        ({"divisions": {"t0": "E"}}, "no division for .* Name the division of each side"),
    ],
)
def test_rules_that_do_not_fit_are_refused(ratings, settings, text):
    if text is None:
        assert season(ratings, runs=100, **settings).table["p_playoffs"].sum() == 3
        return
    with pytest.raises(ValueError, match=text):
        season(ratings, runs=100, **settings)

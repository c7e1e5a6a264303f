"""Standings by hand: chances of places, tie-breaks, and brackets by enumeration."""

import itertools

import numpy as np
import pytest

import peckorder as po
from tests.evaluation.leagues import league


def test_chances_of_places_are_sums():
    ratings = po.elo(league(5, teams=5), k=30)
    fixtures = list(itertools.permutations([f"t{i}" for i in range(5)], 2))
    season = po.sport.simulate_season(ratings, fixtures=fixtures, runs=500, seed=1, keep_runs=True)
    found = po.sport.finish_chances(season, title=1, playoffs=3, cup=(2, 3), down=-2)
    assert found["individual"].to_list() == season.table["individual"].to_list()
    assert found["title"].to_list() == season.table["p_title"].to_list()
    assert found["playoffs"].sum() == pytest.approx(3)
    assert (found["title"] + found["cup"]).to_list() == pytest.approx(found["playoffs"].to_list())
    assert (found["playoffs"] + found["down"]).to_list() == pytest.approx([1] * 5)
    runs = season.standings
    assert runs.shape == (500, 5)
    assert runs.sum_horizontal().to_list() == [len(fixtures)] * 500
    means = dict(zip(season.table["individual"], season.table["points"], strict=True))
    assert {name: runs[name].mean() for name in runs.columns} == pytest.approx(means)
    for wrong in (0, 6, (3, 2), "first", True):
        with pytest.raises(ValueError, match="give a place from 1 to 5"):
            po.sport.finish_chances(season, title=wrong)


GAMES = {
    "home": ["A", "B", "C", "A", "B", "D"],
    "away": ["B", "C", "A", "D", "D", "C"],
    "home_goals": [1, 4, 2, 3, 1, 0],
    "away_goals": [0, 0, 0, 0, 0, 0],
}


def places(**options):
    table = po.sport.league_table(po.read(GAMES), **options)
    return list(zip(table["place"], table["individual"], strict=True))


def test_tie_breaks_by_hand():
    # Points: A 6, B 6, C 4, D 1; goals: A 4:2, B 5:1; A beat B.
    table = po.sport.league_table(po.read(GAMES))
    by = {row["individual"]: row for row in table.to_dicts()}
    assert [by[name]["points"] for name in "ABCD"] == [6, 6, 4, 1]
    assert [by[name]["difference"] for name in "ABCD"] == [2, 4, -2, -4]
    assert (by["C"]["wins"], by["C"]["draws"], by["C"]["losses"]) == (1, 1, 1)
    assert places() == [(1, "B"), (2, "A"), (3, "C"), (4, "D")]
    assert places(tie_breaks=["head_to_head"])[:2] == [(1, "A"), (2, "B")]
    assert [place for place, _ in places(tie_breaks=[])] == [1, 1, 3, 4]
    group = po.sport.league_table(po.read(GAMES), individuals=["A", "C", "D"])
    assert group["games"].to_list() == [2, 2, 2]
    assert group["individual"][0] == "C"  # 4 points from its games with A and D
    wins = po.read({"winner": ["a", "b"], "loser": ["b", "c"]})
    assert po.sport.league_table(wins)["individual"].to_list() == ["a", "b", "c"]
    with pytest.raises(po.ArgumentTypeError, match="individuals=3: give a list"):
        po.sport.league_table(po.datasets.adv(), individuals=3)
    with pytest.raises(po.DataError, match="these contests have no points"):
        po.sport.league_table(wins, tie_breaks=["difference"])


def by_enumeration(p, size):
    """Chances to win the title by playing out all outcomes."""
    title = np.zeros(size)

    def play(left, weight):
        if len(left) == 1:
            title[left[0]] += weight
            return
        pairs = list(zip(left[::2], left[1::2], strict=True))
        for outcome in itertools.product((0, 1), repeat=len(pairs)):
            chance = weight
            for (a, b), lost in zip(pairs, outcome, strict=True):
                chance *= p[b, a] if lost else p[a, b]
            play([pair[lost] for pair, lost in zip(pairs, outcome, strict=True)], chance)

    play(list(range(size)), 1.0)
    return title


def test_brackets_by_enumeration():
    ratings = po.elo(league(5, teams=8), k=30)
    names = [f"t{i}" for i in range(8)]
    p = np.array([[ratings.probability(a, b) if a != b else 0 for b in names] for a in names])
    found = po.sport.bracket(ratings, names)
    assert found["title"].to_list() == pytest.approx(by_enumeration(p, 8).tolist())
    assert [found[name].sum() for name in ("round_1", "round_2", "title")] == pytest.approx(
        [4, 2, 1]
    )
    three = p**3 + 3 * p**2 * (1 - p)
    best = po.sport.bracket(ratings, names, best_of=3)
    assert best["title"].to_list() == pytest.approx(by_enumeration(three, 8).tolist())


def test_byes_and_what_is_refused():
    ratings = po.elo(league(5, teams=3), k=30)
    found = po.sport.bracket(ratings, ["t0", None, "t1", "t2"])
    first = dict(zip(found["individual"], found["round_1"], strict=True))
    assert first["t0"] == 1
    assert found["title"].sum() == pytest.approx(1)
    for names, text in ((["t0", "t1", "t2"], "2, 4, 8"), (["t0", "t0"], "appears twice")):
        with pytest.raises(ValueError, match=text):
            po.sport.bracket(ratings, names)
    with pytest.raises(ValueError, match="odd number"):
        po.sport.bracket(ratings, ["t0", "t1"], best_of=2)


def test_brackets_with_hosts_and_new_draws_by_enumeration():
    ratings = po.elo(league(3, teams=4, games=60), k=40, home_advantage=80)
    names = ["t0", "t1", "t2", "t3"]

    def beats(a, b, home=None):
        return ratings.probability(a, b, home=home)

    found = po.sport.bracket(ratings, ["t0", "t3", "t1", "t2"], hosts=names)
    title = dict(found.select("individual", "title").rows())
    semi = beats("t0", "t3", "t0")
    other = beats("t1", "t2", "t1")
    expected = semi * (other * beats("t0", "t1", "t0") + (1 - other) * beats("t0", "t2", "t0"))
    assert title["t0"] == pytest.approx(expected)
    assert sum(title.values()) == pytest.approx(1)
    again = po.sport.bracket(ratings, names, hosts=names, reseed=True)  # the same four games
    assert dict(again.select("individual", "title").rows()) == pytest.approx(title)
    series = po.sport.bracket(ratings, ["t0", "t3"], hosts=names, best_of=3)
    p, q = beats("t0", "t3", "t0"), beats("t0", "t3", "t3")
    two_of_three = p * p * q + p * p * (1 - q) + 2 * p * (1 - p) * q
    assert series["title"][0] == pytest.approx(two_of_three)
    with_byes = po.sport.bracket(ratings, [*names[:3], None], reseed=True)
    assert with_byes["round_1"][0] == pytest.approx(1)
    assert with_byes["title"].sum() == pytest.approx(1)
    with pytest.raises(po.ArgumentError, match='no "t3"'):
        po.sport.bracket(ratings, names, hosts=names[:3])


def test_a_new_draw_gives_the_best_the_last_that_is_left():
    ratings = po.elo(league(4, teams=8, games=200), k=40)
    names = [f"t{i}" for i in range(8)]
    found = po.sport.bracket(ratings, names, reseed=True)
    random = np.random.default_rng(1)
    wins = dict.fromkeys(names, 0)
    for _ in range(4000):
        left = list(names)
        while len(left) > 1:
            half = len(left) // 2
            games = list(zip(left[:half], left[::-1][:half], strict=True))
            won = [a if random.random() < ratings.probability(a, b) else b for a, b in games]
            left = [name for name in names if name in won]
        wins[left[0]] += 1
    for name, title in found.select("individual", "title").rows():
        assert title == pytest.approx(wins[name] / 4000, abs=0.03)

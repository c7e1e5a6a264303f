"""What Elo did in one contest: against plain Python, and in words."""

import numpy as np
import polars as pl
import pytest

import peckorder as po


def by_hand(pairs, k, start=1000.0, scale=400.0):
    """(expected, before, after, ranks before, ranks after) of every contest, in plain Python."""
    rating = dict.fromkeys(sorted({name for pair in pairs for name in pair}), start)

    def rank(name):
        above = sum(other > rating[name] for other in rating.values())
        equal = sum(other == rating[name] for other in rating.values())
        return above + (equal + 1) / 2

    for winner, loser in pairs:
        expected = 1 / (1 + 10 ** ((rating[loser] - rating[winner]) / scale))
        before = rating[winner], rating[loser]
        ranks = rank(winner), rank(loser)
        rating[winner] += k * (1 - expected)
        rating[loser] -= k * (1 - expected)
        yield expected, before, (rating[winner], rating[loser]), ranks, (rank(winner), rank(loser))


def test_every_contest_against_plain_python():
    data = po.datasets.adv()
    ratings = po.elo(data, k=200)
    history = ratings.history
    pairs = list(zip(history["winner"], history["loser"], strict=True))
    for number, step in enumerate(by_hand(pairs, 200), start=1):
        expected, before, after, ranks, later = step
        found = ratings.explain(number)
        assert found.expected == pytest.approx(expected)
        assert found.surprise == pytest.approx(1 - expected)
        assert found.moved == pytest.approx(200 * (1 - expected))
        assert found.table["before"].to_list() == pytest.approx(before)
        assert found.table["after"].to_list() == pytest.approx(after)
        assert found.table["rank_before"].to_list() == list(ranks)
        assert found.table["rank_after"].to_list() == list(later)


def test_ties_points_and_two_values_of_k():
    tie = po.read({"winner": ["a", "a"], "loser": ["b", "b"], "draw": [False, True]})
    found = po.elo(tie, k=100).explain(2)
    assert found.score == 0.5
    assert found.moved < 0  # the favorite loses by a tie
    assert found.summary[0] == "Contest 2: a and b tied."
    both = po.elo(tie, k=(100, 50)).explain(1)
    assert both.table["moved"].to_list() == [50, -25]
    assert "Had b won, a would have lost 25.0 points." in both.summary
    games = po.read({"home": ["x"], "away": ["y"], "home_score": [9], "away_score": [0]})
    assert po.elo(games, outcome="points").explain(1).score == pytest.approx(10 / 11)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"preset": "EloRating"}, "rounded to whole points"),
        ({"k": "fide"}, "by the rule of FIDE"),
        ({"within": "average"}, "averaged over the orders"),
    ],
)
def test_what_the_formula_does_not_give_is_explained(settings, words):
    dates = ["2020-01-01"] * 2 + ["2020-01-02"]
    data = po.read(
        pl.DataFrame({"date": dates, "winner": ["a", "b", "c"], "loser": ["b", "c", "a"]})
    )
    found = po.elo(data, **settings).explain(3)
    moved = np.diff(found.table.select("before", "after").to_numpy(), axis=1)[:, 0]
    assert found.table["moved"].to_list() == pytest.approx(moved.tolist())
    if settings.get("within") == "average" or "preset" in settings or settings.get("k") == "fide":
        assert any(words in sentence for sentence in found.summary), found.summary


def test_ranks_are_among_those_present():
    data = po.read(
        {
            "date": ["2020-01-01", "2020-02-01", "2020-03-01"],
            "winner": list("abc"),
            "loser": list("bcb"),
        }
    )
    stays = {"individual": list("abc"), "start": ["2020-01-01", "2020-01-01", "2020-02-01"]}
    stays["end"] = ["2020-01-15", "2020-03-01", "2020-03-01"]
    found = po.elo(data.with_presence(po.read_presence(stays))).explain(3)
    assert "(rank 2 of 2)" in found.summary[1]


def test_a_window_is_explained_by_the_whole_record():
    ratings = po.elo(po.datasets.adv(), k=200)
    part = ratings.between("2010-01-20", "2010-01-25")
    assert part.explain(21).summary == ratings.explain(21).summary


def test_wrong_requests():
    ratings = po.elo(po.datasets.adv())
    with pytest.raises(po.ArgumentError, match="numbered from 1 to 33"):
        ratings.explain(34)
    with pytest.raises(po.ArgumentError, match="at least 1"):
        ratings.explain(0)
    with pytest.raises(po.ArgumentError, match="method elo_ml"):
        po.elo_ml(po.datasets.adv(), estimate="k").explain(2)

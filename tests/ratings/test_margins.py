"""Margins by a function, corrected for favorites, and FiveThirtyEight's formula, by hand.

The formula of FiveThirtyEight is that of its article "Introducing NFL Elo ratings" (2014) and of
its published program: K = 20, 65 points at home, ln(|margin| + 1) × 2.2/(0.001 × lead of the
winner + 2.2), and one third toward 1505 between seasons.
"""

import math
import random

import numpy as np
import polars as pl
import pytest

import peckorder as po
from tests.evaluation.leagues import league

PRESET = "FiveThirtyEight"


def games(seed=1, teams=5, number=60, seasons=3):
    dice = random.Random(seed)
    rows = {"home": [], "away": [], "home_score": [], "away_score": [], "season": []}
    rows["neutral"] = []
    for j in range(number):
        a, b = dice.sample(range(teams), 2)
        own, other = dice.randint(0, 30), dice.randint(0, 30)
        if j % 11 == 0:
            other = own
        cells = f"t{a}", f"t{b}", own + a, other + a, 2001 + j * seasons // number, int(j % 7 == 0)
        for column, cell in zip(rows.values(), cells, strict=True):
            column.append(cell)
    rows["season"] = [str(year) for year in rows["season"]]
    return rows


def plain(rows, home=65.0, c=2200.0, factor=lambda gap: math.log(max(gap, 1) + 1), tie=2.2):
    """The program of FiveThirtyEight, written down from its formulas."""
    rating = dict.fromkeys([*rows["home"], *rows["away"]], 1505.0)
    chances, season = [], rows["season"][0]
    for i in range(len(rows["home"])):
        a, b = rows["home"][i], rows["away"][i]
        if rows["season"][i] != season:
            season = rows["season"][i]
            rating = {name: 1505 / 3 + 2 / 3 * value for name, value in rating.items()}
        lead = rating[a] - rating[b] + (0 if rows["neutral"][i] else home)
        p = 1 / (1 + 10 ** (-lead / 400))
        gap = rows["home_score"][i] - rows["away_score"][i]
        won = 0.5 if gap == 0 else float(gap > 0)
        k = 20 * factor(abs(gap))
        k *= tie if gap == 0 else c / (c + (lead if won else -lead))
        rating[a] += k * (won - p)
        rating[b] -= k * (won - p)
        chances.append(p if won >= 0.5 else 1 - p)
    return rating, chances


def test_worked_values_by_hand():
    """A (1600) beats B (1500) at home by 10; then C (1400) beats A at a neutral venue by 3.

    Lead 165, expected 1/(1 + 10^(−165/400)) = 0.72108; factor ln 11 × 2.2/2.365 = 2.23060; A gains
    20 × 2.23060 × 0.27892 = 12.4433. Then A leads by 212.4433, C was expected to score 0.22742;
    factor ln 4 × 2.2/(2.2 − 0.2124433) = 1.53447, and C gains 20 × 1.53447 × 0.77258 = 23.7099.
    """
    rows = {"home": ["A", "C"], "away": ["B", "A"], "home_score": [27, 20], "away_score": [17, 17]}
    start = {"A": 1600, "B": 1500, "C": 1400}
    data = po.read(rows | {"neutral": [0, 1], "season": ["2001", "2001"]})
    found = po.elo(data, preset=PRESET, start=start)
    after = found.history["winner_after"].to_list()
    assert after[0] - 1600 == pytest.approx(12.4433, abs=1e-4)
    assert after[1] - 1400 == pytest.approx(23.7099, abs=1e-4)
    assert found.history["expected"].to_list() == pytest.approx([0.72108, 0.22742], abs=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_seasons_ties_and_neutral_venues_equal_the_plain_program(seed):
    rows = games(seed)
    found = po.elo(po.read(rows), preset=PRESET)
    rating, chances = plain(rows)
    assert dict(found.items()) == pytest.approx(rating)
    assert found.foresight().win.tolist() == pytest.approx(chances)
    other = po.elo(po.read(rows), preset=PRESET, home_advantage=48)
    assert dict(other.items()) == pytest.approx(plain(rows, home=48.0)[0])


def seasons_of(seed):
    """Games of six seasons; some sides join late, pause for a season or two, or never return."""
    dice, rows = random.Random(seed), {"home": [], "away": [], "home_score": [], "away_score": []}
    rows |= {"season": [], "date": [], "neutral": []}
    playing = ("abcd", "abcde", "abce", "abcef", "acdf", "abcdefg")
    for year, sides in enumerate(playing, start=2001):
        for week in range(14):
            a, b = dice.sample(sides, 2)
            cells = a, b, dice.randint(0, 30), dice.randint(0, 30), year
            cells = *cells, f"{year}-{10 + week // 10}-{1 + 2 * (week % 10):02d}", week % 5 == 0
            for column, cell in zip(rows.values(), cells, strict=True):
                column.append(cell)
    return rows


def program(rows, start, overrides, each_season=False):
    """As in FiveThirtyEight's program, side by side: a rating is reverted when a side meets its
    next season, unless the program has a rating for it."""
    rating, last, chances = dict(start), {}, []
    years = sorted(set(rows["season"]))
    for i in range(len(rows["home"])):
        year = rows["season"][i]
        for side in (rows["home"][i], rows["away"][i]):
            rating.setdefault(side, 1505.0)
            passed = years.index(year) - years.index(last.get(side, year))
            for _ in range(passed if each_season else min(passed, 1)):
                rating[side] = 1505 / 3 + 2 / 3 * rating[side]
            if last.get(side) != year and (side, year) in overrides:
                rating[side] = overrides[side, year]
            last[side] = year
        a, b = rows["home"][i], rows["away"][i]
        lead = rating[a] - rating[b] + (0 if rows["neutral"][i] else 65)
        p = 1 / (1 + 10 ** (-lead / 400))
        gap = rows["home_score"][i] - rows["away_score"][i]
        won = 0.5 if gap == 0 else float(gap > 0)
        k = 20 * math.log(max(abs(gap), 1) + 1)
        k *= 2.2 if gap == 0 else 2200 / (2200 + (lead if won else -lead))
        rating[a] += k * (won - p)
        rating[b] -= k * (won - p)
        chances.append(p if won >= 0.5 else 1 - p)
    return rating, chances


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("each_season", [False, True])
def test_sides_that_join_pause_or_have_ratings_of_their_own(seed, each_season):
    """No side is carried over before its first game; after a pause once, or in every season."""
    rows, start = seasons_of(seed), {"a": 1600.0, "d": 1420.0, "e": 1300.0, "g": 1250.0}
    overrides = {("e", 2003): 1366.6, ("d", 2006): 1400.0}
    dated = {side: {f"{year}-10-01": rating} for (side, year), rating in overrides.items()}
    given = {"start": start, "carry_pauses": each_season}
    for overridden in (False, True):
        rating, chances = program(rows, start, overrides if overridden else {}, each_season)
        found = po.elo(
            po.read(rows), preset=PRESET, overrides=dated if overridden else None, **given
        )
        assert dict(found.items()) == pytest.approx(rating, abs=1e-9)
        assert found.foresight().win.tolist() == pytest.approx(chances, abs=1e-12)


def test_a_live_rater_carries_over_as_the_whole_record_does():
    rows = seasons_of(5)
    rater, season = po.EloRater(preset=PRESET), 2001
    for i in range(len(rows["home"])):
        if rows["season"][i] != season:
            season = rows["season"][i]
            rater.new_season()
            rater = po.EloRater.from_dict(rater.to_dict())
        a, b, points = (
            rows["home"][i],
            rows["away"][i],
            (rows["home_score"][i], rows["away_score"][i]),
        )
        winner, loser = (a, b) if points[0] >= points[1] else (b, a)
        rater.update(
            winner,
            loser,
            points=tuple(sorted(points, reverse=True)),
            home=None if rows["neutral"][i] else a,
        )
    assert rater.ratings == dict(po.elo(po.read(rows), preset=PRESET).items())


def test_overrides_are_checked():
    data = po.read(seasons_of(1))
    with pytest.raises(po.DataError, match='overrides: "z" not in the data'):
        po.elo(data, overrides={"z": {"2003-10-01": 1300}})
    with pytest.raises(po.ArgumentError, match="give ratings by name and date"):
        po.elo(data, overrides={"a": 1300})
    with pytest.raises(po.DataError, match="needs dates"):
        po.elo([("a", "b"), ("b", "c")], overrides={"a": {"2003-10-01": 1300}})


@pytest.mark.paper_data
def test_the_probabilities_that_fivethirtyeight_published(paper_file):
    """Season 2009 of the NFL, from its ratings before the first games, given to 3 decimals."""
    file = paper_file("nfl2009_538.csv")
    games, start = pl.read_csv(file), {}
    for row in games.iter_rows(named=True):
        for side in "12":
            start.setdefault(row[f"team{side}"], row[f"elo{side}"])
    data = po.read(file, home="team1", away="team2", home_points="score1", away_points="score2")
    chances = po.elo(data, preset=PRESET, start=start).foresight()
    first = np.where(games["score1"] > games["score2"], chances.win, chances.loss)
    assert len(first) == 267
    assert np.abs(first - games["elo_prob1"].to_numpy()).max() < 1e-5


def test_a_function_of_margins_with_a_correction_is_the_formula_for_basketball():
    """(margin + 3)^0.8/(7.5 + 0.006 × lead), published for the NBA, is a correction by 1250."""
    rows = games(9)
    found = po.elo(
        po.read(rows),
        preset=PRESET,
        margin=lambda gap: (gap + 3) ** 0.8 / 7.5,
        margin_correction=1250,
    )
    rating, _ = plain(rows, c=1250.0, factor=lambda gap: (gap + 3) ** 0.8 / 7.5, tie=1.0)
    assert dict(found.items()) == pytest.approx(rating)
    assert found.settings["margin"] == "function <lambda>"


def test_a_function_that_repeats_a_rule_gives_the_same_ratings():
    data = league(2)
    named = po.elo(data, margin="log")
    own = po.elo(data, margin=lambda gap: np.log1p(np.maximum(gap, 1)))
    assert (named.rating == own.rating).all()
    flat = po.elo(data, margin=lambda gap: 2.0, k=20)
    assert (flat.rating == po.elo(data, k=40).rating).all()
    halves = [po.EloRater(margin=lambda gap: np.sqrt(gap)) for _ in range(2)]
    halves[0].update_many(data)
    for j in range(len(data)):
        pair = data.individuals[data.winner[j]], data.individuals[data.loser[j]]
        halves[1].update(*pair, points=tuple(data.points[j]))
    assert halves[0].ratings == halves[1].ratings
    with pytest.raises(po.ArgumentError, match="whose margin is a function cannot be saved"):
        halves[0].to_dict()


def test_the_favorite_gains_less_and_the_factor_is_limited():
    rows = {"winner": ["a", "b"], "loser": ["b", "a"], "winner_points": [3, 3]}
    data = po.read(rows | {"loser_points": [0, 0]})
    start = {"a": 1400.0, "b": 1000.0}
    moved = po.elo(data, start=start, k=1e-9, margin="log", margin_correction=300).history
    plainly = po.elo(data, start=start, k=1e-9, margin="log").history
    gains = [(one["winner_after"] - one["winner_before"]).to_numpy() for one in (moved, plainly)]
    assert gains[0][0] / gains[1][0] == pytest.approx(300 / 700, rel=1e-2)
    assert gains[0][1] / gains[1][1] == pytest.approx(10.0, rel=1e-2)  # not 300/(−100)


def test_carried_over_toward_a_chosen_rating():
    rows = {"winner": list("aab"), "loser": list("bcc"), "season": ["1", "1", "2"]}
    found = po.elo(po.read(rows), carry_over=0.5, carry_to=1200).history
    before = found["loser_after"][0]  # b after its contest
    assert found["winner_before"][2] == pytest.approx(1200 + 0.5 * (before - 1200))
    for pauses, share in ((False, 0.5), (True, 0.25)):
        rater = po.EloRater(carry_over=0.5, carry_to=1200, carry_pauses=pauses)
        rater.update("a", "b")
        rater.new_season()
        assert rater.ratings["a"] == pytest.approx(1200 + 0.5 * (1050 - 1200))
        again = po.EloRater.from_dict(rater.to_dict())
        again.new_season()
        assert again.ratings["a"] == pytest.approx(1200 + share * (1050 - 1200))


def test_predictions_and_seasons_honor_the_preset():
    rows = games(5)
    ratings = po.elo(po.read(rows), preset=PRESET)
    fixtures = {"home": ["t0", "t1"], "away": ["t1", "t2"], "season": ["2004", "2004"]}
    more = {name: list(column) for name, column in rows.items()}
    cells = {"home": "t0", "away": "t1", "home_score": 1, "away_score": 0, "season": "2004"}
    for name, column in more.items():
        column.append(cells.get(name, 0))
    then = po.elo(po.read(more), preset=PRESET).foresight().win[-1]
    found = po.predict(ratings, fixtures=fixtures, ties="omit").table["p_a"]
    assert found[0] == pytest.approx(then)
    season = po.sport.simulate_season(ratings, fixtures=fixtures, runs=200, seed=1)
    mean = np.mean(
        [
            math.log(max(abs(a - b), 1) + 1)
            for a, b in zip(rows["home_score"], rows["away_score"], strict=True)
        ]
    )
    assert any(f"k was multiplied by {mean:.3g}" in text for text in season.summary)
    assert po.evaluate(ratings, runs=100).foresight["contests"] == 60


def test_one_simulated_season_moves_ratings_as_by_hand():
    """Points of a second fixture depend on the first through a corrected k: enumerated."""
    rows = {"winner": ["a", "a", "b"], "loser": ["b", "c", "c"], "winner_points": [2, 2, 2]}
    data = po.read(rows | {"loser_points": [0, 0, 0]})
    start = {"a": 1300.0, "b": 1000.0, "c": 900.0}
    ratings = po.elo(data, k=150, start=start, margin="log", margin_correction=400)
    fixtures = [("a", "b"), ("a", "b")]
    found = po.sport.simulate_season(ratings, fixtures=fixtures, runs=40_000, seed=2)
    k = 150 * math.log(3)
    lead = ratings["a"] - ratings["b"]
    p = 1 / (1 + 10 ** (-lead / 400))
    won, lost = (
        lead + 2 * k * (1 - p) * 400 / (400 + lead),
        lead - 2 * k * p * 400 / max(400 - lead, 40),
    )
    both = p * (1 / (1 + 10 ** (-won / 400)))
    none = (1 - p) * (1 - 1 / (1 + 10 ** (-lost / 400)))
    row = found.tables["places"].filter(individual="a", place=1)["share"][0]
    assert row == pytest.approx(both + (1 - both - none) / 2, abs=0.01)


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"margin_correction": 2200}, 'also give margin="log"'),
        ({"margin": "log", "margin_correction": 0}, "give a number above 0"),
        ({"carry_to": 1500}, "also give carry_over="),
        ({"margin": lambda gap: gap[:3]}, "must return as many numbers"),
        ({"margin": lambda gap: -gap}, "Factors must be finite and at least 0"),
        ({"margin": "cubic"}, "football"),
    ],
)
def test_what_is_refused(settings, text):
    with pytest.raises(po.ArgumentError, match=text):
        po.elo(league(1), **settings)


def test_without_seasons_the_preset_says_that_nothing_was_carried_over():
    rows = games(1)
    del rows["season"]
    found = po.elo(po.read(rows), preset=PRESET)
    assert found.settings["carry_over"] is None
    assert any("no seasons" in text for text in found.summary)
    with pytest.raises(po.DataError, match="needs points"):
        po.elo(po.datasets.adv(), preset=PRESET, home_advantage=0)


@pytest.mark.paper_data
def test_a_season_of_the_nfl(paper_file):
    data = po.read(paper_file("nfl2009.csv"))
    found = po.evaluate(po.elo(data, preset=PRESET), runs=100).foresight
    assert found["log_loss"] < math.log(2)

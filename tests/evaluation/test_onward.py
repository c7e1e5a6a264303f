"""Before the next contests: `predict` gives the foresight of contests that are appended.

Also the entry of newcomers, carry-over to new seasons, and what is refused.
"""

import random

import numpy as np
import pytest

import peckorder as po
from peckorder.evaluation.next_ratings import onward
from peckorder.evaluation.order_forecast import ratings_of
from peckorder.evaluation.season import drift_of, spread_between_seasons
from tests.evaluation.leagues import league


def sheet(seed=1, teams=6, games=90, seasons=3, dates=True):
    """Contests of several seasons, with a home side and dates."""
    dice = random.Random(seed)
    strength = [dice.gauss(0, 1) for _ in range(teams)]
    rows = {"home": [], "away": [], "home_goals": [], "away_goals": [], "season": [], "date": []}
    for j in range(games):
        a, b = dice.sample(range(teams), 2)
        won = dice.random() < 1 / (1 + np.exp(strength[b] - strength[a]))
        year = 2001 + j * seasons // games
        cells = f"t{a}", f"t{b}", int(won), int(not won), str(year), f"{year}-01-{1 + j % 28:02d}"
        for column, cell in zip(rows.values(), cells, strict=True):
            column.append(cell)
    order = np.argsort(rows["date"], kind="stable")
    out = {name: [column[i] for i in order] for name, column in rows.items()}
    if not dates:
        del out["date"]
    return out


def appended(rows, home, away, season="2004", date="2004-01-01"):
    more = {"home": home, "away": away, "home_goals": 1, "away_goals": 0}
    more |= {"season": season, "date": date}
    return {name: [*column, more[name]] for name, column in rows.items()}


RATERS = {
    "elo": lambda data: po.elo(data, k=40),
    "elo carried over": lambda data: po.elo(data, k=40, carry_over=0.6, home_advantage=30),
    "elo averaged over orders": lambda data: po.elo(data, k=40, carry_over=0.6, within="average"),
    "elo with unequal k": lambda data: po.elo(data, k=(40, 20), carry_over=0.6),
    "elo in batches": lambda data: po.elo(data, k=40, carry_over=0.6, period="week"),
    "elo by FIDE": lambda data: po.elo(data, k="fide"),
    "elo of FiveThirtyEight": lambda data: po.elo(data, preset="FiveThirtyEight"),
    "elo carried over to a rating": lambda data: po.elo(data, carry_over=0.6, carry_to=1100),
    "glicko": lambda data: po.sport.glicko(data, c=30),
    "glicko of PlayerRatings": lambda data: po.sport.glicko(data, c=30, preset="PlayerRatings"),
    "glicko2": lambda data: po.sport.glicko2(data, max_deviation=800),
    "adaptive": lambda data: po.adaptive(data, home_advantage="estimate", samples=50, seed=1),
}
# Foresight over orders is a mean of probabilities; predictions are from mean ratings.
NEARLY = {"elo averaged over orders": 1e-4}


@pytest.mark.parametrize("pair", [("t0", "t1"), ("t2", "new"), ("new", "other")])
@pytest.mark.parametrize("rater", RATERS)
def test_predictions_are_the_foresight_of_appended_contests(rater, pair):
    rows = sheet()
    then = RATERS[rater](po.read(appended(rows, *pair))).foresight().win[-1]
    fixtures = {"home": [pair[0]], "away": [pair[1]], "season": ["2004"]}
    found = po.predict(RATERS[rater](po.read(rows)), fixtures=fixtures, newcomers=True)
    assert found.table["p_a"][0] == pytest.approx(then, abs=NEARLY.get(rater, 1e-9))


def test_bradley_terry_predicts_appended_contests():
    rows = sheet()
    for pair in (("t0", "t1"), ("t2", "new")):
        extended = po.read(appended(rows, *pair))
        before = po.evaluate(po.bradley_terry(extended, penalized=True), skip=len(extended) - 1)
        row = before.table.filter(before.table["view"] == "foresight")
        fitted = po.bradley_terry(po.read(rows), penalized=True)
        found = po.predict(fitted, fixtures=[pair], newcomers=True).table["p_a"][0]
        assert -np.log(found) == pytest.approx(row["log_loss"][0], abs=1e-6)
    with pytest.raises(po.DataError, match='"new": ratings by bradley_terry are estimated'):
        po.predict(po.bradley_terry(po.read(rows)), fixtures=[("t0", "new")], newcomers=True)


@pytest.mark.parametrize("method", ["bradley_terry", "davids_score"])
@pytest.mark.parametrize("games", [30, 90, 137])
def test_orders_predict_appended_contests(method, games):
    settings = {"penalized": True} if method == "bradley_terry" else {}
    rows = sheet(games=games)
    for pair in (("t0", "t1"), ("t3", "t2")):
        longer = getattr(po, method)(po.read(appended(rows, *pair)), **settings)
        then = ratings_of(longer).foresight().win[-1]
        order = getattr(po, method)(po.read(rows), **settings)
        found = po.predict(order, fixtures=[pair]).table["p_a"][0]
        assert found == pytest.approx(then, abs=1e-7)


def test_scores_of_newcomers_are_not_defined():
    order = po.davids_score(po.read(sheet()))
    with pytest.raises(po.DataError, match="ratings by davids_score are estimated from an"):
        po.predict(order, fixtures=[("t0", "new")], newcomers=True)


@pytest.mark.parametrize("pair", [("t0", "t1"), ("t2", "new"), ("new", "t3")])
def test_posteriors_predict_appended_contests(pair):
    """1/P(contest | before) is the mean of 1/P(contest | draw) over the posterior with it."""
    rows = sheet(games=40, dates=False)
    more = appended({"date": [], **rows}, *pair)
    del more["date"]
    longer = po.elo_bayes(po.read(more), seed=1, chains=2, samples=4000)
    before = longer.course.replay.draws_at(longer.data.times[-2:-1])[0]
    ahead = before[:, longer.code(pair[0])] - before[:, longer.code(pair[1])]
    then = 1 / np.mean(1 + np.exp(-ahead))
    shorter = po.elo_bayes(po.read(rows), seed=2, chains=2, samples=4000)
    found = po.predict(shorter, fixtures=[pair], newcomers=True).table.row(0, named=True)
    assert found["p_a"] == pytest.approx(then, abs=0.02)
    assert found["p_a_low"] < found["p_a"] < found["p_a_high"]


def test_newcomers_of_posteriors_start_from_the_prior():
    data = po.read(sheet(games=40, dates=False))
    fitted = po.elo_bayes(data, sigma=0.8, seed=1, chains=2, samples=2000, scale=400)
    fixtures = [("x", "y"), ("y", "x")]
    found = po.predict(fitted, fixtures=fixtures, newcomers=True).table["p_a"]
    assert found[0] + found[1] == pytest.approx(1)  # the same draws
    assert found[0] == pytest.approx(0.5, abs=0.02)
    moved = onward(fitted, ("x", "y"))
    spread = (moved.final[:, -2] - moved.final[:, -1]).std() * np.log(10) / 400
    assert spread == pytest.approx(0.8 * np.sqrt(2), rel=0.05)
    against = (moved.final[:, -1] - fitted.final.mean(axis=1)).std() * np.log(10) / 400
    assert against == pytest.approx(0.8 * np.sqrt(1 + 1 / 6), rel=0.05)
    season = po.sport.simulate_season(fitted, fixtures=fixtures, newcomers=True, runs=300, seed=1)
    assert set(season.table["individual"]) == {"x", "y"}


@pytest.mark.parametrize("games", [60, 240])
@pytest.mark.parametrize("pair", [("t0", "t1"), ("t2", "new")])
def test_dynamic_ratings_predict_appended_contests(pair, games):
    # The drift per contest is scaled by the whole record, which the new contest changes slightly.
    rows = sheet(games=games, dates=False)
    more = appended({"date": [], **rows}, *pair)
    del more["date"]
    then = po.dynamic(po.read(more), seed=1, samples=50).foresight().win[-1]
    found = po.predict(
        po.dynamic(po.read(rows), seed=1, samples=4000), fixtures=[pair], newcomers=True
    ).table.row(0, named=True)
    assert found["p_a"] == pytest.approx(then, abs=3e-3)
    assert found["p_a_low"] < found["p_a"] < found["p_a_high"]


def test_carry_over_once_per_new_season():
    rows = sheet()
    ratings = po.elo(po.read(rows), k=40, carry_over=0.5)
    fixtures = {"home": ["t0"] * 3, "away": ["t1"] * 3, "season": ["2003", "2004", "2005"]}
    found = po.predict(ratings, fixtures=fixtures)
    ahead = ratings["t0"] - ratings["t1"]
    by_hand = [1 / (1 + 10 ** (-ahead * share / 400)) for share in (1, 0.5, 0.25)]
    assert found.table["p_a"].to_list() == pytest.approx(by_hand)
    assert any("carried over to a new season" in text for text in found.summary)
    pairs = [("t0", "t1")]
    now = po.predict(ratings, fixtures=pairs)
    assert now.table["p_a"][0] == pytest.approx(by_hand[0])
    assert any("part of the last season" in text for text in now.summary)
    later = po.predict(ratings, fixtures=pairs, new_season=True)
    assert later.table["p_a"][0] == pytest.approx(by_hand[1])


def test_newcomers_enter_by_the_entry_rule():
    rows = {"winner": list("aab"), "loser": list("bcc"), "date": [1, 2, 3]}
    presence = {"id": list("abc"), "start": [1, 1, 1], "end": ["", "", ""]}
    data = po.read(rows, presence=presence)
    for entry, rule in (("mean", np.mean), ("bottom", np.min)):
        ratings = po.elo(data, entry=entry)
        found = po.predict(ratings, fixtures=[("a", "z")], newcomers=True)
        level = rule([ratings[name] for name in "abc"])
        expected = 1 / (1 + 10 ** (-(ratings["a"] - level) / 400))
        assert found.table["p_a"][0] == pytest.approx(expected)
        rater = po.EloRater.from_ratings(ratings)
        rater.arrive("z")
        assert found.table["p_a"][0] == pytest.approx(rater.probability("a", "z"), abs=1e-15)
    assert '"z"' in found.summary[0]


def test_names_are_never_accepted_silently():
    ratings = po.elo(league(4))
    with pytest.raises(po.DataError, match="if they are newcomers, pass newcomers=True"):
        po.predict(ratings, fixtures=[("t0", "t11")])
    with pytest.raises(po.DataError, match="newcomers=True"):
        po.sport.simulate_season(ratings, fixtures=[("t0", "t11")], runs=10)
    found = po.predict(ratings, fixtures=[("t0", "t11")], newcomers=True)
    assert any('Newcomers: "t11"' in text for text in found.summary)


@pytest.mark.parametrize(
    ("seasons", "text"),
    [
        (["2004", "2003"], 'Fixtures of season "2003" follow those of season "2004"'),
        (["2004", "2005", "2004"], "Sort the fixtures by season"),
        (["2004", ""], "no season in column"),
    ],
)
def test_seasons_that_are_refused(seasons, text):
    ratings = po.elo(po.read(sheet()), carry_over=0.5)
    number = len(seasons)
    fixtures = {"home": ["t0"] * number, "away": ["t1"] * number, "season": seasons}
    with pytest.raises(po.DataError, match=text):
        po.predict(ratings, fixtures=fixtures)


def test_requests_that_contradict_each_other():
    data = po.read(sheet())
    pairs = [("t0", "t1")]
    with pytest.raises(ValueError, match="needs ratings with carry_over"):
        po.predict(po.elo(data), fixtures=pairs, new_season=True)
    carried = po.elo(data, carry_over=0.5)
    with pytest.raises(ValueError, match="Remove at="):
        po.predict(carried, fixtures=pairs, new_season=True, at="2002-01-05")
    fixtures = {"home": ["t0"], "away": ["t1"], "season": ["2003"]}
    with pytest.raises(ValueError, match="which has been rated"):
        po.predict(carried, fixtures=fixtures, new_season=True)
    with pytest.raises(po.DataError, match="estimated from an individual's own contests"):
        po.predict(po.davids_score(data), fixtures=[("t0", "z")], newcomers=True)
    two = {"home": ["t0", "t1"], "away": ["t1", "t0"], "season": ["2003", "2004"]}
    with pytest.raises(po.DataError, match="one season at a time"):
        po.sport.simulate_season(carried, fixtures=two, runs=10)


def test_simulated_seasons_start_from_carried_over_ratings():
    data = po.read(sheet())
    ratings = po.elo(data, k=60, carry_over=0.0)  # all are equal after a carry-over
    fixtures = [("t0", "t1")] * 9
    found = po.sport.simulate_season(
        ratings, fixtures=fixtures, new_season=True, k=0, runs=4000, seed=1
    )
    assert found.table["points"].to_list() == pytest.approx([4.5, 4.5], abs=0.1)
    fresh = po.sport.simulate_season(
        ratings, fixtures=[("t0", "new")], new_season=True, newcomers=True, runs=100, seed=1
    )
    assert set(fresh.table["individual"]) == {"t0", "new"}


def seasons_of(seed, teams=16, seasons=9, rounds=16, spread=0.6, carried=0.6):
    """Games of a league whose strengths keep a share of their distance from the mean."""
    random = np.random.default_rng(seed)
    strength, games = random.normal(0, spread, teams), []
    for year in range(seasons):
        new = random.normal(0, spread * np.sqrt(1 - carried**2), teams)
        strength = carried * strength + new if year else strength
        for _ in range(rounds):
            for a, b in random.permutation(teams).reshape(-1, 2):
                won = random.random() < 1 / (1 + np.exp(strength[b] - strength[a]))
                games.append((f"t{a}", f"t{b}", int(won), int(not won), 2000 + year))
    columns = zip(*games, strict=True)
    return dict(
        zip(("home", "away", "home_goals", "away_goals", "season"), map(list, columns), strict=True)
    )


def test_intervals_of_seasons_hold_the_totals():
    inside = number = 0
    for seed in range(12):
        rows = seasons_of(seed)
        last = rows["season"].index(2008)
        past = po.read({name: column[:last] for name, column in rows.items()})
        coming = {name: rows[name][last:] for name in ("home", "away", "season")}
        ratings = po.elo(past, k=20, carry_over=0.6)
        table = po.sport.simulate_season(ratings, fixtures=coming, runs=600, seed=1).table
        won = [
            rows["home" if rows["home_goals"][j] else "away"][j]
            for j in range(last, len(rows["home"]))
        ]
        for row in table.to_dicts():
            inside += row["points_low"] <= won.count(row["individual"]) <= row["points_high"]
            number += 1
    assert 0.92 < inside / number < 0.995  # 192 sides; totals are whole numbers


def test_what_is_new_in_a_season():
    ratings = po.elo(po.read(sheet()), k=40, carry_over=0.6)
    by_hand = np.sqrt((1 - 0.36) * np.var(ratings.rating))
    assert spread_between_seasons(ratings, 1) == pytest.approx(by_hand)
    assert spread_between_seasons(ratings, 9) == pytest.approx(np.std(ratings.rating), rel=1e-3)
    drift, limit = drift_of(ratings, 3)
    assert drift.tolist() == [0, 0, 0]
    assert np.isinf(limit).all()


def test_dynamic_ratings_drift_in_a_season():
    data = po.read(sheet(games=200, dates=False))
    ratings = po.dynamic(data, seed=1, samples=500)
    drift, limit = drift_of(ratings, 500)
    sigma = ratings.bank.grid.sigma[ratings.course.replay.filters]
    assert set(np.unique(limit)) <= {np.inf, *np.unique(sigma**2)}
    assert (drift >= 0).all()
    fixtures = [("t0", "t1"), ("t1", "t0")] * 20
    found = po.sport.simulate_season(ratings, fixtures=fixtures, runs=500, seed=1)
    held = po.sport.simulate_season(ratings, fixtures=fixtures, runs=500, seed=1, k=0)
    assert any("drifted during the season" in text for text in found.summary)
    assert not any("drifted" in text for text in held.summary)


def test_new_sides_are_expected_in_a_new_season():
    """Without a flag, with a note; but not names like those of rated sides, nor in this season."""
    ratings = po.elo(po.read(sheet()), preset="FiveThirtyEight")
    fixtures = {"home": ["t0", "Houston"], "away": ["Houston", "t1"], "season": ["2004", "2004"]}
    for simulated in (
        po.predict(ratings, fixtures=fixtures),
        po.sport.simulate_season(ratings, fixtures=fixtures, runs=20, seed=1),
    ):
        assert 'Newcomers: "Houston"' in " ".join(simulated.summary)
    for season in ({"season": ["2003", "2003"]}, {}):
        own = {name: fixtures[name] for name in ("home", "away")} | season
        with pytest.raises(po.DataError, match="if they are newcomers, pass newcomers"):
            po.predict(ratings, fixtures=own)
    rated = po.elo(
        po.read(
            {
                "a": ["Reds", "Blues"] * 5,
                "b": ["Blues", "Greens"] * 5,
                "a_points": [1, 0] * 5,
                "b_points": [0, 1] * 5,
                "season": ["2003"] * 10,
            }
        )
    )
    with pytest.raises(po.DataError, match="Did you mean"):
        po.predict(rated, fixtures={"a": ["Red"], "b": ["Blues"], "season": ["2004"]})

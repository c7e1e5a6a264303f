"""Tuned k and the preset for games: against po.tune, and on games with a known home advantage."""

import sys
from pathlib import Path

import numpy as np
import pytest

import peckorder as po

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
from games import league


@pytest.fixture(scope="module")
def games():
    return league(12, 1, 0.8, 0.0, seed=2)


@pytest.mark.filterwarnings("ignore::peckorder.DataWarning")
def test_tuned_k_is_that_of_tune(games):
    ratings = po.elo(games, k="tuned")
    best = po.tune(games, runs=1)
    assert ratings.settings["k"] == pytest.approx(best.table["best"][0], abs=0.1)
    assert ratings.tuned["log_loss"] == pytest.approx(best.log_loss, abs=1e-6)
    assert ratings.tuned["default_log_loss"] == pytest.approx(best.default_log_loss, abs=1e-9)
    same = po.elo(games, k=ratings.settings["k"])
    assert dict(same.items()) == pytest.approx(dict(ratings.items()))
    assert f"k = {ratings.settings['k']:.3g}: chosen to minimize the log loss" in ratings.summary[0]


@pytest.mark.filterwarnings("ignore::peckorder.DataWarning")
def test_k_and_home_advantage_together(games):
    ratings = po.elo(games, k="tuned", home_advantage="tuned", home_in_update=True)
    best = po.tune(games, over=("k", "home_advantage"), home_in_update=True, runs=1)
    assert ratings.tuned["log_loss"] == pytest.approx(best.log_loss, abs=1e-5)
    assert ratings.tuned["log_loss"] < ratings.tuned["default_log_loss"]


def test_the_preset_for_games(games):
    ratings = po.elo(games, preset="Games")
    assert ratings.settings["k"] == 40
    assert ratings.settings["home_in_update"]
    home = ratings.settings["home_advantage"]
    assert 0 < home < 150  # simulated with 61
    for other in (home - 20, home + 20):
        moved = po.elo(games, k=40, home_advantage=other, home_in_update=True)
        loss = po.evaluate(moved, runs=1).foresight["log_loss"]
        assert loss > ratings.tuned["log_loss"]
    given = po.elo(games, preset="Games", home_advantage=30, k=20)
    assert (given.settings["k"], given.settings["home_advantage"]) == (20, 30)
    assert "tuned" not in given.values
    nobody = po.elo(po.datasets.adv(), preset="Games")
    assert nobody.settings["home_advantage"] == 0


def test_games_get_advice_in_one_line(games):
    (advice,) = po.elo(games).summary
    assert 'preset="Games"' in advice
    assert advice in po.evaluate(po.elo(games), runs=1).summary
    for settings in ({"k": 30}, {"home_advantage": 50}, {"preset": "FIDE"}):
        assert po.elo(games, **settings).summary == ()
    assert po.elo(po.datasets.adv()).summary == ()


def test_what_cannot_be_tuned(games):
    with pytest.raises(po.DataError, match="who was at home"):
        po.elo(po.datasets.adv(), home_advantage="tuned")
    with pytest.raises(po.DataError, match="at least 20 contests in a known order"):
        po.elo(po.datasets.adv().take(np.arange(10)), k="tuned")
    with pytest.raises(ValueError, match="cannot be combined with k_column"):
        po.elo(games, k="tuned", k_column="weight")


@pytest.mark.paper_data
def test_nfl_games(paper_file):
    """The first half of the season chooses; the second half is predicted."""
    data = po.read(paper_file("nfl2009.csv"))
    half = len(data) // 2
    past = data.take(np.arange(half))

    def loss(**settings):
        return po.evaluate(po.elo(data, **settings), skip=half, runs=1).foresight["log_loss"]

    def learned(**settings):
        found = po.elo(past, **settings).settings
        return {name: found[name] for name in ("k", "home_advantage", "home_in_update")}

    default = loss()
    games = loss(**learned(preset="Games"))
    tuned = loss(**learned(k="tuned", home_advantage="tuned", home_in_update=True))
    assert games < default - 0.01
    assert tuned < default - 0.01

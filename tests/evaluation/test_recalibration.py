"""Recalibration: the slope against a plain search, and no look into the future."""

import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import peckorder as po
from peckorder.evaluation.recalibration import (
    moments,
    past_slopes,
    recalibrated_foresight,
    slope_of,
    stretched,
)
from peckorder.results.chances import Chances

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
from games import league


def contests(seed, number=400, factor=2.0):
    """Log-odds that are too bold by a factor, and scores."""
    random = np.random.default_rng(seed)
    true = random.normal(0, 1, number)
    return factor * true, (random.random(number) < 1 / (1 + np.exp(-true))).astype(float)


@pytest.mark.parametrize("factor", [0.5, 1.0, 2.0])
def test_slope_is_that_of_a_plain_search(factor):
    odds, score = contests(1, factor=factor)

    def loss(slope):
        p = 1 / (1 + np.exp(-slope * odds))
        fit = -(score * np.log(p) + (1 - score) * np.log(1 - p)).sum()
        return fit + (slope - 1) ** 2 / (2 * 0.5**2)

    best = minimize_scalar(loss, bounds=(0, 5), method="bounded", options={"xatol": 1e-8}).x
    assert slope_of(odds, score) == pytest.approx(best, abs=1e-5)
    assert best == pytest.approx(1 / factor, abs=0.4)


def test_no_contests_leave_the_slope_at_one():
    assert slope_of(np.zeros(0), np.zeros(0)) == 1.0
    assert slope_of(np.zeros(5), np.ones(5)) == 1.0


def test_slopes_depend_on_the_past_only():
    odds, score = contests(2)
    counts = np.ones(len(odds), bool)
    before = past_slopes(odds, score, counts)
    assert before[0] == 1.0
    later = score.copy()
    later[200:] = 1 - later[200:]
    assert (past_slopes(odds, later, counts)[:200] == before[:200]).all()
    assert (past_slopes(odds, later, counts)[300:] != before[300:]).all()
    assert before[-1] == pytest.approx(0.5, abs=0.15)


def test_stretched_chances_keep_ties_and_the_favorite():
    chances = Chances(
        np.array([0.6, 0.2]), np.array([0.2, 0.5]), np.array([1.0, -1.0]), np.array([0.2, 0.3])
    )
    half = stretched(chances, 0.5, 1e-15)
    assert half.win + half.loss == pytest.approx(chances.win + chances.loss)
    assert half.win / half.loss == pytest.approx(np.sqrt(chances.win / chances.loss))
    same = stretched(chances, 1.0, 1e-15)
    assert same.win == pytest.approx(chances.win)


def test_bold_chances_are_named_and_repaired():
    """In a static league, the default k follows every outcome."""
    data = league(20, 1, 0.6, 0.0, seed=1)
    ratings = po.elo(data)
    plain, better = (po.evaluate(ratings, runs=10, calibrate=c) for c in (False, True))
    assert better.foresight["log_loss"] < plain.foresight["log_loss"]
    assert any("too bold (calibration slope" in text for text in plain.summary)
    assert any("Foresight is recalibrated" in text for text in better.summary)
    assert plain.hindsight == better.hindsight
    slopes = [po.calibration(ratings, calibrate=c) for c in (False, True)]
    assert slopes[0].value < 0.75
    assert slopes[0].value < slopes[1].value
    assert "calibrate=True" in slopes[0].summary[0]
    with pytest.raises(ValueError, match="learns from earlier contests"):
        po.calibration(ratings, view="hindsight", calibrate=True)


def test_predictions_are_drawn_toward_one_half():
    data = league(20, 1, 0.6, 0.0, seed=1)
    ratings = po.elo(data)
    fixtures = {"home": ["t0", "t1"], "away": ["t2", "t3"]}
    plain, better = (po.predict(ratings, fixtures=fixtures, calibrate=c) for c in (False, True))
    odds = [np.log(x.table["p_a"] / x.table["p_b"]).to_numpy() for x in (plain, better)]
    assert odds[1] == pytest.approx(better.factor * odds[0])
    slope = po.calibration(ratings).value  # without a prior
    assert slope < better.factor < 0.8
    assert f"calibration slope {slope:.2f}," in plain.summary[-1]
    assert f"Log-odds were multiplied by {better.factor:.2f}" in better.summary[-1]
    assert "drawn toward 1" in better.summary[-1]
    points = po.elo(data, outcome="points", k=30)
    with pytest.raises(ValueError, match="cannot be used with ratings by points"):
        po.predict(points, fixtures=fixtures, calibrate=True)


def plain_slopes(odds, score):
    """A slope before each contest, by a search over the contests before the last moment."""
    out = []
    for j in range(len(odds)):
        last = [at for at in moments(len(odds)) if at <= j][-1]

        def loss(slope, own=slice(0, last)):
            fit = np.log1p(np.exp(-np.where(score[own] == 1, 1, -1) * slope * odds[own])).sum()
            return fit + (slope - 1) ** 2 / (2 * 0.5**2)

        best = minimize_scalar(loss, bounds=(0, 5), method="bounded", options={"xatol": 1e-9})
        out.append(best.x)
    return out


def test_slopes_equal_a_plain_search_over_strictly_earlier_contests():
    odds, score = contests(5, number=130)
    found = past_slopes(odds, score, np.ones(130, bool))
    assert found.tolist() == pytest.approx(plain_slopes(odds, score), abs=1e-5)


RATERS = {
    "elo": lambda data: po.elo(data, k=100),
    "glicko": po.sport.glicko,
    "adaptive": lambda data: po.adaptive(data, seed=1, samples=20),
}


@pytest.mark.parametrize("rater", RATERS)
def test_future_contests_never_change_recalibrated_chances(rater):
    """A record of any length gives the beginning of the longer one, bit by bit."""
    data = league(20, 1, 0.6, 0.0, seed=3)
    whole = RATERS[rater](data)
    then = recalibrated_foresight(whole, whole.foresight()).win
    for number in (1, 2, 60, 101, 133, 207, 300):
        part = RATERS[rater](data.take(np.arange(number)))
        now = recalibrated_foresight(part, part.foresight()).win
        assert now == pytest.approx(then[:number], abs=1e-12)
    assert np.abs(then - whole.foresight().win).max() > 0.01


def test_recalibrated_predictions_are_those_of_the_contest_appended():
    data = league(20, 1, 0.6, 0.0, seed=4)
    for number in (40, 150, 211):
        ratings = po.elo(data.take(np.arange(number)), k=100)
        longer = po.elo(data.take(np.arange(number + 1)), k=100)
        pair = [data.individuals[side[number]] for side in (data.winner, data.loser)]
        found = po.predict(ratings, fixtures=[tuple(pair)], calibrate=True, ties="omit")
        home = po.predict(
            ratings, fixtures={"a": pair[:1], "b": pair[1:]}, calibrate=True, ties="omit"
        )
        then = recalibrated_foresight(longer, longer.foresight()).win[-1]
        assert home.table["p_a"][0] == pytest.approx(then)
        assert found.table["p_a"][0] == pytest.approx(then)  # no home advantage


def test_models_are_compared_with_and_without_recalibration(inside, tmp_path):
    data = league(20, 1, 0.6, 0.0, seed=1)
    ratings = po.elo(data)
    models = {"plain": ratings, "recalibrated": ratings}
    found = po.compare_models(models, calibrate=["recalibrated"], runs=100)
    scores = dict(zip(found.table["model"], found.table["score"], strict=True))
    for name, calibrate in (("plain", False), ("recalibrated", True)):
        loss = po.evaluate(ratings, runs=10, calibrate=calibrate).foresight["log_loss"]
        assert scores[name] == pytest.approx(-loss * len(data))
    assert found.highest == "recalibrated"
    assert any('"recalibrated": log-odds were multiplied' in text for text in found.summary)
    with pytest.raises(ValueError, match="is not a name of a model"):
        po.compare_models(models, calibrate=["other"])
    data.to_table().select("winner", "loser").write_csv(tmp_path / "games.csv")
    texts = ("--model", "--k 100", "--model", "--k 100 --calibrate")
    done = inside("compare-models", "games.csv", *texts, "--runs", "50")
    assert done.returncode == 0, done.stderr
    assert b'"--k 100 --calibrate": log-odds were multiplied' in done.stdout

"""Several ratings in one pass, against one rating after the other."""

import math

import numpy as np
import polars as pl
import pytest

import peckorder as po
from peckorder.evaluation import evaluate
from peckorder.evaluation.evaluate import FOLDS, folds, left_out
from peckorder.ratings import elo
from peckorder.ratings.elo import finals_without, foresight_of_several, shareable


@pytest.fixture
def short(monkeypatch):
    """Contests that count as a long record, with many ties of ratings and large differences."""
    monkeypatch.setattr(elo, "LONG", 10)
    random = np.random.default_rng(1)
    winner = random.integers(12, size=3000)
    loser = (winner + random.integers(1, 12, size=3000)) % 12
    swap = random.random(3000) < 0.5 * (loser < winner)
    first, second = np.where(swap, loser, winner), np.where(swap, winner, loser)
    return po.read(pl.DataFrame({"winner": first.astype(str), "loser": second.astype(str)}))


def replay_of(data, **settings):
    return po.elo(data, **settings).course.replay


@pytest.mark.parametrize("first", [0, 7, 2999])
def test_sums_of_several_settings_are_those_of_each(short, first):
    replays = [replay_of(short, k=k) for k in (0.0, 1.0, 40.0, 200.0, 690.0)]
    replays += [replay_of(short, k=40, scale=30), replay_of(short, k=0.5, curve="exponential")]
    found = foresight_of_several(replays, first, 1e-15)
    for sums, replay in zip(found, replays, strict=True):
        assert sums == pytest.approx(replay.foresight_sums(first, 1e-15), rel=1e-11)


def test_ratings_without_each_fold_are_those_of_each(short):
    replay, fold = replay_of(short, k=80), folds(len(short))
    found = finals_without(replay, fold, FOLDS)
    for number in range(FOLDS):
        expected = replay.final_without(np.flatnonzero(fold == number))
        assert found[:, number] == pytest.approx(expected, rel=1e-12)


def test_what_is_left_out_does_not_depend_on_the_way(short, monkeypatch):
    ratings = po.elo(short, k=80)
    together = left_out(ratings)
    monkeypatch.setattr(evaluate, "shareable", lambda replay: False)
    apart = left_out(ratings)
    assert together is not None
    assert apart is not None
    places = np.array([5, 17, 2000])
    assert together(places).ahead == pytest.approx(apart(places).ahead, rel=1e-10)
    assert together(slice(None)).win == pytest.approx(apart(slice(None)).win, rel=1e-10)


@pytest.mark.parametrize("difference", [0.0, 1e-9, 3.7, -250.0, 1e5, -1e5])
def test_the_exponential_is_that_of_the_library(difference):
    """One contest at a difference of ratings: the winner gains k(1 − p)."""
    rating = np.zeros((2, elo.LANES))
    rating[0] = difference
    slope = np.geomspace(1e-4, 1.0, elo.LANES)
    sides = np.zeros(1, np.int32), np.ones(1, np.int32)
    before = rating.copy()
    elo.rate_in_lanes(*sides, slope, np.ones(elo.LANES), np.full(1, -1, np.int8), 1e-15, rating)
    for lane in range(elo.LANES):
        exponent = max(min(-slope[lane] * difference, 700.0), -700.0)
        expected = 1.0 - 1.0 / (1.0 + math.exp(exponent))
        assert rating[0, lane] - before[0, lane] == pytest.approx(expected, rel=1e-9, abs=1e-10)


def test_what_cannot_share_a_pass(short, monkeypatch):
    assert shareable(replay_of(short))
    assert shareable(replay_of(short, curve="exponential"))
    for settings in (
        {"curve": "normal"},
        {"curve": "table"},
        {"k": (100, 50)},
        {"k": 700},  # differences in the last bit would grow
        {"k": "fide"},
        {"preset": "EloRating"},
        {"burn_in": (10, 200)},
        {"entry": "bottom"},
    ):
        assert not shareable(replay_of(short, **settings)), settings
    monkeypatch.setattr(elo, "LONG", 5000)
    assert not shareable(replay_of(short))


def test_tuning_of_a_long_record_is_that_of_a_short_one(short, monkeypatch):
    together = po.tune(short, runs=10)
    monkeypatch.setattr(elo, "LONG", 5000)
    apart = po.tune(short, runs=10)
    for column in ("best", "low", "high"):
        assert together.table[column][0] == pytest.approx(apart.table[column][0], rel=5e-3)
    assert together.log_loss == pytest.approx(apart.log_loss, rel=1e-7)

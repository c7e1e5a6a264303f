"""Optimism of hindsight: a plain version, the study in small, and the words."""

import sys
from pathlib import Path

import numpy as np
import pytest

import peckorder as po
from peckorder.evaluation.evaluate import FOLDS, folds, left_out

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
from hindsight import one


def test_folds_hold_all_contests_in_runs():
    for number in (20, 33, 400):
        fold = folds(number)
        assert len(fold) == number
        assert set(fold) == set(range(FOLDS))
        assert np.bincount(fold).max() - np.bincount(fold).min() <= 20


def test_left_out_by_a_plain_loop():
    data = po.datasets.adv()
    chances = left_out(po.elo(data, k=200))
    assert chances is not None
    found = chances(slice(None))
    fold = folds(len(data))
    for number in range(FOLDS):
        rating = dict.fromkeys(range(len(data.individuals)), 1000.0)
        for i, (a, b) in enumerate(zip(data.winner.tolist(), data.loser.tolist(), strict=True)):
            step = 200 * (1 - 1 / (1 + 10 ** ((rating[b] - rating[a]) / 400)))
            if fold[i] != number:
                rating[a], rating[b] = rating[a] + step, rating[b] - step
        for i in np.flatnonzero(fold == number):
            a, b = int(data.winner[i]), int(data.loser[i])
            assert found.ahead[i] == pytest.approx(rating[a] - rating[b])


def test_cross_validation_tells_the_truth():
    """The study in small: hindsight explains more than it would if outcomes were drawn again."""
    found = np.array([one(12, 120, 0.0, 100, seed) for seed in range(30)]).mean(axis=0)
    share, again, cross_validated = found
    assert share > again + 0.03
    assert cross_validated == pytest.approx(again, abs=0.02)


def test_evaluate_says_it():
    found = po.evaluate(po.elo(po.datasets.adv(), k=200), runs=10)
    left = found.hindsight["share_left_out"]
    assert found.hindsight["optimism"] == pytest.approx(found.hindsight["share"] - left)
    (said,) = [text for text in found.summary if "Hindsight is optimistic" in text]
    assert f"were explained in {left:.1%} (10-fold cross-validation; optimism" in said
    few = po.evaluate(po.elo(po.datasets.adv().take(np.arange(10))), runs=10)
    assert "optimism" not in few.hindsight
    fide = po.evaluate(po.elo(po.datasets.adv(), preset="FIDE"), runs=10)
    assert "optimism" not in fide.hindsight
    assert any("Hindsight is optimistic" in text for text in fide.summary)


def test_equal_ratings_have_no_favorite():
    found = po.evaluate(po.elo(po.datasets.adv(), k=0), runs=10)
    assert found.summary[0] == (
        "Foresight: both sides had equal ratings in all 33 decided contests, so none has a "
        "favorite."
    )
    assert not any("0.0%" in text for text in found.summary[:2])

"""Scores in pieces, against those of all contests at once."""

import numpy as np
import pytest

import peckorder as po
from peckorder.evaluation.scoring import Judged, Totals


@pytest.fixture(scope="module")
def data():
    return po.simulate.hierarchy(8, 700, seed=1)[1]


def test_totals_of_pieces_are_those_of_all_contests(data, monkeypatch):
    monkeypatch.setattr("peckorder.evaluation.scoring.PIECE", 64)
    ratings = po.elo(data)
    judged = Judged.of(ratings, ratings.foresight().part, np.nan)  # equal ratings do not count
    places = np.arange(3, 700, 2)
    for own in (slice(None), slice(13, None), places):
        scores, found = judged.scores(own), judged.totals(own)
        for i, column in enumerate((scores.correct, scores.log_loss, scores.brier)):
            known = column[~np.isnan(column)]
            assert found.counts[i] == len(known)
            assert found.sums[i] == pytest.approx(known.sum(), rel=1e-12)
            error = known.std(ddof=1) / np.sqrt(len(known))
            assert found.errors()[i] == pytest.approx(error, rel=1e-10)
        assert found.contests == len(scores.correct)
        assert found.equal == scores.equal.sum()
        assert found.counts[0] + found.equal == found.contests
    assert judged.totals(slice(None)).equal > 0


def test_nothing_adds_nothing(data):
    ratings = po.elo(data)
    one = Judged.of(ratings, ratings.foresight().part, 0.0).totals(slice(None))
    for both in (Totals.none().with_more(one), one.with_more(Totals.none())):
        assert both.errors() == pytest.approx(one.errors(), rel=1e-14)
        assert (both.sums == one.sums).all()


def test_evaluation_in_pieces_is_that_of_the_whole(data, monkeypatch):
    """Many pieces, normal intervals, and chances in hindsight that are not stored."""
    monkeypatch.setattr("peckorder.evaluation.scoring.MOST_CONTESTS", 0)
    whole = po.evaluate(po.elo(data), skip=11)
    monkeypatch.setattr("peckorder.evaluation.scoring.PIECE", 64)
    pieces = po.evaluate(po.elo(data), skip=11)
    assert pieces.foresight == pytest.approx(whole.foresight, rel=1e-12)
    assert pieces.hindsight == pytest.approx(whole.hindsight, rel=1e-12)

"""What predicts best here, in the report."""

import pytest

import peckorder as po
from peckorder.reporting.analysis import analyze
from peckorder.reporting.sections import add_prediction, prediction
from peckorder.reporting.view import View
from tests.ratings.test_adaptive import simulated


def found_of(data, methods):
    found = analyze(
        View.of(data, None, None, None),
        methods=methods,
        k=None,
        preset=None,
        ties="omit",
        runs=20,
        recovery=False,
        seed=1,
        threads=1,
        progress=None,
    )
    add_prediction(found)
    return found


def test_the_report_compares_predictions():
    data = po.read(simulated(1, contests=120))
    found = found_of(data, ("elo", "dynamic", "adaptive"))
    assert set(found.prediction.as_polars()["model"]) == {
        *("adaptive ratings", "dynamic ratings", "Elo", "Glicko")
    }
    expected = po.compare_models(
        {
            "adaptive ratings": po.adaptive(data, seed=1),
            "dynamic ratings": po.dynamic(data, seed=1),
            "Elo": po.elo(data),
            "Glicko": po.sport.glicko(data),
        },
        seed=1,
    )
    assert found.prediction.as_polars()["score"].to_list() == pytest.approx(
        expected.as_polars()["score"].to_list()
    )
    text = " ".join(str(part) for part in prediction(found))
    assert "Winning a contest" in text
    assert "prediction-table" in text
    assert "coefficients-table" in text


def test_ties_are_compared_among_ratings_that_model_them():
    found = found_of(
        po.read(simulated(2, contests=80, tie_share=0.3)), ("elo", "dynamic", "adaptive")
    )
    assert set(found.prediction.as_polars()["model"]) == {"adaptive ratings", "dynamic ratings"}


def test_without_an_order_there_is_no_section():
    found = found_of(unordered(), ("adaptive", "davids_score"))
    assert found.prediction is None
    assert "the order of these contests is not known" in found.notes["adaptive"]
    assert prediction(found) == ()
    assert prediction(found_of(po.datasets.adv(), ("elo",))) == ()


def unordered():
    return po.read({"winner": ["a", "b", "a"], "loser": ["b", "c", "c"], "count": [4, 3, 2]})

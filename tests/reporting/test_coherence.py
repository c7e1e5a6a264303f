"""Statements of a report that must agree: change, stability, steepness, and the choice of k."""

import numpy as np
import polars as pl
import pytest

import peckorder as po
from peckorder.reporting import findings
from peckorder.reporting.analysis import Analysis, analyze
from peckorder.reporting.findings import (
    Change,
    hindsight_words,
    repeatability_words,
    stability_words,
    steepness_now,
    steepness_sentences,
)
from peckorder.reporting.view import View
from peckorder.results.samples import slopes, summed_chances


def found(data, methods=("elo", "dynamic", "davids_score"), **settings) -> Analysis:
    view = View.of(data, None, None, None)
    how = {"k": None, "preset": None, "ties": "omit", "runs": 200, "recovery": 0}
    out = analyze(view, methods=methods, seed=1, threads=1, progress=None, **(how | settings))
    findings.add_profile(out)
    return out


@pytest.fixture(scope="module")
def takeover():
    """The lowest of six takes over after 60% of 400 contests."""
    random = np.random.default_rng(3)
    rows = []
    for i in range(400):
        strength = np.linspace(1.5, -1.5, 6)
        if i > 240:
            strength[-1] = 3.0
        a, b = random.choice(6, 2, replace=False)
        first = random.random() < 1 / (1 + np.exp(strength[b] - strength[a]))
        rows.append(("ABCDEF"[a if first else b], "ABCDEF"[b if first else a]))
    table = pl.DataFrame(rows, ["winner", "loser"], orient="row")
    return found(po.read(table), ("elo", "dynamic", "randomized_elo", "davids_score"))


def test_test_and_model_on_change_are_reported_as_one_statement():
    assert Change(None, None).sentences == []
    assert Change(0.4, 0.2).sentences == [
        "there is no evidence that ranks changed during the study (order-dependence test, "
        "p = 0.4; log Bayes factor +0.2)"
    ]
    both = Change(0.004, 5.0).sentences
    assert len(both) == 1
    assert both[0].startswith("there is evidence that ranks changed")
    one, why = Change(0.004, -2.0).sentences
    assert "does not explain it clearly" in one
    assert "within bouts" in why
    one, why = Change(0.4, 5.0).sentences
    assert "but the order-dependence test does not (p = 0.4)" in one
    assert "changes of distance" in why
    assert Change(None, 5.0).sentences == [
        "there is evidence that ranks changed during the study (log Bayes factor +5.0)"
    ]


def test_a_takeover_is_called_one_everywhere(takeover):
    assert Change.of(takeover).by_test
    assert Change.of(takeover).by_model
    stable = stability_words(takeover)
    assert "not how far" in stable
    assert takeover.stability.values["value"] > 0.95
    share = takeover.randomized.values["repeatability"]
    assert (repeatability_words(takeover) is None) == (share <= 0.8)
    views = takeover.evaluation.values
    fewer = views["hindsight"]["share"] < views["foresight"]["share"]
    assert (hindsight_words(takeover) is not None) == fewer


def test_steepness_at_the_end_is_that_of_the_final_ratings(takeover):
    now = steepness_now(takeover)
    assert now.value == pytest.approx(slopes(summed_chances(takeover.dynamic.final)).mean())
    first, second, *_ = steepness_sentences(takeover)
    assert first.startswith(f"steepness at the end of the study is {now.value:.2f}")
    assert "if the ratings of the 6 individuals did not change" in second


def test_a_low_slope_of_scores_has_its_reason():
    data = po.read({"winner": list("abcdeabcd"), "loser": list("bcdefbcde")})
    texts = steepness_sentences(found(data))
    assert any("dyads with no decided contest (10 of 15) count as equal" in t for t in texts)


def test_the_profile_of_k_is_that_of_elo_ratings():
    data = po.datasets.adv()
    result = found(data, k=150.0)
    table = result.profile.as_polars()
    for row in (0, 20, 60):
        k = float(table["k"][row])
        rated = po.elo(data, k=k).foresight().win
        assert table["value"][row] == pytest.approx(np.log(rated).sum(), abs=1e-9)
    assert findings.marks(result) == {"k used": 150.0, "default": 100.0}
    text = " ".join(findings.sentences(result))
    assert text.startswith("Elo ratings used k = 150: log loss 0.")
    assert "This k is compatible with the data." in text
    wrong = found(po.read({"winner": list("ab") * 40, "loser": list("ba") * 40}), k=390.0)
    assert "The data favor a smaller k than the one used." in findings.sentences(wrong)


def test_no_profile_where_k_is_not_one_number():
    result = found(po.datasets.adv(), k=(100, 50))
    assert result.profile is None
    assert findings.sentences(result) == []
    assert findings.marks(result) == {"default": 100.0}


def test_the_posterior_has_k_on_the_scale_of_elo():
    result = found(po.datasets.adv(), ("elo", "elo_bayes"))
    known = findings.posterior_k(result)
    slope = result.elo.curve.slope
    assert known["value"] == pytest.approx(result.posterior.values["k"].value / slope)
    assert "posterior mean" in findings.marks(result)

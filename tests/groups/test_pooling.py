"""Partial pooling, against plain integration and by simulation with known means."""

import math

import numpy as np
import polars as pl
import pytest

import peckorder as po
from peckorder.groups.pooling import pooled
from tests.many_groups import table

# Estimates and standard errors of eight schools (Rubin 1981; Gelman et al. 2013, table 5.2).
SCHOOLS = np.array([28.0, 8, -3, 7, -1, 1, 18, 12])
ERRORS = np.array([15.0, 10, 16, 11, 9, 11, 10, 18])
NO_CLASSES = np.zeros(8, int)


def plain_posterior(value, error, taus):
    """Mean of μ and of τ by summation over τ, term by term."""
    total = mean_sum = tau_sum = 0.0
    for tau in taus:
        weights = [1 / (s * s + tau * tau) for s in error]
        mean = sum(w * y for w, y in zip(weights, value, strict=True)) / sum(weights)
        log_density = -0.5 * math.log(sum(weights)) + sum(
            0.5 * math.log(w) - 0.5 * w * (y - mean) ** 2
            for w, y in zip(weights, value, strict=True)
        )
        density = math.exp(log_density)
        total += density
        mean_sum += density * mean
        tau_sum += density * tau
    return mean_sum / total, tau_sum / total


def test_against_plain_summation():
    found = pooled(SCHOOLS, ERRORS, NO_CLASSES, seed=1, draws=200_000)
    mean, tau = plain_posterior(SCHOOLS, ERRORS, np.arange(0.05, 180, 0.1))
    assert found.means.mean() == pytest.approx(mean, abs=0.05)
    assert found.tau.mean() == pytest.approx(tau, abs=0.1)


def test_the_eight_schools_of_the_textbook():
    """Gelman et al. 2013, table 5.3: posterior medians and 95% intervals, of 200 draws."""
    found = pooled(SCHOOLS, ERRORS, NO_CLASSES, seed=1)
    published = [10, 8, 7, 8, 5, 6, 10, 8]
    assert np.median(found.values, axis=0) == pytest.approx(published, abs=1.6)
    low, high = np.quantile(found.values[:, 0], [0.025, 0.975])
    assert low == pytest.approx(-2, abs=2)
    assert high == pytest.approx(31, abs=3)


def test_precise_estimates_stay_and_equal_ones_are_pooled():
    value = np.array([0.2, 0.5, 0.9, 0.4])
    sharp = pooled(value, np.full(4, 1e-4), np.zeros(4, int), seed=1)
    assert sharp.values.mean(axis=0) == pytest.approx(value, abs=1e-3)
    vague = pooled(np.full(12, 0.5), np.full(12, 0.2), np.zeros(12, int), seed=1)
    assert vague.tau.mean() < 0.15
    assert vague.values.std(axis=0).max() < 0.2


def test_intervals_of_mean_and_difference_contain_the_truth():
    """A small twin of benchmarks/pooling.py: the model's own data, so that 95% is expected."""
    rng = np.random.default_rng(1)
    hits = {"mean": 0, "difference": 0}
    runs = 300
    classes = np.repeat([0, 1], 8)
    for run in range(runs):
        error = rng.uniform(0.03, 0.15, 16)
        truth = np.array([0.5, 0.65])[classes] + rng.normal(0, 0.08, 16)
        found = pooled(truth + rng.normal(0, error), error, classes, seed=run, draws=2_000)
        low, high = np.quantile(found.means[:, 0], [0.025, 0.975])
        hits["mean"] += low < 0.5 < high
        low, high = np.quantile(found.means[:, 1] - found.means[:, 0], [0.025, 0.975])
        hits["difference"] += low < 0.15 < high
    for number in hits.values():
        assert number / runs == pytest.approx(0.955, abs=0.04)


@pytest.fixture(scope="module")
def study():
    measures = {"steepness_bayes": {"fair_coins": 0}, "linearity": {"runs": 100}}
    return po.study(po.read(table()), measures=measures, executor=1, seed=1)


def test_steepness_over_groups(study):
    found = study.pooled("steepness_bayes")
    assert found.value.low < found.value < found.value.high
    assert found.table.columns == ["group", "value", "sd", "pooled", "pooled_low", "pooled_high"]
    spread = found.table["pooled"].std()
    assert spread < found.table["value"].std()
    assert found.summary[0].startswith("Steepness (posterior): mean over 6 groups")
    assert "computed from 180 contests" in found.cite()
    assert found.to_dict()["result"]["number"] == 6
    assert study.pooled("steepness_bayes", value="sigma").value > 0


def test_classes_of_a_second_sheet(study):
    sheet = pl.DataFrame({"group": [f"g{i}" for i in range(6)], "species": ["a", "b"] * 3})
    found = study.pooled("steepness_bayes", covariates=sheet, between="species")
    assert found.means["class"].to_list() == ["a", "b"]
    row = found.differences.row(0, named=True)
    means = found.means["mean"]
    assert row["difference"] == pytest.approx(means[0] - means[1])
    assert 0 <= row["probability"] <= 1
    assert "a minus b" in found.summary[0]


def test_what_cannot_be_pooled(study):
    with pytest.raises(po.DataError, match="pooling needs at least 3"):
        study.pooled("linearity")
    with pytest.raises(po.ArgumentError, match="Choose one of"):
        study.pooled("steepness")
    with pytest.raises(po.ArgumentError, match='"sigma"'):
        study.pooled("steepness_bayes", value="k")
    with pytest.raises(po.ArgumentError, match="between 0 and 1"):
        study.pooled("steepness_bayes", level=95)

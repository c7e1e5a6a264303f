"""Differences of many raters at once: plain versions, level in small, and blocks in time."""

import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peckorder.evaluation.scoring import all_differences, block_length, in_blocks
from peckorder.random_runs import Runs

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
from model_choice import called, log_scores

RUNS = Runs.of(199, 1, 1, None)


@given(st.integers(1, 400))
def test_blocks_hold_every_contest_once(number):
    values = np.random.default_rng(number).normal(size=(number, 2))
    block = block_length(number)
    sums = in_blocks(values, block)
    assert sums.sum(axis=0) == pytest.approx(values.sum(axis=0))
    counts = in_blocks(np.ones((number, 1)), block)[:, 0]
    assert np.ptp(counts) <= 1
    assert len(counts) == 1 or counts.min() >= 1


def test_differences_and_errors_by_a_plain_loop():
    points = np.random.default_rng(3).normal(size=(120, 3))
    found = all_differences(points, RUNS)
    blocks = in_blocks(points, block_length(120))
    for i, j in combinations(range(3), 2):
        gap = blocks[:, j] - blocks[:, i]
        assert found.total[i, j] == pytest.approx(points[:, j].sum() - points[:, i].sum())
        assert found.error[i, j] == pytest.approx(gap.std(ddof=1) * np.sqrt(len(gap)))
        assert found.total[j, i] == -found.total[i, j]
        low, high = found.limits(i, j, 0.95)
        assert (low + high) / 2 == pytest.approx(found.total[i, j])


def test_largest_t_by_a_plain_bootstrap():
    """Another bootstrap, in plain numpy, gives the same critical value up to chance."""
    points = np.random.default_rng(5).normal(size=(200, 4))
    found = all_differences(points, Runs.of(4000, 2, 1, None))
    blocks = in_blocks(points, block_length(200))
    random, largest = np.random.default_rng(8), []
    pairs = list(combinations(range(4), 2))
    each = np.column_stack([blocks[:, j] - blocks[:, i] for i, j in pairs])
    each = each - each.mean(axis=0)
    for _ in range(4000):
        again = each[random.integers(len(each), size=len(each))]
        error = again.std(axis=0, ddof=1) * np.sqrt(len(each))
        largest.append(np.abs(again.sum(axis=0) / error).max())
    assert np.quantile(found.largest, 0.95) == pytest.approx(np.quantile(largest, 0.95), rel=0.04)


def test_p_and_interval_agree():
    points = np.random.default_rng(6).normal(size=(150, 4)) + np.array([0, 0, 0.2, 0.5])
    found = all_differences(points, RUNS)
    for i, j in combinations(range(4), 2):
        low, high = found.limits(i, j, 0.95)
        assert (low > 0 or high < 0) == (found.p(i, j) <= 0.05)


def test_more_raters_widen_the_intervals():
    points = np.random.default_rng(7).normal(size=(150, 8))
    two, eight = (all_differences(points[:, :n], RUNS) for n in (2, 8))
    assert np.ptp(eight.limits(0, 1, 0.95)) > 1.2 * np.ptp(two.limits(0, 1, 0.95))


def test_identical_raters_have_no_difference():
    points = np.random.default_rng(7).normal(size=(40, 1)) * np.ones((1, 3))
    found = all_differences(points, RUNS)
    assert found.p(0, 2) == 1.0
    assert found.limits(0, 2, 0.95) == (0.0, 0.0)
    assert all_differences(points[:1], RUNS).p(0, 1) == 1.0


def test_the_best_of_eight_equal_raters_is_rarely_called_better():
    """The study in small: without a correction more than a third of records, with it few."""
    found = [called(log_scores("equal", 100, seed), seed, runs=199) for seed in range(60)]
    plain, corrected, _ = np.mean(found, axis=0)
    assert plain > 0.35
    assert corrected <= 0.1
    found = [called(log_scores("one better", 1000, seed), seed, runs=199) for seed in range(8)]
    assert np.mean(found, axis=0)[2] == 1.0

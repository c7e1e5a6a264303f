"""Odds to probabilities: by hand, by identities, and by an independent iteration for Shin."""

import math

import numpy as np
import pytest

import peckorder as po


def plain_shin(odds):
    """Shin's probabilities by the fixed-point iteration of Jullien & Salanié (1994)."""
    inverse = [1 / price for price in odds]
    total = sum(inverse)
    z = 0.0
    for _ in range(20_000):
        roots = [math.sqrt(z * z + 4 * (1 - z) * p * p / total) for p in inverse]
        z = (sum(roots) - 2) / (len(odds) - 2)
    return [(root - z) / (2 * (1 - z)) for root in roots]


def test_proportional_by_hand():
    # 2/3 + 1/4 + 1/8 = 25/24
    assert po.sport.chances_from_odds([1.5, 4, 8]) == pytest.approx([0.64, 0.24, 0.12])


@pytest.mark.parametrize("odds", [[1.5, 4, 8], [2.1, 3.3, 3.6], [1.05, 12, 30], [3, 3, 3, 3, 9]])
def test_shin_by_an_independent_iteration(odds):
    found = po.sport.chances_from_odds(odds, method="shin")
    assert found == pytest.approx(plain_shin(odds), abs=1e-9)
    assert found.sum() == pytest.approx(1, abs=1e-12)
    plain = po.sport.chances_from_odds(odds)
    assert found[np.argmin(odds)] >= plain[np.argmin(odds)]  # less margin on the favorite
    assert found[np.argmax(odds)] < plain[np.argmax(odds)]


def test_shin_of_two_outcomes_takes_half_the_margin_from_each():
    # 0.8 and 0.25, with a margin of 0.05
    found = po.sport.chances_from_odds([[1.25, 4.0], [1.9, 1.9]], method="shin")
    assert found == pytest.approx(np.array([[0.775, 0.225], [0.5, 0.5]]))


def test_without_a_margin_both_methods_agree():
    fair = [[4, 4, 2], [2.5, 2.5, 6.0]]  # the second row adds up to less than 1
    plain = po.sport.chances_from_odds(fair)
    assert po.sport.chances_from_odds(fair, method="shin")[0] == pytest.approx([0.25, 0.25, 0.5])
    assert plain.sum(axis=1) == pytest.approx([1, 1])


@pytest.mark.parametrize(
    ("odds", "text"),
    [
        ([2.0, 0.9], "numbers above 1, not 0.9"),
        ([2.0, float("nan")], "numbers above 1, not nan"),
        ([2.0], "at least two outcomes"),
        (["evens", 2.0], "Odds must be numbers"),
    ],
)
def test_odds_that_are_refused(odds, text):
    with pytest.raises(ValueError, match=text):
        po.sport.chances_from_odds(odds)

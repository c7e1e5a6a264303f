"""The parametric bootstrap of elo_ml: plain versions, level and coverage in small, and words."""

import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import peckorder as po
from peckorder.curves import Exponential
from peckorder.random_runs import Runs, p_value
from peckorder.ratings.likelihood import fitted, observe
from peckorder.ratings.ml_bootstrap import (
    Bootstrap,
    World,
    gain_over,
    nested_models,
    spread_of_starts,
    with_scores,
)
from peckorder.ratings.settings import EloSettings

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
from common import as_data, elo_contests

SETTINGS = EloSettings(start=0.0, k=0.0, curve=Exponential(1.0))


def record(seed, size=5, number=50, k=0.3, sigma=0.3):
    return as_data(*elo_contests(number, size, k, sigma, np.random.default_rng(seed))[:2])


def fit_of(data):
    return fitted(observe(data), SETTINGS, ("k", "start"), np.inf)


def twin_likelihood(difference, won, lost):
    p = 1 / (1 + np.exp(-difference))
    return p**won * (1 - p) ** lost


def test_records_keep_pairs_and_their_order():
    seen = observe(record(1))
    world = World(np.zeros(5), 1.0, np.array([0.3, 0.0]), 0.0, 0.0)
    again = world.record(seen, np.uint64(5), 0)
    before = np.sort(np.stack([seen.contests.first, seen.contests.second]), axis=0)
    after = np.sort(np.stack([again.contests.first, again.contests.second]), axis=0)
    assert (before == after).all()
    assert (again.contests.first != seen.contests.first).any()
    assert (again.data.winner == again.contests.first).all()
    same = world.record(seen, np.uint64(5), 0)
    assert (same.contests.first == again.contests.first).all()


def test_home_sides_and_ties_go_with_the_outcomes():
    games = pl.DataFrame(
        {
            "home": ["a", "b", "a"],
            "away": ["b", "a", "b"],
            "home_points": [1, 1, 0],
            "away_points": [0, 1, 2],
        }
    )
    seen = observe(po.read(games), home=True)
    again = with_scores(seen, np.array([0.0, 1.0, 0.5]))
    names = np.array(again.data.individuals)
    assert names[again.contests.first].tolist() == ["b", "b", "b"]
    assert again.contests.home.tolist() == [-1, 1, -1]
    assert again.contests.draw.tolist() == [False, False, True]


def test_outcomes_follow_the_recursion():
    """The share of wins of one side over many records is the chance of a plain recursion."""
    seen = observe(po.read({"winner": ["a", "a"], "loser": ["b", "b"]}))
    world = World(np.array([0.5, -0.5]), None, np.array([0.8, 0.0]), 0.0, 0.0)
    second = [world.record(seen, np.uint64(1), run).contests.first[1] == 0 for run in range(4000)]
    p = 1 / (1 + np.exp(-1.0))
    won, lost = (1 / (1 + np.exp(-(1.0 + 2 * 0.8 * step))) for step in (1 - p, -p))
    expected = p * won + (1 - p) * lost
    assert np.mean(second) == pytest.approx(expected, abs=4 * np.sqrt(0.25 / 4000))


def test_spread_of_starts_maximizes_the_integrated_likelihood():
    """Two individuals: the integral over their difference is done on a grid."""
    data = as_data(np.array([0] * 9 + [1] * 3), np.array([1] * 9 + [0] * 3))
    whole = fit_of(data).whole

    d = np.linspace(-12, 12, 4001)  # the difference of two N(0, spread) scores
    like = twin_likelihood(d, won=9, lost=3)

    def integrated(spread):
        prior = np.exp(-(d**2) / (4 * spread**2)) / (spread * np.sqrt(4 * np.pi))
        return np.trapezoid(like * prior, d)

    grid = np.exp(np.linspace(np.log(0.1), np.log(5), 60))
    best = grid[np.argmax([integrated(spread) for spread in grid])]
    assert spread_of_starts(whole, 0.0) == pytest.approx(best, rel=0.15)


def test_p_is_the_share_of_simulated_gains():
    fit = fit_of(record(2))
    runs = Runs.of(19, 3, 1, None)
    (one,) = nested_models(fit, only="k, equal starts")
    world = World.of(fit.whole, one.problem, one.x)
    assert world.spread is None
    gains = []
    for run in range(19):
        again = fitted(world.record(fit.seen, runs.key(), run), SETTINGS, fit.estimate, np.inf)
        gains += [gain_over(again, own) for own in nested_models(again, only="k, equal starts")]
    expected = p_value(np.array(gains) >= gain_over(fit, one) - 1e-9)
    assert Bootstrap(fit, runs).p_of_model(one) == expected


@pytest.mark.slow
def test_the_interval_holds_the_values_that_are_not_rejected():
    data, told = record(3), []
    fit = po.elo_ml(data, bootstrap=19, seed=4, threads=2, progress=lambda *at: told.append(at))
    own = Bootstrap(fit_of(data), Runs.of(19, 4, 1, None))  # threads do not matter
    assert fit.models[2]["p"] == own.p_of_model(nested_models(own.fit, only="starts, k = 0")[0])
    assert fit.k_low == 0
    assert own.p_of_k(0, 0.8 * fit.k_high) > 0.05
    assert own.p_of_k(0, fit.k_high) <= 0.05
    assert fit.aic is None
    assert fit.seed == 4
    assert f"(95% bootstrap CI 0–{fit.k_high:.3g})" in fit.summary[0]
    assert "p-values compare the gain with that in 19 records" in " ".join(fit.summary)
    assert told[-1][0] == told[-1][1]
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_without_starts_the_bootstrap_tests_and_the_profile_stays():
    data = record(5)
    fit, plain = (
        po.elo_ml(data, estimate="k", **own) for own in ({"bootstrap": 19, "seed": 1}, {})
    )
    assert fit.k_high == plain.k_high
    assert fit.models[1]["p"] in {number / 20 for number in range(1, 21)}
    assert fit.aic == plain.aic


@pytest.mark.slow
def test_the_true_k_is_kept_where_the_profile_loses_it():
    """The study in small: the profile interval misses k in all of these records."""
    from elo_ml_claims import rejections

    found = [rejections("interval of k", 12, 120, 0.3, 1.0, seed, runs=39) for seed in range(3)]
    by_theory, by_bootstrap = np.mean(found, axis=0)
    assert by_theory == 1.0
    assert by_bootstrap <= 0.34


def test_records_that_cannot_be_fitted_are_left_out(monkeypatch):
    fit, calls = fit_of(record(3)), []

    def sometimes(*arguments):
        calls.append(arguments)
        if len(calls) % 2:
            raise po.DataError("no finite maximum")
        return fitted(*arguments)

    monkeypatch.setattr("peckorder.ratings.ml_bootstrap.fitted", sometimes)
    own = Bootstrap(fit, Runs.of(19, 1, 1, None))
    (one,) = nested_models(fit, only="k, equal starts")
    p = own.p_of_model(one)
    assert own.failed == 10
    assert p in {number / 10 for number in range(1, 11)}

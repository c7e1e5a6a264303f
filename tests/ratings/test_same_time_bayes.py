"""The posterior mean of k with the orders of contests of a time stamp integrated out."""

import math

import numpy as np
import polars as pl
import pytest

import peckorder as po
from peckorder.data.same_time import random_order, stamp_numbers
from peckorder.ratings.elo_bayes import DRAWS, ORDERS

ROWS = [
    (1, "a", "b"),
    (1, "b", "c"),
    (1, "c", "a"),
    (2, "a", "c"),
    (2, "a", "b"),
    (3, "b", "c"),
    (3, "b", "a"),
    (3, "c", "b"),
]


def table(rows):
    return pl.DataFrame(
        {
            "date": [f"2026-01-{row[0]:02d}" for row in rows],
            "winner": [row[1] for row in rows],
            "loser": [row[2] for row in rows],
        }
    )


def replayed(rows, start, k):
    """Log-likelihood and final scores: the recursion on the natural scale."""
    score, total = dict(start), 0.0
    for _, winner, loser in rows:
        chance = 1 / (1 + math.exp(score[loser] - score[winner]))
        total += math.log(chance)
        score[winner] += k * (1 - chance)
        score[loser] -= k * (1 - chance)
    return total, list(score.values())


@pytest.mark.parametrize("fixed", [None, 0.4])
def test_posterior_means_are_weighted_by_the_likelihood_of_orders(fixed):
    post = po.elo_bayes(po.read(table(ROWS)), seed=1, k=fixed)
    keep = np.linspace(0, post.samples["k"].size - 1, DRAWS).astype(int)
    ks = post.samples["k"].ravel()[keep]
    starts = post.samples["start"].reshape(-1, 3)[keep]
    stamp = stamp_numbers(np.array([row[0] for row in ROWS]))
    orders = [[ROWS[j] for j in random_order(stamp, i)] for i in range(ORDERS)]
    weights, values, finals, usual = [], [], [], []
    for k, start in zip(ks, starts, strict=True):
        own = dict(zip(post.individuals, start, strict=True))
        likelihood, final = replayed(ROWS, own, k)
        usual.append(final)
        for rows in orders:
            other, final = replayed(rows, own, k)
            weights.append(math.exp(other - likelihood))
            values.append(k)
            finals.append(final)
    rating = np.average(finals, weights=weights, axis=0)
    assert list(post.rating_orders.values()) == pytest.approx(rating.tolist())
    largest = np.abs(rating - np.mean(usual, axis=0)).max()
    assert f"mean ratings by up to {largest:.2g}" in post.summary[-1]
    assert post.summary[-2].startswith("8 of 8 contests share a time stamp")
    if fixed is None:
        mean = np.average(values, weights=weights)
        assert post.k_orders == pytest.approx(mean)
        assert f"posterior mean of k by {abs(mean - ks.mean()):.2g}, " in post.summary[-1]
    else:
        assert "k_orders" not in post.values


def test_a_static_hierarchy_does_not_depend_on_order():
    post = po.elo_bayes(po.read(table(ROWS)), k=0, seed=1, warmup=200, samples=500)
    assert "k_orders" not in post.values
    assert not any("time stamp" in sentence for sentence in post.summary)


@pytest.mark.filterwarnings("ignore::peckorder.errors.ConvergenceWarning")
def test_final_ratings_of_totals_are_those_of_the_course():
    """Also with arrivals and departures, and ratings relative to those present."""
    data = po.datasets.adv().with_presence("inferred")
    how = {"samples": 50, "warmup": 50, "chains": 1, "centering": "present"}
    replay = po.elo_bayes(data, seed=1, **how).course.replay
    assert (replay.contests.event_at > 0).any()
    total, final = replay.own_totals()
    assert total == pytest.approx(replay.log_likelihood().sum(axis=1), abs=1e-9)
    assert final == pytest.approx(replay.final, abs=1e-9)

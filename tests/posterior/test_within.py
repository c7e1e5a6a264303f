"""The posterior mean of k with the orders of contests of a time stamp integrated out."""

import math

import numpy as np
import polars as pl
import pytest

import peckorder as po
from peckorder.data.stamps import random_order, stamp_numbers
from peckorder.posterior.within import DRAWS, ORDERS

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


def log_likelihood(rows, start, k):
    """The recursion on the natural scale, contest by contest."""
    score, total = dict(start), 0.0
    for _, winner, loser in rows:
        chance = 1 / (1 + math.exp(score[loser] - score[winner]))
        total += math.log(chance)
        score[winner] += k * (1 - chance)
        score[loser] -= k * (1 - chance)
    return total


def test_posterior_mean_of_k_is_weighted_by_the_mean_likelihood_of_orders():
    post = po.elo_bayes(po.read(table(ROWS)), seed=1)
    keep = np.linspace(0, post.draws["k"].size - 1, DRAWS).astype(int)
    ks = post.draws["k"].ravel()[keep]
    starts = post.draws["start"].reshape(-1, 3)[keep]
    stamp = stamp_numbers(np.array([row[0] for row in ROWS]))
    orders = [[ROWS[j] for j in random_order(stamp, i)] for i in range(ORDERS)]
    weights = []
    for k, start in zip(ks, starts, strict=True):
        own = dict(zip(post.individuals, start, strict=True))
        usual = log_likelihood(ROWS, own, k)
        weights.append(sum(math.exp(log_likelihood(rows, own, k) - usual) for rows in orders))
    assert post.k_orders == pytest.approx(np.average(ks, weights=weights))
    assert f"the posterior mean of k is {post.k_orders:.3g} instead of" in post.summary[-1]
    assert post.summary[-2].startswith("8 of 8 contests share a time stamp")


def test_a_static_hierarchy_does_not_depend_on_order():
    post = po.elo_bayes(po.read(table(ROWS)), k=0, seed=1, warmup=200, samples=500)
    assert "k_orders" not in post.values
    assert not any("time stamp" in sentence for sentence in post.summary)

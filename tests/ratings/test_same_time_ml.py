"""The estimate of k in random orders of contests that share a time stamp."""

import numpy as np
import polars as pl
import pytest

import peckorder as po
from peckorder.data.same_time import random_order, stamp_numbers
from peckorder.ratings.elo_ml import ORDERS

ROWS = [
    (day, *(pair if (day * 7 + i * 3) % 5 else pair[::-1]))
    for day in range(1, 9)
    for i, pair in enumerate([("a", "b"), ("b", "c"), ("a", "d"), ("c", "d")])
]


def table(rows, context=False):
    columns = {
        "date": [f"2026-01-{row[0]:02d}" for row in rows],
        "winner": [row[1] for row in rows],
        "loser": [row[2] for row in rows],
    }
    if context:
        columns["context"] = ["fight" if "a" in row else "chase" for row in rows]
    return pl.DataFrame(columns)


def in_orders(rows, **settings):
    """Fits to the same contests in other orders, without dates."""
    stamp = stamp_numbers(np.array([row[0] for row in rows]))
    for i in range(ORDERS):
        other = [rows[j] for j in random_order(stamp, i)]
        yield po.elo_ml(po.read(table(other, "k" in settings).drop("date")), **settings).k


def test_range_of_k_is_that_of_fits_to_reordered_contests():
    found = po.elo_ml(po.read(table(ROWS)), estimate="k")
    each = list(in_orders(ROWS, estimate="k"))
    assert found.k_orders == pytest.approx((min(each), max(each)), abs=1e-4)
    assert found.k_orders[0] < found.k_orders[1]
    assert f"k is between {min(each):.3g} and {max(each):.3g}." in found.summary[-1]
    assert found.summary[-2].startswith("32 of 32 contests share a time stamp")


@pytest.mark.slow
def test_range_of_k_by_context_and_after_a_burn_in():
    found = po.elo_ml(po.read(table(ROWS, True)), estimate="k", k="context")
    each = list(in_orders(ROWS, estimate="k", k="context"))
    for name, (low, high) in found.k_orders.items():
        own = [one[name] for one in each]
        assert (low, high) == pytest.approx((min(own), max(own)), abs=1e-4)
    burnt = po.elo_ml(po.read(table(ROWS)), estimate="k", burn_in=(6, 0.5))
    each = list(in_orders(ROWS, estimate="k", burn_in=(6, 0.5)))
    assert burnt.k_orders == pytest.approx((min(each), max(each)), abs=1e-4)


def test_nothing_is_said_where_order_does_not_matter():
    undated = po.elo_ml(po.read(table(ROWS).drop("date")), estimate="k")
    static = po.elo_ml(po.read(table(ROWS)), estimate="start")
    for fit in (undated, static):
        assert "k_orders" not in fit.values
        assert not any("time stamp" in sentence for sentence in fit.summary)
    fixed = po.elo_ml(po.read(table(ROWS)), estimate="start", k=0.3)
    assert "order of the file" in fixed.summary[-1]

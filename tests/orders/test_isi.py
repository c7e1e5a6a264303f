"""I&SI orders: proved optimal, counted, and averaged, against enumeration of all orders."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peckorder as po
from peckorder.orders import linear_extensions as module
from tests import oracle
from tests.examples import examples
from tests.matrices import by_name, matrix, transposed, wins

SPARSE = wins(most=6, highest=1)


def quiet(data, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", po.DataWarning)
        return po.isi(data, **settings)


def test_adv_has_three_optimal_orders():
    order = po.isi(po.datasets.adv())
    assert (order.value, order.strength, order.orders) == (1, 2, 3)
    assert order.proved
    assert order.orders_exact
    assert order.lower_bound == {"value": 1, "strength": 2}
    assert order.inconsistent == [{"winner": "e", "loser": "g", "rank_difference": 2}]
    assert by_name(order, "mean_rank") == pytest.approx([1, 2, 5, 3, 5, 5, 7])
    assert order["b"] == 1


def test_bonobos_have_two(software):
    known = software["I&SI optimum by full search"]["bonobos"]
    order = po.isi(po.datasets.bonobos())
    assert (order.value, order.strength) == (known["I"], known["SI"])
    assert order.orders == known["optimal_orders"] == 2
    assert order.summary[1] == "There are 2 optimal orders; mean_rank is the mean over all of them."


@examples(200)
@given(SPARSE)
def test_search_through_all_orders(table):
    inconsistencies, strength, orders = oracle.isi(table)
    found = quiet(matrix(table))
    assert (found.value, found.strength) == (inconsistencies, strength)
    assert found.orders == len(orders)
    assert by_name(found, "mean_rank") == pytest.approx(oracle.isi_mean_ranks(orders))
    names = found.individuals
    assert list(found) == [names[i] for i in oracle.isi_representative(table, orders)]
    assert len(found.inconsistent) == inconsistencies
    assert sum(row["rank_difference"] for row in found.inconsistent) == strength


@given(SPARSE, st.randoms())
def test_relabelling_permutes_and_transposing_reverses(table, rng):
    found = quiet(matrix(table))
    turned = quiet(matrix(transposed(table)))
    assert (turned.value, turned.strength, turned.orders) == (
        found.value,
        found.strength,
        found.orders,
    )
    mean = np.array(by_name(found, "mean_rank"))
    assert by_name(turned, "mean_rank") == pytest.approx(len(table) + 1 - mean)
    order = rng.sample(range(len(table)), len(table))
    moved = quiet(matrix([[table[i][j] for j in order] for i in order]))
    assert by_name(moved, "mean_rank") == pytest.approx(mean[order])


def test_a_record_that_falls_apart_is_told():
    with pytest.warns(po.DataWarning, match=r"2 sets of individuals .*: \{a, b\}; \{c, d\}"):
        order = po.isi(matrix([[0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]]))
    assert order.orders == 6


def test_somebody_without_contests_can_stand_anywhere():
    """It multiplies the orders by the gaps outside of components, here one cycle of three."""
    table = np.zeros((4, 4), int)
    table[0, 1] = table[1, 2] = table[2, 0] = 1
    order = quiet(matrix(table))
    assert (order.value, order.strength, order.orders) == (1, 2, 6)


def test_numbers_of_any_size():
    alone = np.zeros((24, 24), int)
    alone[0, 1] = 1
    assert quiet(matrix(alone)).orders == math.factorial(24) // 2
    ring = np.zeros((24, 24), int)  # one above 22 above one, and back: a single component
    ring[0, 1:23] = ring[1:23, 23] = 1
    ring[23, 0] = 1
    order = po.isi(matrix(ring))
    assert order.orders == math.factorial(22) > 2**64
    assert (order.value, order.strength) == (1, 23)
    assert by_name(order, "mean_rank") == pytest.approx([1, *[12.5] * 22, 24])
    many = np.zeros((60, 60), int)
    many[0, 1:] = 1
    found = po.isi(matrix(many, names=map(str, range(60))))
    assert found.orders == math.factorial(59)
    assert found.orders_exact


def test_numbers_too_long_to_write_are_bounds(monkeypatch):
    from peckorder.orders import isi

    monkeypatch.setattr(isi, "MOST_ORDERS", 10**20)
    alone = np.zeros((24, 24), int)
    alone[0, 1] = 1
    told = quiet(matrix(alone))
    assert told.orders == 10**20
    assert not told.orders_exact
    assert "at least 1.000 × 10^20" in told.summary[1]


def test_three_ways_to_count_orders_agree():
    """Parts put together, whole numbers, all subsets; and a random walk for the places."""
    rng = np.random.default_rng(1)
    for size in (6, 9, 12):
        above = np.triu(rng.random((size, size)) < 0.25, 1)
        weight = rng.integers(1, 4, size).astype(float)
        must = [sum(1 << int(i) for i in np.flatnonzero(column)) for column in above.T]
        whole = module._by_whole_numbers(must, weight)
        subsets = module._by_subsets(must, weight)
        together = module.extensions(above, weight)
        assert together.number == whole[0] == subsets[0]
        assert together.exact
        assert subsets[2] == pytest.approx(whole[2])
        assert together.before == pytest.approx(whole[2].sum(axis=1))
        number, place, heavy, exact = module._by_walk(above, weight, 0)
        assert 1 <= number <= whole[0]
        assert not exact
        assert place.sum(axis=0) == pytest.approx(np.ones(size))
        assert heavy.sum(axis=1) == pytest.approx(whole[2].sum(axis=1), abs=0.06)


def test_beyond_exact_counting_the_number_is_a_bound(monkeypatch):
    """30 of whom each is above those three places on: one piece; with little room, at least."""
    size = 30
    table = np.triu(np.ones((size, size), int), 3)
    names = [str(i) for i in range(size)]
    exact = po.isi(matrix(table, names=names))
    assert exact.orders_exact
    monkeypatch.setattr(module, "FEW_SETS", 10)
    bound = po.isi(matrix(table, names=names), seed=0)
    assert bound.proved
    assert not bound.orders_exact
    assert 1 < bound.orders <= exact.orders
    assert "at least" in bound.summary[1]
    assert "random walks" in bound.summary[1]
    assert bound.seed == 0
    assert by_name(bound, "mean_rank") == pytest.approx(by_name(exact, "mean_rank"), abs=0.3)
    monkeypatch.setattr(module, "TRUSTED", 0.0)
    assert by_name(po.isi(matrix(table, names=names)), "mean_rank") == [None] * size


def test_a_component_of_more_than_24_is_searched(clock):
    """The best order found, a bound, and "not proven optimal"; other mean ranks remain."""
    rng = np.random.default_rng(3)
    size = 31
    table = np.zeros((size, size), int)
    for i in range(size - 1):
        for j in range(i + 1, size - 1):
            if rng.random() < 0.4 or j == i + 1:
                table[i, j] = 1
    table[0, size - 2], table[size - 2, 0] = 0, 1  # the second to last above the first: one cycle
    table[: size - 1, size - 1] = 1  # all others dominate the last
    order = po.isi(matrix(table, names=map(str, range(size))), time_limit=30.0, seed=1)
    assert not order.proved
    assert order.lower_bound["value"] <= order.value <= 1
    assert order.lower_bound["strength"] is None
    assert not order.orders_exact
    assert "not proven optimal" in order.summary[0]
    assert by_name(order, "mean_rank")[-1] == size
    assert by_name(order, "mean_rank")[0] is None
    assert order.seed == 1
    assert (
        po.isi(matrix(table, names=map(str, range(size))), time_limit=3.0, seed=2**100).seed
        == 2**100
    )
    assert order.to_dict()["result"]["proved"] is False


def test_draws_can_make_ties():
    """b and c have ties only: both orders are optimal."""
    table = [[0, 2, 1], [1, 0, 0], [0, 0, 0]]
    drawn = [[0, 0, 0], [0, 0, 3], [0, 3, 0]]
    for rule in ("omit", "half", "both"):
        assert po.isi(matrix(table, drawn), ties=rule).orders == 2
    assert po.linearity(matrix(table, drawn)).unknown == 1
    assert po.linearity(matrix(table, drawn), ties="half").tied == 1


def test_bad_arguments():
    for limit in (-1, "long", float("inf"), None):
        with pytest.raises(ValueError, match="seconds of at least 0"):
            po.isi(po.datasets.adv(), time_limit=limit)
    with pytest.raises(po.DataError, match="at least 2"):
        po.isi(matrix([[0]]))


def test_progress_is_told_and_ctrl_c_stops():
    rng = np.random.default_rng(1)
    table = rng.integers(0, 3, (21, 21))
    np.fill_diagonal(table, 0)
    data, told = matrix(table), []
    po.isi(data, progress=lambda done, of: told.append(done / of))
    assert told[-1] == 1

    def stop(done, of):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        po.isi(data, progress=stop)

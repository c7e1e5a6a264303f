"""Verbs that take an executor: the same bytes in threads, executors and worker processes."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import peckorder as po

ADV, BONOBOS = po.datasets.adv(), po.datasets.bonobos()
ORDERS = {"preset": "EloSteepness", "orders": 3, "chains": 2, "warmup": 50, "samples": 50}
CALLS = {
    "recovery": lambda where: po.recovery(ADV, runs=20, effort=[2], seed=1, executor=where),
    "power": lambda where: po.power(6, 2, effort=[30], runs=20, seed=1, executor=where),
    "power, linearity": lambda where: po.power(
        6, 2, target="linearity", effort=[40, 80], runs=20, seed=1, executor=where
    ),
    "power, pilot": lambda where: po.power(
        BONOBOS, target="steepness", effort=[60], runs=10, seed=1, executor=where
    ),
    "over_time": lambda where: po.over_time(
        ADV, "consistency", window=17, step=8, runs=200, seed=1, executor=where
    ),
    "over_time, orders": lambda where: po.over_time(ADV, "isi", window=17, step=8, executor=where),
    "random orders": lambda where: po.steepness_bayes(BONOBOS, **ORDERS, seed=1, executor=where),
}


def same(one, other):
    assert one.as_polars().equals(other.as_polars())
    assert repr(one) == repr(other)
    assert one.summary == other.summary
    for name, table in one.tables.items():
        assert table.equals(other.tables[name])
    for name, part in vars(one).items():
        if isinstance(part, np.ndarray):
            assert np.array_equal(part, getattr(other, name), equal_nan=True), name


@pytest.mark.filterwarnings("ignore::peckorder.ConvergenceWarning")
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_an_executor_changes_nothing(call):
    with ThreadPoolExecutor(2) as threads:
        same(call(None), call(threads))


@pytest.mark.programs
@pytest.mark.filterwarnings("ignore::peckorder.ConvergenceWarning")
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_worker_processes_change_nothing(call):
    same(call(None), call(2))


def test_progress_is_in_runs():
    seen = []
    po.recovery(
        ADV,
        runs=20,
        effort=[],
        seed=1,
        executor=1,
        progress=lambda done, of: seen.append((done, of)),
    )
    assert seen[-1] == (20, 20)
    assert len(seen) == 20


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_what_is_no_executor_is_refused(call):
    with pytest.raises(po.ArgumentTypeError, match="give a number of worker processes"):
        call("eight")


def test_an_executor_is_for_random_orders_only():
    with pytest.raises(po.ArgumentError, match="executor: for the published posterior only"):
        po.steepness_bayes(BONOBOS, executor=2, seed=1)

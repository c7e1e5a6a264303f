"""One interface for all executors: the same values in the same order."""

import os
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import pytest

import peckorder as po
from peckorder.executors.mapping import checked_executor, map_in_order
from tests.many_groups import fails_at_three, plus, process

ITEMS = list(range(40))


@pytest.mark.parametrize("executor", [None, 1, 2])
def test_values_are_in_the_order_of_the_items(executor):
    assert map_in_order(plus, ITEMS, shared=100, executor=executor) == [100 + i for i in ITEMS]


def test_any_executor_of_python():
    expected = [7 + i for i in ITEMS]
    with ThreadPoolExecutor(3) as threads:
        assert map_in_order(plus, ITEMS, shared=7, executor=threads) == expected
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        assert map_in_order(plus, ITEMS, shared=7, executor=processes) == expected


def test_nothing_to_do():
    for executor in (None, 2):
        assert map_in_order(plus, [], shared=1, executor=executor) == []


def test_one_means_this_process_and_two_others():
    assert set(map_in_order(process, ITEMS, executor=1)) == {os.getpid()}
    elsewhere = set(map_in_order(process, ITEMS, executor=2))
    assert len(elsewhere) == 2
    assert os.getpid() not in elsewhere


@pytest.mark.parametrize("executor", [1, 2])
def test_errors_of_the_work_are_raised_as_they_are(executor):
    with pytest.raises(po.DataError, match="three"):
        map_in_order(fails_at_three, ITEMS, executor=executor)


def test_progress_is_reported():
    seen = []
    map_in_order(plus, [1, 2, 3], shared=0, progress=lambda done, of: seen.append((done, of)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_what_is_no_executor():
    for wrong in (0, -1, 5000):
        with pytest.raises(po.ArgumentError, match="number of worker processes from 1"):
            checked_executor(wrong)
    for wrong in (True, "eight", 2.5, [1]):
        with pytest.raises(po.ArgumentTypeError, match='such as "tcp://host:8786"'):
            checked_executor(wrong)

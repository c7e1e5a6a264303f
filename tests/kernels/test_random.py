"""Random numbers of the compiled loops, threads, and components of digraphs."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from peckorder.kernels import random as kernel
from peckorder.random_runs import Runs, in_threads, p_value, seed_number
from peckorder.ranks import FEW_CONTESTS, in_braces, linked, linked_by, strong
from tests import oracle
from tests.matrices import wins

pytestmark = pytest.mark.usefixtures("both_ways")
NUMBER = 40_000


def stream(key=1, replicate=0):
    state = np.empty(4, np.uint64)
    kernel.begin(state, np.uint64(key), replicate)
    return state


def test_the_generator_is_xoshiro256_plus_plus():
    """First numbers from the state (1, 2, 3, 4), as the authors' algorithm gives them."""
    state, mask = [1, 2, 3, 4], 2**64 - 1

    def rotated(x, k):
        return ((x << k) | (x >> (64 - k))) & mask

    def following():
        result = (rotated((state[0] + state[3]) & mask, 23) + state[0]) & mask
        t = (state[1] << 17) & mask
        state[2] ^= state[0]
        state[3] ^= state[1]
        state[1] ^= state[2]
        state[0] ^= state[3]
        state[2] ^= t
        state[3] = rotated(state[3], 45)
        return result

    compiled = np.array([1, 2, 3, 4], np.uint64)
    expected = [following() for _ in range(100)]
    assert expected[0] == 41943041
    assert [int(kernel.word(compiled)) for _ in range(100)] == expected


def test_streams_differ_by_key_and_replicate():
    first = {
        int(kernel.word(stream(key, replicate))) for key in range(50) for replicate in range(50)
    }
    assert len(first) == 2500


@pytest.mark.parametrize("n", [1, 2, 3, 7, 100])
def test_whole_numbers_are_equally_likely(n):
    state = stream(n)
    counts = np.bincount([kernel.below(state, n) for _ in range(NUMBER)], minlength=n)
    chi2 = ((counts - NUMBER / n) ** 2 / (NUMBER / n)).sum()
    assert len(counts) == n
    assert chi2 < (n - 1) + 5 * np.sqrt(2 * n)


@pytest.mark.parametrize("n", [1, 6, 3_000_000_000])  # of the last, nearly a third is drawn again
def test_streams_side_by_side_draw_what_each_draws_alone(n):
    side, bits, number = np.empty((4, 40), np.uint64), np.empty(40, np.uint64), np.empty(40, int)
    made = njit if hasattr(kernel.word, "py_func") else lambda part: part
    streams, each_below, words = map(made, (kernel.streams, kernel.each_below, kernel.words))
    streams(np.uint64(3), 7, side)
    alone = [stream(3, 7 + lane) for lane in range(40)]
    for _ in range(5):
        each_below(side, n, bits, number)
        assert number.tolist() == [kernel.below(state, n) for state in alone]
        words(side, bits)
        assert bits.tolist() == [int(kernel.word(state)) for state in alone]


def test_moments_of_the_continuous_numbers():
    state = stream(5)
    uniform = np.array([kernel.uniform(state) for _ in range(NUMBER)])
    assert 0 < uniform.min() < uniform.max() < 1
    assert uniform.mean() == pytest.approx(0.5, abs=0.01)
    normal = np.array([kernel.normal(state) for _ in range(NUMBER)])
    assert (normal.mean(), normal.std()) == pytest.approx((0, 1), abs=0.02)
    assert (normal**4).mean() == pytest.approx(3, abs=0.3)


def test_shuffles_reach_all_orders_equally_often():
    state, counts = stream(9), {}
    for _ in range(12_000):
        items = np.arange(4)
        kernel.shuffle(state, items, 4)
        counts[tuple(items)] = counts.get(tuple(items), 0) + 1
    assert len(counts) == 24
    assert all(abs(number - 500) < 5 * np.sqrt(500) for number in counts.values())


def test_keys_depend_on_seed_and_purpose():
    keys = {int(Runs(1, seed).key(purpose)) for seed in range(20) for purpose in range(3)}
    assert len(keys) == 60
    assert seed_number(7) == 7
    assert seed_number(np.int64(7)) == 7


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_every_run_is_done_once(threads):
    done, lock = np.zeros(103, int), threading.Lock()

    def work(begin, end):
        with lock:
            done[begin:end] += 1

    told = []
    in_threads(
        work, 103, block=10, threads=threads, progress=lambda now, of: told.append((now, of))
    )
    assert (done == 1).all()
    assert told[-1] == (103, 103)
    assert len(told) == 11


def test_an_error_in_a_thread_is_raised():
    def work(begin, end):
        if begin == 20:
            raise ArithmeticError("no")

    with pytest.raises(ArithmeticError):
        in_threads(work, 50, block=10, threads=2)


def test_p_values_count_the_observed_value_in():
    assert p_value(np.zeros(999, bool)) == 0.001
    assert p_value(np.ones(999, bool)) == 1


@given(wins(most=7, highest=1))
def test_strong_components_of_a_slow_twin(table):
    beats = np.array(table) > 0
    found, expected = strong(beats), oracle.strong_components(table)
    assert sorted(map(list, found)) == sorted(map(sorted, expected))
    for i, above in enumerate(found):
        for below in found[i + 1 :]:
            assert not beats[np.ix_(below, above)].any()


@given(st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_linked_sets_share_no_contest(size, seed):
    met = np.random.default_rng(seed).random((size, size)) < 0.1
    sets = linked(met)
    assert sorted(np.concatenate(sets).tolist()) == list(range(size))
    for i, one in enumerate(sets):
        for two in sets[i + 1 :]:
            assert not (met | met.T)[np.ix_(one, two)].any()


def test_long_lists_of_sets_are_cut_short():
    sets = [np.array([i]) for i in range(10)]
    assert in_braces(sets, list("abcdefghij")).endswith("{h} and 2 more")
    assert in_braces([np.arange(10)], list("abcdefghij")) == "{a, b, c, d, e, f, g, h, …}"


@pytest.mark.parametrize("seed", range(40))
def test_sets_from_contests_are_those_from_a_matrix(seed):
    """Few and many contests, among them long chains in random order, and nobody at all."""
    random = np.random.default_rng(seed)
    size = int(random.integers(0, 60))
    number = int(random.integers(0, 60)) if size else 0
    one, other = random.integers(max(size, 1), size=(2, number))
    if seed % 3 == 0 and size > 1:  # a chain
        chain = random.permutation(size)
        one, other = chain[:-1], chain[1:]
    met = np.zeros((size, size), bool)
    met[one, other] = True
    expected = [own.tolist() for own in linked(met)]
    assert [own.tolist() for own in linked_by(one, other, size)] == expected
    if len(one):
        often = np.resize(np.arange(len(one)), FEW_CONTESTS + 1)
        assert [own.tolist() for own in linked_by(one[often], other[often], size)] == expected

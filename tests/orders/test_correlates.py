"""Skew of benefits and matrices beside ranks, against plain versions of their formulas."""

from collections.abc import Callable
from itertools import permutations
from typing import Literal

import numpy as np
import pytest
from scipy.stats import kendalltau

import peckorder as po


def plain_b(benefits, times):
    total, together = sum(benefits), sum(times)
    size = together / max(times)
    uneven = sum((k / total - n / together) ** 2 for k, n in zip(benefits, times, strict=True))
    return uneven - (1 - 1 / size) / total


def sign(x):
    return (x > 0) - (x < 0)


def plain_rowwise(x, y):
    n = len(x)
    top = in_x = in_y = 0
    for i in range(n):
        others = [j for j in range(n) if j != i]
        for j in others:
            for k in others:
                if j < k:
                    one, other = sign(x[i][j] - x[i][k]), sign(y[i][j] - y[i][k])
                    top += one * other
                    in_x += one * one
                    in_y += other * other
    return top / (in_x * in_y) ** 0.5


@pytest.fixture
def grooming():
    made = np.random.default_rng(5).integers(0, 6, (7, 7))
    np.fill_diagonal(made, 0)
    return po.Matrix(po.datasets.bonobos().individuals, made)


def test_nonacs_b_against_its_formula_and_by_chance():
    benefits, times = [9, 4, 2, 1, 0], [10, 10, 5, 8, 2]
    table = {"who": list("abcde"), "young": benefits, "years": times}
    found = po.orders.skew(table, time="years", runs=4000, seed=1)
    assert found.value == pytest.approx(plain_b(benefits, times))
    assert found.highest == pytest.approx(
        max(plain_b([16 * (i == j) for j in range(5)], times) for i in range(5))
    )
    # Without the constant, the mean over random allocations is zero if all stayed equally long.
    equal = po.orders.skew(dict(zip("abcde", benefits, strict=True)), runs=20_000, seed=1)
    assert equal.draws["null"].mean() == pytest.approx(0, abs=0.002)


def test_lambda_against_a_search():
    young = [7, 4, 3, 0, 1]
    found = po.orders.skew(dict(zip("abcde", young, strict=True)), order=list("abcde"), runs=10)

    def likelihood(rate):
        shares = (1 - rate) ** np.arange(5)
        return young @ np.log(shares / shares.sum())

    grid = np.arange(0.001, 1, 0.001)
    assert found.lambda_ == pytest.approx(grid[np.argmax([likelihood(x) for x in grid])], abs=1e-3)
    even = po.orders.skew(dict.fromkeys("abc", 4), runs=200, seed=1)
    assert (even.lambda_, even.p) == (0, 1)
    assert even.value < 0 < even.p_less < 0.1
    assert po.orders.skew({"a": 5, "b": 0}, runs=10).lambda_ == 1


def test_rowwise_correlation_against_its_definition(grooming):
    found = po.orders.matrix_correlation(po.datasets.bonobos(), behavior=grooming, runs=50, seed=1)
    distance = po.orders.rank_distance(po.datasets.bonobos()).drop("individual").to_numpy()
    x = grooming.wins.tolist()
    assert found.value == pytest.approx(plain_rowwise(x, distance.tolist()))
    row = [np.delete(matrix[2], 2) for matrix in (grooming.wins, distance)]
    assert found.table["correlation"][2] == pytest.approx(kendalltau(*row)[0])


def test_permutations_against_all_of_them():
    names = ("a", "b", "c", "d")
    wins = po.Matrix(names, np.triu(np.full((4, 4), 3), 1))
    given = np.array([[0, 3, 1, 0], [2, 0, 4, 1], [1, 5, 0, 2], [0, 1, 3, 0]])
    rank = np.arange(4)
    distance = np.abs(rank[:, None] - rank)
    off = ~np.eye(4, dtype=bool)
    tests: tuple[tuple[Literal["rowwise", "mantel"], Callable], ...] = (
        ("rowwise", plain_rowwise),
        ("mantel", lambda x, y: np.corrcoef(np.array(x)[off], np.array(y)[off])[0, 1]),
    )
    for method, value in tests:
        found = po.orders.matrix_correlation(
            wins, behavior=po.Matrix(names, given), method=method, runs=6000, seed=1
        )
        every = [
            value(given.tolist(), distance[np.ix_(order, order)].tolist())
            for order in permutations(range(4))
        ]
        assert found.value == pytest.approx(every[0])
        assert found.p_less == pytest.approx(
            np.mean([one <= every[0] + 1e-12 for one in every]), abs=0.02
        )


def test_grooming_up_the_hierarchy():
    ranks = po.datasets.table3()
    scores = po.davids_score(ranks)
    names = list(scores.table["individual"])
    up = {a: {b: len(names) - i for i, b in enumerate(names) if b != a} for a in names}
    found = po.orders.matrix_correlation(scores, behavior=up, against="rank", runs=200, seed=1)
    assert found.value == pytest.approx(1)
    assert found.p == pytest.approx(1 / 201)


def test_unknown_dyads_are_decided_by_another_matrix():
    bonobos = po.datasets.bonobos()
    before = bonobos.matrix()
    avoided = {"He": {"Dz": 2, "Ki": 5}, "Ko": {"De": 1}}
    after = po.orders.fill_unknown(bonobos, by=avoided)
    place = {name: i for i, name in enumerate(after.individuals)}
    changed = np.argwhere(after.wins != before.wins).tolist()
    assert changed == sorted([[place["He"], place["Dz"]], [place["Ko"], place["De"]]])
    assert po.linearity(after).unknown == po.linearity(bonobos).unknown - 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: po.orders.skew({"a": 1}), "at least two individuals"),
        (lambda: po.orders.skew({"a": 1.5, "b": 0}), "whole numbers"),
        (lambda: po.orders.skew({"a": 0, "b": 0}), "not all 0"),
        (lambda: po.orders.skew({"a": [1, 2], "b": [1, 2]}, time="x"), 'No column "x"'),
        (lambda: po.orders.skew({"a": 1, "b": 0}, order=["a", "c"]), "each once"),
        (
            lambda: po.orders.matrix_correlation(
                po.datasets.bonobos(), behavior={"He": {"Abe": 1}}
            ),
            '"Abe"',
        ),
        (
            lambda: po.orders.matrix_correlation(po.datasets.bonobos(), behavior={}),
            "nothing to correlate",
        ),
        (lambda: po.orders.fill_unknown(po.datasets.bonobos(), by={"He": {"Dz": 0.5}}), "whole"),
        (lambda: po.orders.fill_unknown(po.datasets.bonobos(), by={"He": 2}), "no row of numbers"),
    ],
)
def test_wrong_numbers(call, message):
    with pytest.raises(ValueError, match=message):
        call()

"""Whom to watch next: numbers of the shipped data, a plain version, and properties."""

import math

import numpy as np
import pytest

import peckorder as po
from peckorder.kernels import pairings as kernel
from peckorder.questions.next_pairs import Belief

ADV = po.datasets.adv()


@pytest.fixture(scope="module")
def static():
    return po.dynamic(ADV, static=True, seed=1)


def plain_uncertainty(mean, covariance, a, b):
    """Expected sum of p(1 − p) after a contest of a and b, term by term."""

    def phi(z):
        return 0.5 * math.erfc(-z / math.sqrt(2))

    size, total = len(mean), 0.0
    c = covariance[:, a] - covariance[:, b]
    spread = c[a] - c[b] + 1.702**2
    for sign in (1, -1):
        u = sign * (mean[a] - mean[b]) / math.sqrt(spread)
        chance = phi(u)
        ratio = math.exp(-u * u / 2) / math.sqrt(2 * math.pi) / chance
        new = mean + sign * c * ratio / math.sqrt(spread)
        narrow = covariance - np.outer(c, c) * ratio * (u + ratio) / spread
        for i in range(size):
            for j in range(i):
                variance = narrow[i, i] + narrow[j, j] - 2 * narrow[i, j]
                p = phi((new[i] - new[j]) / math.sqrt(variance))
                total += chance * p * (1 - p)
    return total


def test_the_next_dyads_of_adv(static):
    found = po.questions.next_pairs(static, size=3, seed=1)
    rows = found.as_polars().rows(named=True)
    assert [(row["higher"], row["lower"]) for row in rows] == [("b", "d"), ("e", "f"), ("e", "g")]
    assert abs(found.expected_misordered - 0.148) < 0.01  # 0.148: by Laplace instead of EP
    assert (found.stop, found.dyads) == (False, 21)


def test_contests_needed_by_a_normal_approximation_of_bradley_terry():
    order = po.bradley_terry(ADV, penalized=True)
    pair = po.questions.next_pairs(order, size=1, seed=1).tables["adjacent"].row(0, named=True)
    assert (pair["higher"], pair["lower"]) == ("b", "c")
    assert abs(pair["needed"] - 15) <= 2
    assert abs(pair["needed_low"] - 7) <= 1
    assert abs(pair["needed_high"] - 43) <= 6


def test_the_criterion_is_that_of_the_plain_version(static):
    belief = Belief.of(static)
    first, second = np.triu_indices(len(belief.names), 1)
    out, weight = np.empty(len(first)), np.ones((len(belief.names),) * 2)
    kernel.expected_uncertainty(belief.mean, belief.covariance, first, second, weight, out)
    plain = [
        plain_uncertainty(belief.mean, belief.covariance, a, b)
        for a, b in zip(first, second, strict=True)
    ]
    assert np.allclose(out, plain, atol=1e-6)
    chance = belief.order()
    before = (chance * (1 - chance))[first, second].sum()
    assert (out < before).all()  # any contest is expected to teach something


def test_the_posterior_is_that_of_the_draws(static):
    belief, drawn = Belief.of(static), static.final
    code = [static.individuals.index(name) for name in belief.names]
    mean = drawn[:, code].mean(axis=0)
    assert np.allclose(belief.mean - belief.mean.mean(), mean - mean.mean(), atol=0.15)
    share = np.mean(drawn[:, code[0]] > drawn[:, code[1]])
    assert abs(belief.order()[0, 1] - share) < 0.04


def test_the_top_alone_changes_what_is_chosen(static):
    found = po.questions.next_pairs(static, size=3, top=1, seed=1)
    assert "b" in [*found.as_polars()["higher"]]
    p_first = dict(zip(static.table["individual"], static.table["p_first"], strict=True))["b"]
    assert abs(found.expected_misplaced - (1 - p_first)) < 0.06


def test_only_allowed_dyads_are_chosen(static):
    found = po.questions.next_pairs(static, size=4, allowed=["a", "g", "e"], seed=1).as_polars()
    assert {*found["higher"], *found["lower"]} <= {"a", "g", "e"}
    one = po.questions.next_pairs(static, size=2, allowed=[("c", "a")], seed=1).as_polars()
    assert one.select("higher", "lower").rows() == [("c", "a")] * 2


def test_a_decided_group_may_stop():
    wins = [("a", "b")] * 30 + [("b", "c")] * 30 + [("a", "c")] * 30
    found = po.questions.next_pairs(po.dynamic(po.read(wins), seed=1), seed=1)
    assert found.stop
    assert found.resolved == 3
    assert found.summary[0].endswith("you may stop.")


def test_the_next_contest_lowers_the_expected_error():
    _, data = po.simulate.hierarchy(individuals=6, contests=40, seed=3)
    ratings = po.dynamic(data, static=True, seed=1)
    found = po.questions.next_pairs(ratings, size=1, seed=1).as_polars().row(0, named=True)
    assert 0 < found["gain"] < 0.2
    assert found["probability"] >= 0.5


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: po.questions.next_pairs(po.elo(ADV)), "elo has none. Use po.questions.next_pairs"),
        (
            lambda: po.questions.next_pairs(po.bradley_terry(ADV, penalized=True), top=7),
            "only 7 individuals",
        ),
        (
            lambda: po.questions.next_pairs(po.bradley_terry(ADV, penalized=True), allowed=["a"]),
            "no dyad",
        ),
        (
            lambda: po.questions.next_pairs(
                po.bradley_terry(ADV, penalized=True), allowed=["a", "zz"]
            ),
            '"zz" is not among',
        ),
    ],
)
def test_errors(call, message):
    with pytest.raises(po.PeckorderError, match=message):
        call()


def test_components_need_a_prior():
    with pytest.warns(po.DataWarning, match="components"):
        order = po.bradley_terry(ADV)
    with pytest.raises(po.DataError, match="penalized=True"):
        po.questions.next_pairs(order)

"""Transitivity and consistency against other software and slow twins."""

import random

import numpy as np
import pytest
from hypothesis import assume, given

import peckorder as po
from tests import oracle
from tests.matrices import matrix, wins


def test_other_software_on_the_bonobos(software):
    found = po.transitivity(po.datasets.bonobos(), runs=100_000, seed=1)
    elorating = software["EloRating.transitivity bonobos (2000)"][0]
    assert (found.pt, found.value) == (float(elorating["Pt"]), float(elorating["ttri"]))
    assert found.p == pytest.approx(float(elorating["p"]), abs=3 * np.sqrt(0.013 / 2000))
    compete = software["compete summary bonobos"][0]
    assert (found.pt, found.value) == (float(compete["Pt"]), float(compete["ttri"]))
    assert found.p == pytest.approx(float(compete["ttri_p"]), abs=0.015)
    consistency = po.consistency(po.datasets.bonobos(), runs=1000, seed=1)
    assert consistency.value == pytest.approx(float(compete["dci"]), abs=1e-12)
    assert consistency.phi == pytest.approx(float(compete["phi"]), abs=1e-12)
    assert consistency.p_phi == pytest.approx(float(compete["phi_pvalue"]), abs=1e-5)


@given(wins(most=7))
def test_values_of_a_slow_twin(table):
    pt, ttri, triads = oracle.transitivity(table)
    if triads == 0:
        with pytest.raises(po.DataError, match="No three individuals"):
            po.transitivity(matrix(table), runs=10, seed=1)
    else:
        found = po.transitivity(matrix(table), runs=10, seed=1)
        assert (found.pt, found.value, found.triads) == pytest.approx(
            (float(pt), float(ttri), triads)
        )
    found = po.consistency(matrix(table), runs=10, seed=1)
    assert (found.value, found.phi) == pytest.approx(tuple(map(float, oracle.consistency(table))))


def test_null_of_transitivity_is_that_of_a_slow_twin():
    table = [[0, 1, 0, 2, 1], [0, 0, 1, 1, 0], [1, 0, 0, 1, 0], [0, 1, 0, 0, 1], [0, 0, 0, 0, 0]]
    rng = random.Random(1)
    slow = np.array([float(oracle.transitivity_draw(table, rng)) for _ in range(4000)])
    slow = slow[~np.isnan(slow)]
    found = po.transitivity(matrix(table), runs=40_000, seed=1)
    assert found.expected == pytest.approx(slow.mean(), abs=4 * slow.std() / np.sqrt(len(slow)))
    assert found.expected == pytest.approx(0.75, abs=0.01)


@pytest.mark.filterwarnings("ignore:Without a contest")
def test_null_that_draws_the_type_of_each_dyad():
    """Four individuals and three decided dyads: each dyad is decided with probability one half."""
    table = np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]])
    sparse = np.zeros((4, 4), int)
    sparse[:3, :3] = table
    found = po.transitivity(matrix(sparse.tolist()), null="types", runs=40_000, seed=1)
    kept = po.transitivity(matrix(sparse.tolist()), runs=40_000, seed=1)
    assert kept.runs == pytest.approx(40_000 / 5, rel=0.06)  # 4 of 20 ways to place three dyads
    random = np.random.default_rng(1)
    complete = 0
    for _ in range(4000):
        there = np.zeros((4, 4), bool)
        there[np.triu_indices(4, 1)] = random.random(6) < 0.5
        there |= there.T
        complete += any(there[i, j] & there[j, k] & there[i, k]
                        for i in range(4) for j in range(i) for k in range(j))  # fmt: skip
    assert found.runs / 40_000 == pytest.approx(complete / 4000, abs=0.03)
    assert found.expected == pytest.approx(0.75, abs=0.01)


def test_null_of_consistency_is_fair_tosses():
    """One dyad of 3 contests: DCI is 1 in a quarter of the cases and 1/3 otherwise."""
    found = po.consistency(matrix([[0, 3], [0, 0]]), runs=100_000, seed=1)
    assert found.expected == pytest.approx(0.25 + 0.75 / 3, abs=0.005)
    assert found.p == pytest.approx(0.25, abs=0.006)
    long = po.consistency(matrix([[0, 200], [100, 0]]), runs=20_000, seed=1)
    spread = long.null * 300  # |2X − 300| of a binomial: its square has mean 300
    assert (spread**2).mean() == pytest.approx(300, rel=0.05)


@pytest.mark.parametrize("rule", ["omit", "half", "both"])
def test_fair_contests_with_ties_are_rarely_called_consistent(rule):
    """At a level of 5%: ties are kept, so that they neither create nor hide evidence."""
    rng = np.random.default_rng(1)
    found = []
    for _ in range(150):
        decided = rng.binomial(8, 0.9, (5, 5))
        won = rng.binomial(decided, 0.5)
        table, drawn = np.zeros((5, 5), int), np.zeros((5, 5), int)
        for i in range(5):
            for j in range(i):
                table[i, j], table[j, i] = won[i, j], decided[i, j] - won[i, j]
                drawn[i, j] = drawn[j, i] = 8 - decided[i, j]
        measure = po.consistency(matrix(table, drawn), ties=rule, runs=400, seed=1)
        found.append((measure.p_phi < 0.05, measure.p < 0.05))
    assert (np.mean(found, axis=0) < 0.11).all()


def test_triads_of_more_than_64_individuals():
    table = np.triu(np.ones((70, 70), int), 1)
    table[0, 69], table[69, 0] = 0, 1
    names = [str(i) for i in range(70)]
    found = po.transitivity(matrix(table, names=names), runs=20, seed=1)
    assert found.triads == 70 * 69 * 68 // 6
    assert found.pt == pytest.approx(
        1 - 68 / found.triads
    )  # 69 above 0 makes a cycle with each other
    assert found.expected == pytest.approx(0.75, abs=0.01)


@given(wins(complete=True))
def test_reversing_all_contests_changes_nothing(table):
    assume(oracle.transitivity(table)[2] > 0)
    transposed = np.array(table).T
    assert (
        po.transitivity(matrix(table), runs=5, seed=1).pt
        == po.transitivity(matrix(transposed), runs=5, seed=1).pt
    )
    one, two = (po.consistency(matrix(t), runs=5, seed=1) for t in (table, transposed))
    assert (one.value, one.phi) == pytest.approx((two.value, two.phi))


@pytest.mark.parametrize("measure", ["transitivity", "consistency"])
def test_same_seed_same_draws_on_any_number_of_threads(measure):
    one, two = (
        getattr(po, measure)(po.datasets.table3(), runs=5_000, seed=2, threads=threads)
        for threads in (1, 2)
    )
    assert one.values == two.values
    assert np.array_equal(one.null, two.null)


def test_bad_arguments():
    with pytest.raises(ValueError, match="at least 1"):
        po.transitivity(po.datasets.bonobos(), runs=0)
    with pytest.raises(ValueError, match="census, types"):
        po.transitivity(po.datasets.bonobos(), null="random")
    with pytest.raises(ValueError, match="at least 1"):
        po.consistency(po.datasets.bonobos(), runs=0)

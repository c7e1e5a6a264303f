"""Linearity against the paper, other software and slow twins."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peckorder as po
from peckorder.structure import linearity as module
from tests import oracle
from tests.examples import examples
from tests.matrices import matrix, permuted, transposed, wins


@pytest.mark.parametrize(
    ("data", "h", "improved", "p"),
    [("table3", 0.910714, 0.946429, 0.0070095), ("bonobos", 0.803571, 0.857143, 0.0276375)],
)
def test_de_vries_et_al_2006(data, h, improved, p):
    found = po.linearity(getattr(po.datasets, data)())
    assert (found.h, found.value) == pytest.approx((h, improved), abs=5e-7)
    assert found.p == pytest.approx(p, abs=5e-8)
    assert found.exact
    assert found.runs == 0
    assert found.expected == 0.375
    assert found.seed is None


def test_other_software_on_the_bonobos(software):
    entry = software["EloRating.h.index bonobos (10000)"][0]
    found = po.linearity(po.datasets.bonobos())
    assert round(found.h, 4) == float(entry["h_index"])
    assert round(found.value, 4) == float(entry["h_prime_index"])
    assert found.expected == pytest.approx(float(entry["expected_h"]), abs=0.005)
    assert found.p == pytest.approx(float(entry["p_right"]), abs=0.005)
    assert (found.tied, found.unknown) == (int(entry["tied"]), int(entry["unknown"]))
    compete = software["compete summary bonobos"][0]
    assert found.value == pytest.approx(float(compete["h_modified"]), abs=0.001)
    assert found.p == pytest.approx(float(compete["h_p"]), abs=0.005)
    assert found.unknown == int(compete["unknowns"])


@given(wins(most=7))
def test_values_of_a_slow_twin(table):
    found, expected = po.linearity(matrix(table)), oracle.linearity(table)
    for name in ("value", "h", "kendall_k", "circular_triads", "unknown", "tied"):
        assert found.values[name] == pytest.approx(float(expected[name]), abs=1e-12), name


@examples(20)
@given(wins(most=5, highest=1))
def test_exact_test_of_a_slow_twin(table):
    assert po.linearity(matrix(table)).p == pytest.approx(
        float(oracle.linearity_exact_p(table)), abs=1e-12
    )


def test_monte_carlo_agrees_with_the_exact_test(monkeypatch):
    data = po.datasets.bonobos()
    exact = po.linearity(data)
    monkeypatch.setattr(module, "EXACT_TEST", 2)
    found = po.linearity(data, runs=400_000, seed=1)
    assert not found.exact
    assert found.p == pytest.approx(exact.p, abs=4 * found.p_error)
    assert found.p_less == pytest.approx(exact.p_less, abs=4 * found.p_error)


def test_all_tournaments_are_counted():
    """Kendall & Babington Smith: of the 64 tournaments of four, 24 have no circular triad, 16 one."""
    assert module.tournaments(4) == {14: 24, 12: 16, 10: 24}
    for size in range(2, 11):
        assert sum(module.tournaments(size).values()) == 2 ** math.comb(size, 2)


def test_appleby_by_triads():
    cycle = [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    found = po.linearity(matrix(cycle))
    assert (found.circular_triads, found.kendall_k, found.p_kendall) == (1, 0, 1)
    line = np.triu(np.ones((12, 12), int), 1)
    assert po.linearity(matrix(line), runs=10, seed=1).p_kendall < 1e-6
    ten = po.linearity(matrix(np.triu(np.ones((10, 10), int), 1)), runs=10, seed=1)
    assert ten.p_kendall == math.factorial(10) / 2**45


@pytest.mark.parametrize("size", [3, 4, 7, 8, 15])
def test_a_linear_hierarchy(size):
    line = matrix(np.triu(np.full((size, size), 3), 1))
    found = po.linearity(line, runs=10, seed=1)
    assert (found.h, found.value, found.kendall_k) == pytest.approx((1, 1, 1))
    assert po.steepness(line, index="pij", runs=1, seed=1).value == pytest.approx(1)
    assert po.transitivity(line, runs=10, seed=1).pt == 1
    assert po.isi(line).orders == 1


@given(wins(), st.randoms())
def test_relabeling_and_transposing_change_nothing(table, rng):
    order = rng.sample(range(len(table)), len(table))
    for other in (permuted(table, order), transposed(table)):
        one, two = po.linearity(matrix(table)).values, po.linearity(matrix(other)).values
        assert one == pytest.approx(two, abs=1e-12)


def test_an_individual_without_contests_makes_dyads_unknown():
    table = np.triu(np.ones((6, 6), int), 1)
    table[5] = table[:, 5] = 0
    with pytest.warns(po.DataWarning, match='Without a contest that counts: "f"'):
        found = po.linearity(matrix(table))
    assert found.unknown == 5
    v = [4.5, 3.5, 2.5, 1.5, 0.5, 2.5]
    assert found.h == pytest.approx(12 / 210 * sum((x - 2.5) ** 2 for x in v))


def test_same_seed_same_result_on_any_number_of_threads():
    rng = np.random.default_rng(1)
    table = rng.integers(0, 2, (12, 12))
    np.fill_diagonal(table, 0)
    one = po.linearity(matrix(table), runs=120_000, seed=3, threads=1)
    two = po.linearity(matrix(table), runs=120_000, seed=3, threads=2)
    assert one.values == two.values
    assert one.seed == 3


def test_bad_arguments():
    with pytest.raises(ValueError, match="at least 1"):
        po.linearity(po.datasets.bonobos(), runs=0)
    with pytest.raises(po.DataError, match="requires at least 3"):
        po.linearity(matrix([[0, 1], [0, 0]]))


def test_a_hierarchy_less_linear_than_chance_is_said_to_be_so():
    names = "abcdefg"
    wins = [(names[i], names[(i + k) % 7]) for i in range(7) for k in (1, 2, 3)]
    data = po.read({"winner": [a for a, _ in wins], "loser": [b for _, b in wins]})
    found = po.linearity(data, seed=1)
    assert found.p_less < 0.05
    assert found.summary[0].endswith("less linear than expected by chance (p = 0.0013).")
    assert "less linear" not in po.linearity(po.datasets.bonobos(), seed=1).summary[0]

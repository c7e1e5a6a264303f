"""Dominance values of Kondo & Hurnik against sums by hand, a slow twin, and their properties."""

import warnings
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peckorder as po
from peckorder.orders.indices import class_of, dominance_value
from tests.matrices import by_name, matrix, permuted, transposed, wins

# The sociomatrix printed in the manual of socialh 0.1.1 (dmatrix); its values are not printed
# there, so they are summed here by hand, row by row.
COWS = [
    [0, 0, 1, 0, 0, 1, 0, 0],
    [2, 0, 0, 0, 0, 1, 0, 0],
    [0, 1, 0, 0, 2, 0, 0, 0],
    [0, 1, 1, 0, 0, 0, 0, 0],
    [1, 0, 0, 1, 0, 0, 1, 0],
    [0, 0, 1, 0, 0, 0, 0, 1],
    [0, 0, 0, 0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0, 0, 0, 0],
]


# Printed in the README of socialh 0.1.1, the first six of its animals: displacements (rows are
# displaced, columns displace) and the relations S_ij of its function dmatrix.
DISPLACED = [
    [0, 32, 62, 17, 37, 23],
    [43, 0, 10, 19, 8, 14],
    [56, 12, 0, 7, 26, 16],
    [15, 5, 10, 0, 3, 10],
    [34, 9, 37, 6, 0, 15],
    [26, 16, 16, 11, 8, 0],
]
RELATIONS = [
    [0, -1, 1, 1, 1, -1],
    [1, 0, -1, 1, -1, -1],
    [-1, 1, 0, -1, -1, 0],
    [-1, -1, 1, 0, -1, -1],
    [-1, 1, 1, 1, 0, 1],
    [1, 1, 0, 1, -1, 0],
]


def quiet(data, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", po.DataWarning)
        return dominance_value(data, **settings)


def test_cows_by_hand():
    found = dominance_value(matrix(COWS, names="12345689"))
    # 1: +3 +6 −2 −5; 2: +1 +6 −3 −4; 3: +2 +5 −1 −4 −6; 4: +2 +3 −5; 5: +1 +4 +8 −3;
    # 6: +3 +9 −1 −2; 8: −5; 9: −6
    assert by_name(found, "value") == [0, 0, -1, 1, 2, 0, -1, -1]
    assert by_name(found, "class") == [2, 2, 3, 1, 1, 2, 3, 3]
    assert found["5"] == 1
    assert by_name(found, "rank") == [4, 4, 7, 2, 1, 4, 7, 7]
    assert "Dyads without displacements, which count as 0: 15." in found.summary


def test_relations_printed_for_socialh():
    found = dominance_value(matrix(transposed(DISPLACED)))
    assert by_name(found, "value") == [sum(column) for column in zip(*RELATIONS, strict=True)]
    for i, j in combinations(range(6), 2):
        pair = matrix([[0, DISPLACED[j][i]], [DISPLACED[i][j], 0]])
        assert by_name(dominance_value(pair), "value") == [RELATIONS[j][i], RELATIONS[i][j]]


@given(wins(most=7))
def test_signs_summed_one_by_one(table):
    found = quiet(matrix(table))
    size = range(len(table))
    value = [
        sum((table[i][j] > table[j][i]) - (table[i][j] < table[j][i]) for j in size) for i in size
    ]
    assert by_name(found, "value") == value
    assert sum(value) == 0
    assert by_name(quiet(matrix(transposed(table))), "value") == [-v for v in value]
    assert by_name(found, "displacements") == [sum(row) for row in table]


@given(wins(), st.randoms())
def test_only_signs_count_and_names_do_not(table, rng):
    found = by_name(quiet(matrix(table)), "value")
    assert by_name(quiet(matrix(5 * np.array(table))), "value") == found
    order = rng.sample(range(len(table)), len(table))
    assert by_name(quiet(matrix(permuted(table, order))), "value") == [found[i] for i in order]


@given(st.lists(st.integers(-20, 20), min_size=2, max_size=12), st.integers(1, 5))
def test_classes_cut_the_range_into_equal_parts(values, classes):
    found = class_of(np.array(values), classes)
    width = (max(values) - min(values) + 1) / classes
    for value, own in zip(values, found.tolist(), strict=True):
        assert 1 <= own <= classes
        below = max(values) - own * width
        assert below - 1e-9 < value <= below + width + 1e-9
    assert found[values.index(max(values))] == 1


def test_draws_and_bad_arguments():
    table, drawn = [[0, 2, 1], [1, 0, 1], [1, 0, 0]], [[0, 0, 3], [0, 0, 0], [3, 0, 0]]
    for rule in ("omit", "half", "both"):
        assert by_name(dominance_value(matrix(table, drawn), ties=rule), "value") == [1, 0, -1]
    for classes in (0, 2.5, True):
        with pytest.raises(ValueError, match="at least 1"):
            dominance_value(po.datasets.bonobos(), classes=classes)

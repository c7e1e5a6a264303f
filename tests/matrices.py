"""Random matrices of wins, and matrices as the library takes them."""

import numpy as np
from hypothesis import strategies as st

import peckorder as po


def matrix(wins, draws=None, names=None) -> po.Matrix:
    wins = np.asarray(wins)
    names = [chr(ord("a") + i) for i in range(len(wins))] if names is None else names
    return po.Matrix(tuple(names), wins, None if draws is None else np.asarray(draws))


@st.composite
def wins(draw, least=3, most=6, highest=4, complete=False):
    """A square list of lists with an empty diagonal and some contest between all neighbours."""
    size = draw(st.integers(least, most))
    count = st.integers(1 if complete else 0, highest)
    table = [[0 if i == j else draw(count) for j in range(size)] for i in range(size)]
    for i in range(size - 1):  # one record, not several
        if table[i][i + 1] == table[i + 1][i] == 0:
            table[i][i + 1] = 1
    return table


def permuted(table, order):
    return [[table[i][j] for j in order] for i in order]


def transposed(table):
    return [list(row) for row in zip(*table, strict=True)]


def by_name(found, column) -> list:
    """A column of a table in the order of the individuals."""
    values = dict(zip(found.table["individual"], found.table[column], strict=True))
    return [values[name] for name in found.data.individuals]

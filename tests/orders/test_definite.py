"""Equations with a positive definite matrix, by either way."""

import numpy as np
import pytest

from peckorder.ratings.paired_model import NO_THREADS, WORTH_THREADS, solved


@pytest.mark.parametrize("size", [3, NO_THREADS + 1, 150, WORTH_THREADS])
def test_solutions_solve_the_equations(size):
    random = np.random.default_rng(size)
    root = random.normal(size=(size, size + 5))
    matrix, vector = root @ root.T, random.normal(size=size)
    before = matrix.copy()
    x = solved(matrix, vector)
    assert x.shape == (size,)
    assert matrix @ x == pytest.approx(vector, abs=1e-6)
    inverse = solved(matrix, np.eye(size))
    assert inverse @ vector == pytest.approx(x, abs=1e-6 * np.abs(x).max())
    assert (matrix == before).all()


@pytest.mark.parametrize("size", [3, 150])
def test_other_matrices_are_refused(size):
    matrix = np.eye(size)
    matrix[1, 1] = -1.0
    with pytest.raises(np.linalg.LinAlgError):
        solved(matrix, np.ones(size))

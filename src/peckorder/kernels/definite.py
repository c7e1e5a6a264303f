"""Equations with a positive definite matrix of middle size, by Cholesky factors in one thread."""

import math

from peckorder.kernels import compiled


@compiled
def factorize(matrix):
    """Replace the lower triangle by L with L L′ = matrix; False if it is not positive definite."""
    for i in range(matrix.shape[0]):
        for j in range(i):
            total = matrix[i, j]
            for k in range(j):
                total -= matrix[i, k] * matrix[j, k]
            matrix[i, j] = total / matrix[j, j]
        total = matrix[i, i]
        for k in range(i):
            total -= matrix[i, k] * matrix[i, k]
        if not total > 0.0:
            return False
        matrix[i, i] = math.sqrt(total)
    return True


@compiled
def solve_factorized(lower, right):
    """Replace the columns of `right` by the solutions of L L′ x = right."""
    size, columns = right.shape
    for i in range(size):
        for j in range(i):
            for c in range(columns):
                right[i, c] -= lower[i, j] * right[j, c]
        for c in range(columns):
            right[i, c] /= lower[i, i]
    for i in range(size - 1, -1, -1):
        for c in range(columns):
            right[i, c] /= lower[i, i]
        for j in range(i):
            for c in range(columns):
                right[j, c] -= lower[i, j] * right[i, c]

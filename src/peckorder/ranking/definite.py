"""Equations with a positive definite matrix, such as those of a Newton step.

OpenBLAS divides a factorization of some hundred rows among threads, which wait busily for each
other. On a machine with other work this takes a hundred times as long as the factorization, so that
matrices of this size are factorized by a compiled loop in one thread.
"""

from __future__ import annotations

import numpy as np

from peckorder.kernels.definite import factorize, solve_factorized

NO_THREADS = 80  # rows up to which OpenBLAS starts no threads
WORTH_THREADS = 400  # rows from which several threads, or its faster loops, are worth it


def solved(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The solution x of matrix @ x = right; LinAlgError if the matrix is not positive definite."""
    if not NO_THREADS < len(matrix) < WORTH_THREADS:
        from scipy.linalg import cho_factor, cho_solve

        return cho_solve(cho_factor(matrix), right)
    lower = np.array(matrix, dtype=float, order="C")
    out = np.array(right, dtype=float, order="C").reshape(len(matrix), -1)
    if not (np.isfinite(lower).all() and factorize(lower)):
        raise np.linalg.LinAlgError("The matrix is not positive definite.")
    solve_factorized(lower, out)
    return out.reshape(np.shape(right))

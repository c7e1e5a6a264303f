"""Contests drawn again with replacement: the bootstrap of sums over contests."""

import numpy as np

from peckorder.kernels import compiled
from peckorder.kernels.random import begin, below


@compiled
def resampled_sums(columns, key, first_run, out):
    """Column sums of as many rows drawn at random, in out[run]."""
    random = np.empty(4, np.uint64)
    size, width = columns.shape
    for run in range(out.shape[0]):
        begin(random, key, first_run + run)
        for c in range(width):
            out[run, c] = 0.0
        for _ in range(size):
            i = below(random, size)
            for c in range(width):
                out[run, c] += columns[i, c]

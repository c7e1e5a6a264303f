"""The log-likelihood of all contests under each draw of the parameters."""

import numpy as np

from peckorder.kernels import compiled
from peckorder.kernels.arrays import copy
from peckorder.kernels.likelihood import SLOTS, groups, log_likelihood


@compiled
def own_totals(contests, draws, out):
    """Log-likelihood of all contests under each draw, in out[draw]."""
    kept = np.empty((SLOTS, contests.first.size))
    halls = np.zeros((groups(contests), 3))
    score = np.empty(draws.start.shape[1])
    for d in range(draws.nu.size):
        copy(score, draws.start[d])
        out[d] = log_likelihood(
            contests, draws.k[d], draws.nu[d], draws.home[d], score, kept, halls
        )

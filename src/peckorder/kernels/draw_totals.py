"""What follows for each draw of the parameters from one quick run over all contests."""

import numpy as np

from peckorder.kernels import compiled
from peckorder.kernels.arrays import copy
from peckorder.kernels.likelihood import SLOTS, groups, log_likelihood


@compiled
def own_totals(contests, draws, hall_of, out, final, surprise):
    """Log-likelihood of all contests under each draw, in out[draw], and scores after them.

    `hall_of` is the group in which each individual is present after the last contest, −1 if in
    none. The score of somebody present is relative to the mean of those present. What the winner
    of each contest scored beyond expectation is added up over draws in `surprise`.
    """
    kept = np.empty((SLOTS, contests.first.size))
    halls = np.zeros((groups(contests), 3))
    score = np.empty(draws.start.shape[1])
    for d in range(draws.nu.size):
        copy(score, draws.start[d])
        out[d] = log_likelihood(
            contests, draws.k[d], draws.nu[d], draws.home[d], score, kept, halls
        )
        for i in range(score.size):
            shift = halls[hall_of[i], 1] if hall_of[i] >= 0 else 0.0
            final[d, i] = score[i] - shift
        for j in range(surprise.size):
            surprise[j] += kept[0, j]

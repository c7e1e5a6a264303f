"""Elo ratings over contests in random order."""

import numpy as np

from peckorder.kernels import compiled
from peckorder.kernels.arrays import copy
from peckorder.kernels.elo import win_chance
from peckorder.kernels.random import begin, below


@compiled
def rate_shuffled(key, first_run, contests, curve, start, cut, out):
    """Rate the contests in a new order for each run, shuffled as they are rated.

    `contests` are those of `elo`, without their advantage. out[run, part] holds the ratings of
    one part or two: the second begins anew after `cut` contests.
    """
    number = contests.first.size
    score_step = min(contests.score.size - 1, 1)
    k_step = min(contests.k.shape[0] - 1, 1)
    random = np.empty(4, np.uint64)
    order = np.empty(number, np.int32)
    for run in range(out.shape[0]):
        begin(random, key, first_run + run)
        for i in range(number):
            order[i] = i
        for part in range(out.shape[1]):
            copy(out[run, part], start)
        for i in range(number):
            rating = out[run, 0 if i < cut else out.shape[1] - 1]
            j = i + below(random, number - i)
            c = order[j]
            order[j] = order[i]
            a, b = contests.first[c], contests.second[c]
            surprise = contests.score[c * score_step] - win_chance(rating[a] - rating[b], curve)
            rating[a] += contests.k[c * k_step, 0] * surprise
            rating[b] -= contests.k[c * k_step, 1] * surprise

"""Elo ratings over contests in random order."""

import numpy as np

from peckorder.kernels import compiled
from peckorder.kernels.elo import win_chance
from peckorder.kernels.random import begin, below


@compiled
def rate_shuffled(
    key, first_run,                  # streams of random numbers, and the number of the first run
    first, second,                   # codes of the two sides, one pair a contest
    score, score_step, k, k_step,    # as in elo.rate
    curve, parameter, percents,      # the win curve
    start,                           # starting ratings
    cut,                             # contests of the first part; the rest begins anew
    out,                             # ratings, (runs, 1 or 2 parts, individuals)
):  # fmt: skip
    """Rate the contests in a new order for each run, shuffled as they are rated."""
    number = first.size
    random = np.empty(4, np.uint64)
    order = np.empty(number, np.int32)
    for run in range(out.shape[0]):
        begin(random, key, first_run + run)
        for i in range(number):
            order[i] = i
        for part in range(out.shape[1]):
            out[run, part] = start
        part = 0
        for i in range(number):
            if i == cut:
                part = out.shape[1] - 1
            rating = out[run, part]
            j = i + below(random, number - i)
            c = order[j]
            order[j] = order[i]
            a, b = first[c], second[c]
            chance = win_chance(rating[a] - rating[b], curve, parameter, percents)
            surprise = score[c * score_step] - chance
            rating[a] += k[c * k_step, 0] * surprise
            rating[b] -= k[c * k_step, 1] * surprise

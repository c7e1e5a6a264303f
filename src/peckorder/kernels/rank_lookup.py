"""Loops behind joins: where individuals stood at given moments, among those present."""

import math

import numpy as np

from peckorder.kernels import compiled


@compiled
def last_contests(winner, loser, done, codes, last, out):
    """Index of the last contest of each individual among the first `done` ones; −1 without one.

    `done` is in ascending order; `last` (one entry per individual) starts with −1.
    """
    i = 0
    for row in range(done.size):
        while i < done[row]:
            last[winner[i]] = i
            last[loser[i]] = i
            i += 1
        out[row] = last[codes[row]]


@compiled
def standings(rating, present, state, codes, slope, out):
    """Rank, scaled rating, proportional rank, expected number beaten and number present.

    `rating` and `present` are (states, individuals); each row is one individual in one state. The
    expected number beaten is for log-odds that are `slope` times the rating difference.
    """
    for row in range(codes.size):
        ratings = rating[state[row]]
        there = present[state[row]]
        own = ratings[codes[row]]
        number = higher = equal = 0
        low, high, beaten = own, own, -0.5  # its own entry in the sum is ½
        for j in range(ratings.size):
            if there[j]:
                x = ratings[j]
                number += 1
                higher += x > own
                equal += x == own
                low = min(low, x)
                high = max(high, x)
                beaten += 1.0 / (1.0 + math.exp(slope * (x - own)))
        rank = higher + 0.5 * (equal + 1)
        out[row, 0] = rank
        out[row, 1] = (own - low) / (high - low) if high > low else np.nan
        out[row, 2] = (number - rank) / (number - 1) if number > 1 else np.nan
        out[row, 3] = beaten
        out[row, 4] = number


@compiled
def drawn_standings(scores, strength, own, higher, sums, counts, beaten):
    """Over draws of one state: how often each rank was held, and the mean number beaten.

    `scores` and `strength` (e to the rating, natural scale) are (individuals present, draws), and
    `own` are the individuals in question. The inner loops run over draws, one after another in
    memory, so that several are done at a time. `higher` and `sums` hold one number per draw.
    """
    size, draws = scores.shape
    for row in range(own.size):
        mine = scores[own[row]]
        strong = strength[own[row]]
        for d in range(draws):
            higher[d] = 0
            sums[d] = 0.0
        for j in range(size):
            other = scores[j]
            weak = strength[j]
            for d in range(draws):
                higher[d] += np.int32(other[d] > mine[d])
                sums[d] += strong[d] / (strong[d] + weak[d])
        total = 0.0
        for d in range(draws):
            counts[row, higher[d]] += 1
            total += sums[d]
        beaten[row] = total / draws - 0.5

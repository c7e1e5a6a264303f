"""Constant strengths with a normal prior, refitted after contests were removed or reversed.

P(i beats j) = 1/(1 + e^(x_j − x_i)), x ~ N(0, sd²), fitted by Newton's method (Bradley & Terry
1952, with a prior). Contests of one pair with the same outcome are interchangeable: they are one
cell. A claim about the order is a side of each individual: 1 those that rank above, −1 those below
(0: anywhere); its margin is the smallest difference between the two sides.
"""

import math
from typing import NamedTuple

import numpy as np

from peckorder.kernels import compiled, copy
from peckorder.kernels.paired import factorize, solve_factorized
from peckorder.kernels.random import begin, below

STEPS, LARGEST_STEP, PRECISION = 50, 2.0, 1e-8


class Cells(NamedTuple):
    """Outcomes of pairs: winner, loser, and whether it is a tie (half a win of each)."""

    winner: np.ndarray
    loser: np.ndarray
    tied: np.ndarray


@compiled
def fit(wins, sd, x, curvature, step):
    """Bring x to the posterior mode; the lower triangle of `curvature` holds its root there."""
    size, weight = x.size, 1.0 / (sd * sd)
    for _ in range(STEPS):
        for i in range(size):
            step[i, 0] = -x[i] * weight
            for j in range(i):
                curvature[i, j] = 0.0
            curvature[i, i] = weight
        for i in range(size):
            for j in range(i):
                number = wins[i, j] + wins[j, i]
                if number > 0.0:
                    chance = 1.0 / (1.0 + math.exp(x[j] - x[i]))
                    surprise = wins[i, j] - number * chance
                    information = number * chance * (1.0 - chance)
                    step[i, 0] += surprise
                    step[j, 0] -= surprise
                    curvature[i, i] += information
                    curvature[j, j] += information
                    curvature[i, j] -= information
        factorize(curvature)
        solve_factorized(curvature, step)
        largest = 0.0
        for i in range(size):
            largest = max(largest, abs(step[i, 0]))
        shrink = min(1.0, LARGEST_STEP / max(largest, PRECISION))
        for i in range(size):
            x[i] += shrink * step[i, 0]
        if largest < PRECISION:
            break


@compiled
def margin(wins, x, side):
    """Lowest of those above minus highest of those below; infinite where it cannot be judged.

    Individuals without contests have no rank: one above makes a claim meaningless.
    """
    low, high = np.inf, -np.inf
    for i in range(x.size):
        if side[i] == 0:
            continue
        met = False
        for j in range(x.size):
            if wins[i, j] + wins[j, i] > 0.0:
                met = True
                break
        if side[i] > 0:
            if not met:
                return np.inf
            low = min(low, x[i])
        elif met:
            high = max(high, x[i])
    return low - high


@compiled
def add(wins, cells, c, amount):
    """Add contests of a cell."""
    i, j = cells.winner[c], cells.loser[c]
    if cells.tied[c]:
        wins[i, j] += 0.5 * amount
        wins[j, i] += 0.5 * amount
    else:
        wins[i, j] += amount


@compiled
def margins_without(wins, cells, picks, reverse, side, sd, start, out):
    """The margin after one contest of each picked cell was removed, or reversed."""
    x, curvature, step = start.copy(), np.empty_like(wins), np.empty((start.size, 1))
    for n in range(picks.size):
        c = picks[n]
        add(wins, cells, c, -1.0)
        if reverse:
            wins[cells.loser[c], cells.winner[c]] += 1.0
        copy(x, start)
        fit(wins, sd, x, curvature, step)
        out[n] = margin(wins, x, side)
        add(wins, cells, c, 1.0)
        if reverse:
            wins[cells.loser[c], cells.winner[c]] -= 1.0


@compiled
def smallest_set(wins, cells, number, size, side, sd, start, chosen):
    """Whether some set of `size` contests reverses a claim; `chosen` holds the cells of the first.

    All multisets of cells are tried that do not exceed the number of contests of a cell.
    """
    x, curvature, step = start.copy(), np.empty_like(wins), np.empty((start.size, 1))
    chosen[:] = 0
    last = number.size - 1
    while True:
        possible, run = True, 0
        for t in range(size):
            run = run + 1 if t > 0 and chosen[t] == chosen[t - 1] else 1
            possible = possible and run <= number[chosen[t]]
        if possible:
            for t in range(size):
                add(wins, cells, chosen[t], -1.0)
            copy(x, start)
            fit(wins, sd, x, curvature, step)
            found = margin(wins, x, side) <= 0.0
            for t in range(size):
                add(wins, cells, chosen[t], 1.0)
            if found:
                return True
        t = size - 1
        while t >= 0 and chosen[t] == last:
            t -= 1
        if t < 0:
            return False
        chosen[t] += 1
        for u in range(t + 1, size):
            chosen[u] = chosen[t]


@compiled
def margins_at_random(key, first_run, wins, cells, cell_of, size, side, sd, start, out):
    """The margin after `size` contests were removed at random, one stream of numbers each."""
    random = np.empty(4, np.uint64)
    x, curvature, step = start.copy(), np.empty_like(wins), np.empty((start.size, 1))
    order = np.arange(cell_of.size)
    for run in range(out.size):
        begin(random, key, first_run + run)
        for i in range(order.size):
            order[i] = i
        for i in range(size):
            j = i + below(random, order.size - i)
            order[i], order[j] = order[j], order[i]
            add(wins, cells, cell_of[order[i]], -1.0)
        copy(x, start)
        fit(wins, sd, x, curvature, step)
        out[run] = margin(wins, x, side)
        for i in range(size):
            add(wins, cells, cell_of[order[i]], 1.0)

"""The No-U-Turn sampler: multinomial, with iterative trees and a metric learned in warm-up.

Hoffman & Gelman 2014 (JMLR 15:1593–1623); multinomial weights after Betancourt 2017
(arXiv:1701.02434); trees without recursion after Phan, Pradhan & Jankowiak 2019 (arXiv:1912.11554).

The metric is a square root T of the covariance of the target: momentum is standard normal and a
position moves by T times momentum. Sampling is written once for any target: the type of `target`
says which `density` and which `refresh` are meant, by Numba's `overload` (see `posterior`).
"""

import math

import numpy as np
from numba import njit

from peckorder.kernels.random import begin, normal, uniform

MAX_DEPTH = 10
TOO_FAR = 1000.0  # an energy error beyond it is a divergence
# Rows of the work space: edges of the trajectory (position, momentum, slope), the moving end,
# proposals with their slopes, sums of momenta, a step, and checkpoints of the U-turn test.
LEFT, LEFT_P, LEFT_G, RIGHT, RIGHT_P, RIGHT_G, X, P, G = 0, 1, 2, 3, 4, 5, 6, 7, 8
NOW, NOW_G, NEW, NEW_G, SUM, SUBTREE, STEP, CHECK = 9, 10, 11, 12, 13, 14, 15, 16
ROWS = CHECK + 2 * (MAX_DEPTH + 1)
STATISTICS = 6  # log density, energy, acceptance, leapfrog steps, depth, divergence
KAPPA, GAMMA, DELAY = 0.75, 0.05, 10.0  # of dual averaging
STOPPED, DONE, HOPELESS = 0, 1, 2
generic = njit(nogil=True)  # compiled into what calls it, which is kept on disk


def density(x, slope, target):
    """Fill the gradient at a position and return the log density; each target has its own."""
    raise TypeError(f"No density is known for {type(target).__name__}.")


def refresh(x, random, target):
    """Move a position by any further kernel that leaves the target as it is; whether it moved."""
    raise TypeError(f"No kernel is known for {type(target).__name__}.")


@generic
def dot(a, b):
    total = 0.0
    for i in range(a.size):
        total += a[i] * b[i]
    return total


@generic
def scaled(metric, momentum, out):
    """out = T p."""
    size = momentum.size
    if metric.shape[0] == 1:
        for i in range(size):
            out[i] = metric[0, i] * momentum[i]
        return
    for i in range(size):
        row = metric[i]
        total = 0.0
        for j in range(i + 1):
            total += row[j] * momentum[j]
        out[i] = total


@generic
def scaled_back(metric, slope, out):
    """out = Tᵀ g."""
    size = slope.size
    if metric.shape[0] == 1:
        for i in range(size):
            out[i] = metric[0, i] * slope[i]
        return
    out[:] = 0.0
    for i in range(size):
        row = metric[i]
        g = slope[i]
        for j in range(i + 1):
            out[j] += row[j] * g


@generic
def leap(target, metric, step_size, x, p, g, step, slope):
    """One leapfrog step in place; g holds Tᵀ × gradient. Returns the log density."""
    for i in range(x.size):
        p[i] += 0.5 * step_size * g[i]
    scaled(metric, p, step)
    for i in range(x.size):
        x[i] += step_size * step[i]
    value = density(x, slope, target)
    scaled_back(metric, slope, g)
    for i in range(x.size):
        p[i] += 0.5 * step_size * g[i]
    return value


@generic
def turning(one, other, total):
    """Whether the trajectory between two momenta turns back (both ends counted half)."""
    first = 0.0
    second = 0.0
    for i in range(one.size):
        middle = total[i] - 0.5 * (one[i] + other[i])
        first += one[i] * middle
        second += other[i] * middle
    return first <= 0.0 or second <= 0.0


@generic
def log_add(a, b):
    if a == -math.inf:
        return b
    if b == -math.inf:
        return a
    return max(a, b) + math.log1p(math.exp(-abs(a - b)))


@generic
def subtree(target, metric, step_size, depth, energy, random, work, slope, tally):
    """Double the trajectory at its moving end (X, P, G) by 2^depth steps.

    Fills the proposal NEW and the sum of momenta SUBTREE; `tally` counts steps, the sum of
    acceptance and divergences. Returns the log weight, the proposal's log density, and whether
    the subtree may be joined.
    """
    x, p, g = work[X], work[P], work[G]
    total = work[SUBTREE]
    total[:] = 0.0
    weight = -math.inf
    proposed = -math.inf
    for leaf in range(1 << depth):
        value = leap(target, metric, step_size, x, p, g, work[STEP], slope)
        error = energy - value + 0.5 * dot(p, p)  # H − H₀, with energy = −H₀
        tally[0] += 1.0
        if not error < TOO_FAR:
            tally[2] += 1.0
            return weight, proposed, False
        tally[1] += min(1.0, math.exp(-error))
        weight = log_add(weight, -error)
        if math.log(uniform(random)) < -error - weight:
            work[NEW, :] = x
            work[NEW_G, :] = g
            proposed = value
        for i in range(p.size):
            total[i] += p[i]
        # Leaves at even places are remembered, as many as there are unfinished subtrees.
        bits = 0
        rest = leaf >> 1
        while rest:
            bits += rest & 1
            rest >>= 1
        if leaf & 1 == 0:
            work[CHECK + 2 * bits, :] = p
            work[CHECK + 2 * bits + 1, :] = total
            continue
        rest = leaf
        place = bits
        while rest & 1:
            old = work[CHECK + 2 * place]
            for i in range(p.size):
                work[STEP, i] = total[i] - work[CHECK + 2 * place + 1, i] + old[i]
            if turning(old, p, work[STEP]):
                return weight, proposed, False
            rest >>= 1
            place -= 1
    return weight, proposed, True


@generic
def transition(target, metric, step_size, value, random, work, slope, statistics):
    """From NOW to the next draw; returns its log density."""
    size = slope.size
    for i in range(size):
        work[LEFT_P, i] = normal(random)
    for row in (LEFT, RIGHT):
        work[row, :] = work[NOW]
        work[row + 2, :] = work[NOW_G]
    work[RIGHT_P, :] = work[LEFT_P]
    work[SUM, :] = work[LEFT_P]
    energy = value - 0.5 * dot(work[LEFT_P], work[LEFT_P])
    weight = 0.0
    tally = np.zeros(3)
    depth = 0
    while depth < MAX_DEPTH:
        forward = uniform(random) < 0.5
        edge = RIGHT if forward else LEFT
        for row in range(3):
            work[X + row, :] = work[edge + row]
        more, proposed, joined = subtree(
            target, metric, step_size if forward else -step_size, depth, energy,
            random, work, slope, tally,
        )  # fmt: skip
        depth += 1
        if not joined:
            break
        for row in range(3):
            work[edge + row, :] = work[X + row]
        if math.log(uniform(random)) < more - weight:
            work[NOW, :] = work[NEW]
            work[NOW_G, :] = work[NEW_G]
            value = proposed
        weight = log_add(weight, more)
        for i in range(size):
            work[SUM, i] += work[SUBTREE, i]
        if turning(work[LEFT_P], work[RIGHT_P], work[SUM]):
            break
    statistics[0] = value
    statistics[1] = -energy
    statistics[2] = tally[1] / tally[0]
    statistics[3] = tally[0]
    statistics[4] = depth
    statistics[5] = tally[2]
    return value


@generic
def first_step_size(target, metric, value, random, work, slope):
    """A step size whose first step is accepted with a chance near 0.8."""
    step_size = 1.0
    direction = 0
    for _ in range(60):
        work[X, :] = work[NOW]
        work[G, :] = work[NOW_G]
        for i in range(slope.size):
            work[P, i] = normal(random)
        before = value - 0.5 * dot(work[P], work[P])
        after = leap(target, metric, step_size, work[X], work[P], work[G], work[STEP], slope)
        change = after - 0.5 * dot(work[P], work[P]) - before
        wanted = 1 if change > math.log(0.8) else -1
        if direction == 0:
            direction = wanted
        elif direction != wanted:
            break
        step_size *= 2.0 if direction == 1 else 0.5
    return step_size


@generic
def learn(metric, draws, number):
    """T from draws: shrunken standard deviations, or the Cholesky factor of the covariance."""
    size = draws.shape[1]
    mean = np.zeros(size)
    for i in range(number):
        for j in range(size):
            mean[j] += draws[i, j] / number
    variance = np.zeros(size)
    for i in range(number):
        for j in range(size):
            variance[j] += (draws[i, j] - mean[j]) ** 2
    keep = number / (number + 5.0)
    for j in range(size):
        variance[j] = keep * variance[j] / (number - 1) + 1e-3 * (1.0 - keep)
    if metric.shape[0] == 1:
        for j in range(size):
            metric[0, j] = math.sqrt(variance[j])
        return
    # Correlations are taken at their word as far as the number of draws can bear it.
    trust = number / (number + size + 5.0)
    for i in range(size):
        for j in range(i + 1):
            total = 0.0
            for n in range(number):
                total += (draws[n, i] - mean[i]) * (draws[n, j] - mean[j])
            metric[i, j] = variance[i] if i == j else trust * keep * total / (number - 1)
        for j in range(i + 1, size):
            metric[i, j] = 0.0
    for i in range(size):  # Cholesky in place
        for j in range(i + 1):
            total = metric[i, j]
            for m in range(j):
                total -= metric[i, m] * metric[j, m]
            metric[i, j] = math.sqrt(total) if i == j else total / metric[j, j]


@generic
def sample(target, key, chain, start, warmup, metric, accept, draws, statistics, done, stop):
    """One chain: `warmup` draws that tune step size and metric, then as many as `draws` holds.

    `start` holds the first position and `metric` a first T. After each draw `done[chain]` grows;
    the chain ends early when `stop[0]` is set. Returns DONE, STOPPED or HOPELESS (no finite
    density around the start), and the step size.
    """
    size = start.size
    random = np.empty(4, np.uint64)
    begin(random, key, chain)
    work = np.zeros((ROWS, size))
    slope = np.zeros(size)
    value = -math.inf
    for _ in range(100):
        for i in range(size):
            work[NOW, i] = start[i] + 0.5 * normal(random)
        value = density(work[NOW], slope, target)
        if math.isfinite(value):
            break
    if not math.isfinite(value):
        return HOPELESS, 0.0
    scaled_back(metric, slope, work[NOW_G])
    step_size = first_step_size(target, metric, value, random, work, slope)
    center, smooth, error, count = math.log(10.0 * step_size), 0.0, 0.0, 0.0

    # Windows as in Stan: a fast start, windows that double, a fast end.
    first, last, window = 75, 50, 25
    if warmup < first + last + window:
        first, last = int(0.15 * warmup), int(0.1 * warmup)
        window = warmup - first - last
    window_end = first + window
    history = np.empty((max(warmup, 1), size))
    kept = 0
    own = np.zeros(STATISTICS)
    for i in range(warmup + draws.shape[0]):
        if stop[0]:
            return STOPPED, step_size
        value = transition(target, metric, step_size, value, random, work, slope, own)
        if refresh(work[NOW], random, target):
            value = density(work[NOW], slope, target)
            scaled_back(metric, slope, work[NOW_G])
        done[chain] += 1
        if i >= warmup:
            draws[i - warmup, :] = work[NOW]
            statistics[i - warmup, :] = own
            continue
        count += 1.0
        error += (accept - own[2] - error) / (count + DELAY)
        log_step = center - error * math.sqrt(count) / GAMMA
        share = count**-KAPPA
        smooth = share * log_step + (1.0 - share) * smooth
        step_size = math.exp(log_step)
        if first <= i < warmup - last:
            history[kept, :] = work[NOW]
            kept += 1
            if i + 1 == window_end:
                if kept > 2:
                    learn(metric, history, kept)
                kept = 0
                window *= 2
                window_end = i + 1 + window
                if window_end + 2 * window > warmup - last:  # no room for a whole one after it
                    window_end = warmup - last
                density(work[NOW], slope, target)
                scaled_back(metric, slope, work[NOW_G])
                step_size = first_step_size(target, metric, value, random, work, slope)
                center, smooth, error, count = math.log(10.0 * step_size), 0.0, 0.0, 0.0
        if i + 1 == warmup:
            step_size = math.exp(smooth)
    return DONE, step_size

"""The No-U-Turn sampler: multinomial, with iterative trees and a metric learned in warm-up.

Hoffman & Gelman 2014 (JMLR 15:1593–1623); multinomial weights after Betancourt 2017
(arXiv:1701.02434); trees without recursion after Phan, Pradhan & Jankowiak 2019 (arXiv:1912.11554).

The metric holds standard deviations of the target: momentum is standard normal and a position
moves by metric × momentum. Sampling is written once for any target: the type of `target`
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
generic = njit(
    nogil=True, error_model="numpy"
)  # compiled into what calls it, which is kept on disk


def density(x, slope, target):
    """Fill the gradient at a position and return the log density; each target has its own."""
    raise TypeError(f"No density is known for {type(target).__name__}.")


def refresh(x, random, target):
    """Move a position by any further kernel that leaves the target as it is; whether it moved."""
    raise TypeError(f"No kernel is known for {type(target).__name__}.")


@generic
def put(work, to, of):
    """Copy a row of the work space to another."""
    for i in range(work.shape[1]):
        work[to, i] = work[of, i]


@generic
def times(metric, slope, work, to):
    """Put metric × slope into a row of the work space."""
    for i in range(slope.size):
        work[to, i] = metric[i] * slope[i]


@generic
def leap(target, metric, step_size, work, slope):
    """One leapfrog step of X, P and G (metric × gradient) in place. Returns the log density."""
    size = slope.size
    for i in range(size):
        work[P, i] += 0.5 * step_size * work[G, i]
        work[X, i] += step_size * metric[i] * work[P, i]
    value = density(work[X], slope, target)
    times(metric, slope, work, G)
    for i in range(size):
        work[P, i] += 0.5 * step_size * work[G, i]
    return value


@generic
def turning(work, one, other, total):
    """Whether the trajectory between two momenta turns back (both ends counted half)."""
    first = 0.0
    second = 0.0
    for i in range(work.shape[1]):
        middle = work[total, i] - 0.5 * (work[one, i] + work[other, i])
        first += work[one, i] * middle
        second += work[other, i] * middle
    return first <= 0.0 or second <= 0.0


@generic
def log_add(a, b):
    if a == -math.inf:
        return b
    if b == -math.inf:
        return a
    return max(a, b) + math.log1p(math.exp(-abs(a - b)))


@generic
def kinetic(work, row):
    """Energy of a momentum."""
    total = 0.0
    for i in range(work.shape[1]):
        total += work[row, i] * work[row, i]
    return 0.5 * total


@generic
def subtree(target, metric, step_size, depth, energy, random, work, slope, tally):
    """Double the trajectory at its moving end (X, P, G) by 2^depth steps.

    Fills the proposal NEW and the sum of momenta SUBTREE; `tally` counts steps, the sum of
    acceptance and divergences. Returns the log weight, the proposal's log density, and whether
    the subtree may be joined.
    """
    size = slope.size
    for i in range(size):
        work[SUBTREE, i] = 0.0
    weight = -math.inf
    proposed = -math.inf
    for leaf in range(1 << depth):
        value = leap(target, metric, step_size, work, slope)
        error = energy - value + kinetic(work, P)  # H − H₀, with energy = −H₀
        tally[0] += 1.0
        if not error < TOO_FAR:
            tally[2] += 1.0
            return weight, proposed, False
        tally[1] += min(1.0, math.exp(-error))
        weight = log_add(weight, -error)
        if math.log(uniform(random)) < -error - weight:
            put(work, NEW, X)
            put(work, NEW_G, G)
            proposed = value
        for i in range(size):
            work[SUBTREE, i] += work[P, i]
        # Leaves at even places are remembered, as many as there are unfinished subtrees.
        bits = 0
        rest = leaf >> 1
        while rest:
            bits += rest & 1
            rest >>= 1
        if leaf & 1 == 0:
            put(work, CHECK + 2 * bits, P)
            put(work, CHECK + 2 * bits + 1, SUBTREE)
            continue
        rest = leaf
        place = CHECK + 2 * bits
        while rest & 1:
            for i in range(size):
                work[STEP, i] = work[SUBTREE, i] - work[place + 1, i] + work[place, i]
            if turning(work, place, P, STEP):
                return weight, proposed, False
            rest >>= 1
            place -= 2
    return weight, proposed, True


@generic
def transition(target, metric, step_size, value, random, work, slope, statistics):
    """From NOW to the next draw; returns its log density."""
    size = slope.size
    for i in range(size):
        work[LEFT_P, i] = normal(random)
    put(work, RIGHT_P, LEFT_P)
    put(work, SUM, LEFT_P)
    put(work, LEFT, NOW)
    put(work, RIGHT, NOW)
    put(work, LEFT_G, NOW_G)
    put(work, RIGHT_G, NOW_G)
    energy = value - kinetic(work, LEFT_P)
    weight = 0.0
    tally = np.zeros(3)
    depth = 0
    while depth < MAX_DEPTH:
        forward = uniform(random) < 0.5
        edge = RIGHT if forward else LEFT
        for row in range(3):
            put(work, X + row, edge + row)
        more, proposed, joined = subtree(
            target, metric, step_size if forward else -step_size, depth, energy,
            random, work, slope, tally,
        )  # fmt: skip
        depth += 1
        if not joined:
            break
        for row in range(3):
            put(work, edge + row, X + row)
        if math.log(uniform(random)) < more - weight:
            put(work, NOW, NEW)
            put(work, NOW_G, NEW_G)
            value = proposed
        weight = log_add(weight, more)
        for i in range(size):
            work[SUM, i] += work[SUBTREE, i]
        if turning(work, LEFT_P, RIGHT_P, SUM):
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
        put(work, X, NOW)
        put(work, G, NOW_G)
        for i in range(slope.size):
            work[P, i] = normal(random)
        before = value - kinetic(work, P)
        after = leap(target, metric, step_size, work, slope)
        change = after - kinetic(work, P) - before
        wanted = 1 if change > math.log(0.8) else -1
        if direction == 0:
            direction = wanted
        elif direction != wanted:
            break
        step_size *= 2.0 if direction == 1 else 0.5
    return step_size


@generic
def learn(metric, draws, number):
    """Standard deviations of the draws, drawn a little towards a small one (as in Stan)."""
    keep = number / (number + 5.0)
    for j in range(metric.size):
        mean = 0.0
        for i in range(number):
            mean += draws[i, j]
        mean /= number
        variance = 0.0
        for i in range(number):
            variance += (draws[i, j] - mean) ** 2
        metric[j] = math.sqrt(keep * variance / (number - 1) + 1e-3 * (1.0 - keep))


@generic
def sample(target, key, chain, start, warmup, metric, accept, draws, statistics, done, stop):
    """One chain: `warmup` draws that tune step size and metric, then as many as `draws` holds.

    `start` holds the first position and `metric` first standard deviations. After each draw
    `done[chain]` grows; the chain ends early when `stop[0]` is set. Returns DONE, STOPPED or
    HOPELESS (no finite density around the start), and the step size.
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
    times(metric, slope, work, NOW_G)
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
            times(metric, slope, work, NOW_G)
            own[0] = value
        done[chain] += 1
        if i >= warmup:
            for j in range(size):
                draws[i - warmup, j] = work[NOW, j]
            for j in range(STATISTICS):
                statistics[i - warmup, j] = own[j]
            continue
        count += 1.0
        error += (accept - own[2] - error) / (count + DELAY)
        log_step = center - error * math.sqrt(count) / GAMMA
        share = count**-KAPPA
        smooth = share * log_step + (1.0 - share) * smooth
        step_size = math.exp(log_step)
        if first <= i < warmup - last:
            for j in range(size):
                history[kept, j] = work[NOW, j]
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
                times(metric, slope, work, NOW_G)
                step_size = first_step_size(target, metric, value, random, work, slope)
                center, smooth, error, count = math.log(10.0 * step_size), 0.0, 0.0, 0.0
        if i + 1 == warmup and count > 0.0:
            step_size = math.exp(smooth)
    return DONE, step_size

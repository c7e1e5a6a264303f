"""The No-U-Turn sampler: multinomial, with iterative trees and a metric learned in warm-up.

Hoffman & Gelman 2014 (JMLR 15:1593–1623); multinomial weights after Betancourt 2017
(arXiv:1701.02434); trees without recursion after Phan, Pradhan & Jankowiak 2019 (arXiv:1912.11554).

The metric holds standard deviations of the target: momentum is standard normal and a position
moves by metric × momentum. Sampling is written once for any target: the type of `target` says
which `density` and which `refresh` are meant, by Numba's `overload` (see `posterior`).
"""

import math
from typing import NamedTuple

import numpy as np

from peckorder.kernels import copy, part
from peckorder.kernels.random import begin, normal, uniform

MAX_DEPTH = 10
TOO_FAR = 1000.0  # an energy error beyond it is a divergence
POSITION, MOMENTUM, SLOPE = 0, 1, 2  # rows of a point; the slope is metric × gradient
STATISTICS = 6  # log density, energy, acceptance, leapfrog steps, depth, divergence
KAPPA, GAMMA, DELAY = 0.75, 0.05, 10.0  # of dual averaging
STOPPED, DONE, HOPELESS = 0, 1, 2


class Chain(NamedTuple):
    """Which stream of random numbers a chain draws from, and how it is tuned."""

    key: np.uint64
    number: int
    warmup: int
    accept: float


class Record(NamedTuple):
    """What a chain writes down, and how it is watched and stopped from outside."""

    draws: np.ndarray
    statistics: np.ndarray
    done: np.ndarray  # draws made so far, by chain
    stop: np.ndarray  # not 0: stop


class Room(NamedTuple):
    """Where a chain works. A point has three rows: position, momentum and slope."""

    random: np.ndarray  # the state of its random numbers
    seen: np.ndarray  # draws of a window of warm-up
    ends: np.ndarray  # the draws before which windows begin and end (see `room_for`)
    statistics: np.ndarray  # of the last draw
    now: np.ndarray  # the last draw
    new: np.ndarray  # what a subtree proposes
    end: np.ndarray  # the moving end of the trajectory
    edges: np.ndarray  # its two ends, before the subtree
    whole: np.ndarray  # sum of momenta over the trajectory
    part: np.ndarray  # and over the subtree
    between: np.ndarray  # and over a part of it
    marks: np.ndarray  # momentum and sum of momenta at leaves where smaller subtrees begin
    gradient: np.ndarray


def density(x, gradient, target):
    """Fill the gradient at a position and return the log density; each target has its own."""
    raise TypeError(f"No density is known for {type(target).__name__}.")


def refresh(x, random, target):
    """Move a position by any further kernel that leaves the target as it is; whether it moved."""
    raise TypeError(f"No kernel is known for {type(target).__name__}.")


def room_for(size, warmup):
    """A room for positions of this size (made by plain Python).

    The metric is learned from windows of draws of warm-up, as in Stan: after a fast start come
    windows that double, the last one stretched, and a fast end.
    """
    start, end, length = 75, 50, 25
    if warmup < start + end + length:
        start, end = int(0.15 * warmup), int(0.1 * warmup)
        length = warmup - start - end
    ends = [start, start + length]
    while ends[-1] < warmup - end:
        length *= 2
        whole = ends[-1] + 3 * length <= warmup - end  # there is room for another one after it
        ends.append(ends[-1] + length if whole else warmup - end)
    shapes = [(3, size), (3, size), (3, size), (2, 3, size), size, size, size]
    shapes += [(MAX_DEPTH + 1, 2, size), size]
    return Room(
        np.empty(4, np.uint64),
        np.empty((max(warmup, 1), size)),
        np.array([*ends, -1]),
        np.zeros(STATISTICS),
        *(np.zeros(shape) for shape in shapes),
    )


@part
def copy_point(to, of):
    """Copy a point with its momentum and slope."""
    for row in range(3):
        copy(to[row], of[row])


@part
def throw(momentum, random):
    """Draw a momentum."""
    for i in range(momentum.size):
        momentum[i] = normal(random)


@part
def kinetic(momentum):
    """Energy of a momentum."""
    total = 0.0
    for i in range(momentum.size):
        total += momentum[i] * momentum[i]
    return 0.5 * total


@part
def turning(one, other, total):
    """Whether the trajectory between two momenta turns back (both ends counted half)."""
    first = 0.0
    second = 0.0
    for i in range(total.size):
        middle = total[i] - 0.5 * (one[i] + other[i])
        first += one[i] * middle
        second += other[i] * middle
    return first <= 0.0 or second <= 0.0


@part
def log_add(a, b):
    """log(e^a + e^b)."""
    if a == -math.inf:
        return b
    if b == -math.inf:
        return a
    return max(a, b) + math.log1p(math.exp(-abs(a - b)))


@part
def leap(target, metric, step_size, point, gradient):
    """One leapfrog step in place; of size 0 it fills the slope. Returns the log density."""
    size = gradient.size
    if step_size != 0.0:
        for i in range(size):
            point[MOMENTUM, i] += 0.5 * step_size * point[SLOPE, i]
            point[POSITION, i] += step_size * metric[i] * point[MOMENTUM, i]
    value = density(point[POSITION], gradient, target)
    for i in range(size):
        point[SLOPE, i] = metric[i] * gradient[i]
        if step_size != 0.0:
            point[MOMENTUM, i] += 0.5 * step_size * point[SLOPE, i]
    return value


@part
def turns_at(leaf, room):
    """Whether one of the smaller subtrees that end with this leaf turns back.

    Leaves at even places begin subtrees: of these, as many are remembered as are unfinished. A
    leaf at an odd place ends one subtree for each 1 that its number ends with.
    """
    momentum = room.end[MOMENTUM]
    open_subtrees = 0
    rest = leaf >> 1
    while rest:
        open_subtrees += rest & 1
        rest >>= 1
    if leaf & 1 == 0:
        copy(room.marks[open_subtrees, 0], momentum)
        copy(room.marks[open_subtrees, 1], room.part)
        return False
    rest = leaf
    while rest & 1:
        mark = room.marks[open_subtrees]
        for i in range(momentum.size):
            room.between[i] = room.part[i] - mark[1, i] + mark[0, i]
        if turning(mark[0], momentum, room.between):
            return True
        rest >>= 1
        open_subtrees -= 1
    return False


@part
def transition(target, metric, step_size, value, room, stop):
    """From the last draw to the next; returns its log density.

    Doubles the trajectory at one end, by 2^doubling steps, until it or a part of it turns back, or
    diverges, or after a `stop` from outside.
    """
    random, statistics = room.random, room.statistics
    for i in range(STATISTICS):
        statistics[i] = 0.0
    throw(room.now[MOMENTUM], random)
    for side in range(2):
        copy_point(room.edges[side], room.now)
    copy(room.whole, room.now[MOMENTUM])
    energy = value - kinetic(room.whole)
    weight = 0.0
    for doubling in range(MAX_DEPTH):
        statistics[4] += 1.0
        forward = uniform(random) < 0.5
        edge = room.edges[1 if forward else 0]
        step = step_size if forward else -step_size
        copy_point(room.end, edge)
        for i in range(room.part.size):
            room.part[i] = 0.0
        more = -math.inf  # log weight of the new steps
        proposed = -math.inf
        for leaf in range(1 << doubling):
            if stop[0]:
                break
            new = leap(target, metric, step, room.end, room.gradient)
            error = energy - new + kinetic(room.end[MOMENTUM])  # H − H₀, with energy = −H₀
            statistics[3] += 1.0
            if not error < TOO_FAR:
                statistics[5] += 1.0
                break
            statistics[2] += min(1.0, math.exp(-error))
            more = log_add(more, -error)
            if math.log(uniform(random)) < -error - more:
                copy_point(room.new, room.end)
                proposed = new
            for i in range(room.part.size):
                room.part[i] += room.end[MOMENTUM, i]
            if turns_at(leaf, room):
                break
        else:
            copy_point(edge, room.end)
            if math.log(uniform(random)) < more - weight:
                copy_point(room.now, room.new)
                value = proposed
            weight = log_add(weight, more)
            for i in range(room.whole.size):
                room.whole[i] += room.part[i]
            if not turning(room.edges[0, MOMENTUM], room.edges[1, MOMENTUM], room.whole):
                continue
        break
    statistics[1] = -energy
    statistics[2] /= max(statistics[3], 1.0)
    if refresh(room.now[POSITION], random, target):
        value = leap(target, metric, 0.0, room.now, room.gradient)
    statistics[0] = value
    return value


class StepSize(NamedTuple):
    """A step size learned by dual averaging (Nesterov 2009; Hoffman & Gelman 2014, section 3.2).

    Acceptance that is too low on average makes steps shorter than a long first guess, the more so
    the longer it lasts; what is kept in the end is a mean in which late steps weigh most.
    """

    now: float
    center: float  # log of the long first guess
    shortfall: float  # mean of the acceptance wanted less the one reached
    smooth: float  # mean of log step sizes
    number: float  # of draws


@part
def first_guess(step_size):
    """Dual averaging before its first draw."""
    return StepSize(step_size, math.log(10.0 * step_size), 0.0, 0.0, 0.0)


@part
def averaged(steps, wanted, reached):
    """The step size after one more draw."""
    number = steps.number + 1.0
    shortfall = steps.shortfall + (wanted - reached - steps.shortfall) / (number + DELAY)
    log_step = steps.center - shortfall * math.sqrt(number) / GAMMA
    share = number**-KAPPA
    smooth = share * log_step + (1.0 - share) * steps.smooth
    return StepSize(math.exp(log_step), steps.center, shortfall, smooth, number)


@part
def reasonable_step_size(target, metric, room):
    """A step size whose first step is accepted with a chance near 0.8."""
    value = leap(target, metric, 0.0, room.now, room.gradient)
    step_size = 1.0
    direction = 0
    for _ in range(60):
        copy_point(room.end, room.now)
        throw(room.end[MOMENTUM], room.random)
        before = value - kinetic(room.end[MOMENTUM])
        after = leap(target, metric, step_size, room.end, room.gradient)
        change = after - kinetic(room.end[MOMENTUM]) - before
        wanted = 1 if change > math.log(0.8) else -1
        if direction == 0:
            direction = wanted
        elif direction != wanted:
            break
        step_size *= 2.0 if direction == 1 else 0.5
    return step_size


@part
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


@part
def find_start(target, metric, start, room):
    """Put the first draw near `start`; returns its log density, which may not be finite."""
    value = -math.inf
    for _ in range(100):
        for i in range(start.size):
            room.now[POSITION, i] = start[i] + 0.5 * normal(room.random)
        value = leap(target, metric, 0.0, room.now, room.gradient)
        if math.isfinite(value):
            break
    return value


@part
def sample(target, chain, start, metric, record, room):
    """One chain: draws of warm-up that tune step size and metric, then as many as are recorded.

    `start` holds the first position and `metric` first standard deviations, which are changed.
    Returns DONE, STOPPED or HOPELESS (no finite density around the start), and the step size.
    """
    begin(room.random, chain.key, chain.number)
    value = find_start(target, metric, start, room)
    if not math.isfinite(value):
        return HOPELESS, 0.0
    steps = first_guess(1.0)
    window = 0  # windows that are over
    position, step_size = room.now[POSITION], 0.0
    for i in range(chain.warmup + record.draws.shape[0]):
        if record.stop[0]:
            return STOPPED, steps.now
        if i == 0 or i == room.ends[window + 1]:
            if i > 0:
                if i - room.ends[window] > 2:
                    learn(metric, room.seen, i - room.ends[window])
                window += 1
            steps = first_guess(reasonable_step_size(target, metric, room))
        step_size = steps.now
        if i >= chain.warmup and steps.number > 0.0:
            step_size = math.exp(steps.smooth)
        value = transition(target, metric, step_size, value, room, record.stop)
        record.done[chain.number] += 1
        if i >= chain.warmup:
            copy(record.draws[i - chain.warmup], position)
            copy(record.statistics[i - chain.warmup], room.statistics)
            continue
        steps = averaged(steps, chain.accept, room.statistics[2])
        if i >= room.ends[window] and room.ends[window + 1] > 0:
            copy(room.seen[i - room.ends[window]], position)
    return DONE, step_size

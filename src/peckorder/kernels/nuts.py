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

from peckorder.kernels import copy, inlined, part
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


@part
def room_for(size):
    """A room for positions of this size."""
    return Room(
        np.zeros((3, size)),
        np.zeros((3, size)),
        np.zeros((3, size)),
        np.zeros((2, 3, size)),
        np.zeros(size),
        np.zeros(size),
        np.zeros(size),
        np.zeros((MAX_DEPTH + 1, 2, size)),
        np.zeros(size),
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
def look(target, metric, point, gradient):
    """Log density of a point; fills its slope."""
    value = density(point[POSITION], gradient, target)
    for i in range(gradient.size):
        point[SLOPE, i] = metric[i] * gradient[i]
    return value


@part
def leap(target, metric, step_size, point, gradient):
    """One leapfrog step in place. Returns the log density."""
    size = gradient.size
    for i in range(size):
        point[MOMENTUM, i] += 0.5 * step_size * point[SLOPE, i]
        point[POSITION, i] += step_size * metric[i] * point[MOMENTUM, i]
    value = look(target, metric, point, gradient)
    for i in range(size):
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


@inlined
def subtree(target, metric, step_size, depth, energy, random, room, tally, stop):
    """Double the trajectory at its moving end by 2^depth steps.

    Fills the proposal and the sum of momenta of the subtree; `tally` counts steps, the sum of
    acceptance and divergences. Returns the log weight, the proposal's log density, and whether
    the subtree may be joined, which it may not after a `stop` from outside.
    """
    for i in range(room.part.size):
        room.part[i] = 0.0
    weight = -math.inf
    proposed = -math.inf
    for leaf in range(1 << depth):
        if stop[0]:
            return weight, proposed, False
        value = leap(target, metric, step_size, room.end, room.gradient)
        error = energy - value + kinetic(room.end[MOMENTUM])  # H − H₀, with energy = −H₀
        tally[0] += 1.0
        if not error < TOO_FAR:
            tally[2] += 1.0
            return weight, proposed, False
        tally[1] += min(1.0, math.exp(-error))
        weight = log_add(weight, -error)
        if math.log(uniform(random)) < -error - weight:
            copy_point(room.new, room.end)
            proposed = value
        for i in range(room.part.size):
            room.part[i] += room.end[MOMENTUM, i]
        if turns_at(leaf, room):
            return weight, proposed, False
    return weight, proposed, True


@inlined
def transition(target, metric, step_size, value, random, room, statistics, stop):
    """From the last draw to the next; returns its log density."""
    throw(room.now[MOMENTUM], random)
    for side in range(2):
        copy_point(room.edges[side], room.now)
    copy(room.whole, room.now[MOMENTUM])
    energy = value - kinetic(room.whole)
    weight = 0.0
    tally = np.zeros(3)
    depth = 0
    for doubling in range(MAX_DEPTH):
        depth = doubling + 1
        forward = uniform(random) < 0.5
        edge = room.edges[1 if forward else 0]
        step = step_size if forward else -step_size
        copy_point(room.end, edge)
        more, proposed, joined = subtree(
            target, metric, step, doubling, energy, random, room, tally, stop
        )
        if not joined:
            break
        copy_point(edge, room.end)
        if math.log(uniform(random)) < more - weight:
            copy_point(room.now, room.new)
            value = proposed
        weight = log_add(weight, more)
        for i in range(room.whole.size):
            room.whole[i] += room.part[i]
        if turning(room.edges[0, MOMENTUM], room.edges[1, MOMENTUM], room.whole):
            break
    statistics[0] = value
    statistics[1] = -energy
    statistics[2] = tally[1] / max(tally[0], 1.0)
    statistics[3] = tally[0]
    statistics[4] = depth
    statistics[5] = tally[2]
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
def settled(steps):
    """The step size to sample with."""
    now = math.exp(steps.smooth) if steps.number > 0.0 else steps.now
    return StepSize(now, steps.center, steps.shortfall, steps.smooth, steps.number)


@part
def reasonable_step_size(target, metric, value, random, room):
    """A step size whose first step is accepted with a chance near 0.8."""
    step_size = 1.0
    direction = 0
    for _ in range(60):
        copy_point(room.end, room.now)
        throw(room.end[MOMENTUM], random)
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


class Window(NamedTuple):
    """Draws of warm-up from which the metric is learned, as in Stan.

    After a fast start come windows that double, the last one stretched, and a fast end.
    """

    begin: int
    end: int
    length: int
    stop: int  # end of the last window


@part
def first_window(warmup):
    """The window after the fast start."""
    start, end, length = 75, 50, 25
    if warmup < start + end + length:
        start, end = int(0.15 * warmup), int(0.1 * warmup)
        length = warmup - start - end
    return Window(start, start + length, length, warmup - end)


@part
def next_window(window):
    """The window after a window; an empty one after the last."""
    length = 2 * window.length
    end = window.end + length
    if end + 2 * length > window.stop:  # no room for a whole one after it
        end = window.stop
    return Window(window.end, end, length, window.stop)


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


@inlined
def find_start(target, metric, start, random, room):
    """Put the first draw near `start`; returns its log density, which may not be finite."""
    value = -math.inf
    for _ in range(100):
        for i in range(start.size):
            room.now[POSITION, i] = start[i] + 0.5 * normal(random)
        value = look(target, metric, room.now, room.gradient)
        if math.isfinite(value):
            break
    return value


@inlined
def sample(target, chain, start, metric, record):
    """One chain: draws of warm-up that tune step size and metric, then as many as are recorded.

    `start` holds the first position and `metric` first standard deviations, which are changed.
    Returns DONE, STOPPED or HOPELESS (no finite density around the start), and the step size.
    """
    random = np.empty(4, np.uint64)
    begin(random, chain.key, chain.number)
    room = room_for(start.size)
    value = find_start(target, metric, start, random, room)
    if not math.isfinite(value):
        return HOPELESS, 0.0
    steps = first_guess(reasonable_step_size(target, metric, value, random, room))
    window = first_window(chain.warmup)
    seen = np.empty((max(chain.warmup, 1), start.size))
    statistics = np.zeros(STATISTICS)
    position = room.now[POSITION]
    for i in range(chain.warmup + record.draws.shape[0]):
        if record.stop[0]:
            return STOPPED, steps.now
        value = transition(target, metric, steps.now, value, random, room, statistics, record.stop)
        if refresh(position, random, target):
            value = look(target, metric, room.now, room.gradient)
            statistics[0] = value
        record.done[chain.number] += 1
        if i >= chain.warmup:
            copy(record.draws[i - chain.warmup], position)
            copy(record.statistics[i - chain.warmup], statistics)
            continue
        steps = averaged(steps, chain.accept, statistics[2])
        if window.begin <= i < window.end:
            copy(seen[i - window.begin], position)
            if i + 1 == window.end:
                if i + 1 - window.begin > 2:
                    learn(metric, seen, i + 1 - window.begin)
                look(target, metric, room.now, room.gradient)
                guess = reasonable_step_size(target, metric, value, random, room)
                steps = first_guess(guess)
                window = next_window(window)
        if i + 1 == chain.warmup:
            steps = settled(steps)
    return DONE, steps.now

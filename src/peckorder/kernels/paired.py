"""Bradley–Terry fits of resamples, from the estimate of all contests.

A resample gives a weight to each place: a dyad with its covariates and one outcome. Steps are those
of Newton's method with the inverse Hessian of the estimate, which is computed once (chord method).
A resample changes the Hessian little, so that a few passes over the places suffice: each multiplies
the error by the relative change, about 1/√contests.

The first pass is always at the estimate of all contests, where what each place adds to the gradient
is known beforehand. The following ones are near it, so that the odds of a place are those at the
estimate, which are kept, times e^shift with a small shift. Its power series is much faster than the
exponential function, because a processor computes it for several places at once; pieces of PIECE
places stay in its cache.

Equations with a positive definite matrix of middle size, by Cholesky factors in one thread.

Contests drawn again with replacement: the bootstrap of sums over contests.
"""

import math

import numpy as np

from peckorder.kernels import compiled, inlined, part
from peckorder.kernels.random import begin, below

FARTHEST = 300.0  # half log-odds: e^(2 · 300) is finite, and the probability is 1 but for rounding
SMALL = 0.5  # shift up to which the power series is accurate to 10^−12
PIECE = 512


@inlined
def expected(root, nu):
    """The expected outcome of a contest (1, 0, −1), and the probability of a tie.

    `root` is the square root of the odds that the other side wins.
    """
    odds = root * root
    whole = 1.0 + odds + nu * root
    return (1.0 - odds) / whole, nu * root / whole


@inlined
def small_power(shift):
    """e^shift by its power series."""
    s = shift
    high = 1.0 + s * (1.0 / 8 + s * (1.0 / 72 + s * (1.0 / 720 + s * (1.0 / 7920))))
    low = 1.0 + s * (1.0 / 4 + s * (1.0 / 20 + s * (1.0 / 120 + s * (1.0 / 840) * high)))
    return 1.0 + s * (1.0 + s * (1.0 / 2 + s * (1.0 / 6) * low))


@part
def tie_parameter(known, tied, x):
    """Davidson's ν, or 0 if ties are not modeled."""
    return math.exp(x[x.size - tied - known.shape[0]]) if tied == 1 else 0.0


@part
def score_of(outcome):
    """The score of the first side: 1, −1 and 0 for wins, losses and ties."""
    return 1.0 - 2.0 * outcome if outcome < 2 else 0.0


@part
def worth_of(outcome, tie_worth):
    """Contests that one contest counts for."""
    return tie_worth if outcome == 2 else 1.0


@compiled
def set_pulls(one, other, bounds, tie_worth, known, tied, x, root, pull, surplus):
    """The root of the odds of each place, and what one contest adds to the gradient.

    That is a pull on its two sides and a surplus of ties for log ν. Wins are the places from
    bounds[0] to bounds[1], followed by losses and ties; `tie_worth` is 1, or 2 for ties that count
    as wins of both sides.
    """
    effects = known.shape[0]
    size = x.size - tied - effects
    nu = tie_parameter(known, tied, x)
    for outcome in range(3):
        score, worth = score_of(outcome), worth_of(outcome, tie_worth)
        for place in range(bounds[outcome], bounds[outcome + 1]):
            half = x[one[place]] - x[other[place]]
            for effect in range(effects):
                half += known[effect, place] * x[size + tied + effect]
            root[place] = math.exp(-min(max(0.5 * half, -FARTHEST), FARTHEST))
            ahead, level = expected(root[place], nu)
            pull[place] = 0.5 * (score - worth * ahead)
            if tied == 1:
                surplus[place] = (1.0 if outcome == 2 else 0.0) - worth * level


@part
def add_to_sides(one, other, first, pulls, number, gradient):
    """Add pulls to the gradient of both sides; adjacent places mostly have the same ones."""
    high, low, total = one[first], other[first], 0.0
    for i in range(number):
        if one[first + i] != high or other[first + i] != low:
            gradient[high] += total
            gradient[low] -= total
            high, low, total = one[first + i], other[first + i], 0.0
        total += pulls[i]
    gradient[high] += total
    gradient[low] -= total


@part
def add_to_effects(known, first, pulls, number, tied, gradient):
    """Add pulls times covariates to the gradient of the coefficients."""
    effects = known.shape[0]
    for effect in range(effects):
        total = 0.0
        for i in range(number):
            total += known[effect, first + i] * pulls[i]
        gradient[gradient.size - effects + effect] += total


@part
def add_known_pulls(one, other, known, weight, pull, surplus, tied, gradient, pulls):
    """Add the pulls of all places at the start to the gradient."""
    for first in range(0, one.size, PIECE):
        number = min(PIECE, one.size - first)
        for i in range(number):
            pulls[i] = weight[first + i] * pull[first + i]
        add_to_sides(one, other, first, pulls, number, gradient)
        add_to_effects(known, first, pulls, number, tied, gradient)
        if tied == 1:
            for i in range(number):
                size = gradient.size - 1 - known.shape[0]
                gradient[size] += weight[first + i] * surplus[first + i]


@part
def largest_shift(known, reach, tied, move):
    """No place shifts by more; `reach` is the largest size of each covariate."""
    size = move.size - tied - known.shape[0]
    low, high = move[0], move[0]
    for i in range(size):
        low, high = min(low, move[i]), max(high, move[i])
    total = high - low
    for effect in range(known.shape[0]):
        total += abs(move[size + tied + effect]) * reach[effect]
    return 0.5 * total


@part
def set_powers(one, other, known, tied, move, near, first, number, powers):
    """The factors of the roots of odds of a piece, moved from the start."""
    effects = known.shape[0]
    for i in range(number):
        powers[i] = 0.5 * (move[other[first + i]] - move[one[first + i]])
    for effect in range(effects):
        half = 0.5 * move[move.size - effects + effect]
        for i in range(number):
            powers[i] -= half * known[effect, first + i]
    if near:
        for i in range(number):
            powers[i] = small_power(powers[i])
    else:
        for i in range(number):
            powers[i] = math.exp(powers[i])


@part
def add_pulls(
    one, other, bounds, tie_worth, known, reach, weight, root, tied, x, move, gradient, pulls
):
    """Add what the contests of all places contribute to the gradient at x, moved from the start."""
    size = x.size - tied - known.shape[0]
    nu = tie_parameter(known, tied, x)
    near = largest_shift(known, reach, tied, move) <= SMALL
    for outcome in range(3):
        score, worth = 0.5 * score_of(outcome), 0.5 * worth_of(outcome, tie_worth)
        for first in range(bounds[outcome], bounds[outcome + 1], PIECE):
            number = min(PIECE, bounds[outcome + 1] - first)
            set_powers(one, other, known, tied, move, near, first, number, pulls)
            if tied == 1:
                for i in range(number):
                    level = expected(root[first + i] * pulls[i], nu)[1]
                    gradient[size] -= weight[first + i] * 2.0 * worth * level
                    gradient[size] += weight[first + i] if outcome == 2 else 0
            for i in range(number):  # the powers become pulls
                ahead = expected(root[first + i] * pulls[i], nu)[0]
                pulls[i] = weight[first + i] * (score - worth * ahead)
            add_to_sides(one, other, first, pulls, number, gradient)
            add_to_effects(known, first, pulls, number, tied, gradient)


@compiled
def climb(
    one,
    other,
    bounds,
    tie_worth,
    known,
    reach,
    root,
    pull,
    surplus,
    weight,
    tied,
    precision,
    inverse,
    x,
    steps,
    flat,
):
    """Move x to the maximum; whether it was reached within a number of steps.

    `known` are covariates (coefficients × places) and `reach` the largest size of each; `root`,
    `pull` and `surplus` are those of `set_pulls` at x; `weight` is the number of contests of each
    place; `tied` is 1 if log ν is estimated; `precision` is that of the prior of each parameter; x
    are abilities, log ν and coefficients.
    """
    gradient, move, last = np.empty(x.size), np.zeros(x.size), np.inf
    pulls = np.empty(PIECE)
    for passes in range(steps):
        for i in range(x.size):
            gradient[i] = -precision[i] * x[i]
        if passes == 0:
            add_known_pulls(one, other, known, weight, pull, surplus, tied, gradient, pulls)
        else:
            add_pulls(
                one,
                other,
                bounds,
                tie_worth,
                known,
                reach,
                weight,
                root,
                tied,
                x,
                move,
                gradient,
                pulls,
            )
        largest = 0.0
        for i in range(x.size):
            step = 0.0
            for j in range(x.size):
                step += inverse[i, j] * gradient[j]
            largest = max(largest, abs(step))
            x[i] += step
            move[i] += step
        if not largest < 2.0 * last:  # diverges (or is not a number)
            return False
        # The next step would be shorter by about the same factor.
        factor = largest / last if last < np.inf else 1.0
        if largest < flat or (factor < 0.5 and largest * factor < flat):
            return True
        last = largest
    return False


@compiled
def count_items(places, picks, out):
    """Add 1 to out[places[item]] for each item picked; `places` increases with the item.

    Items are counted in bytes, which stay in the cache: that one of a million items is drawn more
    than 255 times in a million draws does not happen (the probability is below 10^−500).
    """
    times = np.zeros(places.size, np.uint8)
    for item in picks:
        times[item] += np.uint8(1)
    for item in range(places.size):
        out[places[item]] += times[item]


@part
def reached(beats, label, begin, forward, seen, queue):
    """Number of individuals of the set of `begin` that chains of wins lead to (or come from)."""
    seen[begin] = True
    queue[0] = begin
    number, done = 1, 0
    while done < number:
        at = queue[done]
        done += 1
        for other in range(label.size):
            arc = beats[at, other] if forward else beats[other, at]
            if arc and not seen[other] and label[other] == label[at]:
                seen[other] = True
                queue[number] = other
                number += 1
    return number


@part
def mark(beats, high, low, outcome, drawn):
    """Note who won, if any contest of a dyad with this outcome was drawn."""
    if outcome != 1:
        beats[high, low] |= drawn
    if outcome != 0:
        beats[low, high] |= drawn


@compiled
def sets_are_connected(one, other, bounds, weight, label, members):
    """Whether each set (with its number of members) is strongly connected by wins and ties."""
    size = label.size
    beats = np.zeros((size, size), np.bool_)
    for outcome in range(3):
        high, low, drawn = 0, 0, False
        for place in range(bounds[outcome], bounds[outcome + 1]):
            if one[place] != high or other[place] != low:
                mark(beats, high, low, outcome, drawn)
                high, low, drawn = one[place], other[place], False
            drawn |= weight[place] > 0
        mark(beats, high, low, outcome, drawn)
    queue, checked = np.empty(size, np.int64), np.zeros(members.size, np.bool_)
    for start in range(size):
        own = label[start]
        if not checked[own]:
            checked[own] = True
            for forward in (True, False):
                seen = np.zeros(size, np.bool_)
                if reached(beats, label, start, forward, seen, queue) < members[own]:
                    return False
    return True


@compiled
def factorize(matrix):
    """Replace the lower triangle by L with L L′ = matrix; False if it is not positive definite."""
    for i in range(matrix.shape[0]):
        for j in range(i):
            total = matrix[i, j]
            for k in range(j):
                total -= matrix[i, k] * matrix[j, k]
            matrix[i, j] = total / matrix[j, j]
        total = matrix[i, i]
        for k in range(i):
            total -= matrix[i, k] * matrix[i, k]
        if not total > 0.0:
            return False
        matrix[i, i] = math.sqrt(total)
    return True


@compiled
def solve_factorized(lower, right):
    """Replace the columns of `right` by the solutions of L L′ x = right."""
    size, columns = right.shape
    for i in range(size):
        for j in range(i):
            for c in range(columns):
                right[i, c] -= lower[i, j] * right[j, c]
        for c in range(columns):
            right[i, c] /= lower[i, i]
    for i in range(size - 1, -1, -1):
        for c in range(columns):
            right[i, c] /= lower[i, i]
        for j in range(i):
            for c in range(columns):
                right[j, c] -= lower[i, j] * right[i, c]


@compiled
def resampled_sums(columns, key, first_run, out):
    """Column sums of as many rows drawn at random, in out[run]."""
    random = np.empty(4, np.uint64)
    size, width = columns.shape
    for run in range(out.shape[0]):
        begin(random, key, first_run + run)
        for c in range(width):
            out[run, c] = 0.0
        for _ in range(size):
            i = below(random, size)
            for c in range(width):
                out[run, c] += columns[i, c]

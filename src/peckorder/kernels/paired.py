"""Bradley–Terry fits of resamples, from the estimate of all contests.

Steps are those of Newton's method with the inverse Hessian of the estimate, which is computed once
(chord method). A resample changes the Hessian little, so that a few passes over the entries
suffice: each multiplies the error by the relative change, about 1/√contests.
"""

import math

import numpy as np

from peckorder.kernels import compiled, part


@part
def add_pulls(one, other, won, lost, drawn, known, tied, x, gradient):
    """Add what the contests of all entries contribute to the gradient of the log-likelihood."""
    effects = known.shape[1]
    size = x.size - tied - effects
    nu = math.exp(x[size]) if tied == 1 else 0.0
    for entry in range(one.size):
        contests = won[entry] + lost[entry] + drawn[entry]
        if contests == 0.0:
            continue
        first, second = one[entry], other[entry]
        half = x[first] - x[second]
        for place in range(effects):
            half += known[entry, place] * x[size + tied + place]
        half *= 0.5
        near = math.exp(-abs(half))
        far = near * near
        whole = 1.0 + far + nu * near
        ahead = (1.0 - far) / whole
        if half < 0.0:
            ahead = -ahead
        pull = 0.5 * (won[entry] - lost[entry] - contests * ahead)
        gradient[first] += pull
        gradient[second] -= pull
        if tied == 1:
            gradient[size] += drawn[entry] - contests * nu * near / whole
        for place in range(effects):
            gradient[size + tied + place] += known[entry, place] * pull


@compiled
def climb(one, other, won, lost, drawn, known, tied, precision, inverse, x, steps, flat):
    """Move x to the maximum; whether it was reached within a number of steps.

    `known` are covariates (entries × coefficients), `tied` is 1 if log ν is estimated; x are
    abilities, log ν and coefficients.
    """
    gradient, last = np.empty(x.size), np.inf
    for _ in range(steps):
        for i in range(x.size):
            gradient[i] = -precision * x[i]
        add_pulls(one, other, won, lost, drawn, known, tied, x, gradient)
        largest = 0.0
        for i in range(x.size):
            step = 0.0
            for j in range(x.size):
                step += inverse[i, j] * gradient[j]
            largest = max(largest, abs(step))
            x[i] += step
        if not largest < 2.0 * last:  # diverges (or is not a number)
            return False
        # The next step would be shorter by about the same factor.
        factor = largest / last if last < np.inf else 1.0
        if largest < flat or (factor < 0.5 and largest * factor < flat):
            return True
        last = largest
    return False


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


@compiled
def sets_are_connected(one, other, won, lost, drawn, label, members):
    """Whether each set (with its number of members) is strongly connected by wins and ties."""
    size = label.size
    beats = np.zeros((size, size), np.bool_)
    for entry in range(one.size):
        if won[entry] + drawn[entry] > 0.0:
            beats[one[entry], other[entry]] = True
        if lost[entry] + drawn[entry] > 0.0:
            beats[other[entry], one[entry]] = True
    queue, checked = np.empty(size, np.int64), np.zeros(members.size, np.bool_)
    for begin in range(size):
        own = label[begin]
        if not checked[own]:
            checked[own] = True
            for forward in (True, False):
                seen = np.zeros(size, np.bool_)
                if reached(beats, label, begin, forward, seen, queue) < members[own]:
                    return False
    return True

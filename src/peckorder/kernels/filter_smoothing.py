"""Ratings in hindsight: the backward adjoint pass of a filter.

Given all contests, the state at an earlier time is N(m + P λ, P − P Λ P), where m and P are the
filter's mean and covariance at that time and λ and Λ gather, from the last contest backward, what
later ones say of it (the modified Bryson–Frazier smoother; Bierman 1973, Fixed interval smoothing
with discrete measurements). No matrix is inverted and each contest costs one product of a matrix
with a vector. The result equals conditioning the joint Gaussian of all states at once.
"""

import numpy as np

from peckorder.kernels import compiled
from peckorder.kernels.filters import forward, settings_of


@compiled
def contest_vector(record, t, h):
    """h of contest t, with δ = h′x."""
    offset = record.coefficient_sd.size + 1
    h[:] = 0.0
    for k in range(1, offset):
        h[k] = record.covariates[t, k - 1]
    h[offset + record.winner[t]] = 1.0
    h[offset + record.loser[t]] = -1.0


@compiled
def product(matrix, vector, out):
    """out = matrix × vector, for a symmetric matrix, along its rows."""
    out[:] = 0.0
    for i in range(vector.size):
        x = vector[i]
        if x != 0.0:
            for j in range(out.size):
                out[j] += x * matrix[i, j]


@compiled
def inner(x, y):
    """x′y."""
    s = 0.0
    for i in range(x.size):
        s += x[i] * y[i]
    return s


@compiled
def pull(vector, matrix, h, direction, factor, y):
    """Back through x ← (I + factor · direction h′) x: vector and matrix of the adjoint."""
    product(matrix, direction, y)
    along = factor * inner(direction, vector)
    squared = factor * factor * inner(direction, y)
    for i in range(h.size):
        if h[i] != 0.0:
            vector[i] += h[i] * along
            for j in range(h.size):
                matrix[i, j] += factor * h[i] * y[j]
                matrix[j, i] += factor * h[i] * y[j]
            for j in range(h.size):
                matrix[i, j] += squared * h[i] * h[j]


@compiled
def pull_entry(record, entry, vector, matrix):
    """Back through an entry: what was learned of newcomers belongs to g and to those they met."""
    offset = record.coefficient_sd.size + 1
    members = record.entry_mean[entry]
    begins = record.roster_at[members]
    ends = record.roster_at[members + 1]
    share = 1.0 / max(ends - begins, 1)
    for place in range(record.newcomer_at[entry], record.newcomer_at[entry + 1]):
        new = offset + record.newcomer[place]
        vector[0] += vector[new]
        for j in range(vector.size):
            matrix[0, j] += matrix[new, j]
        for other in range(begins, ends):
            i = offset + record.roster[other]
            vector[i] += share * vector[new]
            for j in range(vector.size):
                matrix[i, j] += share * matrix[new, j]
        for j in range(vector.size):
            matrix[j, 0] += matrix[j, new]
        for other in range(begins, ends):
            i = offset + record.roster[other]
            for j in range(vector.size):
                matrix[j, i] += share * matrix[j, new]
        vector[new] = 0.0
        matrix[new, :] = 0.0
        matrix[:, new] = 0.0


@compiled
def pull_return(record, t, phi, vector, matrix):
    """Back through ratings that returned by the factor φ."""
    offset = record.coefficient_sd.size + 1
    members = record.roster_of[t]
    for place in range(record.roster_at[members], record.roster_at[members + 1]):
        i = offset + record.roster[place]
        vector[i] *= phi
        for j in range(vector.size):
            matrix[i, j] *= phi
        for j in range(vector.size):
            matrix[j, i] *= phi


@compiled
def keep(trace, place, t, vector, matrix, vectors, matrices):
    """Copy λ and Λ if the state is wanted at this time; returns the moment wanted next."""
    while place >= 0 and trace.moments[place] == t:
        vectors[place] = vector
        matrices[place] = matrix
        place -= 1
    return place


@compiled
def backward(record, settings, trace, vectors, matrices):
    """λ and Λ at the moments of a trace."""
    size = record.coefficient_sd.size + 1 + record.founder.size
    contests = record.winner.size
    vector = np.zeros(size)
    matrix = np.zeros((size, size))
    h = np.empty(size)
    u = np.empty(size)
    y = np.empty(size)
    place = trace.moments.size - 1
    entry = record.entry_at.size - 1
    for t in range(contests, -1, -1):
        if t < contests:
            contest_vector(record, t, h)
            g1 = trace.slopes[t, 0]
            g2 = trace.slopes[t, 1]
            if settings.k > 0.0:
                u[:] = 0.0
                offset = record.coefficient_sd.size + 1
                u[offset + record.winner[t]] = 1.0
                u[offset + record.loser[t]] = -1.0
                f = settings.k * g2 / max(1.0 + trace.slopes[t, 2] * g2, 1e-12)
                pull(vector, matrix, h, u, f, y)
            pull(vector, matrix, h, trace.gain[t], g2, y)
            for i in range(size):
                vector[i] += h[i] * g1
                if h[i] != 0.0:
                    for j in range(size):
                        matrix[i, j] -= g2 * h[i] * h[j]
        if trace.arrived:
            place = keep(trace, place, t, vector, matrix, vectors, matrices)
        if entry >= 0 and record.entry_at[entry] == t:
            pull_entry(record, entry, vector, matrix)
            entry -= 1
        if trace.shrink[t] != 1.0:
            pull_return(record, t, trace.shrink[t], vector, matrix)
        if not trace.arrived:
            place = keep(trace, place, t, vector, matrix, vectors, matrices)


@compiled
def smooth(record, row, trace, vectors, matrices):
    """One filter forward and back: its states at the moments of a trace, with their λ and Λ."""
    settings = settings_of(row)
    size = record.coefficient_sd.size + 1 + record.founder.size
    dyads = 1
    for t in range(record.dyad.size):
        dyads = max(dyads, record.dyad[t] + 1)
    mean = np.empty(size)
    covariance = np.empty((size, size))
    log_chance = np.empty(record.winner.size)
    forward(
        record, settings, trace, mean, covariance, np.empty(dyads), np.empty(dyads), log_chance
    )
    backward(record, settings, trace, vectors, matrices)

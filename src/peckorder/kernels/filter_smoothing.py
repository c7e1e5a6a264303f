"""Ratings in hindsight: the backward adjoint pass of a filter.

Given all contests, the state at an earlier time is N(m + P λ, P − P Λ P), where m and P are the
filter's mean and covariance at that time and λ and Λ gather, from the last contest backward, what
later ones say of it (the modified Bryson–Frazier smoother; Bierman 1973, Fixed interval smoothing
with discrete measurements). No matrix is inverted and each contest costs one product of a matrix
with a vector. The result equals conditioning the joint Gaussian of all states at once.
"""

from peckorder.kernels import compiled, part
from peckorder.kernels.filters import LEAST_LEFT


@part
def product(matrix, vector, out):
    """Set out = matrix × vector, for a symmetric matrix, along its rows."""
    for j in range(out.size):
        out[j] = 0.0
    for i in range(vector.size):
        x = vector[i]
        if x != 0.0:
            for j in range(out.size):
                out[j] += x * matrix[i, j]


@part
def pull(vector, matrix, h, direction, factor, y):
    """Back through x ← (I + factor · direction h′) x: λ and Λ before it."""
    product(matrix, direction, y)
    along = 0.0
    squared = 0.0
    for i in range(h.size):
        along += factor * direction[i] * vector[i]
        squared += factor * factor * direction[i] * y[i]
    for i in range(h.size):
        if h[i] != 0.0:
            vector[i] += h[i] * along
            for j in range(h.size):
                matrix[i, j] += h[i] * (factor * y[j] + squared * h[j])
            for j in range(h.size):
                matrix[j, i] += h[i] * factor * y[j]


@part
def pull_entry(vector, matrix, members, newcomers, offset):
    """Back through an entry: what was learned of newcomers belongs to g and to the members."""
    size = vector.size
    share = 1.0 / members.size if members.size > 0 else 0.0
    for code in newcomers:
        new = offset + code
        vector[0] += vector[new]
        for j in range(size):
            matrix[0, j] += matrix[new, j]
        for member in members:
            i = offset + member
            vector[i] += share * vector[new]
            for j in range(size):
                matrix[i, j] += share * matrix[new, j]
        for j in range(size):
            shared = matrix[j, new]
            matrix[j, 0] += shared
            for member in members:
                matrix[j, offset + member] += share * shared
        vector[new] = 0.0
        for j in range(size):
            matrix[new, j] = 0.0
            matrix[j, new] = 0.0


@part
def pull_return(vector, matrix, members, offset, phi):
    """Back through ratings that returned toward 0 by the factor φ."""
    for member in members:
        i = offset + member
        vector[i] *= phi
        for j in range(vector.size):
            matrix[i, j] *= phi
        for j in range(vector.size):
            matrix[j, i] *= phi


@part
def keep(moments, place, t, vector, matrix, vectors, matrices):
    """Copy λ and Λ if the state is wanted at this time; returns the moment wanted next."""
    while place >= 0 and moments[place] == t:
        for i in range(vector.size):
            vectors[place, i] = vector[i]
            for j in range(vector.size):
                matrices[place, i, j] = matrix[i, j]
        place -= 1
    return place


def seconds(record, k, trace, vector, *_):
    """About how long plain Python takes."""
    contest = 1e-5 + 4e-7 * vector.size**2
    return contest * (record.winner.size + 1)


@compiled(seconds=seconds)
def backward(record, k, trace, vector, matrix, h, u, y, vectors, matrices):
    """λ and Λ at the moments of a trace, for a filter with gain k of an Elo step.

    `vector`, `matrix`, `h`, `u` and `y` are room to work in, all 0.
    """
    offset = record.coefficient_sd.size + 1
    size = offset + record.founder.size
    contests = record.winner.size
    place = trace.moments.size - 1
    entry = record.entry_at.size - 1
    for t in range(contests, -1, -1):
        if t < contests:
            a = offset + record.winner[t]
            b = offset + record.loser[t]
            g1 = trace.slopes[t, 0]
            g2 = trace.slopes[t, 1]
            for i in range(1, offset):
                h[i] = record.covariates[t, i - 1]
            h[a] = 1.0
            h[b] = -1.0
            if k > 0.0:
                u[a] = 1.0
                u[b] = -1.0
                left = 1.0 + trace.slopes[t, 2] * g2
                f = k * g2 / (left if left > LEAST_LEFT else LEAST_LEFT)
                pull(vector, matrix, h, u, f, y)
                u[a] = 0.0
                u[b] = 0.0
            pull(vector, matrix, h, trace.gain[t], g2, y)
            for i in range(size):
                if h[i] != 0.0:
                    vector[i] += h[i] * g1
                    for j in range(size):
                        matrix[i, j] -= g2 * h[i] * h[j]
            h[a] = 0.0
            h[b] = 0.0
        if trace.arrived:
            place = keep(trace.moments, place, t, vector, matrix, vectors, matrices)
        if entry >= 0 and record.entry_at[entry] == t:
            r = record.entry_mean[entry]
            members = record.roster[record.roster_at[r] : record.roster_at[r + 1]]
            new = record.newcomer[record.newcomer_at[entry] : record.newcomer_at[entry + 1]]
            pull_entry(vector, matrix, members, new, offset)
            entry -= 1
        if trace.shrink[t] != 1.0:
            r = record.roster_of[t]
            members = record.roster[record.roster_at[r] : record.roster_at[r + 1]]
            pull_return(vector, matrix, members, offset, trace.shrink[t])
        if not trace.arrived:
            place = keep(trace.moments, place, t, vector, matrix, vectors, matrices)

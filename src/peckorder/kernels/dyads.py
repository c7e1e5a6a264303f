"""Random matrices of wins, dyad by dyad, and what is measured on each.

Dyads are given as pairs (a, b) with the number of contests between them. A replicate draws its
own random numbers (see random.py), so any thread may compute it.
"""

import math

import numpy as np

from peckorder.kernels import compiled
from peckorder.kernels.random import begin, below, beta, shuffle, word

U1 = np.uint64(1)
U63 = np.uint64(63)


@compiled
def binomial_shrink(p, n):
    """The older d_ij: P less (P − ½) times the binomial chance of this outcome at evens."""
    s = p * n
    log_chance = (
        math.lgamma(n + 1.0)
        - math.lgamma(s + 1.0)
        - math.lgamma(n - s + 1.0)
        - n * 0.6931471805599453
    )
    return p - (p - 0.5) * math.exp(log_chance)


@compiled
def spread_of_scores(a, b, chance, opponents, w, q, ds):
    """Sum of |NormDS_i − NormDS_j| over all pairs; N(N² − 1)/6 times the steepness.

    With chances that sum to 1 in each dyad, David's score is
    2 w_i − m_i + Σ_j (w_j − m_j + P_ij m_j) over the m_i opponents j of i, and the slope of
    sorted scores on ranks is proportional to the sum of their absolute differences.
    """
    size = w.size
    for i in range(size):
        w[i] = 0.0
        q[i] = 0.0
    for d in range(a.size):
        i, j, x = a[d], b[d], chance[d]
        w[i] += x
        w[j] += 1.0 - x
        q[i] += x * opponents[j]
        q[j] += (1.0 - x) * opponents[i]
    for i in range(size):
        ds[i] = 2.0 * w[i] - opponents[i] + q[i]
        w[i] -= opponents[i]
    for d in range(a.size):
        i, j = a[d], b[d]
        ds[i] += w[j]
        ds[j] += w[i]
    total = 0.0
    for i in range(size):
        x = ds[i]
        for j in range(i):
            total += abs(x - ds[j])
    return total / size


@compiled
def steepness_null(key, first, a, b, units, slope, offset, binomial, opponents, out):
    """Steepness with the wins of each dyad redrawn uniformly on 0 … its number of contests.

    `units` counts contests in the unit of the scores (twice as many where draws are halves);
    the chance is slope × wins + offset, or the older d_ij of that.
    """
    size = opponents.size
    random = np.empty(4, np.uint64)
    chance = np.empty(a.size)
    w, q, ds = np.empty(size), np.empty(size), np.empty(size)
    scale = 6.0 / (size * (size * size - 1.0))
    for run in range(out.size):
        begin(random, key, first + run)
        for d in range(a.size):
            x = slope[d] * below(random, units[d] + 1) + offset[d]
            chance[d] = binomial_shrink(x, float(units[d])) if binomial else x
        out[run] = scale * spread_of_scores(a, b, chance, opponents, w, q, ds)


@compiled
def steepness_posterior(key, first, a, b, won, lost, opponents, out):
    """Steepness with the win chance of each dyad drawn from its Jeffreys posterior."""
    size = opponents.size
    random = np.empty(4, np.uint64)
    chance = np.empty(a.size)
    w, q, ds = np.empty(size), np.empty(size), np.empty(size)
    scale = 6.0 / (size * (size * size - 1.0))
    for run in range(out.size):
        begin(random, key, first + run)
        for d in range(a.size):
            chance[d] = beta(random, won[d] + 0.5, lost[d] + 0.5)
        out[run] = scale * spread_of_scores(a, b, chance, opponents, w, q, ds)


@compiled
def linearity_null(key, first, twice_v, a, b, filled, random_square):
    """4 ΣV² with unknown dyads (a, b) filled at random, and of a wholly random tournament.

    `twice_v` holds twice the number dominated, ties counted once, unknown dyads left out.
    """
    size = twice_v.size
    random = np.empty(4, np.uint64)
    v = np.empty(size, np.int64)
    for run in range(filled.size):
        begin(random, key, first + run)
        bits, left = np.uint64(0), 0
        v[:] = twice_v
        for d in range(a.size):
            if left == 0:
                bits, left = word(random), 64
            if bits & U1:
                v[a[d]] += 2
            else:
                v[b[d]] += 2
            bits >>= U1
            left -= 1
        total = 0
        for i in range(size):
            total += v[i] * v[i]
        filled[run] = total
        v[:] = 0
        for i in range(size):
            own = 0
            for j in range(i):
                if left == 0:
                    bits, left = word(random), 64
                won = np.int64(bits & U1)
                own += won
                v[j] += 1 - won
                bits >>= U1
                left -= 1
            v[i] += own
        total = 0
        for i in range(size):
            total += 4 * v[i] * v[i]
        random_square[run] = total


@compiled
def squares_of_all_fillings(twice_v, a, b, counts):
    """How often each 4 ΣV² occurs over all ways to fill the dyads (a, b).

    Fillings follow a Gray code, so that each differs from the one before in one dyad.
    """
    size = twice_v.size
    v = twice_v.copy()
    for d in range(a.size):
        v[b[d]] += 2
    total = 0
    for i in range(size):
        total += v[i] * v[i]
    counts[total] += 1
    up = np.zeros(a.size, np.bool_)
    for step in range(1, 1 << a.size):
        d = 0
        while not (step >> d) & 1:
            d += 1
        gains, loses = (b[d], a[d]) if up[d] else (a[d], b[d])
        up[d] = not up[d]
        total += 4 * v[gains] + 4 - 4 * v[loses] + 4
        v[gains] += 2
        v[loses] -= 2
        counts[total] += 1


@compiled
def triads(arc):
    """Transitive and cyclic triads among those without an unknown or tied dyad."""
    size = arc.shape[0]
    transitive, cyclic = 0, 0
    for i in range(size):
        for j in range(i + 1, size):
            ij = arc[i, j]
            if ij == 0:
                continue
            for k in range(j + 1, size):
                jk, ik = arc[j, k], arc[i, k]
                if jk == 0 or ik == 0:
                    continue
                if ij == jk and ik != ij:
                    cyclic += 1
                else:
                    transitive += 1
    return transitive, cyclic


@compiled
def transitivity_null(key, first, size, directed, out):
    """Share of transitive triads in random graphs with so many directed dyads.

    Directed dyads fall at random on all dyads, with random directions; no complete triad: NaN.
    """
    random = np.empty(4, np.uint64)
    number = size * (size - 1) // 2
    a, b = np.empty(number, np.int64), np.empty(number, np.int64)
    place = np.empty(number, np.int64)
    arc = np.zeros((size, size), np.int8)
    d = 0
    for i in range(size):
        for j in range(i + 1, size):
            a[d], b[d], place[d] = i, j, d
            d += 1
    for run in range(out.size):
        begin(random, key, first + run)
        for d in range(number):
            place[d] = d
        shuffle(random, place, number)
        for e in range(number):
            i, j = a[place[e]], b[place[e]]
            sign = 0
            if e < directed:
                sign = 1 if word(random) >> U63 else -1
            arc[i, j] = sign
            arc[j, i] = -sign
        transitive, cyclic = triads(arc)
        whole = transitive + cyclic
        out[run] = transitive / whole if whole > 0 else np.nan


@compiled
def heads(random, tosses):
    """Number of heads among tosses of a fair coin."""
    total = 0
    while tosses > 0:
        bits = word(random)
        if tosses < 64:
            bits &= (U1 << np.uint64(tosses)) - U1
        while bits:
            bits &= bits - U1
            total += 1
        tosses -= 64
    return total


@compiled
def consistency_null(key, first, contests, consistent, skew):
    """Wins less losses summed over dyads, and φ, with every contest a fair toss."""
    random = np.empty(4, np.uint64)
    for run in range(skew.size):
        begin(random, key, first + run)
        ahead, difference, squares = 0.0, 0.0, 0.0
        for d in range(contests.size):
            x = heads(random, contests[d])
            y = contests[d] - x
            ahead += abs(x - y)
            difference += float(x - y) * (x - y)
            squares += float(x) * x + float(y) * y
        consistent[run] = ahead
        skew[run] = 0.5 * difference / squares if squares > 0.0 else np.nan

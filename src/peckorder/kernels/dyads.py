"""Random matrices of wins, dyad by dyad, and what is measured on each.

Dyads are given as pairs (a, b) with the number of contests between them. A replicate draws its
own random numbers (see random.py), so any thread may compute it.
"""

import math

import numpy as np

from peckorder.kernels import compiled, copy, inlined, part
from peckorder.kernels.random import begin, drawn, drawn_below, state_of, word

U1 = np.uint64(1)
U63 = np.uint64(63)
PAIRS, FOURS, EIGHTS, BYTES = (
    np.uint64(n)
    for n in (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F, 0x0101010101010101)
)


@part
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


@part
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
def ones(x):
    """Number of bits set in a 64-bit number."""
    x = x - ((x >> U1) & PAIRS)
    x = (x & FOURS) + ((x >> np.uint64(2)) & FOURS)
    x = (x + (x >> np.uint64(4))) & EIGHTS
    return np.int64((x * BYTES) >> np.uint64(56))


@inlined
def heads(state, tosses):
    """Number of heads among tosses of a fair coin, and the state of the random numbers."""
    total = 0
    while tosses > 0:
        bits, state = drawn(state)
        if tosses < 64:
            bits &= (U1 << np.uint64(tosses)) - U1
        total += ones(bits)
        tosses -= 64
    return total, state


@compiled
def steepness_null(key, first, a, b, number, fair, slope, offset, contests, shrunk, opponents, out):
    """Steepness with the wins of each dyad redrawn: uniformly on 0 … number, or by fair tosses.

    The chance is slope × wins + offset; where `shrunk`, the older d_ij of that.
    """
    size = opponents.size
    random = np.empty(4, np.uint64)
    chance = np.empty(a.size)
    w, q, ds = np.empty(size), np.empty(size), np.empty(size)
    scale = 6.0 / (size * (size * size - 1.0))
    for run in range(out.size):
        begin(random, key, first + run)
        state = state_of(random)
        for d in range(a.size):
            if fair:
                won, state = heads(state, number[d])
            else:
                won, state = drawn_below(state, number[d] + 1)
            x = slope[d] * won + offset[d]
            chance[d] = binomial_shrink(x, contests[d]) if shrunk else x
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
        copy(v, twice_v)
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
def triads(winner, loser, over, under):
    """Transitive and cyclic triads among those without an unknown or tied dyad.

    Arcs run from `winner` to `loser`; bit j of row i in `over` is set where i dominates j, in
    `under` where j dominates i.
    """
    transitive, cyclic = 0, 0
    over[:] = 0
    under[:] = 0
    for d in range(winner.size):
        i, j = winner[d], loser[d]
        over[i, j >> 6] |= U1 << np.uint64(j & 63)
        under[j, i >> 6] |= U1 << np.uint64(i & 63)
    for d in range(winner.size):
        i, j = winner[d], loser[d]
        for w in range(over.shape[1]):
            transitive += ones(over[i, w] & over[j, w])
            cyclic += ones(over[j, w] & under[i, w])
    return transitive, cyclic // 3  # a cyclic triad was met at each of its arcs


@compiled
def transitivity_null(key, first, size, directed, types, out):
    """Share of transitive triads in random graphs with so many directed dyads.

    Directed dyads fall at random on all dyads, with random directions; no complete triad: NaN. With
    `types`, each dyad is directed with probability directed/dyads, apart from the others.
    """
    random = np.empty(4, np.uint64)
    number = size * (size - 1) // 2
    a, b = np.empty(number, np.int64), np.empty(number, np.int64)
    place, winner, loser = np.empty_like(a), np.empty_like(a), np.empty_like(a)
    over = np.empty((size, (size + 63) // 64), np.uint64)
    under = np.empty_like(over)
    d = 0
    for i in range(size):
        for j in range(i + 1, size):
            a[d], b[d] = i, j
            d += 1
    for run in range(out.size):
        begin(random, key, first + run)
        state = state_of(random)
        for d in range(number):
            place[d] = d
        many = 0 if types else directed
        if types:
            for _ in range(number):
                at, state = drawn_below(state, number)
                many += at < directed
        for d in range(many):
            e, state = drawn_below(state, number - d)
            place[d], place[d + e] = place[d + e], place[d]
            i, j = a[place[d]], b[place[d]]
            bits, state = drawn(state)
            up = np.int64(bits >> U63)
            winner[d] = j + up * (i - j)  # without a branch, which nobody could predict
            loser[d] = i + j - winner[d]
        transitive, cyclic = triads(winner[:many], loser[:many], over, under)
        whole = transitive + cyclic
        out[run] = transitive / whole if whole > 0 else np.nan


@compiled
def consistency_null(key, first, contests, level, consistent, skew):
    """Wins less losses summed over dyads, and φ, with every decided contest a fair toss.

    `level` is what draws add to the score of either side.
    """
    random = np.empty(4, np.uint64)
    for run in range(skew.size):
        begin(random, key, first + run)
        state = state_of(random)
        ahead, difference, squares = 0.0, 0.0, 0.0
        for d in range(contests.size):
            won, state = heads(state, contests[d])
            x, y = won + level[d], contests[d] - won + level[d]
            ahead += abs(x - y)
            difference += (x - y) * (x - y)
            squares += x * x + y * y
        consistent[run] = ahead
        skew[run] = 0.5 * difference / squares if squares > 0.0 else np.nan

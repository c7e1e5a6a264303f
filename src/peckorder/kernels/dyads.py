"""Random matrices of wins, dyad by dyad, and what is measured on each.

Dyads are given as pairs (a, b) with the number of contests between them. A replicate draws its
own random numbers (see random.py), so any thread may compute it.
"""

import math

import numpy as np

from peckorder.kernels import compiled, copy, part
from peckorder.kernels.random import begin, each_below, streams, word, words

U1 = np.uint64(1)
U63 = np.uint64(63)
ALL = ~np.uint64(0)
LANES = 128  # replicates side by side, at the most
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


@compiled
def ones(x):
    """Number of bits set in a 64-bit number."""
    x = x - ((x >> U1) & PAIRS)
    x = (x & FOURS) + ((x >> np.uint64(2)) & FOURS)
    x = (x + (x >> np.uint64(4))) & EIGHTS
    return np.int64((x * BYTES) >> np.uint64(56))


@part
def heads(random, tosses, bits, number):
    """Number of heads among tosses of a fair coin, in each stream."""
    number[:] = 0
    while tosses > 0:
        words(random, bits)
        tossed = (U1 << np.uint64(tosses)) - U1 if tosses < 64 else ALL
        for lane in range(bits.size):
            number[lane] += np.uint32(ones(bits[lane] & tossed))
        tosses -= 64


@compiled
def steepness_null(key, first, a, b, number, fair, slope, offset, contests, shrunk, opponents, out):
    """Steepness with the wins of each dyad redrawn: uniformly on 0 … number, or by fair tosses.

    The chance is slope × wins + offset; where `shrunk`, the older d_ij of that. With chances that
    sum to 1 in each dyad, David's score is 2 w_i − m_i + Σ_j (w_j − m_j + P_ij m_j) over the m_i
    opponents j of i, and the slope of sorted scores on ranks is 6/(N(N² − 1)) times the sum of
    |NormDS_i − NormDS_j| over all pairs.
    """
    size, lanes = opponents.size, min(LANES, out.size)
    random, bits = np.empty((4, lanes), np.uint64), np.empty(lanes, np.uint64)
    won, chance, total = np.empty(lanes, np.uint32), np.empty(lanes), np.empty(lanes)
    w, q, ds = np.empty((size, lanes)), np.empty((size, lanes)), np.empty((size, lanes))
    scale = 6.0 / (size * (size * size - 1.0))
    for run in range(0, out.size, lanes):
        streams(key, first + run, random)
        w[:] = 0.0
        q[:] = 0.0
        for d in range(a.size):
            if fair:
                heads(random, number[d], bits, won)
            else:
                each_below(random, number[d] + 1, bits, won)
            i, j = a[d], b[d]
            mine, yours = opponents[i], opponents[j]
            for lane in range(lanes):
                chance[lane] = slope[d] * won[lane] + offset[d]
            if shrunk:
                for lane in range(lanes):
                    chance[lane] = binomial_shrink(chance[lane], contests[d])
            for lane in range(lanes):
                x = chance[lane]
                w[i, lane] += x
                w[j, lane] += 1.0 - x
                q[i, lane] += x * yours
                q[j, lane] += (1.0 - x) * mine
        for i in range(size):
            for lane in range(lanes):
                ds[i, lane] = 2.0 * w[i, lane] - opponents[i] + q[i, lane]
                w[i, lane] -= opponents[i]
        for d in range(a.size):
            i, j = a[d], b[d]
            for lane in range(lanes):
                ds[i, lane] += w[j, lane]
                ds[j, lane] += w[i, lane]
        total[:] = 0.0
        for i in range(size):
            for j in range(i):
                for lane in range(lanes):
                    total[lane] += abs(ds[i, lane] - ds[j, lane])
        for lane in range(min(lanes, out.size - run)):
            out[run + lane] = scale * (total[lane] / size)


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
def transitivity_null(key, first, a, b, size, directed, types, out):
    """Share of transitive triads in random graphs with so many directed dyads.

    Directed dyads fall at random on all dyads, with random directions; no complete triad: NaN. With
    `types`, each dyad is directed with probability directed/dyads, apart from the others.
    """
    number, lanes, words_each = a.size, min(LANES, out.size), (size + 63) // 64
    random, bits = np.empty((4, lanes), np.uint64), np.empty(lanes, np.uint64)
    pick, up = np.empty((number, lanes), np.uint32), np.empty((number, lanes), np.uint8)
    many, place = np.empty(lanes, np.int32), np.empty(number, np.int32)
    # Of each dyad, 2: a dominates, 1: b does, 0: neither.
    way = np.empty((number, lanes), np.uint8)
    # Bit j of individual i: j dominates i; one of both dominates the other.
    above = np.empty((size, words_each, lanes), np.uint64)
    known = np.empty_like(above)
    transitive, whole = np.empty(lanes, np.int64), np.empty(lanes, np.int64)
    for run in range(0, out.size, lanes):
        streams(key, first + run, random)
        many[:] = 0 if types else directed
        if types:
            for d in range(number):
                each_below(random, number, bits, pick[d])
                for lane in range(lanes):
                    many[lane] += pick[d, lane] < directed
        for d in range(many.max()):
            each_below(random, number - d, bits, pick[d])
            words(random, bits)
            for lane in range(lanes):
                up[d, lane] = np.uint8(bits[lane] >> U63)
        way[:] = 0
        for lane in range(lanes):
            for d in range(number):
                place[d] = d
            for d in range(many[lane]):
                e = d + pick[d, lane]
                way[place[e], lane] = 1 + up[d, lane]
                place[e] = place[d]
        above[:] = 0
        known[:] = 0
        for d in range(number):
            i, j = a[d], b[d]
            for lane in range(lanes):
                over, under = np.uint64(way[d, lane] >> 1), np.uint64(way[d, lane] & 1)
                above[j, i >> 6, lane] |= over << np.uint64(i & 63)
                above[i, j >> 6, lane] |= under << np.uint64(j & 63)
                known[j, i >> 6, lane] |= (over | under) << np.uint64(i & 63)
                known[i, j >> 6, lane] |= (over | under) << np.uint64(j & 63)
        transitive[:] = 0
        whole[:] = 0
        for d in range(number):  # a transitive triad has one source, which both others are below
            i, j = a[d], b[d]
            for w in range(words_each):
                for lane in range(lanes):
                    met = np.uint64(0) - np.uint64(way[d, lane] > 0)
                    transitive[lane] += ones(above[i, w, lane] & above[j, w, lane] & met)
                    whole[lane] += ones(known[i, w, lane] & known[j, w, lane] & met)
        for lane in range(min(lanes, out.size - run)):
            triads = whole[lane] // 3  # each was met at its three dyads
            out[run + lane] = transitive[lane] / triads if triads > 0 else np.nan


@compiled
def consistency_null(key, first, contests, level, consistent, skew):
    """Wins less losses summed over dyads, and φ, with every decided contest a fair toss.

    `level` is what draws add to the score of either side.
    """
    lanes = min(LANES, skew.size)
    random, bits = np.empty((4, lanes), np.uint64), np.empty(lanes, np.uint64)
    won, ahead = np.empty(lanes, np.uint32), np.empty(lanes)
    difference, squares = np.empty(lanes), np.empty(lanes)
    for run in range(0, skew.size, lanes):
        streams(key, first + run, random)
        ahead[:] = 0.0
        difference[:] = 0.0
        squares[:] = 0.0
        for d in range(contests.size):
            heads(random, contests[d], bits, won)
            for lane in range(lanes):
                x, y = won[lane] + level[d], contests[d] - won[lane] + level[d]
                ahead[lane] += abs(x - y)
                difference[lane] += (x - y) * (x - y)
                squares[lane] += x * x + y * y
        for lane in range(min(lanes, skew.size - run)):
            consistent[run + lane] = ahead[lane]
            phi = 0.5 * difference[lane] / squares[lane]
            skew[run + lane] = phi if squares[lane] > 0.0 else np.nan

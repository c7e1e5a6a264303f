"""Random numbers for compiled loops: one stream per replicate, whoever computes it.

The generator is xoshiro256++ (Blackman & Vigna 2021); its four words are filled by splitmix64
from a key and the number of the replicate. So a replicate draws the same numbers in any thread.

Elo ratings over contests in random order.
"""

import math

import numpy as np

from peckorder.kernels import compiled, copy, inlined, part
from peckorder.kernels.elo import win_chance

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
LOW_32 = np.uint64(0xFFFFFFFF)
RANGE_32 = np.uint64(1 << 32)
U11, U17, U19, U23, U27, U30, U31, U32, U41, U45 = (
    np.uint64(n) for n in (11, 17, 19, 23, 27, 30, 31, 32, 41, 45)
)


@part
def mixed(x):
    """splitmix64's finalizer."""
    x = (x ^ (x >> U30)) * MIX_1
    x = (x ^ (x >> U27)) * MIX_2
    return x ^ (x >> U31)


@compiled
def begin(random, key, replicate):
    """Put the four words of state to the start of a replicate's stream."""
    x = mixed(np.uint64(key) + GOLDEN) ^ mixed(np.uint64(replicate) * GOLDEN + MIX_1)
    for i in range(4):
        x += GOLDEN
        random[i] = mixed(x)


@part
def drawn(state):
    """The next 64 random bits, and the state after them.

    The four words of a state stay in registers where loops pass them on like this and what has
    loops is `inlined`; `word` and `below`, which keep them in an array, take about twice as long.
    """
    s0, s1, s2, s3 = state
    x = s0 + s3
    result = ((x << U23) | (x >> U41)) + s0
    t = s1 << U17
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= t
    return result, (s0, s1, s2, (s3 << U45) | (s3 >> U19))


@inlined
def drawn_below(state, n):
    """A whole number from 0 to n − 1, all equally likely (Lemire 2019), and the state; n < 2³²."""
    n = np.uint64(n)
    bits, state = drawn(state)
    product = (bits >> U32) * n
    if (product & LOW_32) < n:
        least = (RANGE_32 - n) % n
        while (product & LOW_32) < least:
            bits, state = drawn(state)
            product = (bits >> U32) * n
    return np.int64(product >> U32), state


@part
def state_of(random):
    """The state in an array, as `drawn` takes it."""
    return random[0], random[1], random[2], random[3]


@compiled
def word(random):
    """The next 64 random bits."""
    result, (random[0], random[1], random[2], random[3]) = drawn(state_of(random))
    return result


@compiled
def below(random, n):
    """A whole number from 0 to n − 1, all equally likely."""
    number, (random[0], random[1], random[2], random[3]) = drawn_below(state_of(random), n)
    return number


@compiled
def uniform(random):
    """A number between 0 and 1, neither included."""
    return (np.float64(np.int64(word(random) >> U11)) + 0.5) * (1.0 / (1 << 53))


@compiled
def normal(random):
    """A standard normal number (Marsaglia's polar method, one of the pair)."""
    while True:
        u = 2.0 * uniform(random) - 1.0
        v = 2.0 * uniform(random) - 1.0
        s = u * u + v * v
        if 0.0 < s < 1.0:
            return u * math.sqrt(-2.0 * math.log(s) / s)


@compiled
def shuffle(random, items, number):
    """Bring the first `number` items into a random order."""
    for i in range(number - 1, 0, -1):
        j = below(random, i + 1)
        items[i], items[j] = items[j], items[i]


@compiled
def rate_shuffled(key, first_run, contests, curve, start, cut, out):
    """Rate the contests in a new order for each run, shuffled as they are rated.

    `contests` are those of `elo`, without their advantage. out[run, part] holds the ratings of
    one part or two: the second begins anew after `cut` contests.
    """
    number = contests.first.size
    score_step = min(contests.score.size - 1, 1)
    k_step = min(contests.k.shape[0] - 1, 1)
    random = np.empty(4, np.uint64)
    order = np.empty(number, np.int32)
    for run in range(out.shape[0]):
        begin(random, key, first_run + run)
        for i in range(number):
            order[i] = i
        for half in range(out.shape[1]):
            copy(out[run, half], start)
        for i in range(number):
            rating = out[run, 0 if i < cut else out.shape[1] - 1]
            j = i + below(random, number - i)
            c = order[j]
            order[j] = order[i]
            a, b = contests.first[c], contests.second[c]
            surprise = contests.score[c * score_step] - win_chance(rating[a] - rating[b], curve)
            rating[a] += contests.k[c * k_step, 0] * surprise
            rating[b] -= contests.k[c * k_step, 1] * surprise

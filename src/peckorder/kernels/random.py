"""Random numbers for compiled loops: one stream per replicate, whoever computes it.

The generator is xoshiro256++ (Blackman & Vigna 2021); its four words are filled by splitmix64
from a key and the number of the replicate. So a replicate draws the same numbers in any thread.

Elo ratings over contests in random order.
"""

import math

import numpy as np

from peckorder.kernels import compiled, copy, part
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
def drawn(s0, s1, s2, s3):
    """The next 64 random bits, and the four words after them."""
    x = s0 + s3
    result = ((x << U23) | (x >> U41)) + s0
    t = s1 << U17
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= t
    return result, (s0, s1, s2, (s3 << U45) | (s3 >> U19))


@compiled
def word(random):
    """The next 64 random bits."""
    result, after = drawn(random[0], random[1], random[2], random[3])
    random[0], random[1], random[2], random[3] = after
    return result


@compiled
def below(random, n):
    """A whole number from 0 to n − 1, all equally likely (Lemire 2019); n < 2³²."""
    n = np.uint64(n)
    product = (word(random) >> U32) * n
    if (product & LOW_32) < n:
        least = (RANGE_32 - n) % n
        while (product & LOW_32) < least:
            product = (word(random) >> U32) * n
    return np.int64(product >> U32)


@part
def streams(key, first, random):
    """Put four words in each column to the start of a replicate's stream, side by side.

    Loops over replicates side by side are what processors do several at a time.
    """
    for lane in range(random.shape[1]):
        begin(random[:, lane], key, first + lane)


@part
def words(random, bits):
    """The next 64 random bits of each stream."""
    for lane in range(bits.size):
        bits[lane], after = drawn(
            random[0, lane], random[1, lane], random[2, lane], random[3, lane]
        )
        random[0, lane], random[1, lane], random[2, lane], random[3, lane] = after


@part
def each_below(random, n, bits, number):
    """A whole number from 0 to n − 1 of each stream, as `below` draws it."""
    n = np.uint64(n)
    least = (RANGE_32 - n) % n
    again = False
    for lane in range(bits.size):
        bits[lane], after = drawn(
            random[0, lane], random[1, lane], random[2, lane], random[3, lane]
        )
        random[0, lane], random[1, lane], random[2, lane], random[3, lane] = after
        product = (bits[lane] >> U32) * n
        number[lane] = np.uint32(product >> U32)
        again |= (product & LOW_32) < least
    if again:
        for lane in range(bits.size):
            if ((bits[lane] >> U32) * n & LOW_32) < least:
                number[lane] = below(random[:, lane], n)


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

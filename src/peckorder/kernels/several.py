"""The Elo recursion under several settings at once, for long records.

Most of the time of a rating is spent on one exponential per contest. If several values of k (or
several parts of a record that are left out) are rated in one pass, their exponentials are computed
side by side by the vector instructions of the processor, which takes a tenth of the time of one
rating after the other. That needs an exponential that consists of arithmetic alone; it differs from
that of the C library in the last bit, so that ratings agree to about 13 digits.
"""

import math

from peckorder.kernels import compiled

LOG2_E = 1.4426950408889634
# ln 2 in two parts, the first with zeros at its end, so that its multiples are exact (Cody & Waite
# 1980, Software manual for the elementary functions).
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
ROUNDING = 6755399441055744.0  # 1.5 × 2^52: adding it rounds to an integer, in the last bits
LARGEST = 700.0  # exponent, beyond which chances are 0 or 1
FACTORS = 16  # chances multiplied before a logarithm; 16 of at least 1e-15 do not underflow


@compiled
def rate_several(first, second, slope, k, left_out, least, rating, sums, room, shifted):
    """Rate contests in several lanes, each with its own slope of the logistic curve and k.

    `rating` is (individuals, lanes). A contest changes no rating in the lane that `left_out` names
    (one entry: the same for all contests; −1: in none). Into `sums` (3, lanes): log loss, Brier
    score, number of correct predictions. `room` (3, lanes) and `shifted`, its last row as integers,
    are overwritten.
    """
    lanes = k.size
    step = min(left_out.size - 1, 1)
    odds, part, power = room[0], room[1], room[2]
    for j in range(lanes):
        odds[j] = 1.0
    for i in range(first.size):
        a = rating[first[i]]
        b = rating[second[i]]
        for j in range(lanes):
            x = min(max(slope[j] * (b[j] - a[j]), -LARGEST), LARGEST)
            whole = x * LOG2_E + ROUNDING
            power[j] = whole
            n = whole - ROUNDING
            r = (x - n * LN2_HIGH) - n * LN2_LOW
            p = r * (1.0 / 479001600.0) + 1.0 / 39916800.0
            p = p * r + 1.0 / 3628800.0
            p = p * r + 1.0 / 362880.0
            p = p * r + 1.0 / 40320.0
            p = p * r + 1.0 / 5040.0
            p = p * r + 1.0 / 720.0
            p = p * r + 1.0 / 120.0
            p = p * r + 1.0 / 24.0
            p = p * r + 1.0 / 6.0
            p = p * r + 0.5
            p = p * r + 1.0
            part[j] = p * r + 1.0
        for j in range(lanes):  # the rounded number becomes the exponent of a power of 2
            shifted[j] = (shifted[j] + 1023) << 52
        skipped = left_out[i * step]
        for j in range(lanes):
            inverse = 1.0 + part[j] * power[j]
            win = 1.0 / inverse
            surprise = 0.0 if j == skipped else 1.0 - win
            sums[2, j] += 1.0 if a[j] > b[j] else 0.0
            win = min(max(win, least), 1.0 - least)
            sums[1, j] += (1.0 - win) * (1.0 - win)
            odds[j] *= win
            a[j] += k[j] * surprise
            b[j] -= k[j] * surprise
        if i % FACTORS == FACTORS - 1:
            for j in range(lanes):
                sums[0, j] -= math.log(odds[j])
                odds[j] = 1.0
    for j in range(lanes):
        sums[0, j] -= math.log(odds[j])

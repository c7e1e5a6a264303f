"""What the next contest of a pair would teach about the order of all.

Ratings are N(m, P) on the scale of log-odds. One outcome of a pair multiplies this by a logistic
likelihood, taken as a normal integral of variance 1.702², whose mean and variance are known: the
state stays normal, changed along c, the covariance of the pair's difference with the state. The
uncertainty of an order is the sum of p(1 − p) over pairs, p = P(i outranks j). It is used and not
the chance of error min(p, 1 − p), since one contest rarely reverses an order, so that the expected
gain in the latter is zero for most pairs.
"""

import math

import numpy as np

from peckorder.kernels import compiled, part
from peckorder.kernels.random import begin, normal, uniform

LOGISTIC = 1.702**2  # variance of the normal distribution closest to the logistic
CERTAIN = 36.0  # squared standard deviations beyond which an order is certain
LEAST = 1e-12  # of a variance or a probability


@part
def below(z):
    """Standard normal distribution function."""
    return 0.5 * math.erfc(-z * 0.7071067811865476)


@part
def after(mean, variance, won):
    """Probability of an outcome, and factors for the mean and the variance of what it informs."""
    sign = 1.0 if won else -1.0
    total = variance + LOGISTIC
    u = sign * mean / math.sqrt(total)
    chance = max(below(u), LEAST)
    ratio = 0.3989422804014327 * math.exp(-0.5 * u * u) / chance
    return chance, sign * ratio / math.sqrt(total), -ratio * (u + ratio) / total


@compiled
def order_probabilities(mean, covariance, out):
    """Probability that the row outranks the column."""
    for i in range(mean.size):
        out[i, i] = 0.5
        for j in range(i):
            variance = covariance[i, i] + covariance[j, j] - 2.0 * covariance[i, j]
            out[i, j] = below((mean[i] - mean[j]) / math.sqrt(max(variance, LEAST)))
            out[j, i] = 1.0 - out[i, j]


@compiled
def expected_uncertainty(mean, covariance, first, second, weight, out):
    """Expected weighted sum of p(1 − p) after one contest of each candidate pair."""
    size = mean.size
    c = np.empty(size)
    for q in range(first.size):
        a, b = first[q], second[q]
        for i in range(size):
            c[i] = covariance[i, a] - covariance[i, b]
        out[q] = 0.0
        for won in range(2):
            chance, shift, shrink = after(mean[a] - mean[b], c[a] - c[b], won == 1)
            total = 0.0
            for i in range(size):
                for j in range(i):
                    if weight[i, j] > 0.0:
                        apart = c[i] - c[j]
                        variance = covariance[i, i] + covariance[j, j] - 2.0 * covariance[i, j]
                        variance = max(variance + shrink * apart * apart, LEAST)
                        ahead = mean[i] - mean[j] + shift * apart
                        if ahead * ahead < CERTAIN * variance:
                            p = below(ahead / math.sqrt(variance))
                            total += weight[i, j] * p * (1.0 - p)
            out[q] += chance * total


@compiled
def contests_needed(key, mean, variance, level, most, out):
    """Contests of a pair until its order is known with probability `level`, one run each.

    The true difference is drawn from the posterior, outcomes from it; `most` if these are too few.
    """
    random = np.empty(4, np.uint64)
    for run in range(out.size):
        begin(random, key, run)
        truth = mean + math.sqrt(variance) * normal(random)
        center, spread = mean, variance
        number = 0
        while number < most:
            p = below(center / math.sqrt(max(spread, LEAST)))
            if max(p, 1.0 - p) >= level:
                break
            won = uniform(random) < 1.0 / (1.0 + math.exp(-truth))
            _, shift, shrink = after(center, spread, won)
            center += spread * shift
            spread += spread * spread * shrink
            number += 1
        out[run] = number

"""Posterior of ratings that did not change, from the outcomes of each pair, in no order.

Expectation propagation (Minka 2001): the likelihood of each pair of individuals, a function of
their difference δ alone, is replaced by a Gaussian in δ. It is chosen so that the approximate
posterior has the mean and variance of δ that the true likelihood of the pair gives together with
the Gaussians of all others; passes over the pairs are repeated until nothing changes. With ν for
ties (Davidson 1970; 0 without), log P = ½(w − l)δ + t log ν − n log(e^(δ/2) + e^(−δ/2) + ν), which
is concave, so the passes converge.

A state is the entry level (not used), the coefficients of covariates, and the ratings.
"""

import math
from typing import NamedTuple

import numpy as np

from peckorder.kernels import compiled, part

DEPTH = 30.0  # logarithm by which a density falls before it is cut off
STEP = (
    0.85  # of the integration, in standard deviations; at most 1, the width of the logistic curve
)


class Pairs(NamedTuple):
    """Outcomes of each pair (and value of the covariates), one row each."""

    first: np.ndarray
    second: np.ndarray
    covariates: np.ndarray
    won: np.ndarray  # by the first
    lost: np.ndarray
    tied: np.ndarray


@part
def log_likelihood(x, won, lost, tied, nu):
    """Log probability of the outcomes of a pair at a difference x, and its two derivatives."""
    size = abs(x)
    near = math.exp(-0.5 * size)
    far = near * near
    near *= nu
    total = 1.0 + far + near
    slope = 0.5 * (1.0 - far) / total * (1.0 if x >= 0.0 else -1.0)
    bend = 0.25 * (1.0 + far) / total - slope * slope
    number = won + lost + tied
    value = 0.5 * (won - lost) * x - number * (0.5 * size + math.log(total))
    if tied > 0.0:
        value += tied * math.log(nu)
    return value, 0.5 * (won - lost) - number * slope, -number * bend


@part
def peak(mean, variance, won, lost, tied, nu, start):
    """About the mode of a pair's likelihood times a Gaussian, and the standard deviation there."""
    reach = variance * (won + lost + tied)
    low, high = mean - reach, mean + reach
    x = min(max(start, low), high)
    curve = 1.0 / variance
    for _ in range(100):
        _, slope, bend = log_likelihood(x, won, lost, tied, nu)
        slope -= (x - mean) / variance
        curve = 1.0 / variance - bend
        if slope > 0.0:
            low = x
        else:
            high = x
        ahead = x + slope / curve
        if ahead <= low or ahead >= high:
            ahead = 0.5 * (low + high)
        if abs(ahead - x) <= 1e-6 * (1.0 + abs(x)):
            break
        x = ahead
    return x, 1.0 / math.sqrt(curve)


@part
def tilted(mean, variance, won, lost, tied, nu, start):
    """Log integral, mean and variance of the likelihood of a pair times a Gaussian."""
    mode, sd = peak(mean, variance, won, lost, tied, nu, start)
    step = min(STEP * sd, 1.0)
    top, _, _ = log_likelihood(mode, won, lost, tied, nu)
    top -= 0.5 * (mode - mean) ** 2 / variance
    total, once, twice = 1.0, 0.0, 0.0
    for direction in (-1.0, 1.0):
        away = 0.0
        for _ in range(100_000):
            away += direction * step
            value, _, _ = log_likelihood(mode + away, won, lost, tied, nu)
            value -= 0.5 * (mode + away - mean) ** 2 / variance + top
            if value < -DEPTH:
                break
            weight = math.exp(value)
            total += weight
            once += weight * away
            twice += weight * away * away
    shift = once / total
    log_integral = top + math.log(total * step / math.sqrt(2.0 * math.pi * variance))
    return log_integral, mode + shift, twice / total - shift * shift


@part
def project(pairs, s, state_mean, covariance, offset, c):
    """Mean and variance of the difference of a pair, and c, its covariance with the state."""
    a, b = pairs.first[s] + offset, pairs.second[s] + offset
    number = pairs.covariates.shape[1]
    for i in range(state_mean.size):
        value = covariance[a, i] - covariance[b, i]
        for q in range(number):
            value += pairs.covariates[s, q] * covariance[q + 1, i]
        c[i] = value
    mean, variance = state_mean[a] - state_mean[b], c[a] - c[b]
    for q in range(number):
        mean += pairs.covariates[s, q] * state_mean[q + 1]
        variance += pairs.covariates[s, q] * c[q + 1]
    return mean, variance


@part
def shift_by(mean, variance, c, precision, pull, state_mean, covariance):
    """Multiply the state by a Gaussian in a difference; returns the logarithm of 1 + its weight."""
    weight = 1.0 + precision * variance
    gain = (pull - precision * mean) / weight
    factor = precision / weight
    for i in range(state_mean.size):
        state_mean[i] += c[i] * gain
        scaled = factor * c[i]
        for j in range(state_mean.size):
            covariance[i, j] -= scaled * c[j]
    return math.log(weight)


@part
def set_out(
    prior_variance, opening, shared, pairs, precision, pull, state_mean, covariance, offset, c
):
    """The state under the prior and the present Gaussians of all pairs; log |P|/|prior|."""
    state_mean[:] = 0.0
    covariance[:] = 0.0
    for i in range(state_mean.size):
        covariance[i, i] = prior_variance[i]
    if shared > 0.0:
        for i in range(opening.size):
            for j in range(opening.size):
                if opening[i] >= 0 and opening[i] == opening[j]:
                    covariance[offset + i, offset + j] += shared
    log_ratio = 0.0
    for s in range(pairs.first.size):
        if precision[s] > 0.0:
            mean, variance = project(pairs, s, state_mean, covariance, offset, c)
            log_ratio -= shift_by(mean, variance, c, precision[s], pull[s], state_mean, covariance)
    return log_ratio


@part
def refreshed(mean, variance, precision, pull, won, lost, tied, nu):
    """A pair's Gaussian made anew under the present state, the change, and its log evidence."""
    without = 1.0 / (1.0 / variance - precision)
    center = without * (mean / variance - pull)
    log_integral, true_mean, true_variance = tilted(center, without, won, lost, tied, nu, mean)
    change = max(abs(true_mean - mean) / math.sqrt(variance), abs(true_variance / variance - 1.0))
    sharp = 1.0 / without + precision
    toward = center / without + pull
    evidence = log_integral + 0.5 * math.log(sharp * without) + 0.5 * pull * mean
    evidence -= 0.5 * (toward * toward / sharp - center * center / without)
    new = max(1.0 / true_variance - 1.0 / without, 0.0)
    return new, true_mean / true_variance - center / without, change, evidence


@compiled
def propagate(
    pairs,
    prior_variances,
    opening,
    shared,
    nu,
    passes,
    tolerance,
    means,
    covariances,
    log_evidences,
):
    """Fit the posterior under each row of prior variances; each begins where the last one ended.

    Individuals with the same number of an opening (−1: none) also share an offset, whose variance
    is given for each row.

    Returns the number of passes of the slowest fit.
    """
    number, size = prior_variances.shape
    offset = pairs.covariates.shape[1] + 1
    sites = pairs.first.size
    precision, pull, c = np.zeros(sites), np.zeros(sites), np.empty(size)
    won, lost, tied = pairs.won, pairs.lost, pairs.tied
    most = 0
    for e in range(number):
        state_mean, covariance = means[e], covariances[e]
        prior = prior_variances[e]
        used, change, log_ratio = 0, math.inf, 0.0
        while True:
            # Rounding errors of many small updates are removed before each pass.
            log_ratio = set_out(
                prior,
                opening,
                shared[e],
                pairs,
                precision,
                pull,
                state_mean,
                covariance,
                offset,
                c,
            )
            if used >= passes or change < tolerance:
                break
            used += 1
            change = 0.0
            for s in range(sites):
                mean, variance = project(pairs, s, state_mean, covariance, offset, c)
                new, toward, moved, _ = refreshed(
                    mean, variance, precision[s], pull[s], won[s], lost[s], tied[s], nu
                )
                change = max(change, moved)
                more, further = new - precision[s], toward - pull[s]
                shift_by(mean, variance, c, more, further, state_mean, covariance)
                precision[s], pull[s] = new, toward
        most = max(most, used)
        total = 0.5 * log_ratio
        for s in range(sites):
            mean, variance = project(pairs, s, state_mean, covariance, offset, c)
            total += refreshed(mean, variance, precision[s], pull[s], won[s], lost[s], tied[s], nu)[
                3
            ]
        log_evidences[e] = total
    return most


@compiled
def gather(pairs, precision, pull, sharp, toward):
    """Add the Gaussians of all pairs to a precision matrix (its lower triangle) and its vector."""
    number = pairs.covariates.shape[1]
    at, weight = np.empty(number + 2, np.int64), np.empty(number + 2)
    for s in range(pairs.first.size):
        _contrast(pairs, s, at, weight)
        for i in range(at.size):
            toward[at[i]] += weight[i] * pull[s]
            for j in range(at.size):
                if at[j] <= at[i]:
                    sharp[at[i], at[j]] += precision[s] * weight[i] * weight[j]


@compiled
def refresh(pairs, nu, state_mean, covariance, precision, pull, new, toward):
    """All pairs' Gaussians made anew under one state; the largest change, and the log evidence."""
    number = pairs.covariates.shape[1]
    at, weight = np.empty(number + 2, np.int64), np.empty(number + 2)
    change = total = 0.0
    for s in range(pairs.first.size):
        _contrast(pairs, s, at, weight)
        mean = variance = 0.0
        for i in range(at.size):
            mean += weight[i] * state_mean[at[i]]
            for j in range(at.size):
                low, high = min(at[i], at[j]), max(at[i], at[j])
                variance += weight[i] * weight[j] * covariance[high, low]
        new[s], toward[s], moved, evidence = refreshed(
            mean,
            variance,
            precision[s],
            pull[s],
            pairs.won[s],
            pairs.lost[s],
            pairs.tied[s],
            nu,
        )
        change = max(change, moved)
        total += evidence
    return change, total


@part
def _contrast(pairs, s, at, weight):
    """Which entries of the state the difference of a pair is made of."""
    number = pairs.covariates.shape[1]
    for q in range(number):
        at[q], weight[q] = q + 1, pairs.covariates[s, q]
    at[number], weight[number] = number + 1 + pairs.first[s], 1.0
    at[number + 1], weight[number + 1] = number + 1 + pairs.second[s], -1.0

"""Assumed-density filters: ratings as one Gaussian that contests update and time diffuses.

The state x = (coefficients, ratings) ~ N(mean, covariance), with full covariance. Coefficient 0 is
the entry level g, how far newcomers enter from the mean of those in the group; the others multiply
covariates of a contest. Before contest t, in this order: the ratings of those on the roster drift;
newcomers enter; then the outcome is predicted and the state is conditioned on it by matching the
first two moments. All but the last is linear and Gaussian, hence exact.

Only the lower triangle of a covariance is kept while a filter runs; it is mirrored in what is
returned. One filter has one value of every setting; a bank of them is averaged by the caller, who
may run parts of it in several threads: each filter writes to its own rows only.
"""

import math
from typing import NamedTuple

import numpy as np

from peckorder.kernels import compiled
from peckorder.kernels.filter_moments import moments

LEAST = 1e-300


class Record(NamedTuple):
    """What happened, the same for every filter."""

    winner: np.ndarray  # int32
    loser: np.ndarray  # int32
    tied: np.ndarray  # bool
    covariates: np.ndarray  # (contests, coefficients − 1), seen from the winner
    dyad: np.ndarray  # int32: number of the pair
    side: np.ndarray  # 1 where the winner is the pair's first, else −1
    step: np.ndarray  # (contests + 1) time before each contest, and after the last
    coefficient_sd: np.ndarray  # prior, of coefficients 1, 2, …
    founder: np.ndarray  # bool: there from the start
    roster_of: np.ndarray  # (contests + 1) int32: who drifts before each contest
    roster_at: np.ndarray  # int32: where each roster begins in `roster`, and the end
    roster: np.ndarray  # int32
    entry_at: np.ndarray  # int32: contests before which somebody enters
    entry_mean: np.ndarray  # int32: the roster whose mean they enter around
    newcomer_at: np.ndarray  # int32: where newcomers of each entry begin, and the end
    newcomer: np.ndarray  # int32


class Filter(NamedTuple):
    """The settings of one filter."""

    sigma: float  # spread of founders, and of newcomers around their entry level
    entry_sd: float  # prior of the entry level
    drift: float  # variance that a unit of time adds
    returning: float  # 1: ratings return to 0 with stationary spread σ; 0: a random walk
    k: float  # of an Elo step after each decided contest
    nu: float  # of Davidson's ties
    lapse: float  # chance of an outcome that ignores ratings, on either side
    dyad_sd: float  # prior of what a pair has of its own
    quadrature_below: float  # variance below which the logistic is integrated by quadrature


class Trace(NamedTuple):
    """What the backward pass needs of the forward pass; arrays of length 0 where it is not."""

    moments: np.ndarray  # int64, ascending: times at which the state is kept
    arrived: bool  # kept after drift and entries at that time, else before them
    mean: np.ndarray  # (moments, state)
    covariance: np.ndarray  # (moments, state, state)
    gain: np.ndarray  # (contests, state): covariance of the state with δ
    slopes: np.ndarray  # (contests, 3): g1, g2 and the variance of δ
    shrink: np.ndarray  # (contests + 1): φ of the drift


@compiled
def settings_of(row):
    """A filter from a row of the table of filters."""
    return Filter(row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7], row[8])


@compiled
def add_row(triangle, i, weight, out):
    """out += weight × row i of a symmetric matrix of which the lower triangle is kept."""
    for j in range(i + 1):
        out[j] += weight * triangle[i, j]
    for j in range(i + 1, out.size):
        out[j] += weight * triangle[j, i]


@compiled
def mirror(triangle):
    """Fill the upper triangle."""
    for i in range(triangle.shape[0]):
        for j in range(i):
            triangle[j, i] = triangle[i, j]


@compiled
def begin(record, settings, mean, covariance):
    """The prior: founders spread by σ, coefficients by their own deviations."""
    mean[:] = 0.0
    covariance[:] = 0.0
    covariance[0, 0] = settings.entry_sd**2
    for k in range(record.coefficient_sd.size):
        covariance[k + 1, k + 1] = record.coefficient_sd[k] ** 2
    offset = record.coefficient_sd.size + 1
    for i in range(record.founder.size):
        if record.founder[i]:
            covariance[offset + i, offset + i] = settings.sigma**2


@compiled
def drift(record, settings, t, mean, covariance, scale):
    """Ratings on the roster drift before contest t; returns the factor φ that shrank them."""
    variance = settings.drift * record.step[t]
    if variance <= 0.0:
        return 1.0
    offset = record.coefficient_sd.size + 1
    members = record.roster_of[t]
    begins = record.roster_at[members]
    ends = record.roster_at[members + 1]
    phi = 1.0
    if settings.returning > 0.0:
        squared = settings.sigma**2
        phi = math.exp(-0.5 * variance / squared)
        variance = -squared * math.expm1(-variance / squared)
        scale[:] = 1.0
        for place in range(begins, ends):
            i = offset + record.roster[place]
            scale[i] = phi
            mean[i] *= phi
        for i in range(mean.size):
            s = scale[i]
            for j in range(i + 1):
                covariance[i, j] *= s * scale[j]
    for place in range(begins, ends):
        i = offset + record.roster[place]
        covariance[i, i] += variance
    return phi


@compiled
def enter(record, sigma, entry, mean, covariance, c):
    """Newcomers of one moment: mean of the roster + g + N(0, σ²); they share the first two."""
    offset = record.coefficient_sd.size + 1
    members = record.entry_mean[entry]
    begins = record.roster_at[members]
    ends = record.roster_at[members + 1]
    c[:] = 0.0
    add_row(covariance, 0, 1.0, c)
    level = mean[0]
    share = 1.0 / max(ends - begins, 1)
    for place in range(begins, ends):
        i = offset + record.roster[place]
        add_row(covariance, i, share, c)
        level += share * mean[i]
    variance = c[0]
    for place in range(begins, ends):
        variance += share * c[offset + record.roster[place]]
    first = record.newcomer_at[entry]
    last = record.newcomer_at[entry + 1]
    for place in range(first, last):
        i = offset + record.newcomer[place]
        mean[i] = level
        for j in range(mean.size):
            covariance[max(i, j), min(i, j)] = c[j]
    for place in range(first, last):
        i = offset + record.newcomer[place]
        for other in range(first, place + 1):
            j = offset + record.newcomer[other]
            covariance[max(i, j), min(i, j)] = variance
        covariance[i, i] += sigma**2


@compiled
def observe(record, settings, t, mean, covariance, dyad_mean, dyad_variance, c):
    """Condition on contest t; returns its chance, g1, g2 and the variance of δ before it.

    c is left as the covariance of the state with δ. An Elo step of gain k moves the ratings by
    ±k(1 − p) as well, with its exact first two moments; the bound below keeps the covariance
    positive where their approximation would not.
    """
    offset = record.coefficient_sd.size + 1
    a = offset + record.winner[t]
    b = offset + record.loser[t]
    dyad = record.dyad[t]
    side = record.side[t]
    c[:] = 0.0
    add_row(covariance, a, 1.0, c)
    add_row(covariance, b, -1.0, c)
    center = mean[a] - mean[b] + side * dyad_mean[dyad]
    for k in range(1, offset):
        x = record.covariates[t, k - 1]
        if x != 0.0:
            add_row(covariance, k, x, c)
            center += x * mean[k]
    variance = c[a] - c[b] + dyad_variance[dyad]
    for k in range(1, offset):
        variance += record.covariates[t, k - 1] * c[k]
    variance = max(variance, 0.0)
    z, z1, z2 = moments(center, variance, settings.nu, record.tied[t], settings.quadrature_below)
    kept = 1.0 - 2.0 * settings.lapse
    chance = max(settings.lapse + kept * z, LEAST)
    g1 = kept * z1 / chance
    g2 = kept * z2 / chance - g1 * g1
    c[a] += settings.k
    c[b] -= settings.k
    for i in range(mean.size):
        mean[i] += g1 * c[i]
        f = g2 * c[i]
        for j in range(i + 1):
            covariance[i, j] += f * c[j]
    if settings.k > 0.0:
        c[a] -= settings.k
        c[b] += settings.k
        bound = variance * g2 * g2 / max(1.0 + variance * g2, 1e-12) - g2
        extra = settings.k**2 * max((z1 - z2) / (2.0 * chance), bound)
        covariance[a, a] += extra
        covariance[b, b] += extra
        covariance[max(a, b), min(a, b)] -= extra
    dyad_mean[dyad] += side * dyad_variance[dyad] * g1
    dyad_variance[dyad] += g2 * dyad_variance[dyad] ** 2
    return chance, g1, g2, variance


@compiled
def keep(trace, kept, t, mean, covariance):
    """Copy the state if it is wanted at this time; returns how many have been kept."""
    while kept < trace.moments.size and trace.moments[kept] == t:
        trace.mean[kept] = mean
        trace.covariance[kept] = covariance
        mirror(trace.covariance[kept])
        kept += 1
    return kept


@compiled
def forward(record, settings, trace, mean, covariance, dyad_mean, dyad_variance, log_chance):
    """One filter over all contests; fills the log chance of each given those before it."""
    scale = np.empty(mean.size)
    c = np.empty(mean.size)
    begin(record, settings, mean, covariance)
    dyad_mean[:] = 0.0
    dyad_variance[:] = settings.dyad_sd**2
    entry = 0
    kept = 0
    contests = record.winner.size
    for t in range(contests + 1):
        if not trace.arrived:
            kept = keep(trace, kept, t, mean, covariance)
        phi = 1.0
        if t > 0:
            phi = drift(record, settings, t, mean, covariance, scale)
        if entry < record.entry_at.size and record.entry_at[entry] == t:
            enter(record, settings.sigma, entry, mean, covariance, c)
            entry += 1
        if trace.arrived:
            kept = keep(trace, kept, t, mean, covariance)
        if t == contests:
            break
        chance, g1, g2, variance = observe(
            record, settings, t, mean, covariance, dyad_mean, dyad_variance, c
        )
        log_chance[t] = math.log(chance)
        if trace.gain.shape[0] > 0:
            trace.gain[t] = c
            trace.slopes[t, 0] = g1
            trace.slopes[t, 1] = g2
            trace.slopes[t, 2] = variance
            trace.shrink[t] = phi
    if trace.gain.shape[0] > 0:
        trace.shrink[contests] = phi
    mirror(covariance)


@compiled
def run(record, table, trace, begins, ends, mean, covariance, dyad_mean, dyad_variance, log_chance):
    """Filters begins … ends − 1 of the table, each in its own rows of the outputs."""
    for e in range(begins, ends):
        forward(
            record,
            settings_of(table[e]),
            trace,
            mean[e],
            covariance[e],
            dyad_mean[e],
            dyad_variance[e],
            log_chance[e],
        )


@compiled
def mix(log_prior, log_chance):
    """Log chance of every contest given those before it, averaged over filters by their weights.

    With a weight for each filter that starts at its prior and is multiplied by its chance of every
    contest, the average is the growth of the sum of weights.
    """
    filters, contests = log_chance.shape
    total = log_prior.copy()
    out = np.empty(contests)
    before = 0.0
    for t in range(contests):
        highest = -math.inf
        for e in range(filters):
            total[e] += log_chance[e, t]
            highest = max(highest, total[e])
        s = 0.0
        for e in range(filters):
            s += math.exp(total[e] - highest)
        after = highest + math.log(s)
        out[t] = after - before
        before = after
    return out

"""Assumed-density filters: ratings as one Gaussian that contests update and time diffuses.

The state x = (coefficients, ratings) ~ N(mean, covariance), with full covariance. Coefficient 0 is
the entry level g, how far newcomers enter from the mean of those in the group; the others multiply
covariates of a contest. Before contest t, in this order: the ratings of those on the roster drift;
newcomers enter; then the outcome is predicted and the state is conditioned on it by matching the
first two moments. All but the last is linear and Gaussian, hence exact.

Contests may share a moment: each is then predicted from what came before it, and the state is
conditioned on all of them at once (`agree`), so that their order is irrelevant.

Only the lower triangle of a covariance is kept while a filter runs; it is mirrored in what is
returned. Each entry has a scale, by which its mean and its row and column of the covariance are
multiplied, so that ratings which return to 0 shrink without a pass over all covariances. One filter
has one value of every setting; a bank of them is averaged by the caller, who may run parts of it in
several threads: each filter writes to its own rows only.

What one outcome says of a difference in rating that is known as δ ~ N(mean, variance).
"""

import math
from typing import NamedTuple

import numpy as np

from peckorder.kernels import compiled, maker, part

TINY = 1e-300
LEAST_LEFT = 1e-12
LEAST_SCALE = 1e-60
# Contests of one moment: sweeps until nothing moves by more than this, in standard deviations.
SWEEPS, SETTLED = 50, 1e-2
SWEEPS_IN_PYTHON = 10  # as many contests take as long as one that shares its moment
WHOLE_STEPS = 5  # sweeps after which steps are halved, in case they went to and fro


class Record(NamedTuple):
    """What happened, the same for every filter."""

    winner: np.ndarray  # int32
    loser: np.ndarray  # int32
    tied: np.ndarray  # bool
    covariates: np.ndarray  # (contests, coefficients − 1), seen from the winner
    dyad: np.ndarray  # int32: number of the pair
    side: np.ndarray  # 1 where the winner is the pair's first, else −1
    step: np.ndarray  # (contests + 1) time before each contest, and after the last
    moment_end: np.ndarray  # int32: the contest after the last one of the moment of each
    coefficient_sd: np.ndarray  # prior, of coefficients 1, 2, …
    founder: np.ndarray  # bool: there from the start
    roster_of: np.ndarray  # (contests + 1) int32: who drifts before each contest
    roster_at: np.ndarray  # int32: where each roster begins in `roster`, and the end
    roster: np.ndarray  # int32
    entry_at: np.ndarray  # int32: contests before which somebody enters
    entry_mean: np.ndarray  # int32: the roster whose mean they enter around
    newcomer_at: np.ndarray  # int32: where newcomers of each entry begin, and the end
    newcomer: np.ndarray  # int32
    openings: np.ndarray  # (openings, individuals) int32: equal numbers share an offset; −1: none


class Filter(NamedTuple):
    """The settings of one filter."""

    sigma: float  # spread of founders, and of newcomers around their entry level
    entry_sd: float  # prior of the entry level
    drift: float  # variance that a unit of time adds
    returning: float  # 1: ratings return to 0 with stationary spread σ; 0: a random walk
    k: float  # of an Elo step after each decided contest
    nu: float  # of Davidson's ties
    lapse: float  # least chance of each outcome, whatever the ratings
    dyad_sd: float  # prior of what a pair has of its own
    quadrature_below: float  # variance below which the logistic is integrated by quadrature
    opening: float  # which row of openings
    offset: float  # variance of each offset of that opening; 0: a normal prior


class Trace(NamedTuple):
    """What the backward pass needs of the forward pass; arrays of length 0 where it is not."""

    moments: np.ndarray  # int64, ascending: times at which the state is kept
    arrived: bool  # kept after drift and entries at that time, else before them
    mean: np.ndarray  # (moments, state)
    covariance: np.ndarray  # (moments, state, state)
    gain: np.ndarray  # (contests, state): covariance of the state with δ
    slopes: np.ndarray  # (contests, 4): g1, g2, variance and mean of δ
    shrink: np.ndarray  # (contests + 1): φ of the drift


@part
def add_row(triangle, i, weight, out):
    """Add weight × row i of a symmetric matrix, of which the lower triangle is kept, to out."""
    for j in range(i + 1):
        out[j] += weight * triangle[i, j]
    for j in range(i + 1, out.size):
        out[j] += weight * triangle[j, i]


@part
def begin(mean, covariance, entry_sd, coefficient_sd, founder, sigma, opening, shared):
    """The prior: founders spread by σ, coefficients by their own deviations.

    Founders with the same number of the opening also share an offset, of variance `shared`.
    """
    size = mean.size
    for i in range(size):
        mean[i] = 0.0
        for j in range(size):
            covariance[i, j] = 0.0
    covariance[0, 0] = entry_sd**2
    for k in range(coefficient_sd.size):
        covariance[k + 1, k + 1] = coefficient_sd[k] ** 2
    offset = coefficient_sd.size + 1
    for i in range(founder.size):
        if founder[i]:
            covariance[offset + i, offset + i] = sigma**2
    if shared > 0.0:
        for i in range(founder.size):
            for j in range(founder.size):
                if founder[i] and founder[j] and opening[i] >= 0 and opening[i] == opening[j]:
                    covariance[offset + i, offset + j] += shared


@part
def unscale(mean, covariance, scale):
    """Take the scale of each entry into the state, and begin anew with 1."""
    for i in range(scale.size):
        mean[i] *= scale[i]
        for j in range(i + 1):
            covariance[i, j] *= scale[i] * scale[j]
    for i in range(scale.size):
        scale[i] = 1.0


@part
def drift(mean, covariance, scale, members, offset, variance, sigma, returning):
    """Members' ratings drift; returns the factor φ that shrank them toward 0."""
    if not returning:  # scales are 1
        for i in members:
            covariance[offset + i, offset + i] += variance
        return 1.0
    squared = sigma**2
    phi = math.exp(-0.5 * variance / squared)
    variance = -squared * math.expm1(-variance / squared)
    least = 1.0
    for i in members:
        scale[offset + i] *= phi
        least = min(least, scale[offset + i])
    if least < LEAST_SCALE:
        unscale(mean, covariance, scale)
    for i in members:
        j = offset + i
        covariance[j, j] += variance / (scale[j] * scale[j])
    return phi


@part
def enter(mean, covariance, members, newcomers, offset, sigma, opening, own, c):
    """Newcomers of one moment: mean of the members + g + N(0, σ²); they share the first two.

    Those with a number in the opening have a further variance of their own.
    """
    for j in range(c.size):
        c[j] = 0.0
    add_row(covariance, 0, 1.0, c)
    level = mean[0]
    share = 1.0 / members.size if members.size > 0 else 0.0
    for i in members:
        add_row(covariance, offset + i, share, c)
        level += share * mean[offset + i]
    variance = c[0]
    for i in members:
        variance += share * c[offset + i]
    for new in newcomers:
        i = offset + new
        mean[i] = level
        for j in range(i + 1):
            covariance[i, j] = c[j]
        for j in range(i + 1, c.size):
            covariance[j, i] = c[j]
    for new in newcomers:
        for other in newcomers:
            if other < new:
                covariance[offset + new, offset + other] = variance
        covariance[offset + new, offset + new] = variance + sigma**2
        if own > 0.0 and opening[new] >= 0:
            covariance[offset + new, offset + new] += own


@part
def project(mean, covariance, scale, a, b, covariates, c):
    """Mean and variance of δ = h′x; fills c, the covariance of the state with δ, over scale."""
    for j in range(c.size):
        c[j] = 0.0
    add_row(covariance, a, scale[a], c)
    add_row(covariance, b, -scale[b], c)
    center = scale[a] * mean[a] - scale[b] * mean[b]
    for k in range(covariates.size):  # their scale is 1
        if covariates[k] != 0.0:
            add_row(covariance, k + 1, covariates[k], c)
            center += covariates[k] * mean[k + 1]
    variance = scale[a] * c[a] - scale[b] * c[b]
    for k in range(covariates.size):
        variance += covariates[k] * c[k + 1]
    return center, variance if variance > 0.0 else 0.0


@part
def condition(mean, covariance, scale, a, b, c, g1, g2, k):
    """Move the mean by g1 c and the covariance by g2 c c′; c is left as it was.

    With an Elo step of gain k after the contest, c + k (e_a − e_b) takes the place of c.
    """
    if k > 0.0:
        c[a] += k / scale[a]
        c[b] -= k / scale[b]
    for i in range(c.size):
        mean[i] += g1 * c[i]
        f = g2 * c[i]
        for j in range(i + 1):
            covariance[i, j] += f * c[j]
    if k > 0.0:
        c[a] -= k / scale[a]
        c[b] += k / scale[b]


@part
def diffuse(covariance, scale, a, b, g2, k, variance, spread):
    """What an Elo step, ±k(1 − p), adds to the covariance because p is not known.

    Its exact second moment, but for a bound that keeps the covariance positive.
    """
    left = 1.0 + variance * g2  # the share of the variance of δ that is left
    bound = variance * g2 * g2 / (left if left > LEAST_LEFT else LEAST_LEFT) - g2
    extra = k * k * (spread if spread > bound else bound)
    covariance[a, a] += extra / (scale[a] * scale[a])
    covariance[b, b] += extra / (scale[b] * scale[b])
    covariance[max(a, b), min(a, b)] -= extra / (scale[a] * scale[b])


@part
def outcome(center, variance, f, tied):
    """Chance of an outcome; by how much it moves N(center, variance); and of an Elo step."""
    z, z1, z2 = moments(center, variance, f.nu, tied, f.quadrature_below)
    certain = 1.0 - (3.0 if f.nu > 0.0 else 2.0) * f.lapse
    chance = f.lapse + certain * z + TINY
    g1 = certain * z1 / chance
    return chance, g1, certain * z2 / chance - g1 * g1, (z1 - z2) / (2.0 * chance)


@part
def message(center, variance, g1, g2):
    """Precision and pull of the Gaussian that moves N(center, variance) by g1 and g2.

    The precision is not below 0: what may be a lapse moves the mean and leaves the variance.
    """
    left = 1.0 + variance * g2
    precision = -g2 / (left if left > LEAST_LEFT else LEAST_LEFT)
    if precision < 0.0:
        precision = 0.0
    return precision, (1.0 + variance * precision) * g1 + precision * center


@part
def moved_by(center, variance, precision, pull):
    """How such a Gaussian moves N(center, variance), and the logarithm of its integral."""
    left = 1.0 + variance * precision
    log_integral = 2.0 * center * pull + variance * pull * pull - center * center * precision
    log_integral = log_integral / (2.0 * left) - 0.5 * math.log(left)
    return (pull - precision * center) / left, -precision / left, log_integral


@part
def without(center, variance, precision, pull):
    """N(center, variance) before such a Gaussian moved it there."""
    left = 1.0 - variance * precision
    left = left if left > LEAST_LEFT else LEAST_LEFT
    return (center - variance * pull) / left, variance / left


@maker
def agree(record, begin, end, f, mean, covariance, scale, dyad_mean, dyad_variance, place, sites):
    """Gaussians that stand for the outcomes of one moment, by expectation propagation.

    All are found anew in each sweep from those of the sweep before, so that the order of contests
    is irrelevant (Minka 2001; in parallel). `sites` has a row per contest: precision and pull of
    the Gaussian in δ and of that in what the pair has of its own; the logarithm of their factor;
    mean and variance of δ before the moment, and the log chance of the outcome; and what the pair
    had before. `place` is room to work in, all −1; the state is left as it was.
    """
    offset = record.coefficient_sd.size + 1
    some = np.empty(offset + 2 * (end - begin), np.int64)
    for i in range(offset):
        some[i] = i
    size = offset
    for t in range(begin, end):
        for i in (record.winner[t], record.loser[t]):
            if place[i] < 0:
                place[i] = size
                some[size] = offset + i
                size += 1
        s = t - begin
        for i in range(4):
            sites[s, i] = 0.0
        sites[s, 8] = dyad_mean[record.dyad[t]]
        sites[s, 9] = dyad_variance[record.dyad[t]]
    x = np.empty(size)
    p = np.empty((size, size))
    c = np.empty(size)
    even = np.ones(size)
    for sweep in range(SWEEPS):
        for i in range(size):
            x[i] = scale[some[i]] * mean[some[i]]
            for j in range(i + 1):
                p[i, j] = covariance[max(some[i], some[j]), min(some[i], some[j])]
                p[i, j] *= scale[some[i]] * scale[some[j]]
        if sweep > 0:
            for t in range(begin, end):
                s = t - begin
                a = place[record.winner[t]]
                b = place[record.loser[t]]
                center, variance = project(x, p, even, a, b, record.covariates[t], c)
                g1, g2, _ = moved_by(center, variance, sites[s, 0], sites[s, 1])
                condition(x, p, even, a, b, c, g1, g2, 0.0)
                take_own(record, t, dyad_mean, dyad_variance, sites[s, 2], sites[s, 3])
        step = 1.0 if sweep < WHOLE_STEPS else 0.5
        farthest = 0.0
        for t in range(begin, end):
            s = t - begin
            a = place[record.winner[t]]
            b = place[record.loser[t]]
            center, variance = project(x, p, even, a, b, record.covariates[t], c)
            own_center = record.side[t] * dyad_mean[record.dyad[t]]
            own = dyad_variance[record.dyad[t]]
            u, v = without(center, variance, sites[s, 0], sites[s, 1])
            own_u, own_v = without(own_center, own, sites[s, 2], sites[s, 3])
            chance, g1, g2, _ = outcome(u + own_u, v + own_v, f, record.tied[t])
            if sweep == 0:
                sites[s, 5] = u + own_u
                sites[s, 6] = v + own_v
                sites[s, 7] = math.log(chance)
            precision, pull = message(u, v, g1, g2)
            precision = step * (precision - sites[s, 0])
            pull = step * (pull - sites[s, 1])
            farthest = max(farthest, abs(precision) * variance)
            farthest = max(farthest, abs(pull - precision * center) * math.sqrt(variance))
            sites[s, 0] += precision
            sites[s, 1] += pull
            precision, pull = message(own_u, own_v, g1, g2)
            precision = step * (precision - sites[s, 2])
            pull = step * (pull - sites[s, 3])
            farthest = max(farthest, abs(precision) * own)
            farthest = max(farthest, abs(pull - precision * own_center) * math.sqrt(own))
            sites[s, 2] += precision
            sites[s, 3] += pull
            _, _, of_both = moved_by(u, v, sites[s, 0], sites[s, 1])
            _, _, of_own = moved_by(own_u, own_v, sites[s, 2], sites[s, 3])
            sites[s, 4] = math.log(chance) - of_both - of_own
        for t in range(begin, end):
            dyad_mean[record.dyad[t]] = sites[t - begin, 8]
            dyad_variance[record.dyad[t]] = sites[t - begin, 9]
        if farthest < SETTLED:
            break
    for t in range(begin, end):
        place[record.winner[t]] = -1
        place[record.loser[t]] = -1


@part
def take_own(record, t, dyad_mean, dyad_variance, precision, pull):
    """Move what a pair has of its own by a Gaussian, and the logarithm of its integral."""
    d = record.dyad[t]
    own = dyad_variance[d]
    g1, g2, log_integral = moved_by(record.side[t] * dyad_mean[d], own, precision, pull)
    dyad_mean[d] += record.side[t] * own * g1
    dyad_variance[d] = own + g2 * own * own
    return log_integral


@part
def keep(moments, kept, t, mean, covariance, scale, means, covariances):
    """Copy the state if it is wanted at this time; returns how many have been kept."""
    while kept < moments.size and moments[kept] == t:
        for i in range(mean.size):
            means[kept, i] = scale[i] * mean[i]
            for j in range(i + 1):
                covariances[kept, i, j] = scale[i] * scale[j] * covariance[i, j]
                covariances[kept, j, i] = covariances[kept, i, j]
        kept += 1
    return kept


def seconds(record, table, trace, chosen, since, until, scale, *_):
    """About how long plain Python takes."""
    contest = 1.2e-5 + 7e-7 * scale.size + 1.1e-7 * scale.size**2
    together = until - since - np.unique(record.moment_end[since:until]).size
    return contest * chosen.size * (until - since + 1 + SWEEPS_IN_PYTHON * together)


@compiled(seconds=seconds)
def run(
    record,
    table,
    trace,
    chosen,
    since,
    until,
    scale,
    c,
    mean,
    covariance,
    dyad_mean,
    dyad_variance,
    log_chance,
    log_predicted,
):
    """Chosen rows of a table of settings, each in its own rows of the outputs.

    Contests since … until − 1 are taken in; `since` is 0, or the `until` of the last call, and no
    moment is divided. Fills means and covariances after the last of them, and the log chance of
    each: given those before it, and as predicted before its moment. A trace is for one filter;
    `scale` and `c` are room to work in.
    """
    offset = record.coefficient_sd.size + 1
    contests = record.winner.size
    largest = 0
    end = since
    while end < until:
        largest = max(largest, record.moment_end[end] - end)
        end = record.moment_end[end]
    sites = np.empty((largest, 10))
    place = np.full(record.founder.size, -1)
    traced = trace.gain.shape[0] > 0
    for e in chosen:
        row = table[e]
        f = Filter(
            row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7], row[8], row[9], row[10]
        )
        opening = record.openings[int(f.opening)]
        x = mean[e]
        p = covariance[e]
        entry = 0
        if since == 0:
            founder = record.founder
            begin(x, p, f.entry_sd, record.coefficient_sd, founder, f.sigma, opening, f.offset)
            for d in range(dyad_mean.shape[1]):
                dyad_mean[e, d] = 0.0
                dyad_variance[e, d] = f.dyad_sd**2
        else:
            while entry < record.entry_at.size and record.entry_at[entry] < since:
                entry += 1
        for i in range(scale.size):
            scale[i] = 1.0
        kept = 0
        end = begun = since
        together = False
        for t in range(since, until + (until == contests)):
            if not trace.arrived:
                kept = keep(trace.moments, kept, t, x, p, scale, trace.mean, trace.covariance)
            phi = 1.0
            moved = f.drift * record.step[t]
            if t > 0 and moved > 0.0:
                r = record.roster_of[t]
                members = record.roster[record.roster_at[r] : record.roster_at[r + 1]]
                phi = drift(x, p, scale, members, offset, moved, f.sigma, f.returning > 0.0)
            if entry < record.entry_at.size and record.entry_at[entry] == t:
                r = record.entry_mean[entry]
                members = record.roster[record.roster_at[r] : record.roster_at[r + 1]]
                new = record.newcomer[record.newcomer_at[entry] : record.newcomer_at[entry + 1]]
                unscale(x, p, scale)
                enter(x, p, members, new, offset, f.sigma, opening, f.offset, c)
                entry += 1
            if trace.arrived:
                kept = keep(trace.moments, kept, t, x, p, scale, trace.mean, trace.covariance)
            if traced:
                trace.shrink[t] = phi
            if t == contests:
                break
            if t >= end:
                begun = t
                end = record.moment_end[t]
                together = end - t > 1 and f.k == 0.0
                if together:
                    agree(
                        record, t, end, f, x, p, scale, dyad_mean[e], dyad_variance[e], place, sites
                    )
            a = offset + record.winner[t]
            b = offset + record.loser[t]
            center, variance = project(x, p, scale, a, b, record.covariates[t], c)
            if together:
                s = t - begun
                g1, g2, log_integral = moved_by(center, variance, sites[s, 0], sites[s, 1])
                condition(x, p, scale, a, b, c, g1, g2, 0.0)
                log_integral += take_own(
                    record, t, dyad_mean[e], dyad_variance[e], sites[s, 2], sites[s, 3]
                )
                center = sites[s, 5]
                variance = sites[s, 6]
                log_chance[e, t] = sites[s, 4] + log_integral
                log_predicted[e, t] = sites[s, 7]
            else:
                d = record.dyad[t]
                own = dyad_variance[e, d]
                center += record.side[t] * dyad_mean[e, d]
                chance, g1, g2, spread = outcome(center, variance + own, f, record.tied[t])
                condition(x, p, scale, a, b, c, g1, g2, f.k)
                if f.k > 0.0:
                    diffuse(p, scale, a, b, g2, f.k, variance, spread)
                dyad_mean[e, d] += record.side[t] * own * g1
                dyad_variance[e, d] = own + g2 * own * own
                log_chance[e, t] = math.log(chance)
                log_predicted[e, t] = log_chance[e, t]
                variance += own
            if traced:
                trace.slopes[t, 0] = g1
                trace.slopes[t, 1] = g2
                trace.slopes[t, 2] = variance
                trace.slopes[t, 3] = center
                for i in range(c.size):
                    trace.gain[t, i] = scale[i] * c[i]
        unscale(x, p, scale)
        for i in range(x.size):
            for j in range(i):
                p[j, i] = p[i, j]


SHARES = np.array([0.00147492, 0.02786494, 0.13953909, 0.32857533, 0.37943753, 0.12310819])
SHARES /= SHARES.sum()
SLOPES = np.array([0.23862265, 0.30886558, 0.39803376, 0.52203408, 0.70609867, 0.99483782])
NODES, NODE_WEIGHTS = np.polynomial.hermite_e.hermegauss(16)
NODES, NODE_WEIGHTS = NODES[8:], NODE_WEIGHTS[8:] / NODE_WEIGHTS.sum()  # the rule is symmetric
DENSITY = 1.0 / math.sqrt(2.0 * math.pi)
ROOT_HALF = math.sqrt(0.5)
# The trapezoidal rule: points within 8 standard deviations, no further apart than this.
REACH, STEP, STEP_SDS = 8.0, 0.75, 0.5
CERTAIN = 300.0  # differences beyond this have the same chances, to the last digit
NEARLY_KNOWN = 1e-12


def nothing(*_):
    """What one call of a loop that others call adds to their time."""
    return 0.0


@part
def within(mean):
    """The mean, no farther from 0 than where exponentials of it are safe."""
    if mean > CERTAIN:
        return CERTAIN
    return -CERTAIN if mean < -CERTAIN else mean


@compiled(seconds=nothing)
def quadrature_moments(mean, variance):
    """E logistic(δ) and its derivatives by 16 Gauss–Hermite nodes; for variances below 1."""
    deviation = math.sqrt(variance)
    odds = math.exp(-within(mean))
    z = z1 = z2 = 0.0
    for i in range(NODES.size):
        e = math.exp(deviation * NODES[i])
        # 1/(1 + odds·e) and 1/(1 + odds/e), with one division.
        low = 1.0 + odds * e
        high = e + odds
        r = 1.0 / (low * high)
        p = high * r  # at −node
        q = e * low * r  # at +node
        dp = p * (1.0 - p)
        dq = q * (1.0 - q)
        w = NODE_WEIGHTS[i]
        z += w * (p + q)
        z1 += w * (dp + dq)
        z2 += w * (dp * (1.0 - 2.0 * p) + dq * (1.0 - 2.0 * q))
    return z, z1, z2


@compiled(seconds=nothing)
def mixture_moments(mean, variance):
    """The same with the logistic as a mixture of six normal distribution functions."""
    z = z1 = z2 = 0.0
    for i in range(SHARES.size):
        slope = SLOPES[i] / math.sqrt(1.0 + SLOPES[i] * SLOPES[i] * variance)
        u = mean * slope
        d = SHARES[i] * DENSITY * math.exp(-0.5 * u * u) * slope
        z += SHARES[i] * 0.5 * math.erfc(-u * ROOT_HALF)
        z1 += d
        z2 -= d * u * slope
    return z, z1, z2


@compiled(seconds=nothing)
def davidson_moments(mean, variance, nu, tied):
    """A win or a tie where ties may happen: L = e^(δ/2)/A or ν/A with A = 2 cosh(δ/2) + ν.

    Sums of L, L′ = L l′ and L″ = L (l″ + l′²), l = log L, so nothing cancels where the variance
    is small. Exponentials along the points are products: e^(δ/2) grows by a constant factor, and
    the density by a factor that itself shrinks by a constant one.
    """
    deviation = math.sqrt(variance) + NEARLY_KNOWN
    step = STEP if STEP_SDS * deviation > STEP else STEP_SDS * deviation
    points = math.ceil(REACH * deviation / step)
    first = within(mean) - points * step
    x = -points * step / deviation
    s = step / deviation
    weight = math.exp(-0.5 * x * x)
    ratio = math.exp(-x * s - 0.5 * s * s)
    decay = math.exp(-s * s)
    root = math.exp(0.5 * first)
    growth = math.exp(0.5 * step)
    total = z = z1 = z2 = 0.0
    for _ in range(2 * points + 1):
        inverse = 1.0 / root if root > 0.0 else math.inf
        a = 1.0 / (root + inverse + nu)
        slope = 0.5 * (root - inverse) * a
        curve = 0.25 * (root + inverse) * a - slope * slope
        value = nu * a if tied else root * a
        slope = -slope if tied else 0.5 - slope
        total += weight
        value *= weight
        z += value
        z1 += value * slope
        z2 += value * (slope * slope - curve)
        weight *= ratio
        ratio *= decay
        root *= growth
    return z / total, z1 / total, z2 / total


@compiled(seconds=nothing)
def moments(mean, variance, nu, tied, quadrature_below):
    """Z, Z1 and Z2 of an outcome, by the rule that fits it."""
    if nu > 0.0:
        return davidson_moments(mean, variance, nu, tied)
    if variance < quadrature_below:
        return quadrature_moments(mean, variance)
    return mixture_moments(mean, variance)


@compiled(seconds=lambda means, *_: 6e-5 * means.size)
def outcome_chances(means, variances, nu, quadrature_below, win, tie):
    """Chances of a win and (if ν > 0) of a tie for every δ ~ N(mean, variance)."""
    for i in range(means.shape[0]):
        for j in range(means.shape[1]):
            mean, variance = means[i, j], variances[i, j]
            win[i, j] = moments(mean, variance, nu, False, quadrature_below)[0]
            if nu > 0.0:
                tie[i, j] = moments(mean, variance, nu, True, quadrature_below)[0]

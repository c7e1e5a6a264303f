"""Likelihood of contests with any number of sides, and of sides with any number of members.

Places are filled one after the other. Of the sides that are left, the set S takes the next place
with probability proportional to δ_|S| · exp(mean strength of S), where δ_1 = 1 (Davidson–Luce;
Turner et al. 2020). Sums over all sets of one size are elementary symmetric polynomials. Sides
below the last recorded place are only known to be below it.

The model is log-linear: each place adds the features of the set that took it minus their
expectation to the gradient, and their covariance to the negative Hessian.
"""

import math
from typing import NamedTuple

import numpy as np

from peckorder.kernels import compiled, maker, part
from peckorder.kernels.filters import moments

NEWTON = 30  # steps of the search for a mode


class FieldArrays(NamedTuple):
    """Contests as runs of sides from the first place to the last, and sides as runs of members.

    `place` counts from 0 and is the same for sides that tied; sides whose place is not below
    `recorded` (of the contest) are only known to be below the others. The strength of a side is
    the sum of share × ability over its members, plus its covariates (`known`) × coefficients.
    """

    side_at: np.ndarray
    place: np.ndarray
    recorded: np.ndarray
    member_at: np.ndarray
    member: np.ndarray
    share: np.ndarray
    weight: np.ndarray
    known: np.ndarray


def backward(fields):
    """The same contests filled from the last place, with the signs of abilities kept."""
    number = np.diff(fields.side_at)
    contest = np.repeat(np.arange(number.size), number)
    back = fields.side_at[contest] + fields.side_at[contest + 1] - 1 - np.arange(contest.size)
    members = np.diff(fields.member_at)[back]
    at = np.concatenate((np.zeros(1, np.int64), np.cumsum(members)))
    entry = np.repeat(fields.member_at[back] - at[:-1], members) + np.arange(at[-1])
    return fields._replace(
        place=(fields.recorded[contest] - 1 - fields.place)[back],
        member_at=at,
        member=fields.member[entry],
        share=-fields.share[entry],
        known=-fields.known[back],
    )


class Derivatives(NamedTuple):
    """What one contest adds: gradients of strengths and of log δ, and the blocks of curvature."""

    strength: np.ndarray
    tie: np.ndarray
    sides: np.ndarray
    border: np.ndarray
    corner: np.ndarray


@part
def clear(row):
    """Set a row to 0."""
    for i in range(row.size):
        row[i] = 0.0


@part
def clear_rows(matrix):
    """Set a matrix to 0."""
    for i in range(matrix.shape[0]):
        clear(matrix[i])


@part
def log_sum(a, b):
    """log(e^a + e^b)."""
    high, low = max(a, b), min(a, b)
    return high + math.log1p(math.exp(low - high))


@maker
def strict_order(u, recorded, curved, out):
    """A contest without ties, in a time linear in its sides (quadratic with the curvature).

    With Z_j the sum of e^u over the sides from place j on, the gradient of side s is
    1 − e^{u_s} Σ 1/Z_j over j ≤ s, and sides s < r have curvature −e^{u_s + u_r} Σ 1/Z_j².
    """
    n = u.size
    rest = np.empty(n)  # log Z
    rest[n - 1] = u[n - 1]
    for s in range(n - 2, -1, -1):
        rest[s] = log_sum(u[s], rest[s + 1])
    total, once, twice = 0.0, -np.inf, -np.inf  # logs of Σ 1/Z_j and Σ 1/Z_j²
    for s in range(n):
        out.strength[s] = 0.0
        if s < recorded:
            total += u[s] - rest[s]
            once = -rest[s] if s == 0 else log_sum(once, -rest[s])
            twice = -2.0 * rest[s] if s == 0 else log_sum(twice, -2.0 * rest[s])
            out.strength[s] = 1.0
        taken = math.exp(u[s] + once)
        out.strength[s] -= taken
        if curved:
            out.sides[s, s] = taken - math.exp(2.0 * u[s] + twice)
            for r in range(s + 1, n):
                out.sides[s, r] = -math.exp(u[s] + u[r] + twice)
                out.sides[r, s] = out.sides[s, r]
    return total


@part
def symmetric_sums(y, first, e):
    """Elementary symmetric polynomials of y[first:], of all degrees that e has room for."""
    e[0] = 1.0
    for k in range(1, e.size):
        e[k] = 0.0
    for s in range(first, y.size):
        for k in range(e.size - 1, 0, -1):
            e[k] += y[s] * e[k - 1]


@part
def leave_one(e, y, out):
    """The polynomials without the element y."""
    out[0] = 1.0
    for k in range(1, e.size):
        out[k] = e[k] - y * out[k - 1]


@maker
def one_place(u, first, last, sizes, log_delta, curved, out):
    """The place that sides first … last − 1 take together, of all sides from `first` on."""
    n, kinds = u.size, sizes.size + 1
    top = 1
    for size in sizes:
        top = max(top, size)
    e, fewer, fewest = np.empty(top + 1), np.empty(top + 1), np.empty(top + 1)
    y, inside = np.zeros((kinds, n)), np.zeros((kinds, n))
    chance, delta, size_of = np.zeros(kinds), np.ones(kinds), np.ones(kinds, np.int64)
    peak = u[first]
    for s in range(first, n):
        peak = max(peak, u[s])
    whole = 0.0
    for k in range(kinds):
        if k > 0:
            size_of[k], delta[k] = sizes[k - 1], math.exp(log_delta[k - 1])
        size = size_of[k]
        if size > n - first:
            continue
        for s in range(first, n):
            y[k, s] = math.exp((u[s] - peak) / size)
        symmetric_sums(y[k], first, e)
        chance[k] = delta[k] * e[size]
        whole += chance[k]
        for s in range(first, n):
            leave_one(e, y[k, s], fewer)
            inside[k, s] = delta[k] * y[k, s] * fewer[size - 1]
    expected = np.zeros(n)
    for k in range(kinds):
        chance[k] /= whole
        for s in range(first, n):
            inside[k, s] /= whole
            expected[s] += inside[k, s] / size_of[k]
    own = last - first
    total = -math.log(whole)
    for s in range(first, n):
        out.strength[s] -= expected[s]
        if s < last:
            total += (u[s] - peak) / own
            out.strength[s] += 1.0 / own
    for k in range(1, kinds):
        out.tie[k - 1] -= chance[k]
        if size_of[k] == own:
            out.tie[k - 1] += 1.0
            total += log_delta[k - 1]
    if not curved:
        return total
    for k in range(kinds):
        size = size_of[k]
        if chance[k] == 0.0:
            continue
        symmetric_sums(y[k], first, e)
        for s in range(first, n):
            out.sides[s, s] += inside[k, s] / size**2
            if k > 0:
                out.border[s, k - 1] += inside[k, s] / size - expected[s] * chance[k]
                leave_one(e, y[k, s], fewer)
                for r in range(first, s):
                    leave_one(fewer, y[k, r], fewest)
                    both = delta[k] / whole * y[k, s] * y[k, r] * fewest[size - 2] / size**2
                    out.sides[s, r] += both
                    out.sides[r, s] += both
        if k > 0:
            out.corner[k - 1, k - 1] += chance[k]
            for other in range(1, kinds):
                out.corner[k - 1, other - 1] -= chance[k] * chance[other]
    for s in range(first, n):
        for r in range(first, n):
            out.sides[s, r] -= expected[s] * expected[r]
    return total


@part
def one_contest(u, place, recorded, sizes, log_delta, curved, out):
    """Log-likelihood of one contest; fills its derivatives by strengths and log δ."""
    if sizes.size == 0:
        return strict_order(u, recorded, curved, out)
    clear(out.strength)
    clear(out.tie)
    clear_rows(out.sides)
    clear_rows(out.border)
    clear_rows(out.corner)
    total, first = 0.0, 0
    while first < u.size and place[first] < recorded:
        last = first + 1
        while last < u.size and place[last] == place[first]:
            last += 1
        total += one_place(u, first, last, sizes, log_delta, curved, out)
        first = last
    return total


@part
def fill_strengths(fields, first, x, individuals, ties, u):
    """Strengths of the sides of one contest."""
    for s in range(u.size):
        u[s] = 0.0
        for q in range(fields.member_at[first + s], fields.member_at[first + s + 1]):
            u[s] += fields.share[q] * x[fields.member[q]]
        for j in range(fields.known.shape[1]):
            u[s] += fields.known[first + s, j] * x[individuals + ties + j]


@part
def add_gradient(fields, t, individuals, ties, one, weight, gradient):
    """Add the gradient of one contest to that of the parameters."""
    first, last = fields.side_at[t], fields.side_at[t + 1]
    for s in range(last - first):
        pull = weight * one.strength[s]
        for q in range(fields.member_at[first + s], fields.member_at[first + s + 1]):
            gradient[fields.member[q]] += fields.share[q] * pull
        for j in range(fields.known.shape[1]):
            gradient[individuals + ties + j] += fields.known[first + s, j] * pull
    for k in range(ties):
        gradient[individuals + k] += weight * one.tie[k]


@part
def add_curvature(fields, t, individuals, ties, one, hessian):
    """Add the curvature of one contest to the upper left triangle, blocks of ties included."""
    first, last = fields.side_at[t], fields.side_at[t + 1]
    effects, weight = fields.known.shape[1], fields.weight[t]
    begin = individuals + ties
    for s in range(last - first):
        for q in range(fields.member_at[first + s], fields.member_at[first + s + 1]):
            f, i = weight * fields.share[q], fields.member[q]
            for r in range(last - first):
                entry = f * one.sides[s, r]
                for p in range(fields.member_at[first + r], fields.member_at[first + r + 1]):
                    hessian[i, fields.member[p]] += entry * fields.share[p]
                for j in range(effects):
                    hessian[i, begin + j] += entry * fields.known[first + r, j]
            for k in range(ties):
                hessian[i, individuals + k] += f * one.border[s, k]
        for j in range(effects):
            f = weight * fields.known[first + s, j]
            for r in range(last - first):
                for i in range(effects):
                    hessian[begin + j, begin + i] += (
                        f * one.sides[s, r] * fields.known[first + r, i]
                    )
            for k in range(ties):
                hessian[individuals + k, begin + j] += f * one.border[s, k]
    for k in range(ties):
        for other in range(ties):
            hessian[individuals + k, individuals + other] += weight * one.corner[k, other]


@compiled
def likelihood(fields, sizes, x, individuals, gradient, hessian, scores):
    """Log-likelihood of abilities, log δ and coefficients (x); fills its gradient.

    Fills the negative Hessian if it has rows, and the gradient of each contest (without its weight)
    if `scores` has rows.
    """
    ties, curved, scored = sizes.size, hessian.shape[0] > 0, scores.shape[0] > 0
    clear(gradient)
    clear_rows(hessian)
    widest = 0
    for t in range(fields.weight.size):
        widest = max(widest, fields.side_at[t + 1] - fields.side_at[t])
    u = np.empty(widest)
    log_delta = x[individuals : individuals + ties]
    sides, border = np.empty((widest, widest)), np.empty((widest, ties))
    strength, tie, corner = np.empty(widest), np.empty(ties), np.empty((ties, ties))
    total = 0.0
    for t in range(fields.weight.size):
        first, last = fields.side_at[t], fields.side_at[t + 1]
        n = last - first
        fill_strengths(fields, first, x, individuals, ties, u[:n])
        one = Derivatives(strength[:n], tie, sides[:n, :n], border[:n], corner)
        place, weight = fields.place[first:last], fields.weight[t]
        total += weight * one_contest(
            u[:n], place, fields.recorded[t], sizes, log_delta, curved, one
        )
        add_gradient(fields, t, individuals, ties, one, weight, gradient)
        if scored:
            add_gradient(fields, t, individuals, ties, one, 1.0, scores[t])
        if curved:
            add_curvature(fields, t, individuals, ties, one, hessian)
    if curved:
        for i in range(x.size):
            for j in range(individuals, x.size):
                if i < individuals or (i < individuals + ties <= j):
                    hessian[j, i] = hessian[i, j]
    return total


class Bank(NamedTuple):
    """Filters that differ in the spread of abilities (σ) and their drift (τ², per unit of time).

    `mean` and `variance` have a row per filter and a column per individual; covariances between
    individuals are neglected.
    """

    mean: np.ndarray
    variance: np.ndarray
    log_weight: np.ndarray
    drift: np.ndarray


@part
def solve(a, b):
    """Gaussian elimination with exchange of rows; b becomes the solution. Returns log |det a|."""
    n, log_det = a.shape[0], 0.0
    for i in range(n):
        p = i
        for r in range(i + 1, n):
            if abs(a[r, i]) > abs(a[p, i]):
                p = r
        if p != i:
            for c in range(n):
                a[i, c], a[p, c] = a[p, c], a[i, c]
            for c in range(b.shape[1]):
                b[i, c], b[p, c] = b[p, c], b[i, c]
        log_det += math.log(abs(a[i, i]))
        for r in range(i + 1, n):
            f = a[r, i] / a[i, i]
            if f != 0.0:
                for c in range(i + 1, n):
                    a[r, c] -= f * a[i, c]
                for c in range(b.shape[1]):
                    b[r, c] -= f * b[i, c]
    for i in range(n - 1, -1, -1):
        for c in range(b.shape[1]):
            t = b[i, c]
            for r in range(i + 1, n):
                t -= a[i, r] * b[r, c]
            b[i, c] = t / a[i, i]
    return log_det


@part
def two_sides(mu, s, tied, nu, pull, spread):
    """Two sides: the moments of the difference, of which the first side won or tied."""
    z, z1, z2 = moments(mu[0] - mu[1], s[0] + s[1], nu, tied, 1.0)
    slope = z1 / z
    curve = slope * slope - z2 / z
    pull[0], pull[1] = slope, -slope
    spread[0] = spread[1] = curve
    return math.log(z)


@maker
def mode(mu, s, place, recorded, sizes, log_delta, one, pull, spread):
    """More sides: the mode of prior × likelihood by Newton's method, and Laplace's evidence.

    With strengths u = μ + S a, the mode has a = (I + M S)⁻¹ (M (u − μ) + g); `spread` is the
    diagonal of (I + M S)⁻¹ M, by which variances fall.
    """
    n = mu.size
    u, right, whole, last = mu.copy(), np.empty((n, 1)), np.empty((n, n)), np.zeros(n)
    clear(pull)
    before, share = -np.inf, 1.0
    for _ in range(NEWTON):
        value = one_contest(u, place, recorded, sizes, log_delta, True, one)
        for i in range(n):
            value -= 0.5 * pull[i] * (u[i] - mu[i])
        if value < before - 1e-9 and share > 1e-3:  # too far: halve the step
            share *= 0.5
            for i in range(n):
                pull[i] = 0.5 * (pull[i] + last[i])
                u[i] = mu[i] + s[i] * pull[i]
            continue
        before, share = value, 1.0
        largest = 0.0
        for i in range(n):
            right[i, 0] = one.strength[i]
            for j in range(n):
                right[i, 0] += one.sides[i, j] * (u[j] - mu[j])
                whole[i, j] = one.sides[i, j] * s[j] + (1.0 if i == j else 0.0)
        solve(whole, right)
        for i in range(n):
            last[i], pull[i] = pull[i], right[i, 0]
            largest = max(largest, abs(mu[i] + s[i] * pull[i] - u[i]))
            u[i] = mu[i] + s[i] * pull[i]
        if largest < 1e-7:
            break
    one_contest(u, place, recorded, sizes, log_delta, True, one)
    left = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            whole[i, j] = one.sides[i, j] * s[j] + (1.0 if i == j else 0.0)
            left[i, j] = one.sides[i, j]
    log_det = solve(whole, left)
    for i in range(n):
        spread[i] = left[i, i]
    return before - 0.5 * log_det


@compiled
def follow(fields, gap, sizes, log_delta, bank, log_chance):
    """Filter contests one after the other; fills the log chance of each, by filter.

    `gap` is the time over which each member drifted since its last contest.
    """
    widest = 0
    for t in range(fields.weight.size):
        widest = max(widest, fields.side_at[t + 1] - fields.side_at[t])
    ties = sizes.size
    mu, s = np.empty(widest), np.empty(widest)
    pull, spread = np.empty(widest), np.empty(widest)
    strength, tie, corner = np.empty(widest), np.empty(ties), np.empty((ties, ties))
    sides, border = np.empty((widest, widest)), np.empty((widest, ties))
    nu = math.exp(log_delta[0]) if ties > 0 and sizes[0] == 2 else 0.0
    for e in range(bank.log_weight.size):
        mean, variance = bank.mean[e], bank.variance[e]
        for t in range(fields.weight.size):
            first = fields.side_at[t]
            n = fields.side_at[t + 1] - first
            for i in range(n):
                mu[i] = s[i] = 0.0
                for q in range(fields.member_at[first + i], fields.member_at[first + i + 1]):
                    m = fields.member[q]
                    variance[m] += bank.drift[e] * gap[q]
                    mu[i] += fields.share[q] * mean[m]
                    s[i] += fields.share[q] * fields.share[q] * variance[m]
            place, recorded = fields.place[first : first + n], fields.recorded[t]
            if n == 2:
                log_chance[e, t] = two_sides(mu, s, place[0] == place[1], nu, pull, spread)
            else:
                one = Derivatives(strength[:n], tie, sides[:n, :n], border[:n], corner)
                log_chance[e, t] = mode(
                    mu[:n], s[:n], place, recorded, sizes, log_delta, one, pull[:n], spread[:n]
                )
            for i in range(n):
                for q in range(fields.member_at[first + i], fields.member_at[first + i + 1]):
                    gain = fields.share[q] * variance[fields.member[q]]
                    mean[fields.member[q]] += gain * pull[i]
                    variance[fields.member[q]] -= gain * gain * spread[i]

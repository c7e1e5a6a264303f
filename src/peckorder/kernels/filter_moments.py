"""What one outcome says of a difference in rating that is known as δ ~ N(mean, variance).

Each function returns Z, the chance of the outcome, and Z1 and Z2, its first two derivatives in the
mean. With them the posterior of any Gaussian state is matched in its first two moments: with
g1 = Z1/Z, g2 = Z2/Z − g1² and c the covariance of the state with δ, the mean moves by c g1 and the
covariance by g2 c c′.

A decided contest: Z = E logistic(δ), by Gauss–Hermite quadrature with 16 nodes for small variances,
and otherwise with the logistic written as a mixture of six normal distribution functions, for which
the expectation is closed (Monahan & Stefanski 1992, Normal scale mixture approximations to F*(z)
and computation of the logistic-normal integral). Where contests may be tied: Davidson's (1970)
model, P(tie) = ν√(pq)/(1 + ν√(pq)) and P(win) = p/(1 + ν√(pq)), by the trapezoidal rule, whose
error decays exponentially in the number of points for functions like these.
"""

import math

import numpy as np

from peckorder.kernels import compiled, part

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


@part
def within(mean):
    """The mean, no farther from 0 than where exponentials of it are safe."""
    if mean > CERTAIN:
        return CERTAIN
    return -CERTAIN if mean < -CERTAIN else mean


@compiled
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


@compiled
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


@compiled
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
        inverse = 1.0 / root
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


@compiled
def moments(mean, variance, nu, tied, quadrature_below):
    """Z, Z1 and Z2 of an outcome, by the rule that fits it."""
    if nu > 0.0:
        return davidson_moments(mean, variance, nu, tied)
    if variance < quadrature_below:
        return quadrature_moments(mean, variance)
    return mixture_moments(mean, variance)


@compiled
def outcome_chances(means, variances, nu, win, tie):
    """Chances of a win and of a tie for every δ ~ N(mean, variance), where ties may happen."""
    for i in range(means.shape[0]):
        for j in range(means.shape[1]):
            win[i, j] = davidson_moments(means[i, j], variances[i, j], nu, False)[0]
            tie[i, j] = davidson_moments(means[i, j], variances[i, j], nu, True)[0]


@compiled
def decided_chances(means, variances, win):
    """Chances of a win for every δ ~ N(mean, variance), by the mixture of normal functions."""
    for i in range(means.shape[0]):
        for j in range(means.shape[1]):
            win[i, j] = mixture_moments(means[i, j], variances[i, j])[0]

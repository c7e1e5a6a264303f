"""A second implementation of the filter of dynamic ratings, with dense matrices; slow and simple.

Every step is x ← A x + b + N(0, Q), or the Gaussian observation y = h′x + N(0, R) that has the same
effect as a contest. So the whole record is one Gaussian, and `in_hindsight` conditions it at once.
"""

import math

import numpy as np
from scipy.special import expit, ndtr

P = np.array([0.00147492, 0.02786494, 0.13953909, 0.32857533, 0.37943753, 0.12310819])
S = np.array([0.23862265, 0.30886558, 0.39803376, 0.52203408, 0.70609867, 0.99483782])
X, W = np.polynomial.hermite_e.hermegauss(16)


def win_moments(mean, variance):
    """E logistic(δ) and its two derivatives, as the model is specified."""
    if variance < 1:
        p = expit(mean + math.sqrt(variance) * X)
        w = W / W.sum()
        return w @ p, w @ (p * (1 - p)), w @ (p * (1 - p) * (1 - 2 * p))
    d = S / np.sqrt(1 + S**2 * variance)
    u = mean * d
    density = np.exp(-(u**2) / 2) / math.sqrt(2 * math.pi)
    share = P / P.sum()
    return share @ ndtr(u), share @ (density * d), -share @ (density * u * d**2)


def chances(difference, nu):
    """Davidson's probabilities of a win and of a tie."""
    p = expit(difference)
    tie = nu * np.sqrt(p * (1 - p))
    return p / (1 + tie), tie / (1 + tie)


def integrated_moments(mean, variance, nu, tied):
    """The same of a win or a tie by brute force; derivatives in the mean by those of the density."""
    z = np.linspace(-12, 12, 48001)
    w = np.exp(-(z**2) / 2)
    w /= w.sum()
    sd = math.sqrt(variance)
    value = chances(mean + sd * z, nu)[int(tied)] * w
    return value.sum(), (value * z).sum() / sd, (value * (z**2 - 1)).sum() / variance


def filtered(
    record, individuals, sigma, moved, returning=False, k=0.0, nu=0.0, labels=None, offset=0.0
):
    """Log probabilities, the last mean and covariance, all steps, and the number of steps at each time.

    `record` is a dict: contests (winner, loser), ties, steps, presence (individual → intervals) and
    covariates; `moved` is the variance that a unit of time adds. Individuals with
    the same label (−1: none) share an offset of this variance; newcomers have one of their own.
    """
    contests = record["contests"]
    coefficients = np.shape(record["covariates"])[1]
    first = 1 + coefficients
    size = first + individuals
    presence = record["presence"]
    opening = {i: presence[i][0][0] for i in range(individuals)}
    mean = np.zeros(size)
    cov = np.zeros((size, size))
    cov[0, 0] = (1.5 * sigma) ** 2
    cov[range(1, first), range(1, first)] = 0.25
    for i in range(individuals):
        if opening[i] <= 0:
            cov[first + i, first + i] = sigma**2
            for j in range(individuals):
                if opening[j] <= 0 and labels is not None and labels[i] == labels[j] != -1:
                    cov[first + i, first + j] += offset
    steps, marks, logs = [("start", mean.copy(), cov.copy())], [], []

    def linear(a, q, b=0.0):
        nonlocal mean, cov
        steps.append(("linear", a, b, q))
        mean, cov = a @ mean + b, a @ cov @ a.T + q

    for t in range(len(contests) + 1):
        marks.append(len(steps))
        there = [i for i in range(individuals) if any(f < t <= z for f, z in presence[i])]
        if t > 0:
            time = record["steps"][t] if t < len(contests) else 0.0
            a, q = np.eye(size), np.zeros((size, size))
            phi = math.exp(-moved * time / (2 * sigma**2)) if returning else 1.0
            for i in there:
                a[first + i, first + i] = phi
                q[first + i, first + i] = sigma**2 * (1 - phi**2) if returning else moved * time
            linear(a, q)
        new = [i for i in range(individuals) if opening[i] == t and t > 0]
        if new:
            a, q = np.eye(size), np.zeros((size, size))
            for i in new:
                a[first + i] = 0
                a[first + i, 0] = 1
                for j in there:
                    a[first + i, first + j] = 1 / len(there)
                own = labels is not None and labels[i] >= 0
                q[first + i, first + i] = sigma**2 + (offset if own else 0.0)
            linear(a, q)
        if t == len(contests):
            break
        winner, loser = contests[t]
        u = np.zeros(size)
        u[first + winner], u[first + loser] = 1, -1
        h = u.copy()
        h[1:first] = record["covariates"][t]
        c = cov @ h
        v = h @ c
        tied = record["ties"][t]
        z, z1, z2 = integrated_moments(h @ mean, v, nu, tied) if nu else win_moments(h @ mean, v)
        g1 = z1 / z
        g2 = z2 / z - g1**2
        logs.append(math.log(z))
        steps.append(("observe", h, -1 / g2 - v, h @ mean - g1 / g2))
        mean, cov = mean + c * g1, cov + g2 * np.outer(c, c)
        if k:
            f = k * g2 / (1 + v * g2)
            spread = (z1 + z2) / (2 * z) - g1**2  # of 1 − p, given the outcome
            explained = g2**2 * v / (1 + v * g2)  # by the ratings
            q = k**2 * max(spread - explained, 0.0) * np.outer(u, u)
            linear(np.eye(size) + f * np.outer(u, h), q, u * (k * g1 - f * (h @ mean)))
    return np.array(logs), mean, cov, steps, marks


def in_hindsight(steps):
    """Mean and covariance after every step, given all observations: one dense solve."""
    means, blocks, rows, now = [], [], [], -1
    for kind, *what in steps:
        if kind == "start":
            means.append(what[0])
            blocks.append([what[1]])
        elif kind == "linear":
            a, b, q = what
            means.append(a @ means[-1] + b)
            blocks.append([a @ block for block in blocks[-1]])
            blocks[-1].append(a @ blocks[-2][-1] @ a.T + q)
        else:
            rows.append((len(means) - 1, *what))
        now += 1
    size = len(means[0])
    joint = np.zeros((len(means) * size,) * 2)
    for i, line in enumerate(blocks):
        for j, block in enumerate(line):
            joint[i * size : (i + 1) * size, j * size : (j + 1) * size] = block
            joint[j * size : (j + 1) * size, i * size : (i + 1) * size] = block.T
    design = np.zeros((len(rows), len(joint)))
    for place, (stage, h, _, _) in enumerate(rows):
        design[place, stage * size : (stage + 1) * size] = h
    noise = np.diag([row[2] for row in rows])
    seen = np.array([row[3] for row in rows])
    gain = np.linalg.solve(design @ joint @ design.T + noise, design @ joint).T
    mean = np.concatenate(means) + gain @ (seen - design @ np.concatenate(means))
    cov = joint - gain @ design @ joint
    stages, stage = [], -1
    for kind, *_ in steps:
        stage += kind != "observe"
        at = slice(stage * size, (stage + 1) * size)
        stages.append((mean[at], cov[at, at]))
    return stages


def at_once(mean, cov, contests, sweeps=200):
    """The state after contests of one moment, and their log probability; one Gaussian each.

    Expectation propagation one contest after the other, until nothing changes (Minka 2001).
    """
    start, h = (mean, cov), np.zeros((len(contests), len(mean)))
    for row, (winner, loser) in zip(h, contests, strict=True):
        row[1 + winner], row[1 + loser] = 1, -1
    precision, pull, factor = np.zeros((3, len(contests)))

    def state():
        sharp = np.linalg.inv(start[1]) + (h.T * precision) @ h
        cov = np.linalg.inv(sharp)
        return cov @ (np.linalg.solve(*start[::-1]) + h.T @ pull), cov

    def area(m, v):  # logarithm, up to a constant
        return 0.5 * math.log(v) + 0.5 * m**2 / v

    for _ in range(sweeps):
        for i, row in enumerate(h):
            mean, cov = state()
            m, v = row @ mean, row @ cov @ row
            v_without = 1 / (1 / v - precision[i])
            m_without = v_without * (m / v - pull[i])
            z, z1, z2 = win_moments(m_without, v_without)
            g1, g2 = z1 / z, z2 / z - (z1 / z) ** 2
            m, v = m_without + v_without * g1, v_without + v_without**2 * g2
            precision[i], pull[i] = 1 / v - 1 / v_without, m / v - m_without / v_without
            factor[i] = math.log(z) + area(m_without, v_without) - area(m, v)
    mean, cov = state()
    logs = factor.sum() + 0.5 * (np.linalg.slogdet(cov)[1] - np.linalg.slogdet(start[1])[1])
    logs += 0.5 * (mean @ np.linalg.solve(cov, mean) - start[0] @ np.linalg.solve(*start[::-1]))
    return mean, cov, logs

"""The statistic of the order test and its cycle reversals, slowly and plainly.

Entries, drift and contests as matrices, normal integrals by a dense sum; transition probabilities
of cycle reversals by following every walk.
"""

import itertools
import math

import numpy as np

SPREADS = (0.1, 0.2, 0.35, 0.6, 0.9, 1.3, 1.9, 2.7, 3.8, 5.5)
TAUS = (0.1, 0.2, 0.4, 0.8)
POINTS = np.linspace(-9, 9, 1801)
HEIGHTS = np.exp(-0.5 * POINTS**2) / np.exp(-0.5 * POINTS**2).sum()


def log_prior() -> list[float]:
    logs = [math.log(s) for s in SPREADS]
    out = []
    for i, s in enumerate(SPREADS):
        low, high = max(i - 1, 0), min(i + 1, len(SPREADS) - 1)
        if 0 < i < len(SPREADS) - 1:  # np.gradient on a grid of unit steps
            gap = (logs[high] - logs[low]) / 2
        else:
            gap = logs[high] - logs[low]
        out.append(math.exp(-0.5 * (s / 2.5) ** 2) * s * gap)
    return [math.log(x / sum(out)) for x in out]


def evidence(contests, size, sigma, step, enter, inside) -> float:
    """`contests`: (winner, loser) in order; `enter[i]`: −1 or the contest before which i comes."""
    mean = np.zeros(size + 1)
    cov = np.zeros((size + 1, size + 1))
    cov[0, 0] = (1.5 * sigma) ** 2
    for i in range(size):
        cov[i + 1, i + 1] = sigma**2 if enter[i] < 0 else 0.0
    total = 0.0
    for t, (a, b) in enumerate(contests):
        old = [i for i in range(size) if enter[i] < t and inside[t][i]]
        if t > 0:
            cov = cov + np.diag([0.0] + [step if i in old else 0.0 for i in range(size)])
        new = [i for i in range(size) if enter[i] == t]
        if new:
            change, noise = np.eye(size + 1), np.zeros((size + 1, size + 1))
            for i in new:
                change[i + 1] = 0.0
                change[i + 1, 0] = 1.0
                for j in old:
                    change[i + 1, j + 1] = 1 / len(old)
                noise[i + 1, i + 1] = sigma**2
            mean, cov = change @ mean, change @ cov @ change.T + noise
        h = np.zeros(size + 1)
        h[a + 1], h[b + 1] = 1, -1
        c = cov @ h
        x = h @ mean + math.sqrt(h @ c) * POINTS
        p = 1 / (1 + np.exp(-x))
        z, z1, z2 = HEIGHTS @ p, HEIGHTS @ (p * (1 - p)), HEIGHTS @ (p * (1 - p) * (1 - 2 * p))
        total += math.log(z)
        mean = mean + c * z1 / z
        cov = cov + np.outer(c, c) * (z2 / z - (z1 / z) ** 2)
    return total


def statistic(contests, size, enter=None, inside=None) -> float:
    number = len(contests)
    own = [[t for t, pair in enumerate(contests) if i in pair] for i in range(size)]
    if enter is None:
        enter = [o[0] if o[0] > 0 and (1 - o[0] / number) ** len(o) < 0.01 else -1 for o in own]
    inside = [[True] * size] * number if inside is None else inside
    around = sum(o[-1] - o[0] + 1 for o in own) / number
    prior = log_prior()
    static = [
        w + evidence(contests, size, s, 0.0, enter, inside)
        for w, s in zip(prior, SPREADS, strict=True)
    ]
    total = 0.0
    for best, w, s in zip(static, prior, SPREADS, strict=True):
        if best > max(static) - 2.3:
            for tau in TAUS:
                step = tau**2 * 2 / max(around, 2)
                total += math.exp(w + evidence(contests, size, s, step, enter, inside))
    return math.log(total)


def same_wins(pairs, won) -> list[tuple[bool, ...]]:
    """All outcomes of the schedule that give everybody as many wins."""

    def wins(outcome):
        return sorted(a if up else b for (a, b), up in zip(pairs, outcome, strict=True))

    every = itertools.product((False, True), repeat=len(pairs))
    return [outcome for outcome in every if wins(outcome) == wins(won)]


def one_reversal(pairs, won, size) -> dict[tuple[bool, ...], float]:
    """Probability of each outcome after one random walk along wins."""
    held = [[] for _ in range(size)]
    for t, ((a, b), up) in enumerate(zip(pairs, won, strict=True)):
        held[a if up else b].append(t)
    out: dict[tuple[bool, ...], float] = {}

    def follow(x, walk, edges, chance):
        if x in walk:
            cycle = edges[walk.index(x) :]
            after = tuple(up != (t in cycle) for t, up in enumerate(won))
            out[after] = out.get(after, 0.0) + chance
        elif not held[x]:
            out[tuple(won)] = out.get(tuple(won), 0.0) + chance
        else:
            for t in held[x]:
                a, b = pairs[t]
                follow(b if x == a else a, [*walk, x], [*edges, t], chance / len(held[x]))

    for x in range(size):
        follow(x, [], [], 1 / size)
    return out

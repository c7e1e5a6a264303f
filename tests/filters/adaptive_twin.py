"""A second implementation of adaptive ratings, contest by contest, with dense matrices."""

import math

import numpy as np
from scipy.special import expit, ndtr

from tests.filters.twin import P, S

SPREADS, DRIFTS = (0.5, 1.0, 2.0, 4.0), (0.0, 0.02, 0.05, 0.12, 0.3)
GAINS = (0.02, 0.04, 0.07, 0.1, 0.15, 0.2, 0.3, 0.45, 0.7, 1.0, 1.5, 2.2, 3.3, 5.0)
EPS = 0.002


class Past:
    """What both sides have done so far."""

    def __init__(self):
        self.contests, self.last, self.outcome, self.wins = {}, {}, {}, {}

    def features(self, t, a, b):
        own = [1 + self.contests.get(i, 0) for i in (a, b)]
        last = [self.last.get(i, -1) for i in (a, b)]
        y = [self.outcome.get(i, 0) * 0.9 ** (t - 1 - z) for i, z in zip((a, b), last, strict=True)]
        w = [self.wins.get(pair, 0.0) + 0.5 for pair in ((a, b), (b, a))]
        return [
            math.log(own[0] / own[1]),
            y[0] - y[1],
            math.log(w[0] / w[1]),
            math.log((1 + t - last[0]) / (1 + t - last[1])),
        ]

    def active(self, t):
        return sorted(i for i, z in self.last.items() if t - z <= 200)

    def add(self, t, winner, loser):
        for i, y in ((winner, 1), (loser, -1)):
            self.contests[i] = self.contests.get(i, 0) + 1
            self.last[i], self.outcome[i] = t, y
        self.wins[winner, loser] = 0.8 * self.wins.get((winner, loser), 0.0) + 1
        self.wins[loser, winner] = 0.8 * self.wins.get((loser, winner), 0.0)


class TwinFilter:
    """One filter (s0, w), with the steps that `twin.in_hindsight` takes."""

    def __init__(self, individuals, s0, w):
        self.s0, self.w = s0, w
        self.mean = np.zeros(5 + individuals)
        self.cov = np.zeros((5 + individuals,) * 2)
        self.cov[range(5), range(5)] = np.array([2, 0.5, 0.5, 0.5, 0.25]) ** 2
        self.dyads = {}
        self.steps = [("start", self.mean, self.cov)]

    def linear(self, a, q):
        self.steps.append(("linear", a, 0.0, q))
        self.mean, self.cov = a @ self.mean, a @ self.cov @ a.T + q

    def enter(self, new, active):
        a, q = np.eye(len(self.mean)), np.zeros_like(self.cov)
        for i in new:
            a[5 + i, 5 + i] = 0
            q[5 + i, 5 + i] = self.s0**2
            if len(active) >= 2:
                a[5 + i, 0] = 1
                a[5 + i, [5 + j for j in active]] = 1 / len(active)
        self.linear(a, q)

    def contest(self, winner, loser, features):
        h = np.zeros(len(self.mean))
        h[1:5] = features
        h[5 + winner], h[5 + loser] = 1, -1
        pair = (min(winner, loser), max(winner, loser))
        sign = 1 if winner < loser else -1
        d_mean, d_var = self.dyads.get(pair, (0.0, 0.25))
        c = self.cov @ h
        mu, v = h @ self.mean + sign * d_mean, h @ c + d_var
        slope = S / np.sqrt(1 + S**2 * v)
        u = mu * slope
        density = np.exp(-(u**2) / 2) / math.sqrt(2 * math.pi)
        share = P / P.sum()
        p = EPS + (1 - 2 * EPS) * share @ ndtr(u)
        g1 = (1 - 2 * EPS) * share @ (density * slope) / p
        g2 = -(1 - 2 * EPS) * share @ (density * u * slope**2) / p - g1**2
        self.steps.append(("observe", h, -1 / g2 - h @ c, h @ self.mean - g1 / g2))
        self.mean, self.cov = self.mean + c * g1, self.cov + g2 * np.outer(c, c)
        self.dyads[pair] = (d_mean + sign * d_var * g1, d_var + g2 * d_var**2)
        return p

    def drift(self):
        a, q = np.eye(len(self.mean)), np.zeros_like(self.cov)
        a[range(5, len(a)), range(5, len(a))] = math.sqrt(1 - self.w**2 / self.s0**2)
        q[range(5, len(a)), range(5, len(a))] = self.w**2
        self.linear(a, q)


def predicted(contests, individuals):
    """Probability of every winner by the blend and by averaged Elo, the filters, and steps by contest.

    The steps are those taken just before each contest.
    """
    past = Past()
    filters = [TwinFilter(individuals, s0, w) for s0 in SPREADS for w in DRIFTS]
    weights = np.full(20, 1 / 20)
    elo, elo_weights = np.zeros((14, individuals)), np.full(14, 1 / 14)
    odds, out, by_elo, marks = 0.0, [], [], []
    for t, (winner, loser) in enumerate(contests):
        new = [i for i in (winner, loser) if i not in past.last]
        active = past.active(t) if t >= 50 else []
        for f in filters:
            if new:
                f.enter(new, active)
        marks.append(len(filters[0].steps))
        features = past.features(t, winner, loser)
        p = np.array([f.contest(winner, loser, features) for f in filters])
        bank = weights @ p
        e = expit(elo[:, winner] - elo[:, loser])
        averaged = elo_weights @ e
        q = expit(odds)
        out.append(q * bank + (1 - q) * averaged)
        by_elo.append(averaged)
        odds += math.log(bank / averaged)
        weights = 0.999 * weights * p / bank + 0.001 / 20
        elo_weights = elo_weights * e / averaged
        elo[:, winner] += np.array(GAINS) * (1 - e)
        elo[:, loser] -= np.array(GAINS) * (1 - e)
        for f in filters:
            f.drift()
        past.add(t, winner, loser)
    return np.array(out), np.array(by_elo), filters, weights, marks

"""A second implementation of adaptive ratings, contest by contest, with dense matrices."""

import math

import numpy as np
from scipy.special import expit, ndtr

from tests.ratings.twin import P, S, integrated_moments

SPREADS, DRIFTS = (0.5, 1.0, 2.0, 4.0), (0.0, 0.02, 0.05, 0.12, 0.3)
GAINS = (0.02, 0.04, 0.07, 0.1, 0.15, 0.2, 0.3, 0.45, 0.7, 1.0, 1.5, 2.2, 3.3, 5.0)
NUS = (0.002, 0.006, 0.02, 0.06, 0.2, 0.6, 1.5, 4.0)
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

    def add(self, t, winner, loser, tied=False):
        for i, y in ((winner, 1), (loser, -1)):
            self.contests[i] = self.contests.get(i, 0) + 1
            self.last[i], self.outcome[i] = t, 0 if tied else y
        for pair, won in (((winner, loser), 1.0), ((loser, winner), 0.0)):
            self.wins[pair] = 0.8 * self.wins.get(pair, 0.0) + (0.5 if tied else won)


def mixture(mean, variance):
    """E logistic(δ) and its derivatives, with the logistic as a mixture of normal functions."""
    slope = S / np.sqrt(1 + S**2 * variance)
    u = mean * slope
    density = np.exp(-(u**2) / 2) / math.sqrt(2 * math.pi)
    share = P / P.sum()
    return share @ ndtr(u), share @ (density * slope), -share @ (density * u * slope**2)


class TwinFilter:
    """One filter (s0, w), with the steps that `twin.in_hindsight` takes."""

    def __init__(self, individuals, s0, w, nu=0.0):
        self.s0, self.w, self.nu = s0, w, nu
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

    def contest(self, winner, loser, features, tied=False):
        h = np.zeros(len(self.mean))
        h[1:5] = features
        h[5 + winner], h[5 + loser] = 1, -1
        pair = (min(winner, loser), max(winner, loser))
        sign = 1 if winner < loser else -1
        d_mean, d_var = self.dyads.get(pair, (0.0, 0.25))
        c = self.cov @ h
        mu, v = h @ self.mean + sign * d_mean, h @ c + d_var
        z, z1, z2 = integrated_moments(mu, v, self.nu, tied) if self.nu else mixture(mu, v)
        sure = 1 - (3 if self.nu else 2) * EPS
        p = EPS + sure * z
        g1 = sure * z1 / p
        g2 = sure * z2 / p - g1**2
        self.steps.append(("observe", h, -1 / g2 - h @ c, h @ self.mean - g1 / g2))
        self.mean, self.cov = self.mean + c * g1, self.cov + g2 * np.outer(c, c)
        self.dyads[pair] = (d_mean + sign * d_var * g1, d_var + g2 * d_var**2)
        return p

    def drift(self):
        a, q = np.eye(len(self.mean)), np.zeros_like(self.cov)
        a[range(5, len(a)), range(5, len(a))] = math.sqrt(1 - self.w**2 / self.s0**2)
        q[range(5, len(a)), range(5, len(a))] = self.w**2
        self.linear(a, q)


def predicted(contests, individuals, ties=None):
    """Probability of every outcome by the blend and by averaged Elo, the filters, and steps by contest.

    The steps are those taken just before each contest.
    """
    past, ties = Past(), [False] * len(contests) if ties is None else ties
    nus = NUS if any(ties) else (0.0,)
    filters = [TwinFilter(individuals, s0, w, nu) for nu in nus for s0 in SPREADS for w in DRIFTS]
    prior = np.repeat([1 / (1 + i) for i in range(len(nus))], 20)
    prior /= prior.sum()
    weights = prior.copy()
    elo_weights = np.repeat([1 / (1 + i) for i in range(len(nus))], 14)
    elo, elo_weights = np.zeros((14, individuals)), elo_weights / elo_weights.sum()
    by_bank, by_elo, marks = [], [], []
    for t, (winner, loser) in enumerate(contests):
        new = [i for i in (winner, loser) if i not in past.last]
        active = past.active(t) if t >= 50 else []
        for f in filters:
            if new:
                f.enter(new, active)
        marks.append(len(filters[0].steps))
        features = past.features(t, winner, loser)
        p = np.array([f.contest(winner, loser, features, ties[t]) for f in filters])
        bank = weights @ p
        e = expit(elo[:, winner] - elo[:, loser])
        own = np.array([three_way(x, nu)[ties[t]] for nu in nus for x in e])
        averaged = elo_weights @ own
        by_bank.append(bank)
        by_elo.append(averaged)
        weights = 0.999 * weights * p / bank + 0.001 * prior
        elo_weights = elo_weights * own / averaged
        score = 0.5 if ties[t] else 1.0
        elo[:, winner] += np.array(GAINS) * (score - e)
        elo[:, loser] -= np.array(GAINS) * (score - e)
        for f in filters:
            f.drift()
        past.add(t, winner, loser, ties[t])
    if any(ties):  # up to the first tie, as if there were none, but for its probability
        first = ties.index(True)
        early, early_elo, _, _, _ = predicted(contests[: first + 1], individuals)
        tie_weights = np.array([1 / (1 + i) for i in range(len(nus))])
        odds = 0.0
        for t in range(first + 1):
            each = np.array([three_way(early[t], nu)[1] for nu in nus])
            tie = tie_weights @ each / tie_weights.sum()
            tie_weights = tie_weights * (1 - each)
            # The two predictors of the blend, which are not returned one by one: b = (p − (1 − q)e)/q.
            q = expit(odds)
            bank = (early[t] - (1 - q) * early_elo[t]) / q
            odds += math.log(bank / early_elo[t])
            by_bank[t], by_elo[t] = bank * (1 - tie), early_elo[t] * (1 - tie)
            if t == first:
                by_bank[t] = by_elo[t] = tie
    return blended(by_bank, by_elo), np.array(by_elo), filters, weights, marks


def blended(by_bank, by_elo):
    """Bayes average of filters and Elo with even prior odds."""
    odds, out = 0.0, []
    for bank, averaged in zip(by_bank, by_elo, strict=True):
        q = expit(odds)
        out.append(q * bank + (1 - q) * averaged)
        odds += math.log(bank / averaged)
    return np.array(out)


def three_way(p, nu):
    """Davidson's probabilities of a win and of a tie."""
    odds = nu * math.sqrt(p * (1 - p))
    return p / (1 + odds), odds / (1 + odds)

"""What adaptive ratings need besides filters: histories as covariates, averaged Elo, and averages.

Histories depend on the record alone, so they are covariates like any other. All averages are of
predictions made before each contest, by weights that depend on the contests before it.
"""

import math

import numpy as np

from peckorder.kernels import compiled

MEMORY = 0.9  # of momentum, per contest
FORGETTING = 0.8  # of wins in a dyad, per contest of the dyad
HALF = 0.5  # added to wins in a dyad
FARTHEST = 600.0  # log odds between bank and Elo
TINY = 1e-300


@compiled
def histories(winner, loser, dyad, side, individuals, dyads, out):
    """Fill experience, momentum, dyad record and gap of each contest, seen from the winner.

    Experience: log ratio of own contests so far. Momentum: difference of last own outcomes, ±1,
    that fade with the contests since. Dyad record: log ratio of decayed wins in the dyad. Gap: log
    ratio of contests since the last own one.
    """
    contests = np.zeros(individuals)
    outcome = np.zeros(individuals)
    last = np.full(individuals, -1)
    wins = np.zeros((dyads, 2))
    for t in range(winner.size):
        a = winner[t]
        b = loser[t]
        d = dyad[t]
        own = 0 if side[t] > 0.0 else 1
        out[t, 0] = math.log((1.0 + contests[a]) / (1.0 + contests[b]))
        recent = outcome[a] * MEMORY ** (t - 1 - last[a])
        out[t, 1] = recent - outcome[b] * MEMORY ** (t - 1 - last[b])
        out[t, 2] = math.log((wins[d, own] + HALF) / (wins[d, 1 - own] + HALF))
        out[t, 3] = math.log((1.0 + t - last[a]) / (1.0 + t - last[b]))
        contests[a] += 1.0
        contests[b] += 1.0
        outcome[a] = 1.0
        outcome[b] = -1.0
        last[a] = t
        last[b] = t
        wins[d, 0] *= FORGETTING
        wins[d, 1] *= FORGETTING
        wins[d, own] += 1.0


@compiled
def averaged_elo(winner, loser, gains, rating, weight, chance):
    """Elo ratings in logits from 0, one row per gain, averaged by Bayes weights from 1/number."""
    number = gains.size
    for e in range(number):
        weight[e] = 1.0 / number
        for i in range(rating.shape[1]):
            rating[e, i] = 0.0
    own = np.empty(number)
    for t in range(winner.size):
        a = winner[t]
        b = loser[t]
        total = 0.0
        for e in range(number):
            own[e] = 1.0 / (1.0 + math.exp(rating[e, b] - rating[e, a]))
            total += weight[e] * own[e]
            rating[e, a] += gains[e] * (1.0 - own[e])
            rating[e, b] -= gains[e] * (1.0 - own[e])
        for e in range(number):
            weight[e] = weight[e] * own[e] / total + TINY
        chance[t] = total


@compiled
def shared_average(log_chance, share, weight, chance):
    """Average filters by Bayes weights of which a share is dealt out anew after each contest.

    weight[t] are those before contest t, and weight[contests] those after the last (Herbster &
    Warmuth 1998, Tracking the best expert).
    """
    filters, contests = log_chance.shape
    own = np.empty(filters)
    for e in range(filters):
        weight[0, e] = 1.0 / filters
    for t in range(contests):
        total = 0.0
        for e in range(filters):
            own[e] = weight[t, e] * math.exp(log_chance[e, t])
            total += own[e]
        for e in range(filters):
            weight[t + 1, e] = (1.0 - share) * own[e] / total + share / filters
        chance[t] = total


@compiled
def blend(bank, elo, chance):
    """Bayes average of two predictors with even prior odds; returns the log odds at the end."""
    odds = 0.0
    for t in range(bank.size):
        share = 1.0 / (1.0 + math.exp(-odds))
        chance[t] = share * bank[t] + (1.0 - share) * elo[t]
        odds = min(max(odds + math.log(bank[t] / elo[t]), -FARTHEST), FARTHEST)
    return odds

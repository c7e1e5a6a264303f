"""What adaptive ratings need besides filters: histories as covariates, averaged Elo, and averages.

Histories depend on the record alone, so they are covariates like any other. All averages are of
predictions made before each contest, by weights that depend on the contests before it. Contests
come in batches, from batch_at[i] to batch_at[i + 1]: all of one batch are predicted from what came
before it. A batch of one contest is the usual case.
"""

import math

import numpy as np

from peckorder.kernels import compiled

MEMORY = 0.9  # of momentum, per contest
FORGETTING = 0.8  # of wins in a dyad, per contest of the dyad
HALF = 0.5  # added to wins in a dyad
FARTHEST = 600.0  # log odds between bank and Elo


@compiled
def histories(
    winner, loser, tied, batch_at, dyad, side, contests, outcome, last, wins, sums, met, out
):
    """Fill experience, momentum, dyad record and gap of each contest, seen from the winner.

    Experience: log ratio of own contests so far. Momentum: difference of last own outcomes (1 won,
    0 tied, −1 lost; means over a batch) that fade with the contests since. Dyad record: log ratio
    of decayed wins in the dyad. Gap: log ratio of contests since the last own one.

    What individuals and dyads bring with them is left as it is after the last contest: contests,
    last outcome, last contest (−1 before the first) and decayed wins. `sums` (individuals, 2) and
    `met` (dyads, 3) are room to work in; all but `last` begin at 0.
    """
    for batch in range(batch_at.size - 1):
        begin = batch_at[batch]
        end = batch_at[batch + 1]
        for t in range(begin, end):
            a = winner[t]
            b = loser[t]
            d = dyad[t]
            own = 0 if side[t] > 0.0 else 1
            out[t, 0] = math.log((1.0 + contests[a]) / (1.0 + contests[b]))
            recent = outcome[a] * MEMORY ** (begin - 1 - last[a])
            out[t, 1] = recent - outcome[b] * MEMORY ** (begin - 1 - last[b])
            out[t, 2] = math.log((wins[d, own] + HALF) / (wins[d, 1 - own] + HALF))
            out[t, 3] = math.log((1.0 + begin - last[a]) / (1.0 + begin - last[b]))
        for t in range(begin, end):
            a = winner[t]
            b = loser[t]
            d = dyad[t]
            own = 0 if side[t] > 0.0 else 1
            sums[a, 1] += 1.0
            sums[b, 1] += 1.0
            met[d, 2] += 1.0
            if tied[t]:
                met[d, 0] += 0.5
                met[d, 1] += 0.5
            else:
                sums[a, 0] += 1.0
                sums[b, 0] -= 1.0
                met[d, own] += 1.0
        for t in range(begin, end):
            for i in (winner[t], loser[t]):
                if sums[i, 1] > 0.0:
                    contests[i] += sums[i, 1]
                    outcome[i] = sums[i, 0] / sums[i, 1]
                    last[i] = end - 1
                    sums[i, 0] = 0.0
                    sums[i, 1] = 0.0
            d = dyad[t]
            if met[d, 2] > 0.0:
                kept = FORGETTING ** met[d, 2]
                each = (1.0 - kept) / (1.0 - FORGETTING) / met[d, 2]
                for s in range(2):
                    wins[d, s] = kept * wins[d, s] + each * met[d, s]
                    met[d, s] = 0.0
                met[d, 2] = 0.0


@compiled
def elo_paths(winner, loser, tied, batch_at, gains, rating, change, expected):
    """Elo ratings in logits from 0, one row per gain; fills the expected score of each winner.

    `change` is room to work in, as large as a row of ratings. Ratings are left as they are after
    the last contest.
    """
    for e in range(gains.size):
        for i in range(rating.shape[1]):
            rating[e, i] = 0.0
            change[i] = 0.0
        for batch in range(batch_at.size - 1):
            for t in range(batch_at[batch], batch_at[batch + 1]):
                a = winner[t]
                b = loser[t]
                p = 1.0 / (1.0 + math.exp(rating[e, b] - rating[e, a]))
                expected[e, t] = p
                step = gains[e] * ((0.5 if tied[t] else 1.0) - p)
                change[a] += step
                change[b] -= step
            for t in range(batch_at[batch], batch_at[batch + 1]):
                for i in (winner[t], loser[t]):
                    rating[e, i] += change[i]
                    change[i] = 0.0


@compiled
def shared_average(log_chance, log_predicted, batch_at, share, prior, weight, chance):
    """Average predictors by Bayes weights of which a share is dealt out anew for each contest.

    weight[t] are those before the batch of contest t, and weight[contests] those after the last
    (Herbster & Warmuth 1998, Tracking the best expert). The first weights and shares are those of
    the prior. Weights come from log chances given earlier contests, also of the same batch; the
    averaged chance is that predicted before the batch.
    """
    filters = prior.size
    own = np.empty(filters)
    for e in range(filters):
        weight[0, e] = prior[e]
    for batch in range(batch_at.size - 1):
        begin = batch_at[batch]
        end = batch_at[batch + 1]
        kept = (1.0 - share) ** (end - begin)
        highest = -math.inf
        for e in range(filters):
            own[e] = 0.0
            for t in range(begin, end):
                own[e] += log_chance[e, t]
            if weight[begin, e] > 0.0 and own[e] > highest:
                highest = own[e]
        total = 0.0
        for e in range(filters):
            own[e] = weight[begin, e] * math.exp(min(own[e] - highest, 0.0))
            total += own[e]
        for t in range(begin, end):
            chance[t] = 0.0
            for e in range(filters):
                weight[t, e] = weight[begin, e]
                chance[t] += weight[begin, e] * math.exp(log_predicted[e, t])
        for e in range(filters):
            weight[end, e] = kept * own[e] / total + (1.0 - kept) * prior[e]


@compiled
def blend(bank, elo, batch_at, share, chance):
    """Bayes average of two predictors with even prior odds.

    share[t] is the weight of the first before the batch of contest t, and share[contests] after
    the last.
    """
    odds = 0.0
    share[0] = 0.5
    for batch in range(batch_at.size - 1):
        begin = batch_at[batch]
        end = batch_at[batch + 1]
        for t in range(begin, end):
            share[t] = share[begin]
            chance[t] = share[t] * bank[t] + (1.0 - share[t]) * elo[t]
            odds += math.log(bank[t] / elo[t])
        odds = min(max(odds, -FARTHEST), FARTHEST)
        share[end] = 1.0 / (1.0 + math.exp(-odds))

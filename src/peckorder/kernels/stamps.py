"""Elo ratings of the same contests in several orders, for the effect of the order in a stamp."""

import math

from peckorder.kernels import compiled


@compiled
def rate_orders(winner, loser, drawn, places, k, scale, rating):
    """Rate the contests in each order; a row of `places` is an order, one of `rating` its ratings.

    `rating` holds the ratings at the start and receives those at the end.
    """
    slope = math.log(10.0) / scale
    for i in range(places.shape[0]):
        for j in range(places.shape[1]):
            contest = places[i, j]
            a = winner[contest]
            b = loser[contest]
            score = 0.5 if drawn[contest] else 1.0
            chance = 1.0 / (1.0 + math.exp((rating[i, b] - rating[i, a]) * slope))
            step = k * (score - chance)
            rating[i, a] += step
            rating[i, b] -= step

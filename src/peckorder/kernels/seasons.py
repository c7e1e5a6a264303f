"""Seasons that could be: the outcomes of fixtures drawn at random, again and again."""

import math

import numpy as np

from peckorder.kernels import compiled
from peckorder.kernels.elo import win_chance
from peckorder.kernels.random import begin, normal, uniform


@compiled
def play(
    first, second, bonus, bonus_in_update, boldness, curve, parameter, percents, rating, spread, k,
    nu, of_run, points, standings, key, first_run, out, places,
):  # fmt: skip
    """Play all fixtures once a run; out[run] holds the points, places[who, place] is counted up.

    A run starts from the draw of ratings `of_run[run]`, blurred by `spread`; the ratings move by k
    as the season goes on. Equal points are ordered at random.
    """
    random = np.empty(4, np.uint64)
    size = rating.shape[1]
    score = np.empty(size)
    lot = np.empty(size)
    for run in range(out.shape[0]):
        begin(random, key, first_run + run)
        draw = of_run[run]
        for i in range(size):
            score[i] = rating[draw, i]
            if spread[i] > 0.0:
                score[i] += spread[i] * normal(random)
            out[run, i] = standings[i]
        for j in range(first.size):
            a = first[j]
            b = second[j]
            ahead = score[a] - score[b]
            expected = win_chance(ahead + bonus[draw, j], curve, parameter, percents)
            p = expected
            if boldness != 1.0 and 0.0 < p < 1.0:  # a share of the points says more of who wins
                p = 1.0 / (1.0 + math.exp(-boldness * math.log(p / (1.0 - p))))
            odds = nu[draw] * math.sqrt(p * (1.0 - p))
            share = 1.0 / (1.0 + odds)
            u = uniform(random)
            if u < p * share:
                scored = 1.0
                out[run, a] += points[0]
                out[run, b] += points[2]
            elif u < (p + odds) * share:
                scored = 0.5
                out[run, a] += points[1]
                out[run, b] += points[1]
            else:
                scored = 0.0
                out[run, a] += points[2]
                out[run, b] += points[0]
            if not bonus_in_update:
                expected = win_chance(ahead, curve, parameter, percents)
            step = k[draw] * (scored - expected)
            score[a] += step
            score[b] -= step
        for i in range(size):
            lot[i] = uniform(random)
        for i in range(size):
            place = 0
            for other in range(size):
                more = out[run, other] - out[run, i]
                if more > 0.0 or (more == 0.0 and lot[other] < lot[i]):
                    place += 1
            places[i, place] += 1

"""Contests that never were: outcomes drawn from known chances, or from ratings that they move.

Every run draws from its own stream, so runs may be shared by threads in any way.
"""

import math

import numpy as np

from peckorder.kernels import compiled
from peckorder.kernels.elo import win_chance
from peckorder.kernels.random import begin, below, uniform

ELO, STEP, RATIO, DODOM = 0, 1, 2, 3


@compiled
def place_of(cumulative, u):
    """The first place whose cumulative weight exceeds u times the whole."""
    low = 0
    high = cumulative.size - 1
    target = u * cumulative[high]
    while low < high:
        middle = (low + high) // 2
        if cumulative[middle] > target:
            high = middle
        else:
            low = middle + 1
    return low


@compiled
def draw_contests(starter, opponent, chance, nu, period_of, key, run, first, second, score):
    """Who starts, against whom, and how it ends, contest by contest.

    starter[p] and opponent[p, i] hold cumulative weights in period p, chance[p, i, j] the chance
    that i beats j in a contest that is not drawn.
    """
    random = np.empty(4, np.uint64)
    begin(random, key, run)
    for j in range(first.size):
        p = period_of[j]
        a = place_of(starter[p], uniform(random))
        b = place_of(opponent[p, a], uniform(random))
        win = chance[p, a, b]
        odds = nu * math.sqrt(win * (1.0 - win))
        u = uniform(random) * (1.0 + odds)
        first[j] = a
        second[j] = b
        score[j] = 1.0 if u < win else (0.5 if u < win + odds else 0.0)


@compiled
def draw_outcomes(first, second, bonus, bonus_in_update, k, nu, rating, key, run, score, course):
    """Outcomes of given contests by ratings that they move, on the natural scale.

    course[j] holds the ratings before contest j, and at last those after all.
    """
    random = np.empty(4, np.uint64)
    begin(random, key, run)
    for j in range(first.size):
        course[j] = rating
        a = first[j]
        b = second[j]
        ahead = rating[a] - rating[b]
        win = 1.0 / (1.0 + math.exp(-(ahead + bonus[j])))
        odds = nu * math.sqrt(win * (1.0 - win))
        u = uniform(random) * (1.0 + odds)
        score[j] = 1.0 if u < win else (0.5 if u < win + odds else 0.0)
        expected = win if bonus_in_update else 1.0 / (1.0 + math.exp(-ahead))
        rating[a] += k[j] * (score[j] - expected)
        rating[b] -= k[j] * (score[j] - expected)
    course[first.size] = rating


@compiled
def dominates(wins, i, j):
    """1 where i beat j more often, ½ where neither did (or they never met), 0 otherwise."""
    if wins[i, j] > wins[j, i]:
        return 1.0
    return 0.5 if wins[i, j] == wins[j, i] else 0.0


@compiled
def landau(dominated):
    """Landau's h of the numbers dominated."""
    n = dominated.size
    total = 0.0
    for i in range(n):
        total += (dominated[i] - 0.5 * (n - 1)) ** 2
    return 12.0 * total / (n**3 - n)


@compiled
def self_organize(
    model, k, slope, curve, parameter, percents, start, pairs, schedule, contests, every, key, run,
    rating, wins, linearity, spread, course, effects, winners,
):  # fmt: skip
    """One run: everybody starts equal, every outcome is drawn from the ratings and moves them.

    `schedule` holds pairs by number, or is empty for random ones. After every so many contests
    Landau's h and the range of ratings are written down (and all ratings, where course has room).
    effects[w, s] counts contests of somebody whose last one was lost (w = 0) or won (1) by how the
    present one ended. `winners` keeps the sequence of winners, where it has room.
    """
    meetings = np.empty(4, np.uint64)  # a stream of its own: pairs given are no other outcomes
    random = np.empty(4, np.uint64)
    begin(meetings, key, 2 * run)
    begin(random, key, 2 * run + 1)
    n = rating.size
    last = np.full(n, -1, np.int64)
    total = np.zeros(n)
    won = np.zeros(n)
    dominated = np.full(n, 0.5 * (n - 1))
    for i in range(n):
        rating[i] = start
    place = 0
    for j in range(contests):
        number = schedule[j] if schedule.size > 0 else below(meetings, pairs.shape[0])
        a = pairs[number, 0]
        b = pairs[number, 1]
        if model == ELO:
            chance = win_chance(rating[a] - rating[b], curve, parameter, percents)
        elif model == DODOM:
            chance = rating[a] / (rating[a] + rating[b])
        else:
            chance = 1.0 / (1.0 + math.exp(-slope * (rating[a] - rating[b])))
        a_wins = uniform(random) < chance
        if model == ELO:
            step = k * ((1.0 if a_wins else 0.0) - chance)
            rating[a] += step
            rating[b] -= step
        elif model == STEP:
            step = k if a_wins else -k
            rating[a] += step
            rating[b] -= step
        elif model == RATIO:
            total[a] += 1.0
            total[b] += 1.0
            if a_wins:
                won[a] += 1.0
            else:
                won[b] += 1.0
            rating[a] = won[a] / total[a]
            rating[b] = won[b] / total[b]
        else:
            step = k * ((1.0 if a_wins else 0.0) - chance)
            rating[a] = max(rating[a] + step, 0.01)
            rating[b] = max(rating[b] - step, 0.01)
        before = dominates(wins, a, b)
        winner = a if a_wins else b
        wins[winner, a + b - winner] += 1
        change = dominates(wins, a, b) - before
        dominated[a] += change
        dominated[b] -= change
        if last[a] >= 0:
            effects[last[a], 1 if a_wins else 0] += 1
        if last[b] >= 0:
            effects[last[b], 0 if a_wins else 1] += 1
        last[a] = 1 if a_wins else 0
        last[b] = 1 - last[a]
        if winners.size > 0:
            winners[j, 0] = winner
            winners[j, 1] = a + b - winner
        if (j + 1) % every == 0 and place < linearity.size:
            linearity[place] = landau(dominated)
            spread[place] = rating.max() - rating.min()
            if course.size > 0:
                for i in range(n):
                    course[place, i] = rating[i]
            place += 1

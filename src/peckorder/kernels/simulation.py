"""Contests that never were: outcomes drawn from known chances, or from ratings that they move.

Every run draws from its own stream, so runs may be shared by threads in any way.
"""

import math
from typing import NamedTuple

import numpy as np

from peckorder.kernels import compiled, copy, part
from peckorder.kernels.elo import win_chance
from peckorder.kernels.random import begin, below, uniform

ELO, STEP, RATIO, DODOM = 0, 1, 2, 3


@part
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
        copy(course[j], rating)
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
    copy(course[first.size], rating)


class Model(NamedTuple):
    """How ratings give chances, and how outcomes move ratings."""

    kind: int
    k: float
    slope: float  # of Theraulaz' Fermi function
    start: float


class Meetings(NamedTuple):
    """Who may meet whom, and how often."""

    pairs: np.ndarray
    schedule: np.ndarray  # pairs by number, or length 0 for random ones
    contests: int
    every: int  # contests between two entries of the course


class Course(NamedTuple):
    """What is written down of a run; `rating` and `winners` may have no room."""

    linearity: np.ndarray  # Landau's h after every so many contests
    spread: np.ndarray  # the range of ratings then
    rating: np.ndarray  # all ratings then
    effects: np.ndarray  # contests by how the one before ended (0 lost, 1 won), and this one
    winners: np.ndarray  # winner and loser of each contest


@part
def dominates(wins, i, j):
    """1 where i beat j more often, ½ where neither did (or they never met), 0 otherwise."""
    if wins[i, j] > wins[j, i]:
        return 1.0
    return 0.5 if wins[i, j] == wins[j, i] else 0.0


@part
def landau(dominated):
    """Landau's h of the numbers dominated."""
    n = dominated.size
    total = 0.0
    for i in range(n):
        total += (dominated[i] - 0.5 * (n - 1)) ** 2
    return 12.0 * total / (n**3 - n)


@compiled
def self_organize(model, curve, meetings, key, run, rating, wins, course):
    """One run: everybody starts equal, every outcome is drawn from the ratings and moves them.

    Fills `rating` and `wins`, and writes down the course where it has room.
    """
    meeting = np.empty(4, np.uint64)  # a stream of its own: pairs given are no other outcomes
    random = np.empty(4, np.uint64)
    begin(meeting, key, 2 * run)
    begin(random, key, 2 * run + 1)
    n = rating.size
    last = np.full(n, -1, np.int64)
    total = np.zeros(n)
    won = np.zeros(n)
    dominated = np.full(n, 0.5 * (n - 1))
    pairs, schedule = meetings.pairs, meetings.schedule
    effects, winners = course.effects, course.winners
    for i in range(n):
        rating[i] = model.start
    place = 0
    for j in range(meetings.contests):
        number = schedule[j] if schedule.size > 0 else below(meeting, pairs.shape[0])
        a = pairs[number, 0]
        b = pairs[number, 1]
        if model.kind == ELO:
            chance = win_chance(rating[a] - rating[b], curve)
        elif model.kind == DODOM:
            chance = rating[a] / (rating[a] + rating[b])
        else:
            chance = 1.0 / (1.0 + math.exp(-model.slope * (rating[a] - rating[b])))
        a_wins = uniform(random) < chance
        scored = 1.0 if a_wins else 0.0
        if model.kind == RATIO:
            won[a] += scored
            won[b] += 1.0 - scored
            total[a] += 1.0
            total[b] += 1.0
            rating[a] = won[a] / total[a]
            rating[b] = won[b] / total[b]
        else:
            step = model.k * (2.0 * scored - 1.0 if model.kind == STEP else scored - chance)
            rating[a] += step
            rating[b] -= step
        if model.kind == DODOM:
            rating[a] = max(rating[a], 0.01)
            rating[b] = max(rating[b], 0.01)
        winner = a if a_wins else b
        before = dominates(wins, a, b)
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
        if (j + 1) % meetings.every == 0 and place < course.linearity.size:
            course.linearity[place] = landau(dominated)
            course.spread[place] = rating.max() - rating.min()
            if course.rating.size > 0:
                copy(course.rating[place], rating)
            place += 1

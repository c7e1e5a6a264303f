"""What follows from draws of the parameters: the course of all scores, draw by draw.

A block of draws holds starting scores (draws × individuals), k (draws × classes, the last one of
burn-in), ν and home advantage (one number a draw).
"""

import math

import numpy as np

from peckorder.kernels import compiled
from peckorder.kernels.likelihood import (
    SLOTS,
    chances,
    come_and_go,
    groups,
    log_likelihood,
    log_of,
    one_contest,
    outcome,
)
from peckorder.kernels.random import begin, uniform


@compiled
def settle(contests, j, event, score, halls, hall_of):
    """Let happen what comes before contest j; returns the next event."""
    while event < contests.event_at.size and contests.event_at[event] <= j:
        who = contests.event_who[event]
        come_and_go(contests, event, score, halls)
        kind = contests.event_kind[event]
        if kind != 2:
            hall_of[who] = contests.event_hall[event] if kind == 0 else -1
        event += 1
    return event


@compiled
def reported(i, score, halls, hall_of):
    """The score of somebody present stands relative to the mean of those present."""
    return score[i] - halls[hall_of[i], 1] if hall_of[i] >= 0 else score[i]


@compiled
def restart(start, score, halls, hall_of):
    """Everybody at the start of a draw, nobody there yet."""
    for i in range(score.size):
        score[i] = start[i]
        hall_of[i] = -1
    for h in range(halls.shape[0]):
        for i in range(halls.shape[1]):
            halls[h, i] = 0.0


@compiled
def photograph(contests, start, k, nu, home, places, followed, out, by_draw, settled):
    """Scores of those followed after so many contests (`places`, ascending), in out[place, draw].

    The first `settled` of them are taken once those who come and go before the next contest have
    done so. Without `by_draw` the draws are added up instead, in out[place, 0].
    """
    size = start.shape[1]
    hall_of = np.empty(size, np.int64)
    halls = np.zeros((groups(contests), 3))
    score = np.empty(size)
    for d in range(start.shape[0]):
        restart(start[d], score, halls, hall_of)
        event = settle(contests, 0, 0, score, halls, hall_of)
        place = 0
        for j in range(contests.first.size + 1):
            while place < places.size and places[place] == j:
                if place < settled:
                    event = settle(contests, j, event, score, halls, hall_of)
                for i in range(followed.size):
                    value = reported(followed[i], score, halls, hall_of)
                    if by_draw:
                        out[place, d, i] = value
                    else:
                        out[place, 0, i] += value
                place += 1
            if place == places.size or j == contests.first.size:
                break
            event = settle(contests, j, event, score, halls, hall_of)
            one_contest(contests, j, k[d], nu[d], home[d], score)


@compiled
def add_history(contests, start, k, nu, home, expected, before, after):
    """Add up, over draws, the chance of each winner and both scores before and after."""
    size = start.shape[1]
    hall_of = np.empty(size, np.int64)
    halls = np.zeros((groups(contests), 3))
    score = np.empty(size)
    for d in range(start.shape[0]):
        restart(start[d], score, halls, hall_of)
        event = 0
        for j in range(contests.first.size):
            event = settle(contests, j, event, score, halls, hall_of)
            a = contests.first[j]
            b = contests.second[j]
            bonus = home[d] * contests.home[j] if contests.home.size > 0 else 0.0
            expected[j] += chances(score[a] - score[b] + bonus)[0]
            before[j, 0] += reported(a, score, halls, hall_of)
            before[j, 1] += reported(b, score, halls, hall_of)
            one_contest(contests, j, k[d], nu[d], home[d], score)
            after[j, 0] += reported(a, score, halls, hall_of)
            after[j, 1] += reported(b, score, halls, hall_of)


@compiled
def own_courses(contests, start, k, nu, home, first, out):
    """Scores of both sides after each contest from `first` on, in out[contest, side, draw]."""
    size = start.shape[1]
    hall_of = np.empty(size, np.int64)
    halls = np.zeros((groups(contests), 3))
    score = np.empty(size)
    for d in range(start.shape[0]):
        restart(start[d], score, halls, hall_of)
        event = 0
        for j in range(first + out.shape[0]):
            event = settle(contests, j, event, score, halls, hall_of)
            one_contest(contests, j, k[d], nu[d], home[d], score)
            if j >= first:
                out[j - first, 0, d] = reported(contests.first[j], score, halls, hall_of)
                out[j - first, 1, d] = reported(contests.second[j], score, halls, hall_of)


@compiled
def add_outcomes(contests, start, k, nu, home, out):
    """Add up, over draws, the chances that each winner wins, draws and loses, in out[contest]."""
    size = start.shape[1]
    hall_of = np.empty(size, np.int64)
    halls = np.zeros((groups(contests), 3))
    score = np.empty(size)
    for d in range(start.shape[0]):
        restart(start[d], score, halls, hall_of)
        event = 0
        for j in range(contests.first.size):
            event = settle(contests, j, event, score, halls, hall_of)
            bonus = home[d] * contests.home[j] if contests.home.size > 0 else 0.0
            ahead = score[contests.first[j]] - score[contests.second[j]] + bonus
            win, _, draw, _, q = outcome(ahead, False, nu[d])
            out[j, 0] += win
            out[j, 1] += draw
            out[j, 2] += q * (1.0 - draw)
            one_contest(contests, j, k[d], nu[d], home[d], score)


@compiled
def log_likelihoods(contests, start, k, nu, home, out):
    """Log-likelihood of every contest under each draw, in out[draw, contest]."""
    size = start.shape[1]
    hall_of = np.empty(size, np.int64)
    halls = np.zeros((groups(contests), 3))
    score = np.empty(size)
    for d in range(start.shape[0]):
        restart(start[d], score, halls, hall_of)
        event = 0
        for j in range(contests.first.size):
            event = settle(contests, j, event, score, halls, hall_of)
            found = one_contest(contests, j, k[d], nu[d], home[d], score)
            value = 0.0
            if j >= contests.counted:
                drawn = contests.draw.size > 0 and contests.draw[j]
                value = log_of(found[0], found[5], drawn, nu[d])
            out[d, j] = value


@compiled
def totals(contests, start, k, nu, home, values, out):
    """Log-likelihood of each draw with each of other values of k, in out[draw, value]."""
    kept = np.empty((SLOTS, contests.first.size))
    halls = np.zeros((groups(contests), 3))
    score = np.empty(start.shape[1])
    other = np.empty(k.shape[1])
    for d in range(start.shape[0]):
        for n in range(values.size):
            score[:] = start[d]
            other[:] = values[n]
            other[-1] = k[d, -1]
            out[d, n] = log_likelihood(contests, other, nu[d], home[d], score, kept, halls)


@compiled
def replicate(contests, key, begin_at, start, k, nu, home, outcomes, upsets):
    """Outcomes of the same contests drawn anew: 0 as recorded, 1 the other side, 2 a draw.

    Scores follow the drawn outcomes. `upsets` receives, per draw, how many decided contests were
    lost by the side with the higher chance: of the record, and of the drawn outcomes.
    """
    size = start.shape[1]
    random = np.empty(4, np.uint64)
    hall_of = np.empty(size, np.int64)
    halls = np.zeros((groups(contests), 3))
    real_halls = halls.copy()
    score = np.empty(size)
    real = np.empty(size)
    for d in range(start.shape[0]):
        begin(random, key, begin_at + d)
        restart(start[d], real, real_halls, hall_of)
        restart(start[d], score, halls, hall_of)
        event = 0
        for j in range(contests.first.size):
            settle(contests, j, event, real, real_halls, hall_of)
            event = settle(contests, j, event, score, halls, hall_of)
            a = contests.first[j]
            b = contests.second[j]
            bonus = home[d] * contests.home[j] if contests.home.size > 0 else 0.0
            drawn = contests.draw.size > 0 and contests.draw[j]
            if not drawn and real[a] - real[b] + bonus < 0.0:
                upsets[d, 0] += 1
            one_contest(contests, j, k[d], nu[d], home[d], real)
            ahead = score[a] - score[b]
            p, q = chances(ahead + bonus)
            odds = nu[d] * math.sqrt(p * q)
            u = uniform(random) * (1.0 + odds)
            outcome = 0 if u < p else (1 if u < p + q else 2)
            outcomes[d, j] = outcome
            if outcome != 2 and (ahead + bonus < 0.0) == (outcome == 0):
                upsets[d, 1] += 1
            expected = chances(ahead + bonus if contests.home_in_update else ahead)[0]
            gained = (1.0, 0.0, 0.5)[outcome] - expected
            step = k[d, contests.k_of[j] if contests.k_of.size > 0 else 0] * gained
            score[a] += step
            score[b] -= step

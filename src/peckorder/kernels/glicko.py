"""Glicko and Glicko-2 over rating periods (Glickman 1999, 2001).

All contests of a period use the values at its start. Before it, the deviations of those who take
part have grown for the periods since their last one. Glicko works on the scale of the ratings,
with q = ln 10/400; Glicko-2 divides deviations by 1/q to its own scale and back.
"""

import math
from typing import NamedTuple

import numpy as np

from peckorder.kernels import compiled, part

TOLERANCE = 1e-12
LEAST_INFORMATION = 1e-30


class Contests(NamedTuple):
    """Contests by period; a score or bonus of one entry holds for all of them."""

    first: np.ndarray
    second: np.ndarray
    score: np.ndarray  # of the first side
    bonus: np.ndarray  # points added to the first side's rating in prediction
    period_at: np.ndarray  # the contest each period begins with


class Rules(NamedTuple):
    """Glicko's c, or Glicko-2's τ, on scales that q makes natural."""

    second_version: bool
    c: float
    tau: float
    q: float
    highest: float  # no deviation grows beyond it


class State(NamedTuple):
    """What is known of everybody."""

    rating: np.ndarray
    deviation: np.ndarray
    volatility: np.ndarray
    last: np.ndarray  # last period with a contest, −1 before any


class History(NamedTuple):
    """Of each contest, what was expected, and of both sides ratings and deviations."""

    expected: np.ndarray
    before: np.ndarray
    spread: np.ndarray  # deviations before
    after: np.ndarray
    spread_after: np.ndarray


class Evidence(NamedTuple):
    """What the contests of a period say of everybody who takes part."""

    active: np.ndarray  # who takes part, in order of appearance
    surprise: np.ndarray  # Σ g(S − E)
    information: np.ndarray  # Σ g² E(1 − E)


@part
def attenuation(deviation, q):
    """g(RD) = 1/√(1 + 3 q² RD²/π²): the less is known of an opponent, the less a result says."""
    return 1.0 / math.sqrt(1.0 + 3.0 * (q * deviation / math.pi) ** 2)


@part
def expectation(ahead, deviation, q):
    """Expected score of somebody who is ahead of an opponent known with this deviation."""
    return 1.0 / (1.0 + math.exp(-attenuation(deviation, q) * q * ahead))


@part
def volatility_equation(x, change, deviation, variance, last, tau):
    """Zero at the logarithm of the new squared volatility."""
    growth = math.exp(x)
    total = deviation * deviation + variance + growth
    return growth * (change * change - total) / (2.0 * total * total) - (x - last) / (tau * tau)


@part
def new_volatility(volatility, change, deviation, variance, tau):
    """Glickman's iteration (the Illinois algorithm), on the scale of Glicko-2."""
    last = math.log(volatility * volatility)
    low = last
    excess = change * change - deviation * deviation - variance
    if excess > 0.0:
        high = math.log(excess)
    else:
        step = 1.0
        high = last - step * tau
        while volatility_equation(high, change, deviation, variance, last, tau) < 0.0:
            step += 1.0
            high = last - step * tau
    at_low = volatility_equation(low, change, deviation, variance, last, tau)
    at_high = volatility_equation(high, change, deviation, variance, last, tau)
    for _ in range(200):
        if abs(high - low) <= TOLERANCE:
            break
        middle = low + (low - high) * at_low / (at_high - at_low)
        at_middle = volatility_equation(middle, change, deviation, variance, last, tau)
        if at_middle * at_high <= 0.0:
            low = high
            at_low = at_high
        else:
            at_low *= 0.5
        high = middle
        at_high = at_middle
    return math.exp(low * 0.5)


@part
def grow(i, period, rules, state):
    """Deviation of somebody who takes part again; a newcomer's has not grown."""
    if state.last[i] < 0:
        return
    lag = period - state.last[i]
    growth = rules.c * rules.c * lag
    if rules.second_version:  # the last step is part of the update
        growth = (lag - 1) * (state.volatility[i] / rules.q) ** 2
    state.deviation[i] = min(math.sqrt(state.deviation[i] ** 2 + growth), rules.highest)


@part
def gather(contests, period, begin, stop, rules, state, evidence):
    """Everybody who takes part in a period, ready for its contests; returns how many they are."""
    number = 0
    for j in range(begin, stop):
        for i in (contests.first[j], contests.second[j]):
            if state.last[i] == period:
                continue
            grow(i, period, rules, state)
            state.last[i] = period
            evidence.active[number] = i
            evidence.surprise[i] = 0.0
            evidence.information[i] = 0.0
            number += 1
    return number


@part
def add_result(i, opponent, ahead, score, q, deviation, evidence):
    """What one contest says of one side of it."""
    g = attenuation(deviation[opponent], q)
    e = expectation(ahead, deviation[opponent], q)
    evidence.surprise[i] += g * (score - e)
    evidence.information[i] += g * g * e * (1.0 - e)


@part
def add_contests(contests, begin, stop, q, state, evidence, history):
    """Predict the contests of a period from its start, and add up what they say."""
    rating, deviation = state.rating, state.deviation
    score_step = min(contests.score.size - 1, 1)
    bonus_step = min(contests.bonus.size - 1, 1)
    for j in range(begin, stop):
        a = contests.first[j]
        b = contests.second[j]
        ahead = rating[a] - rating[b] + contests.bonus[j * bonus_step]
        score = contests.score[j * score_step]
        history.expected[j] = expectation(ahead, math.hypot(deviation[a], deviation[b]), q)
        history.before[j, 0] = rating[a]
        history.before[j, 1] = rating[b]
        history.spread[j, 0] = deviation[a]
        history.spread[j, 1] = deviation[b]
        add_result(a, b, ahead, score, q, deviation, evidence)
        add_result(b, a, -ahead, 1.0 - score, q, deviation, evidence)


@part
def update(i, rules, state, evidence):
    """Rating, deviation and volatility after a period."""
    q = rules.q
    phi = state.deviation[i] * q
    known = max(evidence.information[i], LEAST_INFORMATION)
    surprise = evidence.surprise[i]
    if rules.second_version:
        volatility = state.volatility[i]
        if rules.tau > 0.0:
            volatility = new_volatility(volatility, surprise / known, phi, 1.0 / known, rules.tau)
            volatility = min(volatility, rules.highest * q)
            state.volatility[i] = volatility
        phi = min(math.sqrt(phi * phi + volatility**2), rules.highest * q)
    squared = 1.0 / (1.0 / (phi * phi) + known)
    state.deviation[i] = math.sqrt(squared) / q
    state.rating[i] += squared * surprise / q


@compiled
def rate(contests, rules, state, history):
    """Rate contests period by period."""
    size = state.rating.size
    evidence = Evidence(np.empty(size, np.int64), np.zeros(size), np.zeros(size))
    for period in range(contests.period_at.size):
        last = period + 1 == contests.period_at.size
        begin = contests.period_at[period]
        stop = contests.first.size if last else contests.period_at[period + 1]
        number = gather(contests, period, begin, stop, rules, state, evidence)
        add_contests(contests, begin, stop, rules.q, state, evidence, history)
        for place in range(number):
            update(evidence.active[place], rules, state, evidence)
        for j in range(begin, stop):
            for side, i in enumerate((contests.first[j], contests.second[j])):
                history.after[j, side] = state.rating[i]
                history.spread_after[j, side] = state.deviation[i]

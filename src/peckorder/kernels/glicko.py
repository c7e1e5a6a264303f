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


class ContestArrays(NamedTuple):
    """Contests by period; a score or bonus of one entry holds for all of them."""

    first: np.ndarray
    second: np.ndarray
    score: np.ndarray  # of the first side
    bonus: np.ndarray  # points added to the first side's rating in prediction
    period_at: np.ndarray  # the contest each period begins with
    when: np.ndarray  # the number of each period, ascending from 0


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
    last: np.ndarray  # number of the last period with a contest, −1 before any


class History(NamedTuple):
    """Of each contest, what was expected; of both sides ratings and deviations, or length 0."""

    expected: np.ndarray
    ahead: np.ndarray  # the bonus included
    before: np.ndarray
    spread: np.ndarray  # deviations before
    after: np.ndarray
    spread_after: np.ndarray
    volatility_after: np.ndarray


def predictions(number: int) -> History:
    """Room for what was expected of contests alone."""
    return History(*np.empty((2, number)), *np.empty((5, 0, 2)))


def everything(number: int) -> History:
    """Room for all of it."""
    return History(*np.empty((2, number)), *np.empty((5, number, 2)))


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
def grown(deviation, volatility, lag, rules):
    """Deviation of somebody who takes part again after so many periods."""
    growth = rules.c * rules.c * lag
    if rules.second_version:  # the last step is part of the update
        growth = (lag - 1) * (volatility / rules.q) ** 2
    return min(math.sqrt(deviation**2 + growth), rules.highest)


@part
def learned(deviation, volatility, surprise, information, rules):
    """New deviation and volatility after a period, and the change of the rating."""
    q = rules.q
    phi = deviation * q
    known = max(information, LEAST_INFORMATION)
    if rules.second_version:
        if rules.tau > 0.0:
            volatility = new_volatility(volatility, surprise / known, phi, 1.0 / known, rules.tau)
            volatility = min(volatility, rules.highest * q)
        phi = min(math.sqrt(phi * phi + volatility**2), rules.highest * q)
    squared = 1.0 / (1.0 / (phi * phi) + known)
    return math.sqrt(squared) / q, volatility, squared * surprise / q


@compiled
def rate(contests, rules, state, history):
    """Rate contests period by period."""
    first, second, score, bonus, period_at, when = contests
    rating, deviation, volatility, last = state
    expected, all_ahead, before, spread, after, spread_after, volatility_after = history
    keep = before.shape[0] > 0
    q = rules.q
    score_step = min(score.size - 1, 1)
    bonus_step = min(bonus.size - 1, 1)
    active = np.empty(rating.size, np.int64)  # who takes part in a period
    surprise = np.zeros(rating.size)  # Σ g(S − E) of its contests
    information = np.zeros(rating.size)  # Σ g² E(1 − E)
    for period in range(period_at.size):
        begin = period_at[period]
        stop = period_at[period + 1] if period + 1 < period_at.size else first.size
        number = 0
        for j in range(begin, stop):
            for i in (first[j], second[j]):
                if last[i] == when[period]:
                    continue
                if last[i] >= 0:  # a newcomer's deviation has not grown
                    lag = when[period] - last[i]
                    deviation[i] = grown(deviation[i], volatility[i], lag, rules)
                last[i] = when[period]
                active[number] = i
                number += 1
                surprise[i] = 0.0
                information[i] = 0.0
        for j in range(begin, stop):
            a = first[j]
            b = second[j]
            ahead = rating[a] - rating[b] + bonus[j * bonus_step]
            scored = score[j * score_step]
            expected[j] = expectation(ahead, math.hypot(deviation[a], deviation[b]), q)
            all_ahead[j] = ahead
            if keep:
                before[j, 0] = rating[a]
                before[j, 1] = rating[b]
                spread[j, 0] = deviation[a]
                spread[j, 1] = deviation[b]
            g = attenuation(deviation[b], q)
            e = expectation(ahead, deviation[b], q)
            surprise[a] += g * (scored - e)
            information[a] += g * g * e * (1.0 - e)
            g = attenuation(deviation[a], q)
            e = expectation(-ahead, deviation[a], q)
            surprise[b] += g * (1.0 - scored - e)
            information[b] += g * g * e * (1.0 - e)
        for place in range(number):
            i = active[place]
            deviation[i], volatility[i], change = learned(
                deviation[i], volatility[i], surprise[i], information[i], rules
            )
            rating[i] += change
        for j in range(begin, stop if keep else begin):
            after[j, 0] = rating[first[j]]
            after[j, 1] = rating[second[j]]
            spread_after[j, 0] = deviation[first[j]]
            spread_after[j, 1] = deviation[second[j]]
            volatility_after[j, 0] = volatility[first[j]]
            volatility_after[j, 1] = volatility[second[j]]

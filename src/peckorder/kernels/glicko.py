"""Glicko and Glicko-2 over rating periods (Glickman 1999, 2001).

All contests of a period use the values at its start. Before it, the deviations of those who take
part have grown for the periods since their last one. Glicko works on the scale of the ratings,
with q = ln 10/400; Glicko-2 divides deviations by 1/q to its own scale and back.
"""

import math

import numpy as np

from peckorder.kernels import compiled

TOLERANCE = 1e-12
LEAST_INFORMATION = 1e-30


@compiled
def attenuation(deviation, q):
    """g(RD) = 1/√(1 + 3 q² RD²/π²): the less is known of an opponent, the less a result says."""
    return 1.0 / math.sqrt(1.0 + 3.0 * (q * deviation / math.pi) ** 2)


@compiled
def expectation(ahead, deviation, q):
    """Expected score of somebody who is ahead of an opponent known with this deviation."""
    return 1.0 / (1.0 + math.exp(-attenuation(deviation, q) * q * ahead))


@compiled
def volatility_equation(x, change, deviation, variance, last, tau):
    """Zero at the logarithm of the new squared volatility."""
    growth = math.exp(x)
    total = deviation * deviation + variance + growth
    return growth * (change * change - total) / (2.0 * total * total) - (x - last) / (tau * tau)


@compiled
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


@compiled
def grow(i, period, last, second_version, c, q, highest, deviation, volatility):
    """Deviation of somebody who takes part again; a newcomer's has not grown."""
    if last[i] < 0:
        return
    lag = period - last[i]
    growth = c * c * lag
    if second_version:  # the last step is part of the update
        growth = (lag - 1) * (volatility[i] / q) ** 2
    deviation[i] = min(math.sqrt(deviation[i] ** 2 + growth), highest)


@compiled
def rate(
    first, second, score, score_step, bonus, bonus_step, period_at, second_version, c, tau, q,
    highest, rating, deviation, volatility, last, expected, before, spread, after, spread_after,
):  # fmt: skip
    """Rate contests period by period; `spread` holds both deviations before each period."""
    size = rating.size
    active = np.empty(size, np.int64)
    surprise = np.zeros(size)
    information = np.zeros(size)
    seen = np.full(size, -1, np.int64)
    for period in range(period_at.size):
        begin = period_at[period]
        stop = period_at[period + 1] if period + 1 < period_at.size else first.size
        number = 0
        for j in range(begin, stop):
            for i in (first[j], second[j]):
                if seen[i] != period:
                    seen[i] = period
                    active[number] = i
                    number += 1
                    grow(i, period, last, second_version, c, q, highest, deviation, volatility)
                    last[i] = period
                    surprise[i] = 0.0
                    information[i] = 0.0
        for j in range(begin, stop):
            a = first[j]
            b = second[j]
            ahead = rating[a] - rating[b] + bonus[j * bonus_step]
            scored = score[j * score_step]
            expected[j] = expectation(ahead, math.hypot(deviation[a], deviation[b]), q)
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
            phi = deviation[i] * q
            known = max(information[i], LEAST_INFORMATION)
            if second_version:
                if tau > 0.0:
                    volatility[i] = min(
                        new_volatility(volatility[i], surprise[i] / known, phi, 1.0 / known, tau),
                        highest * q,
                    )
                phi = min(math.sqrt(phi * phi + volatility[i] ** 2), highest * q)
            squared = 1.0 / (1.0 / (phi * phi) + known)
            deviation[i] = math.sqrt(squared) / q
            rating[i] += squared * surprise[i] / q
        for j in range(begin, stop):
            after[j, 0] = rating[first[j]]
            after[j, 1] = rating[second[j]]
            spread_after[j, 0] = deviation[first[j]]
            spread_after[j, 1] = deviation[second[j]]

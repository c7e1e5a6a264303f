"""Glicko and Glicko-2 written down a second time, from the formulas alone; slow and plain: Glickman
(1999), Parameter estimation in large dynamic paired comparison experiments, Applied Statistics 48,
377–394, with the note "The Glicko system"; Glickman (2001), Dynamic paired comparison models with
stochastic variances, Journal of Applied Statistics 28, 673–689, with the note "Example of the
Glicko-2 system" (the Illinois algorithm for the volatility); an advantage of the first in a contest
and ceilings of deviation and volatility as the manual of the R package PlayerRatings has them.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

NATURAL = 400 / math.log(10)

Contest = tuple[int, str, str, float, float]  # period, first, second, score and bonus of the first
State = tuple[float, ...]  # rating, deviation and, in Glicko-2, volatility
Meeting = tuple[float, float, float, float]  # the opponent's rating and deviation, score, bonus


class Record(NamedTuple):
    """A contest: the first's expected score, then what holds for (first, second)."""

    expected: float
    rating: tuple[float, float]
    deviation: tuple[float, float]
    after: tuple[float, float]


Rated = tuple[dict[str, State], list[Record]]


def attenuation(deviation: float, scale: float = 400.0) -> float:
    """g(RD) = 1 / √(1 + 3 q² RD² / π²) with q = ln 10 / scale."""
    q = math.log(10) / scale
    return 1 / math.sqrt(1 + 3 * q**2 * deviation**2 / math.pi**2)


def expectation(difference: float, deviation: float, scale: float = 400.0) -> float:
    """E = 1 / (1 + 10^(−g(RD) · difference / scale))."""
    return 1 / (1 + 10 ** (-attenuation(deviation, scale) * difference / scale))


def prediction(first: State, second: State, bonus: float = 0.0, scale: float = 400.0) -> float:
    """The expected score of the first, from both ratings and both deviations."""
    return expectation(first[0] + bonus - second[0], math.hypot(first[1], second[1]), scale)


def meetings(
    name: str, contests: Sequence[Contest], before: Mapping[str, State]
) -> Iterable[Meeting]:
    """The contests of one player, seen from its side."""
    for _, first, second, score, bonus in contests:
        if name == first:
            yield before[second][0], before[second][1], score, bonus
        if name == second:
            yield before[first][0], before[first][1], 1 - score, -bonus


def run(
    contests: Sequence[Contest],
    newcomer: Callable[[str], State],
    grown: Callable[[State, int], State],
    updated: Callable[[State, list[Meeting]], State],
    scale: float,
) -> Rated:
    """Period after period: states at its start, from these alone the states at its end."""
    state: dict[str, State] = {}
    last: dict[str, int] = {}
    records: dict[int, Record] = {}
    for period in sorted({contest[0] for contest in contests}):
        rows = [j for j, contest in enumerate(contests) if contest[0] == period]
        played = [contests[j] for j in rows]
        names = dict.fromkeys(name for contest in played for name in contest[1:3])
        before = {
            n: grown(state[n], period - last[n]) if n in state else newcomer(n) for n in names
        }
        after = {n: updated(before[n], list(meetings(n, played, before))) for n in names}
        for j, (_, first, second, _, bonus) in zip(rows, played, strict=True):
            a, b = before[first], before[second]
            records[j] = Record(
                prediction(a, b, bonus, scale),
                (a[0], b[0]),
                (a[1], b[1]),
                (after[first][0], after[second][0]),
            )
        state |= after
        last |= dict.fromkeys(names, period)
    return state, [records[j] for j in range(len(contests))]


# Glicko


def glicko_update(own: State, games: list[Meeting], scale: float = 400.0) -> State:
    """Rating and deviation after the games of one period."""
    rating, deviation = own
    q = math.log(10) / scale
    information = surprise = 0.0
    for opponent, spread, score, bonus in games:
        g = attenuation(spread, scale)
        e = expectation(rating + bonus - opponent, spread, scale)
        information += q**2 * g**2 * e * (1 - e)
        surprise += g * (score - e)
    variance = 1 / (1 / deviation**2 + information)
    return rating + q * variance * surprise, math.sqrt(variance)


def glicko(
    contests: Sequence[Contest],
    start: float | Mapping[str, State] = 2200.0,
    deviation: float = 300.0,
    c: float = 15.0,
    max_deviation: float = 350.0,
    scale: float = 400.0,
    newcomers_grow: bool = False,
) -> Rated:
    """Each player's rating and deviation after its last period, and a record of each contest.

    A mapping as `start` gives rating and deviation of everybody before the first contest.
    """

    def newcomer(name: str) -> State:
        own = tuple(start[name]) if isinstance(start, Mapping) else (start, deviation)
        return grown(own, 1) if newcomers_grow else own

    def grown(own: State, lag: int) -> State:
        return own[0], min(math.sqrt(own[1] ** 2 + lag * c**2), max_deviation)

    def updated(own: State, games: list[Meeting]) -> State:
        return glicko_update(own, games, scale)

    return run(contests, newcomer, grown, updated, scale)


# Glicko-2


def new_volatility(
    volatility: float, phi: float, v: float, delta: float, tau: float, tolerance: float = 1e-12
) -> float:
    """Step 5 of the note: the root of f by the Illinois algorithm, σ' = exp(root / 2)."""
    a = math.log(volatility**2)

    def f(x: float) -> float:
        total = phi**2 + v + math.exp(x)
        return math.exp(x) * (delta**2 - total) / (2 * total**2) - (x - a) / tau**2

    left = a
    if delta**2 > phi**2 + v:
        right = math.log(delta**2 - phi**2 - v)
    else:
        k = 1
        while f(a - k * tau) < 0:
            k += 1
        right = a - k * tau
    f_left, f_right = f(left), f(right)
    while abs(right - left) > tolerance:
        middle = left + (left - right) * f_left / (f_right - f_left)
        f_middle = f(middle)
        if f_middle * f_right <= 0:
            left, f_left = right, f_right
        else:
            f_left /= 2
        right, f_right = middle, f_middle
    return math.exp(left / 2)


def glicko2_update(own: State, games: list[Meeting], tau: float, max_deviation: float) -> State:
    """Steps 2 to 8 of the note; its 1500 cancels, and no τ > 0 means a constant volatility."""
    rating, deviation, volatility = own
    phi, ceiling = deviation / NATURAL, max_deviation / NATURAL
    information = surprise = 0.0
    for opponent, spread, score, bonus in games:
        g = 1 / math.sqrt(1 + 3 * (spread / NATURAL) ** 2 / math.pi**2)
        e = 1 / (1 + math.exp(-g * (rating + bonus - opponent) / NATURAL))
        information += g**2 * e * (1 - e)
        surprise += g * (score - e)
    v = 1 / information
    if tau > 0:
        volatility = min(new_volatility(volatility, phi, v, v * surprise, tau), ceiling)
    phi_star = min(math.sqrt(phi**2 + volatility**2), ceiling)
    variance = 1 / (1 / phi_star**2 + 1 / v)
    return rating + NATURAL * variance * surprise, NATURAL * math.sqrt(variance), volatility


def glicko2(
    contests: Sequence[Contest],
    start: float | Mapping[str, State] = 2200.0,
    deviation: float = 300.0,
    volatility: float = 0.15,
    tau: float = 1.2,
    max_deviation: float = 350.0,
) -> Rated:
    """Each player's rating, deviation and volatility after its last period, and the records.

    A mapping as `start` gives all three of everybody before the first contest.
    """

    def newcomer(name: str) -> State:
        return tuple(start[name]) if isinstance(start, Mapping) else (start, deviation, volatility)

    def grown(own: State, lag: int) -> State:
        rating, spread, sigma = own
        idle = (lag - 1) * (NATURAL * sigma) ** 2
        return rating, min(math.sqrt(spread**2 + idle), max_deviation), sigma

    def updated(own: State, games: list[Meeting]) -> State:
        return glicko2_update(own, games, tau, max_deviation)

    return run(contests, newcomer, grown, updated, 400.0)

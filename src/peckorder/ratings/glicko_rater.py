"""Glicko and Glicko-2 ratings updated period by period, for live use; the same as in a batch.

Contests of the current period are kept until it is closed, and are then rated together by the
kernel of `glicko`, so that a stream and a file give the same ratings to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import polars as pl

from peckorder.curves import Logistic
from peckorder.errors import ArgumentError
from peckorder.kernels import glicko as kernel
from peckorder.ratings.glicko import GLICKMAN, chance, reach_of
from peckorder.ratings.rater import name_of
from peckorder.text import counted, did_you_mean, quoted
from peckorder.validate import (
    between_0_and_1,
    finite,
    positive,
    true_or_false,
    whole_number,
)


class GlickoRater:
    """Ratings with deviations (and volatilities), updated period by period.

    Parameters
    ----------
    version : 1 or 2
        Glicko or Glicko-2.
    start, deviation, volatility, c, tau, max_deviation : numbers
        As in `glicko` and `glicko2`, with the values of Glickman's papers.
    per_contest : bool
        Each contest is a period of its own; otherwise `close` ends a period.

    Examples
    --------
    >>> rater = GlickoRater()
    >>> rater.update("Ada", "Bo")
    0.5
    >>> rater.update("Ada", "Cy")
    0.5
    >>> rater.close()
    >>> [round(value) for value in rater.table().row(0)[1:3]]
    [1747, 253]
    """

    def __init__(
        self,
        *,
        version: int = 2,
        start: float = GLICKMAN["start"],
        deviation: float = GLICKMAN["deviation"],
        volatility: float = GLICKMAN["volatility"],
        c: float = GLICKMAN["c"],
        tau: float = GLICKMAN["tau"],
        max_deviation: float = 350.0,
        per_contest: bool = False,
    ):
        if version not in (1, 2):
            raise ArgumentError(f"version={version!r}: choose 1 (Glicko) or 2 (Glicko-2).")
        self._second, self._per_contest = version == 2, true_or_false("per_contest", per_contest)
        self._start = finite("start", start)
        self._first = positive("deviation", deviation), positive("volatility", volatility)
        if deviation > max_deviation:
            raise ArgumentError(
                f"deviation={deviation:g} is above max_deviation={max_deviation:g}."
            )
        self._rules = kernel.Rules(
            self._second,
            0.0 if self._second else finite("c", c),
            finite("tau", tau) if self._second else 0.0,
            Logistic().slope,
            float(max_deviation),
        )
        self._codes: dict[str, int] = {}
        self._state = kernel.State(np.zeros(0), np.zeros(0), np.zeros(0), np.zeros(0, np.int64))
        self._waiting: list[tuple[int, int, float]] = []
        self._now, self.contests = 0, 0

    def __repr__(self) -> str:
        return (
            f"GlickoRater: {counted(len(self._codes), 'individual')}, "
            f"{counted(self.contests, 'contest')}, {len(self._waiting):,} in the current period"
        )

    def update(self, winner: str, loser: str, *, draw: bool = False) -> float:
        """Add a contest to the current period; returns the expected score of the winner."""
        names = name_of(winner), name_of(loser)
        if names[0] == names[1]:
            raise ArgumentError(f'winner and loser are both "{names[0]}". Give two names.')
        score = 0.5 if true_or_false("draw", draw) else 1.0
        self._add(names)
        expected = self.probability(*names)
        self._waiting.append((self._codes[names[0]], self._codes[names[1]], score))
        if self._per_contest:
            self.close()
        return expected

    def close(self, periods: int = 1) -> None:
        """Rate the contests of the current period; the next one begins after so many periods."""
        whole_number("periods", periods, 1)
        if self._waiting:
            first, second, score = (np.array(part) for part in zip(*self._waiting, strict=True))
            number = len(score)
            sides = first.astype(np.int32), second.astype(np.int32)
            zero, now = np.zeros(1, np.int64), np.array([self._now])
            kernel.rate(
                kernel.ContestArrays(*sides, score.astype(float), np.zeros(1), zero, now),
                self._rules,
                self._state,
                kernel.predictions(number),
            )
            self.contests += number
            self._waiting = []
        self._now += periods

    def probability(self, a: str, b: str) -> float:
        """Probability that `a` beats `b` in the current period, by deviations grown until now."""
        unknown = [name for name in (a, b) if str(name) not in self._codes]
        if unknown:
            raise ArgumentError(
                f"{quoted(unknown)} took part in no contest.{did_you_mean(unknown, self._codes)}"
            )
        one, other = self._codes[str(a)], self._codes[str(b)]
        deviation = self._grown()
        ahead = self._state.rating[one] - self._state.rating[other]
        spread = np.hypot(deviation[one], deviation[other])
        return float(chance(np.array(ahead), np.array(spread), self._rules.q))

    def table(self, *, level: float = 0.95) -> pl.DataFrame:
        """Individual, rating, rating_sd (grown until now), limits and rank, highest first."""
        between_0_and_1("level", level)
        order = np.argsort(-self._state.rating, kind="stable")
        rating, sd = self._state.rating[order], self._grown()[order]
        names, reach = list(self._codes), reach_of(level)
        own = {"volatility": self._state.volatility[order]} if self._second else {}
        return pl.DataFrame(
            {
                "individual": [names[i] for i in order],
                "rating": rating,
                "rating_sd": sd,
                **own,
                "rating_low": rating - reach * sd,
                "rating_high": rating + reach * sd,
                "rank": np.arange(1, len(order) + 1),
            }
        )

    def _grown(self) -> np.ndarray:
        """Deviations as they are in the current period."""
        lag = self._now - self._state.last
        growth = self._rules.c**2 * lag
        if self._second:  # the last step is part of the update
            growth = np.maximum(lag - 1, 0) * (self._state.volatility / self._rules.q) ** 2
        grown = np.minimum(np.sqrt(self._state.deviation**2 + growth), self._rules.highest)
        return np.where(self._state.last < 0, self._state.deviation, grown)

    def _add(self, names: Iterable[str]) -> None:
        new = [name for name in names if name not in self._codes]
        if new:
            self._codes |= {name: len(self._codes) + i for i, name in enumerate(new)}
            fresh = self._start, *self._first
            parts = zip(self._state[:3], fresh, strict=True)
            grown = [np.append(own, np.full(len(new), value)) for own, value in parts]
            self._state = kernel.State(*grown, np.append(self._state.last, [-1] * len(new)))

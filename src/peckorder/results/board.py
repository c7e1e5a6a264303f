"""`Board`: an order by a fitted model that answers for any pair, from the covariance of the fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from peckorder.errors import ArgumentError, DataError, caution
from peckorder.ranks import indistinct
from peckorder.results.measures import Order
from peckorder.results.rank_table import of_pairs
from peckorder.text import option
from peckorder.validate import between_0_and_1

SAMPLES = 2_000  # of abilities, for intervals of ranks
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(21)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


@dataclass(frozen=True, eq=False, repr=False)
class Board(Order):
    """A rank order by abilities, with probabilities for any pair.

    All answers come from the normal approximation of the estimates: difference d of two abilities
    with standard error s.
    """

    # log-odds in the order of `individuals`
    ability: np.ndarray = field(default_factory=lambda: np.zeros(0))
    nu: float | None = None  # of ties, by the rule `ties`
    # sets within which abilities are compared; lower sets rank above higher ones
    label: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    # (N, N), or what computes it when needed; only contrasts within sets have a meaning; empty if
    # N is too large
    spread: np.ndarray | Callable[[], np.ndarray] = field(
        default_factory=lambda: np.zeros((0, 0)), repr=False
    )

    def probability(self, a: str | None = None, b: str | None = None) -> Any:
        """Probability that `a` beats `b` if they do not tie; without names, of all pairs.

        The mean of the logistic function over the uncertainty of the difference in ability. It is
        missing between components, where that difference is unbounded.
        """
        return self._answer(self._beats, a, b)

    def outranks(self, a: str | None = None, b: str | None = None) -> Any:
        """Probability that the ability of `a` is above that of `b`; without names, of all pairs.

        It is missing between components.
        """
        return self._answer(self._above, a, b)

    def outcomes(self, a: str, b: str) -> dict[str, float]:
        """Probabilities of a win of `a`, of a tie and of a win of `b`."""
        i, j = self._codes(a, b)
        if self._apart(np.array([i]), np.array([j])).any():
            return dict.fromkeys(("a", "tie", "b"), np.nan)
        difference, error = self._differences(np.array([i]), np.array([j]))
        found = self._chances(difference[0, 0] + error[0, 0] * NODES)
        shares = {"a": found.win, "tie": found.draw, "b": found.loss}
        return {name: float(part @ WEIGHTS) for name, part in shares.items()}

    def indistinct(self, *, level: float = 0.95) -> list[list[str]]:
        """Sets of adjacent ranks in which nobody outranks another with probability `level`."""
        between_0_and_1("level", level)
        names, order = list(self), self._top_down
        chance = self._above(order, order)
        np.fill_diagonal(chance, np.nan)
        return indistinct(names, chance, level)

    def rank_intervals(self, *, level: float = 0.95) -> Any:
        """Ranks with intervals, and the best rank that no other model certainly takes.

        Table: individual, rank, rank_low and rank_high (quantiles of the ranks of samples from the
        normal approximation), and rank_bound, 1 + the number of individuals whose interval of
        ability lies above that of this one, as arenas print it. All are within components, and
        missing for an individual that is a component of its own.
        """
        between_0_and_1("level", level)
        order = self._top_down
        found = self.interval_columns(self.ability, self.errors, level)
        own = {name: found[name][order] for name in ("rank_low", "rank_high", "rank_bound")}
        names = {"individual": list(self), "rank": self.rank[order]}
        frame = pl.DataFrame(names | own).fill_nan(None)
        return self._native(frame.cast({"rank_bound": pl.Int64}))

    def interval_columns(
        self, ability: np.ndarray, error: np.ndarray, level: float = 0.95
    ) -> dict[str, np.ndarray]:
        """Intervals of abilities (in any unit) and of ranks, in the order of `individuals`."""
        tail = (1 - level) / 2
        low, high = np.quantile(self.sampled_ranks, (tail, 1 - tail), axis=0, method="inverted_cdf")
        width = _quantile(1 - tail) * error
        reach = _quantile(1 - tail) * self.errors
        above = (self.ability - reach)[None, :] > (self.ability + reach)[:, None]
        same = self.label[None, :] == self.label[:, None]
        above = np.where(same, above, self.label[None, :] < self.label[:, None])
        alone = (same.sum(axis=1) == 1) & (len(same) > 1)
        return {
            "ability_low": ability - width,
            "ability_high": ability + width,
            "rank_low": np.where(alone, np.nan, low),
            "rank_high": np.where(alone, np.nan, high),
            "rank_bound": np.where(alone, np.nan, 1 + above.sum(axis=1)),
        }

    @cached_property
    def covariance(self) -> np.ndarray:
        """Covariance of the abilities (log-odds), each relative to the mean of its set."""
        out = np.zeros((len(self.ability), len(self.ability)))
        for own in self._sets:
            out[np.ix_(own, own)] = _centered(self._covariance[np.ix_(own, own)])
        return out

    @cached_property
    def errors(self) -> np.ndarray:
        """Standard error of each ability relative to the mean of its set."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))

    @cached_property
    def _covariance(self) -> np.ndarray:
        spread = self.spread() if callable(self.spread) else self.spread
        if not spread.size:
            raise DataError(
                f"Probabilities of pairs need the covariance of all abilities, which is not "
                f"computed for {len(self.ability):,} individuals. Select fewer of them first."
            )
        return spread

    @property
    def _sets(self) -> list[np.ndarray]:
        return [np.flatnonzero(self.label == number) for number in np.unique(self.label)]

    @cached_property
    def _top_down(self) -> np.ndarray:
        return np.argsort(self.rank, kind="stable")

    @cached_property
    def sampled_ranks(self) -> np.ndarray:
        """Ranks in samples of the abilities, (samples, individuals)."""
        drawn, above = self.drawn(SAMPLES, 1), 0
        rank = np.empty(drawn.shape)
        for own in self._sets:
            order, places = np.argsort(-drawn[:, own], axis=1), np.arange(1.0, len(own) + 1)
            part = np.empty(order.shape)
            np.put_along_axis(part, order, above + places, 1)
            rank[:, own] = part
            above += len(own)
        return rank

    def drawn(self, number: int, seed: Any = None) -> np.ndarray:
        """Samples of the abilities (log-odds) by their normal approximation."""
        values, vectors = np.linalg.eigh(self.covariance)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        normal = np.random.default_rng(seed).standard_normal((number, len(values)))
        return self.ability + normal @ root.T

    def _codes(self, a: str, b: str) -> tuple[int, int]:
        from peckorder.data.names import code_of

        codes = {name: code for code, name in enumerate(self.individuals)}
        i, j = code_of(a, codes), code_of(b, codes)
        if i == j:
            raise ArgumentError(f'"{a}" and "{b}" are the same individual. Name two.')
        return i, j

    def _answer(self, chance: Any, a: str | None, b: str | None) -> Any:
        if a is not None and b is not None:
            one, other = (np.array([code]) for code in self._codes(a, b))
            return np.nan if self._apart(one, other).any() else float(chance(one, other)[0, 0])
        if a is not None or b is not None:
            raise ArgumentError("Name two individuals, or none for all pairs.")
        order, names = self._top_down, list(self)
        table = np.where(self._apart(order, order), np.nan, chance(order, order))
        np.fill_diagonal(table, np.nan)
        return self._native(of_pairs(names, table).fill_nan(None))

    def _apart(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Which rows and columns are in different components, and a warning if there are any."""
        apart = self.label[one][:, None] != self.label[other]
        if apart.any():
            caution(
                f"Differences in ability between components are unbounded, so probabilities "
                f"between them are not stated. For finite differences, use "
                f"{option('penalized', 'True')}."
            )
        return apart

    def _differences(self, one: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Differences in ability of rows and columns, infinite between sets, and their errors."""
        difference = self.ability[one][:, None] - self.ability[other]
        apart = np.sign(self.label[other] - self.label[one][:, None])
        difference[apart != 0] = np.inf * apart[apart != 0]
        own, covariance = np.diag(self._covariance), self._covariance
        variance = own[one][:, None] + own[other] - 2 * covariance[np.ix_(one, other)]
        return difference, np.where(apart != 0, 0.0, np.sqrt(np.maximum(variance, 0.0)))

    def _beats(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        difference, error = self._differences(one, other)
        total = np.zeros(difference.shape)
        for node, weight in zip(NODES, WEIGHTS, strict=True):
            found = self._chances(difference + error * node)
            total += weight * found.win / (found.win + found.loss)
        return total

    def _chances(self, difference: np.ndarray) -> Any:
        from peckorder.results.chances import Chances

        decided = Chances.decided(1 / (1 + np.exp(-np.clip(difference, -700, 700))), difference)
        return decided.with_draws(self.nu or 0.0, self.settings.get("ties"))

    def _above(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        from scipy.special import ndtr

        difference, error = self._differences(one, other)
        with np.errstate(divide="ignore", invalid="ignore"):
            return ndtr(np.where(error > 0, difference / error, np.sign(difference) * np.inf))


def _centered(covariance: np.ndarray) -> np.ndarray:
    """The covariance of deviations from the mean."""
    own = covariance.mean(axis=0)
    return covariance - own - own[:, None] + own.mean()


def _quantile(probability: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(probability))

"""Differences between several raters, corrected for the choice of the best among them.

The best of many equally good raters looks better than the others by chance. All pairs of raters
are therefore compared at once: the studentized bootstrap of the largest absolute t over all pairs
gives one critical value, and so intervals that hold simultaneously and p-values that allow for
the choice (Romano & Wolf 2005, Econometrica 73:1237–1282, in its single step). Contests close in
time may have dependent differences, so consecutive blocks of contests are resampled instead of
contests (Künsch 1989).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from peckorder.evaluation.scoring import bootstrap
from peckorder.runs import Runs, p_value


@dataclass(frozen=True, eq=False)
class Differences:
    """Summed differences of all pairs of raters, their standard errors, and the largest t's."""

    total: np.ndarray  # (raters, raters): score of the column minus that of the row
    error: np.ndarray  # standard errors, from sums over blocks
    largest: np.ndarray  # of each bootstrap sample: the largest absolute t over all pairs
    block: int

    def p(self, i: int, j: int) -> float:
        """p-value of the difference between two raters, corrected for all pairs."""
        if self.error[i, j] == 0:
            return 1.0
        return p_value(self.largest >= abs(self.total[i, j]) / self.error[i, j])

    def limits(self, i: int, j: int, level: float) -> tuple[float, float]:
        """Limits of a difference; those of all pairs hold simultaneously."""
        if self.error[i, j] == 0:
            return float(self.total[i, j]), float(self.total[i, j])
        place = int(np.ceil(level * (len(self.largest) + 1))) - 1  # as the p-value counts
        highest = np.append(np.sort(self.largest), np.inf)[place]
        reach = float(highest * self.error[i, j])
        return float(self.total[i, j]) - reach, float(self.total[i, j]) + reach


def all_differences(points: np.ndarray, runs: Runs) -> Differences:
    """Compare all columns of scores, (contests, raters)."""
    number, size = points.shape
    block = block_length(number)
    sums = in_blocks(points - points.mean(axis=1, keepdims=True), block)
    pairs = list(combinations(range(size), 2))
    each = np.column_stack([sums[:, j] - sums[:, i] for i, j in pairs])
    total, error = np.zeros((size, size)), np.zeros((size, size))
    middle = each.mean(axis=0)
    spread = _error(each.sum(axis=0), (each**2).sum(axis=0), len(each))
    for (i, j), one, se in zip(pairs, each.sum(axis=0), spread, strict=True):
        total[i, j], total[j, i] = one, -one
        error[i, j] = error[j, i] = se
    centered = each - middle
    drawn = bootstrap(np.hstack([centered, centered**2]), runs)
    if drawn is None or not spread.any():
        largest = np.full(1 if drawn is None else len(drawn), np.inf if drawn is None else 0.0)
        return Differences(total, error, largest, block)
    again = drawn[:, : len(pairs)]
    errors = _error(again, drawn[:, len(pairs) :], len(each))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(again) / errors
    t = np.where(np.isnan(t) | (spread == 0), 0.0, t)
    return Differences(total, error, t.max(axis=1), block)


def block_length(contests: int) -> int:
    """Contests per block: the cube root of their number."""
    return max(1, round(contests ** (1 / 3)))


def in_blocks(values: np.ndarray, block: int) -> np.ndarray:
    """Sums over consecutive contests; the blocks differ in length by at most one."""
    number = max(2, len(values) // block) if len(values) > 1 else 1
    starts = np.linspace(0, len(values), number, endpoint=False).astype(np.int64)
    return np.add.reduceat(values, starts, axis=0)


def _error(total: np.ndarray, squares: np.ndarray, number: int) -> np.ndarray:
    """Standard error of a sum over independent blocks; 0 below rounding errors."""
    if number < 2:
        return np.zeros(np.shape(total))
    variance = np.maximum(squares - total**2 / number, 0.0) * number / (number - 1)
    return np.where(variance > 1e-18 * np.maximum(squares, 1e-300), np.sqrt(variance), 0.0)

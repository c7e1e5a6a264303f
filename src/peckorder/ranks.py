"""Ranks, rank correlations and scaled ratings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from peckorder.errors import ArgumentError
from peckorder.wording import given


def average_ranks(values: np.ndarray) -> np.ndarray:
    """Ranks from the highest value down; ties receive their mean rank.

    >>> average_ranks(np.array([3.0, 9.0, 3.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    if len(values) and (values[1:] <= values[:-1]).all():  # sorted already
        last = np.append(np.flatnonzero(values[1:] != values[:-1]), len(values) - 1) + 1
        counts = np.diff(last, prepend=0)
        return np.repeat(last - (counts - 1) / 2, counts)
    _, inverse, counts = np.unique(-values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[inverse]


def spearman(x: np.ndarray, y: np.ndarray) -> float:
    """Spearman's rank correlation with mean ranks for ties; NaN if either variable is constant.

    >>> spearman(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0]))
    0.5
    """
    a, b = average_ranks(x), average_ranks(y)
    a, b = a - a.mean(), b - b.mean()
    norm = np.sqrt((a @ a) * (b @ b))
    return float(a @ b / norm) if norm > 0 else float("nan")


def kendall(x: np.ndarray, y: np.ndarray) -> float:
    """Kendall's τ_b, which allows for ties; NaN if either variable is constant.

    >>> round(kendall(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0])), 3)
    0.333
    """
    first, second = np.triu_indices(len(x), 1)
    a, b = np.sign(x[first] - x[second]), np.sign(y[first] - y[second])
    norm = np.sqrt((a @ a) * (b @ b))
    return float(a @ b / norm) if norm > 0 else float("nan")


def outranking(scores: np.ndarray) -> np.ndarray:
    """Probability that row outranks column, from draws of scores (draws, individuals)."""
    size = scores.shape[1]
    chance = np.empty((size, size))
    for i in range(size):
        chance[i] = (scores[:, [i]] > scores).mean(axis=0)
    np.fill_diagonal(chance, np.nan)
    return chance


def indistinct(names: Sequence[str], chance: np.ndarray, level: float) -> list[list[str]]:
    """Sets of adjacent ranks in which no individual outranks another with probability ≥ `level`.

    `names` are in rank order and `chance` is the matrix of `outranking`. Sets are maximal and may
    overlap.
    """
    certain = np.nan_to_num(np.maximum(chance, chance.T), nan=0.0) >= level
    sets, begin, size = [], 0, len(names)
    last = -1
    for end in range(size):
        while certain[begin:end, end].any():
            begin += 1
        following = end + 1
        full = following == size or certain[begin:following, following].any()
        if full and end > begin and end > last:
            sets.append(list(names[begin:following]))
            last = end
    return sets


def natural_breaks(values: np.ndarray, classes: int) -> np.ndarray:
    """Class of each value, 1 for the highest, by least squares within classes (Jenks).

    >>> natural_breaks(np.array([9.0, 1.0, 8.5, 5.0]), 3).tolist()
    [1, 3, 1, 2]
    """
    if isinstance(classes, bool) or not isinstance(classes, int | np.integer) or classes < 1:
        raise ArgumentError(f"{given('classes', classes)}: give a whole number of at least 1.")
    order = np.argsort(-values, kind="stable")
    x = values[order]
    size, classes = len(x), min(classes, len(np.unique(x)))
    total, squares = (np.concatenate([[0.0], np.cumsum(part)]) for part in (x, x * x))

    def within(begin: int, end: np.ndarray) -> np.ndarray:
        return squares[end] - squares[begin] - (total[end] - total[begin]) ** 2 / (end - begin)

    cost = np.full((classes + 1, size + 1), np.inf)
    cut = np.zeros((classes + 1, size + 1), np.int64)
    cost[0, 0] = 0.0
    for c in range(1, classes + 1):
        for begin in range(size):
            end = np.arange(begin + 1, size + 1)
            new = cost[c - 1, begin] + within(begin, end)
            better = new < cost[c, begin + 1 :]
            cost[c, begin + 1 :][better] = new[better]
            cut[c, begin + 1 :][better] = begin
    label = np.zeros(size, np.int64)
    end = size
    for c in range(classes, 0, -1):
        begin = cut[c, end]
        label[order[begin:end]] = c
        end = begin
    return label


def scales(rating: np.ndarray) -> dict[str, pl.Series]:
    """Ratings scaled to 0–1 and proportional ranks; null where they are undefined."""
    low, high, size = rating.min(initial=np.inf), rating.max(initial=-np.inf), len(rating)
    scaled = (rating - low) / (high - low) if high > low else np.full(size, np.nan)
    share = (size - average_ranks(rating)) / (size - 1) if size > 1 else np.full(size, np.nan)
    return {
        "scaled": pl.Series(scaled).fill_nan(None),
        "proportional_rank": pl.Series(share).fill_nan(None),
    }

"""From ratings to ranks and scales among those who are there."""

from __future__ import annotations

import numpy as np
import polars as pl


def average_ranks(values: np.ndarray) -> np.ndarray:
    """Ranks from the highest value down; ties share their mean rank.

    >>> average_ranks(np.array([3.0, 9.0, 3.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, inverse, counts = np.unique(-values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[inverse]


def scales(rating: np.ndarray) -> dict[str, pl.Series]:
    """Scaled rating and proportional rank among those given; empty where they have no meaning."""
    low, high, size = rating.min(initial=np.inf), rating.max(initial=-np.inf), len(rating)
    scaled = (rating - low) / (high - low) if high > low else np.full(size, np.nan)
    share = (size - average_ranks(rating)) / (size - 1) if size > 1 else np.full(size, np.nan)
    return {
        "scaled": pl.Series(scaled).fill_nan(None),
        "proportional_rank": pl.Series(share).fill_nan(None),
    }

"""Probabilities from betting odds: the margin of the bookmaker is removed.

Inverse decimal odds of all outcomes add up to more than 1: the excess is the margin. Divided by
their sum (proportional), they are probabilities if the margin is spread evenly. Shin (1993,
Economic Journal 103:1141–1153) derives the margin from a share z of bettors who know the outcome:
it then weighs more on long shots, whose probabilities become smaller than by division.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from peckorder.checked import one_of
from peckorder.errors import ArgumentError, DataError

MARGINS = ("proportional", "shin")
HALVINGS = 60


def chances_from_odds(odds: Any, *, method: str = "proportional") -> np.ndarray:
    """Probabilities of the outcomes of contests from decimal odds, without the margin.

    Parameters
    ----------
    odds : numbers above 1, a row per contest and a column per outcome
        Decimal odds: what is paid for a stake of 1. One contest may be given as a list.
    method : {"proportional", "shin"}
        Divide inverse odds by their sum, or assume a share of informed bettors (Shin 1993). Rows
        without a margin are divided in both cases.

    Returns
    -------
    array
        Probabilities in the shape of `odds`; those of a contest add up to 1.

    Examples
    --------
    >>> import peckorder as po
    >>> po.sport.chances_from_odds([1.5, 4.0, 8.0]).round(4)
    array([0.64, 0.24, 0.12])
    >>> po.sport.chances_from_odds([1.5, 4.0, 8.0], method="shin").round(4)
    array([0.6495, 0.237 , 0.1135])
    """
    one_of("method", method, MARGINS)
    try:
        given = np.asarray(odds, dtype=float)
    except (TypeError, ValueError):
        raise ArgumentError("Odds must be numbers: a row per contest, a column per outcome.") from (
            None
        )
    if given.ndim not in (1, 2) or given.shape[-1] < 2:
        raise ArgumentError(
            "Odds need at least two outcomes: a row per contest, a column for each."
        )
    if given.size and not (np.isfinite(given).all() and (given > 1).all()):
        bad = given[~(np.isfinite(given) & (given > 1))][0]
        raise DataError(
            f"Decimal odds are numbers above 1, not {bad:g}. Convert fractional odds (5/2 is 3.5) "
            f"and American odds (+250 is 3.5) first."
        )
    inverse = 1 / np.atleast_2d(given)
    shares = inverse / inverse.sum(axis=1, keepdims=True)
    if method == "shin":
        shares = shin(inverse)
    return shares.reshape(given.shape)


def shin(inverse: np.ndarray) -> np.ndarray:
    """Shin's probabilities; the share z of informed bettors is found by bisection."""
    total = inverse.sum(axis=1, keepdims=True)
    low, high = np.zeros_like(total), np.ones_like(total)

    def chances(z: np.ndarray) -> np.ndarray:
        root = np.sqrt(z**2 + 4 * (1 - z) * inverse**2 / total)
        return (root - z) / (2 * (1 - z))

    for _ in range(HALVINGS):
        middle = (low + high) / 2
        above = chances(middle).sum(axis=1, keepdims=True) > 1
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    found = chances(np.where(total > 1, low, 0.0))
    return found / found.sum(axis=1, keepdims=True)

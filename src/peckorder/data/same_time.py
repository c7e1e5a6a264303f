"""Contests that share a time stamp: their order is not in the data, but Elo ratings depend on it.

Contests are sorted by date and time. Those with equal stamps keep the order of the file, which is
often arbitrary (sorted by name, or by the page of a notebook). Where an individual has several
contests within one stamp, other orders are equally compatible with the data.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from peckorder.kernels.contests import rate_orders
from peckorder.ranks import average_ranks
from peckorder.text import counted

MOST_EXACT = 100_000  # contests; above, all that share a stamp count
K, SCALE, START = 100.0, 400.0, 1000.0  # default settings of `elo`


def stamp_numbers(times: np.ndarray) -> np.ndarray:
    """Number of the time stamp of each contest, from 0; contests are in chronological order."""
    return np.concatenate([[0], np.cumsum(times[1:] != times[:-1])])


def order_unknown(data: Any) -> np.ndarray:
    """Which contests share a stamp in which some individual has several contests.

    Other contests of a stamp concern different individuals, so their order has no effect.
    """
    if data.date is None or len(data) < 2 or not (data.date[1:] == data.date[:-1]).any():
        return np.zeros(len(data), bool)
    stamp = stamp_numbers(data.date)
    size, number = len(data.individuals), np.bincount(stamp)
    if len(data) > MOST_EXACT:
        return number[stamp] > 1
    several = 2 * number > size  # more sides than individuals
    unclear = ((number > 1) & ~several)[stamp]
    sides = np.concatenate([data.winner[unclear], data.loser[unclear]])
    own = np.sort(np.concatenate([stamp[unclear]] * 2) * size + sides)
    several[own[1:][own[1:] == own[:-1]] // size] = True
    return several[stamp]


def shared_words(unknown: int, size: int) -> str:
    """How many contests are affected, as the beginning of a sentence."""
    return (
        f"{unknown:,} of {counted(size, 'contest')} share a time stamp with another contest of the "
        f"same individuals"
    )


def random_order(stamp: np.ndarray, number: int, seed: int = 0) -> np.ndarray:
    """Contests in a random order within each stamp: the position of each in the sequence.

    The order depends on its number and the seed alone.
    """
    random = np.random.default_rng(np.random.SeedSequence([seed, number]))
    # One sort instead of two; halves stay between two stamps.
    return np.argsort(stamp + random.random(len(stamp)) / 2, kind="stable")


def order_effect(data: Any, orders: int) -> tuple[float, float]:
    """How far Elo ratings and ranks differ among the order of the file and random orders.

    Ratings use the default settings of `elo`. The largest difference, over individuals, between
    any two of the orders: in points, and in ranks.
    """
    stamp, size = stamp_numbers(data.date), len(data.individuals)
    places = np.array([np.arange(len(data))] + [random_order(stamp, i) for i in range(orders)])
    drawn = np.zeros(len(data), bool) if data.draw is None else data.draw
    rating = np.full((orders + 1, size), START)
    rate_orders(data.winner, data.loser, drawn, places, K, SCALE, rating)
    rank = np.array([average_ranks(row) for row in rating.round(6)])
    return float(np.ptp(rating, axis=0).max()), float(np.ptp(rank, axis=0).max())

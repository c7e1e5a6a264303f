"""The dominance value of Kondo & Hurnik (1990), an index of success in displacements.

Used for cattle at feeders and drinkers: S_ij is 1 where i displaces j more often than the
reverse, −1 where it is the other way round and 0 otherwise, and the value of i is the sum
S_i = Σ_j S_ij. How often a pair was seen does not matter, only who displaced whom more often.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from peckorder.data.tally import tally
from peckorder.ranks import average_ranks
from peckorder.results import Order
from peckorder.runs import whole_number
from peckorder.wording import counted


def dominance_value(data: Any, *, classes: int = 3, draws: str = "omit") -> Order:
    """Number of others dominated less the number of those that dominate, with social classes.

    Parameters
    ----------
    data : Interactions or Matrix
        Displacements: the winner takes the place of the loser.
    classes : int
        Equal parts of the range of values: 3 for dominant, intermediate and subordinate (default),
        2 for high and low rank.
    draws : {"omit", "half", "both"}

    Returns
    -------
    Order
        Table: individual, displacements, displaced, dominated, subordinate_to, value (the
        difference of the two), class (1 is the highest) and rank (ties averaged).

    Notes
    -----
    With a range from the highest value X to the lowest Y, a class spans (X − Y + 1)/classes points
    (Coimbra, Machado Filho & Hötzel 2012). Values depend on who was seen together: a pair without
    displacements adds 0 to both.

    References
    ----------
    Kondo & Hurnik 1990, Applied Animal Behaviour Science 27:287–297,
    doi:10.1016/0168-1591(90)90125-W.

    Examples
    --------
    >>> import peckorder as po
    >>> from peckorder.ranking.dominance_value import dominance_value
    >>> found = dominance_value(po.datasets.bonobos())
    >>> dict(zip(found, found.table["value"]))
    {'He': 5, 'Dz': 4, 'Ho': 2, 'De': -1, 'Ko': -2, 'Re': -2, 'Ki': -6}
    """
    classes = whole_number("classes", classes, 1)
    counts = tally(data, draws=draws)
    above, below = counts.dominates.sum(axis=1), counts.dominates.sum(axis=0)
    value = above - below
    rank = average_ranks(value.astype(float))
    top_down = np.argsort(rank, kind="stable")
    columns = {
        "displacements": counts.whole(counts.score.sum(axis=1)),
        "displaced": counts.whole(counts.score.sum(axis=0)),
        "dominated": above,
        "subordinate_to": below,
        "value": value,
        "class": class_of(value, classes),
        "rank": rank,
    }
    unknown = counts.unknown
    return Order(
        method="dominance_value",
        data=counts,
        rank=rank,
        frame=pl.DataFrame({"individual": counts.individuals, **columns})[top_down],
        words=(
            f"Values from {value.max():+d} to {value.min():+d}, in "
            f"{counted(classes, 'class', 'classes')} of equal range.",
            *([f"Dyads without a displacement, each counted 0: {unknown:,}."] * (unknown > 0)),
            *counts.notes,
        ),
        settings={"classes": classes, "draws": draws},
        citations=("kondo1990",),
    )


def class_of(value: np.ndarray, classes: int) -> np.ndarray:
    """Class of whole values when their range, both ends counted, is cut into equal parts.

    >>> class_of(np.array([5, 2, 1, -3]), 3).tolist()
    [1, 2, 2, 3]
    """
    points = value.max() - value.min() + 1
    return (value.max() - value) * classes // points + 1

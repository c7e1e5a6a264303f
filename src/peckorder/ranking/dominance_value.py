"""The dominance value of Kondo & Hurnik (1990), an index of success in displacements.

The index is used for cattle at feeders and drinkers. S_ij is 1 if i displaces j more often than j
displaces i, −1 if it is the other way round, and 0 otherwise; the value of i is S_i = Σ_j S_ij.
Only the direction of each dyad counts, not the number of displacements.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from peckorder.checked import whole_number
from peckorder.data.tally import tally
from peckorder.ranks import average_ranks
from peckorder.results import Order
from peckorder.wording import counted


def dominance_value(data: Any, *, classes: int = 3, ties: str = "omit") -> Order:
    """Number of individuals dominated minus number that dominate, with social classes.

    Parameters
    ----------
    data : Interactions or Matrix
        Displacements: the winner takes the place of the loser.
    classes : int
        Number of classes, equal parts of the range of values: 3 for dominant, intermediate and
        subordinate (default), 2 for high and low rank.
    ties : {"omit", "half", "both"}

    Returns
    -------
    Order
        Table: individual, displacements, displaced, dominated, subordinate_to, value (the
        difference of the last two), class (1 is the highest) and rank (ties averaged). Value:
        `unknown`, the number of dyads without displacements.

    Notes
    -----
    With the highest value X and the lowest Y, each class spans (X − Y + 1)/classes points (Coimbra,
    Machado Filho & Hötzel 2012). A dyad without displacements adds 0 to both individuals, so values
    depend on how many dyads were observed.

    References
    ----------
    Kondo & Hurnik 1990, Applied Animal Behaviour Science 27:287–297,
    doi:10.1016/0168-1591(90)90125-W.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.orders.dominance_value(po.datasets.bonobos())
    >>> dict(zip(found, found.table["value"]))
    {'He': 5, 'Dz': 4, 'Ho': 2, 'De': -1, 'Ko': -2, 'Re': -2, 'Ki': -6}
    """
    classes = whole_number("classes", classes, 1)
    counts = tally(data, ties=ties)
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
    no_data = f"Dyads without displacements, which count as 0: {unknown:,}."
    return Order(
        method="dominance_value",
        data=counts,
        rank=rank,
        values={"unknown": unknown},
        frame=pl.DataFrame({"individual": counts.individuals, **columns})[top_down],
        summary=(
            f"Dominance values from {value.max():+d} to {value.min():+d}, in "
            f"{counted(classes, 'class', 'classes')} of equal range."
            if value.any()
            else "All dominance values are 0: no individual ranks above another.",
            *([no_data] if unknown else []),
            *counts.notes,
        ),
        settings={"classes": classes, "ties": ties},
        citations=("kondo1990",),
    )


def class_of(value: np.ndarray, classes: int) -> np.ndarray:
    """Class of each value: their range, both ends included, is divided into equal parts.

    >>> class_of(np.array([5, 2, 1, -3]), 3).tolist()
    [1, 2, 2, 3]
    """
    points = value.max() - value.min() + 1
    return (value.max() - value) * classes // points + 1

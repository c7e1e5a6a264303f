"""ADAGIO: a hierarchy as a directed acyclic graph (Douglas, Ngonga Ngomo & Hohmann 2017).

Most methods force a group into one line. ADAGIO keeps a relation of dominance open where the
contests leave it open: the wins are the edges of a directed graph, cycles are broken by removing
their weakest edges, and what remains orders some pairs and leaves others incomparable. While some
strongly connected component holds more than one individual, all edges of the least weight inside
it are removed; components are then computed anew. Levels are lengths of longest paths in the
graph that remains.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from peckorder.components import in_turn, strong
from peckorder.data.tally import Tally, tally
from peckorder.ranks import average_ranks
from peckorder.results import Order
from peckorder.wording import counted

DIRECTIONS = ("bottom_up", "top_down")


def adagio(
    data: Any, *, preprocess: bool = True, direction: str = "bottom_up", draws: str = "omit"
) -> Order:
    """Levels of a hierarchy that need not be linear, by ADAGIO.

    Parameters
    ----------
    data : Interactions or Matrix
    preprocess : bool
        Weigh an edge by the wins less the losses of its dominant side and drop the opposite edge
        (default), or keep both edges with the number of wins on each.
    direction : {"bottom_up", "top_down"}
        Who dominates nobody has the lowest level and everybody else stands one level above the
        highest of those it dominates (default); or who is dominated by nobody has the highest
        level and everybody else stands one level below the lowest of its dominants.
    draws : {"omit", "half", "both"}

    Returns
    -------
    Order
        Table: individual, level (1 is the highest), dominates and dominated_by (number of others
        below and above along paths of the graph) and rank (of the level, ties averaged).
        Values: `levels`; `comparable`, the number of dyads that the graph orders, of `dyads`; and
        `removed`, the edges taken away to break cycles. Table `edges`: the edges that remain.

    Notes
    -----
    A bottom-up level is max d − d + 1 with d the length of the longest path down from an
    individual; a top-down level is 1 + the length of the longest path down to it.

    References
    ----------
    Douglas, Ngonga Ngomo & Hohmann 2017, Animal Behaviour 123:21–32,
    doi:10.1016/j.anbehav.2016.10.014.

    Examples
    --------
    >>> import peckorder as po
    >>> from peckorder.ranking.adagio import adagio
    >>> order = adagio(po.datasets.bonobos())
    >>> dict(zip(order, order.table["level"]))
    {'He': 1, 'Dz': 1, 'Ho': 2, 'De': 3, 'Re': 4, 'Ko': 5, 'Ki': 6}
    """
    if direction not in DIRECTIONS:
        raise ValueError(
            f'direction="{direction}" is not known. Choose one of: {", ".join(DIRECTIONS)}.'
        )
    if not isinstance(preprocess, bool | np.bool_):
        raise ValueError(f"preprocess={preprocess!r}: give True or False.")
    counts = tally(data, draws=draws)
    start = np.maximum(counts.score - counts.score.T, 0.0) if preprocess else counts.score
    weight, removed = acyclic(start)
    edge = weight > 0
    level = levels(edge, direction)
    below = reachable(edge)
    rank = average_ranks(-level.astype(float))
    top_down = np.argsort(rank, kind="stable")
    dyads = len(counts.dyads[0])
    values = {
        "levels": int(level.max()),
        "comparable": int(below.sum()),
        "dyads": dyads,
        "removed": _listed(removed, start, counts),
    }
    return Order(
        method="adagio",
        data=counts,
        rank=rank,
        values=values,
        frame=pl.DataFrame(
            {
                "individual": [counts.individuals[i] for i in top_down],
                "level": level[top_down],
                "dominates": below.sum(axis=1)[top_down],
                "dominated_by": below.sum(axis=0)[top_down],
                "rank": rank[top_down],
            }
        ),
        tables={"edges": _edges(weight, counts)},
        words=(
            f"{counted(values['levels'], 'level')}; the graph orders {values['comparable']:,} of "
            f"{counted(dyads, 'dyad')}. {_broken(len(removed))}",
            *counts.notes,
        ),
        settings={"preprocess": bool(preprocess), "direction": direction, "draws": draws},
        citations=("douglas2017",),
    )


def acyclic(weight: np.ndarray) -> tuple[np.ndarray, list[tuple[int, int]]]:
    """The graph without cycles, and the edges removed, in the order of their removal."""
    weight = weight.copy()
    removed: list[tuple[int, int]] = []
    while True:
        cyclic = [members for members in strong(weight > 0) if len(members) > 1]
        if not cyclic:
            return weight, removed
        for members in cyclic:
            inside = weight[np.ix_(members, members)]
            tails, heads = np.nonzero(inside == inside[inside > 0].min())
            weight[members[tails], members[heads]] = 0.0
            removed += zip(members[tails].tolist(), members[heads].tolist(), strict=True)


def levels(edge: np.ndarray, direction: str) -> np.ndarray:
    """Level of everybody in a graph without cycles, 1 for the highest."""
    if direction == "top_down":
        return 1 + _longest(edge)
    down = _longest(edge.T)
    return down.max() - down + 1


def _longest(edge: np.ndarray) -> np.ndarray:
    """Length of the longest path that ends in each node."""
    length = np.zeros(len(edge), np.int64)
    for node in in_turn(edge, range(len(edge))):
        length[edge[node]] = np.maximum(length[edge[node]], length[node] + 1)
    return length


def reachable(edge: np.ndarray) -> np.ndarray:
    """Whether a path of one edge or more leads from the row to the column."""
    reach = edge.copy()
    for node in in_turn(edge, range(len(edge)))[::-1]:
        # Those below are finished first, so their reach can be taken over.
        reach[node] |= reach[edge[node]].any(axis=0)
    return reach


def _listed(removed: list[tuple[int, int]], weight: np.ndarray, counts: Tally) -> list[dict]:
    names = counts.individuals
    return [
        {"winner": names[i], "loser": names[j], "weight": float(weight[i, j])} for i, j in removed
    ]


def _edges(weight: np.ndarray, counts: Tally) -> pl.DataFrame:
    winner, loser = np.nonzero(weight)
    names = pl.Series(counts.individuals, dtype=pl.String)
    return pl.DataFrame(
        {
            "winner": names.gather(pl.Series(winner)),
            "loser": names.gather(pl.Series(loser)),
            "weight": counts.whole(weight[winner, loser]),
        }
    )


def _broken(number: int) -> str:
    if number == 0:
        return "The relation has no cycle."
    return f"{counted(number, 'edge was', 'edges were')} removed to break cycles."

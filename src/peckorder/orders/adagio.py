"""ADAGIO: a hierarchy as a directed acyclic graph (Douglas, Ngonga Ngomo & Hohmann 2017).

Most methods arrange a group in one line. ADAGIO leaves a dominance relation open where the contests
leave it open. Wins are the edges of a directed graph, and cycles are broken by removing their
weakest edges: while a strongly connected component has more than one member, all edges of the
smallest weight within it are removed, and the components are computed again. The remaining graph
orders some dyads and leaves others incomparable. Levels are lengths of longest paths in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import polars as pl

from peckorder.data.read import Data, opened
from peckorder.data.win_counts import WinCounts, win_counts
from peckorder.ranks import average_ranks, in_turn, strong
from peckorder.results.measures import FurtherTable, Order
from peckorder.text import counted
from peckorder.validate import CountedTies, one_of, true_or_false

DIRECTIONS = ("bottom_up", "top_down")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Adagio(Order):
    """A hierarchy in levels."""

    levels: int
    comparable: int  # dyads that the graph orders
    dyads: int
    removed: list[dict[str, Any]]  # edges removed to break cycles
    edges = FurtherTable("The remaining edges: winner, loser and weight.")


def adagio(
    data: Data,
    *,
    preprocess: bool = True,
    direction: Literal["bottom_up", "top_down"] = "bottom_up",
    ties: CountedTies = "omit",
) -> Adagio:
    """Levels of a hierarchy that need not be linear, by ADAGIO.

    Parameters
    ----------
    data : Contests or Matrix
    preprocess : bool
        Weight each edge by wins minus losses of the dominant individual and drop the opposite edge
        (default), or keep both edges of a dyad, each weighted by its number of wins.
    direction : {"bottom_up", "top_down"}
        Levels are counted from the bottom (default): individuals that dominate nobody have the
        lowest level, all others the level above the highest of those that they dominate. Or from
        the top: individuals that nobody dominates have the highest level, all others the level
        below the lowest of those that dominate them.
    ties : {"omit", "half", "both"}

    Returns
    -------
    Adagio
        Table: individual, level (1 is the highest), dominates and dominated_by (number of
        individuals below and above along paths of the graph) and rank (of the level, ties
        averaged). Values: `levels`; `comparable`, the number of dyads that the graph orders, of
        `dyads`; and `removed`, the edges removed to break cycles. Table `edges`: the remaining
        edges.

    Notes
    -----
    If d is the length of the longest path down from an individual, its level from the bottom is
    max d − d + 1. Its level from the top is 1 plus the length of the longest path down to it.

    References
    ----------
    Douglas, Ngonga Ngomo & Hohmann 2017, Animal Behaviour 123:21–32,
    doi:10.1016/j.anbehav.2016.10.014.

    Examples
    --------
    >>> import peckorder as po
    >>> order = po.orders.adagio(po.datasets.bonobos())
    >>> dict(zip(order, order.table["level"]))
    {'He': 1, 'Dz': 1, 'Ho': 2, 'De': 3, 'Re': 4, 'Ko': 5, 'Ki': 6}
    """
    data = opened(data)
    one_of("direction", direction, DIRECTIONS)
    preprocess = true_or_false("preprocess", preprocess)
    counts = win_counts(data, ties=ties)
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
    return Adagio(
        method="adagio",
        data=counts,
        rank=rank,
        **values,
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
        summary=(
            f"{counted(values['levels'], 'level')}. The graph orders {values['comparable']:,} of "
            f"{counted(dyads, 'dyad')}. {_broken(len(removed))}",
            *counts.notes,
        ),
        settings={"preprocess": preprocess, "direction": direction, "ties": ties},
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
    """Level of each node of a graph without cycles, 1 for the highest."""
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
        # Nodes below come first, so that what they reach is already complete.
        reach[node] |= reach[edge[node]].any(axis=0)
    return reach


def _listed(removed: list[tuple[int, int]], weight: np.ndarray, counts: WinCounts) -> list[dict]:
    names = counts.individuals
    return [
        {"winner": names[i], "loser": names[j], "weight": float(weight[i, j])} for i, j in removed
    ]


def _edges(weight: np.ndarray, counts: WinCounts) -> pl.DataFrame:
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
        return "There are no dominance cycles."
    return f"{counted(number, 'edge was', 'edges were')} removed to break cycles."

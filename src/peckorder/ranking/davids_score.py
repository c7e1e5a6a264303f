"""David's scores (David 1987; de Vries, Stevens & Vervaecke 2006).

Wins against more successful opponents count more. With P_ij the estimated probability that i beats
j (0 for dyads without contests), w_i = Σ_j P_ij, w2_i = Σ_j P_ij w_j, l_i = Σ_j P_ji,
l2_i = Σ_j P_ji l_j and

    DS_i = w_i + w2_i − l_i − l2_i,    NormDS_i = (DS_i + N(N − 1)/2)/N.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from peckorder.data.tally import NAMES, chances, scores, tally
from peckorder.ranks import average_ranks
from peckorder.results import Order


def davids_score(data: Any, *, index: str = "dij", ties: str = "omit") -> Order:
    """David's scores and the resulting rank order.

    Parameters
    ----------
    data : Interactions or Matrix
    index : {"dij", "pij", "binomial"}
        Dyadic dominance index of a dyad with s wins in n contests: D_ij = (s + ½)/(n + 1),
        corrected for chance; P_ij = s/n; or the older d_ij = P − (P − ½)·Binom(s; n, ½).
    ties : {"omit", "half", "both"}
        Exclude ties, count them as half a win of each side, or as a win of both sides.

    Returns
    -------
    Order
        Table with w, w2, l, l2, ds, normds and rank (1 is the highest; tied ranks are averaged).

    Warns
    -----
    DataWarning
        If there are sets of individuals with no contests between them.

    References
    ----------
    de Vries, Stevens & Vervaecke 2006, Animal Behaviour 71:585–592,
    doi:10.1016/j.anbehav.2005.05.015.

    Examples
    --------
    >>> import peckorder as po
    >>> scores = po.davids_score(po.datasets.bonobos())
    >>> scores.table["normds"].round(2).to_list()
    [4.57, 4.38, 4.06, 3.12, 1.96, 1.74, 1.17]
    """
    counts = tally(data, ties=ties)
    parts = scores(chances(counts, index))
    rank = average_ranks(np.round(parts["normds"], 12))
    top_down = np.argsort(rank, kind="stable")
    columns = {name: column[top_down] for name, column in parts.items()}
    names = [counts.individuals[i] for i in top_down]
    return Order(
        method="davids_score",
        data=counts,
        rank=rank,
        frame=pl.DataFrame({"individual": names, **columns, "rank": rank[top_down]}),
        summary=(f"Ranked by normalized David's scores based on {NAMES[index]}.", *counts.notes),
        settings={"index": index, "ties": ties},
        citations=("devries2006", "david1987"),
    )

"""David's scores (David 1987; de Vries, Stevens & Vervaecke 2006).

Wins against more successful opponents count more. With P_ij the estimated probability that i beats
j (0 for dyads without contests), w_i = Σ_j P_ij, w2_i = Σ_j P_ij w_j, l_i = Σ_j P_ji,
l2_i = Σ_j P_ji l_j and

    DS_i = w_i + w2_i − l_i − l2_i,    NormDS_i = (DS_i + N(N − 1)/2)/N.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl

from peckorder.checked import one_of
from peckorder.data.tally import Tally, tally
from peckorder.errors import ArgumentError
from peckorder.ranks import average_ranks
from peckorder.results import Order
from peckorder.wording import option

NAMES = {"dij": "D_ij", "pij": "P_ij", "binomial": "the older d_ij"}
INDICES = tuple(NAMES)


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


def chances(counts: Tally, index: str) -> np.ndarray:
    """Estimated probability that the row beats the column; 0 for dyads without contests."""
    one_of("index", index, INDICES)
    if index == "binomial" and (counts.unit != 1.0).any():
        raise ArgumentError(
            f"{option('index', 'binomial')} needs whole numbers of wins. Use "
            f"{option('ties', 'omit')} or {option('ties', 'both')}."
        )
    n = np.where(counts.seen, counts.contests, 1)
    chance = (counts.score + 0.5) / (n + 1) if index == "dij" else counts.score / n
    if index == "binomial":
        chance -= (chance - 0.5) * evens(counts.score, n)
    return np.where(counts.seen, chance, 0.0)


def evens(s: np.ndarray, n: np.ndarray | int) -> np.ndarray:
    """Binomial probability of s wins in n contests between equals."""
    log_factorial = np.vectorize(math.lgamma)
    return np.exp(
        log_factorial(np.add(n, 1.0))
        - log_factorial(s + 1.0)
        - log_factorial(n - s + 1.0)
        - n * math.log(2)
    )


def scores(chance: np.ndarray) -> dict[str, np.ndarray]:
    """w, w2, l, l2, ds and normds of a matrix of dyadic dominance indices."""
    size = len(chance)
    w, lost = chance.sum(axis=1), chance.sum(axis=0)
    w2, lost2 = chance @ w, chance.T @ lost
    ds = w + w2 - lost - lost2
    normds = (ds + size * (size - 1) / 2) / size
    return {"w": w, "w2": w2, "l": lost, "l2": lost2, "ds": ds, "normds": normds}

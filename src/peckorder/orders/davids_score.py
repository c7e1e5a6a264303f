"""David's scores (David 1987; de Vries, Stevens & Vervaecke 2006).

Wins against more successful opponents count more. With P_ij the estimated probability that i beats
j (0 for dyads without contests), w_i = Σ_j P_ij, w2_i = Σ_j P_ij w_j, l_i = Σ_j P_ji,
l2_i = Σ_j P_ji l_j and

    DS_i = w_i + w2_i − l_i − l2_i,    NormDS_i = (DS_i + N(N − 1)/2)/N.

Mean squared error of dyadic dominance indices (de Vries et al. 2006, Appendix 2).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np
import polars as pl

from peckorder.data.read import Data, opened
from peckorder.data.win_counts import NAMES, chances, evens, scores, win_counts
from peckorder.errors import ArgumentError
from peckorder.ranks import average_ranks
from peckorder.results import Order
from peckorder.validate import CountedTies, as_numbers


def davids_score(
    data: Data,
    *,
    index: Literal["dij", "pij", "binomial"] = "dij",
    ties: CountedTies = "omit",
) -> Order:
    """David's scores and the resulting rank order.

    Parameters
    ----------
    data : Contests or Matrix
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
    data = opened(data)
    counts = win_counts(data, ties=ties)
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


def index_error(contests: int, *, chance: Iterable[float] | None = None) -> pl.DataFrame:
    """Mean squared error of P_ij, D_ij and the older d_ij as estimates of a winning probability.

    Parameters
    ----------
    contests : int
        Number of contests of the dyad, n.
    chance : numbers from 0 to 1, optional
        True winning probabilities p; by default 0, 0.01, …, 1.

    Returns
    -------
    polars.DataFrame
        One row per probability: chance, pij, dij, binomial.

    Notes
    -----
    Exact sums of Binom(s; n, p)(x(s) − p)² over the number of wins s = 0 … n, where x is s/n,
    (s + ½)/(n + 1), or P − (P − ½)·Binom(s; n, ½). The error of D_ij is smaller than that of P_ij
    if p(1 − p) > n/(4(3n + 1)).

    Examples
    --------
    >>> import peckorder as po
    >>> [round(x, 4) for x in po.orders.index_error(5, chance=[0.5]).row(0)]
    [0.5, 0.05, 0.0347, 0.0376]
    """
    if isinstance(contests, bool) or not isinstance(contests, int | np.integer) or contests < 1:
        raise ArgumentError(f"contests={contests!r}: give a whole number of at least 1.")
    p = np.linspace(0, 1, 101) if chance is None else as_numbers(chance)
    if p is None or p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise ArgumentError("chance: give numbers from 0 to 1.")
    n = int(contests)
    s = np.arange(n + 1.0)
    share, even = s / n, evens(s, n)
    indices = {
        "pij": share,
        "dij": (s + 0.5) / (n + 1),
        "binomial": share - (share - 0.5) * even,
    }
    errors = {name: np.empty(len(p)) for name in indices}
    with np.errstate(divide="ignore", invalid="ignore"):
        ways = np.log(even) + n * np.log(2)
        for i, chance_ in enumerate(p):
            # 0·log 0 is 0.
            log_p = np.where(s == 0, 0.0, s * np.log(chance_))
            log_q = np.where(s == n, 0.0, (n - s) * np.log1p(-chance_))
            weight = np.exp(ways + log_p + log_q)
            for name, index in indices.items():
                errors[name][i] = weight @ (index - chance_) ** 2
    return pl.DataFrame({"chance": p, **errors})

"""Mean squared error of dyadic dominance indices (de Vries et al. 2006, Appendix 2)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import polars as pl

from peckorder.data.tally import evens
from peckorder.errors import ArgumentError


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
    >>> [round(x, 4) for x in po.reliability.index_error(5, chance=[0.5]).row(0)]
    [0.5, 0.05, 0.0347, 0.0376]
    """
    if isinstance(contests, bool) or not isinstance(contests, int | np.integer) or contests < 1:
        raise ArgumentError(f"contests={contests!r}: give a whole number of at least 1.")
    p = np.linspace(0, 1, 101) if chance is None else np.array(list(chance), float)
    if not ((p >= 0) & (p <= 1)).all():
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

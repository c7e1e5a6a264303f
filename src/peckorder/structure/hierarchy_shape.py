"""Shape of a hierarchy: how the probability of winning grows with the difference in rank."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from peckorder.data.read import Data, opened
from peckorder.data.win_counts import win_counts
from peckorder.errors import DataError
from peckorder.results import Measure, Order, Ratings
from peckorder.results.ratings import ranks_of
from peckorder.text import counted
from peckorder.validate import CountedTies, between_0_and_1

ENOUGH = 10  # contests for a share to be quoted in the summary


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class HierarchyShape(Measure):
    """Share of contests won by the higher-ranked; the table has one row per rank difference."""

    value: float  # over all contests between different ranks
    contests: int  # between different ranks


def hierarchy_shape(
    data: Data,
    *,
    order: Order | Ratings | None = None,
    ties: CountedTies = "omit",
    level: float = 0.95,
) -> HierarchyShape:
    """Share of contests won by the higher-ranked individual, by difference in rank.

    Parameters
    ----------
    data : Contests or Matrix
    order : Order or Ratings, optional
        Source of the ranks; David's scores by default. The ranks come from the same contests, so
        the shares are biased upward. Contests between equal ranks are left out.
    ties : {"omit", "half", "both"}
    level : float
        Confidence level of the intervals (Wilson 1927).

    Returns
    -------
    HierarchyShape
        Table: rank_difference, contests, value (the share), low, high. `value` is the share over
        all contests.

    References
    ----------
    Sánchez-Tójar, Schroeder & Farine 2018, Journal of Animal Ecology 87:594–608.

    Examples
    --------
    >>> import peckorder as po
    >>> print(hierarchy_shape(po.datasets.bonobos()).summary[0])
    The higher-ranked individual won 96% of contests: 57% at a rank difference of 1, 100% at 5.
    """
    data = opened(data)
    level = between_0_and_1("level", level)
    counts = win_counts(data, ties=ties)
    ranks = ranks_of(order, counts)
    higher, lower = np.nonzero(ranks[:, None] < ranks[None, :])
    far, which = np.unique(ranks[lower] - ranks[higher], return_inverse=True)
    won = np.bincount(which, counts.score[higher, lower], minlength=len(far))
    contests = np.bincount(which, counts.contests[higher, lower], minlength=len(far))
    seen = np.flatnonzero(contests)
    if len(seen) == 0:
        raise DataError(
            "All contests are between individuals of equal rank, so the shape cannot be estimated."
        )
    far, share, contests = far[seen], won[seen] / contests[seen], contests[seen]
    low, high = wilson(share, contests, level)
    value = float((share * contests).sum() / contests.sum())
    last = int(np.flatnonzero(contests >= min(ENOUGH, contests.max()))[-1])
    even = int(counts.contests.sum() / 2 - contests.sum())
    equal = (f"{counted(even, 'contest')} between equal ranks left out.",) if even else ()
    return HierarchyShape(
        method="hierarchy_shape",
        data=counts,
        value=value,
        contests=int(contests.sum()),
        frame=pl.DataFrame(
            {
                "rank_difference": far,
                "contests": contests.astype(np.int64),
                "value": share,
                "low": low,
                "high": high,
            }
        ),
        summary=(
            f"The higher-ranked individual won {value:.0%} of contests: {share[0]:.0%} at a rank "
            f"difference of {far[0]:g}, {share[last]:.0%} at {far[last]:g}.",
            *equal,
            *counts.notes,
        ),
        settings={
            "order": "davids_score" if order is None else order.method,
            "ties": ties,
            "level": level,
        },
        citations=("sanchez2018",),
    )


def wilson(share: np.ndarray, n: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
    """Wilson interval of a proportion."""
    from statistics import NormalDist

    z2 = NormalDist().inv_cdf((1 + level) / 2) ** 2
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = np.sqrt(z2 * share * (1 - share) / n + z2**2 / (4 * n**2)) / (1 + z2 / n)
    return np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)

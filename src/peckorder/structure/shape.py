"""The shape of a hierarchy: how the chance to win grows with the difference in rank."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from peckorder.data.tally import tally
from peckorder.ranking.davids_score import davids_score
from peckorder.results import Measure, Order, Ratings
from peckorder.runs import checked_level


def hierarchy_shape(
    data: Any, *, order: Order | Ratings | None = None, draws: str = "omit", level: float = 0.95
) -> Measure:
    """Share of contests won by the higher-ranked, by difference in rank.

    Parameters
    ----------
    data : Interactions or Matrix
    order : Order or Ratings, optional
        Whose ranks to use; David's scores by default. The same contests give the ranks and are
        judged by them, so the shares are somewhat too high.
    draws : {"omit", "half", "both"}
    level : float
        Of the intervals (Wilson 1927).

    Returns
    -------
    Measure
        Table: rank_difference, contests, share, low, high. `value` is the share over all contests.

    References
    ----------
    Sánchez-Tójar, Schroeder & Farine 2018, Journal of Animal Ecology 87:594–608.
    """
    level = checked_level(level)
    counts = tally(data, draws=draws)
    ranked = davids_score(data, draws=draws) if order is None else order
    names = list(ranked)
    if sorted(names) != sorted(counts.individuals):
        raise ValueError("The order ranks other individuals than the data hold.")
    place = {name: i for i, name in enumerate(names)}
    places = np.array([place[name] for name in counts.individuals])
    higher, lower = np.nonzero(places[:, None] < places[None, :])
    far = places[lower] - places[higher]
    won = np.bincount(far, counts.score[higher, lower])
    contests = np.bincount(far, counts.contests[higher, lower])
    seen = np.flatnonzero(contests)
    share = won[seen] / contests[seen]
    low, high = wilson(share, contests[seen], level)
    value = float(won.sum() / contests.sum())
    return Measure(
        method="hierarchy_shape",
        tally=counts,
        values={"value": value, "contests": int(contests.sum())},
        frame=pl.DataFrame({
            "rank_difference": seen,
            "contests": contests[seen].astype(np.int64),
            "share": share,
            "low": low,
            "high": high,
        }),
        words=(
            f"The higher-ranked side won {value:.0%} of the contests: {share[0]:.0%} between "
            f"neighbours by rank, {share[-1]:.0%} at a difference of {seen[-1]}.",
            *counts.notes,
        ),
        settings={"order": ranked.method, "draws": draws, "level": level},
        citations=("sanchez2018",),
    )  # fmt: skip


def wilson(share: np.ndarray, n: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
    """Wilson's interval of a share."""
    from statistics import NormalDist

    z2 = NormalDist().inv_cdf((1 + level) / 2) ** 2
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = np.sqrt(z2 * share * (1 - share) / n + z2**2 / (4 * n**2)) / (1 + z2 / n)
    return np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)

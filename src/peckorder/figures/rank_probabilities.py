"""The probability of each rank for each individual, as a heat map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peckorder.figures.canvas import (
    COLUMN,
    PAGE,
    axes_for,
    figure,
    named_height,
)
from peckorder.figures.heat_map import probability_map
from peckorder.figures.orders import rank_table, score_draws
from peckorder.results import Measure, Order
from peckorder.results.sampled import SampledRatings
from peckorder.results.sampled import ranks as ranks_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def probability_table(
    found: Any, *, at: Any = None, individuals: Sequence[str] | None = None
) -> pl.DataFrame:
    """One row per individual and rank, with the share of draws in which it holds that rank."""
    ordered = rank_table(found, at=at, individuals=individuals, kind="rank_probabilities")
    names = ordered["individual"].to_list()
    rank = ranks_of(score_draws(found, names, at))
    size = len(names)
    share = np.array([(rank == place).mean(axis=0) for place in range(1, size + 1)]).T
    return pl.DataFrame(
        {
            "individual": np.repeat(names, size),
            "rank": np.tile(np.arange(1, size + 1), size),
            "probability": share.ravel(),
        }
    )


@figure(probability_table)
def rank_probabilities(
    found: SampledRatings | Order | Measure,
    *,
    at: Any = None,
    individuals: Sequence[str] | None = None,
    width: float | None = None,
    ax: Axes | None = None,
) -> Any:
    """Probability of each rank for each individual: the darker, the more probable.

    Parameters
    ----------
    found : result of `dynamic`, `elo_bayes`, `steepness_bayes` or `randomized_elo`.
    at : a date (or the number of a contest)
        With a posterior, rank the individuals present at that time.
    individuals : names; ranks are those among these individuals only. All by default.
    width, ax : as in `trajectories`.

    Rows sum to 1, as do columns. Probabilities are written into the cells of up to 12 individuals;
    those below 0.005 are left blank. With `randomized_elo` they are shares of random orders of the
    contests, which are not posterior probabilities. The table: individual, rank, probability.

    Examples
    --------
    >>> import peckorder as po
    >>> order = po.randomized_elo(po.datasets.adv(), runs=200, seed=1)
    >>> po.plot.rank_probabilities(order).get_xlabel()
    'Rank (1 = highest)'
    """
    table = probability_table(found, at=at, individuals=individuals)
    names = table["individual"].unique(maintain_order=True).to_list()
    size = len(names)
    share = table["probability"].to_numpy().reshape(size, size)
    usual = COLUMN if size <= 25 else PAGE
    axes = axes_for(ax, width, named_height(size, least=62, margin=22), usual=usual)
    probability_map(axes, share, names, "Probability of the rank")
    axes.set_xlabel("Rank (1 = highest)")
    return axes

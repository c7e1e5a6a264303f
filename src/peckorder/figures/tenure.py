"""Tenures: who held a rank when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peckorder.figures.canvas import (
    BLUE,
    COLUMN,
    LIGHT,
    PAGE,
    axes_for,
    figure,
    made_by,
    named_height,
    names_down,
    time_axis,
)
from peckorder.figures.trajectories import in_order
from peckorder.results import Ratings
from peckorder.tables import as_polars

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PALEST = 0.15  # opacity of a tenure with certainty 0


def tenure_table(ratings: Ratings, rank: int = 1) -> pl.DataFrame:
    """Who held the rank from when to when."""
    made_by(ratings, Ratings, "tenure", "po.elo(data) or po.dynamic(data)")
    in_order(ratings.data, "tenure")
    return as_polars(ratings.tenure(rank))


@figure(tenure_table)
def tenure(
    ratings: Ratings, *, rank: int = 1, width: float | None = None, ax: Axes | None = None
) -> Any:
    """Who held a rank when: one row per holder, in order of time.

    Parameters
    ----------
    ratings : Ratings
    rank : the rank, 1 for the highest
    width, ax : as in `trajectories`.

    With posterior draws, a bar is the darker the more certain it is that the individual had the
    rank.

    Examples
    --------
    >>> import peckorder as po
    >>> po.plot.tenure.data(po.elo(po.datasets.adv(), k=200)).columns
    ['individual', 'start', 'end', 'days']
    """
    table = tenure_table(ratings, rank)
    names = table["individual"].unique(maintain_order=True).to_list()
    usual = COLUMN if len(names) <= 20 else PAGE
    axes = axes_for(ax, width, named_height(len(names), least=30, margin=18), usual=usual)
    data = ratings.data
    dated = data.date is not None and data.date.dtype.kind == "M"
    start, end = (table[side].to_numpy().astype(data.clock) for side in ("start", "end"))
    last = end + (np.timedelta64(1, "D") if dated else 1)
    certain = table["certainty"] if "certainty" in table.columns else [1.0] * table.height
    for i, (name, certainty) in enumerate(zip(table["individual"], certain, strict=True)):
        axes.barh(
            names.index(name),
            last[i] - start[i],
            left=start[i],
            height=0.7,
            color=BLUE,
            alpha=PALEST + (1 - PALEST) * certainty,
            linewidth=0,
        )
    names_down(axes, names, else_title="Order of time")
    axes.grid(axis="x", color=LIGHT, linewidth=0.3)
    axes.set_axisbelow(True)
    axes.set_title(f"Rank {rank}", fontsize=7)
    time_axis(axes, data.date)
    return axes

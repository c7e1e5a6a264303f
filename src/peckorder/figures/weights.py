"""Weights of the predictors of adaptive ratings over time: averaged Elo and the filters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peckorder.checked import one_of
from peckorder.figures.canvas import FONT, LIGHT, axes_for, figure, made_by, time_axis
from peckorder.figures.trajectories import along
from peckorder.filters.adaptive import AdaptiveRatings
from peckorder.tables import as_polars

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PARTS = ("drift", "spread")


def weights_table(
    ratings: AdaptiveRatings, *, part: str = "drift", over: str | None = None
) -> pl.DataFrame:
    """One row per moment: the weights of averaged Elo and of sets of filters, which sum to 1."""
    made_by(ratings, AdaptiveRatings, "weights", "po.adaptive(data)")
    one_of("part", part, PARTS)
    along(ratings.data, over)
    frame = as_polars(ratings.weights())
    own = [name for name in frame.columns if name.startswith(f"{part}_")]
    when = [name for name in ("contest", "date") if name in frame.columns]
    return frame.select(*when, "elo", *(pl.col(name) * (1 - pl.col("elo")) for name in own))


@figure(weights_table)
def weights(
    ratings: AdaptiveRatings,
    *,
    part: str = "drift",
    over: str | None = None,
    width: float | None = None,
    ax: Axes | None = None,
) -> Any:
    """Weights of averaged Elo and of the filters in the predictions of adaptive ratings.

    Parameters
    ----------
    ratings : the result of `adaptive`.
    part : {"drift", "spread"}
        Sets of filters: by how much ratings drift from one contest to the next (0: static), or by
        how far they are spread, both in log-odds.
    over : {"date", "contest"}; dates by default, if there are several.
    width, ax : as in `trajectories`.

    Weights are those before each contest and sum to 1: at the beginning one half belongs to
    averaged Elo (gray) and one half to the filters, all equal. The table: contest, date, elo, and
    a column per set of filters.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.adaptive(po.datasets.adv(), seed=1, samples=50)
    >>> po.plot.weights(found).get_ylabel()
    'Weight'
    """
    table = weights_table(ratings, part=part, over=over)
    x = along(ratings.data, over)
    sets = [name for name in table.columns if name.startswith(f"{part}_")]
    axes = axes_for(ax, width, 62)
    from matplotlib import colormaps

    shades = colormaps["Blues"](np.linspace(0.25, 0.95, len(sets)))
    drawn = axes.stackplot(
        table[x].to_numpy(),
        *(table[name].to_numpy() for name in ("elo", *sets)),
        colors=[LIGHT, *shades],
        step="post",
        linewidth=0,
    )
    axes.set_ylim(0, 1)
    axes.margins(x=0)
    axes.set_ylabel("Weight")
    time_axis(axes, ratings.data.date if x == "date" else None)
    labels = ["averaged Elo", *(name.replace("_", " ") for name in sets)]
    axes.legend(
        drawn[::-1],
        labels[::-1],
        loc="center left",
        bbox_to_anchor=(1.0, 0.5),
        fontsize=FONT,
        handlelength=1.0,
    )
    return axes

"""Dates of change: the probability of a change at each date, and the intervals of those found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peckorder.figures.canvas import BLUE, ORANGE, axes_for, figure, made_by, time_axis
from peckorder.results import Measure

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def profile_table(found: Measure) -> pl.DataFrame:
    """Probability of a change by date, given that there was one."""
    made_by(found, Measure, "change_points", "po.change_points(data)", "change_points")
    return found.tables["profile"]


def per_contest(table: pl.DataFrame) -> np.ndarray:
    """Probability of a change before each contest; a row stands for those nearest to it."""
    contest = table["contest"].to_numpy().astype(float)
    middles = (contest[1:] + contest[:-1]) / 2
    edges = np.concatenate([contest[:1] - 0.5, middles, contest[-1:] + 0.5])
    return table["probability"].to_numpy() / np.diff(edges)


@figure(profile_table)
def change_points(found: Measure, *, width: float | None = None, ax: Axes | None = None) -> Any:
    """Probability of a change at each date, given that there was one, and the dates found.

    Parameters
    ----------
    found : Measure, the result of `peckorder.change_points`.
    width, ax : as in `trajectories`.

    Orange lines mark the dates found, orange areas their 95% intervals. The blue curve belongs to
    the first search, for one change; the area below it is 1, with contests as units.

    Examples
    --------
    >>> import peckorder as po
    >>> truth, data = po.simulate.takeover(8, (150, 150), spread=3, seed=1)
    >>> po.plot.change_points(po.change_points(data)).get_xlabel()
    'Contest'
    """
    table = profile_table(found)
    axes = axes_for(ax, width, 50)
    x, height = table["date"].to_numpy(), per_contest(table)
    axes.fill_between(x, height, color=BLUE, alpha=0.2, linewidth=0, zorder=2)
    axes.plot(x, height, color=BLUE, linewidth=1, zorder=3)
    for row in found.as_polars().iter_rows(named=True):
        axes.axvspan(row["low95"], row["high95"], color=ORANGE, alpha=0.2, linewidth=0, zorder=1)
        axes.axvline(row["date"], color=ORANGE, linewidth=0.8, linestyle="--", zorder=2)
    axes.set_ylim(bottom=0)
    axes.set_ylabel("Probability per contest")
    change = f"Probability of a change: {found.values['probability']:.2f}"
    axes.set_title(change, fontsize=7)
    if table["date"].dtype.is_temporal():
        time_axis(axes, x)
    else:
        axes.set_xlabel("Contest")
    return axes

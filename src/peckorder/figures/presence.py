"""Presence of individuals over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peckorder.data.dates import date_column, ends, whole_days
from peckorder.data.interactions import Interactions
from peckorder.data.presence import Presence
from peckorder.figures.canvas import (
    BLUE,
    COLUMN,
    LIGHT,
    PAGE,
    axes_for,
    figure,
    legend_above,
    made_by,
    named_height,
    names_down,
    time_axis,
)
from peckorder.figures.trajectories import in_order

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def stint_table(data: Interactions) -> pl.DataFrame:
    """Periods of presence within the study, with the number of contests in each."""
    made_by(data, Interactions, "presence", "po.read(…)")
    in_order(data, "presence")
    known = data.presence or Presence.inferred(data)
    first, last = whole_days(data.times[[0, -1]])
    names, starts, stops, number = [], [], [], []
    for code, name in enumerate(data.individuals):
        own = data.times[(data.winner == code) | (data.loser == code)]
        for start, end in known.stints(name):
            start, end = max(start, first), min(end, last)
            if start <= end:
                names.append(name)
                starts.append(start)
                stops.append(end)
                number.append(int(((own >= start) & (own <= ends(np.array([end]))[0])).sum()))
    table = pl.DataFrame(
        {
            "individual": names,
            "start": date_column(np.array(starts)),
            "end": date_column(np.array(stops)),
            "contests": number,
        }
    )
    came = table.group_by("individual").agg(pl.col("start").min().alias("came"))
    return (
        table.join(came, on="individual", maintain_order="left")
        .sort("came", "individual", "start")
        .drop("came")
    )


@figure(stint_table)
def presence(data: Interactions, *, width: float | None = None, ax: Axes | None = None) -> Any:
    """Presence of individuals over time, with a mark for each contest.

    Parameters
    ----------
    data : Interactions. Without presence data, bars extend from first to last contest.
    width, ax : as in `trajectories`.

    The table: individual, start, end, contests; one row per period of presence.

    Examples
    --------
    >>> import peckorder as po
    >>> po.plot.presence.data(po.datasets.adv())["contests"].sum()
    66
    """
    table = stint_table(data)
    names = table["individual"].unique(maintain_order=True).to_list()
    usual = COLUMN if len(names) <= 20 else PAGE
    axes = axes_for(ax, width, named_height(len(names), least=35, margin=18), usual=usual)
    dated = data.date is not None and data.date.dtype.kind == "M"
    place = {name: i for i, name in enumerate(names)}
    start, end = (table[side].to_numpy().astype(data.clock) for side in ("start", "end"))
    rows = [place[name] for name in table["individual"]]
    last = end + (np.timedelta64(1, "D") if dated else 1)
    axes.barh(rows, last - start, left=start, height=0.7, color=BLUE, alpha=0.35, linewidth=0)
    for name, row in place.items():
        code = data.code(name)
        own = data.times[(data.winner == code) | (data.loser == code)]
        axes.plot(own, np.full(len(own), row), "|", color=BLUE, markersize=2.5, markeredgewidth=0.4)
    names_down(axes, names, else_title="Order of arrival")
    axes.grid(axis="x", color=LIGHT, linewidth=0.3)
    axes.set_axisbelow(True)
    time_axis(axes, data.date)
    note = "present" if data.presence is not None else "first to last contest"
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    mark = Line2D([], [], color=BLUE, marker="|", linestyle="", markersize=5, label="contest")
    bar = Patch(color=BLUE, alpha=0.35, linewidth=0, label=note)
    legend_above(axes, [bar, mark], ax is None)
    return axes

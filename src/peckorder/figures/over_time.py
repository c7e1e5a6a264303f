"""A measure over moving windows, with its interval and the contests in each window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peckorder.figures.canvas import (
    BLUE,
    GRAY,
    LIGHT,
    SMALL,
    axes_for,
    figure,
    made_by,
    time_axis,
)
from peckorder.methods import METHODS
from peckorder.results import Measure
from peckorder.studies.measures import MAIN

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EFFORT, LABEL = 0.2, 0.1  # parts of the height for the bars of sampling effort and their label


def windows_table(found: Measure) -> pl.DataFrame:
    """The value of each window, with its middle and its interval."""
    made_by(found, Measure, "over_time", "po.over_time(data)", "over_time")
    table = found.as_polars()
    middle = (table["start"] + (table["end"] - table["start"]) / 2).alias("middle")
    limits = [name for name in ("low95", "high95") if name in table.columns]
    return table.select("start", "end", middle, "contests", "individuals", "value", *limits)


@figure(windows_table)
def over_time(found: Measure, *, width: float | None = None, ax: Axes | None = None) -> Any:
    """A measure over moving windows; the shading is its 95% interval, where it has one.

    Parameters
    ----------
    found : Measure, the result of `peckorder.over_time`.
    width, ax : as in `trajectories`.

    Each point is drawn in the middle of its window. Gray bars show the number of contests in each
    window, the highest one labeled.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.over_time(po.datasets.adv(), "linearity", window=17, step=8, seed=1)
    >>> po.plot.over_time(found).get_ylabel()
    'Linearity h′'
    """
    table = windows_table(found)
    axes = axes_for(ax, width, 60)
    x, y = table["middle"].to_numpy(), table["value"].to_numpy()
    if "low95" in table.columns:
        low, high = (table[name].to_numpy() for name in ("low95", "high95"))
        axes.fill_between(x, low, high, color=BLUE, alpha=0.2, linewidth=0, zorder=2)
    axes.plot(x, y, "-o", color=BLUE, markersize=2.5, linewidth=1, zorder=3)
    axes.set_ylabel(_label(found))
    axes.margins(y=0.08)
    _effort(axes, x, table["contests"].to_numpy())
    if table["start"].dtype.is_temporal():
        time_axis(axes, np.array([table["start"].min(), table["end"].max()], "datetime64[us]"))
    else:
        axes.set_xlabel("Contest")
    return axes


def _label(found: Measure) -> str:
    name = found.settings["measure"]
    title = METHODS[name].label if name in METHODS else name
    if found.tables:
        return "Rank correlation with\nthe window before"
    title = title[:1].upper() + title[1:]
    followed = found.settings["followed"]
    return title if followed == MAIN.get(name, "value") else f"{title}: {followed}"


def _effort(axes: Any, x: np.ndarray, contests: np.ndarray) -> None:
    """Bars of the number of contests along the bottom of the figure."""
    beside = axes.twinx()
    beside.set_ylim(0, max(contests.max(), 1) / EFFORT)
    steps = np.diff(x)
    width = 0.7 * steps.min() if len(steps) else None
    beside.bar(
        x,
        contests,
        **({} if width is None else {"width": width}),
        color=LIGHT,
        zorder=0,
        linewidth=0,
    )
    best = int(contests.argmax())
    side = ("left", "center", "right")[min(5 * best // len(x) + 1, 4) // 2]
    text = f"{contests[best]:,} contests"
    beside.text(x[best], contests[best], text, color=GRAY, fontsize=SMALL, ha=side, va="bottom")
    beside.set_yticks([])
    beside.spines["right"].set_visible(False)
    axes.set_zorder(beside.get_zorder() + 1)
    axes.patch.set_visible(False)
    low, high = axes.get_ylim()
    room = EFFORT + LABEL
    axes.set_ylim(low - (high - low) * room / (1 - room), high)

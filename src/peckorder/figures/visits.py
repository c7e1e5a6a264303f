"""Gaps between visits to a feeder: a histogram on a logarithmic scale."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peckorder.figures.canvas import BLUE, axes_for, figure, made_by
from peckorder.results import Measure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKS = {
    0.1: "0.1 s",
    1: "1 s",
    10: "10 s",
    60: "1 min",
    600: "10 min",
    3600: "1 h",
    36_000: "10 h",
    360_000: "100 h",
}


def gaps_table(found: Measure) -> pl.DataFrame:
    """The number of arrivals by the time since the departure."""
    made_by(found, Measure, "gaps", "po.visit_gaps(visits)", "visit_gaps")
    return found.tables["gaps"]


@figure(gaps_table)
def gaps(found: Measure, *, width: float | None = None, ax: Axes | None = None) -> Any:
    """Times from the departure of one individual to the arrival of the next, as a histogram.

    Parameters
    ----------
    found : Measure, the result of `peckorder.visit_gaps`.
    width, ax : as in `trajectories`.

    Bins have the same width on the logarithmic axis; the first one begins at 0. Displacements form
    a peak at short times if they are frequent.

    Examples
    --------
    >>> import peckorder as po
    >>> visits = {"id": ["Abe", "Bo", "Abe"], "feeder": [1, 1, 1], "start": [0, 31, 80],
    ...           "end": [30, 75, 140]}
    >>> po.plot.gaps(po.visit_gaps(visits)).get_ylabel()
    'Arrivals'
    """
    table = gaps_table(found)
    low, high = table["low"].to_numpy(), table["high"].to_numpy()
    step = high[0] / (low[2] / low[1] if len(low) > 2 else 10 ** (1 / 6))
    edges = np.concatenate([[step], high])
    if np.isinf(edges[-1]):
        edges[-1] = edges[-2] ** 2 / edges[-3]
    axes = axes_for(ax, width, 60)
    axes.stairs(table["arrivals"].to_numpy(), edges, fill=True, color=BLUE)
    axes.set_xscale("log")
    axes.set_xlim(edges[0], edges[-1])
    marks = [mark for mark in MARKS if edges[0] <= mark <= edges[-1]]
    axes.set_xticks(marks, [MARKS[mark] for mark in marks])
    axes.set_xticks([], minor=True)
    axes.set_ylim(bottom=0)
    axes.yaxis.get_major_locator().set_params(integer=True)
    axes.set_xlabel("Time from departure to arrival")
    axes.set_ylabel("Arrivals")
    return axes

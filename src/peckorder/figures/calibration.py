"""Reliability diagrams: predicted probabilities against observed outcomes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from peckorder.figures.canvas import BLUE, GRAY, axes_for, figure, made_by
from peckorder.methods import label
from peckorder.results import Measure

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def bin_table(found: Measure) -> pl.DataFrame:
    """Mean prediction and observed outcome of each bin."""
    made_by(found, Measure, "calibration", "po.calibration(ratings)", "calibration")
    return found.as_polars()


@figure(bin_table)
def calibration(found: Measure, *, width: float | None = None, ax: Axes | None = None) -> Any:
    """Reliability diagram: observed outcomes against predicted probabilities, with intervals.

    Parameters
    ----------
    found : Measure, the result of `peckorder.calibration`.
    width, ax : as in `trajectories`.

    Points on the dashed line are perfectly calibrated; points below it indicate overconfidence,
    points above it underconfidence. The number of contests is printed beside each point, and bars
    are intervals. The table is the one of `peckorder.calibration`.

    Examples
    --------
    >>> import peckorder as po
    >>> axes = po.plot.calibration(po.calibration(po.elo(po.datasets.adv(), k=200), bins=4))
    >>> axes.get_xlabel()
    'Predicted win probability of the favorite'
    """
    from matplotlib.patheffects import withStroke

    table = bin_table(found)
    axes = axes_for(ax, width, 85)
    least = 0.5 if found.settings["side"] == "favorite" else 0.0
    predicted, observed = table["predicted"].to_numpy(), table["observed"].to_numpy()
    low, high = table["observed_low"].to_numpy(), table["observed_high"].to_numpy()
    axes.plot([least, 1], [least, 1], linestyle="--", color=GRAY, linewidth=0.8, zorder=1)
    reach = [(observed - low).clip(0), (high - observed).clip(0)]
    axes.errorbar(
        predicted, observed, yerr=reach, fmt="o", color=BLUE, markersize=4, linewidth=1, zorder=2
    )
    for x, y, number in zip(predicted, observed, table["contests"], strict=True):
        text = axes.annotate(
            f"{number:,}",
            (x, y),
            xytext=(4, -8),
            textcoords="offset points",
            fontsize=6,
            color=GRAY,
        )
        text.set_path_effects([withStroke(linewidth=1.5, foreground="white")])
    who = "the favorite" if least else "the home side"
    axes.set_xlabel(f"Predicted win probability of {who}")
    axes.set_ylabel(
        f"Observed proportion of wins of {who}" if not _half(found) else f"Mean score of {who}"
    )
    axes.set_xlim(least - 0.02, 1.02)
    axes.set_ylim(min(least, float(low.min())) - 0.02, 1.02)
    rater = label(found.settings["rater"]["method"])
    title = f"{rater}: {found.values['contests']:,} contests, {found.settings['view']}"
    if found.values["slope"] is not None:
        slope, low, high = (found.values[name] for name in ("slope", "slope_low", "slope_high"))
        dash = "–" if low >= 0 else " to "
        level = f"{100 * found.settings['level']:g}%"
        title += f"\nslope {slope:.2f} ({level} CI {low:.2f}{dash}{high:.2f})"
    axes.set_title(title, fontsize=7)
    return axes


def _half(found: Measure) -> bool:
    """Whether there are scores other than 0 and 1."""
    draw = getattr(found.data, "draw", None)
    by_points = found.settings["rater"].get("outcome") == "points"
    return by_points or (draw is not None and bool(draw.any()))

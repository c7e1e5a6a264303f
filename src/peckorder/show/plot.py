"""Figures, as `po.plot`: a result in, axes of matplotlib out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from peckorder.results import Measure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH = 3.35  # inches: one column of a journal (85 mm)
BLUE, GREY = "#0072B2", "#767676"  # told apart whatever the color vision


def calibration(found: Measure, *, ax: Axes | None = None) -> Axes:
    """A reliability plot: what happened beside the chance it had, with intervals.

    Parameters
    ----------
    found : Measure, of `peckorder.calibration`.
    ax : axes to draw on; a new figure of one column's width by default.

    Points on the dashed line are as likely as they were said to be; below it chances were too
    bold, above it too timid. Numbers of contests stand beside the points; bars are the intervals of
    `peckorder.calibration`.

    Examples
    --------
    >>> import peckorder as po
    >>> axes = po.plot.calibration(po.calibration(po.elo(po.datasets.adv(), k=200), bins=4))
    >>> axes.get_xlabel()
    'Chance foretold for the favorite'
    """
    if not isinstance(found, Measure) or found.method != "calibration":
        raise TypeError(
            "plot.calibration draws what peckorder.calibration gives: "
            "po.plot.calibration(po.calibration(ratings))."
        )
    from matplotlib.patheffects import withStroke

    axes = _axes(ax)
    table = found.frame
    assert table is not None
    least = 0.5 if found.settings["side"] == "favorite" else 0.0
    predicted, observed = table["predicted"].to_numpy(), table["observed"].to_numpy()
    low, high = table["observed_low"].to_numpy(), table["observed_high"].to_numpy()
    axes.plot([least, 1], [least, 1], linestyle="--", color=GREY, linewidth=0.8, zorder=1)
    reach = [(observed - low).clip(0), (high - observed).clip(0)]
    axes.errorbar(
        predicted, observed, yerr=reach, fmt="o", color=BLUE, markersize=4, linewidth=1, zorder=2
    )
    for x, y, number in zip(predicted, observed, table["contests"], strict=True):
        text = axes.annotate(
            f"{number:,}", (x, y), xytext=(4, -8), textcoords="offset points", fontsize=6,
            color=GREY,
        )  # fmt: skip
        text.set_path_effects([withStroke(linewidth=1.5, foreground="white")])
    who = "the favorite" if least else "the home side"
    axes.set_xlabel(f"Chance foretold for {who}")
    axes.set_ylabel(f"Share won by {who}" if not _half(found) else f"Mean score of {who}")
    axes.set_xlim(least - 0.02, 1.02)
    axes.set_ylim(min(least, float(low.min())) - 0.02, 1.02)
    rater = found.settings["rater"]["method"].replace("_", " ")
    title = f"{rater}: {found.values['contests']:,} contests, {found.settings['view']}"
    axes.set_title(title, fontsize=8)
    if found.values["slope"] is not None:
        slope = "slope {slope:.2f} ({slope_low:.2f} to {slope_high:.2f})".format(**found.values)
        axes.text(0.98, 0.03, slope, transform=axes.transAxes, ha="right", fontsize=7, color=GREY)
    return axes


def _half(found: Measure) -> bool:
    """Whether scores other than 0 and 1 were averaged."""
    draw = getattr(found.data, "draw", None)
    by_points = found.settings["rater"].get("outcome") == "points"
    return by_points or (draw is not None and bool(draw.any()))


def _axes(ax: Axes | None) -> Any:
    """The axes given, or those of a new figure."""
    if ax is not None:
        return ax
    from matplotlib.figure import Figure

    new: Any = Figure(figsize=(WIDTH, WIDTH), layout="constrained", dpi=200).subplots()
    new.tick_params(labelsize=7)
    new.xaxis.label.set_size(8)
    new.yaxis.label.set_size(8)
    new.spines[["top", "right"]].set_visible(False)
    return new

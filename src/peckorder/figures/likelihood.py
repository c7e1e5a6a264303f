"""The likelihood of Elo settings: a curve for one setting, a map for two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import polars as pl

from peckorder.errors import ArgumentError
from peckorder.figures.canvas import BLUE, GRAY, ORANGE, axes_for, figure, made_by
from peckorder.results import Measure
from peckorder.wording import option_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

UNITLESS = ("carry_over", "delta")
MAPPED = 10.0  # differences of log-likelihood shown in a map


def grid_table(found: Measure) -> pl.DataFrame:
    """The log-likelihood at each point of the grid."""
    made_by(found, Measure, "likelihood", "po.fits.likelihood_surface(data)", "likelihood_surface")
    if len(found.values["best"]) > 2:
        raise ArgumentError(
            "A figure shows one or two settings. Choose them with over= in likelihood_surface."
        )
    return found.as_polars()


@figure(grid_table)
def likelihood(
    found: Measure,
    *,
    marks: Mapping[str, float] | None = None,
    width: float | None = None,
    ax: Axes | None = None,
) -> Any:
    """Log-likelihood of Elo settings relative to the maximum: a curve, or a map of two settings.

    Parameters
    ----------
    found : Measure, the result of `peckorder.fits.likelihood_surface`.
    marks : values to mark on a curve, by label, such as {"default": 100}.
    width, ax : as in `trajectories`.

    Curve: the dashed line limits the likelihood interval; the point is the maximum. Map: contours
    are log-likelihoods 1, 2, 5 and 10 below the maximum.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.fits.likelihood_surface(po.datasets.adv(), over={"k": (0, 400)})
    >>> po.plot.likelihood(found).get_xlabel()
    'k (points)'
    """
    table = grid_table(found)
    names = list(found.values["best"])
    best = list(found.values["best"].values())
    axes = axes_for(ax, width, 60 if len(names) == 1 else 75)
    draw = _curve if len(names) == 1 else _map
    draw(axes, table, names, found.settings["level"])
    axes.plot(
        best[0], 0.0 if len(names) == 1 else best[1], "o", color=ORANGE, markersize=4, zorder=3
    )
    if marks:
        if len(names) > 1:
            raise ArgumentError(f"{option_name('marks')} is for a curve of one setting.")
        _marked(axes, dict(marks))
    axes.set_xlabel(_title(names[0], found.settings))
    if len(names) > 1:
        axes.set_ylabel(_title(names[1], found.settings))
    highest = f"−{abs(found.values['log_likelihood']):.2f}"
    contests = f"{found.values['contests']:,} contests"
    lines = "" if len(names) == 1 else "\nlines: 1, 2, 5 and 10 below it"
    axes.set_title(f"{contests}, highest log-likelihood {highest}{lines}", fontsize=7)
    return axes


def _curve(axes: Any, table: pl.DataFrame, names: list[str], level: float) -> None:
    from scipy.special import ndtri

    limit = -(float(ndtri(0.5 + level / 2)) ** 2) / 2
    axes.axhline(limit, linestyle="--", color=GRAY, linewidth=0.8, zorder=1)
    axes.plot(table[names[0]].to_numpy(), table["difference"].to_numpy(), color=BLUE, zorder=2)
    least = max(float(table["difference"].min()), 4 * limit)  # type: ignore[arg-type]
    near = table.filter(pl.col("difference") >= 5 * limit)[names[0]]
    axes.set_xlim(left=None if near.min() == table[names[0]].min() else near.min())
    axes.set_xlim(right=None if near.max() == table[names[0]].max() else near.max())
    axes.set_ylim(min(least, limit) * 1.08, -0.05 * min(least, limit))
    axes.set_ylabel("Log-likelihood (maximum = 0)")


def _marked(axes: Any, marks: dict[str, float]) -> None:
    """Vertical lines with their labels, one below the other so that they do not overlap."""
    for place, (name, value) in enumerate(marks.items()):
        axes.axvline(value, color=ORANGE, linewidth=0.8, linestyle=("-", "--", ":")[place % 3])
        axes.annotate(
            f" {name} {value:.0f}",
            (value, 0.04 + 0.08 * (place % 4)),
            xycoords=("data", "axes fraction"),
            fontsize=6,
        )


def _map(axes: Any, table: pl.DataFrame, names: list[str], level: float) -> None:
    wide = table.pivot(names[0], index=names[1], values="difference", sort_columns=False)
    x = table[names[0]].unique(maintain_order=True).to_numpy()
    y = wide[names[1]].to_numpy()
    z = wide.drop(names[1]).to_numpy()
    axes.pcolormesh(
        x, y, z.clip(-MAPPED), cmap="Blues", vmin=-MAPPED, vmax=MAPPED, shading="nearest"
    )
    levels = [-MAPPED, -5, -2, -1]
    lines = axes.contour(x, y, z, levels, colors="black", linewidths=0.6, linestyles="solid")
    axes.clabel(lines, fontsize=6, fmt=lambda value: f"−{abs(round(value)):g}")


def _title(name: str, settings: Mapping[str, Any]) -> str:
    """A setting with its unit; shares and slopes have none."""
    if name in UNITLESS:
        return name
    unit = "log odds" if settings.get("delta") == 1 else "points"
    return f"{name} ({unit})"

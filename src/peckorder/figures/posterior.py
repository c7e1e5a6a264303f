"""Prior and posterior densities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peckorder.checked import one_of
from peckorder.errors import ArgumentError
from peckorder.figures.canvas import (
    BLUE,
    COLORS,
    COLUMN,
    GRAY,
    LEAST_BESIDE,
    PAGE,
    TALLEST,
    axes_for,
    checked_width,
    figure,
    made_by,
    named_height,
    names_down,
    panels,
)
from peckorder.figures.trajectories import rating_title
from peckorder.posterior.result import Posterior

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PARTS = ("parameters", "scores")
GRID = 200  # points at which a density is evaluated
ENOUGH = 2000  # draws used for a density
BELOW = 50.0  # height in millimeters of the panel of parameters above that of ratings
SIGNS = {"sigma": "σ", "k_typical": "typical k"}


def density_table(found: Posterior, *, part: str | None = None) -> pl.DataFrame:
    """Prior and posterior densities of parameters, or posterior densities of final ratings."""
    made_by(found, Posterior, "posterior", "po.elo_bayes(data)")
    one_of("part", part, (None, *PARTS))
    parts = []
    if part == "parameters" or (part is None and _estimated(found)):
        parts.append(_parameters(found))
    if part != "parameters":
        parts.append(_scores(found))
    return pl.concat(parts)


def _estimated(found: Posterior) -> bool:
    return found.settings["k"] in (None, "context") or found.settings["sigma"] is None


def _parameters(found: Posterior) -> pl.DataFrame:
    draws: dict[str, np.ndarray] = {}
    if found.settings["k"] in (None, "context"):
        k = found.draws["k"]
        if k.ndim == 3:  # a k for each context
            draws |= {f"k ({name})": k[..., i].ravel() for i, name in enumerate(found.values["k"])}
            draws["k_typical"] = found.draws["k_typical"].ravel()
        else:
            draws["k"] = k.ravel()
    if found.settings["sigma"] is None:
        draws["sigma"] = found.draws["sigma"].ravel()
    if not draws:
        raise ArgumentError(
            "k and sigma were both fixed in this fit: there is no parameter to draw."
        )
    slope = found.curve.slope
    scales = {
        name: found.settings["prior_sigma" if name == "sigma" else "prior_k"] / slope
        for name in draws
    }
    end = max(*(np.quantile(own, 0.999) for own in draws.values()), 3 * max(scales.values()))
    grid = np.linspace(0, end, GRID)
    tables = []
    for name, own in draws.items():
        if not name.startswith("k ("):  # their prior is centered on the typical k
            half_normal = (
                np.sqrt(2 / np.pi) / scales[name] * np.exp(-((grid / scales[name]) ** 2) / 2)
            )
            tables.append(_table("parameters", name, "prior", grid, half_normal))
        tables.append(_table("parameters", name, "posterior", grid, _density(own, grid, True)))
    return pl.concat(tables)


def _scores(found: Posterior) -> pl.DataFrame:
    final = found.final
    low, high = np.quantile(final, [0.0005, 0.9995])
    margin = 0.1 * (high - low)
    grid = np.linspace(low - margin, high + margin, GRID)
    return pl.concat(
        [
            _table("scores", name, "posterior", grid, _density(final[:, found.code(name)], grid))
            for name in found
        ]
    )


def _table(part: str, name: str, curve: str, grid: np.ndarray, density: np.ndarray) -> pl.DataFrame:
    return pl.DataFrame({"value": grid, "density": density}).select(
        pl.lit(part).alias("part"),
        pl.lit(name).alias("parameter"),
        pl.lit(curve).alias("curve"),
        pl.all(),
    )


def _density(draws: np.ndarray, grid: np.ndarray, positive: bool = False) -> np.ndarray:
    """Kernel density of draws, reflected at 0 for positive parameters."""
    from scipy.stats import gaussian_kde

    some = draws[np.linspace(0, len(draws) - 1, min(ENOUGH, len(draws))).astype(int)]
    step = grid[1] - grid[0]
    if some.std() < step:  # narrower than the grid spacing
        return np.exp(-(((grid - some.mean()) / step) ** 2) / 2) / (step * np.sqrt(2 * np.pi))
    smooth = gaussian_kde(some)
    smooth.set_bandwidth(max(smooth.factor, step / some.std()))
    return smooth(grid) + smooth(-grid) if positive else smooth(grid)


@figure(density_table)
def posterior(
    found: Posterior, *, part: str | None = None, width: float | None = None, ax: Axes | None = None
) -> Any:
    """Prior and posterior of k and σ, and densities of the final ratings.

    Parameters
    ----------
    found : Posterior, the result of `elo_bayes`.
    part : {"parameters", "scores"}; both by default ("parameters" if `ax` is given).
    width, ax : as in `trajectories`.

    Returns
    -------
    Axes, or an array of two.

    The table: part, parameter (or individual), curve (prior or posterior), value, density.

    Examples
    --------
    >>> import peckorder as po
    >>> post = po.elo_bayes(po.datasets.adv(), seed=1)
    >>> axes = po.plot.posterior(post)
    >>> [panel.get_xlabel() for panel in axes]
    ['k, σ (log odds)', 'Elo rating (log odds)']
    """
    table = density_table(found, part=part)
    tall = named_height(len(found), least=60)
    if ax is None and part is None and not _estimated(found):
        part = "scores"
    if ax is None and part is None:
        beside = checked_width(width, PAGE) >= LEAST_BESIDE
        if beside:
            axes = panels(1, 2, width, tall, width_ratios=(1, 1.2))[0]
        else:
            heights = (BELOW, min(tall, TALLEST - BELOW))
            axes = panels(2, 1, width, sum(heights), height_ratios=heights)[:, 0]
        _draw_parameters(axes[0], found, table.filter(pl.col("part") == "parameters"))
        _draw_scores(axes[1], found, table.filter(pl.col("part") == "scores"))
        if beside:
            axes[0].set_box_aspect(0.85)
            axes[0].set_anchor("N")
        return axes
    if part == "scores":
        axes = axes_for(ax, width, min(tall, TALLEST), usual=COLUMN if len(found) <= 40 else PAGE)
        _draw_scores(axes, found, table)
    else:
        axes = axes_for(ax, width, 60, usual=COLUMN)
        _draw_parameters(axes, found, table.filter(pl.col("part") == "parameters"))
    return axes


def _draw_parameters(axes: Any, found: Posterior, table: pl.DataFrame) -> None:
    after = table.filter(pl.col("curve") == "posterior")
    before = table.filter(pl.col("curve") == "prior")
    names = after["parameter"].unique(maintain_order=True).to_list()
    priors: dict[bytes, list[str]] = {}
    for (name,), part in before.group_by("parameter", maintain_order=True):
        priors.setdefault(part["density"].to_numpy().tobytes(), []).append(str(name))
    grid = after["value"].to_numpy()[:GRID]
    for density, owners in priors.items():
        label = "prior" if len(priors) == 1 else f"prior of {_sign(owners[0])}"
        axes.plot(grid, np.frombuffer(density), "--", color=GRAY, linewidth=0.9, label=label)
    for i, name in enumerate(names):
        density = after.filter(pl.col("parameter") == name)["density"].to_numpy()
        color = COLORS[(i + 1) % len(COLORS)]
        axes.fill_between(grid, density, color=color, alpha=0.25, linewidth=0)
        axes.plot(grid, density, color=color, linewidth=1, label=_sign(name))
    signs = dict.fromkeys("k" if name.startswith("k") else _sign(name) for name in names)
    unit = rating_title(found).partition(" (")[2].rstrip(")")
    axes.set_xlabel(f"{', '.join(signs)} ({unit})")
    axes.set_ylabel("Density")
    axes.set_xlim(0, grid[-1])
    axes.set_ylim(0, None)
    axes.legend()


def _sign(name: str) -> str:
    return SIGNS.get(name, name)


def _draw_scores(axes: Any, found: Posterior, table: pl.DataFrame) -> None:
    # A typical curve is as high as its row; the narrowest may overlap the row above.
    peaks = table.group_by("parameter").agg(pl.col("density").max())["density"].to_numpy()
    highest = max(float(np.median(peaks)), peaks.max() / 2)
    names = table["parameter"].unique(maintain_order=True).to_list()
    highest_of_all = 0.0
    for row, ((_,), part) in enumerate(table.group_by("parameter", maintain_order=True)):
        value = part["value"].to_numpy()
        top = row - 0.9 * part["density"].to_numpy() / highest
        highest_of_all = min(highest_of_all, float(top.min()))
        seen = row - top > 0.002
        axes.fill_between(
            value, row, top, where=seen, color=BLUE, alpha=0.45, linewidth=0, zorder=row + 2
        )
        axes.plot(value[seen], top[seen], color="white", linewidth=0.8, zorder=row + 2)
        axes.plot(value[seen], top[seen], color=BLUE, linewidth=0.5, zorder=row + 2)
    names_down(axes, names)
    axes.set_ylim(len(names) - 0.5, min(-0.6, highest_of_all - 0.1))
    axes.set_xlabel(rating_title(found))

"""Prior and posterior densities.

The likelihood of Elo settings: a curve for one setting, a map for two.

Reliability diagrams: predicted probabilities against observed outcomes.

Weights of the predictors of adaptive ratings over time: averaged Elo and the filters.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from peckorder.errors import ArgumentError, ArgumentTypeError
from peckorder.methods import label
from peckorder.plot import canvas
from peckorder.plot.canvas import BLUE, COLORS, COLUMN, FONT, GRAY, ORANGE, PAGE, TALLEST
from peckorder.plot.trajectories import along, rating_title
from peckorder.ratings.adaptive import AdaptiveRatings
from peckorder.ratings.posterior import Posterior
from peckorder.results import Measure
from peckorder.tables import as_polars
from peckorder.text import given, option_name
from peckorder.validate import is_number, one_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


PARTS = ("parameters", "scores")
GRID = 200  # points at which a density is evaluated
ENOUGH = 2000  # draws used for a density
BELOW = 50.0  # height in millimeters of the panel of parameters above that of ratings
SIGNS = {"sigma": "σ", "k_typical": "typical k"}


def density_table(found: Posterior, *, part: str | None = None) -> pl.DataFrame:
    """Prior and posterior densities of parameters, or posterior densities of final ratings."""
    canvas.made_by(found, Posterior, "posterior", "po.elo_bayes(data)")
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
        k = found.samples["k"]
        if k.ndim == 3:  # a k for each context
            draws |= {f"k ({name})": k[..., i].ravel() for i, name in enumerate(found.values["k"])}
            draws["k_typical"] = found.samples["k_typical"].ravel()
        else:
            draws["k"] = k.ravel()
    if found.settings["sigma"] is None:
        draws["sigma"] = found.samples["sigma"].ravel()
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
    """Normal kernel density of draws (Scott's rule), reflected at 0 for positive parameters."""
    some = draws[np.linspace(0, len(draws) - 1, min(ENOUGH, len(draws))).astype(int)]
    width = max(some.std(ddof=1) * len(some) ** -0.2, grid[1] - grid[0])
    both = np.concatenate([some, -some]) if positive else some
    away = (grid[:, None] - both) / width
    return np.exp(-0.5 * away * away).sum(axis=1) / (len(some) * width * np.sqrt(2 * np.pi))


@canvas.figure(density_table)
def posterior(
    found: Posterior,
    *,
    part: Literal["parameters", "scores"] | None = None,
    width: float | None = None,
    ax: Axes | None = None,
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
    tall = canvas.named_height(len(found), least=60)
    if ax is None and part is None and not _estimated(found):
        part = "scores"
    if ax is None and part is None:
        beside = canvas.checked_width(width, PAGE) >= canvas.LEAST_BESIDE
        if beside:
            axes = canvas.panels(1, 2, width, tall, width_ratios=(1, 1.2))[0]
        else:
            heights = (BELOW, min(tall, TALLEST - BELOW))
            axes = canvas.panels(2, 1, width, sum(heights), height_ratios=heights)[:, 0]
        _draw_parameters(axes[0], found, table.filter(pl.col("part") == "parameters"))
        _draw_scores(axes[1], found, table.filter(pl.col("part") == "scores"))
        if beside:
            axes[0].set_box_aspect(0.85)
            axes[0].set_anchor("N")
        return axes
    if part == "scores":
        axes = canvas.axes_for(
            ax, width, min(tall, TALLEST), usual=COLUMN if len(found) <= 40 else PAGE
        )
        _draw_scores(axes, found, table)
    else:
        axes = canvas.axes_for(ax, width, 60, usual=COLUMN)
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
    canvas.names_down(axes, names)
    axes.set_ylim(len(names) - 0.5, min(-0.6, highest_of_all - 0.1))
    axes.set_xlabel(rating_title(found))


UNITLESS = ("carry_over", "delta")
MAPPED = 10.0  # differences of log-likelihood shown in a map


def grid_table(found: Measure) -> pl.DataFrame:
    """The log-likelihood at each point of the grid."""
    canvas.made_by(
        found, Measure, "likelihood", "po.likelihood_surface(data)", "likelihood_surface"
    )
    if len(found.values["best"]) > 2:
        raise ArgumentError(
            "A figure shows one or two settings. Choose them with over= in likelihood_surface."
        )
    return found.as_polars()


@canvas.figure(grid_table)
def likelihood(
    found: Measure,
    *,
    marks: Mapping[str, float] | None = None,
    width: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Log-likelihood of Elo settings relative to the maximum: a curve, or a map of two settings.

    Parameters
    ----------
    found : Measure, the result of `peckorder.likelihood_surface`.
    marks : values to mark on a curve, by label, such as {"default": 100}.
    width, ax : as in `trajectories`.

    Curve: the dashed line limits the likelihood interval; the point is the maximum. Map: contours
    are log-likelihoods 1, 2, 5 and 10 below the maximum.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.likelihood_surface(po.datasets.adv(), over={"k": (0, 400)})
    >>> po.plot.likelihood(found).get_xlabel()
    'k (points)'
    """
    table = grid_table(found)
    names = list(found.values["best"])
    best = list(found.values["best"].values())
    axes = canvas.axes_for(ax, width, 60 if len(names) == 1 else 75)
    draw = _curve if len(names) == 1 else _map
    draw(axes, table, names, found.settings["level"])
    axes.plot(
        best[0], 0.0 if len(names) == 1 else best[1], "o", color=ORANGE, markersize=4, zorder=3
    )
    if marks is not None:
        if len(names) > 1:
            raise ArgumentError(f"{option_name('marks')} is for a curve of one setting.")
        if not isinstance(marks, Mapping) or not all(map(is_number, marks.values())):
            raise ArgumentTypeError(f"{given('marks', marks)}: give places by label.")
        _marked(axes, dict(marks))
    axes.set_xlabel(_title(names[0], found.settings))
    if len(names) > 1:
        axes.set_ylabel(_title(names[1], found.settings))
    highest = f"−{abs(found.values['value']):.2f}"
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


def bin_table(found: Measure) -> pl.DataFrame:
    """Mean prediction and observed outcome of each bin."""
    canvas.made_by(found, Measure, "calibration", "po.calibration(ratings)", "calibration")
    return found.as_polars()


@canvas.figure(bin_table)
def calibration(found: Measure, *, width: float | None = None, ax: Axes | None = None) -> Axes:
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
    axes = canvas.axes_for(ax, width, 85)
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
    if found.values["value"] is not None:
        slope, low, high = (found.values[name] for name in ("value", "low", "high"))
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


WEIGHT_PARTS = ("drift", "spread")


def weights_table(
    ratings: AdaptiveRatings, *, part: str = "drift", over: str | None = None
) -> pl.DataFrame:
    """One row per moment: the weights of averaged Elo and of sets of filters, which sum to 1."""
    canvas.made_by(ratings, AdaptiveRatings, "weights", "po.adaptive(data)")
    one_of("part", part, WEIGHT_PARTS)
    along(ratings.data, over)
    frame = as_polars(ratings.weights())
    own = [name for name in frame.columns if name.startswith(f"{part}_")]
    when = [name for name in ("contest", "date") if name in frame.columns]
    return frame.select(*when, "elo", *(pl.col(name) * (1 - pl.col("elo")) for name in own))


@canvas.figure(weights_table)
def weights(
    ratings: AdaptiveRatings,
    *,
    part: Literal["drift", "spread"] = "drift",
    over: Literal["date", "contest"] | None = None,
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
    axes = canvas.axes_for(ax, width, 62)
    from matplotlib import colormaps

    shades = colormaps["Blues"](np.linspace(0.25, 0.95, len(sets)))
    drawn = axes.stackplot(
        table[x].to_numpy(),
        *(table[name].to_numpy() for name in ("elo", *sets)),
        colors=[canvas.LIGHT, *shades],
        step="post",
        linewidth=0,
    )
    axes.set_ylim(0, 1)
    axes.margins(x=0)
    axes.set_ylabel("Weight")
    canvas.time_axis(axes, ratings.data.date if x == "date" else None)
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

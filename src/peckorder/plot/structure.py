"""Steepness and shape of a hierarchy.

Gaps between visits to a feeder: a histogram on a logarithmic scale.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from peckorder.errors import ArgumentError
from peckorder.plot import canvas
from peckorder.plot.canvas import BLUE, COLUMN, FONT, GRAY, LIGHT, MILLIMETER, ORANGE, PAGE, POINT
from peckorder.results import Measure
from peckorder.results.samples import slopes
from peckorder.structure.dominance_style import DominanceStyle
from peckorder.structure.steepness import Steepness
from peckorder.structure.steepness_published import SteepnessPosterior
from peckorder.text import p_text
from peckorder.validate import one_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


PARTS = ("scores", "null")
LINES = 100  # posterior lines drawn
CONSTANT = 1e-6
BINS = 40
CONSTANT = 1e-6  # a smaller range is that of rounding
MOST_NAMED = 25  # points with a name


def steepness_table(found: Steepness, *, part: str | None = None) -> pl.DataFrame:
    """Scores with the fitted line, or the steepness of each randomized matrix."""
    canvas.made_by(found, Measure, "steepness", "po.steepness(data)", "steepness")
    if one_of("part", part, (None, *PARTS)) == "null":
        return pl.DataFrame({"steepness": found.null})
    return found.as_polars()


@canvas.figure(steepness_table)
def steepness(
    found: Steepness,
    *,
    part: Literal["scores", "null"] | None = None,
    width: float | None = None,
    ax: Axes | None = None,
) -> Any:
    """Normalized David's scores on ranks with the fitted line, and the null distribution.

    Parameters
    ----------
    found : result of `steepness`.
    part : {"scores", "null"}; both by default ("scores" if `ax` is given).
    width, ax : as in `trajectories`.

    Returns
    -------
    Axes, or an array of two.

    The table: individual, rank, normds, fitted; for part "null" steepness, one row per randomized
    matrix.

    Examples
    --------
    >>> import peckorder as po
    >>> axes = po.plot.steepness(po.steepness(po.datasets.bonobos(), runs=500, seed=1))
    >>> [panel.get_xlabel() for panel in axes]
    ['Rank', 'Steepness under randomization']
    """
    steepness_table(found, part=part)
    if ax is None and part is None:
        axes = canvas.panels(1, 2, width, _height(found))[0]
        _scores(axes[0], found)
        _null(axes[1], found)
        return axes
    axes = canvas.axes_for(ax, width, 65 if part == "null" else _height(found), usual=COLUMN)
    (_null if part == "null" else _scores)(axes, found)
    return axes


def _scores(axes: Any, found: Steepness) -> None:
    table = steepness_table(found)
    rank, normds = table["rank"].to_numpy(), table["normds"].to_numpy()
    axes.plot(rank, table["fitted"], color=ORANGE, linewidth=1, zorder=3)
    axes.plot(rank, normds, "o", color=BLUE, markersize=4 if len(rank) <= 30 else 2.5)
    _ranked(axes, table["individual"].to_list())
    axes.set_ylabel("Normalized David's score")
    values = found.values
    text = f"NormDS = {values['intercept']:.2f} − {values['value']:.3f} × rank"
    axes.text(0.98, 0.98, text, transform=axes.transAxes, ha="right", va="top", color=ORANGE)
    axes.set_ylim(min(0.0, float(normds.min())) - 0.03 * normds.max(), 1.22 * float(normds.max()))


def _null(axes: Any, found: Steepness) -> None:
    value = found.values["value"]
    counts, edges = null_bins(found)
    axes.stairs(counts, edges, fill=True, color=LIGHT)
    ends = edges[0], edges[-1]
    axes.axvline(value, color=ORANGE, linewidth=1.2)
    right = value > (ends[0] + ends[1]) / 2
    p = found.values["p"]
    axes.annotate(
        f"observed {value:.2f}\n{p_text(p)}",
        (value, 0.97),
        xycoords=("data", "axes fraction"),
        xytext=(-3 if right else 3, 0),
        textcoords="offset points",
        va="top",
        ha="right" if right else "left",
        color=ORANGE,
        fontsize=7,
    )
    axes.set_xlabel("Steepness under randomization")
    axes.set_ylabel(f"Randomizations (of {found.values['runs']:,})")
    axes.set_ylim(0, axes.get_ylim()[1] * 1.15)


def null_bins(found: Steepness) -> tuple[np.ndarray, np.ndarray]:
    """Histogram of the null distribution: counts, and edges that include the observed value."""
    null, value = found.null, found.values["value"]
    low, high = min(null.min(), value), max(null.max(), value)
    if high - low < CONSTANT:
        low, high = low - CONSTANT, high + CONSTANT
    return np.histogram(null, BINS, (low, high))


def _ranked(axes: Any, names: list[str]) -> None:
    """Ranks on the horizontal axis, with names if they fit."""
    axes.set_xlabel("Rank")
    if len(names) > MOST_NAMED:
        canvas.rank_ticks(axes.xaxis, len(names))
        return
    upright = _upright(names)
    labels = [
        f"{rank} {name}" if upright else f"{rank}\n{name}"
        for rank, name in enumerate(canvas.shown(names), start=1)
    ]
    size = float(np.clip(130 / len(names), 5, FONT))
    canvas.tick_names(
        axes.xaxis, range(1, len(names) + 1), labels, size, rotation=90 if upright else 0
    )


def _upright(names: list[str]) -> bool:
    """Whether names on the horizontal axis must be rotated to fit."""
    return max(map(len, names)) * len(names) > 35


def _height(found: Measure) -> float:
    """Height in millimeters, with room for rotated names."""
    names = canvas.shown(found.as_polars()["individual"])
    if len(names) > MOST_NAMED or not _upright(names):
        return 65.0
    return 62 + 0.65 * (max(map(len, names)) + 2) * FONT * POINT / MILLIMETER


def dominance_style_table(found: DominanceStyle) -> pl.DataFrame:
    """Published groups, the group itself, and what is expected by chance."""
    call = "po.questions.dominance_style(data)"
    canvas.made_by(found, Measure, "dominance_style", call, "dominance_style")
    columns = ["group", "linearity", "steepness", "similar"]
    own = {
        "group": ["this group", "by chance"],
        "linearity": [found.linearity, found.linearity_expected],
        "steepness": [found.steepness, found.steepness_expected],
        "similar": [None, None],
    }
    published = found.as_polars().select(columns)
    return pl.concat([published, pl.DataFrame(own, schema=published.schema)])


@canvas.figure(dominance_style_table)
def dominance_style(
    found: DominanceStyle, *, width: float | None = None, ax: Axes | None = None
) -> Axes:
    """Linearity and steepness of a group in one plane, among published groups.

    Parameters
    ----------
    found : result of `dominance_style`.
    width, ax : as in `trajectories`.

    Filled points are groups of similar size and effort; the cross is expected by chance. The table:
    group, linearity, steepness, similar.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.questions.dominance_style(po.datasets.bonobos(), runs=100, seed=1)
    >>> po.plot.dominance_style(found).get_xlabel()
    'Linearity h′'
    """
    points = dominance_style_table(found)
    axes = canvas.axes_for(ax, width, 75, usual=COLUMN)
    for left in (True, False):  # names stand on the inner side of their points
        side = points.filter((pl.col("linearity") < 0.7) == left)
        heights = canvas.spread(side["steepness"].to_numpy(), 0.06, -0.02, 1.02)
        for (name, x, y, similar), height in zip(side.rows(), heights, strict=True):
            own, chance = name == "this group", name == "by chance"
            color = BLUE if own else ORANGE if chance else GRAY
            axes.plot(
                x,
                y,
                "D" if own else "+" if chance else "o",
                color=color,
                markerfacecolor=color if own or similar else "none",
                markersize=6 if own else 4,
            )
            axes.annotate(
                name,
                (x + (0.03 if left else -0.03), height),
                ha="left" if left else "right",
                va="center",
                fontsize=canvas.SMALL,
                color=color,
            )
    axes.set_xlim(-0.03, 1.03)
    axes.set_ylim(-0.03, 1.03)
    axes.set_xlabel("Linearity h′")
    axes.set_ylabel("Steepness")
    return axes


def shape_table(found: Measure) -> pl.DataFrame:
    """Proportion of contests won by the higher-ranked, by rank difference."""
    canvas.made_by(found, Measure, "shape", "po.hierarchy_shape(data)", "hierarchy_shape")
    return found.as_polars()


@canvas.figure(shape_table)
def shape(found: Measure, *, width: float | None = None, ax: Axes | None = None) -> Axes:
    """Proportion of wins of the higher-ranked by rank difference, with intervals.

    Parameters
    ----------
    found : result of `hierarchy_shape`.
    width, ax : as in `trajectories`.

    Numbers of contests are printed above. The table: rank_difference, contests, value, low, high.

    Examples
    --------
    >>> import peckorder as po
    >>> axes = po.plot.shape(po.hierarchy_shape(po.datasets.bonobos()))
    >>> axes.get_ylabel()
    'P(higher-ranked wins)'
    """
    table = shape_table(found)
    axes = canvas.axes_for(ax, width, 60, usual=COLUMN if table.height <= 20 else PAGE)
    far, share = table["rank_difference"].to_numpy(), table["value"].to_numpy()
    reach = [(share - table["low"].to_numpy()).clip(0), (table["high"].to_numpy() - share).clip(0)]
    axes.axhline(0.5, color=GRAY, linestyle="--", linewidth=0.7)
    axes.errorbar(far, share, yerr=reach, fmt="o", color=BLUE, markersize=3.5, linewidth=0.9)
    small = table.height > 12
    every = -(-table.height // 60)  # there is no room for more numbers
    for x, number in list(zip(far, table["contests"], strict=True))[::every]:
        axes.annotate(
            f"{number:,}",
            (x, 1.04),
            ha="center",
            va="bottom",
            fontsize=5 if small else 6,
            color=GRAY,
            rotation=90 if small else 0,
        )
    axes.annotate(
        "n",
        (-0.01, 1.04),
        xycoords=axes.get_yaxis_transform(),
        ha="right",
        va="bottom",
        fontsize=6,
        color=GRAY,
        annotation_clip=False,
    )
    axes.set_xlabel("Rank difference")
    axes.set_ylabel("P(higher-ranked wins)")
    axes.set_xlim(far.min() - 0.6, far.max() + 0.6)
    least = min(0.45, float(table["low"].min() or 0.0)) - 0.02  # pyright: ignore
    axes.set_ylim(least, 1.04 + (0.16 if small else 0.09) * (1.04 - least))
    axes.set_yticks([tick for tick in axes.get_yticks() if least <= tick <= 1.001])
    canvas.rank_ticks(axes.xaxis, far.max())
    return axes


def summed_table(found: SteepnessPosterior) -> pl.DataFrame:
    """Summed winning probabilities with intervals, by rank."""
    canvas.made_by(
        found, Measure, "summed_probability", "po.steepness_bayes(data)", "steepness_bayes"
    )
    if "individual" not in found.as_polars().columns or "date" in found.as_polars().columns:
        raise ArgumentError(
            "plot.summed_probability draws one point in time: compute steepness_bayes for a single "
            "date."
        )
    return found.as_polars().select("individual", "rank", "score", "score_low", "score_high")


def posterior_lines(found: SteepnessPosterior, number: int = LINES) -> np.ndarray:
    """Intercept and slope of scores on ranks, (lines, 2), for evenly spaced draws."""
    scores = found.scores
    scores = scores[np.linspace(0, len(scores) - 1, min(number, len(scores))).astype(int)]
    slope = -slopes(scores)
    middle = (scores.shape[1] + 1) / 2
    return np.column_stack([scores.mean(axis=1) - slope * middle, slope])


@canvas.figure(summed_table)
def summed_probability(
    found: SteepnessPosterior, *, width: float | None = None, ax: Axes | None = None
) -> Axes:
    """Summed winning probabilities on ranks, with regression lines of posterior draws.

    Parameters
    ----------
    found : result of `steepness_bayes`.
    width, ax : as in `trajectories`.

    The absolute slope of each line is one posterior draw of steepness. Points are posterior means
    with 95% intervals. The table: individual, rank, score, score_low, score_high.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.steepness_bayes(po.datasets.adv(), seed=1)
    >>> po.plot.summed_probability(found).get_ylabel()
    'Summed winning probability'
    """
    table = summed_table(found)
    axes = canvas.axes_for(ax, width, _height(found), usual=COLUMN)
    rank, score = table["rank"].to_numpy(), table["score"].to_numpy()
    ends = np.array([1.0, table.height])
    for intercept, slope in posterior_lines(found):
        axes.plot(ends, intercept + slope * ends, color=ORANGE, linewidth=0.4, alpha=0.2, zorder=1)
    low, high = (table[f"score_{end}"].to_numpy() for end in ("low", "high"))
    order = np.arange(1.0, table.height + 1)
    reach = [(score - low).clip(0), (high - score).clip(0)]
    axes.errorbar(
        order,
        score,
        yerr=reach,
        fmt="o",
        color=BLUE,
        markersize=4 if len(rank) <= 30 else 2,
        linewidth=0.8,
        zorder=3,
    )
    _ranked(axes, table["individual"].to_list())
    value = found.values["value"]
    text = f"steepness {value.value:.2f} (95% CrI {value.low:.2f}–{value.high:.2f})"
    axes.text(0.98, 0.98, text, transform=axes.transAxes, ha="right", va="top", color=ORANGE)
    axes.set_ylabel("Summed winning probability")
    axes.set_ylim(min(0.0, float(low.min())) - 0.03 * high.max(), 1.15 * float(high.max()))
    return axes


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
    canvas.made_by(found, Measure, "gaps", "po.visit_gaps(visits)", "visit_gaps")
    return found.tables["gaps"]


@canvas.figure(gaps_table)
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
    axes = canvas.axes_for(ax, width, 60)
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

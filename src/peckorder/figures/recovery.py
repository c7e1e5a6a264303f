"""Recovery of ranks: error by number of contests, and estimated against true ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peckorder.checked import one_of
from peckorder.data.interactions import Interactions
from peckorder.errors import ArgumentError
from peckorder.figures.canvas import (
    BLUE,
    COLUMN,
    GRAY,
    LEAST_BESIDE,
    PAGE,
    axes_for,
    checked_width,
    figure,
    made_by,
    panels,
    rank_ticks,
)
from peckorder.results import Measure
from peckorder.wording import option

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PARTS = ("time", "ranks")


def error_table(found: Measure, *, part: str | None = None) -> pl.DataFrame:
    """Rank error by number of contests, or frequencies of estimated ranks by true rank."""
    made_by(found, Measure, "recovery", "po.recovery(data)", "recovery", "rank_error")
    if one_of("part", part, (None, *PARTS)) == "ranks":
        if "true_rank" not in found.draws:
            raise ArgumentError(
                f"{found.method} contains errors over time but no estimated ranks: use "
                f'po.recovery(data) for part="ranks".'
            )
        pairs = pl.DataFrame(
            {
                "true_rank": found.draws["true_rank"].ravel(),
                "estimated_rank": found.draws["estimated_rank"].ravel(),
            }
        ).filter(pl.col("true_rank").is_not_nan())
        counted = pairs.group_by("true_rank", "estimated_rank").len("records")
        share = pl.col("records") / pl.col("records").sum().over("true_rank")
        return counted.with_columns(share=share).sort("true_rank", "estimated_rank")
    if found.method == "rank_error":
        return found.as_polars().select("contest", pl.col("mae").alias("rank_mae"))
    table = found.tables["over_time"]
    if isinstance(found.data, Interactions) and not found.data.ordered:
        raise ArgumentError(
            f"The order of these contests is unknown, so there are no errors over time. Use "
            f"{option('part', 'ranks')}."
        )
    if table["rank_mae"].null_count() == table.height:
        raise ArgumentError(
            f"{found.settings['method']} gives a single order for all contests, so there are no "
            f"errors over time. Use {option('part', 'ranks')}."
        )
    return table


@figure(error_table)
def recovery(
    found: Measure, *, part: str | None = None, width: float | None = None, ax: Axes | None = None
) -> Any:
    """Rank error against the number of contests, and estimated against true ranks.

    Parameters
    ----------
    found : result of `recovery`, or of `simulate.rank_error` (errors over time only).
    part : {"time", "ranks"}; all that is available by default ("time" if `ax` is given).
    width, ax : as in `trajectories`.

    Returns
    -------
    Axes, or an array of two.

    The area of a circle is proportional to the share of simulated records in which an individual
    of that true rank received that estimated rank. The table: contest, rank_mae; for part "ranks"
    true_rank, estimated_rank, records, share.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.recovery(po.datasets.adv(), k=200, runs=20, seed=1)
    >>> [panel.get_xlabel() for panel in po.plot.recovery(found)]
    ['Contests observed', 'True rank']
    """
    one_of("part", part, (None, *PARTS))
    if part is None and ax is None:
        kinds = [kind for kind in PARTS if _has(found, kind)]
        part = kinds[0] if len(kinds) == 1 else None
    if part is None and ax is None:
        if checked_width(width, PAGE) >= LEAST_BESIDE:
            axes = panels(1, 2, width, 70)[0]
        else:
            axes = panels(2, 1, width, 125, height_ratios=(1, 1.4))[:, 0]
        _time(axes[0], found)
        _ranks(axes[1], found)
        return axes
    error_table(found, part=part)
    axes = axes_for(ax, width, 70, usual=COLUMN)
    (_ranks if part == "ranks" else _time)(axes, found)
    return axes


def _has(found: Measure, part: str) -> bool:
    try:
        return error_table(found, part=part) is not None
    except ValueError:
        return False


def _time(axes: Any, found: Measure) -> None:
    table = error_table(found, part="time").drop_nulls("rank_mae")
    axes.plot(
        table["contest"],
        table["rank_mae"],
        color=BLUE,
        linewidth=1,
        marker="o" if table.height <= 30 else "",
        markersize=3,
    )
    axes.set_xlabel("Contests observed")
    axes.set_ylabel("Mean absolute rank error")
    axes.set_ylim(0, max(0.1, 1.1 * float(table["rank_mae"].max())))  # pyright: ignore
    axes.set_xlim(0, None)


def _ranks(axes: Any, found: Measure) -> None:
    table = error_table(found, part="ranks")
    size = float(table["true_rank"].max())  # pyright: ignore[reportArgumentType]
    largest = (110 / size) ** 2  # in square points: full circles touch
    axes.plot([1, size], [1, size], color=GRAY, linestyle="--", linewidth=0.7, zorder=1)
    axes.scatter(
        table["true_rank"],
        table["estimated_rank"],
        s=largest * np.maximum(table["share"], 0.02),
        color=BLUE,
        alpha=0.8,
        linewidth=0,
        zorder=2,
        clip_on=False,  # circles of the first and last ranks
    )
    for axis in (axes.xaxis, axes.yaxis):
        rank_ticks(axis, size)
    axes.set(
        xlim=(0.4, size + 0.6),
        ylim=(size + 0.6, 0.4),
        xlabel="True rank",
        ylabel="Estimated rank",
        aspect="equal",
    )

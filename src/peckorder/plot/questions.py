"""Questions to a ranking: what a claim hangs on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from peckorder.plot.canvas import (
    BLUE,
    COLUMN,
    GRAY,
    LIGHT,
    ORANGE,
    SMALL,
    axes_for,
    figure,
    made_by,
)
from peckorder.results import Measure
from peckorder.text import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_NAMED = 8  # removals


def fragility_table(found: Measure) -> pl.DataFrame:
    """The margin after each removal, and after random removals of as many contests."""
    made_by(found, Measure, "fragility", 'po.fragility(data, "b first")', "fragility")
    steps = found.as_polars().with_columns(pl.col("contests").cum_sum())
    named = pl.when(pl.col("winner").is_null()).then("unit").otherwise(_contest())
    path = steps.select("contests", "margin", removed=named)
    start = pl.DataFrame({"contests": [0], "margin": [found.values["margin"]], "removed": [None]})
    whole = pl.concat([start.cast(path.schema), path])  # pyright: ignore[reportArgumentType]
    return whole.join(found.tables["random"], on="contests", how="full", coalesce=True).sort(
        "contests"
    )


def _contest() -> pl.Expr:
    row = (
        pl.when(pl.col("row").is_null())
        .then(pl.lit(""))
        .otherwise(pl.concat_str(pl.col("row").cast(pl.String), pl.lit(": ")))
    )
    return pl.concat_str(row, "winner", pl.lit(" > "), "loser")


@figure(fragility_table)
def fragility(found: Measure, *, width: float | None = None, ax: Axes | None = None) -> Any:
    """Margin of a claim as contests are removed, and after random removals.

    Parameters
    ----------
    found : result of `fragility`.
    width, ax : as in `trajectories`.

    Returns
    -------
    Axes

    The claim is false at 0 and below. The band holds 90% of random removals of as many contests,
    the gray line is their median. The table: contests, margin, removed, low, median, high.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.fragility(po.datasets.table3(), "c first", seed=1)
    >>> po.plot.fragility(found).get_ylabel()
    'Margin of "c first"'
    """
    table = fragility_table(found)
    axes = axes_for(ax, width, 60, usual=COLUMN)
    chance, path = table.drop_nulls("median"), table.drop_nulls("margin")
    axes.axhline(0, color=GRAY, linewidth=0.7, zorder=1)
    if chance.height:
        number = [0, *chance["contests"]]
        low, middle, high = (
            [found.values["margin"], *chance[name]] for name in ("low", "median", "high")
        )
        axes.fill_between(number, low, high, color=LIGHT, linewidth=0, alpha=0.6, label="random")
        axes.plot(number, middle, color=GRAY, linewidth=0.8)
    axes.plot(path["contests"], path["margin"], "o-", color=BLUE, markersize=4, linewidth=1.2)
    false = path.filter(pl.col("margin") <= 0)
    axes.plot(false["contests"], false["margin"], "o", color=ORANGE, markersize=5)
    if path.height <= MOST_NAMED + 1:
        for row in path.drop_nulls("removed").iter_rows(named=True):
            axes.annotate(
                shortened(row["removed"]),
                (row["contests"], row["margin"]),
                xytext=(5, 3),
                textcoords="offset points",
                fontsize=SMALL,
            )
    last = max(int(path["contests"].max()), int(chance["contests"].max() or 0))  # pyright: ignore
    axes.set_xlim(-0.02 * last, 1.12 * last)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_xlabel("Contests removed")
    axes.set_ylabel(f'Margin of "{shortened(found.settings["claim"])}"')
    return axes

"""The probability of each rank for each individual, as a heat map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peckorder.figures.canvas import (
    COLUMN,
    FONT,
    PAGE,
    SMALL,
    axes_for,
    figure,
    named_height,
    names_down,
    rank_ticks,
)
from peckorder.figures.orders import rank_table, score_draws
from peckorder.results import Measure, Order
from peckorder.results.sampled import SampledRatings
from peckorder.results.sampled import ranks as ranks_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_WRITTEN = 12  # individuals whose probabilities are written into the cells


def probability_table(
    found: Any, *, at: Any = None, individuals: Sequence[str] | None = None
) -> pl.DataFrame:
    """One row per individual and rank, with the share of draws in which it holds that rank."""
    ordered = rank_table(found, at=at, individuals=individuals, kind="rank_probabilities")
    names = ordered["individual"].to_list()
    rank = ranks_of(score_draws(found, names, at))
    size = len(names)
    share = np.array([(rank == place).mean(axis=0) for place in range(1, size + 1)]).T
    return pl.DataFrame(
        {
            "individual": np.repeat(names, size),
            "rank": np.tile(np.arange(1, size + 1), size),
            "probability": share.ravel(),
        }
    )


@figure(probability_table)
def rank_probabilities(
    found: SampledRatings | Order | Measure,
    *,
    at: Any = None,
    individuals: Sequence[str] | None = None,
    width: float | None = None,
    ax: Axes | None = None,
) -> Any:
    """Probability of each rank for each individual: the darker, the more probable.

    Parameters
    ----------
    found : result of `dynamic`, `elo_bayes`, `steepness_bayes` or `randomized_elo`.
    at : a date (or the number of a contest)
        With a posterior, rank the individuals present at that time.
    individuals : names; ranks are those among these individuals only. All by default.
    width, ax : as in `trajectories`.

    Rows sum to 1, as do columns. Probabilities are written into the cells of up to 12 individuals;
    those below 0.005 are left blank. With `randomized_elo` they are shares of random orders of the
    contests, which are not posterior probabilities. The table: individual, rank, probability.

    Examples
    --------
    >>> import peckorder as po
    >>> order = po.randomized_elo(po.datasets.adv(), runs=200, seed=1)
    >>> po.plot.rank_probabilities(order).get_xlabel()
    'Rank (1 = highest)'
    """
    table = probability_table(found, at=at, individuals=individuals)
    names = table["individual"].unique(maintain_order=True).to_list()
    size = len(names)
    share = table["probability"].to_numpy().reshape(size, size)
    usual = COLUMN if size <= 25 else PAGE
    axes = axes_for(ax, width, named_height(size, least=62, margin=22), usual=usual)
    from matplotlib.colors import PowerNorm

    # Shades by the square root, so that small probabilities, of which there are many, are seen.
    most = max(float(share.max()), 0.2)
    shade = PowerNorm(0.5, vmin=0, vmax=most)
    drawn = axes.imshow(share, cmap="Blues", norm=shade, aspect="auto", zorder=0)
    if size <= MOST_WRITTEN:
        _write(axes, share, shade(share) > 0.62)
    names_down(axes, names)
    axes.set_ylim(size - 0.5, -0.5)
    axes.set_xlim(-0.5, size - 0.5)
    rank_ticks(axes.xaxis, size, shift=-1)
    axes.set_xlabel("Rank (1 = highest)")
    bar = axes.figure.colorbar(
        drawn, ax=axes, location="top", fraction=0.05, aspect=40, pad=0.02, shrink=0.6
    )
    bar.set_ticks([tick for tick in (0, 0.05, 0.25, 0.5, 1) if tick <= most])
    bar.ax.xaxis.set_major_formatter("{x:g}")
    bar.set_label("Probability of the rank", fontsize=FONT)
    bar.outline.set_visible(False)
    return axes


def _write(axes: Any, share: np.ndarray, dark: np.ndarray) -> None:
    """Probabilities in the cells, white where the cell is dark."""
    for i, row in enumerate(share):
        for j, value in enumerate(row):
            if value >= 0.005:
                axes.text(
                    j,
                    i,
                    f"{value:.2f}".lstrip("0") if value < 0.995 else "1",
                    ha="center",
                    va="center",
                    fontsize=SMALL,
                    color="white" if dark[i, j] else "black",
                )

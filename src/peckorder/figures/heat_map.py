"""A heat map of probabilities: individuals in rows, ranks or final places in columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from peckorder.figures.canvas import FONT, SMALL, names_down, rank_ticks

MOST_WRITTEN = 12  # individuals whose probabilities are written into the cells
ROUND = (1.0, 0.5, 0.3, 0.2, 0.1, 0.05, 0.01)  # ticks of the scale, the largest first
LEAST_APART = 0.28  # of two ticks, as a share of the length of the scale
DARK = 0.62  # shade from which text is white


def shades(share: np.ndarray) -> Any:
    """Shades by the square root, so that small probabilities, of which there are many, are seen."""
    from matplotlib.colors import PowerNorm

    return PowerNorm(0.5, vmin=0, vmax=max(float(share.max()), 0.2))


def probability_map(axes: Any, share: np.ndarray, names: Sequence[str], title: str) -> None:
    """Probabilities (individuals, places) with names on the left and a scale above."""
    size, places = share.shape
    shade = shades(share)
    drawn = axes.imshow(share, cmap="Blues", norm=shade, aspect="auto", zorder=0)
    if size <= MOST_WRITTEN:
        write_in_cells(axes, share, shade(share) > DARK, small_probability)
    names_down(axes, names)
    axes.set_ylim(size - 0.5, -0.5)
    axes.set_xlim(-0.5, places - 0.5)
    rank_ticks(axes.xaxis, places, shift=-1)
    bar = axes.figure.colorbar(
        drawn, ax=axes, location="top", fraction=0.05, aspect=40, pad=0.02, shrink=0.6
    )
    bar.set_ticks(scale_ticks(float(shade.vmax)))
    bar.ax.xaxis.set_major_formatter("{x:g}")
    bar.set_label(title, fontsize=FONT)
    bar.outline.set_visible(False)


def scale_ticks(most: float) -> list[float]:
    """Ticks of a scale of shades up to the largest probability, far enough apart to be read.

    >>> scale_ticks(1.0), scale_ticks(0.22)
    ([0.0, 0.1, 0.5, 1.0], [0.0, 0.05, 0.2])
    """
    kept = [0.0]
    for tick in ROUND:
        apart = min(abs(np.sqrt(tick / most) - np.sqrt(other / most)) for other in kept)
        if tick <= most and apart >= LEAST_APART:
            kept.append(tick)
    return sorted(kept)


def small_probability(value: float) -> str:
    """A probability in a small cell: .51; nothing below 0.005."""
    if value < 0.005:
        return ""
    return f"{value:.2f}".lstrip("0") if value < 0.995 else "1"


def percent(value: float) -> str:
    """A probability as a percentage, of which the smallest and largest are not rounded away."""
    if value <= 0 or value >= 1:
        return "100%" if value >= 1 else "–"
    if value <= 0.005:
        return "<1%"
    return ">99%" if value >= 0.995 else f"{value:.0%}"


def write_in_cells(
    axes: Any, share: np.ndarray, dark: np.ndarray, text_of: Any, size: float = SMALL
) -> None:
    """Probabilities in the cells, white where the cell is dark."""
    for i, row in enumerate(share):
        for j, value in enumerate(row):
            text = text_of(value)
            if text:
                axes.text(
                    j,
                    i,
                    text,
                    ha="center",
                    va="center",
                    fontsize=size,
                    color="white" if dark[i, j] else "black",
                )

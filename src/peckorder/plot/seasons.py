"""Seasons to come: chances of final places, and of the rounds of a knock-out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peckorder.errors import ArgumentTypeError
from peckorder.evaluation.league import finish_columns, finish_ranges
from peckorder.plot import canvas
from peckorder.plot.canvas import COLUMN, FONT, PAGE
from peckorder.plot.matrix import DARK_CELL, percent, probability_map, shades, write_in_cells
from peckorder.results import Measure
from peckorder.results.result import Result
from peckorder.tables import as_polars

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDE_COLUMN = 26.0  # points: a column of percentages beside the map
MOST_NARROW = 12  # sides that fit in one column of a page


def places_table(
    season: Measure, *, finish: Mapping[str, int | tuple[int, int]] | None = None
) -> pl.DataFrame:
    """One row per side: the share of each place, and of each range of places."""
    example = "po.sport.simulate_season(ratings, fixtures=…)"
    canvas.made_by(season, Measure, "places", example, "simulate_season")
    listed = as_polars(season.tables["places"])
    names = listed["individual"].unique(maintain_order=True)
    size = len(names)
    share = listed["share"].to_numpy().reshape(size, size)
    wanted = finish_ranges(_asked(season) if finish is None else finish, size)
    each = [pl.Series(f"place_{place + 1}", share[:, place]) for place in range(size)]
    return pl.DataFrame([names, *each, *finish_columns(listed, wanted)])


def _asked(season: Measure) -> dict[str, Any]:
    """Ranges of places that were requested with the season; the title if none were."""
    asked = season.settings.get("finish")
    return {name: tuple(places) for name, places in asked.items()} if asked else {"title": 1}


@canvas.figure(places_table)
def places(
    season: Measure,
    *,
    finish: Mapping[str, int | tuple[int, int]] | None = None,
    width: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Chances of each final place in simulated seasons: the darker, the more probable.

    Parameters
    ----------
    season : Measure, the result of `sport.simulate_season`.
    finish : mapping of names to places, as in `sport.simulate_season`
        Each is a column of percentages beside the map: {"playoffs": 7, "relegated": -3}. By
        default those of the season, or else the title.
    width, ax : as in `trajectories`.

    Sides are in the order of their mean place. Rows sum to 1, as do columns. Shares of simulated
    seasons are written into the cells of up to 12 sides. The table: individual, place_1, …, and a
    column per name of `finish`.

    Examples
    --------
    >>> import peckorder as po
    >>> ratings = po.elo(po.datasets.adv(), k=200)
    >>> fixtures = [("b", "c"), ("c", "d"), ("d", "b")]
    >>> season = po.sport.simulate_season(ratings, fixtures=fixtures, runs=2000, seed=1)
    >>> po.plot.places(season, finish={"title": 1, "last": -1}).get_xlabel()
    'Final place'
    """
    table = places_table(season, finish=finish)
    names = table["individual"].to_list()
    size = len(names)
    share = table.select(pl.col("^place_[0-9]+$")).to_numpy()[:, :size]
    columns = table.columns[1 + size :]
    usual = COLUMN if size + 3 * len(columns) <= MOST_NARROW + 3 else PAGE
    axes = canvas.axes_for(ax, width, canvas.named_height(size, least=62, margin=22), usual=usual)
    probability_map(axes, share, names, "Share of simulated seasons")
    axes.set_xlabel("Final place")
    _percentages(axes, [(name, table[name].to_numpy()) for name in columns])
    return axes


def _percentages(axes: Any, columns: list[tuple[str, np.ndarray]]) -> None:
    """Columns of percentages on the right of a map, with their names above."""
    for number, (name, values) in enumerate(columns):
        right = WIDE_COLUMN * (number + 1)
        for row, value in enumerate(values):
            _beside(axes, percent(value), row, (right, 0), min(canvas.name_size(len(values)), FONT))
        _beside(axes, name.replace("_", " "), -0.5, (right - 12, 3), FONT, rotation=45)


def _beside(
    axes: Any, text: str, row: float, offset: tuple[float, float], size: float, **how: Any
) -> None:
    """Text at a row, some points to the right of the axes."""
    axes.annotate(
        text,
        (1.0, row),
        xycoords=axes.get_yaxis_transform(),
        xytext=offset,
        textcoords="offset points",
        ha="left" if how else "right",
        va="bottom" if how else "center_baseline",
        rotation_mode="anchor",
        fontsize=size,
        parse_math=False,
        annotation_clip=False,
        **how,
    )


def bracket_table(chances: Any) -> pl.DataFrame:
    """One row per side in the order of the draw: the chance to win each round."""
    table = hasattr(chances, "columns") and not isinstance(chances, Result)
    frame = as_polars(chances) if table else pl.DataFrame()
    if frame.columns[:1] != ["individual"] or frame.columns[-1] != "title":
        what = f"the result of {chances.method}" if hasattr(chances, "method") else None
        raise ArgumentTypeError(
            f"plot.bracket cannot draw {what or type(chances).__name__}. Pass, for example, "
            f"po.sport.bracket(ratings, names)."
        )
    return frame


@canvas.figure(bracket_table, reads=False)
def bracket(chances: Any, *, width: float | None = None, ax: Axes | None = None) -> Axes:
    """Chances to win each round of a knock-out, sides in the order of the draw.

    Parameters
    ----------
    chances : DataFrame, the result of `sport.bracket`.
    width, ax : as in `trajectories`.

    Lines separate the parts of the draw from which one side reaches the next round, so that the
    chances between two lines sum to 1. The table is that of `sport.bracket`.

    Examples
    --------
    >>> import peckorder as po
    >>> ratings = po.elo(po.datasets.adv(), k=200)
    >>> chances = po.sport.bracket(ratings, ["b", "a", "c", "d"])
    >>> [text.get_text() for text in po.plot.bracket(chances).get_xticklabels()]
    ['Round 1', 'Title']
    """
    frame = bracket_table(chances)
    names, rounds = frame["individual"].to_list(), frame.columns[1:]
    share = frame.select(rounds).to_numpy()
    usual = COLUMN if len(names) <= MOST_NARROW else PAGE
    axes = canvas.axes_for(
        ax, width, canvas.named_height(len(names), least=45, margin=12), usual=usual
    )
    shade = shades(share)
    axes.imshow(share, cmap="Blues", norm=shade, aspect="auto", zorder=0)
    size = canvas.name_size(len(names))
    write_in_cells(axes, share, shade(share) > DARK_CELL, percent, size)
    canvas.names_down(axes, names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    labels = [name.replace("_", " ").capitalize() for name in rounds]
    canvas.tick_names(axes.xaxis, range(len(rounds)), labels, FONT)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    for column in range(len(rounds)):
        ends = np.flatnonzero(_ends_of_parts(share[:, column]))
        axes.hlines(ends + 0.5, column - 0.5, column + 0.5, color="white", linewidth=1.5)
    axes.vlines(np.arange(1, len(rounds)) - 0.5, -0.5, len(names) - 0.5, color="white", linewidth=1)
    return axes


def _ends_of_parts(share: np.ndarray) -> np.ndarray:
    """Whether a part of the draw ends with each side: where the sum of chances is whole."""
    total = np.cumsum(share)
    return np.abs(total - np.round(total)) < 1e-9

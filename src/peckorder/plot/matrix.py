"""The win matrix, or the matrix of predicted win probabilities, in rank order.

A heat map of probabilities: individuals in rows, ranks or final places in columns.

The probability of each rank for each individual, as a heat map.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl
from polars import selectors as cs

from peckorder.data.contests import Contests
from peckorder.data.matrix import Matrix
from peckorder.data.win_counts import win_counts
from peckorder.errors import ArgumentError, ArgumentTypeError
from peckorder.orders.davids_score import davids_score
from peckorder.plot import canvas
from peckorder.plot.canvas import COLUMN, FONT, GRAY, LEAST_BESIDE, LIGHT, PAGE, POINT, SMALL
from peckorder.plot.orders import rank_table, score_draws
from peckorder.results import Measure, Order, Ratings
from peckorder.results.board import Board
from peckorder.results.samples import SampledRatings
from peckorder.results.samples import ranks as ranks_of
from peckorder.tables import as_polars
from peckorder.validate import CountedTies, one_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


SHOW = ("wins", "chances")
DOWN, UP = (0.0, 0.45, 0.70), (0.84, 0.37, 0.0)  # blue, orange
PALE = "#EFEFEF"
LUMINANCE, DARK = (0.2126, 0.7152, 0.0722), 0.18  # below DARK, white text is easier to read
LEAST_CELL = 9.0  # points needed to print a number
LEAST_NAME = 3.8  # points of a name; below, places in the order are numbered
LEAST_BOX = 4.0  # points of a cell with a box; smaller ones are shaded


def pair_table(
    data: Any,
    *,
    order: Order | Ratings | None = None,
    show: Literal["wins", "chances"] | None = None,
    ties: CountedTies = "omit",
) -> pl.DataFrame:
    """One row per ordered pair of individuals, in rank order."""
    kinds = (Contests, Matrix, Ratings, Board)
    canvas.made_by(data, kinds, "matrix", "po.read(…), po.elo(data) or po.bradley_terry(data)")
    if _shown_of(data, show) == "chances":
        if isinstance(data, Board):
            return _chances_of_board(data, _names(data, order, tuple(data)))
        if not isinstance(data, Ratings):
            raise ArgumentError(
                'show="chances" draws predicted win probabilities, which need ratings: '
                'po.plot.matrix(po.elo(data), show="chances").'
            )
        return _chances(data, _names(data, order, tuple(data)))
    if isinstance(data, Ratings | Board):
        order = data if order is None else order
        data = data.data if isinstance(data, Ratings) else getattr(data.data, "source", data.data)
    counts = win_counts(data, ties=ties)
    found = davids_score(data, ties=ties) if order is None else order
    names = _names(found, None, counts.individuals)
    place = {name: code for code, name in enumerate(counts.individuals)}
    codes = np.array([place[name] for name in names])
    i, j = _pairs(len(names))
    won, lost = counts.score[codes[i], codes[j]], counts.score[codes[j], codes[i]]
    whole = (won == np.round(won)).all()
    number = (lambda a: a.astype(np.int64)) if whole else (lambda a: a)
    return pl.DataFrame(
        {
            "row": [names[a] for a in i],
            "column": [names[b] for b in j],
            "row_place": i + 1,
            "column_place": j + 1,
            "wins": number(won),
            "losses": number(lost),
            "upset": (i > j) & (won > 0),
            "unknown": ~counts.seen[codes[i], codes[j]],
        }
    )


def _pairs(size: int) -> tuple[np.ndarray, np.ndarray]:
    row, column = np.nonzero(~np.eye(size, dtype=bool))
    return row, column


def _names(found: Any, order: Any, individuals: tuple[str, ...]) -> list[str]:
    """Individuals in rank order; the order must contain exactly these individuals."""
    given = found if order is None else order
    if not isinstance(given, Order | Ratings):
        raise ArgumentTypeError(f"order must be an Order or Ratings, not {type(given).__name__}.")
    names = list(given)
    if set(names) != set(individuals):
        raise ArgumentError("The order and the data contain different individuals.")
    return names


def _shown_of(data: Any, show: str | None) -> str:
    """What is shown: wins by default, or the probabilities of a board."""
    usual = "chances" if isinstance(data, Board) else "wins"
    return usual if show is None else one_of("show", show, SHOW)


def _chances_of_board(board: Board, names: list[str]) -> pl.DataFrame:
    place = {name: at for at, name in enumerate(board)}
    codes = np.array([place[name] for name in names])
    chance = as_polars(board.probability()).drop(cs.first()).to_numpy()[np.ix_(codes, codes)]
    return _of_pairs(names, chance)


def _chances(ratings: Ratings, names: list[str]) -> pl.DataFrame:
    codes = np.array([ratings.code(name) for name in names])
    i, j = _pairs(len(names))
    above = i < j  # the chances of a pair are those of its reverse, exchanged
    pairs = ratings.chances(codes[i[above]], codes[j[above]], np.zeros(int(above.sum())))
    chance = np.full((len(names), len(names)), np.nan)
    chance[i[above], j[above]], chance[j[above], i[above]] = pairs.win, pairs.loss
    return _of_pairs(names, chance)


def _of_pairs(names: list[str], chance: np.ndarray) -> pl.DataFrame:
    i, j = _pairs(len(names))
    return pl.DataFrame(
        {
            "row": [names[a] for a in i],
            "column": [names[b] for b in j],
            "row_place": i + 1,
            "column_place": j + 1,
            "chance": chance[i, j],
        }
    ).fill_nan(None)


@canvas.figure(pair_table)
def matrix(
    data: Contests | Matrix | Ratings | Board,
    *,
    order: Order | Ratings | None = None,
    show: Literal["wins", "chances"] | None = None,
    ties: CountedTies = "omit",
    width: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Win matrix in rank order (winner in rows), or predicted win probabilities.

    Parameters
    ----------
    data : Contests, Matrix, or Ratings or the board of `bradley_terry` or `plackett_luce`, which \
then set the default order.
    order : Order or Ratings; by default the order of David's scores.
    show : {"wins", "chances"}
        Observed wins, or the probability under the final ratings that row beats column; for a
        board, averaged over its uncertainty, and shown by default.
    ties : {"omit", "half", "both"}
    width, ax : as in `trajectories`.

    Wins of the higher-ranked are blue, wins of the lower-ranked (upsets) orange; darker cells hold
    more wins. Dyads without a decided contest are boxed. Counts are printed in cells that are large
    enough. The table: row, column, their places in the order, wins and losses of the row, upset,
    unknown; or chance.

    Examples
    --------
    >>> import peckorder as po
    >>> table = po.plot.matrix.data(po.datasets.bonobos())
    >>> table.height, table["unknown"].sum() // 2, table["upset"].sum()
    (42, 3, 4)
    """
    table = pair_table(data, order=order, show=show, ties=ties)
    show = "chances" if "chance" in table.columns else "wins"
    places = table["row_place"].to_numpy() - 1, table["column_place"].to_numpy() - 1
    size = int(places[0].max()) + 1
    by_place = dict(zip(places[0], table["row"], strict=True))
    names = [by_place[place] for place in range(size)]
    usual = COLUMN if size <= 12 else PAGE
    wide = canvas.checked_width(width, usual)
    axes = canvas.axes_for(ax, width, min(wide * 1.02 + 6, canvas.TALLEST), usual=usual)
    value = table["wins" if show == "wins" else "chance"].to_numpy().astype(float)
    image, most = np.ones((size, size, 3)), max(1.0, np.nanmax(value))
    if show == "wins":
        image[places] = shaded(value, most, table["upset"].to_numpy())
    else:
        image[places] = _diverging(value)
    np.einsum("iij->ij", image)[:] = 0.8
    axes.imshow(image, interpolation="nearest")
    axes.spines[["left", "bottom"]].set_visible(False)
    cell = (wide * 0.75 / size) / 25.4 / POINT
    _headings(axes, names, cell)
    if ax is not None:
        axes.figure.draw_without_rendering()
        cell = axes.get_window_extent().width / axes.figure.dpi / POINT / size
    if cell >= LEAST_CELL:
        texts = [f"{v:g}" if show == "wins" else f"{100 * v:.0f}" for v in value]
        longest = max(map(len, texts))
        font = min(7.0, cell / (0.8 * longest))
        for row, column, number, text in zip(*places, value, texts, strict=True):
            dark = (image[row, column] ** 2.2) @ LUMINANCE < DARK
            if number or show == "chances":
                axes.text(
                    column,
                    row,
                    text,
                    ha="center",
                    va="center",
                    fontsize=font,
                    color="white" if dark else "black",
                )
    if show == "wins":
        _boxes(axes, places, table["unknown"].to_numpy(), cell)
    unknown = "no decided contest" if ties == "omit" else "no contest"
    _legend(axes, show, most, table, cell, ax is None, unknown)
    return axes


def shaded(value: np.ndarray, most: float, upset: np.ndarray) -> np.ndarray:
    """Colors of wins: blue, upsets orange, the darker the more wins there are."""
    depth = np.where(value > 0, 0.15 + 0.85 * np.log1p(value) / np.log1p(most), 0.0)[:, None]
    return 1 - depth * (1 - np.where(upset[:, None], UP, DOWN))


def _diverging(chance: np.ndarray) -> np.ndarray:
    """White at ½, blue above, orange below; gray where the probability is unknown."""
    depth = np.abs(2 * chance - 1)[:, None]
    colors = 1 - depth * (1 - np.where(chance[:, None] >= 0.5, DOWN, UP))
    return np.where(np.isnan(depth), 0.9, colors)


def _headings(axes: Any, names: list[str], cell: float) -> None:
    """Names of rows and columns; those of columns stand upright unless they fit into a cell."""
    axes.tick_params(length=0, top=False, labeltop=True, bottom=False, labelbottom=False)
    size = min(canvas.name_size(len(names)), SMALL if len(names) > 12 else 7.0, cell / 1.1)
    named = len(names) <= canvas.MOST_NAMED and size >= LEAST_NAME
    if named:
        flat = max(map(len, canvas.shown(names))) * 0.7 * size < cell
        turn = 0 if flat else 90
        canvas.tick_names(axes.xaxis, range(len(names)), canvas.shown(names), size, rotation=turn)
        canvas.tick_names(axes.yaxis, range(len(names)), canvas.shown(names), size)
    else:
        canvas.rank_ticks(axes.xaxis, len(names), shift=-1)
        canvas.rank_ticks(axes.yaxis, len(names), shift=-1)
    axes.xaxis.set_label_position("top")
    axes.set_xlabel("Loser" if named else "Loser (rank)")
    axes.set_ylabel("Winner" if named else "Winner (rank)")


def _boxes(axes: Any, places: Any, unknown: np.ndarray, cell: float) -> None:
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    rows, columns = places[0][unknown], places[1][unknown]
    half = 0.5 if cell < LEAST_BOX else 0.36
    boxes = [
        Rectangle((x - half, y - half), 2 * half, 2 * half)
        for x, y in zip(columns, rows, strict=True)
    ]
    axes.add_collection(PatchCollection(boxes, **_boxed(cell)))


def _boxed(cell: float) -> dict[str, Any]:
    """Look of a dyad without contests: many boxes must not obscure the wins."""
    if cell < LEAST_BOX:
        return {"facecolor": PALE, "edgecolor": "none"}
    few = cell >= LEAST_CELL
    line = {"edgecolor": GRAY if few else LIGHT, "linewidth": 0.7 if few else 0.3}
    return {"facecolor": "none"} | line


def _legend(
    axes: Any, show: str, most: float, table: pl.DataFrame, cell: float, own: bool, unknown: str
) -> None:
    from matplotlib.patches import Patch

    numbers = cell >= LEAST_CELL
    if show == "wins":
        wins = "wins of the higher-ranked" + ("" if numbers else f" (darkest: {most:g})")
        handles = [Patch(color=DOWN, label=wins)]
        if table["upset"].any():
            handles.append(Patch(color=UP, label="upsets"))
        if table["unknown"].any():
            open_box: dict[str, Any] = {"facecolor": "none", "edgecolor": GRAY}
            box = _boxed(cell) if cell < LEAST_BOX else open_box
            handles.append(Patch(**box, label=unknown))
    else:
        handles = [
            Patch(color=DOWN, label="row favored"),
            Patch(color=UP, label="column favored"),
            Patch(facecolor="white", edgecolor=GRAY, label="equal"),
        ]
        if numbers:
            handles.append(Patch(facecolor="none", edgecolor="none", label="numbers in %"))
    wide = axes.figure.get_size_inches()[0] / canvas.MILLIMETER
    columns = 2 if numbers or wide >= LEAST_BESIDE else 1
    how = {"handles": handles, "ncols": columns, "handlelength": 1, "handleheight": 1}
    if own:  # long names may leave little room below the matrix
        axes.figure.legend(loc="outside lower center", **how)
    else:
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.01), **how)


MOST_WRITTEN = 12  # individuals whose probabilities are written into the cells
ROUND = (1.0, 0.5, 0.3, 0.2, 0.1, 0.05, 0.01)  # ticks of the scale, the largest first
LEAST_APART = 0.28  # of two ticks, as a share of the length of the scale
DARK_CELL = 0.62  # shade from which text is white


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
        write_in_cells(axes, share, shade(share) > DARK_CELL, small_probability)
    canvas.names_down(axes, names)
    axes.set_ylim(size - 0.5, -0.5)
    axes.set_xlim(-0.5, places - 0.5)
    canvas.rank_ticks(axes.xaxis, places, shift=-1)
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


@canvas.figure(probability_table)
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
    axes = canvas.axes_for(ax, width, canvas.named_height(size, least=62, margin=22), usual=usual)
    probability_map(axes, share, names, "Probability of the rank")
    axes.set_xlabel("Rank (1 = highest)")
    return axes

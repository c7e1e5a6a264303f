"""The dominance network in layers: individuals by rank, edges by net wins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peckorder.data.contests import Contests
from peckorder.data.matrix import Matrix
from peckorder.data.win_counts import WinCounts
from peckorder.orders.network import Network, network_of
from peckorder.orders.network import network as network_tables
from peckorder.plot import canvas
from peckorder.plot.canvas import BLUE, COLUMN, FONT, MILLIMETER, MOST_NAMED, ORANGE, PAGE, POINT
from peckorder.results import Order, Ratings
from peckorder.text import counted
from peckorder.validate import CountedTies, whole_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NARROW = 9  # individuals that fit into one column
MOST_ALL_DRAWN = 15  # individuals up to which all edges are drawn
EDGES_EACH = 2  # edges drawn per individual in larger groups
THIN, THICK = 0.4, 2.2  # line widths in points
SIDE = 30.0  # points needed for the vertical axis
PADDING = 2.0  # points between a name and its box
STEPS = 15  # horizontal positions tried for an individual
SWEEPS = 2  # rounds of moving individuals away from edges
MOST_AVOIDED = 100  # edges that names keep away from, the strongest
CROWDED = 5.0  # weight of boxes that cover each other, relative to edges behind boxes
BESIDE = 2.2  # least distance of two boxes, in units of half their sides
MANY = 60  # edges above which arrows are paler, so that those below are seen
GOLDEN = (5**0.5 - 1) / 2


def edge_table(
    found: Any,
    *,
    order: Order | Ratings | None = None,
    ties: CountedTies = "omit",
    edges: Any = None,
) -> pl.DataFrame:
    """Dyads with a dominant individual, those with most net wins first, and which are drawn."""
    net = _network(found, order, ties)
    return _edges(net, edges)


def _network(found: Any, order: Any, ties: CountedTies) -> Network:
    canvas.made_by(
        found, (Contests, Matrix, Order, Ratings), "network", "po.read(…) or po.isi(data)"
    )
    if isinstance(found, Network) and order is None:
        return found
    if isinstance(found, Order) and isinstance(found.data, WinCounts):
        return network_of(found.data, found if order is None else order)
    if isinstance(found, Order | Ratings):
        order = found if order is None else order
        return network_tables(found.data, order=order, ties=ties)
    return network_tables(found, order=order, ties=ties)


def _edges(net: Network, most: Any) -> pl.DataFrame:
    size = len(net)
    if most is not None:
        most = whole_number("edges", most, 1)
    elif size > MOST_ALL_DRAWN:
        most = EDGES_EACH * size
    rank = dict(zip(net.individuals, net.rank, strict=True))
    table = (
        net.tables["edges"]
        .filter(relation="dominates")
        .sort("net", descending=True, maintain_order=True)
    )
    return table.select(
        "dominant",
        "subordinate",
        pl.col("dominant").replace_strict(rank, return_dtype=pl.Float64).alias("dominant_rank"),
        pl.col("subordinate")
        .replace_strict(rank, return_dtype=pl.Float64)
        .alias("subordinate_rank"),
        "wins",
        "losses",
        "net",
        "upward",
        (pl.int_range(pl.len()) < (len(table) if most is None else most)).alias("drawn"),
    )


@canvas.figure(edge_table)
def network(
    found: Contests | Matrix | Order | Ratings,
    *,
    order: Order | Ratings | None = None,
    ties: CountedTies = "omit",
    edges: int | None = None,
    width: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """The dominance network: individuals in layers by rank, edges from winners to losers.

    Parameters
    ----------
    found : Contests or Matrix; an Order or Ratings; or the result of `network`.
    order : Order or Ratings
        Ranks of the individuals; by default those of `found`, or of David's scores.
    ties : {"omit", "half", "both"}, for data; an order keeps its own rule.
    edges : int
        Number of edges to draw, those with most net wins. By default all, and in groups of more
        than 15 individuals two per individual.
    width, ax : as in `trajectories`.

    An arrow leads from the individual that won more contests of a dyad to the other; the wider, the
    more net wins. Arrows to higher ranks are orange. Individuals of equal rank are side by side;
    apart from this, horizontal positions only keep names and edges apart. The text below the
    network states how many edges are drawn. The table: dominant, subordinate, their ranks, wins,
    losses, net, upward, drawn.

    Examples
    --------
    >>> import peckorder as po
    >>> axes = po.plot.network(po.orders.adagio(po.datasets.bonobos()))
    >>> print(axes.get_xlabel())
    All 18 edges; 3 dyads have no contest.
    Line width: net wins, up to 87.
    """
    net = _network(found, order, ties)
    table = _edges(net, edges)
    usual = COLUMN if len(net) <= NARROW else PAGE
    across = canvas.checked_width(width, usual) * MILLIMETER / POINT
    if ax is not None:
        across = canvas.checked_axes(ax).get_window_extent().width / ax.figure.dpi / POINT
    across -= SIDE
    layers = _layers(net, across)
    least = 70.0 if usual == COLUMN else 110.0
    height = canvas.named_height(len(layers.rows), least=least, margin=26)
    axes = canvas.axes_for(ax, width, height, usual=usual)
    drawn = table.filter("drawn")
    tall = height * MILLIMETER / POINT / (len(layers.rows) + 1)  # points per row, about
    place = _places(layers, drawn, across, tall)
    axes.set_xlim(-PADDING, across + PADDING)
    axes.set_ylim(len(layers.rows) - 0.4, -0.6)
    _names(axes, place, layers)
    _arrows(axes, drawn, place, layers, tall)
    _frame(axes, layers.rows)
    caption = _caption(net, table)
    if max(_width(line, FONT) for line in caption.split("\n")) > across:
        caption = caption.replace("; ", ";\n")
    axes.set_xlabel(caption, fontsize=FONT)
    _legend(axes, drawn, ax is None)
    return axes


@dataclass(frozen=True)
class _Layers:
    """Rank and names of each row; font size, and half the width and height of boxes in points."""

    rows: list[tuple[float, list[str]]]
    size: float
    half: dict[str, tuple[float, float]]


def _layers(net: Network, across: float) -> _Layers:
    """Individuals of equal rank share a row, or several if they do not fit into one."""
    frame = net.as_polars()
    names = frame["individual"].to_list()
    layers: dict[float, list[str]] = {}
    for name, rank in zip(names, frame["rank"].to_list(), strict=True):
        layers.setdefault(rank, []).append(name)
    size = canvas.name_size(len(layers))
    named = len(names) <= MOST_NAMED
    half = {
        name: ((_width(label, size) / 2 if named else 0.0) + PADDING, size / 2 + PADDING)
        for name, label in zip(names, canvas.shown(names), strict=True)
    }
    widest = 2 * max(width for width, _ in half.values()) + 2 * PADDING
    columns = max(1, int(across / widest))
    rows = [
        (rank, own[begin : begin + columns])
        for rank, own in layers.items()
        for begin in range(0, len(own), columns)
    ]
    return _Layers(rows, size, half)


def _width(name: str, size: float) -> float:
    """Width of a name in points."""
    from matplotlib.textpath import TextPath

    return TextPath((0, 0), name, size=size).get_extents().width if name else 0.0


def _places(
    layers: _Layers, drawn: pl.DataFrame, across: float, tall: float
) -> dict[str, tuple[float, float]]:
    """Position of each individual (points, row), so that few edges pass behind a name."""
    names = [name for _, own in layers.rows for name in own]
    code = {name: i for i, name in enumerate(names)}
    strong = drawn.head(MOST_AVOIDED)
    tail = np.array([code[name] for name in strong["dominant"]], np.int64)
    head = np.array([code[name] for name in strong["subordinate"]], np.int64)
    half = np.array([layers.half[name] for name in names])
    x, y = np.zeros(len(names)), np.zeros(len(names))
    spans = []
    for row, (_, own) in enumerate(layers.rows):
        codes = np.array([code[name] for name in own])
        room = across / len(own)
        slack = max(0.0, room / 2 - half[codes, 0].max())
        y[codes] = row
        x[codes] = room * (np.arange(len(own)) + 0.5)
        spans.append((codes, x[codes].copy(), slack))
        x[codes] += slack * (2 * ((row + 0.5) * GOLDEN % 1) - 1)
    scale = np.array([half[:, 0].mean(), half[:, 1].mean() / tall])
    for _ in range(SWEEPS if len(tail) else 0):
        for codes, middle, slack in spans:
            tried = [middle + slack * share for share in np.linspace(-1, 1, STEPS)]
            tried.insert(0, x[codes].copy())
            costs = []
            for own in tried:
                x[codes] = own
                points = np.column_stack([x, y]) / scale
                costs.append(_hidden(points, tail, head) + CROWDED * _crowded(points, codes))
            x[codes] = tried[int(np.argmin(costs))]
    return {name: (float(x[i]), float(y[i])) for name, i in code.items()}


def _crowded(points: np.ndarray, codes: np.ndarray) -> float:
    """Area in which the boxes of these individuals cover others, in units of half their sides."""
    offset = np.abs(points[codes, None, :] - points[None, :, :])
    area = np.maximum(0.0, BESIDE - offset).prod(axis=2)
    area[np.arange(len(codes)), codes] = 0.0
    return float(area.sum())


def _hidden(points: np.ndarray, tail: np.ndarray, head: np.ndarray) -> float:
    """How closely edges pass by individuals that they do not connect, in units of their boxes."""
    start, way = points[tail], points[head] - points[tail]
    length = np.maximum((way**2).sum(axis=1), 1e-12)
    offset = points[None, :, :] - start[:, None, :]
    along = np.clip((offset * way[:, None, :]).sum(axis=2) / length[:, None], 0.0, 1.0)
    gap = ((offset - along[:, :, None] * way[:, None, :]) ** 2).sum(axis=2)
    edges = np.arange(len(tail))
    gap[edges, tail] = gap[edges, head] = np.inf
    return float(np.exp(-gap / 2).sum())


def node_places(net: Network) -> pl.DataFrame:
    """Where the figure of a page draws each individual: x from 0 to 1, and the row."""
    across = PAGE * MILLIMETER / POINT - SIDE
    layers = _layers(net, across)
    tall = canvas.named_height(len(layers.rows), least=110.0, margin=26) * MILLIMETER / POINT
    place = _places(layers, _edges(net, None).filter("drawn"), across, tall / len(layers.rows))
    rank = dict(zip(net.individuals, net.rank, strict=True))
    rows = [
        {"individual": name, "rank": rank[name], "x": x / across, "row": int(y)}
        for name, (x, y) in place.items()
    ]
    return pl.DataFrame(rows)


def _names(axes: Any, place: dict[str, tuple[float, float]], layers: _Layers) -> None:
    """Names in boxes, or dots if there are too many."""
    x, y = np.array(list(place.values())).T
    if len(place) > MOST_NAMED:
        axes.plot(x, y, "o", color="black", markersize=2 * PADDING, zorder=4)
        return
    axes.plot(x, y, " ")  # points without marks, so that the axes have data
    box = {"boxstyle": f"round,pad={PADDING / layers.size}", "linewidth": 0.4}
    for name, where in zip(canvas.shown(place), place.values(), strict=True):
        axes.annotate(
            name,
            where,
            ha="center",
            va="center_baseline",
            fontsize=layers.size,
            zorder=5,
            bbox=box | {"facecolor": "white", "edgecolor": canvas.GRAY},
        )


def _arrows(
    axes: Any,
    drawn: pl.DataFrame,
    place: dict[str, tuple[float, float]],
    layers: _Layers,
    tall: float,
) -> None:
    """Arrows between the boxes of names, the strongest above the others."""
    from matplotlib.patches import FancyArrowPatch

    net = drawn["net"].cast(pl.Float64).to_numpy()
    low, high = net.min(initial=np.inf), net.max(initial=0.0)
    for row in drawn.reverse().iter_rows(named=True):
        one, other = row["dominant"], row["subordinate"]
        across, down = np.subtract(place[other], place[one]) * (1.0, tall)
        thickness = THIN + (THICK - THIN) * (row["net"] - low) / max(1.0, high - low)
        arrow = FancyArrowPatch(
            place[one],
            place[other],
            arrowstyle=f"-|>,head_length={2.5 + thickness},head_width={1 + 0.7 * thickness}",
            mutation_scale=1,
            linewidth=thickness,
            color=ORANGE if row["upward"] else BLUE,
            alpha=0.9 if row["upward"] else 0.6 if len(drawn) <= MANY else 0.4,
            shrinkA=_inside(layers.half[one], across, down),
            shrinkB=_inside(layers.half[other], across, down) + 0.5,
            zorder=3 if row["upward"] else 2,
        )
        axes.add_patch(arrow)


def _inside(half: tuple[float, float], across: float, down: float) -> float:
    """Length of a line from the center of a box to its border, in points."""
    length = max(1e-9, float(np.hypot(across, down)))
    sides = (half[0] / max(1e-9, abs(across)), half[1] / max(1e-9, abs(down)))
    return min(min(sides) * length, length / 2)


def _frame(axes: Any, rows: list[tuple[float, list[str]]]) -> None:
    """Ranks on the vertical axis, once per layer; no horizontal axis."""
    first = {rank: y for y, (rank, _) in reversed(list(enumerate(rows)))}
    step = max(1, -(-len(first) // 40))
    ticks = sorted(first.items())[::step]
    axes.set_yticks([y for _, y in ticks], [f"{rank:g}" for rank, _ in ticks])
    axes.set_ylabel("Rank")
    axes.set_xticks([])
    axes.tick_params(axis="y", length=0)
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)


def _caption(net: Network, table: pl.DataFrame) -> str:
    drawn, unknown = table.filter("drawn"), net.values["unknown"]
    have = counted(unknown, "dyad has", "dyads have")
    if len(drawn) == len(table):
        number = f"All {counted(len(table), 'edge')}" if len(table) != 1 else "1 edge"
    else:
        number = f"The {len(drawn):,} strongest of {len(table):,} edges"
    if not len(drawn):
        return f"No individual dominates another; {have} no contest."
    low, high = (f"{value:g}" for value in (drawn["net"].min(), drawn["net"].max()))
    widths = f"up to {high}" if len(drawn) == len(table) else f"{low} to {high}"
    return f"{number}; {have} no contest.\nLine width: net wins, {widths}."


def _legend(axes: Any, drawn: pl.DataFrame, own: bool) -> None:
    from matplotlib.lines import Line2D

    ways = drawn["upward"]
    kinds = ((False, BLUE, "higher-ranked dominates"), (True, ORANGE, "lower-ranked dominates"))
    handles = [
        Line2D([], [], color=color, linewidth=1.5, label=label)
        for up, color, label in kinds
        if (ways == up).any()
    ]
    if handles:
        canvas.legend_above(axes, handles, own)

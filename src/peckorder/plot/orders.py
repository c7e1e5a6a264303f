"""Rank orders: their uncertainty, and how the orders of several methods differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peckorder.errors import ArgumentError, ArgumentTypeError
from peckorder.estimate import limits
from peckorder.methods import label
from peckorder.plot import canvas
from peckorder.plot.canvas import BLUE, COLUMN, FONT, GRAY, LIGHT, PAGE, SILVER
from peckorder.ranks import indistinct, outranking
from peckorder.results import Measure, Order, Ratings
from peckorder.results.board import Board
from peckorder.results.measures import Finding
from peckorder.results.samples import SampledRatings
from peckorder.results.samples import ranks as ranks_of
from peckorder.text import option, option_name
from peckorder.validate import between_0_and_1

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ENDS = limits(0.95, 0.8)


def rank_table(
    found: Any, *, at: Any = None, individuals: Sequence[str] | None = None, kind: str = "ranks"
) -> pl.DataFrame:
    """Ranks with intervals, and the probability of outranking the next individual."""
    canvas.made_by(found, (Finding, Ratings), kind, "po.dynamic(data)")
    if at is not None and not isinstance(found, SampledRatings):
        raise ArgumentError(
            f"{option_name('at')} is available for dynamic and elo_bayes only, not for "
            f"{found.method}."
        )
    if isinstance(found, SampledRatings):
        frame = found.interval_frame(at, 0.95, 0.8)
    else:
        frame = found.as_polars()
    if "date" in frame.columns:
        raise ArgumentError(
            f"plot.{kind} draws one point in time: give a single date with {option('at')}."
        )
    if "rank_low" not in frame.columns:
        raise ArgumentError(
            f"plot.{kind} draws ranks with intervals, which {found.method} does not provide. Use "
            f"po.dynamic(data), po.elo_bayes(data), po.randomized_elo(data) or "
            f"po.bradley_terry(data)."
        )
    if individuals is not None:
        names = canvas.chosen(frame["individual"].to_list(), individuals, "individuals")
        frame = _among(found, frame, names, at)
    above = np.diagonal(outranking(score_draws(found, frame["individual"].to_list(), at)), 1)
    if "component" in frame.columns and not found.settings["penalized"]:
        # Nothing is known between components.
        above = np.where(frame["component"].diff().to_numpy()[1:] == 0, above, np.nan)
    kept = [f"rank_{end}" for end in ENDS if f"rank_{end}" in frame.columns]
    return frame.select("individual", "rank", *kept).with_columns(
        p_above_next=pl.Series([*above, None], dtype=pl.Float64).fill_nan(None)
    )


def _among(found: Any, frame: pl.DataFrame, names: list[str], at: Any) -> pl.DataFrame:
    """Ranks and their intervals among some individuals only, from the same draws."""
    frame = frame.filter(pl.col("individual").is_in(names))
    ordered = frame["individual"].to_list()
    rank = ranks_of(score_draws(found, ordered, at))
    ends = {
        f"rank_{end}": np.quantile(rank, share, axis=0, method="inverted_cdf")
        for end, share in ENDS.items()
        if f"rank_{end}" in frame.columns
    }
    columns = {name: pl.Series(values) for name, values in ends.items()}
    own = (
        pl.Series(rank.mean(axis=0)) if found.method == "randomized_elo" else pl.col("rank").rank()
    )
    return frame.with_columns(rank=own, **columns)


def above_next(found: Any, names: Sequence[str], at: Any = None) -> np.ndarray:
    """Probability that each outranks the next, in any order of the same individuals."""
    return np.diagonal(outranking(score_draws(found, list(names), at)), 1)


def alike(
    found: Any, level: float, at: Any = None, individuals: Sequence[str] | None = None
) -> list[list[str]]:
    """Largest sets of adjacent individuals whose ranks are not distinguishable at `level`."""
    names = rank_table(found, at=at, individuals=individuals)["individual"].to_list()
    return indistinct(names, outranking(score_draws(found, names, at)), level)


def score_draws(found: Any, names: list[str], at: Any) -> np.ndarray:
    """Draws of the scores that determine ranks, (draws, names)."""
    if isinstance(found, SampledRatings):
        scores, order = found.scores(at=at), found.individuals
    else:
        # Components of a Bradley–Terry fit have no common scale: there only ranks are comparable.
        by_rank = found.method == "bradley_terry"
        drawn: Any = getattr(found, "samples", None)
        if found.method == "steepness_bayes":
            scores = found.scores
        elif isinstance(found, Board) and not drawn:
            scores = -found.sampled_ranks
        else:
            scores = -drawn["rank"] if by_rank else drawn["rating"]
        order = [name for name in found.data.individuals if name in set(names)]
    place = {name: i for i, name in enumerate(order)}
    return scores[:, [place[name] for name in names]]


@canvas.figure(rank_table)
def ranks(
    found: SampledRatings | Order | Measure,
    *,
    level: float = 0.95,
    at: Any = None,
    individuals: Sequence[str] | None = None,
    width: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Ranks with intervals; bars join ranks that are not distinguishable.

    Parameters
    ----------
    found : result of `dynamic`, `elo_bayes`, `steepness_bayes`, `randomized_elo`,
        `bradley_terry` or `plackett_luce`.
    level : float
        A bar joins individuals none of which outranks another with at least this probability.
    at : a date (or the number of a contest)
        With a posterior, rank the individuals present at that time. By default all individuals
        ever observed are ranked, those that left by their last rating.
    individuals : names; ranks are those among these individuals only. All by default.
    width, ax : as in `trajectories`.

    Dots are ranks, thick lines 80% and thin lines 95% intervals. The intervals of `randomized_elo`
    reflect the order of contests only, not the uncertainty due to their limited number. The table:
    individual, rank, limits of the intervals, p_above_next.

    Examples
    --------
    >>> import peckorder as po
    >>> order = po.randomized_elo(po.datasets.adv(), runs=200, seed=1)
    >>> po.plot.ranks(order).get_xlabel()
    'Rank (1 = highest)'
    """
    table = rank_table(found, at=at, individuals=individuals)
    level = between_0_and_1("level", level)
    names = table["individual"].to_list()
    usual = COLUMN if len(names) <= 40 else PAGE
    axes = canvas.axes_for(ax, width, canvas.named_height(len(names), least=40), usual=usual)
    rows = np.arange(len(names))
    heavy = 1.0 if len(names) <= 40 else 0.6
    axes.hlines(rows, table["rank_low"], table["rank_high"], color=BLUE, linewidth=heavy)
    if "rank_low80" in table.columns:
        low, high = table["rank_low80"], table["rank_high80"]
        axes.hlines(rows, low, high, color=BLUE, linewidth=2.5 * heavy)
    dot = {"markersize": 4 * heavy, "markeredgecolor": "white", "markeredgewidth": 0.4}
    axes.plot(table["rank"], rows, "o", color=BLUE, zorder=3, **dot)
    canvas.names_down(axes, names)
    axes.set_xlim(0.5, len(names) + 0.5)
    canvas.rank_ticks(axes.xaxis, len(names))
    axes.set_xlabel("Rank (1 = highest)")
    place = {name: i for i, name in enumerate(names)}
    taken: list[int] = []  # the last row of each column of bars
    groups = alike(found, level, at, individuals)
    for group in groups:
        first, last = place[group[0]], place[group[-1]]
        column = next((i for i, end in enumerate(taken) if end < first), len(taken))
        taken[column : column + 1] = [last]
        x = 1.02 + 0.018 * column
        axes.plot(
            [x, x],
            [first - 0.3, last + 0.3],
            transform=axes.get_yaxis_transform(),
            color=GRAY,
            linewidth=1.6,
            solid_capstyle="butt",
            clip_on=False,
        )
    axes.grid(axis="x", color=LIGHT, linewidth=0.3)
    axes.set_axisbelow(True)
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], color=BLUE, linewidth=1, label="95%")]
    if "rank_low80" in table.columns:
        handles.insert(0, Line2D([], [], color=BLUE, linewidth=2.5, label="80%"))
    if groups:
        orders = getattr(found, "method", "") == "randomized_elo"
        label = "order varies" if orders else "not distinguishable"
        handles.append(Line2D([], [], color=GRAY, linewidth=1.6, label=label))
    canvas.legend_above(axes, handles, ax is None)
    return axes


def compare_table(found: Any, *, individuals: Any = None) -> pl.DataFrame:
    """The rank of each individual by each method."""
    if isinstance(found, Mapping):
        orders = dict(found)
        if not orders or not all(isinstance(o, Order | Ratings) for o in orders.values()):
            raise ArgumentTypeError(
                "plot.compare draws the result of po.compare(data), or a dict of orders and "
                'ratings: {"Elo": po.elo(data), "I&SI": po.isi(data)}.'
            )
        ranked = {str(name): _ranks(order) for name, order in orders.items()}
        first, *rest = (set(ranks) for ranks in ranked.values())
        if any(other != first for other in rest):
            raise ArgumentError("The orders contain different individuals: compare the same ones.")
        mean = {name: np.mean([ranks[name] for ranks in ranked.values()]) for name in first}
        names = sorted(next(iter(ranked.values())), key=lambda name: mean[name])
    else:
        canvas.made_by(found, Order, "compare", "po.compare(data)", "compare")
        frame = found.as_polars()
        names = frame["individual"].to_list()
        ranked = {
            label(method): dict(zip(names, frame[method], strict=True))
            for method in found.settings["methods"]
        }
    names = canvas.chosen(names, individuals, "individuals")
    rows = [
        {"individual": name, "method": method, "rank": float(ranks[name])}
        for method, ranks in ranked.items()
        for name in names
    ]
    return pl.DataFrame(rows)


def _ranks(order: Order | Ratings) -> dict[str, float]:
    frame = order.as_polars()
    return dict(zip(frame["individual"], frame["rank"], strict=True))


@canvas.figure(compare_table)
def compare(
    found: Order | Mapping[str, Order | Ratings],
    *,
    individuals: Any = None,
    highlight: Any = None,
    width: float | None = None,
    ax: Axes | None = None,
) -> Any:
    r"""Rank orders by several methods; lines are horizontal where methods agree.

    Parameters
    ----------
    found : result of `compare`, or a dict of orders and ratings of the same individuals.
    individuals : names of the individuals to draw; all by default.
    highlight : names of the individuals to color; the others are gray. By default as in
        `trajectories`.
    width, ax : as in `trajectories`.

    The table: individual, method, rank.

    Examples
    --------
    >>> import peckorder as po
    >>> data = po.datasets.adv()
    >>> orders = {"Elo": po.elo(data, k=200), "David's score": po.davids_score(data)}
    >>> [tick.get_text() for tick in po.plot.compare(orders).get_xticklabels()]
    ['Elo', "David's\nscore"]
    """
    table = compare_table(found, individuals=individuals)
    names = table["individual"].unique(maintain_order=True).to_list()
    bright, quiet = canvas.emphasized(names, names, highlight)
    methods = table["method"].unique(maintain_order=True).to_list()
    usual = COLUMN if len(methods) <= 4 else PAGE
    axes = canvas.axes_for(ax, width, canvas.named_height(len(names), least=55), usual=usual)
    behind = len(bright) < len(names)
    style = dict(zip(bright, canvas.looks(len(bright), over_gray=behind), strict=True))
    small = len(names) > 30
    for (name,), path in table.group_by("individual", maintain_order=True):
        tone = SILVER if name in quiet else LIGHT
        own = style.get(str(name), {"color": tone, "linestyle": "-"})
        axes.plot(
            range(len(methods)),
            path["rank"],
            marker="o",
            markersize=2 if small else 3.5,
            linewidth=0.7 if small else 1.2,
            zorder=2 + (name in style),
            **own,
        )
    axes.set_ylim(table["rank"].to_numpy().max() + 0.5, 0.5)
    axes.set_xlim(-0.1, len(methods) - 0.9)
    labels = [method.replace(" ", "\n") for method in methods]
    canvas.tick_names(axes.xaxis, range(len(methods)), labels, FONT)
    axes.set_ylabel("Rank")
    canvas.rank_ticks(axes.yaxis, table["rank"].to_numpy().max())
    named = [*bright, *quiet]
    colors = [style[name]["color"] if name in style else GRAY for name in named]
    last = {
        row["individual"]: row["rank"] for row in table.to_dicts() if row["method"] == methods[-1]
    }
    canvas.label_ends(axes, named, [(len(methods) - 1, last[name]) for name in named], colors)
    return axes

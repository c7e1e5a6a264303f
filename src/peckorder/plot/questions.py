"""Questions to a ranking: what a claim depends on, and whom to watch next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peckorder.plot import canvas
from peckorder.plot.canvas import BLUE, COLUMN, GRAY, LIGHT, ORANGE, SMALL
from peckorder.results import Measure
from peckorder.text import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_NAMED = 8  # removals
DARK = 0.8  # a cell on which black cannot be read
MOST_NUMBERED = 30  # individuals of a matrix with names


def fragility_table(found: Measure) -> pl.DataFrame:
    """The margin after each removal, and after random removals of as many contests."""
    canvas.made_by(
        found, Measure, "fragility", 'po.questions.fragility(data, "b first")', "fragility"
    )
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


@canvas.figure(fragility_table)
def fragility(found: Measure, *, width: float | None = None, ax: Axes | None = None) -> Axes:
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
    >>> found = po.questions.fragility(po.datasets.table3(), "c first", seed=1)
    >>> po.plot.fragility(found).get_ylabel()
    'Margin of "c first"'
    """
    table = fragility_table(found)
    axes = canvas.axes_for(ax, width, 60, usual=COLUMN)
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


def next_pairs_table(found: Measure) -> pl.DataFrame:
    """P(row outranks column) of every dyad, and the step at which it was chosen."""
    canvas.made_by(
        found, Measure, "next_pairs", "po.questions.next_pairs(po.dynamic(data))", "next_pairs"
    )
    order, names = found.draws["order"], _order_of(found)
    first, second = np.triu_indices(len(names), 1)
    chosen = found.as_polars().group_by("higher", "lower").agg(pl.col("step").min())
    return pl.DataFrame(
        {
            "higher": [names[i] for i in first],
            "lower": [names[j] for j in second],
            "probability": order[first, second],
        }
    ).join(chosen, on=["higher", "lower"], how="left", maintain_order="left")


def _order_of(found: Measure) -> list[str]:
    adjacent = found.tables["adjacent"]
    return [*adjacent["higher"].to_list(), adjacent["lower"][-1]]


@canvas.figure(next_pairs_table)
def next_pairs(found: Measure, *, width: float | None = None, ax: Axes | None = None) -> Axes:
    """Probability that the row outranks the column, with the dyads to observe next.

    Parameters
    ----------
    found : result of `next_pairs`.
    width, ax : as in `trajectories`.

    Returns
    -------
    Axes

    Dyads to observe next are ringed and numbered in their order. The table: higher, lower,
    probability, step.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.questions.next_pairs(po.dynamic(po.datasets.adv(), seed=1), size=3, seed=1)
    >>> po.plot.next_pairs(found).get_xlabel()
    'Lower-ranked'
    """
    table, names = next_pairs_table(found), _order_of(found)
    axes = canvas.axes_for(ax, width, 72, usual=COLUMN)
    shares = np.full((len(names), len(names)), np.nan)
    upper = np.triu_indices(len(names), 1)
    shares[upper] = table["probability"].to_numpy()
    drawn = axes.imshow(shares, cmap="Blues", vmin=0.5, vmax=1, aspect="equal")
    code = {name: place for place, name in enumerate(names)}
    size = float(np.clip(130 / len(names), 2.5, 12))
    for row in table.drop_nulls("step").iter_rows(named=True):
        place = code[row["lower"]], code[row["higher"]]
        axes.plot(
            *place, "o", markersize=size, markerfacecolor="none", markeredgecolor=ORANGE, zorder=3
        )
        if len(names) <= MOST_NUMBERED:
            ink = "white" if row["probability"] > DARK else "black"
            axes.annotate(
                str(row["step"]), place, ha="center", va="center", fontsize=SMALL, color=ink
            )
    if len(names) <= MOST_NUMBERED:
        places = range(len(names))
        canvas.tick_names(axes.xaxis, places, canvas.shown(names), SMALL, rotation=90)
        canvas.tick_names(axes.yaxis, places, canvas.shown(names), SMALL)
    axes.set_xlabel("Lower-ranked")
    axes.set_ylabel("Higher-ranked")
    axes.figure.colorbar(drawn, ax=axes, shrink=0.7, label="Probability of this order")
    return axes


def multiverse_table(found: Measure) -> pl.DataFrame:
    """Every analysis with its choices and the margin of the claim, from the highest margin."""
    canvas.made_by(
        found, Measure, "multiverse", 'po.questions.multiverse(data, "b > c")', "multiverse"
    )
    return found.as_polars()


@canvas.figure(multiverse_table)
def multiverse(found: Measure, *, width: float | None = None, ax: Axes | None = None) -> Any:
    """Specification curve: margin of a claim in every analysis, and the choices of each.

    Parameters
    ----------
    found : result of `multiverse`.
    width : as in `trajectories`.
    ax : as in `trajectories`; then the margins alone are drawn.

    Returns
    -------
    Axes, or an array of two.

    Analyses are ordered by their margin; in those in color the claim holds. Below, each point is
    the level of a choice; choices that matter most come first. The table: as in `multiverse`.

    Examples
    --------
    >>> import peckorder as po
    >>> axes = po.plot.multiverse(po.questions.multiverse(po.datasets.adv(), "b > c", seed=1))
    >>> axes[1].get_xlabel()
    'Analysis'
    """
    table = multiverse_table(found)
    levels = found.tables["levels"]
    order = found.tables["effects"]["choice"].to_list()
    if ax is not None:
        _margins(canvas.checked_axes(ax), found, table)
        return ax
    rows = [
        (choice, level)
        for choice in order
        for level in levels.filter(pl.col("choice") == choice)["level"].to_list()
    ]
    ratio = {"height_ratios": [35, max(4 * len(rows), 10)]}
    axes = canvas.panels(
        2, 1, width, 45 + 4 * max(len(rows), 2), usual=COLUMN, sharex=True, gridspec_kw=ratio
    )[:, 0]
    _margins(axes[0], found, table)
    place = np.arange(1, table.height + 1)
    for height, (choice, level) in enumerate(rows):
        own = place[(table[choice] == level).fill_null(value=False).to_numpy()]
        holds = table["holds"].to_numpy()[own - 1]
        for which, color in ((holds, BLUE), (~holds, GRAY)):
            axes[1].plot(own[which], np.full(which.sum(), height), "|", color=color, markersize=5)
    names = [f"{choice} {level}" for choice, level in rows]
    canvas.tick_names(axes[1].yaxis, range(len(rows)), canvas.shown(names), SMALL)
    axes[1].set_ylim(len(rows) - 0.5, -0.5)
    axes[1].xaxis.get_major_locator().set_params(integer=True)
    axes[1].set_xlabel("Analysis")
    return axes


def _margins(axes: Any, found: Measure, table: pl.DataFrame) -> None:
    """The margin of a claim in every analysis."""
    margin, holds = table["margin"].to_numpy(), table["holds"].to_numpy()
    place = np.arange(1, len(margin) + 1)
    axes.axhline(0, color=GRAY, linewidth=0.7, zorder=1)
    for which, color in ((holds, BLUE), (~holds, GRAY)):
        axes.plot(place[which], margin[which], "o", color=color, markersize=3)
    axes.set_ylabel(f'Margin of "{shortened(found.settings["claim"])}"')
    text = f"holds in {found.values['holds']} of {found.values['analyses']}"
    axes.set_title(text, loc="right", fontsize=SMALL)


def stress_table(found: Measure) -> pl.DataFrame:
    """Share of records that had shown the event, by days since, with and without it."""
    canvas.made_by(found, Measure, "stress", "po.questions.stress(data)", "stress")
    return found.tables["curve"]


@canvas.figure(stress_table)
def stress(found: Measure, *, width: float | None = None, ax: Axes | None = None) -> Axes:
    """Share of simulated records that had shown an event, by days since.

    Parameters
    ----------
    found : result of `stress`.
    width, ax : as in `trajectories`.

    Returns
    -------
    Axes

    Dashed lines: the same records without the event, which show it wrongly. The table: method,
    days, shown, without.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.questions.stress(po.datasets.adv(), runs=10, seed=1)
    >>> po.plot.stress(found).get_ylabel()
    'Records that showed it'
    """
    table = stress_table(found)
    axes = canvas.axes_for(ax, width, 60, usual=COLUMN)
    last = float(table["days"].to_numpy().max())
    for name, shown, color in (("elo", "Elo", BLUE), ("dynamic", "dynamic", ORANGE)):
        own = table.filter(pl.col("method") == name)
        days = [*own["days"].to_list(), last]
        for column, dashes, text in (("shown", "-", None), ("without", "--", "no event")):
            share = [*own[column].to_list(), own[column][-1]]
            axes.step(
                days, share, dashes, where="post", color=color, linewidth=1.1, label=text or shown
            )
    axes.set_ylim(-0.02, 1.02)
    axes.set_xlabel(f"{'Contests' if _without_dates(found) else 'Days'} since the event")
    axes.set_ylabel("Records that showed it")
    handles = axes.get_legend_handles_labels()[0]
    handles = [handles[0], handles[2], handles[1]]  # one dashed line stands for both
    canvas.legend_above(axes, handles, own=ax is None)
    return axes


def _without_dates(found: Measure) -> bool:
    return getattr(found.data, "date", None) is None

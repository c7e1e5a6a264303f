"""A measure over moving windows, with its interval and the contests in each window.

Presence of individuals over time.

Dates of change: the probability of a change at each date, and the intervals of those found.

Tenures: who held a rank when.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peckorder.data.contests import Contests
from peckorder.data.date_columns import date_column, ends, whole_days
from peckorder.data.presence import Presence
from peckorder.groups.measures import MAIN
from peckorder.methods import METHODS
from peckorder.plot import canvas
from peckorder.plot.canvas import BLUE, COLUMN, GRAY, LIGHT, ORANGE, PAGE, SMALL
from peckorder.plot.trajectories import in_order
from peckorder.results import Measure, Ratings
from peckorder.tables import as_polars

if TYPE_CHECKING:
    from matplotlib.axes import Axes


EFFORT, LABEL = 0.2, 0.1  # parts of the height for the bars of sampling effort and their label


def windows_table(found: Measure) -> pl.DataFrame:
    """The value of each window, with its middle and its interval."""
    canvas.made_by(found, Measure, "over_time", "po.over_time(data)", "over_time")
    table = found.as_polars()
    middle = (table["start"] + (table["end"] - table["start"]) / 2).alias("middle")
    limits = [name for name in ("low", "high") if name in table.columns]
    return table.select("start", "end", middle, "contests", "individuals", "value", *limits)


@canvas.figure(windows_table)
def over_time(found: Measure, *, width: float | None = None, ax: Axes | None = None) -> Axes:
    """A measure over moving windows; the shading is its 95% interval, where it has one.

    Parameters
    ----------
    found : Measure, the result of `peckorder.over_time`.
    width, ax : as in `trajectories`.

    Each point is drawn in the middle of its window. Gray bars show the number of contests in each
    window, the highest one labeled.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.over_time(po.datasets.adv(), "linearity", window=17, step=8, seed=1)
    >>> po.plot.over_time(found).get_ylabel()
    'Linearity h′'
    """
    table = windows_table(found)
    axes = canvas.axes_for(ax, width, 60)
    x, y = table["middle"].to_numpy(), table["value"].to_numpy()
    if "low" in table.columns:
        low, high = (table[name].to_numpy() for name in ("low", "high"))
        axes.fill_between(x, low, high, color=BLUE, alpha=0.2, linewidth=0, zorder=2)
    axes.plot(x, y, "-o", color=BLUE, markersize=2.5, linewidth=1, zorder=3)
    axes.set_ylabel(_label(found))
    axes.margins(y=0.08)
    _effort(axes, x, table["contests"].to_numpy())
    if table["start"].dtype.is_temporal():
        canvas.time_axis(
            axes, np.array([table["start"].min(), table["end"].max()], "datetime64[us]")
        )
    else:
        axes.set_xlabel("Contest")
    return axes


def _label(found: Measure) -> str:
    name = found.settings["measure"]
    title = METHODS[name].label if name in METHODS else name
    if found.tables:
        return "Rank correlation with\nthe window before"
    title = title[:1].upper() + title[1:]
    followed = found.settings["followed"]
    return title if followed == MAIN.get(name, "value") else f"{title}: {followed}"


def _effort(axes: Any, x: np.ndarray, contests: np.ndarray) -> None:
    """Bars of the number of contests along the bottom of the figure."""
    beside = axes.twinx()
    beside.set_ylim(0, max(contests.max(), 1) / EFFORT)
    steps = np.diff(x)
    width = 0.7 * steps.min() if len(steps) else None
    beside.bar(
        x,
        contests,
        **({} if width is None else {"width": width}),
        color=LIGHT,
        zorder=0,
        linewidth=0,
    )
    best = int(contests.argmax())
    side = ("left", "center", "right")[min(5 * best // len(x) + 1, 4) // 2]
    text = f"{contests[best]:,} contests"
    beside.text(x[best], contests[best], text, color=GRAY, fontsize=SMALL, ha=side, va="bottom")
    beside.set_yticks([])
    beside.spines["right"].set_visible(False)
    axes.set_zorder(beside.get_zorder() + 1)
    axes.patch.set_visible(False)
    low, high = axes.get_ylim()
    room = EFFORT + LABEL
    axes.set_ylim(low - (high - low) * room / (1 - room), high)


def stint_table(data: Contests) -> pl.DataFrame:
    """Periods of presence within the study, with the number of contests in each."""
    canvas.made_by(data, Contests, "presence", "po.read(…)")
    in_order(data, "presence")
    known = data.presence or Presence.inferred(data)
    first, last = whole_days(data.times[[0, -1]])
    names, starts, stops, number = [], [], [], []
    for code, name in enumerate(data.individuals):
        own = data.times[(data.winner == code) | (data.loser == code)]
        for start, end in known.stints(name):
            start, end = max(start, first), min(end, last)
            if start <= end:
                names.append(name)
                starts.append(start)
                stops.append(end)
                number.append(int(((own >= start) & (own <= ends(np.array([end]))[0])).sum()))
    table = pl.DataFrame(
        {
            "individual": names,
            "start": date_column(np.array(starts)),
            "end": date_column(np.array(stops)),
            "contests": number,
        }
    )
    came = table.group_by("individual").agg(pl.col("start").min().alias("came"))
    return (
        table.join(came, on="individual", maintain_order="left")
        .sort("came", "individual", "start")
        .drop("came")
    )


@canvas.figure(stint_table)
def presence(data: Contests, *, width: float | None = None, ax: Axes | None = None) -> Axes:
    """Presence of individuals over time, with a mark for each contest.

    Parameters
    ----------
    data : Contests. Without presence data, bars extend from first to last contest.
    width, ax : as in `trajectories`.

    The table: individual, start, end, contests; one row per period of presence.

    Examples
    --------
    >>> import peckorder as po
    >>> po.plot.presence.data(po.datasets.adv())["contests"].sum()
    66
    """
    table = stint_table(data)
    names = table["individual"].unique(maintain_order=True).to_list()
    usual = COLUMN if len(names) <= 20 else PAGE
    axes = canvas.axes_for(
        ax, width, canvas.named_height(len(names), least=35, margin=18), usual=usual
    )
    dated = data.date is not None and data.date.dtype.kind == "M"
    place = {name: i for i, name in enumerate(names)}
    start, end = (table[side].to_numpy().astype(data.clock) for side in ("start", "end"))
    rows = [place[name] for name in table["individual"]]
    last = end + (np.timedelta64(1, "D") if dated else 1)
    axes.barh(rows, last - start, left=start, height=0.7, color=BLUE, alpha=0.35, linewidth=0)
    for name, row in place.items():
        code = data.code(name)
        own = data.times[(data.winner == code) | (data.loser == code)]
        axes.plot(own, np.full(len(own), row), "|", color=BLUE, markersize=2.5, markeredgewidth=0.4)
    canvas.names_down(axes, names, else_title="Order of arrival")
    axes.grid(axis="x", color=LIGHT, linewidth=0.3)
    axes.set_axisbelow(True)
    canvas.time_axis(axes, data.date)
    note = "present" if data.presence is not None else "first to last contest"
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    mark = Line2D([], [], color=BLUE, marker="|", linestyle="", markersize=5, label="contest")
    bar = Patch(color=BLUE, alpha=0.35, linewidth=0, label=note)
    canvas.legend_above(axes, [bar, mark], ax is None)
    return axes


def profile_table(found: Measure) -> pl.DataFrame:
    """Probability of a change by date, given that there was one."""
    canvas.made_by(found, Measure, "change_points", "po.change_points(data)", "change_points")
    return found.tables["profile"]


def per_contest(table: pl.DataFrame) -> np.ndarray:
    """Probability of a change before each contest; a row stands for those nearest to it."""
    contest = table["contest"].to_numpy().astype(float)
    middles = (contest[1:] + contest[:-1]) / 2
    edges = np.concatenate([contest[:1] - 0.5, middles, contest[-1:] + 0.5])
    return table["probability"].to_numpy() / np.diff(edges)


@canvas.figure(profile_table)
def change_points(found: Measure, *, width: float | None = None, ax: Axes | None = None) -> Axes:
    """Probability of a change at each date, given that there was one, and the dates found.

    Parameters
    ----------
    found : Measure, the result of `peckorder.change_points`.
    width, ax : as in `trajectories`.

    Orange lines mark the dates found, orange areas their 95% intervals. The blue curve belongs to
    the first search, for one change; the area below it is 1, with contests as units.

    Examples
    --------
    >>> import peckorder as po
    >>> truth, data = po.simulate.takeover(8, (150, 150), spread=3, seed=1)
    >>> po.plot.change_points(po.change_points(data)).get_xlabel()
    'Contest'
    """
    table = profile_table(found)
    axes = canvas.axes_for(ax, width, 50)
    x, height = table["date"].to_numpy(), per_contest(table)
    axes.fill_between(x, height, color=BLUE, alpha=0.2, linewidth=0, zorder=2)
    axes.plot(x, height, color=BLUE, linewidth=1, zorder=3)
    for row in found.as_polars().iter_rows(named=True):
        axes.axvspan(row["low"], row["high"], color=ORANGE, alpha=0.2, linewidth=0, zorder=1)
        axes.axvline(row["date"], color=ORANGE, linewidth=0.8, linestyle="--", zorder=2)
    axes.set_ylim(bottom=0)
    axes.set_ylabel("Probability per contest")
    change = f"Probability of a change: {found.values['probability']:.2f}"
    axes.set_title(change, fontsize=7)
    if table["date"].dtype.is_temporal():
        canvas.time_axis(axes, x)
    else:
        axes.set_xlabel("Contest")
    return axes


PALEST = 0.15  # opacity of a tenure with certainty 0


def tenure_table(ratings: Ratings, rank: int = 1) -> pl.DataFrame:
    """Who held the rank from when to when."""
    canvas.made_by(ratings, Ratings, "tenure", "po.elo(data) or po.dynamic(data)")
    in_order(ratings.data, "tenure")
    return as_polars(ratings.tenure(rank))


@canvas.figure(tenure_table)
def tenure(
    ratings: Ratings, *, rank: int = 1, width: float | None = None, ax: Axes | None = None
) -> Any:
    """Who held a rank when: one row per holder, in order of time.

    Parameters
    ----------
    ratings : Ratings
    rank : the rank, 1 for the highest
    width, ax : as in `trajectories`.

    With posterior draws, a bar is the darker the more certain it is that the individual had the
    rank.

    Examples
    --------
    >>> import peckorder as po
    >>> po.plot.tenure.data(po.elo(po.datasets.adv(), k=200)).columns
    ['individual', 'start', 'end', 'days']
    """
    table = tenure_table(ratings, rank)
    names = table["individual"].unique(maintain_order=True).to_list()
    usual = COLUMN if len(names) <= 20 else PAGE
    axes = canvas.axes_for(
        ax, width, canvas.named_height(len(names), least=30, margin=18), usual=usual
    )
    data = ratings.data
    dated = data.date is not None and data.date.dtype.kind == "M"
    start, end = (table[side].to_numpy().astype(data.clock) for side in ("start", "end"))
    last = end + (np.timedelta64(1, "D") if dated else 1)
    certain = table["certainty"] if "certainty" in table.columns else [1.0] * table.height
    for i, (name, certainty) in enumerate(zip(table["individual"], certain, strict=True)):
        axes.barh(
            names.index(name),
            last[i] - start[i],
            left=start[i],
            height=0.7,
            color=BLUE,
            alpha=PALEST + (1 - PALEST) * certainty,
            linewidth=0,
        )
    canvas.names_down(axes, names, else_title="Order of time")
    axes.grid(axis="x", color=LIGHT, linewidth=0.3)
    axes.set_axisbelow(True)
    axes.set_title(f"Rank {rank}", fontsize=7)
    canvas.time_axis(axes, data.date)
    return axes

"""Ratings and ranks over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from peckorder.data.contests import Contests
from peckorder.data.date_columns import PERIODS, date_column, ends, period_ends, whole_days
from peckorder.errors import ArgumentError, DataError
from peckorder.plot import canvas
from peckorder.plot.canvas import BLUE, COLUMN, FONT, GRAY, LIGHT, MILLIMETER, PAGE, POINT, SILVER
from peckorder.ranks import average_ranks
from peckorder.results import Ratings
from peckorder.results.samples import SampledRatings
from peckorder.results.window import NO_CONTESTS
from peckorder.text import counted, option, option_name
from peckorder.validate import one_of, true_or_false, whole_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_LINES = 500
MOST_RIBBONS = 6  # drawn on the same axes
RIBBONS = ("rating_low", "rating_low80", "rating_high80", "rating_high")
PARTS = 6  # of a study without calendar dates
OVER = ("date", "contest")


def course_table(
    ratings: Ratings, *, individuals: Sequence[str] | None = None, over: str | None = None
) -> pl.DataFrame:
    """Ratings at each change, arrival and departure; one line per period of presence."""
    canvas.made_by(ratings, Ratings, "trajectories", "po.elo(data) or po.elo_bayes(data)")
    data = in_order(ratings.data, "trajectories")
    along(data, over)
    names = canvas.chosen(ratings.everyone, individuals, "individuals")
    if len(names) > MOST_LINES:
        raise ArgumentError(
            f"{len(names):,} lines are too many for one figure: choose up to {MOST_LINES} with "
            f"{option('individuals')}."
        )
    parts = [
        held(ratings.trajectory_frame(name, (0.95, 0.8)), data, name).select(
            pl.lit(name).alias("individual"), pl.all()
        )
        for name in names
    ]
    return pl.concat(parts, how="vertical_relaxed")


def in_order(data: Contests, figure: str) -> Contests:
    """Raise an error if the order of contests is unknown."""
    if not data.ordered:
        raise DataError(
            f"plot.{figure} draws changes over time, but the order of these contests is not known "
            f"(they come from a matrix or from counts)."
        )
    if len(data) == 0:
        raise DataError(NO_CONTESTS)
    return data


def along(data: Contests, over: str | None) -> str:
    """The horizontal axis: dates if there are several, unless specified otherwise."""
    one_of("over", over, (None, *OVER))
    if over == "date" and data.date is None:
        raise ArgumentError(
            f"{option('over', 'date')}: these contests have no dates. Name the date column when "
            f"reading ({option('date')}), or use {option('over', 'contest')}."
        )
    moving = data.date is not None and data.date[0] != data.date[-1]
    return over or ("date" if moving else "contest")


def held(path: pl.DataFrame, data: Contests, name: str) -> pl.DataFrame:
    """A trajectory split into periods of presence; ratings remain constant until departure."""
    if data.presence is None:
        return path.select(pl.lit(1).alias("stint"), pl.all())
    dated = data.date is not None
    by_day = bool((whole_days(data.times) == data.times).all())
    when = path["date" if dated else "contest"].to_numpy().astype(data.clock)
    contests = path["contest"].to_numpy()
    rows, stints, times, done = [], [], [], []
    earlier = data.first_number - 1  # contests before a window
    for stint, (start, end) in enumerate(data.presence.stints(name), start=1):
        last_moment = end if by_day else ends(np.array([end]))[0]
        come, leave = max(start, data.times[0]), min(last_moment, data.times[-1])
        if leave < come:
            continue
        inside = np.flatnonzero((when >= come) & (when <= leave) & (np.arange(len(when)) > 0))
        first = max(0, int(np.searchsorted(when, come, side="left")) - 1)
        last = inside[-1] if inside.size else first
        rows += [first, *inside, last]
        times += [come, *when[inside], leave]
        ends_at = (
            earlier + np.searchsorted(data.times, come, side="left"),
            earlier + np.searchsorted(data.times, leave, side="right"),
        )
        done += [ends_at[0], *contests[inside], ends_at[1]]
        stints += [stint] * (len(inside) + 2)
    moments = np.array(times).astype(data.clock)
    out = path[rows].with_columns(contest=pl.Series(done), stint=pl.Series(stints, dtype=pl.Int32))
    if dated:
        out = out.with_columns(date=date_column(moments))
    return out.select("stint", *path.columns)


@canvas.figure(course_table)
def trajectories(
    ratings: Ratings,
    *,
    individuals: Sequence[str] | None = None,
    highlight: Sequence[str] | None = None,
    over: Literal["date", "contest"] | None = None,
    ribbons: bool | None = None,
    separate: bool = False,
    width: float | None = None,
    ax: Axes | None = None,
) -> Any:
    """Ratings over time, one line per individual, interrupted during absence.

    Parameters
    ----------
    ratings : Ratings, by any method.
    individuals : names of the individuals to draw; all by default.
    highlight : names of the individuals to color and name; the others are gray. By default all
        up to 12 individuals; of more, the seven highest-ranked of those present at the end are
        colored, and the others present are named in gray.
    over : {"date", "contest"}; dates by default, if there are several.
    ribbons : whether to shade 80% and 95% intervals, which requires posterior draws (`elo_bayes`).
        By default shaded for up to six colored individuals, and in separate panels.
    separate : one small panel per individual, with all others in gray behind.
    width : of a new figure in millimeters; 85 and 174 are one and two columns of a journal.
    ax : axes to draw on; a new figure by default.

    Returns
    -------
    Axes, or an array of them with `separate`.

    Elo ratings change at contests only, hence the steps; dotted lines connect names to lines. The
    table: individual, stint (one line each), contest, date, rating, and limits of the intervals.

    Examples
    --------
    >>> import peckorder as po
    >>> elo = po.elo(po.datasets.adv(), k=200)
    >>> po.plot.trajectories(elo).get_ylabel()
    'Elo rating (points)'
    >>> po.plot.trajectories.data(elo, individuals="b").columns
    ['individual', 'stint', 'contest', 'date', 'rating']
    """
    if ribbons is not None:
        true_or_false("ribbons", ribbons)
    true_or_false("separate", separate)
    table = course_table(ratings, individuals=individuals, over=over)
    names = table["individual"].unique(maintain_order=True).to_list()
    gone = left_early(ratings.data)
    bright, quiet = canvas.emphasized(names, set(names) - gone, highlight)
    drawn = isinstance(ratings, SampledRatings)
    if ribbons and not drawn:
        raise ArgumentError(
            f"{option_name('ribbons')} needs posterior draws, which {ratings.method} does not "
            f"provide. Rate with dynamic or elo_bayes, or omit {option_name('ribbons')}."
        )
    x, steps = along(ratings.data, over), in_steps(ratings)
    if separate:
        if ax is not None:
            raise ArgumentError("separate=True needs a figure of its own: omit ax.")
        everyone = names if highlight is None else bright
        return _separate(ratings, table, everyone, x, drawn if ribbons is None else ribbons, width)
    labels = min(len(bright) + len(quiet), canvas.MOST_NAMED)
    usual = COLUMN if len(names) <= 12 else PAGE
    least = 60 if len(names) <= 12 else 90
    axes = canvas.axes_for(ax, width, canvas.named_height(labels, least=least), usual=usual)
    shaded = drawn and len(bright) <= MOST_RIBBONS if ribbons is None else ribbons
    behind = len(bright) < len(names)
    style = dict(zip(bright, canvas.looks(len(bright), over_gray=behind), strict=True))
    lines = dict(table.group_by("individual", maintain_order=True))
    for name in sorted(names, key=lambda name: name in style):
        path = lines[(name,)]
        own = style.get(name, {"color": SILVER if name in quiet else LIGHT, "linestyle": "-"})
        bold = name in style and len(bright) <= 20
        thin = 0.6 if len(names) <= 30 or name in quiet or name in style else 0.4
        _lines(
            axes, path, x, steps, linewidth=1.0 if bold else thin, zorder=2 + (name in style), **own
        )
        if shaded and name in style:
            _ribbons(axes, path, x, own["color"], steps)
    if shaded:
        canvas.legend_above(axes, _legend(GRAY), ax is None)
    _axis_titles(axes, ratings, x)
    # A number of ticks that does not depend on the height: else layouts with and without decimals
    # alternate, and the title of the axis is cut.
    axes.locator_params(axis="y", nbins=6)
    named = [*bright, *quiet]
    last = [lines[(name,)][-1] for name in named]
    ends_of = [(path[x].to_numpy()[0], path["rating"][0]) for path in last]
    colors = [style[name]["color"] if name in style else GRAY for name in named]
    canvas.label_ends(axes, named, ends_of, colors, gone=gone)
    return axes


def left_early(data: Contests) -> set[str]:
    """Individuals that left before the last contest."""
    if data.presence is None:
        return set()
    there = data.presence.at(data.times[-1], data.individuals)
    return {name for name, stays in zip(data.individuals, there, strict=True) if not stays}


def _separate(
    ratings: Ratings,
    table: pl.DataFrame,
    bright: list[str],
    x: str,
    ribbons: bool,
    width: float | None,
) -> Any:
    columns = min(len(bright), 3 if len(bright) <= 9 else 4 if len(bright) <= 16 else 6)
    rows = -(-len(bright) // columns)
    if rows > 16:
        raise ArgumentError(
            f"{len(bright):,} panels do not fit on a page: choose fewer with {option('highlight')} "
            f"or {option('individuals')}."
        )
    height = min(canvas.TALLEST, 14 + rows * {3: 38, 4: 32}.get(columns, 24))
    wide = canvas.checked_width(width, PAGE)
    # A fixed layout is faster than a constrained one for many panels.
    around = {
        "left": 15 / wide,
        "right": 1 - 3 / wide,
        "bottom": 13 / height,
        "top": 1 - 10 / height,
        "hspace": 0.45,
        "wspace": 0.32,
    }
    axes = canvas.panels(
        rows, columns, wide, height, layout=None, sharex=True, sharey=True, gridspec_kw=around
    )
    room = (wide - 18) / columns * MILLIMETER / POINT
    lines = dict(table.group_by("individual", maintain_order=True))
    all_lines = _joined(table, x)
    when = ratings.data.times
    long = when.dtype.kind != "M" or when[-1] - when[0] > np.timedelta64(3650, "D")
    for panel, name, label in zip(axes.flat, bright, canvas.shown(bright), strict=False):
        panel.step(*all_lines, where="post", color="0.87", linewidth=0.4, zorder=0)
        path, steps = lines[(name,)], in_steps(ratings)
        if ribbons:
            _ribbons(panel, path, x, BLUE, steps)
        _lines(panel, path, x, steps, color=BLUE, linewidth=0.9, zorder=3)
        size = float(np.clip(room / (0.74 * len(label)), canvas.SMALLEST, FONT))
        panel.set_title(label, loc="left", pad=2, fontsize=size)
    for unused in axes.flat[len(bright) :]:
        unused.remove()
    for above in axes[rows - 2, len(bright) - (rows - 1) * columns :] if rows > 1 else ():
        above.tick_params(labelbottom=True)
    for panel in axes.flat[: len(bright)]:
        _axis_titles(panel, ratings, x, ticks=(2, 5 if columns <= 3 else 4 if long else 3))
        panel.tick_params(labelsize=FONT if columns <= 4 else canvas.SMALL)
    whole = axes[0, 0].figure
    whole.supylabel(axes[0, 0].get_ylabel(), fontsize=8)
    whole.supxlabel(axes[0, 0].get_xlabel(), fontsize=8)
    for panel in axes.flat[: len(bright)]:
        panel.set(xlabel="", ylabel="")
    if ribbons:
        whole.legend(handles=_legend(BLUE), loc="upper right", ncols=3)
    return axes


def _joined(table: pl.DataFrame, x: str) -> tuple[np.ndarray, np.ndarray]:
    """All lines as one with gaps between them, which is fast to draw."""
    parts = table.partition_by("individual", "stint", maintain_order=True)
    when = [np.append(part[x].to_numpy(), part[x].to_numpy()[-1:]) for part in parts]
    rating = [np.append(part["rating"].to_numpy(), np.nan) for part in parts]
    return np.concatenate(when), np.concatenate(rating)


def in_steps(ratings: Ratings) -> bool:
    """Whether ratings change at contests only; some also drift between them."""
    return ratings.method not in ("dynamic", "adaptive")


def _lines(axes: Any, path: pl.DataFrame, x: str, steps: bool, **how: Any) -> None:
    for _, part in path.group_by("stint", maintain_order=True):
        drawn = {"drawstyle": "steps-post"} if steps else {}
        axes.plot(part[x].to_numpy(), part["rating"].to_numpy(), **drawn, **how)


def _ribbons(axes: Any, path: pl.DataFrame, x: str, color: str, steps: bool) -> None:
    for _, part in path.group_by("stint", maintain_order=True):
        ends = [part[name].to_numpy() for name in RIBBONS]
        for (low, high), shade in (((0, 3), 0.15), ((1, 2), 0.25)):
            axes.fill_between(
                part[x].to_numpy(),
                ends[low],
                ends[high],
                step="post" if steps else None,
                color=color,
                alpha=shade,
                linewidth=0,
                zorder=1,
            )


def _legend(color: str) -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    return [
        Line2D([], [], color=color, label="posterior mean"),
        Patch(color=color, alpha=0.36, linewidth=0, label="80%"),
        Patch(color=color, alpha=0.15, linewidth=0, label="95%"),
    ]


def _axis_titles(axes: Any, ratings: Ratings, x: str, ticks: tuple[int, int] = (3, 6)) -> None:
    axes.set_ylabel(rating_title(ratings))
    canvas.time_axis(axes, ratings.data.times if x == "date" else None, ticks=ticks)


def rating_title(ratings: Ratings) -> str:
    """Axis label of ratings, with their unit."""
    what = {
        "glicko": "Glicko rating",
        "glicko2": "Glicko-2 rating",
        "dynamic": "Dynamic rating",
        "adaptive": "Adaptive rating",
    }.get(ratings.method, "Elo rating")
    return f"{what} ({'log odds' if ratings.curve.slope == 1 else 'points'})"


def rank_course(
    ratings: Ratings, *, individuals: Sequence[str] | None = None, periods: Any = None
) -> pl.DataFrame:
    """Rank of each individual at the end of each period, among those present."""
    canvas.made_by(ratings, Ratings, "bump", "po.elo(data)")
    names = canvas.chosen(ratings.everyone, individuals, "individuals")
    data = in_order(ratings.data, "bump")
    moments = _periods(data, periods)[1]
    courses = ratings.course.at(moments)
    rows, last = [], []
    for number, (when, rating) in enumerate(zip(moments, courses, strict=True), start=1):
        there = ratings.course.present(when) & ~np.isnan(rating)
        rank = np.full(len(rating), np.nan)
        rank[there] = average_ranks(rating[there])
        last.append(int(np.searchsorted(data.times, when, side="right")) - 1)
        rows.append(
            pl.DataFrame(
                {
                    "individual": names,
                    "period": number,
                    "rank": rank[[ratings.code(name) for name in names]],
                }
            )
        )
    until = date_column(np.repeat(data.times[last], len(names)))
    table = pl.concat(rows).with_columns(until.alias("until"))
    return table.select("individual", "period", "until", "rank").fill_nan(None)


def _periods(data: Contests, periods: Any) -> tuple[str, np.ndarray]:
    """Axis label and ends of calendar periods, or of parts with equal numbers of contests."""
    dated = data.date is not None and data.date.dtype.kind == "M"
    if periods is None:
        fitting = (
            period
            for period in reversed(PERIODS)
            if dated and len(period_ends(data.times, period)) >= 4
        )
        periods = next(fitting, None) or max(2, min(PARTS, len(data)))
    if isinstance(periods, str):
        one_of("periods", periods, PERIODS)
        if not dated:
            raise ArgumentError(
                f"{option('periods', periods)}: these contests have no calendar dates. Name the "
                f"date column when reading ({option('date')}), or give a number of parts."
            )
        return f"End of {periods}", period_ends(data.times, periods)
    if len(data) < 2:
        raise DataError("Ranks over time need at least two contests.")
    number = whole_number("periods", periods, 2)
    if number > len(data):
        raise ArgumentError(
            f"{option_name('periods')}={number}: there are only {counted(len(data), 'contest')}."
        )
    places = np.linspace(0, len(data), number + 1)[1:].round().astype(int)
    moments = np.unique(data.times[places - 1])  # parts that end at the same time are merged
    if len(moments) < 2:
        raise DataError(
            "These contests all have the same date, so there are no ranks over time. If the rows "
            f"are in order, read them without dates ({option('date', '')})."
        )
    return "Until contest" if data.date is None else "Until", moments


@canvas.figure(rank_course)
def bump(
    ratings: Ratings,
    *,
    individuals: Sequence[str] | None = None,
    highlight: Sequence[str] | None = None,
    periods: Any = None,
    width: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Ranks at the end of each period, one line per individual.

    Parameters
    ----------
    ratings : Ratings, by any method.
    individuals : names of the individuals to draw; all by default. Ranks are among all present.
    highlight : names of the individuals to color; the others are gray. By default as in
        `trajectories`.
    periods : "week", "month" or "year", or a number of parts with equal numbers of contests. By
        default the longest calendar period that occurs at least four times; without dates six
        parts.
    width, ax : as in `trajectories`.

    Lines are interrupted during absence. The table: individual, period (number), until (time of its
    last contest), rank.

    Examples
    --------
    >>> import peckorder as po
    >>> axes = po.plot.bump(po.elo(po.datasets.adv(), k=200), periods="week")
    >>> axes.get_xlabel()
    'End of week'
    """
    table = rank_course(ratings, individuals=individuals, periods=periods)
    names = table["individual"].unique(maintain_order=True).to_list()
    gone = left_early(ratings.data)
    bright, quiet = canvas.emphasized(names, set(names) - gone, highlight)
    last = int(table["period"].max())  # pyright: ignore[reportArgumentType]
    usual = COLUMN if len(names) <= 20 and last <= 12 else PAGE
    axes = canvas.axes_for(ax, width, canvas.named_height(len(names), least=55), usual=usual)
    behind = len(bright) < len(names)
    style = dict(zip(bright, canvas.looks(len(bright), over_gray=behind), strict=True))
    ends_of = {}
    for (name,), path in table.group_by("individual", maintain_order=True):
        rank, period = path["rank"].to_numpy(), path["period"].to_numpy()
        seen = np.flatnonzero(~np.isnan(rank))
        if not seen.size:
            continue
        ends_of[name] = period[seen[-1]], rank[seen[-1]]
        tone = SILVER if name in quiet else LIGHT
        own = style.get(str(name), {"color": tone, "linestyle": "-"})
        small = len(names) > 30
        axes.plot(
            period,
            rank,
            marker="" if small and tone == LIGHT and name not in style else "o",
            markersize=2 if small else 3.5,
            zorder=2 + (name in style),
            linewidth=0.7 if small else 1.2,
            **own,
        )
    axes.set_ylim(float(np.nanmax(table["rank"].to_numpy())) + 0.5, 0.5)
    axes.set_xticks([1], [" "])
    axes.set_xlabel(_periods(ratings.data, periods)[0])
    axes.set_ylabel("Rank")
    canvas.rank_ticks(axes.yaxis, float(np.nanmax(table["rank"].to_numpy())))
    named = [name for name in (*bright, *quiet) if name in ends_of]
    colors = [style[name]["color"] if name in style else GRAY for name in named]
    gone = {name for name in named if ends_of[name][0] < last}
    canvas.label_ends(axes, named, [ends_of[name] for name in named], colors, gone=gone)
    _date_ticks(axes, table, last)
    return axes


def _date_ticks(axes: Any, table: pl.DataFrame, last: int) -> None:
    """Ends of periods as ticks: short but distinct, and as many as fit."""
    until = table.unique("period", maintain_order=True)["until"].cast(pl.String).to_list()
    lengths = {"End of year": slice(4), "End of month": slice(7)}
    cut = lengths.get(axes.get_xlabel(), slice(10))
    if len({date[cut] for date in until}) < len(until):
        cut = slice(5, 16)
    axes.figure.draw_without_rendering()  # names beside the axes have made them narrower
    room = axes.get_window_extent().width / axes.figure.dpi / POINT
    longest = max(len(date[cut]) for date in until)
    every = int(np.ceil(last * (0.7 * longest + 0.5) * FONT / room))
    axes.set_xticks(range(1, last + 1)[::every], [date[cut] for date in until[::every]])

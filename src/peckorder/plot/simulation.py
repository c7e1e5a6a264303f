"""Planning: how often a study of so many contests reaches its target.

Recovery of ranks: error by number of contests, and estimated against true ranks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from peckorder.data.contests import Contests
from peckorder.errors import ArgumentError
from peckorder.plot import canvas
from peckorder.plot.canvas import BLUE, COLUMN, GRAY, LEAST_BESIDE, ORANGE, PAGE, SMALL
from peckorder.results import Measure
from peckorder.simulate.recovery import Recovery
from peckorder.structure.hierarchy_shape import wilson
from peckorder.text import counted, option
from peckorder.validate import one_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


Z95 = 1.959963984540054
DYADS = "Dyads in the correct order (share)"
TARGETS = {
    None: DYADS,
    "dyads": DYADS,
    "steepness": "Studies with steepness ±{within:g} (share)",
    "linearity": "Studies with a significant h′ (share)",
}

COUNTED = ("steepness", "linearity")  # targets that a study reaches or not


def effort_table(found: Measure) -> pl.DataFrame:
    """Share reached by number of contests, with the ends of a 95% Monte Carlo interval."""
    canvas.made_by(found, Measure, "power", "po.power(10, 3)", "power", "recovery")
    table = found.tables.get("efforts") if found.method == "recovery" else found.as_polars()
    if table is None:
        raise ArgumentError(
            "This result of recovery has no other numbers of contests: leave out effort=()."
        )
    share = "reached" if "reached" in table.columns else "dyads_correct"
    low, high = _ends(found, table[share], table[f"{share}_se"].fill_null(0.0))
    columns = {"contests": table["contests"]}
    if "hours" in table.columns:
        columns["hours"] = table["hours"]
    columns |= {"share": table[share], "low": low.clip(0, 1), "high": high.clip(0, 1)}
    return pl.DataFrame(columns).sort("contests")


def _ends(found: Measure, share: pl.Series, error: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Ends of a 95% Monte Carlo interval: of a mean, or of a proportion of studies (Wilson).

    A proportion of 0 or 1 has the estimated error 0, but is not known exactly.
    """
    if found.settings.get("target") not in COUNTED:
        return share - Z95 * error, share + Z95 * error
    studies = np.full(share.len(), found.settings["runs"])
    low, high = wilson(share.to_numpy(), studies, 0.95)
    return pl.Series(low), pl.Series(high)


@canvas.figure(effort_table)
def power(found: Measure, *, width: float | None = None, ax: Axes | None = None) -> Axes:
    """Share of studies (or dyads) that reach a target, against the number of contests.

    Parameters
    ----------
    found : result of `power`, or of `recovery` with several efforts.
    width, ax : as in `trajectories`.

    Returns
    -------
    Axes

    Bars are 95% Monte Carlo intervals: they become shorter with more `runs`, not with more
    contests. With a target, dashed lines mark the goal and the number of contests needed, and the
    shaded area its 95% Monte Carlo interval. Without a target, and for `recovery`, the share of
    dyads in the correct order is shown. With a rate, hours are given at the top. The table:
    contests, hours (with a rate), share, low, high.

    Examples
    --------
    >>> import peckorder as po
    >>> plan = po.power(6, 2, target="linearity", runs=20, seed=1)
    >>> po.plot.power(plan).get_xlabel()
    'Contests'
    >>> po.plot.power.data(plan).columns
    ['contests', 'share', 'low', 'high']
    """
    table = effort_table(found).drop_nulls("share")
    if table.is_empty():
        raise ArgumentError(
            "There is nothing to draw: all individuals are equal, so no dyad has a correct order. "
            'Choose a spread above 0, or target="steepness".'
        )
    axes = canvas.axes_for(ax, width, 65, usual=COLUMN)
    share = table["share"]
    axes.errorbar(
        table["contests"],
        share,
        yerr=[(share - table["low"]).clip(0), (table["high"] - share).clip(0)],
        color=BLUE,
        linewidth=1,
        marker="o",
        markersize=3,
        capsize=2,
        capthick=0.7,
        elinewidth=0.7,
        zorder=3,
    )
    _log_axis(axes)
    axes.set_xlabel("Contests")
    settings = found.settings
    axes.set_ylabel(TARGETS[settings.get("target")].format(within=settings.get("within") or 0.0))
    # Half of the dyads are in the correct order by guessing.
    guessed = settings.get("target") not in COUNTED and float(table["low"].min()) >= 0.5  # pyright: ignore[reportArgumentType]
    axes.set_ylim(0.485 if guessed else -0.03, 1.015 if guessed else 1.03)
    if found.values.get("goal") is not None:
        _goal(axes, found)
    rate = settings.get("rate")
    if rate:
        hours = axes.secondary_xaxis("top", functions=(lambda x: x / rate, lambda h: h * rate))
        hours.set_xlabel(f"Hours at {rate:g} contests per hour")
        hours.spines["top"].set_visible(True)
        _plain_numbers(hours.xaxis)
    return axes


def _goal(axes: Any, found: Measure) -> None:
    """The goal, and the number of contests that reaches it with its Monte Carlo interval."""
    goal, contests = found.values["goal"], found.values.get("contests")
    axes.axhline(goal, color=ORANGE, linestyle="--", linewidth=0.8, zorder=1)
    axes.annotate(
        f"goal {goal:g}",
        (0, goal),
        xycoords=("axes fraction", "data"),
        xytext=(2, 2),
        textcoords="offset points",
        fontsize=SMALL,
        color=ORANGE,
    )
    if contests is None:
        return
    error = found.values.get("contests_se") or 0.0
    if error:
        low = max(contests - Z95 * error, axes.get_xlim()[0])
        axes.axvspan(low, contests + Z95 * error, color=GRAY, alpha=0.15, linewidth=0, zorder=0)
    axes.axvline(contests, color=GRAY, linestyle="--", linewidth=0.8, zorder=1)
    axes.annotate(
        counted(contests, "contest"),
        (contests, 0),
        xycoords=("data", "axes fraction"),
        xytext=(-3, 3),
        textcoords="offset points",
        ha="right",
        va="bottom",
        fontsize=SMALL,
        color=GRAY,
        rotation=90,
    )


def _log_axis(axes: Any) -> None:
    axes.set_xscale("log")
    _plain_numbers(axes.xaxis)


def _plain_numbers(axis: Any) -> None:
    """Ticks at 1, 2 and 5 times powers of ten, written without exponents."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))


PARTS = ("time", "ranks")


def error_table(found: Measure, *, part: str | None = None) -> pl.DataFrame:
    """Rank error by number of contests, or frequencies of estimated ranks by true rank."""
    canvas.made_by(found, Measure, "recovery", "po.recovery(data)", "recovery", "rank_error")
    if one_of("part", part, (None, *PARTS)) == "ranks":
        if not isinstance(found, Recovery):
            raise ArgumentError(
                f"{found.method} contains errors over time but no estimated ranks: use "
                f'po.recovery(data) for part="ranks".'
            )
        pairs = pl.DataFrame(
            {"true_rank": found.true_rank.ravel(), "estimated_rank": found.estimated_rank.ravel()}
        ).filter(pl.col("true_rank").is_not_nan())
        counted = pairs.group_by("true_rank", "estimated_rank").len("records")
        share = pl.col("records") / pl.col("records").sum().over("true_rank")
        return counted.with_columns(share=share).sort("true_rank", "estimated_rank")
    if found.method == "rank_error":
        return found.as_polars().select("contest", pl.col("mae").alias("rank_mae"))
    table = found.tables["over_time"]
    if isinstance(found.data, Contests) and not found.data.ordered:
        raise ArgumentError(
            f"The order of these contests is unknown, so there are no errors over time. Use "
            f"{option('part', 'ranks')}."
        )
    if table["rank_mae"].null_count() == table.height:
        raise ArgumentError(
            f"{found.settings['method']} gives a single order for all contests, so there are no "
            f"errors over time. Use {option('part', 'ranks')}."
        )
    return table


@canvas.figure(error_table)
def recovery(
    found: Measure,
    *,
    part: Literal["time", "ranks"] | None = None,
    width: float | None = None,
    ax: Axes | None = None,
) -> Any:
    """Rank error against the number of contests, and estimated against true ranks.

    Parameters
    ----------
    found : result of `recovery`, or of `simulate.rank_error` (errors over time only).
    part : {"time", "ranks"}; all that is available by default ("time" if `ax` is given).
    width, ax : as in `trajectories`.

    Returns
    -------
    Axes, or an array of two.

    The area of a circle is proportional to the share of simulated records in which an individual
    of that true rank received that estimated rank. The table: contest, rank_mae; for part "ranks"
    true_rank, estimated_rank, records, share.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.recovery(po.datasets.adv(), k=200, runs=20, seed=1)
    >>> [panel.get_xlabel() for panel in po.plot.recovery(found)]
    ['Contests observed', 'True rank']
    """
    one_of("part", part, (None, *PARTS))
    if part is None and ax is None:
        kinds: list[Any] = [kind for kind in PARTS if _has(found, kind)]
        part = kinds[0] if len(kinds) == 1 else None
    if part is None and ax is None:
        if canvas.checked_width(width, PAGE) >= LEAST_BESIDE:
            axes = canvas.panels(1, 2, width, 70)[0]
        else:
            axes = canvas.panels(2, 1, width, 125, height_ratios=(1, 1.4))[:, 0]
        _time(axes[0], found)
        _ranks(axes[1], found)
        return axes
    error_table(found, part=part)
    axes = canvas.axes_for(ax, width, 70, usual=COLUMN)
    (_ranks if part == "ranks" else _time)(axes, found)
    return axes


def _has(found: Measure, part: str) -> bool:
    try:
        return error_table(found, part=part) is not None
    except ValueError:
        return False


def _time(axes: Any, found: Measure) -> None:
    table = error_table(found, part="time").drop_nulls("rank_mae")
    axes.plot(
        table["contest"],
        table["rank_mae"],
        color=BLUE,
        linewidth=1,
        marker="o" if table.height <= 30 else "",
        markersize=3,
    )
    axes.set_xlabel("Contests observed")
    axes.set_ylabel("Mean absolute rank error")
    axes.set_ylim(0, max(0.1, 1.1 * float(table["rank_mae"].max())))  # pyright: ignore
    axes.set_xlim(0, None)


def _ranks(axes: Any, found: Measure) -> None:
    table = error_table(found, part="ranks")
    size = float(table["true_rank"].max())  # pyright: ignore[reportArgumentType]
    largest = (110 / size) ** 2  # in square points: full circles touch
    axes.plot([1, size], [1, size], color=GRAY, linestyle="--", linewidth=0.7, zorder=1)
    axes.scatter(
        table["true_rank"],
        table["estimated_rank"],
        s=largest * np.maximum(table["share"], 0.02),
        color=BLUE,
        alpha=0.8,
        linewidth=0,
        zorder=2,
        clip_on=False,  # circles of the first and last ranks
    )
    for axis in (axes.xaxis, axes.yaxis):
        canvas.rank_ticks(axis, size)
    axes.set(
        xlim=(0.4, size + 0.6),
        ylim=(size + 0.6, 0.4),
        xlabel="True rank",
        ylabel="Estimated rank",
        aspect="equal",
    )

"""Planning: how often a study of so many contests reaches its target."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peckorder.errors import ArgumentError
from peckorder.figures.canvas import BLUE, COLUMN, GRAY, ORANGE, SMALL, axes_for, figure, made_by
from peckorder.results import Measure
from peckorder.structure.shape import wilson
from peckorder.wording import counted

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
    made_by(found, Measure, "power", "po.power(10, 3)", "power", "recovery")
    table = found.tables.get("efforts") if found.method == "recovery" else found.as_polars()
    if table is None:
        raise ArgumentError(
            "This result of recovery has no other numbers of contests: leave out effort=()."
        )
    number = "contests" if found.method == "recovery" else "interactions"
    share = "reached" if "reached" in table.columns else "dyads_correct"
    low, high = _ends(found, table[share], table[f"{share}_error"].fill_null(0.0))
    columns = {"contests": table[number]}
    if "hours" in table.columns:
        columns["hours"] = table["hours"]
    columns |= {"share": table[share], "low95": low.clip(0, 1), "high95": high.clip(0, 1)}
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


@figure(effort_table)
def power(found: Measure, *, width: float | None = None, ax: Axes | None = None) -> Any:
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
    contests, hours (with a rate), share, low95, high95.

    Examples
    --------
    >>> import peckorder as po
    >>> plan = po.power(6, 2, target="linearity", runs=20, seed=1)
    >>> po.plot.power(plan).get_xlabel()
    'Contests'
    >>> po.plot.power.data(plan).columns
    ['contests', 'share', 'low95', 'high95']
    """
    table = effort_table(found).drop_nulls("share")
    axes = axes_for(ax, width, 65, usual=COLUMN)
    share = table["share"]
    axes.errorbar(
        table["contests"],
        share,
        yerr=[(share - table["low95"]).clip(0), (table["high95"] - share).clip(0)],
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
    guessed = settings.get("target") not in COUNTED and float(table["low95"].min()) >= 0.5  # pyright: ignore[reportArgumentType]
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
    goal, contests = found.values["goal"], found.values["contests"]
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
    error = found.values["contests_error"] or 0.0
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

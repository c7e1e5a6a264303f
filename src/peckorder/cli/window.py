"""The options of a window (`--from`, `--to`) and of a grid (`--every`), for commands that rate."""

from __future__ import annotations

import warnings
from typing import Any

import click

from peckorder.cli.shared import talk
from peckorder.errors import DataWarning

WINDOW = (
    click.option(
        "--from",
        "window_start",
        metavar="DATE",
        help="Show a window of the ratings, from this day on; all contests are rated.",
    ),
    click.option(
        "--to",
        "window_end",
        metavar="DATE",
        help="Show a window of the ratings, up to this day (included); all contests are rated.",
    ),
)
EVERY = (
    click.option(
        "--every",
        metavar="PERIOD",
        help="Report ratings at the end of every day, week, month, quarter or year (without "
        "dates: of so many contests) instead of the final ones.",
    ),
    click.option(
        "--wide", is_flag=True, help="With --every: one column per individual, one row per date."
    ),
)


def taken_window(flags: dict[str, Any]) -> tuple[Any, Any]:
    """The first and the last day of the window, which are removed from the flags."""
    return flags.pop("window_start", None), flags.pop("window_end", None)


def seen(found: Any, window: tuple[Any, Any]) -> Any:
    """Ratings (or a mapping of them) through a window, if there is one."""
    if window == (None, None):
        return found
    if isinstance(found, dict):
        return {name: one.between(*window) for name, one in found.items()}
    return found.between(*window)


def taken_show(flags: dict[str, Any]) -> dict[str, Any]:
    """Which table to show (--at, --every, --wide); removed from the flags."""
    at, every, wide = (flags.pop(name) for name in ("at", "every", "wide"))
    if at is not None and every is not None:
        raise click.UsageError("--at and --every cannot be combined.")
    if wide and every is None:
        raise click.UsageError("--wide requires --every.")
    return {"at": at, "every": every, "wide": wide}


def shown_table(found: Any, show: dict[str, Any], of: str | None = None) -> Any:
    """The table of ratings that was requested, in polars; a note if it is empty."""
    from peckorder.tables import as_polars

    if show.get("at") is not None:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always", DataWarning)
            table = as_polars(found.at(show["at"]))
        for warning in warned:
            talk(f"Note: {'' if of is None else f'{of}: '}{warning.message}")
        return table
    if show.get("every") is not None:
        return as_polars(found.grid(every=show["every"], wide=show["wide"]))
    return found.as_polars()

"""Options of leaderboards: resamples, covariates, anchor and scale of Bradley–Terry abilities."""

from __future__ import annotations

from typing import Any

import click

from peckorder.cli.elo import parse_number
from peckorder.cli.options import COVARIATES, ESTIMATED_HOME, SEED, THREADS


def _anchor(context: click.Context, option: click.Parameter, text: str | None) -> Any:
    """A name, or a name and its value: Abe=1000."""
    if text is None or "=" not in text:
        return text
    name, _, value = text.rpartition("=")
    return {name.strip(): parse_number("--anchor", value)}


def _scale(context: click.Context, option: click.Parameter, text: str | None) -> Any:
    return text if text in (None, "elo") else parse_number("--scale", text)


LEADERBOARD = (
    click.option(
        "--bootstrap",
        type=int,
        metavar="RUNS",
        help="Intervals of abilities, ranks and coefficients from this number of resamples: 200.",
    ),
    click.option(
        "--cluster",
        metavar="COLUMN",
        help="Resample the values of this column, each with all contests, such as voters.",
    ),
    ESTIMATED_HOME,
    COVARIATES,
    click.option(
        "--anchor",
        metavar="NAME",
        callback=_anchor,
        help="Individual whose ability is fixed, also with a value: Abe=1000. Default: the mean.",
    ),
    click.option(
        "--scale",
        metavar="SCALE",
        callback=_scale,
        help="Report ratings instead of log-odds: elo, or the points at which the odds are 10 to "
        "1, such as 400.",
    ),
    SEED,
    THREADS,
)

"""`peckorder over-time`: a measure or rank order over moving windows."""

from __future__ import annotations

from typing import Any

import click

from peckorder.cli.finding import finding
from peckorder.cli.options import SEED, THREADS

# The names of peckorder.evaluation.measures, whose import would slow down every command.
MEASURES = (
    "steepness_bayes",
    "steepness",
    "linearity",
    "transitivity",
    "consistency",
    "order_test",
    "hierarchy_shape",
    "dyads",
    "unknown_dyads",
    "davids_score",
    "isi",
    "bradley_terry",
    "randomized_elo",
    "adagio",
    "percolation",
    "dominance_value",
)


def _length(context: Any, parameter: Any, value: str | None) -> str | int | None:
    """A number of contests, or a length of time."""
    return int(value) if value is not None and value.isdigit() else value


OVER_TIME = (
    click.option(
        "--measure",
        type=click.Choice(MEASURES),
        default="steepness_bayes",
        show_default=True,
        help="Measure or rank order.",
    ),
    click.option(
        "--window",
        default="1y",
        show_default=True,
        callback=_length,
        metavar="LENGTH",
        help="Length of a window: 1y, 6m, 2w, 30d, or a number of contests.",
    ),
    click.option(
        "--step",
        callback=_length,
        metavar="LENGTH",
        help="How far a window moves; default: its length.",
    ),
    click.option("--value", metavar="NAME", help="The value to follow, if there are several."),
    click.option(
        "--min-contests",
        type=int,
        default=10,
        show_default=True,
        help="Windows with fewer contests are not analyzed.",
    ),
    SEED,
    THREADS,
)
COMMAND = finding(
    "over_time", "A measure or rank order over moving windows.", *OVER_TIME, slow=True
)

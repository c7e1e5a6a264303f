"""`peckorder glicko` and `glicko2`."""

from __future__ import annotations

from collections.abc import Callable

import click

from peckorder.cli.finding import finding
from peckorder.cli.rating import GLICKO, GLICKO_1, GLICKO_2
from peckorder.cli.window import WINDOW

PRESET = click.option(
    "--preset",
    type=click.Choice(["PlayerRatings"]),
    help="Increase the deviation of newcomers before their first period, as PlayerRatings does.",
)


def _verb(verb: str, text: str, *options: Callable) -> click.Command:
    """A command that computes Glicko ratings."""
    common = (
        click.option(
            "--start",
            metavar="R",
            help="Initial rating, default 2200; or by name: name=R,name=R.",
        ),
        click.option(
            "--outcome",
            type=click.Choice(["win", "points"]),
            help="Score of a contest: win (1, ½ or 0), or the proportion of points.",
        ),
        click.option(
            "--home-advantage",
            metavar="H",
            help="Points added to the rating of the home side, also in the update: a number, or by "
            "name: name=H,name=H.",
        ),
    )
    periods = ["contest", "date", "day", "week", "month", "year"]
    period = click.option(
        "--period",
        type=click.Choice(periods),
        help="Rating period: its contests are rated with the ratings at its start. Default date, "
        "or contest if there are no dates.",
    )
    return finding(verb, text, *common, *GLICKO, *options, period, *WINDOW)


COMMANDS = (
    _verb("glicko", "Compute Glicko ratings.", GLICKO_1, PRESET),
    _verb("glicko2", "Compute Glicko-2 ratings.", *GLICKO_2),
)

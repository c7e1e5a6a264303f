"""`peckorder league-table` and `bracket`, and the figures of seasons to come."""

from __future__ import annotations

from typing import Any

import click

from peckorder.cli.drawing import FILES, check_targets, draw
from peckorder.cli.elo import parse_rating
from peckorder.cli.evaluate import FIXTURES, SEASON
from peckorder.cli.options import SEED
from peckorder.cli.progress import progress
from peckorder.cli.rating import (
    FIT_TIES,
    PREDICTOR,
    RATER,
    called_with_ratings,
    parse_own,
    rate,
)
from peckorder.cli.running import fail_if_not_converged, find
from peckorder.cli.shared import (
    chosen_format,
    column_options,
    deliver,
    output_options,
    plain_table,
    read_contests,
    refuse_same_file,
    with_options,
)

BRACKET = (
    click.option(
        "--seeds",
        required=True,
        metavar="NAMES",
        help="Sides in the order of the draw: A,B,C,D (A meets B, C meets D). Their number is a "
        "power of two; an empty name is a bye.",
    ),
    click.option(
        "--best-of",
        type=int,
        default=1,
        show_default=True,
        help="Odd number of games in each round.",
    ),
    SEED,
    FIT_TIES,
)


@click.command("league-table")
@click.argument("file")
@click.option(
    "--points",
    default="3,1,0",
    show_default=True,
    metavar="W,D,L",
    help="Points for a win, a draw and a loss.",
)
@click.option(
    "--tie-breaks",
    default="difference,scored",
    show_default=True,
    metavar="NAMES",
    help="How equal points are ordered, one after the other: difference and scored (points of "
    "games), wins, head_to_head.",
)
@click.option(
    "--individuals",
    metavar="NAMES",
    help="Only these sides and the games among them: A,B,C.",
)
@output_options
@column_options
def league_table(file: str, **flags: Any) -> None:
    """Table of a league: points, and equal points ordered by tie-breaks.

    A column of seasons is not used: select one with --where 'season = "2024"'.
    """
    import peckorder

    form, output = flags.pop("form"), flags.pop("output")
    form = chosen_format(form, output)
    refuse_same_file([file, flags["presence"], output])
    parse_own(flags)
    names = ("points", "tie_breaks", "individuals")
    asked = {name: flags.pop(name) for name in names}
    asked["tie_breaks"] = [name.strip() for name in asked["tie_breaks"].split(",") if name.strip()]
    data = read_contests(file, flags)
    table = peckorder.sport.league_table(data, **asked)
    described = {"method": "league_table", "settings": asked}
    described["provenance"] = {"data_hash": data.hash}
    _deliver(table, form, output, described)


@click.command()
@click.argument("file")
@with_options(*BRACKET)
@output_options
@with_options(*PREDICTOR)
@column_options
def bracket(file: str, **flags: Any) -> None:
    """Chances to win each round of a knock-out, from the final ratings.

    Venues are neutral, and a tie is decided by the toss of a coin. Nothing is simulated.
    """
    form, output = flags.pop("form"), flags.pop("output")
    form = chosen_format(form, output)
    refuse_same_file([file, flags["presence"], output])
    ratings, chances = _bracket(file, flags)
    described = ratings.to_dict() | {"method": "bracket"}
    _deliver(chances, form, output, described)
    fail_if_not_converged()


def _bracket(file: str, flags: dict[str, Any]) -> tuple[Any, Any]:
    """Ratings, and the chances in a bracket that are based on them."""
    import peckorder

    seeds = [name.strip() or None for name in flags.pop("seeds").split(",")]
    best_of = flags.pop("best_of")
    parse_rating(flags)
    data = read_contests(file, flags)
    with progress("rating") as update:
        ratings = rate(data, flags, update)
    return ratings, peckorder.sport.bracket(ratings, seeds, best_of=best_of)


def _deliver(table: Any, form: str, output: str | None, described: dict[str, Any]) -> None:
    from peckorder.tables import as_bytes, as_polars, records

    table = as_polars(table)
    described["result"] = {"table": records(table)}
    content = plain_table(table) if form == "table" else as_bytes(table, form, described)
    deliver(content, output)


@click.command("bracket")
@click.argument("file")
@with_options(*FILES, *BRACKET, *PREDICTOR)
@column_options
def plot_bracket(file: str, **flags: Any) -> None:
    """Chances to win each round of a knock-out."""
    import peckorder

    output, table, journal, look = _drawn_to(file, flags)
    _, chances = _bracket(file, flags)
    draw(peckorder.plot.bracket, chances, look, output, table, journal)
    fail_if_not_converged()


@click.command("places")
@click.argument("file")
@click.argument("fixtures")
@with_options(*FILES, *SEASON, *FIXTURES, *RATER)
@column_options
def plot_places(file: str, **flags: Any) -> None:
    """Chances of each final place in simulated seasons of FIXTURES, as a heat map."""
    import peckorder

    output, table, journal, look = _drawn_to(file, flags)
    parse_rating(flags)
    parse_own(flags)
    data = read_contests(file, flags)
    found = find(called_with_ratings("simulate_season"), data, flags, slow=True)
    draw(peckorder.plot.places, found, look, output, table, journal)
    fail_if_not_converged()


def _drawn_to(file: str, flags: dict[str, Any]) -> tuple[str, str | None, str | None, dict]:
    """Files to write, the journal, and how wide the figure is."""
    names = ("output", "table", "journal", "width")
    output, table, journal, width = (flags.pop(name) for name in names)
    check_targets([file, flags["presence"], output, table], output, table)
    return output, table, journal, {} if width is None else {"width": width}


COMMANDS = (league_table, bracket)
FIGURES = (plot_places, plot_bracket)

"""Commands about time: slopes of rating trajectories, and the size of the group."""

from __future__ import annotations

from typing import Any

import click

from peckorder.cli.options import SEED
from peckorder.cli.progress import progress
from peckorder.cli.rating import FIT_TIES, RATER, rate
from peckorder.cli.running import fail_if_not_converged
from peckorder.cli.shared import (
    chosen_format,
    column_options,
    deliver,
    output_options,
    plain_table,
    read_contests,
    refuse_same_file,
    talk,
    with_options,
)

DAYS = (
    click.option("--since", metavar="DATE", help="First day to include; default the first."),
    click.option("--until", metavar="DATE", help="Last day to include; default the last."),
)


@click.command()
@click.argument("file")
@with_options(SEED, FIT_TIES)
@output_options
@with_options(*RATER)
@column_options
def slopes(file: str, **flags: Any) -> None:
    """Slopes of rating trajectories, in points per day.

    Linear regression of the ratings at the end of each day with contests.
    """
    from peckorder.cli.elo import parse_rating
    from peckorder.tables import records

    form, output = flags.pop("form"), flags.pop("output")
    form = chosen_format(form, output)
    refuse_same_file([file, flags["presence"], output])
    parse_rating(flags)
    data = read_contests(file, flags)
    with progress("rating") as update:
        ratings = rate(data, flags, update)
    if ratings.window is not None:
        talk(f"Note: {ratings.window.sentence}")
    table = ratings.slopes()
    described = ratings.to_dict()
    described["result"] = {"table": records(table)}
    deliver(_content(table, form, described), output)
    fail_if_not_converged()


@click.command("group-size")
@click.argument("file")
@click.option(
    "--period",
    type=click.Choice(["week", "month", "year"]),
    help="One row per calendar period instead of one for all days.",
)
@with_options(*DAYS)
@output_options
@column_options
def group_size(file: str, **flags: Any) -> None:
    """Number of individuals present per day: mean and variation.

    Needs --presence.
    """
    from peckorder.tables import records

    form, output = flags.pop("form"), flags.pop("output")
    form = chosen_format(form, output)
    refuse_same_file([file, flags["presence"], output])
    chosen = {name: flags.pop(name) for name in ("period", "since", "until")}
    data = read_contests(file, flags)
    table = data.group_size(**chosen)
    described = {
        "method": "group_size",
        "settings": chosen,
        "result": {"table": records(table)},
        "provenance": {"data_hash": data.hash},
    }
    deliver(_content(table, form, described), output)


def _content(table: Any, form: str, described: dict[str, Any]) -> str | bytes:
    from peckorder.tables import as_bytes

    return plain_table(table) if form == "table" else as_bytes(table, form, described)

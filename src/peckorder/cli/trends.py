"""Commands about time: slopes, tenures, changes of rank, careers, and the composition of groups."""

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

EMPTY = {
    "tenure": "Nobody held this rank alone.",
    "rank_changes": "No two individuals changed their order.",
}


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
    _of_ratings(file, flags, "slopes")


@click.command()
@click.argument("file")
@click.option("--rank", type=int, default=1, show_default=True, help="The rank, 1 for the highest.")
@with_options(SEED, FIT_TIES)
@output_options
@with_options(*RATER)
@column_options
def tenure(file: str, **flags: Any) -> None:
    """Who held a rank from when to when, such as all alphas of a record.

    With --method dynamic or bayes, also how certain that is.
    """
    _of_ratings(file, flags, "tenure", rank=flags.pop("rank"))


@click.command("rank-changes")
@click.argument("file")
@with_options(SEED, FIT_TIES)
@output_options
@with_options(*RATER)
@column_options
def rank_changes(file: str, **flags: Any) -> None:
    """Pairs whose order changed: who rose above whom, and when.

    With --method dynamic or bayes, also how certain the order before and after is.
    """
    _of_ratings(file, flags, "rank_changes")


@click.command()
@click.argument("file")
@click.option(
    "--after",
    type=int,
    default=365,
    show_default=True,
    metavar="DAYS",
    help="Also report the rank this long after arrival; without dates, in contests.",
)
@with_options(SEED, FIT_TIES)
@output_options
@with_options(*RATER)
@column_options
def careers(file: str, **flags: Any) -> None:
    """Arrival, departure, and ranks of each individual.

    Arrivals and departures are those of --presence; without it, everybody counts as present all
    the time.
    """
    _of_ratings(file, flags, "careers", after=flags.pop("after"))


def _of_ratings(file: str, flags: dict[str, Any], ask: str, **asked: Any) -> None:
    """Rate, and deliver the table of a method of the ratings."""
    from peckorder.cli.elo import parse_rating
    from peckorder.tables import as_polars, records

    form, output = flags.pop("form"), flags.pop("output")
    form = chosen_format(form, output)
    refuse_same_file([file, flags["presence"], output])
    parse_rating(flags)
    data = read_contests(file, flags)
    with progress("rating") as update:
        ratings = rate(data, flags, update)
    if ratings.window is not None:
        talk(f"Note: {ratings.window.sentence}")
    table = as_polars(getattr(ratings, ask)(**asked))
    if table.height == 0 and ask in EMPTY:
        talk(f"Note: {EMPTY[ask]}")
    described = ratings.to_dict()
    described["result"] = {"table": records(table)}
    described["settings"] |= asked
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
    _of_presence(file, flags, "group_size", "period")


@click.command("co-residence")
@click.argument("file")
@with_options(*DAYS)
@output_options
@column_options
def co_residence(file: str, **flags: Any) -> None:
    """Pairs that were present together: days, and contests between them.

    Needs --presence.
    """
    _of_presence(file, flags, "co_residence")


@click.command()
@click.argument("file")
@click.option(
    "--every",
    metavar="PERIOD",
    default="year",
    show_default=True,
    help="One row per week, month, quarter or year (without dates: per so many contests).",
)
@with_options(*DAYS)
@output_options
@column_options
def turnover(file: str, **flags: Any) -> None:
    """Arrivals, departures and size of the group in each period.

    Needs --presence.
    """
    _of_presence(file, flags, "turnover", "every")


def _of_presence(file: str, flags: dict[str, Any], ask: str, *own: str) -> None:
    """Deliver a table that is counted from presence data."""
    from peckorder.tables import as_polars, records

    form, output = flags.pop("form"), flags.pop("output")
    form = chosen_format(form, output)
    refuse_same_file([file, flags["presence"], output])
    chosen = {name: flags.pop(name) for name in (*own, "since", "until")}
    data = read_contests(file, flags)
    table = as_polars(getattr(data, ask)(**chosen))
    described = {
        "method": ask,
        "settings": chosen,
        "result": {"table": records(table)},
        "provenance": {"data_hash": data.hash},
    }
    deliver(_content(table, form, described), output)


def _content(table: Any, form: str, described: dict[str, Any]) -> str | bytes:
    from peckorder.tables import as_bytes

    return plain_table(table) if form == "table" else as_bytes(table, form, described)


COMMANDS = (slopes, tenure, rank_changes, careers, group_size, co_residence, turnover)

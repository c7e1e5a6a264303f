"""The command `peckorder join`: ratings and ranks for the rows of another table."""

from __future__ import annotations

from collections.abc import Callable
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
from peckorder.cli.window import seen, taken_window

JOIN = (
    click.option(
        "--individual", metavar="COLUMN", required=True, help="Column of individuals in TABLE."
    ),
    click.option(
        "--date", "when", metavar="COLUMN", required=True, help="Column of dates in TABLE."
    ),
    click.option(
        "--table-date-format",
        metavar="FORMAT",
        help='Format of the dates in TABLE, for example "%d/%m/%Y"; detected if unambiguous.',
    ),
    click.option(
        "--prefix", default="", metavar="TEXT", help="Text in front of the names of new columns."
    ),
    click.option(
        "--draws",
        type=int,
        metavar="N",
        help="Repeat each row for N posterior draws; needs --method bayes or dynamic.",
    ),
)


def _contest_columns(command: Callable) -> Callable:
    """Options for reading contests, in which `--date` is called `--contest-date`."""
    made: Any = column_options(command)
    for param in made.__click_params__:
        if param.name == "date" and "--date" in param.opts:
            param.name, param.opts = "contest_date", ["--contest-date"]
            param.help = "Column of dates of the contests."
    return made


@click.command()
@click.argument("file")
@click.argument("table")
@with_options(*JOIN, SEED, FIT_TIES)
@output_options
@with_options(*RATER)
@_contest_columns
def join(file: str, table: str, **flags: Any) -> None:
    """Add ratings and ranks on given dates to another table.

    FILE contains contests, or posterior draws saved by "peckorder fit FILE -o fit.npz". Ratings
    and ranks are those at the end of the day (contests of the same day count). Rows without values
    give the reason.
    """
    from peckorder.cli.elo import parse_rating

    form, output = flags.pop("form"), flags.pop("output")
    form = chosen_format(form, output)
    refuse_same_file([file, table, flags["presence"], output])
    parse_rating(flags)
    own = {name: flags.pop(name) for name in ("individual", "prefix", "draws")}
    own |= {"date": flags.pop("when"), "date_format": flags.pop("table_date_format")}
    flags["date"] = flags.pop("contest_date")
    if file.lower().endswith(".npz"):
        ratings = _saved(file, flags)
    else:
        data = read_contests(file, flags)
        with progress("rating") as update:
            ratings = rate(data, flags, update)
    try:
        joined = ratings.at_dates(table, **own)
    except FileNotFoundError as error:
        raise click.UsageError(f"File not found: {error.filename}.") from None
    _count(joined[own["prefix"] + "reason"].alias("reason"))
    deliver(_content(joined, form), output)
    fail_if_not_converged()


def _saved(file: str, flags: dict[str, Any]) -> Any:
    """A posterior from a file; options of a rating do not apply to it."""
    from peckorder.posterior.result import Posterior

    window = taken_window(flags)
    context = click.get_current_context()
    default = click.core.ParameterSource.DEFAULT
    idle = [
        name
        for name in flags
        if context.get_parameter_source("contest_date" if name == "date" else name)
        not in (default, None)
    ]
    if idle:
        flag = f"--{idle[0].replace('_', '-')}"
        raise click.UsageError(f"{flag} cannot be used with a saved posterior ({file}).")
    try:
        return seen(Posterior.load(file), window)
    except FileNotFoundError as error:
        raise click.UsageError(f"File not found: {error.filename}.") from None


def _count(reason: Any) -> None:
    """Print how many rows have values, and why others have none."""
    from peckorder.wording import counted

    empty = reason.drop_nulls()
    counts = dict(empty.value_counts().sort("reason").iter_rows()) if len(empty) else {}
    why = ", ".join(f"{number:,} {text}" for text, number in counts.items())
    said = f"{len(reason) - len(empty):,} of {counted(len(reason), 'row')} joined"
    talk(f"Note: {said}{'; without values: ' + why if why else ''}.")


def _content(table: Any, form: str) -> str | bytes:
    from peckorder.tables import as_bytes

    return plain_table(table) if form == "table" else as_bytes(table, form)

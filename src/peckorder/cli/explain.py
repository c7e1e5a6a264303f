"""The command `peckorder explain`: what Elo did in one contest."""

from __future__ import annotations

from typing import Any

import click

from peckorder.cli.content import content
from peckorder.cli.elo import RATING, SEQUENCE, parse_rating
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


@click.command()
@click.argument("file")
@click.option(
    "--contest",
    "number",
    type=int,
    required=True,
    metavar="NUMBER",
    help="Number of the contest in the order in which contests are rated, from 1.",
)
@with_options(*RATING, *SEQUENCE)
@output_options
@column_options
def explain(file: str, **flags: Any) -> None:
    """Explain what Elo did in one contest.

    The expected score, the surprise, the points that moved, and ratings and ranks before and after.
    """
    from peckorder.sequential.elo import elo

    form, output, number = flags.pop("form"), flags.pop("output"), flags.pop("number")
    form = chosen_format(form, output)
    refuse_same_file([file, flags["presence"], output])
    parse_rating(flags)
    found = elo(read_contests(file, flags), **flags).explain(number)
    if form != "table":
        deliver(content(found, form), output)
        return
    deliver("\n".join(found.summary) + "\n\n" + plain_table(found.as_polars()), output)


for shared in explain.params:
    if shared.name == "contest":  # everywhere else --contest is a column
        shared.opts = ["--contest-column"]

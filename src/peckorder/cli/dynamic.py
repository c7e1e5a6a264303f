"""The command `peckorder dynamic`: posterior ratings that allow for change."""

from __future__ import annotations

from typing import Any

import click

from peckorder.cli.content import content, content_by_group
from peckorder.cli.options import BY, COVARIATES, ESTIMATED_HOME, SEED, THREADS
from peckorder.cli.running import each_group, find
from peckorder.cli.shared import (
    chosen_format,
    column_options,
    deliver,
    output_options,
    read_contests,
    refuse_same_file,
    take_groups,
    with_options,
)
from peckorder.cli.window import EVERY, WINDOW, taken_show

EFFECTS = (
    ESTIMATED_HOME,
    COVARIATES,
    click.option(
        "--ties",
        type=click.Choice(["davidson", "omit"]),
        default="davidson",
        show_default=True,
        help="Model ties, or leave them out.",
    ),
)
UNITS = (
    click.option("--scale", type=float, help="Report on a logistic scale such as 400."),
    click.option("--delta", type=float, help="Report on an exponential scale such as 0.01."),
)
MODEL = (
    click.option(
        "--clock",
        type=click.Choice(["contests", "time"]),
        default="contests",
        show_default=True,
        help="Ratings drift with the number of contests, or with the time between them.",
    ),
    *EFFECTS,
    click.option("--elo", is_flag=True, help="Also estimate k of Elo's recursion (a diagnostic)."),
    click.option("--static", is_flag=True, help="Assume that ratings did not change."),
    *UNITS,
    click.option(
        "--samples", type=int, default=4000, show_default=True, help="Number of posterior draws."
    ),
    SEED,
    THREADS,
)


@click.command()
@click.argument("file")
@with_options(*MODEL, BY)
@click.option("--at", metavar="DATE", help="Report ratings at the end of this day.")
@with_options(*EVERY, *WINDOW)
@output_options
@column_options
def dynamic(file: str, **flags: Any) -> None:
    """Dynamic ratings: posterior ratings and ranks that allow for change.

    Intervals hold whether ratings were constant, drifted or moved with wins. No sampler has to
    converge.
    """
    form, output, by = (flags.pop(name) for name in ("form", "output", "by"))
    show = taken_show(flags)
    form = chosen_format(form, output)
    refuse_same_file([file, flags["presence"], output])
    take_groups(flags, by)
    data = read_contests(file, flags)
    if by is None:
        found = find("dynamic", data, flags, slow=False, printed=form == "table")
        deliver(content(found, form, show), output)
        return
    groups = each_group("dynamic", data.split("group"), flags, by, slow=False)
    deliver(content_by_group(groups, by, data.hash, form, show), output)

"""The command `peckorder adaptive`: ratings that predict the next contest, nothing to tune."""

from __future__ import annotations

from typing import Any

import click

from peckorder.cli.content import content, content_by_group, table_file
from peckorder.cli.dynamic import EFFECTS, UNITS
from peckorder.cli.options import BY, SEED, THREADS
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

MODEL = (
    *EFFECTS,
    click.option(
        "--within",
        type=click.Choice(["file", "batch"]),
        default="file",
        show_default=True,
        help="Contests with the same time stamp: in the order of the file, or at once.",
    ),
    *UNITS,
    click.option(
        "--samples", type=int, default=4000, show_default=True, help="Number of draws of ratings."
    ),
    SEED,
    THREADS,
)
TABLES = (
    click.option("--coefficients", metavar="FILE", help="Also write the coefficients to a file."),
    click.option(
        "--weights",
        metavar="FILE",
        help="Also write the weights of filters and of Elo over time to a file.",
    ),
)


@click.command()
@click.argument("file")
@with_options(*MODEL, BY)
@click.option("--at", metavar="DATE", help="Report ratings at the end of this day, in hindsight.")
@with_options(*EVERY, *WINDOW)
@with_options(*TABLES)
@output_options
@column_options
def adaptive(file: str, **flags: Any) -> None:
    """Adaptive ratings: predictions of the next contest, with nothing to tune.

    Learns how much experience, the last outcome (winner–loser effects), the record of a pair and
    pauses matter, and at which level newcomers enter.
    """
    from peckorder.tables import format_of

    form, output, by = (flags.pop(name) for name in ("form", "output", "by"))
    further = {name: flags.pop(name) for name in ("coefficients", "weights")}
    show = taken_show(flags)
    form = chosen_format(form, output)
    refuse_same_file([file, flags["presence"], output, *further.values()])
    if by is not None and any(further.values()):
        raise click.UsageError("--coefficients and --weights cannot be combined with --by.")
    for path in filter(None, further.values()):
        format_of(path)  # an unknown extension is refused before anything is computed
    take_groups(flags, by)
    data = read_contests(file, flags)
    if by is None:
        found = find("adaptive", data, flags, slow=False, printed=form == "table")
        tables = {"coefficients": found.coefficients, "weights": found.weights()}
        files = [table_file(path, tables[name]) for name, path in further.items() if path]
        deliver(content(found, form, show), output, *files)
        return
    groups = each_group("adaptive", data.split("group"), flags, by, slow=False)
    deliver(content_by_group(groups, by, data.hash, form, show), output)

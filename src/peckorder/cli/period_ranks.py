"""`peckorder period-ranks FILE`: ranks over study periods and their changes."""

from __future__ import annotations

from typing import Any

import click

from peckorder.cli.content import content, content_by_group
from peckorder.cli.options import BY, FROM_TO, TIES
from peckorder.cli.running import each_group, find, verb
from peckorder.cli.shared import (
    chosen_format,
    column_options,
    deliver,
    joined,
    output_options,
    read_contests,
    refuse_same_file,
    take_groups,
    with_options,
)

UNITS = ("year", "quarter", "month", "season")


def of_group(data: Any, initial: list[str] | None = None, **flags: Any) -> Any:
    """Ranks of one group; initial ranks of individuals in other groups are not used."""
    if initial is not None:
        initial = [name for name in initial if name in data.individuals] or None
    return verb("period_ranks")(data, initial=initial, **flags)


@click.command("period-ranks")
@click.argument("file")
@click.option(
    "--per",
    default="year",
    show_default=True,
    metavar="PERIOD",
    help="Study periods: year, quarter, month or season; or the first days of all periods, "
    "separated by commas.",
)
@click.option(
    "--method",
    type=click.Choice(["elo", "davids_score", "reorder"]),
    default="elo",
    show_default=True,
    help="Elo ratings continued from period to period, David's scores with the period before as "
    "prior, or the smallest reordering with the fewest inconsistencies.",
)
@click.option(
    "--initial",
    metavar="NAMES",
    help="Ranks before the first period: names from the highest rank down, separated by commas.",
)
@click.option(
    "--convention",
    type=click.Choice(["none", "maternal", "tenure", "age", "attribute"]),
    default="none",
    show_default=True,
    help="Ranks of newcomers: below the mother (maternal), or by length of stay, age or a "
    "measurement.",
)
@click.option(
    "--traits",
    metavar="FILE",
    help="Table for --convention: individual, value (mother, date or number) and, optionally, a "
    "second value that resolves ties.",
)
@click.option("--k", type=float, default=200.0, show_default=True, help="k of Elo ratings.")
@click.option(
    "--delta",
    type=float,
    default=0.01,
    show_default=True,
    help="Slope of the curve of Elo.",
)
@with_options(TIES, BY, *FROM_TO)
@click.option("--periods", metavar="FILE", help="Write a table of the periods to a file.")
@output_options
@column_options
def period_ranks(file: str, **flags: Any) -> None:
    """Ranks over study periods, with active and passive changes.

    Each period starts from the ranks of the period before.
    """
    from peckorder.tables import as_bytes, format_of

    form, output, by = flags.pop("form"), flags.pop("output"), flags.pop("by")
    periods = flags.pop("periods")
    form = chosen_format(form, output)
    periods_form = None if periods is None else format_of(periods)
    refuse_same_file([file, flags["presence"], flags["traits"], output, periods])
    take_groups(flags, by)
    flags["per"] = _periods(flags["per"])
    if flags["initial"] is not None:
        flags["initial"] = [name.strip() for name in flags["initial"].split(",")]
    data = read_contests(file, flags)
    groups: dict[Any, Any]
    if by is None:
        groups = {None: find("period_ranks", data, flags, slow=False, printed=form == "table")}
        shown = content(groups[None], form)
    else:
        for name in flags["initial"] or ():
            data.code(name)
        groups = each_group(of_group, data.split("group"), flags, by, slow=False)
        shown = content_by_group(groups, by, data.hash, form, tables_of_measures=True)
    more = []
    if periods_form is not None:
        table = joined({name: found.tables["periods"] for name, found in groups.items()}, by)
        more.append((periods, as_bytes(table, periods_form)))
    deliver(shown, output, *more)


def _periods(text: str) -> str | list[Any]:
    """A unit of time, or the first days (or numbers of the first contests) of all periods."""
    if text in UNITS or ("," not in text and not text[:1].isdigit()):
        return text  # the library lists the choices if it is not one of them
    return [int(part) if part.isdigit() else part for part in map(str.strip, text.split(","))]

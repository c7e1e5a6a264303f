"""`peckorder displacements`: contests from visits to feeders, and gaps between visits."""

from __future__ import annotations

from typing import Any

import click

from peckorder.cli.content import content
from peckorder.cli.shared import (
    chosen_format,
    deliver,
    output_options,
    refuse_same_file,
    report,
    with_options,
)

READING = (
    click.option("--individual", metavar="COLUMN", help="Column of individuals."),
    click.option(
        "--place", metavar="COLUMN", help='Column of feeders or antennas; "" if there is only one.'
    ),
    click.option("--start", metavar="COLUMN", help="Column of starts, or of times of detections."),
    click.option("--end", metavar="COLUMN", help='Column of ends; "" to use starts only.'),
    click.option(
        "--date", metavar="COLUMN", help="Column of dates, if starts and ends are times of day."
    ),
    click.option(
        "--overlap",
        type=click.Choice(["omit", "count", "refuse"]),
        default="omit",
        show_default=True,
        help="Arrivals before the other individual had left: omit; count, if the other left "
        "within the threshold and the newcomer stayed longer; or refuse (error).",
    ),
    click.option(
        "--min-stay",
        default="0s",
        show_default=True,
        metavar="TIME",
        help="Shortest stay of the newcomer.",
    ),
    click.option(
        "--merge",
        metavar="TIME",
        help="Longest break between visits of an individual to a place that are one stay; default "
        "any, if no other individual arrives in between.",
    ),
    click.option(
        "--missing-end",
        type=click.Choice(["refuse", "start"]),
        default="refuse",
        show_default=True,
        help="Visits without an end: refuse (error), or detections at their start.",
    ),
    click.option(
        "--date-format",
        metavar="FORMAT",
        help='Format of times, for example "%d/%m/%Y %H:%M:%S"; detected if unambiguous.',
    ),
    click.option(
        "--missing",
        type=click.Choice(["refuse", "drop"]),
        default="refuse",
        show_default=True,
        help="Rows without an individual, a place or a start: refuse (error) or drop.",
    ),
    click.option(
        "--sheet", help="Sheet of an Excel workbook, by name or number from 1; default the first."
    ),
    click.option("--separator", help="Separator of a text file; detected by default."),
    click.option("--encoding", help="Encoding of a text file; detected by default."),
    click.option(
        "--header",
        type=int,
        metavar="ROW",
        help="Row of the column names; default the first nonblank row.",
    ),
    click.option(
        "--glob/--no-glob",
        default=None,
        help="Whether FILE is a pattern for several files; by default it is if no file has this "
        "name.",
    ),
)
THRESHOLDS = click.option(
    "--thresholds",
    metavar="TIMES",
    help="Thresholds to compare, such as 1s,2s,5s; default 0 s to 10 min.",
)


@click.command()
@click.argument("file")
@click.option(
    "--within",
    metavar="TIME",
    help="Longest time from a departure to the next arrival: 2s, 500ms or 1min.",
)
@click.option(
    "--gaps",
    is_flag=True,
    help="Show gaps between visits and the displacements of each threshold instead.",
)
@THRESHOLDS
@output_options
@with_options(*READING)
def displacements(file: str, **flags: Any) -> None:
    """Contests from visits to feeders or antennas: who replaced whom.

    FILE has one row per visit (individual, place, start, end) or per detection. The individual
    that arrives within the threshold after another left is the winner. The contests are written as
    a table that all other commands read.
    """
    import peckorder
    from peckorder.tables import as_bytes

    form, output = flags.pop("form"), flags.pop("output")
    within, gaps = flags.pop("within"), flags.pop("gaps")
    refuse_same_file([file, output])
    thresholds = flags.pop("thresholds")
    if gaps:
        if within is not None:
            raise click.UsageError("--gaps compares thresholds: use --thresholds, not --within.")
        form = chosen_format(form, output)
        found = gaps_of(file, {"thresholds": thresholds, **flags})
        deliver(content(found, form), output)
        return
    if thresholds is not None:
        raise click.UsageError("--thresholds requires --gaps.")
    if within is None:
        raise click.UsageError(
            "Give the threshold with --within, such as --within 2s. --gaps shows how many "
            "displacements each threshold gives."
        )
    form = "csv" if form is None and output is None else chosen_format(form, output)
    if form == "table":
        raise click.UsageError("Contests are written as csv, tsv, json or parquet.")
    data = _read(peckorder.displacements, file, {"within": within, **flags})
    report(data.report)
    deliver(as_bytes(data.frame(), form), output)


def gaps_of(file: str, flags: dict[str, Any]) -> Any:
    """Gaps between the visits of a file."""
    import peckorder

    thresholds = flags.pop("thresholds")
    chosen = None if thresholds is None else [part.strip() for part in thresholds.split(",")]
    return _read(peckorder.visit_gaps, file, {"thresholds": chosen, **flags})


def _read(function: Any, file: str, flags: dict[str, Any]) -> Any:
    try:
        return function(file, **flags)
    except FileNotFoundError as error:
        raise click.UsageError(f"File not found: {error.filename}.") from None

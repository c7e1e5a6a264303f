"""`peckorder report FILE -o hierarchy.html`: a complete analysis in one HTML file."""

from __future__ import annotations

import warnings
from typing import Any

import click

from peckorder.cli.elo import parse_rating
from peckorder.cli.options import RUNS, TIES, K
from peckorder.cli.progress import progress
from peckorder.cli.shared import (
    already_said,
    column_options,
    read_contests,
    refuse_same_file,
    take_groups,
    talk,
    with_options,
)
from peckorder.cli.window import WINDOW, taken_window
from peckorder.errors import ConvergenceWarning, DataWarning
from peckorder.sequential.arguments import choices


@click.command()
@click.argument("file")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    default="hierarchy.html",
    show_default=True,
    help="HTML file to write; an existing file is replaced.",
)
@click.option(
    "--methods",
    metavar="NAMES",
    help="Comma-separated list of methods: elo, dynamic, elo_bayes, adaptive, randomized_elo, "
    "davids_score, isi, bradley_terry, adagio, percolation, dominance_value, network, "
    "period_ranks; default the first eight. Without "
    "elo_bayes the report is faster, as no posterior is sampled.",
)
@click.option(
    "--recovery",
    type=int,
    default=0,
    show_default=True,
    metavar="N",
    help="Number of simulated data sets like this one (for example 200) used to estimate how well "
    "ranks are recovered; 0 omits this section.",
)
@click.option(
    "--at",
    metavar="DATE",
    help="Date of the ranks: those among the individuals present at the end of this day; default "
    "the last day.",
)
@with_options(*WINDOW)
@click.option(
    "--preset",
    type=click.Choice(choices("preset")),
    help="Elo with the settings of other software.",
)
@click.option("--title", help="Title of the report; default the name of FILE.")
@click.option(
    "--by",
    metavar="COLUMN",
    help="Write one report for each group in this column, hierarchy-NAME.html, and a front page "
    "that compares the groups.",
)
@with_options(K, TIES, *RUNS)
@column_options
def report(file: str, **flags: Any) -> None:
    """Write a report to one HTML file.

    The report contains all analyses and can be read offline.
    """
    import peckorder
    from peckorder.runs import seed_number

    output, by = flags.pop("output"), flags.pop("by")
    take_groups(flags, by)
    refuse_same_file([file, flags["presence"], output])
    parse_rating(flags)
    if flags["methods"] is not None:
        flags["methods"] = [name.strip() for name in flags["methods"].split(",")]
    own = {
        name: flags.pop(name)
        for name in (
            *("at", "methods", "recovery", "title"),
            *("k", "preset", "ties", "runs", "seed", "threads"),
        )
    }
    own["start"], own["end"] = taken_window(flags)
    data = read_contests(file, flags)
    drawn, own["seed"] = own["seed"] is None, seed_number(own["seed"])
    with progress("report") as update, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        parts = data if by is None else data.split("group")
        written = peckorder.report(parts, output, progress=update, **own)
    failed = [w for w in caught if issubclass(w.category, ConvergenceWarning)]
    for warning in caught:
        if not already_said(str(warning.message)):
            talk(f"{'Error' if warning in failed else 'Warning'}: {warning.message}")
    if drawn:
        talk(f"Seed: {own['seed']} (use --seed {own['seed']} to reproduce this result).")
    for path in [output, *([] if by is None else written.values())]:
        talk(f"Wrote {path}.")
    if failed:
        click.get_current_context().exit(1)

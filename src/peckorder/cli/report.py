"""`peckorder report FILE -o hierarchy.html`: everything about a hierarchy in one file."""

from __future__ import annotations

import warnings
from typing import Any

import click

from peckorder.cli.elo import parse_rating
from peckorder.cli.options import RUNS, TIES, K
from peckorder.cli.progress import progress
from peckorder.cli.shared import (
    column_options,
    read_contests,
    refuse_same_file,
    talk,
    with_options,
)
from peckorder.errors import ConvergenceWarning


@click.command()
@click.argument("file")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    default="hierarchy.html",
    show_default=True,
    help="The HTML file to write (an existing one is replaced).",
)
@click.option(
    "--methods",
    metavar="NAMES",
    help="elo, elo_bayes, randomized_elo, davids_score, isi, bradley_terry; all by "
    "default. Without elo_bayes nothing is sampled, which is faster.",
)
@click.option(
    "--recovery",
    type=int,
    default=0,
    metavar="RECORDS",
    help="Also simulate so many records like these (200, say), to ask how well ranks are "
    "recovered from them.",
)
@click.option("--title", help="Of the report; by default the name of the file.")
@with_options(K, TIES, *RUNS)
@column_options
def report(file: str, **flags: Any) -> None:
    """Everything about a hierarchy in one HTML file that needs no network."""
    import peckorder
    from peckorder.runs import seed_number

    output = flags.pop("output")
    refuse_same_file([file, flags["presence"], output])
    parse_rating(flags)
    if flags["methods"] is not None:
        flags["methods"] = [name.strip() for name in flags["methods"].split(",")]
    own = {
        name: flags.pop(name)
        for name in ("methods", "recovery", "title", "k", "ties", "runs", "seed", "threads")
    }
    data = read_contests(file, flags)
    drawn, own["seed"] = own["seed"] is None, seed_number(own["seed"])
    with progress("report") as told, warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", ConvergenceWarning)
        peckorder.report(data, output, progress=told, **own)
    failed = [w for w in said if issubclass(w.category, ConvergenceWarning)]
    for warning in said:
        talk(f"{'Error' if warning in failed else 'Warning'}: {warning.message}")
    if drawn:
        talk(f"Seed: {own['seed']} (--seed {own['seed']} gives the same again).")
    talk(f"Wrote {output}.")
    if failed:
        click.get_current_context().exit(1)

"""`peckorder study`: one analysis over many groups."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from peckorder.cli.content import content
from peckorder.cli.options import SEED
from peckorder.cli.progress import progress
from peckorder.cli.shared import (
    chosen_format,
    column_options,
    deliver,
    output_options,
    plain_table,
    reading_options,
    refuse_same_file,
    say,
    talk,
    with_options,
)
from peckorder.methods import doing

FOLDER = click.option(
    "--folder",
    metavar="FOLDER",
    help="Folder for the results of each group; the same command goes on where it stopped.",
)
WHERE = (
    click.option(
        "--workers",
        type=int,
        help="Number of worker processes on this machine; default one per core, 1: none.",
    ),
    click.option(
        "--cluster",
        metavar="ADDRESS",
        help="Compute on a dask.distributed cluster, such as tcp://host:8786.",
    ),
    click.option(
        "--slurm",
        metavar="FILE",
        help="Compute in jobs of Slurm, with the settings in this YAML file (cores, memory, jobs "
        "and others of dask_jobqueue.SLURMCluster).",
    ),
)
POOLING = (
    click.option(
        "--pooled",
        metavar="MEASURE",
        multiple=True,
        help="Report mean and spread over groups of this measure (may be repeated).",
    ),
    click.option(
        "--covariates", metavar="FILE", help="Sheet with one row per group, and its covariates."
    ),
    click.option(
        "--between",
        metavar="COLUMN",
        help="With --pooled: compare the classes of groups in this column of the covariates.",
    ),
)
FILES = (
    click.option(
        "--draws",
        "draws",
        nargs=2,
        metavar="MEASURE FILE",
        multiple=True,
        help="Write the posterior draws of a measure in all groups to a Parquet file.",
    ),
    click.option(
        "--r-script",
        nargs=2,
        metavar="MEASURE FILE",
        multiple=True,
        help="Write an R script (brms, with measurement error) and its data.",
    ),
)
SHOWN = ("group", "individuals", "contests", "unknown_share")
MOST_NOTES = 10


@click.command("study")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--by",
    metavar="COLUMN",
    default="group",
    show_default=True,
    help="Column of groups. Several FILEs are one group each, by their names.",
)
@click.option(
    "--measures",
    metavar="NAMES",
    default="steepness_bayes,linearity,transitivity,consistency",
    show_default=True,
    help="Measures, orders and fits, separated by commas.",
)
@click.option(
    "--set",
    "changed",
    metavar="MEASURE.NAME=VALUE",
    multiple=True,
    help="A setting of a measure, such as linearity.runs=1000 (may be repeated).",
)
@with_options(FOLDER, *WHERE, SEED, *POOLING, *FILES)
@output_options
@column_options
def study(files: tuple[str, ...], **flags: Any) -> None:
    """One analysis over many groups: one row per group, whatever happens in single groups.

    FILE has a column of groups (--by); several FILEs are one group each. Results of each group are
    written to --folder when they are ready. Groups that cannot be analyzed have a status and a
    reason.
    """
    from peckorder.studies.study import study as run

    output, form = flags.pop("output"), flags.pop("form")
    form = chosen_format(form, output)
    folder, seed, by = flags.pop("folder"), flags.pop("seed"), flags.pop("by")
    where = {name: flags.pop(name) for name in ("workers", "cluster", "slurm")}
    after = {name: flags.pop(name) for name in ("pooled", "covariates", "between")}
    draws, scripts = flags.pop("draws"), flags.pop("r_script")
    measures = _measures(flags.pop("measures"), flags.pop("changed"))
    _refuse_odd(measures, after, draws, scripts)
    if flags["group"] not in (None, by) and len(files) == 1:
        raise click.UsageError("--by and --group give different columns. Use --by only.")
    del flags["group"]
    refuse_same_file([*files, flags["presence"], output])
    reading = {name: value for name, value in reading_options(flags).items() if value is not None}
    source = files[0] if len(files) == 1 else _by_name(files)
    with _executor(where) as executor, progress(doing("study"), unit="groups") as update:
        try:
            found = run(
                source,
                by=by,
                measures=measures,
                folder=folder,
                executor=executor,
                seed=seed,
                progress=update,
                **reading,
            )
        except FileNotFoundError as error:
            raise click.UsageError(f"File not found: {error.filename}.") from None
    _say_notes(found)
    if seed is None:
        talk(f"Seed: {found.seed} (use --seed {found.seed} to reproduce this result).")
    for measure, path in draws:
        found.save_draws(path, measure=measure)
        talk(f"Wrote {path}.")
    for measure, path in scripts:
        found.save_r(path, measure=measure, covariates=after["covariates"])
        talk(f"Wrote {path} and {Path(path).with_suffix('.csv')}.")
    deliver(_screen(found) if form == "table" else content(found, form), output)
    for measure in after["pooled"]:
        pooled = found.pooled(measure, covariates=after["covariates"], between=after["between"])
        for sentence in pooled.summary:
            say(sentence)


def _measures(names: str, changed: tuple[str, ...]) -> dict[str, Any]:
    """Names with their settings."""
    measures: dict[str, Any] = {
        name.strip().replace("-", "_"): {} for name in names.split(",") if name.strip()
    }
    for text in changed:
        left, equals, value = text.partition("=")
        measure, dot, setting = left.strip().partition(".")
        measure = measure.replace("-", "_")
        if not equals or not dot or measure not in measures:
            raise click.UsageError(
                f"--set {text}: write the measure, the setting and its value, such as "
                f"{next(iter(measures), 'linearity')}.runs=1000."
            )
        measures[measure][setting.replace("-", "_")] = _value(value.strip())
    return measures


def _value(text: str) -> Any:
    """A number, true or false, or a text."""
    with contextlib.suppress(ValueError):
        return json.loads({"True": "true", "False": "false", "None": "null"}.get(text, text))
    return text


def _refuse_odd(measures: dict[str, Any], after: dict[str, Any], *files: Any) -> None:
    named = [*after["pooled"], *(measure for group in files for measure, _ in group)]
    absent = [name for name in named if name not in measures]
    if absent:
        raise click.UsageError(f"{absent[0]} is not among the --measures.")
    if after["between"] and not (after["pooled"] and after["covariates"]):
        raise click.UsageError("--between needs --pooled and --covariates.")


def _by_name(files: tuple[str, ...]) -> dict[str, str]:
    """One group per file, named like the file; with its folder if names are not unique."""
    stems = [Path(file).stem for file in files]
    unique = len(set(stems)) == len(stems)
    return dict(zip(stems if unique else files, files, strict=True))


@contextlib.contextmanager
def _executor(where: dict[str, Any]) -> Iterator[Any]:
    """What computes, as requested by --workers, --cluster or --slurm."""
    from peckorder.executors.clusters import is_cluster
    from peckorder.executors.slurm import slurm_cluster

    given = [name for name, value in where.items() if value is not None]
    if len(given) > 1:
        raise click.UsageError(f"Use one of --{given[0]} and --{given[1]}.")
    if where["workers"] is not None and where["workers"] < 1:
        raise click.UsageError("--workers: give a number of at least 1.")
    if where["slurm"] is not None:
        with slurm_cluster(where["slurm"]) as cluster:
            yield cluster
        return
    address = where["cluster"]
    if address is not None and not is_cluster(address):
        raise click.UsageError(f"--cluster {address}: give an address such as tcp://host:8786.")
    yield where["workers"] if address is None else address


def _say_notes(found: Any) -> None:
    """Say what was decided on reading, and why values are missing in the first groups concerned."""
    import polars as pl

    for note in found.notes[:MOST_NOTES]:
        talk(f"Note: {note}")
    if len(found.notes) > MOST_NOTES:
        talk(f"Note: {len(found.notes) - MOST_NOTES:,} more notes: see --format json.")

    table = found.as_polars().filter(pl.col("reason").is_not_null())
    for name, status, reason in table.select("group", "status", "reason").head(MOST_NOTES).rows():
        first, *more = reason.splitlines()
        talk(f"Note: {name} is {status}: {first}{' …' if more else ''}")
    if table.height > MOST_NOTES:
        talk(f"Note: {table.height - MOST_NOTES:,} more groups: see the column reason.")


def _screen(found: Any) -> str:
    """The main values of each group, and the summary."""
    frame = found.as_polars()
    columns = list(SHOWN)
    for name in found.measures:
        own = [c for c in (name, f"{name}_low95", f"{name}_high95") if c in frame.columns]
        columns += own or [c for c in frame.columns if c.startswith(f"{name}_")][:3]
    return plain_table(frame.select(*columns, "status")) + "\n" + "\n".join(found.summary) + "\n"

"""The command `peckorder reproduce`: a paper's printed numbers and figures, made again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from peckorder.cli.completion import Offered
from peckorder.cli.examples import programs, run_program
from peckorder.cli.shared import plain_table, report, say, talk


def papers() -> list[str]:
    """Papers that can be reproduced."""
    from peckorder.papers import PAPERS

    return list(PAPERS)


@click.command()
@click.argument("paper", required=False, type=Offered(lambda _: papers()))
@click.argument("file", required=False)
@click.option("--presence", metavar="FILE", help="File of presence data (foerster2016, goffe2018).")
@click.option("--numbers-only", is_flag=True, help="Draw no figures.")
@click.option(
    "-o",
    "--output",
    metavar="FOLDER",
    help="Folder for the table and the figures; default one with the name of the paper.",
)
def reproduce(
    paper: str | None,
    file: str | None,
    presence: str | None,
    numbers_only: bool,
    output: str | None,
) -> None:
    """Recompute the numbers that PAPER prints and draw its figures; without PAPER, list them.

    Writes a table of printed and computed numbers and the figures into a folder. langville2012 and
    foerster2016 need their data as FILE, which are not included; goffe2018 takes that of
    foerster2016.
    """
    from peckorder import citation
    from peckorder.papers import PAPERS

    if paper is None:
        for name, known in PAPERS.items():
            needs = f"\n    Needs {known.needs}." if known.needs else ""
            say(f"{name}: {citation.REFERENCES[name]}{needs}")
        return
    if paper not in PAPERS:
        from peckorder.wording import did_you_mean

        raise click.UsageError(
            f'"{paper}" is not a paper that can be reproduced.{did_you_mean([paper], PAPERS)} '
            f"Choose one of: {', '.join(PAPERS)}."
        )
    if file is None and PAPERS[paper].needs:
        raise click.UsageError(
            f"{paper} needs {PAPERS[paper].needs}, which are not included. Give the file: "
            f"peckorder reproduce {paper} FILE."
        )
    folder = Path(output or paper)
    _numbers(paper, file, presence, folder)
    if numbers_only:
        return
    files = [str(Path(one).resolve()) for one in (file, presence) if one is not None]
    for name, needs_file in PAPERS[paper].programs:
        if file is not None or not needs_file:
            run_program(programs()[name], files if needs_file else [], folder, quiet=True)


def _numbers(paper: str, file: str | None, presence: str | None, folder: Path) -> None:
    """Print the comparison of all numbers and write it to the folder."""
    from peckorder.data.read import read
    from peckorder.papers import reproduce as recomputed

    try:
        data = None if file is None else read(file, presence=presence)
    except FileNotFoundError as error:
        raise click.UsageError(f"File not found: {error.filename}.") from None
    if data is not None:
        report(data.report)
    found = recomputed(paper, data=data)
    say(plain_table(_to_the_printed_digits(found.as_polars())))
    say("\n".join(found.summary))
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{paper}.csv"
    found.save(target)
    talk(f"Wrote {target}.")


def _to_the_printed_digits(table: Any) -> Any:
    """The table for the screen: computed numbers with one digit more than the printed ones."""
    import polars as pl

    texts = [
        f"{computed:.{len(printed.partition('.')[2]) + 1}f}"
        for printed, computed in zip(table["printed"], table["computed"], strict=True)
    ]
    return table.drop("note").with_columns(computed=pl.Series(texts))

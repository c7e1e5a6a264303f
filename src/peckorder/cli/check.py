"""Commands about data: check a file, example data sets, templates and citations."""

from __future__ import annotations

import shlex
from typing import Any

import click

from peckorder.cli.completion import Offered, data_sets
from peckorder.cli.options import FROM_TO
from peckorder.cli.shared import (
    column_options,
    deliver,
    read_contests,
    refuse_same_file,
    say,
    talk,
    with_options,
)
from peckorder.errors import DataError


@click.command()
@click.argument("file")
@with_options(*FROM_TO)
@column_options
@click.option(
    "--write-aliases",
    metavar="FILE",
    help="Write a sheet of doubtful spellings (.csv or .tsv), to be edited and given back with "
    "--names.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Format of the output.",
)
def check(file: str, **flags: Any) -> None:
    """Check a file of contests and report what was read."""
    from peckorder.tables import as_bytes, check_target, format_of, write_whole

    form, aliases = flags.pop("form"), flags.pop("write_aliases")
    refuse_same_file([file, flags["presence"], aliases])
    if aliases is not None:
        if format_of(aliases) not in ("csv", "tsv"):
            raise click.UsageError(f"--write-aliases {aliases}: end the name in .csv or .tsv.")
        check_target(aliases)
    try:
        report = read_contests(file, flags, notes=False).check()
    except DataError as error:
        if form == "json":
            deliver(_as_json({"refused": list(error.problems)}), None)
        else:
            say("\n\n".join(f"✗ {problem}" for problem in error.problems))
        talk("The data cannot be used. Fix these problems and check again.")
        raise click.exceptions.Exit(3) from None
    if form == "json":
        deliver(_as_json(report.to_dict()), None)
    else:
        say(str(report))
    if aliases is None:
        return
    sheet = report.proposed
    write_whole((aliases, as_bytes(sheet, format_of(aliases))))
    if sheet.height:
        talk(
            f'Wrote {aliases}. Correct the column "individual" where needed, then use the sheet '
            f"with --names {shlex.quote(aliases)}."
        )
    else:
        talk(f"Wrote {aliases}, which is empty: no spelling is doubtful.")


def _as_file(text: str, output: str | None) -> str | bytes:
    """The text of a CSV file, or a workbook with the same table if the output is one."""
    import io

    import polars as pl

    from peckorder.tables import as_bytes

    if output is None or not output.lower().endswith(".xlsx"):
        return text
    return as_bytes(pl.read_csv(io.StringIO(text), try_parse_dates=True), "xlsx")


def _as_json(content: Any) -> bytes:
    import json

    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()


@click.command()
@click.argument("name", required=False, type=Offered(data_sets))
@click.option(
    "-o", "--output", metavar="FILE", help="Write the data set to a file instead of the screen."
)
def datasets(name: str | None, output: str | None) -> None:
    """List the example data sets, or print the one called NAME."""
    from pathlib import Path

    from peckorder.data.datasets import CATALOGUE

    if name is None and output is not None:
        raise click.UsageError("Give the name of the data set to write.")
    if name is None:
        for item in CATALOGUE.values():
            say(f"{item.name}: {item.title}.\n    {item.source}")
        return
    if name not in CATALOGUE:
        raise click.UsageError(
            f'There is no data set "{name}". Choose one of: {", ".join(CATALOGUE)}.'
        )
    deliver(_as_file(Path(CATALOGUE[name].path).read_text(encoding="utf-8"), output), output)


TEMPLATES = {
    "events": "date,winner,loser,draw,context\n"
    "2026-01-05,Abe,Bo,no,fight\n2026-01-06,Cy,Bo,no,displacement\n2026-01-06,Abe,Cy,yes,fight\n",
    "matrix": "winner,Abe,Bo,Cy\nAbe,0,3,2\nBo,1,0,0\nCy,0,1,0\n",
    "games": "date,home,away,home_points,away_points,neutral\n"
    "2026-01-05,Reds,Blues,2,1,0\n2026-01-12,Blues,Greens,0,0,0\n2026-01-19,Reds,Greens,1,3,1\n",
    "votes": "date,a,b,outcome\n2026-01-05,tea,coffee,a\n2026-01-06,coffee,water,tie\n",
    "presence": "individual,start,end\nAbe,2026-01-01,\nBo,2026-01-01,2026-03-31\n"
    "Bo,2026-06-01,\nCy,2026-02-15,\n",
    "visits": "individual,place,start,end\n"
    "Abe,feeder 1,2026-01-05 09:00:00,2026-01-05 09:00:30\n"
    "Bo,feeder 1,2026-01-05 09:00:31,2026-01-05 09:01:10\n"
    "Cy,feeder 2,2026-01-05 09:00:45,2026-01-05 09:02:00\n"
    "Abe,feeder 1,2026-01-05 09:01:12,2026-01-05 09:01:40\n",
}


@click.command()
@click.option(
    "--kind",
    type=click.Choice(list(TEMPLATES)),
    default="events",
    show_default=True,
    help="Kind of data.",
)
@click.option(
    "-o", "--output", metavar="FILE", help="Write the template to a file instead of the screen."
)
def template(kind: str, output: str | None) -> None:
    """Print an example file to fill in."""
    deliver(_as_file(TEMPLATES[kind], output), output)
    if output is not None and kind == "visits":
        talk(f"Fill it in, then run: peckorder displacements {output} --gaps")
    elif output is not None and kind != "presence":
        talk(f"Fill it in, then run: peckorder check {output}")


@click.command()
def cite() -> None:
    """Print the references to cite."""
    from peckorder import citation

    say(citation.SOFTWARE)
    for reference in citation.REFERENCES.values():
        say(reference)

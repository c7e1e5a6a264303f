"""The shell: one subcommand per verb.

Data go to standard output, talk to standard error. Exit codes: 0 done, 1 failed, 2 wrong usage,
3 data refused. Nothing heavy is imported before a command runs, and there are no statistics in
here: commands call the public API only.
"""

from __future__ import annotations

import io
import sys
import warnings
from collections.abc import Callable
from typing import Any

import click

from peckorder.errors import DataError, DataWarning

COLUMN_ROLES = {
    "winner": "Column of winners.",
    "loser": "Column of losers.",
    "date": "Column of dates.",
    "time": "Column of times of day.",
    "draw": "Column that marks draws (1/0, yes/no, W/L/T).",
    "context": "Column of contexts (behaviour, intensity, competition).",
    "group": "Column of groups.",
    "season": "Column of seasons.",
    "count": "Column that counts contests of a row.",
    "winner-points": "Column of the winner's points.",
    "loser-points": "Column of the loser's points.",
    "home": "Column of home sides.",
    "away": "Column of away sides.",
    "home-points": "Column of the home side's points.",
    "away-points": "Column of the away side's points.",
    "neutral": "Column that marks neutral ground (1/0, yes/no).",
    "a": "Votes: column of one side.",
    "b": "Votes: column of the other side.",
    "outcome-column": "Votes: column of the outcome (a, b or tie).",
}


class Verbs(click.Group):
    """Commands whose errors end in one clear message and an exit code."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                warnings.simplefilter("always", DataWarning)
                warnings.showwarning = _show_warning
                return super().invoke(ctx)
        except DataError as error:
            _talk("\n".join(f"Error: {problem}" for problem in error.problems))
            ctx.exit(3)
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise  # click has its own way with these
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            _talk(f"Error: {where}{error.strerror or error}. Nothing was written.")
            ctx.exit(1)
        except (ValueError, TypeError) as error:
            _talk(f"Error: {error}")
            ctx.exit(2)


def _show_warning(message, category, *_, **__) -> None:
    _talk(f"Warning: {message}")


def _talk(text: str) -> None:
    click.echo(text, err=True)


def _column_options(command: Callable) -> Callable:
    """Options that tell which column is what, shared by all commands that read contests."""
    for flag, text in reversed(COLUMN_ROLES.items()):
        command = click.option(f"--{flag}", metavar="COLUMN", help=text)(command)
    more: list[Any] = [
        click.option("--kind", type=click.Choice(["events", "matrix", "games", "votes"]),
                     help="Shape of the data, where it is not recognised."),
        click.option("--date-format", metavar="FORMAT", help='For example "%d/%m/%Y".'),
        click.option("--sheet", help="Sheet of a workbook, by name or number."),
        click.option("--separator", help="Separator of a text file."),
        click.option("--encoding", help="Encoding of a text file."),
        click.option("--header", type=int, metavar="ROW",
                     help="Row of the column names, where a title stands above them."),
        click.option("--presence", metavar="FILE",
                     help='Who was there when; "inferred": from first to last contest.'),
        click.option("--self-contests", type=click.Choice(["refuse", "drop"]), default="refuse",
                     help="Rows whose winner and loser are the same."),
        click.option("--missing", type=click.Choice(["refuse", "drop"]), default="refuse",
                     help="Rows without a name, a date or points; blank cells of a matrix."),
    ]  # fmt: skip
    for add in reversed(more):
        command = add(command)
    return command


def _output_options(command: Callable) -> Callable:
    command = click.option(
        "-o", "--output", metavar="FILE", help="Write to a file (an existing one is replaced)."
    )(command)
    return click.option(
        "--format", "form", type=click.Choice(["table", "csv", "tsv", "json", "parquet"]),
        help="Of the output; by default a table, or what the name of the file says.",
    )(command)  # fmt: skip


def _read(file: str, flags: dict[str, Any], *, stream: bool = False, notes: bool = True) -> Any:
    """Read contests with the flags that concern reading, which are taken out of `flags`."""
    from peckorder.data.read import read

    names = [role.replace("-", "_") for role in COLUMN_ROLES]
    names += ["kind", "date_format", "sheet", "separator", "encoding", "header", "presence"]
    names += ["self_contests", "missing"]
    options = {name: flags.pop(name) for name in names}
    # `--outcome` is how a rating scores a contest, so the column of votes has a longer flag.
    options["outcome"] = options.pop("outcome_column")
    try:
        data = read(file, stream=stream, **options)
    except FileNotFoundError as error:
        raise click.UsageError(f"there is no file {error.filename}.") from None
    if notes and not stream:
        _report(data.report, data.presence.notes if data.presence else ())
    return data


def _report(report: Any, more: tuple[str, ...] = ()) -> None:
    """Say what was noticed and left out on the way in."""
    from peckorder.wording import counted

    for note in (*report.notes, *more):
        _talk(f"Note: {note}")
    for why, number in report.dropped.items():
        _talk(f"Note: {counted(number, 'row was', 'rows were')} left out: {why}.")


def _format(form: str | None, output: str | None) -> str:
    """The format asked for, or the one that the name of the file asks for."""
    from peckorder.tables import format_of

    if form is not None or output is None:
        return form or "table"
    return "table" if output.lower().endswith(".txt") else format_of(output)


def _deliver(content: str | bytes, output: str | None, *more: tuple[str, bytes]) -> None:
    """Put a result where it is wanted: all files are written or none, the rest is printed."""
    from peckorder.tables import write_whole

    files = list(more)
    if output is not None:
        files.append((output, content.encode() if isinstance(content, str) else content))
    write_whole(*files)
    for name, _ in files:
        _talk(f"Wrote {name}.")
    if output is not None:
        return
    if isinstance(content, str):
        click.echo(content, nl=False)
    else:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()


def _plain_table(table: Any) -> str:
    """A table for reading: numbers to the right, with two decimals where one of them needs any."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="")
    for name, dtype in table.schema.items():
        shown.add_column(Text(name), justify="right" if dtype.is_numeric() else "left")
    for row in zip(*(_cells(column) for column in table.iter_columns()), strict=True):
        shown.add_row(*map(Text, row))
    page = io.StringIO()
    Console(file=page, width=10_000, color_system=None).print(shown)
    lines = [line.rstrip() for line in page.getvalue().splitlines()]
    return "\n".join(line for line in lines if line) + "\n"


def _cells(column: Any) -> list[str]:
    decimals = 2 if column.dtype.is_float() and not (column == column.round(0)).all() else 0
    if not column.dtype.is_float():
        return ["" if value is None else str(value) for value in column]
    return ["" if value is None else f"{value:.{decimals}f}" for value in column]


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="peckorder", prog_name="peckorder")
def main() -> None:
    """From a record of who beat whom: who outranks whom, and how sure are we?

    Start with:  peckorder check FILE,  then  peckorder elo FILE.
    FILE is a CSV, TSV, Excel or Parquet file, or - for standard input.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # signs that a terminal lacks become "?"
            stream.reconfigure(errors="replace")


def _parse_k(text: str | None) -> Any:
    if text is None or text == "fide":
        return text
    if "=" in text:
        return _parse_pairs("--k", text)
    values = [_parse_number("--k", part) for part in text.split(",")]
    if len(values) > 2:
        raise click.UsageError(f"--k takes a number, two numbers or context=number,… not {text}.")
    return values[0] if len(values) == 1 else tuple(values)


def _parse_pairs(flag: str, text: str) -> dict[str, float]:
    pairs = {}
    for part in text.split(","):
        name, sign, value = part.rpartition("=")
        if not sign or not name.strip():
            raise click.UsageError(f'{flag}: "{part}" is not of the form name=number.')
        if name.strip() in pairs:
            raise click.UsageError(f'{flag}: "{name.strip()}" stands twice.')
        pairs[name.strip()] = _parse_number(flag, value)
    return pairs


def _parse_number(flag: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise click.UsageError(f'{flag}: "{text}" is no number.') from None


def _parse_burn_in(text: str | None) -> tuple[int, float] | None:
    if text is None:
        return None
    contests, _, k = text.partition(",")
    if not contests.strip().isdigit():
        raise click.UsageError(f"--burn-in takes N,K such as 100,50 — not {text}.")
    return int(contests), _parse_number("--burn-in", k)


@main.command()
@click.argument("file")
@_column_options
@click.option("--k", metavar="K", help="100; winner,loser; context=k,context=k; or fide.")
@click.option("--k-column", metavar="COLUMN", help="Column that holds k.")
@click.option("--burn-in", metavar="N,K", help="Another k for the first N contests.")
@click.option(
    "--curve",
    type=click.Choice(["logistic", "exponential", "normal", "table"]),
    help="Chance of winning by rating difference; default logistic.",
)
@click.option("--scale", type=float, help="Of the logistic curve; default 400.")
@click.option("--delta", type=float, help="Of the exponential curve; default 0.01.")
@click.option("--sd", type=float, help="Of the normal curve; default 282.84.")
@click.option("--start", metavar="R", help="Starting rating, default 1000; or name=R,name=R.")
@click.option(
    "--entry",
    type=click.Choice(["start", "mean", "bottom", "bottom_low"]),
    help="Rating of newcomers.",
)
@click.option(
    "--outcome",
    type=click.Choice(["win", "points"]),
    help="Score of a contest: won or drawn, or share of the points.",
)
@click.option("--margin", type=click.Choice(["log", "football"]), help="Factor on k by margin.")
@click.option("--home-advantage", type=float, metavar="H", help="For the home side in prediction.")
@click.option("--home-in-update", is_flag=True, default=None, help="Use it in the update too.")
@click.option(
    "--carry-over",
    type=float,
    metavar="SHARE",
    help="Share of the distance to the mean that is kept between seasons.",
)
@click.option(
    "--period",
    type=click.Choice(["date", "day", "week", "month", "year"]),
    help="Rate in batches: contests of a period use the ratings at its start.",
)
@click.option(
    "--preset",
    type=click.Choice(["EloRating", "EloOptimized", "aniDom", "PlayerRatings", "FIDE"]),
    help="Settings of other software.",
)
@click.option("--by", metavar="COLUMN", help="Rate each group of the file on its own.")
@click.option("--at", metavar="DATE", help="Ratings at the end of a day.")
@click.option("--history", metavar="FILE", help="Write every contest with its ratings to a file.")
@click.option("--stream", is_flag=True, help="Read in batches: a Parquet file needs little memory.")
@_output_options
def elo(file: str, **flags: Any) -> None:
    """Elo ratings, contest by contest."""
    import polars as pl

    from peckorder.rating.elo import elo as rate
    from peckorder.tables import as_bytes, format_of, records

    form, output, at = flags.pop("form"), flags.pop("output"), flags.pop("at")
    history, by, stream = flags.pop("history"), flags.pop("by"), flags.pop("stream")
    form = _format(form, output)
    _refuse_same_file([file, flags["presence"], output, history])
    if history is not None:
        format_of(history)
    start = flags.pop("start")
    flags["start"] = (
        None if start is None
        else _parse_pairs("--start", start) if "=" in start
        else _parse_number("--start", start)
    )  # fmt: skip
    flags["k"] = _parse_k(flags["k"])
    flags["burn_in"] = _parse_burn_in(flags["burn_in"])
    if by is not None:
        if flags["group"] is not None and flags["group"] != by:
            raise click.UsageError("--by names the column of groups; leave --group out.")
        flags["group"] = by
    if stream and (by or at or history):
        raise click.UsageError("--stream keeps no course: leave out --by, --at and --history.")
    data = _read(file, flags, stream=stream)
    parts = {None: data} if by is None else data.split("group")
    rated = {name: rate(part, **flags) for name, part in parts.items()}
    if stream:
        _report(rated[None].report)

    def joined(tables: dict[str | None, pl.DataFrame]) -> pl.DataFrame:
        if by is None:
            return tables[None]
        columns = next(iter(tables.values())).columns
        label = by if by not in columns else "group"
        parts = [
            table.select(pl.lit(name).alias(label), pl.all()) for name, table in tables.items()
        ]
        return pl.concat(parts, how="vertical_relaxed")  # dates here, times of day there

    table = joined(_at(rated, at) if at is not None else {n: r.table for n, r in rated.items()})
    described = next(iter(rated.values())).to_dict()
    described["result"] = {"table": records(table)}
    described["settings"] |= {"by": by, "at": at}
    if by is not None:
        described["provenance"]["data_hash"] = data.hash
    content = _plain_table(table) if form == "table" else as_bytes(table, form, described)
    course = []
    if history is not None:
        contests = joined({name: ratings.history for name, ratings in rated.items()})
        course.append((history, as_bytes(contests, format_of(history))))
    _deliver(content, output, *course)


def _at(rated: dict[str | None, Any], at: str) -> dict[str | None, Any]:
    """Tables at a date; a group without a rating by then is left out, and told."""
    tables, early = {}, []
    for name, ratings in rated.items():
        try:
            tables[name] = ratings.at(at)
        except ValueError as error:
            early.append(f"{'' if name is None else name + ': '}{error}")
    if not tables:
        raise click.UsageError("--at: " + early[0])
    for reason in early:
        _talk(f"Note: {reason}")
    return tables


def _refuse_same_file(names: list[str | None]) -> None:
    """No output may replace an input or another output."""
    import os

    real = [os.path.realpath(name) for name in names if name not in (None, "-")]
    for name in real:
        if real.count(name) > 1 and os.path.basename(name) != "null":
            raise click.UsageError(f"{name} is named twice: inputs and outputs must differ.")


@main.command()
@click.argument("file")
@_column_options
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
def check(file: str, **flags: Any) -> None:
    """What came in, and every check of the data in words."""
    import json

    form = flags.pop("form")
    try:
        report = _read(file, flags, notes=False).check()
    except DataError as error:
        if form == "json":
            click.echo(json.dumps({"refused": list(error.problems)}, indent=1, ensure_ascii=False))
        else:
            click.echo("\n".join(f"✗ {problem}" for problem in error.problems))
        _talk("The data were refused. Mend what is listed and check again.")
        raise click.exceptions.Exit(3) from None
    text = json.dumps(report.to_dict(), indent=1, ensure_ascii=False) if form == "json" else report
    click.echo(str(text))


@main.command()
@click.argument("name", required=False)
@click.option("-o", "--output", metavar="FILE", help="Write the data set to a file.")
def datasets(name: str | None, output: str | None) -> None:
    """List the shipped data sets, or print one."""
    from pathlib import Path

    from peckorder.data.datasets import CATALOGUE

    if name is None and output is not None:
        raise click.UsageError("name the data set to write.")
    if name is None:
        for item in CATALOGUE.values():
            click.echo(f"{item.name}: {item.title}.\n    {item.source}")
        return
    if name not in CATALOGUE:
        raise click.UsageError(f'no data set "{name}"; choose one of: {", ".join(CATALOGUE)}.')
    _deliver(Path(CATALOGUE[name].path).read_text(encoding="utf-8"), output)


TEMPLATES = {
    "events": "date,winner,loser,draw,context\n"
    "2026-01-05,Abe,Bo,no,fight\n2026-01-06,Cy,Bo,no,displacement\n2026-01-06,Abe,Cy,yes,fight\n",
    "matrix": "winner,Abe,Bo,Cy\nAbe,0,3,2\nBo,1,0,0\nCy,0,1,0\n",
    "games": "date,home,away,home_points,away_points,neutral\n"
    "2026-01-05,Reds,Blues,2,1,0\n2026-01-12,Blues,Greens,0,0,0\n2026-01-19,Reds,Greens,1,3,1\n",
    "votes": "date,a,b,outcome\n2026-01-05,tea,coffee,a\n2026-01-06,coffee,water,tie\n",
    "presence": "individual,start,end\nAbe,2026-01-01,\nBo,2026-01-01,2026-03-31\n"
    "Bo,2026-06-01,\nCy,2026-02-15,\n",
}


@main.command()
@click.option("--kind", type=click.Choice(list(TEMPLATES)), default="events", show_default=True)
@click.option("-o", "--output", metavar="FILE", help="Write the sheet to a file.")
def template(kind: str, output: str | None) -> None:
    """An example sheet to fill in."""
    _deliver(TEMPLATES[kind], output)
    if output is not None and kind != "presence":
        _talk(f"Fill it in, then: peckorder check {output}")


@main.command()
def cite() -> None:
    """What to cite."""
    from peckorder import citation

    click.echo(citation.SOFTWARE)
    for reference in citation.REFERENCES.values():
        click.echo(reference)


if __name__ == "__main__":
    main()

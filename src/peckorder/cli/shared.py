"""What commands share: options, reading, talking and delivering."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import click

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


def talk(text: str) -> None:
    click.echo(text, err=True)


def with_options(*options: Callable) -> Callable:
    """Add options to a command, in this order."""

    def add(command: Callable) -> Callable:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def params_of(options: tuple) -> list[click.Parameter]:
    """The parameters that options stand for."""

    @with_options(*options)
    def probe() -> None: ...

    return click.command()(probe).params


def option_names(options: tuple) -> set[str]:
    """Names of the arguments that options stand for."""
    return {param.name for param in params_of(options) if param.name is not None}


def column_options(command: Callable) -> Callable:
    """Options that tell which column is what, shared by all commands that read contests."""
    roles = [
        click.option(f"--{flag}", metavar="COLUMN", help=text)
        for flag, text in COLUMN_ROLES.items()
    ]
    more: list[Any] = [
        click.option(
            "--kind",
            type=click.Choice(["events", "matrix", "games", "votes"]),
            help="Shape of the data, where it is not recognised.",
        ),
        click.option("--date-format", metavar="FORMAT", help='For example "%d/%m/%Y".'),
        click.option("--sheet", help="Sheet of a workbook, by name or number."),
        click.option("--separator", help="Separator of a text file."),
        click.option("--encoding", help="Encoding of a text file."),
        click.option(
            "--header",
            type=int,
            metavar="ROW",
            help="Row of the column names, where a title stands above them.",
        ),
        click.option(
            "--presence",
            metavar="FILE",
            help='Who was there when; "inferred": from first to last contest.',
        ),
        click.option(
            "--self-contests",
            type=click.Choice(["refuse", "drop"]),
            default="refuse",
            help="Rows whose winner and loser are the same.",
        ),
        click.option(
            "--missing",
            type=click.Choice(["refuse", "drop"]),
            default="refuse",
            help="Rows without a name, a date or points; blank cells of a matrix.",
        ),
    ]
    return with_options(*roles, *more)(command)


def output_options(command: Callable) -> Callable:
    command = click.option(
        "-o", "--output", metavar="FILE", help="Write to a file (an existing one is replaced)."
    )(command)
    return click.option(
        "--format",
        "form",
        type=click.Choice(["table", "csv", "tsv", "json", "parquet"]),
        help="Of the output; by default a table, or what the name of the file says.",
    )(command)


def read_contests(
    file: str, flags: dict[str, Any], *, stream: bool = False, notes: bool = True
) -> Any:
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
        report(data.report, data.presence.notes if data.presence else ())
    return data


def report(report: Any, more: tuple[str, ...] = ()) -> None:
    """Say what was noticed and left out on the way in."""
    from peckorder.wording import counted

    for note in (*report.notes, *more):
        talk(f"Note: {note}")
    for why, number in report.dropped.items():
        talk(f"Note: {counted(number, 'row was', 'rows were')} left out: {why}.")


def chosen_format(form: str | None, output: str | None) -> str:
    """The format asked for, or the one that the name of the file asks for."""
    from peckorder.tables import format_of

    if form is not None or output is None:
        return form or "table"
    return "table" if output.lower().endswith(".txt") else format_of(output)


def deliver(content: str | bytes, output: str | None, *more: tuple[str, bytes]) -> None:
    """Put a result where it is wanted: all files are written or none, the rest is printed."""
    from peckorder.tables import write_whole

    files = list(more)
    if output is not None:
        files.append((output, content.encode() if isinstance(content, str) else content))
    write_whole(*files)
    for name, _ in files:
        talk(f"Wrote {name}.")
    if output is not None:
        return
    if isinstance(content, str):
        click.echo(content, nl=False)
    else:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()


def plain_table(table: Any) -> str:
    """A table for reading: numbers to the right, with decimals where one of them needs any."""
    from rich.cells import cell_len

    columns = []
    for column in table.iter_columns():
        cells = [column.name, *_cells(column)]
        width = max(map(cell_len, cells))
        blanks = [" " * (width - cell_len(cell)) for cell in cells]
        right = column.dtype.is_numeric()
        columns.append(
            [
                blank + cell if right else cell + blank
                for cell, blank in zip(cells, blanks, strict=True)
            ]
        )
    header, *rows = ("   ".join(cells).rstrip() for cells in zip(*columns, strict=True))
    rule = "─" * (sum(cell_len(cells[0]) + 3 for cells in columns) - 3)
    return "".join(f" {line}\n" for line in (header, rule, *rows))


def _cells(column: Any) -> list[str]:
    if str(column.dtype) == "Boolean":
        return ["" if value is None else "yes" if value else "no" for value in column]
    if not column.dtype.is_float():
        return ["" if value is None else str(value) for value in column]
    largest = column.abs().max()
    decimals = 3 if largest is not None and largest <= 1 else 2
    decimals = 0 if (column == column.round(0)).all() else decimals
    zero = f"-{0:.{decimals}f}"
    cells = ("" if value is None else f"{value:.{decimals}f}" for value in column)
    return [cell.lstrip("-") if cell == zero else cell for cell in cells]


def refuse_same_file(names: list[str | None]) -> None:
    """No output may replace an input or another output."""
    import os

    real = [os.path.realpath(name) for name in names if name not in (None, "-")]
    for name in real:
        if real.count(name) > 1 and os.path.basename(name) != "null":
            raise click.UsageError(f"{name} is named twice: inputs and outputs must differ.")


def take_groups(flags: dict[str, Any], by: str | None) -> None:
    """Read the column given with --by as that of groups."""
    if by is None:
        return
    if flags["group"] is not None and flags["group"] != by:
        raise click.UsageError("--by names the column of groups; leave --group out.")
    flags["group"] = by


def joined(tables: dict[str | None, Any], by: str | None) -> Any:
    """Tables of several groups below each other, with a column that names the group."""
    import polars as pl

    if by is None:
        return tables[None]
    columns = next(iter(tables.values())).columns
    label = by if by not in columns else "group"
    parts = [table.select(pl.lit(name).alias(label), pl.all()) for name, table in tables.items()]
    return pl.concat(parts, how="vertical_relaxed")  # dates here, times of day there

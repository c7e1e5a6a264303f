"""Shared by all commands: options, reading data, messages and output."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from peckorder.errors import ArgumentError
from peckorder.printable import one_line, printable

SAID = "peckorder.said"  # warnings about the data that this command has printed
COLUMN_ROLES = {
    "winner": "Column of winners.",
    "loser": "Column of losers.",
    "date": "Column of dates.",
    "time": "Column of times of day.",
    "draw": "Column that marks draws (1/0, yes/no or W/L/T).",
    "context": "Column of contexts (behavior, intensity, competition).",
    "group": "Column of groups.",
    "season": "Column of seasons.",
    "count": "Column with the number of contests per row.",
    "winner-points": "Column with the points of the winner.",
    "loser-points": "Column with the points of the loser.",
    "home": "Column of home sides (games), or of the side at home.",
    "away": "Column of away sides.",
    "home-points": "Column with the points of the home side.",
    "away-points": "Column with the points of the away side.",
    "neutral": "Column that marks neutral venues (1/0 or yes/no).",
    "a": "Column of the first side (votes), such as the initiator.",
    "b": "Column of the second side (votes), such as the receiver.",
    "outcome-column": "Column of outcomes (votes): the winner, a, b or tie.",
    "a-points": "Column with the points of the first side.",
    "b-points": "Column with the points of the second side.",
    "contest": "Column of contests written as A > B.",
}


def talk(text: str) -> None:
    """Print a message on stderr."""
    click.echo(printable(text), err=True)


def say(text: str) -> None:
    """Print a result on stdout."""
    click.echo(printable(text))


def with_options(*options: Callable) -> Callable:
    """Add options to a command, in this order."""

    def add(command: Callable) -> Callable:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def params_of(options: tuple) -> list[click.Parameter]:
    """The click parameters defined by options."""

    @with_options(*options)
    def probe() -> None: ...

    return click.command()(probe).params


def option_names(options: tuple) -> set[str]:
    """Names of the arguments defined by options."""
    return {param.name for param in params_of(options) if param.name is not None}


def column_options(command: Callable) -> Callable:
    """Options for reading contests, shared by all commands with a data file."""
    roles = [
        click.option(f"--{flag}", metavar="COLUMN", help=text)
        for flag, text in COLUMN_ROLES.items()
    ]
    more: list[Any] = [
        click.option(
            "--kind",
            type=click.Choice(["events", "matrix", "games", "votes", "arrows"]),
            help="Kind of data; detected by default.",
        ),
        click.option(
            "--winner-behaviors",
            metavar="NAMES",
            multiple=True,
            help="Behavior log: behaviors whose actor wins, separated by commas.",
        ),
        click.option(
            "--loser-behaviors",
            metavar="NAMES",
            multiple=True,
            help="Behavior log: behaviors whose actor loses, separated by commas.",
        ),
        click.option(
            "--other",
            metavar="COLUMN",
            help="Behavior log: column of the individual at which a behavior is directed.",
        ),
        click.option(
            "--date-format",
            metavar="FORMAT",
            help='Format of dates, for example "%d/%m/%Y"; detected if unambiguous. For dates '
            "stored as numbers: excel, excel-1904, unix, unix-ms or number.",
        ),
        click.option(
            "--fill-down",
            metavar="COLUMN",
            multiple=True,
            help="Column, by name or role, in which a blank cell repeats the value above, such as "
            "date (may be repeated).",
        ),
        click.option(
            "--sheet",
            multiple=True,
            help="Sheet of an Excel workbook, table of a database or object of an R file, by name "
            "or number from 1 (repeated: sheets are joined), or '*' for all sheets with contests; "
            "default the only one with contests.",
        ),
        click.option(
            "--query",
            metavar="SQL",
            help="For a database: a SELECT statement, or a .sql file that contains one.",
        ),
        click.option(
            "--parameter",
            "parameters",
            metavar="VALUE",
            multiple=True,
            help="Value of the placeholder $1 of the query; repeat it for $2 and so on.",
        ),
        click.option("--separator", help="Separator of a text file; detected by default."),
        click.option("--encoding", help="Encoding of a text file; detected by default."),
        click.option(
            "--header",
            metavar="ROW",
            help="Row of the column names, or two rows such as 3-4; default the first row that "
            "names the needed columns.",
        ),
        click.option(
            "--names",
            metavar="FILE",
            help="Sheet of aliases, with the columns name (as spelled) and individual (correct "
            'name); "peckorder check --write-aliases FILE" proposes one.',
        ),
        click.option(
            "--ignore",
            metavar="NAME",
            multiple=True,
            help="Leave out the contests of this name, such as unknown (may be repeated).",
        ),
        click.option(
            "--where",
            metavar="CONDITION",
            help="Use only the rows that meet a condition on columns, such as "
            '\'behavior in ("bite", "chase") and year >= 2019\'.',
        ),
        click.option(
            "--glob/--no-glob",
            default=None,
            help="Whether FILE is a pattern for several files, such as 2020/*.parquet; by default "
            "it is if no file has this name.",
        ),
        click.option(
            "--presence",
            metavar="FILE",
            help='File of presence data, or "inferred" (present from first to last contest).',
        ),
        click.option(
            "--presence-sheet",
            metavar="SHEET",
            help="Sheet of the presence data: of the workbook given as --presence or, without it, "
            "of FILE.",
        ),
        click.option(
            "--self-contests",
            type=click.Choice(["refuse", "drop"]),
            default="refuse",
            show_default=True,
            help="Rows in which winner and loser are the same individual: refuse (error) or drop.",
        ),
        click.option(
            "--missing",
            type=click.Choice(["refuse", "drop"]),
            default="refuse",
            show_default=True,
            help="Rows without a name, date or points: refuse (error) or drop. Blank cells of a "
            "matrix: refuse, or count as 0 (drop).",
        ),
        click.option(
            "--polyadic",
            type=click.Choice(["refuse", "dyads", "drop", "keep"]),
            default="refuse",
            show_default=True,
            help='Cells with several individuals ("Abby, Bella"): refuse (error), one contest per '
            "pair (dyads), drop the row, or keep as one name.",
        ),
        click.option(
            "--undecided",
            type=click.Choice(["drop", "tie"]),
            help="Contests without a decided outcome: leave out (drop, the default for none or "
            "unclear) or count as ties.",
        ),
    ]
    return with_options(*roles, *more)(command)


class Format(click.Choice):
    """Formats of the output; a workbook, which cannot be printed, is named by its file."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """The format, or an error that says how to write a workbook."""
        if str(value).lower() in ("xlsx", "xls", "excel"):
            self.fail("A workbook is written to a file: use -o, such as -o ratings.xlsx.")
        return super().convert(value, param, ctx)


def output_options(command: Callable) -> Callable:
    """Add the options for the output file and its format to a command."""
    command = click.option(
        "-o",
        "--output",
        metavar="FILE",
        help="Write to a file instead of the screen; an existing file is replaced.",
    )(command)
    return click.option(
        "--format",
        "form",
        type=Format(["table", "csv", "tsv", "json", "parquet"]),
        help="Format of the output; default a table, or as given by the file extension (also "
        ".xlsx).",
    )(command)


def reading_options(flags: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `read` given as flags, which are removed from `flags`."""
    names = [role.replace("-", "_") for role in COLUMN_ROLES]
    names += ["kind", "date_format", "sheet", "separator", "encoding", "header", "presence"]
    names += ["presence_sheet"]
    names += ["fill_down", "self_contests", "missing", "polyadic", "undecided"]
    names += ["names", "ignore", "where", "query", "glob"]
    names += ["winner_behaviors", "loser_behaviors", "other"]
    options = {name: flags.pop(name) for name in names if name in flags}
    for name in ("sheet", "fill_down"):  # flags that may be repeated
        given = list(options[name])
        options[name] = given if len(given) > 1 else given[0] if given else None
    for name in ("winner_behaviors", "loser_behaviors"):
        options[name] = list(options[name]) or None
    options["parameters"] = list(flags.pop("parameters")) or None
    options["ignore"] = list(options["ignore"]) or None
    # `--outcome` is the scoring rule of a rating, so the column of votes has a longer name.
    options["outcome"] = options.pop("outcome_column")
    return options


def read_contests(
    file: str, flags: dict[str, Any], *, stream: bool = False, notes: bool = True
) -> Any:
    """Read contests with the options for reading, which are removed from `flags`."""
    from peckorder.data.read import read

    since, until = (flags.pop(name, None) for name in ("from_date", "to_date"))
    options = reading_options(flags)
    try:
        data = read(file, stream=stream, **options)
    except FileNotFoundError as error:
        raise click.UsageError(f"File not found: {error.filename}.") from None
    if since is not None or until is not None:
        data = _within(data, since, until)
    if notes and not stream:
        report(data.report, data.presence.notes if data.presence else ())
        _say_cautions(data)
    return data


def _within(data: Any, since: str | None, until: str | None) -> Any:
    """The contests from one date to another, with a note on the others."""
    from dataclasses import replace

    from peckorder.data.dates import date_words
    from peckorder.errors import DataError
    from peckorder.wording import counted

    chosen = " ".join(
        f"{flag} {value}" for flag, value in (("--from", since), ("--to", until)) if value
    )
    try:
        kept = data.filter(start=since or None, end=until or None)
    except DataError:
        first, last = (date_words(data.times[place]) for place in (0, -1))
        raise DataError(
            f"No contest is selected by {chosen}: contests run from {first} to {last}."
        ) from None
    gone = len(data) - len(kept)
    if gone == 0:
        return kept
    note = f"{counted(gone, 'contest was', 'contests were')} left out by {chosen}."
    return replace(kept, report=replace(kept.report, notes=(*kept.report.notes, note)))


def _say_cautions(data: Any) -> None:
    """Say what the checks found, once, with the flags that this command has."""
    context = click.get_current_context()
    said = context.meta.setdefault(SAID, set())
    has_by = any(param.name == "by" for param in context.command.params)
    for name, line in data.cautions.items():
        if context.params.get("by") and name in ("groups", "connected"):
            continue  # each group is analyzed by itself
        said.add(line)
        if name == "groups" and not has_by:
            head, _, tail = line.partition("; ")
            line = f"{head}; {tail.partition(' analyzes each, ')[2]}"
        talk(f"Warning: {line}")


def already_said(text: str) -> bool:
    """Whether a warning about the data was printed when they were read."""
    context = click.get_current_context(silent=True)
    return context is not None and text in context.meta.get(SAID, ())


def report(report: Any, more: tuple[str, ...] = ()) -> None:
    """Print the notes of the import report and the numbers of rows dropped."""
    from peckorder.wording import counted

    for note in (*report.notes, *more):
        talk(f"Note: {note}")
    for why, number in report.dropped.items():
        talk(f"Note: {counted(number, 'row was', 'rows were')} dropped: {why}.")


def chosen_format(form: str | None, output: str | None) -> str:
    """The format requested, or the one given by the file extension."""
    from peckorder.tables import format_of, is_pipe

    if output is None:
        return form or "table"
    named = Path(output).suffix.lower()
    if form is not None:
        if named != f".{form}" and {named, f".{form}"} & {".xlsx", ".parquet"}:
            raise ArgumentError(  # no program would open such a file
                f"--format {form} does not fit the name {output}. Omit --format, or call the file "
                f"{Path(output).stem}.{'txt' if form == 'table' else form}."
            )
        return form
    if named == ".txt" or (is_pipe(output) and not named):
        return "table"
    return format_of(output)


def deliver(content: str | bytes, output: str | None, *more: tuple[str, bytes]) -> None:
    """Write all files or none; without an output file, print the result."""
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
        click.echo(printable(content), nl=False)
        return
    if sys.stdout.isatty():
        content = _for_a_terminal(content)
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def _for_a_terminal(content: bytes) -> bytes:
    """The content of a text file with safe characters; a binary file is not printed."""
    if content.startswith(b"PAR1"):
        raise click.UsageError(
            "A Parquet file cannot be shown on a terminal. Write it to a file with -o."
        )
    return printable(content.decode()).encode()


def plain_table(table: Any) -> str:
    """A plain-text table: numbers right-aligned, with decimals only where needed."""
    from rich.cells import cell_len

    columns = []
    for column in table.iter_columns():
        cells = [one_line(cell) for cell in (column.name, *_cells(column))]
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
    """Raise an error if an output would replace an input or another output."""
    import os

    from peckorder.sources.addresses import file_of

    names = [*names, click.get_current_context().params.get("names")]
    if names.count("-") > 1:
        raise click.UsageError("Standard input (-) is given twice. Give a file for one of them.")
    files = [file_of(name) for name in names if name not in (None, "-")]
    real = [os.path.realpath(name) for name in files if name is not None]
    for name in real:
        if real.count(name) > 1 and os.path.basename(name) not in ("null", "tty"):
            raise click.UsageError(
                f"{name} is given twice. Inputs and outputs must be different files."
            )


def take_groups(flags: dict[str, Any], by: str | None) -> None:
    """Use the column given with --by as the column of groups."""
    if by is None:
        return
    if flags["group"] is not None and flags["group"] != by:
        raise click.UsageError("--by and --group give different columns. Use --by only.")
    flags["group"] = by


def joined(tables: dict[str | None, Any], by: str | None) -> Any:
    """Tables of several groups combined, with a column of group names."""
    import polars as pl

    if by is None:
        return tables[None]
    columns = next(iter(tables.values())).columns
    label = by if by not in columns else "group"
    parts = [table.select(pl.lit(name).alias(label), pl.all()) for name, table in tables.items()]
    # Some groups may have times of day, or lack a column.
    return pl.concat(parts, how="diagonal_relaxed")

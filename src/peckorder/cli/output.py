"""Results on the screen and in files, messages, and the tables that commands print."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from peckorder.errors import ArgumentError, DataWarning
from peckorder.text import one_line, printable

QUIET = "peckorder.quiet"  # whether messages are left out
SAID = "peckorder.said"  # warnings about the data that this command has printed
MOST_ROWS = 20
READ = (
    "date",
    "individual",
    "rating",
    "rank",
    "contests",
    "wins",
    "losses",
    "draws",
    "start",
    "start_se",
    "rating_se",
    "component",
    "rating_sd",
    "volatility",
    "rating_low",
    "rating_high",
    "rank_low",
    "rank_high",
    "p_first",
)
# Columns hidden on the screen, since the summary below the table reports them.
HIDDEN = {
    "evaluate": lambda column: column.endswith(("_low", "_high")),
    "compare_models": lambda column: column == "difference_se",
}
SHOWN_IN_TABLE = ("foresight", "hindsight", "verdict")


def talk(text: str) -> None:
    """Print a message on stderr, unless messages are not wanted."""
    context = click.get_current_context(silent=True)
    if context is None or not context.meta.get(QUIET):
        complain(text)


def complain(text: str) -> None:
    """Print why something failed on stderr."""
    click.echo(printable(text), err=True)


def say(text: str) -> None:
    """Print a result on stdout."""
    click.echo(printable(text))


def say_cautions(data: Any, each: bool = False) -> None:
    """Say what the checks found, once, with the flags that this command has.

    `each`: whether each group is analyzed by itself also if it is not asked for.
    """
    context = click.get_current_context()
    said = context.meta.setdefault(SAID, set())
    has_by = "by" in context.params
    for name, line in data.cautions.items():
        if name in ("groups", "connected") and (each or context.params.get("by")):
            continue
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
    from peckorder.text import counted

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

    from peckorder.data.addresses import file_of

    if names.count("-") > 1:
        raise click.UsageError("Standard input (-) is given twice. Give a file for one of them.")
    files = [file_of(name) for name in names if name not in (None, "-")]
    real = [os.path.realpath(name) for name in files if name is not None]
    for name in real:
        if real.count(name) > 1 and os.path.basename(name) not in ("null", "tty"):
            same = " A sheet of presence in the workbook is named by --read presence_sheet=NAME."
            raise click.UsageError(
                f"{name} is given twice. Inputs and outputs must be different files."
                f"{same if name.lower().endswith(('.xlsx', '.xls', '.ods')) else ''}"
            )


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


def content_by_group(
    groups: dict[str, Any],
    by: str,
    data_hash: str,
    form: str,
    show: dict[str, Any] | None = None,
    *,
    tables_of_measures: bool = False,
) -> str | bytes:
    """Orders and ratings of all groups in one table, or one row of values per group.

    With `tables_of_measures`, measures are shown by their tables instead of their values.
    """
    import polars as pl

    from peckorder.results import Order, Ratings
    from peckorder.tables import as_bytes

    first = next(iter(groups.values()))
    tables: dict[str | None, Any] = {
        name: _shown(found, form, show, name)
        if isinstance(first, Order | Ratings) or tables_of_measures or not _flat(first.values)
        else pl.DataFrame({k: [v] for k, v in _flat(found.values).items()})
        for name, found in groups.items()
    }
    table = joined(tables, by)
    if form == "table":
        summary = [
            f"{name}: {sentence}"
            for name, found in groups.items()
            if isinstance(found, Ratings)
            for sentence in found.summary
        ]
        return plain_table(table) + ("\n" + "\n".join(summary) + "\n" if summary else "")
    described = first.to_dict()
    described["settings"] |= {"by": by}
    described["provenance"]["data_hash"] = data_hash
    described["result"] = {
        "groups": [{by: name, **found.to_dict()["result"]} for name, found in groups.items()]
    }
    if form == "xlsx":
        return _workbook_by_group(groups, table, described)
    return as_bytes(table, form, described)


def _workbook_by_group(groups: dict[str, Any], table: Any, described: dict[str, Any]) -> bytes:
    """A workbook with the joined table of all groups, their values and their summaries."""
    from peckorder.results.result import import_notes, label_of
    from peckorder.tables import workbook

    notes = [f"{name}: {text}" for name, found in groups.items() for text in found.summary]
    first = next(iter(groups.values()))
    return workbook({label_of(first): table}, described, [*notes, *import_notes(first)])


def _flat(values: dict[str, Any]) -> dict[str, Any]:
    """Scalar values; for an estimate, its value and the limits of its interval."""
    from peckorder.estimate import Estimate

    out = {}
    for name, value in values.items():
        if isinstance(value, Estimate):
            out |= {f"{name}_{part}": getattr(value, part) for part in ("value", "low", "high")}
        elif not isinstance(value, dict):
            out[name] = value
    return out


def _shown(found: Any, form: str, show: dict[str, Any] | None, of: str | None = None) -> Any:
    """The table of a result; on the screen, without the less important columns."""
    from peckorder.results import Ratings

    if not isinstance(found, Ratings):
        frame = found.frame
        if form != "table" or frame is None:
            return frame
        hidden = HIDDEN.get(found.method, lambda _: False)
        return frame.select(
            [
                c
                for c in frame.columns
                if not hidden(c) and (frame.height == 0 or frame[c].null_count() < frame.height)
            ]
        )
    table = shown_table(found, show or {}, of)
    if form != "table" or (show or {}).get("wide"):
        return table
    return table.select(
        [
            column.name
            for column in table
            if column.name in READ
            and column.null_count() < table.height
            and not (column.name == "component" and column.max() == 1)
            and not (column.name == "rating_sd" and "p_first" in table.columns)
            and not (column.name == "draws" and column.max() == 0)
        ]
    )


def content(found: Any, form: str, show: dict[str, Any] | None = None) -> str | bytes:
    """A result in a file format, or for the screen: its table, values and summary."""
    from peckorder.tables import as_bytes, records

    table = _shown(found, form, show)
    asked = {name: value for name, value in (show or {}).items() if value}
    if form == "xlsx":
        from peckorder.results.result import workbook_of

        return workbook_of(found, table, **asked)
    if form == "json":
        described = found.to_dict()
        if asked:
            described["result"]["table"] = records(table)
            described["settings"] |= asked
        return as_bytes(found.as_polars(), form, described)
    shown = SHOWN_IN_TABLE if form == "table" else ()
    values = {
        name: value
        for name, value in found.values.items()
        if value is not None and name not in shown
    }
    lines = [line for name, value in values.items() for line in _lines(name, value)]
    if form != "table":
        if table is not None:  # not part of the file, so printed instead
            for line in (*lines, *found.summary):
                talk(line)
        return as_bytes(found.as_polars() if table is None else table, form)
    parts = [] if table is None or table.is_empty() else [plain_table(table)]
    if lines:
        parts.append("\n".join(lines) + "\n")
    if found.summary:
        parts.append("\n".join(found.summary) + "\n")
    return "\n".join(parts)


def _lines(name: str, value: Any) -> list[str]:
    """A named value on one line, or a nested value on several lines."""
    import polars as pl

    from peckorder.estimate import Estimate

    if name.endswith("_intervals"):
        pairs = [(a, b, x) for a, row in value.items() for b, x in row.items() if x and a < b]
        lines = (f"  {a} and {b}: {x['low']:.2f} to {x['high']:.2f}" for a, b, x in pairs)
        return [f"{name}:", *lines] if pairs else []
    if isinstance(value, Estimate):
        value = value.to_dict()
    if isinstance(value, Mapping) and value:
        parts = {k: v.to_dict() if isinstance(v, Estimate) else v for k, v in value.items()}
        if all(isinstance(part, Mapping) for part in parts.values()):
            table = pl.DataFrame([{name: row, **part} for row, part in parts.items()])
            return ["", *plain_table(table).splitlines(), ""]
        value = {k: float(v) if isinstance(v, Estimate) else v for k, v in value.items()}
    if isinstance(value, Mapping):
        return [f"{name}: " + ", ".join(f"{k} {_number(v)}" for k, v in value.items())]
    if isinstance(value, list) and value and isinstance(value[0], Mapping):
        rows = [
            "  " + ", ".join(f"{k} {_number(v)}" for k, v in row.items() if v is not None)
            for row in value[:MOST_ROWS]
        ]
        more = len(value) - len(rows)
        return [f"{name}:", *rows, *([f"  … and {more:,} more: see --format json"] if more else [])]
    if isinstance(value, list):
        parts = (", ".join(part[:8]) + (", …" if len(part) > 8 else "") for part in value)
        return [f"{name}: " + " > ".join(f"{{{part}}}" for part in parts)] if value else []
    return [f"{name}: {_number(value)}"]


def _number(value: Any) -> str:
    if value is None:
        return "unknown"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.5g}" if isinstance(value, float) else str(value)


def shown_table(found: Any, show: dict[str, Any], of: str | None = None) -> Any:
    """The table of ratings that was requested, in polars; a note if it is empty."""
    from peckorder.tables import as_polars

    if show.get("at") is not None:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always", DataWarning)
            table = as_polars(found.at(show["at"]))
        for warning in warned:
            talk(f"Note: {'' if of is None else f'{of}: '}{warning.message}")
        return table
    if show.get("every") is not None:
        return as_polars(found.grid(every=show["every"], wide=show["wide"]))
    return found.as_polars()


def table_content(table: Any, form: str, described: dict[str, Any]) -> str | bytes:
    """A table of rows, for the screen or in a file format with its settings."""
    from peckorder.tables import as_bytes, as_polars, records

    table = as_polars(table)
    described["result"] = {"table": records(table)}
    return plain_table(table) if form == "table" else as_bytes(table, form, described)


def elo_content(
    rated: dict[str | None, Any], by: str | None, data_hash: str, form: str, show: dict[str, Any]
) -> str | bytes:
    """Elo ratings of one or several groups, with all columns; their summaries are notes."""
    from peckorder.results.result import history_of, import_notes
    from peckorder.tables import as_bytes, records, workbook

    notes = [
        f"{'' if name is None else f'{name}: '}{sentence}"
        for name, ratings in rated.items()
        for sentence in ratings.summary
    ]
    for note in notes:
        talk(f"Note: {note}")
    table = joined({name: shown_table(one, show, name) for name, one in rated.items()}, by)
    if form == "table":
        return plain_table(table)
    first = next(iter(rated.values()))
    described: dict[str, Any] = {}
    if form in ("json", "xlsx"):
        described = first.to_dict()
        described["result"] = {"table": records(table)}
        described["settings"] |= {"by": by} | show
        if by is not None:
            described["provenance"]["data_hash"] = data_hash
    if form == "xlsx":
        course, more = history_of(rated)
        sheets = {"ratings": table} | course
        return workbook(sheets, described, [*more, *notes, *import_notes(first)])
    return as_bytes(table, form, described)

"""The command `peckorder elo` and the options of Elo ratings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from peckorder.cli.shared import (
    chosen_format,
    column_options,
    deliver,
    joined,
    output_options,
    plain_table,
    read_contests,
    refuse_same_file,
    report,
    take_groups,
    talk,
    with_options,
)
from peckorder.cli.window import (
    EVERY,
    WINDOW,
    seen,
    shown_table,
    taken_show,
    taken_window,
)
from peckorder.sequential.arguments import ELO, Argument


def _parse_k(text: str | None) -> Any:
    if text is None or text in ("fide", "context", "tuned"):
        return text
    if "=" in text:
        return parse_pairs("--k", text)
    values = [parse_number("--k", part) for part in text.split(",")]
    if len(values) > 2:
        raise click.UsageError(
            f"--k {text}: give a number, two numbers, or pairs such as fight=100,chase=50."
        )
    return values[0] if len(values) == 1 else tuple(values)


def parse_pairs(flag: str, text: str) -> dict[str, float]:
    """Read `name=number,name=number` from an option."""
    pairs = {}
    for part in text.split(","):
        name, sign, value = part.rpartition("=")
        if not sign or not name.strip():
            raise click.UsageError(f'{flag}: "{part}" is not of the form name=number.')
        if name.strip() in pairs:
            raise click.UsageError(f'{flag}: "{name.strip()}" appears twice.')
        pairs[name.strip()] = parse_number(flag, value)
    return pairs


def parse_number(flag: str, text: str) -> float:
    """Read a number from an option."""
    try:
        return float(text)
    except ValueError:
        raise click.UsageError(f'{flag}: "{text}" is not a number.') from None


def parse_burn_in(text: str | None) -> tuple[int, float] | None:
    """Read `N,K` from --burn-in: the number of contests and their k."""
    if text is None:
        return None
    contests, _, k = text.partition(",")
    if not contests.strip().isdigit():
        raise click.UsageError(f"--burn-in {text}: give N,K, such as 100,50.")
    return int(contests), parse_number("--burn-in", k)


def _option(argument: Argument) -> Callable:
    """The command-line option of an argument of Elo ratings."""
    flag = f"--{argument.name.replace('_', '-')}"
    if argument.flag:
        return click.option(flag, is_flag=True, default=None, help=argument.help)
    if argument.choices:
        return click.option(flag, type=click.Choice(argument.choices), help=argument.help)
    if argument.metavar:
        return click.option(flag, metavar=argument.metavar, help=argument.help)
    return click.option(flag, type=float, help=argument.help)


RATING = tuple(_option(one) for one in ELO if one.help and not one.ordered)
SEQUENCE = tuple(_option(one) for one in ELO if one.help and one.ordered)


def parse_rating(flags: dict[str, Any]) -> None:
    """Parse the values of k, start, burn-in and home advantage, in place."""
    if "k" in flags:
        flags["k"] = _parse_k(flags["k"])
    if "burn_in" in flags:
        flags["burn_in"] = parse_burn_in(flags["burn_in"])
    bonus = flags.get("home_advantage")
    if bonus is not None and bonus not in ("estimate", "tuned"):
        read = parse_pairs if "=" in bonus else parse_number
        flags["home_advantage"] = read("--home-advantage", bonus)
    start = flags.get("start")
    if start is not None:
        pairs = "=" in start
        flags["start"] = (parse_pairs if pairs else parse_number)("--start", start)


@click.command()
@click.argument("file")
@with_options(*RATING, *SEQUENCE)
@click.option("--by", metavar="COLUMN", help="Rate the groups in this column separately.")
@click.option("--at", metavar="DATE", help="Report ratings at the end of this day.")
@with_options(*EVERY, *WINDOW)
@click.option(
    "--history", metavar="FILE", help="Write the ratings before and after every contest to a file."
)
@click.option(
    "--stream", is_flag=True, help="Read in batches to save memory (Parquet files and databases)."
)
@output_options
@column_options
def elo(file: str, **flags: Any) -> None:
    """Compute Elo ratings contest by contest."""
    from peckorder.sequential.elo import elo as rate
    from peckorder.tables import as_bytes, format_of, records

    form, output = flags.pop("form"), flags.pop("output")
    show, window = taken_show(flags), taken_window(flags)
    history, by, stream = flags.pop("history"), flags.pop("by"), flags.pop("stream")
    form = chosen_format(form, output)
    refuse_same_file([file, flags["presence"], output, history])
    if history is not None:
        format_of(history)
    parse_rating(flags)
    take_groups(flags, by)
    if stream and (by or history or any(show.values()) or window != (None, None)):
        raise click.UsageError(
            "--stream cannot be combined with --by, --at, --every, --from, --to or --history."
        )
    data = read_contests(file, flags, stream=stream)
    parts = {None: data} if by is None else data.split("group")
    rated = {name: seen(rate(part, **flags), window) for name, part in parts.items()}
    if stream:
        report(rated[None].report)
    for name, ratings in rated.items():
        for sentence in ratings.summary:
            talk(f"Note: {'' if name is None else f'{name}: '}{sentence}")

    table = joined({name: shown_table(ratings, show, name) for name, ratings in rated.items()}, by)
    described: dict[str, Any] = {}
    if form in ("json", "xlsx"):
        described = next(iter(rated.values())).to_dict()
        described["result"] = {"table": records(table)}
        described["settings"] |= {"by": by} | show
        if by is not None:
            described["provenance"]["data_hash"] = data.hash
    if form == "table":
        content: str | bytes = plain_table(table)
    elif form == "xlsx":
        content = _workbook(rated, table, described)
    else:
        content = as_bytes(table, form, described)
    course = []
    if history is not None:
        contests = joined({name: ratings.history for name, ratings in rated.items()}, by)
        course.append((history, as_bytes(contests, format_of(history))))
    deliver(content, output, *course)


def _workbook(rated: dict[str | None, Any], table: Any, described: dict[str, Any]) -> bytes:
    """A workbook with the ratings, their history, settings and notes."""
    from peckorder.results.sheets import history_of, import_notes
    from peckorder.spreadsheets import workbook

    course, notes = history_of(rated)
    for name, ratings in rated.items():
        notes += [f"{'' if name is None else f'{name}: '}{text}" for text in ratings.summary]
    notes += import_notes(next(iter(rated.values())))
    return workbook({"ratings": table} | course, described, notes)

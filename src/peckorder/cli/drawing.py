"""The command of one kind of figure: flags of its result, flags of its look, files to write."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import click

from peckorder.cli.drawn_results import ordered
from peckorder.cli.elo import parse_rating
from peckorder.cli.options import (
    METHODS,
)
from peckorder.cli.running import fail_if_not_converged, find
from peckorder.cli.shared import (
    column_options,
    deliver,
    read_contests,
    refuse_same_file,
    with_options,
)
from peckorder.cli.simulate import pilot_of, planned

# As in figures.themes, which is imported when something is drawn.
JOURNALS = ("default", "elsevier", "nature", "plos", "science", "springer", "wiley", "slides")
FILES = (
    click.option(
        "-o",
        "--output",
        metavar="FILE",
        required=True,
        help="File to write: .png, .svg or .pdf.",
    ),
    click.option(
        "--table", metavar="FILE", help="Also write the data shown in the figure to a file."
    ),
    click.option(
        "--width",
        type=float,
        metavar="MM",
        help="Width in millimeters; journals use about 85 (one column) and 174 (two columns).",
    ),
    click.option(
        "--journal",
        type=click.Choice(JOURNALS),
        help="Usual widths and size of letters of a publisher.",
    ),
)


def drawn(kind: str, text: str, make: Callable | None, *options: Callable) -> click.Command:
    """A command that draws one kind of figure of the result of `make`."""

    @click.command(kind.replace("_", "-"), help=text)
    @click.argument("file", required=kind != "power")  # a plan may be made without data
    @with_options(*FILES)
    @with_options(*options)
    @column_options
    def command(file: str | None, **flags: Any) -> None:
        import peckorder

        output, table, journal = (flags.pop(name) for name in ("output", "table", "journal"))
        check_targets([file, flags["presence"], output, table], output, table)
        figure = getattr(peckorder.plot, kind)
        looks = set(inspect.signature(figure).parameters)
        look = {name: flags.pop(name) for name in LOOKS.get(kind, ()) if name in looks}
        look |= {name: flags.pop(name) for name in COMMON_LOOKS if name in looks and name in flags}
        look = {
            name: _parsed(name, value)
            for name, value in look.items()
            if value is not None and value != ()
        }
        if kind not in (
            "ranks",
            "rank_probabilities",
            "posterior",
        ):  # these take the flags of a fit
            parse_rating(flags)
        _parse_own(flags)
        if file is None or kind == "power":
            found = planned(pilot_of(file, flags), flags)
        else:
            found = _found(kind, make, read_contests(file, flags), flags, look)
        draw(figure, found, look, output, table, journal)
        fail_if_not_converged()

    return command


def check_targets(names: list[str | None], output: str, table: str | None) -> None:
    """Raise an error, before anything is computed, for files that cannot be written."""
    from peckorder.figures.files import picture_format
    from peckorder.tables import check_target, format_of

    refuse_same_file(names)
    picture_format(output)
    for path in (output, table):
        if path is not None:
            check_target(path)
    if table is not None:
        format_of(table)


def draw(
    figure: Any,
    found: Any,
    look: dict,
    output: str,
    table: str | None,
    journal: str | None = None,
) -> None:
    """Write the figure, in the theme of a journal, and, if requested, its table."""
    from peckorder.figures.files import picture
    from peckorder.figures.themes import theme
    from peckorder.tables import as_bytes, as_polars, format_of

    with theme(journal or "default"):
        files = [(output, picture(lambda: figure(found, **look), output))]
    if table is not None:
        drawn = as_polars(figure.data(found, **look))
        files.append((table, as_bytes(drawn, format_of(table))))
    deliver(b"", None, *files)


def _found(kind: str, make: Callable | None, data: Any, flags: dict, look: dict) -> Any:
    """The object to draw; for a matrix of wins, the contests with a separate rank order."""
    if make is None:
        return data
    if kind != "matrix":
        return find(make, data, flags, slow=True)
    order = flags.pop("order")
    chances = look.get("show") == "chances"
    if order != "rating" and not (chances and order is None):
        wanted = {"order": order or "davids_score", "ties": look.get("ties", "omit")}
        look["order"] = find(ordered, data, wanted, slow=True)
    if chances or order == "rating":
        return find(make, data, flags, slow=True)
    idle = [name for name, value in flags.items() if value is not None and name != "method"]
    if idle:
        flag = f"--{idle[0].replace('_', '-')}"
        raise click.UsageError(f"{flag} requires --order rating or --show chances.")
    return data


COMMON_LOOKS = (
    "individuals",
    "highlight",
    "over",
    "ribbons",
    "separate",
    "periods",
    "part",
    "show",
    "edges",
    "width",
)
LOOKS = {
    "ranks": ("level", "at"),
    "rank_probabilities": ("at",),
    "matrix": ("ties",),
    "matrices": ("ties", "by"),
    "forest": ("value",),
    "against": ("value", "covariates"),
}


def _parsed(name: str, value: Any) -> Any:
    if name in ("individuals", "highlight"):
        return [part.strip() for text in value for part in text.split(",")]
    if name == "periods":
        return int(value) if value.isdigit() else value
    return value


def _parse_own(flags: dict[str, Any]) -> None:
    if flags.get("skip") is not None:
        flags["skip"] = int(flags["skip"]) if flags["skip"].isdigit() else flags["skip"]
    if "methods" in flags:
        flags["methods"] = flags["methods"] or METHODS
    if "at" in flags:
        several = list(flags["at"])
        if len(several) > 1 or several[:1] in (["week"], ["month"], ["year"]):
            raise click.UsageError("--at: give a single date for a figure.")
        flags["at"] = several[0] if several else None

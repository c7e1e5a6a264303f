"""`peckorder tune` and `likelihood-surface`."""

from __future__ import annotations

from typing import Any

import click

from peckorder.cli.content import content, table_file
from peckorder.cli.elo import RATING, SEQUENCE, parse_number, parse_rating
from peckorder.cli.options import LEVEL, THREADS
from peckorder.cli.rating import (
    BOOTSTRAP,
    BOOTSTRAP_SEED,
    GLICKO,
    GLICKO_1,
    GLICKO_2,
    SKIP,
    parse_own,
)
from peckorder.cli.running import find
from peckorder.cli.shared import (
    chosen_format,
    column_options,
    deliver,
    output_options,
    read_contests,
    refuse_same_file,
    with_options,
)

OVER = click.option(
    "--over",
    default="k",
    show_default=True,
    metavar="NAMES",
    help="Settings, optionally with a range or a list of values: k=0:200 or k=10/20/40. Also "
    "scale (delta, sd), home_advantage, carry_over.",
)
GRID = click.option(
    "--grid", type=int, help="Values per setting; default 101 for one, 31 for two, 11 for three."
)


def parse_over(text: str) -> Any:
    """Parse names with optional ranges or lists: k=0:200,home_advantage=0/5/10."""
    out: dict[str, Any] = {}
    for part in text.split(","):
        name, sign, given = part.partition("=")
        name = name.strip().replace("-", "_")
        if not sign:
            out[name] = None
        elif ":" in given:
            out[name] = tuple(parse_number("--over", end) for end in given.split(":"))
            if len(out[name]) != 2:
                raise click.UsageError(f"--over: {part} is not a range such as {name}=0:200.")
        elif name in ("entry", "margin"):
            out[name] = given.split("/")
        else:
            out[name] = [parse_number("--over", value) for value in given.split("/")]
    return out


@click.command()
@click.argument("file")
@click.option(
    "--rater",
    type=click.Choice(["elo", "glicko", "glicko2"]),
    default="elo",
    show_default=True,
    help="Ratings to tune.",
)
@click.option(
    "--over",
    metavar="NAMES",
    help="Settings to tune, optionally with a range or a list of values: k,home_advantage or "
    "k=0:200 or k=10/20/40. Elo: k (default), scale (delta, sd), home_advantage, carry_over, "
    "entry, margin. Glicko: deviation and c (default), home_advantage. Glicko-2: deviation and "
    "volatility (default), tau, home_advantage.",
)
@click.option(
    "--criterion",
    type=click.Choice(["log_loss", "brier", "accuracy"]),
    default="log_loss",
    show_default=True,
    help="Criterion to optimize.",
)
@click.option(
    "--test-from",
    metavar="DATE",
    help="Hold out the contests from this day on (without dates: from this contest number).",
)
@click.option("--profile", metavar="FILE", help="Write the profile of each parameter to a file.")
@with_options(SKIP, LEVEL, BOOTSTRAP, BOOTSTRAP_SEED, THREADS)
@output_options
@with_options(*RATING, *SEQUENCE, *GLICKO, GLICKO_1, *GLICKO_2)
@column_options
def tune(file: str, **flags: Any) -> None:
    """Tune the settings of Elo or Glicko ratings for predictive accuracy.

    Use --k context to tune one k of Elo per context.
    """
    form, output, profile = (flags.pop(name) for name in ("form", "output", "profile"))
    form = chosen_format(form, output)
    refuse_same_file([file, flags["presence"], output, profile])
    parse_rating(flags)
    flags["over"] = None if flags["over"] is None else parse_over(flags["over"])
    parse_own(flags)
    data = read_contests(file, flags)
    found = find("tune", data, flags, slow=True, printed=form == "table")
    files = [table_file(profile, found.tables["profile"])] if profile else []
    deliver(content(found, form), output, *files)


@click.command("likelihood-surface")
@click.argument("file")
@with_options(OVER, GRID, SKIP, LEVEL, THREADS)
@output_options
@with_options(*RATING, *SEQUENCE)
@column_options
def likelihood_surface(file: str, **flags: Any) -> None:
    """Log-likelihood of Elo settings on a grid.

    Use --k context for one k per context. -o FILE writes the whole grid.
    """
    form, output = flags.pop("form"), flags.pop("output")
    form = chosen_format(form, output)
    refuse_same_file([file, flags["presence"], output])
    parse_rating(flags)
    flags["over"] = parse_over(flags["over"])
    parse_own(flags)
    data = read_contests(file, flags)
    found = find("likelihood_surface", data, flags, slow=True, printed=form == "table")
    deliver(content(found, form), output)

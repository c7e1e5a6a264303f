"""Commands that evaluate ratings or use them for predictions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from peckorder.cli.content import content, content_by_group, table_file
from peckorder.cli.elo import parse_rating
from peckorder.cli.options import LEVEL, SEED, THREADS
from peckorder.cli.rating import (
    BOOTSTRAP,
    BOOTSTRAP_SEED,
    FIT_TIES,
    PREDICTOR,
    RATER,
    SKIP,
    called_with_ratings,
    parse_own,
)
from peckorder.cli.running import each_group, fail_if_not_converged, find
from peckorder.cli.shared import (
    chosen_format,
    column_options,
    deliver,
    option_names,
    output_options,
    read_contests,
    refuse_same_file,
    take_groups,
    with_options,
)

PREDICTING = ("evaluate", "calibration", "predict")  # they also take some orders
CALIBRATE = click.option(
    "--calibrate",
    is_flag=True,
    default=None,
    help="Recalibrate predictions: multiply log-odds by a slope learned from earlier contests.",
)
CALIBRATION = (
    click.option(
        "--side",
        type=click.Choice(["favorite", "home"]),
        default="favorite",
        show_default=True,
        help="Side whose winning probability is evaluated.",
    ),
    click.option(
        "--view",
        type=click.Choice(["foresight", "hindsight"]),
        default="foresight",
        show_default=True,
        help="Use the ratings before each contest (foresight), or the final ratings (hindsight).",
    ),
    click.option("--bins", type=int, default=10, show_default=True, help="Number of bins."),
    SKIP,
    LEVEL,
)
TIES = click.option(
    "--ties",
    type=click.Choice(["davidson", "omit"]),
    default="davidson",
    show_default=True,
    help="Probability of a draw: modeled (Davidson), or omitted.",
)
FIXTURE_COLUMNS = tuple(
    click.option(f"--fixture-{role}", metavar="COLUMN", help=f"Column of FIXTURES: {text}.")
    for role, text in (
        ("home", "home sides"),
        ("away", "away sides"),
        ("neutral", "neutral venues"),
        ("a", "first sides, if neither is at home"),
        ("b", "second sides"),
        ("season", "seasons, before which ratings are carried over"),
    )
)
FIXTURES = (
    *FIXTURE_COLUMNS,
    click.option(
        "--new-season",
        is_flag=True,
        default=None,
        help="FIXTURES are of a new season: carry ratings over (--carry-over).",
    ),
    click.option(
        "--newcomers",
        is_flag=True,
        default=None,
        help="Accept names in FIXTURES that took part in no contest; otherwise they are refused.",
    ),
)
PLAIN_BY = click.option(
    "--by", metavar="COLUMN", help="Rate and evaluate the groups in this column separately."
)


def _verb(
    verb: str,
    text: str,
    *options: Callable,
    groups: bool = True,
    fixtures: bool = False,
    more: tuple[str, str] | None = None,
    on_request: tuple[str, str] | None = None,
) -> click.Command:
    """A command that rates contests and calls a function with the ratings.

    `more` gives a further table of the result and the option that writes it to a file;
    `on_request` a table that the result has only if this option is given.
    """
    name = more[1] if more else None
    known = option_names(options)
    options += () if "seed" in known else (SEED,)  # for posteriors
    options += () if "ties" in known else (FIT_TIES,)

    @click.command(verb.replace("_", "-"), help=text)
    @click.argument("file")
    @with_options(*([click.argument("fixtures")] if fixtures else []))
    @with_options(*options, *([PLAIN_BY] if groups else []))
    @output_options
    @with_options(*(PREDICTOR if verb in PREDICTING else RATER))
    @column_options
    def command(file: str, **flags: Any) -> None:
        from peckorder.tables import format_of

        form, output, by = flags.pop("form"), flags.pop("output"), flags.pop("by", None)
        extra = flags.pop(name) if name else None
        requested = flags.pop(on_request[1]) if on_request else None
        if requested is not None:
            flags[on_request[1]] = True  # pyright: ignore
        form = chosen_format(form, output)
        listed = flags.get("fixtures")
        inputs = [file, flags["presence"], *([] if listed == file else [listed])]
        refuse_same_file([*inputs, output, extra, requested])
        parse_rating(flags)
        parse_own(flags)
        take_groups(flags, by)
        for path in (extra, requested):
            if path is not None:
                format_of(path)
        if by is not None and extra:
            raise click.UsageError(f"--by and --{name} cannot be combined.")
        data = read_contests(file, flags)
        call = called_with_ratings(verb)
        if by is None:
            found = find(call, data, flags, slow=True, printed=form == "table")
            files = []
            if extra:
                files.append(table_file(extra, found.tables[more[0]]))  # pyright: ignore
            if requested:
                files.append(table_file(requested, found.tables[on_request[0]]))  # pyright: ignore
            deliver(content(found, form), output, *files)
        else:
            parts = each_group(call, data.split("group"), flags, by, slow=True)
            deliver(content_by_group(parts, by, data.hash, form), output)
        fail_if_not_converged()

    return command


FINISH = click.option(
    "--finish",
    metavar="NAME=PLACE,…",
    help="Chances to finish in some places: playoffs=7 (the best seven), relegated=-3 (the last "
    "three), cup=5:6 (a range).",
)
SEASON = (
    click.option(
        "--points",
        default="1,0.5,0",
        show_default=True,
        metavar="W,D,L",
        help="Points for a win, a draw and a loss.",
    ),
    click.option(
        "--standings",
        metavar="FILE",
        help='Current points: a file of names and points, "season" (points in the last season '
        "of FILE), or Reds=12,Blues=10.",
    ),
    FINISH,
    TIES,
    click.option(
        "--runs",
        type=int,
        default=10_000,
        show_default=True,
        help="Number of simulated seasons.",
    ),
    SEED,
    THREADS,
)


COMMANDS = (
    _verb(
        "evaluate",
        "Predictive accuracy of ratings: foresight and hindsight.",
        click.option(
            "--equal",
            type=click.Choice(["wrong", "half", "drop"]),
            default="wrong",
            show_default=True,
            help="Contests between sides of equal rating: counted as wrong, as half, or dropped.",
        ),
        SKIP,
        click.option(
            "--per",
            type=click.Choice(["context", "group", "season", "day", "week", "month", "year"]),
            help="Also report results for each context, group, season or period.",
        ),
        LEVEL,
        BOOTSTRAP,
        BOOTSTRAP_SEED,
        THREADS,
        CALIBRATE,
    ),
    _verb(
        "calibration",
        "Calibration of predicted winning probabilities.",
        *CALIBRATION,
        CALIBRATE,
    ),
    _verb(
        "win_share",
        "Ratings against the proportion of wins. Reports line, correlation and residuals.",
        click.option("--until", metavar="DATE", help="Use contests up to this day only."),
    ),
    _verb(
        "areas",
        "Areas under rating trajectories. Also reports for how long each individual ranked above "
        "each other one.",
        click.option(
            "--individuals", metavar="NAMES", help="Individuals to include: Abe,Bo; default all."
        ),
        click.option("--trajectories", metavar="FILE", help="Write the trajectories to a file."),
        more=("trajectories", "trajectories"),
    ),
    _verb(
        "home_advantages",
        "Estimate the home advantage, overall and for each side.",
        click.option(
            "--pooled/--not-pooled",
            default=True,
            show_default=True,
            help="Partial pooling: shrink the estimates of single sides toward the common "
            "advantage.",
        ),
        SKIP,
        LEVEL,
    ),
    _verb(
        "predict",
        "Predict the outcomes of FIXTURES. Reports the probabilities of win, draw and loss.",
        TIES,
        click.option("--at", metavar="DATE", help="Use the ratings at the end of this day."),
        LEVEL,
        CALIBRATE,
        *FIXTURES,
        groups=False,
        fixtures=True,
    ),
    _verb(
        "simulate_season",
        "Simulate a season of FIXTURES. Reports the probabilities of titles and final places.",
        *SEASON,
        LEVEL,
        click.option(
            "--places", metavar="FILE", help="Write the probability of each final place to a file."
        ),
        click.option(
            "--keep-runs",
            metavar="FILE",
            help="Write the points of every simulated season to a file.",
        ),
        *FIXTURES,
        groups=False,
        fixtures=True,
        more=("places", "places"),
        on_request=("standings", "keep_runs"),
    ),
)

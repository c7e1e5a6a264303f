"""`peckorder plot KIND FILE -o figure.pdf`: figures of ratings, ranks and measures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from peckorder.cli.adaptive import MODEL as ADAPTIVE
from peckorder.cli.drawing import FILES, check_targets, draw, drawn
from peckorder.cli.drawn_results import (
    adapted,
    by_function,
    calibrated,
    intervals,
    ratings,
    sampling,
    studied,
    surface,
)
from peckorder.cli.elo import RATING, SEQUENCE
from peckorder.cli.evaluate import CALIBRATION
from peckorder.cli.fit import BAYES, COMMON, ML
from peckorder.cli.network import in_order
from peckorder.cli.options import (
    CHANGE_POINTS,
    FROM_TO,
    INDEX,
    LEVEL,
    METHOD,
    ORDER,
    ORDERS,
    RUNS,
    SEED,
    STEEPNESS_BAYES,
    STEEPNESS_NULL,
    THREADS,
    TIES,
    TIME_LIMIT,
    K,
)
from peckorder.cli.over_time import OVER_TIME
from peckorder.cli.rating import FIT_TIES, RATER, SKIP
from peckorder.cli.seasons import FIGURES as SEASON_FIGURES
from peckorder.cli.shared import (
    option_names,
    with_options,
)
from peckorder.cli.simulate import METHOD as RECOVERED
from peckorder.cli.simulate import PLAN
from peckorder.cli.tune import GRID, OVER
from peckorder.cli.visits import READING, THRESHOLDS, gaps_of
from peckorder.cli.window import WINDOW

NAMES = click.option(
    "--individuals",
    metavar="NAMES",
    multiple=True,
    help="Show these individuals only: Abe,Bo (may be repeated).",
)
HIGHLIGHT = click.option(
    "--highlight",
    metavar="NAMES",
    multiple=True,
    help="Individuals shown in color, the others in gray: Abe,Bo (may be repeated).",
)
OVER_TIME_OR_CONTESTS = click.option(
    "--over",
    type=click.Choice(["date", "contest"]),
    help="Horizontal axis: dates (default if available) or contest numbers.",
)
MODELED = (*RATER, SEED, FIT_TIES)
FITTED = (*COMMON, *(o for o in BAYES if option_names((o,)) != {"shared"}))
SUMMED = tuple(o for o in STEEPNESS_BAYES if not option_names((o,)) & {"bayes", "split_at"})
RANKED_BY = click.option(
    "--method",
    type=click.Choice(["dynamic", "adaptive", "bayes", "steepness", "randomized", "bradley-terry"]),
    default="dynamic",
    show_default=True,
    help="dynamic: dynamic ratings; adaptive: adaptive ratings; bayes: Bayesian Elo; steepness: "
    "posterior of winning probabilities without change over time; randomized: randomized Elo; "
    "bradley-terry: Bradley–Terry abilities with bootstrap intervals.",
)
RANKED = (
    click.option(
        "--at", metavar="DATE", help="Rank the individuals present at the end of this day."
    ),
    NAMES,
    click.option(
        "--runs",
        type=int,
        help="Number of random orders, with --method randomized (default 1000), or of resamples, "
        "with --method bradley-terry (default 200).",
    ),
    *FITTED,
)


STUDIED = (
    click.option(
        "--measure",
        default="steepness_bayes",
        show_default=True,
        metavar="NAME",
        help="Measure, as in the study command; groups are those of --group.",
    ),
    click.option("--value", metavar="NAME", help="Another value of the measure than the main one."),
    SEED,
    click.option("--workers", type=int, help="Number of worker processes; default one per core."),
)


def _part(*parts: str) -> Callable:
    return click.option("--part", type=click.Choice(parts), help="Show this panel only.")


@click.command("gaps")
@click.argument("file")
@with_options(*FILES, THRESHOLDS, *READING)
def gaps(file: str, **flags: Any) -> None:
    """Gaps between visits to a feeder. FILE is a table of visits, as for "displacements"."""
    import peckorder

    names = ("output", "table", "width", "journal")
    output, table, width, journal = (flags.pop(name) for name in names)
    check_targets([file, output, table], output, table)
    found = gaps_of(file, flags)
    look = {} if width is None else {"width": width}
    draw(peckorder.plot.gaps, found, look, output, table, journal)


@click.group()
def plot() -> None:
    """Draw publication-quality figures.

    Usage: peckorder plot KIND FILE -o figure.pdf
    """


for command in (
    drawn(
        "trajectories",
        "Ratings over time, one line per individual. Lines are interrupted during absences.",
        ratings,
        NAMES,
        HIGHLIGHT,
        OVER_TIME_OR_CONTESTS,
        click.option(
            "--ribbons/--no-ribbons",
            default=None,
            help="Shade 80% and 95% credible intervals; requires --method dynamic or bayes.",
        ),
        click.option("--separate", is_flag=True, help="Draw a small panel for each individual."),
        *MODELED,
    ),
    drawn(
        "ranks",
        "Ranks with intervals. Bars connect ranks that are not distinguishable.",
        intervals,
        RANKED_BY,
        *WINDOW,
        LEVEL,
        *RANKED,
    ),
    drawn(
        "rank_probabilities",
        "Probability of each rank for each individual, as a heat map.",
        intervals,
        RANKED_BY,
        *WINDOW,
        *RANKED,
    ),
    drawn(
        "bump",
        "Ranks by period, one line per individual. Shows the ranks at the end of each period.",
        ratings,
        NAMES,
        HIGHLIGHT,
        click.option(
            "--periods",
            metavar="PERIODS",
            help="Length of a period: week, month, year, or a number of periods with equal "
            "numbers of contests.",
        ),
        *MODELED,
    ),
    drawn(
        "matrix",
        "Win matrix in rank order. With --show chances, the expected winning probabilities.",
        ratings,
        click.option(
            "--show",
            type=click.Choice(["wins", "chances"]),
            default="wins",
            show_default=True,
            help="Observed wins, or winning probabilities expected from the ratings.",
        ),
        click.option(
            "--order",
            help="Rank order of rows and columns; default davids_score, or rating with --show "
            "chances.",
            type=click.Choice(["davids_score", "isi", "bradley_terry", "rating"]),
        ),
        TIES,
        *RATER,
        SEED,
    ),
    drawn(
        "network",
        "Dominance network in layers by rank. Arrows lead from winners to losers, with a width by "
        "net wins.",
        in_order,
        ORDER,
        TIES,
        click.option(
            "--edges",
            type=int,
            help="Number of edges to draw, those with most net wins; default all, or two per "
            "individual in groups of more than 15.",
        ),
        *FROM_TO,
    ),
    drawn(
        "steepness",
        "Normalized David's scores against ranks. Shows the fitted line and the null distribution.",
        by_function("steepness"),
        _part("scores", "null"),
        INDEX,
        TIES,
        STEEPNESS_NULL,
        *RUNS,
        *FROM_TO,
    ),
    drawn(
        "shape",
        "Wins of the higher-ranked, by rank difference.",
        by_function("hierarchy_shape"),
        TIES,
        LEVEL,
        *FROM_TO,
    ),
    drawn(
        "posterior",
        "Prior and posterior of k and sigma. Also shows posterior densities of final ratings.",
        sampling,
        _part("parameters", "scores"),
        *FITTED,
    ),
    drawn(
        "calibration",
        "Predicted probabilities against observed proportions. Shows the calibration of ratings.",
        calibrated,
        *CALIBRATION,
        *MODELED,
    ),
    drawn(
        "likelihood",
        "Log-likelihood of Elo settings. Shows a curve for one setting, a map for two.",
        surface,
        OVER,
        GRID,
        SKIP,
        LEVEL,
        THREADS,
        *RATING,
        *SEQUENCE,
    ),
    drawn(
        "tenure",
        "Who held a rank when, one bar per tenure.",
        ratings,
        click.option("--rank", type=int, default=1, show_default=True, help="The rank."),
        *MODELED,
    ),
    drawn(
        "change_points",
        "Probability of an abrupt change at each date.",
        by_function("change_points"),
        *CHANGE_POINTS,
    ),
    drawn(
        "over_time",
        "A measure or rank order over moving windows, with its interval.",
        by_function("over_time"),
        *OVER_TIME,
    ),
    drawn(
        "compare",
        "Rank orders by several methods side by side.",
        by_function("compare"),
        NAMES,
        HIGHLIGHT,
        METHOD,
        TIES,
        K,
        *ORDERS[:2],
        TIME_LIMIT,
        *FROM_TO,
    ),
    drawn(
        "forest",
        "A measure in many groups, with intervals and the mean over groups.",
        studied,
        *STUDIED,
    ),
    drawn(
        "against",
        "A measure in many groups against a covariate of the groups.",
        studied,
        click.option(
            "--over",
            metavar="COLUMN",
            default="individuals",
            show_default=True,
            help="Column of the covariates, or of the table of the study.",
        ),
        click.option("--covariates", metavar="FILE", help="Sheet with one row per group."),
        *STUDIED,
    ),
    drawn(
        "matrices",
        "Win matrices of many groups as small multiples.",
        None,
        click.option("--by", metavar="COLUMN", help="Column of groups; default that of --group."),
        TIES,
        *FROM_TO,
    ),
    drawn(
        "weights",
        "Weights of averaged Elo and of the filters in the predictions of adaptive ratings.",
        adapted,
        click.option(
            "--part",
            type=click.Choice(["drift", "spread"]),
            help="Sets of filters: by drift per contest (default), or by spread of ratings.",
        ),
        OVER_TIME_OR_CONTESTS,
        *ADAPTIVE,
        *WINDOW,
    ),
    drawn("presence", "Periods of presence of each individual.", None),
    drawn(
        "recovery",
        "Rank errors in simulated data. Shows errors by number of contests, and estimated "
        "against true ranks.",
        by_function("recovery", effort=()),
        _part("time", "ranks"),
        RECOVERED,
        click.option(
            "--runs",
            type=int,
            default=200,
            show_default=True,
            help="Number of simulated data sets.",
        ),
        SEED,
        THREADS,
        *RATING,
        *SEQUENCE,
        ML[0],
    ),
    drawn(
        "power",
        "Share of studies that reach a target, by number of contests. FILE is a pilot; without it, "
        "the group is assumed (--individuals, --spread).",
        None,
        *PLAN,
        *RATING,
        ML[0],
    ),
    drawn(
        "summed_probability",
        "Summed winning probabilities against ranks. Shows posterior draws of the line.",
        by_function("steepness_bayes"),
        *SUMMED,
        click.option(
            "--ties",
            type=click.Choice(["omit", "davidson"]),
            default="omit",
            show_default=True,
            help="Treatment of ties: omitted, or modeled (Davidson).",
        ),
        SEED,
        THREADS,
        *FROM_TO,
    ),
    gaps,
    *SEASON_FIGURES,
):
    plot.add_command(command)

"""Options shared by several commands."""

from __future__ import annotations

from typing import Any

import click

METHODS = ("elo", "randomized_elo", "davids_score", "isi", "bradley_terry")  # compared by default
RANKERS = ("davids_score", "isi", "bradley_terry", "adagio", "percolation", "dominance_value")
COMPARED = (*METHODS, "adagio", "percolation", "dominance_value")

TIES = click.option(
    "--ties",
    type=click.Choice(["omit", "half", "both"]),
    default="omit",
    show_default=True,
    help="Treatment of ties: omitted, or counted as half a win or as one win for each side.",
)
ALL_TIES = click.option(
    "--ties",
    type=click.Choice(["omit", "half", "both", "davidson"]),
    default="omit",
    show_default=True,
    help="Treatment of ties: omitted, or counted as half a win or as one win for each side; "
    "davidson: modeled, with --bayes.",
)
MODELED_TIES = click.option(
    "--ties",
    type=click.Choice(["davidson", "omit", "half", "both"]),
    default="davidson",
    show_default=True,
    help="Treatment of ties: modeled (Davidson), omitted, or counted as half a win or as one win "
    "for each side.",
)
INDEX = click.option(
    "--index",
    type=click.Choice(["dij", "pij", "binomial"]),
    default="dij",
    show_default=True,
    help="Dyadic dominance index: proportion of wins corrected for chance (dij), uncorrected "
    "(pij), or binomial.",
)
SEED = click.option(
    "--seed", type=int, help="Seed of the random numbers; drawn and reported when omitted."
)
SEARCH_SEED = click.option(
    "--seed", type=int, default=0, show_default=True, help="Seed of the search."
)
STEEPNESS_NULL = click.option(
    "--null",
    type=click.Choice(["uniform", "binomial"]),
    default="uniform",
    show_default=True,
    help="Wins of a dyad by chance: uniform from 0 to all, as published, or by fair coins.",
)
ORDER_TEST = (
    click.option(
        "--null",
        type=click.Choice(["strengths", "dyads"]),
        default="strengths",
        show_default=True,
        help="What is held fixed: the number of wins of each individual, or the outcomes of each "
        "dyad.",
    ),
    click.option(
        "--collapse-bouts",
        is_flag=True,
        help="Reduce contests of the same dyad in a row to the first.",
    ),
    click.option("--runs", type=int, default=199, show_default=True, help="Randomizations."),
    click.option(
        "--power-runs",
        type=int,
        help="Simulated records for the power against a takeover; default 40 or, in larger "
        "records, fewer; 0 leaves it out.",
    ),
)
THREADS = click.option(
    "--threads",
    type=int,
    help="Number of threads; default all cores. Results do not depend on it.",
)


def _column_names(context: click.Context, option: click.Parameter, text: str | None) -> Any:
    """Names of columns, written with commas."""
    return [name.strip() for name in text.split(",")] if text else None


ESTIMATED_HOME = click.option(
    "--home-advantage",
    type=click.Choice(["estimate"]),
    help="Estimate the advantage of the home side.",
)
COVARIATES = click.option(
    "--covariates",
    metavar="COLUMNS",
    callback=_column_names,
    help="Columns of differences between the two sides (winner minus loser; of votes and games, "
    'first minus second), whose effects are estimated: mass,age. Two columns: "mass_a - mass_b".',
)
CHANGE_POINTS = (
    click.option(
        "--most", type=int, default=5, show_default=True, help="Largest number of changes."
    ),
    click.option(
        "--certainty",
        type=float,
        default=0.95,
        show_default=True,
        help="Probability at which a change is reported.",
    ),
    click.option(
        "--clock",
        type=click.Choice(["contests", "time"]),
        help="Ratings drift with the number of contests (default), or with time.",
    ),
    THREADS,
)
RUNS = (
    click.option(
        "--runs", type=int, default=10_000, show_default=True, help="Number of randomizations."
    ),
    SEED,
    THREADS,
)
ORDERS = (
    click.option(
        "--runs",
        type=int,
        default=1000,
        show_default=True,
        help="Number of random orders of the contests.",
    ),
    *RUNS[1:],
)
LEVEL = click.option(
    "--level", type=float, default=0.95, show_default=True, help="Level of intervals."
)
TIME_LIMIT = click.option(
    "--time-limit",
    type=float,
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="Time limit of the search if the order cannot be proved optimal.",
)
ANIDOM = click.option(
    "--preset", type=click.Choice(["aniDom"]), help="Use the settings of the R package aniDom."
)
PENALIZED = click.option(
    "--penalized", is_flag=True, help="Penalize the likelihood with a normal prior on abilities."
)
PRIOR_SD = click.option(
    "--prior-sd",
    type=float,
    default=2.0,
    show_default=True,
    help="Standard deviation of the normal prior.",
)


def _names_or_all(context: click.Context, option: click.Parameter, text: str | None) -> Any:
    if text is None or text == "all":
        return None if text is None else True
    return [name.strip() for name in text.split(",")]


ERRORS = click.option(
    "--errors",
    metavar="NAMES",
    callback=_names_or_all,
    help="Individuals whose standard errors are computed: Abe,Bo, or all. Default: all in groups "
    "of up to 2,000.",
)
RANK_BY = click.option(
    "--rank-by",
    default="clutton_brock",
    show_default=True,
    help="Index that determines the ranks.",
    type=click.Choice(["proportion", "adi", "dominated", "clutton_brock", "expected_beaten"]),
)
METHOD = click.option(
    "--method",
    "methods",
    type=click.Choice(COMPARED),
    multiple=True,
    help="Method to compare (may be repeated); default the first five.",
)
PREPROCESS = click.option(
    "--preprocess/--no-preprocess",
    default=True,
    show_default=True,
    help="Weight edges by wins minus losses, or keep both edges of a dyad.",
)
DIRECTION = click.option(
    "--direction",
    type=click.Choice(["bottom_up", "top_down"]),
    default="bottom_up",
    show_default=True,
    help="End of the hierarchy from which levels are counted.",
)
CONDUCTANCE = (
    click.option(
        "--max-length",
        type=int,
        default=4,
        show_default=True,
        help="Length of the longest paths of wins that count.",
    ),
    click.option(
        "--alpha", type=float, help="Weight of a win; estimated from transitivity when omitted."
    ),
    click.option(
        "--beta",
        type=float,
        default=1.0,
        show_default=True,
        help="Prior wins of both individuals of a dyad.",
    ),
)
ANNEALING = click.option(
    "--runs", type=int, default=10, show_default=True, help="Runs of simulated annealing."
)
CLASSES = click.option(
    "--classes",
    type=int,
    default=3,
    show_default=True,
    help="Number of social classes, equal parts of the range of values.",
)
ORDER = click.option(
    "--order",
    type=click.Choice(RANKERS),
    help="Method of the ranks; default davids_score.",
)
K = click.option("--k", metavar="K", help="k of Elo ratings; default 100.")
SPLIT_AT = click.option(
    "--split-at",
    "at",
    metavar="DATE",
    required=True,
    help="First day, or number of the first contest, of the second period.",
)
FROM_TO = (
    click.option(
        "--from",
        "from_date",
        metavar="DATE",
        help="Use contests from this day (or contest number) on.",
    ),
    click.option(
        "--to", "to_date", metavar="DATE", help="Use contests up to this day (or contest number)."
    ),
)
BY = click.option("--by", metavar="COLUMN", help="Analyze the groups in this column separately.")
RULE = click.option(
    "--rule",
    type=click.Choice(["carried", "interpolated"]),
    help="Rating on days without contests: carried forward, or interpolated; default as in the "
    "preset.",
)


CHAINS = (
    click.option("--chains", type=int, help="Number of Markov chains; default 4."),
    click.option("--warmup", type=int, help="Warmup iterations per chain; default 500."),
    click.option(
        "--samples",
        type=int,
        help="Draws kept per chain; default 1500 (500 with --orders).",
    ),
)
STEEPNESS_BAYES = (
    click.option(
        "--bayes",
        is_flag=True,
        help="Estimate the posterior of steepness.",
    ),
    click.option(
        "--preset",
        type=click.Choice(["EloSteepness"]),
        help="With --bayes: the published posterior, by random orders and Markov chains.",
    ),
    click.option(
        "--fair-coins",
        type=int,
        metavar="RUNS",
        help="With --bayes: refits in which every contest is a fair toss; default 100.",
    ),
    click.option(
        "--orders",
        type=int,
        help="With --preset: number of random orders of the contests; default 5 to 50 if their "
        "sequence is unknown.",
    ),
    click.option(
        "--at",
        metavar="DATE",
        multiple=True,
        help="With --bayes: steepness at the end of this day (may be repeated), or of every week, "
        "month or year.",
    ),
    click.option(
        "--split-at",
        metavar="DATE",
        help="With --bayes: compare the contests before this day with those from this day on.",
    ),
    click.option(
        "--sigma",
        type=float,
        help="With --preset: standard deviation of starting scores; default 1.",
    ),
    click.option(
        "--prior-k", type=float, help="With --preset: scale of the prior of k; default 1."
    ),
    *CHAINS,
)
BAYESIAN = (
    "preset",
    "fair_coins",
    "orders",
    "at",
    "split_at",
    "sigma",
    "prior_k",
    "chains",
    "warmup",
    "samples",
)
CLASSICAL = ("index", "null", "runs")

"""Options that several commands share."""

from __future__ import annotations

import click

METHODS = ("elo", "randomized_elo", "davids_score", "isi", "bradley_terry")

TIES = click.option(
    "--ties",
    type=click.Choice(["omit", "half", "both"]),
    default="omit",
    show_default=True,
    help="Leave draws out, or count them half a win or one win each.",
)
ALL_TIES = click.option(
    "--ties",
    type=click.Choice(["omit", "half", "both", "davidson"]),
    default="omit",
    show_default=True,
    help="Leave draws out, or count them half a win or one win each; with --bayes, model them.",
)
MODELED_TIES = click.option(
    "--ties",
    type=click.Choice(["davidson", "omit", "half", "both"]),
    default="davidson",
    show_default=True,
    help="Model draws, leave them out, or count them half a win or one win each.",
)
INDEX = click.option(
    "--index",
    type=click.Choice(["dij", "pij", "binomial"]),
    default="dij",
    show_default=True,
    help="How the chance of a dyad is estimated.",
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
        default=0,
        show_default=True,
        help="Simulated records for the power against a takeover.",
    ),
)
SEED = click.option("--seed", type=int, help="Of random numbers; drawn and told by default.")
SEARCH_SEED = click.option("--seed", type=int, default=0, show_default=True, help="Of the search.")
THREADS = click.option(
    "--threads", type=int, help="Cores to use; the result does not depend on it."
)
RUNS = (
    click.option("--runs", type=int, default=10_000, show_default=True, help="Random runs."),
    SEED,
    THREADS,
)
ORDERS = (
    click.option(
        "--runs", type=int, default=1000, show_default=True, help="Random orders of the contests."
    ),
    *RUNS[1:],
)
LEVEL = click.option("--level", type=float, default=0.95, show_default=True, help="Of intervals.")
TIME_LIMIT = click.option(
    "--time-limit",
    type=float,
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="To search where an optimum cannot be proved.",
)
ANIDOM = click.option("--preset", type=click.Choice(["aniDom"]), help="Settings of aniDom.")
PENALIZED = click.option("--penalized", is_flag=True, help="Fit with a normal prior on abilities.")
PRIOR_SD = click.option(
    "--prior-sd",
    type=float,
    default=2.0,
    show_default=True,
    help="Standard deviation of that prior.",
)
RANK_BY = click.option(
    "--rank-by",
    default="clutton_brock",
    show_default=True,
    help="The index that ranks.",
    type=click.Choice(["proportion", "adi", "dominated", "clutton_brock", "expected_beaten"]),
)
METHOD = click.option(
    "--method",
    "methods",
    type=click.Choice(METHODS),
    multiple=True,
    help="May be given several times; default all.",
)
K = click.option("--k", metavar="K", help="Of Elo ratings; default 100.")
SPLIT_AT = click.option(
    "--split-at",
    "at",
    metavar="DATE",
    required=True,
    help="First day of the second period, or a contest number.",
)
BY = click.option("--by", metavar="COLUMN", help="Look at each group of the file on its own.")
RULE = click.option(
    "--rule",
    type=click.Choice(["carried", "interpolated"]),
    help="Rating on days without contests; by default as the preset.",
)


CHAINS = (
    click.option("--chains", type=int, help="Chains of the sampler; default 4."),
    click.option("--warmup", type=int, help="Draws of a chain that tune it; default 500."),
    click.option(
        "--samples",
        type=int,
        help="Draws of a chain that are kept; default 1500 (500 with --orders).",
    ),
)
STEEPNESS_BAYES = (
    click.option("--bayes", is_flag=True, help="The posterior of steepness, from Elo ratings."),
    click.option(
        "--orders",
        type=int,
        help="With --bayes: random orders of contests; default 50 to 5 if unknown.",
    ),
    click.option(
        "--at",
        metavar="DATE",
        multiple=True,
        help="With --bayes: at the end of a day (may be repeated), or of every week, "
        "month or year.",
    ),
    click.option(
        "--split-at",
        metavar="DATE",
        help="With --bayes: compare the contests before with those from this day.",
    ),
    click.option("--sigma", type=float, help="With --bayes: spread of starting scores; default 1."),
    click.option("--prior-k", type=float, help="With --bayes: scale of the prior of k; default 1."),
    *CHAINS,
)
BAYESIAN = ("orders", "at", "split_at", "sigma", "prior_k", "chains", "warmup", "samples")
CLASSICAL = ("index", "null", "runs")

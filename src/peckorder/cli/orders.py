"""Commands for rank orders, their comparison and their repeatability."""

from __future__ import annotations

from peckorder.cli.elo import RATING
from peckorder.cli.finding import finding
from peckorder.cli.leaderboard import LEADERBOARD
from peckorder.cli.options import (
    ANIDOM,
    ANNEALING,
    CLASSES,
    CONDUCTANCE,
    DIRECTION,
    ERRORS,
    INDEX,
    LEVEL,
    METHOD,
    MODELED_TIES,
    ORDERS,
    PENALIZED,
    PREPROCESS,
    PRIOR_SD,
    RANK_BY,
    SEARCH_SEED,
    THREADS,
    TIES,
    TIME_LIMIT,
    K,
)

COMMANDS = (
    finding(
        "randomized_elo",
        "Randomized Elo ratings. Means over random orders of the contests.",
        *RATING,
        ANIDOM,
        *ORDERS,
        slow=True,
    ),
    finding("davids_score", "David's scores and the resulting rank order.", INDEX, TIES),
    finding(
        "isi",
        "I&SI rank order. Minimizes the number and strength of inconsistencies, and proves the "
        "order optimal where possible.",
        TIES,
        TIME_LIMIT,
        SEARCH_SEED,
        slow=True,
    ),
    finding(
        "bradley_terry",
        "Bradley–Terry abilities with standard errors. With --bootstrap, a leaderboard with "
        "intervals.",
        MODELED_TIES,
        PENALIZED,
        PRIOR_SD,
        ERRORS,
        *LEADERBOARD,
        slow=True,
    ),
    finding(
        "indices",
        "Simple dominance indices. Reports the proportion of wins, ADI, the number dominated and "
        "Clutton-Brock's index.",
        RANK_BY,
        TIES,
    ),
    finding(
        "adagio",
        "ADAGIO levels. A hierarchy that need not be linear, as a graph without cycles.",
        PREPROCESS,
        DIRECTION,
        TIES,
    ),
    finding(
        "percolation",
        "Percolation and conductance. Dominance probabilities from direct and indirect wins, and "
        "the resulting rank order.",
        *CONDUCTANCE,
        TIES,
        ANNEALING,
        TIME_LIMIT,
        SEARCH_SEED,
        THREADS,
        slow=True,
    ),
    finding(
        "dominance_value",
        "Dominance values for displacements. Number dominated minus number dominating, with "
        "social classes.",
        CLASSES,
        TIES,
    ),
    finding(
        "compare",
        "Rank orders by several methods, and their correlations.",
        METHOD,
        TIES,
        K,
        *ORDERS[:2],
        LEVEL,
        TIME_LIMIT,
        slow=True,
    ),
    finding(
        "repeatability",
        "Repeatability of randomized Elo ratings. The share of their variance that is among "
        "individuals.",
        *RATING,
        ANIDOM,
        *ORDERS,
        slow=True,
    ),
    finding(
        "splitting",
        "Split-half correlation of Elo ratings. Compares random halves of the contests.",
        *RATING,
        ANIDOM,
        *ORDERS,
        slow=True,
    ),
)

"""Commands for rank orders, their comparison and their repeatability."""

from __future__ import annotations

from peckorder.cli.elo import RATING
from peckorder.cli.finding import finding
from peckorder.cli.options import (
    ANIDOM,
    INDEX,
    LEVEL,
    METHOD,
    MODELED_TIES,
    ORDERS,
    PENALIZED,
    PRIOR_SD,
    RANK_BY,
    SEARCH_SEED,
    TIES,
    TIME_LIMIT,
    K,
)

COMMANDS = (
    finding(
        "randomized_elo",
        "Randomized Elo: mean ratings and ranks over random orders of the contests.",
        *RATING,
        ANIDOM,
        *ORDERS,
        slow=True,
    ),
    finding("davids_score", "David's scores and the resulting rank order.", INDEX, TIES),
    finding(
        "isi",
        "I&SI rank order: fewest and weakest inconsistencies, proved optimal where possible.",
        TIES,
        TIME_LIMIT,
        SEARCH_SEED,
        slow=True,
    ),
    finding(
        "bradley_terry",
        "Bradley–Terry abilities with standard errors.",
        MODELED_TIES,
        PENALIZED,
        PRIOR_SD,
    ),
    finding(
        "indices",
        "Simple indices: proportion of wins, ADI, number dominated, Clutton-Brock index.",
        RANK_BY,
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
        "Repeatability of randomized Elo ratings: variance among individuals / total.",
        *RATING,
        ANIDOM,
        *ORDERS,
        slow=True,
    ),
    finding(
        "splitting",
        "Correlation of Elo ratings from random halves of the contests.",
        *RATING,
        ANIDOM,
        *ORDERS,
        slow=True,
    ),
)

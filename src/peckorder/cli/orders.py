"""Commands that rank: from David's scores to methods side by side, and how repeatable they are."""

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
        "Mean Elo ratings and ranks over random orders of the contests.",
        *RATING,
        ANIDOM,
        *ORDERS,
        slow=True,
    ),
    finding("davids_score", "David's scores and the order they give.", INDEX, TIES),
    finding(
        "isi",
        "The I&SI order: fewest and weakest inconsistencies, proved where possible.",
        TIES,
        TIME_LIMIT,
        SEARCH_SEED,
        slow=True,
    ),
    finding(
        "bradley_terry",
        "Abilities by the Bradley–Terry model, with standard errors.",
        MODELED_TIES,
        PENALIZED,
        PRIOR_SD,
    ),
    finding(
        "indices",
        "Simple indices: win share, ADI, number dominated, Clutton-Brock.",
        RANK_BY,
        TIES,
    ),
    finding(
        "compare",
        "Orders by several methods side by side, and how far they agree.",
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
        "Share of the variance of randomized Elo between individuals.",
        *RATING,
        ANIDOM,
        *ORDERS,
        slow=True,
    ),
    finding(
        "splitting",
        "Agreement of Elo ratings from two random halves of the contests.",
        *RATING,
        ANIDOM,
        *ORDERS,
        slow=True,
    ),
)

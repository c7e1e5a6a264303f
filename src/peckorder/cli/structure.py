"""Commands about the structure of a hierarchy: steepness, linearity, dyads and the rest."""

from __future__ import annotations

from peckorder.cli.elo import RATING, SEQUENCE
from peckorder.cli.finding import finding
from peckorder.cli.options import (
    ALL_TIES,
    INDEX,
    LEVEL,
    ORDER_TEST,
    RULE,
    RUNS,
    SEED,
    SPLIT_AT,
    STEEPNESS_BAYES,
    STEEPNESS_NULL,
    THREADS,
    TIES,
)

COMMANDS = (
    finding(
        "steepness",
        "How steep the hierarchy is, with a test; or its posterior.",
        INDEX,
        ALL_TIES,
        STEEPNESS_NULL,
        *RUNS,
        *STEEPNESS_BAYES,
        slow=True,
    ),
    finding(
        "linearity",
        "How linear the hierarchy is: Landau's h, h′, Kendall's K, and a test.",
        TIES,
        *RUNS,
        slow=True,
    ),
    finding("transitivity", "Share of transitive triads, and a test.", TIES, *RUNS, slow=True),
    finding(
        "consistency",
        "Directional consistency and skew-symmetry, and a test.",
        TIES,
        *RUNS,
        slow=True,
    ),
    finding(
        "order_test",
        "Whether ranks changed: a test of the order of contests.",
        *ORDER_TEST,
        SEED,
        THREADS,
        slow=True,
    ),
    finding("stability", "How stable the ranks by Elo were over time.", *RATING, *SEQUENCE, RULE),
    finding(
        "hierarchy_shape", "How often the higher-ranked wins, by difference in rank.", TIES, LEVEL
    ),
    finding("dyads", "Every dyad: who dominates whom, what is tied or unknown.", INDEX, TIES),
    finding("reversals", "Dyads whose dominance turned round between two periods.", SPLIT_AT, TIES),
    finding(
        "unknown_dyads",
        "Dyads without a contest, of all and of those ever present together.",
        TIES,
    ),
)

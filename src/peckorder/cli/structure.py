"""Commands for the structure of a hierarchy: steepness, linearity, dyads and others."""

from __future__ import annotations

from peckorder.cli.elo import RATING, SEQUENCE
from peckorder.cli.finding import finding
from peckorder.cli.options import (
    ALL_TIES,
    CHANGE_POINTS,
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
from peckorder.cli.window import WINDOW

COMMANDS = (
    finding(
        "steepness",
        "Steepness with a randomization test, or its posterior.",
        INDEX,
        ALL_TIES,
        STEEPNESS_NULL,
        *RUNS,
        *STEEPNESS_BAYES,
        slow=True,
    ),
    finding(
        "linearity",
        "Linearity of the hierarchy. Reports Landau's h, de Vries' h′ and Kendall's K, with a "
        "randomization test.",
        TIES,
        *RUNS,
        slow=True,
    ),
    finding(
        "transitivity",
        "Proportion of transitive triads. Reports a randomization test.",
        TIES,
        *RUNS,
        slow=True,
    ),
    finding(
        "consistency",
        "Directional consistency index. Also skew-symmetry, with a randomization test.",
        TIES,
        *RUNS,
        slow=True,
    ),
    finding(
        "change_points",
        "Dates at which the hierarchy changed abruptly.",
        *CHANGE_POINTS,
        slow=True,
    ),
    finding(
        "order_test",
        "Order-dependence test: did ranks change during the study?",
        *ORDER_TEST,
        SEED,
        THREADS,
        slow=True,
    ),
    finding("stability", "Stability of Elo ranks over time.", *RATING, *SEQUENCE, RULE, *WINDOW),
    finding(
        "hierarchy_shape",
        "Wins of the higher-ranked, by rank difference. The shape of the hierarchy.",
        TIES,
        LEVEL,
    ),
    finding("dyads", "Table of all dyads: dominance relation, tied or unknown.", INDEX, TIES),
    finding(
        "reversals",
        "Dyads whose dominance relation reversed. Compares two periods (--split-at).",
        SPLIT_AT,
        TIES,
    ),
    finding(
        "unknown_dyads",
        "Dyads without contests. Counts all dyads, and those present together.",
        TIES,
    ),
)

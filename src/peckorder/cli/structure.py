"""Commands for the structure of a hierarchy: steepness, linearity, dyads and others."""

from __future__ import annotations

from peckorder.cli.elo import RATING, SEQUENCE
from peckorder.cli.finding import finding
from peckorder.cli.options import (
    ALL_TIES,
    INDEX,
    LEVEL,
    RULE,
    RUNS,
    SPLIT_AT,
    STEEPNESS_BAYES,
    TIES,
)

COMMANDS = (
    finding(
        "steepness",
        "Steepness with a randomization test and a confidence interval, or its posterior.",
        INDEX,
        ALL_TIES,
        *RUNS,
        LEVEL,
        *STEEPNESS_BAYES,
        slow=True,
    ),
    finding(
        "linearity",
        "Linearity: Landau's h, de Vries' h′ and Kendall's K, with a randomization test.",
        TIES,
        *RUNS,
        slow=True,
    ),
    finding(
        "transitivity",
        "Proportion of transitive triads, with a randomization test.",
        TIES,
        *RUNS,
        slow=True,
    ),
    finding(
        "consistency",
        "Directional consistency and skew-symmetry, with a randomization test.",
        TIES,
        *RUNS,
        slow=True,
    ),
    finding("stability", "Stability of Elo ranks over time.", *RATING, *SEQUENCE, RULE),
    finding(
        "hierarchy_shape",
        "How often the higher-ranked individual wins, by rank difference.",
        TIES,
        LEVEL,
    ),
    finding("dyads", "Table of all dyads: dominance relation, tied or unknown.", INDEX, TIES),
    finding(
        "reversals", "Dyads whose dominance relation reversed between two periods.", SPLIT_AT, TIES
    ),
    finding(
        "unknown_dyads",
        "Dyads without contests, among all dyads and among those present together.",
        TIES,
    ),
)

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
        "Steepness of the hierarchy. Reports a randomization test and an interval, or the "
        "posterior (--bayes).",
        INDEX,
        ALL_TIES,
        *RUNS,
        LEVEL,
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
    finding("stability", "Stability of Elo ranks over time.", *RATING, *SEQUENCE, RULE),
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

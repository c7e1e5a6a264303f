"""Simulated hierarchies with known strengths, and self-organizing ones: `po.simulate`."""

from peckorder.simulation.hierarchies import hierarchy, periods
from peckorder.simulation.like import like
from peckorder.simulation.long_term import long_term
from peckorder.simulation.scenarios import (
    coalitionary_leap,
    high_dimensional,
    mortality,
    takeover,
    unbalanced,
)
from peckorder.simulation.self_organizing import self_organizing, winner_effect
from peckorder.simulation.truth import Truth, rank_error

__all__ = [
    "Truth",
    "coalitionary_leap",
    "hierarchy",
    "high_dimensional",
    "like",
    "long_term",
    "mortality",
    "periods",
    "rank_error",
    "self_organizing",
    "takeover",
    "unbalanced",
    "winner_effect",
]

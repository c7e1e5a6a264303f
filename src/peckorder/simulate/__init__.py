"""Simulated hierarchies with known strengths, and self-organizing ones: `po.simulate`."""

from peckorder.simulate.hierarchies import hierarchy, periods
from peckorder.simulate.parametric_bootstrap import like, settling
from peckorder.simulate.scenarios import (
    coalitionary_leap,
    high_dimensional,
    long_term,
    mortality,
    takeover,
    unbalanced,
)
from peckorder.simulate.self_organizing import self_organizing, winner_effect
from peckorder.simulate.truth import Truth, rank_error
from peckorder.text import missing as _missing

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
    "settling",
    "takeover",
    "unbalanced",
    "winner_effect",
]

__getattr__ = _missing(__name__, __all__)

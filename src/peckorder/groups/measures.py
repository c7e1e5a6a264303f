"""Measures and rank orders by name, for analyses that repeat one: over windows, over groups."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from peckorder.errors import ArgumentTypeError
from peckorder.methods import function
from peckorder.text import given
from peckorder.validate import one_of

MEASURES = (
    "steepness_bayes",
    "steepness",
    "linearity",
    "transitivity",
    "consistency",
    "order_test",
    "hierarchy_shape",
    "dyads",
    "unknown_dyads",
    "davids_score",
    "isi",
    "bradley_terry",
    "randomized_elo",
    "adagio",
    "percolation",
    "dominance_value",
)

# The value that stands for a measure with several.
MAIN = {
    "order_test": "p",
    "dyads": "unknown_share",
}


def measure_function(argument: str, measure: Any) -> Callable[..., Any]:
    """The function meant by a name, or the function itself."""
    if isinstance(measure, str):
        return function(one_of(argument, measure, MEASURES))
    if not callable(measure):
        raise ArgumentTypeError(
            f'{given(argument, measure)}: give the name of a measure, such as "steepness_bayes", '
            f"or a function."
        )
    return measure

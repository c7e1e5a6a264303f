"""Measures and rank orders by name, for analyses that repeat one: over windows, over groups."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from peckorder.checked import one_of
from peckorder.errors import ArgumentTypeError
from peckorder.ranking.adagio import adagio
from peckorder.ranking.bradley_terry import bradley_terry
from peckorder.ranking.davids_score import davids_score
from peckorder.ranking.dominance_value import dominance_value
from peckorder.ranking.isi import isi
from peckorder.ranking.percolation import percolation
from peckorder.sequential.randomized import randomized_elo
from peckorder.structure.dyads import dyads, unknown_dyads
from peckorder.structure.linearity import linearity
from peckorder.structure.order_test import order_test
from peckorder.structure.shape import hierarchy_shape
from peckorder.structure.steepness import steepness
from peckorder.structure.steepness_bayes import steepness_bayes
from peckorder.structure.transitivity import consistency, transitivity
from peckorder.wording import given

MEASURES: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        steepness_bayes,
        steepness,
        linearity,
        transitivity,
        consistency,
        order_test,
        hierarchy_shape,
        dyads,
        unknown_dyads,
        davids_score,
        isi,
        bradley_terry,
        randomized_elo,
        adagio,
        percolation,
        dominance_value,
    )
}

# The value that stands for a measure with several.
MAIN = {
    "linearity": "h_improved",
    "transitivity": "ttri",
    "consistency": "dci",
    "order_test": "p",
    "dyads": "unknown_share",
}


def measure_function(argument: str, measure: Any) -> Callable[..., Any]:
    """The function meant by a name, or the function itself."""
    if isinstance(measure, str):
        return MEASURES[one_of(argument, measure, MEASURES)]
    if not callable(measure):
        raise ArgumentTypeError(
            f'{given(argument, measure)}: give the name of a measure, such as "steepness_bayes", '
            f"or a function."
        )
    return measure

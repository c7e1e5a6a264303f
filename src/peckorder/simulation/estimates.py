"""Estimates of each method from a data set: scores, and intervals if available."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from peckorder.data.interactions import Interactions
from peckorder.filters.dynamic import dynamic
from peckorder.likelihood.elo_ml import elo_ml
from peckorder.posterior.elo_bayes import elo_bayes
from peckorder.ranking.davids_score import davids_score
from peckorder.results import Ratings
from peckorder.results.sampled import SampledRatings
from peckorder.sequential.elo import elo
from peckorder.sequential.randomized import randomized_elo

SMALL_FITS = {"chains": 2, "warmup": 300, "samples": 500, "threads": 1}
FEW_DRAWS = 1000
Z = {"80": 1.2815515655446004, "95": 1.959963984540054}


@dataclass(frozen=True, eq=False)
class Estimate:
    """Scores of individuals by a method, with intervals of scores or ranks if available."""

    names: tuple[str, ...]
    score: np.ndarray
    ratings: Ratings | None = None
    intervals: dict[str, tuple[np.ndarray, np.ndarray]] | None = None
    of_ranks: bool = False
    unit: float = 1.0  # of the scores, per unit of the natural scale


def _elo(data: Interactions, settings: dict[str, Any], _: int) -> Estimate:
    found = elo(data, **settings)
    return Estimate(found.individuals, found.rating, found)


def _elo_ml(data: Interactions, settings: dict[str, Any], _: int) -> Estimate:
    found = elo_ml(data, **settings)
    se = found.columns["rating_se"]
    center = found.rating - found.rating.mean()
    ends = {level: (center - z * se, center + z * se) for level, z in Z.items()}
    if found.values.get("unbounded"):  # distances between components are not estimates
        ends = None
    return Estimate(found.individuals, found.rating, found, ends, unit=1 / found.curve.slope)


def _elo_bayes(data: Interactions, settings: dict[str, Any], seed: int) -> Estimate:
    options: dict[str, Any] = SMALL_FITS | settings
    found = elo_bayes(data, **options, seed=seed)
    return _sampled(found)


def _dynamic(data: Interactions, settings: dict[str, Any], seed: int) -> Estimate:
    options: dict[str, Any] = {"samples": FEW_DRAWS, "threads": 1} | settings
    return _sampled(dynamic(data, **options, seed=seed))


def _sampled(found: SampledRatings) -> Estimate:
    draws = found.final
    draws = draws - draws.mean(axis=1, keepdims=True)
    low95, low80, high80, high95 = np.quantile(draws, [0.025, 0.1, 0.9, 0.975], axis=0)
    ends = {"80": (low80, high80), "95": (low95, high95)}
    return Estimate(found.individuals, found.rating, found, ends, unit=1 / found.curve.slope)


def _randomized_elo(data: Interactions, settings: dict[str, Any], seed: int) -> Estimate:
    options: dict[str, Any] = {"runs": 200, "threads": 1} | settings
    found = randomized_elo(data, **options, seed=seed)
    frame = found.as_polars()
    place = {name: i for i, name in enumerate(frame["individual"])}
    own = [place[name] for name in data.individuals]
    low, high = (frame[f"rank_{end}95"].to_numpy()[own] for end in ("low", "high"))
    return Estimate(data.individuals, -found.rank, None, {"95": (low, high)}, of_ranks=True)


def _davids_score(data: Interactions, settings: dict[str, Any], _: int) -> Estimate:
    found = davids_score(data, **settings)
    return Estimate(found.individuals, -found.rank)


METHODS: dict[str, Callable[[Interactions, dict[str, Any], int], Estimate]] = {
    "dynamic": _dynamic,
    "elo": _elo,
    "elo_ml": _elo_ml,
    "elo_bayes": _elo_bayes,
    "randomized_elo": _randomized_elo,
    "davids_score": _davids_score,
}

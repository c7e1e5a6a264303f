"""How strengths vary in seasons to come: drift within a season, and what is new in the next one.

Elo with gain k is the steady state of a filter whose prior variance is k/s, with s the log-odds per
rating point (Ingram 2021, Journal of Quantitative Analysis in Sports 17:203–219): ratings that move
by k in a simulated season contain this uncertainty. A new season adds to it. If strengths keep a
share c of their distance from the mean and have the same variance σ² in every season, the part
(1 − c²)σ² is new.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from peckorder.filters.adaptive import AdaptiveRatings
from peckorder.filters.dynamic import DynamicRatings
from peckorder.results import Ratings
from peckorder.sequential.policies import margin_factors

SPREAD, DRIFT, RETURNING = 0, 2, 3  # columns of the table of filters


def drift_of(ratings: Ratings, draws: int) -> tuple[np.ndarray, np.ndarray]:
    """Variance of drift per contest, and its limit, for each draw of the final ratings."""
    if not isinstance(ratings, DynamicRatings | AdaptiveRatings):
        return np.zeros(draws), np.full(draws, np.inf)
    replay: Any = ratings.course.replay
    own = replay.bank.table[replay.filters]
    limit = np.where(own[:, RETURNING] > 0, own[:, SPREAD] ** 2, np.inf)
    scale = ratings.curve.slope**2
    return np.ascontiguousarray(own[:, DRIFT] / scale), np.ascontiguousarray(limit / scale)


def spread_between_seasons(ratings: Ratings, seasons: int) -> float:
    """Standard deviation of what is new in strengths, beyond the uncertainty v that k implies.

    Strengths vary by σ² = Var(ratings) + v. A new season has c²v + (1 − c²)σ², of which v is in the
    moves by k, and the remainder is (1 − c²) Var(ratings).
    """
    carried = float(ratings.settings["carry_over"]) ** (2 * seasons)
    return float(np.sqrt((1 - carried) * np.nanvar(ratings.rating)))


def mean_margin_factor(ratings: Ratings) -> float:
    """Mean factor on k by the margins of the rated contests."""
    replay: Any = ratings.course.replay
    points = replay.data.points
    return float(margin_factors(replay.settings.margin, points).mean())

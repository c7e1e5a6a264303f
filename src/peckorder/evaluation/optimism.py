"""How much hindsight flatters: final ratings explain the contests on which they are based.

The optimism is estimated by cross-validation (Stone 1974): contests are left out of the ratings,
fold by fold, and explained by the final ratings of all others. A simulation from the fitted
chances would be an alternative, but it would assume that these chances are calibrated, which those
of a rating with a fixed k often are not. A fold consists of short runs of consecutive contests
from the whole record, so that contests of one bout stay together and the final ratings refer to
the same moment.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from peckorder.evaluation.scoring import hindsight
from peckorder.evaluation.simultaneous import block_length
from peckorder.results import Ratings
from peckorder.results.chances import Chances
from peckorder.sequential.replay import EloReplay

FOLDS = 10
FEWEST = 20  # contests, below which folds are too small


def left_out(ratings: Ratings, home_advantage: Any = None) -> Chances | None:
    """Probabilities of each contest under the final ratings of a record without it.

    None for methods other than sequential Elo, whose parameters would have to be fitted again.
    """
    data, course = ratings.data, ratings.course
    replay = course.replay
    if ratings.method != "elo" or not isinstance(replay, EloReplay) or len(data) < FEWEST:
        return None
    fold = folds(len(data))
    parts: dict[str, np.ndarray] = {}
    for number in range(FOLDS):
        own = np.flatnonzero(fold == number)
        rating = replay.final_without(own)
        if rating is None:
            return None
        found = hindsight(replace(ratings, rating=rating), home_advantage)
        for name in ("win", "loss", "ahead"):
            parts.setdefault(name, np.empty(len(data)))[own] = getattr(found, name)[own]
    return Chances(**parts)


def folds(contests: int) -> np.ndarray:
    """Fold of each contest: runs of consecutive contests, dealt out in turn."""
    length = min(block_length(contests), max(1, contests // (2 * FOLDS)))
    return (np.arange(contests) // length) % FOLDS

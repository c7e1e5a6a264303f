"""How much hindsight flatters: final ratings explain the contests on which they are based.

The optimism is estimated by cross-validation (Stone 1974): contests are left out of the ratings,
fold by fold, and explained by the final ratings of all others. A simulation from the fitted
chances would be an alternative, but it would assume that these chances are calibrated, which those
of a rating with a fixed k often are not. A fold consists of short runs of consecutive contests
from the whole record, so that contests of one bout stay together and the final ratings refer to
the same moment.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from peckorder.evaluation.judged import Places
from peckorder.evaluation.scoring import hindsight
from peckorder.evaluation.simultaneous import block_length
from peckorder.results import Ratings
from peckorder.results.chances import Chances
from peckorder.sequential.replay import EloReplay
from peckorder.sequential.several import finals_without, shareable

FOLDS = 10
FEWEST = 20  # contests, below which folds are too small


def left_out(ratings: Ratings, home_advantage: Any = None) -> Callable[[Places], Chances] | None:
    """Probabilities of contests at given places under the final ratings of a record without them.

    None for methods other than sequential Elo, whose parameters would have to be fitted again.
    """
    data, course = ratings.data, ratings.course
    replay = course.replay
    if ratings.method != "elo" or not isinstance(replay, EloReplay) or len(data) < FEWEST:
        return None
    fold = folds(len(data))
    if shareable(replay) and not home_advantage:
        rating, winner, loser = finals_without(replay, fold, FOLDS), data.winner, data.loser

        def chances(own: Places) -> Chances:
            ahead = rating[winner[own], fold[own]] - rating[loser[own], fold[own]]
            return Chances.decided(np.asarray(ratings.curve(ahead)), ahead)

        return chances
    win, ahead = np.empty(len(data)), np.empty(len(data))
    for number in range(FOLDS):
        own = np.flatnonzero(fold == number)
        rating = replay.final_without(own)
        if rating is None:
            return None
        found = hindsight(replace(ratings, rating=rating), home_advantage)
        win[own], ahead[own] = found.win[own], found.ahead[own]
    return Chances.decided(win, ahead).part


def folds(contests: int) -> np.ndarray:
    """Fold of each contest: runs of consecutive contests, dealt out in turn."""
    length = min(block_length(contests), max(1, contests // (2 * FOLDS)))
    return np.resize(np.repeat(np.arange(FOLDS, dtype=np.int8), length), contests)

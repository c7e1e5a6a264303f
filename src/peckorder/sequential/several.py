"""Several ratings of one long record in one pass over its contests.

`tune` rates a record under many values of k, and cross-validation rates it without each of ten
parts. If nothing but two ratings and a number k decides about a contest, the compiled loop of
`kernels.several` does sixteen of these at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

import numpy as np

from peckorder.curves import Exponential, Logistic
from peckorder.kernels.several import rate_several
from peckorder.sequential.replay import EloReplay

LANES = 16
LONG = 200_000  # contests; in shorter records one rating after the other is as convenient
# Largest k times slope of the curve. A difference in the last bit between two ways of rating then
# never grows: a contest replaces the errors of both ratings by weighted means of the two, with
# weights k × slope × p(1 − p) ≤ 1. Beyond, it may grow with every contest.
LARGEST_STEP = 4.0


def shareable(replay: object) -> TypeGuard[EloReplay]:
    """Whether a rating can share a pass: a long record of wins, one k, a logistic curve."""
    if not isinstance(replay, EloReplay) or len(replay.data) < LONG or replay.eventful:
        return False
    settings = replay.settings
    score, k, advantage = replay.arrays
    return (
        isinstance(settings.curve, Logistic | Exponential)
        and not isinstance(settings.k, str)
        and settings.entry in ("start", "mean")  # the same if nobody arrives
        and not settings.rounded
        and (len(score), len(k), len(advantage)) == (1, 1, 1)
        and (score[0], k[0, 0], advantage[0]) == (1.0, k[0, 1], 0.0)
        and k[0, 0] * settings.curve.slope <= LARGEST_STEP
    )


def foresight_of_several(replays: Sequence[EloReplay], first: int, least: float) -> np.ndarray:
    """`foresight_sums` of up to LANES ratings of one record, a row for each."""
    one, number = replays[0], len(replays)
    slope, k = np.zeros(LANES), np.zeros(LANES)
    slope[:number] = [each.settings.curve.slope for each in replays]
    k[:number] = [each.arrays[1][0, 0] for each in replays]
    rating = np.zeros((len(one.start), LANES))
    rating[:, :number] = np.column_stack([each.start for each in replays])
    winner, loser = one.data.winner, one.data.loser
    nothing = np.full(1, -1, np.int8)
    rate_in_lanes(winner[:first], loser[:first], slope, k, nothing, least, rating)
    sums = rate_in_lanes(winner[first:], loser[first:], slope, k, nothing, least, rating)
    decided = np.full(LANES, len(winner) - first, np.float64)
    return np.vstack([sums, decided]).T[:number]


def finals_without(replay: EloReplay, fold: np.ndarray, folds: int) -> np.ndarray:
    """Final ratings if the contests of each fold changed none, shape (individuals, folds)."""
    slope = np.full(LANES, replay.settings.curve.slope)
    k = np.full(LANES, replay.arrays[1][0, 0])
    rating = np.repeat(replay.start[:, None], LANES, axis=1)
    rate_in_lanes(replay.data.winner, replay.data.loser, slope, k, fold, 0.0, rating)
    return rating[:, :folds]


def rate_in_lanes(
    winner: np.ndarray,
    loser: np.ndarray,
    slope: np.ndarray,
    k: np.ndarray,
    left_out: np.ndarray,
    least: float,
    rating: np.ndarray,
) -> np.ndarray:
    """Rate contests in place; the sums of log loss, Brier score and correct predictions."""
    sums, room = np.zeros((3, LANES)), np.empty((3, LANES))
    shifted = room[2].view(np.int64)
    rate_several(winner, loser, slope, k, left_out, least, rating, sums, room, shifted)
    return sums

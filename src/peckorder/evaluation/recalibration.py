"""Recalibrated chances: log-odds multiplied by a slope that is learned from the past only.

Ratings with a large k follow every outcome, so that their differences, and the chances based on
them, are too bold. The calibration slope (Cox 1958), a logistic regression without intercept so
that both sides of a contest are treated alike, is estimated from the contests before a moment and
applied to those after it; a normal prior around 1 keeps it near 1 while there are few. It is
estimated again before each of the first contests, then whenever their number has grown by a few
percent. The moments do not depend on how many contests follow, so that later contests never change
earlier chances.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from peckorder.evaluation.scoring import confidence_interval, pieces, true_scores
from peckorder.results import Ratings
from peckorder.results.chances import Chances, drawn_of, limit_of
from peckorder.text import option, option_name

PRIOR_SD = 0.5
EVERY_CONTEST = 100  # first contests before each of which the slope is estimated
GROWTH = 0.03  # afterwards, when there are so many more contests
STEPS = 50


def slope_of(log_odds: np.ndarray, score: np.ndarray, prior_sd: float = PRIOR_SD) -> float:
    """The slope with the highest posterior density, by Newton's method on a concave function.

    >>> odds = np.array([2.0] * 10)
    >>> score = np.array([1.0] * 7 + [0.0] * 3)  # 0.70 instead of 0.88
    >>> round(slope_of(odds, score, prior_sd=100.0), 3)  # log(7/3)/2
    0.424
    """
    from scipy.special import expit

    weight = 1 / prior_sd**2
    slope = 1.0
    for _ in range(STEPS):
        expected = expit(slope * log_odds)
        first = float(((score - expected) * log_odds).sum()) - weight * (slope - 1.0)
        second = float((log_odds**2 * expected * (1 - expected)).sum()) + weight
        step = float(np.clip(first / second, -0.5, 0.5))
        slope += step
        if abs(step) < 1e-10:
            break
    return max(slope, 0.0)


def past_slopes(log_odds: np.ndarray, score: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The slope for each contest, learned from those before it for which `counts` is true."""
    size = len(log_odds)
    slopes, starts = np.ones(size), moments(size)
    for start, end in zip(starts, [*starts[1:], size], strict=True):
        slopes[start:end] = _slope_before(start, log_odds, score, counts)
    return slopes


def next_slope(log_odds: np.ndarray, score: np.ndarray, counts: np.ndarray) -> float:
    """The slope for the contest after the last, as if it had been one more of them."""
    return _slope_before(moments(len(log_odds) + 1)[-1], log_odds, score, counts)


def moments(size: int) -> list[int]:
    """Contests before which the slope is estimated, up to a number of contests.

    >>> moments(3), moments(107)[-4:]
    ([0, 1, 2], [99, 100, 103, 106])
    """
    found, at = [], 0
    while at < size:
        found.append(at)
        at += 1 if at < EVERY_CONTEST else max(1, int(at * GROWTH))
    return found


def _slope_before(place: int, log_odds: np.ndarray, score: np.ndarray, counts: np.ndarray) -> float:
    own = counts[:place]
    return slope_of(log_odds[:place][own], score[:place][own])


def evidence(ratings: Ratings, chances: Chances) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Log-odds of the winner, its score, and which contests count (no ties if they are modeled)."""
    counts = np.ones(len(chances.win), bool)
    if chances.draw is not None:
        counts = ~drawn_of(ratings.data)
    return log_odds_of(chances, limit_of(ratings)), np.array(true_scores(ratings)), counts


def log_odds_of(chances: Chances, least: float) -> np.ndarray:
    """Log-odds of a win against a loss."""
    win, loss = (np.maximum(side, least) for side in (chances.win, chances.loss))
    return np.log(win / loss)


def stretched(chances: Chances, slope: float | np.ndarray, least: float) -> Chances:
    """Chances with log-odds multiplied by a slope; the chance of a tie stays."""
    from scipy.special import expit

    decided = chances.win + chances.loss
    share = expit(slope * log_odds_of(chances, least))
    return replace(chances, win=decided * share, defeat=decided * (1 - share))


def recalibrated_foresight(ratings: Ratings, chances: Chances) -> Chances:
    """Foresight with the slope that was known before each contest."""
    return stretched(chances, past_slopes(*evidence(ratings, chances)), limit_of(ratings))


def learned_factor(ratings: Ratings) -> float:
    """The slope that the rated contests teach, drawn toward 1, for contests to come."""
    return next_slope(*evidence(ratings, ratings.foresight()))


def calibration_slope(
    chance: np.ndarray, score: np.ndarray, least: float, level: float
) -> tuple[float | None, float | None, float | None]:
    """Calibration slope (factor of the log-odds) and its interval, by Newton's method."""
    from scipy.special import ndtri

    odds = np.empty(len(chance))
    for own in pieces(len(chance)):
        p = np.clip(chance[own], least, 1 - least)
        odds[own] = np.log(p / (1 - p))
    slope, step = 1.0, 1.0
    for _ in range(50):
        gradient, information, spread = _derivatives(slope, odds, score)
        if information <= 1e-12:
            return None, None, None
        step = gradient / information
        slope += float(np.clip(step, -1.0, 1.0))
        if abs(step) < 1e-10:
            # Robust standard error, because scores vary less than wins.
            reach = float(ndtri(0.5 + level / 2) * np.sqrt(spread) / information)
            return slope, slope - reach, slope + reach
    return None, None, None  # every favorite won: the slope is unbounded


def _derivatives(slope: float, odds: np.ndarray, score: np.ndarray) -> np.ndarray:
    """Gradient of the log likelihood in the slope, its information, and its squared parts."""
    sums = np.zeros(3)
    with np.errstate(over="ignore"):
        for own in pieces(len(odds)):
            expected = 1.0 / (1.0 + np.exp(-slope * odds[own]))
            parts = (score[own] - expected) * odds[own]
            information = (odds[own] ** 2 * expected * (1.0 - expected)).sum()
            sums += parts.sum(), information, (parts**2).sum()
    return sums


def too_bold(ratings: Ratings, chances: Chances, first: int, level: float) -> str | None:
    """A sentence if the chances of foresight were too bold; None otherwise."""
    chances, score = chances.part(slice(first, None)), true_scores(ratings)[first:]
    chance = chances.win
    if chances.defeat is not None:
        chance = chance / (chance + chances.defeat)
    if chances.draw is not None:
        own = ~drawn_of(ratings.data)[first:]
        chance, score = chance[own], score[own]
    slope, low, high = calibration_slope(chance, score, limit_of(ratings), level)
    if slope is None or high is None or high >= 1:
        return None
    interval = confidence_interval(low, high, level, ".2f")
    other = "use a smaller k"
    if ratings.method == "bradley_terry":
        other = f"use a prior with a smaller standard deviation ({option_name('prior_sd')})"
    return (
        f"Predicted probabilities are too bold (calibration slope {slope:.2f}, {interval}; 1 if "
        f"calibrated). Recalibrate them with {option('calibrate', 'True')}, or {other}."
    )

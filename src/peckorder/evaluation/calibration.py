"""Calibration: whether contests predicted with probability 0.7 turn out so 70% of the time."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import polars as pl

from peckorder.data.effects import NOBODY_AT_HOME, check_home_advantage
from peckorder.errors import ArgumentError, DataError
from peckorder.evaluation.evaluate import VIEWS, first_counted
from peckorder.evaluation.order_forecast import with_chances
from peckorder.evaluation.recalibration import calibration_slope, recalibrated_foresight
from peckorder.evaluation.scoring import (
    NO_ORDER,
    confidence_interval,
    hindsight,
    rated,
    rater_of,
    true_scores,
)
from peckorder.results import Measure, Ratings
from peckorder.results.chances import Chances, limit_of
from peckorder.text import counted, option
from peckorder.validate import between_0_and_1, one_of, true_or_false, whole_number

SIDES = ("favorite", "home")


def calibration(
    ratings: Ratings,
    *,
    side: Literal["favorite", "home"] = "favorite",
    view: Literal["foresight", "hindsight"] = "foresight",
    bins: int = 10,
    home_advantage: Any = None,
    skip: Any = 0,
    level: float = 0.95,
    calibrate: bool = False,
) -> Measure:
    """Predicted probabilities and observed outcomes, in bins of the prediction.

    Parameters
    ----------
    ratings : Ratings, of any rater.
    side : {"favorite", "home"}
        Whose winning probability is evaluated: the favorite's (0.5 to 1) or the home side's (0 to
        1; contests on neutral ground are left out).
    view : {"foresight", "hindsight"}
    bins : int
        Number of bins of equal width; empty bins are not listed.
    home_advantage, skip : as in `evaluate`.
    level : confidence level of intervals (Wilson for observed shares, robust for the slope).
    calibrate : bool
        Recalibrate foresight first: multiply log-odds by a slope learned from earlier contests.

    Returns
    -------
    Measure
        Table: low, high (of the bin), contests, predicted and observed (means), observed_low,
        observed_high. Values: `error` (expected calibration error: the mean absolute difference
        between predicted and observed, weighted by contests), `value` (calibration slope: 1 if
        calibrated, below 1 if overconfident) with its interval, `bias` (mean observed minus mean
        predicted), `contests`.

    Notes
    -----
    A tie counts half. The slope b is estimated on the log-odds: 1/(1 + (1/p − 1)^b).

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.calibration(po.elo(po.datasets.adv(), k=200), bins=2)
    >>> found.table["contests"].to_list(), round(found.error, 3)
    ([20, 13], 0.026)
    """
    ratings = rated(with_chances(ratings), "calibration")
    for name, value, choices in (("side", side, SIDES), ("view", view, VIEWS)):
        one_of(name, value, choices)
    whole_number("bins", bins, 1)
    between_0_and_1("level", level)
    if home_advantage is not None:
        check_home_advantage(home_advantage)
    data = ratings.data
    first = first_counted(data, skip)
    if view == "foresight" and not data.ordered:
        raise DataError(NO_ORDER)
    true_or_false("calibrate", calibrate)
    if calibrate and view != "foresight":
        raise ArgumentError(
            f"{option('calibrate', 'True')} learns from earlier contests: it applies to "
            f"{option('view', 'foresight')} only."
        )
    see = ratings.foresight if view == "foresight" else lambda bonus: hindsight(ratings, bonus)
    chances = see(home_advantage)
    if calibrate:
        chances = recalibrated_foresight(ratings, chances)
    chance, score = _seen_from(ratings, chances, side, first)
    if chance.size == 0:
        raise DataError("No contests remain: all of them were on neutral ground.")
    frame = _binned(chance, score, bins, 0.5 if side == "favorite" else 0.0, level)
    error = float(
        (frame["contests"] * (frame["observed"] - frame["predicted"]).abs()).sum() / len(chance)
    )
    slope, low, high = calibration_slope(chance, score, limit_of(ratings), level)
    values = {
        "error": error,
        "value": slope,
        "low": low,
        "high": high,
        "bias": float(score.mean() - chance.mean()),
        "contests": len(chance),
    }
    return Measure(
        method="calibration",
        data=data,
        values=values,
        frame=frame,
        summary=(_summary(values, side, level, calibrate),),
        settings={
            "side": side,
            "view": view,
            "bins": bins,
            "home_advantage": home_advantage,
            "skip": skip,
            "level": level,
            "calibrate": calibrate,
            "rater": rater_of(ratings),
        },
        citations=(),
        seed=ratings.seed,
    )


def _seen_from(
    ratings: Ratings, chances: Chances, side: str, first: int
) -> tuple[np.ndarray, np.ndarray]:
    """Expected and true score of one side of each contest."""
    data = ratings.data
    chance, score = chances.expected, np.array(true_scores(ratings))
    if side == "favorite":
        swapped, keep = chance < 0.5, np.arange(len(data)) >= first
    else:
        if data.home is None:
            raise DataError(NOBODY_AT_HOME)
        swapped = data.home < 0
        keep = (np.arange(len(data)) >= first) & (data.home != 0)
    chance, score = np.where(swapped, 1 - chance, chance), np.where(swapped, 1 - score, score)
    # If neither side is the favorite, the choice of side is arbitrary.
    score[chance == 0.5] = np.where(side == "favorite", 0.5, score[chance == 0.5])
    return chance[keep], score[keep]


def _binned(
    chance: np.ndarray, score: np.ndarray, bins: int, least: float, level: float
) -> pl.DataFrame:
    edges = np.linspace(least, 1.0, bins + 1)
    which = np.clip(np.searchsorted(edges, chance, side="right") - 1, 0, bins - 1)
    number = np.bincount(which, minlength=bins)
    full = np.flatnonzero(number)
    predicted, observed = (
        np.bincount(which, weights=values, minlength=bins)[full] / number[full]
        for values in (chance, score)
    )
    squares = np.bincount(which, weights=score**2, minlength=bins)[full] / number[full]
    # Scores between 0 and 1 vary less than wins: the effective number of contests is larger.
    spread = np.maximum(squares - observed**2, 1e-12)
    factor = np.clip(observed * (1 - observed) / spread, 1.0, 100.0)
    low, high = _wilson(observed, number[full] * factor, level)
    return pl.DataFrame(
        {
            "low": edges[full],
            "high": edges[full + 1],
            "contests": number[full],
            "predicted": predicted,
            "observed": observed,
            "observed_low": low,
            "observed_high": high,
        }
    )


def _wilson(share: np.ndarray, number: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
    from scipy.special import ndtri

    z2 = ndtri(0.5 + level / 2) ** 2
    middle = (share + z2 / (2 * number)) / (1 + z2 / number)
    reach = np.sqrt(z2 * (share * (1 - share) / number + z2 / (4 * number**2))) / (1 + z2 / number)
    return np.maximum(middle - reach, 0.0), np.minimum(middle + reach, 1.0)


def _summary(values: dict[str, Any], side: str, level: float, calibrate: bool) -> str:
    text = (
        f"Calibration error {values['error']:.3f} ({counted(values['contests'], 'contest')}, "
        f"binned)"
    )
    if side == "home":
        better = "better" if values["bias"] > 0 else "worse"
        text += f"; home sides did {better} than predicted by {abs(values['bias']):.3f} per contest"
    slope, low, high = values["value"], values["low"], values["high"]
    if slope is None:
        return text + "."
    if low > 1:
        verdict = "predictions were underconfident"
    elif high < 1:
        verdict = "predictions were overconfident (too bold)"
        verdict += "" if calibrate else f". Recalibrate them with {option('calibrate', 'True')}"
    else:
        verdict = "no evidence of over- or underconfidence"
    interval = confidence_interval(low, high, level, ".2f")
    return f"{text}; calibration slope {slope:.2f} ({interval}): {verdict}."

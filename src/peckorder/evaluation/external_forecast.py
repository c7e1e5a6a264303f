"""Forecasts from outside the package: columns of probabilities or of betting odds.

They have the form of ratings that predict the contests of the record, so that they can be compared
with any rater and calibrated: do my ratings beat the bookmaker?

Probabilities from betting odds: the margin of the bookmaker is removed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from peckorder.curves import Exponential
from peckorder.data.contests import Contests, Record
from peckorder.data.effects import NOBODY_AT_HOME
from peckorder.data.read import Data, opened_contests
from peckorder.errors import ArgumentError, DataError
from peckorder.results import Ratings
from peckorder.results.chances import Chances
from peckorder.results.trajectory import Course
from peckorder.text import option, quoted, rows
from peckorder.validate import one_of

SIDES = (("home", "draw", "away"), ("winner", "draw", "loser"))
NO_RATINGS = (
    "An outside forecast gives probabilities of the contests in the record and no ratings, so it "
    "has foresight only: use peckorder.compare_models or peckorder.calibration."
)
SUM_ERROR = 0.02  # by which rounded probabilities may differ from 1


@dataclass(frozen=True, eq=False)
class OutsideReplay:
    """Probabilities of each contest, seen from the winner."""

    data: Contests
    predicted: Chances

    def foresight(self, home_advantage: Any = None) -> Chances:
        """What was forecast of each contest."""
        if home_advantage is not None:
            raise ArgumentError("An outside forecast contains its own home advantage.")
        return self.predicted

    def history(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """There is no history of ratings."""
        raise ArgumentError(NO_RATINGS)

    def at(self, times: np.ndarray, who: np.ndarray) -> np.ndarray:
        """There are no ratings at a time."""
        raise ArgumentError(NO_RATINGS)

    def after_each(self, who: np.ndarray) -> np.ndarray:
        """There are no ratings after a contest."""
        raise ArgumentError(NO_RATINGS)


@dataclass(frozen=True, eq=False, repr=False)
class OutsideForecast(Ratings):
    """Probabilities of recorded contests that somebody else gave."""

    by_curve = False

    def chance(
        self, ahead: np.ndarray, first: np.ndarray, second: np.ndarray, at: object = None
    ) -> np.ndarray:
        """Other contests have no forecast."""
        raise ArgumentError(NO_RATINGS)


def outside_forecast(
    data: Data,
    *,
    odds: Mapping[str, str] | None = None,
    chances: Mapping[str, str] | None = None,
    margin: Literal["proportional", "shin"] = "proportional",
) -> OutsideForecast:
    """A forecast from columns of the data, to be compared with ratings.

    Parameters
    ----------
    data : Contests
    odds : mapping of sides to columns of decimal odds
        {"home": "B365H", "draw": "B365D", "away": "B365A"}, or by "winner" and "loser". "draw" may
        be left out if there are no draws.
    chances : mapping of sides to columns of probabilities
        The same; one side may be left out, which gets the remainder.
    margin : {"proportional", "shin"}
        How the margin of the bookmaker is removed from odds, see `chances_from_odds`.

    Returns
    -------
    Ratings
        For `compare_models` and `calibration`. It has no ratings and predicts no other contests.

    Examples
    --------
    >>> import peckorder as po
    >>> games = po.read({"home": ["A", "B"], "away": ["B", "A"], "home_goals": [2, 0],
    ...                  "away_goals": [1, 1], "oh": [1.6, 2.5], "oa": [2.4, 1.5]})
    >>> bookmaker = po.sport.outside_forecast(games, odds={"home": "oh", "away": "oa"})
    >>> bookmaker.foresight().win.round(3)
    array([0.6  , 0.625])
    """
    data = opened_contests(data, "sport.outside_forecast")
    one_of("margin", margin, MARGINS)
    if (odds is None) == (chances is None):
        raise ArgumentError(f"Give either {option('odds')} or {option('chances')}.")
    named = odds if chances is None else chances
    given = (
        {str(side): column for side, column in named.items()} if isinstance(named, Mapping) else {}
    )
    sides = next((names for names in SIDES if set(given) <= set(names)), None)
    if sides is None or not given:
        raise ArgumentError(
            'Name columns by "home", "draw" and "away", or by "winner", "draw" and "loser", '
            f"not by {quoted(given) or repr(named)}."
        )
    columns = {side: data.numbers(column) for side, column in given.items()}
    if odds is not None:
        columns = _from_odds(columns, sides, margin)
    else:
        columns = _completed(data, columns, sides)
    predicted = _seen_from_the_winner(data, columns, sides)
    if predicted.draw is None and data.draw is not None and data.draw.any():
        raise DataError(
            "Some contests were tied, and the forecast has no probability of it. Add a column for "
            '"draw".'
        )
    settings = {
        "odds": None if odds is None else dict(odds),
        "chances": None if chances is None else dict(chances),
        "margin": None if odds is None else margin,
    }
    return forecast_of(data, predicted, settings)


def forecast_of(
    data: Contests, predicted: Chances, settings: dict[str, Any] | None = None
) -> OutsideForecast:
    """A forecast of recorded contests, seen from their winners."""
    return OutsideForecast(
        method="outside_forecast",
        individuals=data.individuals,
        rating=np.zeros(len(data.individuals)),
        record=Record.of(data),
        curve=Exponential(1.0),
        settings=settings or {},
        report=data.report,
        kept=Course(data, OutsideReplay(data, predicted)),
    )


def _from_odds(
    columns: dict[str, np.ndarray], sides: tuple[str, ...], margin: Literal["proportional", "shin"]
) -> dict[str, np.ndarray]:
    missing = [side for side in (sides[0], sides[2]) if side not in columns]
    if missing:
        raise ArgumentError(
            f"Odds of {quoted(missing)} are missing: the margin needs all outcomes."
        )
    known = [side for side in sides if side in columns]
    found = chances_from_odds(np.column_stack([columns[side] for side in known]), method=margin)
    return dict(zip(known, found.T, strict=True))


def _completed(
    data: Contests, columns: dict[str, np.ndarray], sides: tuple[str, ...]
) -> dict[str, np.ndarray]:
    """Probabilities of all outcomes; the one that was left out is the remainder."""
    total = np.sum(list(columns.values()), axis=0)
    every = np.array(list(columns.values()))
    wrong = np.flatnonzero((every < 0).any(axis=0) | (total > 1 + SUM_ERROR))
    whole = all(side in columns for side in (sides[0], sides[2]))
    if whole:
        wrong = np.union1d(wrong, np.flatnonzero(total < 1 - SUM_ERROR))
    if wrong.size:
        raise DataError(
            f"{rows(data.report.row_word, data.row_of(wrong))}: the probabilities add up to "
            f"{total[wrong[0]]:.3g}. They must be from 0 to 1 with a sum of 1; odds are given with "
            f"{option('odds')}."
        )
    if whole:
        return {side: values / total for side, values in columns.items()}
    missing = [side for side in (sides[0], sides[2]) if side not in columns]
    if len(missing) > 1:
        raise ArgumentError(f"Name the column of {quoted(missing[:1])} or {quoted(missing[1:])}.")
    return columns | {missing[0]: np.maximum(1 - total, 0.0)}


def _seen_from_the_winner(
    data: Contests, columns: dict[str, np.ndarray], sides: tuple[str, ...]
) -> Chances:
    first, second = columns[sides[0]], columns[sides[2]]
    if sides[0] == "home":
        if data.home is None:
            raise DataError(NOBODY_AT_HOME)
        neutral = np.flatnonzero(data.home == 0)
        if neutral.size:
            raise DataError(
                f"{rows(data.report.row_word, data.row_of(neutral))}: at a neutral venue nobody is "
                f'at home. Give columns by "winner" and "loser", or leave these contests out.'
            )
        away_won = data.home < 0
        first, second = np.where(away_won, second, first), np.where(away_won, first, second)
    return Chances(first, second, first - second, columns.get("draw"))


MARGINS = ("proportional", "shin")
HALVINGS = 60


def chances_from_odds(
    odds: Any, *, method: Literal["proportional", "shin"] = "proportional"
) -> np.ndarray:
    """Probabilities of the outcomes of contests from decimal odds, without the margin.

    Parameters
    ----------
    odds : numbers above 1, a row per contest and a column per outcome
        Decimal odds: what is paid for a stake of 1. One contest may be given as a list.
    method : {"proportional", "shin"}
        Divide inverse odds by their sum, or assume a share of informed bettors (Shin 1993). Rows
        without a margin are divided in both cases.

    Returns
    -------
    array
        Probabilities in the shape of `odds`; those of a contest add up to 1.

    Examples
    --------
    >>> import peckorder as po
    >>> po.sport.chances_from_odds([1.5, 4.0, 8.0]).round(4)
    array([0.64, 0.24, 0.12])
    >>> po.sport.chances_from_odds([1.5, 4.0, 8.0], method="shin").round(4)
    array([0.6495, 0.237 , 0.1135])
    """
    one_of("method", method, MARGINS)
    try:
        given = np.asarray(odds, dtype=float)
    except (TypeError, ValueError):
        raise ArgumentError("Odds must be numbers: a row per contest, a column per outcome.") from (
            None
        )
    if given.ndim not in (1, 2) or given.shape[-1] < 2:
        raise ArgumentError(
            "Odds need at least two outcomes: a row per contest, a column for each."
        )
    if given.size and not (np.isfinite(given).all() and (given > 1).all()):
        bad = given[~(np.isfinite(given) & (given > 1))][0]
        raise DataError(
            f"Decimal odds are numbers above 1, not {bad:g}. Convert fractional odds (5/2 is 3.5) "
            f"and American odds (+250 is 3.5) first."
        )
    inverse = 1 / np.atleast_2d(given)
    shares = inverse / inverse.sum(axis=1, keepdims=True)
    if method == "shin":
        shares = shin(inverse)
    return shares.reshape(given.shape)


def shin(inverse: np.ndarray) -> np.ndarray:
    """Shin's probabilities; the share z of informed bettors is found by bisection."""
    total = inverse.sum(axis=1, keepdims=True)
    low, high = np.zeros_like(total), np.ones_like(total)

    def chances(z: np.ndarray) -> np.ndarray:
        root = np.sqrt(z**2 + 4 * (1 - z) * inverse**2 / total)
        return (root - z) / (2 * (1 - z))

    for _ in range(HALVINGS):
        middle = (low + high) / 2
        above = chances(middle).sum(axis=1, keepdims=True) > 1
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    found = chances(np.where(total > 1, low, 0.0))
    return found / found.sum(axis=1, keepdims=True)

"""Home advantage: points added to the rating of the side at home when a contest is predicted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from peckorder.checked import is_number
from peckorder.data.interactions import Interactions
from peckorder.errors import DataError
from peckorder.wording import quoted

NOBODY_AT_HOME = (
    "A home advantage needs to know who was at home, and these data do not say. Read them as games "
    "(home=, away=), or name a home column: home=."
)


def check_home_advantage(bonus: Any) -> None:
    """A number, or one for each side that is ever at home."""
    if isinstance(bonus, Mapping):
        bad = [name for name, value in bonus.items() if not is_number(value)]
        if bad or not bonus:
            raise ValueError(f"home_advantage must hold finite numbers; look at {quoted(bad)}.")
    elif not is_number(bonus):
        raise ValueError(f"home_advantage must be a number, or one number by name, not {bonus!r}.")


def advantages(bonus: float | Mapping[str, float] | np.ndarray, data: Interactions) -> np.ndarray:
    """Points added to the winner's rating when a contest is predicted (one entry: for all).

    An array holds them already.
    """
    if isinstance(bonus, np.ndarray):
        return bonus
    if not isinstance(bonus, Mapping) and bonus == 0:
        return np.zeros(1)
    if data.home is None:
        raise DataError(NOBODY_AT_HOME)
    return home_bonus(bonus, data.individuals, data.winner, data.loser, data.home)


def home_bonus(
    bonus: float | Mapping[str, float],
    names: Sequence[str],
    first: np.ndarray,
    second: np.ndarray,
    home: np.ndarray,
) -> np.ndarray:
    """What being at home adds to the first side: `home` is 1, −1 where the second is, or 0."""
    if not isinstance(bonus, Mapping):
        return bonus * home.astype(np.float64)
    host = np.where(home > 0, first, second)
    own = {str(name): float(value) for name, value in bonus.items()}
    at_home = np.unique(host[home != 0])
    lacking = [names[i] for i in at_home if names[i] not in own]
    if lacking:
        raise DataError(
            f"home_advantage has no value for {quoted(lacking)}. Give one for each side that is "
            f"ever at home, or one number for all."
        )
    values = np.array([own.get(name, 0.0) for name in names])
    return values[host] * home

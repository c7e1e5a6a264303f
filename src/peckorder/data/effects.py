"""What else than ratings decides: home advantage and covariates of a contest.

A home advantage is a number of points added to the rating of the home side when a contest is
predicted; where it is estimated, it is one of the covariates, columns of differences between the
two sides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from peckorder.data.aliases import by_correct_name
from peckorder.data.contests import Contests
from peckorder.errors import ArgumentError, DataError
from peckorder.text import counted, given, option, option_name, quoted
from peckorder.validate import is_number, several

NOBODY_AT_HOME = (
    "A home advantage requires data on who was at home, which these data lack. Read them as games "
    "with home and away sides, or specify the column that gives the home side."
)


def check_home_advantage(bonus: Any) -> None:
    """Check that the home advantage is a finite number, or a finite number per home side."""
    if isinstance(bonus, Mapping):
        bad = [name for name, value in bonus.items() if not is_number(value)]
        if bad or not bonus:
            raise ArgumentError(
                f"{option_name('home_advantage')} must contain finite numbers; check {quoted(bad)}."
            )
    elif not is_number(bonus):
        raise ArgumentError(
            f"{given('home_advantage', bonus)}: give a number, or one number for each home side."
        )


def advantages(bonus: float | Mapping[str, float] | np.ndarray, data: Contests) -> np.ndarray:
    """Points added to the winner's rating when a contest is predicted (one entry: all contests).

    An array is returned unchanged.
    """
    if isinstance(bonus, np.ndarray):
        return bonus
    if not isinstance(bonus, Mapping) and bonus == 0:
        return np.zeros(1)
    if data.home is None:
        raise DataError(NOBODY_AT_HOME)
    if isinstance(bonus, Mapping):
        bonus = by_correct_name("home_advantage", bonus, data.aliases)
    return home_bonus(bonus, data.individuals, data.winner, data.loser, data.home)


def home_bonus(
    bonus: float | Mapping[str, float],
    names: Sequence[str],
    first: np.ndarray,
    second: np.ndarray,
    home: np.ndarray,
) -> np.ndarray:
    """Points added to the first side: `home` is 1, −1 (second side at home) or 0 (neutral)."""
    if not isinstance(bonus, Mapping):
        return bonus * home.astype(np.float64)
    host = np.where(home > 0, first, second)
    own = {str(name): float(value) for name, value in bonus.items()}
    at_home = np.unique(host[home != 0])
    lacking = [names[i] for i in at_home if names[i] not in own]
    if lacking:
        raise DataError(
            f"{option_name('home_advantage')} has no value for {quoted(lacking)}. Give a value for "
            f"each side that played at home, or a single number for all."
        )
    values = np.array([own.get(name, 0.0) for name in names])
    return values[host] * home


def covariates_of(
    data: Contests, home_advantage: str | None, columns: Sequence[str]
) -> tuple[list[str], np.ndarray | None]:
    """Names of the coefficients and their values per contest, seen from the winner.

    A column of data with two sides (votes, games) is the first side's value minus the second's,
    so that its sign is changed where the second side won.
    """
    names, parts = [], []
    if home_advantage is not None:
        if data.home is None:
            raise DataError(NOBODY_AT_HOME)
        names.append("home_advantage")
        parts.append(data.home.astype(float))
    for column in several("covariates", columns):
        values = difference_of(data, column)
        bad = np.flatnonzero(~np.isfinite(values))
        if bad.size:
            raise DataError(
                f'Column "{column}" has no number in {counted(int(bad.size), "contest")}. Fill in '
                f"the cells, or leave the column out of {option('covariates')}."
            )
        names.append(column)
        parts.append(values if data.turned is None else np.where(data.turned, -values, values))
    return names, np.column_stack(parts) if parts else None


def difference_of(data: Contests, column: str) -> np.ndarray:
    """A column of differences, or the difference of two columns: "mass_a - mass_b"."""
    known = [] if data.extra is None else data.extra.columns
    one, minus, other = str(column).partition(" - ")
    if minus and column not in known:
        return data.numbers(one.strip()) - data.numbers(other.strip())
    return data.numbers(column)


def units_of(names: list[str], columns: np.ndarray | None) -> np.ndarray:
    """Unit of each covariate: the root of its mean square, so that its scale does not matter.

    The prior of a coefficient is normal with standard deviation 0.5 per unit. Home advantage has
    unit 1.
    """
    if columns is None:
        return np.ones(0)
    size = np.sqrt((columns**2).mean(axis=0))
    return np.where((np.array(names) == "home_advantage") | (size == 0), 1.0, size)

"""What else than ratings decides: home advantage and covariates of a contest.

A home advantage is a number of points added to the rating of the home side when a contest is
predicted; where it is estimated, it is one of the covariates, columns of differences between the
two sides.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from peckorder.data.aliases import by_correct_name
from peckorder.data.contests import Contests
from peckorder.errors import ArgumentError, DataError
from peckorder.text import counted, given, option, option_name, quoted, rows
from peckorder.validate import is_number, several

if TYPE_CHECKING:
    from peckorder.data.user_tables import Fixtures

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
    bonus: float | Mapping[str, float] | np.ndarray,
    names: Sequence[str],
    first: np.ndarray,
    second: np.ndarray,
    home: np.ndarray,
) -> np.ndarray:
    """Points added to the first side: `home` is 1, −1 (second side at home) or 0 (neutral).

    An array has them already, one per contest.
    """
    if isinstance(bonus, np.ndarray):
        return bonus
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
                f'Column "{column}" has no number in {counted(int(bad.size), "contest")} (first: '
                f"{rows(data.report.row_word, data.row_of(bad[:1]))}). Fill in the cells, or leave "
                f"the column out of {option('covariates')}."
            )
        names.append(column)
        parts.append(values if data.turned is None else np.where(data.turned, -values, values))
    return names, np.column_stack(parts) if parts else None


FUNCTIONS = {"log": np.log, "sqrt": np.sqrt, "abs": np.abs, "exp": np.exp, "sign": np.sign}
OPERATIONS: dict[type, Any] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.divide,
    ast.Pow: np.power,
}


def difference_of(data: Contests | Fixtures, column: str) -> np.ndarray:
    """A column of differences, or an expression such as "(len_a - len_b)/(len_a + len_b)".

    Expressions have columns, numbers, + - * / **, parentheses and the functions in FUNCTIONS.
    """
    known = [] if data.extra is None else data.extra.columns
    text = str(column)
    if text in known or not set(text) & set("+-*/("):
        return data.numbers(text)
    codes = {name: f"column_{code}_" for code, name in enumerate(known)}
    longest = "|".join(re.escape(name) for name in sorted(known, key=len, reverse=True))
    marked = re.sub(rf"(?<![\w.])(?:{longest})(?![\w.])", lambda m: codes[m.group()], text)
    try:
        tree = ast.parse(marked.strip(), mode="eval").body
    except SyntaxError:
        raise ArgumentError(
            f"{given('covariates', text)}: this is no formula. Write columns, numbers, + - * / ** "
            f"and parentheses, such as (length_a - length_b)/(length_a + length_b)."
        ) from None
    with np.errstate(all="ignore"):
        values = _value(tree, data, {code: name for name, code in codes.items()}, text)
    return np.broadcast_to(np.asarray(values, float), (len(data),)).copy()


def _value(tree: ast.expr, data: Contests | Fixtures, columns: Mapping[str, str], text: str) -> Any:
    """The value of a formula, one per contest."""
    if isinstance(tree, ast.Constant) and is_number(tree.value):
        return float(tree.value)  # type: ignore[arg-type]
    if isinstance(tree, ast.Name):
        return data.numbers(columns.get(tree.id, tree.id))
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub):
        return -_value(tree.operand, data, columns, text)
    if isinstance(tree, ast.BinOp) and type(tree.op) in OPERATIONS:
        sides = (_value(side, data, columns, text) for side in (tree.left, tree.right))
        return OPERATIONS[type(tree.op)](*sides)
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and len(tree.args) == 1:
        function = FUNCTIONS.get(tree.func.id)
        if function is not None:
            return function(_value(tree.args[0], data, columns, text))
    raise ArgumentError(
        f"{given('covariates', text)}: a formula has columns, numbers, + - * / **, parentheses and "
        f"the functions {', '.join(FUNCTIONS)}."
    )


def units_of(names: list[str], columns: np.ndarray | None) -> np.ndarray:
    """Unit of each covariate: the root of its mean square, so that its scale does not matter.

    The prior of a coefficient is normal with standard deviation 0.5 per unit. Home advantage has
    unit 1.
    """
    if columns is None:
        return np.ones(0)
    size = np.sqrt((columns**2).mean(axis=0))
    return np.where((np.array(names) == "home_advantage") | (size == 0), 1.0, size)

"""Validation of arguments: each function returns the value or raises an error."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np

from peckorder.errors import ArgumentError, ArgumentTypeError
from peckorder.text import did_you_mean, given

MOST = 1_000_000_000
# Rules for undecided contests, in counts of wins and in fits.
CountedTies = Literal["omit", "half", "both"]
FittedTies = Literal["davidson", "omit"]


def is_number(value: Any) -> bool:
    """Whether a value is a finite number (and not True or False)."""
    return bool(
        isinstance(value, int | float | np.integer | np.floating)
        and not isinstance(value, bool)
        and abs(value) <= sys.float_info.max
    )


def as_numbers(value: Any) -> np.ndarray | None:
    """A new array of numbers, or None for anything else (texts, ragged lists, huge integers).

    >>> as_numbers([1, 10**400])
    >>> as_numbers([1, 2])
    array([1., 2.])
    """
    try:
        return np.array(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        return None


def one_of(name: str, value: Any, choices: Iterable[Any], more: str = "") -> Any:
    """One of the choices.

    >>> one_of("rule", "last", ("first", "last"))
    'last'
    >>> one_of("k", "lsat", ("last",))
    Traceback (most recent call last):
    ...
    peckorder.errors.ArgumentError: k="lsat" is not known. Choose one of: last. Did you mean "last"?
    """
    choices = list(choices)
    if not isinstance(value, str | None) or value not in choices:
        shown = ", ".join(str(choice) for choice in choices if choice is not None)
        raise ArgumentError(
            f"{given(name, value)} is not known. Choose one of: {shown}{more}."
            f"{did_you_mean([value], [one for one in choices if isinstance(one, str)])}"
        )
    return value


def true_or_false(name: str, value: Any) -> bool:
    """True or False, and nothing that Python would take for one of them."""
    if not isinstance(value, bool | np.bool_):
        raise ArgumentTypeError(f"{given(name, value)}: give True or False.")
    return bool(value)


def text(name: str, value: Any) -> str:
    """One text, such as the name of a column."""
    if not isinstance(value, str):
        raise ArgumentTypeError(f"{given(name, value)}: give a text.")
    return value


def several(name: str, value: Any) -> list[Any]:
    """One text, or a list of values; a single text counts as a list of one.

    >>> several("individuals", "Abe"), several("individuals", ("Abe", "Bo"))
    (['Abe'], ['Abe', 'Bo'])
    """
    if isinstance(value, str):
        return [value]
    scalar = isinstance(value, np.ndarray) and value.ndim == 0
    if scalar or not isinstance(value, Iterable):
        raise ArgumentTypeError(f"{given(name, value)}: give a list, or a single text.")
    return list(value)


def not_negative(name: str, value: Any, what: str = "number") -> float:
    """A finite number of at least 0; `what` names its unit."""
    if not is_number(value) or value < 0:
        raise ArgumentError(f"{given(name, value)}: give a {what} of at least 0.")
    return float(value) + 0.0  # −0 becomes 0, whose square root and logarithm are the usual ones


def whole_number(name: str, value: Any, least: int, most: int = MOST) -> int:
    """A whole number of at least `least` and at most `most`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ArgumentError(f"{given(name, value)}: give a whole number of at least {least}.")
    if value > most:
        raise ArgumentError(f"{given(name, value)}: give a whole number of at most {most:,}.")
    return int(value)


def finite(name: str, value: Any) -> float:
    """A finite number."""
    if not is_number(value):
        raise ArgumentError(f"{given(name, value)}: give a finite number.")
    return value


def positive(name: str, value: Any) -> float:
    """A finite number above 0."""
    if not is_number(value) or value <= 0:
        raise ArgumentError(f"{given(name, value)}: give a number above 0.")
    return value


def between_0_and_1(name: str, value: Any, example: float = 0.95) -> float:
    """A number strictly between 0 and 1, such as the level of an interval."""
    if not is_number(value) or not 0 < value < 1:
        raise ArgumentError(
            f"{given(name, value)}: give a number between 0 and 1, such as {example}."
        )
    return float(value)


def seed_number(seed: Any) -> int:
    """The seed as a whole number that can be reported; drawn below 2³¹, as R needs it, if None."""
    if isinstance(seed, np.random.SeedSequence):
        return int(seed.generate_state(1)[0] >> 1)
    if seed is None or isinstance(seed, np.random.Generator):
        return int(np.random.default_rng(seed).integers(2**31))
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ArgumentError(f"{given('seed', seed)}: give a whole number of at least 0.")
    return int(seed)

"""Validation of arguments: each function returns the value or raises an error."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import wraps
from typing import Any, Literal, TypeVar

import numpy as np

from peckorder.errors import ArgumentError, ArgumentTypeError
from peckorder.text import did_you_mean, given, listed, option_name, quoted

F = TypeVar("F")
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


def not_negative(name: str, value: Any, what: str = "finite number") -> float:
    """A finite number of at least 0; `what` names its unit."""
    if not is_number(value) or value < 0:
        raise ArgumentError(f"{given(name, value)}: give a {what} of at least 0.")
    return float(value) + 0.0  # −0 becomes 0, whose square root and logarithm are the usual ones


def known_names(wanted: Iterable[Any], known: Collection[str], name: str = "") -> None:
    """Raise an error for those who took part in no contest; `name` is that of the argument."""
    unknown = [one for one in wanted if str(one) not in known]
    if unknown:
        where = f"{option_name(name)}: " if name else ""
        raise ArgumentError(
            f"{where}{quoted(unknown)} took part in no contest.{did_you_mean(unknown, known)}"
        )


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


def in_words(function: F) -> F:
    """A public function or class whose calls that do not fit are refused in words."""
    if isinstance(function, type):
        for name, own in [*vars(function).items()]:
            if not name.startswith("_") or name == "__init__":
                setattr(function, name, in_words(own))
    if isinstance(function, classmethod | staticmethod):
        return type(function)(in_words(function.__func__))  # pyright: ignore[reportReturnType]
    if not inspect.isfunction(function) or hasattr(function, "__wrapped__"):
        return function

    @wraps(function)
    def called(*args: Any, **named: Any) -> Any:
        try:
            return function(*args, **named)
        except TypeError as error:
            if error.__traceback__.tb_next:  # pyright: ignore[reportOptionalMemberAccess]
                raise
            found = error
        fitting(function, args, named)
        raise found

    home = vars(sys.modules[function.__module__])
    if home.get(function.__name__) is function:
        home[function.__name__] = called  # where pickle looks for it
    return called  # pyright: ignore[reportReturnType]


def fitting(function: Callable[..., Any], args: tuple[Any, ...], named: Mapping[str, Any]) -> None:
    """Refuse arguments that a function does not take.

    >>> fitting(one_of, (1, 2), {"mroe": 3})
    Traceback (most recent call last):
    ...
    peckorder.errors.ArgumentTypeError: one_of has no argument "mroe". Did you mean "more"? \
Arguments: name, value, choices, more.
    """
    takes = inspect.signature(function).parameters
    if any(one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) for one in takes.values()):
        return  # it looks for itself
    called = function.__qualname__.removesuffix(".__init__").rpartition(".")[2]
    placed = [name for name, one in takes.items() if one.kind != one.KEYWORD_ONLY]
    if takes and next(iter(takes)) == "self":
        args, placed = args[1:], placed[1:]
    others = [name for name in takes if name not in placed and name != "self"]
    if unknown := [name for name in named if name not in takes]:
        raise ArgumentTypeError(
            f'{called} has no argument "{unknown[0]}".{did_you_mean(unknown[:1], takes)} '
            f"Arguments: {', '.join([*placed, *others]) or 'none'}."
        )
    if len(args) > len(placed):
        example = ", ".join([*placed, *[f"{name}=…" for name in others if name != "presence"][:1]])
        raise ArgumentTypeError(
            f"{called} takes {listed(placed) or 'nothing'} by position, but {len(args)} "
            f"{'value is' if len(args) == 1 else 'values are'} given so. "
            + (
                f"Name the others: {called}({example}). Arguments: {', '.join(others)}."
                if others
                else f"Write {called}({example})."
            )
        )
    if twice := [name for name in placed[: len(args)] if name in named]:
        raise ArgumentTypeError(f"{called}: {twice[0]} is given twice, by position and by name.")
    needed = [name for name in [*placed, *others] if takes[name].default is inspect.Parameter.empty]
    written = ", ".join(name if name in placed else f"{name}=…" for name in needed)
    lacking = [name for name in needed if name not in {*placed[: len(args)], *named}]
    if lacking:
        raise ArgumentTypeError(f"{called} needs {listed(lacking)}: {called}({written}).")

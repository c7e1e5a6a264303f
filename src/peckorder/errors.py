"""What can be wrong with data, said so that its owner can act on it."""

import sys
import warnings
from typing import Any


class DataError(ValueError):
    """The data cannot be used as they are.

    Each problem is a sentence or two that says what is wrong, where (row, column, name) and what
    to do next. All problems found in one reading are raised together, so that a sheet can be
    mended in one go.
    """

    def __init__(self, *problems: str):
        super().__init__("\n".join(problems))
        self.problems = problems


class DataWarning(UserWarning):
    """The data can be used, but an answer drawn from them needs care."""


class ConvergenceError(RuntimeError):
    """A fit that failed; `.ratings` holds what it found nevertheless, where it found anything."""

    ratings: Any = None


class ConvergenceWarning(DataWarning):
    """A fit whose answer must not be trusted yet."""


def caution(message: str, kind: type[Warning] = DataWarning) -> None:
    """Give a warning that points at the line that called the package."""
    level, frame = 1, sys._getframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith("peckorder."):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, kind, stacklevel=level)

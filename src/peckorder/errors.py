"""Errors and warnings about data and fits."""

import sys
import warnings
from typing import Any


class DataError(ValueError):
    """The data cannot be used as they are.

    Each problem states what is wrong, where (row, column, name) and what to do about it. All
    problems found in a file are reported together, so that they can be fixed in one pass.
    """

    def __init__(self, *problems: str):
        super().__init__("\n\n".join(problems))
        self.problems = problems


class DataWarning(UserWarning):
    """The data can be used, but results must be interpreted with care."""


class ConvergenceError(RuntimeError):
    """A fit that failed; `.ratings` holds the incomplete result, if there is one."""

    ratings: Any = None


class ConvergenceWarning(DataWarning):
    """A fit that has not converged, so that its result is not reliable."""


def caution(message: str, kind: type[Warning] = DataWarning) -> None:
    """Issue a warning that points to the line of user code that called the package."""
    level, frame = 1, sys._getframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith("peckorder."):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, kind, stacklevel=level)

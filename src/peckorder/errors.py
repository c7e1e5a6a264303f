"""Errors and warnings of this package, all of which are derived from `PeckorderError`.

Errors state what is wrong, where, and what to do. Their text is safe to show on a terminal,
whatever names the data contain.
"""

import os
import sys
import warnings
from contextlib import suppress
from typing import Any

from peckorder.text import did_you_mean, message_of


class PeckorderError(Exception):
    """Any error that this package raises on purpose: `except peckorder.PeckorderError`."""

    def __init__(self, message: object = ""):
        super().__init__(message_of(message))


class DataError(PeckorderError, ValueError):
    """The data cannot be used as they are.

    Each problem states what is wrong, where (row, column, name) and what to do about it. All
    problems found in a file are reported together, so that they can be fixed in one pass.
    """

    def __init__(self, *problems: str):
        super().__init__("\n\n".join(problems))
        self.problems = tuple(map(message_of, problems))
        self.rows: tuple[tuple[Any, ...], ...] = ((),) * len(problems)  # of the source, by problem

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self.problems


class ArgumentError(PeckorderError, ValueError):
    """An argument has a value that it cannot have; the message states the choices."""


class ArgumentTypeError(PeckorderError, TypeError):
    """An argument is of a type that it cannot have; the message states what to give."""


class MissingFileError(PeckorderError, FileNotFoundError):
    """A file to be read that does not exist; the message names one that is called alike."""

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> "MissingFileError":
        """The error for a path."""
        stems: dict[str, str] = {}
        with suppress(OSError):
            stems = {name.split(".")[0]: name for name in os.listdir(os.path.dirname(path) or ".")}
        near = did_you_mean([os.path.basename(path).split(".")[0]], stems, stems)
        return cls(f"File not found: {os.fspath(path)}.{near}")


class DataWarning(UserWarning):
    """The data can be used, but results must be interpreted with care."""


class ConvergenceError(PeckorderError, RuntimeError):
    """A fit that failed; `.ratings` holds the incomplete result, if there is one."""

    ratings: Any = None


class ExecutorError(PeckorderError, RuntimeError):
    """Work that could not be done, or stored, elsewhere; what was done before is kept."""


class ConvergenceWarning(DataWarning):
    """A fit that has not converged, so that its result is not reliable."""


def caution(message: str, kind: type[Warning] = DataWarning) -> None:
    """Issue a warning that points to the line of user code that called the package."""
    level, frame = 1, sys._getframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith("peckorder."):
        level, frame = level + 1, frame.f_back
    warnings.warn(message_of(message), kind, stacklevel=level)

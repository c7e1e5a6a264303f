"""What becomes of an item that was sent elsewhere: a value, an error, or a worker that died."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from peckorder.citation import VERSION
from peckorder.errors import ExecutorError

MOST_DEATHS = 3  # of workers, after which an item is given up


@dataclass(frozen=True)
class Done:
    """The value of an item."""

    value: Any


@dataclass(frozen=True)
class Failed:
    """The error that an item raised."""

    error: BaseException


@dataclass(frozen=True)
class Lost:
    """An item whose worker ended each time while it was at work on it."""

    how: str


Outcome = Done | Failed | Lost


def outcome_of(function: Callable[[Any, Any], Any], shared: Any, item: Any) -> Done | Failed:
    """Call a function with what all items share, and one item; errors are returned."""
    try:
        return Done(function(shared, item))
    except Exception as error:
        return Failed(_sendable(error))


def outcomes_of(
    function: Callable[[Any, Any], Any], shared: Any, items: Iterable[Any], version: str
) -> list[Done | Failed]:
    """The outcomes of several items, in a worker that may have another version."""
    if version != VERSION:
        raise ExecutorError(
            f"A worker has peckorder {VERSION}, this process {version}. Install the same version "
            f"everywhere."
        )
    return [outcome_of(function, shared, item) for item in items]


def _sendable(error: Exception) -> Exception:
    """The error, or its text if it cannot be sent to another process."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return ExecutorError(f"{type(error).__name__}: {error}")
    return error

"""A worker process: it reads items from its standard input and writes their outcomes.

Messages are lengths followed by pickled objects, which never leave this machine. A thread reads
them, so that a worker ends as soon as the process that started it is gone, also in the middle of
its work. What the work prints goes to standard error.

What becomes of an item that was sent elsewhere: a value, an error, or a worker that died.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import struct
import sys
import threading
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, BinaryIO

from peckorder.errors import ExecutorError
from peckorder.methods import VERSION

HEAD = struct.Struct(">Q")


def send(channel: BinaryIO, content: bytes) -> None:
    """Write one message."""
    channel.write(HEAD.pack(len(content)))
    channel.write(content)
    channel.flush()


def receive(channel: BinaryIO) -> bytes:
    """Read one message; EOFError if the other side is gone."""
    (length,) = HEAD.unpack(_exactly(channel, HEAD.size))
    return _exactly(channel, length)


def _exactly(channel: BinaryIO, length: int) -> bytes:
    content = channel.read(length)
    if len(content) < length:
        raise EOFError
    return content


def main() -> None:
    """Serve until the standard input is closed."""
    incoming, outgoing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one
    warnings.simplefilter("ignore")
    messages: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def listen() -> None:
        try:
            while True:
                messages.put(receive(incoming))
        except (EOFError, OSError):
            os._exit(0)  # nobody is waiting for what this process does

    threading.Thread(target=listen, daemon=True).start()
    try:
        function, shared = pickle.loads(messages.get())
    except Exception as error:
        send(outgoing, pickle.dumps(f"{type(error).__name__}: {error}"))
        return
    send(outgoing, pickle.dumps(None))
    while True:
        items: list[Any] = pickle.loads(messages.get())
        for item in items:
            send(outgoing, pickle.dumps(outcome_of(function, shared, item)))


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

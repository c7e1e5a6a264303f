"""Worker processes of this machine.

Each process has a thread here that sends it a few items at a time and receives their outcomes one
by one. If a process dies, the item it was working on is known: a new process goes on with it and
with the items behind it, and only an item that ends its process three times is given up. (A
`ProcessPoolExecutor` gives up all items that wait.) Processes are started afresh, not forked, and
do not import the script of the user, which therefore needs no `if __name__ == "__main__"`.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from peckorder.errors import ArgumentError, ExecutorError
from peckorder.executors.worker import MOST_DEATHS, Lost, Outcome, receive, send

MOST_AT_ONCE = 16  # items in one message
PATIENCE = 0.2  # seconds between looks at Ctrl-C
AS_PYTHON = "--as-python"  # the first argument of a frozen program that is to act as Python
START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from peckorder.executors.worker import main; main()"
)
# One thread each: several processes would otherwise compete for the same cores.
ONE_THREAD = dict.fromkeys(
    (
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "NUMBA_NUM_THREADS",
        "POLARS_MAX_THREADS",
    ),
    "1",
)


def python(*arguments: str) -> list[str]:
    """The command that starts Python with these arguments, as any child of this process must.

    A frozen program (`make bundle`) is its own interpreter when it is asked to be one.
    """
    return [sys.executable, *([AS_PYTHON] if getattr(sys, "frozen", False) else []), *arguments]


class _Worker:
    """A process and its pipes."""

    def __init__(self, work: bytes) -> None:
        self.process = subprocess.Popen(
            python("-c", START, json.dumps([os.path.abspath(p) for p in sys.path])),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | ONE_THREAD,
        )
        try:
            self.send(work)
            problem = self.receive()
        except (EOFError, OSError):
            raise ExecutorError(
                f"A worker process could not start: it {self.ended()}. Its message, if any, is on "
                f"the standard error output."
            ) from None
        if problem is not None:
            self.end()
            raise ExecutorError(f"A worker process could not load its work ({problem}).")

    def send(self, content: bytes) -> None:
        send(self.process.stdin, content)  # pyright: ignore[reportArgumentType]

    def receive(self) -> Any:
        return pickle.loads(receive(self.process.stdout))  # pyright: ignore[reportArgumentType]

    def ended(self) -> str:
        """Wait until the process has ended; how it did."""
        self.end()
        code = self.process.returncode
        if code >= 0:
            return f"ended with exit code {code}"
        with contextlib.suppress(ValueError):
            return f"was ended by {signal.Signals(-code).name}"
        return f"was ended by signal {-code}"

    def end(self) -> None:
        with contextlib.suppress(OSError):  # what it did not read is lost
            self.process.stdin.close()  # pyright: ignore[reportOptionalMemberAccess]
        try:
            self.process.wait(1)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()  # pyright: ignore[reportOptionalMemberAccess]


def packed(function: Callable[..., Any], shared: Any) -> bytes:
    """What a worker needs before the first item.

    Functions of a script or a notebook can be sent with cloudpickle only, which comes with dask.
    """
    try:
        content = pickle.dumps((function, shared))
        if b"__main__" not in content:
            return content
    except (pickle.PicklingError, AttributeError, TypeError):
        pass
    try:
        import cloudpickle
    except ImportError:
        raise ArgumentError(
            "A function that is defined in a script, a notebook or another function cannot be sent "
            "to worker processes. Define it in a module that is imported, or install cloudpickle "
            '(pip install "peckorder[cluster]"), or compute in this process: executor=1.'
        ) from None
    return cloudpickle.dumps((function, shared))


def in_processes(
    function: Callable[[Any, Any], Any], shared: Any, items: Sequence[Any], workers: int
) -> Iterator[tuple[int, Outcome]]:
    """Pairs of (place of the item, outcome), in the order in which items are finished."""
    crew = _Crew(packed(function, shared), items, min(workers, max(len(items), 1)))
    try:
        yield from crew.arrivals()
    finally:
        crew.stop()


class _Crew:
    """Threads that each look after one process."""

    def __init__(self, work: bytes, items: Sequence[Any], number: int) -> None:
        self.work, self.items, self.number = work, items, number
        self.taken, self.stopping, self.lock = 0, False, threading.Lock()
        self.arrived: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
        self.workers: dict[int, _Worker] = {}
        self.threads = [
            threading.Thread(target=self._look_after, args=(i,), daemon=True) for i in range(number)
        ]

    def arrivals(self) -> Iterator[tuple[int, Outcome]]:
        for thread in self.threads:
            thread.start()
        for _ in range(len(self.items)):
            while True:
                with contextlib.suppress(queue.Empty):
                    place, outcome = self.arrived.get(timeout=PATIENCE)
                    break
            if place < 0:  # no process can be started
                raise outcome
            yield place, outcome

    def stop(self) -> None:
        """End all processes; what they are working on is abandoned."""
        with self.lock:
            self.stopping = True
            for worker in self.workers.values():
                worker.process.kill()
        for thread in self.threads:
            if thread.ident is not None:
                thread.join()

    def _next(self) -> list[int]:
        """Places of the next items: many at first, single ones at the end."""
        with self.lock:
            left = len(self.items) - self.taken
            number = min(left, max(1, min(MOST_AT_ONCE, left // (4 * self.number))))
            begin, self.taken = self.taken, self.taken + number
            return [] if self.stopping else list(range(begin, begin + number))

    def _look_after(self, number: int) -> None:
        try:
            while places := self._next():
                self._finish(number, places)
        except BaseException as error:
            self.arrived.put((-1, error))
        finally:
            with self.lock:
                worker = self.workers.pop(number, None)
            if worker is not None:
                worker.end()

    def _finish(self, number: int, places: list[int]) -> None:
        """The outcomes of these items, with as many processes as it takes."""
        deaths: Counter[int] = Counter()
        while places and not self.stopping:
            worker = self.workers.get(number)
            if worker is None:
                worker = _Worker(self.work)
                with self.lock:
                    self.workers[number] = worker
                if self.stopping:
                    return
            content = pickle.dumps([self.items[place] for place in places])
            try:
                worker.send(content)
                while places:
                    outcome = worker.receive()
                    self.arrived.put((places.pop(0), outcome))
            except (EOFError, OSError):
                with self.lock:
                    self.workers.pop(number, None)
                how = worker.ended()
                if self.stopping:
                    return
                deaths[places[0]] += 1
                if deaths[places[0]] >= MOST_DEATHS:
                    self.arrived.put((places.pop(0), Lost(how)))

"""One job in a process of its own: `python -m peckorder.app.work`.

What to do comes as one line of JSON on standard input, which then stays open as long as the server
lives: when it ends, the server has ended (also by kill -9), and so does the job. On Linux, the
system also ends the job at once. Progress and the result go to standard output, one line each.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import sys
import threading
import time
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from peckorder.app.answers import ASKS
from peckorder.app.code import lines_of
from peckorder.app.explore import contests_of
from peckorder.app.question import Question, chosen_settings
from peckorder.app.reading import read_record
from peckorder.app.record import Record
from peckorder.app.settings import Settings
from peckorder.errors import PeckorderError

SHORTEST = 0.25  # seconds between two reports of progress
DIES_WITH_PARENT = 1  # PR_SET_PDEATHSIG
POLITE = 5
TOO_LARGE = "There is not enough memory for this question and these data."


def main() -> None:
    """Do one job."""
    incoming, outgoing = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    sys.stdout = sys.stderr  # nothing else may be written between the lines
    end_with_parent(os.getppid())
    order = json.loads(incoming.readline())
    threading.Thread(target=watch, args=(incoming,), daemon=True).start()
    write = Reports(outgoing)
    limit_memory(order["memory"], write)
    with contextlib.suppress(AttributeError, OSError):
        os.nice(POLITE)
    warnings.simplefilter("ignore")
    try:
        write(result=answered(order, write.progress))
    except PeckorderError as error:
        write(failed="\n\n".join(getattr(error, "problems", (str(error),))))
    except MemoryError:
        write(failed=TOO_LARGE)
    except Exception as error:
        write(failed=f"Unexpected error ({type(error).__name__}: {str(error)[:200]}).")
    os._exit(0)  # at once: what was loaded need not be taken apart


def end_with_parent(parent: int) -> None:
    """Ask Linux to end this process when its parent ends; elsewhere, `watch` does it."""
    if not sys.platform.startswith("linux"):
        return
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None, use_errno=True).prctl(DIES_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # it ended before the request
            os._exit(1)


def watch(incoming: BinaryIO) -> None:
    """End this process when the other end of standard input is closed."""
    while incoming.read(4096):
        pass
    os._exit(1)


def limit_memory(most: int, write: Reports) -> None:
    """End this process when it needs more memory, where the system reports how much it needs.

    The system refuses twice as much, which a library may survive by waiting forever.
    """
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (2 * most, 2 * most))
        unit = 1 if sys.platform == "darwin" else 1024

        def look() -> None:
            while resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit <= most:
                time.sleep(SHORTEST)
            write(failed=TOO_LARGE)
            os._exit(1)

        threading.Thread(target=look, daemon=True).start()


class Reports:
    """Lines to the server; progress not more often than the page can show it."""

    def __init__(self, outgoing: BinaryIO):
        self.outgoing, self.last, self.lock = outgoing, 0.0, threading.Lock()

    def __call__(self, **content: Any) -> None:
        """Write one line."""
        text = json.dumps(content, ensure_ascii=False, allow_nan=False)
        with self.lock:
            self.outgoing.write(text.encode() + b"\n")
            self.outgoing.flush()

    def progress(self, done: int, total: int) -> None:
        """Report progress, at most four times per second."""
        now = time.monotonic()
        if now - self.last >= SHORTEST or done >= total:
            self.last = now
            self(progress=[int(done), int(total)])


def answered(order: dict[str, Any], progress: Any) -> dict[str, Any]:
    """Read the record as the server did, and answer the question."""
    path = Path(order["path"])
    presence = None if order["presence"] is None else Path(order["presence"])
    record = Record(path.name, "", path, 0)
    reading = read_record(record, order["options"], presence)
    if reading.data is None:
        raise PeckorderError(" ".join(reading.failure))
    settings = Settings().with_changes(order["settings"])
    contests, group = contests_of(reading.data, settings)
    ask, target = order["ask"], order["target"]
    if ask == "report":  # the code in the report names the file of the user and the group
        lines = lines_of(reading, group)
        shown = replace(contests.report, path=lines.file, options=lines.options)
        contests = replace(contests, report=shown)
    question = Question(
        reading.data,
        contests,
        settings,
        chosen_settings(ask, order["chosen"]),
        None if target is None else Path(target),
    )
    return ASKS[ask].answer(question, progress)


if __name__ == "__main__":
    main()

"""Progress of long computations: a bar on a terminal, plain lines otherwise."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from peckorder.cli.shared import talk
from peckorder.printable import one_line

QUICK = 1.0
BETWEEN_LINES = 10.0
FIRST_USE = "Compiling (first use only, about 30 s) …"
STALLED = 2.5  # seconds without a first draw


@contextmanager
def progress(what: str) -> Iterator[Any]:
    """A callback for (done, total) that shows progress after the first second."""
    what = one_line(what)
    began = time.monotonic()
    shown: dict[str, Any] = {
        "bar": None,
        "lines": 0,
        "announced": False,
        "last": began + QUICK - BETWEEN_LINES,
    }

    def update(done: int, of: int) -> None:
        now = time.monotonic()
        if done == 0 and now - began > STALLED and not shown["announced"]:
            shown["announced"] = True
            talk(FIRST_USE)
        if now - began < QUICK:
            return
        if sys.stderr.isatty():
            if shown["bar"] is None:
                shown["bar"] = _bar(what, of)
            shown["bar"].update(0, completed=done, total=of)
        elif now - shown["last"] >= BETWEEN_LINES:
            shown["last"] = now
            shown["lines"] += 1
            talk(f"{what}: {done / of:.0%}")

    try:
        yield update
        if shown["lines"]:
            talk(f"{what}: done")
    finally:
        if shown["bar"] is not None:
            shown["bar"].stop()


def _bar(what: str, of: int) -> Any:
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress

    bar = Progress(console=Console(stderr=True), transient=True)
    bar.add_task(escape(what), total=of)
    bar.start()
    return bar

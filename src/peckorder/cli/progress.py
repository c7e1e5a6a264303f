"""Progress of long computations: a bar on a terminal, plain lines otherwise."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

QUICK = 1.0
BETWEEN_LINES = 10.0
FIRST_USE = "Compiling (first use only, about 30 s) …"
STALLED = 2.5  # seconds without a first draw


@contextmanager
def progress(what: str) -> Iterator[Any]:
    """A callback for (done, total) that shows progress after the first second."""
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
            click.echo(FIRST_USE, err=True)
        if now - began < QUICK:
            return
        if sys.stderr.isatty():
            if shown["bar"] is None:
                shown["bar"] = _bar(what, of)
            shown["bar"].update(0, completed=done, total=of)
        elif now - shown["last"] >= BETWEEN_LINES:
            shown["last"] = now
            shown["lines"] += 1
            click.echo(f"{what}: {done / of:.0%}", err=True)

    try:
        yield update
        if shown["lines"]:
            click.echo(f"{what}: done", err=True)
    finally:
        if shown["bar"] is not None:
            shown["bar"].stop()


def _bar(what: str, of: int) -> Any:
    from rich.console import Console
    from rich.progress import Progress

    bar = Progress(console=Console(stderr=True), transient=True)
    bar.add_task(what, total=of)
    bar.start()
    return bar

"""Progress of long computations: a bar on a terminal, plain lines otherwise."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from peckorder.cli.output import talk
from peckorder.text import one_line

QUICK = 1.0
BETWEEN_LINES = 10.0
FIRST_USE = "Compiling (first use only, about 30 s) …"
STALLED = 2.5  # seconds without a first draw


@contextmanager
def progress(what: str, unit: str | None = None, at_once: int = 1) -> Iterator[Any]:
    """A callback for (done, total) that shows progress after the first second.

    With `unit`, such as groups, lines also have their number, the rate and the time left; the
    first ones, of which `at_once` are computed at a time, do not count, as code is compiled then.
    """
    what = one_line(what)
    began = time.monotonic()
    shown: dict[str, Any] = {
        "bar": None,
        "lines": 0,
        "last": began + QUICK - BETWEEN_LINES,
        "first": None,  # what was done before
        "since": None,  # when the rate begins
    }

    def update(done: int, of: int) -> None:
        now = time.monotonic()
        if shown["first"] is None:
            shown["first"] = done
        elif shown["since"] is None and done - shown["first"] >= at_once:
            shown["first"], shown["since"] = done, now
        elapsed = now - (shown["since"] or now)
        if done == 0 and now - began > STALLED:
            announce()
        if now - began < QUICK:
            return
        if sys.stderr.isatty():
            if shown["bar"] is None:
                shown["bar"] = _bar(what, of)
            shown["bar"].update(0, completed=done, total=of)
            if unit is not None:
                text = f"{what}: {pace(done, of, shown['first'], elapsed, unit)}"
                shown["bar"].update(0, description=text)
        elif now - shown["last"] >= BETWEEN_LINES:
            shown["last"] = now
            shown["lines"] += 1
            more = "" if unit is None else f", {pace(done, of, shown['first'], elapsed, unit)}"
            talk(f"{what}: {done / of:.0%}{more}")

    try:
        yield update
        if shown["lines"]:
            talk(f"{what}: done")
    finally:
        if shown["bar"] is not None:
            shown["bar"].stop()


@cache
def announce() -> None:
    """Say, once per process, why the first step takes long."""
    talk(FIRST_USE)


def pace(done: int, of: int, before: int, seconds: float, unit: str) -> str:
    """Numbers done and in total, the rate since the start, and the time left.

    >>> pace(412, 1098, 12, 50, "groups")
    '412 of 1,098 groups, 8 per second, 1 min 26 s left'
    """
    text = f"{done:,} of {of:,} {unit}"
    rate = (done - before) / seconds if seconds > 0 else 0.0
    if rate <= 0 or done >= of:
        return text
    left = round((of - done) / rate)
    hours, minutes, rest = left // 3600, left // 60 % 60, left % 60
    ahead = (
        f"{hours} h {minutes} min"
        if hours
        else f"{minutes} min {rest} s"
        if minutes
        else f"{rest} s"
    )
    how_fast = f"{rate:.3g} per second" if rate >= 1 else f"{60 * rate:.3g} per minute"
    return f"{text}, {how_fast}, {ahead} left"


def _bar(what: str, of: int) -> Any:
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress

    bar = Progress(console=Console(stderr=True), transient=True)
    bar.add_task(escape(what), total=of)
    bar.start()
    return bar

"""Durations such as 2s, 500ms or 1.5 min, in microseconds."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

import numpy as np

from peckorder.checked import is_number
from peckorder.errors import ArgumentError
from peckorder.wording import given

SECOND = 1_000_000
UNITS = {
    "ms": 1_000,
    "s": SECOND,
    "sec": SECOND,
    "second": SECOND,
    "seconds": SECOND,
    "min": 60 * SECOND,
    "minute": 60 * SECOND,
    "minutes": 60 * SECOND,
    "h": 3600 * SECOND,
    "hour": 3600 * SECOND,
    "hours": 3600 * SECOND,
}
TEXT = re.compile(r"\s*(\d+(?:\.\d+)?|\.\d+)\s*([a-z]*)\s*", re.ASCII)
LONGEST = 10**6 * 86_400 * SECOND


def duration(name: str, value: Any) -> int:
    """A duration in microseconds: a number of seconds, a text with a unit, or a timedelta.

    >>> duration("within", "2s"), duration("within", 0.5), duration("within", "1.5 min")
    (2000000, 500000, 90000000)
    """
    found: float | None = None
    if isinstance(value, str):
        match = TEXT.fullmatch(value.lower())
        unit = UNITS.get(match[2] or "s") if match else None
        found = None if match is None or unit is None else float(match[1]) * unit
    elif isinstance(value, dt.timedelta):
        found = value.total_seconds() * SECOND
    elif isinstance(value, np.timedelta64) and not np.isnat(value):
        found = float(value / np.timedelta64(1, "us"))
    elif is_number(value):
        found = float(value) * SECOND
    if found is None or not 0 <= found <= LONGEST:
        raise ArgumentError(
            f"{given(name, value)}: give a duration of at least 0, such as 2s, 500ms or 1.5min (a "
            f"number without a unit is in seconds)."
        )
    return round(found)


def duration_text(microseconds: float) -> str:
    """A duration in the unit in which it is easiest to read.

    >>> duration_text(2_000_000), duration_text(90_000_000), duration_text(7_200_000_000)
    ('2 s', '90 s', '2 h')
    """
    seconds = microseconds / SECOND
    if seconds < 120:
        return f"{seconds:.3g} s"
    return f"{seconds / 60:.3g} min" if seconds < 7200 else f"{seconds / 3600:.3g} h"

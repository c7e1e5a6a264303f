"""Durations given by users."""

import datetime as dt

import numpy as np
import pytest

import peckorder as po
from peckorder.data.visits import duration, duration_text


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("2s", 2),
        ("2 s", 2),
        ("500ms", 0.5),
        ("1.5 Min", 90),
        ("1h", 3600),
        ("3", 3),
        (2, 2),
        (0.25, 0.25),
        (dt.timedelta(seconds=4), 4),
        (np.timedelta64(4, "s"), 4),
    ],
)
def test_durations(value, seconds):
    assert duration("within", value) == round(seconds * 1_000_000)


@pytest.mark.parametrize("value", ["", "s", "2 days", -1, "-1s", None, True, float("nan"), "1e9h"])
def test_what_is_not_a_duration(value):
    with pytest.raises(po.ArgumentError, match="give a duration of at least 0, such as 2s"):
        duration("within", value)


def test_durations_as_text():
    shown = [duration_text(s * 1_000_000) for s in (0, 0.25, 26, 90, 300, 7200)]
    assert shown == ["0 s", "0.25 s", "26 s", "90 s", "5 min", "2 h"]

"""A simulated clock for searches with a time limit."""

import pytest


class Clock:
    """Time that passes by the number of readings, so a search does as much on every machine."""

    tick = 0.6

    def __init__(self):
        self.now = 0.0

    def monotonic(self) -> float:
        self.now += self.tick
        return self.now


@pytest.fixture
def clock(monkeypatch):
    """The search for large orders goes by this clock. Solvers of SciPy still go by the real one."""
    clock = Clock()
    monkeypatch.setattr("peckorder.orders.isi.time", clock)
    return clock

"""Progress of long work, with a clock that the test moves."""

import io
import sys
from types import SimpleNamespace

import pytest

from peckorder.cli import progress as module


@pytest.fixture
def clock(monkeypatch):
    """Seconds that pass only when a test says so."""
    clock = SimpleNamespace(now=100.0)
    clock.monotonic = lambda: clock.now
    monkeypatch.setattr(module, "time", clock)
    return clock


def work(clock, steps, of=100):
    """Work that has done so much after so many seconds."""
    began = clock.now
    with module.progress("steepness") as report:
        for seconds, done in steps:
            clock.now = began + seconds
            report(done, of)


def test_quick_work_shows_nothing(clock, capsys):
    work(clock, [(0, 0), (0.5, 50), (0.99, 100)])
    assert capsys.readouterr() == ("", "")


def test_lines_come_after_a_second_and_then_every_ten(clock, capsys):
    work(clock, [(0.5, 1), (1, 2), (2, 3), (10.9, 4), (11, 50), (12, 60), (21, 100)])
    out, lines = capsys.readouterr()
    assert out == ""
    assert lines.splitlines() == [
        "steepness: 2%",
        "steepness: 50%",
        "steepness: 100%",
        "steepness: done",
    ]


def test_compilation_is_announced_once_and_only_before_the_first_step(clock, capsys):
    module.announce.cache_clear()
    work(clock, [(0.1, 0), (2.6, 0), (2.7, 0), (2.8, 1)])
    assert capsys.readouterr().err.splitlines() == [
        module.FIRST_USE,
        "steepness: 0%",
        "steepness: done",
    ]
    work(clock, [(0.9, 1), (0.95, 0)])
    assert capsys.readouterr().err == ""
    work(clock, [(0.1, 0), (2.6, 0), (2.7, 0), (2.8, 1)])  # a second phase of the same command
    assert module.FIRST_USE not in capsys.readouterr().err


def test_work_that_fails_is_not_called_done(clock, capsys):
    def fails():
        yield 5, 1
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work(clock, fails(), of=4)
    assert capsys.readouterr().err == "steepness: 25%\n"


def test_a_terminal_gets_a_bar_that_is_gone_at_the_end(clock, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    work(clock, [(0.5, 1), (2, 50), (30, 100)])
    shown = terminal.getvalue()
    assert "steepness" in shown
    assert "%" in shown
    assert "steepness: " not in shown
    assert shown.endswith("\x1b[2K")  # the line of the bar is erased


def test_the_time_left_does_not_count_the_first_groups_which_compile(clock, capsys):
    began = clock.now
    with module.progress("study", unit="groups", at_once=2) as report:
        for seconds, done in [(0, 10), (20, 11), (30, 12), (42, 14), (55, 20)]:
            clock.now = began + seconds
            report(done, 40)
    assert capsys.readouterr().err.splitlines() == [
        "study: 28%, 11 of 40 groups",
        "study: 30%, 12 of 40 groups",
        "study: 35%, 14 of 40 groups, 10 per minute, 2 min 36 s left",
        "study: 50%, 20 of 40 groups, 19.2 per minute, 1 min 2 s left",
        "study: done",
    ]

"""Odd inputs end well or with a clear error of the package: `python -m tests.fuzz` has more."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests import fuzz
from tests.fuzzing.tables import damaged, events, mutated


@pytest.mark.slow
def test_a_thousand_odd_inputs():
    found = fuzz.run(0, 1000, seed=1)
    assert found.findings == {}
    assert found.counts["ok"] > 150  # many cases must get past the reader, or nothing is tested
    assert found.counts["refused"] > 150


def test_cases_are_reproducible():
    for number in (3, 17):
        one, other = (fuzz.chosen_case(number, 1) for _ in range(2))
        assert one[1] is other[1]
        tables = [mutated(rng, events(rng)) for rng, _ in (one, other)]
        assert tables[0] == tables[1]
        raw = [damaged(rng, b"x" * 99) for rng, _ in (one, other)]
        assert raw[0] == raw[1]


BROKEN = """
import os, time
from tests import fuzz

def run_case(number, seed):
    if number == 1:
        os.abort()
    if number == 2:
        while True:
            pass
    if number == 3:
        time.sleep(600)
    return ("finding", "KeyError") if number == 4 else ("ok", "")

fuzz.run_case = run_case
fuzz.main()
"""


@pytest.mark.programs
@pytest.mark.posix
def test_crashes_hangs_and_errors_are_found(monkeypatch, tmp_path):
    """The program sees what it is there to see."""
    (tmp_path / "broken.py").write_text(BROKEN)
    begin = subprocess.Popen

    def popen(command, *, env, **options):
        root = str(Path(fuzz.__file__).parent.parent)
        path = os.pathsep.join([root, os.environ.get("PYTHONPATH", "")])
        command = [command[0], str(tmp_path / "broken.py"), *command[3:]]
        return begin(command, env=env | {"PYTHONPATH": path}, **options)

    monkeypatch.setattr(subprocess, "Popen", popen)
    found = fuzz.run(0, 6, seed=1, seconds=0.5)
    assert found.findings == {
        1: "the process ended with exit code -6",
        2: "more than 0.5 s of processor time",
        3: "hang: more than 5 s",
        4: "KeyError",
    }
    assert found.counts == {"ok": 2, "finding": 4}


def test_the_odd_tables_are_odd():
    rng = np.random.default_rng(1)
    tables = [mutated(rng, events(rng)) for _ in range(50)]
    widths = {len({len(row) for row in table}) for table in tables}
    assert widths >= {1, 2}  # some are ragged

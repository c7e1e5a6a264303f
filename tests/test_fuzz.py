"""Odd inputs end well or with a clear error of the package: `python -m tests.fuzz` has more."""

import inspect
import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests import fuzz
from tests.fuzzing import pages, shell, verbs
from tests.fuzzing.tables import damaged, events, mutated


@pytest.mark.slow
def test_a_thousand_odd_inputs():
    found = fuzz.run(0, 1000, seed=1)
    assert found.findings == {}
    assert found.counts["ok"] > 150  # many cases must get past the reader, or nothing is tested
    assert found.counts["refused"] > 150


def test_no_public_name_is_missing():
    """What can be called is called: functions, commands and addresses of the app."""
    names = verbs.public()
    assert set(verbs.GIVEN) | set(verbs.MADE) <= set(names) | set(verbs.MADE)
    rng = np.random.default_rng(1)
    for name in names:
        given, more = verbs.fitting(rng, name)
        inspect.signature(names[name]).bind(*given, **more)
    assert {name for name, _ in shell.leaves()} >= {*shell.NOT_CALLED, *shell.BESIDE}
    parts = {part for _, path in pages.routes() for part in re.findall(r"\{(\w+)", path)}
    assert parts <= set(pages.IN_PATHS)


def test_numbers_that_are_not_finite_are_found():
    for numbers in ({"low": float("nan")}, {"a": {"b": [1.0, float("inf")]}}):
        with pytest.raises(AssertionError, match="the summary does not say why"):
            verbs.refuse_not_finite(numbers, "All is well.")
        verbs.refuse_not_finite(numbers, "k is not identifiable from these data.")


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
from tests.fuzzing import pages, shell, verbs

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
        3: "hang: more than 15 s",
        4: "KeyError",
    }
    assert found.counts == {"ok": 2, "finding": 4}


def test_the_odd_tables_are_odd():
    rng = np.random.default_rng(1)
    tables = [mutated(rng, events(rng)) for _ in range(50)]
    widths = {len({len(row) for row in table}) for table in tables}
    assert widths >= {1, 2}  # some are ragged

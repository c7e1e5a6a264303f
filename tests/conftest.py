"""What several tests need: reference numbers, data that are not ours to ship, and the shell."""

import importlib
import json
import math
import os
import pkgutil
import subprocess
import sys
from collections import Counter
from contextlib import contextmanager, nullcontext
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, settings

from peckorder import cli, kernels

# Kernels are compiled on first use and machines may be busy, so nothing depends on how long an
# example takes; the same examples on every machine. `make coverage` tries more of them.
settings.register_profile(
    "nightly", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("quick", settings.get_profile("nightly"), max_examples=20)
settings.load_profile("quick")

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared" / "data"

# Further cases of a test mostly run the same lines, and tracing for coverage makes Python code nearly
# half as slow again: the coverage that is printed is that of the first cases.
TRACED_CASES = 3


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    cases = Counter()
    for item in items:
        test = item.nodeid.partition("[")[0]
        cases[test] += 1
        if cases[test] > TRACED_CASES or item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.no_cover)
        if isinstance(item, pytest.DoctestItem):
            item.add_marker(pytest.mark.docstrings)
        if sys.platform == "win32" and item.get_closest_marker("posix"):
            item.add_marker(pytest.mark.skip(reason="Windows lacks what this test uses"))


@contextmanager
def plainly():
    """Loops run as plain Python here, and compiled afterwards."""
    for module in pkgutil.iter_modules(kernels.__path__, "peckorder.kernels."):
        importlib.import_module(module.name)
    kernels.load()
    ours = [m for name, m in sys.modules.items() if name.startswith(("peckorder.", "tests."))]
    was = [
        (vars(module), name, loop)
        for module in ours
        for name, loop in list(vars(module).items())
        if isinstance(loop, kernels.Loop) or hasattr(loop, "py_func")
    ]
    for module, name, loop in was:
        module[name] = loop.function if isinstance(loop, kernels.Loop) else loop.py_func
    try:
        with np.errstate(all="ignore"):
            yield
    finally:
        for module, name, loop in was:
            module[name] = loop


@pytest.fixture(scope="module", params=["plain", "compiled"])
def both_ways(request):
    """Loops run as plain Python, then compiled."""
    with plainly() if request.param == "plain" else nullcontext():
        kernels.load()
        yield


def _reference(name: str):
    return json.loads((ROOT / "tests" / "reference" / name).read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def papers():
    """Numbers printed in the papers, recomputed independently."""
    return _reference("papers.json")


@pytest.fixture(scope="session")
def software():
    """Numbers that other software gives."""
    return _reference("other_software.json")


@pytest.fixture(scope="session")
def paper_file():
    """Path of a data set that is not shipped; its absence is a failure in CI."""

    def find(name: str) -> Path:
        path = SHARED / name
        if not path.exists():
            if os.environ.get("CI") == "true":
                pytest.fail(f"{name} is missing, and CI must not skip what needs it")
            pytest.skip(f"{name} is not at hand")
        return path

    return find


@pytest.fixture
def shell(tmp_path):
    """Run the command in an empty folder: shell("elo", "x.csv", stdin=b"…")."""

    def run(*arguments: str, stdin: bytes | None = None) -> subprocess.CompletedProcess:
        return subprocess.run(
            [sys.executable, "-m", "peckorder", *map(str, arguments)],
            cwd=tmp_path,
            input=stdin,
            capture_output=True,
            check=False,
        )

    return run


@pytest.fixture
def inside(tmp_path, monkeypatch):
    """The same without a new process, which takes seconds to start, and without progress lines.

    Progress is shown only where the work takes long, so its lines would come and go with the
    speed of the machine; they have tests of their own (test_cli_progress.py).
    """
    monkeypatch.chdir(tmp_path)
    for seconds in ("QUICK", "STALLED"):
        monkeypatch.setattr(f"peckorder.cli.progress.{seconds}", math.inf)

    def run(*arguments: str) -> subprocess.CompletedProcess:
        done = CliRunner().invoke(cli.main, [str(argument) for argument in arguments])
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        found = subprocess.CompletedProcess(
            arguments, done.exit_code, done.stdout_bytes, done.stderr_bytes
        )
        vars(found)["output"] = done.output_bytes  # both, in the order of a terminal
        return found

    return run


@pytest.fixture
def sheet(tmp_path):
    """Write a text file and return its path."""

    def write(text: str | bytes, name: str = "sheet.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write

"""What several tests need: reference numbers, data that are not ours to ship, and the shell."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import settings

from peckorder import cli

# Kernels are compiled on first use, so no deadline; the same examples on every machine.
settings.register_profile("peckorder", deadline=None, derandomize=True)
settings.load_profile("peckorder")

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared" / "data"


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
            [sys.executable, "-m", "peckorder.cli", *map(str, arguments)],
            cwd=tmp_path,
            input=stdin,
            capture_output=True,
            check=False,
        )

    return run


@pytest.fixture
def inside(tmp_path, monkeypatch):
    """The same without a new process, which takes seconds to start."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> subprocess.CompletedProcess:
        done = CliRunner().invoke(cli.main, [str(argument) for argument in arguments])
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return subprocess.CompletedProcess(
            arguments, done.exit_code, done.stdout_bytes, done.stderr_bytes
        )

    return run


@pytest.fixture
def sheet(tmp_path):
    """Write a text file and return its path."""

    def write(text: str | bytes, name: str = "sheet.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write

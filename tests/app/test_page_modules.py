"""The modules of the page, by Node: their own tests, and their types (JSDoc, `tsc --checkJs`)."""

import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.programs
HERE = Path(__file__).parent / "page"


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


def test_modules_without_a_page():
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node is not installed")
    run(node, "--test", *map(str, sorted(HERE.glob("*.test.mjs"))))


def test_types_of_the_page():
    """Install the compiler with `npm install --global typescript`."""
    tsc = shutil.which("tsc")
    if tsc is None:
        pytest.skip("the TypeScript compiler is not installed")
    run(tsc, "--project", str(HERE))

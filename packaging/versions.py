"""Runs the quick tests with the lowest or the newest versions that pyproject.toml allows.

    python packaging/versions.py lowest-direct      # or highest; needs uv

Tests of programs, documents and figures are left out: they look at versions of other tools.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LEFT_OUT = (
    "not slow and not programs and not documents and not figures and not wheel and not paper_data"
)


def main(resolution: str, *tests: str) -> int:
    """Install these versions in an environment of their own, and run the tests there."""
    environment = ROOT / "build" / f"versions-{resolution}"
    shutil.rmtree(environment, ignore_errors=True)
    python = environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    subprocess.run(["uv", "venv", "--quiet", "--python", sys.executable, environment], check=True)
    install = ["uv", "pip", "install", "--quiet", "--python", str(python)]
    chosen = [f"--resolution={resolution}", "--editable", f"{ROOT}[dev]"]
    subprocess.run([*install, *chosen], check=True)
    subprocess.run(["uv", "pip", "list", "--quiet", "--python", str(python)], check=True)
    # Old versions warn about newer ones of what they use themselves.
    quiet = ("-o", "filterwarnings=") if resolution.startswith("lowest") else ()
    command = [python, "-m", "pytest", "-q", *quiet, "-m", LEFT_OUT, *(tests or ("tests",))]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

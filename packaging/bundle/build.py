"""Builds the bundle: a folder with the app and everything it needs, without Python.

    python packaging/bundle/build.py [TARGET]     by default build/bundle

The package is installed in a new environment, packed by PyInstaller, and started once to compile
what the app computes; the compiled code becomes part of the bundle. `make bundle` calls this.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PYINSTALLER = "pyinstaller>=6.14"


def run(*command, **options) -> None:
    """Run a command; an error ends the program."""
    print("+", *command, flush=True)
    subprocess.run([str(part) for part in command], check=True, **options)


def main(target: Path) -> None:
    """Build the bundle in a folder."""
    work = target.parent / f"{target.name}-work"
    for old in (target, work):
        shutil.rmtree(old, ignore_errors=True)
    environment = work / "environment"
    venv.create(environment, with_pip=True)
    python = environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    pip = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    run(*pip, "--constraint", ROOT / "constraints.txt", f"{ROOT}[app]")
    run(*pip, PYINSTALLER)
    places = ("--distpath", work / "dist", "--workpath", work / "parts")
    run(
        python,
        "-m",
        "PyInstaller",
        "--noconfirm",
        "--log-level=ERROR",
        *places,
        "peckorder.spec",
        cwd=HERE,
    )
    made = work / "dist" / "peckorder"
    with tempfile.TemporaryDirectory() as home:
        kernels = Path(home) / "kernels"
        own = {
            **dict.fromkeys(("HOME", "USERPROFILE", "LOCALAPPDATA", "XDG_CACHE_HOME"), home),
            "PECKORDER_KERNELS": str(kernels),
        }
        program = made / ("peckorder.exe" if os.name == "nt" else "peckorder")
        run(program, "--as-python", HERE / "warm.py", env=os.environ | own)
        inside = made / "_internal"
        shutil.copytree(kernels, inside / "warm" / "kernels")
    shutil.move(made, target)
    shutil.rmtree(work)
    size = sum(one.stat().st_size for one in target.rglob("*") if one.is_file())
    print(f"{target}: {size / 1e6:,.0f} MB")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "bundle").resolve())

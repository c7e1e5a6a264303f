"""The package as users get it: built, installed in a new environment, and run outside the sources."""

import json
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.wheel
ROOT = Path(__file__).parent.parent
INSTALL = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory, users_environment):
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT)],
        env=users_environment,
        check=True,
        capture_output=True,
    )
    assert len(list(folder.glob("peckorder-*.tar.gz"))) == 1
    (built,) = folder.glob("peckorder-*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory, users_environment):
    """Run a program of an environment that holds the package, its dependencies and nothing else."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, with_pip=True, symlinks=sys.platform != "win32")
    programs = folder / ("Scripts" if sys.platform == "win32" else "bin")
    alone = {n: v for n, v in users_environment.items() if not n.startswith(("PYTHON", "COV_"))}
    subprocess.run(
        [
            programs / "python",
            *INSTALL,
            "--constraint",
            ROOT / "constraints.txt",
            f"{wheel}[report]",
        ],
        env=alone,
        check=True,
        capture_output=True,
    )
    elsewhere = tmp_path_factory.mktemp("elsewhere")

    def run(program: str, *arguments: str) -> str:
        done = subprocess.run(
            [programs / program, *arguments],
            cwd=elsewhere,
            env=alone,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    run.folder = elsewhere
    return run


def test_the_wheel_holds_the_package_and_its_data(wheel):
    inside = set(zipfile.ZipFile(wheel).namelist())
    sources = ROOT / "src"
    expected = {
        path.relative_to(sources).as_posix()
        for path in (sources / "peckorder").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    expected |= {f"peckorder/examples/{path.name}" for path in (ROOT / "examples").glob("*.py")}
    assert "peckorder/py.typed" in expected
    assert {name for name in inside if ".dist-info/" not in name} == expected


def test_the_installed_package_is_the_one_that_runs(installed):
    where = installed("python", "-c", "import peckorder; print(peckorder.__file__)")
    assert str(ROOT / "src") not in where
    assert "site-packages" in where
    installed("python", "-m", "pip", "check")


def test_commands_work(installed):
    assert "Usage: peckorder" in installed("peckorder", "--help")
    assert "Reds" in installed("peckorder", "examples", "games_with_scores")
    installed("peckorder", "datasets", "adv", "-o", "adv.csv")
    answer = installed(
        "peckorder", "elo", "adv.csv", "--k", "200", "--curve", "table", "--format", "json"
    )
    first = json.loads(answer)["result"]["table"][0]
    assert (first["individual"], round(first["rating"]), first["rank"]) == ("b", 1320, 1)
    installed("peckorder", "report", "adv.csv", "--k", "200", "--seed", "1", "-o", "all.html")
    page = (installed.folder / "all.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "<figure" in page

"""What a release is made of agrees: versions, requirements, actions and notes."""

import json
import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import yaml

import peckorder as po
from peckorder.methods import REFERENCES

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def test_all_files_name_one_version():
    recipe = yaml.safe_load(read("packaging/conda-forge/recipe.yaml"))
    citation = yaml.safe_load(read("CITATION.cff"))
    assert recipe["context"]["version"] == citation["version"] == PROJECT["version"]
    assert json.loads(read(".zenodo.json"))["creators"][0]["name"] == citation["authors"][0]["name"]


def test_the_recipe_has_the_requirements_of_the_project():
    recipe = yaml.safe_load(read("packaging/conda-forge/recipe.yaml"))
    stated = {one.replace("matplotlib-base", "matplotlib") for one in recipe["requirements"]["run"]}
    extras = PROJECT["optional-dependencies"]
    wanted = [*PROJECT["dependencies"], *extras["report"], *extras["app"]]
    wanted = {one.replace(">=", " >=") for one in wanted if not one.startswith("peckorder")}
    assert stated == wanted | {f"python {PROJECT['requires-python']}"}
    assert recipe["build"]["python"]["entry_points"] == ["peckorder = peckorder.cli:main"]


def test_actions_are_pinned_and_jobs_end():
    for path in (ROOT / ".github/workflows").glob("*.yml"):
        text = path.read_text(encoding="utf-8")
        for used in re.findall(r"uses: (.+)", text):
            pinned = re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v\d+(\.\d+)*", used)
            assert pinned or used.startswith("./"), f"{path.name}: {used}"
        flow = yaml.safe_load(text)
        assert flow["permissions"] == {"contents": "read"}, path.name
        for name, job in flow["jobs"].items():
            assert "uses" in job or job["timeout-minutes"] <= 60, f"{path.name}: {name}"


def test_notes_are_the_section_of_the_version():
    notes = runpy.run_path(str(ROOT / "packaging/notes.py"))["notes"]
    whole = "# Changes\n\n## 1.0.0 (soon)\n\n- one\n- two\n\n## 0.9\n\n- three\n"
    assert notes("1.0.0", whole) == "- one\n- two"
    assert notes("0.9", whole) == "- three"
    assert notes(PROJECT["version"], read("CHANGELOG.md")).startswith("- ")
    command = [sys.executable, str(ROOT / "packaging/notes.py"), "v0.0.1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "The tag is v0.0.1, but pyproject.toml has version" in done.stderr


def test_the_paper_is_short_and_cites_what_is_listed(tmp_path):
    paper, listed = read("paper/paper.md"), read("paper/paper.bib")
    assert len(paper.split()) <= 1000
    keys = set(re.findall(r"^@\w+\{(\w+)", listed, re.MULTILINE))
    assert set(re.findall(r"@(\w+)", paper)) == keys
    known = " ".join(REFERENCES.values())
    for key, doi in zip(sorted(keys), re.findall(r"doi = \{(.+?)\}", listed), strict=True):
        assert doi in known or key == "lam2015", key
    runpy.run_path(str(ROOT / "paper/figures.py"))["main"](tmp_path)
    drawn = {path.name for path in tmp_path.iterdir()}
    assert set(re.findall(r"\]\((\w+\.png)\)", paper)) == drawn


def test_the_program_says_its_version():
    done = subprocess.run(
        [sys.executable, "-m", "peckorder", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.split()[-1] == po.__version__

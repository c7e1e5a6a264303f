"""Benchmarks, studies and examples use names that exist, so that moved code does not break them."""

import ast
import importlib
import importlib.util
import re
from pathlib import Path

import pytest

import peckorder as po
from tests.documents import documents

ROOT = Path(__file__).parent.parent
PROGRAMS = sorted([*(ROOT / "benchmarks").glob("*.py"), *(ROOT / "examples").glob("*.py")])


def taken(tree: ast.AST) -> set[tuple[str, str]]:
    """(module, name) of each name that a program imports from the package."""
    return {
        (node.module, name.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("peckorder")
        for name in node.names
    }


def public(tree: ast.AST) -> set[str]:
    """Names after `po.`, such as po.elo or po.simulate.hierarchy."""
    found = set()
    for node in ast.walk(tree):
        path, place = [], node
        while isinstance(place, ast.Attribute):
            path.append(place.attr)
            place = place.value
        if path and isinstance(place, ast.Name) and place.id in ("po", "peckorder"):
            found.add(path[-1])
    return found


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_uses_names_that_exist(program):
    tree = ast.parse(program.read_text(encoding="utf-8"))
    for module, name in sorted(taken(tree)):
        home = importlib.import_module(module)
        inside = hasattr(home, "__path__") and importlib.util.find_spec(f"{module}.{name}")
        assert hasattr(home, name) or inside, f"{module}.{name}"
    for name in sorted(public(tree)):
        assert hasattr(po, name), f"po.{name}"


@pytest.mark.parametrize(
    "document",
    sorted([ROOT / "benchmarks" / "README.md", *(ROOT / name for name in documents())]),
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_documents_name_no_place_of_one_machine(document):
    text = document.read_text(encoding="utf-8")
    assert not re.search(r"(?<![\w.])/(?:work|home|tmp|root|Users|opt|mnt)/", text)

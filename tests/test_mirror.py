"""Tests mirror the modules: tests/structure/test_dyads.py is about src/peckorder/structure/dyads.py.

Who changes a module then knows which tests to read. Tests that concern several modules stand in
tests/ itself or are named below.
"""

from pathlib import Path

import pytest

pytestmark = pytest.mark.skip(reason="modules are being moved")

ROOT = Path(__file__).parent.parent
SOURCES = ROOT / "src" / "peckorder"
TESTS = ROOT / "tests"
# Test modules in folders that are about no single module, and why.
ACROSS: dict[str, str] = {}
# Modules without tests of their own, and which tests cover them.
ELSEWHERE: dict[str, str] = {}


def modules() -> set[str]:
    """Modules as structure/dyads; kernels have their twins instead."""
    return {
        path.relative_to(SOURCES).with_suffix("").as_posix()
        for path in SOURCES.rglob("*.py")
        if not path.name.startswith("__") and path.relative_to(SOURCES).parts[0] != "kernels"
    }


def mirrors() -> set[str]:
    """Modules that the test modules in folders name, with folders: structure/dyads."""
    return {
        path.relative_to(TESTS).with_name(path.stem.removeprefix("test_")).as_posix()
        for path in TESTS.rglob("test_*.py")
        if path.parent != TESTS
    }


def test_every_test_module_in_a_folder_is_about_a_module():
    assert sorted(mirrors() - modules() - set(ACROSS)) == []
    assert sorted(set(ACROSS) - mirrors()) == []


def test_every_module_in_a_folder_has_its_tests():
    in_folders = {name for name in modules() if "/" in name}
    assert sorted(in_folders - mirrors() - set(ELSEWHERE)) == []
    for module, tests in ELSEWHERE.items():
        assert module in in_folders - mirrors(), module
        assert (TESTS / tests).exists(), tests

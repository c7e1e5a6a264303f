"""What CONTRIBUTING.md says is true: its skeleton runs, and the files and targets it names exist."""

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


@pytest.mark.documents
def test_the_skeleton_of_a_method_in_contributing_runs():
    blocks = re.findall(r"```python\n(.*?)```", TEXT, flags=re.DOTALL)
    names: dict = {}
    for block in blocks:
        if ">>>" not in block:
            exec(block, names)
    examples = "\n".join(block for block in blocks if ">>>" in block)
    test = doctest.DocTestParser().get_doctest(examples, names, "CONTRIBUTING.md", None, 0)
    assert len(test.examples) >= 5
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test).failed == 0


def test_files_and_targets_named_in_contributing_exist():
    for name in re.findall(r"`((?:src|tests|docs|examples|benchmarks)/[\w/.]*)`", TEXT):
        assert (ROOT / name).exists(), name
    for name in re.findall(r"\]\(([\w/.]+\.md)\)", TEXT):
        assert (ROOT / name).exists(), name
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"\bmake ([a-z-]+)", TEXT))
    assert {"test", "test-fast", "wheel", "lint"} <= targets
    for target in targets:
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), target

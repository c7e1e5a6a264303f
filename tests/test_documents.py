"""What the documents show is what Python and the shell print."""

import doctest
import shlex
from pathlib import Path

import pytest

from tests.documents import blocks, documents, furnish, sessions

pytestmark = pytest.mark.documents
ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("document", documents())
def test_python_in_the_documents_gives_what_they_print(document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    furnish(tmp_path)
    examples = "\n".join(blocks((ROOT / document).read_text(encoding="utf-8"), "python"))
    test = doctest.DocTestParser().get_doctest(examples, {}, document, document, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert runner.run(test).failed == 0


@pytest.mark.parametrize("document", documents())
def test_commands_in_the_documents_print_what_they_print(document, inside, tmp_path):
    furnish(tmp_path)
    for command, expected in sessions((ROOT / document).read_text(encoding="utf-8")):
        program, *rest = shlex.split(command)
        assert program == "peckorder", command
        done = inside(*rest)
        printed = done.output.decode()
        assert [line.rstrip() for line in printed.strip().splitlines()] == [
            line.rstrip() for line in expected.strip().splitlines()
        ], command

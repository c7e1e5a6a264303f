"""Write what the commands and Python blocks of the documents print into the documents.

Run `python -m tests.document_outputs` after a change of messages, and read the difference.
"""

import doctest
import math
import os
import re
import shlex
import sys
import tempfile
import warnings
from pathlib import Path

from click.testing import CliRunner

from peckorder import cli
from peckorder.cli import progress
from tests.documents import blocks, documents, furnish

ROOT = Path(__file__).parent.parent


def console(text: str) -> str:
    """The text with each command of its console blocks followed by what it prints now."""
    runner = CliRunner()

    def block(match: re.Match) -> str:
        sessions = []
        for session in re.split(r"^\$ ", match.group(1), flags=re.MULTILINE)[1:]:
            command = session.partition("\n")[0]
            done = runner.invoke(cli.main, shlex.split(command)[1:], prog_name="peckorder")
            printed = done.output.strip("\n")  # in the order of a terminal
            lines = "\n".join(line.rstrip() for line in printed.splitlines())
            sessions.append(f"$ {command}\n{lines}\n")
        return "```console\n" + "\n".join(sessions) + "```"

    return re.sub(r"^```console\n(.*?)^```", block, text, flags=re.DOTALL | re.MULTILINE)


class Recorded(doctest.DocTestRunner):
    """Collects what failing examples print, to be written in place of what they promise."""

    def __init__(self):
        super().__init__(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
        self.changes: list[tuple[doctest.Example, str]] = []

    def report_failure(self, out, test, example, got):
        self.changes.append((example, got))

    def report_unexpected_exception(self, out, test, example, exc_info):
        print(example.source, exc_info[1], file=sys.stderr)


def python(text: str, name: str) -> str:
    """The text with outputs of its Python blocks as they are now."""
    examples = "\n".join(blocks(text, "python"))
    test = doctest.DocTestParser().get_doctest(examples, {}, name, name, 0)
    runner = Recorded()
    runner.run(test)
    for example, got in runner.changes:
        # Of an error only the message matters, and paths differ between machines.
        got = re.sub(r"(?<=call last\):\n)(?: .*\n)+", "...\n", got)
        got = re.sub(r"^$(?=\n.)", "<BLANKLINE>", got, flags=re.MULTILINE)
        old = ">>> " + example.source.rstrip("\n").replace("\n", "\n... ") + "\n" + example.want
        if text.count(old) == 1:
            text = text.replace(old, old[: len(old) - len(example.want)] + got)
        else:
            print(f"{name}: look at {example.source!r}, which prints {got!r}", file=sys.stderr)
    return text


def main(names: list[str]) -> None:
    """Rewrite the documents named, or all of them."""
    progress.QUICK = progress.STALLED = math.inf  # progress depends on the speed of the machine
    for path in [ROOT / name for name in names or documents()]:
        text = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            furnish(Path(folder))
            before = Path.cwd()
            os.chdir(folder)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    new = console(python(text, path.name))
            finally:
                os.chdir(before)
        if new != text:
            path.write_text(new, encoding="utf-8")
            print(f"Wrote {path.relative_to(ROOT)}.")


if __name__ == "__main__":
    main(sys.argv[1:])

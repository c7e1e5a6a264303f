"""Prints the size of the package, and how many of its modules a contest walks through.

python -m tests.counts
"""

import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import click

import peckorder as po
from peckorder import cli
from tests.house import LEVELS, PACKAGE


def commands(group: click.Group) -> Iterator[click.Command]:
    """All commands, those of groups instead of the groups."""
    for command in group.commands.values():
        if isinstance(command, click.Group):
            yield from commands(command)
        else:
            yield command


def executed(call: Callable[[], Any]) -> int:
    """How many modules of the package have a function that runs during a call."""
    files: set[str] = set()

    def note(frame: Any, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_name != "<module>":
            files.add(code.co_filename)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return sum(Path(file).is_relative_to(PACKAGE) for file in files)


def walk() -> dict[str, int]:
    """Modules that a contest walks through when it is read, rated and reported."""
    data = po.datasets.adv()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        source, page = Path(folder) / "contests.csv", Path(folder) / "report.html"
        data.frame().write_csv(source)
        po.elo(po.read(source))  # imports everything
        return {
            "modules that read": executed(lambda: po.read(source)),
            "modules that rate (elo)": executed(lambda: po.elo(data)),
            "modules that report": executed(lambda: po.report(data, page, seed=1)),
        }


def main() -> None:
    texts = [path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")]
    flags = [
        sum(
            isinstance(parameter, click.Option)
            for parameter in command.get_params(click.Context(command))
        )
        for command in commands(cli.main)
    ]
    counts = {
        "lines": sum(text.count("\n") for text in texts),
        "lines of cli/": sum(
            path.read_text(encoding="utf-8").count("\n") for path in (PACKAGE / "cli").glob("*.py")
        ),
        "modules": len(texts),
        "levels": len(LEVELS),
        "commands": len(flags),
        "flags": sum(flags),
        "flags of a command (median)": round(median(flags)),
        "top-level names": len(po.__all__),
        **walk(),
    }
    for name, count in counts.items():
        print(f"{count:>8,}  {name}")


if __name__ == "__main__":
    main()

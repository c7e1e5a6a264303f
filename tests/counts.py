"""Prints the size of the package: python -m tests.counts."""

from collections.abc import Iterator
from statistics import median

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
        "modules": len(texts),
        "levels": len(LEVELS),
        "commands": len(flags),
        "flags": sum(flags),
        "flags of a command (median)": round(median(flags)),
        "top-level names": len(po.__all__),
    }
    for name, count in counts.items():
        print(f"{count:>8,}  {name}")


if __name__ == "__main__":
    main()

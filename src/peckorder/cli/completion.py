"""Completion by the Tab key: files, columns of the file, data sets, examples and papers.

The shell asks the program for the words that may follow (the protocol of click), which must be
quick and must never fail: a file that cannot be opened simply has no columns to offer.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import click
from click.shell_completion import CompletionItem

VARIABLE = "_PECKORDER_COMPLETE"
OPENING = ("separator", "encoding", "header", "query")  # how a file is opened


class FileName(click.types.StringParamType):
    """A text for which the shell offers files; databases and patterns are texts as well."""

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Let the shell complete the name of a file."""
        return [CompletionItem(incomplete, type="file")]


class Offered(click.types.StringParamType):
    """A text for which the shell offers names, given the other arguments."""

    def __init__(self, names: Callable[[click.Context], list[str]]):
        self.names = names

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Names that begin with what was typed, in any case."""
        small = incomplete.lower()
        found = [name for name in self.names(ctx) if name.lower().startswith(small)]
        return [CompletionItem(_for_the_shell(name)) for name in found]


def _for_the_shell(name: str) -> str:
    """Bash inserts words as they are, so blanks need a backslash; other shells add it."""
    if not os.environ.get(VARIABLE, "").startswith("bash"):
        return name
    return "".join(f"\\{letter}" if letter in " '\"()&;|<>$`\\" else letter for letter in name)


def columns(ctx: click.Context) -> list[str]:
    """Columns of the file on the command line; none if it cannot be opened."""
    from peckorder.data.sources import open_sheet
    from peckorder.errors import PeckorderError

    # While the value of an option is missing, click keeps the arguments before it in `args`.
    file = ctx.params.get("file") or next(iter(ctx.args), None)
    if not file or file == "-":
        return []
    given = dict(text.partition("=")[::2] for text in ctx.params.get("read") or ())
    options: dict[str, Any] = {name: value for name, value in given.items() if name in OPENING}
    options["sheet"] = next(iter(ctx.params.get("sheet") or ()), None)
    try:
        return list(open_sheet(file, **options).columns)
    except (PeckorderError, OSError, ValueError):
        return []


def data_sets(_: click.Context) -> list[str]:
    """Names of the data sets that are included."""
    from peckorder.datasets import CATALOGUE

    return list(CATALOGUE)


def completed(param: click.Parameter) -> None:
    """Add completion to a parameter that takes a file or a column."""
    if isinstance(param.type, click.types.StringParamType):
        metavar = param.metavar if isinstance(param, click.Option) else "FILE"
        param.type = Offered(columns) if metavar == "COLUMN" else FileName()

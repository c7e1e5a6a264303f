"""Python code and shell commands that reproduce a figure."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, field, replace
from typing import Any

from peckorder.data.interactions import Interactions

# Flags repeated for each value.
REPEATED = (
    *("method", "sheet", "fill_down", "ignore", "parameters"),
    *("winner_behaviors", "loser_behaviors"),
)
FLAGS = {"outcome": "--outcome-column", "parameters": "--parameter"}
TWO = ("steepness", "posterior", "recovery")  # figures with two panels


@dataclass(frozen=True)
class Lines:
    """How the contests were read, as Python code and as a shell command.

    Attributes
    ----------
    file : path of the data
    options : arguments of `peckorder.read`
    window : `start` and `end` of the contests shown, if not all
    """

    file: str
    options: dict[str, Any]
    window: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, data: Interactions, window: dict[str, Any] | None = None) -> Lines:
        """From the import report of the data."""
        return cls(data.report.path or "contests.csv", data.report.options, window or {})

    @property
    def contests(self) -> str:
        """Python code of the contests of the window."""
        return f"data.filter({self._span})" if self.window else "data"

    def through(self, ratings: str) -> str:
        """Python code of ratings seen through the window."""
        return f"{ratings}.between({self._span})" if self.window else ratings

    @property
    def _span(self) -> str:
        return ", ".join(f"{name}={_quoted(value)}" for name, value in self.window.items())

    @property
    def flags(self) -> dict[str, Any]:
        """The window as flags of the shell."""
        names = {"start": "from", "end": "to"}
        return {names[name]: value for name, value in self.window.items()}

    def of_group(self, column: str | None, group: str) -> Lines:
        """The same for one group: the rows are selected by a condition."""
        if column is None:
            return self
        label = "`" + column.replace("`", "``") + "`"
        chosen = f'{label} = "{group.replace(chr(34), chr(34) * 2)}"'
        before = self.options.get("where")
        both = chosen if before is None else f"({before}) and {chosen}"
        return replace(self, options={**self.options, "where": both})

    def python(self, figure: str, made: str, name: str, **look: Any) -> str:
        """Read, compute, draw and save; `made` is the expression in `data` that is drawn."""
        drawn = ", ".join([made, *(f"{name}={_quoted(value)}" for name, value in look.items())])
        first = "ax[0]" if figure in TWO and "part" not in look else "ax"
        return (
            f"{self.reading}\n"
            f"ax = po.plot.{figure}({drawn})\n"
            f'{first}.figure.savefig("{name.replace("_", "-")}.pdf")'
        )

    @property
    def reading(self) -> str:
        """Python code that reads the contests."""
        given = "".join(f", {name}={_quoted(value)}" for name, value in self.options.items())
        return f"import peckorder as po\n\ndata = po.read({_quoted(self.file)}{given})"

    def shell(self, figure: str, name: str, **flags: Any) -> str:
        """The command that draws a figure."""
        kind, file = figure.replace("_", "-"), name.replace("_", "-")
        return self.written(f"plot {kind}", f"{file}.pdf", **flags)

    def written(self, verb: str, output: str, **flags: Any) -> str:
        """A command on these contests that writes a file, if the shell can express it."""
        if "individuals" in self.options:
            return (
                "# not available at the shell: write the names of individuals into the file first"
            )
        return f"{self.command(verb, **flags)} -o {output}"

    def command(self, verb: str, **flags: Any) -> str:
        """A command on these contests."""
        file = f"./{self.file}" if self.file.startswith("-") else self.file
        words = ["peckorder", *verb.split(), file]
        for name, value in (self.options | flags).items():
            if value is False and name == "glob":
                words.append("--no-glob")
            if value is None or value is False:
                continue
            if name == "names" and isinstance(value, dict):
                value = "names.csv"  # at the shell, aliases are a file
            flag = FLAGS.get(name, f"--{name.replace('_', '-')}")
            if name in REPEATED and isinstance(value, list):
                words += [word for one in value for word in (flag, _word(one))]
            else:
                words += [flag] if value is True else [flag, _word(value)]
        return shlex.join(words)


def _quoted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def _word(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ",".join(map(_word, value))
    if isinstance(value, dict):
        return ",".join(f"{name}={_word(part)}" for name, part in value.items())
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)

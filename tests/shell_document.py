"""Writes docs/shell.md from the commands themselves: python -m tests.shell_document."""

from pathlib import Path

import click

from peckorder import cli

TARGET = Path(__file__).parent.parent / "docs" / "shell.md"
OPENING = """# The shell

`peckorder VERB FILE …`; `-` reads standard input. Data go to standard output, talk to standard
error. Exit codes: 0 done, 1 failed, 2 wrong usage or flag value, 3 data refused. Files are written
whole or not at all; `-o` replaces an existing file without asking. JSON is one object:
`{"method", "settings", "result", "provenance"}`, with the table as a list of rows in
`result.table`. An empty value (`--date ""`) leaves out a column that would be found by its name.

Every command that reads contests takes `--names FILE` (a sheet of aliases, which `check
--write-aliases FILE` proposes), `--ignore NAME` and `--where CONDITION`; names and conditions are
described in [data.md](data.md). Orders, measures, `check` and their figures also take `--from DATE`
and `--to DATE`. `--by COLUMN` analyzes each group, `--where 'troop = "north"'` selects one, and
`--group COLUMN` only names the column of groups. What the checks find about names, groups, unused
columns and unconnected sets is said in one line each, with the flag that decides it.

`peckorder --help` lists the commands by purpose. A flag or command that does not exist is answered
with the one that was probably meant: `--K` with `--k`, `--startvalue` (as in EloRating) with
`--start`, `ds` with `davids-score`.

## Completion

The Tab key completes commands, flags, choices, files, the columns of the file (`--winner` Tab), data
sets, examples and papers. Add one line to the file that your shell reads when it starts:

| shell | file | line |
|---|---|---|
| bash | `~/.bashrc` | `eval "$(_PECKORDER_COMPLETE=bash_source peckorder)"` |
| zsh | `~/.zshrc` | `eval "$(_PECKORDER_COMPLETE=zsh_source peckorder)"` |
| fish | `~/.config/fish/completions/peckorder.fish` | `_PECKORDER_COMPLETE=fish_source peckorder \\| source` |

Then open a new window. Bash must be version 4.4 or newer.
"""


def document() -> str:
    parts = [OPENING]
    for name, command in _commands(cli.main, ""):
        arguments = [p for p in command.params if isinstance(p, click.Argument)]
        shown = "".join(
            f" {p.name.upper()}" if p.required else f" [{p.name.upper()}]" for p in arguments
        )
        parts.append(f"## peckorder {name}{shown}\n\n{command.help}\n")
        options = [p for p in command.params if isinstance(p, click.Option)]
        if options:
            rows = [f"| {_flags(p)} | {_takes(p)} | {p.help or ''} |" for p in options]
            parts.append("\n".join(["| option | takes | meaning |", "|---|---|---|", *rows]) + "\n")
    return "\n".join(parts)


def _commands(group: click.Group, of: str):
    for name, command in group.commands.items():
        yield of + name, command
        if isinstance(command, click.Group):
            yield from _commands(command, f"{of}{name} ")


def _flags(option: click.Option) -> str:
    return ", ".join(f"`{flag}`" for flag in option.opts)


def _takes(option: click.Option) -> str:
    if option.is_flag:
        return ""
    if isinstance(option.type, click.Choice):
        return "one of " + ", ".join(f"`{choice}`" for choice in option.type.choices)
    return (option.metavar or option.type.name).lower()


if __name__ == "__main__":
    TARGET.write_text(document(), encoding="utf-8")

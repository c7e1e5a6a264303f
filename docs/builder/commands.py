"""Pages of the shell, one per command, made from the commands themselves.

Most commands take the same forty options that describe the file. Options that many commands have,
with the same flag and the same meaning, are described once, on the page of shared options; the
page of a command lists its own and names the shared ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import click

from peckorder import cli
from peckorder.cli.purposes import PURPOSES
from peckorder.cli.shared import column_options, output_options, params_of

MANY = 15  # commands that have an option, from which on it is described once
ELO = "elo"  # the command whose page describes the settings of a rating in full
SETTINGS = "Settings of an Elo rating"

OPENING = """# Commands

`peckorder COMMAND FILE …`; `-` reads standard input. Data go to standard output, messages to
standard error. Exit codes: 0 done, 1 failed, 2 wrong usage or flag value, 3 data refused. Files are
written whole or not at all; `-o` replaces an existing file without a question. JSON is one object:
`{"method", "settings", "result", "provenance"}`, with the table as a list of rows in
`result.table`. An empty value (`--date ""`) leaves out a column that would be found by its name.

Every command that reads contests takes `--names FILE` (a sheet of aliases, which `check
--write-aliases FILE` proposes), `--ignore NAME` and `--where CONDITION`; names and conditions are
described in [Reading data](../data.md). Orders, measures, `check` and their figures also take
`--from DATE` and `--to DATE`. `--by COLUMN` analyzes each group, `--where 'troop = "north"'`
selects one, and `--group COLUMN` only names the column of groups. What the checks find about names,
groups, unused columns and unconnected sets is said in one line each, with the flag that decides it.

[Options that many commands share](shared.md) are described once.
"""


class Page(NamedTuple):
    """A page of the site: its place below docs/, and its text."""

    path: str
    text: str


class Described(NamedTuple):
    """An option as the documentation shows it; equal ones are the same option."""

    flags: str
    takes: str
    help: str

    @classmethod
    def of(cls, option: click.Option) -> Described:
        """The description of an option of a command."""
        flags = [*option.opts, *option.secondary_opts]
        return cls(", ".join(f"`{flag}`" for flag in flags), _takes(option), option.help or "")


def commands(group: click.Group = cli.main, of: str = "") -> Iterator[tuple[str, click.Command]]:
    """All commands by name, those of groups behind the name of the group."""
    for name, command in group.commands.items():
        yield of + name, command
        if isinstance(command, click.Group):
            yield from commands(command, f"{of}{name} ")


def options_of(command: click.Command) -> list[Described]:
    """The options of a command as they are described."""
    return [Described.of(p) for p in command.params if isinstance(p, click.Option) and not p.hidden]


def shared_options() -> dict[str, list[Described]]:
    """The options that many commands have, by heading of the page that describes them."""
    times = Counter(option for _, command in commands() for option in options_of(command))
    many = [option for option, count in times.items() if count >= MANY]
    of_data = {Described.of(p) for p in params_of((column_options,)) if isinstance(p, click.Option)}
    of_output = {
        Described.of(p) for p in params_of((output_options,)) if isinstance(p, click.Option)
    }
    settings = [o for o in many if o not in of_data | of_output]
    of_elo = set(options_of(cli.main.commands[ELO]))
    return {
        "The file and its columns": [o for o in many if o in of_data],
        "The output": [o for o in many if o in of_output],
        SETTINGS: [o for o in settings if o in of_elo],
        "Further settings": [o for o in settings if o not in of_elo],
    }


def pages() -> list[Page]:
    """The pages of the shell: contents, shared options, and one page per command."""
    shared = shared_options()
    one_each = [
        Page(f"commands/{file_name(name)}.md", _command_page(name, command, shared))
        for name, command in commands()
    ]
    return [
        Page("commands/index.md", _contents()),
        Page("commands/shared.md", _shared_page(shared)),
        *one_each,
    ]


def file_name(name: str) -> str:
    """The name of the page of a command, without its ending."""
    return name.replace(" ", "-")


def _contents() -> str:
    by_name = dict(commands())
    parts = [OPENING]
    for heading, names in PURPOSES.items():
        rows = []
        for name in names:
            rows.append(_row(name, by_name[name]))
            if isinstance(by_name[name], click.Group):
                rows += [_row(n, c) for n, c in by_name.items() if n.startswith(f"{name} ")]
        parts.append(f"## {heading}\n\n| command | what it does |\n|---|---|\n" + "\n".join(rows))
    listed = [file_name(name) for name in by_name]
    parts.append("\n".join(["```{toctree}", ":hidden:", "", "shared", *listed, "```"]))
    return "\n\n".join(parts) + "\n"


def _row(name: str, command: click.Command) -> str:
    return f"| [{name}]({file_name(name)}.md) | {command.get_short_help_str(limit=100)} |"


def _command_page(name: str, command: click.Command, shared: dict[str, list[Described]]) -> str:
    arguments = [p for p in command.params if isinstance(p, click.Argument)]
    shown = "".join(
        f" {p.name.upper()}" if p.required else f" [{p.name.upper()}]"
        for p in arguments
        if p.name is not None
    )
    options = options_of(command)
    if name == ELO:
        shared = {heading: group for heading, group in shared.items() if heading != SETTINGS}
    common = {option for group in shared.values() for option in group}
    own = [option for option in options if option not in common]
    parts = [f"# {name}", f"```sh\npeckorder {name}{shown} [OPTIONS]\n```", _prose(command.help)]
    if isinstance(command, click.Group):
        rows = [_row(f"{name} {n}", c) for n, c in command.commands.items()]
        parts.append("| command | what it does |\n|---|---|\n" + "\n".join(rows))
    if own:
        parts.append("## Options\n\n" + _table(own))
    also = {
        heading: [option for option in options if option in group]
        for heading, group in shared.items()
    }
    if any(also.values()):
        lines = [
            f"- [{heading}](shared.md#{_anchor(heading)}): {_named(group)}"
            for heading, group in also.items()
            if group
        ]
        parts.append("## Shared options\n\n" + "\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _shared_page(shared: dict[str, list[Described]]) -> str:
    opening = (
        "# Shared options\n\nMany commands have these options, and always with the same meaning. "
        "The page of a command names those that it takes."
    )
    parts = [f"## {heading}\n\n{_table(options)}" for heading, options in shared.items()]
    return "\n\n".join([opening, *parts]) + "\n"


def _table(options: list[Described]) -> str:
    return "\n".join(["| option | meaning |", "|---|---|", *(row(option) for option in options)])


def row(option: Described) -> str:
    """The row of a table that describes an option."""
    takes = option.takes
    if takes.startswith("one of"):
        return f"| {option.flags} | {_cell(option.help)} {takes.capitalize()}. |"
    return f"| {option.flags}{f' *{takes}*' if takes else ''} | {_cell(option.help)} |"


def _named(options: list[Described]) -> str:
    return ", ".join(option.flags.split(", ")[-1] for option in options)


def _prose(text: str | None) -> str:
    """A help text without what only a terminal needs, and with its signs as they are."""
    return _plain((text or "").replace("\b\n", ""))


def _cell(text: str) -> str:
    return _plain(text).replace("|", r"\|")


def _plain(text: str) -> str:
    """Text in which no sign is read as Markdown."""
    for sign in ("\\", "*", "_", "<", "[", "$", "`"):
        text = text.replace(sign, f"\\{sign}")
    return text


def _anchor(heading: str) -> str:
    return heading.lower().replace(" ", "-")


def _takes(option: click.Option) -> str:
    if option.is_flag:
        return ""
    if isinstance(option.type, click.Choice):
        return "one of " + ", ".join(f"`{choice}`" for choice in option.type.choices)
    return (option.metavar or option.type.name).lower()

"""Pages of the shell, one per command, made from the commands themselves.

Options that many commands have, with the same flag and the same meaning, are described once, on the
page of shared options; the page of a command lists its own and names the shared ones. Where a
command lets one choose a method, the options of the others are listed or named as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import click

from peckorder import cli
from peckorder.cli.commands import VERBS
from peckorder.cli.derive import METHOD, Derived, output_flags, reading_flags

MANY = 15  # commands that have an option, from which on it is described once
ELO = "elo"  # the command whose page describes the settings of a rating in full
SETTINGS = "Settings of an Elo rating"

OPENING = """# Commands

`peckorder COMMAND FILE …`; `-` reads standard input. Data go to standard output, messages to
standard error. Exit codes: 0 done, 1 failed, 2 wrong usage or flag value, 3 data refused. Files are
written whole or not at all; `-o` replaces an existing file without a question. JSON is one object:
`{"method", "settings", "result", "provenance"}`, with the table as a list of rows in
`result.table`. An empty value (`--date ""`) leaves out a column that would be found by its name.

Every command that reads contests takes the common columns as options, and `--read KEY=VALUE` for
any other argument of `po.read`: `--read names=FILE` (a sheet of aliases, which `check
--write-aliases FILE` proposes), `--read ignore=NAME`, `--read 'where=troop = "north"'`. It may be
repeated; all arguments are described in [Reading data](../data.md). `--recipe FILE` reads them from
a TOML file, which `check --save FILE` writes. Orders, measures, `check` and their figures also take
`--from DATE` and `--to DATE`.
`--by COLUMN` analyzes each group, and `--group COLUMN` only names the column of groups. What is
doubtful and was not decided, pooled groups and unconnected sets are said in one line each.

Where a rating is only an ingredient (`evaluate`, `predict`, figures), the less common settings of
Elo are written `--set NAME=VALUE`, such as `--set burn_in=10,50`. Every command takes `--threads N`
and `--quiet`.

`peckorder COMMAND --help` describes the options of a command, and `--help-all` those of the rating
and of reading as well. The Tab key completes commands, options, files and columns once the shell
knows how: see [Install](../install.md#completion-by-the-tab-key).

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


def parameters(command: click.Command, method: str = "") -> list[click.Parameter]:
    """The parameters of a command, of the method that is chosen."""
    context = click.Context(command)
    context.meta[METHOD] = method
    return command.get_params(context)


def options_of(command: click.Command, method: str = "") -> list[Described]:
    """The options of a command as they are described; --help is left out."""
    every = [p for p in parameters(command, method) if isinstance(p, click.Option)]
    return [Described.of(p) for p in every if not p.hidden and p.opts[-1][:6] != "--help"]


def methods_of(command: click.Command) -> dict[str, tuple[str, list[Described]]]:
    """The further methods of a command: what to type, the function, and the options they add."""
    if not isinstance(command, Derived):
        return {}
    verb, usual = command.verb, set(options_of(command))
    named = {
        f"--{verb.switch} {m}": (m, f) for m, f in {**verb.methods, **verb.settings}.items() if m
    }
    if verb.variants[0]:
        named[f"--{verb.variants[0]}"] = verb.variants
    return {
        typed: (path, own)
        for typed, (method, path) in named.items()
        if (own := [option for option in options_of(command, method) if option not in usual])
    }


def described_by(path: str) -> str:
    """The command whose page describes the settings of a function; empty without one."""
    alone = {verb.path: name for name, verb in VERBS.items() if not (verb.methods or verb.before)}
    return (alone | dict.fromkeys(VERBS["fit"].methods.values(), "fit")).get(path, "")


def shared_options() -> dict[str, list[Described]]:
    """The options that many commands have, by heading of the page that describes them."""
    times = Counter(option for _, command in commands() for option in options_of(command))
    many = [option for option, count in times.items() if count >= MANY]
    of_data = {Described.of(p) for p in reading_flags() if isinstance(p, click.Option)}
    of_output = {Described.of(p) for p in output_flags() if isinstance(p, click.Option)}
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
    for heading, names in cli.PURPOSES.items():
        rows = []
        for name in names.split():
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
    arguments = [p for p in parameters(command) if isinstance(p, click.Argument)]
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
    parts += _methods(name, command)
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


def _methods(name: str, command: click.Command) -> Iterator[str]:
    """What the page of a command says about its other methods."""
    elsewhere = []
    for typed, (path, own) in methods_of(command).items():
        page = described_by(path)
        if page and page != name:
            elsewhere.append(f"- `{typed}`, described by [{page}]({page}.md): {_named(own)}")
        else:
            yield f"## With `{typed}`\n\n" + _table(own)
    if elsewhere:
        yield "## Options of other methods\n\n" + "\n".join(elsewhere)


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

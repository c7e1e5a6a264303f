"""The command line: one subcommand per function.

Results go to standard output, messages to standard error; exit codes are those of `failures`.
Heavy imports are deferred until a command runs. There are no statistics here: commands call the
public API only.
"""

from __future__ import annotations

import gc
import io
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from peckorder.cli import evaluate, glicko, orders, over_time, seasons, simulate, structure, trends
from peckorder.cli.adaptive import adaptive
from peckorder.cli.app import app
from peckorder.cli.check import check, cite, datasets, template
from peckorder.cli.compare_models import compare_models
from peckorder.cli.completion import complete
from peckorder.cli.dynamic import dynamic
from peckorder.cli.elo import elo
from peckorder.cli.examples import examples
from peckorder.cli.explain import explain
from peckorder.cli.failures import DEBUG, PASSED_ON, failure, made_printable
from peckorder.cli.fit import fit, without
from peckorder.cli.join import join
from peckorder.cli.network import network
from peckorder.cli.period_ranks import period_ranks
from peckorder.cli.plot import plot
from peckorder.cli.purposes import write_commands
from peckorder.cli.report import report
from peckorder.cli.reproduce import reproduce
from peckorder.cli.shared import already_said, talk
from peckorder.cli.study import study
from peckorder.cli.suggestions import better_option, unknown_command
from peckorder.cli.tune import likelihood_surface, tune
from peckorder.cli.visits import displacements
from peckorder.errors import DataWarning

OBJECTS_BETWEEN = 100_000  # new objects after which Python looks for unused ones


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """Let Python look for unused objects less often.

    A command imports packages with hundreds of thousands of objects that stay until its end, and
    Python would look through all of them many times.
    """
    usual = gc.get_threshold()
    gc.set_threshold(OBJECTS_BETWEEN, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)


class Verbs(click.Group):
    """A group of commands in which errors become a message and an exit code."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands by purpose."""
        write_commands(self, ctx, formatter)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Find a command by its name; an unknown name gets a suggestion."""
        name = str(args[0])
        known = name in self.commands or name.startswith("-") or ctx.resilient_parsing
        if not known:
            raise click.UsageError(unknown_command(name, list(self.commands)), ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; errors become messages on stderr and exit codes."""
        from peckorder.wording import at_the_shell

        try:
            with at_the_shell(), collecting_seldom(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                warnings.simplefilter("always", DataWarning)
                warnings.showwarning = show_warning
                return super().invoke(ctx)
        except PASSED_ON as error:
            if isinstance(error, click.NoSuchOption):
                better_option(error)
            made_printable(error)
            raise
        except BaseException as error:  # a panic of polars is not an Exception
            ctx.exit(failure(error, debug=ctx.params["debug"]))


def show_warning(message, category, *_, **__) -> None:
    """Print a warning as one line on stderr, unless it was said when the data were read."""
    if not already_said(str(message)):
        talk(f"Warning: {message}")


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="peckorder", prog_name="peckorder")
@click.option(
    "--debug",
    is_flag=True,
    envvar=DEBUG,
    help=f"Show the traceback of an error (also with {DEBUG}=1).",
)
def main(debug: bool) -> None:
    """Start with: peckorder check FILE.

    Dominance hierarchies and rankings from records of who beat whom. "check" says what was read
    and what looks wrong; then "peckorder report FILE" writes a report, and "peckorder elo FILE"
    prints ratings. FILE is a CSV, TSV, Excel, Parquet or R file, or - for standard input.
    "peckorder COMMAND --help" describes each command.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # characters that a terminal lacks become "?"
            stream.reconfigure(errors="replace")


for command in (
    check,
    displacements,
    elo,
    explain,
    fit,
    dynamic,
    adaptive,
    without,
    *orders.COMMANDS,
    network,
    period_ranks,
    *structure.COMMANDS,
    over_time.COMMAND,
    *glicko.COMMANDS,
    *evaluate.COMMANDS,
    *seasons.COMMANDS,
    tune,
    likelihood_surface,
    compare_models,
    join,
    *trends.COMMANDS,
    *simulate.COMMANDS,
    study,
    plot,
    report,
    reproduce,
    app,
    datasets,
    examples,
    template,
    cite,
):
    main.add_command(command)
complete(main)

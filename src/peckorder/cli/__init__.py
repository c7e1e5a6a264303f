"""The command line: one command per function.

Results go to standard output, messages to standard error; exit codes are those of `errors`. Most
commands are derived from the functions that they call (`derive`); heavy imports are deferred until
a command runs.
"""

from __future__ import annotations

import errno
import gc
import io
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from peckorder.cli.commands import FIGURES, VERBS, WRITTEN
from peckorder.cli.derive import Derived, function
from peckorder.cli.errors import (
    DEBUG,
    PASSED_ON,
    better_option,
    failure,
    made_printable,
    unknown_command,
)
from peckorder.cli.output import QUIET, already_said, talk
from peckorder.errors import DataWarning

OBJECTS_BETWEEN = 100_000  # new objects after which Python looks for unused ones
# By the question that they answer, in the order in which a study asks them.
PURPOSES = {
    "Start here": "check clean report app template datasets examples help",
    "Ratings, from contests in sequence": "elo explain dynamic adaptive fit without randomized-elo "
    "glicko glicko2 join tune likelihood-surface",
    "Rank orders, from contests in any order or a matrix": "davids-score isi bradley-terry compare "
    "adagio percolation dominance-value indices network period-ranks",
    "Structure of the hierarchy": "steepness linearity transitivity consistency stability "
    "skew matrix-correlation order-test change-points hierarchy-shape over-time",
    "Dyads": "dyads unknown-dyads reversals differences",
    "Individuals and groups over time": "tenure rank-changes careers slopes classes turnover "
    "co-residence group-size",
    "Quality of ratings and study design": "evaluate calibration compare-models repeatability "
    "splitting recovery rank-error power",
    "Questions to a ranking": "dominance-style fragility multiverse next stress",
    "Predictions and sport": "plackett-luce predict simulate-season league-table bracket "
    "home-advantages win-share areas audit-votes",
    "Many groups": "study",
    "Visits to feeders": "displacements",
    "Simulated contests": "simulate",
    "Figures, published results and references": "plot reproduce cite",
}


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


class Commands(click.Group):
    """A group of commands in which errors become a message and an exit code."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands by purpose, with one line each."""
        widest = max(map(len, self.commands))
        limit = max(30, formatter.width - widest - 6)
        for purpose, names in PURPOSES.items():
            rows = [
                (name.ljust(widest), self.commands[name].get_short_help_str(limit))
                for name in names.split()
            ]
            with formatter.section(purpose):
                formatter.write_dl(rows)

    def make_context(self, *given: Any, **more: Any) -> click.Context:
        """Read the flags of all commands; --help and --version end here."""
        sys.stdout = sys.stdout or Closed()
        try:
            return super().make_context(*given, **more)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise click.exceptions.Exit(failure(error, debug=False)) from error

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Find a command by its name; an unknown name gets a suggestion."""
        name = str(args[0])
        known = name in self.commands or name.startswith("-") or ctx.resilient_parsing
        if not known:
            raise click.UsageError(unknown_command(name, self.commands), ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; errors become messages on stderr and exit codes."""
        from peckorder.text import at_the_shell

        try:
            with at_the_shell(), collecting_seldom(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                warnings.simplefilter("always", DataWarning)
                warnings.filterwarnings("always", "Compiled code cannot be stored")
                warnings.showwarning = show_warning
                return super().invoke(ctx)
        except PASSED_ON as error:
            if isinstance(error, click.NoSuchOption):
                better_option(error, function("read").arguments)
            made_printable(error)
            raise
        except BaseException as error:  # a panic of polars is not an Exception
            ctx.exit(failure(error, debug=ctx.params["debug"]))


class Closed(io.TextIOBase):
    """Standard output where there is none (`>&-`): what is printed is lost, which is an error."""

    buffer = property(lambda self: self)

    def write(self, content: str | bytes, /) -> int:
        """Raise an error."""
        raise OSError(errno.EBADF, "It is closed; use -o FILE", "standard output")


def show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """Print a warning as one line on stderr, unless it was said when the data were read."""
    if not already_said(str(message)):
        talk(f"Warning: {message}")


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="peckorder", prog_name="peckorder")
@click.option(
    "--debug",
    is_flag=True,
    envvar=DEBUG,
    help=f"Show the traceback of an error (also with {DEBUG}=1).",
)
@click.option("--quiet", is_flag=True, help="Print no messages but errors (with any command).")
@click.pass_context
def main(ctx: click.Context, debug: bool, quiet: bool) -> None:
    """Start with: peckorder check FILE.

    Dominance hierarchies and rankings from records of who beat whom. "check" says what was read
    and what looks wrong; then "peckorder report FILE" writes a report, and "peckorder elo FILE"
    prints ratings. FILE is a CSV, TSV, Excel, Parquet or R file, or - for standard input.
    "peckorder COMMAND --help" describes each command.
    """
    ctx.meta[QUIET] = quiet
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # characters that a terminal lacks become "?"
            stream.reconfigure(errors="replace")


@main.group()
def plot() -> None:
    """Draw publication-quality figures.

    Usage: peckorder plot KIND FILE -o figure.pdf
    """


@main.command("help")
@click.argument("names", nargs=-1, metavar="[COMMAND]")
@click.pass_context
def describe(ctx: click.Context, names: tuple[str, ...]) -> None:
    """Describe a command, as COMMAND --help does; without one, list all."""
    root = ctx.find_root()
    root.command.main([*names, "--help"], prog_name=root.info_name, standalone_mode=False)


for name, verb in VERBS.items():
    main.add_command(Derived(name, verb))
for name, verb in FIGURES.items():
    plot.add_command(Derived(name, verb))
for name, written in WRITTEN.items():
    main.add_command(written, name)

"""What the shell prints when a command fails or does not exist, and the exit code.

Exit codes: 0 success, 1 failure, 2 usage error, 3 invalid data. An error that this package did not
raise on purpose is a fault of the package and is reported as such (exit code 1), never as a wrong
flag. Click suggests names that are spelled alike. Better first: the same name in other letters
(`--K`, `--k_column`), and the names that other software uses (`--startvalue` of EloRating).
"""

from __future__ import annotations

import platform
import sys
import traceback
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher, get_close_matches

import click

from peckorder.cli.output import complain
from peckorder.errors import ConvergenceError, DataError, ExecutorError, PeckorderError
from peckorder.text import printable

DEBUG = "PECKORDER_DEBUG"
# Ends a command without being an error, or is reported by click.
PASSED_ON = (
    KeyboardInterrupt,
    SystemExit,
    click.ClickException,
    click.exceptions.Exit,
    click.Abort,
    BrokenPipeError,
)
NO_MEMORY = (
    "Error: not enough memory for these data. Select fewer contests or individuals, or reduce the "
    "number of runs or samples."
)
# What other software, or another habit, calls an option: in lower case, without dashes.
_FLAGS = {
    "start": "startvalue startvals initialscore initscores initial",
    "k": "step stepsize kfactor kfac kvals",
    "home-advantage": "gamma",
    "delta": "sigmoidparam",
    "curve": "normprob",
    "entry": "init newcomers",
    "runs": "nrands nrand iterations permutations randomizations",
    "samples": "iter draws",
    "threads": "cores jobs",
    "seed": "randomseed",
    "output": "out outfile save",
    "format": "filetype json csv",
    "winner": "id1 actor",
    "loser": "id2 receiver recipient",
    "date": "timestamp",
    "tie": "draw",
    "from": "since",
    "to": "until end",
    "by": "groupby",
    "highlight": "individual",
    "read date_format=…": "dateformat",
    "read where=…": "filter by",
    "read separator=…": "separated delimiter sep",
    "read outcome=…": "outcomecolumn",
}
_COMMANDS = {
    "davids-score": "ds david",
    "fit": "bayes ml",
    "bradley-terry": "btm bt",
    "linearity": "hindex landau",
    "consistency": "dci",
    "transitivity": "ttri triads",
    "plot": "figure draw",
    "report": "html",
    "check": "validate read",
    "tenure": "alpha",
    "cite": "citation",
    "examples": "demo",
    "elo": "ratings",
    "explain": "why",
    "percolation": "perc",
}
FLAGS = {wrong: right for right, others in _FLAGS.items() for wrong in others.split()}
COMMANDS = {wrong: right for right, others in _COMMANDS.items() for wrong in others.split()}


def failure(error: BaseException, *, debug: bool) -> int:
    """Print why a command failed; returns its exit code."""
    if debug:
        complain("".join(traceback.format_exception(error)).rstrip())
    if isinstance(error, DataError):
        complain("\n\n".join(f"Error: {problem}" for problem in error.problems))
        return 3
    if isinstance(error, ImportError | ConvergenceError | ExecutorError):
        complain(f"Error: {error}")
        return 1
    if isinstance(error, PeckorderError):
        complain(f"Error: {error}")
        return 2
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        complain(f"Error: {where}{error.strerror or error}. Nothing was written.")
        return 1
    complain(NO_MEMORY if isinstance(error, MemoryError) else _fault(error, debug=debug))
    return 1


def _fault(error: BaseException, *, debug: bool) -> str:
    """The request to report a fault of the package, with what the report should contain."""
    from peckorder.methods import VERSION

    first = (str(error).splitlines() or [""])[0]
    again = "" if debug else f" Run the command again with {DEBUG}=1 to see the traceback."
    return (
        f"Error: unexpected internal error ({type(error).__name__}: {first[:200]}). This is a "
        f"fault of peckorder, not of your command. Please report it to its authors with the "
        f"command, the traceback, a file that causes it, and these versions: peckorder {VERSION}, "
        f"Python {platform.python_version()}, {sys.platform}.{again}"
    )


def made_printable(error: BaseException) -> None:
    """Make the message of an error that click prints safe for a terminal."""
    if isinstance(error, click.ClickException):
        vars(error)["message"] = printable(error.message)


def bare(name: str) -> str:
    """A name without dashes, underscores and case, so that --K, --k and k are the same."""
    return name.lower().replace("-", "").replace("_", "").replace(".", "")


def suggested(name: str, known: Iterable[str], habits: Mapping[str, str]) -> list[str]:
    """Known names that were probably meant: one that is certain, or up to three alike."""
    by_bare = {bare(one): one for one in reversed(list(known))}
    for meant in (bare(name), bare(habits.get(bare(name), ""))):
        if meant in by_bare:
            return [by_bare[meant]]
    near = get_close_matches(bare(name), list(by_bare))
    likeness = [SequenceMatcher(None, bare(name), one).ratio() for one in near]
    return [
        by_bare[one] for one, like in zip(near, likeness, strict=True) if like > likeness[0] - 0.1
    ]


def better_option(error: click.NoSuchOption, reading: Iterable[str]) -> None:
    """Replace the suggestions of click for a flag that does not exist.

    `reading` are the arguments of reading, which are written --read NAME=….
    """
    if error.ctx is None:
        return
    params = error.ctx.command.get_params(error.ctx)
    known = {flag: flag for param in params for flag in param.opts if flag.startswith("--")}
    known["--threads"] = "--threads"
    if "--read" in known:
        written = {f"--{name}": f"--read {name}=…" for name in reading}
        known = {
            **{f"--{one}": f"--{one}" for one in FLAGS.values() if " " in one},
            **written,
            **known,
        }
    found = suggested(error.option_name, known, FLAGS)
    vars(error)["possibilities"] = [known[one] for one in found]


def unknown_command(name: str, known: Iterable[str]) -> str:
    """The message for a command that does not exist."""
    meant = suggested(name, known, COMMANDS)
    if not meant:
        return f'There is no command "{name}". "peckorder --help" lists all commands.'
    return f'There is no command "{name}". Did you mean {" or ".join(meant)}?'

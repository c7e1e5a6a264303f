"""What the shell prints when a command fails, and the exit code.

Exit codes: 0 success, 1 failure, 2 usage error, 3 invalid data. An error that this package did not
raise on purpose is a fault of the package and is reported as such (exit code 1), never as a wrong
flag.
"""

from __future__ import annotations

import platform
import sys
import traceback

import click

from peckorder.cli.shared import talk
from peckorder.errors import ConvergenceError, DataError, ExecutorError, PeckorderError
from peckorder.printable import printable

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


def failure(error: BaseException, *, debug: bool) -> int:
    """Print why a command failed; returns its exit code."""
    if debug:
        talk("".join(traceback.format_exception(error)).rstrip())
    if isinstance(error, DataError):
        talk("\n\n".join(f"Error: {problem}" for problem in error.problems))
        return 3
    if isinstance(error, ImportError | ConvergenceError | ExecutorError):
        talk(f"Error: {error}")
        return 1
    if isinstance(error, PeckorderError):
        talk(f"Error: {error}")
        return 2
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        talk(f"Error: {where}{error.strerror or error}. Nothing was written.")
        return 1
    if isinstance(error, MemoryError):
        talk(
            "Error: not enough memory for these data. Select fewer contests or individuals, or "
            "reduce the number of runs or samples."
        )
        return 1
    talk(_fault(error, debug=debug))
    return 1


def _fault(error: BaseException, *, debug: bool) -> str:
    """The request to report a fault of the package, with what the report should contain."""
    from peckorder.citation import VERSION

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

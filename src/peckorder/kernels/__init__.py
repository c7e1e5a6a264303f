"""All hot loops, compiled with Numba: arrays in, arrays out.

Modules in here import numpy, math, numba and each other only. They never see names, None or
tables. Two habits keep the first compilation short: what only other loops call is a `part` (or
`inlined`), and a row is copied by `copy` (an array assigned to a slice takes seconds to
compile).
"""

from typing import Any

from numba import njit

# Without the interpreter's lock; a division by zero gives infinity, as in numpy, so that not every
# division is followed by a test; never called from C.
OPTIONS: Any = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}


def compiled(function) -> Any:
    """Compile a loop and keep it on disk.

    Where there is no place to keep it (a read-only installation without a home folder), it is
    compiled anew in each process.
    """
    try:
        return njit(cache=True, **OPTIONS)(function)
    except RuntimeError:
        return njit(**OPTIONS)(function)


def part(function) -> Any:
    """Compile a part of other loops, with which it is kept on disk."""
    return njit(**OPTIONS)(function)


def inlined(function) -> Any:
    """A long part with one caller, which becomes one function with it before it is compiled.

    Whatever a part calls is optimized once more with it; so a chain of long parts, each with one
    caller, would be optimized once for each link.
    """
    return njit(inline="always", **OPTIONS)(function)


@part
def copy(to, of):
    """Copy one row to another of the same length."""
    for i in range(to.size):
        to[i] = of[i]

"""All hot loops, compiled with Numba: arrays in, arrays out.

Modules in here import numpy, math, numba and each other only. They never see names, None or
tables. Two habits keep the first compilation short: what only other loops call is a `part` (or
`inlined`), and a row is copied by `arrays.copy` (an array assigned to a slice takes seconds to
compile).
"""

from typing import Any

from numba import njit
from numba.np import linalg

from peckorder.kernels.parts import PartCompiler


def load_without_blas() -> None:
    """Load Numba's functions of arrays, as it does before its first loop, but not SciPy's BLAS.

    Numba imports `scipy.linalg` there only to find out that it can be imported, which takes longer
    than everything a short command does. No loop in here needs it, and Numba looks again when one
    that does is compiled.
    """
    look, linalg.ensure_blas = linalg.ensure_blas, lambda: None
    try:
        from numba.np import arraymath  # noqa: F401
    finally:
        linalg.ensure_blas = look


load_without_blas()

# Without the interpreter's lock; a division by zero gives infinity, as in numpy, so that not every
# division is followed by a test; never called from C.
OPTIONS: Any = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}

PART: Any = OPTIONS | {"no_cpython_wrapper": True, "pipeline_class": PartCompiler}


def compiled(function):
    """Compile a loop and keep it on disk.

    Where there is no place to keep it (a read-only installation without a home folder), it is
    compiled anew in each process.
    """
    try:
        return njit(cache=True, **OPTIONS)(function)
    except RuntimeError:
        return njit(**OPTIONS)(function)


def part(function) -> Any:
    """Compile a part of other loops, with which it is kept on disk.

    It has no code to take its arguments from Python's objects, which for a struct of many arrays
    takes as long to compile as a short loop. So Python must not call it.
    """
    return _without_entry(function, inline="never")


def inlined(function) -> Any:
    """A long part with one caller, which becomes one function with it before it is compiled.

    Whatever a part calls is optimized once more with it; so a chain of long parts, each with one
    caller, would be optimized once for each link.
    """
    return _without_entry(function, inline="always")


def _without_entry(function, inline) -> Any:
    made: Any = njit(inline=inline, **PART)(function)
    made.__class__ = type("Part", (type(made),), {"__call__": _refuse})
    return made


def _refuse(function, *arguments):
    """What a part answers to Python, in place of a crash."""
    raise TypeError(f"{function.__name__} is a part of compiled loops: Python cannot call it.")


@part
def copy(to, of):
    """Copy one row to another of the same length."""
    for i in range(to.size):
        to[i] = of[i]

"""All hot loops, compiled with Numba: arrays in, arrays out.

Modules in here import numpy, math, numba and `compiled` only. They never see names, None or tables.
"""

from numba import njit


def compiled(function):
    """Compile a loop that runs without the interpreter's lock, and keep it on disk.

    Where there is no place to keep it (a read-only installation without a home folder), it is
    compiled anew in each process.
    """
    try:
        return njit(cache=True, nogil=True)(function)
    except RuntimeError:
        return njit(nogil=True)(function)

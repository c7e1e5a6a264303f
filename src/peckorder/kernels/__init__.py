"""All hot loops, compiled with Numba: arrays in, arrays out.

Modules in here import numpy, math, numba and each other only. They never see names, None or
tables. Habits keep the first compilation short: what only other loops call is a `part` (or
`inlined`), arrays are made by plain Python, and a row is copied by `copy` (an array assigned to a
slice takes seconds to compile).

Loading Numba takes half a second, and compiling a loop for the first time takes seconds. So a loop
that says how long it takes in plain Python is run as it is, until a process has used up `PATIENCE`;
then Numba is loaded, and every loop compiled when it is called. Results are the same to the last
bit, as long as a loop avoids what Python and Numba do differently (see `exp`).
"""

import math
import sys
import threading
import warnings
from typing import Any, ClassVar

import numpy as np

# Without the interpreter's lock; a division by zero gives infinity, as in numpy, so that not every
# division is followed by a test; never called from C.
OPTIONS: Any = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
# Parts make no arrays and return none, so that nobody counts references to arrays; and they have no
# machine code of their own, as Python runs them as they are.
PART: Any = OPTIONS | {"no_cpython_wrapper": True, "_nrt": False}
PATIENCE = 0.4  # seconds of plain Python in a process, after which Numba is loaded
NOT_KEPT = (
    "Compiled code cannot be stored, as neither the folder of the package nor that of the user "
    "can be written to, so each new process compiles it again (up to 30 s). Set the environment "
    "variable NUMBA_CACHE_DIR to a folder that can be written to."
)
OVERFLOW = 709.782712893384  # e to more than this is infinite


class Loop:
    """A loop, or a part of loops: plain Python until Numba is loaded."""

    numba: Any = None
    ready = False  # whether loops call each other compiled
    spent = 0.0  # seconds of plain Python in this process
    kept = True  # whether what is compiled can be stored
    waiting: ClassVar[list["Loop"]] = []
    after: ClassVar[list[Any]] = []  # what is called once Numba is loaded, parts first
    lock = threading.Lock()

    def __init__(self, function: Any, seconds: Any, **options: Any) -> None:
        self.function, self.seconds, self.options = function, seconds, options
        self.compiled: Any = None
        self.__name__, self.__doc__ = function.__name__, function.__doc__

    def __call__(self, *given: Any) -> Any:
        """Run the loop; Numba is loaded first if Python would take too long."""
        if Loop.ready:
            return self.compiled(*given)
        seconds = self.seconds(*given)
        if Loop.spent + seconds > PATIENCE:
            load()
            return self(*given)
        Loop.spent += seconds
        with np.errstate(all="ignore"):
            return self.function(*given)

    def compile(self) -> Any:
        """What Numba compiles when it is called."""
        try:
            self.compiled = Loop.numba.njit(**OPTIONS, **self.options)(self.function)
        except RuntimeError:  # no place to keep it (a read-only installation without a home folder)
            if Loop.kept:
                Loop.kept = False
                warnings.warn(NOT_KEPT, stacklevel=2)
            self.compiled = Loop.numba.njit(**OPTIONS)(self.function)
        return self.compiled


def load() -> None:
    """Load Numba; from now on loops, also those that other loops call, are compiled."""
    with Loop.lock:
        if not Loop.ready:
            import numba.extending

            Loop.numba = numba
            for function in Loop.after:
                function()
            names = {id(each): each.compile() for each in Loop.waiting}
            names |= {id(each.function): each.compiled for each in Loop.waiting}
            for name in [name for name in sys.modules if name.startswith("peckorder.")]:
                own = vars(sys.modules[name])
                own.update({n: names[id(old)] for n, old in own.items() if id(old) in names})
            Loop.waiting.clear()
            Loop.ready = True


def _made(function: Any, seconds: Any = None, **options: Any) -> Loop:
    loop = Loop(function, seconds, **options)
    if Loop.numba is None:
        Loop.waiting.append(loop)
    else:
        loop.compile()
    return loop


def compiled(function: Any = None, *, seconds: Any = None) -> Any:
    """Compile a loop when it is first called, and keep it on disk.

    `seconds` says from the arguments about how long it takes in plain Python; by default it is
    always compiled.
    """
    if function is None:
        return lambda function: compiled(function, seconds=seconds)
    loop = _made(function, seconds or never, cache=True)
    return loop.compiled or loop


def part(function: Any, **options: Any) -> Any:
    """Let loops call a function, which is compiled and kept on disk with them."""
    when_loaded(lambda: Loop.numba.extending.register_jitable(**PART | options)(function))
    return function


def maker(function: Any) -> Any:
    """A part that makes or returns arrays."""
    return part(function, _nrt=True)


def inlined(function: Any) -> Any:
    """A long part with one caller, which becomes one function with it before it is compiled.

    Whatever a part calls is optimized once more with it; so a chain of long parts, each with one
    caller, would be optimized once for each link.
    """
    return _made(function, inline="always").compiled or function


def when_loaded(function: Any) -> Any:
    """Call a function as soon as Numba is there."""
    if Loop.numba is None:
        Loop.after.append(function)
    else:
        function()
    return function


def never(*_: Any) -> float:
    """Of a loop that is not run as plain Python."""
    return math.inf


@part
def exp(x):
    """Infinite instead of Python's error where a number becomes too large."""
    return math.inf if x > OVERFLOW else math.exp(x)


@part
def copy(to, of):
    """Copy one row to another of the same length."""
    for i in range(to.size):
        to[i] = of[i]

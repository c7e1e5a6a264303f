"""How messages name things: quoted names, row numbers and counts, long lists cut short."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from difflib import get_close_matches

import numpy as np
from numpy.typing import ArrayLike


def quoted(names: Iterable[object], limit: int = 12) -> str:
    """Names in quotes, joined by commas; beyond `limit` the rest is counted.

    >>> quoted(["Abe", "Bo", "Cy"], limit=2)
    '"Abe", "Bo" and 1 more'
    """
    names = list(names)
    shown = ", ".join(f'"{name}"' for name in names[:limit])
    return shown + (f" and {len(names) - limit:,} more" if len(names) > limit else "")


def did_you_mean(names: Iterable[object], known: Iterable[str]) -> str:
    """A question where names look like known ones, otherwise nothing.

    >>> did_you_mean(["Abbe"], ["Abe", "Bo"])
    ' Did you mean "Abe"?'
    """
    by_small = {name.lower(): name for name in known}
    near = [
        by_small[match]
        for name in names
        for match in get_close_matches(str(name).lower(), list(by_small), 1)
    ]
    return f" Did you mean {quoted(dict.fromkeys(near))}?" if near else ""


def rows(word: str, numbers: ArrayLike, limit: int = 8) -> str:
    """Row numbers as a reader of the sheet would say them.

    >>> rows("row", [4]), rows("row", [4, 9, 12])
    ('Row 4', 'Rows 4, 9 and 12')
    """
    numbers = np.ravel(numbers).tolist()
    if len(numbers) == 1:
        return f"{word.capitalize()} {numbers[0]}"
    if len(numbers) > limit:
        shown, last = numbers[:limit], f"{len(numbers) - limit:,} more"
    else:
        shown, last = numbers[:-1], str(numbers[-1])
    return f"{word.capitalize()}s {', '.join(map(str, shown))} and {last}"


# Where the reader is: messages name arguments in Python and flags at the shell.
_AT_THE_SHELL: ContextVar[bool] = ContextVar("at_the_shell", default=False)


@contextmanager
def at_the_shell() -> Iterator[None]:
    """Messages name flags (`--missing drop`) instead of arguments (`missing="drop"`)."""
    token = _AT_THE_SHELL.set(True)
    try:
        yield
    finally:
        _AT_THE_SHELL.reset(token)


def option(name: str, value: str | None = None) -> str:
    """An argument as its reader gives it: in Python or, inside `at_the_shell`, as a flag.

    >>> option("missing", "drop"), option("presence")
    ('missing="drop"', 'presence=')
    >>> with at_the_shell():
    ...     option("missing", "drop"), option("presence"), option("one_sided", "True")
    ('--missing drop', '--presence', '--one-sided')
    """
    if not _AT_THE_SHELL.get():
        return f"{name}=" if value is None else f"{name}={_as_python(value)}"
    if value is None or value == "True":
        return option_name(name)
    return f"{option_name(name)} {value or chr(34) * 2}"


def option_name(name: str) -> str:
    """The bare name of an argument: `test_from` in Python, `--test-from` at the shell."""
    return f"--{name.replace('_', '-')}" if _AT_THE_SHELL.get() else name


def _as_python(value: str) -> str:
    literal = value in ("True", "False", "None") or value[:1] in tuple("0123456789-([{…")
    return value if literal and value else f'"{value}"'


def listed(names: Sequence[str]) -> str:
    """A, B and C."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun.

    >>> counted(1, "row"), counted(2400, "row"), counted(2, "individual is", "individuals are")
    ('1 row', '2,400 rows', '2 individuals are')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"

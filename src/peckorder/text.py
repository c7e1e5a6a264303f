"""Formatting for messages: quoted names, row numbers, counts, and names of arguments or flags.

Text that is safe to show on a terminal.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from difflib import get_close_matches
from importlib import import_module
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike


def quoted(names: Iterable[object], limit: int = 12) -> str:
    """Names in quotes, separated by commas; names beyond `limit` are only counted.

    >>> quoted(["Abe", "Bo", "Cy"], limit=2)
    '"Abe", "Bo" and 1 more'
    """
    names = list(names)
    shown = ", ".join(f'"{shortened(name)}"' for name in names[:limit])
    return shown + (f" and {len(names) - limit:,} more" if len(names) > limit else "")


def shortened(name: object, longest: int = 120) -> str:
    """A name as text, cut off where it is too long for a sentence."""
    text = str(name)
    return text if len(text) <= longest else f"{text[:longest]}…"


_NOTHING: Mapping[str, str] = {}


def did_you_mean(
    names: Iterable[object], known: Iterable[str], written: Mapping[str, str] = _NOTHING
) -> str:
    """A suggestion if any of the names resembles a known one, otherwise an empty string.

    `written` says how to write known ones.

    >>> did_you_mean(["Abbe"], ["Abe", "Bo"])
    ' Did you mean "Abe"?'
    """
    by_small = {name.lower(): written.get(name, name) for name in known}
    near = [
        by_small[match]
        for name in names
        for match in get_close_matches(str(name).lower(), list(by_small), 1)
    ]
    return f" Did you mean {quoted(dict.fromkeys(near))}?" if near else ""


def missing(module: str, known: Iterable[str]) -> Callable[[str], NoReturn]:
    """The `__getattr__` of a module: an error that names what resembles the attribute.

    Names of other modules count as well, and are written with their module. From now on, wrong
    calls of its known functions are answered in words.
    """
    from peckorder.validate import in_words

    own = vars(sys.modules[module])
    own.update({name: in_words(own[name]) for name in known if name in own})

    def refuse(name: str) -> NoReturn:
        raise _AbsentError(module, name, known)

    return refuse


class _AbsentError(AttributeError):
    """A name that a module does not have; other modules are searched when the message is read."""

    def __str__(self) -> str:
        module, name, known = self.args
        near = ""
        if not name.startswith("_"):
            places = import_module("peckorder").places()
            written = {own: place for own, place in places.items() if own not in {*known}}
            near = did_you_mean([name], {**places, **dict.fromkeys(known)}, written)
        return f"module {module!r} has no attribute {name!r}.{near}"


def rows(word: str, numbers: ArrayLike, limit: int = 8) -> str:
    """Row numbers as they appear in a sentence.

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


# Messages name arguments in Python and R, and flags at the shell.
_SURFACE: ContextVar[str] = ContextVar("surface", default="python")
_WRITTEN: ContextVar[Mapping[str, str]] = ContextVar("written", default=_NOTHING)


@contextmanager
def at_the_shell(written: Mapping[str, str] | None = None) -> Iterator[None]:
    """Messages name flags (`--runs 100`) instead of arguments (`runs=100`).

    Arguments in `written` have no flag of their own, but are written behind one (`--read
    missing=drop`), or have a place in the command (CLAIM).
    """
    here, behind = _SURFACE.set("shell"), _WRITTEN.set(written or {})
    try:
        yield
    finally:
        _SURFACE.reset(here)
        _WRITTEN.reset(behind)


@contextmanager
def in_r() -> Iterator[None]:
    """Messages write arguments as R does (`one_sided = TRUE`), and count rows from 1."""
    here = _SURFACE.set("r")
    try:
        yield
    finally:
        _SURFACE.reset(here)


def first_row() -> dict[str, Any]:
    """What the first row of a table in memory is called: position 0, and row 1 in R."""
    if _SURFACE.get() == "r":
        return {"row_word": "row", "first_row": 1}
    return {"row_word": "position", "first_row": 0}


def option(name: str, value: str | None = None) -> str:
    """An argument as the user would write it: in Python, in R or, inside `at_the_shell`, as a flag.

    >>> option("missing", "drop"), option("presence")
    ('missing="drop"', 'presence=')
    >>> with at_the_shell({"missing": "--read"}):
    ...     option("missing", "drop"), option("presence"), option("one_sided", "True")
    ('--read missing=drop', '--presence', '--one-sided')
    >>> with at_the_shell({"claim": "CLAIM"}):
    ...     option("claim"), option("claim", "b last")
    ('CLAIM', 'CLAIM "b last"')
    >>> with in_r():
    ...     option("missing", "drop"), option("presence"), option("one_sided", "True")
    ('missing = "drop"', 'presence', 'one_sided = TRUE')
    """
    if _SURFACE.get() == "r":
        return name if value is None else f"{name} = {_in_r(_as_python(value))}"
    if _SURFACE.get() == "python":
        return f"{name}=" if value is None else f"{name}={_as_python(value)}"
    if name in _WRITTEN.get() and not _placed(name):
        value = "…" if value is None else value
        return f"{_WRITTEN.get()[name]} {_quoted(f'{name}={value}')}"
    if value is None or value == "True":
        return option_name(name)
    return f"{option_name(name)} {_quoted(value)}"


def _quoted(word: str) -> str:
    """A word of the shell, in quotation marks if it is empty or contains blanks."""
    return word if word and not any(letter.isspace() for letter in word) else f'"{word}"'


def _placed(name: str) -> bool:
    """Whether an argument has a place in the command instead of a flag."""
    return _WRITTEN.get()[name] == name.upper()


def option_name(name: str) -> str:
    """The bare name of an argument: `test_from` in Python, `--test-from` at the shell."""
    if name in _WRITTEN.get():
        return f"{_WRITTEN.get()[name]} {name}" if not _placed(name) else _WRITTEN.get()[name]
    return f"--{name.replace('_', '-')}" if _SURFACE.get() == "shell" else name


def given(name: str, value: object) -> str:
    """An argument with the value that it was given.

    >>> given("prior_k", 0), given("kind", "list")
    ('prior_k=0', 'kind="list"')
    >>> with at_the_shell():
    ...     given("prior_k", 0.0)
    '--prior-k 0.0'
    """
    if _SURFACE.get() != "python":
        return option(name, str(value))
    return f'{name}="{value}"' if isinstance(value, str) else f"{name}={value!r}"


def either(in_python: str, at_the_shell: str) -> str:
    """One text for Python and R and another for the shell, where more than the option differs.

    >>> with in_r():
    ...     either('data.filter(individuals=["a"])', "--individuals a")
    'data$filter(individuals = c("a"))'
    """
    if _SURFACE.get() == "r":
        return _in_r(in_python)
    return at_the_shell if _SURFACE.get() == "shell" else in_python


# Code in Python and how R writes it.
_R_CODE = (
    (re.compile(r"\bpo\.(?:questions\.|sport\.|orders\.)?"), ""),
    (re.compile(r"\b(?:None|True|False)\b"), lambda word: _R_WORDS[word[0]]),
    (re.compile(r"(?<=\w)=(?=[^\s=,)])"), " = "),
    (re.compile(r"(?<=[\w)])\.(?=[a-z_]+\b(?!\.\w))(?!csv|xlsx|toml)"), "$"),
    (re.compile(r"[\[{]([^][{}]*)[\]}]"), r"c(\1)"),
    (re.compile(r'"(\w+)": '), r"\1 = "),
)
_R_WORDS = {"None": "NULL", "True": "TRUE", "False": "FALSE"}


def _in_r(code: str) -> str:
    for pattern, new in _R_CODE:
        code = pattern.sub(new, code)
    return code


def _as_python(value: str) -> str:
    number = re.fullmatch(r"-?\d[\d.e+-]*", value) and not re.fullmatch(r"\d+-[\d-]+", value)
    literal = value in ("True", "False", "None") or value[:1] in tuple("([{…")
    return value if (literal or number) and value else f'"{value}"'


def p_text(p: float) -> str:
    """A p-value as papers report it; a value below 1 is not rounded to 1.

    >>> p_text(0.0234), p_text(0.0001), p_text(0.998), p_text(1.0)
    ('p = 0.023', 'p < 0.001', 'p > 0.99', 'p = 1')
    """
    if p < 0.001:
        return "p < 0.001"
    return "p > 0.99" if 0.99 < p < 1 else f"p = {p:.2g}"


def listed(names: Sequence[str], last: str = "and") -> str:
    """Names as part of a sentence: A, B and C."""
    return f" {last} ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun.

    >>> counted(1, "row"), counted(2400, "row"), counted(2, "individual is", "individuals are")
    ('1 row', '2,400 rows', '2 individuals are')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


# Control characters (except the line feed and the tab, which messages contain themselves), marks
# of writing direction, separators of lines and paragraphs, and halves of surrogate pairs.
UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
BREAKS = re.compile("[\n\t]")
LONGEST_NAME = 120  # beyond, a name or cell is cut off in a message
# No sentence between two quoted names is as long as this.
FAR_TOO_LONG = re.compile(f'"([^"\\n]{{{LONGEST_NAME}}})[^"\\n]{{280,}}"')


def printable(text: object) -> str:
    r"""The text with unsafe characters as codes; line breaks and tabs are kept.

    >>> printable("Abe\x1b[2J\rBo\n")
    'Abe\\x1b[2J\\rBo\n'
    """
    text = str(text)
    return text if text.isprintable() else UNSAFE.sub(_code, text)


def message_of(text: object) -> str:
    """A message that can be read: safe to show, and with long quoted cells cut off.

    >>> message_of(f'Row 2: "{"x" * 500}" is not a date.')[-30:]
    'xxxxxxxxxxxxx…" is not a date.'
    """
    return FAR_TOO_LONG.sub(r'"\1…"', printable(text))


def one_line(text: object) -> str:
    r"""The same for a cell of a table: line breaks and tabs become codes, too.

    >>> one_line("Abe\tBo\n")
    'Abe\\tBo\\n'
    """
    text = printable(text)
    return text if text.isprintable() else BREAKS.sub(_code, text)


def _code(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode()

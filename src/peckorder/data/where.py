"""Conditions on the columns of a sheet, such as `behavior in ("bite", "chase") and year >= 2019`.

The grammar is small, and nothing is executed:

    condition  = comparison, or conditions joined by and, or, not and parentheses
    comparison = column  = == != < <= > >=  value
               | column  [not] in (value, value, …)
    column     = a word; between backticks or double quotes if it contains blanks or signs
    value      = text in single or double quotes, a number, or a date such as 2019-05-28

A quote inside a quoted text is written twice. `not` binds more strongly than `and`, and `and` more
strongly than `or`. Errors show the place in the condition.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from peckorder.errors import ArgumentError, ArgumentTypeError
from peckorder.printable import one_line
from peckorder.wording import given, option_name

DEEPEST = 50  # nested parentheses
LONGEST = 20_000  # characters
DATE = r"[0-9]{4}-[0-9]{1,2}(?:-[0-9]{1,2}(?:T[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?)?)?"
NUMBER = r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?"
TOKENS = re.compile(
    rf"(?P<quoted>'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`(?:[^`]|``)*`)"
    rf"|(?P<sign>==|!=|<>|<=|>=|[=<>≠≤≥(),])"
    rf"|(?P<date>{DATE})(?![\w.:-])"
    rf"|(?P<number>{NUMBER})(?![\w.:-])"
    r"|(?P<word>[^\W\d][\w.]*)"
)
SAME = {"==": "=", "<>": "!=", "≠": "!=", "≤": "<=", "≥": ">="}
COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
KEYWORDS = ("and", "or", "not", "in")
# What other languages write instead.
INSTEAD = {"&": "and", "|": "or", "!": "not", "~": "not", "%": "in (…)"}
CURLED = "“”„‟‘’‚‛«»´"


@dataclass(frozen=True)
class Token:
    """A word, sign or value of a condition, and the place where it begins."""

    kind: str
    text: str
    place: int


@dataclass(frozen=True)
class Value:
    """A value that cells are compared with: text, a number or a date."""

    kind: str
    text: str
    place: int


@dataclass(frozen=True)
class Comparison:
    """A column compared with one value, or with several (`in`)."""

    column: str
    sign: str
    values: tuple[Value, ...]
    place: int


@dataclass(frozen=True)
class Not:
    """The opposite of a condition."""

    part: Comparison | Not | Joined


@dataclass(frozen=True)
class Joined:
    """Conditions of which all (`and`) or at least one (`or`) must hold."""

    word: str
    parts: tuple[Comparison | Not | Joined, ...]


Tree = Comparison | Not | Joined


@dataclass(frozen=True)
class Condition:
    """A condition as it was written, and as a tree of comparisons."""

    text: str
    tree: Tree

    @property
    def comparisons(self) -> Iterator[Comparison]:
        """All comparisons, from left to right."""
        return _comparisons(self.tree)

    def refused(self, message: str, place: int) -> ArgumentError:
        """The error for a mistake at a place of the condition."""
        return refused(self.text, message, place)


def condition(text: object) -> Condition:
    """Read a condition.

    >>> found = condition("year >= 2019 and not behavior in ('bite', 'chase')")
    >>> [(one.column, one.sign, len(one.values)) for one in found.comparisons]
    [('year', '>=', 1), ('behavior', 'in', 2)]
    >>> condition("year >== 2019")
    Traceback (most recent call last):
    ...
    peckorder.errors.ArgumentError: where: expected a value (text in quotes, a number or a date).
      year >== 2019
             ^
    """
    if not isinstance(text, str):
        raise ArgumentTypeError(
            f"{given('where', text)}: give a condition as text, such as 'year >= 2019'."
        )
    if len(text) > LONGEST:
        raise ArgumentError(
            f"{option_name('where')}: the condition has {len(text):,} characters; at most "
            f"{LONGEST:,} are read. Add a column to the file instead."
        )
    return Condition(text, _Parser(text).whole())


def refused(text: str, message: str, place: int) -> ArgumentError:
    """The error for a mistake in a condition, with a caret under its place."""
    before = one_line(text[:place])
    # A long condition is shown from shortly before the mistake.
    start = max(0, len(before) - 60)
    cut = "…" if start else ""
    shown = one_line(text)[start : start + 100]
    caret = " " * (len(cut) + _width(before[start:])) + "^"
    return ArgumentError(f"{option_name('where')}: {message}\n  {cut}{shown}\n  {caret}")


def _width(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


def _comparisons(tree: Tree) -> Iterator[Comparison]:
    if isinstance(tree, Comparison):
        yield tree
    elif isinstance(tree, Not):
        yield from _comparisons(tree.part)
    else:
        for part in tree.parts:
            yield from _comparisons(part)


def _tokens(text: str) -> list[Token]:
    found, place = [], 0
    while True:
        while place < len(text) and text[place].isspace():
            place += 1
        if place == len(text):
            return [*found, Token("end", "", place)]
        match = TOKENS.match(text, place)
        if match is None:
            raise refused(text, _unreadable(text, place), place)
        kind = str(match.lastgroup)
        written = match[0]
        if kind == "quoted":
            sign = written[0]
            kind = {"'": "text", '"': "either", "`": "column"}[sign]
            written = written[1:-1].replace(sign * 2, sign)
        elif kind == "sign":
            written = SAME.get(written, written)
        elif kind == "word" and written.casefold() in KEYWORDS:
            kind, written = "keyword", written.casefold()
        found.append(Token(kind, written, place))
        place = match.end()


def _unreadable(text: str, place: int) -> str:
    sign = text[place]
    if sign in "'\"`":
        return f"the quote {sign} is not closed."
    if sign in CURLED:
        return "use straight quotes: 'text' or \"text\"."
    if sign == "/":
        return "write dates as 2019-05-28."
    if sign in INSTEAD:
        return f"{sign} has no meaning here; write {INSTEAD[sign]}."
    if sign.isdigit() or sign in "+-.":
        return "this is neither a number nor a date such as 2019-05-28; put text in quotes."
    return f"{one_line(sign)} has no meaning here; put text and names with signs in quotes."


class _Parser:
    """Reads one rule of the grammar per method; `and` and `or` are loops, not recursions."""

    def __init__(self, text: str):
        self.text, self.tokens, self.next, self.depth = text, _tokens(text), 0, 0

    def whole(self) -> Tree:
        """The whole condition."""
        if self.token.kind == "end":
            raise self._refused("the condition is empty.")
        tree = self._either()
        if self.token.kind != "end":
            if self.token.text in COMPARISONS:
                raise self._refused("only one comparison at a time; join two with and.")
            raise self._refused("expected and, or, or the end of the condition.")
        return tree

    @property
    def token(self) -> Token:
        """The token to be read next."""
        return self.tokens[self.next]

    def _refused(self, message: str) -> ArgumentError:
        return refused(self.text, message, self.token.place)

    def _take(self, kind: str, text: str) -> bool:
        """Step over a token if it is the next one."""
        fits = self.token.kind == kind and self.token.text == text
        self.next += fits
        return fits

    def _either(self) -> Tree:
        return self._joined("or", self._both)

    def _both(self) -> Tree:
        return self._joined("and", self._one)

    def _joined(self, word: str, part) -> Tree:
        parts = [part()]
        while self._take("keyword", word):
            parts.append(part())
        return parts[0] if len(parts) == 1 else Joined(word, tuple(parts))

    def _one(self) -> Tree:
        negated = 0
        while self._take("keyword", "not"):
            negated += 1
        if self.token.kind == "sign" and self.token.text == "(":
            tree = self._in_parentheses()
        else:
            tree = self._comparison()
        return Not(tree) if negated % 2 else tree

    def _in_parentheses(self) -> Tree:
        if self.depth == DEEPEST:
            raise self._refused(f"more than {DEEPEST} parentheses inside one another.")
        self.next += 1
        self.depth += 1
        tree = self._either()
        self.depth -= 1
        if not self._take("sign", ")"):
            raise self._refused("expected ) to close the parenthesis.")
        return tree

    def _comparison(self) -> Tree:
        column = self.token
        if column.kind == "text":
            raise self._refused(
                "a comparison begins with a column; put its name in backticks or double quotes."
            )
        if column.kind not in ("word", "either", "column"):
            raise self._refused("expected the name of a column (in backticks if it is a number).")
        self.next += 1
        negated = self._take("keyword", "not")
        if self._take("keyword", "in"):
            tree = Comparison(column.text, "in", self._values(), column.place)
            return Not(tree) if negated else tree
        sign = self.token
        if negated or sign.kind != "sign" or sign.text not in COMPARISONS:
            signs = "in" if negated else f"one of {' '.join(COMPARISONS)}, in or not in"
            raise self._refused(f"expected {signs} after the column {one_line(column.text)}.")
        self.next += 1
        return Comparison(column.text, sign.text, (self._value(),), column.place)

    def _values(self) -> tuple[Value, ...]:
        if not self._take("sign", "("):
            raise self._refused('expected ( after in: in ("one", "other").')
        values = [self._value()]
        while self._take("sign", ","):
            values.append(self._value())
        if not self._take("sign", ")"):
            raise self._refused("expected , or ) in the list.")
        return tuple(values)

    def _value(self) -> Value:
        token = self.token
        if token.kind == "word":
            raise self._refused(f'put text in quotes: "{one_line(token.text)}".')
        if token.kind == "column":
            raise self._refused("backticks mark columns; put text in single or double quotes.")
        if token.kind not in ("text", "either", "number", "date"):
            raise self._refused("expected a value (text in quotes, a number or a date).")
        self.next += 1
        kind = "text" if token.kind == "either" else token.kind
        return Value(kind, token.text, token.place)

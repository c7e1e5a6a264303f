"""Which rows meet a condition (see `where`).

A text is compared with the text of a cell without leading and trailing blanks. A number is compared
with cells that are numbers, and a date with cells that are dates, however these are written: a day
means the whole day, 2019-05 the whole month. An empty cell is equal to "" and to nothing else, so
that it meets only `!=` and `not`. Names of individuals are always text, with aliases resolved.

Conditions on the columns of a sheet, such as `behavior in ("bite", "chase") and year >= 2019`.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.columns import ALIASES, Columns, plain_label
from peckorder.data.date_columns import MISSING, read_dates
from peckorder.data.names import text_of
from peckorder.data.sheet import Sheet
from peckorder.errors import ArgumentError, ArgumentTypeError, DataError
from peckorder.text import did_you_mean, given, one_line, option_name, quoted

DEEPEST = 50  # nested parentheses
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


@dataclass(frozen=True)
class Token:
    """A word, sign or value of a condition, and the place where it begins."""

    kind: str
    text: str
    place: int


@dataclass(frozen=True)
class Comparison:
    """A column compared with one value, or with several (`in`)."""

    column: str
    sign: str
    values: tuple[Token, ...]
    place: int


@dataclass(frozen=True)
class Joined:
    """Conditions of which all (`and`), at least one (`or`) or none (`not`) must hold."""

    word: str
    parts: tuple[Comparison | Joined, ...]


Tree = Comparison | Joined


@dataclass(frozen=True)
class Condition:
    """A condition as it was written, as a tree, and its comparisons from left to right."""

    text: str
    tree: Tree
    comparisons: tuple[Comparison, ...]

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
    parser = _Parser(text)
    return Condition(text, parser.whole(), tuple(parser.found))


def refused(text: str, message: str, place: int) -> ArgumentError:
    """The error for a mistake in a condition, with a caret under its place."""
    from rich.cells import cell_len

    before = one_line(text[:place])
    # A long condition is shown from shortly before the mistake.
    start = max(0, len(before) - 60)
    cut = "…" if start else ""
    shown = one_line(text)[start : start + 100]
    caret = " " * (len(cut) + cell_len(before[start:])) + "^"
    return ArgumentError(f"{option_name('where')}: {message}\n  {cut}{shown}\n  {caret}")


def _tokens(text: str) -> list[Token]:
    found, place = [], 0
    while (place := len(text) - len(text[place:].lstrip())) < len(text):
        match = TOKENS.match(text, place)
        if match is None:
            raise refused(text, _unreadable(text, place), place)
        kind, written = str(match.lastgroup), match[0]
        if kind == "quoted":
            sign = written[0]
            kind = {"'": "text", '"': "either", "`": "column"}[sign]
            written = written[1:-1].replace(sign * 2, sign)
        elif kind == "word" and written.casefold() in KEYWORDS:
            kind, written = "keyword", written.casefold()
        found.append(Token(kind, SAME.get(written, written) if kind == "sign" else written, place))
        place = match.end()
    return [*found, Token("end", "", place)]


def _unreadable(text: str, place: int) -> str:
    sign = text[place]
    if sign in "'\"`":
        return f"the quote {sign} is not closed."
    if sign.isdigit() or sign in "+-.":
        return "this is neither a number nor a date such as 2019-05-28; put text in quotes."
    return (
        f"{one_line(sign)} has no meaning here; write and, or, not, and dates as 2019-05-28, and "
        f"use straight quotes for text and names with signs."
    )


class _Parser:
    """Reads one rule of the grammar per method; `and` and `or` are loops, not recursions."""

    def __init__(self, text: str):
        self.text, self.tokens, self.next, self.depth = text, _tokens(text), 0, 0
        self.found: list[Comparison] = []

    def whole(self) -> Tree:
        """The whole condition."""
        if self.token.kind == "end":
            raise self._refused("the condition is empty.")
        tree = self._either()
        if self.token.text in COMPARISONS:
            raise self._refused("only one comparison at a time; join two with and.")
        if self.token.kind != "end":
            raise self._refused("expected and, or, or the end of the condition.")
        return tree

    @property
    def token(self) -> Token:
        """The token to be read next."""
        return self.tokens[self.next]

    def _refused(self, message: str) -> ArgumentError:
        return refused(self.text, message, self.token.place)

    def _take(self, kind: str, text: str, lacking: str = "") -> bool:
        """Step over a token if it is the next one; without it, an error that says what lacks."""
        fits = self.token.kind == kind and self.token.text == text
        if lacking and not fits:
            raise self._refused(lacking)
        self.next += fits
        return fits

    def _either(self) -> Tree:
        return self._joined("or", lambda: self._joined("and", self._one))

    def _joined(self, word: str, part: Callable[[], Tree]) -> Tree:
        parts = [part()]
        while self._take("keyword", word):
            parts.append(part())
        return parts[0] if len(parts) == 1 else Joined(word, tuple(parts))

    def _one(self) -> Tree:
        negated = False
        while self._take("keyword", "not"):
            negated = not negated
        if self.token == Token("sign", "(", self.token.place):
            if self.depth == DEEPEST:
                raise self._refused(f"more than {DEEPEST} parentheses inside one another.")
            self.next, self.depth = self.next + 1, self.depth + 1
            tree = self._either()
            self.depth -= 1
            self._take("sign", ")", "expected ) to close the parenthesis.")
        else:
            tree = self._comparison()
        return Joined("not", (tree,)) if negated else tree

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
        sign, values = self.token, []
        if self._take("keyword", "in"):
            self._take("sign", "(", 'expected ( after in: in ("one", "other").')
            values = [self._value()]
            while self._take("sign", ","):
                values.append(self._value())
            self._take("sign", ")", "expected , or ) in the list.")
        elif negated or sign.kind != "sign" or sign.text not in COMPARISONS:
            signs = "in" if negated else f"one of {' '.join(COMPARISONS)}, in or not in"
            raise self._refused(f"expected {signs} after the column {one_line(column.text)}.")
        else:
            self.next += 1
            values = [self._value()]
        self.found.append(Comparison(column.text, sign.text, tuple(values), column.place))
        return Joined("not", (self.found[-1],)) if negated else self.found[-1]

    def _value(self) -> Token:
        token = self.token
        if token.kind == "word":
            raise self._refused(f'put text in quotes: "{one_line(token.text)}".')
        if token.kind == "column":
            raise self._refused("backticks mark columns; put text in single or double quotes.")
        if token.kind not in ("text", "either", "number", "date"):
            raise self._refused("expected a value (text in quotes, a number or a date).")
        self.next += 1
        return replace(token, kind="text") if token.kind == "either" else token


SIDES = ("winner", "loser", "home", "away", "a", "b")
ISO = re.compile(
    r"([0-9]{4})-([0-9]{1,2})(?:-([0-9]{1,2})(?:[T ]([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?)?)?"
)
SIGNS = {"=": np.equal, "in": np.equal, "<": np.less, "<=": np.less_equal, ">": np.greater}
SIGNS[">="] = np.greater_equal
MOST_LISTED = 1000  # distinct cells that are searched for a similar text


@dataclass(frozen=True)
class Cells:
    """A column as a condition sees it: its cells, and what they are."""

    sheet: Sheet
    label: str
    values: pl.Series
    holds_names: bool
    holds_dates: bool
    date_format: str | None

    def dates(self) -> np.ndarray:
        """The cells as dates."""
        form = self.date_format if self.holds_dates else None
        found, _, problems = read_dates(self.sheet, self.label, self.values, form)
        if problems:
            raise DataError(*problems)
        return found

    def text(self) -> pl.Series:
        """The cells as text; missing ones as empty text."""
        return text_of(self.values).fill_null("").str.strip_chars()

    def numbers(self) -> tuple[np.ndarray, np.ndarray]:
        """The cells as numbers (NaN where they are none), and which cells hold something else."""
        if self.values.dtype.is_numeric() or self.values.dtype == pl.Boolean:
            numbers = self.values.cast(pl.Float64).fill_null(np.nan).to_numpy()
            return numbers, np.zeros(len(numbers), bool)
        texts = self.text()
        numbers = texts.cast(pl.Float64, strict=False)
        other = (numbers.is_null() & ~texts.is_in(MISSING)).to_numpy()
        return numbers.fill_null(np.nan).to_numpy(), other


def rows_that_meet(
    wanted: Condition, cells_of: Callable[[Comparison], Cells], number: int
) -> np.ndarray:
    """Whether each of `number` rows meets the condition."""

    def met(tree: Tree) -> np.ndarray:
        if isinstance(tree, Comparison):
            cells = cells_of(tree)
            fits = [_compared(wanted, cells, tree.sign, value) for value in tree.values]
            return np.logical_or.reduce(fits)
        parts = [met(part) for part in tree.parts]
        if tree.word == "not":
            return ~parts[0]
        return (np.logical_and if tree.word == "and" else np.logical_or).reduce(parts)

    return np.broadcast_to(met(wanted.tree), number)


def _compared(wanted: Condition, cells: Cells, sign: str, value: Token) -> np.ndarray:
    if sign == "!=":
        return ~_compared(wanted, cells, "=", value)
    equal = sign in ("=", "in")
    temporal = cells.values.dtype.is_temporal() and cells.values.dtype != pl.Time
    if value.kind == "number":
        return _by_number(wanted, cells, sign, value, temporal)
    if value.kind == "date" or ((temporal or cells.holds_dates or not equal) and _iso(value.text)):
        return _by_date(wanted, cells, sign, value)
    if not equal:
        raise wanted.refused(
            f"{sign} compares numbers and dates, not text; write numbers without quotes.",
            value.place,
        )
    if temporal and value.text.strip():
        raise wanted.refused(
            f'column "{cells.label}" contains dates; write 2019-05-28.', value.place
        )
    return (cells.text() == value.text.strip()).to_numpy()


def _by_number(
    wanted: Condition, cells: Cells, sign: str, value: Token, temporal: bool
) -> np.ndarray:
    equal = sign in ("=", "in")
    if cells.holds_names and equal:  # 02 is not 2
        return (cells.text() == value.text).to_numpy()
    if not temporal:
        numbers, other = cells.numbers()
        if not other.any() or (equal and not cells.holds_dates):
            with np.errstate(invalid="ignore"):
                return SIGNS[sign](numbers, float(value.text))
        if not cells.holds_dates:
            first = int(np.flatnonzero(other)[0])
            raise wanted.refused(
                f'{cells.sheet.where(other)}: "{cells.text()[first]}" in column '
                f'"{cells.label}" is not a number.',
                value.place,
            )
    if not re.fullmatch("[0-9]{4}", value.text) or value.text == "0000":
        raise wanted.refused(
            f'column "{cells.label}" contains dates; write 2019-05-28, 2019-05 or 2019.',
            value.place,
        )
    return _by_date(wanted, cells, sign, value)


def _by_date(wanted: Condition, cells: Cells, sign: str, value: Token) -> np.ndarray:
    moment, dates = _moment(wanted, value), cells.dates()
    if dates.dtype.kind != "M":
        raise wanted.refused(
            f'column "{cells.label}" contains numbers, not dates; compare it with a number.',
            value.place,
        )
    return SIGNS[sign](dates.astype(moment.dtype), moment)  # a day is the whole day


def _iso(text: str) -> re.Match[str] | None:
    return ISO.fullmatch(text.strip())


def _moment(wanted: Condition, value: Token) -> np.datetime64:
    """A year, month, day, minute or second."""
    parts = _iso(value.text)
    given = (value.text,) if parts is None else tuple(p for p in parts.groups() if p is not None)
    units = ("Y", "M", "D", "", "m", "s")
    try:
        numbers = [int(part) for part in given]
        begin = dt.datetime(*(numbers + [1, 1, 1][len(numbers) : 3]))  # pyright: ignore
    except ValueError:
        raise wanted.refused(f"{value.text} is not a date.", value.place) from None
    return np.datetime64(begin, units[len(given) - 1])


# -- conditions on a sheet, before it is interpreted ----------------------------------------------


def selected(
    sheet: Sheet,
    columns: Columns,
    where: str,
    *,
    aliases: Mapping[str, str],
    date_format: str | None,
) -> Sheet:
    """The rows of a sheet that meet a condition on its columns or on their roles."""
    wanted = condition(where)

    def cells_of(one: Comparison) -> Cells:
        column = _column(wanted, one, sheet, columns)
        return _cells(sheet, columns, column, aliases, date_format)

    keep = rows_that_meet(wanted, cells_of, sheet.height)
    absent = [] if sheet.streamed else _absent(wanted, cells_of)
    if not keep.any() and not sheet.streamed:
        raise DataError(
            f"{sheet.name}: no row meets the condition {where.strip()}. {' '.join(absent)}".rstrip()
        )
    sheet.notes.extend(absent)
    if keep.all():
        return sheet
    places = np.flatnonzero(keep)
    return sheet.of_rows(sheet.table().filter(pl.Series(keep)), places)


def _cells(
    sheet: Sheet,
    columns: Columns,
    column: str,
    aliases: Mapping[str, str],
    date_format: str | None = None,
) -> Cells:
    values = sheet.column(column)
    names = column in [columns[role] for role in SIDES] and column != columns["outcome"]
    if names and aliases:
        values = text_of(values).str.strip_chars().replace(aliases)
    return Cells(sheet, column, values, names, column == columns["date"], date_format)


def _column(wanted: Condition, one: Comparison, sheet: Sheet, columns: Columns) -> str:
    """The column of a comparison, by its name or by its role."""
    if one.column in sheet.columns:
        return one.column
    role = columns[one.column.replace(" ", "_")]
    if role is not None:
        return role
    alike = [c for c in sheet.columns if plain_label(c) == plain_label(one.column)]
    if len(alike) == 1:
        return alike[0]
    if one.column in ("winner", "loser"):
        raise wanted.refused(
            f"{columns.kind} have no column {one.column}; use "
            f"{quoted(columns.of[side] for side in SIDES if side in columns.of)}.",
            one.place,
        )
    known = [*sheet.columns, *columns.of]
    lacking = f"there is no column for {one.column}" if one.column in ALIASES else "no such column"
    raise wanted.refused(
        f"{lacking}.{did_you_mean([one.column], known)} Columns: {quoted(sheet.columns)}.",
        one.place,
    )


def _absent(wanted: Condition, cells_of: Callable[[Comparison], Cells]) -> list[str]:
    """A note for each text that occurs nowhere in its column."""
    notes = []
    for one in wanted.comparisons:
        cells = cells_of(one)
        texts = [v.text.strip() for v in one.values if v.kind == "text" and v.text.strip()]
        if not texts or one.sign not in ("=", "!=", "in"):
            continue
        if cells.values.dtype.is_temporal() or (cells.holds_dates and any(map(_iso, texts))):
            continue
        found = cells.text().unique(maintain_order=True)
        filled = [text for text in found.head(10).to_list() if text]
        examples = f" Cells contain {quoted(filled, limit=5)}." if filled else ""
        for text in texts:
            if not (found == text).any():
                similar = did_you_mean([text], found.to_list()) if len(found) < MOST_LISTED else ""
                notes.append(
                    f'{option_name("where")}: "{text}" does not occur in column "{cells.label}".'
                    f"{similar or examples}"
                )
    return list(dict.fromkeys(notes))


# -- conditions on contests that were read ---------------------------------------------------------


def contests_that_meet(where: str, data: Any) -> np.ndarray:
    """Whether each contest meets a condition on its columns, by their names or their roles."""
    wanted, used, extra = condition(where), data.report.columns, data.extra
    table = replace(data, extra=None).frame()
    gone = {column for role, column in used.items() if role not in table.columns}
    renamed = {column: table[role] for role, column in used.items() if column not in gone}
    source = {} if extra is None else {column: extra[column] for column in extra.columns}
    fields = pl.DataFrame({c.name: c for c in table} | renamed | source)
    rows, files = data.row_numbers(np.arange(len(data))), data.report.files
    word = data.report.row_word
    sheet = Sheet.of(fields, "the contests", row_word=word, picked=rows, files=files)

    def cells_of(one: Comparison) -> Cells:
        alike = [name for name in fields.columns if plain_label(name) == plain_label(one.column)]
        name = one.column if one.column in fields.columns or len(alike) != 1 else alike[0]
        if name not in fields.columns:
            what = (
                "this column was used otherwise; select with peckorder.read(…, where=…)."
                if name in gone
                else f"no such column.{did_you_mean([name], fields.columns)} Columns: "
                f"{quoted(fields.columns)}."
            )
            raise wanted.refused(what, one.place)
        role = next((role for role, column in used.items() if column == name), name)
        role = role if role in table.columns and name not in source else ""
        return _cells(sheet, Columns("contests", {role: name}), name, {})

    return rows_that_meet(wanted, cells_of, len(data))

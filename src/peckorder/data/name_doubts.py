"""Cells that may be no names, several names, or other spellings of a name.

Every unique name is judged by its own form, by the other names, and by whom it met: two names that
had a contest with each other are two individuals, however similar they look.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.recipe import Choice, Doubt, Severity
from peckorder.text import counted

OUTCOME = (
    r"draws?|drawn|tied?|win|won|loss|lost|lose|undecided|unclear|no winner|half|[<>=]|1-0|0-1"
)
NOBODY = (
    r"unid|unk|unknown|unidentified|not identified|unbekannt|desconocid[oa]|inconnue?"
    r"|desconhecid[oa]|(?:\d+ )?juv(?:enile)?s?|subadults?|adults?|infants?|females?|males?"
    r"|others?|several|group|all|none|null|nan|nobody|both|many|various|someone|stranger"
    r"|total|totals|grand total|sum|summe|gesamt|somme|suma|bye|n/?a|n\.a|missing"
)
SEVERAL = re.compile(r"\s*(?:/|&|\+|;|,|\bor\b|\band\b|\bund\b|\bet\b|\by\b)\s*")
SEPARATED = r"/|&|\+|;|,| or | and | und | et | y "
MOST_NAMES = 100_000  # above which only refusals are looked for
RARE = 0.2  # share of the contests above which a word for an outcome is a name


def canonical(name: str) -> str:
    """A name without marks, brackets, multipliers, leading zeros, decimals, blanks and case.

    >>> canonical("Bella*"), canonical("(Bella)"), canonical("Bella x3"), canonical("007")
    ('bella', 'bella', 'bella', '7')
    """
    text = unicodedata.normalize("NFKC", name).strip().casefold()
    if re.fullmatch(r"\d+(?:\.0+)?(?:e\d{1,2})?", text):
        return str(int(float(text)))
    text = re.sub(r"(?<=\w)\s*[(\[].*[)\]]$|(?<=\w)\s+[x×]\s*\d+$", "", text)
    text = re.sub(r"^\W+|\W+$", "", text)
    return re.sub(r"[\s​_-]+", "", re.sub(r"(?<![\d.])0+(?=\d)", "", text))


def shape(name: str) -> str:
    """The kinds of signs in a name: capitals, small letters, digits, others.

    >>> shape("Abby"), shape("K12"), shape("?")
    ('Aa', 'A9', '?')
    """
    signs = (
        "A" if c.isupper() else "a" if c.isalpha() else "9" if c.isdigit() else c for c in name
    )
    return re.sub(r"(.)\1+", r"\1", "".join(signs))


def stands_for_nobody(name: str) -> bool:
    """Whether a name looks like a word for no identified individual.

    >>> stands_for_nobody("unid."), stands_for_nobody("Unknown?"), stands_for_nobody("Una")
    (True, True, False)
    """
    core = canonical(name)
    return not core or bool(
        re.fullmatch(rf"(?:{NOBODY})(?:[\s_.?-].*|\d*)", name.casefold().strip())
    )


def ignored(name: str) -> Choice:
    """The choice to leave out the contests of a name."""
    return Choice(f'leave out the contests of "{name}"', {"ignore": [name]})


def kept(name: str) -> Choice:
    """The choice that a name is that of an individual."""
    return Choice(f'"{name}" is an individual', {f"names.{name}": name})


def refused_names(
    names: Sequence[str],
    contests: int,
    decided: Collection[str],
    rows_with: Callable[[Iterable[str]], Any],
) -> Iterator[Doubt]:
    """Names that are words for outcomes, or several names, of which most occur alone."""
    series = pl.Series(names, dtype=pl.String)
    words = series.filter(
        series.str.to_lowercase().str.contains(rf"^\s*(?:{OUTCOME})\s*$")
    ).to_list()
    for name in words:
        rows = () if name in decided or len(name) < 2 else rows_with([name])
        if 0 < len(rows) <= RARE * contests + 1:
            choices = ignored(name), kept(name)
            yield Doubt("name", f'"{name}"', "a word for an outcome", choices, rows, "refuse")
    for name in series.filter(series.str.contains(SEPARATED)).to_list():
        if name in decided:
            continue
        whole = {canonical(other) for other in names} if len(names) <= MOST_NAMES else set()
        parts = [canonical(part) for part in SEVERAL.split(name) if part.strip()]
        if len(parts) > 1 and sum(part in whole for part in parts) >= len(parts) / 2:
            rows = rows_with([name])
            choices = ignored(name), kept(name)
            yield Doubt("name", f'"{name}"', "several names", choices, rows, "refuse")


def name_doubts(found: Any) -> Iterator[Doubt]:
    """Cells that may be no names, or other spellings of a name; `found` is the `Evidence`."""
    data = found.contests
    names = data.individuals
    if len(names) > MOST_NAMES:
        return
    size = len(names)
    contests = np.bincount(data.winner, minlength=size) + np.bincount(data.loser, minlength=size)
    counts = dict(zip(names, contests.tolist(), strict=True))
    by: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        by[canonical(name)].append(name)
    shapes = Counter(map(shape, names))
    common = shapes.most_common(1)[0][1]
    for name in names:
        if name in data.aliases:
            continue
        core, number = canonical(name), counts[name]
        best = max(by[core], key=lambda one: (counts[one], one.isalnum(), -len(one)))
        words, text, choices = name.split(), "", [ignored(name)]
        severity: Severity = "ask"
        if stands_for_nobody(name):
            text = "may stand for no identified individual"
        elif best != name and not _met(data, name, best):  # else they are two
            text = f'"{best}" apart from marks, zeros, blanks or case'
            choices = [Choice(f'"{name}" is "{best}"', {f"names.{name}": best}), ignored(name)]
        elif number == 1 and len(words) > 1 and canonical(words[0]) in by:
            text = f'begins with another name, "{words[0]}"'
            first = max(by[canonical(words[0])], key=counts.__getitem__)
            choices = [Choice(f'"{name}" is "{first}"', {f"names.{name}": first}), ignored(name)]
        elif number == 1 and size > 3 and common == size - 1 and shapes[shape(name)] == 1:
            text = f"unlike all other {size - 1} names in its letters, digits and signs"
        if text:
            said = f"{text} ({counted(number, 'contest')})"
            rows = found.rows_with([name])
            yield Doubt("name", f'"{name}"', said, (*choices, kept(name)), rows, severity)


def _met(data: Any, one: str, other: str) -> bool:
    """Whether two individuals had a contest with each other."""
    a, b = data.code(one), data.code(other)
    return bool(
        (((data.winner == a) & (data.loser == b)) | ((data.winner == b) & (data.loser == a))).any()
    )

"""Names that may be one individual spelled in two ways.

Two names are equal in appearance if they agree after these changes: one Unicode form for letters
with accents (NFC), no invisible characters, no blanks, Latin letters in place of those of other
alphabets that look the same (Unicode Technical Standard 39), and one case. For these, the spelling
that occurs most often is proposed. Names that differ in one letter may be a slip of the pen or two
individuals: they are listed, and nothing is proposed.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import polars as pl

MOST_NAMES = 20_000  # beyond, names are not searched for others that differ in one letter
SHORT_CODE = 4
# Cyrillic and Greek letters, and the digit 0, by the Latin letters that they look like.
LOOK_ALIKES = str.maketrans(
    "аеорсухіјѕһԁԛԝАВЕКМНОРСТУХІЈЅΑΒΕΖΗΙΚΜΝΟΡΤΥΧον0",
    "aeopcyxijshdqwABEKMHOPCTYXIJSABEZHIKMNOPTYXovO",
)


def _without_blanks(name: str) -> str:
    return "".join(name.split())


def _without_invisible(name: str) -> str:
    return "".join(sign for sign in name if unicodedata.category(sign) not in ("Cf", "Cc"))


def latin(name: str) -> str:
    """A name with Latin letters in place of those that look the same."""
    wide = (s if s.isspace() else unicodedata.normalize("NFKC", s) for s in name)
    return "".join(wide).translate(LOOK_ALIKES)


# In this order: letters look alike in one case only.
CHANGES: dict[str, Callable[[str], str]] = {
    "Unicode form": partial(unicodedata.normalize, "NFC"),
    "invisible character": _without_invisible,
    "blanks": _without_blanks,
    "look-alike letter": latin,
    "case": str.casefold,
}
ON_SIGHT = ("blanks", "case", "one letter")  # differences that everybody can see


@dataclass(frozen=True)
class Pair:
    """Two names that may be the same individual, and in what they differ."""

    one: str
    other: str
    reason: str

    @property
    def equal(self) -> bool:
        """Whether both are equal in appearance, apart from case and blanks."""
        return self.reason != "one letter"

    def __str__(self) -> str:
        hidden = (
            "" if all(part in ON_SIGHT for part in self.reason.split(", ")) else f" ({self.reason})"
        )
        return f'"{self.one}"/"{self.other}"{hidden}'


def appearance(name: str, *, without: str | None = None) -> str:
    """A name as it looks, ignoring case and blanks; one of these changes may be left out."""
    if without is None and name.isascii() and name.isprintable():  # the same, many times faster
        return _without_blanks(name).replace("0", "O").casefold()
    for what, change in CHANGES.items():
        if what != without:
            name = change(name)
    return name


SIMILAR = "similar"  # as `names`: join spellings that differ only in case or blanks


def joined_spellings(data: Any) -> dict[str, str]:
    """Spellings that differ only in case or blanks, each with the most frequent one.

    Names of two that met in a contest are those of two individuals.
    """
    size = len(data.individuals)
    times = np.bincount(data.winner, minlength=size) + np.bincount(data.loser, minlength=size)
    met = {*zip(data.winner.tolist(), data.loser.tolist(), strict=True)}
    alike: dict[str, list[int]] = {}
    for code, name in enumerate(data.individuals):
        alike.setdefault("".join(name.casefold().split()), []).append(code)
    found = {}
    for codes in alike.values():
        best = max(codes, key=lambda code: times[code])
        for code in codes:
            if code != best and not {(code, best), (best, code)} & met:
                found[data.individuals[code]] = data.individuals[best]
    return found


def near_names(names: Sequence[str], decided: Mapping[str, str] | None = None) -> list[Pair]:
    r"""Pairs of similar names, except those about which the user has decided.

    >>> for pair in near_names(["Abby", "abby", "Cleo", "Cl\u0435o", "Anna", "Anne"]):
    ...     print(pair.reason)
    case
    look-alike letter U+0435
    one letter
    """
    many = len(names) > MOST_NAMES
    looks = {name: appearance(name) for name in (_repeated(names) if many else names)}
    by_looks: dict[str, list[str]] = {}
    for name, look in looks.items():
        by_looks.setdefault(look, []).append(name)
    pairs = [
        Pair(group[0], other, difference(group[0], other))
        for group in by_looks.values()
        for other in group[1:]
    ]
    if not many:
        pairs += [
            Pair(one, other, "one letter")
            for one, other in one_letter_apart(names)
            if looks[one] != looks[other]
        ]
    decided = decided or {}
    return [pair for pair in pairs if pair.one not in decided and pair.other not in decided]


def _repeated(names: Sequence[str]) -> Sequence[str]:
    """Those of very many names that may look like another one: a change of each takes long."""
    looks = pl.Series(names, dtype=pl.String)
    plain = looks.str.to_lowercase().str.replace_all("0", "o", literal=True)
    plain = plain.str.replace_all(r"\s", "")
    apart = looks.str.contains(r"[^\x20-\x7e]")  # signs that may look like others
    return list(names) if apart.any() else looks.filter(plain.is_duplicated()).to_list()


def difference(one: str, other: str) -> str:
    """In what two names of equal appearance differ."""
    needed = [
        what for what in CHANGES if appearance(one, without=what) != appearance(other, without=what)
    ]
    parts = []
    for what in needed or [w for w, change in CHANGES.items() if change(one) != change(other)]:
        signs = _signs(what, one, other)
        parts.append(f"{what if what != 'blanks' or not signs else 'blank'}{signs}")
    return ", ".join(parts) or "spelling"


def _signs(what: str, one: str, other: str) -> str:
    """The characters that make the difference, by their codes, if they cannot be seen."""
    only = set(one) ^ set(other)
    if what == "invisible character":
        found = {sign for sign in only if unicodedata.category(sign) in ("Cf", "Cc")}
    elif what == "look-alike letter":
        found = {sign for sign in only if latin(sign) != sign}
    elif what == "blanks":
        found = {sign for sign in only if sign.isspace() and sign != " "}
    else:
        return ""
    codes = sorted(sign if sign == "0" else f"U+{ord(sign):04X}" for sign in found)
    return f" {' '.join(codes)}" if codes else ""


def one_letter_apart(names: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs of names that differ by the insertion, deletion or change of one letter."""
    buckets: dict[tuple[str, int], list[str]] = {}
    for name in names:
        if len(name) >= 3:
            for i, sign in enumerate(name):
                if sign.isalpha():
                    buckets.setdefault((name[:i] + name[i + 1 :], i), []).append(name)
    found: dict[tuple[str, str], None] = {}
    for group in buckets.values():
        for i, one in enumerate(group[:20]):
            for other in group[i + 1 : 20]:
                found[one, other] = None
    whole = set(names)
    for name in names:
        for i, sign in enumerate(name):
            shorter = name[:i] + name[i + 1 :]
            if sign.isalpha() and len(shorter) >= 3 and shorter in whole:
                found[shorter, name] = None
    return list(found)


def are_codes(names: Sequence[str]) -> bool:
    """Whether names are short codes of equal length, which often differ in one letter only.

    What all of three or more names begin with (model-a, model-b, …) is no part of their codes.
    """
    if len({len(name) for name in names}) != 1:
        return False
    letters = enumerate(zip(*names, strict=True))
    stem = next(i for i, each in letters if len({*each}) > 1) if len(names) > 2 else 0
    return len(names[0]) - stem <= SHORT_CODE


def proposed(
    names: Sequence[str], contests: np.ndarray, decided: Mapping[str, str]
) -> pl.DataFrame:
    """A sheet of aliases to be edited: the correct name of every doubtful spelling.

    Names of equal appearance get the spelling that occurs most often. Names that differ in one
    letter keep their own name, which changes nothing when the sheet is used as it is.
    """
    number = dict(zip(names, contests.tolist(), strict=True))
    pairs = near_names(names, decided)
    alike: dict[str, list[str]] = {}
    for pair in pairs:
        if pair.equal:
            alike.setdefault(pair.one, [pair.one]).append(pair.other)
    rows, seen = [], set()
    for group in alike.values():
        best = max(group, key=lambda name: number[name])
        for name in group:
            if name != best:
                rows.append((name, best, number[name], best, difference(best, name)))
                seen.add(name)
    for pair in [] if are_codes(names) else pairs:
        rarer, other = sorted((pair.one, pair.other), key=lambda name: number[name])
        if not pair.equal and rarer not in seen:
            rows.append((rarer, rarer, number[rarer], other, pair.reason))
            seen.add(rarer)
    return pl.DataFrame(
        rows,
        schema={
            "name": pl.String,
            "individual": pl.String,
            "contests": pl.Int64,
            "similar to": pl.String,
            "difference": pl.String,
        },
        orient="row",
    )

"""Several individuals in one cell: `Abby, Bella` or `Abby & Cora` against `Dan`.

A comma or an `and` is no proof: `Smith, John` is one individual. A cell is taken to name several
individuals if at least one of its parts also occurs alone as a name elsewhere; then other cells
with the same sign are taken so, too. A slash is common in names of single individuals (`R/B`), so
all parts must be known there.
"""

from __future__ import annotations

import re

import numpy as np
import polars as pl

from peckorder.data.arrays import MOST_FROM_COUNTS
from peckorder.data.shapes import Draft, too_many
from peckorder.sources.sheet import Sheet
from peckorder.wording import counted, option, quoted, rows

RULES = ("refuse", "dyads", "drop", "keep")
SIGNS = re.compile(r"[,;&+]|(?<=\s)(?:and|und|et|y)(?=\s)", re.IGNORECASE)
SLASH = "/"
POSSIBLE = re.compile(r"[,;&+/]|\s(?:and|und|et|y)\s", re.IGNORECASE)


def several_in(
    names: list[str], suspects: list[str], *, certain: bool = False
) -> dict[str, tuple[str, ...]]:
    """The names that stand for several individuals, and their parts.

    `suspects` are the names that match POSSIBLE. `certain` states that there are such cells, so
    that no part needs to occur alone.

    >>> several_in(["Abby, Bella", "Abby", "Dan", "Smith, John"], ["Abby, Bella", "Smith, John"])
    {'Abby, Bella': ('Abby', 'Bella'), 'Smith, John': ('Smith', 'John')}
    >>> several_in(["Smith, John", "Doe, Jane", "Dan"], ["Smith, John", "Doe, Jane"])
    {}
    """
    if not suspects:
        return {}
    parts = {name: _parts(name) for name in suspects}
    parts = {name: found for name, found in parts.items() if len(found) > 1}
    alone = {name.casefold() for name in names if name not in parts}
    known = alone | (_crossing(parts) if alone - {""} else set())
    proven = {
        _sign(name)
        for name, found in parts.items()
        if any(part.casefold() in known for part in found) and _sign(name) != SLASH
    }
    if certain and not proven:
        proven = {_sign(name) for name in parts} - {SLASH}
    return {
        name: found
        for name, found in parts.items()
        if _sign(name) in proven or all(part.casefold() in alone for part in found)
    }


def _parts(name: str) -> tuple[str, ...]:
    pieces = SIGNS.split(name) if SIGNS.search(name) else name.split(SLASH)
    return tuple(dict.fromkeys(piece.strip() for piece in pieces if piece.strip()))


def _sign(name: str) -> str:
    """The first sign between the parts; words count as one sign."""
    found = SIGNS.search(name)
    if found is None:
        return SLASH
    return found[0] if len(found[0]) == 1 and not found[0].isalpha() else "and"


def _crossing(parts: dict[str, tuple[str, ...]]) -> set[str]:
    """Parts that come first in one cell and later in another, unlike a surname."""
    first = {found[0].casefold() for found in parts.values()}
    return first & {part.casefold() for found in parts.values() for part in found[1:]}


def separate(sheet: Sheet, draft: Draft, rule: str) -> None:
    """Refuse rows with several individuals in a cell, split them into dyads, or drop them."""
    if rule == "keep":
        return
    names, suspects = draft.names.names, draft.names.matching(POSSIBLE)
    found = several_in(names, suspects, certain=rule != "refuse")
    if not found:
        unsure = [name for name in suspects if SIGNS.search(name) and len(_parts(name)) > 1]
        if unsure and not sheet.streamed:
            draft.notes.append(_as_single(unsure))
        return
    joint = np.array([name in found for name in names], bool)
    involved = joint[draft.first] | joint[draft.second]
    places = np.unique(draft.places[involved])
    if rule == "refuse":
        _refuse(sheet, draft, places, found)
    elif not involved.any():
        return
    elif rule == "drop":
        draft.dropped["several individuals in one cell"] = int(places.size)
        draft.keep(~involved)
    else:
        _as_dyads(sheet, draft, involved, found)


def _as_single(names: list[str]) -> str:
    return (
        f"Read as {'the name' if len(names) == 1 else 'names'} of one individual"
        f"{'' if len(names) == 1 else ' each'}: {quoted(names, limit=5)}. If several individuals "
        f"are meant, use {option('polyadic', 'dyads')} or {option('polyadic', 'drop')}."
    )


def _refuse(
    sheet: Sheet, draft: Draft, places: np.ndarray, found: dict[str, tuple[str, ...]]
) -> None:
    where = rows(sheet.row_word, sheet.rows(places)) if places.size else sheet.name
    draft.problems.append(
        f"{where}: several individuals in one cell: {quoted(found, limit=5)}. Use "
        f"{option('polyadic', 'dyads')} to read one contest for each pair of a winner and a loser, "
        f"{option('polyadic', 'drop')} to leave such rows out, or {option('polyadic', 'keep')} if "
        f"each of these is the name of one individual."
    )


def _as_dyads(
    sheet: Sheet, draft: Draft, involved: np.ndarray, found: dict[str, tuple[str, ...]]
) -> None:
    """One contest for each pair of an individual of one side and one of the other."""
    names = draft.names.names
    singles = [found.get(name, (name,)) for name in names]
    sizes = np.array([len(parts) for parts in singles])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    flat = pl.Series([part for parts in singles for part in parts], dtype=pl.String)
    codes, _ = draft.names.add(flat, flat)
    one, other = draft.first, draft.second
    times = sizes[one] * sizes[other]
    if times.sum() > MOST_FROM_COUNTS:
        draft.problems.append(too_many(sheet, float(times.sum())))
        return
    rows_joint = int(np.unique(draft.places[involved]).size)
    contests = int(times[involved].sum())
    repeated = np.repeat(np.arange(len(one)), times)
    within = np.arange(len(repeated)) - np.repeat(np.cumsum(times) - times, times)
    draft.keep(repeated)
    opponents = sizes[draft.second]
    draft.first = codes[starts[draft.first] + within // opponents]
    draft.second = codes[starts[draft.second] + within % opponents]
    draft.notes.append(
        f"{counted(rows_joint, 'row')} with several individuals in one cell "
        f"({quoted(found, limit=3)}) {'was' if rows_joint == 1 else 'were'} read as "
        f"{counted(contests, 'contest')}, one for each pair of a winner and a loser. Each counts "
        f"as much as any other contest, so that these rows have more weight; "
        f"{option('polyadic', 'drop')} leaves them out."
    )

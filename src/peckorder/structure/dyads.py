"""Dyads: which individual dominates, which dyads are tied, and which are unknown.

The functions are methods of contests and matrices.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import polars as pl

from peckorder.data.contests import Contests
from peckorder.data.date_columns import moment
from peckorder.data.read import Data, opened
from peckorder.data.win_counts import TIES, WinCounts, chances, win_counts
from peckorder.errors import ArgumentError, DataError
from peckorder.results import Measure
from peckorder.text import counted
from peckorder.validate import CountedTies

MANY_UNKNOWN = 0.2
NO_ONE = -1


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Dyads(Measure):
    """Numbers and shares of dyads of each kind; the table has one row per dyad."""

    dyads: int
    unknown: int  # without contests
    tied: int
    one_way: int  # all contests won by the same individual
    two_way: int  # including tied dyads
    unknown_share: float  # of all dyads
    tied_share: float  # of the dyads with contests, as those below
    one_way_share: float
    two_way_share: float


def dyads(
    data: Data,
    *,
    index: Literal["dij", "pij", "binomial"] = "dij",
    ties: CountedTies = "omit",
) -> Dyads:
    """Wins, relation and dominant individual of each dyad, and the share of each kind.

    Parameters
    ----------
    data : Contests or Matrix
    index, ties : as in `davids_score`

    Returns
    -------
    Dyads
        Table: a, b, a_wins, b_wins, contests, a_chance, b_chance (the dominance index), relation
        ("dominates", "tied", "unknown") and dominant. Values: counts of `dyads`, `unknown`,
        `tied`, `one_way` (all contests won by the same individual) and `two_way` (including tied
        dyads); `unknown_share` of all dyads; and `tied_share`, `one_way_share` and
        `two_way_share` of the dyads with contests.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.datasets.bonobos().dyads()
    >>> found.unknown, found.one_way, found.two_way
    (3, 14, 4)
    """
    data = opened(data)
    counts = win_counts(data, ties=ties, cautious=False)
    a, b = counts.dyads
    won, lost = counts.score[a, b], counts.score[b, a]
    seen = counts.seen[a, b]
    chance = np.where(counts.seen, chances(counts, index), np.nan)
    relation = np.where(~seen, "unknown", np.where(won == lost, "tied", "dominates"))
    dominant = np.where(won > lost, a, np.where(lost > won, b, NO_ONE))
    one_way = seen & ((won == 0) | (lost == 0))
    two_way = seen & ~one_way
    known = int(seen.sum())
    values = {
        "dyads": len(a),
        "unknown": int((~seen).sum()),
        "tied": int((relation == "tied").sum()),
        "one_way": int(one_way.sum()),
        "two_way": int(two_way.sum()),
        "unknown_share": 1 - known / len(a),
        "tied_share": int((relation == "tied").sum()) / known,
        "one_way_share": int(one_way.sum()) / known,
        "two_way_share": int(two_way.sum()) / known,
    }
    return Dyads(
        method="dyads",
        data=counts,
        **values,
        frame=pl.DataFrame(
            {
                "a": _names(a, counts),
                "b": _names(b, counts),
                "a_wins": counts.whole(won),
                "b_wins": counts.whole(lost),
                "contests": counts.contests[a, b],
                "a_chance": pl.Series(chance[a, b]).fill_nan(None),
                "b_chance": pl.Series(chance[b, a]).fill_nan(None),
                "relation": relation,
                "dominant": _names(dominant, counts),
            }
        ),
        summary=(
            f"Of {counted(len(a), 'dyad')}, {_unknown(values['unknown'], counts)}, "
            f"{values['one_way']:,} are one-way and {values['two_way']:,} two-way "
            f"({values['tied']:,} of them tied).",
            *counts.notes,
        ),
        settings={"index": index, "ties": ties},
        citations=("devries1995", "devries2006"),
    )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Reversals(Measure):
    """Dyads in which dominance reversed; the table has the dyads with contests in both periods."""

    value: float | None  # share of reversals among the dyads compared
    reversals: int
    compared: int  # dyads with a dominant individual in both periods
    seen_in_both: int  # dyads with contests in both periods


def reversals(data: Data, *, at: object, ties: CountedTies = "omit") -> Reversals:
    """Dyads in which dominance reversed between two periods.

    Parameters
    ----------
    data : Contests, with a known order of contests
    at : date, or number of a contest if there are no dates
        Start of the second period.
    ties : {"omit", "half", "both"}

    Returns
    -------
    Reversals
        Values: number of `reversals` among the `compared` dyads (those with a dominant
        individual in both periods), and their share, `value`. Table: one row per dyad with
        contests in both periods.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.datasets.adv().reversals(at="2010-01-15")
    >>> found.reversals, found.compared
    (2, 5)
    """
    data = opened(data)
    if not isinstance(data, Contests) or not data.ordered:
        raise DataError("Reversals need contests in order; a matrix cannot be split into periods.")
    counts = win_counts(data, ties=ties, cautious=False)
    later = data.times >= moment(at, data.times, end_of_day=False)
    if later.all() or not later.any():
        side = "on or after" if later.all() else "before"
        raise ArgumentError(
            f"All contests are {side} {at}, so one of the two periods is empty. Split the data at "
            f"a date, or a contest number, inside the study."
        )
    score = []
    for part in (~later, later):
        drawn = None if data.draw is None else data.draw[part]
        own = Contests(data.individuals, data.winner[part], data.loser[part], drawn).matrix()
        score.append(own.wins + TIES[ties] * own.draws)
    a, b = counts.dyads
    before, after = (np.sign(own[a, b] - own[b, a]) for own in score)
    seen = np.logical_and(*((own[a, b] + own[b, a]) > 0 for own in score))
    compared = seen & (before != 0) & (after != 0)
    reversed_ = compared & (before != after)
    who = [np.where(sign > 0, a, np.where(sign < 0, b, NO_ONE)) for sign in (before, after)]
    values = {
        "value": float(reversed_.sum() / compared.sum()) if compared.any() else None,
        "reversals": int(reversed_.sum()),
        "compared": int(compared.sum()),
        "seen_in_both": int(seen.sum()),
    }
    columns = {"a": a, "b": b, "dominant_before": who[0], "dominant_after": who[1]}
    frame = pl.DataFrame(
        {name: _names(column[seen], counts) for name, column in columns.items()}
    ).with_columns(reversed=pl.Series(reversed_[seen]))
    frame = frame.sort("reversed", descending=True, maintain_order=True)
    return Reversals(
        method="reversals",
        data=counts,
        **values,
        frame=frame,
        summary=(
            f"Dominance reversed in {values['reversals']:,} of "
            f"{counted(values['compared'], 'dyad')} with a dominant individual in both periods.",
            *counts.notes,
        ),
        settings={"at": str(at), "ties": ties},
    )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class UnknownDyads(Measure):
    """Shares and numbers of unknown dyads; the table lists them."""

    value: float  # share of all dyads
    unknown: int
    dyads: int
    co_resident: float | None  # share of the dyads ever present together
    co_resident_unknown: int | None
    co_resident_dyads: int | None


def unknown_dyads(data: Data, *, ties: CountedTies = "omit") -> UnknownDyads:
    """Share of unknown dyads (no contest), among all dyads and among co-resident ones.

    Parameters
    ----------
    data : Contests or Matrix
    ties : {"omit", "half", "both"}

    Returns
    -------
    UnknownDyads
        Values: `value` (share of all dyads), `unknown`, `dyads`; and, if presence is recorded, the
        same for dyads present together on at least one day: `co_resident`,
        `co_resident_unknown`, `co_resident_dyads` (None otherwise). Table: the unknown dyads.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.datasets.bonobos().unknown_dyads()
    >>> found.unknown, found.dyads, round(found.value, 4)
    (3, 21, 0.1429)
    """
    data = opened(data)
    counts = win_counts(data, ties=ties, cautious=False)
    a, b = counts.dyads
    unknown = ~counts.seen[a, b]
    values: dict[str, Any] = {
        "value": float(unknown.mean()),
        "unknown": int(unknown.sum()),
        "dyads": len(a),
        "co_resident": None,
        "co_resident_unknown": None,
        "co_resident_dyads": None,
    }
    frame = pl.DataFrame({"a": _names(a[unknown], counts), "b": _names(b[unknown], counts)})
    together = counts.together
    sentence = (
        f"Of {counted(len(a), 'dyad')}, {_unknown(values['unknown'], counts)} "
        f"({values['value']:.0%})"
    )
    if together is not None:
        met, open_ = together[a, b], together[a, b] & unknown
        values["co_resident_dyads"] = int(met.sum())
        values["co_resident_unknown"] = int(open_.sum())
        values["co_resident"] = open_.sum() / met.sum() if met.any() else None
        frame = frame.with_columns(co_resident=pl.Series(met[unknown]))
        sentence += (
            f"; of the {values['co_resident_dyads']:,} ever present together, "
            f"{values['co_resident_unknown']:,}"
        )
    return UnknownDyads(
        method="unknown_dyads",
        data=counts,
        **values,
        frame=frame,
        summary=(sentence + ".", *counts.omitted),
        settings={"ties": ties},
        citations=("devries1995",),
    )


def unknown_in_words(counts: WinCounts) -> str | None:
    """A caution if many dyads are unknown, not counting those that were never co-resident."""
    a, b = counts.dyads
    unknown = ~counts.seen[a, b]
    together = counts.together
    structural = 0
    if together is not None:
        structural = int((unknown & ~together[a, b]).sum())
        unknown &= together[a, b]
    possible = len(a) - structural
    if possible == 0 or unknown.sum() / possible <= MANY_UNKNOWN:
        return None
    never_met = f" ({structural:,} more were never present together)" if structural else ""
    return (
        f"{int(unknown.sum()):,} of {counted(possible, 'dyad')} ({unknown.sum() / possible:.0%}) "
        f"are unknown{never_met} and count as 0, which lowers the estimated steepness. If "
        f"subordinates keep their distance, record avoidance as contests with their own "
        f"context; if the two are often close without contests, 0 is appropriate; if they are "
        f"rarely close, the dyad is unresolved, and another matrix may decide it. Compare groups "
        f"only at similar sampling effort."
    )


def _unknown(number: int, counts: WinCounts) -> str:
    kind = "decided contest" if counts.left_out else "contest"
    return f"{number:,} {'has' if number == 1 else 'have'} no {kind}"


def _names(codes: np.ndarray, counts: WinCounts) -> pl.Series:
    names = [counts.individuals[code] if code != NO_ONE else None for code in codes.tolist()]
    return pl.Series(names, dtype=pl.String)

"""Gaps between visits, and how many displacements each threshold gives.

A threshold that is too long counts arrivals by chance, which go either way. Therefore the table
contains the directional consistency (van Hooff & Wensing 1987) of the displacements of each
threshold, beside their number: it falls where chance arrivals are added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.displacements import OVERLAPS, Arrivals, read_arrivals
from peckorder.data.visits import SECOND, duration, duration_text
from peckorder.errors import ArgumentError, DataError
from peckorder.methods import METHODS
from peckorder.results.measures import FurtherTable, Measure
from peckorder.text import counted, option
from peckorder.validate import one_of, several

THRESHOLDS = (0, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600)
BINS_PER_DECADE = 6
FEW = 1000  # individuals whose dyads are counted in a table of all pairs
SHORTEST, LONGEST = 0.1, 1e6  # seconds; limits of the bins


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class VisitGaps(Measure):
    """Gaps between visits; the table has one row per threshold."""

    visits: int
    arrivals: int  # after another individual had left
    overlapping: int  # arrivals before the other one left
    median: float | None  # gap in seconds
    gaps = FurtherTable("Histogram of gaps: low, high (seconds) and arrivals.")


def visit_gaps(
    visits: Any,
    *,
    thresholds: Sequence[Any] | None = None,
    overlap: str = "omit",
    min_stay: Any = 0,
    merge: Any = None,
    missing_end: str = "refuse",
    individual: str | None = None,
    place: str | bool | None = None,
    start: str | None = None,
    end: str | bool | None = None,
    date: str | bool | None = None,
    date_format: str | None = None,
    missing: str = "refuse",
    sheet: str | int | None = None,
    separator: str | None = None,
    encoding: str | None = None,
    header: int | None = None,
    glob: bool | None = None,
) -> VisitGaps:
    """Times between a departure and the next arrival, and the displacements of each threshold.

    Parameters
    ----------
    visits : as in `displacements`
    thresholds : sequence of durations, optional
        Thresholds to compare; default 0 s to 10 min.
    overlap, min_stay, merge, missing_end, individual, place, start, end, date, date_format, \
missing, sheet, separator, encoding, header, glob : as in `displacements`

    Returns
    -------
    VisitGaps
        Table: within (seconds), displacements, dyads (with at least one), individuals, and
        consistency (directional consistency index of the displacements). Values: numbers of
        `visits`, of `arrivals` after another individual had left and of those `overlapping` with
        it, and the `median` gap in seconds. Table `gaps`: low, high (seconds) and arrivals, the
        histogram of gaps.

    Examples
    --------
    >>> import peckorder as po
    >>> seconds = {"id": ["Abe", "Bo", "Abe", "Cy"], "feeder": [1, 1, 1, 1],
    ...            "start": [0, 31, 80, 200], "end": [30, 75, 140, 260]}
    >>> found = po.visit_gaps(seconds, thresholds=["2s", "10s", "60s"])
    >>> found.table.select("within", "displacements", "dyads").rows()
    [(2.0, 1, 1), (10.0, 2, 1), (60.0, 3, 2)]
    """
    one_of("overlap", overlap, OVERLAPS)
    limits = _limits(thresholds)
    shortest = duration("min_stay", min_stay)
    found = read_arrivals(
        visits,
        {"individual": individual, "place": place, "start": start, "end": end, "date": date},
        merge,
        date_format=date_format,
        missing=missing,
        missing_end=missing_end,
        sheet=sheet,
        separator=separator,
        encoding=encoding,
        header=header,
        glob=glob,
    )
    if not len(found.visit):
        raise DataError(
            f"{found.visits.report.source}: no individual arrived at a place after another one had "
            f"left. Check the column of places ({option('place')})."
        )
    table = _table(found, limits, overlap, shortest)
    gaps = found.gap[(found.gap >= 0) & (found.stay >= shortest)] / SECOND
    every = found.contests(np.ones(len(found.visit), bool))
    median = float(np.median(gaps)) if gaps.size else None
    return VisitGaps(
        method="visit_gaps",
        data=every,
        visits=len(found.visits.who),
        arrivals=int(gaps.size),
        overlapping=int(found.overlapping.sum()),
        median=median,
        frame=table,
        tables={"gaps": histogram(gaps)},
        summary=_summary(found, gaps, table),
        settings={
            "overlap": overlap,
            "min_stay": shortest / SECOND,
            "merge": merge,
            "missing_end": missing_end,
        },
        citations=METHODS["visit_gaps"].citations,
    )


def _limits(thresholds: Sequence[Any] | None) -> list[int]:
    given = THRESHOLDS if thresholds is None else several("thresholds", thresholds)
    limits = sorted({duration("thresholds", one) for one in given})
    if not limits:
        raise ArgumentError(f"{option('thresholds')} is empty. Give durations such as 2s.")
    return limits


def _table(found: Arrivals, limits: list[int], overlap: str, min_stay: int) -> pl.DataFrame:
    """Displacements by threshold: their number, and how consistent they are within dyads."""
    winner, loser = found.visits.who[found.visit], found.before
    size = len(found.visits.individuals)
    low, high = np.minimum(winner, loser), np.maximum(winner, loser)
    dyad = low.astype(np.int64) * size + high
    dyads = np.arange(size * size if size <= FEW else 0)
    if size > FEW:
        dyads, dyad = np.unique(dyad, return_inverse=True)
    rows = []
    for limit in limits:
        chosen = found.counted(limit, overlap, min_stay)
        number = np.bincount(dyad[chosen], minlength=len(dyads))
        forward = np.bincount(dyad[chosen & (winner == low)], minlength=len(dyads))
        total, more = int(chosen.sum()), int(np.maximum(forward, number - forward).sum())
        met = dyads[number > 0]
        rows.append(
            {
                "within": limit / SECOND,
                "displacements": total,
                "dyads": len(met),
                "individuals": int(np.union1d(met // size, met % size).size),
                "consistency": (2 * more - total) / total if total else None,
            }
        )
    return pl.DataFrame(rows)


def histogram(gaps: np.ndarray) -> pl.DataFrame:
    """Numbers of gaps in bins of equal width on a logarithmic scale; the first begins at 0."""
    decades = int(np.log10(LONGEST / SHORTEST))
    edges = np.concatenate(
        [[0.0], SHORTEST * 10 ** (np.arange(decades * BINS_PER_DECADE + 1) / BINS_PER_DECADE)]
    )
    edges[-1] = np.inf
    number = np.histogram(gaps, edges)[0]
    last = int(np.flatnonzero(number)[-1]) + 1 if number.any() else 1
    return pl.DataFrame(
        {"low": edges[:last], "high": edges[1 : last + 1], "arrivals": number[:last]}
    )


def _summary(found: Arrivals, gaps: np.ndarray, table: pl.DataFrame) -> tuple[str, ...]:
    said = [
        f"{counted(len(found.visits.who), 'visit')} of "
        f"{counted(len(found.visits.individuals), 'individual')} to "
        f"{counted(len(found.visits.places), 'place')}; {counted(int(gaps.size), 'arrival')} after "
        f"another individual had left."
    ]
    if gaps.size:
        low, high = (duration_text(q * SECOND) for q in np.quantile(gaps, [0.25, 0.75]))
        said.append(
            f"Median gap {duration_text(np.median(gaps) * SECOND)} (quartiles {low} and {high})."
        )
    overlapping = int(found.overlapping.sum())
    if overlapping:
        said.append(
            f"In {counted(overlapping, 'arrival')}, the other individual was still there; "
            f"{option('overlap')} determines their treatment."
        )
    said.append(METHODS["visit_gaps"].caveat)
    return tuple(said)

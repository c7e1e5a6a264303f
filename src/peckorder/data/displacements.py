"""Contests from visits: an individual that arrives right after another left has replaced it.

At a feeder or antenna with room for one, the time between the departure of one visitor and the
arrival of the next is short if the newcomer drove the other away. Feeders of dairy cows (26 s,
Huzzey et al. 2014) and of beef cattle (18 s, O'Reilly et al. 2024) have been compared with
observations in this way. The threshold depends on the species and on the device; `visit_gaps` shows
what each one gives.

The sequence at a place constrains its outcomes: whoever replaced the last sitter is the next one to
be replaced, so wins and losses of an individual at a place alternate while visits follow each other
within the threshold. Methods that take contests as independent overstate their certainty.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import polars as pl

from peckorder.data.contests import Contests
from peckorder.data.import_report import Labels
from peckorder.data.names import recoded
from peckorder.data.visits import SECOND, Visits, duration, duration_text, read_visits
from peckorder.errors import DataError
from peckorder.kernels.visits import CONTINUED, SEVERAL, SIMULTANEOUS, arrivals
from peckorder.text import counted, either, option, rows
from peckorder.validate import one_of

OVERLAPS = ("omit", "count", "refuse")
ANY_BREAK = np.iinfo(np.int64).max // 4


@dataclass(frozen=True, eq=False)
class Arrivals:
    """Arrivals at a place after another individual: indices of visits, whom they follow, times.

    `gap` is negative if the other individual was still there; `stay` is the time that the newcomer
    stayed and `outlasts` whether it left after the other. Times are in microseconds.
    """

    visits: Visits
    visit: np.ndarray
    before: np.ndarray
    gap: np.ndarray
    stay: np.ndarray
    outlasts: np.ndarray
    continued: int
    simultaneous: int
    ambiguous: int

    @property
    def overlapping(self) -> np.ndarray:
        """Whether the newcomer arrived before the other individual had left."""
        return self.gap < 0

    def counted(self, within: int, overlap: str, min_stay: int) -> np.ndarray:
        """Whether each arrival is a displacement."""
        right_after = (self.gap >= 0) & (self.gap <= within)
        if overlap == "count":
            right_after |= self.overlapping & (-self.gap <= within) & self.outlasts
        return right_after & (self.stay >= min_stay)

    def contests(self, chosen: np.ndarray, notes: tuple[str, ...] = ()) -> Contests:
        """The chosen arrivals as contests in order of time, won by the newcomer."""
        visits = self.visits
        chosen = np.flatnonzero(chosen)
        # Visits are sorted by place, so contests at the same time are in the order of places.
        chosen = chosen[np.argsort(visits.start[self.visit[chosen]], kind="stable")]
        visit = self.visit[chosen]
        winner, loser, individuals = recoded(
            visits.who[visit], self.before[chosen], visits.individuals
        )
        start = visits.start[visit]
        extra = pl.DataFrame({"gap": self.gap[chosen] / SECOND, "stay": self.stay[chosen] / SECOND})
        return Contests(
            individuals,
            winner,
            loser,
            date=start.astype("datetime64[us]") if visits.dated else start / SECOND,
            context=Labels(visits.place[visit], visits.places),
            rows=visits.rows[visit],
            extra=extra,
            report=replace(visits.report, notes=(*visits.report.notes, *notes)),
        )


def arrivals_of(visits: Visits, longest_break: int) -> Arrivals:
    """Every arrival after another individual at the same place."""
    number = len(visits.who)
    before = np.empty(number, np.int32)
    left, until = np.empty(number, np.int64), np.empty(number, np.int64)
    arrivals(visits.place, visits.who, visits.start, visits.end, longest_break, before, left, until)
    after_another = np.flatnonzero((before >= 0) & (before != visits.who))
    left, until = left[after_another], until[after_another]
    return Arrivals(
        visits,
        after_another,
        before[after_another],
        visits.start[after_another] - left,
        until - visits.start[after_another],
        until > left,
        int((before == CONTINUED).sum()),
        int((before == SIMULTANEOUS).sum()),
        int((before == SEVERAL).sum()),
    )


def displacements(
    visits: Any,
    *,
    within: Any,
    overlap: Literal["omit", "count", "refuse"] = "omit",
    min_stay: Any = 0,
    merge: Any = None,
    missing_end: Literal["refuse", "start"] = "refuse",
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
) -> Contests:
    """Contests from visits to feeders or antennas: who replaced whom.

    The individual that arrives at a place within a threshold after another one left is the winner,
    and the one that left is the loser. An arrival is compared with the individual that left this
    place last.

    Parameters
    ----------
    visits : path or table
        One row per visit, with columns for the individual, the place, the start and the end, or
        per detection, with a single time. All sources of `read` are possible.
    within : duration
        Longest time from the departure to the arrival, such as `"2s"`, `"500ms"` or a number of
        seconds. Not set by default, because it depends on species and device: see `visit_gaps`.
    overlap : {"omit", "count", "refuse"}
        Arrivals before the other individual had left: not counted; counted if the other left
        within the threshold after the arrival and the newcomer stayed longer; or an error.
    min_stay : duration
        Shortest stay of the newcomer; shorter ones are not counted.
    merge : duration, optional
        Consecutive visits of an individual to a place, with no other arrival in between, are one
        stay. With `merge`, only if the break is not longer. Affects `min_stay` only.
    missing_end : {"refuse", "start"}
        Visits without an end: an error, or detections at their start.
    individual : str, optional
        Column of the individual; common names of this and of the following columns are detected.
    place : str, optional
        Column of the place; `""` if there is one place only.
    start : str, optional
        Column of the start of the visit; numbers are times in seconds.
    end : str, optional
        Column of its end; `""` to use starts only.
    date : str, optional
        Column of the date, if starts and ends are times of day.
    date_format, missing, sheet, separator, encoding, header, glob : as in `read`

    Returns
    -------
    Contests
        Contests with the time of arrival as date and the place as context. Columns gap and stay
        (seconds) are in `extra`.

    Examples
    --------
    >>> import peckorder as po
    >>> visits = {"id": ["Abe", "Bo", "Cy"], "feeder": [1, 1, 1],
    ...           "start": ["2026-01-05 09:00:00", "2026-01-05 09:00:31", "2026-01-05 09:05:00"],
    ...           "end": ["2026-01-05 09:00:30", "2026-01-05 09:01:10", "2026-01-05 09:05:20"]}
    >>> found = po.displacements(visits, within="2s")
    >>> found.to_table().select("winner", "loser", "context", "gap").rows()
    [('Bo', 'Abe', '1', 1.0)]
    """
    threshold, shortest = duration("within", within), duration("min_stay", min_stay)
    one_of("overlap", overlap, OVERLAPS)
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
    if overlap == "refuse" and found.overlapping.any():
        where = found.visits.labels(found.visit[found.overlapping])
        raise DataError(
            f"{rows(found.visits.report.row_word, where)}: the visit starts before another "
            f"individual has left this place. Correct the times, or use "
            f"{option('overlap', 'omit')} or {option('overlap', 'count')}."
        )
    chosen = found.counted(threshold, overlap, shortest)
    notes = _notes(found, chosen, threshold, overlap, shortest)
    if not chosen.any():
        raise DataError(
            f"{found.visits.report.source}: no displacements within {duration_text(threshold)}. "
            f"{_nearest(found, overlap)} {' '.join(notes[1:])}".rstrip()
        )
    return found.contests(chosen, notes)


def read_arrivals(source: Any, columns: dict[str, Any], merge: Any, **reading: Any) -> Arrivals:
    """Arrivals after another individual, from a table of visits."""
    longest_break = ANY_BREAK if merge is None else duration("merge", merge)
    return arrivals_of(read_visits(source, columns, **reading), longest_break)


def _nearest(found: Arrivals, overlap: str) -> str:
    gaps = found.gap[found.gap >= 0]
    if gaps.size == 0:
        return "No individual arrived after another one had left the same place."
    longer = either("visit_gaps shows", "--gaps shows")
    return (
        f"The shortest time from a departure to the next arrival is {duration_text(gaps.min())}; "
        f"{longer} all of them."
    )


def _notes(
    found: Arrivals, chosen: np.ndarray, within: int, overlap: str, min_stay: int
) -> tuple[str, ...]:
    visits = found.visits
    notes = [
        f"{counted(len(visits.who), 'visit')} to {counted(len(visits.places), 'place')}: "
        f"{counted(int(chosen.sum()), 'displacement')} within {duration_text(within)}."
    ]
    if found.continued:
        notes.append(
            f"{counted(found.continued, 'visit')} continued a stay of the same individual at the "
            f"same place."
        )
    if found.simultaneous:
        notes.append(
            f"{counted(found.simultaneous, 'visit')} started at the same time as that of another "
            f"individual at the same place and {'was' if found.simultaneous == 1 else 'were'} not "
            f"counted."
        )
    if found.ambiguous:
        notes.append(
            f"{counted(found.ambiguous, 'arrival')} after several individuals that left at the "
            f"same time {'was' if found.ambiguous == 1 else 'were'} not counted."
        )
    early = int((found.overlapping & ~chosen).sum())
    if early:
        more = f"; {option('overlap', 'count')} counts those that ended soon" * (overlap == "omit")
        notes.append(
            f"{counted(early, 'arrival')} before the other individual had left "
            f"{'was' if early == 1 else 'were'} not counted{more}."
        )
    short = int((found.counted(within, overlap, 0) & ~chosen).sum())
    if short:
        notes.append(
            f"{counted(short, 'newcomer')} stayed less than {duration_text(min_stay)} and "
            f"{'was' if short == 1 else 'were'} not counted."
        )
    return tuple(notes)

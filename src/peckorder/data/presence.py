"""Presence data: the periods (stints) during which each individual was in the group.

Presence is recorded by day, or by whole number if the dates of contests are numbers. The first and
the last day of a stint are both included.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from peckorder import notebook
from peckorder.data.date_columns import date_column, date_words, whole_days
from peckorder.errors import DataError
from peckorder.text import counted

ONE_DAY = np.timedelta64(1, "D")
FROM_CONTESTS = "Presence was inferred from the first and last contest of each individual."


@dataclass(frozen=True, eq=False, repr=False)
class Presence:
    """Stints of presence, sorted by individual (in order of appearance) and date.

    Attributes
    ----------
    individual : tuple of str
        One entry per stint; an individual may have several.
    start, end : datetime64[D] or float arrays
        First and last day of each stint; an open end is stored as the largest date.
    notes : tuple of str
        Remarks on how the data were read.

    Examples
    --------
    >>> import peckorder as po
    >>> stays = {"individual": ["Abe", "Bo"], "start": ["2020-01-01", "2020-02-01"]}
    >>> po.read_presence(stays | {"end": ["2020-03-01", "2020-03-01"]})
    Presence: 2 stints of 2 individuals, from 2020-01-01
    """

    individual: tuple[str, ...]
    start: np.ndarray
    end: np.ndarray
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        names = tuple(map(str, self.individual))
        start, end = np.asarray(self.start), np.asarray(self.end)
        if not start.shape == end.shape == (len(names),):
            raise DataError(
                f"individual, start and end of presence data must have one entry per stint, but "
                f"have the lengths {len(names)}, {start.size} and {end.size}."
            )
        if not (start.dtype.kind == end.dtype.kind and start.dtype.kind in "Mfiu"):
            raise DataError(
                f"start and end of presence data must both be dates, or both numbers, not "
                f"{start.dtype} and {end.dtype}."
            )
        kind = "datetime64[D]" if start.dtype.kind == "M" else "f8"
        start, end = start.astype(kind, copy=False), end.astype(kind, copy=False)
        bad = np.flatnonzero(~(start <= end))  # also where one is missing
        if bad.size:
            raise DataError(
                f'Stint {bad[0] + 1} of the presence data, of "{names[bad[0]]}", must start '
                f"({start[bad[0]]}) before it ends ({end[bad[0]]})."
            )
        for name, value in (("individual", names), ("start", start), ("end", end)):
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        if not self.individual:
            return "Presence: no stints"
        people = len(set(self.individual))
        return (
            f"Presence: {counted(len(self.individual), 'stint')} of "
            f"{counted(people, 'individual')}, from {date_words(self.start.min())}"
        )

    def _repr_html_(self) -> str:
        """What notebooks show: a bar for each stint, and the table."""
        names = list(dict.fromkeys(self.individual))
        every = np.concatenate([self.start, self.end])
        finite = every[np.isfinite(every.astype(float))]
        ends = (date_words(finite.min()), date_words(finite.max())) if finite.size else ("", "")
        spans = [
            [(float(a.astype(float)), float(b.astype(float))) for a, b in self.stints(name)]
            for name in names
        ]
        frame = pl.DataFrame({"individual": self.individual, "start": self.start, "end": self.end})
        return notebook.page(
            repr(self),
            sentences=self.notes,
            picture=notebook.bars(names, spans, ends),
            tables=[notebook.table(frame)],
        )

    def only(self, individuals: Iterable[str]) -> Presence:
        """The stints of some individuals."""
        wanted = set(individuals)
        keep = np.array([name in wanted for name in self.individual], bool)
        names = tuple(name for name in self.individual if name in wanted)
        return replace(self, individual=names, start=self.start[keep], end=self.end[keep])

    def renamed(self, aliases: Mapping[str, str]) -> Presence:
        """The same stints under the correct names of individuals."""
        names = tuple(aliases.get(name, name) for name in self.individual)
        if names == self.individual:
            return self
        same = replace(self, individual=names)
        stints = [(name, *stint) for name in dict.fromkeys(names) for stint in same.stints(name)]
        individual, start, end = zip(*stints, strict=True)
        return replace(self, individual=individual, start=np.array(start), end=np.array(end))

    def stints(self, individual: str) -> list[tuple[Any, Any]]:
        """First and last day of each stint of an individual; consecutive stints are merged."""
        own = self.only([individual])
        day = ONE_DAY if own.start.dtype.kind == "M" else 1
        out: list[tuple[Any, Any]] = []
        for start, end in sorted(zip(own.start, own.end, strict=True)):
            if out and start <= out[-1][1] + day:
                out[-1] = out[-1][0], max(end, out[-1][1])
            else:
                out.append((start, end))
        return out

    def during(self, first: Any, last: Any) -> set[str]:
        """Who was present at some time from a first to a last day."""
        return {
            name
            for name in dict.fromkeys(self.individual)
            if any(begin <= last and first <= end for begin, end in self.stints(name))
        }

    def renumbered(self, numbers: np.ndarray) -> Presence:
        """Presence by contest number after a selection of contests, whose `numbers` are given."""
        start = np.searchsorted(numbers, self.start, side="left") + 1.0
        end = np.searchsorted(numbers, self.end, side="right").astype(float)
        end[np.isinf(self.end)] = np.inf
        keep = start <= end
        names = tuple(np.array(self.individual, object)[keep])
        return replace(self, individual=names, start=start[keep], end=end[keep])

    def at(self, date: np.generic, individuals: tuple[str, ...]) -> np.ndarray:
        """Whether each individual is present on a day."""
        return self.at_each(whole_days(np.asarray(date)[None]), individuals)[0]

    def at_each(self, days: np.ndarray, individuals: tuple[str, ...]) -> np.ndarray:
        """Whether each individual is present on days in ascending order, (days, individuals)."""
        out = np.zeros((len(days), len(individuals)), bool)
        codes = {name: i for i, name in enumerate(individuals)}
        first = np.searchsorted(days, self.start, side="left")
        after = np.searchsorted(days, self.end, side="right")
        for name, begin, end in zip(self.individual, first, after, strict=True):
            if name in codes:
                out[begin:end, codes[name]] = True
        return out

    def covers(
        self, individuals: np.ndarray, dates: np.ndarray, names: tuple[str, ...]
    ) -> np.ndarray:
        """Whether each individual (given by code) is present on each date."""
        days, place = np.unique(whole_days(dates), return_inverse=True)
        return self.at_each(days, names)[place, individuals]

    def to_table(self) -> pl.DataFrame:
        """One row per stint; an open end is null."""
        opened = pl.Series(self.end == forever(self.end))
        end = date_column(np.where(opened, self.start, self.end))
        return pl.DataFrame(
            {"individual": self.individual, "start": date_column(self.start), "end": end}
        ).with_columns(end=pl.when(opened).then(None).otherwise(pl.col("end")))

    @classmethod
    def inferred(cls, data: Any) -> Presence:
        """Presence of each individual from its first to its last contest."""
        days = whole_days(data.times)
        names, starts, ends = [], [], []
        for code, name in enumerate(data.individuals):
            own = np.flatnonzero((data.winner == code) | (data.loser == code))
            if own.size == 0:  # only zeros in the matrix
                continue
            names.append(name)
            starts.append(days[own[0]])
            ends.append(days[own[-1]])
        return cls(tuple(names), np.array(starts), np.array(ends), (FROM_CONTESTS,))

    @property
    def from_contests(self) -> bool:
        """Whether it was inferred from contests, so that it is not known who left."""
        return FROM_CONTESTS in self.notes


def forever(like: np.ndarray) -> Any:
    """The last day of a stint without an end, in the type of these days."""
    return np.datetime64("9999-12-31", "D") if like.dtype.kind == "M" else np.inf

"""Presence data: the periods (stints) during which each individual was in the group.

Presence is recorded by day, or by whole number if the dates of contests are numbers. The first and
the last day of a stint are both included.

Who was in the group together and how its composition changed is counted from the first contest to
the last, or within a window. Whoever is present on the first day did not arrive on it, and whoever
is present on the last day has not departed: what was before and comes after the record is unknown.
A departure counts on the first day of absence, so that the size at the start + arrivals −
departures is the size at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from peckorder import notebook
from peckorder.data.date_columns import PERIODS, date_column, date_words, moment, whole_days
from peckorder.errors import ArgumentError, DataError
from peckorder.text import counted, given, option, option_name
from peckorder.validate import in_words, one_of, whole_number

ONE_DAY = np.timedelta64(1, "D")
FROM_CONTESTS = "Presence was inferred from the first and last contest of each individual."


@in_words
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


COUNTS = {"days": pl.Int64, "mean": pl.Float64, "sd": pl.Float64, "cv": pl.Float64}
COUNTS |= {"min": pl.Int64, "max": pl.Int64}
UNITS = {"week": "D", "month": "M", "quarter": "M", "year": "Y"}


def _span(data: Any, what: str, since: object, until: object) -> tuple[Any, Any]:
    """The first and the last day of the record, or of a window of it."""
    if data.presence is None:
        raise DataError(
            f"{what} needs presence data, and these data have none. Supply them with "
            f"{option('presence')}, or use {option('presence', 'inferred')}: present from the "
            f"first to the last contest."
        )
    first, last = whole_days(data.times[[0, -1]])
    if since is not None:
        first = max(first, whole_days(np.asarray(moment(since, data.times, end_of_day=False)))[()])
    if until is not None:
        last = min(last, whole_days(np.asarray(moment(until, data.times)))[()])
    if first > last:
        raise ArgumentError(
            f"There are no days in this window. Change {option_name('since')} or "
            f"{option_name('until')}."
        )
    return first, last


def _stints(data: Any, first: Any, last: Any) -> list[tuple[str, Any, Any]]:
    """Name, first and last day of each stay, within a span of days."""
    return [
        (name, max(start, first), min(end, last))
        for name in data.individuals
        for start, end in data.presence.stints(name)
        if start <= last and end >= first
    ]


def co_residence_frame(data: Any, since: object, until: object) -> pl.DataFrame:
    """Pairs that were present together: days, first and last day, and contests between them."""
    first, last = _span(data, "Co-residence", since, until)
    stays: dict[str, list[tuple[Any, Any]]] = {}
    for name, start, end in _stints(data, first, last):
        stays.setdefault(name, []).append((start, end))
    days = whole_days(data.times)
    inside = (days >= first) & (days <= last)
    met: dict[frozenset[int], int] = {}
    for pair in zip(data.winner[inside].tolist(), data.loser[inside].tolist(), strict=True):
        met[frozenset(pair)] = met.get(frozenset(pair), 0) + 1
    names = list(stays)
    codes = {name: code for code, name in enumerate(data.individuals)}
    rows = []
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            both = [
                (max(one[0], other[0]), min(one[1], other[1]))
                for one in stays[a]
                for other in stays[b]
                if max(one[0], other[0]) <= min(one[1], other[1])
            ]
            if both:
                length = sum(int((end - start).astype(int)) + 1 for start, end in both)
                contests = met.get(frozenset((codes[a], codes[b])), 0)
                rows.append((a, b, length, min(both)[0], max(e for _, e in both), contests))
    sides = {"a": [row[0] for row in rows], "b": [row[1] for row in rows]}
    return pl.DataFrame(
        {
            **{side: pl.Series(column, dtype=pl.String) for side, column in sides.items()},
            "days_together": pl.Series([row[2] for row in rows], dtype=pl.Int64),
            "first_together": date_column(np.array([row[3] for row in rows], days.dtype)),
            "last_together": date_column(np.array([row[4] for row in rows], days.dtype)),
            "contests": pl.Series([row[5] for row in rows], dtype=pl.Int64),
        }
    )


def _begins(first: Any, last: Any, every: Any) -> np.ndarray:
    """The first day of each period between two days; the first period may be cut."""
    days = np.arange(first, last + 1)
    if days.dtype.kind != "M":
        if isinstance(every, str) and not every.isdigit():
            raise ArgumentError(
                f"{given('every', every)} needs calendar dates. Name their column when reading "
                f"({option('date')}), or give a number of contests: {option('every', '10')}."
            )
        return days[:: whole_number("every", int(every) if isinstance(every, str) else every, 1)]
    one_of("every", every, UNITS)
    labels = days.astype(f"datetime64[{UNITS[every]}]").astype(np.int64)
    if every == "week":  # from Monday to Sunday; day 0 (1970-01-01) was a Thursday
        labels = (labels + 3) // 7
    elif every == "quarter":
        labels //= 3
    return days[np.flatnonzero(np.diff(labels, prepend=labels[0] - 1))]


def turnover_frame(data: Any, every: Any, since: object, until: object) -> pl.DataFrame:
    """Arrivals, departures and sizes of the group, one row per period."""
    first, last = _span(data, "Turnover", since, until)
    begins = _begins(first, last, every)
    stops = np.append(begins[1:], last + 1)
    stints = _stints(data, first, last)
    came = np.array([start for _, start, _ in stints], begins.dtype)
    left = np.array([end for _, _, end in stints], begins.dtype) + 1
    founders = came == first
    periods = list(zip(begins, stops, strict=True))
    arrivals, departures = (
        np.array([((at >= begin) & (at < stop)).sum() for begin, stop in periods])
        for at in (came[~founders], left[left <= last])
    )
    at_end = founders.sum() + (arrivals - departures).cumsum()
    return pl.DataFrame(
        {
            "first": date_column(begins),
            "last": date_column(stops - 1),
            "arrivals": arrivals.astype(np.int64),
            "departures": departures.astype(np.int64),
            "size_at_start": (at_end - arrivals + departures).astype(np.int64),
            "size_at_end": at_end.astype(np.int64),
        }
    )


def group_size(data: Any, period: str | None, since: object, until: object) -> pl.DataFrame:
    """Mean and variation of the number of individuals present, one row per period."""
    first, last = _span(data, "Group size", since, until)
    days = np.arange(first, last + 1)
    change = np.zeros(len(days) + 1, np.int64)
    for _, start, end in _stints(data, first, last):
        change[np.searchsorted(days, start, side="left")] += 1
        change[np.searchsorted(days, end, side="right")] -= 1
    counts = np.cumsum(change)[:-1]
    if period is not None:
        one_of("period", period, PERIODS)
        if days.dtype.kind != "M":
            raise DataError(
                f"{option('period', period)} needs calendar dates, but the dates of these contests "
                f"are numbers. Use {option_name('since')} and {option_name('until')}."
            )
    begins = np.searchsorted(days, days[:1] if period is None else _begins(first, last, period))
    rows = []
    for own in np.split(counts, begins[1:]):
        mean = float(own.mean())
        sd = float(own.std(ddof=1)) if len(own) > 1 else None
        cv = None if sd is None or mean == 0 else sd / mean
        rows.append((len(own), mean, sd, cv, int(own.min()), int(own.max())))
    table = pl.DataFrame(rows, COUNTS, orient="row")
    lasts = np.append(begins[1:], len(days)) - 1
    table.insert_column(0, date_column(days[begins]).alias("first"))
    return table.insert_column(1, date_column(days[lasts]).alias("last"))

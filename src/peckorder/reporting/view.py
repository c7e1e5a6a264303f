"""The date and the span of time of a report.

Ratings rest on the whole record, whatever is shown of it: ranks are those among the individuals
present at one date, and a window cuts trajectories and predictions without rating again. Methods
based on the win matrix have no such course, so they use the contests of the window.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.contests import Contests
from peckorder.data.date_columns import date_column, date_words, ends, moment, whole_days
from peckorder.errors import ArgumentError, DataError
from peckorder.ranks import average_ranks
from peckorder.results import Ratings
from peckorder.tables import as_polars
from peckorder.text import counted, given, option


@dataclass(frozen=True, eq=False)
class View:
    """What a report shows of a record."""

    whole: Contests  # on which the ratings rest
    contests: Contests  # those of the window
    start: Any = None  # first and last day of the window; None if the record begins or ends there
    end: Any = None
    at: Any = None  # the date of the ranks; None if all individuals are ranked by their last rating

    @classmethod
    def of(cls, data: Contests, start: object, end: object, at: object) -> View:
        """The view that the arguments describe, by default of the whole record at its last day."""
        asked = {"start": start, "end": end, "at": at}
        asked = {name: value for name, value in asked.items() if value is not None}
        if not data.ordered:
            if asked:
                raise ArgumentError(
                    f"{given(*next(iter(asked.items())))}: the order of these contests is not "
                    f"known (they come from a matrix or from counts), so they have no dates."
                )
            return cls(data, data)
        days = {name: _plain(value, data.times) for name, value in asked.items()}
        first, last = days.get("start"), days.get("end")
        limits = [data.times[0], moment(whole_days(data.times[-1:])[0], data.times)]
        if first is not None:
            limits[0] = moment(first, data.times, end_of_day=False)
        if last is not None:
            limits[1] = moment(last, data.times)
        if limits[0] > limits[1]:
            raise ArgumentError(
                f"The window ends ({date_words(limits[1])}) before it starts "
                f"({date_words(limits[0])}): change {option('start')} or {option('end')}."
            )
        date = days.get("at", last)
        if date is None and data.presence is not None and not data.presence.from_contests:
            date = _plain(whole_days(data.times[-1:])[0], data.times)
        if "at" in days and not limits[0] <= moment(date, data.times) <= limits[1]:
            raise ArgumentError(
                f"{given('at', at)} is not between {date_words(limits[0])} and "
                f"{date_words(limits[1])}, the first and the last day of this report."
            )
        shown = (
            data.filter(start=first, end=last) if first is not None or last is not None else data
        )
        return cls(data, shown, first, last, date)

    @property
    def is_part(self) -> bool:
        """Whether the window leaves out contests."""
        return len(self.contests) < len(self.whole)

    @property
    def window(self) -> dict[str, Any]:
        """Arguments of the window, by name."""
        return {n: v for n, v in (("start", self.start), ("end", self.end)) if v is not None}

    def through(self, ratings: Any) -> Any:
        """Ratings of the whole record, seen through the window."""
        return ratings.between(**self.window) if self.window else ratings

    # -- who is ranked -----------------------------------------------------------------------

    def table(self, ranking: Any) -> pl.DataFrame:
        """The rows of a ranking that are those of individuals present at the date."""
        if self.at is None:
            return ranking.as_polars()
        if isinstance(ranking, Ratings):
            return as_polars(ranking.at(self.at))
        frame = ranking.as_polars()
        frame = frame.filter(pl.col("individual").is_in(list(self.present)))
        return frame.with_columns(rank=pl.col("rank").rank())

    @cached_property
    def present(self) -> frozenset[str]:
        """Individuals in the group at the date: recorded as present, or seen in a contest."""
        data = self.whole
        if self.at is None:
            return frozenset(data.individuals)
        when = moment(self.at, data.times)
        stop = int(np.searchsorted(data.times, when, side="right"))
        seen = {data.individuals[i] for side in (data.winner, data.loser) for i in side[:stop]}
        if data.presence is None:
            return frozenset(seen)
        here = data.presence.at(when, data.individuals)
        return frozenset(n for n, there in zip(data.individuals, here, strict=True) if there)

    def departed(self, ratings: Ratings | None) -> pl.DataFrame:
        """Who has left by the date: when, and the last rank; those that left last first."""
        data = self.whole
        if self.at is None or data.presence is None:
            return pl.DataFrame()
        today = whole_days(np.array([moment(self.at, data.times)]))[0]
        names, days = [], []
        for name in data.individuals:
            gone = [end for _, end in data.presence.stints(name) if end < today]
            if gone and name not in self.present:
                names.append(name)
                days.append(gone[-1])
        if not names:
            return pl.DataFrame()
        order = np.argsort(np.array(days), kind="stable")[::-1]
        names, last = [names[i] for i in order], np.array(days)[order]
        ranks = [None] * len(names) if ratings is None else _last_ranks(ratings.whole, names, last)
        return pl.DataFrame(
            {
                "individual": names,
                "last_rank": pl.Series([r and r[0] for r in ranks], dtype=pl.Float64),
                "of": pl.Series([r and r[1] for r in ranks], dtype=pl.Int64),
                "left": date_column(last),
            }
        )

    # -- as text -----------------------------------------------------------------------------

    @property
    def when(self) -> str:
        """The date of the ranks, as text."""
        return f"after contest {self.at:,}" if self.whole.date is None else f"on {self.at}"

    @property
    def span(self) -> str:
        """The window, as text."""
        first, last = whole_days(self.contests.times[[0, -1]])
        of = f" of {len(self.whole):,}" if self.is_part else ""
        number = f"{len(self.contests):,}{of} contests"
        if len(self.whole) == 1:
            number = "1 contest"
        if self.whole.date is None:
            return number
        first, last = self.start or date_words(first), self.end or date_words(last)
        return f"{number} from {first} to {last}"

    def sentence(self, number: int) -> str:
        """Which individuals are ranked, and what rests on which contests."""
        if self.at is None and not self.is_part:
            return ""
        parts = []
        if self.at is not None:
            who = counted(number, "individual")
            size = len(self.whole.individuals)
            of = f" of {size:,}" if number < size else ""
            parts.append(f"Ranks are those {self.when}, among the {who} present then{of}.")
        if self.is_part:
            parts.append(
                f"Ratings rest on all contests of the record. Structure, the win matrix and the "
                f"comparison of methods rest on the {self.span}."
            )
        elif number < len(self.whole.individuals):
            parts.append(
                "Structure, the win matrix and the comparison of methods rest on all contests, "
                "also of those that are not present then."
            )
        return " ".join(parts)


def _plain(value: object, times: np.ndarray) -> Any:
    """A date as text, or the number of a contest: what code in the report can repeat."""
    exact = moment(value, times, end_of_day=False)
    if times.dtype.kind == "M":
        return date_words(exact)
    return int(exact) if float(exact).is_integer() else float(exact)


def _last_ranks(
    ratings: Ratings, names: list[str], days: np.ndarray
) -> list[tuple[float, int] | None]:
    """Rank on the last day of each individual among those present, and their number."""
    distinct, which = np.unique(days, return_inverse=True)
    rating, there = ratings.rated_at(ends(distinct).astype(ratings.data.clock))
    out: list[tuple[float, int] | None] = []
    for name, day in zip(names, which, strict=True):
        here, own = np.flatnonzero(there[day]), ratings.code(name)
        if own not in here:  # left before the first contest
            out.append(None)
            continue
        rank = average_ranks(rating[day, here])[int(np.searchsorted(here, own))]
        out.append((float(rank), len(here)))
    return out


def nobody(view: View) -> DataError:
    """The error of a date at which nobody can be ranked."""
    return DataError(
        f"Fewer than two individuals are present {view.when}, so there is no order. Choose another "
        f"date with {option('at')}."
    )

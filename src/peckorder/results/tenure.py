"""Who held a rank when, changes of rank, and careers, from ratings at the end of each day.

Ranks are those among the individuals present, at the end of every day on which somebody had a
contest, arrived or had left. Between two such days nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.date_columns import date_column, ends, whole_days
from peckorder.errors import ArgumentError, DataError
from peckorder.ranks import average_ranks
from peckorder.validate import whole_number

VALUES_AT_ONCE = 20_000_000
CAREER = {
    "individual": pl.String,
    "arrival": pl.Int64,
    "departure": pl.Int64,
    "days_present": pl.Int64,
    "rank_at_arrival": pl.Float64,
    "rank_later": pl.Float64,
    "rank_at_end": pl.Float64,
    "best_rank": pl.Float64,
    "days_at_best": pl.Int64,
    "last_change": pl.Int64,
}
LOOKS = 12  # days of a tenure at which its certainty is computed, evenly spaced


@dataclass(frozen=True, eq=False)
class Ladder:
    """Ranks at the end of each day on which they can change."""

    days: np.ndarray  # dates or numbers, ascending; the last one is the last day of the record
    rank: np.ndarray  # (days, individuals), 1 for the highest; NaN for those not present

    @classmethod
    def of(cls, ratings: Any) -> Ladder:
        """The ranks of these ratings, or those within their window."""
        if not ratings.data.ordered:
            raise DataError("Ranks over time need contests in order; a matrix has no dates.")
        days = _days(ratings)
        if len(days) * len(ratings.individuals) > VALUES_AT_ONCE:
            raise ArgumentError(
                f"{len(days):,} days and {len(ratings.individuals):,} individuals are too many for "
                f"ranks over time. Select a window first: ratings.between(…)."
            )
        rating, present = ratings.rated_at(ends(days).astype(ratings.data.clock))
        return cls(days, _ranks(rating, present))

    @property
    def following(self) -> np.ndarray:
        """The day after which each row no longer holds."""
        return np.append(self.days[1:], self.days[-1:] + 1)

    def lengths(self, first: np.ndarray, last: np.ndarray) -> np.ndarray:
        """Number of days from one row to the end of another; without dates, of contests."""
        return (self.following[last] - self.days[first]).astype(np.int64)

    def runs(self, holder: np.ndarray) -> Iterator[tuple[int, int, int]]:
        """Stretches of rows with the same holder: first row, row after the last, holder."""
        if len(holder) == 0:
            return
        edges = np.flatnonzero(np.diff(holder)) + 1
        begins = np.concatenate([[0], edges])
        for begin, stop in zip(begins, np.append(edges, len(holder)), strict=True):
            yield int(begin), int(stop), int(holder[begin])


def _days(ratings: Any) -> np.ndarray:
    """Days with a contest, an arrival, or the day after a departure, within the record."""
    data, window = ratings.data, ratings.window
    whole = ratings.whole.data
    days = whole_days(whole.times)
    first, last = days[0], days[-1]
    found = [days]
    if whole.presence is not None:
        found += [whole.presence.start, whole.presence.end + 1]
    if window is not None:
        first, last = (max(first, d) for d in whole_days(np.array([window.start, window.end])))
        found.append(np.array([first, last]))
    all_days = np.unique(np.concatenate([part.astype(days.dtype) for part in found]))
    inside = all_days[(all_days >= first) & (all_days <= last)]
    return inside if len(data.individuals) else inside[:0]


def _ranks(rating: np.ndarray, present: np.ndarray) -> np.ndarray:
    """Ranks of those present; equal ratings share the mean of their ranks."""
    out = np.full(rating.shape, np.nan)
    for row, own, here in zip(out, rating, present, strict=True):
        row[here] = average_ranks(own[here]) if here.any() else np.nan
    return out


def tenure_frame(ratings: Any, rank: int) -> pl.DataFrame:
    """Who held a rank from when to when, and how certain that is."""
    whole_number("rank", rank, 1)
    ladder = Ladder.of(ratings)
    holder = _holders(ladder.rank, rank)
    rows = []
    for begin, stop, who in ladder.runs(holder):
        if who >= 0:
            rows.append((who, begin, stop))
    names = [ratings.individuals[who] for who, _, _ in rows]
    begins = np.array([begin for _, begin, _ in rows], int)
    stops = np.array([stop - 1 for _, _, stop in rows], int)
    columns: dict[str, Any] = {
        "individual": pl.Series(names, dtype=pl.String),
        "start": date_column(ladder.days[begins]),
        "end": date_column(ladder.following[stops] - 1),
        "days": ladder.lengths(begins, stops),
    }
    if hasattr(ratings, "draws_and_presence"):
        columns["certainty"] = pl.Series(_certainty(ratings, ladder, rows, rank), dtype=pl.Float64)
    return pl.DataFrame(columns)


def _holders(ranks: np.ndarray, rank: int) -> np.ndarray:
    """The code of the holder of a rank in each row, −1 if there is none.

    Of several with equal ratings, the holder before keeps the rank; otherwise nobody has it alone.
    """
    out = np.full(len(ranks), -1)
    before = -1
    for i, row in enumerate(ranks):
        alone = np.flatnonzero(row == rank)
        if len(alone) == 0:
            low, high = rank - 0.5, rank + 0.5
            shared = np.flatnonzero((row >= low) & (row <= high))
            alone = shared[shared == before]
        before = int(alone[0]) if len(alone) else -1
        out[i] = before
    return out


def _certainty(
    ratings: Any, ladder: Ladder, rows: list[tuple[int, int, int]], rank: int
) -> list[float]:
    """Mean probability over each tenure that the individual has the rank."""
    looks = [
        np.unique(np.linspace(begin, stop - 1, min(LOOKS, stop - begin)).astype(int))
        for _, begin, stop in rows
    ]
    chances: list[list[float]] = [[] for _ in rows]
    for at, own, here in _drawn(ratings, ladder, np.unique(np.concatenate([*looks, []]))):
        for i, (who, _, _) in enumerate(rows):
            if at in looks[i]:
                above = (own[:, here] > own[:, [who]]).sum(axis=1)
                chances[i].append(float((above == rank - 1).mean()))
    spans = (ladder.following - ladder.days).astype(float)
    return [
        float(np.average(chance, weights=spans[some]))
        for chance, some in zip(chances, looks, strict=True)
    ]


def _drawn(
    ratings: Any, ladder: Ladder, rows: np.ndarray
) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """Rows of the ladder with draws of the ratings, (draws, individuals), and who is present."""
    rows = rows.astype(int)
    each = max(1, len(ratings.course.replay) * len(ratings.individuals))
    step = max(1, VALUES_AT_ONCE // each)
    for begin in range(0, len(rows), step):
        some = rows[begin : begin + step]
        moments = ends(ladder.days[some]).astype(ratings.data.clock)
        scores, present = ratings.draws_and_presence(moments)
        yield from ((int(row), *one) for row, *one in zip(some, scores, present, strict=True))


@dataclass(frozen=True)
class Reversal:
    """Two individuals whose order changed, with the rows of the two stretches."""

    up: int
    down: int
    before: tuple[int, int]  # first and last row of the order before
    after: tuple[int, int]


def reversals(ladder: Ladder) -> list[Reversal]:
    """All changes of order between two individuals present, by day."""
    out = []
    for a in range(ladder.rank.shape[1]):
        for b in range(a + 1, ladder.rank.shape[1]):
            sign = np.sign(ladder.rank[:, b] - ladder.rank[:, a])
            rows = np.flatnonzero(~np.isnan(sign) & (sign != 0))
            turned = np.flatnonzero(np.diff(sign[rows]))
            firsts = np.concatenate([rows[:1], rows[turned + 1]])
            lasts = np.concatenate([rows[turned], rows[-1:]])
            for t in range(len(turned)):
                up, down = (a, b) if sign[firsts[t + 1]] > 0 else (b, a)
                stretches = ((int(firsts[i]), int(lasts[i])) for i in (t, t + 1))
                out.append(Reversal(up, down, *stretches))
    return sorted(out, key=lambda r: (r.after[0], r.up, r.down))


def changes_frame(ratings: Any) -> pl.DataFrame:
    """Reversals with their dates, how long either order held, and how certain it is."""
    ladder = Ladder.of(ratings)
    found = reversals(ladder)
    names = ratings.individuals
    before, after = (
        np.array([getattr(r, name) for r in found], int).reshape(-1, 2).T
        for name in ("before", "after")
    )
    columns: dict[str, Any] = {
        "date": date_column(ladder.days[after[0]]),
        "up": pl.Series([names[r.up] for r in found], dtype=pl.String),
        "down": pl.Series([names[r.down] for r in found], dtype=pl.String),
        "days_before": ladder.lengths(*before),
        "days_after": ladder.lengths(*after),
    }
    if hasattr(ratings, "draws_and_presence"):
        chances = _chances_of_order(ratings, ladder, found)
        names = ("p_before", "p_after", "probability")
        columns |= dict(zip(names, chances.T, strict=True))
    return pl.DataFrame(columns)


def _chances_of_order(ratings: Any, ladder: Ladder, found: list[Reversal]) -> np.ndarray:
    """Probability of the order before, of the order after, and of both; each in its middle.

    Both are looked up in the same draws: who was probably above before is so after as well, so
    that the product of the two probabilities would be too large.
    """
    counts, draws = np.zeros((len(found), 3)), 0
    if not found:
        return counts
    rows = np.array([[sum(r.before) // 2, sum(r.after) // 2] for r in found])
    distinct, place = np.unique(rows, return_inverse=True)
    moments = ends(ladder.days[distinct]).astype(ratings.data.clock)
    for scores in ratings.course.replay.courses_at(moments):
        draws += len(scores)
        for own, one, (first, then) in zip(counts, found, place.reshape(-1, 2), strict=True):
            before = scores[:, first, one.down] > scores[:, first, one.up]
            after = scores[:, then, one.up] > scores[:, then, one.down]
            own += before.sum(), after.sum(), (before & after).sum()
    return counts / draws


def careers_frame(ratings: Any, after: int) -> pl.DataFrame:
    """One row per individual: stay, best rank and ranks some days after arrival and at the end."""
    ladder = Ladder.of(ratings)
    until = ladder.following
    span = (until - ladder.days).astype(float)
    rows = []
    for code, name in enumerate(ratings.individuals):
        own = ladder.rank[:, code]
        there = np.flatnonzero(~np.isnan(own))
        if len(there) == 0:
            continue
        first, last = there[0], there[-1]
        later = np.searchsorted(ladder.days, ladder.days[first] + after, side="right") - 1
        known = later <= last and ladder.days[first] + after <= until[last]
        best = float(np.nanmin(own))
        moved = np.flatnonzero(np.diff(own[there])) + 1
        since = there[moved[-1]] if len(moved) else first
        rows.append(
            {
                "individual": name,
                "arrival": first,
                "departure": last,
                "days_present": int(span[there].sum()),
                "rank_at_arrival": float(own[first]),
                "rank_later": float(own[later]) if known and not np.isnan(own[later]) else None,
                "rank_at_end": float(own[last]),
                "best_rank": best,
                "days_at_best": int(span[there][own[there] == best].sum()),
                "last_change": since,
            }
        )
    frame = pl.DataFrame(rows, schema=CAREER)
    dates = {
        "arrival": ladder.days[frame["arrival"].to_numpy()],
        "departure": until[frame["departure"].to_numpy()] - 1,
        "last_change": ladder.days[frame["last_change"].to_numpy()],
    }
    return frame.with_columns(
        **{name: date_column(column) for name, column in dates.items()}
    ).rename({"rank_later": f"rank_after_{after}"})

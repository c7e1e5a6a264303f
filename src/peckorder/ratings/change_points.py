"""Dates of abrupt changes of a hierarchy, by the evidence for a jump of all ratings at a date.

The model without abrupt changes is that of `dynamic` with a normal prior: ratings that stay, drift
or return. A change at a date adds one jump of the ratings of all those present, of unknown size, to
every filter. The Bayes factor averages over the dates at which the change could have happened, so
that looking everywhere is paid for, and gradual drift does not count as change, because the model
without changes contains it. Dates are found one after the other: each further change must improve
on all changes found before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from peckorder.data.contests import Contests
from peckorder.data.date_columns import date_column, date_words
from peckorder.data.read import Data, opened_contests
from peckorder.data.same_time import stamp_numbers
from peckorder.errors import DataError
from peckorder.kernels.filters import Record
from peckorder.random_runs import Progress, in_threads
from peckorder.ratings.dynamic import DynamicRatings, dynamic
from peckorder.ratings.filter_bank import Bank
from peckorder.ratings.filter_runner import log_sum_exp, run_filters, smoothed_states
from peckorder.results.measures import FurtherTable, Measure
from peckorder.text import counted
from peckorder.validate import between_0_and_1, whole_number

JUMPS = (0.5, 1.5, 6.0)  # variance of a jump, in units of σ²
FEWEST = 20  # contests
DRIFTING, STATIC, MASS = 6, 3, 0.95  # filters that are used: at most so many, or this weight
COARSE = 100  # dates of the first search; then all dates around the best one
DRIFT, RETURNING = 2, 3  # columns of the table of filters


@dataclass(frozen=True)
class Scan:
    """The Bayes factor of a change before each of some contests, given earlier changes."""

    places: np.ndarray  # contests
    share: np.ndarray  # prior probability of each
    log_factor: np.ndarray

    @property
    def log_bf(self) -> float:
        """Log Bayes factor of a change at any of these places."""
        return log_sum_exp(np.log(self.share) + self.log_factor)

    @property
    def probability(self) -> np.ndarray:
        """Probability of each place, given that there was a change."""
        return np.exp(np.log(self.share) + self.log_factor - self.log_bf)

    def limits(self, level: float) -> tuple[int, int]:
        """First and last contest of the central interval of the place."""
        total = np.cumsum(self.probability)
        low, high = np.searchsorted(total, [(1 - level) / 2, (1 + level) / 2])
        return int(self.places[low]), int(self.places[min(high, len(self.places) - 1)])


@dataclass(frozen=True)
class Jumping:
    """Filters of a bank to which jumps are added."""

    bank: Bank
    chosen: np.ndarray

    @classmethod
    def of(cls, bank: Bank) -> Jumping:
        """The filters with most of the weight, and the best ones without drift.

        Filters with drift can outweigh those without only because a jump is missing, so the best
        of these are always among the chosen.
        """
        weights = bank.weights
        by_weight = np.argsort(-weights)
        enough = int(np.searchsorted(np.cumsum(weights[by_weight]), MASS)) + 1
        drifting = by_weight[: min(enough, DRIFTING)]
        static = [e for e in by_weight if bank.grid.tau[e] == 0][:STATIC]
        return cls(bank, np.unique([*drifting, *static]))

    def record(self, e: int, jump: float, changes: list[int]) -> tuple[Record, np.ndarray]:
        """Contests with jumps before some of them, and the settings of the filter."""
        bank, row = self.bank, self.bank.table[e : e + 1].copy()
        variance = jump * bank.grid.sigma[e] ** 2
        step = bank.record.step.copy()
        if row[0, DRIFT] == 0:  # time passes only where ratings jump
            step[:] = 0.0
            row[0, DRIFT], row[0, RETURNING] = variance, 1.0
            step[changes] = 1.0
        else:
            step[changes] += variance / row[0, DRIFT]
        return bank.record._replace(step=step), row

    def log_terms(self, changes: list[int]) -> np.ndarray:
        """Weight × evidence with changes / without, filters × sizes of a jump; logarithms."""
        out = np.empty((len(self.chosen), len(JUMPS)))
        weights = np.log(self.bank.weights[self.chosen])
        for i, e in enumerate(self.chosen):
            for j, jump in enumerate(JUMPS):
                record, row = self.record(int(e), jump, changes)
                evidence = run_filters(record, row).log_chances.sum()
                out[i, j] = weights[i] + evidence - self.bank.log_evidences[e]
        return out - np.log(len(JUMPS))

    def scan(
        self, candidates: np.ndarray, changes: list[int], threads: int | None, progress: Any
    ) -> Scan:
        """Evidence for one more change before each candidate: some first, then around the best."""
        before = 0.0 if not changes else log_sum_exp(self.log_terms(changes).ravel())
        every = -(-len(candidates) // COARSE)
        taken = candidates[every // 2 :: every] if every > 1 else candidates
        found = self._factors(taken, changes, before, threads, progress)
        if every > 1:
            best = int(np.searchsorted(candidates, taken[np.argmax(found)]))
            near = candidates[max(best - 2 * every, 0) : best + 2 * every + 1]
            more = np.setdiff1d(near, taken)
            found = np.append(found, self._factors(more, changes, before, threads, None))
            taken = np.append(taken, more)
            turn = np.argsort(taken)
            taken, found = taken[turn], found[turn]
        # A place stands for the candidates nearest to it.
        middles = np.searchsorted(candidates, (taken[1:] + taken[:-1]) / 2, side="right")
        share = np.diff(np.concatenate([[0], middles, [len(candidates)]])) / len(candidates)
        return Scan(taken[share > 0], share[share > 0], found[share > 0])

    def _factors(self, places, changes, before, threads, progress) -> np.ndarray:
        out = np.empty(len(places))

        def work(begin: int, end: int) -> None:
            for i in range(begin, end):
                terms = self.log_terms(sorted([*changes, int(places[i])]))
                out[i] = log_sum_exp(terms.ravel()) - before

        in_threads(work, len(places), block=4, threads=threads, progress=progress)
        return out

    def moves(self, changes: list[int], change: int) -> tuple[np.ndarray, np.ndarray]:
        """Smoothed ratings of all individuals before and after one of the changes."""
        terms = self.log_terms(changes)
        i, j = np.unravel_index(np.argmax(terms), terms.shape)
        record, row = self.record(int(self.chosen[i]), JUMPS[j], changes)
        at, first = np.array([change]), self.bank.coefficients
        before, after = (
            smoothed_states(record, row, at, arrived=arrived)[0][0, 0, first:]
            for arrived in (False, True)
        )
        return before, after


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ChangePoints(Measure):
    """Abrupt changes of a hierarchy; the table has one row per change."""

    value: int  # number of changes
    log_bf: float  # log Bayes factor of at least one change
    probability: float  # of at least one change
    log_bf_drift: float | None  # log Bayes factor of gradual change
    moves = FurtherTable("Ratings (log-odds) and ranks before and after each change.")
    profile = FurtherTable("Probability of a change by date, given that there was one.")


def change_points(
    data: Data,
    *,
    most: int = 5,
    level: float = 0.95,
    threads: int | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> ChangePoints:
    """Dates at which the hierarchy changed abruptly.

    Parameters
    ----------
    data : Contests, with a known order of contests
    most : int
        Largest number of changes to look for.
    level : float
        Probability at which a change is reported, and of the intervals of dates. With and without a
        change are equally probable beforehand, and so are all dates.
    threads, progress : as in `tune`
    settings : clock, presence, ties, covariates, home_advantage, as in `dynamic`

    Returns
    -------
    ChangePoints
        Table: one row per change with date (first contest after it), low and high (dates),
        contest, log_bf (log Bayes factor of this change, given those with a lower number) and
        probability. Values: `value`, the number of changes; `log_bf` and `probability` of at least
        one change; `log_bf_drift` of gradual change (`dynamic`). Tables: `moves` (ratings on the
        log-odds scale and ranks before and after each change) and `profile` (probability of a
        change by date, given that there was one).

    Notes
    -----
    A takeover by one individual is a small change of a large group and is found less often than a
    reshuffle. Hit rates and false alarms in simulated records: benchmarks.

    Examples
    --------
    >>> import peckorder as po
    >>> truth, data = po.simulate.takeover(8, (150, 150), spread=3, seed=1)
    >>> found = po.change_points(data)
    >>> found.value, found.table["contest"].to_list()
    (1, [152])
    """
    data = opened_contests(data, "change_points")
    if not data.ordered:
        raise DataError("Changes need contests in order; a matrix has no dates.")
    if len(data) < FEWEST:
        raise DataError(
            f"There are only {counted(len(data), 'contest')}; at least {FEWEST} are needed to "
            f"look for changes."
        )
    whole_number("most", most, 1, 100)
    between_0_and_1("level", level)
    rated: DynamicRatings = dynamic(
        data, samples=2, prior="normal", seed=0, threads=threads, **settings
    )
    data = rated.data
    stamps = stamp_numbers(data.times)
    candidates = np.flatnonzero(np.diff(stamps)) + 1
    if len(candidates) == 0:
        raise DataError("All contests have the same date, so that no change can be dated.")
    jumping = Jumping.of(rated.bank)
    changes: list[int] = []
    rows: list[dict[str, Any]] = []
    first = scan = jumping.scan(candidates, [], threads, progress)
    while _probability(scan.log_bf) >= level and len(changes) < most:
        place = int(scan.places[np.argmax(scan.log_factor)])
        low, high = scan.limits(level)
        rows.append({"place": place, "low": low, "high": high, "log_bf": scan.log_bf})
        changes = sorted([*changes, place])
        scan = jumping.scan(np.setdiff1d(candidates, changes), changes, threads, progress)
    return ChangePoints(
        method="change_points",
        data=data,
        value=len(changes),
        log_bf=first.log_bf,
        probability=_probability(first.log_bf),
        log_bf_drift=rated.values.get("log_bf_drift"),
        frame=_table(data, rows),
        summary=_summary(data, rows, first, level, most),
        settings={"most": most, "level": level, **settings},
        tables={
            "moves": _moves(data, jumping, changes),
            "profile": _profile(data, first),
        },
    )


def _probability(log_bf: float) -> float:
    return float(1 / (1 + np.exp(-min(max(log_bf, -700.0), 700.0))))


def _times(data: Contests, places: list[int]) -> pl.Series:
    """The date of the contest at each place, or its number."""
    if data.date is None:
        return pl.Series([place + 1 for place in places], dtype=pl.Int64)
    return date_column(data.date[np.array(places, np.int64)])


def _table(data: Contests, rows: list[dict[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "change": pl.Series(range(1, len(rows) + 1), dtype=pl.Int64),
            "date": _times(data, [row["place"] for row in rows]),
            "low": _times(data, [row["low"] for row in rows]),
            "high": _times(data, [row["high"] for row in rows]),
            "contest": pl.Series([row["place"] + 1 for row in rows], dtype=pl.Int64),
            "log_bf": pl.Series([row["log_bf"] for row in rows], dtype=pl.Float64),
            "probability": pl.Series(
                [_probability(row["log_bf"]) for row in rows], dtype=pl.Float64
            ),
        }
    )


def _moves(data: Contests, jumping: Jumping, changes: list[int]) -> pl.DataFrame:
    """Ratings and ranks before and after each change, of those present at it."""
    intervals = jumping.bank.intervals
    parts = []
    for number, change in enumerate(changes, 1):
        inside = (intervals.first <= change - 1) & (intervals.last >= change)
        who = np.unique(intervals.individual[inside])
        if len(who) < 2:
            continue
        before, after = (state[who] - state[who].mean() for state in jumping.moves(changes, change))
        ranks = [np.argsort(np.argsort(-state)) + 1 for state in (before, after)]
        parts.append(
            pl.DataFrame(
                {
                    "change": np.full(len(who), number),
                    "date": pl.repeat(_times(data, [change])[0], len(who), eager=True),
                    "individual": [data.individuals[code] for code in who],
                    "before": before,
                    "after": after,
                    "rank_before": ranks[0],
                    "rank_after": ranks[1],
                }
            ).sort("rank_after")
        )
    if parts:
        return pl.concat(parts)
    return pl.DataFrame(
        schema={
            "change": pl.Int64,
            "date": _times(data, []).dtype,
            "individual": pl.String,
            "before": pl.Float64,
            "after": pl.Float64,
            "rank_before": pl.Int64,
            "rank_after": pl.Int64,
        }
    )


def _profile(data: Contests, scan: Scan) -> pl.DataFrame:
    """Probability of a change by place, given that there was one."""
    return pl.DataFrame(
        {
            "contest": scan.places + 1,
            "date": _times(data, scan.places.tolist()),
            "probability": scan.probability,
            "log_bf": scan.log_factor,
        }
    )


def _summary(
    data: Contests, rows: list[dict[str, Any]], first: Scan, level: float, most: int
) -> tuple[str, ...]:
    if not rows:
        return (
            f"There is no clear evidence of an abrupt change (probability "
            f"{_probability(first.log_bf):.2f}, below {level:g}).",
        )

    def words(place: int) -> str:
        return f"contest {place + 1:,}" if data.date is None else date_words(data.times[place])

    out = [
        f"Change {number}: {words(row['place'])} ({level:.0%} interval {words(row['low'])} to "
        f"{words(row['high'])}; probability {_probability(row['log_bf']):.3f})."
        for number, row in enumerate(rows, 1)
    ]
    if len(rows) == most:
        out.append(f"At most {most:,} changes were looked for; there may be more.")
    return tuple(out)

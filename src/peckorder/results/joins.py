"""Joins: where individuals stood on given dates, for every row of another table.

A date means the end of that day, as in `ratings.at`: contests of the same day count. (With a time
of day, contests up to that time count.) Between two contests and two changes of the group nothing
moves, so that all dates of such a stretch share one state, which is computed once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from peckorder.curves import Exponential, Logistic
from peckorder.data.date_columns import ends, whole_days
from peckorder.data.user_tables import OwnSheet
from peckorder.errors import ArgumentError
from peckorder.estimate import limits
from peckorder.kernels.rank_lookup import drawn_standings, last_contests, standings
from peckorder.random_runs import in_threads
from peckorder.text import either, given
from peckorder.validate import text, whole_number

VALUES_AT_ONCE = 20_000_000
DRAWS_AT_ONCE = 50_000_000  # values of posterior draws
STANDING = ("rank", "scaled", "proportional_rank", "expected_beaten", "number_present")
COLUMNS = ("rating", *STANDING, "days_since_contest")
LEAST = np.float32(-80)  # log-odds behind the highest, below which a chance is 0
OUTSIDE = "outside the window"
EARLY = "before the first contest"
ABSENT = "not present"
UNRATED = "not rated yet"


@dataclass(frozen=True, eq=False)
class Lookup:
    """Individuals and dates to look up; `reason` is "" where there is something to find."""

    ratings: Any
    codes: np.ndarray  # one entry per row
    dates: np.ndarray
    reason: np.ndarray  # why a row stays empty; completed here

    @cached_property
    def found(self) -> np.ndarray:
        """Rows with a rating, in the order of their dates."""
        ratings, course = self.ratings, self.ratings.course
        rows = np.flatnonzero(self.reason == "")
        when = self._moments[rows]
        early = when < ratings.whole.data.times[0]
        window = ratings.window
        if window is not None:
            outside = (when < window.start) | (when > window.end)
            self.reason[rows[outside]] = OUTSIDE
            early &= ~outside
        self.reason[rows[early]] = EARLY
        rows = np.flatnonzero(self.reason == "")
        rows = rows[np.argsort(self._moments[rows], kind="stable")]
        if not rows.size:
            return rows
        moments, which = np.unique(self._moments[rows], return_inverse=True)
        there = np.empty(len(rows), bool)
        for own, present in self._presence(course, moments):
            some = (which >= own.start) & (which < own.stop)
            there[some] = present[which[some] - own.start, self.codes[rows[some]]]
        self.reason[rows[~there]] = ABSENT
        return rows[there]

    @cached_property
    def _moments(self) -> np.ndarray:
        return ends(self.dates).astype(self.ratings.whole.data.clock)

    def _presence(self, course: Any, moments: np.ndarray):
        step = max(1, VALUES_AT_ONCE // max(1, len(course.contests.individuals)))
        for begin in range(0, len(moments), step):
            own = slice(begin, min(begin + step, len(moments)))
            yield own, course.present_at(moments[own])

    @cached_property
    def states(self) -> tuple[np.ndarray, np.ndarray]:
        """A moment of each state, and the state of each row in `found`."""
        data, course = self.ratings.whole.data, self.ratings.course
        moments, which = np.unique(self._moments[self.found], return_inverse=True)
        done = np.searchsorted(data.times, moments, side="right")
        fresh = np.append(True, done[1:] != done[:-1])[: len(moments)]
        before = None
        for own, present in self._presence(course, moments):
            fresh[own.start + 1 : own.stop] |= (present[1:] != present[:-1]).any(axis=1)
            fresh[own.start] |= before is not None and (before != present[0]).any()
            before = present[-1]
        return moments[fresh], (np.cumsum(fresh) - 1)[which]

    def blocks(self, values: int):
        """Stretches of states, and the rows of `found` that belong to each."""
        moments, state = self.states
        for begin in range(0, len(moments), max(1, values)):
            own = slice(begin, min(begin + max(1, values), len(moments)))
            yield own, slice(*np.searchsorted(state, [own.start, own.stop]))


def joined_columns(ratings: Any, look: Lookup) -> dict[str, pl.Series]:
    """Rating, rank and so on of each row; missing where `reason` says why."""
    found = look.found
    columns = {name: np.full(len(look.codes), np.nan) for name in COLUMNS}
    moments, state = look.states
    codes = look.codes[found]
    size = max(1, len(ratings.individuals))
    for own, rows in look.blocks(VALUES_AT_ONCE // size):
        rating, present = ratings.rated_at(moments[own])
        at = state[rows] - own.start
        out = np.empty((len(at), len(STANDING)))
        slope = ratings.curve.slope if _logistic(ratings) else 0.0
        standings(rating, present, at, codes[rows], slope, out)
        if not _logistic(ratings):
            out[:, 3] = _beaten(ratings, moments[own], rating, present, at, codes[rows])
        mine = rating[at, codes[rows]]
        out[np.isnan(mine)] = np.nan
        columns["rating"][found[rows]] = mine
        for i, name in enumerate(STANDING):
            columns[name][found[rows]] = out[:, i]
    columns["days_since_contest"][found] = _days_since(look)
    unrated = found[np.isnan(columns["rating"][found])]
    look.reason[unrated] = UNRATED
    return {name: _series(name, values) for name, values in columns.items()}


def _logistic(ratings: Any) -> bool:
    return ratings.by_curve and isinstance(ratings.curve, Logistic | Exponential)


def _series(name: str, values: np.ndarray) -> pl.Series:
    column = pl.Series(name, values).fill_nan(None)
    return column.cast(pl.Int64) if name in ("number_present", "draw") else column


def reasons(look: Lookup) -> pl.Series:
    """Why rows stay empty; missing for the others."""
    return pl.Series("reason", [why or None for why in look.reason], dtype=pl.String)


def _beaten(ratings: Any, moments, rating, present, at, codes) -> np.ndarray:
    """Expected number beaten where it does not follow from a logistic curve."""
    out = np.empty(len(at))
    for state in np.unique(at):
        rows = np.flatnonzero(at == state)
        here = np.flatnonzero(present[state])
        first, second = np.broadcast_arrays(codes[rows][:, None], here[None, :])
        ahead = rating[state][first] - rating[state][second]
        chances = ratings.chance(ahead, first, second, moments[state])
        out[rows] = np.where(first == second, 0.0, chances).sum(axis=1)
    return out


def _days_since(look: Lookup) -> np.ndarray:
    """Days since the last contest of each individual; without dates, contests since then."""
    ratings, data = look.ratings, look.ratings.whole.data
    rows = look.found
    who = look.codes[rows] if ratings.window is None else ratings.window.places[look.codes[rows]]
    moments = ends(look.dates[rows]).astype(data.clock)
    done = np.searchsorted(data.times, moments, side="right")
    last = np.empty(len(rows), np.int64)
    empty = np.full(len(ratings.whole.individuals), -1, np.int64)
    last_contests(data.winner, data.loser, done, who, empty, last)
    days = whole_days(moments) - whole_days(data.times[np.maximum(last, 0)])
    return np.where(last >= 0, days.astype(float), np.nan)


# -- with posterior draws --------------------------------------------------------------------


def spread_columns(ratings: Any, look: Lookup) -> dict[str, pl.Series]:
    """Mean rank, standard deviation, intervals of rating and rank, p_first, and number beaten."""
    found, (moments, state) = look.found, look.states
    ends = limits(ratings.level)
    names = ["rank_mean", "rating_sd"]
    names += [f"{what}_{q}" for what in ("rating", "rank") for q in ends]
    columns = {
        name: np.full(len(look.codes), np.nan) for name in (*names, "p_first", "expected_beaten")
    }
    codes = look.codes[found]
    buffer = _memory(ratings, len(moments))
    for own, rows in look.blocks(_states_at_once(ratings)):
        scores, present = ratings.draws_and_presence(moments[own], buffer)
        at = state[rows] - own.start

        def work(begin: int, end: int, scores=scores, present=present, at=at, rows=rows) -> None:
            for i in range(begin, end):
                mine = np.flatnonzero(at == i)
                if mine.size:
                    one = _spread(
                        scores[i], present[i], codes[rows][mine], ratings.curve.slope, ends
                    )
                    for name, values in one.items():
                        columns[name][found[rows][mine]] = values

        in_threads(work, len(scores), block=max(1, len(scores) // 8))
    return {name: _series(name, values) for name, values in columns.items()}


def _states_at_once(ratings: Any) -> int:
    return DRAWS_AT_ONCE // max(1, len(ratings.course.replay) * len(ratings.individuals))


def _memory(ratings: Any, states: int) -> np.ndarray:
    """Memory for the draws of a block of states, used by one block after another."""
    each = len(ratings.course.replay) * len(ratings.whole.individuals)
    return np.empty(min(states, max(1, _states_at_once(ratings))) * each)


def _spread(
    scores: np.ndarray, present: np.ndarray, codes: np.ndarray, slope: float, ends: dict[str, float]
) -> dict:
    """The spread of some individuals over the draws of one state."""
    unique, which = np.unique(codes, return_inverse=True)
    here = np.flatnonzero(present)
    drawn = np.ascontiguousarray(scores.T[here])
    places = np.searchsorted(here, unique)
    own = drawn[places]
    out = {"rating_sd": own.std(axis=1, ddof=1)}
    last = len(scores) - 1
    cuts = {min(int(share * last) + i, last) for share in ends.values() for i in (0, 1)}
    own.partition(sorted(cuts), axis=1)
    for name, share in ends.items():
        low = int(share * last)
        part = share * last - low
        out[f"rating_{name}"] = own[:, low] + part * (own[:, min(low + 1, last)] - own[:, low])
    # Chances are exact to six digits, which is below their Monte Carlo error, in half the time.
    natural = drawn.astype(np.float32)
    natural *= np.float32(slope)
    natural -= natural.max(axis=0)
    strength = np.exp(np.maximum(natural, LEAST, out=natural), out=natural)
    counts, beaten = np.zeros((len(unique), len(here)), np.int64), np.empty(len(unique))
    scratch = np.empty(len(scores), np.int32), np.empty(len(scores), np.float32)
    drawn_standings(drawn, strength, places, *scratch, counts, beaten)
    passed = np.cumsum(counts, axis=1)
    for name, share in ends.items():  # a quantile of ranks is a rank
        out[f"rank_{name}"] = 1.0 + (passed >= share * len(scores) - 1e-9).argmax(axis=1)
    out["p_first"], out["expected_beaten"] = counts[:, 0] / len(scores), beaten
    out["rank_mean"] = counts @ np.arange(1.0, len(here) + 1) / len(scores)
    return {name: values[which] for name, values in out.items()}


def drawn_columns(ratings: Any, look: Lookup, draws: int) -> dict[str, pl.Series]:
    """One value per row and draw: rating, rank, scaled rating, proportional rank, number beaten."""
    found, (moments, state) = look.found, look.states
    chosen = np.linspace(0, len(ratings.course.replay) - 1, draws).astype(int)
    columns = {
        name: np.full((len(look.codes), draws), np.nan) for name in ("rating", *STANDING[:4])
    }
    codes = look.codes[found]
    buffer = _memory(ratings, len(moments))
    for own, rows in look.blocks(_states_at_once(ratings)):
        scores, present = ratings.draws_and_presence(moments[own], buffer)
        scores = scores[:, chosen]
        at, who = state[rows] - own.start, codes[rows]
        flat = scores.reshape(-1, scores.shape[2])
        which = (at[:, None] * draws + np.arange(draws)).ravel()
        out = np.empty((len(which), len(STANDING)))
        repeated = np.repeat(present, draws, axis=0)
        standings(flat, repeated, which, np.repeat(who, draws), ratings.curve.slope, out)
        columns["rating"][found[rows]] = flat[which, np.repeat(who, draws)].reshape(-1, draws)
        for i, name in enumerate(STANDING[:4]):
            columns[name][found[rows]] = out[:, i].reshape(-1, draws)
    number = np.tile(np.arange(1.0, draws + 1), len(look.codes))
    flat_columns = {"draw": number} | {name: part.ravel() for name, part in columns.items()}
    return {name: _series(name, values) for name, values in flat_columns.items()}


# -- the whole join --------------------------------------------------------------------------


def joined(
    ratings: Any,
    table: Any,
    *,
    individual: str,
    date: str,
    date_format: str | None,
    prefix: str,
    draws: int | None,
) -> Any:
    """Another table with the new columns; see `Ratings.at_dates`."""
    for name, value in (("individual", individual), ("date", date), ("prefix", prefix)):
        text(name, value)
    sampled = hasattr(ratings, "draws_and_presence")
    if draws is not None:
        whole_number("draws", draws, 1)
        if not sampled:
            raise ArgumentError(
                f"{given('draws', draws)}: these ratings have no posterior draws. Use "
                f"{either('elo_bayes or dynamic', '--method bayes or --method dynamic')}."
            )
        if draws > len(ratings.course.replay):
            raise ArgumentError(
                f"{given('draws', draws)}: there are only {len(ratings.course.replay):,} draws."
            )
    own = OwnSheet.read(
        table,
        individual=individual,
        date=date,
        date_format=date_format,
        individuals=ratings.individuals,
        clock=ratings.whole.data.clock,
    )
    look = Lookup(ratings, own.codes, own.dates, own.reason)
    columns = joined_columns(ratings, look)
    if draws is not None:
        repeated = {
            name: columns[name].gather(np.repeat(np.arange(len(own.codes)), draws))
            for name in ("number_present", "days_since_contest")
        }
        why = reasons(look).gather(np.repeat(np.arange(len(own.codes)), draws))
        columns = drawn_columns(ratings, look, draws) | repeated | {"reason": why}
    else:
        if sampled:
            columns |= spread_columns(ratings, look)
        columns["reason"] = reasons(look)
    return own.joined({prefix + name: column for name, column in columns.items()}, draws)

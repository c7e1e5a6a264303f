"""The course of dynamic ratings, from a bank of filters and its backward pass.

Ratings at a date are smoothed: they rest on all contests, later ones included. What was predicted
before each contest rests on the contests before it alone.

Whole courses of ratings, drawn jointly from the posterior of a bank of filters.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from peckorder.data.contests import Contests
from peckorder.data.date_columns import whole_days
from peckorder.errors import ArgumentError
from peckorder.ratings.filter_bank import (
    OFFSET,
    OPENING,
    Bank,
    newcomers_of,
    present_after,
    roster,
    shares_after,
    with_newcomers,
)
from peckorder.ratings.filter_runner import (
    centered_at,
    filtered_states,
    in_one_thread,
    labeled_draws,
    mixture_quantiles,
    run_filters,
    smoothed_means,
    smoothed_moments,
    smoothed_states,
    square_roots,
    state_size,
)
from peckorder.ratings.foresight import Past, predicted
from peckorder.results.chances import Chances

VALUES_AT_ONCE = 20_000_000
COURSES = 1000  # draws of whole courses


@dataclass(frozen=True, eq=False)
class DynamicReplay:
    """A bank of filters over contests, and how many draws represent its posterior."""

    data: Contests
    bank: Bank
    draws: int
    seed: int
    slope: float
    past: Past
    home_place: int | None = None  # of the home advantage among the covariates
    ahead: float = 1.0  # time from the state of the bank to the next contest

    def __len__(self) -> int:
        return self.draws

    # -- draws -------------------------------------------------------------------------------

    @cached_property
    def _last(self) -> tuple[np.ndarray, np.ndarray]:
        """Which filter each draw is from, and its state after the last contest."""
        return self._drawn(self.bank.weights, self.bank.means, self.bank.covariances, 0)

    @property
    def filters(self) -> np.ndarray:
        """The filter of each draw."""
        return self._last[0]

    @cached_property
    def final(self) -> np.ndarray:
        """Ratings after the last contest, (draws, individuals), on the reported scale."""
        return self._centered(self._last[1], len(self.data)) / self.slope

    @cached_property
    def home(self) -> np.ndarray:
        """Home advantage of each draw, on the natural scale."""
        if self.home_place is None:
            return np.zeros(self.draws)
        return self._last[1][:, 1 + self.home_place]

    @cached_property
    def nu(self) -> np.ndarray:
        """Davidson's ν, the same in every draw."""
        return np.full(self.draws, self.bank.nu)

    def coefficient(self, place: int) -> np.ndarray:
        """Draws of the entry level (place 0) or of a covariate's coefficient (natural scale)."""
        return self._last[1][:, place]

    def draws_at(self, times: np.ndarray, buffer: np.ndarray | None = None) -> np.ndarray:
        """Smoothed ratings at moments in ascending order, (moments, draws, individuals).

        `buffer` is memory that may be used for the result.
        """
        places = np.searchsorted(self.data.times, times, side="right")
        if not self.bank.ordered:  # ratings are constant
            return np.repeat(self.final[None], len(places), axis=0)
        some, weights = self._weighty
        shape = len(places), self.draws, len(self.data.individuals)
        size = math.prod(shape)
        if buffer is None or buffer.size < size:
            buffer = np.empty(size)
        out = buffer[:size].reshape(shape)
        table = self.bank.table[some]
        distinct, which = np.unique(places, return_inverse=True)
        step = max(1, VALUES_AT_ONCE // (len(table) * state_size(self.bank.record) ** 2))
        for begin in range(0, len(distinct), step):  # covariances of all would not fit
            now = distinct[begin : begin + step]
            means, covariances = self._between(table, now, threads=self.bank.threads)
            for i, place in enumerate(now):
                own = means[:, i], covariances[:, i]
                _, states = self._drawn(weights, *own, 1 + int(place))
                rated = self._centered(states, int(place)) / self.slope
                for row in np.flatnonzero(which == begin + i):
                    out[row] = rated
        return out

    def courses_at(self, times: np.ndarray) -> Iterator[np.ndarray]:
        """At most 1,000 courses through all these moments, some at a time.

        Arrays are (draws, moments, individuals). Unlike in `draws_at`, a draw is one course of
        ratings; these are not centered, and NaN while an individual is not in the group.
        """
        contests = len(self.data)
        done = np.searchsorted(self.data.times, times, side="right")
        # Who arrived after the last contest has a rating from the next one on.
        last, following = (np.clip(at, 0, contests - 1) for at in (done - 1, done))
        places = np.unique([last, following])
        number = min(self.draws, COURSES)
        step = max(1, VALUES_AT_ONCE // (len(places) * len(self.data.individuals)))
        for begin in range(0, number, step):
            seed = np.random.SeedSequence([self.seed, contests, begin])
            some = min(step, number - begin)
            drawn = drawn_courses(self.bank, some, places, seed).strengths
            own, later = (drawn[:, np.searchsorted(places, at)] for at in (last, following))
            yield np.where(np.isnan(own), later, own) / self.slope

    def _drawn(self, weights, means, covariances, turn: int) -> tuple[np.ndarray, np.ndarray]:
        random = np.random.default_rng(np.random.SeedSequence([self.seed, turn]))
        return labeled_draws(weights, means, covariances, self.draws, random)

    def _centered(self, states: np.ndarray, contests: int) -> np.ndarray:
        """Ratings of all individuals relative to the mean of those in the group."""
        ratings = states[:, self.bank.coefficients :]
        present = present_after(self.bank.intervals, contests)
        return ratings - ratings[:, present].mean(axis=1, keepdims=True)

    @cached_property
    def _weighty(self) -> tuple[np.ndarray, np.ndarray]:
        """Numbers of the filters that matter, and their weights, which sum to 1."""
        weights, some = self.bank.weights, self.bank.weighty()
        return some, weights[some] / weights[some].sum()

    # -- means and intervals -----------------------------------------------------------------

    def at(self, times: np.ndarray, who: np.ndarray) -> np.ndarray:
        """Smoothed means at moments in ascending order, (moments, who)."""
        places = np.searchsorted(self.data.times, times, side="right")
        mean = self._mean(places, between=True)[:, who]
        mean[~self.known_at(times)[:, who]] = np.nan
        return mean / self.slope

    def known_at(self, times: np.ndarray) -> np.ndarray:
        """Whether each individual has arrived, so that it has a rating, (moments, individuals)."""
        return times[:, None] >= self._arrival[None, :]

    def means_at_the_end(self) -> np.ndarray:
        """Posterior means after the last contest, as `at` gives them for other moments."""
        some, weights = self._weighty
        mean = weights @ self.bank.means[some]
        return self._centered(mean[None, :], len(self.data))[0] / self.slope

    def after_each(self, who: np.ndarray) -> np.ndarray:
        """Smoothed means before the first and after each contest, (contests + 1, who)."""
        times = self._after
        mean = self._mean(np.arange(len(times)))[:, who]
        mean[~self.known_at(times)[:, who]] = np.nan
        return mean / self.slope

    def first_rated(self, code: int) -> int:
        """The number of contests after which an individual is rated first."""
        return int(np.argmax(self._after >= self._arrival[code]))

    @property
    def _after(self) -> np.ndarray:
        """The times of `after_each`: before the first contest (its time) and after each."""
        return self.data.times[np.maximum(np.arange(len(self.data) + 1) - 1, 0)]

    def bands(self, shares: tuple[float, ...]) -> np.ndarray:
        """Mean and quantiles after each contest, (contests + 1, who, 1 + shares)."""
        if shares in self._known_bands:
            return self._known_bands[shares]
        parts = list(self._smoothed(np.arange(len(self.data) + 1)))
        weights = np.array([w for w, _, _ in parts])
        means = np.array([m for _, m, _ in parts])
        deviations = np.array([d for _, _, d in parts])
        mean = np.einsum("e,eti->ti", weights, means)
        cuts = mixture_quantiles(weights, means, deviations, shares)
        self._known_bands[shares] = np.concatenate([mean[..., None], cuts], axis=-1) / self.slope
        return self._known_bands[shares]

    @cached_property
    def _known_bands(self) -> dict[tuple[float, ...], np.ndarray]:
        return {}

    def _mean(self, places: np.ndarray, *, between: bool = False) -> np.ndarray:
        """Centered means over the filters that matter, (places, individuals).

        Directly after some contests or, with `between`, at a date before the next one.
        """
        first, size = self.bank.coefficients, len(self.data.individuals)
        share = shares_after(self.bank.intervals, places, size)
        step = max(1, VALUES_AT_ONCE // (first + size) ** 2)
        mean = np.zeros((len(places), size))
        for e, weight in zip(*self._weighty, strict=True):
            for begin in range(0, len(places), step):
                now = slice(begin, begin + step)
                each = self._means(int(e), places[now], between)[:, first:]
                mean[now] += weight * (each - (each * share[now]).sum(axis=1, keepdims=True))
        return mean

    def _smoothed(self, places: np.ndarray) -> Iterator[tuple[float, np.ndarray, np.ndarray]]:
        """For each filter that matters: weight, centered means and deviations (places, who)."""
        bank, size = self.bank, len(self.data.individuals)
        share = shares_after(bank.intervals, places, size)
        step = max(1, VALUES_AT_ONCE // (bank.coefficients + size) ** 2)
        for e, weight in zip(*self._weighty, strict=True):
            mean, variance = np.empty((2, len(places), size))
            for begin in range(0, len(places), step):
                now = slice(begin, begin + step)
                if bank.ordered:
                    row = bank.table[e : e + 1]
                    found = smoothed_moments(bank.record, row, places[now], share[now])
                else:
                    moments = bank.means[e : e + 1], bank.covariances[e : e + 1]
                    found = centered_at(*moments, share[now])
                mean[now], variance[now] = found
            yield float(weight), mean, np.sqrt(np.maximum(variance, 0.0))

    def _between(self, table: np.ndarray, places: np.ndarray, threads: int = 1):
        """Smoothed states between contests; newcomers before the next one have entered.

        Presence says on which day they did, and the filters let them in before the next contest.
        """
        record = self.bank.record
        means, covariances = smoothed_states(record, table, places, arrived=False, threads=threads)
        entering = np.flatnonzero(np.isin(places, record.entry_at))
        if entering.size:  # the others have the means that they had after the contest
            entered, covariances[:, entering] = smoothed_states(
                record, table, places[entering], arrived=True, threads=threads
            )
            self._let_in(means, entered, places, entering)
        return means, covariances

    def _means_between(self, table: np.ndarray, places: np.ndarray) -> np.ndarray:
        """The means of `_between`."""
        record = self.bank.record
        means = smoothed_means(record, table, places, arrived=False)
        entering = np.flatnonzero(np.isin(places, record.entry_at))
        if entering.size:
            entered = smoothed_means(record, table, places[entering], arrived=True)
            self._let_in(means, entered, places, entering)
        return means

    def _let_in(
        self, means: np.ndarray, entered: np.ndarray, places: np.ndarray, entering: np.ndarray
    ) -> None:
        """Set the means of newcomers to those with which they entered."""
        for i, place in enumerate(entering):
            new = self._newcomers(int(places[place])) + self.bank.coefficients
            means[:, place, new] = entered[:, i, new]

    def _newcomers(self, place: int) -> np.ndarray:
        """Individuals that enter before a contest."""
        record = self.bank.record
        entry = int(np.flatnonzero(record.entry_at == place)[0])
        return newcomers_of(record, entry)

    def _means(self, e: int, places: np.ndarray, between: bool) -> np.ndarray:
        """Means of one filter after some contests, given all of them, (places, state)."""
        if not self.bank.ordered:
            return np.repeat(self.bank.means[e : e + 1], len(places), axis=0)
        row = self.bank.table[e : e + 1]
        if between:
            return self._means_between(row, places)[0]
        return smoothed_means(self.bank.record, row, places, arrived=False)[0]

    @cached_property
    def _arrival(self) -> np.ndarray:
        """First moment of each individual; the first contest where presence is not known."""
        times = self.data.times
        begin = np.full(len(self.data.individuals), times[0])
        record = self.bank.record
        for i, at in enumerate(record.entry_at):
            begin[newcomers_of(record, i)] = times[min(int(at), len(times) - 1)]
        if self.data.presence is not None:
            codes = {name: i for i, name in enumerate(self.data.individuals)}
            first_day = whole_days(times[:1])[0]
            for name, start in zip(
                self.data.presence.individual, self.data.presence.start, strict=True
            ):
                if start > first_day and begin[codes[name]] > times[0]:
                    begin[codes[name]] = min(begin[codes[name]], np.asarray(start, begin.dtype))
        return begin

    # -- predictions -------------------------------------------------------------------------

    def history(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Predicted score of the winner, and smoothed ratings before and after each contest."""
        both = np.column_stack([self.data.winner, self.data.loser])
        course = self.after_each(np.arange(len(self.data.individuals)))
        number = np.arange(len(self.data))
        before = course[number[:, None], both]
        after = course[number[:, None] + 1, both]
        return self.foresight().expected, np.where(np.isnan(before), after, before), after

    @cached_property
    def _predicted(self) -> Chances:
        return predicted(self.past)

    def foresight(self, home_advantage: Any = None) -> Chances:
        """What the contests before each one predicted of it."""
        if home_advantage is not None:
            raise ArgumentError(
                "The home advantage is part of this fit: estimate it with "
                'home_advantage="estimate".'
            )
        return self._predicted

    def next_chances(self, first: np.ndarray, second: np.ndarray, home: np.ndarray) -> Chances:
        """Probabilities of the next contest of each pair, with the drift up to it."""
        known = np.zeros((len(first), self.bank.coefficients - 1))
        if self.home_place is not None:
            known[:, self.home_place] = home
        win, tie = self.bank.chances(first, second, known, self.ahead)
        loss = 1 - win - tie
        return Chances(win, loss, win - loss, tie if self.bank.nu > 0 else None)

    def entered(self, newcomers: int) -> tuple[Bank, float]:
        """The filters before the next contest, in which newcomers take part, and time to it."""
        bank, contests = self.bank, len(self.data)
        if not newcomers:
            return bank, self.ahead
        size = len(self.data.individuals)
        record, intervals = with_newcomers(bank, size, newcomers, self.ahead)
        means, covariances = filtered_states(
            record, bank.table, np.array([contests]), arrived=True, threads=bank.threads
        )
        moved = replace(
            bank,
            record=record,
            intervals=intervals,
            means=means[:, 0],
            covariances=covariances[:, 0],
        )
        return moved, 0.0


SAMPLED_AT_ONCE = 10_000_000
NO_SPREAD = 1e-6
SIGMA, ENTRY_SD, DRIFT, RETURNING = range(4)  # columns of a bank's table


class Courses(NamedTuple):
    """Draws of the course of ratings, on the natural scale."""

    logits: np.ndarray  # (draws, contests): of a win of the recorded winner
    strengths: np.ndarray  # (draws, places, individuals); NaN for those not in the group


def drawn_courses(bank: Bank, number: int, places: np.ndarray, seed) -> Courses:
    """Independent draws of the whole course; strengths in the contests at `places` (from 0)."""
    random = np.random.default_rng(seed)
    some = bank.weighty()
    weights = bank.weights[some]
    counts = np.zeros(len(bank.grid), int)
    counts[some] = random.multinomial(number, weights / weights.sum())
    contests, individuals = bank.record.winner.size, bank.record.founder.size
    logits = np.empty((number, contests))
    strengths = np.empty((number, len(places), individuals))
    rows = random.permutation(number)  # so that neighbors do not share a filter
    begin = 0
    for e in np.flatnonzero(counts):
        own = rows[begin : begin + counts[e]]
        begin += counts[e]
        root = square_roots(bank.covariances[e : e + 1])[0]
        normal = random.standard_normal((len(own), root.shape[0]))
        last = bank.means[e] + normal @ root.T
        moving = bank.table[e, DRIFT] > 0
        course = _Backward(bank, int(e), random) if moving else None
        _fill(bank, last, course, places, own, logits, strengths)
    for i, place in enumerate(places):
        there = present_after(bank.intervals, int(place) + 1)
        strengths[:, i, np.setdiff1d(np.arange(individuals), there)] = np.nan
    return Courses(logits, strengths)


def log_bayes_factor_of_differences(bank: Bank) -> float:
    """Log evidence of individuals that differ, relative to equal ones (σ = 0)."""
    equal = bank.table[:1].copy()
    equal[:, [SIGMA, ENTRY_SD]] = NO_SPREAD
    equal[:, DRIFT] = 0.0
    return bank.log_evidence - float(run_filters(bank.record, equal).log_chances.sum())


def _fill(bank: Bank, state, course, places, own, logits, strengths) -> None:
    """Logits and strengths of some draws, from the last contest to the first."""
    record, first = bank.record, bank.coefficients
    winner, loser = first + record.winner, first + record.loser
    if course is None:
        logits[own] = state[:, winner] - state[:, loser]
        logits[own] += state[:, 1:first] @ record.covariates.T
        strengths[own] = state[:, None, first:]
        return
    for t in range(record.winner.size - 1, -1, -1):
        logits[own, t] = state[:, winner[t]] - state[:, loser[t]]
        logits[own, t] += state[:, 1:first] @ record.covariates[t]
        for i in np.flatnonzero(places == t):
            strengths[own, i] = state[:, first:]
        if t > 0:
            state = course.before(t, state)


class _Backward:
    """Draws of the state in a contest given the state in the next one, for one filter."""

    def __init__(self, bank: Bank, filter_number: int, random: np.random.Generator):
        self.bank, self.random = bank, random
        self.settings = bank.table[filter_number]
        self.table = bank.table[filter_number : filter_number + 1]
        self.entries = {int(t): i for i, t in enumerate(bank.record.entry_at)}
        self.begin = bank.record.winner.size  # of the block that is in memory

    def before(self, t: int, state: np.ndarray) -> np.ndarray:
        """State in contest t − 1 given that in contest t, for each draw (rows)."""
        if t < self.begin:
            self._load(t)
        place = t - self.begin
        mean, root, gain = self.means[place], self.roots[place], self.gains[place]
        transition, spread = self.transitions[place], self.spreads[place]
        x = mean + in_one_thread(self.random.standard_normal(state.shape), root)
        y = in_one_thread(x, transition)
        y += in_one_thread(self.random.standard_normal(state.shape), spread)
        return x + in_one_thread(state - y, gain)

    def _load(self, t: int) -> None:
        """Filtered states after 1 … t contests, as many as fit, with their regressions."""
        size = state_size(self.bank.record)
        self.begin = max(1, t + 1 - max(1, SAMPLED_AT_ONCE // size**2))
        times = np.arange(self.begin, t + 1)
        means, covariances = filtered_states(self.bank.record, self.table, times, arrived=False)
        self.means, covariance = means[0], covariances[0]
        # Those who have not entered have no state yet: any independent one will do.
        here = np.arange(size)
        absent = covariance[:, here, here] == 0
        covariance[:, here, here] += absent
        moves = [self._move(int(time)) for time in times]
        self.transitions = np.array([move for move, _ in moves])
        self.spreads = np.array([spread for _, spread in moves])
        self.roots = square_roots(covariance)
        cross = self.transitions @ covariance
        predicted = cross @ self.transitions.transpose(0, 2, 1)
        predicted += self.spreads @ self.spreads.transpose(0, 2, 1)
        self.gains = np.linalg.solve(predicted, cross).transpose(0, 2, 1)

    def _move(self, t: int) -> tuple[np.ndarray, np.ndarray]:
        """Linear map from contest t − 1 to contest t, and a root of the covariance it adds."""
        record, first = self.bank.record, self.bank.coefficients
        size = state_size(record)
        transition, spread = np.eye(size), np.zeros((size, size))
        members = first + roster(record, record.roster_of[t])
        moved = self.settings[DRIFT] * record.step[t]
        if self.settings[RETURNING] > 0:
            squared = self.settings[SIGMA] ** 2
            transition[members, members] = np.exp(-0.5 * moved / squared)
            moved = -squared * np.expm1(-moved / squared)
        spread[members, members] = np.sqrt(moved)
        entry = self.entries.get(t)
        if entry is None:
            return transition, spread
        around = first + roster(record, record.entry_mean[entry])
        new = first + newcomers_of(record, entry)
        enter = np.eye(size)
        enter[new] = 0.0
        enter[new, 0] = 1.0
        if around.size:
            enter[np.ix_(new, around)] = 1.0 / around.size
        spread = enter @ spread
        own = record.openings[int(self.settings[OPENING]), new - first] >= 0
        offset = np.where(own, self.settings[OFFSET], 0.0)
        spread[new, new] = np.sqrt(self.settings[SIGMA] ** 2 + offset)
        return enter @ transition, spread

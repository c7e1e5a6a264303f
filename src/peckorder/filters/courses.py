"""Whole courses of ratings, drawn jointly from the posterior of a bank of filters.

A filter is picked by its weight and the ratings at the last contest are drawn from its Gaussian.
Going backward, the ratings at each contest are drawn given those at the next one (forward
filtering, backward sampling; Frühwirth-Schnatter 1994). The conditional draw is made by correcting
a draw of (ratings, drift) with the regression on what is known (Matheron's rule), which needs no
decomposition of a singular covariance.
"""

from typing import NamedTuple

import numpy as np

from peckorder.filters.bank import Bank
from peckorder.filters.engine import filtered_states, run_filters, state_size
from peckorder.filters.mixtures import in_one_thread, square_roots
from peckorder.filters.roster import present_after

VALUES_AT_ONCE = 10_000_000
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
        self.begin = max(1, t + 1 - max(1, VALUES_AT_ONCE // size**2))
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
        roster = record.roster_of[t]
        members = first + record.roster[record.roster_at[roster] : record.roster_at[roster + 1]]
        moved = self.settings[DRIFT] * record.step[t]
        if self.settings[RETURNING] > 0:
            squared = self.settings[SIGMA] ** 2
            transition[members, members] = np.exp(-0.5 * moved / squared)
            moved = -squared * np.expm1(-moved / squared)
        spread[members, members] = np.sqrt(moved)
        entry = self.entries.get(t)
        if entry is None:
            return transition, spread
        roster = record.entry_mean[entry]
        around = first + record.roster[record.roster_at[roster] : record.roster_at[roster + 1]]
        new = first + record.newcomer[record.newcomer_at[entry] : record.newcomer_at[entry + 1]]
        enter = np.eye(size)
        enter[new] = 0.0
        enter[new, 0] = 1.0
        if around.size:
            enter[np.ix_(new, around)] = 1.0 / around.size
        spread = enter @ spread
        spread[new, new] = self.settings[SIGMA]
        return enter @ transition, spread

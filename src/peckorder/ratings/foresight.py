"""Foresight of dynamic ratings: what they would have predicted before each contest.

Filters learn ratings, their spread and drift from the contests before each one. What else a fit
takes from its record (newcomers, the unit of drift and of covariates, Davidson's ν, who may be an
exception, and sets) is here learned anew from the contests so far, after 5, 10, 15, 22, … of them.
So no prediction knows a later contest, and before these it is what `predict` gives for the record
so far.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from peckorder.data.effects import units_of
from peckorder.kernels.filters import Record, outcome_chances
from peckorder.ratings.adaptive_filter import chances_of_a_first_tie
from peckorder.ratings.filter_bank import (
    FOUNDER,
    LATE,
    OFFSET,
    Bank,
    Grid,
    Intervals,
    drift_grid,
    estimated_nu,
    first_and_last,
    moments_of,
    prepared,
    settings_table,
    tie_grid,
    time_share,
)
from peckorder.ratings.filter_runner import (
    log_sum_exp,
    predicted_differences,
    run_filters,
    threads_for,
    work_of,
)
from peckorder.ratings.openings import NEGLIGIBLE, exceptions, opening_grid, sets_of
from peckorder.results.chances import Chances

FIRST, GROWTH = 5, 1.5  # contests after which settings are learned again
MUCH, GROWTH_OF_MUCH = 2e7, 2.0  # covariance entries of one filter, from which it is done rarely


@dataclass(frozen=True, eq=False)
class Past:
    """A record and how it is rated: all that predictions are made from."""

    winner: np.ndarray
    loser: np.ndarray
    individuals: int
    tied: np.ndarray | None
    steps: np.ndarray | None  # time before each contest, in any unit; None: one contest
    intervals: tuple[np.ndarray, np.ndarray, np.ndarray] | None  # presence; None: to be inferred
    names: list[str]  # of the covariates
    covariates: np.ndarray | None  # in their own units
    openings: bool
    static: bool
    threads: int | None

    def until(self, end: int) -> Past:
        """The first contests; individuals in the order of their first ones."""
        winner, loser = self.winner[:end], self.loser[:end]
        size = self.individuals
        if self.intervals is None:
            first, _ = first_and_last(winner, loser, size, self.steps)
            order = np.argsort(first, kind="stable")
            code = np.empty(size, int)
            code[order] = np.arange(size)
            winner, loser, size = code[winner], code[loser], int((first < end).sum())
        return replace(
            self,
            winner=winner,
            loser=loser,
            individuals=size,
            tied=None if self.tied is None else self.tied[:end],
            steps=None if self.steps is None else self.steps[:end],
            covariates=None if self.covariates is None else self.covariates[:end],
        )

    def record(self, learned: int) -> Record:
        """For the kernel, with units and newcomers as known after the first `learned` contests."""
        steps, covariates = self.steps, self.covariates
        if steps is not None:
            mean = steps[: learned + 1].mean()
            steps = steps / mean if mean > 0 else np.sign(steps)
        if covariates is not None:
            covariates = covariates / units_of(self.names, covariates[: learned + 1])
        sides = self.winner, self.loser, self.individuals
        known = self._inferred(learned) if self.intervals is None else self.intervals
        return prepared(*sides, self.tied, steps, known, covariates)[0]

    def _inferred(self, learned: int) -> Intervals:
        """Newcomers: by the rule for records, and later ones by that for the next contest."""
        contests, size = len(self.winner), self.individuals
        first, _ = first_and_last(self.winner, self.loser, size, self.steps)
        sides = np.concatenate([self.winner[:learned], self.loser[:learned]])
        own = np.bincount(sides, minlength=size)
        at = first / max(learned, 1)
        late = np.where(own > 0, (1 - np.minimum(at, 1)) ** own, 1 / (first + 1)) < LATE
        return Intervals(np.arange(size), np.where(late, first, FOUNDER), np.full(size, contests))


def predicted(past: Past) -> Chances:
    """Chances of each contest from the contests before it, seen from the winner."""
    contests = len(past.winner)
    win, tie = np.zeros(contests), np.zeros(contests)
    for begin, end in _blocks(past):
        win[begin:end], tie[begin:end] = _block(past.until(end), begin)
    if past.tied is None or not past.tied.any():
        return Chances(win, 1 - win, win - (1 - win))
    begins, ends = moments_of(past.steps, contests)
    first = ends[np.argmax(past.tied)] + 1
    tie[:first] = chances_of_a_first_tie(win[:first], begins[:first])
    win[:first] *= 1 - tie[:first]
    loss = 1 - win - tie
    return Chances(win, loss, win - loss, tie)


def _blocks(past: Past) -> Iterator[tuple[int, int]]:
    """Contests between which settings stay; one ends with the moment of the first tie."""
    contests = len(past.winner)
    tied = np.flatnonzero(past.tied) if past.tied is not None else np.zeros(0, int)
    first, _ = first_and_last(past.winner, past.loser, past.individuals, past.steps)
    first.sort()
    last = moments_of(past.steps, contests)[1]
    begin = 0
    while begin < contests:
        size = int(np.searchsorted(first, begin))
        growth = GROWTH_OF_MUCH if begin * size**2 > MUCH else GROWTH
        end = max(begin + FIRST, int(begin * growth))
        if tied.size and begin <= tied[0] < end:
            end = int(tied[0]) + 1
        end = int(last[min(end, contests) - 1]) + 1
        yield begin, end
        begin = end


def _block(past: Past, begin: int) -> tuple[np.ndarray, np.ndarray]:
    """Chances of a win of the winner and of a tie from contest `begin` to the last of the past."""
    before, record = past.until(begin), past.record(begin)
    grid = drift_grid(static=1.0) if past.static else drift_grid()
    known = before.record(begin) if begin else record
    share = time_share(before.winner, before.loser, before.individuals, before.steps)

    def log_evidence(value: float, few: Grid) -> float:
        chances = run_filters(known, settings_table(few, share, value)).log_chances
        return log_sum_exp(few.log_prior + chances.sum(axis=1))

    nu = estimated_nu(known.tied, log_evidence, tie_grid()) if begin else 0.0
    threads = threads_for(len(grid) * work_of(record), past.threads)
    parts = [_run(record, settings_table(grid, share, nu), grid.log_prior, nu, begin, threads)]
    if past.openings and begin:
        bank = Bank(
            grid=grid,
            record=known,
            table=settings_table(grid, share, nu),
            intervals=Intervals(*np.zeros((3, 0), int)),
            log_evidences=parts[0][0][:, 0] - grid.log_prior,
            nu=nu,
            means=np.zeros((len(grid), 0)),
            covariances=np.zeros((len(grid), 0, 0)),
            threads=threads,
        )
        further = opening_grid(grid)
        for opening in (*exceptions(bank), *sets_of(bank)):
            table = settings_table(further, share, nu)
            table[:, OFFSET] = opening.variances(further.sigma)
            labels = np.full((1, past.individuals), -1, np.int32)
            labels[0, : before.individuals] = opening.labels
            own = record._replace(openings=labels)
            log_prior = further.log_prior + opening.log_odds
            parts.append(_run(own, table, log_prior, nu, begin, threads))
    weights = np.array([log_sum_exp(part[0][:, 0]) for part in parts])
    weights = np.exp(weights - log_sum_exp(weights))
    kept = [part for i, part in enumerate(parts) if i == 0 or weights[i] > NEGLIGIBLE]
    log_weights, win, tie = (np.concatenate(each) for each in zip(*kept, strict=True))
    weight = np.exp(log_weights - log_weights.max(axis=0))
    weight /= weight.sum(axis=0)
    return (weight * win).sum(axis=0), (weight * tie).sum(axis=0)


def _run(
    record: Record, table: np.ndarray, log_prior: np.ndarray, nu: float, begin: int, threads: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Log weight of each filter before the contests of a block; its chances of a win and a tie."""
    if nu == 0:
        found = run_filters(record, table, threads=threads)
        log_chances, win = found.log_chances, np.exp(found.log_predicted[:, begin:])
        tie = np.zeros(win.shape)
    else:
        centers, variances, log_chances = predicted_differences(record, table, threads=threads)
        win, tie = np.empty(centers.shape), np.empty(centers.shape)
        outcome_chances(centers, variances, nu, 0.0, win, tie)
        win, tie = win[:, begin:], tie[:, begin:]
    log_weights = np.column_stack([np.zeros(len(table)), np.cumsum(log_chances, axis=1)])
    before = moments_of(record.step, record.winner.size)[0][begin:]
    return log_prior[:, None] + log_weights[:, before], win, tie

"""A bank of filters for one data set, averaged by their marginal likelihoods.

Inputs are arrays: codes of winners and losers in chronological order, and covariates of each
contest. The posterior of the ratings after the last contest is a Gaussian mixture with one
component per filter and weights proportional to prior × Π P(contest | contests before it). Draws
from it are independent, so there is no convergence to check.
"""

from dataclasses import dataclass

import numpy as np

from peckorder.errors import ArgumentError
from peckorder.filters.engine import run_filters, smoothed_states, threads_for, work_of
from peckorder.filters.grid import Grid, drift_grid
from peckorder.filters.mixtures import (
    centered_moments,
    log_sum_exp,
    mixture_draws,
    mixture_moments,
)
from peckorder.filters.roster import (
    FOUNDER,
    LATE,
    Intervals,
    first_and_last,
    inferred_intervals,
    known_intervals,
    present_after,
    rosters,
)
from peckorder.filters.ties import estimated_nu
from peckorder.kernels.filter_moments import moments
from peckorder.kernels.filters import Record, mix

ENTRY = 1.5  # prior standard deviation of the entry level, in units of σ
COEFFICIENT_SD = 0.5  # prior standard deviation of home advantage and other coefficients
QUADRATURE_BELOW = 1.0
NEGLIGIBLE = 0.005  # total weight of the filters that smoothing omits


@dataclass(frozen=True)
class Smoothed:
    """Smoothed states, filters × times × state, and the individuals present at each time."""

    weights: np.ndarray  # of the smoothed filters; the sum is 1
    means: np.ndarray
    covariances: np.ndarray
    present: tuple[np.ndarray, ...]
    coefficients: int

    def ratings(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean and SD of centered ratings, times × individuals; NaN for absent individuals."""
        shape = (self.means.shape[1], self.means.shape[2] - self.coefficients)
        mean, deviation = np.full(shape, np.nan), np.full(shape, np.nan)
        for s, who in enumerate(self.present):
            mean[s, who], deviation[s, who] = centered_moments(
                self.weights, self.means[:, s], self.covariances[:, s], who + self.coefficients
            )
        return mean, deviation

    def draws(self, number: int, seed=None) -> np.ndarray:
        """Draws × times × individuals, independent and centered at each time; NaN as above."""
        random = np.random.default_rng(seed)
        size = self.means.shape[2] - self.coefficients
        out = np.full((number, len(self.present), size), np.nan)
        for s, who in enumerate(self.present):
            at = who + self.coefficients
            covariances = self.covariances[:, s][:, at[:, None], at]
            out[:, s, who] = mixture_draws(
                self.weights, self.means[:, s, at], covariances, number, random
            )
        return out


@dataclass(frozen=True)
class Bank:
    """The filters after the last contest; state = (entry level, coefficients, ratings)."""

    grid: Grid
    record: Record
    table: np.ndarray  # settings of each filter in the layout of the kernel
    intervals: Intervals
    log_evidences: np.ndarray  # log marginal likelihood of each filter
    log_probability: np.ndarray  # of each contest given those before it, averaged over filters
    nu: float  # Davidson's tie parameter; 0 without ties
    means: np.ndarray  # (filters, state), after the last contest
    covariances: np.ndarray  # (filters, state, state)
    threads: int
    ordered: bool = True  # whether contests were taken in one after the other

    @property
    def coefficients(self) -> int:
        """Number of coefficients before the ratings in the state."""
        return self.record.coefficient_sd.size + 1

    @property
    def present(self) -> np.ndarray:
        """Codes of the individuals in the group at the last contest."""
        return present_after(self.intervals, self.record.winner.size)

    @property
    def log_evidence(self) -> float:
        """Log marginal likelihood, averaged over filters."""
        return log_sum_exp(self.grid.log_prior + self.log_evidences)

    @property
    def weights(self) -> np.ndarray:
        """Posterior probability of each filter."""
        return np.exp(self.grid.log_prior + self.log_evidences - self.log_evidence)

    def evidence(self) -> dict[str, float]:
        """Log marginal likelihood of each class of filters, and log Bayes factors between them."""
        moving, gaining = self.grid.tau > 0, self.grid.k > 0
        within = self.grid.log_within + self.log_evidences
        kinds = {
            "static": ~moving & ~gaining,
            "drift": moving & ~gaining,
            "elo": ~moving & gaining,
            "both": moving & gaining,
        }
        found = {name: log_sum_exp(within[of]) for name, of in kinds.items() if of.any()}
        factors = {
            "log_bf_drift": ("drift", "static"),
            "log_bf_elo": ("elo", "static"),
            "log_bf_elo_given_drift": ("both", "drift"),
        }
        for name, (one, other) in factors.items():
            if one in found and other in found:
                found[name] = found[one] - found[other]
        return found

    def ratings(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean and SD of the ratings of the individuals present, centered on their mean."""
        return centered_moments(
            self.weights, self.means, self.covariances, self.present + self.coefficients
        )

    def coefficient_moments(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean and SD of the entry level and of the coefficients of covariates."""
        size = self.coefficients
        means = self.means[:, :size]
        variances = np.diagonal(self.covariances, axis1=1, axis2=2)[:, :size]
        return mixture_moments(self.weights, means, variances)

    def draws(self, number: int, seed=None, *, filters=None) -> np.ndarray:
        """Independent centered draws of the ratings of the individuals present (columns).

        `filters` is a mask of the filters to draw from, such as `bank.grid.tau == 0`.
        """
        weights = self.weights if filters is None else self.weights * filters
        at = self.present + self.coefficients
        covariances = self.covariances[:, at[:, None], at]
        random = np.random.default_rng(seed)
        return mixture_draws(weights, self.means[:, at], covariances, number, random)

    def chance(self, a: int, b: int, *, covariates=(), ahead: float = 1.0) -> tuple[float, float]:
        """Probabilities that a beats b and of a tie, in a contest `ahead` time units from now."""
        first = self.coefficients
        at = np.array([*range(1, first), first + a, first + b])
        h = np.array([*covariates, 1.0, -1.0])
        scale = np.ones((len(self.grid), at.size))
        moved = self.table[:, 2] * ahead
        squared = self.grid.sigma**2
        back = self.grid.returning
        scale[:, -2:] = np.where(back, np.exp(-0.5 * moved / squared), 1.0)[:, None]
        added = np.where(back, -squared * np.expm1(-moved / squared), moved)
        h = h * scale
        centers = np.einsum("ei,ei->e", self.means[:, at], h)
        block = self.covariances[:, at][:, :, at]
        variances = np.einsum("ei,eij,ej->e", h, block, h) + 2 * added
        chances = [
            [moments(c, v, self.nu, tied, QUADRATURE_BELOW)[0] for tied in (False, True)]
            for c, v in zip(centers, variances, strict=True)
        ]
        win, tie = self.weights @ np.array(chances)
        return float(win), float(tie) if self.nu > 0 else 0.0

    def weighty(self) -> np.ndarray:
        """The filters with the highest weights, all but a negligible share of the total."""
        order = np.argsort(-self.weights, kind="stable")
        before = np.cumsum(self.weights[order]) - self.weights[order]
        return np.sort(order[before < 1 - NEGLIGIBLE])

    def smoothed(self, times, *, filters=None) -> Smoothed:
        """Smoothed states after given numbers of contests, given all contests.

        `filters` are the numbers of the filters to smooth, by default `weighty()`.
        """
        times = np.asarray(times, np.int64)
        weights = self.weights
        filters = self.weighty() if filters is None else np.asarray(filters)
        means, covariances = smoothed_states(
            self.record, self.table[filters], times, arrived=False, threads=self.threads
        )
        present = tuple(present_after(self.intervals, t) for t in times)
        weights = weights[filters] / weights[filters].sum()
        return Smoothed(weights, means, covariances, present, self.coefficients)


def run_bank(
    winner,
    loser,
    *,
    individuals: int,
    ties=None,
    nu: float | None = None,
    steps=None,
    intervals=None,
    covariates=None,
    grid: Grid | None = None,
    threads: int | None = None,
) -> Bank:
    """Run a filter for each setting of a grid.

    Parameters
    ----------
    winner, loser : arrays of int
        Codes from 0 to individuals − 1, one pair per contest, in chronological order.
    individuals : int
        Number of individuals.
    ties : array of bool, optional
        Whether each contest is a tie; the sides of a tie may be in any order.
    nu : float, optional
        Davidson's ν. By default the value that maximizes the marginal likelihood; 0 without ties.
    steps : array, optional
        Time before each contest, in units of the typical time. By default 1: time is counted in
        contests.
    intervals : three arrays of int, optional
        Presence: individual, first and last contest while it was in the group. If omitted, entries
        are inferred.
    covariates : array (contests) or (contests, number), optional
        Covariates of the logit, from the perspective of the winner; coefficients are estimated.
        For a home advantage, 1 if the winner was at home and −1 if the loser was.
    grid : Grid, optional
        `drift_grid()` by default.
    threads : int, optional
        By default, one thread for small data sets and one per processor for large ones.
    """
    grid = drift_grid() if grid is None else grid
    record, kept, time_share = prepared(
        winner, loser, individuals, ties, steps, intervals, covariates
    )
    if record.tied.any() and (grid.k > 0).any():
        raise ArgumentError("The Elo diagnostic (k > 0) cannot be used with ties. Remove the ties.")

    def log_evidence(value: float, few: Grid) -> float:
        chances = run_filters(record, settings_table(few, time_share, value)).log_chances
        return log_sum_exp(few.log_prior + chances.sum(axis=1))

    if nu is None:
        nu = estimated_nu(record.tied, log_evidence)
    if nu <= 0 and record.tied.any():
        raise ArgumentError(f"nu={nu!r}: give a number above 0, because some contests are ties.")
    table = settings_table(grid, time_share, nu)
    return bank_of(record, kept, grid, table, nu, threads)


def bank_of(
    record: Record, intervals: Intervals, grid: Grid, table, nu: float, threads: int | None
) -> Bank:
    """Run the filters of a table and average them."""
    threads = threads_for(len(grid) * work_of(record), threads)
    filtered = run_filters(record, table, threads=threads)
    log_probability = np.empty(record.winner.size)
    mix(grid.log_prior, filtered.log_chances, np.empty(len(grid)), log_probability)
    return Bank(
        grid=grid,
        record=record,
        table=table,
        intervals=intervals,
        log_evidences=filtered.log_chances.sum(axis=1),
        log_probability=log_probability,
        nu=nu,
        means=filtered.means,
        covariances=filtered.covariances,
        threads=threads,
    )


def prepared(
    winner, loser, individuals, ties, steps, intervals, covariates
) -> tuple[Record, Intervals, float]:
    """Record for the kernel, presence, and mean number of own contests per group contest."""
    winner, loser = (np.ascontiguousarray(side, np.int32) for side in (winner, loser))
    contests = winner.size
    if intervals is None:
        known = inferred_intervals(winner, loser, individuals)
    else:
        known = known_intervals(intervals, winner, loser, individuals)
    covariates = np.zeros((contests, 0)) if covariates is None else np.array(covariates, float)
    covariates = np.ascontiguousarray(covariates[:, None] if covariates.ndim == 1 else covariates)
    first, last = first_and_last(winner, loser, individuals)
    among = max((last - first + 1)[last >= 0].sum() / max(contests, 1), 2.0)
    record = Record(
        winner=winner,
        loser=loser,
        tied=np.zeros(contests, bool) if ties is None else np.ascontiguousarray(ties, bool),
        covariates=covariates,
        dyad=np.zeros(contests, np.int32),
        side=np.ones(contests),
        step=np.append(checked_steps(steps, contests), 0.0),
        coefficient_sd=np.full(covariates.shape[1], COEFFICIENT_SD),
        **rosters(known, contests, individuals)._asdict(),
    )
    return record, known, 2.0 / among


def with_newcomers(bank: Bank, size: int, newcomers: int, ahead: float) -> tuple[Record, Intervals]:
    """The record with one more contest, before which newcomers enter, and presence."""
    old, contests = bank.record, bank.record.winner.size
    late = contests + 1 > 1 / LATE  # by the rule for those whose presence was not recorded
    first = contests if late else FOUNDER
    who = np.arange(size, size + newcomers)
    known = Intervals(
        np.concatenate([bank.intervals.individual, who]),
        np.concatenate([bank.intervals.first, np.full(newcomers, first)]),
        np.concatenate([bank.intervals.last, np.full(newcomers, contests + 1)]),
    )
    width = old.covariates.shape[1]
    record = Record(
        winner=np.append(old.winner, size).astype(np.int32),
        loser=np.append(old.loser, 0).astype(np.int32),
        tied=np.append(old.tied, False),
        covariates=np.vstack([old.covariates, np.zeros((1, width))]),
        dyad=np.append(old.dyad, 0).astype(np.int32),
        side=np.append(old.side, 1.0),
        step=np.append(old.step[:-1], [ahead, 0.0]),
        coefficient_sd=old.coefficient_sd,
        **rosters(known, contests + 1, size + newcomers)._asdict(),
    )
    return record, known


def checked_steps(steps, contests: int) -> np.ndarray:
    """Time before each contest, checked."""
    if steps is None:
        return np.ones(contests)
    steps = np.asarray(steps, float)
    if steps.shape != (contests,) or not (np.isfinite(steps).all() and (steps >= 0).all()):
        raise ArgumentError("steps must be one finite, non-negative number per contest.")
    return steps


def settings_table(grid: Grid, time_share: float, nu: float) -> np.ndarray:
    """One row per filter, with the columns of the kernel's Filter."""
    table = np.zeros((len(grid), 9))
    table[:, 0] = grid.sigma
    table[:, 1] = ENTRY * grid.sigma
    table[:, 2] = grid.tau**2 * time_share
    table[:, 3] = grid.returning
    table[:, 4] = grid.k
    table[:, 5] = nu
    table[:, 8] = QUADRATURE_BELOW
    return table

"""A bank of filters for one data set, averaged by their marginal likelihoods.

Inputs are arrays: codes of winners and losers in chronological order, and covariates of each
contest. The posterior of the ratings after the last contest is a Gaussian mixture with one
component per filter and weights proportional to prior × Π P(contest | contests before it). Draws
from it are independent, so there is no convergence to check.

Group composition before each contest, and the entries of newcomers.

The grid of settings over which a bank of filters is averaged, with prior weights.

Davidson's ν, estimated by maximizing the marginal likelihood of a few filters.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from peckorder.errors import ArgumentError
from peckorder.kernels.filters import Filter, Record, outcome_chances
from peckorder.ratings.filter_runner import (
    kinds_of,
    log_sum_exp,
    mixture_moments,
    run_filters,
    run_likely,
    threads_for,
    work_of,
)

FOUNDER = -1
# Columns of a table of filters.
SPREAD, DRIFT, OPENING, OFFSET = (
    Filter._fields.index(name) for name in ("sigma", "drift", "opening", "offset")
)
LATE = 0.01


class Intervals(NamedTuple):
    """Intervals of presence; several for individuals that left and returned."""

    individual: np.ndarray
    first: np.ndarray
    last: np.ndarray


class Roster(NamedTuple):
    """Arrays of the kernel's record that describe group composition."""

    founder: np.ndarray
    roster_of: np.ndarray
    roster_at: np.ndarray
    roster: np.ndarray
    entry_at: np.ndarray
    entry_mean: np.ndarray
    newcomer_at: np.ndarray
    newcomer: np.ndarray
    openings: np.ndarray


def moments_of(steps, contests: int) -> tuple[np.ndarray, np.ndarray]:
    """First contest of the moment of each contest, and last one; each its own without steps."""
    if steps is None:
        return np.arange(contests), np.arange(contests)
    fresh = np.asarray(steps[:contests]) > 0
    fresh[:1] = True
    begins, moment = np.flatnonzero(fresh), np.cumsum(fresh) - 1
    return begins[moment], np.append(begins[1:], contests)[moment] - 1


def moment_ends(steps, contests: int) -> np.ndarray:
    """The contest after the last one of the moment of each contest, for the kernel."""
    return (moments_of(steps, contests)[1] + 1).astype(np.int32)


def first_and_last(winner, loser, individuals: int, steps=None) -> tuple[np.ndarray, np.ndarray]:
    """First and last contest of each individual; (number of contests, −1) if it has none.

    Contests without a step between them share a moment: its first contest, and its last one.
    """
    contests = len(winner)
    begins, ends = moments_of(steps, contests)
    first = np.full(individuals, contests)
    last = np.full(individuals, -1)
    for side in (winner, loser):
        np.minimum.at(first, side, begins)
        np.maximum.at(last, side, ends)
    return first, last


def inferred_intervals(winner, loser, individuals: int, steps=None) -> Intervals:
    """Presence if it was not recorded: no individual leaves, and entries are inferred.

    An individual with c contests, the first at position f of n, is a newcomer if such a late first
    contest is unlikely for an individual present throughout: (1 − f/n)^c < 0.01.
    """
    contests = len(winner)
    first, _ = first_and_last(winner, loser, individuals, steps)
    own = np.bincount(winner, minlength=individuals) + np.bincount(loser, minlength=individuals)
    late = (own > 0) & ((1 - first / max(contests, 1)) ** own < LATE)
    return Intervals(
        np.arange(individuals), np.where(late, first, FOUNDER), np.full(individuals, contests)
    )


def known_intervals(intervals, winner, loser, individuals: int, steps=None) -> Intervals:
    """Recorded presence, extended to each individual's first and last contest.

    Individuals without an interval are present throughout.
    """
    who, begins, ends = (np.asarray(part, np.int64) for part in intervals)
    missing = np.setdiff1d(np.arange(individuals), who)
    who = np.concatenate([who, missing])
    begins = np.concatenate([begins, np.full(missing.size, FOUNDER)])
    ends = np.concatenate([ends, np.full(missing.size, len(winner))])
    order = np.lexsort((begins, who))
    who, begins, ends = who[order], begins[order], ends[order]
    first, last = first_and_last(winner, loser, individuals, steps)
    opening = np.searchsorted(who, np.arange(individuals))
    closing = np.searchsorted(who, np.arange(individuals), side="right") - 1
    begins[opening] = np.minimum(begins[opening], first)
    ends[closing] = np.maximum(ends[closing], last)
    begins[opening] = np.where(begins[opening] <= 0, FOUNDER, begins[opening])
    return Intervals(who, begins, ends)


def present_after(intervals: Intervals, contests: int) -> np.ndarray:
    """Individuals in the group after a number of contests: those present at the last of them."""
    there = (intervals.first < max(contests, 1)) & (intervals.last >= contests - 1)
    return np.unique(intervals.individual[there])


def shares_after(intervals: Intervals, places: np.ndarray, individuals: int) -> np.ndarray:
    """Their shares in the mean of the group after numbers of contests, (places, individuals)."""
    there = intervals.first < np.maximum(places, 1)[:, None]
    there &= intervals.last >= places[:, None] - 1
    share = np.zeros((individuals, len(places)))
    np.maximum.at(share, intervals.individual, there.T)
    return (share / share.sum(axis=0)).T


def rosters(intervals: Intervals, contests: int, individuals: int) -> Roster:
    """Lists of the individuals that drift before each contest, and of entries, as flat arrays."""
    who, begins, ends = intervals
    changes = np.concatenate([[0], begins + 1, ends + 1])
    changes = np.unique(changes[(changes >= 0) & (changes <= contests)])
    lists = [np.unique(who[(begins < t) & (ends >= t)]) for t in changes]
    roster_of = np.searchsorted(changes, np.arange(contests + 1), side="right") - 1
    opening = np.full(individuals, np.iinfo(np.int64).max)
    np.minimum.at(opening, who, begins)
    entry_at = np.unique(opening[(opening > 0) & (opening <= contests)])
    newcomers = [np.flatnonzero(opening == t) for t in entry_at]
    return Roster(
        founder=opening <= 0,
        roster_of=roster_of.astype(np.int32),
        roster_at=offsets(lists),
        roster=flat(lists),
        entry_at=entry_at.astype(np.int32),
        entry_mean=roster_of[entry_at].astype(np.int32),
        newcomer_at=offsets(newcomers),
        newcomer=flat(newcomers),
        openings=np.full((1, individuals), -1, np.int32),
    )


def offsets(lists) -> np.ndarray:
    """Start of each list in their concatenation, and its length."""
    return np.concatenate([[0], np.cumsum([len(part) for part in lists])]).astype(np.int32)


def flat(lists) -> np.ndarray:
    """The concatenation of all lists."""
    return np.concatenate([*lists, np.zeros(0, int)]).astype(np.int32)


def roster(record: Record, number: int) -> np.ndarray:
    """Individuals of one of the lists of a record."""
    return record.roster[record.roster_at[number] : record.roster_at[number + 1]]


def newcomers_of(record: Record, entry: int) -> np.ndarray:
    """Individuals that enter at the same moment."""
    return record.newcomer[record.newcomer_at[entry] : record.newcomer_at[entry + 1]]


SIGMA = (0.1, 0.2, 0.35, 0.6, 0.9, 1.3, 1.9, 2.7, 3.8, 5.5)
TAU = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6)
ELO = (0.03, 0.06, 0.09, 0.12, 0.17, 0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0)
PRIOR_SIGMA, PRIOR_TAU, PRIOR_K = 2.5, 0.5, 1.0
STATIC, NO_ELO = 0.2, 0.5


@dataclass(frozen=True)
class Grid:
    """One entry per filter."""

    sigma: np.ndarray
    tau: np.ndarray
    returning: np.ndarray  # bool: mean-reverting drift, otherwise a random walk
    k: np.ndarray
    log_within: np.ndarray  # log prior, conditional on τ > 0 or not and on k > 0 or not
    log_prior: np.ndarray

    def __len__(self) -> int:
        return self.sigma.size

    def rows(self, some: np.ndarray) -> Grid:
        """Some of the filters."""
        return Grid(*(column[some] for column in vars(self).values()))


def half_normal_weights(values, scale: float) -> np.ndarray:
    """Prior weights of positive, ascending values under a half-normal density."""
    values = np.asarray(values, float)
    width = np.gradient(np.log(values)) if values.size > 1 else np.ones(1)
    weights = np.exp(-0.5 * (values / scale) ** 2) * values * width
    return weights / weights.sum()


def drift_grid(*, sigma=SIGMA, tau=TAU, elo: bool = False, static: float = STATIC) -> Grid:
    """All combinations of σ, τ (random walk and mean reversion) and, with `elo`, k.

    `static` is the prior probability of no drift; 1 excludes drift, and 0 excludes static ratings.
    """
    if not 0 <= static <= 1:
        raise ArgumentError(f"static={static!r}: give a probability from 0 to 1.")
    drifts = []  # τ, returning, weight within its class (τ = 0 or τ > 0), prior of the class
    if static > 0:
        drifts.append((0.0, False, 1.0, static))
    if static < 1:
        for value, weight in zip(tau, half_normal_weights(tau, PRIOR_TAU), strict=True):
            drifts += [(value, back, weight / 2, 1 - static) for back in (False, True)]
    gains = [(0.0, 1.0, NO_ELO if elo else 1.0)]
    if elo:
        weights = half_normal_weights(ELO, PRIOR_K)
        gains += [(k, weight, 1 - NO_ELO) for k, weight in zip(ELO, weights, strict=True)]
    rows = [
        (s, t, back, k, spread * moved * gained, class_of_drift * class_of_k)
        for s, spread in zip(sigma, half_normal_weights(sigma, PRIOR_SIGMA), strict=True)
        for k, gained, class_of_k in gains
        for t, back, moved, class_of_drift in drifts
    ]
    columns = np.array(rows, float).T
    return Grid(
        sigma=columns[0].copy(),
        tau=columns[1].copy(),
        returning=columns[2] > 0,
        k=columns[3].copy(),
        log_within=np.log(columns[4]),
        log_prior=np.log(columns[4] * columns[5]),
    )


ENTRY = 1.5  # prior standard deviation of the entry level, in units of σ
COEFFICIENT_SD = 0.5  # prior standard deviation of home advantage and other coefficients
QUADRATURE_BELOW = 1.0
NEGLIGIBLE = 0.005  # total weight of the filters that smoothing omits


@dataclass(frozen=True, eq=False)
class Opening:
    """Who may be far from the others from the start: exceptions, or sets that share an offset."""

    kind: Literal["exception", "sets"]
    labels: np.ndarray  # (individuals): equal numbers share an offset; −1: none
    log_odds: float  # prior odds relative to a normal prior
    variance: float  # of an offset: this much,
    sigmas: float  # and the square of so many units of σ

    def variances(self, sigma: np.ndarray) -> np.ndarray:
        """Variance of an offset under each spread σ."""
        return self.variance + (self.sigmas * sigma) ** 2

    @property
    def members(self) -> list[np.ndarray]:
        """Codes of the individuals that share an offset, one array per offset."""
        return [np.flatnonzero(self.labels == n) for n in range(self.labels.max() + 1)]


@dataclass(frozen=True)
class Bank:
    """The filters after the last contest; state = (entry level, coefficients, ratings)."""

    grid: Grid
    record: Record
    table: np.ndarray  # settings of each filter in the layout of the kernel
    intervals: Intervals
    log_evidences: np.ndarray  # log marginal likelihood of each filter
    nu: float  # Davidson's tie parameter; 0 without ties
    means: np.ndarray  # (filters, state), after the last contest
    covariances: np.ndarray  # (filters, state, state)
    threads: int
    ordered: bool = True  # whether contests were taken in one after the other
    best: np.ndarray | None = None  # highest log weight of each kind after each contest
    openings: tuple[Opening, ...] = ()  # number k in the table is the k-th; 0 is a normal prior

    @property
    def coefficients(self) -> int:
        """Number of coefficients before the ratings in the state."""
        return self.record.coefficient_sd.size + 1

    @property
    def log_evidence(self) -> float:
        """Log marginal likelihood, averaged over the filters with a normal prior.

        That of other openings is not known, because only the likely ones are run.
        """
        normal = self.table[:, OPENING] == 0
        return log_sum_exp((self.grid.log_prior + self.log_evidences)[normal])

    @property
    def weights(self) -> np.ndarray:
        """Posterior probability of each filter."""
        log_weights = self.grid.log_prior + self.log_evidences
        return np.exp(log_weights - log_sum_exp(log_weights))

    @property
    def opening_weights(self) -> np.ndarray:
        """Posterior probability of a normal prior, and of each opening."""
        number = self.table[:, OPENING].astype(int)
        return np.bincount(number, self.weights, minlength=len(self.openings) + 1)

    @property
    def normal(self) -> Bank:
        """The filters with a normal prior alone."""
        own = self.table[:, OPENING] == 0
        return (
            self
            if own.all()
            else replace(
                self,
                grid=self.grid.rows(own),
                table=self.table[own],
                means=self.means[own],
                covariances=self.covariances[own],
                log_evidences=self.log_evidences[own],
                openings=(),
            )
        )

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

    def coefficient_moments(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean and SD of the entry level and of the coefficients of covariates."""
        size = self.coefficients
        means = self.means[:, :size]
        variances = np.diagonal(self.covariances, axis1=1, axis2=2)[:, :size]
        return mixture_moments(self.weights, means, variances)

    def chances(self, a, b, covariates, ahead: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
        """Probabilities that each a beats each b and of a tie, in contests `ahead` from now.

        One row of covariates per pair, from the perspective of a.
        """
        first, moved, squared = self.coefficients, self.table[:, 2] * ahead, self.grid.sigma**2
        back = self.grid.returning
        shrunk = np.where(back, np.exp(-0.5 * moved / squared), 1.0)
        added = np.where(back, -squared * np.expm1(-moved / squared), moved)
        x, known, a, b = np.asarray(covariates), slice(1, first), first + a, first + b
        centers, variances, win, tie = np.zeros((4, len(self.grid), len(a)))
        for e, (m, p, r) in enumerate(zip(self.means, self.covariances, shrunk, strict=True)):
            centers[e] = x @ m[known] + r * (m[a] - m[b])
            variances[e] = r * r * (p[a, a] + p[b, b] - 2 * p[a, b]) + 2 * added[e]
            if x.size:
                shared = 2 * r * (p[known, a] - p[known, b]).T
                variances[e] += ((x @ p[known, known] + shared) * x).sum(axis=1)
        outcome_chances(centers, variances, self.nu, QUADRATURE_BELOW, win, tie)
        return self.weights @ win, self.weights @ tie

    def weighty(self) -> np.ndarray:
        """The filters with the highest weights, all but a negligible share of the total."""
        order = np.argsort(-self.weights, kind="stable")
        before = np.cumsum(self.weights[order]) - self.weights[order]
        return np.sort(order[before < 1 - NEGLIGIBLE])


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
        contests. Contests without time between them share a moment, and their order is irrelevant
        (but for filters with an Elo step).
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
        nu = estimated_nu(record.tied, log_evidence, tie_grid())
    if nu <= 0 and record.tied.any():
        raise ArgumentError(f"nu={nu!r}: give a number above 0, because some contests are ties.")
    table = settings_table(grid, time_share, nu)
    return bank_of(record, kept, grid, table, nu, threads)


def bank_of(
    record: Record, intervals: Intervals, grid: Grid, table, nu: float, threads: int | None
) -> Bank:
    """Run the filters of a table and average them."""
    threads = threads_for(len(grid) * work_of(record), threads)
    some, filtered = run_likely(record, table, grid.log_prior, threads=threads)
    grid = grid.rows(some)
    best = np.full((4, record.winner.size), -np.inf)
    log_weights = grid.log_prior[:, None] + np.cumsum(filtered.log_chances, axis=1)
    np.maximum.at(best, kinds_of(table[some]), log_weights)
    return Bank(
        grid=grid,
        record=record,
        table=table[some],
        intervals=intervals,
        log_evidences=filtered.log_chances.sum(axis=1),
        nu=nu,
        means=filtered.means,
        covariances=filtered.covariances,
        threads=threads,
        best=best,
    )


def prepared(
    winner, loser, individuals, ties, steps, intervals, covariates
) -> tuple[Record, Intervals, float]:
    """Record for the kernel, presence, and mean number of own contests per group contest."""
    winner, loser = (np.ascontiguousarray(side, np.int32) for side in (winner, loser))
    contests = winner.size
    steps = checked_steps(steps, contests)
    if intervals is None:
        known = inferred_intervals(winner, loser, individuals, steps)
    else:
        known = known_intervals(intervals, winner, loser, individuals, steps)
    covariates = np.zeros((contests, 0)) if covariates is None else np.array(covariates, float)
    covariates = np.ascontiguousarray(covariates[:, None] if covariates.ndim == 1 else covariates)
    record = Record(
        winner=winner,
        loser=loser,
        tied=np.zeros(contests, bool) if ties is None else np.ascontiguousarray(ties, bool),
        covariates=covariates,
        dyad=np.zeros(contests, np.int32),
        side=np.ones(contests),
        step=np.append(steps, 0.0),
        moment_end=moment_ends(steps, contests),
        coefficient_sd=np.full(covariates.shape[1], COEFFICIENT_SD),
        **rosters(known, contests, individuals)._asdict(),
    )
    return record, known, time_share(winner, loser, individuals, steps)


def time_share(winner, loser, individuals: int, steps=None) -> float:
    """Mean number of own contests per contest, from the first to the last own one."""
    first, last = first_and_last(winner, loser, individuals, steps)
    return 2.0 / max((last - first + 1)[last >= 0].sum() / max(len(winner), 1), 2.0)


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
        moment_end=np.append(old.moment_end, contests + 1).astype(np.int32),
        coefficient_sd=old.coefficient_sd,
        **rosters(known, contests + 1, size + newcomers)._asdict(),
    )
    return record._replace(openings=pad(old.openings, newcomers)), known


def pad(openings: np.ndarray, newcomers: int) -> np.ndarray:
    """Openings with newcomers, who are in none."""
    return np.pad(openings, ((0, 0), (0, newcomers)), constant_values=-1)


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
    table = np.zeros((len(grid), len(Filter._fields)))
    table[:, 0] = grid.sigma
    table[:, 1] = ENTRY * grid.sigma
    table[:, 2] = grid.tau**2 * time_share
    table[:, 3] = grid.returning
    table[:, 4] = grid.k
    table[:, 5] = nu
    table[:, 8] = QUADRATURE_BELOW
    return table


TIE_SIGMA, TIE_TAU = (0.35, 0.9, 1.9, 3.8), (0.2,)
NARROW = 0.02  # tolerance of log ν
STEPS = 12


def tie_grid(static: float = STATIC) -> Grid:
    """The few filters with which values of ν are compared."""
    return drift_grid(sigma=TIE_SIGMA, tau=TIE_TAU, static=static)


def nu_of_equals(ties) -> float:
    """The ν at which the observed number of ties is expected between equal individuals."""
    tied = np.count_nonzero(ties)
    return 2 * tied / max(len(ties) - tied, 0.5)


def estimated_nu(ties, log_evidence, grid: Grid) -> float:
    """The ν with the highest marginal likelihood; 0 without ties.

    `log_evidence(nu, grid)` is the log marginal likelihood over a few filters (`tie_grid`). The
    search over log ν is by parabolic interpolation. It starts from the value for equal individuals;
    unequal ones require a higher ν for the same number of ties.
    """
    tied = np.count_nonzero(ties)
    if tied == 0:
        return 0.0
    start = np.log(nu_of_equals(ties))
    points = {x: log_evidence(float(np.exp(x)), grid) for x in (start, start + 0.5, start + 1.0)}
    for _ in range(STEPS):
        x = next_point(points)
        if min(abs(x - known) for known in points) < NARROW:
            break
        points[x] = log_evidence(float(np.exp(x)), grid)
    return float(np.exp(max(points, key=lambda point: points[point])))


def next_point(points: dict[float, float]) -> float:
    """Maximum of the parabola through the best point and its neighbors.

    If the best point is at the edge, one step beyond it.
    """
    known = sorted(points)
    best = known.index(max(points, key=lambda point: points[point]))
    if best == 0:
        return known[0] - 1.0
    if best == len(known) - 1:
        return known[-1] + 1.0
    left, middle, right = known[best - 1 : best + 2]
    a = (middle - left) * (points[middle] - points[right])
    b = (middle - right) * (points[middle] - points[left])
    if a == b:
        return middle
    return middle - 0.5 * ((middle - left) * a - (middle - right) * b) / (a - b)

"""Adaptive ratings: one-step-ahead prediction without tuning parameters.

Twenty filters over a grid of standard deviation s0 and drift w. Each has coefficients of
experience, momentum, dyadic record and time since the last contest, dyadic effects, and an entry
level, all estimated sequentially. The filters are averaged, with a small share of the weights
redistributed after each contest. This average is combined with averaged Elo at equal prior odds, so
the cumulative log loss never exceeds that of averaged Elo by more than log 2.
"""

from dataclasses import dataclass

import numpy as np

from peckorder.filters.engine import (
    Filtered,
    filtered_states,
    run_filters,
    smoothed_states,
    threads_for,
    work_of,
)
from peckorder.filters.mixtures import mixture_moments
from peckorder.filters.roster import Roster, first_and_last, flat, offsets
from peckorder.kernels.adaptive import averaged_elo, blend, histories, shared_average
from peckorder.kernels.filter_moments import moments
from peckorder.kernels.filters import Record

SPREADS = (0.5, 1.0, 2.0, 4.0)
DRIFTS = (0.0, 0.02, 0.05, 0.12, 0.3)
GAINS = (0.02, 0.04, 0.07, 0.1, 0.15, 0.2, 0.3, 0.45, 0.7, 1.0, 1.5, 2.2, 3.3, 5.0)
SHARE, LAPSE = 0.001, 0.002
DYAD_SD, ENTRY_SD, COVARIATE_SD = 0.5, 2.0, 0.5
COEFFICIENTS = ("entry", "experience", "momentum", "dyad_record", "gap")
COEFFICIENT_SD = (0.5, 0.5, 0.5, 0.25)
HISTORIES = len(COEFFICIENT_SD)
FOUNDING, ACTIVE, FEWEST = 50, 200, 2
NEGLIGIBLE = 0.01  # filters with weights up to this value are omitted in smoothing
EXPERIENCE = COEFFICIENTS.index("experience")


@dataclass(frozen=True)
class AdaptiveBank:
    """The filters and averaged Elo after the last contest.

    State of a filter: entry level, coefficients of histories and covariates, ratings.
    """

    record: Record
    table: np.ndarray  # settings of each filter in the layout of the kernel
    probability: np.ndarray  # predicted probability of each observed outcome
    bank_probability: np.ndarray  # the same from the filters only
    elo_probability: np.ndarray  # the same from averaged Elo only
    weights: np.ndarray  # (contests + 1, filters), before each contest and after the last
    elo_weights: np.ndarray  # weight of each k of averaged Elo, after the last contest
    elo_ratings: np.ndarray  # (values of k, individuals), after the last contest
    bank_share: float  # weight of the filters relative to averaged Elo, after the last contest
    filtered: Filtered
    threads: int

    @property
    def individuals(self) -> int:
        """Number of individuals."""
        return self.record.founder.size

    def coefficient_moments(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard deviation of all coefficients, after the last contest."""
        size = self.record.coefficient_sd.size + 1
        variances = np.diagonal(self.filtered.covariances, axis1=1, axis2=2)[:, :size]
        return mixture_moments(self.weights[-1], self.filtered.means[:, :size], variances)

    def ratings(self, times=None) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard deviation of the ratings, given the contests before each time.

        By default after the last contest; times × individuals, NaN before the first contest of an
        individual. Ratings include the effect of experience and are centered on the mean of the
        recently active individuals.
        """
        contests = self.record.winner.size
        if times is None:
            means, covariances = self.filtered.means[:, None], self.filtered.covariances[:, None]
            mean, deviation = self._strengths([contests], means, covariances, self.weights[-1:])
            return mean[0], deviation[0]
        times = np.asarray(times, np.int64)
        means, covariances = filtered_states(
            self.record, self.table, times, arrived=True, threads=self.threads
        )
        return self._strengths(times, means, covariances, self.weights[times])

    def smoothed_ratings(self, times) -> tuple[np.ndarray, np.ndarray]:
        """Smoothed ratings, given all contests, from filters with non-negligible final weight."""
        times = np.asarray(times, np.int64)
        last = self.weights[-1]
        filters = np.flatnonzero(last > NEGLIGIBLE)
        means, covariances = smoothed_states(
            self.record, self.table[filters], times, arrived=True, threads=self.threads
        )
        weights = last[filters] / last[filters].sum()
        return self._strengths(times, means, covariances, np.tile(weights, (times.size, 1)))

    def _strengths(self, times, means, covariances, weights) -> tuple[np.ndarray, np.ndarray]:
        """Mean and SD of r + b1 log(1 + n) minus its mean over recently active individuals."""
        offset = self.record.coefficient_sd.size + 1
        mean = np.full((len(times), self.individuals), np.nan)
        deviation = mean.copy()
        for place, t in enumerate(times):
            before = np.concatenate([self.record.winner[:t], self.record.loser[:t]])
            own = np.bincount(before, minlength=self.individuals)
            form = np.zeros((self.individuals, means.shape[2]))
            form[np.arange(self.individuals), offset + np.arange(self.individuals)] = 1.0
            form[:, EXPERIENCE] = np.log1p(own)
            lately = active_before(self.record.winner, self.record.loser, t, ACTIVE + 1)
            if lately.size:
                form -= form[lately].mean(axis=0)
            seen = np.flatnonzero(own)
            form = form[seen]
            variances = np.einsum("ij,ejk,ik->ei", form, covariances[:, place], form, optimize=True)
            mean[place, seen], deviation[place, seen] = mixture_moments(
                weights[place], means[:, place] @ form.T, variances
            )
        return mean, deviation

    def chance(self, a: int, b: int, *, covariates=()) -> float:
        """Probability that a beats b in the next contest; both may be newcomers."""
        record, contests = self.record, self.record.winner.size
        winner, loser = np.append(record.winner, a), np.append(record.loser, b)
        dyad, side = dyads_of(winner, loser)
        known = histories_of(winner, loser, dyad, side, self.individuals)[-1]
        h = np.zeros(self.filtered.means.shape[1])
        h[1 : HISTORIES + 1] = known
        h[HISTORIES + 1 : record.coefficient_sd.size + 1] = covariates
        fresh = np.zeros(len(self.table))
        for individual, sign in ((a, 1.0), (b, -1.0)):
            form, new = self._entering(individual, contests)
            h += sign * form
            fresh += new * self.table[:, 0] ** 2
        centers = self.filtered.means @ h
        variances = np.einsum("i,eij,j->e", h, self.filtered.covariances, h) + fresh
        met = np.flatnonzero(dyad[:-1] == dyad[-1])
        if met.size:
            at = record.dyad[met[0]]
            sign = side[-1] * side[met[0]] * record.side[met[0]]
            centers = centers + sign * self.filtered.dyad_means[:, at]
            variances = variances + self.filtered.dyad_variances[:, at]
        else:
            variances = variances + DYAD_SD**2
        z = [moments(c, v, 0.0, False, 0.0)[0] for c, v in zip(centers, variances, strict=True)]
        bank = self.weights[-1] @ (LAPSE + (1 - 2 * LAPSE) * np.array(z))
        elo = 1 / (1 + np.exp(self.elo_ratings[:, b] - self.elo_ratings[:, a]))
        return float(self.bank_share * bank + (1 - self.bank_share) * (self.elo_weights @ elo))

    def _entering(self, individual: int, t: int) -> tuple[np.ndarray, float]:
        """A rating as a linear form of the state, and the number of additional variances σ²."""
        offset = self.record.coefficient_sd.size + 1
        form = np.zeros(self.filtered.means.shape[1])
        if np.isin(individual, self.record.winner) or np.isin(individual, self.record.loser):
            form[offset + individual] = 1.0
            return form, 0.0
        lately = active_before(self.record.winner, self.record.loser, t, ACTIVE)
        if t >= FOUNDING and lately.size >= FEWEST:
            form[0] = 1.0
            form[offset + lately] = 1.0 / lately.size
        return form, 1.0


def run_adaptive(
    winner, loser, *, individuals: int, covariates=None, threads: int | None = None
) -> AdaptiveBank:
    """Predict each contest from the contests before it.

    Parameters
    ----------
    winner, loser : arrays of int
        Codes from 0 to individuals − 1, one pair per contest, in chronological order.
    individuals : int
        Number of individuals.
    covariates : array (contests) or (contests, number), optional
        Covariates of the logit, from the perspective of the winner; coefficients are estimated.
    threads : int, optional
        By default, one thread for small data sets and one per processor for large ones.
    """
    winner, loser = (np.ascontiguousarray(side, np.int32) for side in (winner, loser))
    record = adaptive_record(winner, loser, individuals, covariates)
    table = adaptive_table()
    threads = threads_for(len(table) * work_of(record), threads)
    filtered = run_filters(record, table, threads=threads)
    contests = winner.size
    weights, bank = np.empty((contests + 1, len(table))), np.empty(contests)
    shared_average(filtered.log_chances, SHARE, weights, bank)
    elo_ratings, elo_weights = np.empty((len(GAINS), individuals)), np.empty(len(GAINS))
    elo, probability = np.empty(contests), np.empty(contests)
    averaged_elo(winner, loser, np.array(GAINS), elo_ratings, elo_weights, elo)
    odds = blend(bank, elo, probability)
    return AdaptiveBank(
        record=record,
        table=table,
        probability=probability,
        bank_probability=bank,
        elo_probability=elo,
        weights=weights,
        elo_weights=elo_weights,
        elo_ratings=elo_ratings,
        bank_share=float(1 / (1 + np.exp(-odds))),
        filtered=filtered,
        threads=threads,
    )


def adaptive_record(winner, loser, individuals: int, covariates) -> Record:
    """The record for the kernel: histories as covariates, and entries of newcomers."""
    contests = winner.size
    dyad, side = dyads_of(winner, loser)
    known = histories_of(winner, loser, dyad, side, individuals)
    if covariates is not None:
        known = np.column_stack([known, covariates])
    further = known.shape[1] - HISTORIES
    return Record(
        winner=winner,
        loser=loser,
        tied=np.zeros(contests, bool),
        covariates=np.ascontiguousarray(known),
        dyad=dyad,
        side=side,
        step=np.ones(contests + 1),
        coefficient_sd=np.array([*COEFFICIENT_SD, *[COVARIATE_SD] * further]),
        **entries(winner, loser, individuals)._asdict(),
    )


def adaptive_table() -> np.ndarray:
    """One row per filter, with the columns of the kernel's Filter.

    The drift after every contest, r ← φ r + N(0, w²) with φ² = 1 − w²/s0², is mean-reverting; its
    variance in the parameterization of the kernel is −s0² log φ².
    """
    rows = [
        (s0, ENTRY_SD, -(s0**2) * np.log1p(-((w / s0) ** 2)), 1.0, 0.0, 0.0, LAPSE, DYAD_SD, 0.0)
        for s0 in SPREADS
        for w in DRIFTS
    ]
    return np.array(rows)


def dyads_of(winner, loser) -> tuple[np.ndarray, np.ndarray]:
    """Dyad of each contest, and 1 if the winner is its first member, otherwise −1."""
    low, high = np.minimum(winner, loser).astype(np.int64), np.maximum(winner, loser)
    _, dyad = np.unique(low * (high.max(initial=0) + 1) + high, return_inverse=True)
    return dyad.astype(np.int32), np.where(winner < loser, 1.0, -1.0)


def histories_of(winner, loser, dyad, side, individuals: int) -> np.ndarray:
    """Experience, momentum, dyadic record and gap (time since last contest) of each contest."""
    out = np.empty((winner.size, HISTORIES))
    histories(winner, loser, dyad, side, individuals, int(dyad.max(initial=0)) + 1, out)
    return out


def active_before(winner, loser, t: int, window: int) -> np.ndarray:
    """Individuals with a contest among the last `window` before contest t."""
    begin = max(t - window, 0)
    return np.unique(np.concatenate([winner[begin:t], loser[begin:t]]))


def entries(winner, loser, individuals: int) -> Roster:
    """All individuals drift; later newcomers enter at the mean of recently active individuals."""
    first, _ = first_and_last(winner, loser, individuals)
    lists, entry_at, newcomers = [np.arange(individuals)], [], []
    founder = np.ones(individuals, bool)
    for t in np.unique(first[(first >= FOUNDING) & (first < winner.size)]):
        lately = active_before(winner, loser, t, ACTIVE)
        if lately.size >= FEWEST:
            lists.append(lately)
            entry_at.append(t)
            newcomers.append(np.flatnonzero(first == t))
            founder[newcomers[-1]] = False
    return Roster(
        founder=founder,
        roster_of=np.zeros(winner.size + 1, np.int32),
        roster_at=offsets(lists),
        roster=flat(lists),
        entry_at=np.array(entry_at, np.int32),
        entry_mean=np.arange(1, len(lists), dtype=np.int32),
        newcomer_at=offsets(newcomers),
        newcomer=flat(newcomers),
    )

"""Adaptive ratings: one-step-ahead prediction without tuning parameters.

Twenty filters over a grid of standard deviation s0 and drift w. Each has coefficients of
experience, momentum, dyadic record and time since the last contest, dyadic effects, and an entry
level, all estimated sequentially. The filters are averaged, with a small share of the weights
redistributed after each contest. This average is combined with averaged Elo at equal prior odds, so
the cumulative log loss never exceeds that of averaged Elo by more than log 2. If there are ties,
every filter and every Elo exists once for each of several values of Davidson's ν.

The record that the filters of adaptive ratings read: histories as covariates, and entries.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from peckorder.kernels.adaptive import HALF, MEMORY, blend, elo_paths, histories, shared_average
from peckorder.kernels.filters import Filter, Record, outcome_chances
from peckorder.ratings.filter_bank import (
    Roster,
    first_and_last,
    flat,
    moment_ends,
    moments_of,
    offsets,
)
from peckorder.ratings.filter_runner import (
    Filtered,
    mixture_moments,
    predicted_differences,
    run_filters,
    threads_for,
    work_of,
)

COEFFICIENTS = ("entry", "experience", "momentum", "dyad_record", "gap")
COEFFICIENT_SD = (0.5, 0.5, 0.5, 0.25)
COVARIATE_SD = 0.5
HISTORIES = len(COEFFICIENT_SD)
EXPERIENCE = COEFFICIENTS.index("experience")
FOUNDING, ACTIVE, FEWEST = 50, 200, 2


@dataclass(frozen=True)
class Histories:
    """What individuals and dyads bring into the next contest."""

    contests: np.ndarray  # own contests so far
    outcome: np.ndarray  # of the last own contest: 1, 0 or −1
    last: np.ndarray  # number of the last own contest; −1 without one
    wins: np.ndarray  # (dyads, 2), decayed wins of the lower and of the higher code
    dyads: np.ndarray  # the dyads met, as low × individuals + high, ascending
    number: int  # of contests so far

    def dyads_of(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """The number of each dyad; −1 if it has not met."""
        if not self.dyads.size:
            return np.full(len(first), -1)
        key = np.minimum(first, second) * np.int64(len(self.last)) + np.maximum(first, second)
        at = np.minimum(np.searchsorted(self.dyads, key), len(self.dyads) - 1)
        return np.where(self.dyads[at] == key, at, -1)

    def of(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Experience, momentum, dyadic record and gap of the next contest of each pair."""
        t = self.number
        recent = self.outcome * MEMORY ** (t - 1.0 - self.last)
        since = np.log(1.0 + t - self.last)
        dyad = self.dyads_of(first, second)
        own = np.where(first < second, 0, 1)
        met = dyad >= 0
        won, lost = (
            np.where(met, self.wins[dyad, side], 0.0) if self.dyads.size else np.zeros(len(dyad))
            for side in (own, 1 - own)
        )
        return np.column_stack(
            [
                np.log((1.0 + self.contests[first]) / (1.0 + self.contests[second])),
                recent[first] - recent[second],
                np.log((won + HALF) / (lost + HALF)),
                since[first] - since[second],
            ]
        )


def adaptive_record(
    winner, loser, individuals: int, covariates=None, *, tied=None, batches=None
) -> tuple[Record, Histories]:
    """The record for the kernel, with histories as covariates and entries of newcomers.

    `batches` are the numbers of the first contests of each time stamp; None if each contest counts
    on its own.
    """
    contests = winner.size
    tied = np.zeros(contests, bool) if tied is None else np.ascontiguousarray(tied, bool)
    batch_at = batch_ends(batches, contests)
    dyads, dyad, side = dyads_of(winner, loser, individuals)
    known, state = histories_of(winner, loser, tied, batch_at, dyads, dyad, side, individuals)
    if covariates is not None:
        known = np.column_stack([known, covariates])
    further = known.shape[1] - HISTORIES
    step = np.zeros(contests + 1)
    step[batch_at[1:]] = np.diff(batch_at)  # ratings drift between batches
    record = Record(
        winner=winner,
        loser=loser,
        tied=tied,
        covariates=np.ascontiguousarray(known),
        dyad=dyad,
        side=side,
        step=step,
        moment_end=moment_ends(step, contests),
        coefficient_sd=np.array([*COEFFICIENT_SD, *[COVARIATE_SD] * further]),
        **entries(winner, loser, individuals, step)._asdict(),
    )
    return record, state


def batch_ends(batches, contests: int) -> np.ndarray:
    """The first contest of each batch, and the number of contests."""
    begins = np.arange(contests) if batches is None else np.asarray(batches)
    return np.append(begins, contests).astype(np.int64)


def dyads_of(winner, loser, individuals: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Dyads met, the dyad of each contest, and 1 if the winner is its first member, else −1."""
    low, high = np.minimum(winner, loser).astype(np.int64), np.maximum(winner, loser)
    dyads, dyad = np.unique(low * individuals + high, return_inverse=True)
    return dyads, dyad.astype(np.int32), np.where(winner < loser, 1.0, -1.0)


def histories_of(
    winner, loser, tied, batch_at, dyads, dyad, side, individuals: int
) -> tuple[np.ndarray, Histories]:
    """Experience, momentum, dyadic record and gap of each contest, and what remains of them."""
    out = np.empty((winner.size, HISTORIES))
    own, outcome = np.zeros((2, individuals))
    last, wins = np.full(individuals, -1), np.zeros((max(len(dyads), 1), 2))
    room = np.zeros((individuals, 2)), np.zeros((len(wins), 3))
    histories(winner, loser, tied, batch_at, dyad, side, own, outcome, last, wins, *room, out)
    return out, Histories(own, outcome, last, wins, dyads, winner.size)


def active_before(winner, loser, step, t: int, window: int) -> np.ndarray:
    """Individuals with a contest among the last `window` before contest t, or in their batches."""
    begin = max(t - window, 0)
    while begin > 0 and step[begin] == 0:
        begin -= 1
    return np.unique(np.concatenate([winner[begin:t], loser[begin:t]]))


def entries(winner, loser, individuals: int, step) -> Roster:
    """All individuals drift; later newcomers enter at the mean of recently active individuals."""
    first, _ = first_and_last(winner, loser, individuals, step)
    lists, entry_at, newcomers = [np.arange(individuals)], [], []
    founder = np.ones(individuals, bool)
    for t in np.unique(first[(first >= FOUNDING) & (first < winner.size)]):
        lately = active_before(winner, loser, step, t, ACTIVE)
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
        openings=np.full((1, individuals), -1, np.int32),
    )


SPREADS = (0.5, 1.0, 2.0, 4.0)
DRIFTS = (0.0, 0.02, 0.05, 0.12, 0.3)
GAINS = (0.02, 0.04, 0.07, 0.1, 0.15, 0.2, 0.3, 0.45, 0.7, 1.0, 1.5, 2.2, 3.3, 5.0)
NUS = (0.002, 0.006, 0.02, 0.06, 0.2, 0.6, 1.5, 4.0)  # equals then tie with probability ν/(2 + ν)
RARE_FIRST = 1 / np.arange(1.0, len(NUS) + 1)  # prior weights of these, relative to each other
SHARE, LAPSE = 0.001, 0.002
DYAD_SD, ENTRY_SD = 0.5, 2.0
NEGLIGIBLE = 0.005  # total weight of the filters that smoothing omits
NU = 5  # column of the table
VALUES_AT_ONCE = 5_000_000


@dataclass(frozen=True)
class AdaptiveBank:
    """The filters and averaged Elo after the last contest.

    State of a filter: entry level, coefficients of histories and covariates, ratings.
    """

    record: Record
    histories: Histories  # what individuals bring into the next contest
    table: np.ndarray  # settings of each filter in the layout of the kernel
    probability: np.ndarray  # predicted probability of each observed outcome
    bank_probability: np.ndarray  # the same from the filters only
    elo_probability: np.ndarray  # the same from averaged Elo only
    weights: np.ndarray  # (contests + 1, filters), before each contest and after the last
    elo_weights: np.ndarray  # (contests + 1, values of k × values of ν), the same for averaged Elo
    elo_expected: np.ndarray  # (values of k, contests): expected score of each winner
    elo_ratings: np.ndarray  # (values of k, individuals), after the last contest
    bank_shares: np.ndarray  # (contests + 1): weight of the filters relative to averaged Elo
    before_ties: tuple[np.ndarray, np.ndarray]  # chances of a win and a tie up to the first tie
    filtered: Filtered
    threads: int

    @property
    def individuals(self) -> int:
        """Number of individuals."""
        return self.record.founder.size

    @property
    def nus(self) -> tuple[float, ...]:
        """The values of ν; a single 0 without ties."""
        return NUS if self.record.tied.any() else (0.0,)

    @property
    def bank_share(self) -> float:
        """Weight of the filters relative to averaged Elo, after the last contest."""
        return float(self.bank_shares[-1])

    @property
    def offset(self) -> int:
        """Number of coefficients before the ratings in the state."""
        return self.record.coefficient_sd.size + 1

    # -- ratings as linear forms of the state ------------------------------------------------

    @cached_property
    def first(self) -> np.ndarray:
        """First contest of the first batch of each individual; the number of contests if none."""
        record = self.record
        return first_and_last(record.winner, record.loser, self.individuals, record.step)[0]

    def own_contests(self, t: int) -> np.ndarray:
        """Number of contests of each individual among the first t."""
        before = np.concatenate([self.record.winner[:t], self.record.loser[:t]])
        return np.bincount(before, minlength=self.individuals)

    def levels(self, t: int) -> np.ndarray:
        """Ratings r as linear forms of the state, individuals × state, after t contests.

        An individual that has not met anybody in the record would enter now: r is then its own
        part around the entry level.
        """
        form = np.zeros((self.individuals, self.offset + self.individuals))
        form[np.arange(self.individuals), self.offset + np.arange(self.individuals)] = 1.0
        unseen = np.flatnonzero(self.first >= self.record.winner.size)
        lately = self._active_before(t, ACTIVE)
        if unseen.size and t >= FOUNDING and lately.size >= FEWEST:
            form[unseen, 0] = 1.0
            form[np.ix_(unseen, self.offset + lately)] = 1.0 / lately.size
        return form

    def strengths(self, t: int, *, hindsight: bool = False) -> np.ndarray:
        """Ratings r + b1 log(1 + n) minus their mean over the recently active, as linear forms."""
        form = self.levels(t)
        form[:, EXPERIENCE] += np.log1p(self.own_contests(t))
        lately = self.recently_active(t, hindsight)
        return form - form[lately].mean(axis=0) if lately.size else form

    def _active_before(self, t: int, window: int) -> np.ndarray:
        return active_before(self.record.winner, self.record.loser, self.record.step, t, window)

    def recently_active(self, t: int, hindsight: bool) -> np.ndarray:
        """Individuals with a contest lately; in hindsight, at first also founders yet to meet."""
        lately = self._active_before(t, ACTIVE + 1)
        if not hindsight or t > ACTIVE:
            return lately
        founders = self.record.founder & (self.first < self.record.winner.size)
        return np.union1d(lately, np.flatnonzero(founders))

    def ratings(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard deviation of the ratings after the last contest, by individual.

        They include the effect of experience and are centered on the mean of the recently active.
        NaN for individuals without a contest.
        """
        t = self.record.winner.size
        state = self.filtered.means, self.filtered.covariances
        mean, deviation = self.moments(t, self.weights[-1], *state)
        seen = self.first < t
        return np.where(seen, mean, np.nan), np.where(seen, deviation, np.nan)

    def weighty(self) -> tuple[np.ndarray, np.ndarray]:
        """The filters with the highest final weights, and these weights, which sum to 1."""
        last = self.weights[-1]
        order = np.argsort(-last, kind="stable")
        before = np.cumsum(last[order]) - last[order]
        some = np.sort(order[before < 1 - NEGLIGIBLE])
        return some, last[some] / last[some].sum()

    def moments(
        self, t: int, weights, means, covariances, *, hindsight: bool = False
    ) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard deviation of all ratings after t contests, averaged over filters."""
        form = self.strengths(t, hindsight=hindsight)
        lately = self.recently_active(t, hindsight)
        variances = self._variances(t, form, lately, covariances)
        return mixture_moments(weights, means @ form.T, variances)

    def _variances(self, t: int, form, lately, covariances) -> np.ndarray:
        """Variances of the strengths, filters × individuals.

        If everybody has met somebody, in as many steps as a covariance has entries: with
        y = r + b1 log(1 + n), those of y minus its mean over the recently active.
        """
        if not lately.size or self.first.max() >= self.record.winner.size:
            return np.array([np.einsum("ij,ij->i", form @ p, form) for p in covariances])
        own = np.log1p(self.own_contests(t))
        ratings = covariances[:, self.offset :, self.offset :]
        cross = covariances[:, self.offset :, EXPERIENCE]
        spread = covariances[:, EXPERIENCE, EXPERIENCE][:, None]
        variance = np.diagonal(ratings, axis1=1, axis2=2) + 2 * own * cross + own**2 * spread
        level = own[lately].mean()
        shared = ratings[:, :, lately].mean(axis=2) + own * cross[:, lately].mean(1, keepdims=True)
        shared = shared + level * cross + own * level * spread
        return variance - 2 * shared + shared[:, lately].mean(axis=1, keepdims=True)

    # -- probabilities of the next contest ---------------------------------------------------

    def chances(self, first, second, covariates=None) -> tuple[np.ndarray, np.ndarray]:
        """Probabilities that the first side wins and that it ties, in the next contest."""
        first, second = np.asarray(first, np.int64), np.asarray(second, np.int64)
        step = max(1, VALUES_AT_ONCE // (self.filtered.means.shape[1] + len(self.table)))
        parts = []
        for begin in range(0, max(len(first), 1), step):
            own = slice(begin, begin + step)
            known = None if covariates is None else np.asarray(covariates, float)[own]
            parts.append(self._chances(first[own], second[own], known))
        win, tie = (np.concatenate(part) for part in zip(*parts, strict=True))
        return win, tie

    def logits(self, first, second, covariates=None) -> np.ndarray:
        """The logit of the next contest of each pair as a linear form of the state."""
        level = self.levels(self.record.winner.size)
        h = level[first] - level[second]
        h[:, 1 : HISTORIES + 1] += self.histories.of(first, second)
        if covariates is not None and covariates.size:
            h[:, HISTORIES + 1 : self.offset] += covariates
        return h

    def dyad_effects(self, first, second) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance of the dyadic effect of each pair, filters × pairs."""
        dyad = self.histories.dyads_of(first, second)
        met, side = dyad >= 0, np.where(first < second, 1.0, -1.0)
        mean = np.where(met, self.filtered.dyad_means[:, dyad] * side, 0.0)
        return mean, np.where(met, self.filtered.dyad_variances[:, dyad], DYAD_SD**2)

    def _chances(self, first, second, covariates) -> tuple[np.ndarray, np.ndarray]:
        h = self.logits(first, second, covariates)
        center, variance = self.dyad_effects(first, second)
        center = center + self.filtered.means @ h.T
        variance = variance + np.array(
            [np.einsum("ij,ij->i", h @ p, h) for p in self.filtered.covariances]
        )
        expected = 1 / (1 + np.exp(self.elo_ratings[:, second] - self.elo_ratings[:, first]))
        bank = three_way(center, variance, self.table[:, NU])
        elo = by_elo(expected, self.nus)
        return blended(bank, elo, self.weights[-1:], self.elo_weights[-1:], self.bank_shares[-1:])

    def foresight(self) -> tuple[np.ndarray, np.ndarray]:
        """Probabilities of a win of the first side and of a tie, before each contest."""
        if self.nus == (0.0,):
            return self.probability, np.zeros(self.probability.size)
        early = len(self.before_ties[0])
        centers, variances, _ = predicted_differences(self.record, self.table, threads=self.threads)
        bank = three_way(centers, variances, self.table[:, NU])
        elo = by_elo(self.elo_expected, self.nus)
        win, tie = blended(
            bank, elo, self.weights[:-1], self.elo_weights[:-1], self.bank_shares[:-1]
        )
        win[:early], tie[:early] = self.before_ties
        return win, tie


def three_way(centers, variances, nus) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities of a win and of a tie by each filter, lapses included."""
    win, tie = np.zeros_like(centers), np.zeros_like(centers)
    for nu in np.unique(nus):
        own = nus == nu
        one, other = np.zeros_like(centers[own]), np.zeros_like(centers[own])
        outcome_chances(centers[own], variances[own], nu, 0.0, one, other)
        certain = 1 - (3 if nu > 0 else 2) * LAPSE
        win[own], tie[own] = LAPSE + certain * one, (LAPSE + certain * other if nu > 0 else 0.0)
    return win, tie


def by_elo(expected, nus) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities of a win and of a tie by each Elo and each ν (Davidson 1970)."""
    odds = np.array(nus)[:, None, None] * np.sqrt(expected * (1 - expected))
    shape = (odds.shape[0] * odds.shape[1], odds.shape[2])
    return (expected / (1 + odds)).reshape(shape), (odds / (1 + odds)).reshape(shape)


def blended(bank, elo, weights, elo_weights, shares) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities of a win and of a tie, averaged over all predictors."""
    win, tie = (
        shares * (weights * of_bank.T).sum(axis=1) + (1 - shares) * (elo_weights * of_elo.T).sum(1)
        for of_bank, of_elo in zip(bank, elo, strict=True)
    )
    return win, tie


def run_adaptive(
    winner,
    loser,
    *,
    individuals: int,
    tied=None,
    batches=None,
    covariates=None,
    threads: int | None = None,
) -> AdaptiveBank:
    """Predict each contest from the contests before it.

    Parameters
    ----------
    winner, loser : arrays of int
        Codes from 0 to individuals − 1, one pair per contest, in chronological order.
    individuals : int
        Number of individuals.
    tied : array of bool, optional
        Whether each contest is a tie; the sides of a tie may be in any order.
    batches : array of int, optional
        First contest of each time stamp, if contests of a stamp are to be taken in at once.
    covariates : array (contests) or (contests, number), optional
        Covariates of the logit, from the perspective of the winner; coefficients are estimated.
    threads : int, optional
        By default, one thread for small data sets and one per processor for large ones.
    """
    winner, loser = (np.ascontiguousarray(side, np.int32) for side in (winner, loser))
    record, state = adaptive_record(
        winner, loser, individuals, covariates, tied=tied, batches=batches
    )
    contests = winner.size
    nus = NUS if record.tied.any() else (0.0,)
    table = adaptive_table(nus)
    threads = threads_for(len(table) * work_of(record), threads)
    filtered = run_filters(record, table, threads=threads)
    weights, bank = np.empty((contests + 1, len(table))), np.empty(contests)
    rare_first = RARE_FIRST if record.tied.any() else np.ones(1)
    ends, prior = batch_ends(batches, contests), by_nu(rare_first, len(table))
    shared_average(filtered.log_chances, filtered.log_predicted, ends, SHARE, prior, weights, bank)
    ratings, expected = np.empty((len(GAINS), individuals)), np.empty((len(GAINS), contests))
    gains, room = np.array(GAINS), np.empty(individuals)
    elo_paths(winner, loser, record.tied, ends, gains, ratings, room, expected)
    win, tie = by_elo(expected, nus)
    elo_weights, elo = np.empty((contests + 1, len(win))), np.empty(contests)
    log_chances = np.log(np.where(record.tied, tie, win))
    prior = by_nu(rare_first, len(win))
    shared_average(log_chances, log_chances, ends, 0.0, prior, elo_weights, elo)
    before_ties = np.zeros(0), np.zeros(0)
    if record.tied.any():
        before_ties = up_to_the_first_tie(record, batches, covariates, bank, elo, threads)
    shares, probability = np.empty(contests + 1), np.empty(contests)
    blend(bank, elo, ends, shares, probability)
    return AdaptiveBank(
        record=record,
        histories=state,
        table=table,
        probability=probability,
        bank_probability=bank,
        elo_probability=elo,
        weights=weights,
        elo_weights=elo_weights,
        elo_expected=expected,
        elo_ratings=ratings,
        bank_shares=shares,
        before_ties=before_ties,
        filtered=filtered,
        threads=threads,
    )


def by_nu(rare_first: np.ndarray, predictors: int) -> np.ndarray:
    """Prior weights of predictors, in blocks of one ν each."""
    each = np.repeat(rare_first, predictors // len(rare_first))
    return each / each.sum()


def up_to_the_first_tie(record: Record, batches, covariates, bank, elo, threads: int):
    """Chances of a win and of a tie before each contest up to the batch of the first tie.

    They are those of a record without ties, as the future is not known, but for the probability of
    a tie. The probabilities by the filters and by Elo are changed in place.
    """
    begins, lasts = moments_of(record.step, record.winner.size)
    end = int(lasts[np.argmax(record.tied)]) + 1
    early = run_adaptive(
        record.winner[:end],
        record.loser[:end],
        individuals=record.founder.size,
        batches=None if batches is None else np.asarray(batches)[np.asarray(batches) < end],
        covariates=None if covariates is None else np.asarray(covariates)[:end],
        threads=threads,
    )
    tie = chances_of_a_first_tie(early.probability, begins[:end])
    for whole, decided in ((bank, early.bank_probability), (elo, early.elo_probability)):
        whole[:end] = np.where(record.tied[:end], tie, decided * (1 - tie))
    return early.probability * (1 - tie), tie


def chances_of_a_first_tie(win: np.ndarray, begins: np.ndarray) -> np.ndarray:
    """Probability of a tie in each contest while there was none, from those of a win if decided.

    Davidson's ν is averaged by how probable each value made it that there was no tie so far;
    `begins` has the first contest of the moment of each.
    """
    odds = np.array(NUS)[:, None] * np.sqrt(win * (1 - win))
    tie = odds / (1 + odds)
    log_weight = np.cumsum(np.log1p(-tie), axis=1) + np.log(RARE_FIRST)[:, None]
    weight = np.exp(np.column_stack([np.log(RARE_FIRST), log_weight])[:, begins])
    return (weight * tie).sum(axis=0) / weight.sum(axis=0)


def adaptive_table(nus=(0.0,)) -> np.ndarray:
    """One row per filter, with the columns of the kernel's Filter.

    The drift after every contest, r ← φ r + N(0, w²) with φ² = 1 − w²/s0², is mean-reverting; its
    variance in the parameterization of the kernel is −s0² log φ².
    """
    rows = [
        Filter(
            sigma=s0,
            entry_sd=ENTRY_SD,
            drift=-(s0**2) * np.log1p(-((w / s0) ** 2)),
            returning=1.0,
            k=0.0,
            nu=nu,
            lapse=LAPSE,
            dyad_sd=DYAD_SD,
            quadrature_below=0.0,
            opening=0.0,
            offset=0.0,
        )
        for nu in nus
        for s0 in SPREADS
        for w in DRIFTS
    ]
    return np.array(rows)

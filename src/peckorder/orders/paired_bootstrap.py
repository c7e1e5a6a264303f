"""Bootstrap of Bradley–Terry fits: contests are drawn again, or voters with all their contests.

The contests of a table of counts are drawn with replacement by drawing the counts (a multinomial
distribution), which takes no longer for a million contests than for thousands. Contests of one
voter are not independent; where voters are known, they are drawn with replacement, each with all
contests (cluster bootstrap; Davison & Hinkley 1997, section 3.8). Each resample is fitted from
the estimate of all contests (`kernels.paired`) until its steps are below FLAT.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from peckorder.data.win_counts import TIES as SHARE
from peckorder.kernels.paired import climb, count_items, set_pulls, sets_are_connected
from peckorder.random_runs import Runs
from peckorder.ratings.paired_fit import MODELED, PairedFit, VoteCounts, inverse_of
from peckorder.ratings.paired_model import OUTCOMES, DyadRecord, climbed, precision_of

STEPS, FLAT = 50, 1e-5  # of log-odds; standard errors are hundreds of times as large
BLOCK = 5
SHORTFALL = 5.0  # standard deviations
FEW_PER_PLACE = 10


@dataclass(frozen=True, eq=False)
class Resamples:
    """Estimates of all resamples, and how they were made."""

    x: np.ndarray  # (runs, parameters)
    unbounded: int  # resamples without a finite maximum, fitted with a prior
    clusters: int | None


def drawn_again(
    counts: np.ndarray, random: np.random.Generator, items: np.ndarray | None = None
) -> np.ndarray:
    """Counts of as many items, drawn with replacement; `items` has the place of each.

    Poisson numbers with a slightly lower mean, given their sum, are multinomial; those still
    missing are drawn one by one. This is exact, and takes no longer for more items. If places have
    few items each, all are drawn one by one.
    """
    total = int(counts.sum())
    if items is not None:
        out = np.zeros(len(counts), np.int32)
        count_items(items, random.integers(total, size=total), out)
        return out
    rate = max(total - SHORTFALL * np.sqrt(total), 0.0) / total
    out = random.poisson(counts * rate)
    while out.sum() > total:
        out = random.poisson(counts * rate)
    missing = random.integers(total, size=total - int(out.sum()))
    places = np.searchsorted(np.cumsum(counts), missing, side="right")
    return (out + np.bincount(places, minlength=len(counts))).astype(np.int32)


@dataclass(frozen=True, eq=False)
class Urn:
    """Contests, or clusters of contests, to be drawn again.

    Places count through the wins of all entries, then the losses, then the ties; those that any
    contest has are `filled`.
    """

    raw: DyadRecord
    filled: np.ndarray
    counts: np.ndarray  # contests of each filled place
    items: np.ndarray | None  # the number of the filled place of each contest, where these are many
    members: Any  # sparse (filled places, clusters): weights of each; None if each is its own
    clusters: int | None  # None if contests are independent

    @classmethod
    def of(
        cls,
        raw: DyadRecord,
        place: np.ndarray | None = None,
        cluster: np.ndarray | None = None,
        weight: np.ndarray | None = None,
    ) -> Urn:
        """Contests or clusters of them, by the place, cluster and weight of each contest."""
        from scipy.sparse import coo_array

        table = np.concatenate([getattr(raw, name) for name in OUTCOMES])
        filled = np.flatnonzero(table)
        counts = table[filled]
        if place is None or (cluster is None and weight is None):
            counts = counts.astype(np.int64)
            many = FEW_PER_PLACE * len(filled) > counts.sum()
            items = np.repeat(np.arange(len(filled), dtype=np.int32), counts) if many else None
            return cls(raw, filled, counts, items, None, None)
        number = np.zeros(len(table), np.int64)
        number[filled] = np.arange(len(filled))
        drawn = np.isin(place, filled, kind="table")  # ties may be omitted
        code = np.arange(len(place)) if cluster is None else cluster
        value = np.ones(len(place)) if weight is None else weight
        entries = value[drawn], (number[place[drawn]], code[drawn])
        size = int(code.max()) + 1
        members = coo_array(entries, shape=(len(filled), size)).tocsr()
        return cls(raw, filled, counts, None, members, None if cluster is None else size)

    def draw(self, random: np.random.Generator) -> np.ndarray:
        """Contests of each filled place if as many contests, or clusters, are drawn again."""
        if self.members is None:
            return drawn_again(self.counts, random, self.items)
        number = self.members.shape[1]
        times = np.bincount(random.integers(number, size=number), minlength=number)
        drawn = self.members @ times.astype(float)
        whole = (self.members.data == 1).all()
        return drawn.astype(np.int32) if whole else drawn

    def record(self, counts: np.ndarray) -> DyadRecord:
        """The dyads with these numbers of contests."""
        table = np.zeros(len(OUTCOMES) * len(self.raw.one))
        table[self.filled] = counts
        won, lost, drawn = table.reshape(len(OUTCOMES), -1)
        return replace(self.raw, won=won, lost=lost, drawn=drawn)


def resampled(
    votes: VoteCounts, urn: Urn, fit: PairedFit, prior_sd: float, runs: Runs
) -> Resamples:
    """The estimates of all resamples; `prior_sd` is used where there is no finite maximum."""
    again = Refit.of(votes, urn, fit, prior_sd)
    x = np.empty((runs.number, len(fit.x)))
    unbounded = np.zeros(runs.number, bool)
    key = int(runs.key())

    def work(begin: int, end: int) -> None:
        for run in range(begin, end):
            counts = urn.draw(np.random.default_rng([key, run]))
            x[run], unbounded[run] = again.estimate(counts)

    runs.do(work, BLOCK)
    return Resamples(x, int(unbounded.sum()), urn.clusters)


@dataclass(frozen=True, eq=False)
class Places:
    """The filled places within sets as columns, and their odds and pulls (`set_pulls`).

    The latter are those at the estimate of all contests.
    """

    one: np.ndarray
    other: np.ndarray
    bounds: np.ndarray  # where wins begin, losses, ties, and the end
    tie_worth: float  # number of contests that a tie counts for
    known: np.ndarray  # (coefficients, places)
    reach: np.ndarray  # the largest size of each covariate
    root: np.ndarray
    pull: np.ndarray
    surplus: np.ndarray

    @classmethod
    def of(cls, votes: VoteCounts, urn: Urn, kept: Any, fit: PairedFit) -> Places:
        """The filled places that are kept."""
        raw, modeled = urn.raw, fit.inside.ties
        outcome, entry = np.divmod(urn.filled[kept], len(raw.one))
        worth = 1.0 if votes.ties in MODELED else 2 * SHARE[votes.ties]
        known = np.zeros((0, len(entry)))
        if raw.known is not None:
            known = np.ascontiguousarray(raw.known[entry].T)
        sides = raw.one[entry].astype(np.int32), raw.other[entry].astype(np.int32)
        bounds = np.searchsorted(outcome, np.arange(len(OUTCOMES) + 1))
        root, pull = np.empty(len(entry)), np.empty(len(entry))
        surplus = np.empty(len(entry) if modeled else 0)
        set_pulls(*sides, bounds, worth, known, int(modeled), fit.x, root, pull, surplus)
        reach = np.abs(known).max(axis=1, initial=0.0)
        return cls(*sides, bounds, worth, known, reach, root, pull, surplus)


@dataclass(frozen=True, eq=False)
class Refit:
    """Fits of resamples of one record, each from the estimate of all its contests."""

    votes: VoteCounts
    urn: Urn
    fit: PairedFit
    prior_sd: float
    label: np.ndarray  # the number of the set of each individual
    members: np.ndarray  # individuals of each set
    inverse: np.ndarray
    kept: Any  # filled places within sets
    places: Places

    @classmethod
    def of(cls, votes: VoteCounts, urn: Urn, fit: PairedFit, prior_sd: float) -> Refit:
        """What the fits of all resamples share."""
        label, entry = fit.label, urn.filled % len(urn.raw.one)
        within = label[urn.raw.one[entry]] == label[urn.raw.other[entry]]
        kept = slice(None) if within.all() else np.flatnonzero(within)
        places = Places.of(votes, urn, kept, fit)
        members, inverse = np.bincount(label), inverse_of(fit)
        return cls(votes, urn, fit, prior_sd, label, members, inverse, kept, places)

    def estimate(self, counts: np.ndarray) -> tuple[np.ndarray, bool]:
        """The estimate, and whether it needed a prior because there was no finite one."""
        prior_sd = self.fit.prior_sd
        weight = counts[self.kept]
        if np.isfinite(prior_sd) or self.bounded(weight):
            x = self.fit.x.copy()
            if not self.fit.inside.ordered and self._climbed(weight, x):
                return x, False
            # Ties after Rao & Kupper, or a small record, whose Hessian differs too much from that
            # of all contests.
            x, found = climbed(
                self.record(counts), self.label, prior_sd, start=self.fit.x, flat=FLAT
            )
            if found:
                return x, False
        return climbed(self.record(counts), self.label, self.prior_sd, flat=FLAT)[0], True

    def bounded(self, weight: np.ndarray) -> bool:
        """Whether each set is still strongly connected, and there are ties if they are modeled."""
        own = self.places
        if self.fit.inside.ties and not weight[own.bounds[2] :].any():
            return False
        return sets_are_connected(own.one, own.other, own.bounds, weight, self.label, self.members)

    def record(self, counts: np.ndarray) -> DyadRecord:
        """The dyads of a resample within sets, with ties by their rule."""
        whole = replace(self.votes.by_rule(self.urn.record(counts)), modeled=self.fit.inside.ties)
        return whole.within(self.label) if self.label.any() else whole

    def _climbed(self, weight: np.ndarray, x: np.ndarray) -> bool:
        own = self.places
        return climb(
            own.one,
            own.other,
            own.bounds,
            own.tie_worth,
            own.known,
            own.reach,
            own.root,
            own.pull,
            own.surplus,
            weight,
            int(self.fit.inside.ties),
            precision_of(self.fit.inside, self.fit.prior_sd),
            self.inverse,
            x,
            STEPS,
            FLAT,
        )

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

from peckorder.kernels.paired import climb, sets_are_connected
from peckorder.ranking.paired_fit import PairedFit, covariance_of
from peckorder.ranking.paired_model import OUTCOMES, DyadRecord, climbed
from peckorder.ranking.vote_counts import VoteCounts
from peckorder.runs import Runs

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
        return np.bincount(items[random.integers(total, size=total)], minlength=len(counts))
    rate = max(total - SHORTFALL * np.sqrt(total), 0.0) / total
    out = random.poisson(counts * rate)
    while out.sum() > total:
        out = random.poisson(counts * rate)
    missing = random.integers(total, size=total - int(out.sum()))
    places = np.searchsorted(np.cumsum(counts), missing, side="right")
    return out + np.bincount(places, minlength=len(counts))


@dataclass(frozen=True, eq=False)
class Urn:
    """Contests, or clusters of contests, to be drawn again.

    Places count through the wins of all entries, then the losses, then the ties.
    """

    raw: DyadRecord
    filled: np.ndarray  # places that any contest has
    items: np.ndarray | None  # the number of the filled place of each contest, where these are many
    members: Any  # sparse (places, clusters): contests of each cluster; None if each is its own

    @classmethod
    def of_clusters(
        cls, raw: DyadRecord, place: np.ndarray, cluster: np.ndarray, clusters: int
    ) -> Urn:
        """Clusters of contests, by the place of each contest."""
        from scipy.sparse import coo_array

        shape = (len(OUTCOMES) * len(raw.one), clusters)
        entries = np.ones(len(place)), (place, cluster)
        return cls(raw, np.zeros(0, int), None, coo_array(entries, shape=shape).tocsr())

    @classmethod
    def of_contests(cls, raw: DyadRecord) -> Urn:
        """Contests that are independent of each other."""
        table = _table(raw)
        filled = np.flatnonzero(table)
        counts = table[filled].astype(np.int64)
        many = FEW_PER_PLACE * len(filled) > counts.sum()
        items = np.repeat(np.arange(len(filled), dtype=np.int32), counts) if many else None
        return cls(raw, filled, items, None)

    def draw(self, random: np.random.Generator) -> DyadRecord:
        """As many contests, or clusters, drawn with replacement."""
        if self.members is None:
            table = np.zeros(len(OUTCOMES) * len(self.raw.one))
            table[self.filled] = drawn_again(_table(self.raw)[self.filled], random, self.items)
        else:
            number = self.members.shape[1]
            times = np.bincount(random.integers(number, size=number), minlength=number)
            table = self.members @ times.astype(float)
        won, lost, drawn = table.reshape(len(OUTCOMES), -1)
        return replace(self.raw, won=won, lost=lost, drawn=drawn)


def _table(raw: DyadRecord) -> np.ndarray:
    return np.concatenate([getattr(raw, name) for name in OUTCOMES])


def resampled(
    votes: VoteCounts, urn: Urn, fit: PairedFit, prior_sd: float, runs: Runs
) -> Resamples:
    """The estimates of all resamples; `prior_sd` is used where there is no finite maximum."""
    label, ties, inverse = fit.label, fit.inside.ties, covariance_of(fit)
    x = np.empty((runs.number, len(fit.x)))
    unbounded = np.zeros(runs.number, bool)
    key = int(runs.key())

    def work(begin: int, end: int) -> None:
        for run in range(begin, end):
            raw = urn.draw(np.random.default_rng([key, run]))
            again = replace(votes.by_rule(raw), modeled=ties)
            if label.any():
                again = again.within(label)
            x[run], unbounded[run] = refitted(again, fit, label, inverse, prior_sd)

    runs.do(work, BLOCK)
    clusters = None if urn.members is None else urn.members.shape[1]
    return Resamples(x, int(unbounded.sum()), clusters)


def refitted(
    record: DyadRecord, fit: PairedFit, label: np.ndarray, inverse: np.ndarray, prior_sd: float
) -> tuple[np.ndarray, bool]:
    """The estimate of a resample, and whether it needed a prior because there was no finite one."""
    if np.isfinite(fit.prior_sd) or bounded(record, label):
        x, known = fit.x.copy(), record.known
        counts = record.won, record.lost, record.drawn
        none = np.zeros((len(record.one), 0))
        if climb(
            record.one,
            record.other,
            *counts,
            none if known is None else known,
            int(record.ties),
            float(fit.prior_sd) ** -2,
            inverse,
            x,
            STEPS,
            FLAT,
        ):
            return x, False
        # A small record: its own Hessian differs too much from that of all contests.
        x, found = climbed(record, label, fit.prior_sd, start=fit.x, flat=FLAT)
        if found:
            return x, False
    return climbed(record, label, prior_sd, flat=FLAT)[0], True


def bounded(record: DyadRecord, label: np.ndarray) -> bool:
    """Whether each set is still strongly connected, and there are ties if they are modeled."""
    if record.ties and not record.drawn.any():
        return False
    counts = record.won, record.lost, record.drawn
    return sets_are_connected(record.one, record.other, *counts, label, np.bincount(label))

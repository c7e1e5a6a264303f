"""The record that the filters of adaptive ratings read: histories as covariates, and entries.

Experience, momentum, dyadic record and gap of a contest are known before it, so that they are
covariates with coefficients to estimate. Contests with one time stamp may form a batch, in which
none enters the histories of another.
"""

from dataclasses import dataclass

import numpy as np

from peckorder.filters.roster import Roster, first_and_last, flat, offsets
from peckorder.kernels.adaptive import HALF, MEMORY, histories
from peckorder.kernels.filters import Record

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
        coefficient_sd=np.array([*COEFFICIENT_SD, *[COVARIATE_SD] * further]),
        **entries(winner, loser, individuals)._asdict(),
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

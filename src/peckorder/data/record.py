"""Numbers of wins, losses and draws, and the first and last contest of each individual."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peckorder.data.interactions import Interactions
from peckorder.kernels.contests import tally


@dataclass(frozen=True, eq=False)
class Record:
    """Wins, losses and draws of each individual, and its first and last contest."""

    wins: np.ndarray
    losses: np.ndarray
    draws: np.ndarray
    first: np.ndarray  # index of the contest, −1 if there is none yet
    last: np.ndarray
    first_time: np.ndarray
    last_time: np.ndarray

    @classmethod
    def empty(cls, size: int = 0, times: str = "f8") -> Record:
        """Record of individuals without contests."""
        counts = [np.zeros(size, np.int64) for _ in range(3)]
        places = [np.full(size, -1, np.int64) for _ in range(2)]
        return cls(*counts, *places, *(np.zeros(size, times) for _ in range(2)))

    @classmethod
    def of(cls, data: Interactions, contests: int | None = None) -> Record:
        """Record of all contests, or of the first `contests`."""
        record = cls.empty(len(data.individuals), data.clock.str)
        record.count(data, contests)
        return record

    @property
    def contests(self) -> np.ndarray:
        """Number of contests of each individual."""
        return self.wins + self.losses + self.draws

    def count(self, data: Interactions, contests: int | None = None) -> None:
        """Add further contests to the counts."""
        done = int(self.contests.sum()) // 2
        draw = np.zeros(1, bool) if data.draw is None else data.draw[:contests]
        tally(
            data.winner[:contests],
            data.loser[:contests],
            draw,
            int(data.draw is not None),
            done,
            self.wins,
            self.losses,
            self.draws,
            self.first,
            self.last,
        )
        for places, when in ((self.first, self.first_time), (self.last, self.last_time)):
            fresh = places >= done
            new = places[fresh]
            when[fresh] = new + data.first_number if data.date is None else data.date[new - done]

    def grown(self, number: int, times: np.dtype) -> Record:
        """The record extended by `number` new individuals."""
        more = Record.empty(number, times.str)
        if not len(self.wins):
            return more
        mine, theirs = vars(self).values(), vars(more).values()
        return Record(*(np.concatenate(pair) for pair in zip(mine, theirs, strict=True)))

    def of_some(self, places: np.ndarray) -> Record:
        """Record of the individuals at these places."""
        return Record(*(array[places] for array in vars(self).values()))

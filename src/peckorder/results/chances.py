"""Chances of the two sides of a contest: to win, to draw, to lose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Chances:
    """Chances that the first side wins, draws and loses, one entry per contest.

    Where draws are not modeled (`draw` is None), `win` is the expected score of the first side.
    `ahead` is above 0 where the first side is the favorite, and 0 where neither is.
    """

    win: np.ndarray
    loss: np.ndarray
    ahead: np.ndarray
    draw: np.ndarray | None = None

    @classmethod
    def decided(cls, win: np.ndarray, ahead: np.ndarray) -> Chances:
        """Chances that leave no room for a draw."""
        return cls(win, 1.0 - win, ahead)

    def with_draws(self, nu: float | np.ndarray) -> Chances:
        """With room for draws, by Davidson (1970): a draw has νr of 1 + νr, r = √(pq)."""
        odds = nu * np.sqrt(self.win * self.loss)
        share = 1.0 / (1.0 + odds)
        return Chances(self.win * share, self.loss * share, self.ahead, odds * share)

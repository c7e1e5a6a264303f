"""Outcome probabilities of a contest: that the first side wins, ties or loses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Chances:
    """Probabilities that the first side wins, ties and loses, one entry per contest.

    If ties are not modeled (`draw` is None), `win` is the expected score of the first side.
    `ahead` is positive if the first side is the favorite, and 0 if there is no favorite. `defeat`
    is the probability of a loss, or None if it is 1 − `win`, which need not be stored.
    """

    win: np.ndarray
    defeat: np.ndarray | None
    ahead: np.ndarray
    draw: np.ndarray | None = None

    @property
    def loss(self) -> np.ndarray:
        """Probability that the first side loses."""
        return 1.0 - self.win if self.defeat is None else self.defeat

    @classmethod
    def decided(cls, win: np.ndarray, ahead: np.ndarray) -> Chances:
        """Probabilities under a model without ties."""
        return cls(win, None, ahead)

    def part(self, own: slice | np.ndarray) -> Chances:
        """The chances of some of the contests."""
        defeat, draw = (None if one is None else one[own] for one in (self.defeat, self.draw))
        return Chances(self.win[own], defeat, self.ahead[own], draw)

    def with_draws(self, nu: float | np.ndarray) -> Chances:
        """The same contests with ties (Davidson 1970): P(tie) = νr/(1 + νr), r = √(pq)."""
        if not np.any(nu):
            return Chances(self.win, self.defeat, self.ahead, np.zeros(self.win.shape))
        odds = nu * np.sqrt(self.win * self.loss)
        share = 1.0 / (1.0 + odds)
        return Chances(self.win * share, self.loss * share, self.ahead, odds * share)


def joined(parts: list[Chances]) -> Chances:
    """The chances of several sets of contests, one after the other."""
    if len(parts) == 1:
        return parts[0]
    win, loss, ahead = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("win", "loss", "ahead")
    )
    draws = [part.draw for part in parts if part.draw is not None]
    return Chances(win, loss, ahead, np.concatenate(draws) if draws else None)

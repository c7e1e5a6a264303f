"""Predictions and how their contests ended, scored piece by piece.

The scores of ten million contests would take more memory than the contests themselves. What is
reported of them are counts, means and standard errors, so pieces that fit into the cache of the
processor are scored one after the other, and their totals are added.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from peckorder.evaluation.scoring import Scores, Totals, pieces, score_contests, true_scores
from peckorder.results import Ratings
from peckorder.results.chances import Chances, limit_of

Places = slice | np.ndarray


@dataclass(frozen=True, eq=False)
class Judged:
    """Predicted chances of contests, which of them were ties, and the scores of the winners."""

    chances: Callable[[Places], Chances]
    drawn: np.ndarray | None
    score: np.ndarray
    credit: float  # if neither side is the favorite
    least: float

    @classmethod
    def of(cls, ratings: Ratings, chances: Callable[[Places], Chances], credit: float) -> Judged:
        """All contests of ratings, with the chances of contests at given places."""
        drawn = ratings.data.draw
        if drawn is not None and not drawn.any():
            drawn = None
        return cls(chances, drawn, true_scores(ratings), credit, limit_of(ratings))

    def scores(self, own: Places) -> Scores:
        """Scores of some contests."""
        drawn = None if self.drawn is None else self.drawn[own]
        return score_contests(drawn, self.chances(own), self.score[own], self.credit, self.least)

    def totals(self, own: Places) -> Totals:
        """Totals of the scores of some contests."""
        if isinstance(own, slice):
            begin, end, _ = own.indices(len(self.score))
            parts = (slice(begin + one.start, begin + one.stop) for one in pieces(end - begin))
        else:
            parts = (own[one] for one in pieces(len(own)))
        total = Totals.none()
        for part in parts:
            total = total.with_more(Totals.of(self.scores(part)))
        return total

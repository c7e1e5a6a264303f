"""Scores of several raters on the same contests, each predicted from the contests before it.

The one place where raters are compared: `compare_models` uses it for one record, and
`benchmarks/league.py` for many.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from peckorder.errors import DataError
from peckorder.evaluation.past_ties import with_past_ties
from peckorder.evaluation.recalibration import recalibrated_foresight
from peckorder.evaluation.scoring import NO_ORDER, Scores, scored
from peckorder.results import Ratings
from peckorder.results.chances import drawn_of
from peckorder.wording import option, quoted


@dataclass(frozen=True, eq=False)
class ModelScores:
    """Scores of each rater, and those raters whose ties were learned from earlier contests."""

    scores: dict[str, Scores]
    learned: tuple[str, ...] = ()

    @property
    def summary(self) -> tuple[str, ...]:
        """A sentence about ties that were learned."""
        if not self.learned:
            return ()
        return (
            f"{quoted(self.learned)}: the probability of a tie was learned from the contests "
            f"before each one (Davidson).",
        )

    def points(self, measure: str, first: int = 0) -> dict[str, np.ndarray]:
        """Score of each contest from `first` on; higher is better."""
        sign = 1.0 if measure == "correct" else -1.0
        column = "brier" if measure == "rps" else measure  # of three outcomes, if ties are modeled
        return {
            name: sign * np.nan_to_num(getattr(one, column))[first:]
            for name, one in self.scores.items()
        }


def model_scores(
    models: Mapping[str, Ratings], measure: str = "log_loss", calibrated: Collection[str] = ()
) -> ModelScores:
    """Scores of the foresight of raters of the same contests, some of them recalibrated."""
    data = next(iter(models.values())).data
    if not data.ordered:
        raise DataError(NO_ORDER)
    outcomes = {one.settings.get("outcome") or "win" for one in models.values()}
    if measure != "correct" and len(outcomes) > 1:
        raise DataError(
            "Some raters expect wins and others a share of the points, so their scores are not "
            f"comparable. Compare by {option('measure', 'correct')}."
        )
    chances = {name: one.foresight() for name, one in models.items()}
    for name in calibrated:
        chances[name] = recalibrated_foresight(models[name], chances[name])
    ties, learned = drawn_of(data), ()
    lacking = tuple(name for name, one in chances.items() if one.draw is None)
    modeled = len(lacking) < len(models) or measure == "rps"
    if ties.any() and modeled and measure != "correct":
        chances |= {name: with_past_ties(chances[name], ties) for name in lacking}
        learned = lacking
    scores = {name: scored(one, chances[name], 0.0) for name, one in models.items()}
    return ModelScores(scores, learned)

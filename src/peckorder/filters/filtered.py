"""Ratings by filters: what dynamic and adaptive ratings share."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from peckorder.data.dates import date_column
from peckorder.results.sampled import QUANTILES, SampledRatings


class FilteredRatings(SampledRatings):
    """Ratings with draws from averaged filters, whose replay has `first_rated` and `bands`."""

    def bands(self, individual: str, also: int | None = None) -> pl.DataFrame:
        """Smoothed rating at the start and after each own contest, with 80% and 95% intervals."""
        data, code, replay = self.data, self.code(individual), self.course.replay
        own = np.flatnonzero((data.winner == code) | (data.loser == code))
        begin = replay.first_rated(code)
        places = np.unique(np.append(own + 1, [begin, max(begin, also or 0)]))
        columns: dict[str, Any] = {"contest": places}
        if data.date is not None:
            columns["date"] = date_column(data.date[np.maximum(places - 1, 0)])
        names = ("rating", *(f"rating_{name}" for name in QUANTILES))
        values = replay.bands[places, code]
        return pl.DataFrame(columns | dict(zip(names, values.T, strict=True)))

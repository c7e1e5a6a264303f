"""Summed winning probabilities and their slope, in total or at dates, from draws of ratings.

The score of an individual is the sum of its probabilities to beat each of the others. The slope of
scores on ranks is the steepness of one draw.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import polars as pl

from peckorder.data.dates import PERIODS, date_words, moment, period_ends, whole_days
from peckorder.data.interactions import Interactions
from peckorder.errors import ArgumentError, DataError
from peckorder.estimate import Estimate
from peckorder.results.sampled import ranks, slopes, summed_chances
from peckorder.wording import option

DRAWS_AT_ONCE = 20_000_000


class Draws(Protocol):
    """Draws of ratings that can be taken at dates."""

    @property
    def data(self) -> Interactions:
        """The contests behind them."""
        ...

    def __len__(self) -> int: ...

    def draws_at(self, times: np.ndarray) -> np.ndarray:
        """Ratings at moments in ascending order, (moments, draws, individuals)."""
        ...


class OverTime(NamedTuple):
    """Steepness at each of several moments, and everything about the last of them."""

    frame: pl.DataFrame
    steepness: np.ndarray  # (1, draws)
    scores: np.ndarray  # (draws, those present)
    present: np.ndarray  # mask of individuals


def moments_of(at: Any, data: Interactions) -> list[Any]:
    """The moments that `at` asks for, in ascending order."""
    times = data.times
    if isinstance(at, str) and at in PERIODS:
        if data.date is None or data.date.dtype.kind != "M":
            raise DataError(
                f'Steepness by "{at}" needs calendar dates. Name the date column: {option("date")}.'
            )
        return list(period_ends(data.date, at))
    several = at if isinstance(at, Sequence) and not isinstance(at, str) else [at]
    if len(several) == 0:
        raise ArgumentError(f"{option('at')} is empty. Give at least one date.")
    try:
        out = sorted(moment(one, times) for one in several)
    except ValueError as error:
        raise ArgumentError(f"{error} Or choose a period: {', '.join(PERIODS)}.") from None
    if out[0] < times[0]:
        raise ArgumentError(
            f"{date_words(out[0])} is before the first contest ({date_words(times[0])}). Choose a "
            f"later date."
        )
    return out


def over_time(replay: Draws, moments: list[Any], present: Any) -> OverTime:
    """Steepness among those present at each moment; `present(when)` is a mask of individuals."""
    data = replay.data
    rows, draw, scores = [], np.zeros((1, 0)), np.zeros((0, 0))
    there = np.ones(len(data.individuals), bool)
    step = max(1, DRAWS_AT_ONCE // (len(replay) * len(data.individuals)))
    block = np.zeros((0, 0, 0))
    for n, when in enumerate(moments):
        if n % step == 0:
            some = np.array(moments[n : n + step]).astype(data.times.dtype)
            block = replay.draws_at(some)
        there = present(when)
        if there.sum() < 3:
            raise DataError(
                f"Individuals present at {day(when)}: {there.sum()}. Steepness needs at least 3."
            )
        scores = summed_chances(np.ascontiguousarray(block[n % step][:, there]))
        draw = slopes(scores)[None]
        own = Estimate.of(draw).to_dict()
        rows.append({"date": day(when), "individuals": int(there.sum())} | own)
    return OverTime(pl.DataFrame(rows), draw, scores, there)


def day(when: Any) -> str:
    """A moment as text, to the day."""
    return date_words(whole_days(np.array([when]))[0])


def score_table(names: list[str], scores: np.ndarray) -> pl.DataFrame:
    """Summed winning probabilities and ranks with 95% intervals, highest first."""
    rank = ranks(scores)
    low, high = np.quantile(scores, [0.025, 0.975], axis=0)
    rank_low, rank_high = np.quantile(rank, [0.025, 0.975], axis=0, method="inverted_cdf")
    mean = scores.mean(axis=0)
    top_down = np.argsort(-mean, kind="stable")
    return pl.DataFrame(
        {
            "individual": [names[i] for i in top_down],
            "score": mean[top_down],
            "score_low95": low[top_down],
            "score_high95": high[top_down],
            "rank": np.arange(1.0, len(names) + 1),
            "rank_low95": rank_low[top_down],
            "rank_high95": rank_high[top_down],
        }
    )

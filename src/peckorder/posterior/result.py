"""`Posterior`: ratings with posterior draws and the uncertainty of ratings and ranks."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast

import numpy as np
import polars as pl

from peckorder.data.dates import date_column
from peckorder.errors import ArgumentError, ArgumentTypeError
from peckorder.posterior.course import PosteriorReplay
from peckorder.posterior.diagnostics import diagnostic_table
from peckorder.posterior.storage import for_arviz, packed, unpacked
from peckorder.results.course import Course
from peckorder.results.sampled import QUANTILES, VALUES_AT_ONCE, SampledRatings
from peckorder.results.slopes import ContestDays
from peckorder.tables import write_whole


@dataclass(frozen=True, eq=False, repr=False)
class Posterior(SampledRatings):
    """Ratings with posterior draws.

    `rating` and `rank` are based on posterior means; tables also have 80% and 95% credible
    intervals.

    Attributes
    ----------
    draws : dict of arrays (chains, samples, …)
        start (individuals), k (contexts, if there are several), sigma, and nu, home_advantage,
        k_typical, k_spread if estimated; on the reported scale.
    statistics : dict of arrays (chains, samples)
        log_density, energy, acceptance, steps, depth, diverging
    seed : int

    Examples
    --------
    >>> import peckorder as po
    >>> post = po.elo_bayes(po.datasets.adv(), seed=1)
    >>> list(post)[0], post.outranks("b", "a") > 0.95
    ('b', True)
    """

    draws: dict[str, np.ndarray] = field(default_factory=dict)
    statistics: dict[str, np.ndarray] = field(default_factory=dict)
    kept: Course[PosteriorReplay] | None = None

    @property
    def course(self) -> Course[PosteriorReplay]:
        """The contests behind these ratings and their replay under every draw."""
        return cast(Course[PosteriorReplay], super().course)

    # -- ratings and ranks with their uncertainty --------------------------------------------

    def _parts_of(self, places: np.ndarray) -> dict[str, Any]:
        return {"draws": self.draws | {"start": self.draws["start"][..., places]}}

    def _more_columns(self, places: np.ndarray) -> dict[str, np.ndarray]:
        start = self.draws["start"][..., places]
        start = start.reshape(start.shape[0] * start.shape[1], len(places))
        low, high = np.quantile(start, [0.025, 0.975], axis=0)
        return {"start": start.mean(axis=0), "start_low95": low, "start_high95": high}

    def bands(self, individual: str, also: int | None = None) -> pl.DataFrame:
        """Rating at the start and after each contest of the individual, with intervals."""
        data, code = self.data, self.code(individual)
        done, came, first = self._arrivals
        if self.settings["centering"] == "present":
            return self._moved_by_others(code, int(done[code]), came[code], first[code])
        won = data.winner == code
        own = np.flatnonzero(won | (data.loser == code))
        path = np.vstack([first[code], self._own_courses[own, np.where(won[own], 0, 1)]])
        columns: dict[str, Any] = {"contest": np.append(done[code], own + 1)}
        if data.date is not None:
            columns["date"] = date_column(np.append(came[code], data.date[own]).astype(data.clock))
        names = ("rating", *(f"rating_{name}" for name in QUANTILES))
        return pl.DataFrame(columns | dict(zip(names, path.T, strict=True)))

    def _moved_by_others(self, code: int, done: int, came: Any, first: np.ndarray) -> pl.DataFrame:
        """The trajectory relative to the individuals present, affected by their turnover."""
        data = self.data
        places = np.arange(done + 1, len(data) + 1)
        path = np.vstack([first, self.course.replay.course_of(code, places, _mean_and_quantiles)])
        columns: dict[str, Any] = {"contest": np.append(done, places)}
        if data.date is not None:
            columns["date"] = date_column(np.append(came, data.date[done:]).astype(data.clock))
        names = ("rating", *(f"rating_{name}" for name in QUANTILES))
        return pl.DataFrame(columns | dict(zip(names, path.T, strict=True)))

    def _slope_frame(self, days: ContestDays) -> pl.DataFrame:
        """Slopes of posterior mean trajectories, with the interval of the slopes of all draws."""
        table = super()._slope_frame(days)
        replay, weights = self.course.replay, days.weights
        draws = np.zeros((len(replay), len(self)))
        for own, at in days.moments(VALUES_AT_ONCE // draws.size):
            scores = replay.draws_at(at.astype(self.data.times.dtype))
            draws += np.einsum("tdi,ti->di", scores, weights[own])
        places = [self.code(name) for name in table["individual"]]
        low, high = np.quantile(draws[:, places], [0.025, 0.975], axis=0)
        return table.with_columns(
            slope_low95=pl.Series(low, nan_to_null=True),
            slope_high95=pl.Series(high, nan_to_null=True),
        )

    @cached_property
    def _own_courses(self) -> np.ndarray:
        return self.course.replay.own_courses(_mean_and_quantiles)

    @cached_property
    def _arrivals(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Contests before arrival, time of arrival, and rating at arrival with intervals."""
        done, came, scores = self.course.replay.arrivals()
        return done, came, _mean_and_quantiles(scores.T)

    # -- checks of the model -------------------------------------------------------------------

    @cached_property
    def diagnostics(self) -> Any:
        """R̂, effective sample sizes and Monte Carlo error of every parameter."""
        return self._native(diagnostic_table(self.draws, self.individuals))

    @property
    def log_likelihood(self) -> np.ndarray:
        """Log-likelihood of every contest under every draw, (chains, samples, contests)."""
        chains, samples = self.draws["sigma"].shape[:2]
        return self.course.replay.log_likelihood().reshape(chains, samples, -1)

    # -- export ------------------------------------------------------------------------------

    def to_arviz(self) -> Any:
        """Convert to ArviZ: InferenceData with arviz 0.x, a DataTree with 1.x."""
        return for_arviz(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table (.csv, .tsv, .parquet), the result (.json, .xlsx) or all draws (.npz)."""
        if str(path).lower().endswith(".npz"):
            if self.window is not None:
                raise ArgumentError(
                    "A file of posterior draws holds the whole record, not a window of it. Use "
                    "ratings.whole.save(…), and choose the window after loading."
                )
            write_whole((path, packed(self)))
            return
        super().save(path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Posterior:
        """Read a posterior with its contests from an .npz file written by `save`."""
        return cls(**unpacked(path))


def refuse_no_posterior(what: str, post: Any) -> None:
    """Raise an error for anything but a posterior, such as ratings by another method."""
    if not isinstance(post, Posterior):
        raise ArgumentTypeError(
            f"{what} takes a posterior, as returned by peckorder.elo_bayes, not "
            f"{type(post).__name__}."
        )


def _mean_and_quantiles(draws: np.ndarray) -> np.ndarray:
    """The last axis of the draws replaced by their mean and interval limits."""
    cuts = np.quantile(draws, list(QUANTILES.values()), axis=-1)
    return np.stack([draws.mean(axis=-1), *cuts], axis=-1)

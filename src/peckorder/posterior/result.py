"""`Posterior`: ratings with posterior draws and the uncertainty of ratings and ranks."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast

import numpy as np
import polars as pl

from peckorder.checked import between_0_and_1, whole_number
from peckorder.data.dates import date_column, moment
from peckorder.data.record import Record
from peckorder.posterior.course import PosteriorReplay, summed_chances
from peckorder.posterior.diagnostics import diagnostic_table
from peckorder.posterior.storage import for_arviz, packed, unpacked
from peckorder.ranks import indistinct, natural_breaks, outranking
from peckorder.results.chances import Chances
from peckorder.results.course import Course
from peckorder.results.ratings import Ratings
from peckorder.tables import write_whole

VALUES_AT_ONCE = 20_000_000
QUANTILES = {"low95": 0.025, "low80": 0.1, "high80": 0.9, "high95": 0.975}


@dataclass(frozen=True, eq=False, repr=False)
class Posterior(Ratings):
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
    """

    draws: dict[str, np.ndarray] = field(default_factory=dict)
    statistics: dict[str, np.ndarray] = field(default_factory=dict)
    kept: Course[PosteriorReplay] | None = None

    @property
    def course(self) -> Course[PosteriorReplay]:
        """The contests behind these ratings and their replay under every draw."""
        return cast(Course[PosteriorReplay], super().course)

    # -- ratings and ranks with their uncertainty --------------------------------------------

    def as_polars(self) -> pl.DataFrame:
        return self._with_intervals(self.final, np.ones(len(self), bool), self.record)

    def at(self, date: object) -> Any:
        """The table at the end of a day (or after a contest) of the individuals present.

        The posterior is conditional on all contests, including those after this date.
        """
        data = self.data
        scores, present = self._scores_at(date)
        done = int(np.searchsorted(data.times, moment(date, data.times), side="right"))
        return self._native(self._with_intervals(scores, present, Record.of(data, done)))

    def _with_intervals(self, scores: np.ndarray, keep: np.ndarray, record: Record) -> pl.DataFrame:
        mean = scores.mean(axis=0)
        table = self._table(mean, keep, record)
        places = np.flatnonzero(keep)
        places = places[self._order(mean[places])]
        own = scores[:, places]
        rank = ranks(own)
        columns: dict[str, np.ndarray] = {"rating_sd": own.std(axis=0, ddof=1)}
        for what, values in (("rating", own), ("rank", rank)):
            # Quantiles of ranks are ranks.
            method = "inverted_cdf" if what == "rank" else "linear"
            cuts = np.quantile(values, list(QUANTILES.values()), axis=0, method=method)
            columns |= {f"{what}_{name}": cuts[i] for i, name in enumerate(QUANTILES)}
        columns["p_top"] = (rank == 1).mean(axis=0)
        start = self.draws["start"][..., places]
        columns["start"] = start.mean(axis=(0, 1))
        columns["start_low95"], columns["start_high95"] = np.quantile(
            start, [0.025, 0.975], axis=(0, 1)
        )
        return table.with_columns(**{name: pl.Series(c) for name, c in columns.items()})

    @property
    def final(self) -> np.ndarray:
        """Ratings after the last contest, (draws, individuals), with chains concatenated."""
        return self.course.replay.final

    def scores(self, *, at: object = None) -> np.ndarray:
        """Posterior draws of the final ratings or those at a date, (draws, individuals).

        At a date, the ratings of individuals that are absent or not yet rated are NaN.
        """
        if at is None:
            return self.final.copy()
        scores, present = self._scores_at(at)
        return np.where(present, scores, np.nan)

    def _scores_at(self, at: object) -> tuple[np.ndarray, np.ndarray]:
        """Draws of all ratings, and which individuals are present and rated."""
        if at is None:
            return self.final, np.ones(len(self), bool)
        _, present = self._at(at)
        data = self.data
        if not present.any():
            raise ValueError(f"No individual was present at {at}. Choose another date.")
        when = np.array([moment(at, data.times)]).astype(data.times.dtype)
        scores = self.course.replay.draws_at(when)[0]
        if self.settings["centering"] == "present":  # include arrivals after the last contest
            scores[:, present] -= scores[:, present].mean(axis=1, keepdims=True)
        return scores, present

    def outranks(self, a: str | None = None, b: str | None = None, *, at: object = None) -> Any:
        """Posterior probability that `a` outranks `b`; without names, a table of all pairs.

        Each entry of the table is the probability that the individual of the row outranks that of
        the column. Rows and columns are ordered by rank.
        """
        scores, present = self._scores_at(at)
        if a is not None and b is not None:
            one, other = self.code(a), self.code(b)
            for code, name in ((one, a), (other, b)):
                if not present[code]:
                    raise ValueError(f'"{name}" is not present at {at}.')
            return float((scores[:, one] > scores[:, other]).mean())
        if a is not None or b is not None:
            raise ValueError("Give two individuals, or none for a table of all pairs.")
        names, chance = self._chances_to_outrank(scores, present)
        label = "individual" if "individual" not in names else "individual (row)"
        columns = {name: chance[:, i] for i, name in enumerate(names)}
        return self._native(pl.DataFrame({label: names} | columns))

    def _chances_to_outrank(self, scores: np.ndarray, present: np.ndarray):
        """Names in order of rank, and the probability that each outranks each other."""
        places = np.flatnonzero(present)
        places = places[self._order(scores[:, places].mean(axis=0))]
        return [self.individuals[i] for i in places], outranking(scores[:, places])

    def indistinct(self, *, level: float = 0.95, at: object = None) -> list[list[str]]:
        """Sets of individuals of adjacent rank that are not distinguishable, highest first.

        No member of a set outranks another with a probability of `level` or more. Sets are maximal
        and may overlap. Individuals that are distinguishable from all others are in no set.
        """
        between_0_and_1("level", level)
        names, chance = self._chances_to_outrank(*self._scores_at(at))
        return indistinct(names, chance, level)

    def classes(self, number: int = 2, *, at: object = None) -> Any:
        """Posterior probability of each rank class (upper and lower half, thirds, …).

        In each draw of n ratings, rank r belongs to class ⌊(r − 1) × number/n⌋ + 1.
        """
        whole_number("number", number, 2)
        scores, present = self._scores_at(at)
        table = self._table(scores.mean(axis=0), present, None)
        places = [self.code(name) for name in table["individual"]]
        rank = ranks(scores[:, places])
        own = np.floor((rank - 1) * number / len(places)).astype(int)
        return self._native(
            table.with_columns(
                **{f"p_class_{c + 1}": pl.Series((own == c).mean(axis=0)) for c in range(number)}
            )
        )

    def probability(self, a: str, b: str, *, at: object = None, home: str | None = None) -> float:
        """Posterior probability that `a` beats `b`, given that the contest is not a tie."""
        scores, present = self._scores_at(at)
        one, other = self.code(a), self.code(b)
        if not (present[one] and present[other]):
            raise ValueError(f'"{a}" or "{b}" is not present at {at}.')
        bonus = self.course.replay.home / self.curve.slope * self._side(a, b, home)
        return float(np.mean(self.curve(scores[:, one] - scores[:, other] + bonus)))

    def foresight(self, home_advantage: Any = None) -> Chances:
        return self.course.replay.foresight(home_advantage)

    def chances(
        self,
        first: np.ndarray,
        second: np.ndarray,
        home: np.ndarray,
        home_advantage: Any = None,
        at: object = None,
    ) -> Chances:
        """Posterior mean probabilities from the final ratings or those at a date."""
        parts = [
            self.chances_by_draw(first[own], second[own], home[own], home_advantage, at)
            for own in self.blocks(len(first))
        ]
        win, loss, draw = (
            np.concatenate([getattr(part, name).mean(axis=0) for part in parts])
            for name in ("win", "loss", "draw")
        )
        modeled = "nu" in self.draws
        return Chances(win, loss, win - loss, draw if modeled else None)

    def blocks(self, number: int) -> list[slice]:
        step = max(1, VALUES_AT_ONCE // len(self.course.replay))
        return [slice(i, i + step) for i in range(0, number, step)]

    def chances_by_draw(
        self,
        first: np.ndarray,
        second: np.ndarray,
        home: np.ndarray,
        home_advantage: Any = None,
        at: object = None,
    ) -> Chances:
        """Probabilities under each draw, (draws, contests)."""
        scores, present = self._scores_at(at)
        if home_advantage is None:
            bonus = self.course.replay.home[:, None] / self.curve.slope * home
        else:
            bonus = self.bonus_at_home(first, second, home, home_advantage)
        ahead = scores[:, first] - scores[:, second] + bonus
        ahead[:, ~(present[first] & present[second])] = np.nan
        chances = Chances.decided(np.asarray(self.curve(ahead)), ahead)
        return chances.with_draws(self.course.replay.nu[:, None])

    def expected_beaten(self, *, at: object = None, classes: int = 3) -> Any:
        """Posterior of the expected number of group members that each individual beats."""
        scores, present = self._scores_at(at)
        table = self._table(scores.mean(axis=0), present, None)
        places = [self.code(name) for name in table["individual"]]
        beaten = summed_chances(scores[:, places] * self.curve.slope)
        low, high = np.quantile(beaten, [0.025, 0.975], axis=0)
        mean = beaten.mean(axis=0)
        return self._native(
            table.with_columns(
                expected_beaten=pl.Series(mean),
                expected_share=pl.Series(mean / (len(places) - 1)),
                beaten_low95=pl.Series(low),
                beaten_high95=pl.Series(high),
                **{"class": pl.Series(natural_breaks(mean, classes))},
            )
        )

    def trajectory_frame(self, individual: str, course: np.ndarray | None = None) -> pl.DataFrame:
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
        """Write the table (.csv, .tsv, .parquet), the result (.json), or everything (.npz)."""
        if str(path).lower().endswith(".npz"):
            write_whole((path, packed(self)))
            return
        super().save(path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Posterior:
        """Read a posterior with its contests from an .npz file written by `save`."""
        return cls(**unpacked(path))


def _mean_and_quantiles(draws: np.ndarray) -> np.ndarray:
    """The last axis of the draws replaced by their mean and interval limits."""
    cuts = np.quantile(draws, list(QUANTILES.values()), axis=-1)
    return np.stack([draws.mean(axis=-1), *cuts], axis=-1)


def ranks(scores: np.ndarray) -> np.ndarray:
    """Ranks (1 for the highest) in each draw of scores (draws, individuals)."""
    order = np.argsort(-scores, axis=1, kind="stable")
    rank = np.empty(scores.shape)
    np.put_along_axis(rank, order, np.arange(1.0, scores.shape[1] + 1)[None, :], axis=1)
    return rank

"""Ratings with posterior draws: every rating and rank carries its uncertainty, at any date."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import polars as pl

from peckorder.data.contests import Record
from peckorder.data.date_columns import moment
from peckorder.errors import ArgumentError
from peckorder.estimate import limits
from peckorder.ranks import indistinct, natural_breaks, outranking
from peckorder.results.chances import Chances
from peckorder.results.history import path_in_window
from peckorder.results.rank_table import of_pairs, standing, top_down
from peckorder.results.ratings import Ratings
from peckorder.results.trajectory import Course
from peckorder.validate import between_0_and_1, whole_number

VALUES_AT_ONCE = 20_000_000


@dataclass(frozen=True, eq=False, repr=False)
class SampledRatings(Ratings):
    """Ratings with posterior draws.

    `rating` and `rank` are those of the posterior means; tables also hold intervals, at the `level`
    of the fit or that of `at_level`.
    """

    MOST_USED = (
        *(name for name in Ratings.MOST_USED if name not in ("explain", "left", "whole")),
        *("at_level", "classes", "indistinct", "outranks", "scores"),
    )

    @property
    def course(self) -> Course[Any]:
        """The contests behind these ratings and their replay under every draw.

        Besides what every replay offers, this one has `final` (draws, individuals), `draws_at`
        (moments, draws, individuals), and `home` and `nu` (one value per draw, natural scale).
        """
        return super().course

    # -- ratings and ranks with their uncertainty --------------------------------------------

    @property
    def level(self) -> float:
        """The probability that an interval contains."""
        return self.settings.get("level", 0.95)

    def at_level(self, level: float) -> Self:
        """The same ratings with intervals of another level."""
        level = between_0_and_1("level", level)
        return replace(self, settings=self.settings | {"level": level})

    def as_polars(self) -> pl.DataFrame:
        """One row per individual, highest first, with intervals of rating and rank."""
        return self.interval_frame(None, self.level)

    def at(self, date: object) -> Any:
        """The table at the end of a day (or after a contest): those present, with intervals.

        It is the posterior given all contests, later ones included.
        """
        return self._native(self.interval_frame(date, self.level))

    def interval_frame(self, date: object, *levels: float) -> pl.DataFrame:
        """The table at the end or at a date, with intervals of one or several levels."""
        if date is None:
            return self._with_intervals(self.final, self.rating, self.present, self.record, levels)
        rating, present = self._state(date)
        when = np.array([moment(date, self.whole.data.times)])
        scores = self.draws_and_presence(when)[0][0]
        return self._with_intervals(scores, rating, present, self._record_at(date), levels)

    def _with_intervals(
        self,
        scores: np.ndarray,
        mean: np.ndarray,
        keep: np.ndarray,
        record: Record | None,
        levels: tuple[float, ...],
    ) -> pl.DataFrame:
        table = standing(self.individuals, mean, keep, record)
        places = np.flatnonzero(keep)
        places = places[top_down(mean[places])]
        own = scores[:, places]
        rank = ranks(own)
        columns: dict[str, np.ndarray] = {"rating_sd": own.std(axis=0, ddof=1)}
        for what, values in (("rating", own), ("rank", rank)):
            # A quantile of ranks is a rank.
            method = "inverted_cdf" if what == "rank" else "linear"
            ends = limits(*levels)
            cuts = np.quantile(values, list(ends.values()), axis=0, method=method)
            columns |= {f"{what}_{name}": cuts[i] for i, name in enumerate(ends)}
        columns["p_first"] = (rank == 1).mean(axis=0)
        columns |= self._more_columns(places)
        return table.with_columns(**{name: pl.Series(c) for name, c in columns.items()})

    def _more_columns(self, places: np.ndarray) -> dict[str, np.ndarray]:
        """Further columns of the table that one model has and others have not."""
        return {}

    @cached_property
    def final(self) -> np.ndarray:
        """Ratings after the last contest (or at the end of a window), (draws, individuals)."""
        scores = self.course.replay.final
        if self.window is not None and self._around_present:
            scores = scores.copy()
            self._center(scores[None], self.present[None])
        return scores

    def trajectory_frame(
        self, individual: str, levels: tuple[float, ...] = (), course: np.ndarray | None = None
    ) -> pl.DataFrame:
        """Rating at the start and after each contest of the individual, with intervals."""
        levels = levels or (self.level,)
        if self.window is None:
            return self.bands(individual, levels)
        return path_in_window(self.whole.bands(individual, levels, self.window.begin), self.window)

    @abstractmethod
    def bands(
        self, individual: str, levels: tuple[float, ...], also: int | None = None
    ) -> pl.DataFrame:
        """The trajectory over the whole record; `also` after this number of contests."""

    @property
    def _around_present(self) -> bool:
        """Whether ratings are relative to the mean of those present, newcomers included."""
        return self.settings.get("centering") == "present"

    @staticmethod
    def _center(scores: np.ndarray, present: np.ndarray) -> None:
        """Subtract the mean of those present at each moment, in place; the last axis is who."""
        for own, here in zip(scores, present, strict=True):
            if here.any():
                own[..., here] -= own[..., here].mean(axis=-1, keepdims=True)

    def rated_at(self, moments: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Posterior mean ratings at times in ascending order, and who is present and rated."""
        rating, present = super().rated_at(moments)
        if self._around_present:  # newcomers since the last contest count
            self._center(rating, present)
        return rating, present

    def draws_and_presence(
        self, moments: np.ndarray, buffer: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draws of the ratings at times, (times, draws, individuals), and who is present."""
        recent = self._recent.get(moments[0]) if len(moments) == 1 else None
        if recent is not None:
            return recent
        clock = moments.astype(self.whole.data.clock)
        present = self.course.present_at(moments) & self.course.replay.known_at(clock)
        present[moments < self.whole.data.times[0]] = False
        scores = self.course.replay.draws_at(clock, buffer)
        if self._around_present:
            self._center(scores, present)
        if len(moments) == 1 and buffer is None:  # the figures and tables of one date share them
            self._recent.clear()
            self._recent[moments[0]] = scores, present
        return scores, present

    @cached_property
    def _recent(self) -> dict[Any, tuple[np.ndarray, np.ndarray]]:
        """Draws at the single date that was requested last."""
        return {}

    def scores(self, *, at: object = None) -> np.ndarray:
        """Draws of the ratings, (draws, individuals): the last ones, or those at a date.

        At a date, individuals that are not present (or not yet rated) are NaN.
        """
        if at is None:
            return self.final.copy()
        scores, present = self._scores_at(at)
        return np.where(present, scores, np.nan)

    def _scores_at(self, at: object) -> tuple[np.ndarray, np.ndarray]:
        """Draws of all ratings, and which individuals count."""
        if at is None:
            return self.final, self.present
        self._at(at)  # raises an error before the first contest
        scores, present = self.draws_and_presence(np.array([moment(at, self.whole.data.times)]))
        if not present.any():
            raise ArgumentError(f"Nobody is present at {at}.")
        return scores[0], present[0]

    def _scores_listed(self, at: object) -> tuple[np.ndarray, np.ndarray]:
        """The same for tables, which may be empty: a warning then says why."""
        if at is None:
            return self.final, self.present
        _, present = self._state(at)
        when = np.array([moment(at, self.whole.data.times)])
        return self.draws_and_presence(when)[0][0], present

    def outranks(self, a: str | None = None, b: str | None = None, *, at: object = None) -> Any:
        """Probability that `a` outranks `b`; without names a table of all pairs.

        The table has one row and one column per individual, highest first: the probability that
        the row outranks the column.
        """
        if a is not None and b is not None:
            scores, present = self._scores_at(at)
            one, other = self.code(a), self.code(b)
            for code, name in ((one, a), (other, b)):
                if not present[code]:
                    raise ArgumentError(f'"{name}" is not present at {at}.')
            return float((scores[:, one] > scores[:, other]).mean())
        if a is not None or b is not None:
            raise ArgumentError("Name two individuals, or none for all pairs.")
        return self._native(of_pairs(*self._chances_to_outrank(*self._scores_listed(at))))

    def _chances_to_outrank(
        self, scores: np.ndarray, present: np.ndarray
    ) -> tuple[list[str], np.ndarray]:
        """Names, highest first, and for each pair the probability that the row outranks."""
        places = np.flatnonzero(present)
        places = places[top_down(scores[:, places].mean(axis=0))]
        return [self.individuals[i] for i in places], outranking(scores[:, places])

    def indistinct(self, *, level: float = 0.95, at: object = None) -> list[list[str]]:
        """Sets of adjacent ranks that are not distinguishable, highest first.

        In a set no individual outranks another with probability `level` or more. Sets are as
        large as possible and may overlap. An individual distinguishable from all others is in none.
        """
        between_0_and_1("level", level)
        names, chance = self._chances_to_outrank(*self._scores_listed(at))
        return indistinct(names, chance, level)

    def classes(self, number: int = 2, *, at: object = None) -> Any:
        """Probability of each individual to be in the upper half, in thirds, or in any classes.

        In a draw of n ratings, rank r belongs to class ⌊(r − 1) × number/n⌋ + 1.

        Parameters
        ----------
        number : int
            Number of classes: 2 are halves, 3 thirds.
        at : date, or number of a contest, optional
            The end of this day instead of the last contest.

        Returns
        -------
        DataFrame
            Columns individual, rating, rank and p_class_1, p_class_2, …
        """
        whole_number("number", number, 2)
        scores, present = self._scores_listed(at)
        table = standing(self.individuals, scores.mean(axis=0), present, None)
        places = [self.code(name) for name in table["individual"]]
        rank = ranks(scores[:, places])
        own = np.floor((rank - 1) * number / len(places)).astype(int)
        return self._native(
            table.with_columns(
                **{f"p_class_{c + 1}": pl.Series((own == c).mean(axis=0)) for c in range(number)}
            )
        )

    # -- chances -----------------------------------------------------------------------------

    def probability(self, a: str, b: str, *, at: object = None, home: str | None = None) -> float:
        """Posterior probability that `a` beats `b` (in a contest that is not tied)."""
        scores, present = self._scores_at(at)
        one, other = self.code(a), self.code(b)
        if not (present[one] and present[other]):
            raise ArgumentError(f'"{a}" or "{b}" is not present at {at}.')
        bonus = self.course.replay.home / self.curve.slope * self._side(a, b, home)
        return float(np.mean(self.curve(scores[:, one] - scores[:, other] + bonus)))

    def foresight(self, home_advantage: Any = None) -> Chances:
        """Predicted chances before each contest, from the winner's side."""
        return self.course.replay.foresight(home_advantage)

    def chances(
        self,
        first: np.ndarray,
        second: np.ndarray,
        home: np.ndarray,
        home_advantage: Any = None,
        at: object = None,
    ) -> Chances:
        """Chances over the posterior of the final ratings, or of those at a date."""
        parts = [
            self.chances_by_draw(first[own], second[own], home[own], home_advantage, at)
            for own in self.blocks(len(first))
        ]
        win, loss, draw = (
            np.concatenate([getattr(part, name).mean(axis=0) for part in parts])
            for name in ("win", "loss", "draw")
        )
        modeled = "nu" in self.values
        return Chances(win, loss, win - loss, draw if modeled else None)

    def blocks(self, number: int) -> list[slice]:
        """Stretches of contests whose chances under every draw fit into memory."""
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
        """Chances under each draw, (draws, contests)."""
        scores, present = self._scores_at(at)
        present = ~np.isnan(self.rating) if at is None else present
        replay = self.course.replay
        if home_advantage is None:
            bonus = replay.home[:, None] / self.curve.slope * home
        else:
            bonus = self.bonus_at_home(first, second, home, home_advantage)
        ahead = scores[:, first] - scores[:, second] + bonus
        ahead[:, ~(present[first] & present[second])] = np.nan
        chances = Chances.decided(np.asarray(self.curve(ahead)), ahead)
        return chances.with_draws(replay.nu[:, None])

    def expected_beaten(self, *, at: object = None, classes: int = 3) -> Any:
        """How many of the others each individual is expected to beat, over the posterior."""
        scores, present = self._scores_listed(at)
        table = standing(self.individuals, scores.mean(axis=0), present, None)
        places = [self.code(name) for name in table["individual"]]
        beaten = summed_chances(scores[:, places] * self.curve.slope)
        low, high = np.quantile(beaten, list(limits(self.level).values()), axis=0)
        mean = beaten.mean(axis=0)
        return self._native(
            table.with_columns(
                expected_beaten=pl.Series(mean),
                expected_share=pl.Series(mean / (len(places) - 1)),
                beaten_low=pl.Series(low),
                beaten_high=pl.Series(high),
                **{"class": pl.Series(natural_breaks(mean, classes))},
            )
        )


def ranks(scores: np.ndarray) -> np.ndarray:
    """Ranks (1 for the highest) in each draw of scores (draws, individuals)."""
    order = np.argsort(-scores, axis=1, kind="stable")
    rank = np.empty(scores.shape)
    np.put_along_axis(rank, order, np.arange(1.0, scores.shape[1] + 1)[None, :], axis=1)
    return rank


def summed_chances(scores: np.ndarray) -> np.ndarray:
    """Sum of the chances to beat each of the others, per draw (rows) and individual.

    Scores are on the natural scale.
    """
    from scipy.special import expit

    own = np.ascontiguousarray(scores.T)
    out = np.zeros(own.shape)
    for i in range(len(own) - 1):
        chance = expit(own[i] - own[i + 1 :])
        out[i] += chance.sum(axis=0)
        out[i + 1 :] += 1 - chance
    return out.T


def slopes(scores: np.ndarray) -> np.ndarray:
    """Steepness of each draw: the slope of its sorted scores on their ranks."""
    rank = np.arange(scores.shape[1]) - (scores.shape[1] - 1) / 2
    return np.sort(scores, axis=1) @ rank / (rank @ rank)

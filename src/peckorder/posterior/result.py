"""`Posterior`: ratings with draws, so that every rating and rank carries its uncertainty."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peckorder.curves import Curve
from peckorder.data.dates import date_column, moment
from peckorder.data.record import Record
from peckorder.posterior.course import SCALED, PosteriorReplay, summed_chances
from peckorder.ranks import indistinct, natural_breaks, outranking
from peckorder.results.chances import Chances
from peckorder.results.finding import Measure
from peckorder.results.ratings import Ratings
from peckorder.runs import checked_level, whole_number
from peckorder.tables import write_whole

if TYPE_CHECKING:
    from peckorder.likelihood.contests import Observed
    from peckorder.posterior.convergence import Convergence
    from peckorder.posterior.sampler import Sampler

VALUES_AT_ONCE = 20_000_000
QUANTILES = {"low95": 0.025, "low80": 0.1, "high80": 0.9, "high95": 0.975}


@dataclass(frozen=True, eq=False, repr=False)
class Posterior(Ratings):
    """Ratings with draws from their posterior.

    `rating` and `rank` rest on posterior means; tables carry 80 and 95 % intervals besides.

    Attributes
    ----------
    draws : dict of arrays (chains, samples, …)
        start (individuals), k (contexts, where there are several), sigma, and nu,
        home_advantage, k_typical, k_spread where they were estimated; on the reported scale.
    statistics : dict of arrays (chains, samples)
        log_density, energy, acceptance, steps, depth, diverging
    seed : int
    """

    draws: dict[str, np.ndarray] = field(default_factory=dict)
    statistics: dict[str, np.ndarray] = field(default_factory=dict)
    seed: int | None = None
    replay: PosteriorReplay | None = None  # pyright: ignore[reportIncompatibleVariableOverride]

    @classmethod
    def of(
        cls,
        seen: Observed,
        found: dict[str, np.ndarray],
        statistics: np.ndarray,
        convergence: Convergence,
        *,
        curve: Curve,
        sampler: Sampler,
        settings: dict[str, Any],
        citations: tuple[str, ...],
        evidence: dict[str, float] | None = None,
    ) -> Posterior:
        """Wrap parameters on the natural scale; `evidence` for k = 0 is that of all groups."""
        from peckorder.posterior.summary import summarize

        if settings["centering"] == "none":  # the common level is not in the data
            start = found["start"]
            found = found | {"start": start - start.mean(axis=-1, keepdims=True)}
        names = ("log_density", "energy", "acceptance", "steps", "depth", "diverging")
        draws = {
            name: array / curve.slope if name in SCALED else array for name, array in found.items()
        }
        replay = PosteriorReplay.of(seen.data, seen.contests, draws, settings, curve.slope)
        for name in ("sigma", "k", "k_typical", "k_spread"):  # one number a draw
            if name in draws and draws[name].shape[-1] == 1:
                draws[name] = draws[name][..., 0]
        told = summarize(seen, found, convergence, settings, curve, replay, evidence)
        return cls(
            method="elo_bayes",
            individuals=seen.data.individuals,
            rating=replay.final.mean(axis=0),
            record=Record.of(seen.data),
            curve=curve,
            settings=settings,
            citations=citations,
            report=seen.data.report,
            data=seen.data,
            replay=replay,
            values=told.values,
            words=told.words,
            draws=draws,
            statistics={name: statistics[..., i] for i, name in enumerate(names)},
            seed=sampler.seed,
        )

    def _seed(self) -> int | None:
        return self.seed

    # -- ratings and ranks with their uncertainty --------------------------------------------

    def _frame(self) -> pl.DataFrame:
        return self._told(self.final, np.ones(len(self), bool), self.record)

    def at(self, date: object) -> Any:
        """The table at the end of a day (or after a contest): those present, with intervals.

        What was learned from later contests counts too: it is the posterior given all of them.
        """
        data = self._course()
        scores, present = self._scores_at(date)
        done = int(np.searchsorted(data.times, moment(date, data.times), side="right"))
        return self._native(self._told(scores, present, Record.of(data, done)))

    def _told(self, scores: np.ndarray, keep: np.ndarray, record: Record) -> pl.DataFrame:
        mean = scores.mean(axis=0)
        table = self._table(mean, keep, record)
        places = np.flatnonzero(keep)
        places = places[self._order(mean[places])]
        own = scores[:, places]
        rank = ranks(own)
        columns: dict[str, np.ndarray] = {"rating_sd": own.std(axis=0, ddof=1)}
        for what, values in (("rating", own), ("rank", rank)):
            # A quantile of ranks is a rank.
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
        """Ratings after the last contest, (draws, individuals), chains one after the other."""
        assert self.replay is not None
        return self.replay.final

    def scores(self, *, at: object = None) -> np.ndarray:
        """Draws of the ratings, (draws, individuals): the last ones, or those at a date.

        At a date, individuals that are not present (or not yet rated) are NaN.
        """
        if at is None:
            return self.final.copy()
        scores, present = self._scores_at(at)
        return np.where(present, scores, np.nan)

    def _scores_at(self, at: object) -> tuple[np.ndarray, np.ndarray]:
        """Draws of all ratings, and who counts."""
        if at is None:
            return self.final, np.ones(len(self), bool)
        _, present = self._at(at)
        data = self._course()
        if not present.any():
            raise ValueError(f"Nobody was present at {at}.")
        assert self.replay is not None
        when = np.array([moment(at, data.times)]).astype(data.times.dtype)
        scores = self.replay.draws_at(when)[0]
        if self.settings["centering"] == "present":  # who came since the last contest counts too
            scores[:, present] -= scores[:, present].mean(axis=1, keepdims=True)
        return scores, present

    def outranks(self, a: str | None = None, b: str | None = None, *, at: object = None) -> Any:
        """Chance that `a` stands above `b`; without names a table of all pairs.

        The table has a row per individual and a column per other one, both from the top down:
        the chance that the row outranks the column.
        """
        scores, present = self._scores_at(at)
        if a is not None and b is not None:
            one, other = self._code(a), self._code(b)
            for code, name in ((one, a), (other, b)):
                if not present[code]:
                    raise ValueError(f'"{name}" is not present at {at}.')
            return float((scores[:, one] > scores[:, other]).mean())
        if a is not None or b is not None:
            raise ValueError("Name two individuals, or none for all pairs.")
        names, chance = self._chances_to_outrank(scores, present)
        label = "individual" if "individual" not in names else "individual (row)"
        columns = {name: chance[:, i] for i, name in enumerate(names)}
        return self._native(pl.DataFrame({label: names} | columns))

    def _chances_to_outrank(self, scores: np.ndarray, present: np.ndarray):
        """Names from the top down, and for each pair the chance that the row is above."""
        places = np.flatnonzero(present)
        places = places[self._order(scores[:, places].mean(axis=0))]
        return [self.individuals[i] for i in places], outranking(scores[:, places])

    def indistinct(self, *, level: float = 0.95, at: object = None) -> list[list[str]]:
        """Sets of neighbours in rank that cannot be told apart, from the top down.

        In a set nobody outranks another one with a chance of `level` or more; sets are as large
        as can be and may overlap. Whoever can be told from everybody else is in none.
        """
        checked_level(level)
        names, chance = self._chances_to_outrank(*self._scores_at(at))
        return indistinct(names, chance, level)

    def classes(self, number: int = 2, *, at: object = None) -> Any:
        """Chance of each individual to belong to the upper half, to thirds, or to any classes.

        In a draw of n ratings the one of rank r belongs to class ⌊(r − 1) × number/n⌋ + 1.
        """
        whole_number("number", number, 2)
        scores, present = self._scores_at(at)
        table = self._table(scores.mean(axis=0), present, None)
        places = [self._code(name) for name in table["individual"]]
        rank = ranks(scores[:, places])
        own = np.floor((rank - 1) * number / len(places)).astype(int)
        return self._native(
            table.with_columns(
                **{f"p_class_{c + 1}": pl.Series((own == c).mean(axis=0)) for c in range(number)}
            )
        )

    def probability(self, a: str, b: str, *, at: object = None, home: str | None = None) -> float:
        """Posterior chance that `a` beats `b` (in a contest that is not drawn)."""
        scores, present = self._scores_at(at)
        one, other = self._code(a), self._code(b)
        if not (present[one] and present[other]):
            raise ValueError(f'"{a}" or "{b}" is not present at {at}.')
        assert self.replay is not None
        bonus = self.replay.home / self.curve.slope * self._side(a, b, home)
        return float(np.mean(self.curve(scores[:, one] - scores[:, other] + bonus)))

    def _foreseen(self, home_advantage: Any = None) -> Chances:
        self._course()
        assert self.replay is not None
        return self.replay.foresight(home_advantage)

    def _between(
        self,
        first: np.ndarray,
        second: np.ndarray,
        home: np.ndarray,
        home_advantage: Any = None,
        at: object = None,
    ) -> Chances:
        """Chances over the posterior of the final ratings, or of those at a date."""
        parts = [
            self._between_draws(first[own], second[own], home[own], home_advantage, at)
            for own in self._blocks_of(len(first))
        ]
        win, loss, draw = (
            np.concatenate([getattr(part, name).mean(axis=0) for part in parts])
            for name in ("win", "loss", "draw")
        )
        modeled = "nu" in self.draws
        return Chances(win, loss, win - loss, draw if modeled else None)

    def _blocks_of(self, number: int) -> list[slice]:
        assert self.replay is not None
        step = max(1, VALUES_AT_ONCE // len(self.replay))
        return [slice(i, i + step) for i in range(0, number, step)]

    def _between_draws(
        self,
        first: np.ndarray,
        second: np.ndarray,
        home: np.ndarray,
        home_advantage: Any = None,
        at: object = None,
    ) -> Chances:
        """Chances under each draw, (draws, contests)."""
        scores, present = self._scores_at(at)
        assert self.replay is not None
        if home_advantage is None:
            bonus = self.replay.home[:, None] / self.curve.slope * home
        else:
            bonus = self._bonus(first, second, home, home_advantage)
        ahead = scores[:, first] - scores[:, second] + bonus
        ahead[:, ~(present[first] & present[second])] = np.nan
        chances = Chances.decided(np.asarray(self.curve(ahead)), ahead)
        return chances.with_draws(self.replay.nu[:, None])

    def expected_beaten(self, *, at: object = None, classes: int = 3) -> Any:
        """How many of the others each individual is expected to beat, over the posterior."""
        scores, present = self._scores_at(at)
        table = self._table(scores.mean(axis=0), present, None)
        places = [self._code(name) for name in table["individual"]]
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

    def _trajectory(self, individual: str, course: np.ndarray | None = None) -> pl.DataFrame:
        """Rating at the start and after each own contest, with 80 and 95 % intervals."""
        data, code = self._course(), self._code(individual)
        done, came, first = self._arrivals
        if self.settings["centering"] == "present":
            return self._moved_by_others(code, int(done[code]), came[code], first[code])
        won = data.winner == code
        own = np.flatnonzero(won | (data.loser == code))
        told = np.vstack([first[code], self._own_courses[own, np.where(won[own], 0, 1)]])
        columns: dict[str, Any] = {"contest": np.append(done[code], own + 1)}
        if data.date is not None:
            columns["date"] = date_column(np.append(came[code], data.date[own]).astype(data.clock))
        names = ("rating", *(f"rating_{name}" for name in QUANTILES))
        return pl.DataFrame(columns | dict(zip(names, told.T, strict=True)))

    def _moved_by_others(self, code: int, done: int, came: Any, first: np.ndarray) -> pl.DataFrame:
        """The trajectory relative to those present, whose coming and going moves everybody."""
        data = self._course()
        assert self.replay is not None
        places = np.arange(done + 1, len(data) + 1)
        told = np.vstack([first, self.replay.course_of(code, places, _mean_and_quantiles)])
        columns: dict[str, Any] = {"contest": np.append(done, places)}
        if data.date is not None:
            columns["date"] = date_column(np.append(came, data.date[done:]).astype(data.clock))
        names = ("rating", *(f"rating_{name}" for name in QUANTILES))
        return pl.DataFrame(columns | dict(zip(names, told.T, strict=True)))

    @cached_property
    def _own_courses(self) -> np.ndarray:
        assert self.replay is not None
        return self.replay.own_courses(_mean_and_quantiles)

    @cached_property
    def _arrivals(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Contests over on arrival, when it was, and the rating then with its intervals."""
        assert self.replay is not None
        done, came, scores = self.replay.arrivals()
        return done, came, _mean_and_quantiles(scores.T)

    # -- checks of the model -------------------------------------------------------------------

    @cached_property
    def diagnostics(self) -> Any:
        """R̂, effective sample sizes and Monte Carlo error of every parameter."""
        from peckorder.posterior.summary import diagnostic_table

        return self._native(diagnostic_table(self))

    @property
    def log_likelihood(self) -> np.ndarray:
        """Log-likelihood of every contest under every draw, (chains, samples, contests)."""
        assert self.replay is not None
        chains, samples = self.draws["sigma"].shape[:2]
        return self.replay.log_likelihood().reshape(chains, samples, -1)

    def loo(self) -> Measure:
        """Expected log score of each contest left out, by Pareto-smoothed importance sampling."""
        from peckorder.posterior.loo import loo

        return loo(self)

    def prequential(self, **options: Any) -> Measure:
        """Log score of each contest predicted from those before it: see `rating.scores`."""
        from peckorder.posterior.loo import prequential

        return prequential(self, **options)

    def predictive_check(self, *, seed: int = 0) -> Measure:
        """Does the model make records like this one? Replicated outcomes beside the real ones."""
        from peckorder.posterior.predictive import predictive_check

        return predictive_check(self, seed=seed)

    def sensitivity(self, *, refit: bool = False, **priors: float) -> Measure:
        """What other priors would change: see `rating.sensitivity`."""
        from peckorder.posterior.sensitivity import sensitivity

        return sensitivity(self, refit=refit, **priors)

    # -- out of here -------------------------------------------------------------------------

    def to_arviz(self) -> Any:
        """For ArviZ: InferenceData with arviz 0.x, a DataTree with 1.x."""
        from peckorder.posterior.storage import to_arviz

        return to_arviz(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table (.csv, .tsv, .parquet), the result (.json), or everything (.npz)."""
        if str(path).lower().endswith(".npz"):
            from peckorder.posterior.storage import packed

            write_whole((path, packed(self)))
            return
        super().save(path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Posterior:
        """Read what `save` wrote to an .npz file: the posterior with its contests."""
        from peckorder.posterior.storage import unpacked

        return unpacked(path)


def _mean_and_quantiles(draws: np.ndarray) -> np.ndarray:
    """Over the last axis, which is replaced by mean and ends of intervals."""
    cuts = np.quantile(draws, list(QUANTILES.values()), axis=-1)
    return np.stack([draws.mean(axis=-1), *cuts], axis=-1)


def ranks(scores: np.ndarray) -> np.ndarray:
    """Ranks (1 for the highest) in each draw of scores (draws, individuals)."""
    order = np.argsort(-scores, axis=1, kind="stable")
    rank = np.empty(scores.shape)
    np.put_along_axis(rank, order, np.arange(1.0, scores.shape[1] + 1)[None, :], axis=1)
    return rank

"""The history of ratings under every posterior draw, computed again on request."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from peckorder.data.contests import Contests
from peckorder.data.effects import advantages
from peckorder.errors import ArgumentError
from peckorder.kernels import trajectories
from peckorder.kernels.contests import own_totals
from peckorder.kernels.likelihood import CENTER, ENTER, SLOTS, ContestArrays, groups
from peckorder.random_runs import in_threads
from peckorder.ratings.likelihood import first_contests
from peckorder.results.chances import Chances
from peckorder.results.trajectory import arrivals

SCALED = ("start", "sigma", "k", "k_typical", "home_advantage")  # on the scale of the curve
BLOCK = 100  # draws per block of a thread
VALUES_AT_ONCE = 50_000_000


@dataclass(frozen=True, eq=False)
class PosteriorReplay:
    """Posterior draws of the parameters on the natural scale, one per row, and the contests."""

    data: Contests
    contests: ContestArrays
    start: np.ndarray
    k: np.ndarray
    nu: np.ndarray
    home: np.ndarray
    slope: float

    @classmethod
    def of(
        cls,
        data: Contests,
        contests: ContestArrays,
        draws: dict[str, np.ndarray],
        settings: dict[str, Any],
        slope: float = 1.0,
    ) -> PosteriorReplay:
        """From draws on the reported scale, shaped (chains, samples, …)."""
        found = {name: a * slope if name in SCALED else a for name, a in draws.items()}
        start = found["start"].reshape(-1, found["start"].shape[-1])
        number = len(start)
        k = found["k"].reshape(number, -1)
        k = np.column_stack([k, np.zeros(number)])  # the last one is that of the burn-in
        nu = found["nu"].reshape(-1) if "nu" in found else np.zeros(number)
        fixed = settings.get("home_advantage")
        bonus = np.full(number, 0.0 if fixed in (None, "estimate") else fixed * slope)
        if "home_advantage" in found:
            bonus = found["home_advantage"].reshape(-1)
        return cls(
            data,
            contests,
            np.ascontiguousarray(start),
            np.ascontiguousarray(k),
            np.ascontiguousarray(nu),
            np.ascontiguousarray(bonus),
            slope,
        )

    def __len__(self) -> int:
        return len(self.start)

    def thinned(self, most: int) -> PosteriorReplay:
        """At most `most` draws, evenly spaced."""
        if len(self) <= most:
            return self
        keep = np.linspace(0, len(self) - 1, most).astype(int)
        draws = {name: getattr(self, name)[keep] for name in ("start", "k", "nu", "home")}
        return replace(self, **draws)

    def joined_by(
        self, newcomers: tuple[str, ...], sigma: np.ndarray, seed: Any
    ) -> PosteriorReplay:
        """Draws with newcomers, whose starting scores are drawn from the prior N(0, σ).

        The scores of the n others are centered in each draw, and their mean, which is not
        identifiable, varies by σ²/n: relative to them, newcomers vary by σ²(1 + 1/n).
        """
        number = self.start.shape[1]
        random = np.random.default_rng(seed)
        fresh = random.standard_normal((len(self), len(newcomers)))
        shared = random.standard_normal((len(self), 1)) / math.sqrt(number)
        entered = np.reshape(sigma, (-1, 1)) * (fresh + shared)
        names = (*self.data.individuals, *newcomers)
        return replace(
            self,
            data=replace(self.data, individuals=names, presence=None),
            start=np.ascontiguousarray(np.hstack([self.start, entered])),
        )

    def arguments(self, begin: int, end: int) -> tuple[ContestArrays, trajectories.Draws]:
        """Contests and the draws from begin to end, as the kernels take them."""
        own = slice(begin, end)
        draws = trajectories.Draws(self.start[own], self.k[own], self.nu[own], self.home[own])
        return self.contests, draws

    # -- methods of `Replay`: means over draws -----------------------------------------------

    def history(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Expected score of the winner, and ratings before and after each contest."""
        size = self.contests.first.size
        sums = [[np.zeros(size), np.zeros((size, 2)), np.zeros((size, 2))] for _ in self._blocks()]

        def work(begin: int, end: int) -> None:
            trajectories.add_history(*self.arguments(begin, end), *sums[begin // BLOCK])

        in_threads(work, len(self), block=BLOCK)
        expected, before, after = (
            np.sum(part, axis=0) / len(self) for part in zip(*sums, strict=True)
        )
        return expected, before / self.slope, after / self.slope

    def foresight(self, home_advantage: Any = None) -> Chances:
        """Predictions of each contest from the scores before it, averaged over all draws."""
        contests, home = self.contests, self.home
        if home_advantage is not None:
            bonus = advantages(home_advantage, self.data) * self.slope
            if contests.home_in_update and contests.home.size:
                raise ArgumentError(
                    "The home advantage cannot be changed after this fit, because it is part of "
                    "the update. Fit the model again with another home advantage."
                )
            contests = contests._replace(home=np.broadcast_to(bonus, contests.first.shape).copy())
            home = np.ones(len(self))
        sums = [np.zeros((contests.first.size, 3)) for _ in self._blocks()]

        def work(begin: int, end: int) -> None:
            own = self.arguments(begin, end)[1]._replace(home=home[begin:end])
            trajectories.add_outcomes(contests, own, sums[begin // BLOCK])

        in_threads(work, len(self), block=BLOCK)
        win, draw, loss = (np.sum(sums, axis=0) / len(self)).T
        return Chances(win, loss, win - loss, draw if self.nu.any() else None)

    def at(self, times: np.ndarray, who: np.ndarray) -> np.ndarray:
        """Mean ratings at these times, (times, who)."""
        places = np.searchsorted(self.data.times, times, side="right")
        return self._mean(places, who, times)

    def after_each(self, who: np.ndarray) -> np.ndarray:
        """Mean ratings before the first and after each contest, (contests + 1, who)."""
        times = self.data.times[np.maximum(np.arange(len(self.data) + 1) - 1, 0)]
        return self._mean(np.arange(len(self.data) + 1), who, times)

    def _mean(self, places: np.ndarray, who: np.ndarray, times: np.ndarray) -> np.ndarray:
        who = np.asarray(who, np.int64)
        out = np.empty((len(places), len(who)))
        step = max(1, VALUES_AT_ONCE // max(1, len(who)) // max(1, len(self._blocks())))
        for first in range(0, len(places), step):
            some = np.ascontiguousarray(places[first : first + step], dtype=np.int64)
            sums = [np.zeros((len(some), 1, len(who))) for _ in self._blocks()]

            def work(begin: int, end: int, some=some, sums=sums) -> None:
                trajectories.photograph(
                    *self.arguments(begin, end), some, who, sums[begin // BLOCK], False, 0
                )

            in_threads(work, len(self), block=BLOCK)
            out[first : first + step] = np.sum(sums, axis=0)[:, 0] / len(self)
        out[~self.known_at(times)[:, who]] = np.nan
        return out / self.slope

    def _blocks(self) -> range:
        return range(0, len(self), BLOCK)

    def known_at(self, times: np.ndarray) -> np.ndarray:
        """Whether each individual has arrived, so that it has a rating, (times, individuals)."""
        return times[:, None] >= self._arrival[None, :]

    @cached_property
    def _arrival(self) -> np.ndarray:
        return arrivals(self.data)

    # -- all draws -----------------------------------------------------------------------------

    @cached_property
    def final(self) -> np.ndarray:
        """Ratings after the last contest, (draws, individuals), on the reported scale."""
        return self._one_run[1]

    @cached_property
    def expected(self) -> np.ndarray:
        """Expected score of the winner of each contest: `history` without the ratings."""
        contests = self.contests
        if contests.home.size and not contests.home_in_update:
            return self.history()[0]  # the expectation is not the one that moves the scores
        scored = np.where(contests.draw, 0.5, 1.0) if contests.draw.size else 1.0
        return scored - self._one_run[2]

    def draws_at(self, times: np.ndarray, buffer: np.ndarray | None = None) -> np.ndarray:
        """Ratings at times in ascending order, (times, draws, individuals)."""
        places = np.searchsorted(self.data.times, times, side="right")
        return self._draws(places, buffer=buffer)

    def courses_at(self, times: np.ndarray) -> Iterator[np.ndarray]:
        """Ratings at all these times, some draws at a time: (draws, times, individuals)."""
        places = np.searchsorted(self.data.times, times, side="right")
        who = np.arange(self.start.shape[1])
        step = max(1, VALUES_AT_ONCE // (len(places) * len(who)))
        for begin in range(0, len(self), step):
            end = min(begin + step, len(self))
            out = np.empty((len(places), end - begin, len(who)))
            trajectories.photograph(*self.arguments(begin, end), places, who, out, True, 0)
            yield out.transpose(1, 0, 2) / self.slope

    def _draws(
        self,
        places: np.ndarray,
        who: np.ndarray | None = None,
        settled: int = 0,
        buffer: np.ndarray | None = None,
    ) -> np.ndarray:
        who = np.arange(self.start.shape[1]) if who is None else who
        shape = len(places), len(self), len(who)
        size = math.prod(shape)
        if buffer is None or buffer.size < size:
            buffer = np.empty(size)
        out = buffer[:size].reshape(shape)
        places = np.ascontiguousarray(places, dtype=np.int64)

        def work(begin: int, end: int) -> None:
            own = out[:, begin:end]
            trajectories.photograph(*self.arguments(begin, end), places, who, own, True, settled)
            own /= self.slope

        in_threads(work, len(self), block=BLOCK)
        return out

    def own_courses(self, summary: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """`summary` of the draws of both sides after each contest, (contests, 2, …)."""
        size = self.contests.first.size
        step = max(1, VALUES_AT_ONCE // (2 * len(self)))
        parts = []
        for first in range(0, size, step):
            out = np.empty((min(step, size - first), 2, len(self)))

            def work(begin: int, end: int, first=first, out=out) -> None:
                trajectories.own_courses(*self.arguments(begin, end), first, out[..., begin:end])

            in_threads(work, len(self), block=BLOCK)
            parts.append(summary(out / self.slope))
        return np.concatenate(parts)

    def course_of(
        self, code: int, places: np.ndarray, summary: Callable[[np.ndarray], np.ndarray]
    ) -> np.ndarray:
        """`summary` of the draws of one individual after given numbers of contests."""
        step = max(1, VALUES_AT_ONCE // len(self))
        return np.concatenate(
            [
                summary(self._draws(places[first : first + step], np.array([code]))[:, :, 0])
                for first in range(0, max(1, len(places)), step)
            ]
        )

    def arrivals(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Contests before the arrival of each individual, arrival time, scores (draws, who)."""
        done = np.searchsorted(self.data.times, self._arrival, side="left")
        scores = np.empty((len(self), len(done)))
        for place in np.unique(done):
            who = np.flatnonzero(done == place)
            scores[:, who] = self._draws(np.array([place]), who, 1)[0]
        return done, self._arrival, scores

    def log_likelihood(self) -> np.ndarray:
        """Log-likelihood of every contest under every draw, (draws, contests)."""
        out = np.empty((len(self), self.contests.first.size))

        def work(begin: int, end: int) -> None:
            trajectories.log_likelihoods(*self.arguments(begin, end), out[begin:end])

        in_threads(work, len(self), block=BLOCK)
        return out

    def own_totals(self) -> tuple[np.ndarray, np.ndarray]:
        """Log-likelihood of all contests under every draw, and `final`."""
        return self._one_run[:2]

    @cached_property
    def _one_run(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Log-likelihood and final ratings of every draw, and the mean surprise of each contest."""
        contests = first_contests(self.contests, self.contests.first.size)
        hall_of = np.full(self.start.shape[1], -1)
        for kind, who, hall in zip(
            contests.event_kind, contests.event_who, contests.event_hall, strict=True
        ):
            if kind != CENTER:
                hall_of[who] = hall if kind == ENTER else -1
        total, final = np.empty(len(self)), np.empty(self.start.shape)
        surprise = np.zeros((len(self._blocks()), contests.first.size))

        def work(begin: int, end: int) -> None:
            draws, own = self.arguments(begin, end)[1], slice(begin, end)
            found = total[own], final[own], surprise[begin // BLOCK]
            own_totals(contests, draws, hall_of, self._paper(), *found)

        in_threads(work, len(self), block=BLOCK)
        return total, final / self.slope, surprise.sum(axis=0) / len(self)

    def totals(self, k: np.ndarray) -> np.ndarray:
        """Log-likelihood of each draw with k replaced, (draws, values of k)."""
        out = np.empty((len(k), len(self)))
        nobody, nothing = np.zeros(0, np.int64), np.zeros(0)

        def work(begin: int, end: int) -> None:
            contests, draws = self.arguments(begin, end)
            draws, paper = draws._replace(k=draws.k.copy()), self._paper()
            unwanted = np.zeros((end - begin, 0)), nothing
            for value, total in zip(k, out, strict=True):
                draws.k[:, :-1] = value
                own_totals(contests, draws, nobody, paper, total[begin:end], *unwanted)

        in_threads(work, len(self), block=BLOCK)
        return np.ascontiguousarray(out.T)

    def _paper(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What a run of the likelihood writes on."""
        size, number = self.contests.first.size, groups(self.contests)
        return np.empty((SLOTS, size)), np.zeros((number, 3)), np.empty(self.start.shape[1])

"""The course of adaptive ratings: hindsight by the backward pass, predictions by the forward one.

Ratings at a date are smoothed: they rest on all contests, later ones included. What was predicted
before each contest rests on the contests before it alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from peckorder.data.contests import Contests
from peckorder.errors import ArgumentError
from peckorder.ratings.adaptive_filter import LAPSE, NU, AdaptiveBank, by_elo, run_adaptive
from peckorder.ratings.filter_runner import (
    labeled_draws,
    mixture_quantiles,
    smoothed_states,
    state_size,
)
from peckorder.results.chances import Chances
from peckorder.results.trajectory import arrivals

VALUES_AT_ONCE = 20_000_000
HOME_IS_LEARNED = (
    'The home advantage is part of these ratings: estimate it with home_advantage="estimate".'
)


@dataclass(frozen=True, eq=False)
class AdaptiveReplay:
    """A bank of filters over contests, and how many draws represent its ratings."""

    data: Contests
    bank: AdaptiveBank
    covariates: np.ndarray | None  # (contests, number), in their units
    batches: np.ndarray | None
    draws: int
    seed: int
    slope: float
    home_place: int | None = None  # of the home advantage among the covariates

    def __len__(self) -> int:
        return self.draws

    # -- draws -------------------------------------------------------------------------------

    @cached_property
    def _last(self) -> tuple[np.ndarray, np.ndarray]:
        """Which filter each draw is from, and its state after the last contest."""
        bank = self.bank
        return self._drawn(bank.weights[-1], bank.filtered.means, bank.filtered.covariances, 0)

    @property
    def filters(self) -> np.ndarray:
        """The filter of each draw."""
        return self._last[0]

    @cached_property
    def final(self) -> np.ndarray:
        """Ratings after the last contest, (draws, individuals), on the reported scale."""
        return self._last[1] @ self.bank.strengths(len(self.data)).T / self.slope

    @cached_property
    def home(self) -> np.ndarray:
        """Home advantage of each draw, on the natural scale."""
        if self.home_place is None:
            return np.zeros(self.draws)
        return self._last[1][:, self.bank.offset - self._number + self.home_place]

    @cached_property
    def nu(self) -> np.ndarray:
        """Davidson's ν of each draw; 0 without ties."""
        return self.bank.table[self._last[0], NU]

    @property
    def _number(self) -> int:
        """Number of covariates."""
        return 0 if self.covariates is None else self.covariates.shape[1]

    def draws_at(self, times: np.ndarray, buffer: np.ndarray | None = None) -> np.ndarray:
        """Smoothed ratings at moments in ascending order, (moments, draws, individuals).

        `buffer`, with which a posterior saves time, is not used.
        """
        return self._draws(times)

    def courses_at(self, times: np.ndarray) -> Iterator[np.ndarray]:
        """Ratings at all these times, (draws, times, individuals).

        Drawn at each time from the same random numbers, which relates them more closely than whole
        courses would: changes between two times are not overstated.
        """
        yield self._draws(times, related=True).transpose(1, 0, 2)

    def known_at(self, times: np.ndarray) -> np.ndarray:
        """Whether each individual has entered, so that it has a rating, (times, individuals)."""
        return (times[:, None] >= self._arrival) & (self._places(times)[:, None] > self._entry)

    def _draws(self, times: np.ndarray, *, related: bool = False) -> np.ndarray:
        places = self._places(times)
        out = np.empty((len(places), self.draws, len(self.data.individuals)))
        some, weights = self.bank.weighty()
        distinct, which = np.unique(places, return_inverse=True)
        step = max(1, VALUES_AT_ONCE // (len(some) * state_size(self.bank.record) ** 2))
        for begin in range(0, len(distinct), step):
            now = distinct[begin : begin + step]
            means, covariances = smoothed_states(
                self.bank.record,
                self.bank.table[some],
                now,
                arrived=True,
                threads=self.bank.threads,
            )
            for i, place in enumerate(now.tolist()):
                if place == len(self.data) and not related:
                    out[which == begin + i] = self.final * self.slope
                    continue
                turn = 0 if related else 1 + place
                _, states = self._drawn(weights, means[:, i], covariances[:, i], turn)
                form = self.bank.strengths(place, hindsight=True)
                out[which == begin + i] = states @ form.T
        return out / self.slope

    def _drawn(self, weights, means, covariances, turn: int) -> tuple[np.ndarray, np.ndarray]:
        random = np.random.default_rng(np.random.SeedSequence([self.seed, turn]))
        return labeled_draws(weights, means, covariances, self.draws, random)

    # -- means and intervals -----------------------------------------------------------------

    def at(self, times: np.ndarray, who: np.ndarray) -> np.ndarray:
        """Smoothed means at moments in ascending order, (moments, who)."""
        places = self._places(times)
        distinct, which = np.unique(places, return_inverse=True)
        mean = self._means(distinct)[which]
        mean[~self.known_at(times)] = np.nan
        return mean[:, who] / self.slope

    def after_each(self, who: np.ndarray) -> np.ndarray:
        """Smoothed means before the first and after each contest, (contests + 1, who).

        Before the first contest of a newcomer: the level at which it enters.
        """
        places = np.arange(len(self.data) + 1)
        mean = self._all_means.copy()
        times = self.data.times[np.maximum(places - 1, 0)]
        mean[(times[:, None] < self._arrival) | (places[:, None] < self._entry)] = np.nan
        return mean[:, who] / self.slope

    def first_rated(self, code: int) -> int:
        """The number of contests after which an individual is rated first."""
        rated = ~np.isnan(self.after_each(np.array([code]))[:, 0])
        return int(np.argmax(rated))

    def bands(self, shares: tuple[float, ...]) -> np.ndarray:
        """Mean and quantiles after each contest, (contests + 1, who, 1 + shares)."""
        if shares in self._known_bands:
            return self._known_bands[shares]
        parts = list(self._smoothed(np.arange(len(self.data) + 1)))
        weights = np.array([w for w, _, _ in parts])
        means = np.array([m for _, m, _ in parts])
        deviations = np.array([d for _, _, d in parts])
        cuts = mixture_quantiles(weights, means, deviations, shares)
        self._known_bands[shares] = (
            np.concatenate([self._all_means[..., None], cuts], axis=-1) / self.slope
        )
        return self._known_bands[shares]

    @cached_property
    def _known_bands(self) -> dict[tuple[float, ...], np.ndarray]:
        return {}

    @cached_property
    def _all_means(self) -> np.ndarray:
        return self._means(np.arange(len(self.data) + 1))

    def _means(self, places: np.ndarray) -> np.ndarray:
        """Smoothed means after some contests; after the last, of all filters."""
        last = places == len(self.data)
        mean = np.empty((len(places), len(self.data.individuals)))
        if not last.all():
            mean[~last] = np.sum([w * m for w, m, _ in self._smoothed(places[~last])], axis=0)
        mean[last] = self.means_at_the_end() * self.slope
        return mean

    def means_at_the_end(self) -> np.ndarray:
        """Means after the last contest, over all filters."""
        bank = self.bank
        state = bank.weights[-1] @ bank.filtered.means
        return bank.strengths(len(self.data)) @ state / self.slope

    def _smoothed(self, places: np.ndarray) -> Iterator[tuple[float, np.ndarray, np.ndarray]]:
        """For each filter that matters: weight, means and deviations (places, who)."""
        some, weights = self.bank.weighty()
        size = len(self.data.individuals)
        step = max(1, VALUES_AT_ONCE // state_size(self.bank.record) ** 2)
        for e, weight in zip(some.tolist(), weights, strict=True):
            mean, deviation = np.empty((2, len(places), size))
            for begin in range(0, len(places), step):
                now = places[begin : begin + step]
                row = self.bank.table[e : e + 1]
                means, covariances = smoothed_states(self.bank.record, row, now, arrived=True)
                for i, place in enumerate(now.tolist(), start=begin):
                    of = means[:, i - begin], covariances[:, i - begin]
                    found = self.bank.moments(place, np.ones(1), *of, hindsight=True)
                    mean[i], deviation[i] = found
            yield float(weight), mean, deviation

    def _places(self, times: np.ndarray) -> np.ndarray:
        return np.searchsorted(self.data.times, times, side="right")

    @cached_property
    def _entry(self) -> np.ndarray:
        """The contest before which each newcomer entered; −1 for founders."""
        founder = self.bank.record.founder
        return np.where(founder, -1, self.bank.first)

    @cached_property
    def _arrival(self) -> np.ndarray:
        return arrivals(self.data)

    # -- predictions -------------------------------------------------------------------------

    def history(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Predicted score of the winner, and smoothed ratings before and after each contest."""
        both = np.column_stack([self.data.winner, self.data.loser])
        number = np.arange(len(self.data))[:, None]
        course = self._all_means / self.slope
        return self.foresight().expected, course[number, both], course[number + 1, both]

    @cached_property
    def _predicted(self) -> Chances:
        return self._as_chances(*self.bank.foresight())

    def _as_chances(self, win: np.ndarray, tie: np.ndarray) -> Chances:
        loss = 1 - win - tie
        return Chances(win, loss, win - loss, tie if self.bank.record.tied.any() else None)

    def foresight(self, home_advantage: Any = None) -> Chances:
        """What the contests before each one predicted of it."""
        if home_advantage is not None:
            raise ArgumentError(HOME_IS_LEARNED)
        return self._predicted

    def until(self, contests: int) -> AdaptiveBank:
        """The filters after some of the contests."""
        if contests == len(self.data):
            return self.bank
        if contests not in self._earlier:
            self._earlier.clear()
            tied, batches = self.data.draw, self.batches
            self._earlier[contests] = run_adaptive(
                self.data.winner[:contests],
                self.data.loser[:contests],
                individuals=len(self.data.individuals),
                tied=None if tied is None else tied[:contests],
                batches=None if batches is None else batches[batches < contests],
                covariates=None if self.covariates is None else self.covariates[:contests],
                threads=self.bank.threads,
            )
        return self._earlier[contests]

    def joined_by(self, newcomers: tuple[str, ...]) -> AdaptiveReplay:
        """The same contests, with individuals that have had none."""
        data, tied = self.data, self.data.draw
        bank = run_adaptive(
            data.winner,
            data.loser,
            individuals=len(data.individuals) + len(newcomers),
            tied=tied,
            batches=self.batches,
            covariates=self.covariates,
            threads=self.bank.threads,
        )
        extended = replace(data, individuals=(*data.individuals, *newcomers), presence=None)
        return replace(self, data=extended, bank=bank)

    @cached_property
    def _earlier(self) -> dict[int, AdaptiveBank]:
        """The filters at the earlier date that was requested last."""
        return {}

    def chances(self, first, second, covariates: np.ndarray, contests: int) -> Chances:
        """Probabilities of the next contest of each pair, after some contests."""
        known = covariates if self._number else None
        return self._as_chances(*self.until(contests).chances(first, second, known))

    def chances_by_draw(self, first, second, covariates: np.ndarray, contests: int) -> Chances:
        """The same under each draw, (draws, pairs).

        A draw is from a filter, with its state and dyadic effects, or an Elo rating, by weight.
        """
        bank = self.until(contests)
        random = np.random.default_rng(np.random.SeedSequence([self.seed, contests, 1]))
        known = covariates if self._number else None
        h = bank.logits(first, second, known)
        means, variances = bank.dyad_effects(first, second)
        filtered = bank.filtered
        of, states = labeled_draws(
            bank.weights[-1], filtered.means, filtered.covariances, self.draws, random
        )
        effect = means[of] + np.sqrt(variances[of]) * random.standard_normal((len(of), len(first)))
        p = 1 / (1 + np.exp(-(states @ h.T + effect)))
        nu = bank.table[of, NU][:, None]
        odds = nu * np.sqrt(p * (1 - p))
        sure = 1 - (3 if bank.record.tied.any() else 2) * LAPSE
        win, tie = LAPSE + sure * p / (1 + odds), sure * odds / (1 + odds)
        tie = np.where(nu > 0, LAPSE + tie, 0.0)
        expected = 1 / (1 + np.exp(bank.elo_ratings[:, second] - bank.elo_ratings[:, first]))
        by_gain = by_elo(expected, bank.nus)
        elo = random.random(self.draws) >= bank.bank_shares[-1]
        gain = random.choice(len(by_gain[0]), int(elo.sum()), p=bank.elo_weights[-1])
        win[elo], tie[elo] = (part[gain] for part in by_gain)
        return self._as_chances(win, tie)

"""Truths that may be behind a record, and records like it that they give.

A truth is one draw of the whole course of ratings from the posterior of `dynamic`, static or moving
as the record suggests. Before the data, equal individuals (σ = 0) have probability 0.2; in such a
truth every contest is a fair toss, and the order is arbitrary. Truths are the same for every method
whose errors are studied, so no method is judged by its own assumptions, and the uncertainty about
the truth is part of the prediction.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peckorder.data.interactions import Interactions
from peckorder.errors import DataError
from peckorder.filters.courses import Courses, drawn_courses, log_bayes_factor_of_differences
from peckorder.filters.dynamic import DynamicRatings, dynamic
from peckorder.results.sampled import ranks
from peckorder.simulation.like import (
    drawn_scores,
    present_at_end,
    repeated_contests,
    resampled,
    with_outcome,
)
from peckorder.simulation.study import places_over_time
from peckorder.simulation.truth import Truth

PRIOR_EQUAL = 0.2  # probability, before the data, that all individuals are equal
MAY_BE = 0.1  # posterior probability of equal individuals from which it is mentioned
HARDLY = 1e-9  # differences between equal individuals, whose order is arbitrary


def posterior_of(data: Interactions, seed: int, threads: int | None) -> DynamicRatings:
    """Dynamic ratings of a record; a home advantage is estimated if sides are at home."""
    home = data.home is not None and bool(data.home.any())
    return dynamic(data, home_advantage="estimate" if home else None, seed=seed, threads=threads)


def may_be_equal(p_equal: float) -> str | None:
    """A sentence if all individuals may be equal."""
    if p_equal < MAY_BE:
        return None
    return (
        f"All individuals may be equal (σ = 0; posterior probability {p_equal:.2f}, prior "
        f"{PRIOR_EQUAL:.2f}): there may be no ranks to recover."
    )


@dataclass(frozen=True, eq=False)
class Worlds:
    """Draws of the truth behind a record."""

    ratings: DynamicRatings
    places: np.ndarray  # contests, from 0, at which strengths are kept
    courses: Courses
    present: np.ndarray  # mask of the individuals in the group at the end
    log_bf_differences: float  # of individuals that differ against equal ones

    @classmethod
    def of(cls, ratings: DynamicRatings, number: int, seed: int) -> Worlds:
        """Draws from the posterior, one per simulated record."""
        present = present_at_end(ratings.data)
        if present.sum() < 2:
            raise DataError("Fewer than two individuals are present at the end: nothing to rank.")
        places = np.unique(places_over_time(len(ratings.data)) - 1)
        sequence = np.random.SeedSequence([seed, 8])
        drawn = drawn_courses(ratings.bank, number, places, sequence)
        factor = log_bayes_factor_of_differences(ratings.bank)
        worlds = cls(ratings, places, drawn, present, factor)
        random = np.random.default_rng(np.random.SeedSequence([seed, 9]))
        worlds._level(random.random(number) < worlds.p_equal, random)
        return worlds

    @property
    def p_equal(self) -> float:
        """Posterior probability that all individuals are equal."""
        odds = np.exp(np.clip(self.log_bf_differences, -500, 500)) * (1 - PRIOR_EQUAL)
        return float(PRIOR_EQUAL / (PRIOR_EQUAL + odds))

    def _level(self, runs: np.ndarray, random: np.random.Generator) -> None:
        """Make individuals equal in these runs, in an arbitrary order that does not change."""
        bank = self.ratings.bank
        coefficients, _ = bank.coefficient_moments()
        self.courses.logits[runs] = bank.record.covariates @ coefficients[1:]
        strengths = self.courses.strengths
        order = HARDLY * random.standard_normal((int(runs.sum()), 1, strengths.shape[2]))
        strengths[runs] = np.where(np.isnan(strengths[runs]), np.nan, order)

    def record(self, run: int, seed: int, effort: float | None) -> tuple[Truth, Interactions]:
        """A truth and a record of it; with an effort, that many times the contests."""
        random = np.random.default_rng(np.random.SeedSequence([seed, 5]))
        data, nu = self.ratings.data, self.ratings.bank.nu
        own = resampled(len(data), 1.0 if effort is None else effort, random)
        score = drawn_scores(self.courses.logits[run, own], nu, random)
        strengths = self.courses.strengths[run].copy()
        strengths[-1, ~self.present] = np.nan
        begin = np.searchsorted(own, self.places)
        truth = Truth(data.individuals, begin, strengths, len(own))
        return truth, with_outcome(repeated_contests(data, own), score)

    def order_probabilities(self, rank: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Posterior probabilities that ranks among those present are right, given the record.

        First, that the rank of each individual is its true rank; second, for all pairs, that the
        first outranks the second.
        """
        draws = self.ratings.final[:, self.present]
        right = (ranks(draws) == rank).mean(axis=0)
        outranks = (draws[:, :, None] > draws[:, None, :]).mean(axis=0)
        equal = self.p_equal
        chance = equal / len(rank)
        return (1 - equal) * right + chance, (1 - equal) * outranks + equal / 2

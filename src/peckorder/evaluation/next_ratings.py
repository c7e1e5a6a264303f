"""Ratings before the next contests: what the evaluation of foresight would have used.

Ratings after the last contest are not what the next contest is predicted from if a new season
begins (ratings are carried over), if an individual takes part for the first time, or if deviations
increase between contests. Here ratings are moved on to that moment by the rules of each rater, so
that `predict` gives the foresight of contests that are appended to the record. It does so exactly,
with three exceptions: Elo averaged over orders within time stamps predicts from mean ratings;
dynamic ratings scale their drift by the whole record, which a further contest changes a little; and
posteriors and maximum-likelihood fits are estimated from all contests, also from the one appended,
so that only their prediction is honest. Newcomers enter a posterior by its prior.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from peckorder.data.contests import Contests
from peckorder.data.effects import check_home_advantage
from peckorder.data.user_tables import Fixtures, read_fixtures
from peckorder.errors import ArgumentError, DataError
from peckorder.evaluation.order_forecast import OrderRatings
from peckorder.ratings.adaptive import MOST_INDIVIDUALS, AdaptiveRatings
from peckorder.ratings.dynamic import DynamicRatings
from peckorder.ratings.glicko import START, GlickoRatings
from peckorder.ratings.posterior import Posterior
from peckorder.ratings.replay import EloReplay
from peckorder.ratings.same_time import AveragedReplay
from peckorder.results import Ratings
from peckorder.results.trajectory import Course
from peckorder.text import did_you_mean, option, option_name, quoted
from peckorder.validate import true_or_false


def onward(ratings: Ratings, newcomers: tuple[str, ...] = (), seasons: int = 0) -> Ratings:
    """Ratings before the next contest, with newcomers and after some carry-overs."""
    if ratings.window is not None or ratings.kept is None:
        if newcomers or seasons:
            raise ArgumentError(
                "Newcomers and new seasons follow the whole record: use the ratings of all "
                "contests, not a window or a stream."
            )
        return ratings
    replay: Any = ratings.course.replay
    if isinstance(ratings, GlickoRatings):
        return _glicko(ratings, newcomers)
    if isinstance(ratings, DynamicRatings):
        return _dynamic(ratings, newcomers)
    if not newcomers and not seasons:
        return ratings
    if isinstance(ratings, AdaptiveRatings):
        return _adaptive(ratings, newcomers)
    if isinstance(replay, EloReplay | AveragedReplay):
        return _elo(ratings, replay, newcomers, seasons)
    if isinstance(ratings, Posterior):
        return _posterior(ratings, newcomers)
    if isinstance(ratings, OrderRatings) and ratings.method == "bradley_terry":
        return _bradley_terry(ratings, newcomers)
    return _refused(ratings, newcomers)


def _elo(ratings: Ratings, replay: Any, newcomers: tuple[str, ...], seasons: int) -> Ratings:
    if newcomers and ratings.method == "elo_ml" and isinstance(replay.settings.start, Mapping):
        return _refused(ratings, newcomers)
    state = replay.onward(newcomers, seasons)
    rating = state if isinstance(state, np.ndarray) else state.rating
    return replace(ratings, individuals=(*ratings.individuals, *newcomers), rating=rating)


def _glicko(ratings: GlickoRatings, newcomers: tuple[str, ...]) -> Ratings:
    """Deviations increase up to the next period; newcomers enter with those of the settings."""
    replay, number = ratings.course.replay, len(newcomers)
    deviation = replay.next_deviations()
    rating = ratings.rating
    if newcomers:
        own, start = ratings.settings["deviation"], ratings.settings["start"]
        if isinstance(own, Mapping):
            raise ArgumentError(
                f"{option_name('deviation')} has one value per individual, and none for "
                f"{quoted(newcomers)}. Give one number for all."
            )
        entry = replay.first_of_newcomers(float(own))
        deviation = np.append(deviation, np.full(number, entry))
        known: dict[str, Any] = dict.fromkeys(newcomers, start)
        if isinstance(start, Mapping):
            known = dict(start)
        rating = np.append(rating, [float(known.get(name, START)) for name in newcomers])
    return replace(
        ratings,
        individuals=(*ratings.individuals, *newcomers),
        rating=rating,
        columns=ratings.columns | {"rating_sd": deviation},
    )


def _dynamic(ratings: DynamicRatings, newcomers: tuple[str, ...]) -> Ratings:
    if not newcomers:
        return ratings
    if not ratings.bank.ordered:
        return _refused(ratings, newcomers)
    replay: Any = ratings.course.replay
    bank, ahead = replay.entered(len(newcomers))
    names = (*ratings.individuals, *newcomers)
    data = replace(ratings.data, individuals=names, presence=None)
    moved = replace(replay, data=data, bank=bank, ahead=ahead)
    return replace(
        ratings,
        individuals=names,
        rating=moved.means_at_the_end(),
        kept=Course(data, moved),
    )


def _adaptive(ratings: AdaptiveRatings, newcomers: tuple[str, ...]) -> Ratings:
    if not newcomers:
        return ratings
    if len(ratings.individuals) + len(newcomers) > MOST_INDIVIDUALS:
        raise DataError(
            f"Adaptive ratings hold up to {MOST_INDIVIDUALS:,} individuals, newcomers included."
        )
    moved = ratings.replay.joined_by(newcomers)
    return replace(
        ratings,
        individuals=moved.data.individuals,
        rating=moved.means_at_the_end(),
        kept=Course(moved.data, moved),
    )


def _posterior(ratings: Posterior, newcomers: tuple[str, ...]) -> Ratings:
    """Newcomers start from the prior of starting scores, under each draw of its spread."""
    if ratings.settings["centering"] != "none":
        raise DataError(
            f"{quoted(newcomers)}: with {option('centering', 'present')}, the scores of all change "
            f"when somebody arrives. Fit without it, or remove these fixtures."
        )
    slope = ratings.curve.slope
    sigma = ratings.settings.get("sigma")
    spread = ratings.samples["sigma"].ravel() * slope if sigma is None else np.array([sigma])
    replay = ratings.course.replay.joined_by(newcomers, spread, ratings.seed)
    return replace(
        ratings,
        individuals=replay.data.individuals,
        rating=replay.final.mean(axis=0),
        kept=Course(replay.data, replay),
    )


def _bradley_terry(ratings: Ratings, newcomers: tuple[str, ...]) -> Ratings:
    """Abilities with a prior have mean 0, and so have newcomers."""
    if newcomers and not ratings.settings.get("penalized"):
        return _refused(ratings, newcomers)
    rating = np.append(ratings.rating, np.zeros(len(newcomers)))
    return replace(ratings, individuals=(*ratings.individuals, *newcomers), rating=rating)


def _refused(ratings: Ratings, newcomers: tuple[str, ...]) -> Ratings:
    if not newcomers:
        return ratings
    raise DataError(
        f"{quoted(newcomers)}: ratings by {ratings.method} are estimated from an individual's own "
        f"contests and have none for newcomers. Use elo, glicko, dynamic, adaptive, elo_bayes or "
        f"bradley_terry with a prior, or remove these fixtures."
    )


def read_upcoming(
    ratings: Ratings,
    fixtures: Any,
    columns: Mapping[str, str | None],
    home_advantage: Any,
    *,
    new_season: bool,
    newcomers: bool,
) -> tuple[Fixtures, np.ndarray]:
    """Fixtures of rated sides, and how many times ratings are carried over before each.

    In a new season, new sides are to be expected; names like those of rated ones are not.
    """
    if home_advantage is not None:
        check_home_advantage(home_advantage)
    allowed, sides = true_or_false("newcomers", newcomers), ratings.individuals
    listed = read_fixtures(fixtures, sides, newcomers=True, **columns)
    if listed.newcomers and not allowed:
        rated = () if ratings.data.season is None else ratings.data.season.names
        later = rated and listed.season is not None and not set(listed.season) & set(rated)
        if not (new_season or later) or did_you_mean(listed.newcomers, sides):
            read_fixtures(fixtures, sides, newcomers=False, **columns)  # says what to do
    return listed, new_seasons(ratings, listed, true_or_false("new_season", new_season))


def new_seasons(ratings: Ratings, listed: Fixtures, new_season: bool) -> np.ndarray:
    """How many times ratings are carried over before each fixture."""
    if ratings.settings.get("carry_over") is None:
        if new_season:
            raise ArgumentError(
                f"{option('new_season', 'True')} needs ratings with "
                f"{option_name('carry_over')}: without it nothing changes between seasons."
            )
        return np.zeros(len(listed), np.int64)
    if listed.season is None:
        return np.full(len(listed), int(new_season), np.int64)
    return _counted_seasons(ratings.data, listed.season, new_season)


def _counted_seasons(data: Contests, labels: tuple[str, ...], new_season: bool) -> np.ndarray:
    rated = [] if data.season is None else list(data.season.names)
    now = None if data.season is None else data.season.names[data.season.codes[-1]]
    passed, begun, out = 0, [now], []
    for label in labels:
        if label != begun[-1]:
            if label in begun or label in rated:
                raise DataError(
                    f'Fixtures of season "{label}" follow those of season "{begun[-1]}", but the '
                    f"season has been rated or listed before. Sort the fixtures by season."
                )
            begun.append(label)
            passed += 1
        out.append(passed)
    if new_season and out[0] == 0:
        raise ArgumentError(
            f'The fixtures are of season "{now}", which has been rated: remove '
            f"{option('new_season', 'True')} or correct their column of seasons."
        )
    return np.array(out, np.int64)


def words_on_entries(ratings: Ratings, listed: Fixtures, passed: np.ndarray) -> list[str]:
    """Sentences about carry-over and newcomers, for a summary."""
    out = []
    carry = ratings.settings.get("carry_over")
    if carry is not None and passed.any():
        out.append(
            f"Ratings were carried over to a new season ({option_name('carry_over')} {carry:g})."
        )
    elif carry is not None and listed.season is None:
        out.append(
            f"Fixtures count as part of the last season. If a new one begins, name its column "
            f"({option('season')}) or pass {option('new_season', 'True')}, "
            f"and ratings are carried over."
        )
    if listed.newcomers:
        out.append(
            f"Newcomers: {quoted(listed.newcomers)}. They enter as the rating method lets them."
            f"{did_you_mean(listed.newcomers, ratings.individuals)}"
        )
    return out

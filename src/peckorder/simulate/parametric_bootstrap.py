"""Simulated data like a given data set: the same contests, with outcomes drawn from ratings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from peckorder.data.contests import Contests
from peckorder.errors import ArgumentError, ArgumentTypeError
from peckorder.kernels.simulation import draw_outcomes
from peckorder.ratings.dynamic import DynamicRatings
from peckorder.ratings.elo import elo
from peckorder.ratings.elo_arrays import k_values
from peckorder.ratings.filter_trajectory import drawn_courses
from peckorder.ratings.posterior import Posterior
from peckorder.ratings.replay import EloReplay
from peckorder.results import Measure, Ratings
from peckorder.results.chances import Chances, reading
from peckorder.simulate.truth import Truth
from peckorder.text import option
from peckorder.validate import between_0_and_1, positive, seed_number, whole_number


def like(ratings: Ratings, *, effort: float = 1.0, seed: Any = None) -> tuple[Truth, Contests]:
    """Simulate new outcomes for the same contests.

    For dynamic ratings, one draw of their whole course from the posterior is the truth. For fits
    (`elo_ml`, and one random draw of a posterior) the model itself is simulated: ratings start at
    the fitted values and are updated by the simulated outcomes. For other ratings,
    outcomes are drawn from the predicted probabilities, and the observed course of the ratings is
    taken as the truth.

    Parameters
    ----------
    ratings : Ratings, of any rater.
    effort : float
        Number of contests relative to the data. If it is not 1, the contests of dynamic ratings are
        repeated, each at its time; for other ratings, contests are resampled from those between
        individuals present at the end, with the final strengths.
    seed : int, optional

    Returns
    -------
    (Truth, Contests)

    Examples
    --------
    >>> import peckorder as po
    >>> data = po.datasets.adv()
    >>> truth, again = po.simulate.like(po.elo(data, k=200), seed=1)
    >>> len(again), again.individuals == truth.individuals
    (33, True)
    """
    if not isinstance(ratings, Ratings):
        raise ArgumentTypeError(
            f"like takes ratings, as returned by peckorder.elo, not {type(ratings).__name__}."
        )
    positive("effort", effort)
    seed = seed_number(seed)
    random = np.random.default_rng(np.random.SeedSequence([seed, 3]))
    refuse_points(ratings)
    if isinstance(ratings, DynamicRatings):
        own = resampled(len(ratings.data), effort, random)
        return _from_dynamic(ratings, own, random)
    if effort != 1.0:
        return more(ratings, effort, random)
    if isinstance(ratings, Posterior):
        return _from_posterior(ratings, random, seed)
    if ratings.method == "elo_ml" and "start" in ratings.settings["estimate"]:
        return _from_fit(ratings, seed)
    return _from_course(ratings, random)


def settling(
    data: Any, *, runs: int = 200, level: float = 0.95, seed: Any = None, **settings: Any
) -> Measure:
    """From when on the order can be relied on, and how far that depends on chance.

    Outcomes of the same contests are drawn again, as if the final ratings had held throughout, and
    rated again. In each such record, `reliable_from` is the contest from which on the order stays
    close to its final one (Spearman correlation at least 0.9).

    Parameters
    ----------
    data : Contests
    runs : int
        Number of simulated records.
    level : level of the interval.
    seed : int, optional
    settings : as in `elo`

    Returns
    -------
    Measure
        `value` (of the data), `low` and `high` (quantiles over simulated records), `contests`.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.simulate.settling(po.datasets.adv(), k=200, runs=50, seed=1)
    >>> found.low < found.high <= found.contests
    True
    """
    ratings = elo(data, **settings)
    seed = seed_number(seed)
    number = whole_number("runs", runs, 2)
    tail = (1 - between_0_and_1("level", level)) / 2
    refuse_points(ratings)
    record = ratings.data
    home = np.zeros(len(record), np.int8) if record.home is None else record.home
    chances = ratings.chances(record.winner, record.loser, home)
    streams = np.random.SeedSequence([seed, 4]).spawn(number)
    found = np.array(
        [
            elo(
                with_outcome(record, drawn_from(ratings, chances, np.random.default_rng(stream))),
                **settings,
            ).reliable_from
            for stream in streams
        ]
    )
    low, high = (int(x) for x in np.quantile(found, [tail, 1 - tail], method="nearest"))
    value = ratings.reliable_from
    return Measure(
        method="settling",
        data=ratings.data,
        values={"value": value, "low": low, "high": high, "contests": len(ratings.data)},
        summary=(
            f"The order stays close to the final one from contest {value} of "
            f"{len(ratings.data):,} on ({level:.0%} of simulated records: {low} to {high}).",
        ),
        settings={**ratings.settings, "runs": number, "level": level},
        citations=("albers2001",),
        draws={"reliable_from": found},
        seed=seed,
    )


def refuse_points(ratings: Ratings) -> None:
    """Reject ratings based on points or margins, which are not simulated."""
    for name, value in (("outcome", "points"), ("margin", ratings.settings.get("margin"))):
        if value is not None and ratings.settings.get(name) == value:
            raise ArgumentError(
                f"{option(name, str(value))}: wins can be simulated, but points and margins "
                f"cannot. Use ratings based on wins."
            )


def with_outcome(data: Contests, score: np.ndarray) -> Contests:
    """The same contests with new scores of the recorded winners."""
    lost = score == 0.0
    home = None if data.home is None else np.where(lost, -data.home, data.home).astype(np.int8)
    drawn = score == 0.5
    return replace(
        data,
        winner=np.where(lost, data.loser, data.winner).astype(np.int32),
        loser=np.where(lost, data.winner, data.loser).astype(np.int32),
        home=home,
        turned=lost if data.turned is None else data.turned ^ lost,
        draw=drawn if drawn.any() else None,
        points=None,
    )


def drawn_from(ratings: Ratings, chances: Chances, random: np.random.Generator) -> np.ndarray:
    """Simulated scores of the first sides; ties as frequent as observed if not modeled."""
    chances = reading(ratings, "davidson").of(chances)
    draw = 0.0 if chances.draw is None else chances.draw
    u = random.random(len(chances.win))
    return np.where(u < chances.win, 1.0, np.where(u < chances.win + draw, 0.5, 0.0))


def _from_course(ratings: Ratings, random: np.random.Generator) -> tuple[Truth, Contests]:
    data = ratings.data
    score = drawn_from(ratings, ratings.foresight(), random)
    course = ratings.course.replay.after_each(np.arange(len(ratings)))
    truth = Truth(
        data.individuals,
        np.arange(len(data)),
        _with_end(course[:-1], course[-1]),
        len(data),
        ratings.curve,
    )
    return truth, with_outcome(data, score)


def _with_end(course: np.ndarray, end: np.ndarray) -> np.ndarray:
    """The final ratings as the truth of the last contest, to which estimates are compared."""
    course = course.copy()
    course[-1] = end
    return course


def _from_fit(ratings: Ratings, seed: int) -> tuple[Truth, Contests]:
    replay = ratings.course.replay
    assert isinstance(replay, EloReplay)
    data, settings = ratings.data, replay.settings
    slope = settings.curve.slope
    k = np.broadcast_to(k_values(settings, data), (len(data), 2))[:, 0] * slope
    bonus = np.broadcast_to(replay.advantage * slope, len(data))
    nu = float(ratings.values.get("nu") or 0.0)
    return _by_model(data, replay.start * slope, k, bonus, nu, seed, slope, ratings)


def _from_posterior(
    ratings: Posterior, random: np.random.Generator, seed: int
) -> tuple[Truth, Contests]:
    replay = ratings.course.replay
    data = ratings.data
    d = int(random.integers(len(replay)))
    contests = replay.contests
    k_of = contests.k_of if contests.k_of.size else np.zeros(len(data), np.int64)
    home = contests.home if contests.home.size else np.zeros(len(data))
    return _by_model(
        data,
        replay.start[d],
        replay.k[d][k_of],
        replay.home[d] * home,
        float(replay.nu[d]),
        seed,
        replay.slope,
        ratings,
    )


def _by_model(
    data: Contests,
    start: np.ndarray,
    k: np.ndarray,
    bonus: np.ndarray,
    nu: float,
    seed: int,
    slope: float,
    ratings: Ratings,
) -> tuple[Truth, Contests]:
    """Simulate outcomes from ratings that are updated by them, on the natural scale."""
    if ratings.settings.get("centering") == "present":
        raise ArgumentError(
            f"A fit with {option('centering', 'present')} cannot be simulated. Fit with "
            f"{option('centering', 'none')}."
        )
    size = len(data)
    score, course = np.empty(size), np.empty((size + 1, len(start)))
    key = np.random.SeedSequence([seed, 4]).generate_state(1, np.uint64)[0]
    draw_outcomes(
        data.winner,
        data.loser,
        np.ascontiguousarray(bonus, dtype=float),
        bool(ratings.settings.get("home_in_update")),
        np.ascontiguousarray(k, dtype=float),
        nu,
        start.astype(float).copy(),
        key,
        0,
        score,
        course,
    )
    course = _with_end(course[:-1], course[-1]) / slope
    truth = Truth(data.individuals, np.arange(size), course, size, ratings.curve)
    return truth, with_outcome(data, score)


def resampled(contests: int, effort: float, random: np.random.Generator) -> np.ndarray:
    """Positions of `effort` times as many contests, in order, all about equally often."""
    number = max(1, round(effort * contests))
    whole, rest = divmod(number, contests)
    more_of = random.choice(contests, rest, replace=False)
    return np.sort(np.concatenate([np.repeat(np.arange(contests), whole), more_of]))


def drawn_scores(logits: np.ndarray, nu: float, random: np.random.Generator) -> np.ndarray:
    """Scores of the first sides at these log-odds, with ties after Davidson (1970)."""
    ahead, behind = np.exp(np.clip(logits, -60, 60) / 2), np.exp(-np.clip(logits, -60, 60) / 2)
    u = random.random(len(logits)) * (ahead + behind + nu)
    return np.where(u < ahead, 1.0, np.where(u < ahead + nu, 0.5, 0.0))


def _from_dynamic(
    ratings: DynamicRatings, own: np.ndarray, random: np.random.Generator
) -> tuple[Truth, Contests]:
    data, bank = ratings.data, ratings.bank
    course = drawn_courses(bank, 1, np.arange(len(data)), random)
    score = drawn_scores(course.logits[0, own], bank.nu, random)
    strengths = course.strengths[0] / ratings.curve.slope
    begin = np.searchsorted(own, np.arange(len(data)))
    truth = Truth(data.individuals, begin, strengths, len(own), ratings.curve)
    return truth, with_outcome(repeated_contests(data, own), score)


def more(ratings: Ratings, effort: float, random: np.random.Generator) -> tuple[Truth, Contests]:
    """More (or fewer) contests between pairs present at the end, from the final ratings."""
    data = ratings.data
    there = present_at_end(data)
    able = np.flatnonzero(there[data.winner] & there[data.loser])
    if able.size == 0:
        able = np.arange(len(data))
    # In the original order, so that dates and seasons remain sorted.
    own = np.sort(able[random.integers(len(able), size=max(1, round(effort * len(data))))])
    repeated = repeated_contests(data, own)
    home = np.zeros(len(own)) if data.home is None else data.home[own].astype(float)
    score = drawn_from(ratings, ratings.chances(repeated.winner, repeated.loser, home), random)
    truth = Truth(
        data.individuals, np.zeros(1, int), ratings.rating[None, :], len(own), ratings.curve
    )
    return truth, with_outcome(repeated, score)


def present_at_end(data: Contests) -> np.ndarray:
    """Which individuals are present at the last contest."""
    if data.presence is None:
        return np.ones(len(data.individuals), bool)
    return data.presence.at(data.times[-1], data.individuals)


def repeated_contests(data: Contests, own: np.ndarray) -> Contests:
    """The contests at these positions, some of them repeated."""
    if len(own) == len(data) and (own == np.arange(len(data))).all():
        return data

    def cut(array):
        return None if array is None else array[own]

    labels = {
        name: None if getattr(data, name) is None else getattr(data, name).take(own)
        for name in ("context", "group", "season")
    }
    return replace(
        data,
        winner=data.winner[own],
        loser=data.loser[own],
        date=cut(data.date),
        home=cut(data.home),
        turned=cut(data.turned),
        draw=None,
        points=None,
        extra=None,
        rows=data.row_numbers(own),
        presence=data.presence if data.date is not None else None,
        **labels,
    )

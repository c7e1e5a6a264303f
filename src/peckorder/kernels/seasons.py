"""Seasons that could be: the outcomes of fixtures drawn at random, again and again."""

import math
from typing import NamedTuple

import numpy as np

from peckorder.kernels import compiled, part
from peckorder.kernels.elo import WinCurve, corrected, win_chance
from peckorder.kernels.random import begin, normal, uniform


class Fixtures(NamedTuple):
    """Contests to come."""

    first: np.ndarray
    second: np.ndarray
    bonus: np.ndarray  # points added to the first side's rating, (draws, fixtures)
    bonus_in_update: bool


class Ratings(NamedTuple):
    """Where a season starts: draws of the ratings, or one of them, and how they move."""

    rating: np.ndarray  # (draws, individuals)
    spread: np.ndarray  # standard deviation of each rating within a draw
    k: np.ndarray  # one a draw, as ν
    nu: np.ndarray
    drift: np.ndarray  # variance that every rating gains from one fixture to the next, one a draw
    limit: np.ndarray  # variance to which drifting ratings return; infinite for a random walk
    curve: WinCurve
    boldness: float  # by which the curve, made for shares of points, is steeper for wins
    correction: float  # points of the correction of k by the winner's lead; 0: none


class Table(NamedTuple):
    """Points for a win, a draw and a loss, and those already won."""

    points: np.ndarray
    standings: np.ndarray


@part
def chance_to_win(expected, boldness):
    """Chance to win of a side that is expected to score so much."""
    if boldness == 1.0 or not 0.0 < expected < 1.0:
        return expected
    return 1.0 / (1.0 + math.exp(-boldness * math.log(expected / (1.0 - expected))))


@part
def drifted(rating, lag, drift, limit, random):
    """A rating after some fixtures, by a random walk or with return to 0."""
    moved = drift * lag
    if math.isinf(limit):
        return rating + math.sqrt(moved) * normal(random)
    spread = math.sqrt(-limit * math.expm1(-moved / limit))
    return rating * math.exp(-0.5 * moved / limit) + spread * normal(random)


@part
def play_once(fixtures, ratings, table, draw, random, score, last, won):
    """Play all fixtures once; `score` holds the ratings and `won` the points."""
    drift = ratings.drift[draw]
    for j in range(fixtures.first.size):
        a = fixtures.first[j]
        b = fixtures.second[j]
        if drift > 0.0:
            for who in (a, b):
                lag = j + 1 - last[who]
                score[who] = drifted(score[who], lag, drift, ratings.limit[draw], random)
                last[who] = j + 1
        ahead = score[a] - score[b]
        expected = win_chance(ahead + fixtures.bonus[draw, j], ratings.curve)
        p = chance_to_win(expected, ratings.boldness)
        odds = ratings.nu[draw] * math.sqrt(p * (1.0 - p))
        share = 1.0 / (1.0 + odds)
        u = uniform(random)
        place = 0 if u < p * share else (1 if u < (p + odds) * share else 2)
        won[a] += table.points[place]
        won[b] += table.points[2 - place]
        lead = ahead + fixtures.bonus[draw, j]
        if not fixtures.bonus_in_update:
            expected = win_chance(ahead, ratings.curve)
            lead = ahead
        step = ratings.k[draw] * (1.0 - 0.5 * place - expected)
        if ratings.correction > 0.0 and place != 1:
            step *= corrected(lead if place == 0 else -lead, ratings.correction)
        score[a] += step
        score[b] -= step


@part
def count_places(won, random, lot, places):
    """Count up the place of everybody; equal points are ordered at random."""
    for i in range(won.size):
        lot[i] = uniform(random)
    for i in range(won.size):
        place = 0
        for other in range(won.size):
            more = won[other] - won[i]
            if more > 0.0 or (more == 0.0 and lot[other] < lot[i]):
                place += 1
        places[i, place] += 1


@compiled
def play(fixtures, ratings, table, of_run, key, first_run, out, places):
    """Play all fixtures once a run; out[run] holds the points, places[who, place] is counted up.

    A run starts from the draw of ratings `of_run[run]`, blurred by their spread; the ratings move
    by k as the season goes on.
    """
    random = np.empty(4, np.uint64)
    size = ratings.rating.shape[1]
    score = np.empty(size)
    lot = np.empty(size)
    last = np.empty(size)
    for run in range(out.shape[0]):
        begin(random, key, first_run + run)
        draw = of_run[run]
        for i in range(size):
            score[i] = ratings.rating[draw, i]
            if ratings.spread[i] > 0.0:
                score[i] += ratings.spread[i] * normal(random)
            out[run, i] = table.standings[i]
            last[i] = 0.0
        play_once(fixtures, ratings, table, draw, random, score, last, out[run])
        count_places(out[run], random, lot, places)

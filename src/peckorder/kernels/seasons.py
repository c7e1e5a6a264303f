"""Seasons that could be: the outcomes of fixtures drawn at random, again and again."""

import math
from typing import NamedTuple

import numpy as np

from peckorder.kernels import compiled, maker, part
from peckorder.kernels.elo import WinCurve, corrected, win_chance
from peckorder.kernels.random import begin, below, normal, uniform


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
    ordered: bool  # whether ties are those of Rao & Kupper
    drift: np.ndarray  # variance that every rating gains from one fixture to the next, one a draw
    limit: np.ndarray  # variance to which drifting ratings return; infinite for a random walk
    curve: WinCurve
    boldness: float  # by which the curve, made for shares of points, is steeper for wins
    correction: float  # points of the correction of k by the winner's lead; 0: none


DIFFERENCE, SCORED, WINS, HEAD_TO_HEAD = range(4)  # rules by which equal points are ordered


class Table(NamedTuple):
    """Points for a win, a draw and a loss, those already won, and what orders equal points."""

    points: np.ndarray
    standings: np.ndarray
    rules: np.ndarray  # codes of tie-breaks, in their order
    counts: np.ndarray  # difference, scored and wins so far, (3, individuals)
    head: np.ndarray  # points so far of the row against the column


class Scores(NamedTuple):
    """Scores of past games, from which those of similar games to come are drawn."""

    lead: np.ndarray  # log-odds of the winners of decided games, ascending
    decided: np.ndarray  # their scores, (games, 2)
    drawn: np.ndarray  # scores of ties
    window: int  # number of decided games that are similar


@part
def note_score(table, scores, place, odds, a, b, random, counts, head):
    """Note the score of a game, which is that of a past one with such an outcome and odds."""
    counts[WINS, a] += place == 0
    counts[WINS, b] += place == 2
    head[a, b] += table.points[place]
    head[b, a] += table.points[2 - place]
    one, other = 0.0, 0.0
    if place == 1 and scores.drawn.size > 0:
        one = other = scores.drawn[below(random, scores.drawn.size)]
    elif place != 1 and scores.lead.size > 0:
        lead = odds if place == 0 else -odds
        first = np.searchsorted(scores.lead, lead) - scores.window // 2
        first = max(0, min(first, scores.lead.size - scores.window))
        pick = first + below(random, scores.window)
        one, other = scores.decided[pick, 0], scores.decided[pick, 1]
        if place == 2:
            one, other = other, one
    counts[DIFFERENCE, a] += one - other
    counts[DIFFERENCE, b] += other - one
    counts[SCORED, a] += one
    counts[SCORED, b] += other


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
def play_once(fixtures, ratings, table, scores, draw, random, score, last, won, counts, head):
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
        nu = ratings.nu[draw]
        odds = nu * math.sqrt(p * (1.0 - p))
        share = 1.0 / (1.0 + odds)
        win, unbeaten = p * share, (p + odds) * share
        if ratings.ordered:
            win = p / (p + (1.0 + nu) * (1.0 - p))
            unbeaten = (1.0 + nu) * p / ((1.0 + nu) * p + (1.0 - p))
        u = uniform(random)
        place = 0 if u < win else (1 if u < unbeaten else 2)
        won[a] += table.points[place]
        won[b] += table.points[2 - place]
        if table.rules.size > 0:
            chance = min(max(p, 1e-12), 1.0 - 1e-12)
            log_odds = math.log(chance / (1.0 - chance))
            note_score(table, scores, place, log_odds, a, b, random, counts, head)
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
def order(values, level, place, ahead):
    """Divide sets of equal places by values."""
    for i in range(values.size):
        ahead[i] = 0
        for other in range(values.size):
            ahead[i] += level[other] == level[i] and values[other] > values[i]
    for i in range(values.size):
        place[i] = level[i] + ahead[i]
    for i in range(values.size):
        level[i] = place[i]


@maker
def count_places(won, table, random, lot, counts, head, level, places, place):
    """Count up the place of everybody; what the rules leave equal is ordered at random."""
    ahead = np.empty(won.size, np.int64)
    values = np.empty(won.size)
    for i in range(won.size):
        lot[i] = uniform(random)
        level[i] = 0
    order(won, level, place, ahead)
    for rule in table.rules:
        for i in range(won.size):
            values[i] = counts[rule, i] if rule != HEAD_TO_HEAD else 0.0
            if rule == HEAD_TO_HEAD:
                for other in range(won.size):
                    if level[other] == level[i]:
                        values[i] += head[i, other]
        order(values, level, place, ahead)
    for i in range(won.size):
        values[i] = -lot[i]
    order(values, level, place, ahead)
    for i in range(won.size):
        places[i, place[i]] += 1


@compiled
def play(fixtures, ratings, table, scores, of_run, key, first_run, out, places, finish, ended):
    """Play all fixtures once a run; out[run] holds the points, places[who, place] is counted up.

    Unless they are of length 0, finish[run] has the places and ended[run] the final ratings. A run
    starts from the draw of ratings `of_run[run]`, blurred by their spread; the ratings move by k as
    the season goes on.
    """
    random = np.empty(4, np.uint64)
    size = ratings.rating.shape[1]
    score = np.empty(size)
    lot = np.empty(size)
    last = np.empty(size)
    level = np.empty(size, np.int64)
    place = np.empty(size, np.int64)
    for run in range(out.shape[0]):
        begin(random, key, first_run + run)
        draw = of_run[run]
        for i in range(size):
            score[i] = ratings.rating[draw, i]
            if ratings.spread[i] > 0.0:
                score[i] += ratings.spread[i] * normal(random)
            out[run, i] = table.standings[i]
            last[i] = 0.0
        counts, head = table.counts.copy(), table.head.copy()
        play_once(
            fixtures, ratings, table, scores, draw, random, score, last, out[run], counts, head
        )
        count_places(out[run], table, random, lot, counts, head, level, places, place)
        if finish.size > 0:
            for i in range(size):
                finish[run, i] = place[i]
                ended[run, i] = score[i]

"""What follows from draws of the parameters: the course of all scores, draw by draw."""

import math
from typing import NamedTuple

import numpy as np

from peckorder.kernels import compiled, copy, maker, part
from peckorder.kernels.likelihood import (
    ENTER,
    LEAVE,
    chances,
    clear,
    come_and_go,
    groups,
    log_of,
    one_contest,
    outcome,
)
from peckorder.kernels.random import begin, uniform

AS_RECORDED, REVERSED, DRAWN = 0, 1, 2  # outcomes drawn anew


class Draws(NamedTuple):
    """Draws of the parameters, one row each."""

    start: np.ndarray  # (draws, individuals)
    k: np.ndarray  # (draws, classes), the last one of burn-in
    nu: np.ndarray
    home: np.ndarray


class Walk(NamedTuple):
    """Where everybody stands between two contests of one draw."""

    score: np.ndarray
    halls: np.ndarray  # see `come_and_go`
    hall_of: np.ndarray  # the group in which somebody is present, −1 where in none
    event: np.ndarray  # one entry: the next to come or go


class Course(NamedTuple):
    """What a draw says of each contest; what is not wanted has length 0."""

    chance: np.ndarray  # of its outcome
    ahead: np.ndarray  # by how much the winner led
    before: np.ndarray  # reported scores of both sides
    after: np.ndarray


@maker
def walk_through(contests, draws):
    """A walk for draws of so many individuals."""
    size = draws.start.shape[1]
    halls = np.zeros((groups(contests), 3))
    return Walk(np.empty(size), halls, np.empty(size, np.int64), np.zeros(1, np.int64))


@part
def set_out(start, walk):
    """Everybody at the start of a draw, nobody present yet."""
    copy(walk.score, start)
    for i in range(start.size):
        walk.hall_of[i] = -1
    clear(walk.halls)
    walk.event[0] = 0


@part
def settle(contests, j, walk):
    """Let happen what comes before contest j."""
    event = walk.event[0]
    while event < contests.event_at.size and contests.event_at[event] <= j:
        come_and_go(contests, event, walk.score, walk.halls)
        kind = contests.event_kind[event]
        if kind == ENTER:
            walk.hall_of[contests.event_who[event]] = contests.event_hall[event]
        elif kind == LEAVE:
            walk.hall_of[contests.event_who[event]] = -1
        event += 1
    walk.event[0] = event


@part
def reported(i, walk):
    """The score of somebody present is relative to the mean of those present."""
    hall = walk.hall_of[i]
    return walk.score[i] - walk.halls[hall, 1] if hall >= 0 else walk.score[i]


@part
def follow(contests, draws, d, stop, walk, course):
    """Go through the first `stop` contests with draw d, and note what the course has room for."""
    set_out(draws.start[d], walk)
    k, nu, home = draws.k[d], draws.nu[d], draws.home[d]
    first, second = contests.first, contests.second
    chance, ahead, before, after = course.chance, course.ahead, course.before, course.after
    for j in range(stop):
        settle(contests, j, walk)
        if before.size > 0:
            before[j, 0] = reported(first[j], walk)
            before[j, 1] = reported(second[j], walk)
        found = one_contest(contests, j, k, nu, home, walk.score)
        if ahead.size > 0:
            chance[j] = found[0]
            ahead[j] = found[5]
        if after.size > 0:
            after[j, 0] = reported(first[j], walk)
            after[j, 1] = reported(second[j], walk)


@maker
def course_of(contests, terms, before, after):
    """Room for terms of the likelihood, and for scores before and after each contest."""
    size = contests.first.size
    return Course(
        np.empty(size if terms else 0),
        np.empty(size if terms else 0),
        np.empty((size if before else 0, 2)),
        np.empty((size if after else 0, 2)),
    )


@compiled
def add_history(contests, draws, expected, before, after):
    """Add up, over draws, the chance of each winner and both scores before and after."""
    size = contests.first.size
    walk = walk_through(contests, draws)
    course = course_of(contests, True, True, True)
    for d in range(draws.nu.size):
        follow(contests, draws, d, size, walk, course)
        for j in range(size):
            expected[j] += chances(course.ahead[j])[0]
            for side in range(2):
                before[j, side] += course.before[j, side]
                after[j, side] += course.after[j, side]


@compiled
def own_courses(contests, draws, first, out):
    """Scores of both sides after each contest from `first` on, in out[contest, side, draw]."""
    walk = walk_through(contests, draws)
    course = course_of(contests, False, False, True)
    for d in range(draws.nu.size):
        follow(contests, draws, d, first + out.shape[0], walk, course)
        for j in range(out.shape[0]):
            for side in range(2):
                out[j, side, d] = course.after[first + j, side]


@compiled
def add_outcomes(contests, draws, out):
    """Add up, over draws, the chances that each winner wins, draws and loses, in out[contest]."""
    size = contests.first.size
    walk = walk_through(contests, draws)
    course = course_of(contests, True, False, False)
    for d in range(draws.nu.size):
        follow(contests, draws, d, size, walk, course)
        for j in range(size):
            win, _, draw, _, q = outcome(course.ahead[j], False, draws.nu[d])
            out[j, 0] += win
            out[j, 1] += draw
            out[j, 2] += q * (1.0 - draw)


@compiled
def log_likelihoods(contests, draws, out):
    """Log-likelihood of every contest under each draw, in out[draw, contest]."""
    size = contests.first.size
    walk = walk_through(contests, draws)
    course = course_of(contests, True, False, False)
    for d in range(draws.nu.size):
        follow(contests, draws, d, size, walk, course)
        for j in range(size):
            drawn = contests.draw.size > 0 and contests.draw[j]
            value = log_of(course.chance[j], course.ahead[j], drawn, draws.nu[d])
            out[d, j] = value if j >= contests.counted else 0.0


@compiled
def photograph(contests, draws, places, followed, out, by_draw, settled):
    """Scores of those followed after so many contests (`places`, ascending), in out[place, draw].

    The first `settled` of them are taken once those who come and go before the next contest have
    done so. Without `by_draw` the draws are added up instead, in out[place, 0].
    """
    walk = walk_through(contests, draws)
    for d in range(draws.nu.size):
        set_out(draws.start[d], walk)
        settle(contests, np.int64(0), walk)  # a literal would be compiled on its own
        for place in range(places.size):
            done = places[place - 1] if place > 0 else 0
            for j in range(done, places[place]):
                settle(contests, j, walk)
                one_contest(contests, j, draws.k[d], draws.nu[d], draws.home[d], walk.score)
            if place < settled:
                settle(contests, places[place], walk)
            for i in range(followed.size):
                value = reported(followed[i], walk)
                if by_draw:
                    out[place, d, i] = value
                else:
                    out[place, 0, i] += value


@part
def upset(ahead, result):
    """1 where a decided contest was lost by the side with the higher chance, 0 otherwise."""
    return 1 if result != DRAWN and (ahead < 0.0) == (result == AS_RECORDED) else 0


@compiled
def replicate(contests, key, begin_at, draws, outcomes, upsets):
    """Outcomes of the same contests drawn anew: 0 as recorded, 1 the other side, 2 a draw.

    Scores follow the drawn outcomes. `upsets` receives, per draw, how many decided contests were
    lost by the side with the higher chance: of the record, and of the drawn outcomes.
    """
    size = contests.first.size
    random = np.empty(4, np.uint64)
    walk = walk_through(contests, draws)
    course = course_of(contests, True, False, False)
    for d in range(draws.nu.size):
        nu, home = draws.nu[d], draws.home[d]
        follow(contests, draws, d, size, walk, course)
        begin(random, key, begin_at + d)
        set_out(draws.start[d], walk)
        for j in range(size):
            settle(contests, j, walk)
            a = contests.first[j]
            b = contests.second[j]
            if not (contests.draw.size > 0 and contests.draw[j]):
                upsets[d, 0] += upset(course.ahead[j], AS_RECORDED)
            bonus = home * contests.home[j] if contests.home.size > 0 else 0.0
            ahead = walk.score[a] - walk.score[b]
            p, q = chances(ahead + bonus)
            u = uniform(random) * (1.0 + nu * math.sqrt(p * q))
            result = AS_RECORDED if u < p else (REVERSED if u < p + q else DRAWN)
            outcomes[d, j] = result
            upsets[d, 1] += upset(ahead + bonus, result)
            expected = chances(ahead + bonus if contests.home_in_update else ahead)[0]
            gained = (1.0, 0.0, 0.5)[result] - expected
            step = draws.k[d, contests.k_of[j] if contests.k_of.size > 0 else 0] * gained
            walk.score[a] += step
            walk.score[b] -= step

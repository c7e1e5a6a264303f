"""Draws of whole courses: marginals of the smoother, steps of the drift, and equal individuals."""

import math

import numpy as np
import pytest

import peckorder as po
from peckorder.ratings.filter_bank import drift_grid, run_bank
from peckorder.ratings.filter_trajectory import drawn_courses, log_bayes_factor_of_differences
from tests.ratings import bank_states


def drifting(seed, size=5, contests=60, newcomer=True):
    """Codes of contests with drifting ratings; the last individual arrives late."""
    random = np.random.default_rng(seed)
    strength = random.normal(0, 1.5, size)
    winner, loser = [], []
    for t in range(contests):
        known = size - 1 if newcomer and t < 0.55 * contests else size
        a, b = random.choice(known, 2, replace=False)
        strength += random.normal(0, 0.15, size)
        won = random.random() < 1 / (1 + math.exp(strength[b] - strength[a]))
        winner.append(a if won else b)
        loser.append(b if won else a)
    return np.array(winner), np.array(loser)


def test_marginals_are_those_of_the_smoother():
    winner, loser = drifting(3)
    bank = run_bank(winner, loser, individuals=5)
    assert bank.record.entry_at.size == 1
    places = np.array([0, 20, 40, 59])
    courses = drawn_courses(bank, 6000, places, 1)
    mean, deviation = bank_states.smoothed(bank, places + 1)
    drawn = courses.strengths - np.nanmean(courses.strengths, axis=2, keepdims=True)
    np.testing.assert_allclose(drawn.mean(axis=0), mean, atol=0.08)
    np.testing.assert_allclose(drawn.std(axis=0), deviation, rtol=0.08)
    t = places[2]
    logit = courses.strengths[:, 2, winner[t]] - courses.strengths[:, 2, loser[t]]
    np.testing.assert_allclose(courses.logits[:, t], logit)


def test_many_filters_of_little_weight_count_by_their_total():
    """On a fine grid no filter has much weight, and the courses are those of a coarse one."""
    winner, loser = drifting(3, newcomer=False)
    last = np.array([59])
    spread = []
    for number in (12, 3_000):
        grid = drift_grid(sigma=np.geomspace(0.1, 5.5, number), static=1.0)
        bank = run_bank(winner, loser, individuals=5, grid=grid)
        spread.append(drawn_courses(bank, 4_000, last, 1).strengths.std(axis=(0, 1)))
    assert bank.weights.max() < 0.002
    np.testing.assert_allclose(spread[1], spread[0], rtol=0.07)


@pytest.mark.parametrize("tau", [0.4, 1.6])
def test_steps_of_a_course_have_the_variance_of_the_drift(tau):
    """Without information (contests of others), steps of a course are those of the prior."""
    winner, loser = np.zeros(40, int), np.ones(40, int)
    winner[::2], loser[::2] = 1, 0
    grid = drift_grid(sigma=(1.0,), tau=(tau,), static=0.0)
    intervals = (np.arange(3), np.full(3, -1), np.full(3, 40))
    bank = run_bank(winner, loser, individuals=3, grid=grid, intervals=intervals)
    courses = drawn_courses(bank, 8000, np.arange(40), 1)
    step = np.diff(courses.strengths[:, :, 2], axis=1)
    walk = bank.table[:, 3] == 0
    moved = bank.table[0, 2]
    expected = bank.weights[walk].sum() * moved + bank.weights[~walk].sum() * 2 * (
        1 - math.exp(-moved / 2)
    )
    assert step.var() == pytest.approx(expected, rel=0.05)


def test_static_courses_do_not_change_and_absent_individuals_have_no_strength():
    data = po.datasets.adv()
    ratings = po.dynamic(data, static=True, seed=1)
    course = drawn_courses(ratings.bank, 5, np.arange(len(data)), 1).strengths
    np.testing.assert_array_equal(course, np.broadcast_to(course[:, :1], course.shape))
    winner, loser = drifting(4)
    bank = run_bank(winner, loser, individuals=5)
    course = drawn_courses(bank, 3, np.array([0, 59]), 1).strengths
    assert np.isnan(course[:, 0, 4]).all()
    assert not np.isnan(course[:, 1]).any()


def test_evidence_of_equal_individuals_is_that_of_coins():
    winner, loser = drifting(5, newcomer=False)
    bank = run_bank(winner, loser, individuals=5)
    factor = log_bayes_factor_of_differences(bank)
    assert factor == pytest.approx(bank.log_evidence - 60 * math.log(0.5), abs=1e-6)
